/* See damage.h. */
#include "engine/workers/damage.h"

#include "base/die.h"
#include "base/heap.h"

uint32_t sonde_damage_count(const struct sonde_search *s)
{
    uint32_t n = atomic_load_explicit(&s->n_found, memory_order_acquire);
    if (n > SONDE_FOUND_MAX) sonde_die_overwritten();
    return n;
}

struct sonde_found *sonde_damage_at(const struct sonde_search *s, uint32_t i)
{
    if (i >= SONDE_FOUND_MAX || !sonde_heap_holds(s, s->found[i], sizeof *s->found[i])) sonde_die_overwritten();
    return s->found[i];
}

void sonde_damage_check_found(const struct sonde_found *found, bool has_ended)
{
    if (!sonde_found_is_sound(found, has_ended)) sonde_die_overwritten();
}

void sonde_damage_check(const struct sonde_search *s)
{
    uint32_t n = sonde_damage_count(s);
    for (uint32_t i = 0; i < n; i++) sonde_damage_check_found(sonde_damage_at(s, i), true);
}
