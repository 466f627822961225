/* The filter `sequence`: similarity of tapes as sequences. It is algorithm 2 of the thesis (parameter sequence
 * filtering), line by line, over whole tapes. It compares choices with their values instead of bytes, because here the
 * search mutates tapes.
 *
 * Two tapes are compared from the left:
 * - An equal choice counts 1.
 * - If one choice differs and the next is equal, that counts 0.5, and both are passed.
 * - Otherwise, if the fourth choice after it is equal, that counts 2, and five are passed.
 * - Anything else ends the comparison.
 * The skips allow for a value that differs without changing the path in the generator; the thesis's numbers take four
 * bytes. The count is divided by the candidate's length; the sum over all selected tapes is the similarity.
 *
 * Most comparisons end after a few choices. With many long and nearly equal tapes they do not, so the number of steps
 * for one candidate is limited. The selected tapes compared until then, a spread sample, represent all. */
#include "base/hash.h"
#include "base/mem.h"
#include "corpus/filter_draws.h"
#include "corpus/filter_parts.h"

enum { STEPS_MAX = 1 << 15 }; /* maximum number of steps in all comparisons of one candidate */

/* The choices of one tape, each as a hash of site and value. */
struct form {
    uint32_t n;
    uint32_t choices[];
};

struct sequence {
    const struct form **selected;
    uint32_t n, cap;
};

static void *sequence_create(void)
{
    return sonde_calloc(1, sizeof(struct sequence));
}

static void sequence_destroy(void *measure)
{
    sonde_free(((struct sequence *)measure)->selected);
    sonde_free(measure);
}

static void *sequence_form(void *measure, const struct sonde_tape *tape)
{
    (void)measure;
    struct form *form = sonde_malloc(sizeof *form + tape->n_choices * sizeof form->choices[0]);
    form->n = tape->n_choices;
    for (uint32_t i = 0; i < form->n; i++) {
        struct sonde_drawn drawn = sonde_drawn_read(tape, i);
        form->choices[i] = sonde_fold32(sonde_mix((uint64_t)drawn.place << 32 | drawn.value));
    }
    return form;
}

/* Returns the count for two tapes, in units of one half. Implements lines 14 to 30 of the algorithm. */
static uint64_t compare(const struct form *p, const struct form *c, uint64_t *steps)
{
    uint32_t n = p->n < c->n ? p->n : c->n, i = 0;
    uint64_t halves = 0;
    while (i < n) {
        ++*steps;
        if (p->choices[i] == c->choices[i]) {
            halves += 2;
            i++;
        } else if (i + 1 < n && p->choices[i + 1] == c->choices[i + 1]) {
            halves += 1;
            i += 2;
        } else if (i + 4 < n && p->choices[i + 4] == c->choices[i + 4]) {
            halves += 4;
            i += 5;
        } else {
            break;
        }
    }
    return halves;
}

/* Returns a stride that visits all n selected tapes once each: it shares no factor with n. */
static uint32_t stride_for(uint32_t n)
{
    static const uint32_t primes[] = {7919, 104729, 1299709};
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
        if (n % primes[i]) return primes[i] % n ? primes[i] % n : 1;
    return 1;
}

/* Returns the highest similarity for an empty tape: it is equal to any other empty one and of no use as a seed. */
static double sequence_similarity(void *measure, const void *of)
{
    const struct sequence *s = measure;
    const struct form *form = of;
    uint64_t halves = 0, steps = 0;
    uint32_t compared = 0, stride = s->n ? stride_for(s->n) : 1;
    if (form->n == 0) return s->n;
    for (uint64_t at = 0; compared < s->n && steps < STEPS_MAX; compared++, at = (at + stride) % s->n)
        halves += compare(s->selected[at], form, &steps);
    return compared ? (double)halves / 2 / form->n * s->n / compared : 0;
}

static void sequence_selected(void *measure, const void *form)
{
    struct sequence *s = measure;
    s->selected = sonde_grow(s->selected, &s->cap, (size_t)s->n + 1, sizeof *s->selected);
    s->selected[s->n++] = form;
}

const struct sonde_measure sonde_measure_sequence = {
    .create = sequence_create,
    .destroy = sequence_destroy,
    .form = sequence_form,
    .similarity = sequence_similarity,
    .selected = sequence_selected,
};
