#define _GNU_SOURCE /* reallocarray */
/* Memory that threads under control free is kept until the run has ended, so that whoever uses it afterwards is seen: by accesses that
 * instrumented code reports. Without instrumentation it is only not used again for something else. */
#include "heap.h"

#include "access.h"
#include "happens.h"

#include <link.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sonde_range sonde_freed = SONDE_NOTHING;

struct kept {
    char *p;
    size_t size;
    uint32_t thread;
};

#ifdef __GLIBC__

void __libc_free(void *p);
void *__libc_realloc(void *p, size_t size);

enum {
    BLOCKS = 1 << 12, /* kept in one run; further ones are freed at once */
    UNITS = 1 << 16, /* marks, each for 16 bytes; large blocks, of which only the first part is marked, are in a list */
    UNIT = 4,
    UNITS_PER_BLOCK = 256,
    LARGE = 64,
    PROBES = 16
};

static struct kept blocks[BLOCKS];
static uint32_t n_blocks;
static uint32_t large[LARGE], n_large; /* indices of blocks */

static struct mark {
    uintptr_t unit;
    uint32_t run, block;
} marks[UNITS];

static size_t slot_of(uintptr_t unit)
{
    return (size_t)(((uint64_t)unit * UINT64_C(0x9e3779b97f4a7c15)) >> 44) % UNITS;
}

static struct mark *find(uintptr_t unit, bool enters)
{
    size_t slot = slot_of(unit);
    for (int i = 0; i < PROBES; i++, slot = (slot + 1) % UNITS) {
        struct mark *m = &marks[slot];
        if (m->run == sonde_control.run && m->unit == unit) return m;
        if (m->run != sonde_control.run) return enters ? m : NULL;
    }
    return NULL;
}

static bool has_byte(const struct kept *b, const void *p)
{
    return (const char *)p >= b->p && (const char *)p < b->p + b->size;
}

/* The block that was freed and has this byte; NULL: none. */
static const struct kept *freed_at(const void *p)
{
    if (!sonde_is_in(&sonde_freed, p)) return NULL;
    const struct mark *m = find((uintptr_t)p >> UNIT, false);
    if (m && has_byte(&blocks[m->block], p)) return &blocks[m->block];
    for (uint32_t i = 0; i < n_large; i++)
        if (has_byte(&blocks[large[i]], p)) return &blocks[large[i]];
    return NULL;
}

struct code {
    uintptr_t inside, from, end;
};

/* Finds the segment with the address `inside`. */
static int find_code(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct code *c = arg;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + h->p_vaddr;
        if (h->p_type != PT_LOAD || c->inside < start || c->inside >= start + h->p_memsz) continue;
        c->from = start;
        c->end = start + h->p_memsz;
        return 1;
    }
    return 0;
}

static bool keep(void *p)
{
    if (n_blocks == BLOCKS) return false;
    size_t size = malloc_usable_size(p);
    blocks[n_blocks] = (struct kept){p, size, sonde_control.running->id};
    sonde_range_add(&sonde_freed, p, size);
    if (size > UNITS_PER_BLOCK << UNIT && n_large < LARGE) large[n_large++] = n_blocks;
    for (uintptr_t i = 0; i < UNITS_PER_BLOCK && i << UNIT < size; i++) {
        uintptr_t unit = ((uintptr_t)p >> UNIT) + i;
        struct mark *m = find(unit, true);
        if (m) *m = (struct mark){unit, sonde_control.run, n_blocks};
    }
    n_blocks++;
    return true;
}

/* The C library frees private memory, and may hold a lock that another thread would wait for unseen: no step there. */
static bool is_in_c_library(const void *site)
{
    static uintptr_t from, end;
    if (!end) {
        struct code libc = {(uintptr_t)__libc_free, 0, 0}, own = {(uintptr_t)is_in_c_library, 0, 0};
        dl_iterate_phdr(find_code, &libc);
        dl_iterate_phdr(find_code, &own);
        from = libc.from == own.from ? 0 : libc.from; /* linked statically they are one, and cannot be told apart */
        end = from ? libc.end : 1;
    }
    return (uintptr_t)site >= from && (uintptr_t)site < end;
}

static void free_at(void *p, const void *site)
{
    if (!is_in_c_library(site)) sonde_step("frees", site, true);
    const struct kept *b = freed_at(p);
    if (b)
        sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u frees memory that thread %u has freed",
                      sonde_control.running->id, b->thread);
    if (sonde_finds_races())
        sonde_range_seen(p, malloc_usable_size(p), true, site); /* as good as a write to all of it */
    if (!keep(p)) __libc_free(p);
}

void free(void *p)
{
    if (p && sonde_running()) free_at(p, SONDE_CALLER);
    else __libc_free(p);
}

void *realloc(void *p, size_t size)
{
    if (!p || !size || !sonde_running()) return __libc_realloc(p, size);
    void *new = malloc(size);
    if (!new) return NULL;
    size_t before = malloc_usable_size(p);
    memcpy(new, p, before < size ? before : size);
    free_at(p, SONDE_CALLER);
    return new;
}

void sonde_freed_end(void)
{
    while (n_blocks > 0) __libc_free(blocks[--n_blocks].p);
    n_large = 0;
    sonde_freed = (struct sonde_range)SONDE_NOTHING;
}

#else

static const struct kept *freed_at(const void *p)
{
    (void)p;
    return NULL;
}

void sonde_freed_end(void) {}

#endif

/* ---- Checks */

/* Memory that is gone: it was freed, or its function has returned. */
struct gone {
    bool is_freed;
    uint32_t thread; /* that freed it, or on whose stack it lies */
};

static bool is_gone(const void *p, struct gone *gone)
{
    const struct kept *b = freed_at(p);
    const struct sonde_fiber *f = b ? NULL : sonde_frame_gone(p);
    if (!b && !f) return false;
    *gone = (struct gone){.is_freed = b, .thread = b ? b->thread : f->id};
    return true;
}

static __attribute__((noreturn)) void complain(const struct gone *gone, const char *does, const void *site)
{
    sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u %s %s thread %u %s", sonde_control.running->id, does,
                  gone->is_freed ? "memory that" : "a variable of a function of", gone->thread,
                  gone->is_freed ? "has freed" : "that has returned");
}

void sonde_freed_look(const void *p, bool writes, const void *site)
{
    struct gone gone;
    if (is_gone(p, &gone)) complain(&gone, writes ? "writes to" : "reads", site);
}

void sonde_gone_look(const void *p, const char *kind, const void *site)
{
    struct gone gone;
    char does[64];
    if (!is_gone(p, &gone)) return;
    snprintf(does, sizeof does, "uses a %s in", kind);
    complain(&gone, does, site);
}
