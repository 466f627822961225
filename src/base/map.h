/* A hash table from 64-bit keys to 32-bit values: open addressing with linear probing, at most half full. The
 * meaning of a value is up to the user; most are indices into an array, or counts. Single entries cannot be deleted.
 *
 * It is for occasional lookups. Tables that every draw or case uses have special layouts (labels, edges of a trie,
 * the set of distinct inputs).
 *
 * Use: `++*sonde_map_at(&map, key)` counts. sonde_map_get(&map, key) is 0 for an unknown key, so indices are stored
 * plus one. A pointer from sonde_map_at is valid until the next sonde_map_at. */
#ifndef SONDE_BASE_MAP_H
#define SONDE_BASE_MAP_H

#include "base/check.h"

/* An entry of a map. */
struct sonde_map_entry {
    uint64_t key; /* the caller's key; the entry is free while `value` is 0 */
    uint32_t value;
};

/* A map. */
struct sonde_map {
    struct sonde_map_entry *entries;
    uint32_t n, cap; /* cap: a power of two, or 0 */
    bool is_own;     /* the map allocates from the C library, whichever heap is current */
};

/* Frees the memory. A map begins as all zeros, except is_own. */
void sonde_map_clear(struct sonde_map *map);
/* Removes all entries and keeps the memory. */
void sonde_map_empty(struct sonde_map *map);
/* Returns the value of a key; 0 if the key is unknown. */
uint32_t sonde_map_get(const struct sonde_map *map, uint64_t key);
/* Returns where the value of a key is stored, for writing. A new key has 0 and must get another value before the
 * next call. */
uint32_t *sonde_map_at(struct sonde_map *map, uint64_t key);
/* Asserts that every entry is found by its key, that n is the number of entries, and that the table is at most half
 * full. */
SONDE_CHECKER(sonde_map_check, struct sonde_map);

#endif
