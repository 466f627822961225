/* filter: what it costs to thin many tapes to a few (corpus/filter.h), in processor time; making the tapes is part of it.
 *
 *   trees   nested nodes of six kinds with a number each, 16 choices on average: tapes that part early
 *   alike   a hundred digits, of which a seventh differs from tape to tape: tapes that hardly part at all
 *
 * The rows are tapes and filter; --tests is the number of tapes, of which 5,000 are selected. */
#include "corpus/filter.h"
#include "lib/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SELECTED = 5000, DIGITS = 100 };

static void add_choice(struct sonde_tape *t, uint32_t span, uint32_t label, uint64_t max, uint64_t index)
{
    struct sonde_choice c = {.index = index,
                             .max = max,
                             .label = label,
                             .span = span,
                             .kind = SONDE_KIND_UINT,
                             .site = sonde_site(label, t->spans[span].label, SONDE_KIND_UINT)};
    sonde_tape_add(t, &c);
}

static void add_node(struct sonde_tape *t, struct sonde_rng *rng, uint32_t parent, int depth)
{
    uint32_t span = sonde_tape_open(t, parent, 1, 0);
    uint64_t kind = sonde_rng_upto(rng, depth > 6 ? 1 : 5);
    add_choice(t, span, 2, 5, kind);
    add_choice(t, span, (uint32_t)(3 + kind), 1000, sonde_rng_upto(rng, 1000));
    for (uint64_t i = 0; i < kind / 2; i++) add_node(t, rng, span, depth + 1);
    sonde_tape_close(t, span);
}

static void make_tree(struct sonde_tape *t, struct sonde_rng *rng, uint64_t i)
{
    (void)i;
    add_node(t, rng, 0, 0);
}

static void make_alike(struct sonde_tape *t, struct sonde_rng *rng, uint64_t i)
{
    for (uint64_t k = 0; k < DIGITS; k++) add_choice(t, 0, 1, 9, k % 7 == i % 5 ? sonde_rng_upto(rng, 9) : 1);
}

static const struct {
    const char *name;
    void (*make)(struct sonde_tape *t, struct sonde_rng *rng, uint64_t i);
} kinds[] = {{"trees", make_tree}, {"alike", make_alike}};

static struct bench_row measure(const struct bench *b, size_t kind, enum sonde_filter_by by, uint64_t seed)
{
    struct bench_row row = {
        .row = kinds[kind].name, .guide = sonde_filter_names[by], .seed = seed, .tests = b->tests, .stopped = "tests"};
    struct sonde_filter *filter = sonde_filter_create(by, SELECTED, seed);
    struct sonde_tape tape;
    struct sonde_rng rng;
    clock_t start = clock();
    sonde_tape_init(&tape);
    sonde_rng_seed(&rng, seed, 1);
    for (uint64_t i = 0; i < b->tests; i++) {
        sonde_tape_begin(&tape);
        kinds[kind].make(&tape, &rng, i);
        sonde_filter_add(filter, &tape);
    }
    uint32_t *slots = malloc(((size_t)sonde_filter_slots(filter) + 1) * sizeof *slots);
    if (!slots) abort();
    uint32_t n = sonde_filter_select(filter, slots);
    row.cpu_s = (double)(clock() - start) / CLOCKS_PER_SEC;
    bench_more(&row, "selected", n);
    free(slots);
    sonde_tape_clear(&tape);
    sonde_filter_free(filter);
    return row;
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"selected", "cpu_s", NULL};
    static struct bench b = {.suite = "filter",
                             .columns = columns,
                             .guides = "uniform",
                             .tests = 1000000,
                             .full_tests = 1000000,
                             .first_seed = 1,
                             .last_seed = 1};
    bench_start(&b, argc, argv);
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        if (!bench_wants(&b, kinds[kind].name)) continue;
        for (int by = 0; by < SONDE_FILTER_COUNT; by++) {
            for (uint64_t seed = b.first_seed; seed <= b.last_seed; seed++) {
                struct bench_row row = measure(&b, kind, (enum sonde_filter_by)by, seed);
                bench_report(&b, &row);
            }
            bench_line(&b);
        }
    }
    return bench_end(&b);
}
