/* Unique valid inputs of naive generators: what `rl` learns without a word about states. One set of parameters for all
 * (the guide's own).
 *
 *   learn [--tests N] [--seeds A-B] [--guide NAMES] [--only ROWS] [--json] [--sonde-cc] [--states]
 *
 * There are two programs of it: counters belong to a process. In the other one the subjects are as `sonde cc` compiles
 * them, and its rows belong to the suite learn-cc; traces, what valid inputs do, are counted there only. */
#include "lib/bench.h"
#include "lib/learn_subjects.h"

#include <string.h>

static bool is_by_tool, has_states;

static const struct bench_flag flags[] = {
    {"--sonde-cc", &is_by_tool, "the subjects as sonde cc compiles them", NULL},
    {"--states", &has_states, "instead of all subjects, those with states written by hand", NULL},
    {0},
};

int main(int argc, char **argv)
{
    /* Without instrumentation there are no traces. */
    static const char *const columns[] = {"traces",    "valid", "unique_valid", "shapes",
                                          "skeletons", "cpu_s", "peak_kb",      NULL};
    const bool is_plain = strcmp(learn_suite, "learn") == 0;
    static struct bench b = {.suite = learn_suite,
                             .flags = flags,
                             .guides = "uniform,rl-classic,rl",
                             .tests = 100000,
                             .full_tests = 100000,
                             .first_seed = 1,
                             .last_seed = 10};
    b.columns = is_plain ? columns + 1 : columns;
    bench_start(&b, argc, argv);
    if (is_by_tool && is_plain) {
        fprintf(
            stderr,
            "learn: the subjects of this program are compiled without sonde cc; bench/run learn --sonde-cc has the others\n");
        return 2;
    }
    for (const struct learn_subject *s = has_states ? learn_with_states : learn_subjects; s->name; s++) {
        sonde_property property = {.name = s->name, .run = s->run};
        bench_property(&b, s->name, &property);
    }
    return bench_end(&b);
}
