/* A heap in memory that a supervisor shares with the workers it starts. Everything a worker learned (tape, counts,
 * guide, corpus) survives there intact when the worker dies in the code under test. The next worker continues with
 * that data.
 *
 * The heap is mapped before the fork. So it has the same address in every process, and ordinary pointers work in it. A
 * worker that is started by exec maps it at that address itself. One process writes at a time: the worker while it
 * lives, otherwise the supervisor. Untouched pages cost nothing.
 *
 *     guard | struct sonde_heap | head, data | head, data | ... | not yet used | guard
 *
 * `used` is where the next new block is cut off. A freed block is in the list of its size class and in no other. Heads
 * stay, so sonde_heap_check can walk from block to block. */
#ifndef SONDE_BASE_HEAP_H
#define SONDE_BASE_HEAP_H

#include "base/check.h"

#include <stddef.h>
#include <stdint.h>

struct sonde_heap;

/* Size of the inaccessible stretch before the heap, and of the one after it. */
#define SONDE_HEAP_GUARD ((size_t)64 << 20)

/* Creates a heap. Returns NULL with errno set if the system refuses, or if there are too many heaps (ENFILE). */
struct sonde_heap *sonde_heap_create(size_t size);
/* Creates a heap at exactly `where`, or anywhere if that is NULL. Fails like sonde_heap_create. Only for --spawn,
 * whose workers map the heap at the same address. */
struct sonde_heap *sonde_heap_create_at(size_t size, void *where);
/* Unmaps the heap with everything in it; no pointer into it is valid afterwards. NULL is allowed. If the heap was
 * current, the C library's memory is current from now on. Works on a damaged heap, too. */
void sonde_heap_destroy(struct sonde_heap *heap);

/* Maps the heap in a process that was not forked but started by exec, and that inherited the descriptor. `where` is
 * its address in every other process. Returns 0 or a negative errno. */
int sonde_heap_join(int descriptor, size_t size, void *where);
/* Returns the descriptor that a program started by exec needs to join the heap; -1 for a heap not mapped here. */
int sonde_heap_descriptor(const struct sonde_heap *heap);
/* Returns the size of the heap in bytes, as it was mapped. */
size_t sonde_heap_size(const struct sonde_heap *heap);

/* Makes this thread's sonde_malloc allocate from `heap`; NULL: from the C library. Returns the previous heap. */
struct sonde_heap *sonde_heap_use(struct sonde_heap *heap);
/* Makes a worker allocate from `heap` for the rest of its life. */
void sonde_heap_adopt(struct sonde_heap *heap);
/* Returns the current heap; NULL: the C library's memory. Workers inherit it by fork. */
struct sonde_heap *sonde_heap_current(void);

/* Allocates a block of uninitialised memory; NULL if the heap is full. */
void *sonde_heap_alloc(struct sonde_heap *heap, size_t size);
/* Grows a block, which may move; NULL if the heap is full, and the old block stays valid. NULL as `old` allocates. */
void *sonde_heap_resize(struct sonde_heap *heap, void *old, size_t size);
/* Frees a block of this heap. */
void sonde_heap_free(struct sonde_heap *heap, void *p);
/* Returns whether p lies in the heap; false for heap NULL. */
bool sonde_heap_has(const struct sonde_heap *heap, const void *p);
/* Returns whether n bytes at p lie in one heap of this process. If `owner`, the object that holds p, is not in a
 * heap, any p but NULL qualifies. */
bool sonde_heap_holds(const void *owner, const void *p, size_t n);
/* Returns the heap that p lies in: the current heap, or any heap that this process created. NULL: the C library's
 * memory. */
struct sonde_heap *sonde_heap_of(const void *p);

/* Asserts that the blocks follow each other up to `used`, each of a known class. Asserts that each block in a free list
 * was freed once and has the class of that list. Call this only if nothing but sonde has written since the last check:
 * a failure blames sonde. */
SONDE_CHECKER(sonde_heap_check, struct sonde_heap);

/* Marks all heaps of this process for valgrind, as `request` says (base/valgrind.h). */
void sonde_heap_mark_all(uintptr_t request);
/* Ends the process like _exit. Valgrind, which looks for leaks at the end of a process, does not search the heaps. */
__attribute__((noreturn)) void sonde_heap_exit(int status);

/* Replaces the shared memory of the heap by a private copy, so that writes of this process do not reach
 * others. For a child that the code under test forked, and for a warm-up. */
void sonde_heap_detach(struct sonde_heap *heap);

#endif
