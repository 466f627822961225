/* What targeting buys where inputs must meet assumes: of 2000 inputs of each case of the dataset at least the share below is
 * accepted by the guide target, on each of two fixed seeds; uniform draws accept the share in brackets. These are counts of
 * a deterministic search: they change with the search, not with the machine. Measured: see bench/RESULTS.md. */
#include "assume/cases.h"
#include "lib/searches.h"

#include <inttypes.h>
#include <string.h>

enum { RUNS = 2000 };

static void ignore(struct assume_accepted *to, const int64_t *values, size_t n, uint64_t identity)
{
    (void)to, (void)values, (void)n, (void)identity;
}

static double accepted(const struct assume_case *c, const char *guide, uint64_t seed)
{
    struct assume_accepted take = {.take = ignore};
    const sonde_property property = {.name = c->name, .run = c->run, .context = &take};
    const struct sonde_options options = searches_options(guide, seed, RUNS);
    struct sonde_search *s = searches_run(&property, &options);
    double share = (double)s->stats.valid / (double)s->stats.tests;
    searches_free(s);
    return share;
}

/* Much above uniform where that is low, never below where it is high. */
static double least(double uniform)
{
    return uniform < 0.5 ? 0.5 : uniform;
}

int main(void)
{
    int failed = 0;
    for (size_t i = 0; i < assume_n_cases; i++) {
        const struct assume_case *c = &assume_cases[i];
        for (uint64_t seed = 1; seed <= 2; seed++) {
            double uniform = accepted(c, "uniform", seed), target = accepted(c, "target", seed);
            bool holds = target >= least(uniform) - 0.02;
            printf("%s %s, seed %" PRIu64 ": %.1f %% (%.1f %%)\n", holds ? "ok  " : "FAIL", c->name, seed, 100 * target,
                   100 * uniform);
            failed += !holds;
        }
    }
    return failed != 0;
}
