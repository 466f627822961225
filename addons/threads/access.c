/* Turns accesses to memory into steps, and passes them on to the checks for freed memory (heap.c) and races
 * (shadow.c). The checks come after the step: other threads may have run there, and may have freed the memory. */
#include "access.h"

#include "heap.h"
#include "os.h"
#include "shadow.h"

/* The coverage counters of clang. Code that increments them is instrumented, too, but it is not code under test. */
extern const char __start___sancov_cntrs[] __attribute__((weak, visibility("hidden")));
extern const char __stop___sancov_cntrs[] __attribute__((weak, visibility("hidden")));

static bool is_counter(const void *p)
{
    return (const char *)p >= __start___sancov_cntrs && (const char *)p < __stop___sancov_cntrs;
}

/* Returns whether a thread-local may be used by several threads. A fiber's copy never is. An OS
 * thread may have given the address of its variable to another thread. */
static bool is_shared_local(const void *p, bool writes, const void *site)
{
    return sonde_is_os() && sonde_site_shares_local(site, (uintptr_t)p, writes);
}

static void use_plainly(const void *p, size_t size, bool writes, const void *site)
{
    sonde_shadow_use(
        &(struct sonde_use){.address = (uintptr_t)p, .size = size, .reads = !writes, .writes = writes, .site = site});
}

/* Returns whether a write is a change that other threads could notice. A variable on the running thread's stack,
 * at a site where threads share nothing, is not: it belongs to the thread's state (hash_thread in control.c). So a
 * loop that only counts in such a variable is a loop that waits. */
static bool is_noticed(const void *p, const void *site)
{
    const struct sonde_fiber *f = sonde_control.running;
    return (uintptr_t)p - (uintptr_t)f->stack >= f->stack_size || sonde_site_is_shared(site);
}

void sonde_access_seen(const void *p, size_t size, bool writes, const void *site)
{
    if (size == 1 && is_counter(p)) return;
    if (sonde_is_local(p) && !is_shared_local(p, writes, site)) return;
    bool is_step = sonde_site_is_step(site, (uintptr_t)p, size, writes);
    if (is_step) {
        if (writes) sonde_step("writes", site, is_noticed(p, site));
        else sonde_step_reading("reads", site, (uintptr_t)p);
    } else if (writes && is_noticed(p, site)) {
        sonde_changed();
    }
    sonde_freed_check(p, writes, site);
    if (is_step || sonde_finds_races()) use_plainly(p, size, writes, site);
}

/* Freed memory is checked at both ends only: blocks are freed as a whole. */
void sonde_range_seen(const void *p, size_t size, bool writes, const void *site)
{
    if (sonde_is_local(p)) return;
    sonde_freed_check(p, writes, site);
    sonde_freed_check((const char *)p + size - 1, writes, site);
    bool is_step =
        sonde_site_is_step(site, (uintptr_t)p, size, writes); /* a warm-up learns here that the bytes are shared */
    if (is_step || sonde_finds_races()) use_plainly(p, size, writes, site);
}

/* ---- Atomic operations */

/* Records for the report that an operation asked for a weaker order than the one that is modelled. */
static void note_order(int order)
{
    if (order != __ATOMIC_SEQ_CST) sonde_control.plan->schedule->unseen |= SONDE_UNSEEN_ORDERS;
}

/* Handles an atomic operation after its step. A load acquires before its race check; a store releases after it. */
static void use(const void *p, bool reads, bool writes, struct sonde_atomic a)
{
    note_order(a.order);
    if (sonde_finds_races() && !writes) sonde_load_seen(p, a.order);
    sonde_shadow_use(&(struct sonde_use){
        .address = (uintptr_t)p, .size = a.size, .reads = reads, .writes = writes, .is_atomic = true, .site = a.site});
    if (!sonde_finds_races() || !writes) return;
    if (reads) sonde_update_seen(p, a.order);
    else sonde_store_seen(p, a.order);
}

void sonde_atomic_reads(const void *p, struct sonde_atomic a)
{
    if (!sonde_is_controlled) return;
    sonde_step_reading("reads, atomically", a.site, (uintptr_t)p);
    sonde_freed_check(p, false, a.site);
    use(p, true, false, a);
}

void sonde_atomic_writes(void *p, struct sonde_atomic a)
{
    if (!sonde_is_controlled) return;
    sonde_step("writes, atomically", a.site, false);
    sonde_freed_check(p, true, a.site);
    use(p, false, true, a);
}

void sonde_atomic_updates(void *p, struct sonde_atomic a)
{
    sonde_atomic_tries(p, a);
    sonde_atomic_tried(p, a, a.order, true);
}

/* The step counts as a read, because a compare-and-exchange that fails may be tried in a loop. */
void sonde_atomic_tries(void *p, struct sonde_atomic a)
{
    if (!sonde_is_controlled) return;
    sonde_step_reading("updates, atomically", a.site, (uintptr_t)p);
    sonde_freed_check(p, true, a.site);
}

void sonde_atomic_tried(void *p, struct sonde_atomic a, int otherwise, bool is_done)
{
    if (!sonde_is_controlled) return;
    note_order(a.order);
    if (!is_done) a.order = otherwise;
    use(p, true, is_done, a);
}

void sonde_atomic_wrote(bool has_changed)
{
    if (sonde_is_controlled && has_changed) sonde_changed();
}

void sonde_atomic_fences(int order)
{
    if (!sonde_is_controlled) return;
    note_order(order);
    if (sonde_finds_races()) sonde_fence_seen(order);
}
