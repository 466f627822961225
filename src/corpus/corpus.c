/* See corpus.h. */
#include "corpus/corpus.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

void sonde_corpus_init(struct sonde_corpus *c, size_t limit)
{
    memset(c, 0, sizeof *c);
    c->limit = limit;
    c->larger = 0.1;
    c->by_group = 0.7;
    c->by_cost = 1;
}

static size_t bytes_of(const struct sonde_tape *t)
{
    return t->n_choices * sizeof *t->choices + t->n_spans * sizeof *t->spans + t->n_bytes;
}

/* ---- Tapes. Shapes are filled in only here: most runs are not kept. */

static void write_hints(struct sonde_kept *k, const struct sonde_coverage_view *view)
{
    size_t n = view ? view->n_hints : 0, skipped = n > SONDE_KEPT_HINTS ? n - SONDE_KEPT_HINTS : 0;
    k->n_hints = (uint8_t)(n - skipped);
    if (n) memcpy(k->hints, view->hints + skipped, k->n_hints * sizeof *k->hints);
}

static void write_tape(struct sonde_corpus *c, struct sonde_kept *k, const struct sonde_run *run)
{
    c->bytes -= bytes_of(&k->tape);
    sonde_tape_copy(&k->tape, run->tape);
    sonde_tape_end(&k->tape);
    c->bytes += bytes_of(&k->tape);
    k->identity = run->observation->identity;
    k->cost = run->observation->cost;
    k->n_edges = run->observation->coverage ? run->observation->coverage->n_edges : 0;
    k->is_valid = run->observation->verdict == SONDE_VALID;
    write_hints(k, run->observation->coverage);
}

static struct sonde_kept *new_tape(struct sonde_corpus *c, const struct sonde_run *run)
{
    struct sonde_kept *k = sonde_calloc(1, sizeof *k);
    c->bytes += sizeof *k;
    k->order = c->kept;
    write_tape(c, k, run);
    return k;
}

static void drop_tape(struct sonde_corpus *c, struct sonde_kept *k)
{
    for (uint32_t i = 0; k->owns && i < c->cap_owners; i++)
        if (c->owners[i] == k) c->owners[i] = NULL, k->owns--;
    c->bytes -= sizeof *k + bytes_of(&k->tape);
    sonde_tape_clear(&k->tape);
    sonde_free(k);
}

void sonde_corpus_clear(struct sonde_corpus *c)
{
    for (int p = 0; p < SONDE_POOL_COUNT; p++) {
        for (uint32_t i = 0; i < c->pools[p].n; i++) {
            c->pools[p].tapes[i]->owns = 0;
            drop_tape(c, c->pools[p].tapes[i]);
        }
        sonde_free(c->pools[p].tapes);
    }
    for (uint32_t i = 0; i < c->n_niches; i++)
        for (uint32_t k = 0; k < c->niches[i].n; k++) drop_tape(c, c->niches[i].tapes[k]);
    sonde_free(c->niches);
    sonde_free(c->slots);
    sonde_free(c->owners);
    sonde_free(c->hits);
    sonde_free(c->group_of);
    for (uint32_t i = 0; i < c->n_groups; i++) sonde_free(c->groups[i].members);
    sonde_free(c->groups);
    memset(c, 0, sizeof *c);
}

/* ---- Niches by their edges */

static uint32_t slot_of(const struct sonde_corpus *c, uint64_t edges)
{
    uint32_t mask = c->n_slots - 1, i = (uint32_t)sonde_mix(edges) & mask;
    while (c->slots[i] && c->niches[c->slots[i] - 1].edges != edges) i = (i + 1) & mask;
    return i;
}

static void rebuild_slots(struct sonde_corpus *c)
{
    uint32_t n = c->n_slots ? c->n_slots : 64;
    while (n < 4 * c->n_niches) n *= 2;
    sonde_free(c->slots);
    c->slots = sonde_calloc(n, sizeof *c->slots);
    c->n_slots = n;
    for (uint32_t i = 0; i < c->n_niches; i++) c->slots[slot_of(c, c->niches[i].edges)] = i + 1;
}

static struct sonde_niche *find_niche(const struct sonde_corpus *c, uint64_t edges)
{
    uint32_t at = c->n_slots ? c->slots[slot_of(c, edges)] : 0;
    return at ? &c->niches[at - 1] : NULL;
}

