/* The guide `auto`, the default: combines the other guides, so users need not know which one fits a property.
 *
 * It begins as a person would, with `random`: the simplest case, small cases, boundary values, up to full size. Signs
 * in the cases start (wake) the other guides:
 * - A discarded case wakes the guides that learn what is valid (`target`, `cgpt`). It wakes `rl` if it drew something
 *   besides strings and bytes, of which `rl` learns nothing.
 * - Counters of instrumented code wake the guides that follow coverage (`cgpt`) and solve conditions (`goal`).
 * - A utility or a state from the user wakes the guide that climbs (`target`).
 * A property without such signs is tested by `random`, with a few hundred of the simplest inputs from `enumerate`, and
 * costs no more than that.
 *
 * Guides that are awake take turns, by what each earned recently per unit of cost (bandit.h). A case costs a
 * constant, its choices at the guide's price of a choice, other work that the guide reports, and the edges executed.
 * The first cases earn nothing, because any guide would have found the same. An input that was seen before earns
 * nothing either. Where random inputs are nearly all valid and new, a new input hardly counts, only what it does. If
 * inputs do nothing new any more, the guides have equal shares of the cost. `rl` and `target` must learn before they
 * can earn, and have a share in advance for that. The share is smaller while valid inputs do something new.
 * `enumerate` continues as long as it earns its share. `goal` takes part only while it has conditions to solve and the
 * other guides reach no new code.
 *
 * Before the first valid input, guides earn only by coming nearer to it. Then all earnings begin again: mutation had
 * nothing to start from, and after many discarded cases it would wait for long.
 *
 * A discarded input that lacks only a computed value is run again with that value (repair.h). Such a case belongs to no
 * arm: it costs nothing, and earns a part of a valid input for the arm whose input was repaired.
 *
 * Every guide learns from the cases of all guides. So mutation starts from inputs that were learned to be valid, and
 * the learning guides use valid inputs that mutation found. `rl` and `target` learn slowly, so they see only a sample
 * of other guides' cases. `rl` uses hardly any of them once it succeeds by itself (rl.c, is_wanted). `cgpt` sees only
 * cases that show something new, or all while few are valid.
 *
 * An example: cases 1 to 50 come from `random`, with growing size. Case 3 is discarded and wakes `rl`, `target` and
 * `cgpt`, which from then on learn from the cases of `random`. From case 51 on, turns of 16 cases are given by credit;
 * the first few go to `cgpt`, if there are counters. `rl` and `target` have shares in advance, of which a quarter is
 * left after 1,024 cases of `rl` and 256 of `target`. After each 512 of its cases `enumerate` must have an even share;
 * otherwise it leaves. */
#include "guide/compose/bandit.h"
#include "guide/given.h"
#include "guide/goal/goal.h"
#include "guide/goal/repair.h"
#include "guide/guides.h"
#include "guide/inner.h"
#include "guide/seen.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "tape/shape.h"

#include <inttypes.h>
#include <math.h>

enum {
    RAMP = 50,       /* number of cases that `random` makes at the beginning */
    SLOT = 16,       /* number of cases in a turn */
    FIRST = 512,     /* `enumerate` is judged each time it has run this many cases */
    LESSONS = 1000,  /* number of first cases of other guides that are all shown to a slow learner */
    RARE = 20,       /* if fewer than one case in this many is valid, slow learners are shown each valid case */
    QUIET = 64,      /* `goal` waits until so many cases found no new valid coverage, */
    QUIET_PART = 32, /* and until this part of all cases, 1/32, did not */
    RETRY = 4096,    /* `goal` attacks again after so many cases, and whenever they have doubled */
    PERCENT = 100    /* turns a share into a percentage for --stats */
};

static const double case_cost = 1000; /* fixed cost of a case, in units of the cost of one choice by `random` */
static const double nowhere = -1e300; /* below every distance */

/* Signs that cases have shown so far: bits of `signs`. They are saved (auto_save), so their values must not change. */
enum sign {
    SIGN_COVERAGE = 1,
    SIGN_DISCARD = 2,
    SIGN_UTILITY = 4,
    SIGN_STATE = 8,
    SIGN_MARGIN = 32, /* a check reported how far it was from failing; 16 belonged to an older sign */
    SIGN_LESSON = 64  /* a discarded case drew something besides strings and bytes, so `rl` can learn from it */
};

/* Contests in which guides earn. Guides compete in each separately; a weight says how much a contest counts (bandit.h).
 * Earnings are saved in this order. */
enum contest {
    CONTEST_VALID_COVERAGE,
    CONTEST_COVERAGE,
    CONTEST_NICHE,  /* earned by a valid case with a new set of counters */
    CONTEST_TRACE,  /* earned by a valid case with new counts of the counters */
    CONTEST_UNIQUE, /* earned by a new valid input */
    /* Earned by the part of the assumes that a case passed. It is the only contest before the first valid input, and
     * after every valid input has been seen. */
    CONTEST_DEPTH,
    CONTEST_UTILITY, /* earned by a higher utility, or by a changed state */
    CONTEST_ASSUMES, /* earned by a case nearer to the first valid case */
    CONTESTS
};

