/* See beside.h. */
#include "derive/beside.h"

#include <math.h>

static struct bench_cost search(const struct beside *b, const char *fault, uint64_t seed,
                                const sonde_property *property)
{
    char row[64];
    snprintf(row, sizeof row, "%s %s %s", b->subject, fault, property->name);
    struct bench_row r = bench_search(b->bench, row, b->guide, seed, property);
    if (b->bench->json) bench_print_json(stdout, b->bench, &r);
    return (struct bench_cost){r.found ? (double)r.tests_to_failure : (double)r.tests, !r.found};
}

void beside_fault(struct beside *b, const char *fault, const sonde_property *hand, const sonde_property *derived)
{
    for (uint64_t seed = b->bench->first_seed; seed <= b->bench->last_seed && b->n < BESIDE_MAX; seed++) {
        b->hand[b->n] = search(b, fault, seed, hand);
        b->derived[b->n++] = search(b, fault, seed, derived);
    }
}

static void print_side(const char *name, const struct bench_cost *costs, size_t n)
{
    double sum = 0;
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        sum += log(costs[i].cost);
        found += !costs[i].censored;
    }
    printf("  %s %6.0f (%zu of %zu found)", name, exp(sum / (double)n), found, n);
}

void beside_end(struct beside *b)
{
    struct bench_pairs pairs = bench_compare_pairs(b->derived, b->hand, b->n);
    if (!b->bench->json) {
        printf("tests to failure, %-14s %-8s", b->subject, b->guide);
        print_side("hand", b->hand, b->n);
        print_side("derived", b->derived, b->n);
        printf("  ratio %.2f [%.2f..%.2f]\n", pairs.ratio, pairs.ci.lo, pairs.ci.hi);
        fflush(stdout);
    }
    b->n = 0;
}

__attribute__((noinline)) void beside_draw_one(sonde *t, void (*draw)(sonde *t))
{
    draw(t);
}

static unsigned long n_records;

static void draw_and_count(sonde *t)
{
    const struct beside_draw *draw = sonde_context(t);
    beside_draw_one(t, draw->draw);
    n_records += draw->n_records();
}

void beside_draw(struct bench *b, const struct beside_draw *draw)
{
    sonde_property property = {.name = "draw", .run = draw_and_count, .context = (void *)(uintptr_t)draw};
    n_records = 0;
    bench_search(b, "draw", "uniform", b->first_seed, &property);
    printf("records %lu\n", n_records);
}
