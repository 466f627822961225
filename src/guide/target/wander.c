/* See wander.h. */
#include "guide/target/wander.h"

#include "base/hash.h"
#include "base/mem.h"
#include "guide/guides.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    PLANS = 12,     /* number of plans of which one is taken */
    ATTEMPTS = 12,  /* number of attempts to make a new case before a known case is run */
    MAKES = 4,      /* number of plans tried one after the other if a plan cannot be made */
    SIBLINGS = 12,  /* number of seeds among which one of the same shape is searched */
    PARENTS = 4,    /* number of seeds that are compared to choose a parent */
    RESHAPED = 16,  /* number of seeds that are compared to choose one whose shape shall change */
    MEMORY = 512,   /* a rate covers about this many tries */
    PATIENCE = 200, /* after this many searches without a new shape, the share of cases that search has halved */
    TRUST = 3       /* this many tries of a key weigh as much as the rate of its kind of move */
};
static const double reshape_max = 0.05; /* share of cases that search for new shapes, as long as such cases find some */
static const double least_stray = 0.02; /* share of cases that explore, however well moves succeed */
static const double weight_rate = 0.02; /* weight of one case in the rate of success, which covers about fifty cases */
static const double weight_worth = 0.05; /* weight of one case in the worth of a shape, which has fewer cases */
/* a plan that made a known input counts as this part of a try, since no case ran */
static const double known_cost = 0.25;
static const double known_worth = 0.99; /* factor of the shape's worth after a known input: the shape may be used up */
static const double least_worth = 0.02; /* minimum worth of a shape, so that no shape is given up */
/* share of moves to a new shape that change a number which changed a shape before */
static const double shaper_share = 0.3;
static const double foreign_share = 0.1; /* share of valid inputs of other guides that replace a seed */
static const double stray = 0.3;         /* share of cases that explore, if no move succeeds */
static const double strides = 0.8;       /* probability of one more move in a case, if all moves succeed */
#define NO_SEED UINT32_MAX

void sonde_wander_init(struct sonde_wander *w, const struct sonde_guide_setup *setup, struct sonde_rng *rng,
                       struct sonde_region *region, struct sonde_mutate *mutate, size_t limit)
{
    memset(w, 0, sizeof *w);
    w->rng = rng;
    w->region = region;
    w->corpus = setup->corpus;
    w->limit = limit;
    w->max_seeds = SONDE_WANDER_SEEDS;
    w->rate = 0.5;
    w->parent = NO_SEED;
    for (int i = 0; i < SONDE_WANDER_SHAPES; i++) w->worth[i] = 1;
    sonde_moves_init(&w->moves, rng, mutate);
    sonde_seen_init(&w->seen);
    sonde_tape_init(&w->broken);
}

void sonde_wander_clear(struct sonde_wander *w)
{
    for (uint32_t i = 0; i < w->n_seeds; i++) sonde_corpus_drop(w->corpus, w->seeds[i].kept);
    sonde_moves_clear(&w->moves);
    sonde_seen_clear(&w->seen);
    sonde_tape_clear(&w->broken);
}

static uint32_t below(struct sonde_wander *w, uint32_t n)
{
    return (uint32_t)sonde_rng_upto(w->rng, n - 1);
}

static bool chance(struct sonde_wander *w, double p)
{
    return sonde_rng_unit(w->rng) < p;
}

static double fourth(double x)
{
    return x * x * x * x;
}

/* ---- Seeds */

static uint64_t shape_of(const struct sonde_tape *t)
{
    uint64_t h = t->n_choices;
    for (uint32_t i = 0; i < t->n_choices; i++) {
        const struct sonde_choice *c = &t->choices[i];
        h = sonde_hash_add(h, ((uint64_t)c->site << 32) ^ (c->kind == SONDE_KIND_BLOB ? c->index : c->max));
    }
    return sonde_mix(h);
}

static uint32_t bucket_of(const struct sonde_tape *t)
{
    uint64_t h = t->n_choices;
    for (uint32_t i = 0; i < t->n_choices; i++)
        if (t->choices[i].kind == SONDE_KIND_BLOB) h = sonde_hash_add(h, t->choices[i].index);
    return (uint32_t)(sonde_mix(h) % SONDE_WANDER_SHAPES);
}

