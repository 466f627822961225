/* All guides in one search: nobody has to know which one fits a property.
 *
 * It begins as a person would: the simplest case, small ones, boundary values (`random`, up to its full size). What the
 * cases show wakes the others: a case that is discarded calls those that learn what is valid (`rl`, `target`, `cgpt`),
 * counters of instrumented code the one that follows coverage (`cgpt`), a utility or a state of the user's the one
 * that climbs (`target`). A property that shows nothing of this is tested by `random` alone, with a few hundred of the
 * simplest inputs of all from `enumerate`, and costs no more than that.
 *
 * Who is awake takes turns, by what each earned lately per cost (bandit.h). The cost of a case is what any case costs, the
 * choices in it, at what this guide takes for one, what else the guide says it did, and the edges that were executed. What the
 * first cases find earns nobody anything: it is what anybody would have found first. `rl` and `target` must learn before
 * they can earn, and have a share for that. `enumerate` goes on as long as it gets its part.
 *
 * Everyone learns from every case, whoever made it: so mutation starts from what was learned to be valid, and what mutation
 * found valid is learned. `rl` and `target` learn slowly, so they see only a sample of other guides' cases.
 *
 * A run as an example: cases 1 to 50 are `random`, of growing size. Case 3 was discarded, which woke `rl`, `target`
 * and `cgpt`; all of them learn from the cases of `random` meanwhile. From case 51 on turns of 16 cases go by
 * credit; the first few to `cgpt`, if there are counters. `rl` and `target` have shares in advance, of which half is
 * left after 1,024 and 256 cases of their own; `enumerate` must have an even share after each 512 of its own cases, or
 * it leaves. */
#include "guide/compose/bandit.h"
#include "guide/given.h"
#include "guide/guides.h"
#include "guide/inner.h"
#include "guide/seen.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <inttypes.h>
#include <math.h>

enum {
    RAMP = 50,   /* cases of `random` at the beginning */
    SLOT = 16,   /* cases of a turn */
    FIRST = 512, /* cases after which `enumerate` must earn its part, and again after as many; the larger the space, the
                     * less its simplest inputs say */
    LESSONS = 1000, /* cases of others that a slow learner gets whatever they show */
    RARE = 20,      /* one valid case in so many: each is a lesson */
    PERCENT = 100
};

static const double nowhere = -1e300; /* below every distance */

/* What cases have shown so far. Bits of `signs`. They are saved (auto_save), so their values stay. */
enum sign {
    SIGN_COVERAGE = 1,
    SIGN_DISCARD = 2,
    SIGN_UTILITY = 4,
    SIGN_STATE = 8,
    SIGN_MARGIN = 32 /* a claim told how far it was from failing; 16 was another sign once */
};

/* What can be earned. Guides compete in each one separately; the weights say what a contest counts
 * (bandit.h). Part of what is saved, in this order. */
enum contest {
    CONTEST_VALID_COVERAGE,
    CONTEST_COVERAGE,
    CONTEST_NICHE,  /* a valid case that hit a set of counters that was not seen */
    CONTEST_TRACE,  /* ... with counts that were not seen */
    CONTEST_UNIQUE, /* a valid input that was not seen */
    CONTEST_DEPTH, /* the part of the assumes that a case passed: all there is to earn before the first valid input, and
                      * when every one has been seen */
    CONTEST_UTILITY, /* higher than before, or a changed state */
    CONTEST_ASSUMES, /* nearer to the first valid case */
    CONTESTS
};

enum { ARM_RANDOM, ARM_ENUMERATE, ARM_RL, ARM_CGPT, ARM_TARGET, ARMS };

/* memory adds up to 16 sixteenths over all arms. price is the time of a choice relative to `random`; a
 * wrong price only shifts shares. */
