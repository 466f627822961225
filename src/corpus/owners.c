/* See owners.h. The table of things stores owners as 32-bit numbers, not pointers, so that it stays small for a large
 * program. The saved corpus has nine things per feature. */
#include "corpus/owners.h"

#include "base/mem.h"

#include <string.h>

void sonde_owners_clear(struct sonde_owners *o)
{
    sonde_free(o->of);
    sonde_free(o->owners);
    sonde_free(o->free);
    memset(o, 0, sizeof *o);
}

void sonde_owners_grow(struct sonde_owners *o, uint32_t n_things)
{
    o->of = sonde_grow_zeroed(o->of, &o->n_things, n_things, sizeof *o->of);
}

void sonde_owners_join(struct sonde_owners *o, struct sonde_owner *owner, bool is_valid)
{
    if (!o->n_free) o->owners = sonde_grow(o->owners, &o->cap_owners, (size_t)o->n_owners + 1, sizeof *o->owners);
    uint32_t number = o->n_free ? o->free[--o->n_free] : o->n_owners++;
    o->owners[number] = owner;
    *owner = (struct sonde_owner){.number = number, .is_valid = is_valid};
    if (sonde_is_milestone(o->n_owners)) sonde_owners_check(o);
}

void sonde_owners_leave(struct sonde_owners *o, struct sonde_owner *owner)
{
    for (uint32_t i = 0; owner->owns && i < o->n_things; i++)
        if (o->of[i] == owner->number + 1) o->of[i] = 0, owner->owns--;
    sonde_assert(owner->owns == 0 && o->owners[owner->number] == owner);
    o->owners[owner->number] = NULL;
    o->free = sonde_grow(o->free, &o->cap_free, (size_t)o->n_free + 1, sizeof *o->free);
    o->free[o->n_free++] = owner->number;
}

struct sonde_owner *sonde_owners_take(struct sonde_owners *o, uint32_t thing, struct sonde_owner *owner)
{
    struct sonde_owner *before = sonde_owners_of(o, thing);
    if (before == owner) return NULL;
    o->of[thing] = owner->number + 1;
    owner->owns++;
    return before && --before->owns == 0 ? before : NULL;
}

#ifdef SONDE_CHECKED

void sonde_owners_check(const struct sonde_owners *o)
{
    uint64_t owned = 0, said = 0;
    for (uint32_t i = 0; i < o->n_things; i++) {
        owned += o->of[i] != 0;
        sonde_assert(o->of[i] <= o->n_owners && (o->of[i] == 0 || sonde_owners_of(o, i)->owns > 0));
    }
    for (uint32_t i = 0; i < o->n_owners; i++) {
        if (!o->owners[i]) continue;
        sonde_assert(o->owners[i]->number == i);
        said += o->owners[i]->owns;
    }
    sonde_assert(owned == said);
}

#endif
