/* Unique valid search trees out of 100,000 (RLCheck, section 4.3.1, figures 4 and 5). `rl` and `uniform` get the naive
 * generator; `rl-classic` also gets the one that states its L/R states, as the paper's does (row "bst-states"). The sizes
 * of the unique valid trees are counted as size_1, size_2, ...
 *
 *   bst [--tests N] [--seeds A-B] [--guide NAMES] [--only ROWS] [--json] */
#include "lib/bench.h"
#include "lib/learn_subjects.h"

int main(int argc, char **argv)
{
    static const char *const columns[] = {"valid", "unique_valid", "cpu_s", NULL};
    static struct bench b = {.suite = "bst",
                             .columns = columns,
                             .guides = "uniform,rl-classic,rl",
                             .tests = 100000,
                             .full_tests = 100000,
                             .first_seed = 1,
                             .last_seed = 10};
    bench_start(&b, argc, argv);
    static const sonde_property plain = {.name = "bst", .run = learn_bst};
    static const sonde_property states = {.name = "bst-states", .run = learn_bst_states};
    bench_property(&b, plain.name, &plain);
    bench_property(&b, states.name, &states);
    return bench_end(&b);
}