static const struct arm_kind {
    const struct sonde_guide_ops *ops;
    unsigned wakes; /* signs, any of which is enough */
    double price;   /* of a choice: about its time, one of `random` being 1 */
    double prior;
    unsigned memory;   /* in sixteenths */
    unsigned practice; /* cases of its own after which half of its share in advance is left; 0: it is quick to learn */
} kinds[ARMS] = {
    [ARM_RANDOM] = {&sonde_guide_random, 0, 1, 1, 2, 0},
    [ARM_ENUMERATE] = {&sonde_guide_enumerate, 0, 2, 0.15, 1, 0},
    [ARM_RL] = {&sonde_guide_rl, SIGN_DISCARD, 8, 1, 6, 1024},
    [ARM_CGPT] = {&sonde_guide_cgpt, SIGN_COVERAGE | SIGN_DISCARD, 4, 1, 4, 0},
    [ARM_TARGET] = {&sonde_guide_target, SIGN_DISCARD | SIGN_UTILITY | SIGN_STATE | SIGN_MARGIN, 4, 1, 3, 256},
};

/* `cases` are its own, `lessons` those of others that it was shown, `work` what its guide said it had
 * done when its last case ended. */
struct arm {
    struct sonde_inner inner; /* its guide is NULL before it is woken, and when it is done */
    uint64_t cases, lessons, work;
    bool is_done;
};

/* `arm` and `left` describe the turn; left is 0 between turns. bandit.arms[i] and arms[i] are the same
 * guide. */
struct automatic {
    struct sonde_guide guide;
    struct sonde_guide_setup setup;
    struct sonde_bandit bandit;
    struct arm arms[ARMS];
    unsigned signs;
    uint32_t arm;  /* whose turn it is */
    uint32_t left; /* cases of the turn */
    uint64_t cases, valid, ramp;
    struct sonde_givens given;        /* until those who learn from them are awake */
    struct sonde_seen niches, traces; /* sets and counts of counters; not there without coverage */
    uint32_t deepest;                 /* how near to the first valid case */
    double nearest;
    /* Knobs. */
    double keeps[ARMS]; /* 0 leaves a guide out */
    double weights[CONTESTS];
    double cost, coverage_trust, payload;
};

#define KNOB(name, field, ...) SONDE_KNOB(struct automatic, field, name, __VA_ARGS__)

/* Weights of the contests, in their order and by their names in --stats; then what else can be set. */
static const struct sonde_knob knobs[] = {
    KNOB("valid_coverage", weights[CONTEST_VALID_COVERAGE], 4, 0, 1000,
         "what new coverage by a valid case counts, among the things that a guide earns its share by",
         "bench/results/zoo.md, How auto shares turns"),
    KNOB("coverage", weights[CONTEST_COVERAGE], 2, 0, 1000, "what new coverage by any case counts",
         "bench/results/zoo.md, How auto shares turns"),
    KNOB("niches", weights[CONTEST_NICHE], 2, 0, 1000, "what a valid case with a new set of counters counts",
         "bench/results/zoo.md, How auto shares turns"),
    KNOB("traces", weights[CONTEST_TRACE], 1, 0, 1000, "what a valid case with new counts counts",
         "bench/results/zoo.md, How auto shares turns"),
    KNOB("unique_valid", weights[CONTEST_UNIQUE], 1, 0, 1000, "what a valid input not seen before counts",
         "bench/KNOBS.md, auto"),
    KNOB("depth", weights[CONTEST_DEPTH], 0.3, 0, 1000, "what the part of the assumes that a case passed counts",
         "bench/KNOBS.md, auto"),
    KNOB("utility", weights[CONTEST_UTILITY], 4, 0, 1000, "what a higher utility or a changed state counts",
         "bench/KNOBS.md, auto"),
    KNOB("assumes", weights[CONTEST_ASSUMES], 3, 0, 1000, "what coming nearer to the first valid case counts",
         "bench/KNOBS.md, auto"),
    KNOB("payload", payload, 0.2, 0, 1, "part of unique_valid that counts in instrumented code",
         "bench/results/zoo.md, How auto shares turns"),
    KNOB("case", cost, 1000, 1, 1e6, "what a case costs at least, a choice of random being 1",
         "bench/results/zoo.md, How auto shares turns"),
    KNOB("trustcoverage", coverage_trust, 8, 0.01, 100,
         "claim of cgpt to the cases that follow the first, in instrumented code",
         "bench/results/zoo.md, How auto shares turns"),
    KNOB("enumerate", keeps[ARM_ENUMERATE], 1, 0, 1, "0 leaves this guide out",
         "bench/results/zoo.md, How auto shares turns"),
    KNOB("rl", keeps[ARM_RL], 1, 0, 1, "0 leaves this guide out", "bench/KNOBS.md, auto"),
    KNOB("cgpt", keeps[ARM_CGPT], 1, 0, 1, "0 leaves this guide out", "bench/KNOBS.md, auto"),
    KNOB("target", keeps[ARM_TARGET], 1, 0, 1, "0 leaves this guide out",
         "bench/results/zoo.md, How auto shares turns"),
    {0},
};
_Static_assert(sizeof knobs / sizeof *knobs > CONTESTS, "the names of the contests are those of their weights");

