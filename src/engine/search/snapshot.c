/* See snapshot.h. One process writes the bytes and another of the same run reads them, so the format is private and may
 * change at any time. */
#include "engine/search/snapshot.h"

#include "base/die.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/mem.h"
#include "tape/text.h"

#include <string.h>

void sonde_snapshot_clear(struct sonde_snapshot *snapshot)
{
    sonde_bytes_clear(&snapshot->tapes);
    sonde_bytes_clear(&snapshot->learned);
    sonde_bytes_clear(&snapshot->known);
}

/* ---- Keys */

struct keys {
    struct sonde_snapshot *snapshot;
    struct {
        /* number of keys of the tape; keys[] holds all of them, or a random choice if there are too many */
        uint32_t n;
        uint32_t keys[SONDE_SNAPSHOT_KEYS];
    } of[SONDE_SAVED_MAX];
};

static uint32_t key_of(const struct sonde_feature_name *name, uint32_t which, bool is_valid)
{
    uint64_t hash = sonde_hash_add(sonde_hash_add(name->module, name->offset), 2 * (uint64_t)which + is_valid);
    return sonde_fold32(sonde_mix(hash));
}

/* Adds the key of a thing to its tape and to the known keys. For a thing of a valid input, also adds the key for
 * discarded inputs to the known ones. A run that has a valid input needs no discarded one. */
static void add_key(void *context, const struct sonde_saved_tape *by, const struct sonde_saved_thing *thing)
{
    struct keys *k = context;
    struct sonde_feature_name name = {.module = 1, .offset = thing->id};
    if (!thing->is_target && !sonde_coverage_name(k->snapshot->coverage, thing->id, &name)) return;
    uint32_t key = key_of(&name, thing->which, by->owner.is_valid), n = k->of[by->slot].n++;
    sonde_bytes_add_u32(&k->snapshot->known, key);
    if (by->owner.is_valid) sonde_bytes_add_u32(&k->snapshot->known, key_of(&name, thing->which, false));
    /* Each key has the same chance to be named: reservoir sampling, with the key as the random number. */
    uint32_t place = n < SONDE_SNAPSHOT_KEYS ? n : (uint32_t)(sonde_mix(key) % (n + 1));
    if (place < SONDE_SNAPSHOT_KEYS) k->of[by->slot].keys[place] = key;
}

static struct keys *collect_keys(struct sonde_snapshot *snapshot, const struct sonde_saved *saved)
{
    if (!snapshot->coverage) return NULL;
    struct keys *keys = sonde_calloc(1, sizeof *keys);
    keys->snapshot = snapshot;
    sonde_saved_each_thing(saved, add_key, keys);
    return keys;
}

static void add_keys(struct sonde_bytes *tapes, const struct keys *keys, uint32_t slot)
{
    uint32_t n = keys ? keys->of[slot].n : 0;
    uint8_t count = (uint8_t)(n < SONDE_SNAPSHOT_KEYS ? n : SONDE_SNAPSHOT_KEYS);
    sonde_bytes_add(tapes, &count, 1);
    for (uint32_t i = 0; i < count; i++) sonde_bytes_add_u32(tapes, keys->of[slot].keys[i]);
}

/* ---- Tapes */

static void add_tape(struct sonde_bytes *tapes, const struct sonde_saved_tape *h, const struct sonde_labels *labels,
                     const struct keys *keys)
{
    char *text = sonde_tape_to_text(&h->kept->tape, labels);
    uint8_t what = (uint8_t)h->what;
    sonde_bytes_add(tapes, &what, 1);
    sonde_bytes_add_u32(tapes, (uint32_t)h->order);
    add_keys(tapes, keys, h->slot);
    sonde_bytes_add(tapes, text, strlen(text) + 1);
    sonde_free(text);
}

/* Runs in the worker, between two cases, when everything is whole. */
void sonde_snapshot_take(struct sonde_snapshot *snapshot, struct sonde_saved *saved, const struct sonde_labels *labels,
                         struct sonde_guide *guide, bool is_sparse)
{
    snapshot->tapes.n = snapshot->learned.n = snapshot->known.n = 0;
    struct keys *keys = collect_keys(snapshot, saved);
    for (uint32_t i = 0; i < SONDE_SAVED_MAX; i++) {
        struct sonde_saved_tape *h = saved->slots[i];
        if (!h || h->is_written || (h->what == SONDE_FOR_DEPTH && !is_sparse)) continue;
        add_tape(&snapshot->tapes, h, labels, keys);
        /* Each tape is written once. If the worker dies before it hands the snapshot over, the tape is missing in the
         * store until the next run finds it again. */
        h->is_written = true;
    }
    sonde_free(keys);
    if (guide->ops->save) guide->ops->save(guide, &snapshot->learned);
}

static bool is_sound(const struct sonde_bytes *bytes)
{
    return bytes->n <= bytes->cap && sonde_heap_holds(bytes, bytes->data, bytes->cap);
}

struct sonde_reader sonde_snapshot_tapes(const struct sonde_snapshot *snapshot)
{
    if (!is_sound(&snapshot->tapes) || !is_sound(&snapshot->known) || !is_sound(&snapshot->learned))
        sonde_die_overwritten();
    return sonde_reader(snapshot->tapes.data, snapshot->tapes.n);
}

/* The code under test can overwrite these bytes, so an impossible number ends the reading. */
bool sonde_snapshot_next(struct sonde_reader *from, struct sonde_snapshot_tape *tape)
{
    const uint8_t *why = sonde_read_bytes(from, 1);
    tape->order = sonde_read_u32(from);
    const uint8_t *count = sonde_read_bytes(from, 1);
    tape->n_keys = count ? *count : 0;
    if (from->is_short || *why > SONDE_FOR_DEPTH || tape->n_keys > SONDE_SNAPSHOT_KEYS) return false;
    for (uint32_t i = 0; i < tape->n_keys; i++) tape->keys[i] = sonde_read_u32(from);
    const uint8_t *text = from->data + from->at, *end = from->is_short ? NULL : memchr(text, 0, from->n - from->at);
    if (!end) return false;
    tape->text = (const char *)text;
    tape->why = sonde_saved_word(*why);
    sonde_read_bytes(from, (size_t)(end - text) + 1);
    return true;
}
