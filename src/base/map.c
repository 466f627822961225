/* See map.h. The value 0 marks a free entry, so a key may be any number, 0 included. In exchange, the value 0 cannot
 * be stored. */
#include "base/map.h"

#include "base/hash.h"
#include "base/limit.h"
#include "base/mem.h"

#include <string.h>

enum { FIRST = SONDE_LIMIT(64, 2) };

void sonde_map_clear(struct sonde_map *map)
{
    sonde_free(map->entries);
    *map = (struct sonde_map){.is_own = map->is_own};
}

void sonde_map_empty(struct sonde_map *map)
{
    if (map->n) memset(map->entries, 0, map->cap * sizeof *map->entries);
    map->n = 0;
}

/* Returns the entry of the key, or the free entry where the key belongs. */
static struct sonde_map_entry *find(const struct sonde_map *map, uint64_t key)
{
    sonde_assert(map->n < map->cap); /* the loop below ends at a free entry */
    /* Keys are mostly hashes or small numbers; mixing is cheap and spreads both. */
    uint32_t mask = map->cap - 1, i = (uint32_t)sonde_mix(key) & mask;
    while (map->entries[i].value && map->entries[i].key != key) i = (i + 1) & mask;
    return &map->entries[i];
}

static void widen(struct sonde_map *map)
{
    struct sonde_map old = *map;
    map->cap = old.cap ? 2 * old.cap : FIRST;
    map->entries = (map->is_own ? sonde_own_calloc : sonde_calloc)(map->cap, sizeof *map->entries);
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.entries[i].value) *find(map, old.entries[i].key) = old.entries[i];
    sonde_free(old.entries);
    sonde_map_check(map);
}

uint32_t sonde_map_get(const struct sonde_map *map, uint64_t key)
{
    return map->cap ? find(map, key)->value : 0;
}

/* Grows the table before it searches, so the pointer returned stays valid until the next call. */
uint32_t *sonde_map_at(struct sonde_map *map, uint64_t key)
{
    if (2 * map->n >= map->cap) widen(map);
    struct sonde_map_entry *e = find(map, key);
    map->n += e->value == 0;
    e->key = key;
    return &e->value;
}

#ifdef SONDE_CHECKED

void sonde_map_check(const struct sonde_map *map)
{
    uint32_t n = 0;
    sonde_assert((map->cap & (map->cap - 1)) == 0 && (map->cap == 0) == (map->entries == NULL));
    for (uint32_t i = 0; i < map->cap; i++) {
        if (!map->entries[i].value) continue;
        n++;
        sonde_assert(find(map, map->entries[i].key) == &map->entries[i]);
    }
    sonde_assert(n == map->n && 2 * n <= map->cap);
}

#endif