static struct sonde_niche *add_niche(struct sonde_corpus *c, uint64_t edges)
{
    c->niches = sonde_grow(c->niches, &c->cap_niches, (size_t)c->n_niches + 1, sizeof *c->niches);
    struct sonde_niche *niche = &c->niches[c->n_niches++];
    *niche = (struct sonde_niche){.edges = edges};
    if (2 * c->n_niches > c->n_slots) rebuild_slots(c);
    else c->slots[slot_of(c, edges)] = c->n_niches;
    return niche;
}

/* ---- Room. One tenth is given up at once, so that the search for what to drop is rare. */

/* The value that a tenth of them exceed, found by halving the range. */
static uint64_t ninth_decile(const uint64_t *picks, uint32_t n)
{
    uint64_t lo = 0, hi = 0;
    for (uint32_t i = 0; i < n; i++) hi = picks[i] > hi ? picks[i] : hi;
    while (lo < hi) {
        uint64_t middle = lo + (hi - lo) / 2;
        uint32_t above = 0;
        for (uint32_t i = 0; i < n; i++) above += picks[i] > middle;
        if (above > n / 10) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

static void thin_pool(struct sonde_corpus *c, enum sonde_pool p)
{
    struct sonde_kept **tapes = c->pools[p].tapes;
    uint32_t n = c->pools[p].n, left = 0, to_drop = n / 10 + 1;
    if (n < 16) return;
    uint64_t *picks = sonde_calloc(n, sizeof *picks);
    for (uint32_t i = 0; i < n; i++) picks[i] = tapes[i]->spent;
    uint64_t limit = ninth_decile(picks, n);
    sonde_free(picks);
    for (uint32_t i = 0; i < n; i++) {
        bool goes = to_drop > 0 && tapes[i]->spent >= limit && i + 1 < n; /* never the newest */
        if (goes) drop_tape(c, tapes[i]), to_drop--;
        else tapes[left++] = tapes[i];
    }
    c->pools[p].n = left;
}

static void join_group(struct sonde_corpus *c, uint32_t niche);

static void thin_niches(struct sonde_corpus *c)
{
    uint32_t n = c->n_niches, left = 0, to_drop = n / 10 + 1;
    if (n < 16) return;
    uint64_t *picks = sonde_calloc(n, sizeof *picks);
    for (uint32_t i = 0; i < n; i++) picks[i] = c->niches[i].spent;
    uint64_t limit = ninth_decile(picks, n);
    sonde_free(picks);
    for (uint32_t i = 0; i < n; i++) {
        struct sonde_niche *niche = &c->niches[i];
        bool goes = to_drop > 0 && niche->spent >= limit;
        if (goes) to_drop--;
        for (uint32_t k = 0; goes && k < niche->n; k++) drop_tape(c, niche->tapes[k]);
        if (!goes) c->niches[left++] = *niche;
    }
    c->n_niches = left;
    rebuild_slots(c);
    for (uint32_t i = 0; i < c->n_groups; i++) c->groups[i].n = 0;
    for (uint32_t i = 0; i < left; i++) join_group(c, i);
}

/* Niches first: they fill up again by themselves, while what novelty kept is not found a second time. */
static void make_room(struct sonde_corpus *c)
{
    if (c->n_niches >= SONDE_NICHES_MAX) thin_niches(c);
    for (int round = 0; round < 64 && c->bytes > c->limit; round++) {
        thin_niches(c);
        if (c->bytes > c->limit) thin_pool(c, SONDE_POOL_COMPARED);
        if (round < 16) continue;
        thin_pool(c, SONDE_POOL_DISCARDED);
        thin_pool(c, SONDE_POOL_VALID);
    }
}

/* A tape that would take a large part of the memory by itself is not kept. */
static bool is_too_large(const struct sonde_corpus *c, const struct sonde_tape *tape)
{
    return bytes_of(tape) > c->limit / 16;
}

/* ---- Keeping */

struct sonde_kept *sonde_corpus_keep(struct sonde_corpus *c, enum sonde_pool p, const struct sonde_run *run)
{
    if (is_too_large(c, run->tape)) return NULL;
    make_room(c);
    uint32_t n = c->pools[p].n;
    c->pools[p].tapes = sonde_grow(c->pools[p].tapes, &c->pools[p].cap, (size_t)n + 1, sizeof *c->pools[p].tapes);
    struct sonde_kept *k = c->pools[p].tapes[n] = new_tape(c, run);
    c->pools[p].n++;
    c->kept++;
    return k;
}

uint32_t sonde_corpus_claim(struct sonde_corpus *c, struct sonde_kept *kept, const struct sonde_coverage_view *view)
{
    if (view->n_ids > c->cap_owners) {
        uint32_t before = c->cap_owners;
        c->owners = sonde_grow(c->owners, &c->cap_owners, view->n_ids, sizeof(struct sonde_kept *));
        memset(c->owners + before, 0, (c->cap_owners - before) * sizeof(struct sonde_kept *));
    }
    for (size_t i = 0; i < view->n_features; i++) {
        struct sonde_kept **owner = &c->owners[view->features[i].id];
        if (*owner && !(kept->is_valid && !(*owner)->is_valid)) continue;
        if (*owner) (*owner)->owns--;
        *owner = kept;
        kept->owns++;
    }
    return kept->owns;
}

static bool is_member(const struct sonde_niche *niche, uint64_t identity)
{
    for (uint32_t i = 0; i < niche->n; i++)
        if (niche->tapes[i]->identity == identity) return true;
    return false;
}

static void count_hits(struct sonde_corpus *c, const struct sonde_coverage_view *view)
{
    if (view->n_ids > c->cap_hits) {
        uint32_t before = c->cap_hits, before_group = c->cap_group_of;
        c->hits = sonde_grow(c->hits, &c->cap_hits, view->n_ids, sizeof *c->hits);
        memset(c->hits + before, 0, (c->cap_hits - before) * sizeof *c->hits);
        c->group_of = sonde_grow(c->group_of, &c->cap_group_of, view->n_ids, sizeof *c->group_of);
        memset(c->group_of + before_group, 0, (c->cap_group_of - before_group) * sizeof *c->group_of);
    }
    for (size_t i = 0; i < view->n_features; i++)
        if (view->features[i].kind == SONDE_FEATURE_COUNTER) c->hits[view->features[i].id]++;
}

/* The group of the counter that the fewest valid runs hit. */
static uint32_t group_for(struct sonde_corpus *c, const struct sonde_coverage_view *view)
{
    uint32_t rarest = UINT32_MAX;
    for (size_t i = 0; i < view->n_features; i++) {
        const struct sonde_feature *f = &view->features[i];
        if (f->kind != SONDE_FEATURE_COUNTER) continue;
        if (rarest == UINT32_MAX || c->hits[f->id] < c->hits[rarest]) rarest = f->id;
    }
    if (rarest == UINT32_MAX) rarest = 0;
    if (c->cap_group_of == 0) return 0;
    if (!c->group_of[rarest]) {
        c->groups = sonde_grow(c->groups, &c->cap_groups, (size_t)c->n_groups + 1, sizeof *c->groups);
        c->groups[c->n_groups++] = (struct sonde_niche_group){.n = 0};
        c->group_of[rarest] = c->n_groups;
    }
    return c->group_of[rarest] - 1;
}

static void join_group(struct sonde_corpus *c, uint32_t niche)
{
    if (c->n_groups == 0) return;
    struct sonde_niche_group *g = &c->groups[c->niches[niche].group];
    g->members = sonde_grow(g->members, &g->cap, (size_t)g->n + 1, sizeof *g->members);
    g->members[g->n++] = niche;
}

/* Large tapes share a niche with fewer others: there are as many niches of them as of small ones. */
static bool is_full(const struct sonde_niche *niche, const struct sonde_tape *tape)
{
    enum { NICHE_BYTES = 1 << 16 };
    return niche->n == SONDE_NICHE_TAPES || (niche->n + 1) * bytes_of(tape) > NICHE_BYTES;
}

bool sonde_corpus_settle(struct sonde_corpus *c, const struct sonde_run *run, struct sonde_rng *rng)
{
    uint64_t edges = run->observation->coverage->edges;
    count_hits(c, run->observation->coverage);
    struct sonde_niche *niche = find_niche(c, edges);
    bool is_new = niche == NULL;
    if (is_too_large(c, run->tape) || (niche && is_member(niche, run->observation->identity))) return false;
    if (niche && niche->n && is_full(niche, run->tape)) {
        struct sonde_kept *old = niche->tapes[sonde_rng_upto(rng, niche->n - 1)];
        bool larger = sonde_tape_size(run->tape) > sonde_tape_size(&old->tape);
        if (!larger || sonde_rng_unit(rng) < c->larger) write_tape(c, old, run);
        return false;
    }
    make_room(c);
    niche = is_new ? add_niche(c, edges) : find_niche(c, edges); /* making room may have moved it, or dropped it */
    if (!niche) niche = add_niche(c, edges);
    if (niche->n == 0) {
        niche->group = group_for(c, run->observation->coverage);
        join_group(c, (uint32_t)(niche - c->niches));
    }
    niche->tapes[niche->n++] = new_tape(c, run);
    return is_new;
}

/* ---- Picking */

struct sonde_kept *sonde_corpus_newest(const struct sonde_corpus *c, enum sonde_pool p, uint32_t back)
{
    return back < c->pools[p].n ? c->pools[p].tapes[c->pools[p].n - 1 - back] : NULL;
}

static uint64_t charge(const struct sonde_corpus *c, const struct sonde_kept *k)
{
    return 64 + (uint64_t)(c->by_cost * k->tape.n_choices);
}

double sonde_corpus_charge(const struct sonde_corpus *c, struct sonde_kept *k)
{
    enum { SMALL = 16 };
    k->picks++;
    k->spent += charge(c, k);
    return (double)k->spent / (64 + c->by_cost * SMALL);
}

struct sonde_kept *sonde_corpus_pick(struct sonde_corpus *c, enum sonde_pool p, struct sonde_rng *rng, unsigned rivals)
{
    struct sonde_kept *best = NULL;
    if (c->pools[p].n == 0) return NULL;
    for (unsigned i = 0; i < rivals; i++) {
        struct sonde_kept *k = c->pools[p].tapes[sonde_rng_upto(rng, c->pools[p].n - 1)];
        if (!best || k->spent < best->spent) best = k;
    }
    best->picks++;
    best->spent += charge(c, best);
    return best;
}

static struct sonde_niche_group *pick_group(struct sonde_corpus *c, struct sonde_rng *rng, unsigned rivals)
{
    struct sonde_niche_group *best = NULL;
    for (unsigned i = 0; c->n_groups && i < rivals; i++) {
        struct sonde_niche_group *g = &c->groups[sonde_rng_upto(rng, c->n_groups - 1)];
        if (g->n && (!best || g->spent < best->spent)) best = g;
    }
    return best;
}

struct sonde_kept *sonde_corpus_pick_niche(struct sonde_corpus *c, struct sonde_rng *rng, unsigned rivals)
{
    struct sonde_niche *best = NULL;
    if (c->n_niches == 0) return NULL;
    struct sonde_niche_group *group = sonde_rng_unit(rng) < c->by_group ? pick_group(c, rng, rivals) : NULL;
    uint32_t n = group ? group->n : c->n_niches;
    for (unsigned i = 0; i < rivals; i++) {
        uint32_t at = (uint32_t)sonde_rng_upto(rng, n - 1);
        struct sonde_niche *niche = &c->niches[group ? group->members[at] : at];
        if (!best || niche->spent < best->spent) best = niche;
    }
    best->picks++;
    struct sonde_kept *k = best->tapes[sonde_rng_upto(rng, best->n - 1)];
    best->spent += charge(c, k);
    if (group) group->spent += charge(c, k);
    return k;
}

const struct sonde_kept *sonde_corpus_any(const struct sonde_corpus *c, struct sonde_rng *rng)
{
    uint32_t n = c->pools[SONDE_POOL_VALID].n;
    if (c->n_niches && (n == 0 || sonde_rng_upto(rng, 1))) {
        const struct sonde_niche *niche = &c->niches[sonde_rng_upto(rng, c->n_niches - 1)];
        return niche->tapes[sonde_rng_upto(rng, niche->n - 1)];
    }
    if (n) return c->pools[SONDE_POOL_VALID].tapes[sonde_rng_upto(rng, n - 1)];
    n = c->pools[SONDE_POOL_DISCARDED].n;
    return n ? c->pools[SONDE_POOL_DISCARDED].tapes[sonde_rng_upto(rng, n - 1)] : NULL;
}
