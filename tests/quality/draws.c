/* Every draw has the distribution that is promised: chi-square over fixed seeds, refused below p = 10^-6. So one in a
 * million of the tests here would fail by chance if the seeds were not fixed. Each test is asked twice: the second time
 * about a distribution that is a little wrong, which must be refused; a test that accepts both says nothing.
 *
 * Values come from independent draws (guide uniform), taken by a property as users write it. */
#include "exec/exec.h"
#include "lib/searches.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { BINS = 64, CASES = 100000 };

static const double least_p = 1e-6;

/* ---- Chi-square */

/* The upper tail of the gamma distribution (Numerical Recipes, 6.2): a series below a + 1, a continued fraction above. */
static double upper_gamma(double a, double x)
{
    double scale = exp(-x + a * log(x) - lgamma(a)), sum = 1 / a, term = sum;
    if (x <= 0) return 1;
    if (x < a + 1) {
        for (double n = a + 1; term > sum * 1e-12; n++) sum += term *= x / n;
        return 1 - sum * scale;
    }
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (int i = 1; i < 10000; i++) {
        double an = -i * (i - a), step;
        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        step = d * c;
        h *= step;
        if (fabs(step - 1) < 1e-12) break;
    }
    return h * scale;
}

/* The chance of counts as far from their expectation as these, or further. */
static double p_value(const uint64_t *counts, const double *expected, size_t bins)
{
    double sum = 0, chi = 0, n = 0;
    size_t degrees = 0;
    for (size_t i = 0; i < bins; i++) sum += expected[i], n += (double)counts[i];
    for (size_t i = 0; i < bins; i++) {
        double e = n * expected[i] / sum, d = (double)counts[i] - e;
        if (e == 0 && counts[i]) return 0;
        if (e == 0) continue;
        chi += d * d / e;
        degrees++;
    }
    return upper_gamma((double)(degrees - 1) / 2, chi / 2);
}

static int failures;

/* Moves a twentieth of what is expected of the first half of the bins to the second. */
static void distort(double *expected, size_t bins)
{
    for (size_t i = 0; i < bins / 2; i++) {
        double part = expected[i] / 20;
        expected[i] -= part;
        expected[bins - 1 - i] += part;
    }
}

static void judge(const char *what, const uint64_t *counts, const double *expected, size_t bins)
{
    double wrong[BINS];
    memcpy(wrong, expected, bins * sizeof *wrong);
    distort(wrong, bins);
    double p = p_value(counts, expected, bins), q = p_value(counts, wrong, bins);
    bool holds = p >= least_p && q < least_p;
    printf("%s %s: p = %.3g, of a distorted distribution %.3g\n", holds ? "ok  " : "FAIL", what, p, q);
    failures += !holds;
}

/* ---- Numbers in a range. A draw from fewer bits than it has values favours some of them, which lie evenly among the
 * others. So values are put into bins not only by their magnitude, but also by their remainder, and (if the number of
 * values is odd) by where they lie between two of 2^32 equal steps. */

__extension__ typedef unsigned __int128 wide;

static unsigned by_magnitude(uint64_t v, uint64_t max)
{
    return (unsigned)((wide)v * 16 / ((wide)max + 1));
}

static unsigned by_remainder(uint64_t v, uint64_t max)
{
    (void)max;
    return (unsigned)(v % 3);
}

static unsigned by_step(uint64_t v, uint64_t max)
{
    wide n = (wide)max + 1, rest = ((wide)v << 32) % n;
    return (unsigned)(rest * 16 / n);
}

/* How many of n values there are below the first of a bin. */
static double magnitude_start(uint64_t max, unsigned bin)
{
    return (double)(((wide)max + 1) * bin / 16 + (((wide)max + 1) * bin % 16 != 0));
}

static void judge_range(uint64_t max)
{
    enum { DRAWS = 2000000 };
    struct sonde_rng rng;
    uint64_t magnitude[16] = {0}, remainder[3] = {0}, step[16] = {0};
    double expected[16];
    char what[64];
    sonde_rng_seed(&rng, 7, max);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t v = sonde_rng_upto(&rng, max);
        magnitude[by_magnitude(v, max)]++;
        remainder[by_remainder(v, max)]++;
        if (!(max & 1)) step[by_step(v, max)]++;
    }
    for (unsigned i = 0; i < 16; i++) expected[i] = magnitude_start(max, i + 1) - magnitude_start(max, i);
    snprintf(what, sizeof what, "0..%" PRIu64 " by magnitude", max);
    judge(what, magnitude, expected, 16);
    for (unsigned i = 0; i < 3; i++) expected[i] = floor((double)max / 3) + (i <= max % 3);
    snprintf(what, sizeof what, "0..%" PRIu64 " by remainder", max);
    judge(what, remainder, expected, 3);
    for (unsigned i = 0; i < 16; i++) expected[i] = 1;
    snprintf(what, sizeof what, "0..%" PRIu64 " by step", max);
    if (max > 1000000 && !(max & 1)) judge(what, step, expected, 16);
}

