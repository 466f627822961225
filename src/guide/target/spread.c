/* See spread.h. If the region has a question, that is the next case. Otherwise sonde_spread_next picks a seed, reads
 * its values (begin_with), changes some of them (choose_way), and writes the script. */
#include "guide/target/spread.h"

#include "base/mem.h"
#include "guide/guides.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define KNOB(name, field, ...) SONDE_KNOB(struct sonde_spread, field, name, __VA_ARGS__)

const struct sonde_knob sonde_spread_knobs[] = {
    KNOB("explore", explore, 0.5, 0, 1,
         "share of cases that try inputs about which the model knows nothing, as long as few cases turn out invalid",
         "bench/KNOBS.md, target"),
    {0},
};

enum {
    TRIES = 48,        /* number of candidates that are judged before a way is given up */
    FEW_TRIES = 3,     /* number of candidates judged if hardly any candidate is in the region */
    SWEEP = 48,        /* number of steps of a walk */
    CASE = 1000,       /* cost of a case besides what it executes */
    START_BUDGET = 40, /* number of invalid cases allowed in addition to a share of all cases */
    STEP_BITS = 40,    /* a step of two choices that keeps a sum is a power of two with an exponent below this */
    MEMORY = 512,      /* number of cases over which the success of a way is remembered */
    DOUBTS = 5,        /* about this many of the first cases are made without the model */
    CAUTION = 5        /* the share of cautious cases is this many times the share of misjudged cases */
};
/* maximum number of slopes examined to make a case, for each unit of its cost */
static const double work = 8;
/* The weight of one case in moving averages: */
/* in the share of even candidates that are taken to be valid: a case has dozens */
static const double weight_inside = 0.01;
static const double weight_misled = 0.02; /* in the share of cases that were wrongly taken to be valid: they are rare */
static const double weight_blobs = 0.05;  /* in the success of kept blobs, and of blobs drawn again */
static const double weight_news = 0.05;   /* in the worth of a seed, which has few children */
static const double weight_cost = 0.05;   /* in the cost of a case and of a judgement */
/* Shares: */
static const double lose = 0.02;        /* cases that may turn out invalid, in addition to START_BUDGET */
static const double strange = 0.01;     /* of the explore cases, any uncertain change, for inputs without spans */
static const double structured = 0.1;   /* the same for inputs with spans, whose shape may change */
static const double doubt = 0.01;       /* cases drawn uniformly, without asking the model */
static const double least_blobs = 0.02; /* minimum success of kept and of redrawn blobs, so that both are still tried */
static const double alike = 0.1;        /* difference of two seeds' worth below which the rarer shape decides */
static const double nearly_all = 0.9;  /* if more than this share of open candidates was valid, all cases may be open */
static const double hardly_any = 0.01; /* if less than this share of even candidates is in the region, few are drawn */
/* share of cases that draw many nevertheless; share of other guides' inputs that replace a seed */
static const double seldom = 0.1;
static const double out_of_range_share = 0.03; /* share of walks in which one choice leaves its allowed range by 1 */

void sonde_spread_init(struct sonde_spread *s, const struct sonde_guide_setup *setup, struct sonde_rng *rng,
                       struct sonde_region *region, struct sonde_mutate *mutate, size_t limit)
{
    memset(s, 0, sizeof *s);
    s->rng = rng;
    s->region = region;
    s->mutate = mutate;
    s->corpus = setup->corpus;
    s->limit = limit;
    s->max_seeds = SONDE_SPREAD_SEEDS;
    s->inside = 1;
    s->blobs_kept = s->blobs_fresh = 0.5;
    sonde_knobs_read(sonde_spread_knobs, setup->options, s);
}

