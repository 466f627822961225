/* The guide `uniform`: independent draws with the weights of the generator. It has no boundary values, no ramp of
 * sizes, no memory of tried inputs. This is the "random" that papers compare against. It is also the only guide whose
 * cases are independent samples, which the statistics of sonde_cover need. All values of a domain are equally likely,
 * unless the generator gives probabilities (chance, weighted).
 *
 * A choice must cost no more than one random number and one multiplication. So the most frequent kinds are handled
 * first, and all others in a separate function. */
#include "guide/guides.h"

#include "base/mem.h"
#include "tape/tape.h"

#include <math.h>
#include <string.h>

struct uniform {
    struct sonde_guide guide;
    struct sonde_rng rng;
};

/* `plain` is always set: the case draws integers, booleans and picks from the stream without a call. */
static struct sonde_guide *uniform_create(const struct sonde_guide_setup *setup)
{
    struct uniform *u = sonde_malloc(sizeof *u);
    u->guide = (struct sonde_guide){.ops = &sonde_guide_uniform, .plain = &u->rng};
    sonde_rng_seed(&u->rng, setup->seed, setup->stream);
    return &u->guide;
}

static void uniform_destroy(struct sonde_guide *guide)
{
    sonde_free(guide);
}

/* Returns the first index whose cumulative weight exceeds a uniform random number. */
static uint64_t weighted(struct sonde_rng *rng, const struct sonde_view *view)
{
    sonde_assert(view->weights && view->weight_sum > 0);
    uint64_t left = sonde_rng_upto(rng, view->weight_sum - 1);
    uint64_t i = 0;
    while (i < view->point->max && left >= view->weights[i]) left -= view->weights[i++];
    return i;
}

static const double two_to_53 = 9007199254740992.0;

/* Samples a range evenly by value, and "any double" evenly by bit pattern, which is even by magnitude. */
uint64_t sonde_guide_double(const struct sonde_view *view, uint64_t bits)
{
    struct sonde_double_bounds bounds = sonde_choice_bounds(view->tape, view->point);
    double value;
    if (isinf(bounds.hi)) {
        memcpy(&value, &bits, sizeof value);
    } else {
        value = sonde_double_between(bounds, (double)(bits >> 11) / two_to_53);
        if (value > bounds.hi) value = bounds.hi;
    }
    return sonde_double_index(bounds, value);
}

uint64_t sonde_guide_double_bits(const struct sonde_tape *tape, const struct sonde_choice *c)
{
    struct sonde_double_bounds bounds = sonde_choice_bounds(tape, c);
    double value = sonde_double_value(bounds, c->index), width = bounds.hi - bounds.lo;
    uint64_t bits;
    if (isinf(bounds.hi)) {
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    double unit =
        isinf(width) ? (value / 2 - bounds.lo / 2) / (bounds.hi / 2 - bounds.lo / 2) : (value - bounds.lo) / width;
    return unit >= 1 ? UINT64_MAX : unit > 0 ? (uint64_t)(unit * two_to_53) << 11 : 0;
}

enum { MEAN_LENGTH = 8 };

/* Draws a length. Lengths that the user has not bounded are geometric with mean 8: one more, eight times out of
 * nine. */
static uint64_t length(struct sonde_rng *rng, const struct sonde_choice *point)
{
    if (!(point->flags & SONDE_CHOICE_OPEN)) return sonde_rng_upto(rng, point->max);
    uint64_t n = 0;
    while (n < point->max && sonde_rng_upto(rng, MEAN_LENGTH) != 0) n++;
    return n;
}

/* ---- The probability of a tape. Each function here matches one that draws. */

/* Returns the probability of a length. The longest one also has the probability of all lengths above it. */
static double length_probability(const struct sonde_choice *c)
{
    if (!(c->flags & SONDE_CHOICE_OPEN)) return 1 / ((double)c->max + 1);
    return pow(MEAN_LENGTH / (MEAN_LENGTH + 1.0), (double)c->index) * (c->index < c->max ? 1 / (MEAN_LENGTH + 1.0) : 1);
}

static double blob_probability(const struct sonde_tape *tape, const struct sonde_choice *c)
{
    struct sonde_blob blob = sonde_choice_blob(tape, c);
    return length_probability(c) * pow(blob.alphabet.size, -(double)blob.len);
}

static double probability(const struct sonde_tape *tape, const struct sonde_choice *c)
{
    double p;
    if (c->kind == SONDE_KIND_BLOB) return blob_probability(tape, c);
    if (c->max == 0) return 1;
    switch (c->kind) {
    case SONDE_KIND_CHANCE: memcpy(&p, &c->base, sizeof p); return c->index ? p : 1 - p;
    /* Only the case that drew the choice knows its probability (case.h: weighted_p). */
    case SONDE_KIND_WEIGHTED: return 1;
    case SONDE_KIND_DOUBLE: return -1;
    case SONDE_KIND_LENGTH: return length_probability(c);
    /* uniform always draws the full size. */
    case SONDE_KIND_SIZE: return c->index == c->max;
    default: return 1 / ((double)c->max + 1);
    }
}

double sonde_uniform_probability(const struct sonde_tape *tape)
{
    double all = 1;
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        double p = probability(tape, &tape->choices[i]);
        if (p < 0) return -1;
        sonde_assert(p <= 1);
        all *= p;
    }
    return all;
}

/* ---- The guide operations. */

/* noinline: keeps register saves out of the path of the common kinds. */
static __attribute__((noinline)) uint64_t less_common(struct sonde_rng *rng, const struct sonde_view *view)
{
    const struct sonde_choice *point = view->point;
    switch (point->kind) {
    case SONDE_KIND_CHANCE: {
        double p;
        memcpy(&p, &point->base, sizeof p);
        return sonde_rng_unit(rng) < p;
    }
    case SONDE_KIND_WEIGHTED: return weighted(rng, view);
    case SONDE_KIND_DOUBLE: return sonde_guide_double(view, sonde_rng_next(rng));
    case SONDE_KIND_LENGTH:
    case SONDE_KIND_BLOB: return length(rng, point);
    case SONDE_KIND_SIZE: return point->max;
    default: return sonde_rng_upto(rng, point->max);
    }
}

#define EVEN_KINDS (1u << SONDE_KIND_INT | 1u << SONDE_KIND_UINT | 1u << SONDE_KIND_BOOL | 1u << SONDE_KIND_PICK)

uint64_t sonde_guide_evenly(struct sonde_rng *rng, const struct sonde_view *view)
{
    if (EVEN_KINDS >> view->point->kind & 1) return sonde_rng_upto(rng, view->point->max);
    return less_common(rng, view);
}

size_t sonde_guide_fill_evenly(struct sonde_rng *rng, const struct sonde_view *view, uint32_t *symbols, size_t min)
{
    uint32_t last = view->alphabet->size - 1;
    size_t n = min + (size_t)length(rng, view->point);
    for (size_t i = 0; i < n; i++) symbols[i] = (uint32_t)sonde_rng_upto(rng, last);
    return n;
}

static uint64_t uniform_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    return sonde_guide_evenly(&((struct uniform *)guide)->rng, view);
}

static size_t uniform_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                           size_t max)
{
    (void)max; /* not needed: it equals min + point->max */
    return sonde_guide_fill_evenly(&((struct uniform *)guide)->rng, view, symbols, min);
}

const struct sonde_guide_ops sonde_guide_uniform = {
    .name = "uniform",
    .summary = "independent draws with the generator's own weights; to compare with published numbers",
    .create = uniform_create,
    .destroy = uniform_destroy,
    .choose = uniform_choose,
    .fill = uniform_fill,
};
