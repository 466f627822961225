/* See frontier.h. Goals are found by a map and scanned in the order of discovery. So a seed gives the same
 * attacks wherever the code is loaded. */
#include "guide/goal/frontier.h"

#include "base/hash.h"
#include "base/mem.h"
#include "corpus/corpus.h"

#include <math.h>
#include <string.h>

enum {
    LOG = 1024,      /* comparisons that are read of a log */
    INDEX = 2 * LOG, /* slots of the index */
    STREAK = 7,      /* longer streaks count as this; contexts are multiples of the next number */
    AGAIN = 64,      /* tries that are given back for coming nearer */
    FIRST = 1 << 20, /* goals near the code of --goal come before all others */
    UNUSUAL = 64,    /* handicap of outcomes that are rarely asked for, in cases */
    LOOPS = 32,      /* the same for the end of a loop; half of the youngest goal's advantage over the oldest */
    ONCE = 1,        /* attacks on sides that have never changed, such as the count of a loop */
    REFUSALS = 2     /* an outcome that discarded cases have so often is taken to be invalid */
};

void sonde_frontier_init(struct sonde_frontier *f, struct sonde_corpus *corpus, uint32_t max, double tries)
{
    *f = (struct sonde_frontier){.corpus = corpus, .max = max, .tries = tries, .is_early = true};
    f->index = sonde_calloc(INDEX, sizeof *f->index);
}

static void drop(struct sonde_frontier *f, struct sonde_kept **kept)
{
    if (*kept) sonde_corpus_drop(f->corpus, *kept);
    *kept = NULL;
}

static void drop_all(struct sonde_frontier *f)
{
    for (uint32_t i = 0; i < f->n; i++) {
        drop(f, &f->goals[i].nearest);
        drop(f, &f->goals[i].other);
    }
}

void sonde_frontier_restart(struct sonde_frontier *f)
{
    drop_all(f);
    sonde_map_empty(&f->places);
    f->n = 0;
    f->is_early = false;
}

void sonde_frontier_clear(struct sonde_frontier *f)
{
    drop_all(f);
    sonde_free(f->goals);
    sonde_map_clear(&f->places);
    sonde_free(f->index);
}

/* ---- Comparisons */

double sonde_difference(const struct sonde_comparison *c, bool is_signed)
{
    if (c->bytes == 0) return sonde_compared_double(c->a) - sonde_compared_double(c->b);
    if (is_signed) return (double)(int64_t)c->a - (double)(int64_t)c->b;
    return (double)sonde_compared_unsigned(c->a, c->bytes) - (double)sonde_compared_unsigned(c->b, c->bytes);
}

double sonde_fraction(const struct sonde_comparison *c)
{
    return (fabs(sonde_compared_double(c->a)) + fabs(sonde_compared_double(c->b))) * 0x1p-44 + 1e-300;
}

static uint32_t index_slot(const struct sonde_frontier *f, uint32_t id, uint16_t nth)
{
    uint32_t slot = (uint32_t)sonde_mix((uint64_t)nth << 32 | id) % INDEX;
    for (; f->index[slot]; slot = (slot + 1) % INDEX) {
        const struct sonde_comparison *c = &f->log[f->index[slot] - 1];
        if (c->id == id && c->nth == nth) break;
    }
    return slot;
}

void sonde_frontier_read(struct sonde_frontier *f, const struct sonde_coverage_view *seen)
{
    memset(f->index, 0, INDEX * sizeof *f->index);
    f->log = seen ? seen->log : NULL;
    f->n_log = !seen ? 0 : seen->n_log < LOG ? (uint32_t)seen->n_log : LOG;
    for (uint32_t i = 0; i < f->n_log; i++) f->index[index_slot(f, f->log[i].id, f->log[i].nth)] = (uint16_t)(i + 1);
}

const struct sonde_comparison *sonde_frontier_find(const struct sonde_frontier *f, uint32_t id, uint16_t nth)
{
    uint16_t at = f->index[index_slot(f, id, nth)];
    return at ? &f->log[at - 1] : NULL;
}

/* Returns the comparison before this one that counts; NULL if there is none. */
static const struct sonde_comparison *before(const struct sonde_frontier *f, const struct sonde_comparison *c)
{
    while (c-- > f->log)
        if (c->kind != SONDE_COMPARISON_ASSUME || f->is_early) return c;
    return NULL;
}

static uint8_t streak_of(const struct sonde_frontier *f, const struct sonde_comparison *c)
{
    uint8_t streak = 0;
    while ((c = before(f, c)) && streak < STREAK && c->a == c->b) streak++;
    return streak;
}

