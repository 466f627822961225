/* See mutate.h. Every report of a mutation run is written at its end, from one result (mutate/result.h). */
#include "cli/mutate.h"

#include "base/die.h"
#include "base/diff.h"
#include "base/mem.h"
#include "cli/mutate_output.h"
#include "mutate/mutate.h"
#include "program/mutants.h"
#include "store/files.h"
#include "store/home.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
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
    else if (!cli->mutate && !cli->engine.mutant && !cli->equivalent) is_wrong = false;
    else if (!n)
        sonde_complain(
            "%s: --%s: the program has no mutants; build it with sonde cc --mutants, or check the pattern of "
            "--mutants=GLOB",
            program,
            cli->mutate       ? "mutate"
            : cli->equivalent ? "equivalent"
                              : "mutant");
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
#ifdef M_PERTURB
    mallopt(M_PERTURB, SONDE_MUTANT_FILL); /* as in the trials of --mutate */
#endif
    sonde_mutants_choose((uint32_t)cli->engine.mutant, SONDE_MUTANT_ON);
    cli->engine.no_store = true;
}

/* ---- Survivors judged equivalent */

/* Returns the path of sonde.equivalent: at the root of the repository, else in the working directory. */
static char *equivalents_path(const struct sonde_cli *cli)
{
    char *executable = sonde_home_executable(cli->engine.program);
    char *root = sonde_home_root(executable, cli->engine.source);
    char *path = root ? sonde_path("%s/sonde.equivalent", root) : sonde_strdup("sonde.equivalent");
    sonde_free(root);
    sonde_free(executable);
    return path;
}

/* Reads the file. Returns false after an error message. */
static bool read_equivalents(struct sonde_equivalents *list, const struct sonde_cli *cli, const char *program)
{
    char *path = equivalents_path(cli);
    int error = sonde_equivalents_read(list, path);
    if (error) sonde_complain("%s: cannot read %s: %s", program, path, sonde_below_reason(error));
    sonde_free(path);
    return !error;
}

enum sonde_status sonde_cli_add_equivalent(const struct sonde_cli *cli, const char *program)
{
    struct sonde_equivalents list;
    char *reason = NULL, *file;
    unsigned long number = strtoul(cli->equivalent, &reason, 10);
    bool has_colon = *reason == ':';
    reason += has_colon;
    while (*reason == ' ') reason++;
    if (!has_colon || !*reason || number < 1 || number > sonde_mutants_count()) {
        sonde_complain("%s: --equivalent %s: give a mutant from 1 to %" PRIu32
                       ", a colon, and why no test can notice it",
                       program, cli->equivalent, sonde_mutants_count());
        return SONDE_USAGE;
    }
    int error = -EINVAL;
    if (read_equivalents(&list, cli, program)) {
        const struct sonde_mutant_ *m = sonde_mutants_at((uint32_t)number);
        file = sonde_home_source(m->file, cli->engine.program, (int)m->line);
        error = sonde_equivalents_add(&list, file, (uint32_t)number, reason);
        sonde_free(file);
        if (error == -EEXIST) sonde_complain("%s: --equivalent: %s has a line for it", program, list.path);
        else if (error) sonde_complain("%s: --equivalent: cannot write %s: %s", program, list.path, strerror(-error));
        else printf("%s: a line was added for mutant %lu; commit the file\n", list.path, number);
    }
    sonde_equivalents_clear(&list);
    return error ? SONDE_USAGE : SONDE_PASSED;
}

/* ---- The run */

/* Returns the mutants on changed lines, by number; NULL after an error message. */
static unsigned char *changed_mutants(const struct sonde_cli *cli, const char *program)
{
    struct sonde_diff diff = {.top = NULL};
    char *executable = sonde_home_executable(cli->engine.program);
    char *root = sonde_home_root(executable, cli->engine.source);
    char *error = sonde_diff_since(&diff, root, cli->since);
    unsigned char *is_chosen = error ? NULL : sonde_calloc((size_t)sonde_mutants_count() + 1, 1);
    if (error) sonde_complain("%s: --since: %s", program, error);
    for (uint32_t i = 1; is_chosen && i <= sonde_mutants_count(); i++)
        is_chosen[i] = sonde_diff_has(&diff, sonde_mutants_at(i)->file, sonde_mutants_at(i)->line);
    sonde_diff_clear(&diff);
    sonde_free(error);
    sonde_free(root);
    sonde_free(executable);
    return is_chosen;
}

static bool has_any(const unsigned char *is_chosen)
{
    return !is_chosen || memchr(is_chosen + 1, 1, sonde_mutants_count());
}

/* Judges the chosen mutants and writes the reports. */
static enum sonde_status judge(const struct sonde_cli *cli, struct sonde_mutate_setup *setup,
                               struct sonde_mutation_outputs *outputs)
{
    struct sonde_mutation result = {.program = cli->engine.program,
                                    .seed = setup->options->seed,
                                    .since = cli->since,
                                    .n_all = sonde_mutants_count()};
    enum sonde_status status = SONDE_PASSED;
    /* Without mutants there is nothing to search for. */
    if (has_any(setup->is_chosen)) status = sonde_mutation_run(setup, &result);
    sonde_equivalents_warn(setup->equivalents, &result, stderr);
    if (!sonde_mutation_outputs_write(outputs, cli, &result)) status = SONDE_INTERNAL;
    sonde_mutation_clear(&result);
    return status;
}

enum sonde_status sonde_cli_mutate(const struct sonde_cli *cli, const char *program,
                                   const sonde_property *const *properties, size_t n)
{
    struct sonde_options options = cli->engine;
    struct sonde_equivalents equivalents;
    struct sonde_mutation_outputs outputs;
    /* One seed unless another is given: a score should change only if the code or the properties do. */
    if (!options.seed_given) options.seed = 1;
    options.seed_given = true;
    if (!options.seconds_given) options.seconds = 0;
    bool shows = cli->progress && !cli->quiet && isatty(STDERR_FILENO);
    unsigned char *is_chosen = cli->since ? changed_mutants(cli, program) : NULL;
    if (cli->since && !is_chosen) return SONDE_USAGE;
    enum sonde_status status = SONDE_USAGE;
    if (read_equivalents(&equivalents, cli, program) && sonde_mutation_outputs_open(&outputs, cli, program)) {
        struct sonde_mutate_setup setup = {.options = &options,
                                           .properties = properties,
                                           .n_properties = n,
                                           .is_chosen = is_chosen,
                                           .since = cli->since,
                                           .equivalents = &equivalents,
                                           .has_matrix = cli->matrix,
                                           .continues = cli->continues,
                                           .progress = shows ? stderr : NULL};
        status = judge(cli, &setup, &outputs);
    }
    sonde_equivalents_clear(&equivalents);
    sonde_free(is_chosen);
    return status;
}
