/* Ownership of things, after Zest's "responsible" inputs, for every view that needs it. A *thing* is a number: a
 * feature, a class of a feature's counts, a utility. It has at most one owner, an entry of a view. The first entry
 * that shows a thing owns it; a valid input takes over the things that a discarded input owns. The view decides what
 * owning means: the entry is favoured, or stays.
 *
 * Example: a discarded tape A is the first that reaches line 10 and owns it. A valid tape B reaches lines 10 and 20:
 * it takes over line 10, since A is discarded, and owns 20. A owns nothing now. A valid C that reaches both gets
 * neither: B was first. */
#ifndef SONDE_CORPUS_OWNERS_H
#define SONDE_CORPUS_OWNERS_H

#include "base/check.h"

#include <stdbool.h>
#include <stdint.h>

/* The part of an entry that owns things; embedded in the entry. */
struct sonde_owner {
    uint32_t number; /* index of this owner in the table */
    uint32_t owns;   /* number of things that this owner has */
    bool is_valid;
};

/* A table of owners. */
struct sonde_owners {
    uint32_t *of; /* of[thing] is the number of the owner + 1; 0: the thing is free */
    uint32_t n_things;
    struct sonde_owner **owners; /* the owners by number, borrowed from the view; NULL: the number is free */
    uint32_t n_owners, cap_owners;
    uint32_t *free; /* numbers that no owner has */
    uint32_t n_free, cap_free;
};

/* Frees the table. A table begins as all zeros. */
void sonde_owners_clear(struct sonde_owners *owners);
/* Makes room for at least this many things. */
void sonde_owners_grow(struct sonde_owners *owners, uint32_t n_things);
/* Registers an entry as an owner that owns nothing yet. */
void sonde_owners_join(struct sonde_owners *owners, struct sonde_owner *owner, bool is_valid);
/* Unregisters an owner; its things become free. Visits all things, unless it owns none. */
void sonde_owners_leave(struct sonde_owners *owners, struct sonde_owner *owner);
/* Gives a thing to an owner. Returns the previous owner if it owns nothing else now, otherwise NULL. */
struct sonde_owner *sonde_owners_take(struct sonde_owners *owners, uint32_t thing, struct sonde_owner *owner);

/* Returns the owner of a thing; NULL if it is free. */
static inline struct sonde_owner *sonde_owners_of(const struct sonde_owners *owners, uint32_t thing)
{
    uint32_t number = owners->of[thing];
    return number ? owners->owners[number - 1] : NULL;
}

/* Returns whether an input may take the thing: it is free, or a valid input takes it from a discarded one. */
static inline bool sonde_owners_may_take(const struct sonde_owners *owners, uint32_t thing, bool is_valid)
{
    const struct sonde_owner *owner = sonde_owners_of(owners, thing);
    return !owner || (is_valid && !owner->is_valid);
}

/* Asserts that every owner owns as many things as it counts, and that every thing has a registered owner or none. */
SONDE_CHECKER(sonde_owners_check, struct sonde_owners);

#endif