static double promise(const struct sonde_wander *w, uint32_t seed)
{
    uint32_t b = w->seeds[seed].bucket;
    return fmax(w->worth[b], least_worth) / sqrt(w->n_of[b]);
}

static uint32_t pick_parent(struct sonde_wander *w)
{
    uint32_t best = below(w, w->n_seeds);
    for (int i = 1; i < PARENTS; i++) {
        uint32_t s = below(w, w->n_seeds);
        if (promise(w, s) > promise(w, best)) best = s;
    }
    return best;
}

/* Draws a few seeds and returns the one whose bucket was reshaped least often. */
static uint32_t pick_to_reshape(struct sonde_wander *w)
{
    uint32_t best = below(w, w->n_seeds);
    for (int i = 1; i < RESHAPED; i++) {
        uint32_t s = below(w, w->n_seeds);
        if (w->reshaped[w->seeds[s].bucket] < w->reshaped[w->seeds[best].bucket]) best = s;
    }
    w->reshaped[w->seeds[best].bucket]++;
    return best;
}

/* Sets the tapes that moves may copy from. */
static void find_others(struct sonde_wander *w, uint32_t parent)
{
    struct sonde_moves *m = &w->moves;
    m->other = &w->seeds[below(w, w->n_seeds)].kept->tape;
    m->like[0] = m->like[1] = NULL;
    for (int i = 0; i < SIBLINGS && !m->like[1]; i++) {
        uint32_t s = below(w, w->n_seeds);
        if (s == parent || w->seeds[s].shape != w->seeds[parent].shape) continue;
        if (!m->like[0]) m->like[0] = &w->seeds[s].kept->tape;
        else if (m->like[0] != &w->seeds[s].kept->tape) m->like[1] = &w->seeds[s].kept->tape;
    }
}

/* ---- Rates */

static struct sonde_wander_rate *rate_at(struct sonde_wander *w, uint32_t key)
{
    struct sonde_wander_rate *r = &w->keys[key % SONDE_WANDER_KEYS];
    if (r->key != key) *r = (struct sonde_wander_rate){.key = key};
    return r;
}

static double rate_of_kind(const struct sonde_wander *w, uint32_t move)
{
    return (w->kinds[move].won + 1) / (w->kinds[move].tried + 2);
}

static double rate_of(struct sonde_wander *w, const struct sonde_move_plan *p)
{
    const struct sonde_wander_rate *key = rate_at(w, p->key);
    return (key->won + TRUST * rate_of_kind(w, p->move)) / (key->tried + TRUST);
}

static void pay_one(struct sonde_wander_rate *r, double tries, bool won)
{
    r->tried += tries;
    r->won += won ? tries : 0;
    if (r->tried >= MEMORY) r->tried /= 2, r->won /= 2;
}

static void pay(struct sonde_wander *w, const struct sonde_move_plan *p, double tries, bool won)
{
    pay_one(&w->kinds[p->move], tries, won);
    pay_one(rate_at(w, p->key), tries, won);
}

/* ---- The next case */

/* Returns a random index, by weight. */
static uint32_t pick(struct sonde_wander *w, const double *weights, uint32_t n)
{
    double sum = 0;
    for (uint32_t k = 0; k < n; k++) sum += weights[k];
    double at = sonde_rng_unit(w->rng) * sum;
    uint32_t k = 0;
    while (k + 1 < n && at >= weights[k]) at -= weights[k++];
    return k;
}

/* Returns a cell of a site that changed a shape before; UINT32_MAX if there is none. */
static uint32_t find_shaper(struct sonde_wander *w)
{
    uint32_t n = w->moves.n_cells, start = n ? below(w, n) : 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t at = start + k < n ? start + k : start + k - n, site = w->moves.cells[at].group;
        if (w->shapers[site % SONDE_WANDER_SHAPERS] == site) return at;
    }
    return UINT32_MAX;
}

