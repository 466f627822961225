/* See insight.h: histograms of drawn values. */
#include "feedback/insight.h"

#include <math.h>
#include <string.h>

enum { ZERO = 32, EXACT_LENGTHS = 32, LAST_BIN = SONDE_INSIGHT_BINS - 1 };

/* ---- Bins */

static unsigned bits_of(uint64_t x)
{
    return x ? 64 - (unsigned)__builtin_clzll(x) : 0;
}

/* Returns the bin of numbers with this sign whose magnitude is in class `power`. A class spans a factor of four. */
static unsigned magnitude_bin(bool is_negative, unsigned power)
{
    unsigned most = is_negative ? ZERO - 1 : LAST_BIN - ZERO - 1;
    if (power > most) power = most;
    return is_negative ? ZERO - 1 - power : ZERO + 1 + power;
}

static unsigned number_bin(const struct sonde_value *v)
{
    bool is_negative = v->type == SONDE_VALUE_INT && v->as.i < 0;
    uint64_t size = is_negative ? 0 - (uint64_t)v->as.i : v->as.u;
    return size ? magnitude_bin(is_negative, (bits_of(size) - 1) / 2) : ZERO;
}

/* Returns the bin of a double. Magnitudes of 4^-16 and less are in the bins next to zero, infinities in the outermost;
 * NaN counts as zero. */
static unsigned real_bin(double d)
{
    if (isnan(d) || !(d < 0 || d > 0)) return ZERO;
    if (isinf(d)) return magnitude_bin(d < 0, ZERO);
    int power = (ilogb(d) + 32) / 2;
    return magnitude_bin(d<0, power> 0 ? (unsigned)power : 0);
}

static unsigned length_bin(uint64_t n)
{
    unsigned bin = n < EXACT_LENGTHS ? (unsigned)n : EXACT_LENGTHS + bits_of(n) - bits_of(EXACT_LENGTHS);
    return bin < LAST_BIN ? bin : LAST_BIN;
}

/* Sets the range of a bin, both ends inclusive. */
static void bounds(const struct sonde_draw *d, unsigned bin, double *from, double *to)
{
    double lower, upper;
    if (d->scale == SONDE_SCALE_EVEN) {
        *from = (double)d->lowest + (double)bin * (double)d->step;
        *to = *from + (double)(d->step - 1);
        return;
    }
    if (d->scale == SONDE_SCALE_LENGTH) {
        *from = bin < EXACT_LENGTHS ? bin : ldexp(1, (int)bin - EXACT_LENGTHS + 5);
        *to = bin < EXACT_LENGTHS ? bin : ldexp(1, (int)bin - EXACT_LENGTHS + 6) - 1;
        return;
    }
    int power = bin > ZERO ? (int)bin - ZERO - 1 : ZERO - 1 - (int)bin, shift = d->scale == SONDE_SCALE_REAL ? -32 : 0;
    lower = ldexp(1, 2 * power + shift);
    upper = ldexp(1, 2 * power + shift + 2) - (shift ? 0 : 1);
    *from = bin == ZERO ? 0 : bin > ZERO ? lower : -upper;
    *to = bin == ZERO ? 0 : bin > ZERO ? upper : -lower;
}

/* ---- Adding */

static void add(struct sonde_draw *d, unsigned bin, double value, bool is_valid)
{
    if (!d->n || value < d->least) d->least = value;
    if (!d->n || value > d->most) d->most = value;
    d->n++;
    d->n_valid += is_valid;
    d->count[bin]++;
    d->valid[bin] += is_valid;
}

static struct sonde_draw *draw_at(struct sonde_draws *draws, uint32_t site)
{
    for (uint32_t i = 0; i < draws->n; i++)
        if (draws->all[i].site == site) return &draws->all[i];
    return NULL;
}

/* Chooses the scale by the first domain seen. Values of later domains that lie beyond the first domain fall into the
 * bins at the ends. */
static enum sonde_draw_scale scale_of(const struct sonde_choice *c)
{
    if (c->kind == SONDE_KIND_BLOB) return SONDE_SCALE_LENGTH;
    if (c->kind == SONDE_KIND_DOUBLE) return SONDE_SCALE_REAL;
    bool is_number = c->kind == SONDE_KIND_INT || c->kind == SONDE_KIND_UINT;
    if (c->max < (is_number ? 4096 : SONDE_INSIGHT_BINS)) return SONDE_SCALE_EVEN;
    return c->kind == SONDE_KIND_LENGTH ? SONDE_SCALE_LENGTH : SONDE_SCALE_NUMBER;
}

static struct sonde_draw *new_draw(struct sonde_draws *draws, uint32_t site)
{
    if (draws->n == SONDE_DRAWS_MAX) {
        draws->left_out++;
        return NULL;
    }
    struct sonde_draw *d = &draws->all[draws->n];
    memset(d, 0, sizeof *d);
    d->site = site;
    draws->n++;
    return d;
}

static double as_double(const struct sonde_value *v)
{
    switch (v->type) {
    case SONDE_VALUE_INT: return (double)v->as.i;
    case SONDE_VALUE_UINT: return (double)v->as.u;
    case SONDE_VALUE_BOOL: return v->as.b;
    default: return isnan(v->as.d) ? 0 : v->as.d;
    }
}

