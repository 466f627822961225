/* See mem.h. In the hostile build (SONDE_HOSTILE) the n-th allocation fails, with n from the environment. That
 * proves that lack of memory ends with a message and never with a crash.
 *
 * Every allocation of the library goes through this file. There are three sources: the current shared heap (heap.h),
 * the C library, and the arena of a case. The arena's blocks always come from the C library: they belong to the code
 * under test and die with its process. None of these functions may be called in a signal handler. */
#include "base/mem.h"

#include "base/die.h"
#include "base/heap.h"
#include "base/limit.h"
#include "base/oom.h"
#include "base/valgrind.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SONDE_HOSTILE
static bool fails_now(void)
{
    static long left = -1;
    if (left < 0) {
        const char *text = getenv("SONDE_HOSTILE_FAIL");
        left = text ? strtol(text, NULL, 10) : 0;
    }
    return left > 0 && --left == 0;
}
#else
static inline bool fails_now(void)
{
    return false;
}
#endif

/* Ends the process for lack of memory. A size above the machine's memory was overwritten, unless --memory is too
 * large. */
SONDE_NORETURN static void fail(size_t size)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0 && size / (size_t)page > (size_t)pages)
        sonde_die(
            SONDE_INTERNAL,
            "%zu bytes of memory wanted, which is more than this machine has: either --memory is too large, or the "
            "code under test wrote over sonde's memory (--sanitize or valgrind shows where)",
            size);
    sonde_die(SONDE_INTERNAL, "out of memory (%zu bytes wanted); lower --memory or --jobs", size);
}

/* Ends the process if p is NULL. The message names the options that lower sonde's memory use. */
static void *or_die(void *p, size_t size)
{
    if (!p) fail(size);
    return p;
}

/* These functions call the C library, and pause the failures injected by sonde_oom (oom.h). */
static void *sonde_c_malloc(size_t size)
{
    uint64_t left = sonde_oom_pause();
    void *p = malloc(size ? size : 1);
    sonde_oom_resume(left);
    return p;
}

static void *sonde_c_calloc(size_t size)
{
    uint64_t left = sonde_oom_pause();
    void *p = calloc(size ? size : 1, 1);
    sonde_oom_resume(left);
    return p;
}

static void *sonde_c_realloc(void *old, size_t size)
{
    uint64_t left = sonde_oom_pause();
    void *p = realloc(old, size ? size : 1);
    sonde_oom_resume(left);
    return p;
}

void *sonde_own_malloc(size_t size)
{
    if (fails_now()) return or_die(NULL, size);
    return or_die(sonde_c_malloc(size), size);
}

void *sonde_own_calloc(size_t n, size_t size)
{
    size_t whole;
    if (__builtin_mul_overflow(n, size, &whole)) return or_die(NULL, SIZE_MAX);
    if (fails_now()) return or_die(NULL, whole);
    return or_die(sonde_c_calloc(whole), whole);
}

void *sonde_malloc(size_t size)
{
    struct sonde_heap *heap = sonde_heap_current();
    if (fails_now()) return or_die(NULL, size);
    return or_die(heap ? sonde_heap_alloc(heap, size) : sonde_c_malloc(size), size);
}

void *sonde_calloc(size_t n, size_t size)
{
    size_t whole;
    if (!sonde_heap_current()) return sonde_own_calloc(n, size);
    if (__builtin_mul_overflow(n, size, &whole)) return or_die(NULL, SIZE_MAX);
    return memset(sonde_malloc(whole), 0, whole);
}

void *sonde_realloc(void *old, size_t size)
{
    /* A block stays in the heap that it came from, whichever heap is current. */
    struct sonde_heap *heap = old ? sonde_heap_of(old) : sonde_heap_current();
    if (fails_now()) return or_die(NULL, size);
    return or_die(heap ? sonde_heap_resize(heap, old, size) : sonde_c_realloc(old, size), size);
}

char *sonde_strndup(const void *bytes, size_t n)
{
    char *text = sonde_malloc(n + 1);
    if (n) memcpy(text, bytes, n);
    text[n] = '\0';
    return text;
}

char *sonde_strdup(const char *text)
{
    return sonde_strndup(text, strlen(text));
}

char *sonde_own_strdup(const char *text)
{
    size_t n = strlen(text) + 1;
    return memcpy(sonde_own_malloc(n), text, n);
}

/* Finds the heap by the address, so any heap may be current. */
void sonde_free(void *p)
{
    struct sonde_heap *heap = p ? sonde_heap_of(p) : NULL;
    if (heap) sonde_heap_free(heap, p);
    else free(p);
}

void *sonde_grow(void *array, uint32_t *cap, size_t want, size_t element_size)
{
    sonde_assert(array || *cap == 0); /* an array without memory has no capacity */
    if (want <= *cap) return array;
    size_t n = *cap ? (size_t)*cap * SONDE_LIMIT(2, 1) : SONDE_LIMIT(16, 1); /* factor 1 in the hostile build */
    if (n < want) n = want;
    if (n > UINT32_MAX) sonde_die(SONDE_INTERNAL, "an internal table outgrew 2^32 entries");
    *cap = (uint32_t)n;
    return sonde_realloc(array, n * element_size);
}

/* An array grows in the heap it lies in, so only its first block must come from the C library. */
void *sonde_own_grow(void *array, uint32_t *cap, size_t want, size_t element_size)
{
    return sonde_grow(array ? array : sonde_own_malloc(element_size), cap, want, element_size);
}

