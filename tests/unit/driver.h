/* Drives a guide with literal points, as a case would: draws are recorded on a tape, and the guide learns of it. */
#ifndef SONDE_TESTS_UNIT_DRIVER_H
#define SONDE_TESTS_UNIT_DRIVER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "guide/guides.h"
#include "tape/tape.h"

struct driver {
    struct sonde_guide *guide;
    struct sonde_tape tape;
    struct sonde_view view;
    enum sonde_verdict verdict; /* of the case; VALID unless the property says otherwise */
    uint32_t assumes_passed;    /* set by the property */
    bool repeats;               /* valid cases count as seen before */
    uint64_t cases;
};

typedef void drawn_property(struct driver *d);

static inline void driver_init(struct driver *d, const struct sonde_guide_ops *ops,
                               const struct sonde_guide_setup *setup)
{
    *d = (struct driver){.guide = ops->create(setup)};
    sonde_tape_init(&d->tape);
    sonde_tape_reserve(&d->tape, 4096, 16, 65536);
    sonde_tape_begin(&d->tape);
    d->view.tape = &d->tape;
    d->view.size = 100;
}

static inline void driver_clear(struct driver *d)
{
    d->guide->ops->destroy(d->guide);
    sonde_tape_clear(&d->tape);
}

/* The point comes filled in but for its index. */
static inline uint64_t draw_point(struct driver *d, struct sonde_choice point)
{
    struct sonde_choice *c = &d->tape.choices[d->tape.n_choices];
    *c = point;
    d->view.point = c;
    if (c->max == 0) c->flags |= SONDE_CHOICE_FORCED;
    else c->index = d->guide->ops->choose(d->guide, &d->view);
    assert_true(c->index <= c->max);
    d->tape.n_choices++;
    return c->index;
}

static inline uint64_t draw(struct driver *d, uint32_t site, enum sonde_kind kind, uint64_t max)
{
    return draw_point(d, (struct sonde_choice){.site = site, .kind = (uint8_t)kind, .max = max});
}

static inline int64_t draw_int(struct driver *d, uint32_t site, int64_t lo, int64_t hi)
{
    uint64_t max = (uint64_t)hi - (uint64_t)lo;
    struct sonde_choice point = {.site = site, .kind = SONDE_KIND_INT, .max = max, .base = (uint64_t)lo};
    return sonde_int_value(lo, max, draw_point(d, point));
}

/* As the case does it: an alternative of weight 0 is recorded as the next one that has more. */
static inline uint64_t draw_weighted(struct driver *d, uint32_t site, const unsigned *weights, uint64_t n)
{
    d->view.weights = weights;
    d->view.weight_sum = 0;
    for (uint64_t i = 0; i < n; i++) d->view.weight_sum += weights[i];
    uint64_t index = draw(d, site, SONDE_KIND_WEIGHTED, n - 1);
    while (!weights[index]) index = (index + 1) % n;
    d->view.weights = NULL;
    return d->tape.choices[d->tape.n_choices - 1].index = index;
}

static inline double draw_double(struct driver *d, uint32_t site, double lo, double hi)
{
    struct sonde_double_bounds bounds = {lo, hi};
    uint32_t base = sonde_tape_add_bytes(&d->tape, &bounds, sizeof bounds);
    struct sonde_choice point = {.site = site,
                                 .kind = SONDE_KIND_DOUBLE,
                                 .max = sonde_double_max(bounds),
                                 .base = base};
    double value = sonde_double_value(bounds, draw_point(d, point));
    d->tape.choices[d->tape.n_choices - 1].index = sonde_double_index(bounds, value);
    return value;
}

/* Into out[], which has room for 4 * max + 1 bytes. */
static inline size_t draw_text(struct driver *d, uint32_t site, const char *alphabet, uint32_t min, uint32_t max,
                               char *out)
{
    static uint32_t symbols[4096];
    struct sonde_alphabet a =
        sonde_alphabet_make(alphabet ? SONDE_ALPHABET_CUSTOM : SONDE_ALPHABET_PRINTABLE, alphabet);
    struct sonde_choice *c = &d->tape.choices[d->tape.n_choices];
    *c = (struct sonde_choice){.site = site, .kind = SONDE_KIND_BLOB, .max = max - min};
    d->view.point = c;
    d->view.alphabet = &a;
    size_t n = d->guide->ops->fill(d->guide, &d->view, symbols, min, max);
    assert_in_range(n, min, max);
    for (size_t i = 0; i < n; i++) assert_true(symbols[i] < a.size);
    struct sonde_blob shape = {.alphabet = a, .min = min, .max = max};
    c->base = sonde_tape_add_blob(&d->tape, &shape, symbols, (uint32_t)n);
    c->index = n - min;
    d->tape.n_choices++;
    struct sonde_blob blob = sonde_choice_blob(&d->tape, c);
    return sonde_blob_text(&blob, out);
}

/* One case. False: the guide has nothing left to try. */
static inline bool drive(struct driver *d, drawn_property *property)
{
    if (d->guide->ops->start && d->guide->ops->start(d->guide, NULL) == SONDE_PLAN_DONE) return false;
    sonde_tape_begin(&d->tape);
    d->verdict = SONDE_VALID;
    d->assumes_passed = 0;
    property(d);
    d->cases++;
    struct sonde_observation observation = {.verdict = d->verdict, .assumes_passed = d->assumes_passed};
    bool is_new = d->verdict == SONDE_VALID && !d->repeats;
    struct sonde_run run = {.tape = &d->tape,
                            .observation = &observation,
                            .interest = {.reasons = is_new ? SONDE_NEW_VALID : 0},
                            .author = d->guide};
    if (d->guide->ops->learn) d->guide->ops->learn(d->guide, &run);
    return true;
}

#endif
