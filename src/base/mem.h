/* Memory: allocation that does not fail, an arena that is emptied after each case, growable arrays.
 *
 * What sonde itself remembers comes from the C library, or, where workers are used, from the heap that they share with
 * their supervisor (heap.h). Lifetimes are three: case (arena), run and process (create/free). Running out of memory is fatal in the engine's own
 * structures, which are bounded; what a property asks for through sonde_alloc is the arena's, and answers NULL. */
#ifndef SONDE_BASE_MEM_H
#define SONDE_BASE_MEM_H

#include "base/guard.h"

#include <sonde/extend.h> /* sonde_malloc, _calloc, _realloc, _free */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From the current heap; sonde_free it. */
char *sonde_strdup(const char *text);
/* All n bytes, and a NUL after them. */
char *sonde_strndup(const void *bytes, size_t n);

/* Grows a heap array so that it holds at least `want` elements; doubles. Returns the array, which may
 * have moved; *cap is in elements and is updated. New elements are not initialised. Dies beyond 2^32
 * elements. */
void *sonde_grow(void *array, uint32_t *cap, size_t want, size_t element_size);
/* The same, and what it grew by is zero: for tables whose entries mean "nothing yet" when they are 0. */
void *sonde_grow_zeroed(void *array, uint32_t *cap, size_t want, size_t element_size);

/* The same from the C library, whichever heap is current: for what means nothing to another process. */
void *sonde_own_malloc(size_t size);
void *sonde_own_calloc(size_t n, size_t size);
char *sonde_own_strdup(const char *text);
void *sonde_own_grow(void *array, uint32_t *cap, size_t want, size_t element_size);

/* A chain of blocks, emptied at once. Large requests get a block of their own, given back when it is emptied. Where a
 * tool watches memory (AddressSanitizer, LeakSanitizer, MemorySanitizer, valgrind) every request does, of the very size,
 * so that the tool sees who goes beyond it, and what a case loses. With `guards`, every request ends before a page that
 * is not there. */
struct sonde_arena {
    struct sonde_arena_block *first, *current, *large;
    size_t used;  /* bytes handed out since it was last emptied */
    size_t limit; /* of `used`; requests beyond it answer NULL */
    bool is_watched, is_guarded;
    struct sonde_guards guards;
};

/* Takes no memory yet. `limit` in bytes; `guards`: each piece ends before a page that cannot be
 * touched. */
void sonde_arena_init(struct sonde_arena *arena, size_t limit, bool guards);
/* Memory with anything in it, aligned for anything (guarded: for arrays that fill it); NULL over the limit. */
void *sonde_arena_alloc(struct sonde_arena *arena, size_t size);
/* Whether one byte beyond a request is seen by somebody. */
static inline bool sonde_arena_is_exact(const struct sonde_arena *arena)
{
    return arena->is_watched || arena->is_guarded;
}
/* Empty takes back all memory of the case and keeps the blocks; clear gives the blocks back as well. In
 * a process other than the one that allocated, call sonde_arena_init instead: the blocks are not there. */
void sonde_arena_empty(struct sonde_arena *arena);
void sonde_arena_clear(struct sonde_arena *arena);
/* What a tool that watches memory is to think of it: that nobody has written there. */
void sonde_arena_forget(const struct sonde_arena *arena, void *at, size_t size);

#endif
