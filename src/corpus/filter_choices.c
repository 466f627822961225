/* The filter `choices`: similarity of tapes by counts of transitions between consecutive choices. It is algorithm 3 of
 * the thesis (choice sequence filtering). An entry of a sequence is a choice with its value, "node=throw"; a
 * transition is an ordered pair of neighbours. All transitions of a tape count, so similar structures are found at any
 * position. As in the thesis, only the last hundred selected tapes are compared.
 *
 * The sum of the cosines between a candidate c and the selected p is c/|c| times the sum of all p/|p|. That sum, a
 * vector, is maintained, so a candidate costs one product for any number of selected tapes. It is kept in integers:
 * when the oldest tape is subtracted again, no rounding error remains. */
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "corpus/filter_draws.h"
#include "corpus/filter_parts.h"

#include <math.h>
#include <string.h>

enum {
    LAST_LOOKED_AT = 100, /* number of last selected tapes that are compared, as in the thesis */
    UNIT = 1 << 20        /* represents 1.0 in the integers of the sum */
};

/* The transitions of one tape with their counts, a vector of length `norm`. */
struct form {
    double norm;
    uint32_t n;
    struct {
        uint64_t key;
        uint32_t count;
    } counts[];
};

struct choices {
    struct sonde_transitions scratch;
    struct sonde_map places; /* maps a transition to its index in sums[], + 1 */
    int64_t *sums;
    uint32_t n_sums, cap_sums;
    const struct form *last[LAST_LOOKED_AT]; /* of the last selected tapes, a ring */
    uint64_t n;                              /* tapes selected */
};

static void *choices_create(void)
{
    return sonde_calloc(1, sizeof(struct choices));
}

static void choices_destroy(void *measure)
{
    struct choices *c = measure;
    sonde_free(c->sums);
    sonde_map_clear(&c->places);
    sonde_transitions_clear(&c->scratch);
    sonde_free(c);
}

static void *choices_form(void *measure, const struct sonde_tape *tape)
{
    struct choices *c = measure;
    sonde_transitions_of_answers(&c->scratch, tape);
    uint32_t n = c->scratch.n;
    struct form *form = sonde_malloc(sizeof *form + n * sizeof form->counts[0]);
    double squares = 0;
    form->n = n;
    for (uint32_t i = 0; i < n; i++) {
        form->counts[i].key = c->scratch.all[i].key;
        form->counts[i].count = c->scratch.all[i].count;
        squares += (double)form->counts[i].count * form->counts[i].count;
    }
    form->norm = sqrt(squares);
    return form;
}

/* Returns 0 for a tape of one choice: it has no transitions and is similar to nothing. */
static double choices_similarity(void *measure, const void *of)
{
    struct choices *c = measure;
    const struct form *form = of;
    int64_t product = 0;
    for (uint32_t i = 0; i < form->n; i++) {
        uint32_t place = sonde_map_get(&c->places, form->counts[i].key);
        if (place) product += form->counts[i].count * c->sums[place - 1];
    }
    return form->n ? (double)product / form->norm : 0;
}

static int64_t *sum_at(struct choices *c, uint64_t key)
{
    uint32_t *place = sonde_map_at(&c->places, key);
    if (!*place) {
        c->sums = sonde_grow(c->sums, &c->cap_sums, (size_t)c->n_sums + 1, sizeof *c->sums);
        c->sums[c->n_sums++] = 0;
        *place = c->n_sums;
    }
    return &c->sums[*place - 1];
}

static void add(struct choices *c, const struct form *form, int sign)
{
    for (uint32_t i = 0; i < form->n; i++)
        *sum_at(c, form->counts[i].key) += sign * (int64_t)(UNIT * (form->counts[i].count / form->norm));
}

static void choices_selected(void *measure, const void *form)
{
    struct choices *c = measure;
    const struct form **oldest = &c->last[c->n++ % LAST_LOOKED_AT];
    if (*oldest) add(c, *oldest, -1);
    *oldest = form;
    add(c, form, 1);
}

const struct sonde_measure sonde_measure_choices = {
    .create = choices_create,
    .destroy = choices_destroy,
    .form = choices_form,
    .similarity = choices_similarity,
    .selected = choices_selected,
};