/* For each contest its name in --stats, and its weight in the score that decides the share of a guide. Guides compete
 * for relative rates, so a weight says how much a contest counts beside the others. */
static const struct contest_kind {
    const char *name;
    double weight;
} contests[CONTESTS] = {
    [CONTEST_VALID_COVERAGE] = {"valid_coverage", 4},
    [CONTEST_COVERAGE] = {"coverage", 2},
    [CONTEST_NICHE] = {"niches", 2},
    [CONTEST_TRACE] = {"traces", 1},
    [CONTEST_UNIQUE] = {"unique_valid", 1}, /* the knob of this name */
    [CONTEST_DEPTH] = {"depth", 0.3},
    [CONTEST_UTILITY] = {"utility", 4},
    [CONTEST_ASSUMES] = {"assumes", 3},
};

enum { ARM_RANDOM, ARM_ENUMERATE, ARM_RL, ARM_CGPT, ARM_TARGET, ARM_ZEST, ARM_GOAL, ARMS };
/* The arms before this one are saved: `zest` takes part in experiments only, and goals of `goal` are found again. */
enum { ARMS_SAVED = ARM_ZEST };

/* The guides that `auto` uses. `memory` adds up to 16 sixteenths over the arms in use. Two come on top: `zest`, which
 * is left out unless a knob asks for it, and `goal`, which shares most of its tapes with `cgpt`. A wrong `price` only
 * shifts shares. */
static const struct arm_kind {
    const struct sonde_guide_ops *ops;
    unsigned wakes;    /* signs, any of which wakes the guide; 0: awake from the start */
    double price;      /* time that a choice takes, relative to `random` */
    double prior;      /* a factor of its claim (bandit.h) */
    unsigned memory;   /* this guide's part of the memory, in sixteenths */
    unsigned practice; /* number of its cases after which a quarter of its share in advance is left; 0: no such share */
} kinds[ARMS] = {
    [ARM_RANDOM] = {&sonde_guide_random, 0, 1, 1, 2, 0},
    [ARM_ENUMERATE] = {&sonde_guide_enumerate, 0, 2, 0.15, 1, 0},
    [ARM_RL] = {&sonde_guide_rl, SIGN_LESSON, 8, 1, 6, 1024},
    [ARM_CGPT] = {&sonde_guide_cgpt, SIGN_COVERAGE | SIGN_DISCARD, 4, 1, 4, 0},
    [ARM_TARGET] = {&sonde_guide_target, SIGN_DISCARD | SIGN_UTILITY | SIGN_STATE | SIGN_MARGIN, 4, 1, 3, 256},
    [ARM_ZEST] = {&sonde_guide_zest, SIGN_COVERAGE, 1, 1, 2, 0},
    [ARM_GOAL] = {&sonde_guide_goal, SIGN_COVERAGE | SIGN_UTILITY | SIGN_MARGIN, 4, 2, 1, 16},
};

/* One guide in use. */
struct arm {
    struct sonde_inner inner; /* inner.guide is NULL until the guide is woken, and after it was dismissed */
    /* cases: number of cases of this guide. lessons: number of other guides' cases that it was shown. work: what it had
     * reported when its last case ended. */
    uint64_t cases, lessons, work;
    bool is_done; /* the guide was dismissed */
};

/* The state of `auto`. bandit.arms[i] and arms[i] are the same guide. */
struct automatic {
    struct sonde_guide guide;
    struct sonde_guide_setup setup;
    struct sonde_bandit bandit;
    struct arm arms[ARMS];
    unsigned signs;
    uint32_t arm;  /* the arm that has the turn */
    uint32_t left; /* number of cases left in the turn; 0 between turns */
    uint64_t cases, valid, ramp;
    bool has_begun;            /* a valid input is known, or an earlier run found some */
    struct sonde_givens given; /* given inputs, held until the guides that learn from them are awake */
    /* sets of counters, and counts of counters, that were seen; allocated only with coverage */
    struct sonde_seen niches, traces;
    struct sonde_seen shapes; /* skeletons of valid inputs; allocated with the first sign */
    bool is_new_shape;        /* the case that is learned has a new skeleton */
    uint64_t plain_inputs;    /* cases of `random` that were new valid inputs */
    uint32_t deepest;         /* largest number of assumes that a discarded case passed */
    uint64_t news;            /* `cases` when a guide other than `goal` last found new valid coverage */
    uint64_t retry;           /* number of cases at which `goal` attacks its goals again */
    double nearest;           /* among the cases that passed so many, the distance nearest to passing the next assume */
    struct sonde_repair repair;
    bool repairs; /* `repair` planned the case */
    /* Knobs. */
    double keeps[ARMS]; /* by guide: 1, or 0 to leave it out */
    double weights[CONTESTS];
    double coverage_trust, payload, seeds, mends;
};

#define KNOB(name, field, ...) SONDE_KNOB(struct automatic, field, name, __VA_ARGS__)

