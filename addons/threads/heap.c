#define _GNU_SOURCE /* reallocarray */
/* Keeps memory that threads under control free until the run ends, so that any later use of it is detected.
 * Accesses of instrumented code are checked. Code that is not instrumented merely finds the old content there. */
#include "heap.h"

#include "access.h"
#include "happens.h"
#include "table.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sonde_range sonde_freed = SONDE_NOTHING;

/* A block that was freed and is kept. */
struct kept {
    char *p;
    size_t size;
    uint32_t thread; /* number of the thread that freed it */
};

#ifdef __GLIBC__

void __libc_free(void *p);
void *__libc_realloc(void *p, size_t size);

enum {
    BLOCKS = 1 << 12,      /* maximum number of freed blocks kept in one run; further ones are freed at once */
    UNITS = 1 << 16,       /* number of entries in the table of marks */
    UNIT = 4,              /* a mark covers 1 << UNIT bytes, the alignment of malloc */
    UNITS_PER_BLOCK = 256, /* maximum number of marks of one block, for 4 kB; the list of large blocks has the rest */
    LARGE = 64,            /* number of entries in the list of large blocks, which is searched linearly */
    PROBES = 16            /* number of entries that are tried for one address */
};

static struct kept blocks[BLOCKS];
static uint32_t n_blocks;
static uint32_t large[LARGE], n_large; /* indices of the large blocks */

/* An entry of the table from addresses to blocks. */
static struct mark {
    struct sonde_slot slot; /* the address of its first byte */
    uint32_t block;
} marks[UNITS];
static const struct sonde_table table = SONDE_TABLE(marks, PROBES);

static const void *unit_of(const void *p)
{
    return (const void *)((uintptr_t)p >> UNIT << UNIT);
}

static bool has_byte(const struct kept *b, const void *p)
{
    return (const char *)p >= b->p && (const char *)p < b->p + b->size;
}

/* Returns the freed block that contains a byte; NULL if there is none. */
static const struct kept *freed_at(const void *p)
{
    if (!sonde_is_in(&sonde_freed, p)) return NULL;
    const struct mark *m = sonde_table_find(&table, unit_of(p), sonde_control.run);
    if (m && has_byte(&blocks[m->block], p)) return &blocks[m->block];
    for (uint32_t i = 0; i < n_large; i++)
        if (has_byte(&blocks[large[i]], p)) return &blocks[large[i]];
    return NULL;
}

/* Keeps a block instead of freeing it. Returns false if there are too many. */
static bool keep(void *p)
{
    if (n_blocks == BLOCKS) return false;
    size_t size = malloc_usable_size(p);
    blocks[n_blocks] = (struct kept){p, size, sonde_control.running->id};
    sonde_range_add(&sonde_freed, p, size);
    if (size > UNITS_PER_BLOCK << UNIT && n_large < LARGE) large[n_large++] = n_blocks;
    for (uintptr_t i = 0; i < UNITS_PER_BLOCK && i << UNIT < size; i++) {
        bool is_new;
        struct mark *m = sonde_table_enter(&table, unit_of((char *)p + (i << UNIT)), sonde_control.run, &is_new);
        if (m) m->block = n_blocks;
    }
    n_blocks++;
    return true;
}

/* Returns whether the C library calls. There must be no step there: it frees private memory, and may hold a lock.
 * Another thread would then wait for that lock where sonde cannot see it. */
static bool is_in_c_library(const void *site)
{
    static uintptr_t from, end;
    if (!end) {
        struct sonde_segment libc = sonde_segment_of((uintptr_t)__libc_free);
        struct sonde_segment own = sonde_segment_of((uintptr_t)is_in_c_library);
        from = libc.from == own.from ? 0 : libc.from; /* in a static program, both are in one segment */
        end = from ? libc.end : 1;
    }
    return (uintptr_t)site >= from && (uintptr_t)site < end;
}

/* Frees memory in a thread under control: a step, and a failure if it was freed before. */
static void free_at(void *p, const void *site)
{
    if (!is_in_c_library(site)) sonde_step("frees", site, true);
    const struct kept *b = freed_at(p);
    if (b)
        sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u frees memory that thread %u has freed",
                      sonde_control.running->id, b->thread);
    if (sonde_finds_races())
        sonde_range_seen(p, malloc_usable_size(p), true, site); /* counts as a write to the whole block */
    if (!keep(p)) __libc_free(p);
}

void free(void *p)
{
    if (p && sonde_running()) free_at(p, SONDE_CALLER);
    else __libc_free(p);
}

/* Moves the block even if it could grow in place, so that a use of the old address is detected. */
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

static void check_mark(const void *entry)
{
    const struct mark *m = entry;
    sonde_assert(m->block < n_blocks);
    const struct kept *b = &blocks[m->block];
    sonde_assert(has_byte(b, m->slot.address) || has_byte(b, (const char *)m->slot.address + (1 << UNIT) - 1));
}

void sonde_threads_heap_check(void)
{
    sonde_assert(n_blocks <= BLOCKS && n_large <= LARGE);
    for (uint32_t i = 0; i < n_blocks; i++) sonde_assert(sonde_is_in(&sonde_freed, blocks[i].p));
    for (uint32_t i = 0; i < n_large; i++) sonde_assert(large[i] < n_blocks);
    sonde_table_check(&table, sonde_control.run, check_mark);
}

#else

static const struct kept *freed_at(const void *p)
{
    (void)p;
    return NULL;
}

void sonde_freed_end(void) {}
void sonde_threads_heap_check(void) {}

#endif

/* ---- Checks */

/* A description of memory that is no longer valid: it was freed, or its function has returned. */
struct gone {
    bool is_freed;
    uint32_t thread; /* number of the thread that freed it, or on whose stack it lies */
};

/* Returns whether memory is no longer valid, and describes why. */
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

/* Ends the run with a message that names the object, because the access itself happens inside sonde. */
void sonde_gone_look(const void *p, const char *kind, const void *site)
{
    struct gone gone;
    char does[64];
    if (!is_gone(p, &gone)) return;
    snprintf(does, sizeof does, "uses a %s in", kind);
    complain(&gone, does, site);
}
