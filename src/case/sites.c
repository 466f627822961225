/* See sites.h. Every check of the user calls sonde_reached_, in any thread, in a forked child and between cases. So it
 * needs no case, allocates nothing and takes no lock. The table is open-addressed with few probes. */
#include "case/sites.h"

#include <stdint.h>
#include <string.h>

/* True only if this process has one thread. C libraries other than glibc do not offer this. */
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define IS_ALONE __libc_single_threaded
#else
#define IS_ALONE false
#endif

enum { PROBES = 8 }; /* slots that are tried for a site: every check of the user pays for a search */

/* The table of the case that runs in this process; NULL: no case is running. */
static _Atomic(struct sonde_reach *) in_use;

/* Returns the preferred slot of a site. Site records are 24 bytes long and adjacent in memory. */
static inline uint32_t slot_of(const struct sonde_site_ *site)
{
    return (uint32_t)((uintptr_t)site >> 3) & (SONDE_SITES - 1);
}

_Static_assert(sizeof(struct sonde_reached_site) == 64, "a power of two");

static inline void add(atomic_uint *n, unsigned by)
{
    atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) + by, memory_order_relaxed);
}

/* Returns the entry of a site, a new one if necessary; NULL if there is no room near its slot. */
static struct sonde_reached_site *find(struct sonde_reach *r, const struct sonde_site_ *site)
{
    for (uint32_t i = 0; i < PROBES; i++) {
        struct sonde_reached_site *s = &r->sites[(slot_of(site) + i) & (SONDE_SITES - 1)];
        const struct sonde_site_ *known = atomic_load_explicit(&s->site, memory_order_relaxed);
        if (!known && atomic_compare_exchange_strong(&s->site, &known, site)) return s;
        if (known == site) return s;
    }
    return NULL;
}

/* Notes the site as the next one that this case reached. */
static inline void touch(struct sonde_reach *r, unsigned at, struct sonde_reached_site *s)
{
    s->rejected_now = 0;
    if (at < SONDE_SITES) r->touched[at] = (uint16_t)(s - r->sites);
}

/* Counts a site that this case has not reached before or that is not in its preferred slot. Also used if other threads
 * or processes may be counting. */
static __attribute__((noinline)) void reach(struct sonde_reach *r, const struct sonde_site_ *site)
{
    struct sonde_reached_site *s = find(r, site);
    if (!s) {
        if (site->kind == SONDE_SITE_CHECK_) add(&r->more_now, 1);
        r->is_partial = true;
        return;
    }
    s->kind = site->kind;
    if (atomic_fetch_add_explicit(&s->now, 1, memory_order_relaxed)) return;
    touch(r, atomic_fetch_add_explicit(&r->n_touched, 1, memory_order_relaxed), s);
}

/* A locked instruction takes as long as several draws, and is not needed if nothing else can count. */
void sonde_reached_(const struct sonde_site_ *site)
{
    struct sonde_reach *r = atomic_load_explicit(&in_use, memory_order_relaxed);
    if (!r) return;
    struct sonde_reached_site *s = &r->sites[slot_of(site)];
    unsigned now = atomic_load_explicit(&s->now, memory_order_relaxed);
    bool is_ours = atomic_load_explicit(&s->site, memory_order_relaxed) == site;
    if (is_ours && now) atomic_store_explicit(&s->now, now + 1, memory_order_relaxed);
    else if (is_ours && IS_ALONE && !r->is_shared) {
        unsigned at = atomic_load_explicit(&r->n_touched, memory_order_relaxed);
        atomic_store_explicit(&s->now, 1, memory_order_relaxed);
        atomic_store_explicit(&r->n_touched, at + 1, memory_order_relaxed);
        touch(r, at, s);
    } else reach(r, site);
}

/* Returns the number of touched sites, bounded, because the code under test can write to this memory. */
static uint32_t n_touched(const struct sonde_reach *r)
{
    unsigned n = atomic_load_explicit(&r->n_touched, memory_order_relaxed);
    return n < SONDE_SITES ? n : SONDE_SITES;
}

/* Drops the counts of a case that was not committed. */
static __attribute__((noinline)) void forget(struct sonde_reach *r)
{
    for (uint32_t i = n_touched(r); i-- > 0;)
        atomic_store_explicit(&r->sites[r->touched[i] & (SONDE_SITES - 1)].now, 0, memory_order_relaxed);
    atomic_store_explicit(&r->n_touched, 0, memory_order_relaxed);
    atomic_store_explicit(&r->more_now, 0, memory_order_relaxed);
}

