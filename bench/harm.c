/* Does learning hurt where there is nothing to learn? Tests to a planted bug in cheap properties, the mean over the seeds,
 * and each guide's as a multiple of the first one's.
 *
 *   harm [--tests N] [--seeds A-B] [--guide NAMES] [--only ROWS] [--json] */
#include "lib/bench.h"
#include "lib/learn_subjects.h"

static double mean_tests(struct bench *b, const struct learn_subject *s, const char *guide)
{
    sonde_property property = {.name = s->name, .run = s->run};
    double sum = 0;
    for (uint64_t seed = b->first_seed; seed <= b->last_seed; seed++) {
        struct bench_row row = bench_search(b, s->name, guide, seed, &property);
        bench_report(b, &row);
        sum += (double)row.tests;
    }
    bench_line(b);
    return sum / (double)(b->last_seed - b->first_seed + 1);
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"found", "tests_to_failure", NULL};
    static struct bench b = {.suite = "harm",
                             .columns = columns,
                             .guides = "uniform,rl",
                             .tests = 100000,
                             .first_seed = 1,
                             .last_seed = 500};
    bench_start(&b, argc, argv);
    for (const struct learn_subject *s = learn_planted; s->name; s++) {
        if (!bench_wants(&b, s->name)) continue;
        const char *guide;
        double first = 0;
        for (unsigned i = 0; (guide = bench_guide(&b, i)) != NULL; i++) {
            double mean = mean_tests(&b, s, guide);
            if (i == 0) first = mean;
            if (!b.json) printf("  mean %.1f, %.3f times the first\n", mean, mean / first);
        }
    }
    return bench_end(&b);
}