static const struct sonde_knob knobs[] = {
    KNOB("unique_valid", weights[CONTEST_UNIQUE], 1, 0, 1000, "weight of a valid input not seen before",
         "bench/KNOBS.md, auto"),
    KNOB("payload", payload, 0.2, 0, 1,
         "in instrumented code, while valid inputs do something new, the weight unique_valid is multiplied by this",
         "bench/results/zoo.md, How auto shares turns"),
    KNOB("trustcoverage", coverage_trust, 8, 0.01, 100,
         "in instrumented code, while valid inputs do something new, the weight of cgpt is multiplied by this",
         "bench/results/zoo.md, How auto shares turns"),
    KNOB("enumerate", keeps[ARM_ENUMERATE], 1, 0, 1, "0: auto does not use this guide",
         "bench/results/zoo.md, How auto shares turns"),
    KNOB("rl", keeps[ARM_RL], 1, 0, 1, "0: auto does not use this guide", "bench/KNOBS.md, auto"),
    KNOB("cgpt", keeps[ARM_CGPT], 1, 0, 1, "0: auto does not use this guide", "bench/KNOBS.md, auto"),
    KNOB("target", keeps[ARM_TARGET], 1, 0, 1, "0: auto does not use this guide",
         "bench/results/zoo.md, How auto shares turns"),
    KNOB("goal", keeps[ARM_GOAL], 1, 0, 1, "0: auto does not use this guide", "bench/RESULTS.md, roadblocks"),
    KNOB("zest", keeps[ARM_ZEST], 0, 0, 1, "1: auto uses this guide, too, in instrumented code",
         "bench/RESULTS.md, factorial"),
    KNOB("seeds", seeds, 1, 0, 1, "0: cgpt and zest mutate only inputs that they made themselves",
         "bench/RESULTS.md, factorial"),
    KNOB("repair", mends, 1, 0, 1, "0: discarded inputs are not repaired", "bench/RESULTS.md, assume"),
    {0},
};

/* Creates the guide of an arm, once. A guide is created only when needed, because an unused learner costs memory and
 * time. */
static void wake(struct automatic *g, uint32_t i)
{
    const struct arm_kind *kind = &kinds[i];
    if (g->arms[i].inner.guide || g->arms[i].is_done) return;
    if (i != ARM_RANDOM && g->keeps[i] <= 0) return;
    struct sonde_guide_setup setup = sonde_guide_part(&g->setup, i);
    setup.memory = g->setup.memory / 16 * kind->memory;
    sonde_inner_init(&g->arms[i].inner, kind->ops, setup);
    g->guide.wants |= kind->ops->wants;
    if (g->bandit.arms[i].prior == 0) g->bandit.arms[i].prior = kind->prior;
    sonde_bandit_join(&g->bandit, i);
}

/* Removes an arm for good. Its guide is destroyed at once to free its memory. */
static void dismiss(struct automatic *g, uint32_t i)
{
    sonde_bandit_leave(&g->bandit, i);
    sonde_inner_clear(&g->arms[i].inner);
    g->arms[i].is_done = true;
    if (g->arm == i) g->left = 0;
}

/* A run of few cases has a shorter ramp, so that half of the run is left for the other guides. */
static struct sonde_guide *auto_create(const struct sonde_guide_setup *setup)
{
    struct automatic *g = sonde_calloc(1, sizeof *g);
    g->guide.ops = &sonde_guide_auto;
    g->setup = *setup;
    for (uint32_t c = 0; c < CONTESTS; c++) g->weights[c] = contests[c].weight;
    sonde_knobs_read(knobs, setup->options, g);
    sonde_bandit_init(&g->bandit, setup->options);
    g->ramp = setup->tests > 0 && setup->tests < 2 * RAMP ? setup->tests / 2 : RAMP;
    g->bandit.n_arms = ARMS;
    g->bandit.n_contests = CONTESTS;
    for (uint32_t c = 0; c < CONTESTS; c++) g->bandit.weights[c] = g->weights[c];
    wake(g, ARM_RANDOM);
    wake(g, ARM_ENUMERATE);
    g->nearest = -INFINITY;
    g->retry = RETRY;
    sonde_repair_init(&g->repair, setup->seed, sonde_guide_part(setup, ARMS).stream);
    return &g->guide;
}

static void auto_destroy(struct sonde_guide *guide)
{
    struct automatic *g = (struct automatic *)guide;
    sonde_givens_clear(&g->given, g->setup.corpus);
    for (uint32_t i = 0; i < ARMS; i++) sonde_inner_clear(&g->arms[i].inner);
    sonde_repair_clear(&g->repair);
    sonde_seen_clear(&g->niches);
    sonde_seen_clear(&g->traces);
    sonde_seen_clear(&g->shapes);
    sonde_free(g);
}

/* ---- Turns */

/* Reports whether the ramp is running. Cases earn nothing during the ramp. If other guides are awake, `random` still
 * pays for these cases, because it has had its turn. */
static bool is_ramp(const struct automatic *g)
{
    return g->cases < g->ramp;
}