/* Once per guide. Created only when needed: a learner that is never asked costs memory and time. */
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

/* Its guide is destroyed at once, so its part of the memory is free again. */
static void dismiss(struct automatic *g, uint32_t i)
{
    sonde_bandit_leave(&g->bandit, i);
    sonde_inner_clear(&g->arms[i].inner);
    g->arms[i].is_done = true;
    if (g->arm == i) g->left = 0;
}

/* A run of few cases has a shorter ramp: half of it is for the others. */
static struct sonde_guide *auto_create(const struct sonde_guide_setup *setup)
{
    struct automatic *g = sonde_calloc(1, sizeof *g);
    g->guide.ops = &sonde_guide_auto;
    g->setup = *setup;
    sonde_knobs_read(knobs, setup->options, g);
    sonde_bandit_init(&g->bandit, setup->options);
    g->ramp = setup->tests > 0 && setup->tests < 2 * RAMP ? setup->tests / 2 : RAMP;
    g->bandit.n_arms = ARMS;
    g->bandit.n_contests = CONTESTS;
    for (uint32_t c = 0; c < CONTESTS; c++) g->bandit.weights[c] = g->weights[c];
    wake(g, ARM_RANDOM);
    wake(g, ARM_ENUMERATE);
    g->nearest = -INFINITY;
    return &g->guide;
}

static void auto_destroy(struct sonde_guide *guide)
{
    struct automatic *g = (struct automatic *)guide;
    sonde_givens_clear(&g->given, g->setup.corpus);
    for (uint32_t i = 0; i < ARMS; i++) sonde_inner_clear(&g->arms[i].inner);
    sonde_seen_clear(&g->niches);
    sonde_seen_clear(&g->traces);
    sonde_free(g);
}

/* ---- Turns */

/* The first cases earn nothing. Where others are awake they are paid for all the same: `random` has had its turn. */
static bool is_ramp(const struct automatic *g)
{
    return g->cases < g->ramp;
}

/* Each case teaches less than the one before; and what is valid can be learned later, while valid inputs reach new code. */
static double learning(const struct automatic *g, uint32_t i)
{
    double half = kinds[i].practice, waits = sonde_bandit_part(&g->bandit, CONTEST_VALID_COVERAGE);
    return half > 0 ? (1 - waits) * half / (half + (double)g->arms[i].cases) : 0;
}

static void next_turn(struct automatic *g)
{
    if (is_ramp(g)) {
        g->arm = ARM_RANDOM;
        g->left = (uint32_t)(g->ramp - g->cases);
        return;
    }
    for (uint32_t i = 0; i < ARMS; i++) g->bandit.arms[i].learning = learning(g, i);
    g->arm = sonde_bandit_next(&g->bandit);
    g->left = SLOT;
}

static enum sonde_plan auto_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    struct automatic *g = (struct automatic *)guide;
    if (g->left == 0) next_turn(g);
    struct sonde_inner *inner = &g->arms[g->arm].inner;
    enum sonde_plan plan = sonde_inner_start(inner, guide, script);
    /* Two wants are of this case alone, by who makes it: comparisons, since watching them takes time, and not to be a known
     * input. All others stay: whoever is awake learns from every case. */
    const uint32_t own = SONDE_NEW_COMPARISON | SONDE_WANT_NEW_INPUTS;
    g->guide.wants = (g->guide.wants & ~own) | (inner->guide->wants & own);
    return plan;
}

