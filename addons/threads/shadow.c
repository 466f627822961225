/* See shadow.h. Records the last accesses to each cell of 8 bytes, and compares new accesses with them. The algorithm
 * is FastTrack (Flanagan, Freund, PLDI 2009), except that a cell has a list of a few readers instead of a vector clock.
 * If there are more than TOUCHES, the oldest is forgotten, so a race may be missed, but none is invented. */
#include "shadow.h"

#include "table.h"

#include <string.h>

enum {
    CELLS = 1 << 14,  /* maximum number of cells touched in one run; further memory is not checked */
    PROBES = 32,      /* number of entries that are tried for one address */
    UNIT = 3,         /* a cell covers 1 << UNIT bytes */
    RANGE_MAX = 1024, /* maximum number of bytes checked per access; a long copy would fill the table */
    TOUCHES = 4,      /* number of writes that a cell remembers, and of reads */
    PAIRS = 1 << 11   /* number of counters of reads-from pairs; several pairs may share a counter */
};

/* One access to a cell. */
struct touch {
    const void *site;
    uint32_t clock;
    uint8_t thread;
    uint8_t from, end; /* range of bytes of the cell */
    bool is_atomic;
};
_Static_assert(SONDE_THREADS_MAX <= UINT8_MAX + 1, "the number of a thread fits into a byte");

/* The last accesses to the bytes of a cell. They may overlap: an access replaces one entry at most, which it
 * covers. */
struct touches {
    uint32_t n;                /* accesses recorded in this run; beyond TOUCHES, each replaced the oldest */
    struct touch all[TOUCHES]; /* only the first n entries are valid */
};

/* The accesses to 8 bytes of memory. */
struct cell {
    struct sonde_slot slot;       /* the address of its first byte */
    struct touches writes, reads; /* reads are recorded only if the run looks for races */
};
static struct cell cells[CELLS];
static const struct sonde_table table = SONDE_TABLE(cells, PROBES);

/* Returns the cell at an address, empty if it is new in this run; NULL if the table is full. */
static struct cell *cell_of(uintptr_t address)
{
    bool is_new;
    struct cell *c = sonde_table_enter(&table, (const void *)address, sonde_control.run, &is_new);
    if (is_new) c->writes.n = c->reads.n = 0;
    return c;
}

static uint32_t number_of(const struct touches *t)
{
    return t->n < TOUCHES ? t->n : TOUCHES;
}

/* ---- Reads-from pairs: counters, registered in the way in which a compiler registers its coverage counters */

static uint8_t pairs[PAIRS];
extern void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop) __attribute__((weak));
extern const char __executable_start[] __attribute__((weak, visibility("hidden")));
extern const char etext[] __attribute__((weak, visibility("hidden")));

__attribute__((constructor)) static void register_pairs(void)
{
    if (__sanitizer_cov_8bit_counters_init) __sanitizer_cov_8bit_counters_init(pairs, pairs + PAIRS);
}

/* Returns a number for a site that is the same in every process: its offset in the program, or in a page of a
 * library. */
static uint64_t offset_of(const void *site)
{
    uintptr_t at = (uintptr_t)site, from = (uintptr_t)__executable_start;
    return at >= from && at < (uintptr_t)etext ? at - from : at & 0xfff;
}

/* Counts a pair. The counter is chosen by a hash of both sites. */
static void note_pair(const struct touch *write, const struct sonde_use *use)
{
    uint64_t mixed = (offset_of(write->site) * 31 + offset_of(use->site)) * UINT64_C(0x9e3779b97f4a7c15);
    uint8_t *count = &pairs[(mixed >> 40) % PAIRS];
    if (*count < UINT8_MAX) ++*count;
}

/* ---- Races */

static bool overlaps(const struct touch *t, const struct touch *now)
{
    return t->from < now->end && now->from < t->end;
}

/* Returns whether an earlier access races with the present one. The caller makes sure that one of them writes. */
static bool conflicts(const struct touch *t, const struct touch *now)
{
    return overlaps(t, now) && !(t->is_atomic && now->is_atomic) && !sonde_is_before(t->thread, t->clock, now->thread);
}

