/* The guide `target`: raises utilities, and learns preconditions to make inputs that satisfy them.
 *
 * Three parts share the cases:
 * - The climber (climb.h) mutates the best tapes, by the utilities of sonde_target and by progress through the assumes.
 * - The spreader (spread.h) makes many different inputs where its model says that the assumes hold. The model covers
 *   the assumes (region.h) and comparisons in them (paths.h). It needs one valid input to begin.
 * - The walk (wander.h) steps from one valid input to the next and needs no model.
 * As long as nothing was valid, only the climber can help. With utilities, the climber gets most of the cases. Without
 * utilities, the spreader or the walk gets them, by their recent yield of valid and new inputs. Where fresh cases yield
 * nearly as much, the guide steps aside and becomes a plain sampler. It is one too where there are neither assumes nor
 * utilities.
 *
 * | targeted testing | function | difference |
 * | 6.2, seed pool and energy | climb.c: pick, earn | several utilities as a Pareto front; numeric steps |
 * | 6.3, preconditions as targets | region.c, spread.c | learned as a region; inputs are spread over it |
 * | 6.5, mutation | mutate/mutate.c: sonde_mutate | on tapes |
 *
 * The parts share one stream of random numbers, one mutator and the corpus; each part holds separate references to it.
 * Memory: a quarter each for parents, climbers, seeds of the spreader and seeds of the walk. */
#include "guide/target/climb.h"
#include "guide/guides.h"
#include "guide/inner.h"
#include "guide/target/spread.h"
#include "guide/target/wander.h"

#include "base/mem.h"

#include <inttypes.h>
#include <math.h>

enum {
    FEW_SEEDS = 16,    /* with fewer seeds, the model learns from every valid case */
    SLOPES = 8,        /* this many examined slopes count as one unit of cost */
    MEMORY = 64 << 20, /* number of bytes that the guide may use, unless the setup gives a limit */
    CASE = 1000,       /* constant cost of a case (auto.c) */
    WALKS = 64         /* number of cases of the walk, and of fresh ones, before they are compared with others */
};
static const double weight = 0.02; /* weight of one case in the moving averages, which cover about fifty cases */
/* worth of a valid input that is not new: it decides where no new inputs are left */
static const double accepted = 0.01;
/* margin by which the walk must beat the model, since the model learns from its own cases */
static const double alike = 0.05;
static const double fitting = 0.8;      /* share of valid cases at which the model's region counts as known */
static const double worse_share = 0.03; /* share of the cases for the part that yields less, since it may improve */
static const double early_fresh = 0.1;  /* share of fresh cases until their yield is known */
static const double most_fresh = 0.02;  /* maximum share of fresh cases if they yield less than others */
static const double poor = 0.25;        /* if the model yields less, the walk does not wait for it to learn */

enum part { PART_FRESH, PART_CLIMB, PART_SPREAD, PART_WALK, PART_COUNT };

/* The state of `target`. */
struct target {
    struct sonde_scripter base;
    struct sonde_rng rng;
    struct sonde_parents parents;
    struct sonde_hints hints;
    struct sonde_mutate mutate;
    struct sonde_region *region;
    struct sonde_climb climb;
    struct sonde_spread spread;
    struct sonde_wander wander;
    struct sonde_region_point point; /* the point of the last case */
    enum part part;                  /* the part that made the running case and learns from it as its own */
    uint64_t cases, discarded, valid;
    uint64_t explained; /* assumes, as bits, whose comparisons were ever all known as lines */
    uint64_t lessons;   /* work caused by cases of other guides, which must not count against this guide */
    struct {
        uint64_t cases;
        double news, accepts; /* share of the part's recent cases that were valid and new; share that was valid */
        double cost;          /* recent cost of a case of the part, beyond the constant cost */
    } parts[PART_COUNT];
    double fits;    /* share of the model's recent cases that were drawn over the region and valid */
    bool is_opaque; /* the last failed assume shows only whether a structure is right, so the model sees little of it */
    bool is_aside;
    uint64_t aside_at; /* number of the case at which the guide last stepped aside */
    bool are_margins;  /* the utilities are distances of checks, not set by the user: they may lead nowhere */
};

