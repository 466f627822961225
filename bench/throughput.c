/* throughput: what a test costs with coverage on, beside libFuzzer on the same properties and the same instrumented code.
 *
 *   `tiny`       two numbers and their greatest common divisor
 *   `text`       a string that is read as JSON, printed and read again
 *   `operations` a list of operations on a balanced tree, beside a model
 *
 * None of them fails, so every row makes all of its tests. A row has
 *
 *   ns_per_test    processor time, in this process (--isolate=none); of libFuzzer in its own, from its first test
 *   ns_worker      the same in a worker process, as sonde_main has it
 *   of_libfuzzer   ns_per_test against libfuzzer's with the same seed, measured right before or after
 *   of_bytes       the same against libfuzzer-bytes
 *   choices        draws per test: a guide that makes longer inputs has more to run
 *   edges          counters that were hit by any test
 *   unique_valid   different valid inputs
 *
 * The last three are counted in a second search by the same seed, so that counting costs no time in the first. Behind the
 * rows of a property come the medians of what a test of `auto` costs of one of `cgpt`, and one of `cgpt` of one of libFuzzer
 * on bytes: ratio_auto_cgpt, ratio_cgpt_libfuzzer. */
#include "case/case.h"
#include "lib/bench.h"
#include "lib/edges.h"
#include "lib/fuzzer.h"
#include "throughput/properties.h"

#include <math.h>
#include <string.h>

enum { SEEDS = 100 };

static double per_test(const struct bench_row *row)
{
    return row->tests ? 1e9 * row->cpu_s / (double)row->tests : NAN;
}

static uint64_t choices; /* of the search that counts */

static void count_edges(sonde *t)
{
    choices += t->tape.n_choices;
    bench_edges_add();
}

static void search(const struct bench *b, const sonde_property *property, struct bench_row *row)
{
    sonde_property counted = *property;
    counted.teardown = count_edges;
    *row = bench_search(b, row->row, row->guide, row->seed, property);
    struct bench_row worker = bench_search_in_worker(b, row->row, row->guide, row->seed, property);
    choices = 0;
    bench_search(b, row->row, row->guide, row->seed, &counted);
    row->searches = false;
    bench_more(row, "choices", (double)choices / (double)row->tests);
    bench_more(row, "edges", (double)bench_edges_take());
    bench_more(row, "ns_worker", per_test(&worker));
}

/* False if libFuzzer is not there. */
static bool fuzz(const struct bench *b, struct bench_row *row)
{
    struct bench_row counted = *row;
    if (!bench_fuzz(b, row, false) || !bench_fuzz(b, &counted, true)) return false;
    counted.cpu_s = row->cpu_s;
    counted.searches = false;
    *row = counted;
    return true;
}

/* All arms in turn for each seed: what is compared is near in time. */
static struct bench_row rows[BENCH_GUIDES_MAX][SEEDS];
static bool is_there[BENCH_GUIDES_MAX];

static void measure(const struct bench *b, const sonde_property *property, unsigned seed)
{
    const char *guide;
    for (unsigned i = 0; (guide = bench_guide(b, i)) != NULL; i++) {
        struct bench_row *row = &rows[i][seed];
        *row = (struct bench_row){.row = property->name, .guide = guide, .seed = b->first_seed + seed};
        is_there[i] = !bench_is_fuzzer(guide) || fuzz(b, row);
        if (!bench_is_fuzzer(guide)) search(b, property, row);
        bench_more(row, "ns_per_test", per_test(row));
    }
}

/* Of the arm of that name; NaN if it was not asked for. */
static double cost_of(const struct bench *b, const char *arm, unsigned seed)
{
    const char *guide;
    for (unsigned i = 0; (guide = bench_guide(b, i)) != NULL; i++)
        if (is_there[i] && strcmp(guide, arm) == 0) return per_test(&rows[i][seed]);
    return NAN;
}

static double ratio(const struct bench *b, const char *arm, const char *other, unsigned seeds)
{
    double ratios[SEEDS];
    for (unsigned seed = 0; seed < seeds; seed++) ratios[seed] = cost_of(b, arm, seed) / cost_of(b, other, seed);
    return isnan(ratios[0]) ? NAN : bench_median(ratios, seeds);
}

static void show_ratio(const struct bench *b, const char *name, double value)
{
    if (isnan(value)) return; /* an arm is missing */
    printf(b->json ? ",\"%s\":%.3f" : "  %s %.2f", name, value);
}

static void show_ratios(const struct bench *b, const char *row, unsigned seeds)
{
    double to_cgpt = ratio(b, "auto", "cgpt", seeds), to_bytes = ratio(b, "cgpt", "libfuzzer-bytes", seeds);
    if (isnan(to_cgpt) && isnan(to_bytes)) return;
    printf(b->json ? "{\"suite\":\"throughput\",\"row\":\"%s\",\"seeds\":%u" : "%s, median of %u seeds:", row, seeds);
    show_ratio(b, "ratio_auto_cgpt", to_cgpt);
    show_ratio(b, "ratio_cgpt_libfuzzer", to_bytes);
    printf(b->json ? "}\n" : "\n");
    fflush(stdout);
}

static void show(struct bench *b, unsigned seeds)
{
    for (unsigned i = 0; bench_guide(b, i) != NULL; i++) {
        for (unsigned seed = 0; is_there[i] && seed < seeds; seed++) {
            struct bench_row *row = &rows[i][seed];
            bench_more(row, "of_libfuzzer", per_test(row) / cost_of(b, "libfuzzer", seed));
            bench_more(row, "of_bytes", per_test(row) / cost_of(b, "libfuzzer-bytes", seed));
            bench_report(b, row);
        }
        bench_line(b);
    }
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"tests", "ns_per_test",  "ns_worker", "of_libfuzzer", "of_bytes", "choices",
                                          "edges", "unique_valid", NULL};
    static struct bench b = {.suite = "throughput",
                             .columns = columns,
                             .guides = "uniform,zest,cgpt,auto,libfuzzer,libfuzzer-bytes",
                             .others = bench_fuzzers,
                             .tests = 200000,
                             .full_tests = 5000000,
                             .first_seed = 1,
                             .last_seed = 3};
    bench_start(&b, argc, argv);
    uint64_t seeds = b.last_seed - b.first_seed + 1;
    if (seeds > SEEDS) seeds = SEEDS;
    for (const sonde_property *p = throughput_properties; p->name; p++) {
        if (!bench_wants(&b, p->name)) continue;
        for (unsigned seed = 0; seed < seeds; seed++) measure(&b, p, seed);
        show(&b, (unsigned)seeds);
        show_ratios(&b, p->name, (unsigned)seeds);
    }
    return bench_end(&b);
}
