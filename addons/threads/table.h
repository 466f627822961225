/* Hash tables with addresses as keys: open addressing with linear probing in a static array. Entries of earlier
 * runs count as free, so a new run begins with an empty table at no cost. Nothing is removed during a run.
 *
 * The type of an entry begins with a struct sonde_slot. All functions are inline, so that the sizes of a constant
 * table are constants, too. */
#ifndef SONDE_THREADS_TABLE_H
#define SONDE_THREADS_TABLE_H

#include "base/check.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The key of an entry. */
struct sonde_slot {
    const void *address;
    uint32_t run; /* the entry is free unless this is the present run */
};

/* A table. */
struct sonde_table {
    void *entries;
    size_t size;        /* size of an entry in bytes */
    uint32_t n, probes; /* number of entries, a power of two; number of entries tried for an address */
};
/* Initialises a table over an array. */
#define SONDE_TABLE(array, n_probes)                                                                                   \
    {                                                                                                                  \
        .entries = (array), .size = sizeof *(array), .n = sizeof(array) / sizeof *(array), .probes = (n_probes)        \
    }

/* Returns slot i, modulo the number of entries. */
static inline struct sonde_slot *sonde_table_slot(const struct sonde_table *t, size_t i)
{
    return (struct sonde_slot *)(void *)((char *)t->entries + (i & (t->n - 1)) * t->size);
}

/* Returns the slot of the address in this run, or the free slot that it would get. Returns NULL if all slots
 * that are tried are taken. */
static inline struct sonde_slot *sonde_table_look(const struct sonde_table *t, const void *address, uint32_t run)
{
    size_t first = (size_t)(((uint64_t)(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15)) >> 40); /* Knuth's hash */
    for (uint32_t i = 0; i < t->probes; i++) {
        struct sonde_slot *s = sonde_table_slot(t, first + i);
        if (s->run != run || s->address == address) return s;
    }
    return NULL;
}

/* Returns the entry of the address; NULL if it is not there. */
static inline void *sonde_table_find(const struct sonde_table *t, const void *address, uint32_t run)
{
    struct sonde_slot *s = sonde_table_look(t, address, run);
    return s && s->run == run ? s : NULL;
}

/* Returns the entry of the address, and adds one if there is none; NULL if there is no room. If *is_new, the
 * caller must set the rest of the entry. */
static inline void *sonde_table_enter(const struct sonde_table *t, const void *address, uint32_t run, bool *is_new)
{
    struct sonde_slot *s = sonde_table_look(t, address, run);
    *is_new = s && s->run != run;
    if (*is_new) *s = (struct sonde_slot){address, run};
    return s;
}

/* Asserts that each entry is found by its address, so no address is there twice. Calls `check` for each
 * entry, unless `check` is NULL. */
static inline void sonde_table_check(const struct sonde_table *t, uint32_t run, void (*check)(const void *entry))
{
    for (size_t i = 0; i < t->n; i++) {
        const struct sonde_slot *s = sonde_table_slot(t, i);
        if (s->run != run) continue;
        sonde_assert(sonde_table_find(t, s->address, run) == s);
        if (check) check(s);
    }
}

#endif
