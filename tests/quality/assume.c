/* The gain from targeting where inputs must meet assumes: of 2000 inputs of each case of the dataset at least the share
 * below is accepted by the guide target, on each of two fixed seeds, and as many different ones as uniform draws have,
 * or more; where those accept next to nothing, ten times as many. Uniform's numbers are in brackets. These are counts
 * of a deterministic search: they change with the search, not with the machine. Measured: see bench/RESULTS.md. */
#include "assume/cases.h"
#include "lib/searches.h"

#include <inttypes.h>
#include <string.h>

enum { RUNS = 2000 };

static void ignore(struct assume_accepted *to, const int64_t *values, size_t n, uint64_t identity)
{
    (void)to, (void)values, (void)n, (void)identity;
}

struct counts {
    double accepted;  /* share of the inputs that were run */
    double different; /* inputs among these */
};

static struct counts count(const struct assume_case *c, const char *guide, uint64_t seed)
{
    bool estimated;
    struct assume_accepted take = {.take = ignore};
    const sonde_property property = {.name = c->name, .run = c->run, .context = &take};
    const struct sonde_options options = searches_options(guide, seed, RUNS);
    struct sonde_search *s = searches_run(&property, &options);
    struct counts counts = {(double)s->stats.valid / (double)s->stats.tests,
                            (double)sonde_unique_count(&s->judge.unique, &estimated)};
    searches_free(s);
    return counts;
}

/* Much above uniform where that is low, never below where it is high. Where next to nothing is accepted by chance, it is different
 * inputs that count: a share alone is met by a few of them, run again and again. */
static bool holds(struct counts target, struct counts uniform)
{
    bool is_rare = uniform.accepted < 0.05;
    double least = is_rare ? 0.4 : uniform.accepted < 0.5 ? 0.5 : uniform.accepted;
    return target.accepted >= least - 0.02 && target.different >= 0.95 * (is_rare ? 10 : 1) * uniform.different;
}

int main(void)
{
    int failed = 0;
    for (size_t i = 0; i < assume_n_cases; i++) {
        const struct assume_case *c = &assume_cases[i];
        if (c->computes) continue; /* nothing is promised for `target` alone */
        for (uint64_t seed = 1; seed <= 2; seed++) {
            struct counts uniform = count(c, "uniform", seed), target = count(c, "target", seed);
            bool is_good = holds(target, uniform);
            printf("%s %s, seed %" PRIu64 ": %.1f %% (%.1f %%), %.0f different (%.0f)\n", is_good ? "ok  " : "FAIL",
                   c->name, seed, 100 * target.accepted, 100 * uniform.accepted, target.different, uniform.different);
            failed += !is_good;
        }
    }
    return failed != 0;
}
