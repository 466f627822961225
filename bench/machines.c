/* Machines: is a planted bug that needs 4 to 8 calls found, and is it shrunk to as few calls as it needs?
 *
 * `minimal`: no more calls than the token that was worked out by hand. `exact`: that very token, up to the choice of the swarm.
 *
 *   machines [--tests N] [--seeds A-B] [--guide NAMES] [--only ROWS] [--json] */
#include "lib/bench.h"
#include "machines/subjects.h"

#include <string.h>

static unsigned count_calls(const char *token)
{
    unsigned n = 0;
    while ((token = strstr(token, "{rule=")) != NULL) token++, n++;
    return n;
}

/* Removes the names of rules, `rule=0-put`: the minimal calls are written with numbers. */
static void remove_names(char *token)
{
    char *to = token;
    for (const char *at = token; *at;) {
        *to++ = *at;
        bool is_rule = to - token >= 6 && !memcmp(to - 6, "rule=", 5);
        at++;
        if (is_rule && *at == '-') at += strcspn(at, " }");
    }
    *to = '\0';
}

/* The token of the shrunk failure of the search that the row is of. */
static void shrink(const struct bench *b, const struct machine_subject *s, struct bench_row *row)
{
    sonde_result result;
    sonde_config config = {.seed = row->seed,
                           .tests = b->tests,
                           .seconds = 1e9,
                           .guide = row->guide,
                           .quiet = true,
                           .store = "",
                           .result = &result};
    sonde_run(s->run, &config);
    remove_names(result.token);
    const char *calls = strstr(result.token, "calls[");
    bool is_found = result.status == SONDE_FALSIFIED && calls;
    bench_more(row, "calls", is_found ? count_calls(calls) : 0);
    bench_more(row, "minimal", is_found && count_calls(calls) <= count_calls(s->minimal));
    bench_more(row, "exact", is_found && strncmp(calls, s->minimal, strlen(s->minimal)) == 0);
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"found", "tests_to_failure", "calls", "minimal", "exact", NULL};
    static struct bench b = {
        .suite = "machines", .columns = columns, .guides = "auto", .tests = 100000, .first_seed = 1, .last_seed = 10};
    bench_start(&b, argc, argv);
    for (const struct machine_subject *s = machine_subjects; s->name; s++) {
        const char *guide;
        if (!bench_wants(&b, s->name)) continue;
        sonde_property property = {.name = s->name, .run = s->run};
        for (unsigned i = 0; (guide = bench_guide(&b, i)) != NULL; i++) {
            for (uint64_t seed = b.first_seed; seed <= b.last_seed; seed++) {
                struct bench_row row = bench_search(&b, s->name, guide, seed, &property);
                if (row.found) shrink(&b, s, &row);
                bench_report(&b, &row);
            }
            bench_line(&b);
        }
    }
    return bench_end(&b);
}