/* Shares of cases: */
static const double p_fresh = 0.05;  /* newly drawn, while climbing */
static const double p_climb = 0.98;  /* climbing, if there are utilities and assumes */
static const double p_margins = 0.5; /* guided by the distance of checks from failing */
/* The guide steps aside if fresh cases yield more than this fraction of the new valid inputs that its others yield. */
static const double aside = 0.5;
enum { FIRST = 200 }; /* number of cases that the model spreads before the walk begins */

static struct sonde_guide *target_create(const struct sonde_guide_setup *setup)
{
    struct target *g = sonde_calloc(1, sizeof *g);
    g->base.guide.ops = &sonde_guide_target;
    sonde_rng_seed(&g->rng, setup->seed, setup->stream);
    sonde_inner_init(&g->base.fresh, &sonde_guide_uniform, sonde_guide_part(setup, 1));
    size_t memory = setup->memory ? setup->memory : MEMORY;
    sonde_parents_init(&g->parents, setup->corpus, memory / 4);
    sonde_mutate_init(&g->mutate, setup, &g->rng, &g->parents, &g->hints);
    g->region = sonde_region_create();
    sonde_climb_init(&g->climb, setup, &g->rng, &g->mutate, memory / 4);
    sonde_spread_init(&g->spread, setup, &g->rng, g->region, &g->mutate, memory / 4);
    sonde_wander_init(&g->wander, setup, &g->rng, g->region, &g->mutate, memory / 4);
    for (int i = 0; i < PART_COUNT; i++) g->parts[i].news = g->parts[i].accepts = 0.5;
    return &g->base.guide;
}

/* Frees borrowers first: climber, spreader and walk use the region, the mutator and the corpus. */
static void target_destroy(struct sonde_guide *guide)
{
    struct target *g = (struct target *)guide;
    sonde_inner_clear(&g->base.fresh);
    sonde_spread_clear(&g->spread);
    sonde_wander_clear(&g->wander);
    sonde_climb_clear(&g->climb);
    sonde_region_free(g->region);
    sonde_mutate_clear(&g->mutate);
    sonde_parents_clear(&g->parents);
    sonde_free(g);
}

static bool chance(struct target *g, double p)
{
    return sonde_rng_unit(&g->rng) < p;
}

/* Returns the recent yield (valid and new inputs) of a part per unit of cost. A model whose region is known leads even
 * with a low yield, because there is nothing more to find. */
static double score(const struct target *g, enum part part)
{
    double brought = g->parts[part].news + accepted * g->parts[part].accepts;
    return brought * CASE / (CASE + g->parts[part].cost / 4) + (part == PART_SPREAD && g->fits > fitting);
}

/* Returns the spreader or the walk, by their yield. */
static enum part pick_spread_or_walk(struct target *g)
{
    uint64_t spread = g->parts[PART_SPREAD].cases, both = spread + g->parts[PART_WALK].cases;
    /* The model needs cases that are spread to learn from. If these yield little, the walk need not wait. */
    if (spread < FIRST) return g->parts[PART_SPREAD].news > poor || chance(g, 0.5) ? PART_SPREAD : PART_WALK;
    if (g->parts[PART_WALK].cases < WALKS) return PART_WALK;
    bool is_walk = score(g, PART_WALK) > score(g, PART_SPREAD) + alike;
    if (chance(g, is_walk && both < 2 * FIRST ? 0.5 : worse_share)) is_walk = !is_walk;
    return is_walk ? PART_WALK : PART_SPREAD;
}

static double best_score(const struct target *g)
{
    return fmax(score(g, PART_SPREAD), score(g, PART_WALK));
}

/* Decides whether to step aside: fresh cases yield about as much as those that cost more. */
static void decide_to_step_aside(struct target *g)
{
    bool is_tried = g->parts[PART_WALK].cases >= WALKS && g->parts[PART_FRESH].cases >= WALKS;
    bool was_aside = g->is_aside;
    g->is_aside = is_tried && score(g, PART_FRESH) > aside * best_score(g);
    if (g->is_aside && !was_aside) g->aside_at = g->cases;
}

