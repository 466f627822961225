/* The guides `hill` and `anneal`: targeted testing before seed pools, the references for `target`. Both are by Löscher
 * and Sagonas: hill climbing, ISSTA 2017; simulated annealing and neighbours derived from the generator, ICST 2018.
 * "Flexible and Automatic Targeted Property-Based Testing" improves on both (sections 2 and 6.2).
 *
 * The guide holds one input. Its neighbour differs in one choice. A number moves by up to a tenth of its range, or
 * one time in ten is drawn again. Anything else is drawn again. A length that moves drops elements at the end, or
 * draws new ones.
 *
 * `hill` moves to a neighbour of higher utility, and restarts after a thousand steps in vain. `anneal` also moves to a
 * neighbour that is worse by d, with probability e^(-d / T). The temperature T falls linearly from `heat` to 0 over the
 * search.
 *
 * The utility is the sum of the values given to sonde_target, of valid inputs. Without sonde_target, testing is
 * random. */
#include "classic.h"

#include <inttypes.h>
#include <math.h>

struct walk {
    struct sonde_guide guide;
    struct sonde_guide *fresh; /* the guide `uniform`: makes the choices that are drawn again */
    struct sonde_guide_setup setup;
    struct sonde_rng rng;
    bool cools;            /* true for `anneal` */
    struct sonde_kept *at; /* the current input; NULL: none yet */
    double worth;
    double vain, heat, steps; /* knobs */
    uint64_t in_vain, step;
    uint64_t cases, moves, restarts;
};

#define KNOB(name, field, ...) SONDE_KNOB(struct walk, field, name, __VA_ARGS__)

static const struct sonde_knob hill_knobs[] = {
    KNOB("vain", vain, 1000, 1, 1e12, "the search restarts after this many steps without a better neighbour",
         "bench/RESULTS.md, target"),
    {0},
};

static const struct sonde_knob anneal_knobs[] = {
    KNOB("heat", heat, 1, 1e-9, 1e12,
         "initial temperature: a step that loses this much utility is accepted in about a third of the cases",
         "PropEr, its default"),
    KNOB("steps", steps, 0, 0, 1e12,
         "number of steps until the temperature is 0 and the search restarts; 0: the number of cases of the run",
         "bench/RESULTS.md, target"),
    {0},
};

enum { STEPS_UNKNOWN = 1000, LOOKED_AT = 16, PART = 10 };

static struct walk *create(const struct sonde_guide_setup *setup, const struct sonde_guide_ops *ops,
                           const struct sonde_knob *knobs)
{
    struct walk *g = sonde_calloc(1, sizeof *g);
    g->guide.ops = ops;
    sonde_rng_seed(&g->rng, setup->seed, setup->stream);
    sonde_knobs_read(knobs, setup->options, g);
    g->setup = sonde_guide_part(setup, 1);
    g->fresh = sonde_guide_find("uniform")->create(&g->setup);
    return g;
}

static struct sonde_guide *hill_create(const struct sonde_guide_setup *setup)
{
    return &create(setup, &sonde_guide_hill, hill_knobs)->guide;
}

static struct sonde_guide *anneal_create(const struct sonde_guide_setup *setup)
{
    struct walk *g = create(setup, &sonde_guide_anneal, anneal_knobs);
    g->cools = true;
    if (g->steps < 1) g->steps = setup->tests ? (double)setup->tests : STEPS_UNKNOWN;
    return &g->guide;
}

static void leave(struct walk *g)
{
    if (g->at) sonde_corpus_drop(g->setup.corpus, g->at);
    g->at = NULL;
}

static void walk_destroy(struct sonde_guide *guide)
{
    struct walk *g = (struct walk *)guide;
    leave(g);
    g->fresh->ops->destroy(g->fresh);
    sonde_free(g);
}

/* ---- Neighbours */

static bool is_number(const struct sonde_choice *c)
{
    return c->kind == SONDE_KIND_INT || c->kind == SONDE_KIND_UINT || c->kind == SONDE_KIND_DOUBLE
           || (c->kind == SONDE_KIND_LENGTH && !(c->flags & SONDE_CHOICE_OPEN));
}

/* Returns a step of up to a tenth of the range, up or down. Doubles, whose range may be infinite, move by a power of
 * two. */
static double any_step(struct sonde_rng *rng, const struct sonde_choice *c)
{
    double sign = sonde_rng_upto(rng, 1) ? 1 : -1;
    if (c->kind == SONDE_KIND_DOUBLE) return ldexp(sign, (int)sonde_rng_upto(rng, 47) - 24);
    return sign * (double)(1 + sonde_rng_upto(rng, c->max / PART));
}

