/* Memory: allocation that does not fail, an arena that is emptied after each case, growable arrays.
 *
 * What sonde itself remembers comes from the C library, or, where workers are used, from the heap that they share with
 * their supervisor (heap.h). Lifetimes are three: case (arena), run and process (create/free). Running out of memory is fatal in the engine's own
 * structures, which are bounded; what a property asks for through sonde_alloc is the arena's, and answers NULL. */
#ifndef SONDE_BASE_MEM_H
#define SONDE_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

void *sonde_malloc(size_t size);             /* never NULL */
void *sonde_calloc(size_t n, size_t size);   /* never NULL; dies on overflow of n * size */
void *sonde_realloc(void *old, size_t size); /* never NULL */
char *sonde_strdup(const char *text);
void sonde_free(void *p);

/* Grows a heap array so that it holds at least `want` elements; doubles. */
void *sonde_grow(void *array, uint32_t *cap, size_t want, size_t element_size);

/* A chain of blocks, emptied at once. Large requests get a block of their own, given back when it is emptied. */
struct sonde_arena {
    struct sonde_arena_block *first, *current, *large;
    size_t used;  /* bytes handed out since it was last emptied */
    size_t limit; /* of `used`; requests beyond it answer NULL */
};

void sonde_arena_init(struct sonde_arena *arena, size_t limit);
void *sonde_arena_alloc(struct sonde_arena *arena, size_t size); /* zeroed, aligned for anything; NULL over the limit */
void sonde_arena_empty(struct sonde_arena *arena);
void sonde_arena_clear(struct sonde_arena *arena);

#endif
