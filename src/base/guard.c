/* See guard.h. The table of slots is mapped, not allocated. Only the case points to it, and the case lies in shared
 * memory, so LeakSanitizer would report an allocated table as a leak.
 *
 * A slot is a mapping of a power of two of pages, followed by one inaccessible page. Slots are created once and
 * reused by class; only sonde_guards_clear unmaps them. A block lies at the end of its slot, so overruns are caught;
 * writes before a block are not. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "base/guard.h"

#include "base/check.h"
#include "base/limit.h"

#include <sys/mman.h>
#include <unistd.h>

/* Each slot takes two of the 65,530 mappings that Linux allows a process. Further blocks are ordinary blocks without
 * a guard. */
#define MOST_SLOTS ((uint32_t)SONDE_LIMIT(16384, 8))

/* Slots up to this class keep their memory between cases; larger slots keep only their addresses. */
enum { KEPT_CLASS = 4 };

/* A slot, which holds one block. */
struct sonde_guard_slot {
    char *end; /* address of the inaccessible page */
    uint32_t class, next;
};

static size_t page_size(void)
{
    static size_t size; /* the page size, which never changes */
    if (!size) size = (size_t)sysconf(_SC_PAGESIZE);
    return size;
}

/* Maps memory; NULL on failure. NORESERVE, because thousands of slots must not count against the limit of committed
 * memory. */
static void *map(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Returns 1 + the index of a new slot; 0 if there is no room. */
static uint32_t new_slot(struct sonde_guards *g, uint32_t class)
{
    if (!g->slots) g->slots = map(MOST_SLOTS * sizeof *g->slots);
    if (!g->slots || g->n == MOST_SLOTS) return 0;
    size_t room = page_size() << class;
    char *start = map(room + page_size());
    if (!start) return 0;
    if (mprotect(start + room, page_size(), PROT_NONE) != 0) {
        munmap(start, room + page_size());
        return 0;
    }
    g->slots[g->n] = (struct sonde_guard_slot){.end = start + room, .class = class};
    return ++g->n;
}

/* The block ends where the inaccessible page begins, so its alignment is the largest power of two that divides its
 * size. Returns NULL if there is no slot. */
void *sonde_guard_alloc(struct sonde_guards *g, size_t size)
{
    uint32_t class = 0;
    while (class < SONDE_GUARD_CLASSES && page_size() << class < size) class ++;
    if (class == SONDE_GUARD_CLASSES) return NULL;
    uint32_t slot = g->free[class];
    if (slot) g->free[class] = g->slots[slot - 1].next;
    else slot = new_slot(g, class);
    if (!slot) return NULL;
    sonde_assert(slot <= g->n && g->slots[slot - 1].class == class);
    /* All blocks are freed together, so one list of used slots is enough. */
    g->slots[slot - 1].next = g->in_use;
    g->in_use = slot;
    return g->slots[slot - 1].end - size;
}

void sonde_guards_empty(struct sonde_guards *g)
{
    while (g->in_use) {
        uint32_t slot = g->in_use;
        struct sonde_guard_slot *s = &g->slots[slot - 1];
        size_t room = page_size() << s->class;
        /* Slots of up to 16 pages stay resident: returning them would cost a page fault per page in each case. */
        if (s->class > KEPT_CLASS) madvise(s->end - room, room, MADV_DONTNEED);
        g->in_use = s->next;
        s->next = g->free[s->class];
        g->free[s->class] = slot;
    }
}

void sonde_guards_clear(struct sonde_guards *g)
{
    for (uint32_t i = 0; i < g->n; i++) {
        size_t room = page_size() << g->slots[i].class;
        munmap(g->slots[i].end - room, room + page_size());
    }
    if (g->slots) munmap(g->slots, MOST_SLOTS * sizeof *g->slots);
    *g = (struct sonde_guards){0};
}