static void add_choice(struct sonde_draws *draws, const struct sonde_tape *tape, const struct sonde_choice *c,
                       bool is_valid)
{
    if (c->kind == SONDE_KIND_LITERAL || c->flags & SONDE_CHOICE_FORCED) return;
    struct sonde_draw *d = draw_at(draws, c->site);
    if (!d) {
        d = new_draw(draws, c->site);
        if (!d) return;
        d->label = c->label;
        d->within = c->span && c->span < tape->n_spans ? tape->spans[c->span].label : 0;
        d->kind = c->kind;
        d->scale = (uint8_t)scale_of(c);
        d->lowest = c->kind == SONDE_KIND_INT || c->kind == SONDE_KIND_UINT ? (int64_t)c->base : 0;
        d->step = d->scale == SONDE_SCALE_EVEN ? (int64_t)(c->max / SONDE_INSIGHT_BINS) + 1 : 1;
    }
    if (c->kind == SONDE_KIND_BLOB) {
        uint64_t length = sonde_choice_blob(tape, c).len;
        add(d, length_bin(length), (double)length, is_valid);
        return;
    }
    struct sonde_value v = sonde_choice_value(tape, c);
    double value = as_double(&v), offset = (value - (double)d->lowest) / (double)d->step;
    unsigned bin = 0;
    switch (d->scale) {
    case SONDE_SCALE_EVEN: bin = offset < 0 ? 0 : offset > LAST_BIN ? LAST_BIN : (unsigned)offset; break;
    case SONDE_SCALE_NUMBER: bin = number_bin(&v); break;
    case SONDE_SCALE_REAL: bin = real_bin(v.as.d); break;
    default: bin = length_bin(v.as.u); break;
    }
    add(d, bin, value, is_valid);
}

void sonde_draws_add(struct sonde_draws *draws, const struct sonde_tape *tape, bool is_valid)
{
    /* maximum number of choices per case that count: the rest of a long list resembles its first elements */
    enum { MOST = 256 };
    struct sonde_draw *sizes = draw_at(draws, 0);
    if (!sizes && (sizes = new_draw(draws, 0)) != NULL) {
        sizes->kind = SONDE_KIND_COUNT;
        sizes->scale = SONDE_SCALE_LENGTH;
    }
    if (sizes) add(sizes, length_bin(tape->n_choices), (double)tape->n_choices, is_valid);
    for (uint32_t i = 0; i < tape->n_choices && i < MOST; i++) add_choice(draws, tape, &tape->choices[i], is_valid);
}

void sonde_draws_merge(struct sonde_draws *draws, const struct sonde_draws *other)
{
    draws->cases += other->cases;
    draws->left_out += other->left_out;
    for (uint32_t i = 0; i < other->n; i++) {
        const struct sonde_draw *from = &other->all[i];
        struct sonde_draw *to = draw_at(draws, from->site);
        if (!to) {
            to = new_draw(draws, from->site);
            if (to) *to = *from;
            continue;
        }
        if (to->scale != from->scale || to->lowest != from->lowest || to->step != from->step)
            continue; /* the domain depends on other draws, so the bins differ */
        to->least = from->least < to->least ? from->least : to->least;
        to->most = from->most > to->most ? from->most : to->most;
        to->n += from->n;
        to->n_valid += from->n_valid;
        for (unsigned k = 0; k < SONDE_INSIGHT_BINS; k++)
            to->count[k] += from->count[k], to->valid[k] += from->valid[k];
    }
}

/* ---- Showing */

static const char *word_of(const struct sonde_draw *d)
{
    switch (d->kind) {
    case SONDE_KIND_COUNT: return "choices";
    case SONDE_KIND_INT:
    case SONDE_KIND_UINT: return "int";
    case SONDE_KIND_DOUBLE: return "double";
    case SONDE_KIND_LENGTH:
    case SONDE_KIND_BLOB: return "length";
    case SONDE_KIND_BOOL:
    case SONDE_KIND_CHANCE: return "bool";
    default: return "choice";
    }
}

/* Leaves out empty bins before the first and after the last nonempty bin. */
struct sonde_tried sonde_draws_show(const struct sonde_draw *d, const struct sonde_labels *labels)
{
    struct sonde_tried t = {.kind = word_of(d), .n = d->n, .n_valid = d->n_valid, .least = d->least, .most = d->most};
    const char *label = d->label ? sonde_label_text(labels, d->label) : NULL;
    const char *within = d->within ? sonde_label_text(labels, d->within) : NULL;
    t.label = label ? label : "";
    t.within = within ? within : "";
    unsigned first = 0, end = SONDE_INSIGHT_BINS;
    while (first < end && !d->count[first]) first++;
    while (end > first && !d->count[end - 1]) end--;
    for (unsigned bin = first; bin < end; bin++) {
        bounds(d, bin, &t.from[t.n_bins], &t.to[t.n_bins]);
        t.count[t.n_bins] = d->count[bin];
        t.valid[t.n_bins++] = d->valid[bin];
    }
    return t;
}