/* Returns how surely valid inputs still do something new in instrumented code, from 0 to 1. */
static double novelty(const struct automatic *g)
{
    static const enum contest deeds[] = {CONTEST_VALID_COVERAGE, CONTEST_NICHE, CONTEST_TRACE};
    double known = 1;
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) known *= 1 - sonde_bandit_part(&g->bandit, deeds[i]);
    return 1 - known;
}

/* Returns the factor of an arm's share in advance (`learning` in bandit.h), from 0 to 1. Each case teaches less than
 * the previous one; without the square, learners had 4 to 7 % of the cost where another guide led. While valid inputs
 * still do something new, learning can wait. */
static double learning(const struct automatic *g, uint32_t i)
{
    double practice = kinds[i].practice;
    if (!(practice > 0)) return 0;
    double part = practice / (practice + (double)g->arms[i].cases);
    return (1 - novelty(g)) * part * part;
}

/* Reports whether other guides have found no new valid coverage for a while. Until then they need no help: conditions
 * that random inputs and mutation pass cost them fewer cases than solving. */
static bool is_quiet(const struct automatic *g)
{
    uint64_t since = g->cases - g->news;
    return since >= QUIET && since >= g->cases / QUIET_PART;
}

/* `goal` takes part while it has something to do and it is quiet. */
static void admit_goal(struct automatic *g)
{
    struct sonde_guide *goal = g->arms[ARM_GOAL].inner.guide;
    if (!goal) return;
    if (g->cases >= g->retry && !sonde_goal_is_busy(goal)) {
        sonde_goal_retry(goal);
        g->retry = 2 * g->cases;
    }
    if (is_quiet(g) && sonde_goal_is_busy(goal)) sonde_bandit_join(&g->bandit, ARM_GOAL);
    else if (g->bandit.arms[ARM_GOAL].is_in) sonde_bandit_leave(&g->bandit, ARM_GOAL);
}

static void next_turn(struct automatic *g)
{
    if (is_ramp(g)) {
        g->arm = ARM_RANDOM;
        g->left = (uint32_t)(g->ramp - g->cases);
        return;
    }
    admit_goal(g);
    for (uint32_t i = 0; i < ARMS; i++) g->bandit.arms[i].learning = learning(g, i);
    /* While a utility rises, every other turn is for that: few large gains count no more than many small ones. */
    bool rises = g->bandit.arms[ARM_GOAL].is_in && sonde_goal_rises(g->arms[ARM_GOAL].inner.guide);
    g->arm = rises && g->arm != ARM_GOAL ? ARM_GOAL : sonde_bandit_next(&g->bandit);
    g->left = SLOT;
}

/* Returns the guide that makes the choices of the case: `random` where a repaired input leaves some open. */
static struct sonde_inner *answering(struct automatic *g)
{
    return &g->arms[g->repairs ? ARM_RANDOM : g->arm].inner;
}

static enum sonde_plan auto_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    struct automatic *g = (struct automatic *)guide;
    g->repairs = sonde_repair_is_due(&g->repair);
    if (g->left == 0 && !g->repairs) next_turn(g);
    struct sonde_inner *inner = answering(g);
    enum sonde_plan plan = sonde_inner_start(inner, guide, script);
    /* Two wants are taken only from the guide that makes this case: comparisons, because watching them takes time, and
     * new inputs. All other wants stay, because every guide that is awake learns from every case. */
    const uint32_t own = SONDE_NEW_COMPARISON | SONDE_WANT_COMPARISONS | SONDE_WANT_NEW_INPUTS;
    g->guide.wants =
        (g->guide.wants & ~own) | (g->repairs ? sonde_repair_wants(&g->repair) : inner->guide->wants & own);
    if (!g->repairs) return plan;
    sonde_repair_plan(&g->repair, script);
    return SONDE_PLAN_SCRIPT;
}

static uint64_t auto_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct automatic *g = (struct automatic *)guide;
    return sonde_inner_choose(answering(g), view);
}

static size_t auto_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                        size_t max)
{
    struct automatic *g = (struct automatic *)guide;
    return sonde_inner_fill(answering(g), view, symbols, min, max);
}

/* ---- Signs and rewards of a case */

static bool is_valid(const struct sonde_run *run)
{
    return sonde_is_valid_input(run->observation);
}

/* Reports whether a case made a choice that `rl` learns. It does not learn the contents of strings and bytes. */
static bool has_lesson(const struct sonde_tape *tape)
{
    for (uint32_t i = 0; i < tape->n_choices; i++)
        if (tape->choices[i].max > 0 && tape->choices[i].kind != SONDE_KIND_BLOB) return true;
    return false;
}

static unsigned signs_of(const struct automatic *g, const struct sonde_run *run)
{
    const struct sonde_observation *seen = run->observation;
    bool is_discard = !is_valid(run) && seen->verdict != SONDE_FAILED;
    bool is_lesson = is_discard && !(g->signs & SIGN_LESSON) && has_lesson(run->tape);
    return (seen->coverage ? SIGN_COVERAGE : 0u) | (is_discard ? SIGN_DISCARD : 0u) | (is_lesson ? SIGN_LESSON : 0u)
           | (!seen->n_targets    ? 0u
              : seen->are_margins ? SIGN_MARGIN
                                  : SIGN_UTILITY)
           | (run->interest.reasons & SONDE_NEW_STATE ? SIGN_STATE : 0u);
}

