/* See seen.h. */
#include "guide/seen.h"

#include "base/mem.h"

enum { BITS = 16 };

void sonde_seen_init(struct sonde_seen *s)
{
    s->tags = sonde_calloc((size_t)1 << BITS, sizeof *s->tags);
}

void sonde_seen_clear(struct sonde_seen *s)
{
    sonde_free(s->tags);
}

static uint32_t tag_of(uint64_t hash)
{
    return (uint32_t)hash | 1;
}

bool sonde_seen_enter(struct sonde_seen *s, uint64_t hash)
{
    uint32_t *tag = &s->tags[hash >> (64 - BITS)];
    if (*tag == tag_of(hash)) return false;
    *tag = tag_of(hash);
    return true;
}

void sonde_seen_add(struct sonde_seen *s, const struct sonde_tape *tape)
{
    sonde_seen_enter(s, sonde_tape_hash(tape));
}

bool sonde_seen_has(const struct sonde_seen *s, const struct sonde_tape *script)
{
    uint64_t hash = sonde_tape_hash(script);
    if (s->tags[hash >> (64 - BITS)] != tag_of(hash)) return false;
    for (uint32_t i = 0; i < script->n_choices; i++)
        if (script->choices[i].flags & SONDE_CHOICE_HOLE) return false;
    for (uint32_t i = 0; i < script->n_spans; i++)
        if (script->spans[i].flags & SONDE_SPAN_HOLE) return false;
    return true;
}
