/* Guarded blocks: an inaccessible page follows each block, so the first byte beyond it crashes in any build.
 *
 * A block ends exactly at that page. Its address is therefore aligned to the largest power of two that divides its
 * size. An array of any type is aligned, because its size is a multiple of its alignment. */
#ifndef SONDE_BASE_GUARD_H
#define SONDE_BASE_GUARD_H

#include <stddef.h>
#include <stdint.h>

enum { SONDE_GUARD_CLASSES = 24 };

/* A set of guarded blocks. */
struct sonde_guards {
    struct sonde_guard_slot *slots; /* the table of slots, mapped on first use; NULL before */
    uint32_t n;
    uint32_t in_use;                    /* head of the list of used slots: 1 + index of a slot; 0: none */
    uint32_t free[SONDE_GUARD_CLASSES]; /* free[k] is the head of the list of free slots with 2^k pages */
};

/* Returns a block of uninitialised memory, valid until the set is emptied; NULL if the system has no more mappings to
 * give. */
void *sonde_guard_alloc(struct sonde_guards *guards, size_t size);
/* Frees all blocks; their pages are kept for later blocks. */
void sonde_guards_empty(struct sonde_guards *guards);
/* Unmaps all blocks and the table. */
void sonde_guards_clear(struct sonde_guards *guards);

#endif