static uint64_t auto_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct automatic *g = (struct automatic *)guide;
    return sonde_inner_choose(&g->arms[g->arm].inner, view);
}

static size_t auto_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                        size_t max)
{
    struct automatic *g = (struct automatic *)guide;
    return sonde_inner_fill(&g->arms[g->arm].inner, view, symbols, min, max);
}

/* ---- What a case showed */

static bool is_valid(const struct sonde_run *run)
{
    return sonde_is_valid_input(run->observation);
}

static unsigned signs_of(const struct sonde_run *run)
{
    const struct sonde_observation *seen = run->observation;
    return (seen->coverage ? SIGN_COVERAGE : 0u) | (is_valid(run) || seen->verdict == SONDE_FAILED ? 0u : SIGN_DISCARD)
           | (!seen->n_targets    ? 0u
              : seen->are_margins ? SIGN_MARGIN
                                  : SIGN_UTILITY)
           | (run->interest.reasons & SONDE_NEW_STATE ? SIGN_STATE : 0u);
}

/* Also called by auto_load: what an earlier run saw wakes the guides at the start. */
static void notice(struct automatic *g, unsigned signs)
{
    unsigned fresh = signs & ~g->signs;
    if (!fresh) return;
    g->signs |= fresh;
    /* Mutation needs no lessons: where it can see what inputs do, it goes first. */
    if (fresh & SIGN_COVERAGE) g->bandit.arms[ARM_CGPT].prior = g->coverage_trust;
    if (fresh & SIGN_COVERAGE) {
        sonde_seen_init(&g->niches);
        sonde_seen_init(&g->traces);
    }
    for (uint32_t i = 0; i < ARMS; i++)
        if (kinds[i].wakes & fresh) wake(g, i);
}

/* Nearer to a first valid case: further through the assumes, or closer to passing the next. */
static bool is_nearer(struct automatic *g, const struct sonde_observation *seen)
{
    if (seen->verdict != SONDE_DISCARDED || seen->assumes_passed < g->deepest) return false;
    bool is_deeper = seen->assumes_passed > g->deepest;
    if (!is_deeper && !(seen->assume_distance > g->nearest)) return false;
    /* The first distance at all is no progress of anybody's. */
    bool is_first = !is_deeper && g->nearest < nowhere;
    g->deepest = seen->assumes_passed;
    g->nearest = seen->assume_distance;
    return !is_first && g->valid == 0;
}

/* What is found during the ramp anybody would have found. */
static void earn(struct automatic *g, enum contest contest, double amount)
{
    if (!is_ramp(g)) sonde_bandit_earn(&g->bandit, g->arm, contest, amount);
}

/* One more than the deepest, since the assume behind it is not known to be the last. */
static double depth_of(const struct automatic *g, const struct sonde_run *run)
{
    if (is_valid(run)) return 1;
    double passed = run->observation->assumes_passed;
    return g->deepest > 0 && passed > 0 ? passed / (g->deepest + 1.0) : 0;
}

/* A case may earn in several contests. Coverage of discarded cases counts in one of them only. */
static void reward(struct automatic *g, const struct sonde_run *run)
{
    const struct sonde_observation *seen = run->observation;
    uint32_t reasons = run->interest.reasons;
    if (reasons & SONDE_NEW_VALID_COVERAGE) earn(g, CONTEST_VALID_COVERAGE, 1);
    if (reasons & SONDE_NEW_COVERAGE) earn(g, CONTEST_COVERAGE, 1);
    if (reasons & SONDE_NEW_VALID) earn(g, CONTEST_UNIQUE, 1);
    earn(g, CONTEST_DEPTH, depth_of(g, run));
    if (reasons & (SONDE_NEW_TARGET | SONDE_NEW_STATE)) earn(g, CONTEST_UTILITY, 1);
    if (is_nearer(g, seen)) earn(g, CONTEST_ASSUMES, 1);
    if (!seen->coverage || !is_valid(run)) return;
    if (sonde_seen_enter(&g->niches, seen->coverage->edges)) earn(g, CONTEST_NICHE, 1);
    if (sonde_seen_enter(&g->traces, seen->coverage->trace)) earn(g, CONTEST_TRACE, 1);
}

/* ---- Learning */

