/* See seen.h. The slot of a hash is given by its upper bits. While few slots are in use, their tags are in a hash table
 * with open addressing. It doubles, so that a set with few hashes takes little memory. Later one array holds all slots.
 * Both forms hold the same tags. */
#include "guide/seen.h"

#include "base/mem.h"

#include <string.h>

enum {
    BITS = 16,       /* number of bits that give the slot */
    TAG_BITS = 32,   /* an entry of `few` is the slot, shifted by this, and the tag */
    FIRST_CAP = 256, /* entries of `few` at first */
    MOST = 1 << 14   /* maximum number of entries of `few`: as many bytes as half of the array */
};

void sonde_seen_init(struct sonde_seen *s)
{
    memset(s, 0, sizeof *s);
}

void sonde_seen_clear(struct sonde_seen *s)
{
    sonde_free(s->tags);
    sonde_free(s->few);
}

static uint32_t slot_of(uint64_t hash)
{
    return (uint32_t)(hash >> (64 - BITS));
}

static uint32_t tag_of(uint64_t hash)
{
    return (uint32_t)hash | 1;
}

/* Returns the entry of a slot, or the free entry where it belongs. `few` is at most three quarters full. */
static uint64_t *entry_of(const struct sonde_seen *s, uint32_t slot)
{
    uint32_t i = slot & (s->cap - 1);
    while (s->few[i] && s->few[i] >> TAG_BITS != slot) i = (i + 1) & (s->cap - 1);
    return &s->few[i];
}

/* Makes room for one more slot: a table of twice the size, or the array of all slots. */
static void grow(struct sonde_seen *s)
{
    uint64_t *old = s->few;
    uint32_t n = s->cap;
    bool is_few = n < MOST;
    s->cap = n ? 2 * n : (uint32_t)FIRST_CAP;
    s->few = is_few ? sonde_calloc(s->cap, sizeof *s->few) : NULL;
    if (!is_few) s->tags = sonde_calloc((size_t)1 << BITS, sizeof *s->tags);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t slot = (uint32_t)(old[i] >> TAG_BITS);
        if (!old[i]) continue;
        if (is_few) *entry_of(s, slot) = old[i];
        else s->tags[slot] = (uint32_t)old[i];
    }
    sonde_free(old);
}

/* Returns the tag of a slot; 0 if the slot is empty. */
static uint32_t tag_at(const struct sonde_seen *s, uint32_t slot)
{
    if (s->tags) return s->tags[slot];
    return s->few ? (uint32_t)*entry_of(s, slot) : 0;
}

static void put(struct sonde_seen *s, uint32_t slot, uint32_t tag)
{
    if (!s->tags && 4 * s->n >= 3 * s->cap) grow(s);
    if (s->tags) {
        s->tags[slot] = tag;
        return;
    }
    uint64_t *entry = entry_of(s, slot);
    s->n += *entry == 0;
    *entry = (uint64_t)slot << TAG_BITS | tag;
}

bool sonde_seen_enter(struct sonde_seen *s, uint64_t hash)
{
    if (tag_at(s, slot_of(hash)) == tag_of(hash)) return false;
    put(s, slot_of(hash), tag_of(hash));
    return true;
}

void sonde_seen_add(struct sonde_seen *s, const struct sonde_tape *tape)
{
    sonde_seen_enter(s, sonde_tape_hash(tape));
}

bool sonde_seen_has(const struct sonde_seen *s, const struct sonde_tape *script)
{
    uint64_t hash = sonde_tape_hash(script);
    if (tag_at(s, slot_of(hash)) != tag_of(hash)) return false;
    for (uint32_t i = 0; i < script->n_choices; i++)
        if (script->choices[i].flags & SONDE_CHOICE_HOLE) return false;
    for (uint32_t i = 0; i < script->n_spans; i++)
        if (script->spans[i].flags & SONDE_SPAN_HOLE) return false;
    return true;
}
