/* Targeted search: utilities are climbed, preconditions are learned and kept.
 *
 * Two parts share the cases. The climber (climb.h) mutates the best tapes, by the utilities of sonde_target and by how
 * far a run got through the assumes. The spreader (spread.h) makes many different inputs that pass the assumes, once
 * it has seen one that does. As long as nothing was valid only the climber can help. With utilities, it gets most of the
 * cases; without, all of them are the spreader's. Where there are neither assumes nor utilities the guide is a plain
 * sampler.
 *
 * | targeted testing | function | difference |
 * | 6.2, seed pool and energy | climb.c: pick, earn | several utilities as a Pareto front; numeric steps beside mutants |
 * | 6.3, preconditions as targets | region.c: sonde_region_judge, spread.c | learned as a region, and inputs are spread over it |
 * | 6.5, mutation | mutate/mutate.c: sonde_mutate | on tapes |
 *
 * Both parts share one stream of random numbers, one mutator and the corpus; each part keeps its own
 * view of it. Memory: a quarter each for parents, climbers and seeds. */
#include "guide/target/climb.h"
#include "guide/guides.h"
#include "guide/compose/inner.h"
#include "guide/target/spread.h"

#include "base/mem.h"

#include <inttypes.h>

enum {
    FEW_SEEDS = 16,
    MEMORY = 64 << 20, /* bytes, unless the setup says */
    HALF_TRUSTED = 4   /* fresh cases after which their own share of valid ones counts as much as the first guess */
};

enum part { PART_FRESH, PART_CLIMB, PART_SPREAD };

/* `part` says who made the case that is running and so who learns from it as its own. The model
 * (region) learns from cases of every part, the more of them the more it can see. */
struct target {
    struct sonde_scripter base;
    struct sonde_rng rng;
    struct sonde_parents parents;
    struct sonde_hints hints;
    struct sonde_mutate mutate;
    struct sonde_region *region;
    struct sonde_climb climb;
    struct sonde_spread spread;
    struct sonde_region_point point; /* of the last run */
    enum part part;                  /* that made the case that is running */
    uint64_t cases, discarded, valid, parts[3];
    bool is_opaque; /* mere truths over structures: the model sees little of them, so fresh cases get their share */
    double fresh_tried, fresh_valid;
    bool are_margins; /* the utilities are claims', which nobody asked for: they may lead nowhere */
    double p_fresh, p_climb, p_opaque, p_margins;
};

#define KNOB(name, field, ...) SONDE_KNOB(struct target, field, name, __VA_ARGS__)

static const struct sonde_knob knobs[] = {
    KNOB("fresh", p_fresh, 0.05, 0, 1, "share of fresh cases while climbing", "bench/KNOBS.md, target"),
    KNOB("climb", p_climb, 0.98, 0, 1, "share of climbing where there are utilities and assumes",
         "bench/RESULTS.md, ifc-eeni"),
    KNOB("opaque", p_opaque, 0.5, 0, 1, "share of fresh cases where assumes are mere truths over structures",
         "bench/KNOBS.md, target"),
    KNOB("margins", p_margins, 0.5, 0, 1, "share of cases that try to make claims fail by their distance",
         "bench/KNOBS.md, target"),
    {0},
};

static struct sonde_guide *target_create(const struct sonde_guide_setup *setup)
{
    struct target *g = sonde_calloc(1, sizeof *g);
    sonde_knobs_read(knobs, setup->options, g);
    g->base.guide.ops = &sonde_guide_target;
    sonde_rng_seed(&g->rng, setup->seed, setup->stream);
    sonde_inner_init(&g->base.fresh, &sonde_guide_uniform, sonde_inner_setup(setup, 1));
    size_t memory = setup->memory ? setup->memory : MEMORY;
    sonde_parents_init(&g->parents, setup->corpus, memory / 4);
    sonde_mutate_init(&g->mutate, setup, &g->rng, &g->parents, &g->hints);
    g->region = sonde_region_create();
    sonde_climb_init(&g->climb, setup, &g->rng, &g->mutate, memory / 4);
    sonde_spread_init(&g->spread, setup, &g->rng, g->region, &g->mutate, memory / 4);
    return &g->base.guide;
}

/* Those that borrow first: climb and spread use the region, the mutator and the corpus. */
static void target_destroy(struct sonde_guide *guide)
{
    struct target *g = (struct target *)guide;
    sonde_inner_clear(&g->base.fresh);
    sonde_spread_clear(&g->spread);
    sonde_climb_clear(&g->climb);
    sonde_region_free(g->region);
    sonde_mutate_clear(&g->mutate);
    sonde_parents_clear(&g->parents);
    sonde_free(g);
}

/* Fresh cases come first as long as nothing was discarded and nothing is to be climbed: then there is
 * nothing to be aimed at. */
