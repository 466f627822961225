/* Similarity of tapes as counts of transitions between consecutive draws: algorithm 3 of the thesis (choice sequence
 * filtering). It sees like structures wherever they stand. Only the last hundred selected are looked at, as there.
 *
 * The sum of the cosines between a candidate c and the selected p is c/|c| times the sum of all p/|p|. So that sum is kept,
 * a vector, and a candidate costs one product, however many were selected. It is kept in whole numbers: one comes in,
 * the oldest goes out, and nothing is left of it. Transitions are hashed into 4,096 places. */
#include "base/mem.h"
#include "corpus/filter_draws.h"
#include "corpus/filter_parts.h"

#include <math.h>
#include <string.h>

enum { PLACES = 4096, MOST_PLACES = 512, LAST_LOOKED_AT = 100, UNIT = 1 << 20, COUNT_MAX = UINT16_MAX };

/* One tape as a sparse vector of counts. norm is its length; it is above 0, because every tape has the
 * transition from beginning to end at least. */
struct form {
    double norm;
    uint32_t n;
    struct {
        uint16_t place, count;
    } counts[];
};

struct choices {
    struct form **forms; /* by slot */
    uint32_t n_forms, cap_forms;
    struct sonde_transitions scratch;
    int64_t sum[PLACES];
    uint32_t last[LAST_LOOKED_AT]; /* slots, round and round */
    uint64_t n;                    /* selected */
};

static void *choices_create(uint32_t most)
{
    (void)most;
    return sonde_calloc(1, sizeof(struct choices));
}

static void choices_destroy(void *measure)
{
    struct choices *c = measure;
    for (uint32_t i = 0; i < c->n_forms; i++) sonde_free(c->forms[i]);
    sonde_free(c->forms);
    sonde_transitions_clear(&c->scratch);
    sonde_free(c);
}

static struct form *form_of(struct choices *c, const struct sonde_tape *tape)
{
    sonde_transitions_of(&c->scratch, tape);
    uint32_t n = c->scratch.n < MOST_PLACES ? c->scratch.n : MOST_PLACES;
    struct form *form = sonde_malloc(sizeof *form + n * sizeof form->counts[0]);
    double squares = 0;
    form->n = n;
    for (uint32_t i = 0; i < n; i++) {
        const struct sonde_transition *t = &c->scratch.all[i];
        /* Two transitions may share a place; both tapes of a comparison are affected alike. */
        form->counts[i].place = (uint16_t)(t->key >> 32 & (PLACES - 1));
        form->counts[i].count = (uint16_t)(t->count < COUNT_MAX ? t->count : COUNT_MAX);
        squares += (double)form->counts[i].count * form->counts[i].count;
    }
    form->norm = sqrt(squares);
    return form;
}

static void choices_put(void *measure, uint32_t slot, const struct sonde_tape *tape)
{
    struct choices *c = measure;
    if (slot == c->n_forms) {
        c->forms = sonde_grow(c->forms, &c->cap_forms, (size_t)slot + 1, sizeof(struct form *));
        c->forms[c->n_forms++] = NULL;
    }
    sonde_free(c->forms[slot]);
    c->forms[slot] = form_of(c, tape);
}

/* The product is exact: counts below 2^16, sums below 100 * 2^20 per place, at most 512 places. */
static double choices_similarity(void *measure, uint32_t slot)
{
    const struct choices *c = measure;
    const struct form *form = c->forms[slot];
    int64_t product = 0;
    for (uint32_t i = 0; i < form->n; i++) product += form->counts[i].count * c->sum[form->counts[i].place];
    return (double)product / form->norm;
}

static void add(struct choices *c, const struct form *form, int sign)
{
    for (uint32_t i = 0; i < form->n; i++)
        c->sum[form->counts[i].place] += sign * (int64_t)(UNIT * (form->counts[i].count / form->norm));
}

static void choices_selected(void *measure, uint32_t slot)
{
    struct choices *c = measure;
    uint32_t *oldest = &c->last[c->n % LAST_LOOKED_AT];
    if (c->n >= LAST_LOOKED_AT) add(c, c->forms[*oldest], -1);
    *oldest = slot;
    add(c, c->forms[slot], 1);
    c->n++;
}

const struct sonde_measure sonde_measure_choices = {
    .create = choices_create,
    .destroy = choices_destroy,
    .put = choices_put,
    .similarity = choices_similarity,
    .selected = choices_selected,
};
