/* target: utilities that mislead a search, and how many tests it takes to reach the top.
 *
 *   deceptive   a wide hill with a false top, and a steep one a hundredth as wide
 *   plateau     three numbers whose utility counts only whole thousands; the goal is at the far edge of the last
 *   ridge       two numbers that must rise together: a step of one alone always loses
 *
 * Beside `target` there are hill climbing with random restarts and simulated annealing, which hold one input each. */
#include "lib/bench.h"

#include <math.h>
#include <stdlib.h>

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

int main(int argc, char **argv)
{
    static const char *const columns[] = {"found", "tests_to_failure", "cpu_s", NULL};
    static struct bench b = {.suite = "target",
                             .columns = columns,
                             .guides = "uniform,target,hill,anneal",
                             .tests = 100000,
                             .first_seed = 1,
                             .last_seed = 20};
    bench_start(&b, argc, argv);
    for (size_t i = 0; i < sizeof landscapes / sizeof *landscapes; i++) {
        struct landscape l = landscapes[i];
        sonde_property p = {.name = l.name, .run = property, .context = &l};
        if (!bench_wants(&b, l.name)) continue;
        bench_property(&b, l.name, &p);
    }
    return bench_end(&b);
}