static void judge_ranges(void)
{
    static const uint64_t largest[] = {2,
                                       6,
                                       9,
                                       100,
                                       999,
                                       65534,
                                       1000002,
                                       99999999,
                                       100000006,
                                       1000000006,
                                       (UINT64_C(3) << 28) - 1,
                                       2999999998,
                                       (UINT64_C(3) << 30) - 1,
                                       UINT32_MAX - 1,
                                       UINT32_MAX,
                                       UINT64_C(1) << 32,
                                       (UINT64_C(3) << 40) - 1,
                                       (UINT64_C(3) << 62) - 1,
                                       UINT64_MAX - 1,
                                       UINT64_MAX};
    for (size_t i = 0; i < sizeof largest / sizeof *largest; i++) judge_range(largest[i]);
}

/* ---- Draws of properties. Each returns the bin of a value; `expected` says how likely each bin is. */

struct subject {
    const char *what;
    unsigned (*draw)(sonde *t);
    double expected[BINS];
    size_t bins; /* 0: as many as `even` */
    size_t even; /* so many, all alike */
};

static unsigned int_below_three_billion(sonde *t)
{
    return (unsigned)(((int64_t)sonde_int(t, "x", -1500000000, 1499999999) + 1500000000) % 3);
}

static unsigned int_around_zero(sonde *t)
{
    return (unsigned)(sonde_int(t, "x", -3, 7) + 3);
}

static unsigned i64_wide(sonde *t)
{
    return (unsigned)((uint64_t)sonde_i64(t, "x", -(INT64_C(3) << 29), (INT64_C(3) << 29) - 1) % 3);
}

static unsigned u64_of_three(sonde *t)
{
    return (unsigned)(sonde_u64(t, "x", 0, (UINT64_C(3) << 30) - 1) % 3);
}

static unsigned coin(sonde *t)
{
    return sonde_bool(t, "x");
}

static unsigned chance(sonde *t)
{
    return sonde_chance(t, "x", 0.3);
}

static unsigned pick(sonde *t)
{
    return (unsigned)sonde_pick(t, "x", 7);
}

static unsigned pick_of_many(sonde *t)
{
    return (unsigned)(sonde_pick(t, "x", (size_t)3 << 30) % 3);
}

static unsigned weighted(sonde *t)
{
    static const unsigned weights[] = {1, 0, 2, 3, 4};
    return (unsigned)sonde_weighted(t, "x", weights, 5);
}

static unsigned heavy(sonde *t)
{
    static const unsigned weights[] = {1u << 30, 1u << 30, 1u << 30};
    return (unsigned)sonde_weighted(t, "x", weights, 3);
}

static unsigned unit_double(sonde *t)
{
    return (unsigned)(sonde_double(t, "x", 0, 1) * 15.999999);
}

static unsigned signed_double(sonde *t)
{
    return (unsigned)((sonde_double(t, "x", -3, 13) + 3) * 0.9999999);
}

/* Evenly by bit pattern: the sign, and the four exponents' high bits. */
static unsigned any_double(sonde *t)
{
    double x = sonde_any_double(t, "x");
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (unsigned)(bits >> 59) & 15;
}

static unsigned low_bits_of_double(sonde *t)
{
    return (unsigned)fmod(sonde_double(t, "x", 0, 1) * 0x1p40, 16);
}

static unsigned length_of_list(sonde *t)
{
    unsigned n = 0;
    sonde_list xs = sonde_list_of(t, "xs", 2, 6);
    while (sonde_more(&xs)) n++;
    return n - 2;
}

/* Open lengths are geometric with mean 8; the last bin has the rest. */
static unsigned open_length(sonde *t)
{
    unsigned n = 0;
    sonde_list xs = sonde_list_of(t, "xs", 0, SONDE_ANY);
    while (sonde_more(&xs)) n++;
    return n < 20 ? n : 20;
}

static unsigned length_of_string(sonde *t)
{
    return (unsigned)strlen(sonde_string(t, "x", 1, 11)) - 1;
}

static unsigned open_string(sonde *t)
{
    size_t n = strlen(sonde_string(t, "x", 0, SONDE_ANY));
    return n < 20 ? (unsigned)n : 20;
}

static unsigned letter(sonde *t)
{
    return (unsigned)(strchr("abcde", sonde_string_of(t, "x", "abcde", 3, 3)[1]) - "abcde");
}

/* 95 printable characters, in five bins of 19. */
static unsigned printable(sonde *t)
{
    return (unsigned)(sonde_string(t, "x", 1, 1)[0] - ' ') / 19;
}

static unsigned byte(sonde *t)
{
    size_t n;
    return sonde_bytes(t, "x", 2, 2, &n)[1] / 16;
}

/* Code points without NUL and surrogates: those below 2^16, and the sixteen planes above. */
static unsigned plane(sonde *t)
{
    const unsigned char *s = (const unsigned char *)sonde_utf8(t, "x", 1, 1);
    return s[0] < 0xf0 ? 0 : (s[0] & 7u) << 2 | (s[1] >> 4 & 3u);
}

