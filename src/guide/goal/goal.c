/* The guide `goal`: solves conditions of the code under test. A branch that compares two numbers has outcomes
 * (==, <, >). An outcome that no valid case has shown is a goal (frontier.h). An attack makes a few hundred cases to
 * reach one goal (attack.h). It probes how the numbers of the input move the sides, and solves for the outcome.
 *
 * As long as no case is valid, discarded cases count, too. The comparisons of assumes are then solved one by one, up to
 * the first valid input. After that all goals are found again.
 *
 * The comparisons of a case are recorded one by one, which takes time, so only cases of this guide are. A valid case of
 * another guide that reached new code is run again, once, to record them.
 *
 * Utilities are raised by ascents (ascent.h), which take turns with the attacks.
 *
 * The guide has nothing to do once every goal was reached or attacked often enough. Then it makes random cases, and
 * `auto` lets it rest until there is a new goal.
 *
 * Angora (Chen and Chen, 2018) and Eclipser (Choi and others, 2019) solve conditions by probing, too. They work on the
 * bytes of a file, one comparison at a time. Here the numbers are drawn by a generator, and the equalities of the path
 * stay while a later one is solved. */
#include "guide/goal/goal.h"

#include "base/mem.h"
#include "guide/goal/ascent.h"
#include "guide/goal/attack.h"
#include "guide/guides.h"
#include "guide/inner.h"

#include <inttypes.h>
#include <math.h>

enum {
    QUEUE = 64,          /* cases of other guides that wait */
    TRIES = 4,           /* attacks on an equality that comes no nearer; half as many on < and > */
    MOST = 4096,         /* goals */
    BYTES_OF_GOAL = 2048 /* memory of a goal with its tapes, roughly */
};

struct goal_guide {
    struct sonde_scripter base;
    struct sonde_rng rng;
    struct sonde_corpus *corpus;
    struct sonde_frontier frontier;
    struct sonde_attack attack;
    struct sonde_seen seen;          /* inputs that were run */
    struct sonde_kept *queue[QUEUE]; /* a ring */
    uint32_t first, n_queue;
    uint32_t next; /* goal that is attacked next; UINT32_MAX: none */
    uint8_t next_want;
    struct sonde_ascent ascent;
    bool is_planned; /* a case of the attack was planned, and nothing was learned from it yet */
    bool is_ascent;  /* the same of the ascent */
    bool ascends;    /* an ascent is due before the next attack */
    uint64_t cases, attacks, reached[SONDE_ATTACK_PHASES];
};

static struct sonde_guide *goal_create(const struct sonde_guide_setup *setup)
{
    struct goal_guide *g = sonde_calloc(1, sizeof *g);
    size_t goals = setup->memory / BYTES_OF_GOAL;
    g->base.guide.ops = &sonde_guide_goal;
    g->corpus = setup->corpus;
    g->ascends = true;
    g->next = UINT32_MAX;
    sonde_rng_seed(&g->rng, setup->seed, setup->stream);
    sonde_inner_init(&g->base.fresh, &sonde_guide_random, sonde_guide_part(setup, 1));
    sonde_frontier_init(&g->frontier, setup->corpus, goals < MOST ? (uint32_t)goals : MOST, TRIES);
    sonde_attack_init(&g->attack);
    sonde_ascent_init(&g->ascent, setup->corpus);
    sonde_seen_init(&g->seen);
    g->attack.known = &g->seen;
    return &g->base.guide;
}

static void goal_destroy(struct sonde_guide *guide)
{
    struct goal_guide *g = (struct goal_guide *)guide;
    for (uint32_t i = 0; i < g->n_queue; i++) sonde_corpus_drop(g->corpus, g->queue[(g->first + i) % QUEUE]);
    sonde_frontier_clear(&g->frontier);
    sonde_attack_clear(&g->attack);
    sonde_ascent_clear(&g->ascent);
    sonde_seen_clear(&g->seen);
    sonde_inner_clear(&g->base.fresh);
    sonde_free(g);
}

bool sonde_goal_is_busy(const struct sonde_guide *guide)
{
    const struct goal_guide *g = (const struct goal_guide *)guide;
    bool attacks = g->attack.phase != SONDE_ATTACK_OVER || g->next != UINT32_MAX;
    return g->cases == 0 || g->n_queue > 0 || attacks || sonde_ascent_is_busy(&g->ascent);
}

bool sonde_goal_rises(const struct sonde_guide *guide)
{
    return sonde_ascent_rises(&((const struct goal_guide *)guide)->ascent);
}

/* ---- Cases */

static bool plan_attack(struct goal_guide *g, struct sonde_tape *script)
{
    uint64_t before = g->attack.work;
    bool is_made = sonde_attack_plan(&g->attack, &g->rng, script);
    g->base.guide.work += g->attack.work - before;
    if (is_made) g->frontier.goals[g->attack.goal].spent[sonde_outcome_index(g->attack.want)]++;
    return is_made;
}

/* Ends an attack whose case ended its process: it would only plan that case again, and others that end alike. Whether
 * the case had the outcome is not known, because its log is lost. */
static void give_up(struct goal_guide *g)
{
    g->frontier.goals[g->attack.goal].seen |= g->attack.want;
    g->attack.phase = SONDE_ATTACK_OVER;
    g->is_planned = false;
}

static void begin_next(struct goal_guide *g)
{
    sonde_attack_begin(&g->attack, &g->frontier, g->next, g->next_want);
    g->next = UINT32_MAX;
    g->ascends = true;
    g->attacks++;
}

static void take_queued(struct goal_guide *g, struct sonde_tape *script)
{
    struct sonde_kept *kept = g->queue[g->first];
    g->first = (g->first + 1) % QUEUE;
    g->n_queue--;
    sonde_tape_copy(script, &kept->tape);
    sonde_corpus_drop(g->corpus, kept);
}

