/* See access.h. */
#include "access.h"

#include "heap.h"

/* Clang's counters of coverage are written beside the code that they count, and instrumented with it. */
extern const char __start___sancov_cntrs[] __attribute__((weak, visibility("hidden")));
extern const char __stop___sancov_cntrs[] __attribute__((weak, visibility("hidden")));

static bool is_counter(const void *p)
{
    return (const char *)p >= __start___sancov_cntrs && (const char *)p < __stop___sancov_cntrs;
}

void sonde_access_seen(const void *p, size_t size, bool writes, const void *site)
{
    if ((size == 1 && is_counter(p)) || sonde_is_local(p)) return;
    if (sonde_site_is_step(site, (uintptr_t)p, size, writes)) {
        if (writes) sonde_step("writes", site, true);
        else sonde_step_reading("reads", site, (uintptr_t)p);
    } else if (writes) {
        sonde_changed();
    }
    sonde_heap_check(p, writes, site); /* behind the step, where it happens */
}

void sonde_atomic_reads(const void *p, size_t size, int order, const void *site)
{
    (void)size;
    (void)order;
    if (!sonde_is_controlled) return;
    sonde_step_reading("reads, atomically", site, (uintptr_t)p);
    sonde_heap_check(p, false, site);
}

void sonde_atomic_writes(void *p, size_t size, int order, const void *site)
{
    (void)size;
    (void)order;
    if (!sonde_is_controlled) return;
    sonde_step("writes, atomically", site, false);
    sonde_heap_check(p, true, site);
}

/* One that does not change anything may be tried in a loop. */
void sonde_atomic_updates(void *p, size_t size, int order, const void *site)
{
    (void)size;
    (void)order;
    if (!sonde_is_controlled) return;
    sonde_step_reading("updates, atomically", site, (uintptr_t)p);
    sonde_heap_check(p, true, site);
}

void sonde_atomic_wrote(bool has_changed)
{
    if (sonde_is_controlled && has_changed) sonde_changed();
}
