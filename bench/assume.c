/* assume: how many inputs satisfy a precondition, and how different they are.
 *
 *   accept     accepted / run
 *   distinct   different accepted tuples of the variables that occur in assumes, divided by the number of accepted
 *              ones or of valid tuples, whichever is less (the latter if the sample met each of them several times):
 *              freezing what is constrained scores nothing
 *   evenness   the largest distance (total variation) between any variable's accepted values and those from rejection
 *              sampling; 0 is even. A few thousandths to hundredths are noise.
 *
 * With --sonde-cc the relations are plain conditions, which `sonde cc` gives distances: the paper's automatic form. The
 * number of valid tuples and the even distribution come from a sample of independent draws. */
#include "assume/cases.h"
#include "feedback/unique.h"
#include "lib/bench.h"
#include "lib/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 32, RANGE = 4096, OFFSET = RANGE / 2, TAIL = RANGE - 1, REFERENCE = 400000, MOST = 3000000, OFTEN = 4 };

/* Accepted inputs: tuples, and how often each variable had each value. */
struct tally {
    struct assume_accepted take; /* first, so that it is what the cases see */
    struct sonde_unique tuples;
    uint64_t n;
    bool has_all; /* of a reference: it met each tuple several times, and its second half none that the first had not */
    size_t n_variables;
    uint32_t counts[ASSUME_VARIABLES][RANGE];
};

static void take(struct assume_accepted *to, const int64_t *values, size_t n, uint64_t identity)
{
    struct tally *tally = (struct tally *)to;
    tally->n++;
    tally->n_variables = n;
    sonde_unique_add(&tally->tuples, identity * UINT64_C(0xd6e8feb86659fd93));
    for (size_t i = 0; i < n; i++) {
        int64_t at = values[i] + OFFSET;
        tally->counts[i][at >= 0 && at < TAIL ? at : TAIL]++; /* what is far out counts as one value */
    }
}

static struct tally *new_tally(void)
{
    struct tally *tally = calloc(1, sizeof *tally);
    if (!tally) abort();
    tally->take.take = take;
    sonde_unique_init(&tally->tuples);
    return tally;
}

static void free_tally(struct tally *tally)
{
    sonde_unique_clear(&tally->tuples);
    free(tally);
}

/* The range of values that a variable has. */
static void find_range(const struct tally *tally, size_t variable, size_t *first, size_t *last)
{
    *first = 0, *last = RANGE - 1;
    while (*first < *last && tally->counts[variable][*first] == 0) ++*first;
    while (*last > *first && tally->counts[variable][*last] == 0) --*last;
}

/* Wide variables are compared in bins: value by value, there would be more noise than anything else. */
static double distance(const struct tally *got, const struct tally *even, size_t variable)
{
    size_t first, last;
    double bins[BINS] = {0}, sum = 0;
    find_range(even, variable, &first, &last);
    size_t width = (last - first) / BINS + 1;
    for (size_t i = 0; i < RANGE; i++) {
        size_t bin = i < first ? 0 : (i - first) / width;
        bins[bin < BINS ? bin : BINS - 1] +=
            (double)got->counts[variable][i] / (double)got->n - (double)even->counts[variable][i] / (double)even->n;
    }
    for (size_t i = 0; i < BINS; i++) sum += fabs(bins[i]);
    return sum / 2;
}

static double evenness(const struct tally *got, const struct tally *even)
{
    double worst = 0;
    if (got->n == 0 || even->n == 0) return NAN;
    for (size_t i = 0; i < got->n_variables; i++) {
        double d = distance(got, even, i);
        if (d > worst) worst = d;
    }
    return worst;
}

/* Long enough to meet every valid tuple of a small space. */
static struct tally *reference(const struct assume_case *c)
{
    struct tally *tally = new_tally();
    sonde_property property = {.run = c->run, .context = tally};
    uint64_t done = 0, before = 0;
    bool estimated;
    for (uint64_t seed = 1000; tally->n < REFERENCE / 10 && done < MOST; seed++, done += REFERENCE) {
        bench_sample(&property, REFERENCE / 2, seed);
        before = sonde_unique_count(&tally->tuples, &estimated);
        bench_sample(&property, REFERENCE / 2, seed + MOST);
    }
    uint64_t tuples = sonde_unique_count(&tally->tuples, &estimated);
    tally->has_all = tally->n > 0 && tally->n >= OFTEN * tuples && tuples == before;
    return tally;
}

static void measure(struct bench *b, const struct assume_case *c, const char *guide, struct tally *even)
{
    bool estimated;
    uint64_t valid_tuples = sonde_unique_count(&even->tuples, &estimated);
    if (!even->has_all) valid_tuples = UINT64_MAX;
    for (uint64_t seed = b->first_seed; seed <= b->last_seed; seed++) {
        struct tally *got = new_tally();
        sonde_property property = {.name = c->name, .run = c->run, .context = got};
        struct bench_row row = bench_search(b, c->name, guide, seed, &property);
        double tuples = (double)sonde_unique_count(&got->tuples, &estimated);
        double most = (double)(row.valid < valid_tuples ? row.valid : valid_tuples);
        row.searches = false;
        bench_more(&row, "accept", row.tests ? (double)row.valid / (double)row.tests : 0);
        bench_more(&row, "distinct", most > 0 ? tuples / most : 0);
        bench_more(&row, "tuples", tuples);
        bench_more(&row, "evenness", evenness(got, even));
        if (c->uniform > 0) bench_more(&row, "known_uniform", c->uniform);
        bench_report(b, &row);
        free_tally(got);
    }
    bench_line(b);
}

static bool is_by_tool;

static const struct bench_flag flags[] = {
    {"--sonde-cc", &is_by_tool, "plain conditions, as sonde cc compiles them: rows of the suite assume-cc", NULL},
    {0},
};

int main(int argc, char **argv)
{
    static const char *const columns[] = {"accept", "distinct", "tuples", "evenness", "known_uniform", "cpu_s", NULL};
    static struct bench b = {.suite = assume_suite,
                             .columns = columns,
                             .flags = flags,
                             .guides = "uniform",
                             .tests = 10000,
                             .first_seed = 1,
                             .last_seed = 10};
    bench_start(&b, argc, argv);
    if (is_by_tool && strcmp(assume_suite, "assume") == 0) {
        fprintf(stderr,
                "assume: this program has relations written by hand; bench/run assume --sonde-cc has plain ones\n");
        return 2;
    }
    for (size_t i = 0; i < assume_n_cases; i++) {
        const char *guide;
        if (!bench_wants(&b, assume_cases[i].name)) continue;
        struct tally *even = reference(&assume_cases[i]);
        for (unsigned k = 0; (guide = bench_guide(&b, k)) != NULL; k++) measure(&b, &assume_cases[i], guide, even);
        free_tally(even);
    }
    return bench_end(&b);
}