/* A slow learner is not told again what it knows: of others' cases it gets the first, and then what is rare or new. */
static bool is_lesson(const struct automatic *g, uint32_t i, const struct sonde_run *run)
{
    const struct arm *arm = &g->arms[i];
    uint32_t news = run->interest.reasons & ~(uint32_t)(SONDE_NEW_VALID | SONDE_NEW_COMPARISON);
    if (!kinds[i].practice || news) return true;
    if (is_valid(run) && g->valid * RARE < g->cases) return true;
    return arm->lessons < LESSONS;
}

/* An arm that sleeps learns nothing; when it is woken it starts from nothing but the corpus. */
static void teach(struct automatic *g, uint32_t i, const struct sonde_run *run, bool is_own)
{
    struct arm *arm = &g->arms[i];
    if (!arm->inner.guide) return;
    if (!is_own) {
        if (!is_lesson(g, i, run)) return;
        arm->lessons++;
    }
    sonde_inner_learn(&arm->inner, run, is_own);
}

/* Novelty has levels. Where it can be seen what inputs do, that they are new counts for less; and how far cases get counts for
 * nothing where they get through, to inputs that are new. */
static void weigh_levels(struct automatic *g)
{
    double *weights = g->bandit.weights, unique = g->weights[CONTEST_UNIQUE];
    if (g->signs & SIGN_COVERAGE) unique *= g->payload;
    weights[CONTEST_UNIQUE] = unique;
    weights[CONTEST_DEPTH] = g->weights[CONTEST_DEPTH] * (1 - sonde_bandit_part(&g->bandit, CONTEST_UNIQUE));
}

/* enumerate is judged after every FIRST cases: below an even share it goes for good, since it only gets
 * slower. */
static void end_turn(struct automatic *g)
{
    const struct arm *first = &g->arms[ARM_ENUMERATE];
    bool is_asked = g->arm == ARM_ENUMERATE && first->cases > 0 && first->cases % FIRST == 0;
    uint32_t n_in = 0;
    weigh_levels(g);
    g->bandit.arms[ARM_CGPT].prior = kinds[ARM_CGPT].prior; /* trust was for the beginning */
    sonde_bandit_end_turn(&g->bandit, g->arm);
    for (uint32_t i = 0; i < ARMS; i++) n_in += g->bandit.arms[i].is_in;
    if (is_asked && g->bandit.arms[ARM_ENUMERATE].share * n_in < 1) dismiss(g, ARM_ENUMERATE);
}

/* During the ramp and without any sign nothing is paid: the cost is only noted for --stats. */
static void count_case(struct automatic *g, const struct sonde_run *run)
{
    const struct sonde_observation *seen = run->observation;
    struct arm *arm = &g->arms[g->arm];
    double edges = seen->coverage ? (double)seen->coverage->executed : 0;
    double work = kinds[g->arm].price * (double)run->tape->n_choices + (double)(arm->inner.guide->work - arm->work);
    bool is_news = run->interest.reasons & SONDE_NEW_VALID;
    double cost = g->cost + work + edges;
    if (is_ramp(g) && !g->signs) g->bandit.arms[g->arm].all_cost += cost;
    else sonde_bandit_pay(&g->bandit, g->arm, cost, is_news);
    reward(g, run);
    arm->cases++;
    arm->work = arm->inner.guide->work;
    if (--g->left == 0) end_turn(g);
}

/* ---- Inputs that were given come first, when only those are awake who need no sign. Whoever wakes at the first discarded case
 * is shown them then; whoever wakes by coverage or a utility has seen the input that showed it. */

static void show_given(struct automatic *g, uint32_t i)
{
    for (uint32_t k = 0; k < g->given.n && g->arms[i].inner.guide; k++) {
        struct sonde_run run = sonde_givens_at(&g->given, k);
        sonde_inner_learn(&g->arms[i].inner, &run, false);
        g->arms[i].lessons++;
    }
}

