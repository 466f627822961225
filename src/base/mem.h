/* Memory: allocation that never returns NULL, growable arrays, and an arena that is emptied after each case.
 *
 * sonde's data comes from the C library, or, where workers are used, from the heap shared with them (heap.h). There
 * are three lifetimes: case (arena), run and process (create/free). Running out of memory is fatal for the engine's
 * data, which is bounded. A property's requests through sonde_alloc come from the arena, which returns NULL. */
#ifndef SONDE_BASE_MEM_H
#define SONDE_BASE_MEM_H

#include "base/guard.h"

#include <sonde/extend.h> /* declares sonde_malloc, sonde_calloc, sonde_realloc, sonde_free */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Copies a string to the current heap; free it with sonde_free. */
char *sonde_strdup(const char *text);
/* Copies n bytes and adds a NUL. */
char *sonde_strndup(const void *bytes, size_t n);

/* Grows a heap array to at least `want` elements, at least doubling it. Returns the array, which may have moved;
 * *cap is in elements and is updated. New elements are uninitialised. Ends the process beyond 2^32 elements. */
void *sonde_grow(void *array, uint32_t *cap, size_t want, size_t element_size);
/* Grows an array like sonde_grow and sets new elements to zero. For tables in which 0 means "nothing yet". */
void *sonde_grow_zeroed(void *array, uint32_t *cap, size_t want, size_t element_size);

/* Allocates like the functions above, but from the C library, whichever heap is current. For data that is of no use
 * to another process. */
void *sonde_own_malloc(size_t size);
void *sonde_own_calloc(size_t n, size_t size);
char *sonde_own_strdup(const char *text);
void *sonde_own_grow(void *array, uint32_t *cap, size_t want, size_t element_size);

/* An arena: a chain of blocks that are emptied together. A large request gets a separate block, which is freed when
 * the arena is emptied. Under a memory checker (AddressSanitizer, LeakSanitizer, MemorySanitizer, valgrind) every
 * request gets a separate block of its exact size. So the memory checker detects overruns, and leaks of a case. With
 * `guards`, an inaccessible page follows every request. */
struct sonde_arena {
    struct sonde_arena_block *first, *current, *large;
    size_t used;   /* bytes handed out since the arena was last emptied */
    size_t limit;  /* upper bound of `used`; requests beyond it return NULL */
    pid_t process; /* the process that allocated the newest block */
    bool is_watched, is_guarded;
    struct sonde_guards guards;
};

/* Initialises an arena without allocating. `limit` is in bytes. `guards`: an inaccessible page follows each request. */
void sonde_arena_init(struct sonde_arena *arena, size_t limit, bool guards);
/* Returns uninitialised memory; NULL beyond the limit, or if the machine has no more. Ends the process if memory runs
 * out at the first block of an arena. The memory is aligned for any type; with guards, for an array
 * that fills it. */
void *sonde_arena_alloc(struct sonde_arena *arena, size_t size);
/* Returns whether an access one byte beyond a request is detected. */
static inline bool sonde_arena_is_exact(const struct sonde_arena *arena)
{
    return arena->is_watched || arena->is_guarded;
}
/* Frees all memory of the case, and keeps the blocks for the next case. In a process that did not allocate the blocks,
 * call sonde_arena_init instead: the blocks do not exist there. */
void sonde_arena_empty(struct sonde_arena *arena);
/* Frees all memory of the arena. Forgets blocks of another process, which do not exist here. */
void sonde_arena_clear(struct sonde_arena *arena);
/* Marks memory as uninitialised for a memory checker. */
void sonde_arena_mark_undefined(const struct sonde_arena *arena, void *at, size_t size);

#endif
