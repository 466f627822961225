/* See parents.h. The guides `cgpt` and `zest` use this view: they offer each run that they learn from, and pick a
 * parent before they mutate. Offering takes time linear in the features of the run; picking takes constant time;
 * making room is rare and linear. */
#include "corpus/parents.h"

#include "base/hash.h"
#include "base/mem.h"
#include "tape/shape.h"

#include <string.h>

/* Probability that a larger tape replaces a member of a niche. */
static const double larger_wins = 0.1;

void sonde_parents_init(struct sonde_parents *c, struct sonde_corpus *corpus, size_t limit)
{
    memset(c, 0, sizeof *c);
    c->corpus = corpus;
    c->limit = limit;
}

/* ---- Entries: each adds the bytes of its tape to `bytes` */

/* Keeps the tape of a run, and counts its bytes. They count for each view that holds the tape, though the corpus stores
 * it once. So the limit of a view does not depend on other views. */
static struct sonde_kept *keep(struct sonde_parents *c, const struct sonde_run *run)
{
    struct sonde_kept *k = sonde_corpus_keep(c->corpus, run);
    c->bytes += sonde_kept_bytes(&k->tape);
    return k;
}

static void let_go(struct sonde_parents *c, struct sonde_kept *k)
{
    c->bytes -= sonde_kept_bytes(&k->tape);
    sonde_corpus_drop(c->corpus, k);
}

static void free_pooled(struct sonde_parents *c, struct sonde_pooled *p)
{
    let_go(c, p->kept);
    sonde_free(p);
}

static void drop_pooled(struct sonde_parents *c, struct sonde_pooled *p)
{
    sonde_owners_leave(&c->owners, &p->owner);
    free_pooled(c, p);
}

/* Removes a tape from one niche; a tape that leaves its last niche is dropped. */
static void leave_niche(struct sonde_parents *c, struct sonde_resident *r)
{
    sonde_assert(r->homes > 0);
    if (--r->homes) return;
    let_go(c, r->kept);
    sonde_free(c->spare);
    c->spare = r;
}

/* Returns a new entry for the tape of a run. Reuses the memory of the entry that left its last niche, if there is
 * one. */
static struct sonde_resident *new_resident(struct sonde_parents *c, const struct sonde_run *run)
{
    struct sonde_resident *r = c->spare ? c->spare : sonde_malloc(sizeof *r);
    c->spare = NULL;
    *r = (struct sonde_resident){.kept = keep(c, run)};
    return r;
}

void sonde_parents_clear(struct sonde_parents *c)
{
    sonde_parents_check(c);
    for (int p = 0; p < SONDE_POOL_COUNT; p++) {
        for (uint32_t i = 0; i < c->pools[p].n; i++) free_pooled(c, c->pools[p].tapes[i]);
        sonde_free(c->pools[p].tapes);
    }
    for (uint32_t i = 0; i < c->n_niches; i++)
        for (uint32_t k = 0; k < c->niches[i].n; k++) leave_niche(c, c->niches[i].tapes[k]);
    sonde_free(c->niches);
    sonde_free(c->spare);
    sonde_map_clear(&c->by_key);
    sonde_owners_clear(&c->owners);
    sonde_free(c->hits);
    memset(c, 0, sizeof *c);
}

/* ---- Niches by their keys */

static void index_niches(struct sonde_parents *c)
{
    sonde_map_empty(&c->by_key);
    for (uint32_t i = 0; i < c->n_niches; i++) *sonde_map_at(&c->by_key, c->niches[i].key) = i + 1;
}

/* Returns the niche of a key; NULL if there is none. The pointer is valid until a niche is added or niches are thinned
 * out. */
static struct sonde_niche *find_niche(const struct sonde_parents *c, uint64_t key)
{
    uint32_t at = sonde_map_get(&c->by_key, key);
    return at ? &c->niches[at - 1] : NULL;
}

static struct sonde_niche *add_niche(struct sonde_parents *c, uint64_t key, uint32_t deed)
{
    c->niches = sonde_grow(c->niches, &c->cap_niches, (size_t)c->n_niches + 1, sizeof *c->niches);
    struct sonde_niche *niche = &c->niches[c->n_niches++];
    *niche = (struct sonde_niche){.key = key, .deed = deed};
    *sonde_map_at(&c->by_key, key) = c->n_niches;
    return niche;
}