static enum part pick_part(struct target *g)
{
    /* There is something to climb: a utility, the user's own feedback, or assumes that nothing has
     * passed yet. */
    bool climbs = g->climb.n_labels > 0 || g->climb.has_states || (g->discarded && g->spread.n_seeds == 0);
    if (climbs && (!g->are_margins || g->spread.n_seeds == 0 || sonde_rng_unit(&g->rng) < g->p_margins)) {
        if (sonde_rng_unit(&g->rng) < g->p_fresh) return PART_FRESH;
        if (g->spread.n_seeds == 0 || g->discarded == 0 || sonde_rng_unit(&g->rng) < g->p_climb) return PART_CLIMB;
    }
    if (!g->discarded) return PART_FRESH;
    double fresh =
        HALF_TRUSTED * (g->fresh_valid + 1) / (g->fresh_tried + HALF_TRUSTED); /* they have to be of some use */
    double share = g->is_opaque ? g->p_opaque * (fresh < 1 ? fresh : 1) : 0;
    return sonde_rng_unit(&g->rng) < share ? PART_FRESH : PART_SPREAD;
}

static enum sonde_plan target_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    struct target *g = (struct target *)guide;
    enum part part = g->cases++ == 0 ? PART_FRESH : pick_part(g);
    if (part == PART_CLIMB && !sonde_climb_next(&g->climb, script)) part = PART_FRESH;
    if (part == PART_SPREAD && !sonde_spread_next(&g->spread, script)) part = PART_FRESH;
    g->part = part;
    g->parts[part]++;
    g->base.guide.plain = g->base.fresh.guide->plain;
    /* What judging candidates costs counts as the cost of the guide (sonde/extend.h). */
    g->base.guide.work = g->region->work / 8;
    return part == PART_FRESH ? SONDE_PLAN_FRESH : SONDE_PLAN_SCRIPT;
}

static void target_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct target *g = (struct target *)guide;
    const struct sonde_observation *o = run->observation;
    bool own = run->author == guide;
    bool is_valid = sonde_is_valid_input(o);
    g->valid += is_valid;
    if (own && g->part == PART_FRESH) g->fresh_tried++, g->fresh_valid += is_valid;
    g->discarded += o->verdict == SONDE_DISCARDED;
    bool spread = own && g->part == PART_SPREAD;
    /* Judgements cost time. Where the model sees little (is_opaque) only one run in eight of the others
     * is learned. */
    bool teaches = spread || (is_valid && g->spread.n_seeds < FEW_SEEDS);
    if ((o->n_distances || g->discarded) && (teaches || !g->is_opaque || sonde_rng_upto(&g->rng, 7) == 0)) {
        sonde_region_read(g->region, run->tape, &g->point, NULL);
        const struct sonde_region_point *from = spread && g->spread.parent ? &g->spread.parent->point : NULL;
        sonde_region_learn(g->region, run, &g->point, from, &g->rng);
        sonde_spread_learn(&g->spread, run, &g->point, spread);
    }
    if (o->verdict == SONDE_DISCARDED) {
        /* The assume that failed, as the region numbers them. */
        uint32_t k = o->assumes_passed;
        g->is_opaque = run->tape->n_spans > 1 && k < g->region->n_assumes && !g->region->assumes[k].is_graded;
    }
    /* Margins are made only where the property has no utility of its own, so one flag does. */
    if (o->n_targets) g->are_margins = o->are_margins;
    bool climbs = o->n_targets || run->interest.reasons & SONDE_NEW_STATE || g->climb.n_labels
                  || (o->verdict == SONDE_DISCARDED && g->spread.n_seeds == 0);
    if (climbs && sonde_climb_learn(&g->climb, run, own && g->part == PART_CLIMB))
        sonde_parents_keep(&g->parents, is_valid ? SONDE_POOL_VALID : SONDE_POOL_DISCARDED, run);
}

static void target_stats(struct sonde_guide *guide, FILE *out)
{
    struct target *g = (struct target *)guide;
    fprintf(out, "cases=%" PRIu64 " fresh=%" PRIu64 " climb=%" PRIu64 " spread=%" PRIu64, g->cases,
            g->parts[PART_FRESH], g->parts[PART_CLIMB], g->parts[PART_SPREAD]);
    sonde_climb_stats(&g->climb, out);
    sonde_spread_stats(&g->spread, out);
    sonde_mutate_stats(&g->mutate, out);
    fputc('\n', out);
}

const struct sonde_guide_ops sonde_guide_target = {
    .name = "target",
    .summary = "raises what sonde_target reports; learns where sonde_assume holds and stays there",
    .create = target_create,
    .destroy = target_destroy,
    .start = target_start,
    .choose = sonde_scripter_choose,
    .fill = sonde_scripter_fill,
    .learn = target_learn,
    .wants =
        SONDE_WANT_SHAPES | SONDE_NEW_VALID | SONDE_NEW_STATE | SONDE_NEW_TARGET | SONDE_NEW_DEPTH | SONDE_WANT_MARGINS,
    .stats = target_stats,
    .knobs = (const struct sonde_knob *const[]){knobs, sonde_climb_knobs, sonde_spread_knobs, sonde_mutate_knobs, NULL},
};