/* Ends the run with a race. A warm-up only records that there are races, so that the report can say it. */
static void complain(const struct touch *before, bool wrote, const struct sonde_use *now)
{
    struct sonde_schedule_result *r = sonde_result_of_run();
    uint32_t own = sonde_control.running->id;
    if (sonde_control.plan->random) {
        sonde_control.plan->schedule->unseen |= SONDE_UNSEEN_RACES;
        return;
    }
    r->place[1] = before->site;
    sonde_note_of(&sonde_control.fibers[before->thread],
                  wrote ? "wrote this, and nothing orders the two accesses"
                        : "read this, and nothing orders the two "
                          "accesses",
                  before->site);
    sonde_end_run(SONDE_SCHEDULE_RACE, now->site, "data race: thread %u %s what thread %u has %s%s", own,
                  now->writes ? "writes" : "reads", before->thread, wrote ? "written" : "read",
                  before->is_atomic || now->is_atomic ? ", one of them not atomically" : "");
}

/* Compares an access with the recorded ones: a read with the writes, a write with both. */
static void compare(struct cell *c, const struct touch *now, const struct sonde_use *use)
{
    for (uint32_t i = 0; i < number_of(&c->writes); i++)
        if (conflicts(&c->writes.all[i], now)) complain(&c->writes.all[i], true, use);
    for (uint32_t i = 0; use->writes && i < number_of(&c->reads); i++)
        if (conflicts(&c->reads.all[i], now)) complain(&c->reads.all[i], false, use);
}

/* Returns whether `now` makes the record of `t` unnecessary. An atomic access does not replace a plain one,
 * because an access that races with the plain one may not race with the atomic one. */
static bool replaces(const struct touch *now, const struct touch *t, bool writes)
{
    bool is_covered = t->from >= now->from && t->end <= now->end;
    bool is_as_strict = !sonde_finds_races() || t->is_atomic || !now->is_atomic;
    return is_covered && is_as_strict && (writes || t->thread == now->thread);
}

/* Records an access: instead of one that it replaces, else in a free entry, else instead of the oldest. */
static void keep(struct touches *t, const struct touch *now, bool writes)
{
    uint32_t i = 0, n = number_of(t);
    while (i < n && !replaces(now, &t->all[i], writes)) i++;
    if (i == n) i = t->n++ % TOUCHES;
    t->all[i] = *now;
}

/* Records an access to the bytes from `at` on that lie in one cell. */
static void use_cell(uintptr_t at, uintptr_t end, const struct sonde_use *use)
{
    uintptr_t first = at >> UNIT << UNIT;
    struct cell *c = cell_of(first);
    if (!c) return;
    uint32_t id = sonde_control.running->id;
    bool finds_races = sonde_finds_races();
    struct touch now = {.site = use->site,
                        .clock = finds_races ? sonde_clock_of(id) : 0,
                        .thread = (uint8_t)id,
                        .from = (uint8_t)(at - first),
                        .end = (uint8_t)(end - first > 1 << UNIT ? 1 << UNIT : end - first),
                        .is_atomic = use->is_atomic};
    if (finds_races) compare(c, &now, use);
    for (uint32_t i = 0; use->reads && i < number_of(&c->writes); i++)
        if (c->writes.all[i].thread != id && overlaps(&c->writes.all[i], &now)) note_pair(&c->writes.all[i], use);
    if (use->writes) keep(&c->writes, &now, true);
    if (use->reads && finds_races) keep(&c->reads, &now, false);
}

void sonde_shadow_use(const struct sonde_use *use)
{
    uintptr_t at = use->address, end = at + (use->size < RANGE_MAX ? use->size : RANGE_MAX);
    for (; at < end; at = ((at >> UNIT) + 1) << UNIT) use_cell(at, end, use);
}

static void check_touches(const struct touches *all)
{
    for (uint32_t i = 0; i < number_of(all); i++) {
        const struct touch *t = &all->all[i];
        sonde_assert(t->site && t->from < t->end && t->end <= 1 << UNIT && t->thread < sonde_control.n_fibers);
    }
}

static void check_cell(const void *entry)
{
    const struct cell *c = entry;
    check_touches(&c->writes);
    check_touches(&c->reads);
    sonde_assert(sonde_finds_races() || c->reads.n == 0);
}

void sonde_shadow_check(void)
{
    sonde_table_check(&table, sonde_control.run, check_cell);
}