void sonde_reached_begin(struct sonde_reach *r)
{
    if (n_touched(r) || atomic_load_explicit(&r->more_now, memory_order_relaxed)) forget(r);
    struct sonde_reach *before = atomic_load_explicit(&in_use, memory_order_relaxed);
    if (before != r) r->outer = before; /* else the last case was left without sonde_reached_end */
    atomic_store_explicit(&in_use, r, memory_order_relaxed);
}

void sonde_reached_end(struct sonde_reach *r)
{
    atomic_store_explicit(&in_use, r->outer, memory_order_relaxed);
}

void sonde_reached_more(void)
{
    struct sonde_reach *r = atomic_load_explicit(&in_use, memory_order_relaxed);
    if (r) add(&r->more_now, 1);
}

void sonde_reached_share(struct sonde_reach *shared)
{
    shared->is_shared = true;
    atomic_store_explicit(&in_use, shared, memory_order_relaxed);
}

/* Scans all sites, because a child that still runs may count at a site that is no longer in `touched`. */
void sonde_reached_adopt(struct sonde_reach *r, struct sonde_reach *shared)
{
    for (uint32_t i = 0; i < SONDE_SITES; i++) {
        const struct sonde_site_ *site = atomic_load_explicit(&shared->sites[i].site, memory_order_relaxed);
        unsigned times = atomic_exchange_explicit(&shared->sites[i].now, 0, memory_order_relaxed);
        if (!site || !times) continue;
        reach(r, site);
        struct sonde_reached_site *ours = find(r, site);
        if (ours) add(&ours->now, times - 1);
    }
    add(&r->more_now, atomic_exchange_explicit(&shared->more_now, 0, memory_order_relaxed));
    atomic_store_explicit(&shared->n_touched, 0, memory_order_relaxed);
    r->is_partial |= shared->is_partial;
}

void sonde_reached_reject(struct sonde_reach *r, const char *file, int line, const char *text)
{
    for (uint32_t i = n_touched(r); i-- > 0;) {
        struct sonde_reached_site *s = &r->sites[r->touched[i] & (SONDE_SITES - 1)];
        const struct sonde_site_ *site = atomic_load_explicit(&s->site, memory_order_relaxed);
        if (!site || site->kind != SONDE_SITE_ASSUME_ || site->line != line) continue;
        bool is_same = site->text == text || (text && strcmp(site->text, text) == 0);
        if (!is_same || (site->file != file && (!file || strcmp(site->file, file) != 0))) continue;
        s->rejected_now++;
        return;
    }
}

void sonde_reached_commit(struct sonde_reach *r, bool counts)
{
    for (uint32_t i = n_touched(r); i-- > 0;) {
        struct sonde_reached_site *s = &r->sites[r->touched[i] & (SONDE_SITES - 1)];
        unsigned now = atomic_load_explicit(&s->now, memory_order_relaxed);
        s->all += now;
        if (counts) s->counted += now;
        if (s->rejected_now) s->rejected += s->rejected_now;
        atomic_store_explicit(&s->now, 0, memory_order_relaxed);
    }
    if (counts) r->more += atomic_load_explicit(&r->more_now, memory_order_relaxed);
    atomic_store_explicit(&r->n_touched, 0, memory_order_relaxed);
    atomic_store_explicit(&r->more_now, 0, memory_order_relaxed);
}

void sonde_reached_merge(struct sonde_reach *r, const struct sonde_reach *other)
{
    for (uint32_t i = 0; i < SONDE_SITES; i++) {
        const struct sonde_reached_site *theirs = &other->sites[i];
        const struct sonde_site_ *site = atomic_load_explicit(&theirs->site, memory_order_relaxed);
        struct sonde_reached_site *ours = site ? find(r, site) : NULL;
        if (site && !ours) {
            if (theirs->kind == SONDE_SITE_CHECK_) r->more += theirs->counted;
            r->is_partial = true;
        }
        if (!ours) continue;
        ours->kind = theirs->kind;
        ours->counted += theirs->counted;
        ours->all += theirs->all;
        ours->rejected += theirs->rejected;
    }
    for (size_t i = 0; i < SONDE_FAILING_KINDS; i++) {
        r->failing[i].armed += other->failing[i].armed;
        r->failing[i].met += other->failing[i].met;
    }
    r->more += other->more;
    r->is_partial |= other->is_partial;
}