/* Returns a random kind of move from `first` on; if it does not explore, the better of two. */
static enum sonde_move any_move(struct sonde_wander *w, uint32_t first, bool explores)
{
    uint32_t a = first + below(w, SONDE_MOVE_COUNT - first), b = first + below(w, SONDE_MOVE_COUNT - first);
    return (enum sonde_move)(!explores && rate_of_kind(w, b) > rate_of_kind(w, a) ? b : a);
}

/* Takes one of a dozen plans, by their success; returns false if no plan is possible. */
static bool plan_well(struct sonde_wander *w, const struct sonde_tape *script, bool explores, bool reshapes,
                      struct sonde_move_plan *plan)
{
    struct sonde_move_plan plans[PLANS];
    double weights[PLANS];
    uint32_t n = 0, first = reshapes ? SONDE_MOVE_BETWEEN : 0;
    for (int k = 0; k < PLANS; k++) {
        if (!sonde_move_plan(&w->moves, script, any_move(w, first, explores), &plans[n])) continue;
        weights[n] = explores ? 1 : fourth(rate_of(w, &plans[n]));
        n++;
    }
    if (n) *plan = plans[pick(w, weights, n)];
    return n > 0;
}

static bool make_move(struct sonde_wander *w, struct sonde_tape *script, bool explores, bool reshapes)
{
    struct sonde_move_plan p;
    sonde_moves_read(&w->moves, script);
    uint32_t shaper = reshapes && chance(w, shaper_share) ? find_shaper(w) : UINT32_MAX;
    if (shaper != UINT32_MAX) {
        sonde_move_plan_at(&w->moves, script, chance(w, 0.5) ? SONDE_MOVE_STEP : SONDE_MOVE_EVEN, shaper, &p);
        if (chance(w, 0.5)) p.bits = 0;
    } else if (!plan_well(w, script, explores, reshapes, &p)) return false;
    if (!sonde_move_make(&w->moves, &p, script)) return false;
    w->used |= w->moves.used;
    w->made[w->n_made++] = p;
    if (w->n_made == 1) w->site = w->moves.n_cells && p.i < w->moves.n_cells ? w->moves.cells[p.i].group : 0;
    return true;
}

/* Compensates for the new shape by another number. A length field goes up by one or to any value, or an element loses
 * what a new element got, so that the total stays. A site is chosen first, or the numbers of a long list would get
 * nearly all tries. */
static void compensate(struct sonde_wander *w, const struct sonde_tape *from, struct sonde_tape *script)
{
    struct sonde_moves *m = &w->moves;
    struct sonde_move_plan p;
    sonde_moves_read(m, script);
    if (!m->n_groups) return;
    uint32_t site = m->groups[below(w, m->n_groups)], at = below(w, m->n_cells);
    while (m->cells[at].group != site) at = at ? at - 1 : m->n_cells - 1;
    double by = sonde_move_total(from, site) - sonde_move_total(script, site);
    if (by != 0 && chance(w, 0.5)) {
        sonde_move_shift(script, &m->cells[at], by);
        return;
    }
    sonde_move_plan_at(m, script, chance(w, 0.5) ? SONDE_MOVE_STEP : SONDE_MOVE_EVEN, at, &p);
    if (chance(w, 0.5)) p.bits = 0;
    if (sonde_move_make(m, &p, script)) w->made[w->n_made++] = p;
}

/* Makes a case from a parent. A move that cannot be made may have damaged the script, so the script is copied again. */
static void make_case(struct sonde_wander *w, struct sonde_tape *script)
{
    double loss = 1 - w->rate, share = least_stray + stray * loss * loss * loss;
    bool explores = chance(w, share), reshapes = w->reshapes || chance(w, share);
    uint32_t moves = 1;
    while (moves < SONDE_WANDER_MOVES && chance(w, strides * fourth(w->rate))) moves++;
    w->explores = explores || reshapes;
    w->n_made = w->used = 0;
    w->parent = reshapes ? pick_to_reshape(w) : pick_parent(w);
    find_others(w, w->parent);
    const struct sonde_tape *from = &w->seeds[w->parent].kept->tape;
    sonde_tape_copy(script, from);
    for (int i = 0; i < (reshapes ? PLANS : MAKES) && !w->n_made; i++)
        if (!make_move(w, script, explores || w->reshapes, reshapes)) sonde_tape_copy(script, from);
    if (reshapes && w->n_made && chance(w, 0.5)) compensate(w, from, script);
    else
        for (uint32_t k = 1; k < moves && w->n_made == k; k++) make_move(w, script, false, false);
}

