/* Implements sonde_case_is_whole and sonde_claim_is_sound. The code under test can write to the memory of a case, so
 * nothing is followed before it was checked. */
#include "case/case.h"

#include "base/heap.h"

#include <string.h>

static bool has_texts(const sonde *t)
{
    if (t->n_shown > t->cap_shown || !sonde_heap_holds(t, t->shown, (size_t)t->cap_shown * sizeof *t->shown))
        return false;
    for (uint32_t i = 0; i < t->n_shown; i++)
        if (!sonde_heap_holds(t, t->shown[i].text, 1)) return false;
    return t->n_notes <= t->cap_notes && sonde_heap_holds(t, t->notes, t->cap_notes);
}

static bool has_string(const char *text, size_t size)
{
    return memchr(text, 0, size) != NULL;
}

bool sonde_claim_is_sound(const struct sonde_claim *c)
{
    return has_string(c->file, sizeof c->file) && has_string(c->condition, sizeof c->condition)
           && has_string(c->message, sizeof c->message) && has_string(c->got, sizeof c->got)
           && has_string(c->want, sizeof c->want) && c->n_way <= sizeof c->way / sizeof *c->way && c->n_frames >= 0
           && c->n_frames <= SONDE_FRAMES && (unsigned)c->kind <= SONDE_CLAIM_MISUSE;
}

static bool has_records(const sonde *t)
{
    return t->n_records <= t->cap_records
           && sonde_heap_holds(t, t->records, (size_t)t->cap_records * sizeof *t->records);
}

bool sonde_case_is_whole(const sonde *t)
{
    return sonde_case_is_intact(t) && has_records(t) && t->n_hits <= SONDE_CASE_HITS
           && t->n_targets <= SONDE_CASE_TARGETS && t->n_margins <= SONDE_CASE_TARGETS && t->ring_at < SONDE_CASE_RING
           && (unsigned)t->verdict <= SONDE_MISUSE && sonde_claim_is_sound(&t->claim)
           && sonde_tape_is_sound(&t->tape, false) && has_texts(t) && sonde_observed_is_sound(&t->observed, t);
}