void *sonde_grow_zeroed(void *array, uint32_t *cap, size_t want, size_t element_size)
{
    size_t before = *cap;
    array = sonde_grow(array, cap, want, element_size);
    if (*cap > before) memset((char *)array + before * element_size, 0, (*cap - before) * element_size);
    return array;
}

/* ---- Arena ---- */

#define BLOCK_BYTES ((size_t)SONDE_LIMIT(64 * 1024, 256))
#define LARGE_BYTES (BLOCK_BYTES / 4)

/* Functions that are defined only if the program has a sanitizer. */
#define WEAK __attribute__((weak))
extern WEAK void __asan_init(void);
extern WEAK void __asan_poison_memory_region(const volatile void *at, size_t n);
extern WEAK int __lsan_do_recoverable_leak_check(void);
extern WEAK void __msan_init(void);
extern WEAK void __msan_poison(const volatile void *at, size_t n);

/* A block of the arena. `before` is made inaccessible under a memory checker, so that an underrun by one byte is
 * detected, too. */
struct sonde_arena_block {
    struct sonde_arena_block *next;
    size_t used, size;
    unsigned char before[8]; /* the bytes directly before the data */
    alignas(max_align_t) unsigned char data[];
};

static bool is_watched(void)
{
    return __asan_init || __lsan_do_recoverable_leak_check || __msan_init || sonde_valgrind_is_memcheck();
}

void sonde_arena_init(struct sonde_arena *arena, size_t limit, bool guards)
{
    *arena = (struct sonde_arena){.limit = limit, .is_watched = is_watched(), .is_guarded = guards};
}

/* Returns NULL if memory runs out: the caller ends the case, not the process. */
static struct sonde_arena_block *new_block(struct sonde_arena *arena, size_t size)
{
    struct sonde_arena_block *block = fails_now() ? NULL : sonde_c_malloc(sizeof *block + size);
    if (!block) return NULL;
    arena->process = getpid();
    block->next = NULL;
    block->used = 0;
    block->size = size;
    return block;
}

/* Allocates a separate block for a large request. Large blocks have a separate chain, because they are freed at the end
 * of the case. */
static void *alloc_large(struct sonde_arena *arena, size_t size)
{
    struct sonde_arena_block *block = new_block(arena, size);
    if (!block) return NULL;
    block->next = arena->large;
    arena->large = block;
    if (arena->is_watched) {
        if (__asan_poison_memory_region) __asan_poison_memory_region(block->before, sizeof block->before);
        sonde_valgrind_mark(SONDE_MEMCHECK_NO_ACCESS, block->before, sizeof block->before);
    }
    return block->data;
}

/* Allocates a block for one request, so that the request ends where the block ends; under a memory checker, or with
 * guards. */
static __attribute__((noinline)) void *alloc_exactly(struct sonde_arena *arena, size_t size)
{
    void *p = arena->is_guarded ? sonde_guard_alloc(&arena->guards, size) : NULL;
    arena->used += size ? size : 1;
    if (p) arena->process = getpid();
    return p ? p : alloc_large(arena, size);
}

/* Blocks are kept from case to case and reused in order, so `current` may be followed by unused blocks. A large
 * request gets a separate block, freed with the case. */
void *sonde_arena_alloc(struct sonde_arena *arena, size_t size)
{
    size_t align = alignof(max_align_t);
    /* The first comparison keeps the sum from overflowing. */
    if (size > arena->limit || arena->used + size > arena->limit) return NULL;
    if (sonde_arena_is_exact(arena)) return alloc_exactly(arena, size);
    size = (size + align - 1) / align * align;
    if (size == 0) size = align;
    arena->used += size;
    if (size > LARGE_BYTES) return alloc_large(arena, size);
    struct sonde_arena_block *block = arena->current;
    if (!block || block->size - block->used < size) {
        struct sonde_arena_block *next = block ? block->next : arena->first;
        if (!next) {
            next = new_block(arena, BLOCK_BYTES);
            /* A case that gets not even its first block is not too large. */
            if (!next && !block) fail(BLOCK_BYTES);
            if (!next) return NULL;
            if (block) block->next = next;
            else arena->first = next;
        }
        next->used = 0;
        arena->current = block = next;
    }
    void *p = block->data + block->used;
    block->used += size;
    sonde_assert(block->used <= block->size && (uintptr_t)p % align == 0);
    return p;
}

void sonde_arena_mark_undefined(const struct sonde_arena *arena, void *at, size_t size)
{
    if (!arena->is_watched) return;
    if (__msan_poison) __msan_poison(at, size);
    sonde_valgrind_mark(SONDE_MEMCHECK_UNDEFINED, at, size);
}

/* Calls free, not sonde_free: the blocks come from the C library, whichever heap is current. */
static void free_chain(struct sonde_arena_block *block)
{
    while (block) {
        struct sonde_arena_block *next = block->next;
        free(block);
        block = next;
    }
}

/* Called at the end of a case: frees large blocks, keeps the others for the next case. */
void sonde_arena_empty(struct sonde_arena *arena)
{
    if (arena->used == 0) return;
    free_chain(arena->large);
    arena->large = NULL;
    arena->current = NULL;
    arena->used = 0;
    if (arena->is_guarded) sonde_guards_empty(&arena->guards);
}

void sonde_arena_clear(struct sonde_arena *arena)
{
    if (arena->process == getpid()) {
        free_chain(arena->large);
        free_chain(arena->first);
        sonde_guards_clear(&arena->guards);
    }
    sonde_arena_init(arena, arena->limit, arena->is_guarded);
}
