/* target: utilities that mislead a search, and how many tests it takes to reach the top.
 *
 *   deceptive   a wide hill with a false top, and a steep one a hundredth as wide
 *   plateau     three numbers whose utility counts only whole thousands; the goal is at the far edge of the last
 *   ridge       two numbers that must rise together: a step of one alone always loses
 *
 * Beside the guides stand two searches as one would write them plainly: hill climbing with random restarts after 1,000
 * steps in vain, and simulated annealing. Both change one number by up to a tenth of its range, or to anything. */
#include "lib/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 3 };

struct landscape {
    const char *name;
    int n, top; /* numbers in 0..top */
    double (*utility)(const int *x);
    bool (*reached)(const int *x);
};

static double deceptive(const int *x)
{
    double wide = abs(x[0] - 2000) + abs(x[1] - 2000), steep = abs(x[0] - 9000) + abs(x[1] - 9000);
    return fmax(100 - wide / 100, 200 - steep / 2);
}

static bool deceptive_reached(const int *x)
{
    return deceptive(x) >= 199;
}

static double plateau(const int *x)
{
    return x[0] / 1000 + x[1] / 1000 + x[2] / 1000;
}

static bool plateau_reached(const int *x)
{
    return x[0] >= 9900 && x[1] >= 9900 && x[2] >= 9900;
}

static double ridge(const int *x)
{
    return x[0] + x[1] - 1000.0 * abs(x[0] - x[1]);
}

static bool ridge_reached(const int *x)
{
    return x[0] > 99000 && abs(x[0] - x[1]) < 3;
}

static const struct landscape landscapes[] = {{"deceptive", 2, 10000, deceptive, deceptive_reached},
                                              {"plateau", 3, 9999, plateau, plateau_reached},
                                              {"ridge", 2, 100000, ridge, ridge_reached}};

static void property(sonde *t)
{
    static const char *const names[NUMBERS] = {"x", "y", "z"};
    const struct landscape *l = sonde_context(t);
    int x[NUMBERS];
    for (int i = 0; i < l->n; i++) x[i] = sonde_int(t, names[i], 0, l->top);
    sonde_target(t, "height", l->utility(x));
    sonde_check(t, !l->reached(x));
}

/* ---- Plain searches */

static int any(struct sonde_rng *rng, int top)
{
    return (int)sonde_rng_upto(rng, (uint64_t)top);
}

static void restart(const struct landscape *l, struct sonde_rng *rng, int *x)
{
    for (int i = 0; i < l->n; i++) x[i] = any(rng, l->top);
}

static void change(const struct landscape *l, struct sonde_rng *rng, int *x)
{
    int i = any(rng, l->n - 1), by = any(rng, l->top / 5) - l->top / 10;
    if (any(rng, 9) == 0) x[i] = any(rng, l->top);
    else x[i] = x[i] + by < 0 ? 0 : x[i] + by > l->top ? l->top : x[i] + by;
}

static uint64_t climb_hill(const struct landscape *l, struct sonde_rng *rng, uint64_t tests)
{
    int best[NUMBERS], x[NUMBERS];
    unsigned vain = 0;
    restart(l, rng, best);
    for (uint64_t i = 1; i <= tests; i++) {
        memcpy(x, best, sizeof x);
        if (vain > 1000) vain = 0, restart(l, rng, best), memcpy(x, best, sizeof x);
        else change(l, rng, x);
        if (l->reached(x)) return i;
        if (l->utility(x) > l->utility(best)) memcpy(best, x, sizeof x), vain = 0;
        else vain++;
    }
    return 0;
}

static uint64_t anneal(const struct landscape *l, struct sonde_rng *rng, uint64_t tests)
{
    int at[NUMBERS], x[NUMBERS];
    double hot = 100;
    restart(l, rng, at);
    for (uint64_t i = 1; i <= tests; i++) {
        double cold = hot * (1 - (double)i / (double)tests) + 1e-9;
        memcpy(x, at, sizeof x);
        change(l, rng, x);
        if (l->reached(x)) return i;
        if (sonde_rng_unit(rng) < exp((l->utility(x) - l->utility(at)) / cold)) memcpy(at, x, sizeof x);
    }
    return 0;
}

static void plain(struct bench *b, const struct landscape *l, const char *name,
                  uint64_t (*search)(const struct landscape *, struct sonde_rng *, uint64_t))
{
    for (uint64_t seed = b->first_seed; seed <= b->last_seed; seed++) {
        struct sonde_rng rng;
        sonde_rng_seed(&rng, seed, 1);
        uint64_t tests = search(l, &rng, b->tests);
        struct bench_row row = {.row = l->name, .guide = name, .seed = seed, .searches = true, .found = tests > 0};
        row.tests = tests ? tests : b->tests;
        row.tests_to_failure = tests;
        row.stopped = tests ? "found" : "tests";
        bench_report(b, &row);
    }
    bench_line(b);
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"found", "tests_to_failure", "cpu_s", NULL};
    static struct bench b = {.suite = "target",
                             .columns = columns,
                             .guides = "uniform,target",
                             .tests = 100000,
                             .first_seed = 1,
                             .last_seed = 20};
    bench_start(&b, argc, argv);
    for (size_t i = 0; i < sizeof landscapes / sizeof *landscapes; i++) {
        struct landscape l = landscapes[i];
        sonde_property p = {.name = l.name, .run = property, .context = &l};
        if (!bench_wants(&b, l.name)) continue;
        bench_property(&b, l.name, &p);
        plain(&b, &l, "hill", climb_hill);
        plain(&b, &l, "annealing", anneal);
    }
    return bench_end(&b);
}
