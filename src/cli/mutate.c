/* See mutate.h. Every report of a mutation run is written at its end, from one result (mutate/result.h). */
#include "cli/mutate.h"

#include "base/die.h"
#include "mutate/mutate.h"
#include "program/mutants.h"
#include "report/report.h"

#include <inttypes.h>
#include <unistd.h>

/* Returns an option that has no meaning with --mutate; NULL: none was given. */
static const char *excluded(const struct sonde_cli *cli)
{
    const struct sonde_options *o = &cli->engine;
    const struct {
        bool is_given;
        const char *name;
    } all[] = {{o->mutant > 0, "mutant"},
               {o->replay != NULL, "replay"},
               {cli->gdb, "gdb"},
               {cli->as_c, "as-c"},
               {o->fuzz, "fuzz"},
               {o->flat_seconds > 0, "until-flat"},
               {o->share != NULL, "share"},
               {cli->serves, "serve"},
               {cli->ui, "ui"},
               {o->spawn, "spawn"},
               {cli->total_seconds > 0, "total-time"},
               {o->isolation != SONDE_ISOLATE_WORKER, "isolate"},
               {cli->plot_data != NULL, "plot-data"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].is_given) return all[i].name;
    return NULL;
}

bool sonde_cli_wrong_mutants(const struct sonde_cli *cli, const char *program)
{
    const char *alone = cli->matrix ? "matrix" : "continue", *with = excluded(cli);
    uint32_t n = sonde_mutants_count();
    bool is_wrong = true;
    if (!cli->mutate && (cli->matrix || cli->continues))
        sonde_complain("%s: --%s: give --mutate as well", program, alone);
    else if (!cli->mutate && !cli->engine.mutant) is_wrong = false;
    else if (!n)
        sonde_complain(
            "%s: --%s: the program has no mutants; build it with sonde cc --mutants, or check the pattern of "
            "--mutants=GLOB",
            program, cli->mutate ? "mutate" : "mutant");
    else if (cli->mutate && with) sonde_complain("%s: --mutate: it cannot be combined with --%s", program, with);
    else if (cli->engine.mutant > n)
        sonde_complain("%s: --mutant: there is no mutant %" PRIu64 "; the program has %" PRIu32 ", numbered from 1",
                       program, cli->engine.mutant, n);
    else if (cli->engine.mutant && cli->engine.spawn)
        sonde_complain("%s: --mutant: it cannot be combined with --spawn", program);
    else is_wrong = false;
    return is_wrong;
}

void sonde_cli_switch_on(struct sonde_cli *cli)
{
    sonde_mutants_choose((uint32_t)cli->engine.mutant, SONDE_MUTANT_ON);
    cli->engine.no_store = true;
}

enum sonde_status sonde_cli_mutate(const struct sonde_cli *cli, const sonde_property *const *properties, size_t n)
{
    struct sonde_options options = cli->engine;
    struct sonde_mutation result;
    /* One seed unless another is given: a score should change only if the code or the properties do. */
    if (!options.seed_given) options.seed = 1;
    options.seed_given = true;
    if (!options.seconds_given) options.seconds = 0;
    bool shows = cli->progress && !cli->quiet && isatty(STDERR_FILENO);
    struct sonde_mutate_setup setup = {.options = &options,
                                       .properties = properties,
                                       .n_properties = n,
                                       .has_matrix = cli->matrix,
                                       .continues = cli->continues,
                                       .progress = shows ? stderr : NULL};
    enum sonde_status status = sonde_mutation_run(&setup, &result);
    sonde_mutation_print(stdout, &result, cli->verbose);
    sonde_mutation_clear(&result);
    return fflush(stdout) ? SONDE_INTERNAL : status;
}
