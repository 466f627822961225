/* See spread.h. */
#include "guide/spread.h"

#include "base/mem.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { TRIES = 48, FEW_TRIES = 3, SWEEP = 48, START_BUDGET = 40 };
static const double later_budget = 0.02, explore = 0.3, memory = 512;

void sonde_spread_init(struct sonde_spread *s, struct sonde_rng *rng, struct sonde_region *region,
                       struct sonde_mutate *mutate, size_t limit)
{
    memset(s, 0, sizeof *s);
    s->rng = rng;
    s->region = region;
    s->mutate = mutate;
    s->limit = limit;
    s->max_seeds = SONDE_SPREAD_SEEDS;
    s->inside = 1;
    s->blobs_kept = s->blobs_fresh = 0.5;
}

void sonde_spread_clear(struct sonde_spread *s)
{
    for (uint32_t i = 0; i < s->n_seeds; i++) {
        sonde_tape_clear(&s->seeds[i]->tape);
        sonde_free(s->seeds[i]);
    }
}

static bool chance(struct sonde_spread *s, double p)
{
    return sonde_rng_unit(s->rng) < p;
}

static struct sonde_seed *any_seed(struct sonde_spread *s)
{
    return s->seeds[sonde_rng_upto(s->rng, s->n_seeds - 1)];
}

/* One of the same shape; NULL if a few attempts find none. */
static const struct sonde_seed *sibling(struct sonde_spread *s, const struct sonde_seed *of)
{
    for (int i = 0; i < 8; i++) {
        const struct sonde_seed *other = any_seed(s);
        if (other != of && other->point.shape == of->point.shape) return other;
    }
    return NULL;
}

/* ---- Candidates: values in s->x for the choices that matter */

static bool is_structure(const struct sonde_choice *c)
{
    return c->kind == SONDE_KIND_LENGTH || c->kind == SONDE_KIND_SIZE;
}

/* Evenly from the domain; what has a distribution of its own as some seed has it. */
static double any_value(struct sonde_spread *s, uint32_t choice)
{
    const struct sonde_tape *tape = &s->parent->tape;
    struct sonde_choice c = tape->choices[s->where[choice]];
    if (c.kind == SONDE_KIND_CHANCE || c.kind == SONDE_KIND_WEIGHTED) {
        const struct sonde_seed *other = sibling(s, s->parent);
        return other ? other->point.values[choice] : s->x[choice];
    }
    if (c.kind == SONDE_KIND_DOUBLE) {
        struct sonde_double_bounds b = sonde_choice_bounds(tape, &c);
        if (!isinf(b.hi)) return b.lo + sonde_rng_unit(s->rng) * (b.hi - b.lo);
    }
    c.index = sonde_rng_upto(s->rng, c.max);
    return sonde_choice_number(tape, &c);
}

static enum sonde_region_answer judge(const struct sonde_spread *s)
{
    return sonde_region_judge(s->region, s->x, s->parent->point.n, &s->parent->point);
}

static void begin_with(struct sonde_spread *s, struct sonde_seed *parent)
{
    s->parent = parent;
    sonde_region_read(s->region, &parent->tape, &s->scratch, s->where);
    memcpy(s->x, s->scratch.values, sizeof s->x);
    s->n_matters = 0;
    for (uint32_t i = 0; i < s->region->n_choices; i++) {
        if (s->where[i] == UINT32_MAX || is_structure(&parent->tape.choices[s->where[i]])) continue;
        if (sonde_region_matters(s->region, i)) s->matters[s->n_matters++] = i;
    }
}

/* An even candidate with this answer; false if there was none. */
static bool even_candidate(struct sonde_spread *s, enum sonde_region_answer wanted)
{
    int tries = s->inside < 0.01 && !chance(s, 0.1) ? FEW_TRIES : TRIES;
    for (int i = 0; i < tries; i++) {
        for (uint32_t k = 0; k < s->n_matters; k++) s->x[s->matters[k]] = any_value(s, s->matters[k]);
        enum sonde_region_answer answer = judge(s);
        s->inside += 0.01 * ((answer == SONDE_REGION_IN) - s->inside);
        if (answer == wanted) return true;
    }
    memcpy(s->x, s->scratch.values, sizeof s->x);
    return false;
}