bool classic_step(struct sonde_rng *rng, struct sonde_tape *script, uint32_t choice)
{
    const struct sonde_choice *c = &script->choices[choice];
    if (!is_number(c) || sonde_rng_upto(rng, PART - 1) == 0) return false;
    sonde_choice_move(script, choice, any_step(rng, c));
    return true;
}

/* Changes one choice that can have another value. */
static void change(struct walk *g, struct sonde_tape *script)
{
    uint32_t i = 0;
    for (int k = 0;
         k < LOOKED_AT && script->choices[i = (uint32_t)sonde_rng_upto(&g->rng, script->n_choices - 1)].max == 0;)
        k++;
    if (!classic_step(&g->rng, script, i)) script->choices[i].flags |= SONDE_CHOICE_HOLE;
}

static enum sonde_plan walk_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    struct walk *g = (struct walk *)guide;
    g->cases++;
    g->guide.plain = g->fresh->plain;
    if (!g->at || g->at->tape.n_choices == 0) return SONDE_PLAN_FRESH;
    sonde_tape_copy(script, &g->at->tape);
    change(g, script);
    return SONDE_PLAN_SCRIPT;
}

static uint64_t walk_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct sonde_guide *fresh = ((struct walk *)guide)->fresh;
    return fresh->ops->choose(fresh, view);
}

static size_t walk_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                        size_t max)
{
    struct sonde_guide *fresh = ((struct walk *)guide)->fresh;
    return fresh->ops->fill(fresh, view, symbols, min, max);
}

/* ---- Steps */

static double worth_of(const struct sonde_observation *o)
{
    double sum = 0;
    for (size_t i = 0; i < o->n_targets; i++) sum += o->targets[i].value;
    return sum;
}

static bool accepts(struct walk *g, double worth)
{
    if (!g->at || worth > g->worth) return true;
    double heat = g->cools ? g->heat * (1 - (double)g->step / g->steps) : 0;
    return heat > 0 && sonde_rng_unit(&g->rng) < exp((worth - g->worth) / heat);
}

static bool is_over(const struct walk *g)
{
    return g->cools ? (double)g->step >= g->steps : (double)g->in_vain >= g->vain;
}

static void walk_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct walk *g = (struct walk *)guide;
    const struct sonde_observation *o = run->observation;
    bool is_own = run->author == guide, is_known = o->verdict == SONDE_VALID && o->n_targets > 0 && !o->are_margins;
    double worth = worth_of(o);
    g->step += is_own && g->at;
    g->in_vain += is_own && g->at;
    if (is_known && !isnan(worth) && (is_own || !run->author) && accepts(g, worth)) {
        g->in_vain = worth > g->worth || !g->at ? 0 : g->in_vain;
        leave(g);
        g->at = sonde_corpus_keep(g->setup.corpus, run);
        g->worth = worth;
        g->moves++;
    }
    if (!g->at || !is_over(g)) return;
    leave(g);
    g->step = g->in_vain = 0;
    g->restarts++;
}

static void walk_stats(struct sonde_guide *guide, FILE *out)
{
    const struct walk *g = (const struct walk *)guide;
    fprintf(out, "cases=%" PRIu64 " moves=%" PRIu64 " restarts=%" PRIu64 "\n", g->cases, g->moves, g->restarts);
}

const struct sonde_guide_ops sonde_guide_hill = {
    .name = "hill",
    .summary = "hill climbing by utilities, for comparison",
    .create = hill_create,
    .destroy = walk_destroy,
    .start = walk_start,
    .choose = walk_choose,
    .fill = walk_fill,
    .learn = walk_learn,
    .wants = SONDE_NEW_TARGET,
    .stats = walk_stats,
    .knobs = (const struct sonde_knob *const[]){hill_knobs, NULL},
};

const struct sonde_guide_ops sonde_guide_anneal = {
    .name = "anneal",
    .summary = "simulated annealing by utilities, for comparison",
    .create = anneal_create,
    .destroy = walk_destroy,
    .start = walk_start,
    .choose = walk_choose,
    .fill = walk_fill,
    .learn = walk_learn,
    .wants = SONDE_NEW_TARGET,
    .stats = walk_stats,
    .knobs = (const struct sonde_knob *const[]){anneal_knobs, NULL},
};