/* Cost of a case besides its choices (calling the property, judging, learning), in units of one choice. */
enum { PICK_COST = 64 };

/* Returns the effort that went into a niche: the cost of its picks, and the number of runs that did its deed. That
 * number is large for deeds that nearly every run does. */
static uint64_t invested(const struct sonde_parents *c, const struct sonde_niche *niche)
{
    return niche->spent + PICK_COST * (uint64_t)c->hits[niche->deed];
}

/* ---- Room. A tenth of the tapes is dropped at once, so that the search for tapes to drop is rare. */

/* Returns the value that a tenth of the numbers exceed. */
static uint64_t ninth_decile(const uint64_t *costs, uint32_t n)
{
    uint64_t lo = 0, hi = 0;
    for (uint32_t i = 0; i < n; i++) hi = costs[i] > hi ? costs[i] : hi;
    while (lo < hi) {
        uint64_t middle = lo + (hi - lo) / 2;
        uint32_t above = 0;
        for (uint32_t i = 0; i < n; i++) above += costs[i] > middle;
        /* Bisects over values in at most 64 passes, without sorting or allocating. */
        if (above > n / 10) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

/* Drops the tenth of a pool on which most was spent. Leaves a small pool unchanged, so that every pool keeps some
 * tapes. */
static void thin_pool(struct sonde_parents *c, enum sonde_pool p)
{
    struct sonde_pooled **tapes = c->pools[p].tapes;
    uint32_t n = c->pools[p].n, left = 0, to_drop = n / 10 + 1;
    if (n < 16) return;
    uint64_t *costs = sonde_calloc(n, sizeof *costs);
    for (uint32_t i = 0; i < n; i++) costs[i] = tapes[i]->spent;
    uint64_t limit = ninth_decile(costs, n);
    sonde_free(costs);
    for (uint32_t i = 0; i < n; i++) {
        /* Tapes of equal cost are dropped in the order of age, and never more than a tenth. */
        bool goes = to_drop > 0 && tapes[i]->spent >= limit && i + 1 < n; /* the newest tape always stays */
        if (goes) drop_pooled(c, tapes[i]), to_drop--;
        else tapes[left++] = tapes[i];
    }
    c->pools[p].n = left;
}

/* Drops the tenth of the niches in which most was invested. The others move, so the index by key is rebuilt. */
static void thin_niches(struct sonde_parents *c)
{
    uint32_t n = c->n_niches, left = 0, to_drop = n / 10 + 1;
    if (n < 16) return;
    uint64_t *costs = sonde_calloc(n, sizeof *costs);
    for (uint32_t i = 0; i < n; i++) costs[i] = invested(c, &c->niches[i]);
    uint64_t limit = ninth_decile(costs, n);
    sonde_free(costs);
    for (uint32_t i = 0; i < n; i++) {
        struct sonde_niche *niche = &c->niches[i];
        bool goes = to_drop > 0 && invested(c, niche) >= limit;
        if (goes) to_drop--;
        for (uint32_t k = 0; goes && k < niche->n; k++) leave_niche(c, niche->tapes[k]);
        if (!goes) c->niches[left++] = *niche;
    }
    c->n_niches = left;
    index_niches(c);
}

/* Thins niches first: niches fill up again, while tapes kept for novelty are not found a second time. */
static void make_room(struct sonde_parents *c)
{
    if (c->n_niches >= SONDE_NICHES_MAX) thin_niches(c);
    for (int round = 0; round < 64 && c->bytes > c->limit; round++) {
        thin_pool(c, SONDE_POOL_COMPARED);
        thin_pool(c, SONDE_POOL_CHANGED);
        if (c->bytes > c->limit) thin_niches(c);
        /* Sixteen rounds drop four fifths of the niches and of the pool COMPARED. After that the other pools are
         * thinned, too. */
        if (round < 16) continue;
        thin_pool(c, SONDE_POOL_DISCARDED);
        thin_pool(c, SONDE_POOL_VALID);
    }
    if (sonde_is_milestone(c->kept)) sonde_parents_check(c);
}

/* Returns whether a tape would take too large a part of the memory. */
static bool is_too_large(const struct sonde_parents *c, const struct sonde_tape *tape)
{
    return sonde_tape_bytes(tape) > c->limit / 16;
}

/* ---- Keeping */

/* Returns NULL for a tape that is too large. Entries are in the order of age. */
struct sonde_pooled *sonde_parents_keep(struct sonde_parents *c, enum sonde_pool p, const struct sonde_run *run)
{
    if (is_too_large(c, run->tape)) return NULL;
    make_room(c);
    uint32_t n = c->pools[p].n;
    c->pools[p].tapes = sonde_grow(c->pools[p].tapes, &c->pools[p].cap, (size_t)n + 1, sizeof *c->pools[p].tapes);
    struct sonde_pooled *new = c->pools[p].tapes[n] = sonde_calloc(1, sizeof *new);
    new->kept = keep(c, run);
    new->order = c->kept++;
    sonde_owners_join(&c->owners, &new->owner, new->kept->is_valid);
    c->pools[p].n++;
    return new;
}

/* Like Zest's favoured inputs: each feature has one responsible tape; a valid tape takes the feature over from a
 * discarded tape. */
uint32_t sonde_parents_claim(struct sonde_parents *c, struct sonde_pooled *pooled,
                             const struct sonde_coverage_view *view)
{
    sonde_owners_grow(&c->owners, view->n_ids);
    for (size_t i = 0; i < view->n_features; i++) {
        uint32_t feature = view->features[i].id;
        if (sonde_owners_may_take(&c->owners, feature, pooled->owner.is_valid))
            sonde_owners_take(&c->owners, feature, &pooled->owner);
    }
    return pooled->owner.owns;
}

/* ---- The niches of a run */

/* Returns the length class of a tape; a class spans three doublings. */
static uint32_t length_class(const struct sonde_tape *t)
{
    return (31 - (uint32_t)__builtin_clz(t->n_choices | 1)) / 3;
}

/* Returns a deed: a location together with how often it was passed, up to SONDE_NICHE_CLASSES. */
static uint32_t deed_of(const struct sonde_feature *f)
{
    uint32_t value = f->value < SONDE_NICHE_CLASSES ? f->value : SONDE_NICHE_CLASSES;
    return f->id * SONDE_NICHE_CLASSES + value - 1;
}

enum {
    RAREST = 6,   /* maximum number of niches that a run enters: of its rarest deeds */
    SHAPES = 4096 /* number of deeds for shapes; a few shapes may share a deed */
};

/* Finds the run's deeds that the fewest valid runs did, rarest first; returns how many. Also counts all deeds of the
 * run. */
static uint32_t find_rarest(struct sonde_parents *c, const struct sonde_coverage_view *view, uint32_t *rarest)
{
    uint32_t n = 0, least[RAREST];
    c->hits = sonde_grow_zeroed(c->hits, &c->cap_hits, (size_t)view->n_ids * SONDE_NICHE_CLASSES, sizeof *c->hits);
    for (size_t i = 0; i < view->n_features; i++) {
        if (view->features[i].kind != SONDE_FEATURE_COUNTER || view->features[i].value == 0) continue;
        /* Insertion into a sorted array of six; a new deed comes after equally rare deeds. */
        uint32_t deed = deed_of(&view->features[i]), hits = ++c->hits[deed], k = n < RAREST ? n++ : RAREST;
        for (; k > 0 && least[k - 1] > hits; k--)
            if (k < RAREST) rarest[k] = rarest[k - 1], least[k] = least[k - 1];
        if (k < RAREST) rarest[k] = deed, least[k] = hits;
    }
    return n;
}

/* ---- Entering niches */

static bool is_member(const struct sonde_niche *niche, uint64_t identity)
{
    for (uint32_t i = 0; i < niche->n; i++)
        if (niche->identities[i] == identity) return true;
    return false;
}

/* Returns whether a niche has no room for the tape. A niche of large tapes holds fewer tapes, because there are as many
 * niches of large tapes as of small ones. */
static bool is_full(const struct sonde_niche *niche, const struct sonde_tape *tape)
{
    enum { NICHE_BYTES = 1 << 16 }; /* bytes of a niche's tapes together; one tape is always allowed */
    return niche->n == SONDE_NICHE_TAPES || (niche->n && (niche->n + 1) * sonde_tape_bytes(tape) > NICHE_BYTES);
}

/* Returns the position in a niche for the run's tape, whose size is `size`; SONDE_NICHE_TAPES if the tape does not
 * enter. */
static uint32_t place_in(struct sonde_parents *c, struct sonde_niche *niche, const struct sonde_run *run, uint64_t size,
                         struct sonde_rng *rng)
{
    if (is_member(niche, run->observation->identity)) return SONDE_NICHE_TAPES;
    if (!is_full(niche, run->tape)) return niche->n++;
    uint32_t place = (uint32_t)sonde_rng_upto(rng, niche->n - 1);
    /* Tapes that are not larger always enter. Larger ones enter sometimes, so that a niche keeps changing. */
    if (size > niche->sizes[place] && sonde_rng_unit(rng) >= larger_wins) return SONDE_NICHE_TAPES;
    leave_niche(c, niche->tapes[place]);
    return place;
}

/* Counts the shape of a run as its only deed, in *deed, because without counters only the shape is known. Returns 1. */
static uint32_t find_shape(struct sonde_parents *c, const struct sonde_tape *tape, uint32_t *deed)
{
    c->hits = sonde_grow_zeroed(c->hits, &c->cap_hits, SHAPES, sizeof *c->hits);
    *deed = (uint32_t)(sonde_tape_levels(tape).shape % SHAPES);
    c->hits[*deed]++;
    return 1;
}

/* Enters up to six niches of one length class. All niches share one entry, created when the first niche takes the
 * tape. */
bool sonde_parents_offer(struct sonde_parents *c, const struct sonde_run *run, struct sonde_rng *rng)
{
    const struct sonde_coverage_view *view = run->observation->coverage;
    uint32_t rarest[RAREST], n = view ? find_rarest(c, view, rarest) : find_shape(c, run->tape, rarest);
    struct sonde_resident *new = NULL;
    bool is_new = false;
    if (is_too_large(c, run->tape)) return false;
    uint64_t class = length_class(run->tape), size = sonde_tape_size(run->tape);
    make_room(c);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t key = (uint64_t)rarest[i] << 8 | class;
        struct sonde_niche *niche = find_niche(c, key);
        is_new |= niche == NULL;
        if (!niche) niche = add_niche(c, key, rarest[i]);
        uint32_t place = place_in(c, niche, run, size, rng);
        if (place == SONDE_NICHE_TAPES) continue;
        if (!new) new = new_resident(c, run);
        new->homes++;
        niche->tapes[place] = new;
        niche->identities[place] = run->observation->identity;
        niche->sizes[place] = size;
    }
    return is_new;
}

/* ---- Picking */

struct sonde_pooled *sonde_parents_newest(const struct sonde_parents *c, enum sonde_pool p, uint32_t back)
{
    return back < c->pools[p].n ? c->pools[p].tapes[c->pools[p].n - 1 - back] : NULL;
}

/* Returns the cost of a mutant. */
static uint64_t charge(const struct sonde_kept *k)
{
    return PICK_COST + k->tape.n_choices;
}

/* The result is in units of an ordinary small case, so that callers can compare it with a number of picks. */
double sonde_parents_heat(const struct sonde_pooled *p)
{
    enum { SMALL = 16 }; /* choices of an ordinary small case */
    return (double)p->spent / (PICK_COST + SMALL);
}

double sonde_parents_charge(struct sonde_pooled *p)
{
    p->picks++;
    p->spent += charge(p->kept);
    return sonde_parents_heat(p);
}

static struct sonde_pooled *any_tape(const struct sonde_parents *c, enum sonde_pool p, struct sonde_rng *rng)
{
    return c->pools[p].tapes[sonde_rng_upto(rng, c->pools[p].n - 1)];
}

/* Tournament selection: draws `rivals` tapes at random, and picks the one on which the least was spent. */
struct sonde_pooled *sonde_parents_pick(struct sonde_parents *c, enum sonde_pool p, struct sonde_rng *rng,
                                        unsigned rivals)
{
    if (c->pools[p].n == 0) return NULL;
    struct sonde_pooled *best = any_tape(c, p, rng);
    for (unsigned i = 1; i < rivals; i++) {
        struct sonde_pooled *k = any_tape(c, p, rng);
        if (k->spent < best->spent) best = k;
    }
    best->picks++;
    best->spent += charge(best->kept);
    return best;
}

static struct sonde_niche *any_niche(const struct sonde_parents *c, struct sonde_rng *rng)
{
    return &c->niches[sonde_rng_upto(rng, c->n_niches - 1)];
}

const struct sonde_kept *sonde_parents_pick_niche(struct sonde_parents *c, struct sonde_rng *rng, unsigned rivals)
{
    if (c->n_niches == 0) return NULL;
    struct sonde_niche *best = any_niche(c, rng);
    for (unsigned i = 1; i < rivals; i++) {
        struct sonde_niche *niche = any_niche(c, rng);
        if (invested(c, niche) < invested(c, best)) best = niche;
    }
    const struct sonde_kept *k = best->tapes[sonde_rng_upto(rng, best->n - 1)]->kept;
    best->spent += charge(k);
    return k;
}

/* Used for splicing, which takes parts from this tape and does not mutate it. */
const struct sonde_kept *sonde_parents_any(const struct sonde_parents *c, struct sonde_rng *rng)
{
    uint32_t n = c->pools[SONDE_POOL_VALID].n;
    /* Half of the results come from niches, half from the pool, if both have tapes. */
    if (c->n_niches && (n == 0 || sonde_rng_upto(rng, 1))) {
        const struct sonde_niche *niche = &c->niches[sonde_rng_upto(rng, c->n_niches - 1)];
        return niche->tapes[sonde_rng_upto(rng, niche->n - 1)]->kept;
    }
    if (n) return c->pools[SONDE_POOL_VALID].tapes[sonde_rng_upto(rng, n - 1)]->kept;
    n = c->pools[SONDE_POOL_DISCARDED].n;
    return n ? c->pools[SONDE_POOL_DISCARDED].tapes[sonde_rng_upto(rng, n - 1)]->kept : NULL;
}

/* ---- Checks */

#ifdef SONDE_CHECKED

/* Sums over all entries, which the checks compare with the counters. */
struct sums {
    size_t bytes;
    uint64_t homes;
};

static void check_tape(const struct sonde_kept *k, struct sums *sums)
{
    sonde_assert(k->refs > 0);
    sonde_tape_check(&k->tape);
    sums->bytes += sonde_kept_bytes(&k->tape);
}

/* Returns whether `niche` is the first niche that holds r: a tape in several niches is counted once. */
static bool is_first_home(const struct sonde_parents *c, uint32_t niche, const struct sonde_resident *r)
{
    for (uint32_t i = 0; i < niche; i++)
        for (uint32_t j = 0; j < c->niches[i].n; j++)
            if (c->niches[i].tapes[j] == r) return false;
    return true;
}

static void check_niche(const struct sonde_parents *c, uint32_t i, struct sums *sums)
{
    enum { CLOSELY = 64 }; /* with more niches than this, is_first_home would take too long */
    const struct sonde_niche *niche = &c->niches[i];
    sonde_assert(niche->n > 0 && niche->n <= SONDE_NICHE_TAPES && niche->deed < c->cap_hits);
    sonde_assert(find_niche(c, niche->key) == niche);
    for (uint32_t k = 0; k < niche->n; k++) {
        sonde_assert(niche->tapes[k]->homes > 0 && niche->tapes[k]->kept->identity == niche->identities[k]);
        if (c->n_niches > CLOSELY) continue;
        if (is_first_home(c, i, niche->tapes[k]))
            check_tape(niche->tapes[k]->kept, sums), sums->homes += niche->tapes[k]->homes;
    }
}

void sonde_parents_check(const struct sonde_parents *c)
{
    struct sums sums = {0};
    uint64_t homes = 0;
    for (int p = 0; p < SONDE_POOL_COUNT; p++) {
        sonde_assert(c->pools[p].n <= c->pools[p].cap);
        for (uint32_t i = 0; i < c->pools[p].n; i++) {
            check_tape(c->pools[p].tapes[i]->kept, &sums);
        }
    }
    for (uint32_t i = 0; i < c->n_niches; i++) check_niche(c, i, &sums), homes += c->niches[i].n;
    sonde_owners_check(&c->owners);
    sonde_assert(sums.bytes <= c->bytes);
    if (sums.homes) sonde_assert(sums.homes == homes && sums.bytes == c->bytes);
}

#endif
