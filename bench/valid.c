/* valid: tests to a fault where every input is valid, so nothing but the fault tells a good input from another.
 *
 * Kinds are in valid/subjects.c; a number decides the constants of a subject: `handshake-3` is one row. The last table
 * has for each kind how many runs met the fault, by guide, and the tests of `auto` (or of the first guide) as a
 * multiple of the best other guide's. The best one is chosen on the odd seeds and judged on the even ones, and the
 * reverse.
 *
 *   valid [--numbers A-B] [--tests N] [--seeds A-B] [--guide NAMES] [--only KINDS] [--json] */
#include "lib/bench.h"
#include "valid/subjects.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COSTS_MAX = 4096 };

static const char *numbers = "1-4";

static const struct bench_flag flags[] = {
    {"--numbers", NULL, "A-B: subjects of each kind (1-4); constants were looked at for numbers below 100", &numbers},
    {0},
};

/* The searches of one kind: the same numbers and seeds for each guide. */
struct survey {
    const char *kind;
    struct bench_cost costs[BENCH_GUIDES_MAX][COSTS_MAX];
    unsigned n[BENCH_GUIDES_MAX], found[BENCH_GUIDES_MAX];
};

static bool read_numbers(uint64_t *first, uint64_t *last)
{
    char end;
    return sscanf(numbers, "%" SCNu64 "-%" SCNu64 "%c", first, last, &end) == 2 && *first > 0 && *first <= *last;
}

static void note(struct survey *survey, unsigned guide, const struct bench_row *row)
{
    double cost = (double)(row->found ? row->tests_to_failure : row->tests);
    if (survey->n[guide] == COSTS_MAX) return;
    survey->costs[guide][survey->n[guide]++] = (struct bench_cost){cost, !row->found};
    survey->found[guide] += row->found;
}

static void search(struct bench *b, struct survey *survey, const struct valid_kind *kind, uint64_t number)
{
    char name[64];
    const char *guide;
    snprintf(name, sizeof name, "%s-%" PRIu64, kind->name, number);
    sonde_property property = {.name = name, .run = kind->run, .context = &number};
    for (unsigned i = 0; (guide = bench_guide(b, i)) != NULL; i++) {
        for (uint64_t seed = b->first_seed; seed <= b->last_seed; seed++) {
            struct bench_row row = bench_search(b, name, guide, seed, &property);
            note(survey, i, &row);
            bench_report(b, &row);
        }
        bench_line(b);
    }
}

/* ---- The table of kinds */

/* Sum of the logarithms of a guide's tests at every second seed. */
static double logs(const struct survey *s, unsigned guide, unsigned half)
{
    double sum = 0;
    for (unsigned i = half; i < s->n[guide]; i += 2) sum += log(s->costs[guide][i].cost);
    return sum;
}

/* The best of all guides but the first, at every second seed. */
static unsigned best_other(const struct survey *s, unsigned n_guides, unsigned half)
{
    unsigned best = 1;
    for (unsigned g = 2; g < n_guides; g++)
        if (logs(s, g, half) < logs(s, best, half)) best = g;
    return best;
}

static void print_kind(const struct bench *b, const struct survey *s, unsigned n_guides)
{
    static struct bench_cost first[COSTS_MAX], best[COSTS_MAX];
    unsigned n = 0;
    const char *names[2];
    for (unsigned half = 0; half < 2; half++) {
        unsigned g = best_other(s, n_guides, !half);
        names[half] = bench_guide(b, g);
        for (unsigned i = half; i < s->n[0]; i += 2) first[n] = s->costs[0][i], best[n++] = s->costs[g][i];
    }
    struct bench_pairs pairs = bench_compare_pairs(first, best, n);
    printf("%-12s", s->kind);
    for (unsigned g = 0; g < n_guides; g++) {
        char cell[32];
        double mean = exp((logs(s, g, 0) + logs(s, g, 1)) / s->n[g]);
        snprintf(cell, sizeof cell, "%u/%u %.0f", s->found[g], s->n[g], mean);
        printf(" %16s", cell);
    }
    printf("  %.2f (%.2f .. %.2f) %s%s%s\n", pairs.ratio, pairs.ci.lo, pairs.ci.hi, names[0],
           strcmp(names[0], names[1]) ? "," : "", strcmp(names[0], names[1]) ? names[1] : "");
}

static void print_table(const struct bench *b, const struct survey *surveys, unsigned n_kinds)
{
    unsigned n_guides = 0;
    while (bench_guide(b, n_guides)) n_guides++;
    if (b->json || n_guides < 2) return;
    printf("\n%-12s", "met, tests");
    for (unsigned g = 0; g < n_guides; g++) printf(" %16s", bench_guide(b, g));
    printf("  %s : best other\n", bench_guide(b, 0));
    for (unsigned k = 0; k < n_kinds; k++) print_kind(b, &surveys[k], n_guides);
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"found", "tests_to_failure", "shapes", "cpu_s", NULL};
    static struct bench b = {.suite = "valid",
                             .columns = columns,
                             .flags = flags,
                             .guides = "auto,uniform,random,rl,cgpt,target",
                             .tests = 200000,
                             .full_tests = 1000000,
                             .first_seed = 1,
                             .last_seed = 10};
    uint64_t first, last;
    unsigned n_kinds = 0;
    bench_start(&b, argc, argv);
    if (!read_numbers(&first, &last)) {
        fprintf(stderr, "valid: --numbers: '%s' should read A-B\n", numbers);
        return 2;
    }
    struct survey *surveys = calloc(VALID_KINDS, sizeof *surveys);
    if (!surveys) abort();
    for (const struct valid_kind *kind = valid_kinds; kind->name; kind++) {
        if (!bench_wants(&b, kind->name)) continue;
        surveys[n_kinds].kind = kind->name;
        for (uint64_t number = first; number <= last; number++) search(&b, &surveys[n_kinds], kind, number);
        n_kinds++;
    }
    print_table(&b, surveys, n_kinds);
    free(surveys);
    return bench_end(&b);
}