/* Returns the share of fresh cases. Some are needed to know their yield; then the share falls with the yield. */
static double share_of_fresh(const struct target *g)
{
    if (g->is_aside) return 1 - 2 * worse_share;
    if (g->parts[PART_FRESH].cases < WALKS) return early_fresh;
    double fresh = score(g, PART_FRESH), best = best_score(g);
    return fresh < best ? most_fresh * fresh / best : most_fresh;
}

/* Returns the part that makes the next case. As long as nothing was discarded and there is nothing to climb, the next
 * case is fresh. */
static enum part pick_part(struct target *g)
{
    /* There is something to climb: a utility, the user's feedback, or assumes that no case has passed yet. */
    bool climbs = g->climb.n_labels > 0 || g->climb.has_states || (g->discarded && g->spread.n_seeds == 0);
    if (climbs && (!g->are_margins || g->spread.n_seeds == 0 || chance(g, p_margins))) {
        if (chance(g, p_fresh)) return PART_FRESH;
        if (g->spread.n_seeds == 0 || g->discarded == 0 || chance(g, p_climb)) return PART_CLIMB;
    }
    if (!g->discarded) return PART_FRESH;
    decide_to_step_aside(g);
    g->wander.reshapes = chance(g, sonde_wander_reshape_share(&g->wander));
    if (g->wander.reshapes) return PART_WALK;
    return chance(g, share_of_fresh(g)) ? PART_FRESH : pick_spread_or_walk(g);
}

/* Makes a case with the spreader. If the case was run before, tries again, in the end with candidates about which the
 * model is not sure. */
static bool start_spread(struct target *g, struct sonde_tape *script)
{
    enum { ATTEMPTS = 4 };
    bool made = sonde_spread_next(&g->spread, script, false);
    for (int i = 1; i < ATTEMPTS && made && g->spread.way != SONDE_WAY_ASK; i++) {
        if (!sonde_seen_has(&g->wander.seen, script)) break;
        made = sonde_spread_next(&g->spread, script, i >= ATTEMPTS / 2);
    }
    return made;
}

/* Adds the cost of judging candidates to the cost of the guide (sonde/extend.h) and of the part that made the last
 * case. */
static void note_cost(struct target *g)
{
    uint64_t work = (g->region->work - g->lessons) / SLOPES;
    if (g->cases) g->parts[g->part].cost += weight * ((double)(work - g->base.guide.work) - g->parts[g->part].cost);
    g->base.guide.work = work;
}

static enum sonde_plan target_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    struct target *g = (struct target *)guide;
    note_cost(g);
    g->wander.reshapes = false;
    enum part part = g->cases++ == 0 ? PART_FRESH : pick_part(g);
    if (part == PART_CLIMB && !sonde_climb_next(&g->climb, script)) part = PART_FRESH;
    if (part == PART_SPREAD && !start_spread(g, script)) part = PART_FRESH;
    if (part == PART_WALK && !sonde_wander_next(&g->wander, script)) part = PART_FRESH;
    g->part = part;
    g->parts[part].cases++;
    g->base.guide.plain = g->base.fresh.guide->plain;
    return part == PART_FRESH ? SONDE_PLAN_FRESH : SONDE_PLAN_SCRIPT;
}

/* Updates the yield of the part that made this case. */
static void note_own(struct target *g, const struct sonde_run *run, bool is_valid)
{
    bool is_news = run->interest.reasons & SONDE_NEW_VALID;
    if (g->part == PART_WALK && g->wander.reshapes) return;
    bool fits = is_valid && g->spread.way == SONDE_WAY_INSIDE && g->spread.n_matters > 0;
    g->parts[g->part].news += weight * (is_news - g->parts[g->part].news);
    g->parts[g->part].accepts += weight * (is_valid - g->parts[g->part].accepts);
    if (g->part == PART_SPREAD) g->fits += weight * (fits - g->fits);
}

/* Reports whether the model learns from a case, which takes time. It learns from its own cases, and from others as long
 * as it may lead. */
static bool is_lesson(struct target *g, const struct sonde_run *run, bool is_valid)
{
    enum { SELDOM = 16 }; /* of all other cases, the model learns from one in this many */
    if (!run->observation->n_distances && !g->discarded) return false;
    if (run->author == &g->base.guide && g->part == PART_SPREAD) return true;
    if (is_valid && g->spread.n_seeds < FEW_SEEDS) return true;
    bool leads = !g->is_aside && score(g, PART_SPREAD) >= score(g, PART_WALK);
    return (leads && !g->is_opaque) || sonde_rng_upto(&g->rng, SELDOM - 1) == 0;
}