/* Wakes the guides for new signs. Also called by auto_load, so that signs of an earlier run wake guides at the
 * start. */
static void notice(struct automatic *g, unsigned signs)
{
    unsigned fresh = signs & ~g->signs;
    if (!fresh) return;
    if (!g->signs) sonde_seen_init(&g->shapes);
    g->signs |= fresh;
    /* Mutation need not learn first: with coverage, it gets the first turns. */
    if (fresh & SIGN_COVERAGE) g->bandit.arms[ARM_CGPT].prior = g->coverage_trust;
    if (fresh & SIGN_COVERAGE) {
        sonde_seen_init(&g->niches);
        sonde_seen_init(&g->traces);
    }
    for (uint32_t i = 0; i < ARMS; i++)
        if (kinds[i].wakes & fresh) wake(g, i);
}

/* Reports whether a case is nearer to the first valid case: it passed more assumes, or is closer to passing the
 * next. */
static bool is_nearer(struct automatic *g, const struct sonde_observation *seen)
{
    if (seen->verdict != SONDE_DISCARDED || seen->assumes_passed < g->deepest) return false;
    bool is_deeper = seen->assumes_passed > g->deepest;
    if (!is_deeper && !(seen->assume_distance > g->nearest)) return false;
    /* The first distance of all is not progress. */
    bool is_first = !is_deeper && g->nearest < nowhere;
    g->deepest = seen->assumes_passed;
    g->nearest = seen->assume_distance;
    return !is_first && g->valid == 0;
}

/* Credits the running arm, except during the ramp: any guide would have found the same then. */
static void earn(struct automatic *g, enum contest contest, double amount)
{
    if (!is_ramp(g)) sonde_bandit_earn(&g->bandit, g->arm, contest, amount);
}

/* Returns the part of the assumes that a case passed. One assume more than the deepest is counted, because more may
 * follow. A valid input that was seen before shows nothing. */
static double depth_of(const struct automatic *g, const struct sonde_run *run)
{
    if (is_valid(run)) return run->interest.reasons & SONDE_NEW_VALID ? 1 : 0;
    double passed = run->observation->assumes_passed;
    return g->deepest > 0 && passed > 0 ? passed / (g->deepest + 1.0) : 0;
}

/* Credits a case in all contests where it earns. Coverage of a discarded case counts only in CONTEST_COVERAGE. */
static void reward(struct automatic *g, const struct sonde_run *run)
{
    const struct sonde_observation *seen = run->observation;
    uint32_t reasons = run->interest.reasons;
    if (reasons & SONDE_NEW_VALID_COVERAGE) earn(g, CONTEST_VALID_COVERAGE, 1);
    if (reasons & SONDE_NEW_VALID_COVERAGE && g->arm != ARM_GOAL) g->news = g->cases;
    if (reasons & SONDE_NEW_COVERAGE) earn(g, CONTEST_COVERAGE, 1);
    if (reasons & SONDE_NEW_VALID) earn(g, CONTEST_UNIQUE, 1);
    g->plain_inputs += g->arm == ARM_RANDOM && reasons & SONDE_NEW_VALID;
    earn(g, CONTEST_DEPTH, depth_of(g, run));
    if (reasons & (SONDE_NEW_TARGET | SONDE_NEW_STATE)) earn(g, CONTEST_UTILITY, 1);
    if (is_nearer(g, seen)) earn(g, CONTEST_ASSUMES, 1);
    if (!seen->coverage || !is_valid(run)) return;
    if (sonde_seen_enter(&g->niches, seen->coverage->edges)) earn(g, CONTEST_NICHE, 1);
    if (sonde_seen_enter(&g->traces, seen->coverage->trace)) earn(g, CONTEST_TRACE, 1);
}

/* Credits the arm whose input was repaired. An input that needs no repair is worth more: no arm pays for the second
 * case. */
static void reward_repair(struct automatic *g, uint32_t reasons)
{
    const double part = 0.2;
    if (reasons & SONDE_NEW_VALID) earn(g, CONTEST_UNIQUE, part);
    if (reasons & SONDE_NEW_VALID_COVERAGE) g->news = g->cases;
}

/* ---- Learning */

/* Reports whether an arm is shown a case of another guide. A slow learner is shown the first cases, and then only rare
 * ones, and those with a new skeleton or other news. */
static bool is_lesson(const struct automatic *g, uint32_t i, const struct sonde_run *run)
{
    const struct arm *arm = &g->arms[i];
    uint32_t news = run->interest.reasons & ~(uint32_t)(SONDE_NEW_VALID | SONDE_NEW_COMPARISON);
    if (!kinds[i].practice || news) return true;
    if (is_valid(run) && (g->is_new_shape || g->valid * RARE < g->cases)) return true;
    return arm->lessons < LESSONS;
}