/* Repairs the last case, in which an assume failed by a whole number: another number moves by that distance. Returns
 * false if no plan promises enough or the result was run before. */
static bool repair(struct sonde_wander *w, struct sonde_tape *script)
{
    struct sonde_move_plan plans[PLANS];
    double weights[PLANS], best = 0;
    uint32_t n = 0;
    w->is_broken = false;
    sonde_moves_read(&w->moves, &w->broken);
    for (int k = 0; k < PLANS && w->moves.n_cells > 1; k++) {
        struct sonde_move_plan *p = &plans[n];
        *p = (struct sonde_move_plan){.move = SONDE_MOVE_REPAIR, .i = below(w, w->moves.n_cells)};
        p->sign = chance(w, 0.5) ? 1 : -1;
        uint64_t sites = (uint64_t)w->moves.cells[p->i].group << 32 | w->broken_site;
        p->key =
            (uint32_t)sonde_mix(sonde_hash_add(sites, (uint64_t)w->broke.move << 4 | (uint64_t)(w->broke.sign + 1) << 2
                                                          | (uint64_t)(p->sign + 1)))
            | 1;
        if (!sonde_move_is_structural(w->broke.move) && p->i == w->broke.i) continue;
        best = fmax(best, rate_of(w, p));
        weights[n++] = fourth(rate_of(w, p));
    }
    if (!n || !chance(w, best)) return false;
    struct sonde_move_plan p = plans[pick(w, weights, n)];
    sonde_tape_copy(script, &w->broken);
    if (!sonde_move_shift(script, &w->moves.cells[p.i], p.sign * w->broken_by)) return false;
    if (sonde_seen_has(&w->seen, script)) return false;
    w->made[0] = p;
    w->n_made = 1;
    w->used = 0;
    w->parent = w->broken_parent;
    w->repairs = true;
    return true;
}

static bool is_refused(struct sonde_wander *w, const struct sonde_tape *script)
{
    for (uint32_t i = 0; i < script->n_choices; i++)
        if (script->choices[i].flags & SONDE_CHOICE_HOLE) return false;
    sonde_region_read(w->region, script, &w->point, NULL);
    return sonde_region_refuses(w->region, w->point.values, !w->explores);
}

bool sonde_wander_next(struct sonde_wander *w, struct sonde_tape *script)
{
    w->parent = NO_SEED;
    w->repairs = false;
    if (!w->n_seeds) return false;
    if (!w->reshapes && w->is_broken && repair(w, script)) return true;
    for (int i = 0; i < ATTEMPTS; i++) {
        make_case(w, script);
        if (w->n_made && !is_refused(w, script) && !sonde_seen_has(&w->seen, script)) return true;
        w->worth[w->seeds[w->parent].bucket] *= known_worth;
        for (uint32_t k = 0; k < w->n_made; k++) pay(w, &w->made[k], known_cost / w->n_made, false);
    }
    return true;
}

/* ---- Learning */

/* Returns a free entry; or, of a few random seeds, the one with the most common shape. */
static uint32_t entry_for(struct sonde_wander *w)
{
    if (w->n_seeds < w->max_seeds) {
        w->seeds[w->n_seeds] = (struct sonde_wander_seed){.kept = NULL};
        return w->n_seeds++;
    }
    uint32_t place = below(w, w->n_seeds);
    for (int i = 1; i < PARENTS; i++) {
        uint32_t s = below(w, w->n_seeds);
        if (w->n_of[w->seeds[s].bucket] > w->n_of[w->seeds[place].bucket]) place = s;
    }
    return place;
}

