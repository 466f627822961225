/* Unique valid inputs of naive generators: what `rl` learns without a word about states. One set of parameters for all
 * (the guide's own).
 *
 *   learn [--tests N] [--seeds A-B] [--guide NAMES] [--only ROWS] [--json] */
#include "lib/bench.h"
#include "lib/learn_subjects.h"

int main(int argc, char **argv)
{
    static const char *const columns[] = {"valid", "unique_valid", "shapes", "skeletons", "cpu_s", "peak_kb", NULL};
    static struct bench b = {.suite = "learn",
                             .columns = columns,
                             .guides = "uniform,rl-classic,rl",
                             .tests = 100000,
                             .full_tests = 100000,
                             .first_seed = 1,
                             .last_seed = 10};
    bench_start(&b, argc, argv);
    for (const struct learn_subject *s = learn_subjects; s->name; s++) {
        sonde_property property = {.name = s->name, .run = s->run};
        bench_property(&b, s->name, &property);
    }
    return bench_end(&b);
}