void sonde_spread_clear(struct sonde_spread *s)
{
    for (uint32_t i = 0; i < s->n_seeds; i++) {
        sonde_corpus_drop(s->corpus, s->seeds[i]->kept);
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

/* Returns the counter of seeds that have the shape of this one. */
static uint32_t *shape_count(struct sonde_spread *s, const struct sonde_seed *seed)
{
    return &s->n_of[seed->point.shape % SONDE_SPREAD_SHAPES];
}

/* Draws two seeds and returns the one whose children are new more often; if they are alike, the one of the rarer
 * shape. */
static struct sonde_seed *worthy_seed(struct sonde_spread *s)
{
    struct sonde_seed *a = any_seed(s), *b = any_seed(s);
    if (fabs(a->worth - b->worth) > alike) return a->worth < b->worth ? b : a;
    return *shape_count(s, b) < *shape_count(s, a) ? b : a;
}

/* Returns another seed of the same shape; NULL if eight attempts find none. A linear search for a shape would cost as
 * much as a judgement. */
static const struct sonde_seed *sibling(struct sonde_spread *s, const struct sonde_seed *of)
{
    for (int i = 0; i < 8; i++) {
        const struct sonde_seed *other = any_seed(s);
        if (other != of && other->point.shape == of->point.shape) return other;
    }
    return NULL;
}

/* ---- Candidates: values in s->x for the choices that matter */

/* Lengths and sizes decide which other choices exist; only mutants change them. */
static bool is_structure(const struct sonde_choice *c)
{
    return c->kind == SONDE_KIND_LENGTH || c->kind == SONDE_KIND_SIZE;
}

/* Returns a value drawn evenly from the domain. A draw with its own distribution (chance, weighted) takes the value of
 * another seed. */
static double any_value(struct sonde_spread *s, uint32_t choice)
{
    const struct sonde_tape *tape = s->tape;
    struct sonde_choice c = tape->choices[s->where[choice]];
    if (c.kind == SONDE_KIND_CHANCE || c.kind == SONDE_KIND_WEIGHTED) {
        const struct sonde_seed *other = sibling(s, s->parent);
        return other ? other->point.values[choice] : s->x[choice];
    }
    if (c.kind == SONDE_KIND_DOUBLE) {
        struct sonde_double_bounds b = sonde_choice_bounds(tape, &c);
        if (!isinf(b.hi)) return sonde_double_between(b, sonde_rng_unit(s->rng));
    }
    c.index = sonde_rng_upto(s->rng, c.max);
    return sonde_choice_number(tape, &c);
}

static bool is_whole(const struct sonde_choice *c)
{
    return c->kind == SONDE_KIND_INT || c->kind == SONDE_KIND_UINT || c->kind == SONDE_KIND_PICK;
}

/* Computes the least and the greatest value of a whole number. */
static void find_domain(const struct sonde_choice *c, double *lo, double *hi)
{
    *lo = c->kind == SONDE_KIND_INT ? (double)(int64_t)c->base : c->kind == SONDE_KIND_UINT ? (double)c->base : 0;
    *hi = *lo + (double)c->max;
}

/* Sets a choice to a random whole number between lo and hi; returns false if there is none. */
static bool draw_between(struct sonde_spread *s, uint32_t choice, double lo, double hi)
{
    lo = ceil(lo);
    hi = floor(hi);
    if (!(lo <= hi)) return false;
    s->x[choice] = lo + floor(sonde_rng_unit(s->rng) * (hi - lo + 1));
    return true;
}

/* Moves two choices that an equality ties together, within both domains. Returns false if the other value would have a
 * fraction. */
static bool change_two(struct sonde_spread *s, uint32_t choice, uint32_t other, double ratio)
{
    const struct sonde_choice *c = &s->tape->choices[s->where[choice]];
    double at = s->x[choice], there = s->x[other], lo, hi, least, most;
    if (s->where[other] == UINT32_MAX || !is_whole(&s->tape->choices[s->where[other]])) return false;
    find_domain(c, &lo, &hi);
    find_domain(&s->tape->choices[s->where[other]], &least, &most);
    double from = (least - there) / ratio + at, to = (most - there) / ratio + at;
    if (!draw_between(s, choice, fmax(lo, fmin(from, to)), fmin(hi, fmax(from, to)))) return false;
    s->x[other] = there + ratio * (s->x[choice] - at);
    if (s->x[other] == floor(s->x[other])) return true;
    s->x[choice] = at;
    s->x[other] = there;
    return false;
}

/* Changes one choice to a value that keeps the comparisons as in valid cases (paths.h), as far as they are known.
 * `path`: the comparisons of one case, or NULL for all. */
static void change(struct sonde_spread *s, uint32_t choice, const struct sonde_trail *path)
{
    struct sonde_paths *paths = s->region->paths;
    const struct sonde_choice *c = &s->tape->choices[s->where[choice]];
    double lo, hi, least, most, ratio, even = any_value(s, choice);
    if (!is_whole(c) || !sonde_paths_room(paths, path, s->x, choice, &lo, &hi)) {
        s->x[choice] = even;
        return;
    }
    uint32_t other = path ? sonde_paths_partner(paths, path, s->x, choice, sonde_rng_next(s->rng), &ratio) : UINT32_MAX;
    if (other != UINT32_MAX && change_two(s, choice, other, ratio)) return;
    find_domain(c, &least, &most);
    draw_between(s, choice, fmax(lo, least), fmin(hi, most));
}

static enum sonde_region_answer judge(struct sonde_spread *s)
{
    uint64_t before = s->region->work;
    enum sonde_region_answer answer = sonde_region_judge(s->region, s->x, s->parent->point.n, &s->parent->point);
    s->judgement += weight_cost * ((double)(s->region->work - before) - s->judgement);
    return answer;
}

/* Reads the values of a tape, and lists the choices that are worth changing. */
static void begin_with(struct sonde_spread *s, const struct sonde_tape *tape)
{
    s->tape = tape;
    sonde_region_read(s->region, tape, &s->scratch, s->where);
    memcpy(s->x, s->scratch.values, sizeof s->x);
    s->n_matters = 0;
    for (uint32_t i = 0; i < s->region->n_choices; i++) {
        if (s->where[i] == UINT32_MAX || is_structure(&tape->choices[s->where[i]])) continue;
        if (sonde_region_matters(s->region, i)) s->matters[s->n_matters++] = i;
    }
}

/* Returns how many judgements a case may take, at most `wanted`: their cost is limited to a multiple of the case's
 * cost. */
static int affordable(const struct sonde_spread *s, int wanted)
{
    double most = work * (CASE + s->case_cost) / (1 + s->judgement);
    return most < 2 ? 2 : most < wanted ? (int)most : wanted;
}

static void draw_all(struct sonde_spread *s)
{
    for (uint32_t k = 0; k < s->n_matters; k++) s->x[s->matters[k]] = any_value(s, s->matters[k]);
}

/* Draws even candidates until one has at least this verdict; returns false if there was none. */
static bool even_candidate(struct sonde_spread *s, enum sonde_region_answer least)
{
    int tries = affordable(s, s->inside < hardly_any && !chance(s, seldom) ? FEW_TRIES : TRIES);
    for (int i = 0; i < tries; i++) {
        draw_all(s);
        enum sonde_region_answer answer = judge(s);
        s->inside += weight_inside * ((answer == SONDE_REGION_IN) - s->inside);
        if (answer < least) continue;
        s->way = answer == SONDE_REGION_IN ? SONDE_WAY_INSIDE : SONDE_WAY_OPEN;
        return true;
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
        if (s->where[c] != UINT32_MAX && !is_structure(&s->tape->choices[s->where[c]]))
            s->x[c] = other->point.values[c];
    }
}

/* Reports whether the budget of invalid cases is left. Cases that were taken to be valid are not counted: they are
 * errors of the model, from which it learns. */
static bool may_lose(const struct sonde_spread *s)
{
    return (double)s->lost < START_BUDGET + lose * (double)s->cases;
}

/* Moves one choice a step beyond its allowed range: a sign that no valid case had need not be invalid. */
static void step_out_of_range(struct sonde_spread *s)
{
    double lo, hi;
    uint32_t c = s->matters[sonde_rng_upto(s->rng, s->n_matters - 1)];
    if (!sonde_paths_room(s->region->paths, &s->parent->point.path, s->x, c, &lo, &hi)) return;
    double to = isinf(lo) || (!isinf(hi) && chance(s, 0.5)) ? floor(hi) + 1 : ceil(lo) - 1;
    if (isinf(to) || to == s->x[c]) return;
    s->x[c] = to;
    s->way = SONDE_WAY_STEP;
}

/* Changes many choices, each within the range that the known lines allow. If the result is not in the region, restores
 * all values and returns false. */
static bool sweep(struct sonde_spread *s)
{
    for (uint32_t i = 0; i < s->n_matters; i++)
        change(s, s->matters[sonde_rng_upto(s->rng, s->n_matters - 1)], &s->parent->point.path);
    if (judge(s) == SONDE_REGION_IN) return memcmp(s->x, s->scratch.values, sizeof s->x) != 0; /* NOLINT: bits */
    memcpy(s->x, s->scratch.values, sizeof s->x);
    return false;
}

/* Makes changes that the model allows, one after another; returns false if nothing changed. */
static bool walk(struct sonde_spread *s)
{
    double before[SONDE_REGION_CHOICES];
    bool changed = false;
    if (!s->is_cautious && s->is_explained && s->n_matters && sweep(s)) {
        if (may_lose(s) && chance(s, out_of_range_share)) step_out_of_range(s);
        return true;
    }
    for (int i = 0, n = affordable(s, SWEEP); i < n && s->n_matters; i++) {
        const struct sonde_seed *other = i % 4 == 3 ? sibling(s, s->parent) : NULL;
        memcpy(before, s->x, sizeof before);
        uint32_t c = s->matters[sonde_rng_upto(s->rng, s->n_matters - 1)];
        if (other) copy_block(s, other);
        else change(s, c, &s->parent->point.path);
        /* NOLINT: the comparison must be of bits, not of numbers */
        bool same = memcmp(before, s->x, sizeof before) == 0;
        if (judge(s) != SONDE_REGION_IN) memcpy(s->x, before, sizeof before);
        else changed |= !same;
        if (changed && s->is_cautious) break;
    }
    return changed;
}

/* Draws one or a few choices of a seed again, so that the model cannot judge the result; returns false if that
 * fails. */
static bool step(struct sonde_spread *s)
{
    for (int i = 0, n = affordable(s, TRIES); i < n && s->n_matters; i++) {
        memcpy(s->x, s->scratch.values, sizeof s->x);
        do {
            uint32_t c = s->matters[sonde_rng_upto(s->rng, s->n_matters - 1)];
            s->x[c] = any_value(s, c);
        } while (chance(s, 0.5));
        if (judge(s) == SONDE_REGION_OPEN) return true;
    }
    return false;
}

/* Makes r + q - p of three seeds: if they fulfil a linear equation, so does the result. Works when slopes are
 * unknown. */
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

/* Returns the larger of the two slopes, because one slope of 0 alone says nothing. */
static double steepness(const struct sonde_region_assume *a, uint32_t c)
{
    return fmax(fabs(a->lo[c]), fabs(a->hi[c]));
}

/* Moves two choices so that the distance of an assume stays. The distance changes by s per step of one choice and by t
 * per step of the other. So the choices move by t and s. */
static bool balance(struct sonde_spread *s)
{
    const struct sonde_region *r = s->region;
    const struct sonde_region_assume *a = &r->assumes[sonde_rng_upto(s->rng, r->n_assumes - 1)];
    if (!a->is_graded || a->n_matters < 2) return false;
    uint32_t i = (uint32_t)sonde_rng_upto(s->rng, a->n_matters - 1),
             k = (uint32_t)sonde_rng_upto(s->rng, a->n_matters - 2);
    uint32_t c = a->matters[i], d = a->matters[k < i ? k : k + 1];
    uint64_t x = sonde_rng_next(s->rng);
    double step = ldexp(x & 1 ? -1 : 1, (int)((x >> 8) % STEP_BITS)), most = fmax(fabs(s->x[c]), fabs(s->x[d])) + 64;
    /* A step far beyond the current values would only be cut off at the end of the domain. */
    while (fabs(step) > most) step /= 16;
    step = trunc(step * (1 + sonde_rng_unit(s->rng)));
    s->x[c] += step * steepness(a, d);
    s->x[d] += step * steepness(a, c) * (x & 2 ? -1 : 1);
    return step != 0 && judge(s) != SONDE_REGION_OUT;
}

/* ---- Which way */

static double rate(const struct sonde_spread *s, enum sonde_spread_way way)
{
    return (s->ways[way].valid + 1) / (s->ways[way].tried + 2);
}

/* Reports whether the separate budget of one way is left. Questions of the region have a separate budget: without
 * questions the model stays wrong, but some questions lead nowhere. Mutants have one where the parent's shape is fully
 * known. */
static bool may_lose_by(const struct sonde_spread *s, enum sonde_spread_way way)
{
    double lost = (double)(s->ways[way].all_tried - s->ways[way].all_valid);
    return lost < START_BUDGET + lose * (double)s->cases;
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
    case SONDE_WAY_BALANCE: return balance(s);
    case SONDE_WAY_DOUBT: draw_all(s); return true;
    default: return true;
    }
}

/* Makes a case in an uncertain way: the one that earned most or, when exploring, a random one. Each way is tried once;
 * a mutant can always be made. */
static void uncertain(struct sonde_spread *s, bool exploring)
{
    static const enum sonde_spread_way ways[] = {SONDE_WAY_OPEN, SONDE_WAY_STEP, SONDE_WAY_DIFFERENCE,
                                                 SONDE_WAY_BALANCE, SONDE_WAY_MUTANT};
    enum { N = sizeof ways / sizeof *ways };
    bool failed[N] = {false};
    for (int round = 0; round < N; round++) {
        int best = -1;
        double most = -1;
        for (int i = 0; i < N; i++) {
            double score = exploring ? sonde_rng_unit(s->rng) * (rate(s, ways[i]) + seldom) : rate(s, ways[i]);
            if (!failed[i] && score > most) best = i, most = score;
        }
        if (try_way(s, ways[best])) return;
        failed[best] = true;
    }
    s->way = SONDE_WAY_MUTANT;
}

/* Reports whether the shape of a tape may change. */
static bool has_structure(const struct sonde_tape *tape)
{
    return tape->n_spans > 1;
}

static void choose_way(struct sonde_spread *s, bool is_known)
{
    /* The candidates that the model is sure of were run before: take a candidate about which it is not sure. */
    if (is_known) {
        uncertain(s, false);
        return;
    }
    if (may_lose(s) && chance(s, doubt + DOUBTS / (double)(s->cases + DOUBTS))) {
        try_way(s, SONDE_WAY_DOUBT);
        return;
    }
    if (may_lose(s) && chance(s, rate(s, SONDE_WAY_OPEN) > nearly_all ? 1 : s->explore)) {
        if (chance(s, has_structure(s->tape) ? structured : strange)) {
            uncertain(s, true);
            return;
        }
        if (try_way(s, SONDE_WAY_OPEN)) return;
        if (chance(s, 0.5) && try_way(s, SONDE_WAY_STEP)) return;
    }
    if (s->is_explained && has_structure(s->tape) && may_lose_by(s, SONDE_WAY_MUTANT) && chance(s, structured)) {
        s->way = SONDE_WAY_MUTANT;
        return;
    }
    s->is_cautious = chance(s, CAUTION * s->misled);
    if (!s->is_cautious && try_way(s, SONDE_WAY_INSIDE)) return;
    if (try_way(s, SONDE_WAY_WALK)) return;
    uncertain(s, false);
}

/* ---- Scripts */

/* Writes the candidate. Choices on which no assume depends become holes, which `uniform` draws, so that they vary. */
static void write_script(struct sonde_spread *s, struct sonde_tape *script)
{
    bool matters[SONDE_REGION_CHOICES] = {false};
    for (uint32_t i = 0; i < s->n_matters; i++) matters[s->matters[i]] = true;
    for (uint32_t i = 0; i < s->region->n_choices; i++) {
        uint32_t at = s->where[i];
        if (at == UINT32_MAX || is_structure(&script->choices[at])) continue;
        if (!matters[i] && !s->is_cautious) script->choices[at].flags |= SONDE_CHOICE_HOLE;
        else if (matters[i] && s->x[i] != s->scratch.values[i]) sonde_choice_set_number(script, at, s->x[i]);
    }
    s->has_fresh_blobs = false;
    if (s->is_cautious) return;
    /* Decide by the squares of both rates of success: mostly the better one, now and then the other. */
    double kept = s->blobs_kept * s->blobs_kept, fresh = s->blobs_fresh * s->blobs_fresh;
    s->has_fresh_blobs = chance(s, fresh / (kept + fresh));
    if (!s->has_fresh_blobs) return;
    for (uint32_t i = 0; i < script->n_choices; i++)
        if (script->choices[i].kind == SONDE_KIND_BLOB) script->choices[i].flags |= SONDE_CHOICE_HOLE;
}

/* Makes a structural mutant. Its numbers are changed one by one as long as the model has objections. */
static void mutant(struct sonde_spread *s, struct sonde_tape *script)
{
    if (!chance(s, 0.5) || !sonde_mutate_list(s->mutate, script)) s->used = sonde_mutate(s->mutate, script);
    for (uint32_t i = 0; i < script->n_spans; i++) script->spans[i].flags &= ~(uint32_t)SONDE_SPAN_HOLE;
    begin_with(s, script);
    uint32_t objections = sonde_region_objections(s->region, s->x);
    for (int i = 0, n = affordable(s, 8 * TRIES); i < n && s->n_matters && objections; i++) {
        uint32_t c = s->matters[sonde_rng_upto(s->rng, s->n_matters - 1)], now;
        double before = s->x[c];
        change(s, c, NULL);
        now = sonde_region_objections(s->region, s->x);
        if (now > objections) s->x[c] = before;
        else objections = now;
    }
    for (uint32_t i = 0; i < s->n_matters; i++) {
        uint32_t c = s->matters[i];
        if (s->x[c] != s->scratch.values[c]) sonde_choice_set_number(script, s->where[c], s->x[c]);
    }
}

bool sonde_spread_next(struct sonde_spread *s, struct sonde_tape *script, bool is_known)
{
    if (s->n_seeds == 0) return false;
    s->used = 0;
    s->cases++;
    s->parent = NULL;
    if (may_lose_by(s, SONDE_WAY_ASK) && sonde_region_ask(s->region, script)) {
        s->way = SONDE_WAY_ASK;
        return true;
    }
    s->is_cautious = false;
    s->parent = worthy_seed(s);
    begin_with(s, &s->parent->kept->tape);
    s->is_explained = sonde_region_is_explained(s->region, &s->parent->point);
    choose_way(s, is_known);
    sonde_tape_copy(script, &s->parent->kept->tape);
    if (s->way == SONDE_WAY_MUTANT) mutant(s, script);
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
    if (s->ways[s->way].tried >= MEMORY) s->ways[s->way].tried /= 2, s->ways[s->way].valid /= 2;
    if (!is_valid && s->way != SONDE_WAY_INSIDE && s->way != SONDE_WAY_WALK && s->way != SONDE_WAY_ASK) s->lost++;
    if (s->way == SONDE_WAY_INSIDE || s->way == SONDE_WAY_WALK) {
        double *rate_of = s->has_fresh_blobs ? &s->blobs_fresh : &s->blobs_kept;
        s->misled += weight_misled * (!is_valid - s->misled);
        *rate_of += weight_blobs * (is_valid - *rate_of);
        if (*rate_of < least_blobs) *rate_of = least_blobs;
    }
    if (s->used) sonde_mutate_reward(s->mutate, s->used, is_valid);
}

static void drop_reference(struct sonde_spread *s, struct sonde_seed *seed)
{
    s->bytes -= sonde_tape_bytes(&seed->kept->tape);
    sonde_corpus_drop(s->corpus, seed->kept);
}

/* Keeps a valid input as a seed. A child replaces its parent, so that every chain continues. An input of another guide
 * takes a free entry, or rarely a random one. While there are few seeds, each valid input gets a new entry. */
static void keep(struct sonde_spread *s, const struct sonde_run *run, const struct sonde_region_point *point, bool own)
{
    struct sonde_seed *parent = own ? s->parent : NULL, *seed = parent;
    if (!seed || seed->point.shape != point->shape || s->n_seeds < s->max_seeds / 4) {
        if (s->n_seeds < s->max_seeds) {
            seed = s->seeds[s->n_seeds++] = sonde_calloc(1, sizeof *seed);
        } else {
            struct sonde_seed *other = any_seed(s);
            seed = any_seed(s);
            if (*shape_count(s, other) > *shape_count(s, seed)) seed = other;
            if (!own && !chance(s, seldom)) return;
        }
    }
    if (seed->kept) {
        --*shape_count(s, seed);
        drop_reference(s, seed);
    }
    seed->kept = sonde_corpus_keep(s->corpus, run);
    s->bytes += sonde_tape_bytes(run->tape);
    if (s->bytes > s->limit && s->max_seeds == SONDE_SPREAD_SEEDS) s->max_seeds = s->n_seeds;
    if (!parent || seed != parent) seed->worth = 1;
    seed->point = *point;
    ++*shape_count(s, seed);
}

void sonde_spread_learn(struct sonde_spread *s, const struct sonde_run *run, const struct sonde_region_point *point,
                        bool own)
{
    bool is_valid = sonde_is_valid_input(run->observation);
    s->case_cost += weight_cost * ((double)run->observation->cost - s->case_cost);
    if (own && s->parent) {
        bool is_news = run->interest.reasons & SONDE_NEW_VALID;
        s->parent->worth += weight_news * (is_news - s->parent->worth);
    }
    if (own) earn(s, is_valid);
    if (is_valid) keep(s, run, point, own);
}

void sonde_spread_stats(const struct sonde_spread *s, FILE *out)
{
    static const char *const names[] = {"inside",  "walk",   "open",  "step", "difference",
                                        "balance", "mutant", "doubt", "ask"};
    for (int i = 0; i < SONDE_WAY_COUNT; i++)
        fprintf(out, " %s=%" PRIu64 "/%" PRIu64, names[i], s->ways[i].all_valid, s->ways[i].all_tried);
    fprintf(out, " seeds=%" PRIu32 " lost=%" PRIu64, s->n_seeds, s->lost);
}
