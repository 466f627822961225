/* See sanitizer.h. A table of pointers with linear probing; blocks that do not fit count as left. The hooks are called
 * in the middle of malloc, by any thread. They allocate nothing, and wait for each other by a lock that is held for a
 * few instructions.
 *
 * Used by engine/fuzz.c alone, because asking LeakSanitizer after every input would be slow. The lock is a spinlock
 * because a mutex may allocate, and because an allocator that calls a hook holds its own locks. A signal handler that
 * allocates while its thread is in a hook would wait forever; calling malloc there is undefined anyway. */
#include "program/sanitizer.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WEAK __attribute__((weak))
extern WEAK int __lsan_do_recoverable_leak_check(void);
extern WEAK int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                                          void (*on_free)(const volatile void *));

/* The table is at most half full, so that a search for a block ends soon. If a case has more than 2,048 blocks at a
 * time, LeakSanitizer is asked. */
enum { ROOM = 1 << 12, FULL = ROOM / 2 };
#define GONE ((uintptr_t)1) /* marks the slot of a freed block, since blocks in later slots must still be found */

static struct {
    atomic_flag is_taken;
    atomic_bool is_on;
    bool is_dirty, has_too_many;
    unsigned n, n_used; /* number of blocks that are not freed; number of slots in use, including GONE */
    uintptr_t blocks[ROOM];
} watch = {.is_taken = ATOMIC_FLAG_INIT};

static void take(void)
{
    while (atomic_flag_test_and_set_explicit(&watch.is_taken, memory_order_acquire)) continue;
}

static void give(void)
{
    atomic_flag_clear_explicit(&watch.is_taken, memory_order_release);
}

/* Returns the slot of the block, or the free slot where it would be. There is always a free slot: the table is never
 * full. */
static unsigned place_of(uintptr_t block)
{
    /* Allocators align to 16 bytes, so the lowest four bits say nothing. */
    unsigned i = (unsigned)((block >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 52);
    while (watch.blocks[i] && watch.blocks[i] != block) i = (i + 1) % ROOM;
    return i;
}

static void on_malloc(const volatile void *block, size_t size)
{
    (void)size;
    if (!block || !atomic_load_explicit(&watch.is_on, memory_order_relaxed)) return;
    take();
    watch.is_dirty = true;
    if (watch.n_used >= FULL) {
        watch.has_too_many = true;
    } else {
        unsigned i = place_of((uintptr_t)block);
        /* A block that is already in the table was freed without a hook call (realloc of LeakSanitizer), and counts
         * once. */
        if (!watch.blocks[i]) watch.n++, watch.n_used++;
        watch.blocks[i] = (uintptr_t)block;
    }
    give();
}

static void on_free(const volatile void *block)
{
    if (!block || !atomic_load_explicit(&watch.is_on, memory_order_relaxed)) return;
    take();
    unsigned i = place_of((uintptr_t)block);
    if (watch.blocks[i]) {
        watch.blocks[i] = GONE;
        watch.n--;
    }
    give();
}

bool sonde_blocks_watch(void)
{
    return __lsan_do_recoverable_leak_check && __sanitizer_install_malloc_and_free_hooks
           && __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) > 0;
}

/* If no block was entered since the last call (is_dirty), the table of 32 kB need not be cleared. */
void sonde_blocks_begin(void)
{
    take(); /* a thread of the previous case may still be in a hook */
    if (watch.is_dirty) memset(watch.blocks, 0, sizeof watch.blocks);
    watch.is_dirty = watch.has_too_many = false;
    watch.n = watch.n_used = 0;
    give();
    atomic_store_explicit(&watch.is_on, true, memory_order_relaxed);
}

bool sonde_blocks_are_left(void)
{
    atomic_store_explicit(&watch.is_on, false, memory_order_relaxed);
    return watch.n > 0 || watch.has_too_many;
}
