/* A heap in memory that a supervisor shares with the workers it starts.
 *
 * It is mapped before the fork, so it lies at the same address in every process and ordinary pointers work in it; a
 * worker that is executed anew maps it there again. What
 * a worker learned (tape, counts, guide, corpus) is still there, and whole, when the worker has died in the code under
 * test; the next worker simply goes on. One process writes at a time: the worker while it lives, else the supervisor.
 * Pages that are never touched cost nothing.
 *
 *     guard | struct sonde_heap | head, data | head, data | ... | not yet used | guard
 *
 * `used` is where the next new block is cut off. A freed block is in the list of its size class and nowhere
 * else; heads stay, so sonde_heap_check can walk from block to block. */
#ifndef SONDE_BASE_HEAP_H
#define SONDE_BASE_HEAP_H

#include "base/check.h"

#include <stddef.h>
#include <stdint.h>

struct sonde_heap;

/* What lies before and behind it, and cannot be touched. */
#define SONDE_HEAP_GUARD ((size_t)64 << 20)

/* NULL if the system refuses; errno says why. `where`: exactly there, or not at all; NULL: anywhere. */
struct sonde_heap *sonde_heap_create(size_t size);
/* Only for --spawn, whose workers map it at the same address. At most a fixed number of heaps at a time
 * (ENFILE). */
struct sonde_heap *sonde_heap_create_at(size_t size, void *where);
/* Everything in it goes at once, whoever points to it. NULL is allowed. If it was in use, the C
 * library's memory is from now on. Works on a damaged heap, too. */
void sonde_heap_destroy(struct sonde_heap *heap);

/* For a process that was not forked but started anew: it inherits the descriptor, and maps the heap where it lies in
 * every other. 0 or negative errno. */
int sonde_heap_join(int descriptor, size_t size, void *where);
/* What a program that is executed anew needs to join it. */
int sonde_heap_descriptor(const struct sonde_heap *heap);
size_t sonde_heap_size(const struct sonde_heap *heap);

/* From now on this thread's sonde_malloc takes from that heap; NULL: from the C library. Answers what it was. */
struct sonde_heap *sonde_heap_use(struct sonde_heap *heap);
/* In a worker: takes from that heap for the rest of its life. */
void sonde_heap_adopt(struct sonde_heap *heap);
/* NULL: the C library's. Workers inherit it by fork. */
struct sonde_heap *sonde_heap_current(void);

void *sonde_heap_alloc(struct sonde_heap *heap, size_t size); /* NULL if there is no room */
void *sonde_heap_resize(struct sonde_heap *heap, void *old, size_t size);
void sonde_heap_free(struct sonde_heap *heap, void *p);
/* False for heap NULL. */
bool sonde_heap_has(const struct sonde_heap *heap, const void *p);
/* Returns whether n bytes at p lie in one heap of this process. Where `owner`, which has the pointer, lies in none, any p but NULL will do. */
bool sonde_heap_holds(const void *owner, const void *p, size_t n);
/* The heap that a pointer lies in, of the present one and all that this process made; NULL if it is the C library's. */
struct sonde_heap *sonde_heap_of(const void *p);

/* Its blocks lie one behind the other up to its end, each of a known class; what is in a list of free blocks was freed, once, and is
 * of that list's class. To be called when only sonde has written there since the last time: else it would blame sonde. */
SONDE_CHECKER(sonde_heap_check, struct sonde_heap);

/* For valgrind, in this process: marks all heaps as `request` says (base/valgrind.h). */
void sonde_heap_mark_all(uintptr_t request);
/* Like _exit. Valgrind, which looks for pointers to what has leaked when a process ends, does not search the heaps. */
__attribute__((noreturn)) void sonde_heap_leave(int status);

/* In a process forked by the code under test: replaces the shared memory by a private copy, so that it can do no harm. */
void sonde_heap_detach(struct sonde_heap *heap);

#endif
