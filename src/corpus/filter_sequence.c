/* Similarity of tapes as sequences of choices: algorithm 2 of the thesis (parameter sequence filtering), where its bytes
 * have become choices.
 *
 * Two tapes are compared from the left. An equal choice counts 1. Where the same draw was answered otherwise and the choices
 * behind are equal again, a value differs but the generator took the same way: each value that was skipped counts half, at
 * most four in a row. (On bytes, one and four are looked over, for a byte and a whole number; a choice is one number
 * however wide.) Anything else ends the comparison. What comes out is divided by the candidate's length, and the sum over
 * all selected tapes is the similarity.
 *
 * To look at five thousand selected ones for each of fifty thousand candidates, a choice is 32 bits (half for where it
 * stands, half for the answer), a tape is its first 64 choices, and those selected are held by columns: all are compared
 * in one step at the first choice, those that go on at the second, and so on. Where very many go on (a corpus of tapes that
 * are nearly the same) every so manyth of them stands for the others. All sums are of whole numbers. */
#include "base/mem.h"
#include "corpus/filter_draws.h"
#include "corpus/filter_parts.h"

#include <string.h>

enum { PREFIX = 64, SKIPS = 4, THIN_EVERY = 8, MANY = 256 };

struct form {
    uint32_t n;
    uint32_t choices[]; /* place << 16 | answer */
};

/* A selected tape that goes along with the candidate so far. */
struct follower {
    uint32_t which;
    uint32_t skipped; /* values, just before */
};

/* `columns` and `lengths` have room for `most` tapes and are made at the first selection, when the
 * number of slots is known. forms[slot] is never NULL for a slot that was put. */
struct sequence {
    struct form **forms; /* by slot */
    uint32_t n_forms, cap_forms;
    uint32_t *columns[PREFIX]; /* of those selected, in the order of selection */
    uint8_t *lengths;
    struct follower *followers;
    uint32_t n, most;
};

static void *sequence_create(uint32_t most)
{
    struct sequence *s = sonde_calloc(1, sizeof *s);
    s->most = most;
    return s;
}

static void sequence_destroy(void *measure)
{
    struct sequence *s = measure;
    for (uint32_t i = 0; i < s->n_forms; i++) sonde_free(s->forms[i]);
    for (int i = 0; i < PREFIX; i++) sonde_free(s->columns[i]);
    sonde_free(s->forms);
    sonde_free(s->lengths);
    sonde_free(s->followers);
    sonde_free(s);
}

static struct form *form_of(const struct sonde_tape *tape)
{
    uint32_t choices[PREFIX], n = 0;
    for (; n < tape->n_choices && n < PREFIX; n++) {
        struct sonde_drawn drawn = sonde_drawn_read(tape, n);
        choices[n] = drawn.place << 16 | (drawn.value & 0xffff);
    }
    struct form *form = sonde_malloc(sizeof *form + n * sizeof *choices);
    form->n = n;
    if (n) memcpy(form->choices, choices, n * sizeof *choices);
    return form;
}

static void sequence_put(void *measure, uint32_t slot, const struct sonde_tape *tape)
{
    struct sequence *s = measure;
    if (slot == s->n_forms) {
        s->forms = sonde_grow(s->forms, &s->cap_forms, (size_t)slot + 1, sizeof(struct form *));
        s->forms[s->n_forms++] = NULL;
    }
    sonde_free(s->forms[slot]);
    s->forms[slot] = form_of(tape);
}

/* One column: what it adds, in halves; those that go on stay in the list. */
static uint64_t step(const struct sequence *s, uint32_t column, uint32_t choice, struct follower *followers,
                     uint32_t *n)
{
    const uint32_t *theirs = s->columns[column];
    uint64_t halves = 0;
    uint32_t left = 0;
    for (uint32_t i = 0; i < *n; i++) {
        struct follower f = followers[i];
        uint32_t their = theirs[f.which];
        if (s->lengths[f.which] <= column) continue;
        if (their == choice) {
            /* In halves, so that sums stay whole: an equal choice counts 2, each of the skipped values
             * before it 1. */
            halves += f.skipped ? f.skipped : 2;
            f.skipped = 0;
        } else if (their >> 16 != choice >> 16 || ++f.skipped > SKIPS) {
            continue;
        }
        followers[left++] = f;
    }
    *n = left;
    return halves;
}

/* Leaves a few of many; answers how many each of them stands for. */
static uint32_t thin(struct follower *followers, uint32_t *n)
{
    uint32_t each = *n / MANY, left = 0;
    if (each < 2) return 1;
    for (uint32_t i = 0; i < *n; i += each) followers[left++] = followers[i];
    *n = left;
    return each;
}

static double sequence_similarity(void *measure, uint32_t slot)
{
    struct sequence *s = measure;
    const struct form *form = s->forms[slot];
    uint32_t n = s->n;
    uint64_t halves = 0, weight = 1;
    for (uint32_t i = 0; i < n; i++) s->followers[i] = (struct follower){.which = i};
    for (uint32_t i = 0; i < form->n && n > 0; i++) {
        if (i && i % THIN_EVERY == 0) weight *= thin(s->followers, &n);
        halves += weight * step(s, i, form->choices[i], s->followers, &n);
    }
    return form->n ? (double)halves / form->n
                   : 2.0 * s->n; /* an empty tape is like any other empty one, and says nothing */
}

static void make_room(struct sequence *s)
{
    for (int i = 0; i < PREFIX; i++) s->columns[i] = sonde_calloc(s->most, sizeof *s->columns[i]);
    s->lengths = sonde_calloc(s->most, sizeof *s->lengths);
    s->followers = sonde_calloc(s->most, sizeof *s->followers);
}

static void sequence_selected(void *measure, uint32_t slot)
{
    struct sequence *s = measure;
    const struct form *form = s->forms[slot];
    if (s->most > s->n_forms) s->most = s->n_forms;
    if (!s->lengths) make_room(s);
    for (uint32_t i = 0; i < form->n; i++) s->columns[i][s->n] = form->choices[i];
    s->lengths[s->n++] = (uint8_t)form->n;
}

const struct sonde_measure sonde_measure_sequence = {
    .create = sequence_create,
    .destroy = sequence_destroy,
    .put = sequence_put,
    .similarity = sequence_similarity,
    .selected = sequence_selected,
};
