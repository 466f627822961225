/* Guarded blocks: each ends right before a page that is not there, so the first byte beyond it is a crash in any build.
 *
 * The end is exact to the byte, which leaves the address aligned to the largest power of two that divides the size: an
 * array of any type is aligned, because its size is a multiple of its alignment. */
#ifndef SONDE_BASE_GUARD_H
#define SONDE_BASE_GUARD_H

#include <stddef.h>
#include <stdint.h>

enum { SONDE_GUARD_CLASSES = 24 };

struct sonde_guards {
    struct sonde_guard_slot *slots; /* mapped on first use; NULL before */
    uint32_t n;
    uint32_t in_use;                    /* heads of lists: 1 + index of a slot, or 0 */
    uint32_t free[SONDE_GUARD_CLASSES]; /* by the power of two of their pages */
};

/* A block of uninitialised memory; NULL where the system has no more mappings to give. */
void *sonde_guard_alloc(struct sonde_guards *guards, size_t size);
/* Takes all blocks back; their pages are kept for the next ones. */
void sonde_guards_empty(struct sonde_guards *guards);
void sonde_guards_clear(struct sonde_guards *guards);

#endif
