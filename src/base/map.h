/* A table from 64-bit keys to 32-bit numbers: open addressing with linear probing in one array, at most half full. What a
 * number means is the user's affair; most are indices into an array, or counts. There is no deletion but of everything.
 *
 * For what is looked up now and then. Tables in the path of every draw or case have a layout of their own (labels, edges of
 * a trie, the set of different inputs).
 *
 * Use: `++*sonde_map_at(&map, key)` counts; sonde_map_get(&map, key) is 0 for a key that was never given, which is
 * why indices are stored plus one. A pointer from sonde_map_at is good until the next sonde_map_at. */
#ifndef SONDE_BASE_MAP_H
#define SONDE_BASE_MAP_H

#include "base/check.h"

struct sonde_map_entry {
    uint64_t key; /* as it was given; free while `value` is 0 */
    uint32_t value;
};

struct sonde_map {
    struct sonde_map_entry *entries;
    uint32_t n, cap; /* cap: a power of two, or 0 */
    bool is_own;     /* its memory is the C library's, whichever heap is current */
};

/* To be set to zeros first, but for is_own. */
void sonde_map_clear(struct sonde_map *map);
/* Forgets all entries and keeps the memory. */
void sonde_map_empty(struct sonde_map *map);
/* 0 if the key is not there. */
uint32_t sonde_map_get(const struct sonde_map *map, uint64_t key);
/* The number of a key, for writing; a new one is there with 0, and must be given another number before the next call. */
uint32_t *sonde_map_at(struct sonde_map *map, uint64_t key);
/* Every entry is found by its key; there are as many as it says, and room for twice as many. */
SONDE_CHECKER(sonde_map_check, struct sonde_map);

#endif