static void target_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct target *g = (struct target *)guide;
    const struct sonde_observation *o = run->observation;
    bool own = run->author == guide;
    bool is_valid = sonde_is_valid_input(o);
    uint64_t before = g->region->work;
    g->valid += is_valid;
    g->discarded += o->verdict == SONDE_DISCARDED;
    if (own) note_own(g, run, is_valid);
    if (g->discarded) sonde_wander_learn(&g->wander, run, own && g->part == PART_WALK);
    if (is_lesson(g, run, is_valid)) {
        bool spread = own && g->part == PART_SPREAD;
        sonde_region_read(g->region, run->tape, &g->point, NULL);
        const struct sonde_region_point *from = spread && g->spread.parent ? &g->spread.parent->point : NULL;
        sonde_region_learn(g->region, run, &g->point, from, spread && g->spread.way == SONDE_WAY_ASK, &g->rng);
        sonde_spread_learn(&g->spread, run, &g->point, spread);
    } else if (own) sonde_region_compare(g->region, run, &g->point);
    if (g->region->explained & ~g->explained)
        g->parts[PART_SPREAD].news = 1; /* the model knows more now than its recent yield shows */
    g->explained |= g->region->explained;
    if (o->verdict == SONDE_DISCARDED) {
        /* The number of the failed assume in the region. */
        uint32_t k = o->assumes_passed;
        g->is_opaque = run->tape->n_spans > 1 && k < g->region->n_assumes && !g->region->assumes[k].is_graded;
    }
    /* Margins are reported only if the property has no utilities, so one flag is enough. */
    if (o->n_targets) g->are_margins = o->are_margins;
    bool climbs = o->n_targets || run->interest.reasons & SONDE_NEW_STATE || g->climb.n_labels
                  || (o->verdict == SONDE_DISCARDED && g->spread.n_seeds == 0);
    if (climbs && sonde_climb_learn(&g->climb, run, own && g->part == PART_CLIMB))
        sonde_parents_keep(&g->parents, is_valid ? SONDE_POOL_VALID : SONDE_POOL_DISCARDED, run);
    if (!own) g->lessons += g->region->work - before;
}

static void target_stats(struct sonde_guide *guide, FILE *out)
{
    struct target *g = (struct target *)guide;
    static const char *const names[PART_COUNT] = {"fresh", "climb", "spread", "wander"};
    fprintf(out, "cases=%" PRIu64, g->cases);
    for (int i = 0; i < PART_COUNT; i++) fprintf(out, " %s=%" PRIu64, names[i], g->parts[i].cases);
    if (g->region->paths->n_slots)
        fprintf(out, " comparisons=%" PRIu32 " lines=%" PRIu32, g->region->paths->n_slots,
                sonde_paths_lines(g->region->paths));
    if (g->is_aside) fprintf(out, " stepped aside at case %" PRIu64, g->aside_at);
    sonde_climb_stats(&g->climb, out);
    sonde_spread_stats(&g->spread, out);
    sonde_wander_stats(&g->wander, out);
    sonde_mutate_stats(&g->mutate, out);
    fputc('\n', out);
}

const struct sonde_guide_ops sonde_guide_target = {
    .name = "target",
    .summary = "raises the values of sonde_target; learns where sonde_assume holds and stays there",
    .create = target_create,
    .destroy = target_destroy,
    .start = target_start,
    .choose = sonde_scripter_choose,
    .fill = sonde_scripter_fill,
    .learn = target_learn,
    .wants = SONDE_WANT_NEW_INPUTS | SONDE_WANT_SHAPES | SONDE_NEW_VALID | SONDE_NEW_STATE | SONDE_NEW_TARGET
             | SONDE_NEW_DEPTH | SONDE_WANT_MARGINS,
    .stats = target_stats,
    .knobs = (const struct sonde_knob *const[]){sonde_spread_knobs, sonde_mutate_knobs, NULL},
};