static unsigned first_of_shuffle(sonde *t)
{
    int xs[] = {0, 1, 2, 3};
    sonde_shuffle(t, "xs", xs, 4, sizeof *xs);
    return (unsigned)(xs[0] * 6 + (xs[1] - (xs[1] > xs[0])) * 2 + (xs[2] > xs[3]));
}

/* One of the ten pairs out of five. */
static unsigned subset(sonde *t)
{
    static const unsigned number[5][5] = {{0, 0, 1, 2, 3}, {0, 0, 4, 5, 6}, {0, 0, 0, 7, 8}, {0, 0, 0, 0, 9}};
    size_t at[2];
    sonde_subset(t, "x", 5, 2, 2, at);
    return number[at[0]][at[1]];
}

static unsigned size_of_subset(sonde *t)
{
    size_t at[5];
    return (unsigned)sonde_subset(t, "x", 5, 0, 5, at);
}

static unsigned unique(sonde *t)
{
    int64_t at[2];
    sonde_unique(t, "x", -2, 2, 2, 2, at);
    return (unsigned)((at[0] + 2) * 4 + (at[1] + 2 - (at[1] > at[0])));
}

static unsigned pattern(sonde *t)
{
    return (unsigned)(sonde_regex(t, "x", "[a-g]")[0] - 'a');
}

static struct subject subjects[] = {
    {.what = "sonde_int by remainder", .draw = int_below_three_billion, .even = 3},
    {.what = "sonde_int around zero", .draw = int_around_zero, .even = 11},
    {.what = "sonde_i64 by remainder", .draw = i64_wide, .even = 3},
    {.what = "sonde_u64 by remainder", .draw = u64_of_three, .even = 3},
    {.what = "sonde_bool", .draw = coin, .even = 2},
    {.what = "sonde_chance", .draw = chance, .expected = {0.7, 0.3}, .bins = 2},
    {.what = "sonde_pick", .draw = pick, .even = 7},
    {.what = "sonde_pick by remainder", .draw = pick_of_many, .even = 3},
    {.what = "sonde_weighted", .draw = weighted, .expected = {1, 0, 2, 3, 4}, .bins = 5},
    {.what = "sonde_weighted with heavy weights", .draw = heavy, .even = 3},
    {.what = "sonde_double in 0..1", .draw = unit_double, .even = 16},
    {.what = "sonde_double around zero", .draw = signed_double, .even = 16},
    {.what = "sonde_double, low bits", .draw = low_bits_of_double, .even = 16},
    {.what = "sonde_any_double by exponent", .draw = any_double, .even = 16},
    {.what = "length of a list", .draw = length_of_list, .even = 5},
    {.what = "open length of a list", .draw = open_length, .bins = 21},
    {.what = "length of a string", .draw = length_of_string, .even = 11},
    {.what = "open length of a string", .draw = open_string, .bins = 21},
    {.what = "sonde_string_of", .draw = letter, .even = 5},
    {.what = "sonde_string", .draw = printable, .even = 5},
    {.what = "sonde_bytes", .draw = byte, .even = 16},
    {.what = "sonde_utf8 by plane", .draw = plane, .bins = 17},
    {.what = "sonde_shuffle", .draw = first_of_shuffle, .even = 24},
    {.what = "sonde_subset", .draw = subset, .even = 10},
    {.what = "size of a subset", .draw = size_of_subset, .even = 6},
    {.what = "sonde_unique", .draw = unique, .even = 20},
    {.what = "sonde_regex, one class", .draw = pattern, .even = 7},
};

static void expect(struct subject *subject)
{
    double *e = subject->expected;
    for (size_t i = 0; i < subject->even; i++) e[i] = 1;
    if (subject->even) subject->bins = subject->even;
    if (subject->bins == 21) {
        for (int i = 0; i < 21; i++) e[i] = pow(8.0 / 9, i) * (i < 20 ? 1.0 / 9 : 1);
    } else if (subject->bins == 17) {
        for (int i = 0; i < 17; i++) e[i] = i ? 65536 : 65536 - 1 - 2048;
    }
}

static unsigned bin;
static unsigned (*drawn)(sonde *t);

static void property(sonde *t)
{
    bin = drawn(t);
}

static void judge_draws(struct subject *subject)
{
    const sonde_property p = {.name = "draws", .run = property};
    const struct sonde_options options = searches_options("uniform", 1, 1);
    struct sonde_search *s = searches_run(&p, &options);
    uint64_t counts[BINS] = {0};
    expect(subject);
    for (int i = 0; i < CASES; i++) {
        sonde_exec_inline(s->t, &p, s->guide, NULL);
        if (bin < BINS) counts[bin]++;
    }
    judge(subject->what, counts, subject->expected, subject->bins);
    searches_free(s);
}

int main(void)
{
    judge_ranges();
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        drawn = subjects[i].draw;
        judge_draws(&subjects[i]);
    }
    return failures != 0;
}
