#define _GNU_SOURCE /* dl_iterate_phdr */
/* Decides which accesses to memory are steps.
 *
 * Most need not be: the order of accesses to memory that only one thread uses does not matter. A warm-up finds the
 * sites in the code that access memory which another thread has accessed, too, one of them writing. Then this
 * knowledge is frozen. An access at such a site is a step, and so is one at a site that the warm-up did not reach.
 * The warm-up uses a fixed sequence of random numbers, so the result depends on the program alone. Therefore a
 * tape means the same in each worker, before and after other cases.
 *
 * Sites are locations in the code, not addresses of data, which differ from process to process. */
#include "control.h"
#include "table.h"

#include <link.h>
#include <sys/mman.h>

enum {
    SITES = 1 << 14, /* maximum number of sites in the table; an access at any other site is a step */
    CELLS = 1 << 15, /* maximum number of cells touched in one run of a warm-up; further memory is ignored */
    CELL_SITES = 6,  /* maximum number of sites that a cell remembers until it turns out to be shared */
    PROBES = 64,     /* number of entries that are tried for one address */
    UNIT = 3,        /* a cell covers 1 << UNIT bytes */
    SEEN = 1         /* the "run" of entries in the table of sites, which lasts longer than one run */
};

/* A location in the code that the warm-up reached. */
struct site {
    struct sonde_slot slot; /* key; its `run` is SEEN */
    bool is_shared;         /* threads share memory at this site */
};

/* The knowledge of the warm-up. */
struct table {
    struct sonde_learned learned;
    struct site sites[SITES];
};
static struct table *table; /* lies in memory shared with the process of the warm-up; NULL: every access is a step */

/* 8 bytes of memory that were touched in this run of a warm-up. */
static struct cell {
    struct sonde_slot slot; /* the address of its first byte */
    uint32_t thread;
    bool is_written, is_shared;
    uint8_t n;
    const void *sites[CELL_SITES];
} cells[CELLS];

static const struct sonde_table memory = SONDE_TABLE(cells, PROBES);

static struct sonde_table sites_of(struct table *t)
{
    return (struct sonde_table)SONDE_TABLE(t->sites, PROBES);
}

/* Returns a site; NULL if the warm-up has not reached it. */
static struct site *find(const void *at)
{
    struct sonde_table sites = sites_of(table);
    return sonde_table_find(&sites, at, SEEN);
}

/* Returns a site, which is entered if it is new; NULL if there is no room. */
static struct site *enter(const void *at)
{
    bool is_new;
    struct sonde_table sites = sites_of(table);
    return sonde_table_enter(&sites, at, SEEN, &is_new); /* a new entry is zero: not shared */
}

/* Returns the cell of an address. A new one belongs to the running thread. NULL if the table is full. */
static struct cell *cell_of(uintptr_t address)
{
    bool is_new;
    struct cell *c = sonde_table_enter(&memory, (const void *)(address >> UNIT << UNIT), sonde_control.run, &is_new);
    if (is_new) *c = (struct cell){.slot = c->slot, .thread = sonde_control.running->id};
    return c;
}

static void share(const void *site)
{
    struct site *s = enter(site);
    if (s) s->is_shared = true;
}

/* Learns from one access. When a second thread uses a cell that is written, marks all sites that have used the cell as
 * shared, including earlier ones. */
static void learn(const void *site, uintptr_t address, bool writes)
{
    struct cell *c = cell_of(address);
    if (!c) return;
    c->is_written |= writes;
    if (c->thread != sonde_control.running->id && c->is_written) c->is_shared = true;
    bool is_known = false;
    for (uint8_t i = 0; i < c->n; i++) is_known |= c->sites[i] == site;
    if (!is_known && c->n < CELL_SITES) c->sites[c->n++] = site;
    if (!c->is_shared) return;
    share(site);
    for (uint8_t i = 0; i < c->n; i++) share(c->sites[i]);
}

/* Once the table is frozen, the site alone decides, except that up to step plan->all_until every access is a step.
 * Counts later accesses that are not steps (n_late), because a larger all_until would make them steps. */
bool sonde_site_is_step(const void *site, uintptr_t address, size_t size, bool writes)
{
    enum { RANGE_MAX = 1024 }; /* bytes of one access to learn from, as in shadow.c */
    if (!table) return true;
    if (table->learned.is_frozen) {
        if (sonde_control.steps < sonde_control.plan->all_until) return true;
        struct site *s = find(site);
        bool is_step = !s || s->is_shared;
        sonde_control.n_late += !is_step && sonde_control.plan->all_until;
        return is_step;
    }
    enter(site);
    uintptr_t end = address + (size < RANGE_MAX ? size : RANGE_MAX);
    for (uintptr_t at = address; at < end; at = ((at >> UNIT) + 1) << UNIT) learn(site, at, writes);
    return true; /* in a warm-up every access is a step, so that threads interleave everywhere */
}

bool sonde_site_is_shared(const void *site)
{
    if (!table) return true;
    const struct site *s = find(site);
    return !s || s->is_shared;
}

/* With --threads=os, an access to a thread-local of the running thread is a step only if the warm-up saw another
 * thread use it. So code that does not share its thread-locals has the same steps as with fibers, even if every
 * access is a step. */
bool sonde_site_shares_local(const void *site, uintptr_t address, bool writes)
{
    if (!table) return false;
    if (!table->learned.is_frozen) learn(site, address, writes);
    struct site *s = find(site);
    return s && s->is_shared;
}

void sonde_sites_begin(void)
{
    if (table && !table->learned.is_frozen) table->learned.n_runs++;
}

/* Creates the table in shared memory, because the warm-up runs in another process. */
struct sonde_learned *sonde_sites_prepare(uint64_t run)
{
    if (table && table->learned.is_frozen && table->learned.run == run) return &table->learned;
    if (table) munmap(table, sizeof *table);
    table = NULL;
    void *all = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) return NULL;
    table = all;
    table->learned.run = run;
    return &table->learned;
}

static void check_cell(const void *entry)
{
    const struct cell *c = entry;
    sonde_assert(c->n <= CELL_SITES && c->thread < sonde_control.n_fibers);
    sonde_assert(c->is_written || !c->is_shared);
}

void sonde_sites_check(void)
{
    if (!table) return;
    struct sonde_table sites = sites_of(table);
    sonde_table_check(&sites, SEEN, NULL);
    sonde_table_check(&memory, sonde_control.run, check_cell);
}

/* ---- Segments */

/* Fills in the segment if this module has it; returns 1 to end the search. */
static int find_segment(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct sonde_segment *s = arg;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + h->p_vaddr;
        if (h->p_type != PT_LOAD || s->inside < start || s->inside >= start + h->p_memsz) continue;
        s->base = info->dlpi_addr;
        s->from = start;
        s->end = start + h->p_memsz;
        return 1;
    }
    return 0;
}

struct sonde_segment sonde_segment_of(uintptr_t address)
{
    struct sonde_segment s = {.inside = address, .base = address - 1};
    dl_iterate_phdr(find_segment, &s);
    return s;
}

uint64_t sonde_site_offset(const void *site)
{
    return (uintptr_t)site - sonde_segment_of((uintptr_t)site).base;
}