/* Returns how the sides of a comparison differ, as a context of the next one. */
static uint8_t context_of(const struct sonde_comparison *c)
{
    uint8_t outcome = sonde_outcome_of(c);
    return (uint8_t)(STREAK + 1) * (uint8_t)(1 + !!(outcome & SONDE_IS_GREATER) + 2 * !!(outcome & SONDE_IS_ABOVE));
}

bool sonde_frontier_is_on_path(const struct sonde_frontier *f, const struct sonde_goal *goal,
                               const struct sonde_comparison *c)
{
    uint8_t context = goal->streak & (uint8_t)~STREAK;
    if (!context) return streak_of(f, c) >= goal->streak;
    c = before(f, c);
    return c && c->a != c->b && context_of(c) == context && streak_of(f, c) >= (goal->streak & STREAK);
}

/* ---- Goals */

static struct sonde_goal *goal_of(struct sonde_frontier *f, const struct sonde_comparison *c, uint8_t streak, bool make)
{
    uint64_t key = ((uint64_t)c->id << 24) | (uint64_t)c->nth << 8 | streak;
    uint32_t place = sonde_map_get(&f->places, key);
    if (place) return &f->goals[place - 1];
    if (!make || f->n == f->max) return NULL;
    f->goals = sonde_grow(f->goals, &f->cap, (size_t)f->n + 1, sizeof *f->goals);
    f->goals[f->n] = (struct sonde_goal){.id = c->id,
                                         .nth = c->nth,
                                         .streak = streak,
                                         .bytes = c->bytes,
                                         .kind = c->kind,
                                         .is_near = c->is_near,
                                         .a = c->a,
                                         .b = c->b,
                                         .distance = INFINITY};
    *sonde_map_at(&f->places, key) = ++f->n;
    return &f->goals[f->n - 1];
}

static double tries_of(const struct sonde_frontier *f, uint8_t want)
{
    return want == SONDE_IS_EQUAL ? f->tries : f->tries / 2;
}

/* Reports whether an outcome may ever be attacked. < and > count only at the first comparison of an id, and
 * where a loop may end. BELOW counts only once LESS was seen without it; likewise ABOVE and GREATER. */
static bool is_wanted(const struct sonde_goal *goal, uint8_t want)
{
    if (goal->seen & want || goal->refused[sonde_outcome_index(want)] >= REFUSALS) return false;
    if (want == SONDE_IS_EQUAL) return true;
    if (want > SONDE_IS_GREATER && !(goal->seen & want >> 2)) return false;
    return goal->kind != SONDE_COMPARISON_SWITCH && goal->streak <= STREAK && (!goal->nth || goal->ends);
}

static bool is_done(const struct sonde_goal *goal)
{
    for (uint8_t want = SONDE_IS_EQUAL; want <= SONDE_IS_ABOVE; want *= 2)
        if (is_wanted(goal, want)) return false;
    return true;
}

/* A nearer tape gives tries back: loops come nearer many times before they are through. */
static void give_back(const struct sonde_frontier *f, struct sonde_goal *goal, bool is_half)
{
    uint8_t *equal = &goal->tries[sonde_outcome_index(SONDE_IS_EQUAL)];
    if (is_half && *equal > 1) *equal = 1;
    for (unsigned i = 0; is_half && i < SONDE_OUTCOMES; i++) goal->spent[i] /= 2;
    for (uint8_t want = SONDE_IS_EQUAL; want <= SONDE_IS_ABOVE; want *= 2) {
        uint8_t *tries = &goal->tries[sonde_outcome_index(want)];
        if (*tries >= tries_of(f, want) && goal->again < AGAIN) goal->again++, --*tries;
    }
}

/* Returns another reference to the tape of the case, which is kept once. To look up an equal tape for each goal would
 * take most of a search in which a loop compares strings. */
static struct sonde_kept *share_case(struct sonde_frontier *f, const struct sonde_run *run)
{
    if (!f->of_case) f->of_case = sonde_corpus_keep(f->corpus, run);
    return sonde_corpus_share(f->corpus, f->of_case);
}