/* Takes the choices of one assume from another seed. */
static void copy_block(struct sonde_spread *s, const struct sonde_seed *other)
{
    const struct sonde_region *r = s->region;
    const struct sonde_region_assume *a = &r->assumes[sonde_rng_upto(s->rng, r->n_assumes - 1)];
    for (uint32_t i = 0; i < a->n_matters; i++) {
        uint32_t c = a->matters[i];
        if (s->where[c] != UINT32_MAX && !is_structure(&s->parent->tape.choices[s->where[c]]))
            s->x[c] = other->point.values[c];
    }
}

/* Changes what the model allows, one after another; false if nothing changed. */
static bool walk(struct sonde_spread *s)
{
    double before[SONDE_REGION_CHOICES];
    bool changed = false;
    for (int i = 0; i < SWEEP && s->n_matters; i++) {
        const struct sonde_seed *other = i % 4 == 3 ? sibling(s, s->parent) : NULL;
        memcpy(before, s->x, sizeof before);
        uint32_t c = s->matters[sonde_rng_upto(s->rng, s->n_matters - 1)];
        if (other) copy_block(s, other);
        else s->x[c] = any_value(s, c);
        bool same = memcmp(before, s->x, sizeof before) == 0;
        if (judge(s) != SONDE_REGION_IN) memcpy(s->x, before, sizeof before);
        else changed |= !same;
    }
    return changed;
}

/* One or a few choices of a seed anew, where the model knows nothing. */
static bool step(struct sonde_spread *s)
{
    for (int i = 0; i < TRIES && s->n_matters; i++) {
        memcpy(s->x, s->scratch.values, sizeof s->x);
        do {
            uint32_t c = s->matters[sonde_rng_upto(s->rng, s->n_matters - 1)];
            s->x[c] = any_value(s, c);
        } while (chance(s, 0.5));
        if (judge(s) == SONDE_REGION_OPEN) return true;
    }
    return false;
}

static bool difference(struct sonde_spread *s)
{
    const struct sonde_seed *p = sibling(s, s->parent), *q = sibling(s, s->parent);
    if (!p || !q || p == q) return false;
    bool changed = false;
    for (uint32_t i = 0; i < s->n_matters; i++) {
        uint32_t c = s->matters[i];
        double by = q->point.values[c] - p->point.values[c];
        s->x[c] += by;
        changed |= by != 0;
    }
    return changed && judge(s) != SONDE_REGION_OUT;
}

/* ---- Which way */

static double rate(const struct sonde_spread *s, enum sonde_spread_way way)
{
    return (s->ways[way].valid + 1) / (s->ways[way].tried + 2);
}

static bool may_lose(const struct sonde_spread *s)
{
    return (double)s->lost < START_BUDGET + later_budget * (double)s->cases;
}

static bool try_way(struct sonde_spread *s, enum sonde_spread_way way)
{
    memcpy(s->x, s->scratch.values, sizeof s->x);
    s->way = way;
    switch (way) {
    case SONDE_WAY_INSIDE: return even_candidate(s, SONDE_REGION_IN);
    case SONDE_WAY_WALK: return walk(s);
    case SONDE_WAY_OPEN: return even_candidate(s, SONDE_REGION_OPEN);
    case SONDE_WAY_STEP: return step(s);
    case SONDE_WAY_DIFFERENCE: return difference(s);
    default: return true;
    }
}

/* Of the uncertain ways the one that earned most, or, when exploring, any. */
static void uncertain(struct sonde_spread *s, bool exploring)
{
    static const enum sonde_spread_way ways[] = {SONDE_WAY_OPEN, SONDE_WAY_STEP, SONDE_WAY_DIFFERENCE, SONDE_WAY_MUTANT};
    enum { N = sizeof ways / sizeof *ways };
    bool failed[N] = {false};
    for (int round = 0; round < N; round++) {
        int best = -1;
        double most = -1;
        for (int i = 0; i < N; i++) {
            double score = exploring ? sonde_rng_unit(s->rng) * (rate(s, ways[i]) + 0.1) : rate(s, ways[i]);
            if (!failed[i] && score > most) best = i, most = score;
        }
        if (try_way(s, ways[best])) return;
        failed[best] = true;
    }
    s->way = SONDE_WAY_MUTANT;
}

static void choose_way(struct sonde_spread *s)
{
    bool exploring = may_lose(s) && chance(s, explore);
    if (exploring) {
        uncertain(s, true);
        return;
    }
    if (try_way(s, SONDE_WAY_INSIDE) || try_way(s, SONDE_WAY_WALK)) return;
    uncertain(s, false);
}

/* ---- Scripts */

