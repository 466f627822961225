/* Branches that valid cases reach and never take.
 *
 * A branch is a comparison that valid cases make, and a block of code after it that none of them reaches. Blocks come
 * from the table of counters (clang), or from the calls of the hook in the machine code (gcc). No compiler records
 * which comparison decides about which block. So a block belongs to the nearest comparison above it in the same
 * function, by lines. Comparisons that have had all outcomes (less, equal, greater) do not count. */
#ifndef SONDE_BLOCKERS_BRANCHES_H
#define SONDE_BLOCKERS_BRANCHES_H

#include "engine/search/search.h"
#include "program/place.h"

/* A comparison that valid cases made. */
struct sonde_met {
    uint32_t id;      /* feature id */
    bool is_switch;   /* decides about several blocks */
    uint64_t n;       /* how often it was made */
    bool is_complete; /* no outcome is left that its branch could wait for */
    const void *code; /* filled in by sonde_branches_find, like the next member */
    struct sonde_place place;
};

struct sonde_branch {
    uint32_t met;             /* index of its comparison */
    uintptr_t behind;         /* address of the block that no valid case reached */
    bool is_called;           /* the block is known by a call at that address, which its counter is after */
    struct sonde_place place; /* location of that block */
};

/* Returns the number of branches; *branches is to be freed with sonde_free. Ids of `met` belong to `coverage`. Starts
 * processes. */
uint32_t sonde_branches_find(const struct sonde_search *search, const struct sonde_coverage *coverage,
                             struct sonde_met *met, uint32_t n_met, struct sonde_branch **branches);
/* Returns whether the last case of `coverage` reached the block. */
bool sonde_branch_is_taken(const struct sonde_branch *branch, const struct sonde_coverage *coverage,
                           const struct sonde_coverage_view *view);

#endif
