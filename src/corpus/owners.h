/* Who is responsible for what: Zest's notion, for every view that has a use for it. A *thing* is a number: a feature, a class of a
 * feature's counts, a utility. It has at most one owner, an entry of a view. The first that shows a thing owns it; what a
 * discarded input owns, a valid one takes over. An entry that owns something is favoured, or stays; that is the view's policy.
 *
 * Example: a discarded tape A is the first that reaches line 10 and owns it. A valid tape B reaches lines 10 and
 * 20: it takes line 10 over, since A is discarded, and owns 20. A owns nothing now. A valid C that reaches both
 * gets neither: B was first. */
#ifndef SONDE_CORPUS_OWNERS_H
#define SONDE_CORPUS_OWNERS_H

#include "base/check.h"

#include <stdbool.h>
#include <stdint.h>

/* To be embedded in an entry. */
struct sonde_owner {
    uint32_t number; /* its place among the owners */
    uint32_t owns;   /* how many things */
    bool is_valid;
};

struct sonde_owners {
    uint32_t *of; /* by thing: number + 1 of the owner; 0: nobody */
    uint32_t n_things;
    struct sonde_owner **owners; /* by number; NULL: free. Borrowed from the view */
    uint32_t n_owners, cap_owners;
    uint32_t *free; /* numbers */
    uint32_t n_free, cap_free;
};

/* To be set to zeros first. */
void sonde_owners_clear(struct sonde_owners *owners);
/* There are at least so many things from now on. */
void sonde_owners_grow(struct sonde_owners *owners, uint32_t n_things);
/* The entry can own things; to begin with, none. */
void sonde_owners_join(struct sonde_owners *owners, struct sonde_owner *owner, bool is_valid);
/* It owns nothing any more, and is forgotten. Looks at all things, unless there are none. */
void sonde_owners_leave(struct sonde_owners *owners, struct sonde_owner *owner);
/* The thing becomes this owner's. Returns who loses the last thing by that; NULL if nobody does. */
struct sonde_owner *sonde_owners_take(struct sonde_owners *owners, uint32_t thing, struct sonde_owner *owner);

static inline struct sonde_owner *sonde_owners_of(const struct sonde_owners *owners, uint32_t thing)
{
    uint32_t number = owners->of[thing];
    return number ? owners->owners[number - 1] : NULL;
}

/* Whether the thing is free, or a discarded input's that a valid one may take over. */
static inline bool sonde_owners_may_take(const struct sonde_owners *owners, uint32_t thing, bool is_valid)
{
    const struct sonde_owner *owner = sonde_owners_of(owners, thing);
    return !owner || (is_valid && !owner->is_valid);
}

/* Every owner owns as many things as it says, and no thing is owned by one that has left. */
SONDE_CHECKER(sonde_owners_check, struct sonde_owners);

#endif