/* Ascents and attacks take turns. */
static bool plan_ascent(struct goal_guide *g, struct sonde_tape *script)
{
    bool is_turn = g->ascends || g->next == UINT32_MAX;
    g->is_ascent = is_turn && sonde_ascent_plan(&g->ascent, &g->rng, script);
    g->ascends = g->is_ascent;
    return g->is_ascent;
}

static enum sonde_plan goal_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    struct goal_guide *g = (struct goal_guide *)guide;
    g->cases++;
    sonde_inner_start(&g->base.fresh, guide, script);
    if (g->is_planned) give_up(g);
    if (g->is_ascent) sonde_ascent_lose(&g->ascent);
    g->is_ascent = false;
    g->is_planned = plan_attack(g, script);
    if (g->is_planned) return SONDE_PLAN_SCRIPT;
    if (g->n_queue) {
        take_queued(g, script);
        return SONDE_PLAN_SCRIPT;
    }
    if (plan_ascent(g, script)) return SONDE_PLAN_SCRIPT;
    if (g->next == UINT32_MAX) return SONDE_PLAN_FRESH;
    begin_next(g);
    g->is_planned = plan_attack(g, script);
    return g->is_planned ? SONDE_PLAN_SCRIPT : SONDE_PLAN_FRESH;
}

/* ---- Learning */

/* Picks the goal to attack next, unless one was picked that is still open. */
static void pick_next(struct goal_guide *g)
{
    const struct sonde_goal *next = g->next == UINT32_MAX ? NULL : &g->frontier.goals[g->next];
    bool is_open = next && next->nearest && !(next->seen & g->next_want);
    if (g->attack.phase != SONDE_ATTACK_OVER || is_open) return;
    g->next = sonde_frontier_pick(&g->frontier, &g->next_want, &g->base.guide.work);
}

void sonde_goal_retry(struct sonde_guide *guide)
{
    const double most = 200; /* goals count tries in a byte */
    struct goal_guide *g = (struct goal_guide *)guide;
    g->frontier.tries = fmin(g->frontier.tries + TRIES, most);
    pick_next(g);
}

static void learn_own(struct goal_guide *g, const struct sonde_run *run)
{
    const struct sonde_coverage_view *seen = run->observation->coverage;
    enum sonde_verdict verdict = run->observation->verdict;
    sonde_frontier_read(&g->frontier, seen);
    g->base.guide.work += g->frontier.n_log;
    bool is_discarded = verdict != SONDE_VALID && verdict != SONDE_FAILED;
    if (!is_discarded || g->frontier.is_early) sonde_frontier_learn(&g->frontier, run, &g->rng);
    enum sonde_attack_phase phase = g->attack.phase;
    if (g->is_planned && verdict == SONDE_FAILED && g->frontier.n_log == 0) give_up(g);
    if (g->is_planned && sonde_attack_learn(&g->attack, &g->frontier, run)) g->reached[phase]++;
    g->is_planned = false;
    pick_next(g);
}

/* The first valid case: what discarded cases have shown does not count any more. */
static void begin_anew(struct goal_guide *g)
{
    sonde_frontier_restart(&g->frontier);
    g->attack.phase = SONDE_ATTACK_OVER;
    g->next = UINT32_MAX;
    g->is_planned = false;
}

static void goal_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct goal_guide *g = (struct goal_guide *)guide;
    bool is_valid = sonde_is_valid_input(run->observation);
    sonde_seen_add(&g->seen, run->tape);
    if (is_valid && g->frontier.is_early) begin_anew(g);
    sonde_ascent_learn(&g->ascent, run, run->author == guide && g->is_ascent, &g->rng);
    if (run->author == guide) {
        g->is_ascent = false;
        learn_own(g, run);
        return;
    }
    bool is_news = run->interest.reasons & (SONDE_NEW_VALID_COVERAGE | SONDE_NEW_COVERAGE);
    if (!is_news || !(is_valid || g->frontier.is_early) || g->n_queue == QUEUE) return;
    g->queue[(g->first + g->n_queue++) % QUEUE] = sonde_corpus_keep(g->corpus, run);
}

static void goal_stats(struct sonde_guide *guide, FILE *out)
{
    static const char *const names[SONDE_ATTACK_PHASES] = {"over", "base",  "copy",   "probe", "line",
                                                           "grow", "pair",  "verify", "curve", "scan",
                                                           "flip", "table", "joint",  "bits",  "sample"};
    struct goal_guide *g = (struct goal_guide *)guide;
    fprintf(out, "cases=%" PRIu64 " goals=%" PRIu32 " attacks=%" PRIu64, g->cases, g->frontier.n, g->attacks);
    if (g->ascent.cases) fprintf(out, " ascents=%" PRIu64, g->ascent.cases);
    for (int i = 0; i < SONDE_ATTACK_PHASES; i++)
        if (g->reached[i]) fprintf(out, " by_%s=%" PRIu64, names[i], g->reached[i]);
    fputc('\n', out);
}

const struct sonde_guide_ops sonde_guide_goal = {
    .name = "goal",
    .summary = "solves for branches that no valid input has taken; raises utilities",
    .create = goal_create,
    .destroy = goal_destroy,
    .start = goal_start,
    .choose = sonde_scripter_choose,
    .fill = sonde_scripter_fill,
    .learn = goal_learn,
    .wants = SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE | SONDE_NEW_COMPARISON | SONDE_WANT_COMPARISONS
             | SONDE_WANT_SHAPES | SONDE_WANT_MARGINS,
    .stats = goal_stats,
};