static void keep(struct sonde_wander *w, const struct sonde_run *run, bool own)
{
    uint64_t shape = shape_of(run->tape);
    bool follows = own && w->parent != NO_SEED && w->seeds[w->parent].shape == shape && w->n_seeds >= w->max_seeds / 4;
    if (!follows && !own && w->n_seeds == w->max_seeds && !chance(w, foreign_share)) return;
    struct sonde_wander_seed *seed = &w->seeds[follows ? w->parent : entry_for(w)];
    if (seed->kept) {
        w->n_of[seed->bucket]--;
        w->bytes -= sonde_tape_bytes(&seed->kept->tape);
        sonde_corpus_drop(w->corpus, seed->kept);
    }
    seed->kept = sonde_corpus_keep(w->corpus, run);
    seed->shape = shape;
    seed->bucket = bucket_of(run->tape);
    w->n_of[seed->bucket]++;
    w->bytes += sonde_tape_bytes(run->tape);
    if (w->bytes > w->limit && w->max_seeds == SONDE_WANDER_SEEDS) w->max_seeds = w->n_seeds;
}

static void note_broken(struct sonde_wander *w, const struct sonde_run *run)
{
    double by = run->observation->assume_distance;
    bool is_whole = by <= -1 && by == floor(by) && by > -1e15;
    w->is_broken = run->observation->verdict == SONDE_DISCARDED && !w->repairs && w->n_made == 1 && is_whole;
    if (!w->is_broken) return;
    w->broken_by = -by;
    w->broke = w->made[0];
    w->broken_site = w->site;
    w->broken_parent = w->parent;
    sonde_tape_copy(&w->broken, run->tape);
}

static void learn_own(struct sonde_wander *w, const struct sonde_run *run, bool won)
{
    double *worth = &w->worth[w->seeds[w->parent].bucket];
    if (!w->reshapes) *worth += weight_worth * (won - *worth);
    w->since_new_shape += w->reshapes;
    if (!w->explores || w->repairs) w->rate += weight_rate * (won - w->rate);
    for (uint32_t k = 0; k < w->n_made; k++) {
        pay(w, &w->made[k], won ? 1 : 1.0 / w->n_made, won);
        w->all_tried[w->made[k].move]++;
        w->all_won[w->made[k].move] += won;
    }
    bool is_number = w->made[0].move == SONDE_MOVE_EVEN || w->made[0].move == SONDE_MOVE_STEP;
    if (w->n_made == 1 && is_number && w->seeds[w->parent].kept->tape.n_choices != run->tape->n_choices)
        w->shapers[w->site % SONDE_WANDER_SHAPERS] = w->site;
    if (w->used) sonde_mutate_reward(w->moves.mutate, w->used, won);
    if (w->repairs && won) pay(w, &w->broke, 0.5, true);
    note_broken(w, run);
}

static void note_shape(struct sonde_wander *w, const struct sonde_tape *tape)
{
    uint64_t shape = shape_of(tape);
    uint32_t *place = &w->known[shape % SONDE_WANDER_KNOWN], tag = (uint32_t)(shape >> 32) | 1;
    if (*place != tag) w->since_new_shape = 0;
    *place = tag;
}

double sonde_wander_reshape_share(const struct sonde_wander *w)
{
    return w->n_seeds && w->varies ? reshape_max * PATIENCE / (PATIENCE + w->since_new_shape) : 0;
}

void sonde_wander_learn(struct sonde_wander *w, const struct sonde_run *run, bool own)
{
    bool is_valid = sonde_is_valid_input(run->observation);
    bool is_news = run->interest.reasons & SONDE_NEW_VALID;
    own = own && w->parent != NO_SEED;
    if (!w->n_choices) w->n_choices = run->tape->n_choices;
    w->varies |= w->n_choices != run->tape->n_choices;
    sonde_seen_add(&w->seen, run->tape);
    if (own) learn_own(w, run, is_news);
    if (is_valid) note_shape(w, run->tape);
    if (is_valid && (own || is_news || w->n_seeds < w->max_seeds)) keep(w, run, own);
}

void sonde_wander_stats(const struct sonde_wander *w, FILE *out)
{
    fprintf(out, " wander: seeds=%" PRIu32 " rate=%.2f", w->n_seeds, w->rate);
    for (int i = 0; i < SONDE_MOVE_COUNT; i++)
        if (w->all_tried[i])
            fprintf(out, " %s=%" PRIu64 "/%" PRIu64, sonde_move_names[i], w->all_won[i], w->all_tried[i]);
}
