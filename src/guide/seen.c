/* See seen.h. */
#include "guide/seen.h"

#include "base/mem.h"

enum { BITS = 16 };

void sonde_seen_init(struct sonde_seen *s)
{
    s->hashes = sonde_calloc((size_t)1 << BITS, sizeof *s->hashes);
}

void sonde_seen_clear(struct sonde_seen *s)
{
    sonde_free(s->hashes);
}

static uint32_t *place_of(const struct sonde_seen *s, uint64_t hash)
{
    return &s->hashes[hash >> (64 - BITS)];
}

void sonde_seen_add(struct sonde_seen *s, const struct sonde_tape *tape)
{
    uint64_t hash = sonde_tape_hash(tape);
    *place_of(s, hash) = (uint32_t)hash;
}

bool sonde_seen_has(const struct sonde_seen *s, const struct sonde_tape *script)
{
    uint64_t hash = sonde_tape_hash(script);
    if (*place_of(s, hash) != (uint32_t)hash) return false;
    for (uint32_t i = 0; i < script->n_choices; i++)
        if (script->choices[i].flags & SONDE_CHOICE_HOLE) return false;
    for (uint32_t i = 0; i < script->n_spans; i++)
        if (script->spans[i].flags & SONDE_SPAN_HOLE) return false;
    return true;
}
