#define _GNU_SOURCE /* dl_iterate_phdr */
/* Which accesses to memory are steps.
 *
 * Most are not worth one: what only one thread touches can be interleaved as one likes. A warm-up finds out which sites of the code
 * touch memory that another thread has touched too, one of them writing; afterwards this knowledge is frozen. A site that the
 * warm-up has not seen is a step. Since the warm-up draws from numbers of its own, always the same, what a site is depends on the
 * program alone, and a tape means the same in each worker, before and after other cases.
 *
 * Sites are places in the code and not addresses of data, which differ from process to process. */
#include "control.h"
#include "table.h"

#include <link.h>
#include <sys/mman.h>

enum {
    SITES = 1 << 14,
    CELLS = 1 << 15,
    CELL_SITES = 6,
    PROBES = 64,
    UNIT = 3, /* bits of an address that one cell stands for */
    SEEN = 1
};

struct site {
    struct sonde_slot slot; /* SEEN: the warm-up came there */
    bool is_shared;
};

struct table {
    struct sonde_learned learned;
    struct site sites[SITES];
};
static struct table *table; /* shared with the process of the warm-up; NULL: every access is a step */

/* Memory that was touched in this run of a warm-up. */
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

/* NULL: it is not there. */
static struct site *find(const void *at)
{
    struct sonde_table sites = sites_of(table);
    return sonde_table_find(&sites, at, SEEN);
}

/* NULL: there is no room for it. */
static struct site *enter(const void *at)
{
    bool is_new;
    struct sonde_table sites = sites_of(table);
    return sonde_table_enter(&sites, at, SEEN, &is_new); /* the table began as zeros: not shared */
}

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

bool sonde_site_is_step(const void *site, uintptr_t address, size_t size, bool writes)
{
    enum { RANGE_MAX = 1024 }; /* of one access, which is looked at */
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
    return true; /* always, so that the warm-up gets everywhere */
}

bool sonde_site_is_shared(const void *site)
{
    if (!table) return true;
    const struct site *s = find(site);
    return !s || s->is_shared;
}

/* An access to the running thread's own thread-local, with threads of the kernel's, is a step only if the warm-up saw another thread use it. So code
 * that keeps its thread-locals to itself has the same steps as with fibers, also where every access is a step. */
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