/* Reports whether a guide that mutates is shown a case of another guide. It is not shown a common input that is like
 * others. Where every input is valid, such inputs would replace what mutation has built up step by step. */
static bool is_seed(const struct automatic *g, const struct sonde_run *run)
{
    uint32_t news = run->interest.reasons & ~(uint32_t)(SONDE_NEW_VALID | SONDE_NEW_COMPARISON);
    return news || g->is_new_shape || sonde_is_given(run) || is_ramp(g) || g->valid * RARE < g->cases;
}

/* Shows a case to an arm. An arm that is not awake learns nothing; when it is woken it knows only the corpus. */
static void teach(struct automatic *g, uint32_t i, const struct sonde_run *run, bool is_own)
{
    struct arm *arm = &g->arms[i];
    if (!arm->inner.guide) return;
    if (!is_own) {
        bool is_mutator = i == ARM_CGPT || i == ARM_ZEST;
        if (is_mutator && g->seeds <= 0 && !sonde_is_given(run)) return;
        if (is_mutator && !is_seed(g, run)) return;
        if (!is_lesson(g, i, run)) return;
        arm->lessons++;
    }
    sonde_inner_learn(&arm->inner, run, is_own);
}

/* Returns how much a new valid input counts, from 0 to 1. Without coverage it is all there is. While valid inputs do
 * something new, what they do counts more. With coverage a new input hardly counts where random inputs are nearly all
 * valid and new. Such a contest tells nothing about guides and would go to the cheapest one. */
static double worth_of_input(const struct automatic *g)
{
    if (!(g->signs & SIGN_COVERAGE)) return 1;
    double left = 1 - (double)g->plain_inputs / ((double)g->arms[ARM_RANDOM].cases + 1);
    return (1 - (1 - g->payload) * novelty(g)) * left * left;
}

/* Adjusts two weights. Passed assumes count less when there are more new valid inputs. */
static void weigh_levels(struct automatic *g)
{
    double *weights = g->bandit.weights;
    weights[CONTEST_UNIQUE] = g->weights[CONTEST_UNIQUE] * worth_of_input(g);
    weights[CONTEST_DEPTH] = g->weights[CONTEST_DEPTH] * (1 - sonde_bandit_part(&g->bandit, CONTEST_UNIQUE));
}

/* Ends the turn. `enumerate` is judged after every FIRST of its cases: with less than an even share it is dismissed,
 * because it only gets slower. */
static void end_turn(struct automatic *g)
{
    const struct arm *first = &g->arms[ARM_ENUMERATE];
    bool is_asked = g->arm == ARM_ENUMERATE && first->cases > 0 && first->cases % FIRST == 0;
    uint32_t n_in = 0;
    weigh_levels(g);
    double trust = kinds[ARM_CGPT].prior;
    g->bandit.arms[ARM_CGPT].prior = trust + (g->coverage_trust - trust) * novelty(g);
    sonde_bandit_end_turn(&g->bandit, g->arm);
    for (uint32_t i = 0; i < ARMS; i++) n_in += g->bandit.arms[i].is_in;
    if (is_asked && g->bandit.arms[ARM_ENUMERATE].share * n_in < 1) dismiss(g, ARM_ENUMERATE);
}

/* Counts cost and rewards of a case. During the ramp, if there is no sign yet, the cost is counted only for --stats. */
static void count_case(struct automatic *g, const struct sonde_run *run)
{
    const struct sonde_observation *seen = run->observation;
    struct arm *arm = &g->arms[g->arm];
    double edges = seen->coverage ? (double)seen->coverage->executed : 0;
    double work = kinds[g->arm].price * (double)run->tape->n_choices + (double)(arm->inner.guide->work - arm->work);
    bool is_news = run->interest.reasons & SONDE_NEW_VALID;
    double cost = case_cost + work + edges;
    if (is_ramp(g) && !g->signs) g->bandit.arms[g->arm].all_cost += cost;
    else sonde_bandit_pay(&g->bandit, g->arm, cost, is_news);
    reward(g, run);
    arm->cases++;
    arm->work = arm->inner.guide->work;
    bool is_idle = g->arm == ARM_GOAL && !sonde_goal_is_busy(arm->inner.guide);
    g->left = is_idle ? 0 : g->left - 1;
    if (g->left == 0) end_turn(g);
}

/* ---- Given inputs
 *
 * Given inputs run first, when only the guides that need no sign are awake. A guide that wakes at the first discarded
 * case is shown the given inputs then. A guide that wakes by coverage or a utility has seen the input that showed the
 * sign. */

static void show_given(struct automatic *g, uint32_t i)
{
    for (uint32_t k = 0; k < g->given.n && g->arms[i].inner.guide; k++) {
        struct sonde_run run = sonde_givens_at(&g->given, k);
        sonde_inner_learn(&g->arms[i].inner, &run, false);
        g->arms[i].lessons++;
    }
}