/* Keeps the tape for a goal, as the nearest or as the random one. */
static void keep(struct sonde_frontier *f, struct sonde_goal *goal, const struct sonde_run *run, double distance,
                 struct sonde_rng *rng)
{
    bool is_nearer = distance < goal->distance, is_picked = sonde_rng_upto(rng, goal->met++) == 0;
    if (is_done(goal)) {
        drop(f, &goal->nearest);
        drop(f, &goal->other);
        return;
    }
    if (!is_nearer && !is_picked) return;
    struct sonde_kept **place = is_nearer ? &goal->nearest : &goal->other;
    drop(f, place);
    *place = share_case(f, run);
    if (!is_nearer) return;
    give_back(f, goal, distance * 2 < goal->distance);
    goal->distance = distance;
}

/* Enters one comparison with one streak; returns whether it shows anything new. */
static bool enter(struct sonde_frontier *f, const struct sonde_comparison *c, uint8_t streak,
                  const struct sonde_run *run, struct sonde_rng *rng)
{
    bool is_last = !sonde_frontier_find(f, c->id, (uint16_t)(c->nth + 1));
    struct sonde_goal *goal = goal_of(f, c, streak, c->nth == 0 || is_last);
    if (!goal) return false;
    uint8_t outcome = sonde_outcome_of(c);
    bool is_new = outcome & ~goal->seen;
    goal->seen |= outcome;
    goal->varies |= c->a != goal->a || c->b != goal->b;
    goal->ends |= is_last && outcome == SONDE_IS_EQUAL;
    keep(f, goal, run, fabs(sonde_difference(c, true)), rng);
    return is_new;
}

/* Enters a comparison after one with unequal sides, as a goal of this context. Only once the sides were equal in some
 * other context: until then, that comes first. */
static bool enter_in_context(struct sonde_frontier *f, const struct sonde_comparison *c, const struct sonde_run *run,
                             struct sonde_rng *rng)
{
    const struct sonde_comparison *last = before(f, c);
    if (!last || last->a == last->b || c->nth > 0 || last->nth > 0) return false;
    const struct sonde_goal *plain = goal_of(f, c, 0, false);
    if (!plain || !(plain->seen & SONDE_IS_EQUAL)) return false;
    uint8_t streak = streak_of(f, last), context = context_of(last);
    bool is_new = enter(f, c, context, run, rng);
    return (streak && enter(f, c, context | streak, run, rng)) || is_new;
}

bool sonde_frontier_learn(struct sonde_frontier *f, const struct sonde_run *run, struct sonde_rng *rng)
{
    bool is_new = false;
    uint8_t streak = 0;
    for (uint32_t i = 0; i < f->n_log; i++) {
        const struct sonde_comparison *c = &f->log[i];
        if (c->kind == SONDE_COMPARISON_ASSUME && !f->is_early) continue;
        is_new |= enter(f, c, 0, run, rng);
        if (streak && c->nth == 0) is_new |= enter(f, c, streak, run, rng);
        if (!streak) is_new |= enter_in_context(f, c, run, rng);
        streak = c->a != c->b ? 0 : streak < STREAK ? (uint8_t)(streak + 1) : STREAK;
    }
    drop(f, &f->of_case);
    return is_new;
}

/* Returns the handicap of an outcome, in cases. Code compares integers for equality, and doubles for order. */
static int handicap(const struct sonde_goal *goal, uint8_t want)
{
    bool is_usual = (want == SONDE_IS_EQUAL) == (goal->bytes != 0);
    bool is_rare = !is_usual && (!goal->bytes || goal->nth > 0 || goal->streak);
    return (is_usual ? 0 : is_rare ? 4 * UNUSUAL : UNUSUAL) + (goal->nth > 0 ? LOOPS : 0);
}

/* Fewest cases first, of these the youngest. */
uint32_t sonde_frontier_pick(struct sonde_frontier *f, uint8_t *want, uint64_t *work)
{
    uint32_t best = UINT32_MAX;
    double least = INFINITY;
    for (uint32_t i = 0; i < f->n; i++) {
        const struct sonde_goal *goal = &f->goals[i];
        for (uint8_t w = SONDE_IS_EQUAL; w <= SONDE_IS_ABOVE && goal->nearest; w *= 2) {
            unsigned at = sonde_outcome_index(w);
            if (goal->tries[at] >= (goal->varies ? tries_of(f, w) : ONCE) || !is_wanted(goal, w)) continue;
            double score = (double)goal->spent[at] + handicap(goal, w) - (double)LOOPS * i / f->n;
            if (goal->is_near) score -= FIRST;
            if (score < least) least = score, best = i, *want = w;
        }
    }
    *work += f->n / 4;
    if (best < f->n) f->goals[best].tries[sonde_outcome_index(*want)]++;
    return best;
}