static void write_script(struct sonde_spread *s, struct sonde_tape *script)
{
    bool matters[SONDE_REGION_CHOICES] = {false};
    for (uint32_t i = 0; i < s->n_matters; i++) matters[s->matters[i]] = true;
    for (uint32_t i = 0; i < s->region->n_choices; i++) {
        uint32_t at = s->where[i];
        if (at == UINT32_MAX || is_structure(&script->choices[at])) continue;
        if (!matters[i]) script->choices[at].flags |= SONDE_CHOICE_HOLE;
        else if (s->x[i] != s->scratch.values[i]) sonde_choice_set_number(script, at, s->x[i]);
    }
    double kept = s->blobs_kept * s->blobs_kept, fresh = s->blobs_fresh * s->blobs_fresh;
    s->has_fresh_blobs = chance(s, fresh / (kept + fresh));
    if (!s->has_fresh_blobs) return;
    for (uint32_t i = 0; i < script->n_choices; i++)
        if (script->choices[i].kind == SONDE_KIND_BLOB) script->choices[i].flags |= SONDE_CHOICE_HOLE;
}

bool sonde_spread_next(struct sonde_spread *s, struct sonde_tape *script)
{
    if (s->n_seeds == 0) return false;
    s->used = 0;
    s->cases++;
    s->parent = NULL;
    if (may_lose(s) && sonde_region_ask(s->region, script)) {
        s->way = SONDE_WAY_ASK;
        return true;
    }
    begin_with(s, any_seed(s));
    choose_way(s);
    sonde_tape_copy(script, &s->parent->tape);
    if (s->way == SONDE_WAY_MUTANT) s->used = sonde_mutate(s->mutate, script);
    else write_script(s, script);
    return true;
}

/* ---- Learning */

static void earn(struct sonde_spread *s, bool is_valid)
{
    s->ways[s->way].tried++;
    s->ways[s->way].valid += is_valid;
    s->ways[s->way].all_tried++;
    s->ways[s->way].all_valid += is_valid;
    if (s->ways[s->way].tried >= memory) s->ways[s->way].tried /= 2, s->ways[s->way].valid /= 2;
    if (!is_valid && s->way != SONDE_WAY_INSIDE && s->way != SONDE_WAY_WALK) s->lost++;
    if (s->way == SONDE_WAY_INSIDE || s->way == SONDE_WAY_WALK) {
        double *rate_of = s->has_fresh_blobs ? &s->blobs_fresh : &s->blobs_kept;
        *rate_of += 0.05 * (is_valid - *rate_of);
        if (*rate_of < 0.02) *rate_of = 0.02;
    }
    if (s->used) sonde_mutate_reward(s->mutate, s->used, is_valid);
}

/* A seed's place goes to its child, so that every chain lives on; a stranger takes a free place, or any. */
static void keep(struct sonde_spread *s, const struct sonde_run *run, const struct sonde_region_point *point, bool own)
{
    struct sonde_seed *seed = own ? s->parent : NULL;
    if (!seed || seed->point.shape != point->shape) {
        if (s->n_seeds < s->max_seeds) {
            seed = s->seeds[s->n_seeds++] = sonde_calloc(1, sizeof *seed);
            sonde_tape_init(&seed->tape);
        } else {
            seed = any_seed(s);
            if (!own && !chance(s, 0.1)) return;
        }
    }
    s->bytes += sonde_tape_bytes(run->tape);
    s->bytes -= sonde_tape_bytes(&seed->tape);
    if (s->bytes > s->limit && s->max_seeds == SONDE_SPREAD_SEEDS) s->max_seeds = s->n_seeds;
    sonde_tape_copy(&seed->tape, run->tape);
    seed->point = *point;
}

void sonde_spread_learn(struct sonde_spread *s, const struct sonde_run *run, const struct sonde_region_point *point,
                        bool own)
{
    bool is_valid = run->observation->verdict == SONDE_VALID || run->observation->verdict == SONDE_FAILED;
    if (own) earn(s, is_valid);
    if (is_valid) keep(s, run, point, own);
}

void sonde_spread_stats(const struct sonde_spread *s, FILE *out)
{
    static const char *const names[] = {"inside", "walk", "open", "step", "difference", "mutant", "ask"};
    for (int i = 0; i < SONDE_WAY_COUNT; i++)
        fprintf(out, " %s=%" PRIu64 "/%" PRIu64, names[i], s->ways[i].all_valid, s->ways[i].all_tried);
    fprintf(out, " seeds=%" PRIu32 " lost=%" PRIu64, s->n_seeds, s->lost);
}