static void wake_guides(struct automatic *g, const struct sonde_run *run)
{
    bool was_awake[ARMS];
    for (uint32_t i = 0; i < ARMS; i++) was_awake[i] = g->arms[i].inner.guide != NULL;
    notice(g, signs_of(g, run));
    for (uint32_t i = 0; i < ARMS && g->given.n; i++)
        if (!was_awake[i]) show_given(g, i);
    if (g->signs & SIGN_LESSON) sonde_givens_clear(&g->given, g->setup.corpus);
    else sonde_givens_add(&g->given, g->setup.corpus, run);
}

/* Starts the competition again, at the first valid input. Now mutation has a parent and learning an example, so what
 * guides earned and cost before says nothing about them. With coverage, mutation gets the first turns again. */
static void begin(struct automatic *g)
{
    g->has_begun = true;
    sonde_bandit_forget(&g->bandit);
    if (g->signs & SIGN_COVERAGE) g->bandit.arms[ARM_CGPT].prior = g->coverage_trust;
    sonde_bandit_end_turn(&g->bandit, g->arm);
    if (!is_ramp(g)) g->left = 0;
}

/* Reports whether an input has a skeleton not seen before. Only where guides compete: hashing a long tape costs as much
 * as drawing it. */
static bool shows_shape(struct automatic *g, const struct sonde_run *run)
{
    if (!g->signs || !(run->interest.reasons & SONDE_NEW_VALID)) return false;
    return sonde_seen_enter(&g->shapes, sonde_tape_levels(run->tape).skeleton);
}

static void auto_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct automatic *g = (struct automatic *)guide;
    /* All guides learn from cases of other jobs and from replays; no guide earns by them. */
    bool is_repair = run->author == guide && g->repairs;
    bool is_own = run->author == guide && !g->repairs && g->left > 0;
    wake_guides(g, run);
    g->is_new_shape = shows_shape(g, run);
    for (uint32_t i = 0; i < ARMS; i++) teach(g, i, run, is_own && i == g->arm);
    if (g->mends > 0) sonde_repair_learn(&g->repair, run, is_repair);
    if (is_own) count_case(g, run);
    if (is_repair && !g->repair.is_branch) reward_repair(g, run->interest.reasons);
    if (!g->has_begun && is_valid(run)) begin(g);
    g->cases++;
    g->valid += is_valid(run);
}

/* ---- Statistics */

/* Returns the cost of an arm as a part of the cost of all arms. */
static double part_paid(const struct sonde_bandit *b, uint32_t i)
{
    double all = 0;
    for (uint32_t k = 0; k < ARMS; k++) all += b->arms[k].all_cost;
    return all > 0 ? b->arms[i].all_cost / all : 0;
}

/* Returns the weighted earnings of an arm in all contests, as a part of the earnings of all arms. */
static double part_earned(const struct sonde_bandit *b, uint32_t i)
{
    double sum = 0, weights = 0;
    for (uint32_t c = 0; c < CONTESTS; c++) {
        double all = 0;
        for (uint32_t k = 0; k < ARMS; k++) all += b->arms[k].all_earned[c];
        if (!(all > 0)) continue;
        sum += b->weights[c] * b->arms[i].all_earned[c] / all;
        weights += b->weights[c];
    }
    return weights > 0 ? sum / weights : 0;
}

/* Returns the name of the contest that contributes most to an arm's claim: its weight times the arm's rate relative to
 * the best rate. Returns NULL if the arm earns in none. */
static const char *strength_of(const struct automatic *g, uint32_t i)
{
    const struct sonde_bandit *b = &g->bandit;
    const char *name = NULL;
    double most = 0;
    for (uint32_t c = 0; c < CONTESTS; c++) {
        double best = 0, own = 0;
        for (uint32_t k = 0; k < ARMS; k++) {
            const struct sonde_bandit_sums *x = &b->arms[k].lately;
            double rate = b->arms[k].is_in && x->cost > 0 ? x->earned[c] / x->cost : 0;
            if (rate > best) best = rate;
            if (k == i) own = rate;
        }
        double part = best > 0 ? sonde_bandit_weight(b, c) * own / best : 0;
        if (part > most) most = part, name = contests[c].name;
    }
    return name;
}

/* Prints why an arm has its share. */
static void print_reason(const struct automatic *g, uint32_t i, FILE *out)
{
    const struct sonde_bandit_arm *a = &g->bandit.arms[i];
    const char *strength = a->is_in ? strength_of(g, i) : NULL;
    if (!a->is_in) fputs("left", out);
    else if (a->advance > a->share / 2) fputs("learning", out);
    else if (a->score >= 1 && strength) fprintf(out, "leads:%s", strength);
    else if (strength) fprintf(out, "earns:%s", strength);
    else fputs("doubt", out);
}

static void print_arm(struct automatic *g, uint32_t i, FILE *out)
{
    const struct sonde_bandit_arm *a = &g->bandit.arms[i];
    const struct arm *arm = &g->arms[i];
    fprintf(out, "\n  %-10s cases=%" PRIu64 " cost=%.1f%% earned=%.1f%% share=%.1f%% reason=", kinds[i].ops->name,
            arm->cases, PERCENT * part_paid(&g->bandit, i), PERCENT * part_earned(&g->bandit, i),
            a->is_in ? PERCENT * a->share : 0);
    print_reason(g, i, out);
    for (uint32_t c = 0; c < CONTESTS; c++)
        if (a->all_earned[c] > 0) fprintf(out, " %s=%.0f", contests[c].name, a->all_earned[c]);
}

