/* The table behind the cache of label.h: open addressing, ids are hashes of the text. Two labels with
 * one hash are so rare that the second simply takes the next free id; only its name in other builds'
 * tapes is then lost.
 *
 * Entries are never removed and texts never move, so a pointer from sonde_label_text stays valid until
 * clear. A table lives in the heap of its search. Only the worker interns; the supervisor reads, mostly
 * after the worker has ended. There is no lock: an array that was outgrown is kept, so that a reader
 * that still holds it reads valid memory. */
#include "tape/label.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/mem.h"

void sonde_labels_init(struct sonde_labels *labels)
{
    memset(labels, 0, sizeof *labels);
}

void sonde_labels_clear(struct sonde_labels *labels)
{
    for (uint32_t i = 0; i < labels->cap; i++) sonde_free((void *)(uintptr_t)labels->entries[i].text);
    for (uint32_t i = 0; i < labels->n_outgrown; i++) sonde_free(labels->outgrown[i]);
    sonde_free(labels->entries);
    sonde_labels_init(labels);
}

/* The slot of an id, or the free one where it belongs. */
static struct sonde_label_entry *find(const struct sonde_labels *labels, uint32_t id)
{
    sonde_assert(labels->n < labels->cap); /* a free slot ends the search */
    /* Linear probing; ids are hashes already, so no second hash is needed. */
    uint32_t i = id & (labels->cap - 1);
    while (labels->entries[i].id && labels->entries[i].id != id) i = (i + 1) & (labels->cap - 1);
    return &labels->entries[i];
}

/* The old array is kept until the end: a supervisor may be reading it while the worker grows the table. */
static void grow(struct sonde_labels *labels)
{
    sonde_assert(labels->n_outgrown < sizeof labels->outgrown / sizeof *labels->outgrown);
    struct sonde_labels bigger = {.cap = labels->cap ? labels->cap * 2 : 64, .n = labels->n};
    bigger.entries = sonde_calloc(bigger.cap, sizeof *bigger.entries);
    for (uint32_t i = 0; i < labels->cap; i++)
        if (labels->entries[i].id) *find(&bigger, labels->entries[i].id) = labels->entries[i];
    if (labels->entries) labels->outgrown[labels->n_outgrown++] = labels->entries;
    labels->entries = bigger.entries;
    labels->cap = bigger.cap;
}

uint32_t sonde_label_intern_n(struct sonde_labels *labels, const char *text, size_t n)
{
    if (n > SONDE_LABEL_LENGTH_MAX) return 0;
    /* At most half full. Growing before the search also means that `find` always meets a free slot. */
    if (labels->n * 2 >= labels->cap) grow(labels);
    uint32_t id = sonde_fold32(sonde_hash_bytes(0, text, n));
    /* The chain of ids after a collision. sonde_label_find_n walks the same chain, and since nothing is
     * removed it ends at the first free id. */
    for (;; id++) {
        if (id == 0) continue;
        struct sonde_label_entry *e = find(labels, id);
        if (e->id && e->length == n && memcmp(e->text, text, n) == 0) return id;
        if (e->id) continue;
        if (labels->n >= SONDE_LABELS_MAX) return 0;
        char *copy = sonde_malloc(n + 1);
        memcpy(copy, text, n);
        copy[n] = '\0';
        *e = (struct sonde_label_entry){.id = id, .length = (uint32_t)n, .text = copy};
        labels->n++;
        return id;
    }
}

uint32_t sonde_label_find_n(const struct sonde_labels *labels, const char *text, size_t n)
{
    if (!labels->cap) return 0;
    for (uint32_t id = sonde_fold32(sonde_hash_bytes(0, text, n));; id++) {
        if (id == 0) continue;
        const struct sonde_label_entry *e = find(labels, id);
        if (!e->id) return 0;
        if (e->length == n && memcmp(e->text, text, n) == 0) return id;
    }
}

uint32_t sonde_label_intern(struct sonde_labels *labels, const char *text)
{
    return sonde_label_intern_n(labels, text, strlen(text));
}

/* The supervisor calls this while a worker may intern: see the head. */
const char *sonde_label_text(const struct sonde_labels *labels, uint32_t id)
{
    if (!labels->cap || !id) return "?";
    const struct sonde_label_entry *e = find(labels, id);
    return e->id ? e->text : "?";
}
