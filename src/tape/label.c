/* See label.h: the hash table of labels, with open addressing; ids are hashes of the strings. Hash collisions are so
 * rare that the second label simply takes the next free id. A tape of another build may then have another id for it,
 * and lose its name.
 *
 * Entries are never removed and strings never move, so a pointer from sonde_label_text stays valid until clear. The
 * labels live in the heap of their search. Only the worker adds labels; the supervisor may read at any time. There
 * is no lock. A table is filled before the pointer to it is published (release, acquire), and an entry's string
 * before its id. An outgrown table is kept: a reader that still holds it reads valid memory. */
#include "tape/label.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/mem.h"

void sonde_labels_init(struct sonde_labels *labels)
{
    memset(labels, 0, sizeof *labels);
}

static struct sonde_label_table *table_of(const struct sonde_labels *labels)
{
    return atomic_load_explicit(&labels->table, memory_order_acquire);
}

static uint32_t id_of(const struct sonde_label_entry *e)
{
    return atomic_load_explicit(&e->id, memory_order_acquire);
}

void sonde_labels_clear(struct sonde_labels *labels)
{
    struct sonde_label_table *table = table_of(labels);
    for (uint32_t i = 0; table && i < table->cap; i++) sonde_free((void *)(uintptr_t)table->entries[i].text);
    for (uint32_t i = 0; i < labels->n_outgrown; i++) sonde_free(labels->outgrown[i]);
    sonde_free(table);
    sonde_labels_init(labels);
}

/* Returns the entry of an id, or the free entry where it belongs; NULL if there is neither, as in a damaged table. */
static struct sonde_label_entry *find(struct sonde_label_table *table, uint32_t id)
{
    /* Linear probing; ids are hashes already, so no second hash is needed. */
    for (uint32_t i = 0; i < table->cap; i++) {
        struct sonde_label_entry *e = &table->entries[(id + i) & (table->cap - 1)];
        uint32_t there = id_of(e);
        if (!there || there == id) return e;
    }
    return NULL;
}

static void fill(struct sonde_label_entry *e, uint32_t id, const char *text, uint32_t length)
{
    e->length = length;
    e->text = text;
    atomic_store_explicit(&e->id, id, memory_order_release);
}

/* Doubles the table, and keeps the old one until the labels are freed: a supervisor may be reading it. */
static void grow(struct sonde_labels *labels)
{
    struct sonde_label_table *old = table_of(labels);
    sonde_assert(labels->n_outgrown < sizeof labels->outgrown / sizeof *labels->outgrown);
    uint32_t cap = old ? old->cap * 2 : 64;
    struct sonde_label_table *bigger = sonde_calloc(1, sizeof *bigger + cap * sizeof *bigger->entries);
    bigger->cap = cap;
    for (uint32_t i = 0; old && i < old->cap; i++) {
        const struct sonde_label_entry *e = &old->entries[i];
        if (id_of(e)) fill(find(bigger, id_of(e)), id_of(e), e->text, e->length);
    }
    if (old) labels->outgrown[labels->n_outgrown++] = old;
    atomic_store_explicit(&labels->table, bigger, memory_order_release);
}

uint32_t sonde_label_intern_n(struct sonde_labels *labels, const char *text, size_t n)
{
    if (n > SONDE_LABEL_LENGTH_MAX) return 0;
    /* At most half full. Growing before the search also ensures that `find` reaches a free entry. */
    if (!table_of(labels) || labels->n * 2 >= table_of(labels)->cap) grow(labels);
    uint32_t id = sonde_fold32(sonde_hash_bytes(0, text, n));
    /* Tries the ids that follow after a collision, as sonde_label_find_n does. Nothing is ever removed, so the search
     * ends at the first free id. */
    for (;; id++) {
        if (id == 0) continue;
        struct sonde_label_entry *e = find(table_of(labels), id);
        sonde_assert(e);
        if (id_of(e) && e->length == n && memcmp(e->text, text, n) == 0) return id;
        if (id_of(e)) continue;
        if (labels->n >= SONDE_LABELS_MAX) return 0;
        fill(e, id, sonde_strndup(text, n), (uint32_t)n);
        labels->n++;
        return id;
    }
}

uint32_t sonde_label_find_n(const struct sonde_labels *labels, const char *text, size_t n)
{
    struct sonde_label_table *table = table_of(labels);
    if (!table) return 0;
    for (uint32_t id = sonde_fold32(sonde_hash_bytes(0, text, n));; id++) {
        if (id == 0) continue;
        const struct sonde_label_entry *e = find(table, id);
        if (!e || !id_of(e)) return 0;
        if (e->length == n && memcmp(e->text, text, n) == 0) return id;
    }
}

uint32_t sonde_label_intern(struct sonde_labels *labels, const char *text)
{
    return sonde_label_intern_n(labels, text, strlen(text));
}

void sonde_labels_take(struct sonde_labels *to, const struct sonde_labels *from)
{
    struct sonde_label_table *table = table_of(from);
    if (!table || to == from) return;
    for (uint32_t i = 0; i < table->cap; i++)
        if (id_of(&table->entries[i])) sonde_label_intern_n(to, table->entries[i].text, table->entries[i].length);
}

/* The supervisor calls this while a worker may add labels: see the top of this file. */
const char *sonde_label_text(const struct sonde_labels *labels, uint32_t id)
{
    struct sonde_label_table *table = table_of(labels);
    const struct sonde_label_entry *e = table && id ? find(table, id) : NULL;
    return e && id_of(e) ? e->text : "?";
}