static void auto_stats(struct sonde_guide *guide, FILE *out)
{
    struct automatic *g = (struct automatic *)guide;
    fprintf(out, "cases=%" PRIu64 " valid=%" PRIu64, g->cases, g->valid);
    for (uint32_t i = 0; i < ARMS; i++)
        if (g->arms[i].cases > 0) print_arm(g, i, out);
    const struct sonde_repair *r = &g->repair;
    if (r->n_probed)
        fprintf(out, "\n  repair     probes=%" PRIu64 " cases=%" PRIu64 " equal=%" PRIu64, r->n_probed, r->n_mended,
                r->n_hit);
    if (r->branches.cases)
        fprintf(out, "\n  branches   cases=%" PRIu64 " equal=%" PRIu64 " news=%" PRIu64, r->branches.cases,
                r->branches.hits, r->branches.news);
    fputc('\n', out);
}

static void auto_explain(struct sonde_guide *guide, const struct sonde_labels *names, FILE *out)
{
    struct automatic *g = (struct automatic *)guide;
    for (uint32_t i = 0; i < ARMS; i++)
        if (g->arms[i].inner.guide) sonde_inner_explain(&g->arms[i].inner, names, out);
}

static size_t auto_shares(const struct sonde_guide *guide, struct sonde_share *out, size_t max)
{
    const struct automatic *g = (const struct automatic *)guide;
    size_t n = 0;
    for (uint32_t i = 0; i < ARMS && n < max; i++) {
        if (g->arms[i].cases == 0) continue;
        out[n++] = (struct sonde_share){.name = kinds[i].ops->name,
                                        .cost = part_paid(&g->bandit, i),
                                        .earned = part_earned(&g->bandit, i)};
    }
    return n;
}

/* ---- Saving for the next run: the earnings of each arm, and what its guide saves. */

enum { SAVED_VERSION = 3 };

/* Saves nothing for a property without signs: it needs only `random`, which saves nothing. */
static void auto_save(struct sonde_guide *guide, struct sonde_bytes *out)
{
    struct automatic *g = (struct automatic *)guide;
    if (!g->signs) return;
    sonde_bytes_add_u32(out, SAVED_VERSION);
    sonde_bytes_add_u32(out, ARMS_SAVED);
    sonde_bytes_add_u32(out, CONTESTS);
    sonde_bytes_add_u32(out, g->signs);
    for (uint32_t i = 0; i < ARMS_SAVED; i++) {
        const struct sonde_guide *inner = g->arms[i].inner.guide;
        struct sonde_bytes own = {0};
        sonde_bandit_save(&g->bandit, i, out);
        if (inner && inner->ops->save) inner->ops->save(g->arms[i].inner.guide, &own);
        sonde_bytes_add_u32(out, own.n);
        if (own.n) sonde_bytes_add(out, own.data, own.n);
        sonde_bytes_clear(&own);
    }
}

/* Skips the saved data of an arm that is not awake yet. */
static bool auto_load(struct sonde_guide *guide, const uint8_t *data, size_t n)
{
    struct automatic *g = (struct automatic *)guide;
    struct sonde_reader from = sonde_reader(data, n);
    uint32_t version = sonde_read_u32(&from), n_arms = sonde_read_u32(&from), n_contests = sonde_read_u32(&from);
    if (version != SAVED_VERSION || n_arms != ARMS_SAVED || n_contests != CONTESTS) return false;
    notice(g, sonde_read_u32(&from));
    for (uint32_t i = 0; i < ARMS_SAVED; i++) {
        sonde_bandit_load(&g->bandit, i, &from);
        g->has_begun |= g->bandit.arms[i].lately.earned[CONTEST_UNIQUE] > 0;
        struct sonde_guide *inner = g->arms[i].inner.guide;
        uint32_t own = sonde_read_u32(&from);
        /* usable if at least one arm was loaded completely */
        if (from.is_short || own > from.n - from.at) return i > 0;
        if (own && inner && inner->ops->load) inner->ops->load(inner, data + from.at, own);
        from.at += own;
    }
    return true;
}

const struct sonde_guide_ops sonde_guide_auto = {
    .name = "auto",
    .summary = "the default: divides the run among the other guides by what each finds",
    .create = auto_create,
    .destroy = auto_destroy,
    .start = auto_start,
    .choose = auto_choose,
    .fill = auto_fill,
    .learn = auto_learn,
    .wants = SONDE_WANT_MARGINS,
    .explain = auto_explain,
    .stats = auto_stats,
    .save = auto_save,
    .load = auto_load,
    .shares = auto_shares,
    .knobs = (const struct sonde_knob *const[]){knobs, sonde_bandit_knobs, NULL},
};