static void wake_who_is_called(struct automatic *g, const struct sonde_run *run)
{
    bool was_awake[ARMS];
    for (uint32_t i = 0; i < ARMS; i++) was_awake[i] = g->arms[i].inner.guide != NULL;
    notice(g, signs_of(run));
    for (uint32_t i = 0; i < ARMS && g->given.n; i++)
        if (!was_awake[i]) show_given(g, i);
    if (g->signs & SIGN_DISCARD) sonde_givens_clear(&g->given, g->setup.corpus);
    else sonde_givens_add(&g->given, g->setup.corpus, run);
}

static void auto_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct automatic *g = (struct automatic *)guide;
    /* Cases of other jobs and replays teach everybody and earn nobody anything. */
    bool is_own = run->author == guide && g->left > 0;
    wake_who_is_called(g, run);
    for (uint32_t i = 0; i < ARMS; i++) teach(g, i, run, is_own && i == g->arm);
    if (is_own) count_case(g, run);
    g->cases++;
    g->valid += is_valid(run);
}

/* ---- What there is to tell */

/* What an arm cost, as a part of what all did. */
static double part_paid(const struct sonde_bandit *b, uint32_t i)
{
    double all = 0;
    for (uint32_t k = 0; k < ARMS; k++) all += b->arms[k].all_cost;
    return all > 0 ? b->arms[i].all_cost / all : 0;
}

/* What an arm earned in all contests, by their weights, as a part of what was earned. */
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

/* The contest that the arm's claim owes most to. Of those it leads or nearly leads in: by its rate
 * compared with the best rate. */
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
        if (part > most) most = part, name = knobs[c].name;
    }
    return name;
}

/* Why it gets the share that it has. */
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
        if (a->all_earned[c] > 0) fprintf(out, " %s=%.0f", knobs[c].name, a->all_earned[c]);
}

static void auto_stats(struct sonde_guide *guide, FILE *out)
{
    struct automatic *g = (struct automatic *)guide;
    fprintf(out, "cases=%" PRIu64 " valid=%" PRIu64, g->cases, g->valid);
    for (uint32_t i = 0; i < ARMS; i++)
        if (g->arms[i].cases > 0) print_arm(g, i, out);
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

/* ---- From run to run: who earned what, and what each has to keep. */

enum { SAVED_VERSION = 2, RATES_IN_OTHER_UNITS = 1 };

/* A property that shows no sign needs only `random`, which has nothing to keep. */
static void auto_save(struct sonde_guide *guide, struct sonde_bytes *out)
{
    struct automatic *g = (struct automatic *)guide;
    if (!g->signs) return;
    sonde_bytes_add_u32(out, SAVED_VERSION);
    sonde_bytes_add_u32(out, ARMS);
    sonde_bytes_add_u32(out, CONTESTS);
    sonde_bytes_add_u32(out, g->signs);
    for (uint32_t i = 0; i < ARMS; i++) {
        const struct sonde_guide *inner = g->arms[i].inner.guide;
        struct sonde_bytes own = {0};
        sonde_bandit_save(&g->bandit, i, out);
        if (inner && inner->ops->save) inner->ops->save(g->arms[i].inner.guide, &own);
        sonde_bytes_add_u32(out, own.n);
        if (own.n) sonde_bytes_add(out, own.data, own.n);
        sonde_bytes_clear(&own);
    }
}

/* Arms that are not awake yet skip their part; what follows is read all the same. */
static bool auto_load(struct sonde_guide *guide, const uint8_t *data, size_t n)
{
    struct automatic *g = (struct automatic *)guide;
    struct sonde_reader from = sonde_reader(data, n);
    uint32_t version = sonde_read_u32(&from), n_arms = sonde_read_u32(&from), n_contests = sonde_read_u32(&from);
    bool has_rates = version == SAVED_VERSION;
    if ((!has_rates && version != RATES_IN_OTHER_UNITS) || n_arms != ARMS || n_contests != CONTESTS) return false;
    notice(g, sonde_read_u32(&from));
    for (uint32_t i = 0; i < ARMS; i++) {
        if (has_rates) sonde_bandit_load(&g->bandit, i, &from);
        else sonde_bandit_skip_old(&g->bandit, &from);
        struct sonde_guide *inner = g->arms[i].inner.guide;
        uint32_t own = sonde_read_u32(&from);
        if (from.is_short || own > from.n - from.at) return i > 0; /* what came before is whole */
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
