/* See climb.h. A climber holds a reference to a tape of the corpus. Searches in the pool are linear. */
#include "guide/target/climb.h"

#include "base/mem.h"
#include "guide/guides.h"
#include "guide/plain/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* minimum share of numeric steps, and of structural mutants, among climbing cases */
static const double least_share = 0.2;
static const uint64_t energy_max = 1 << 24; /* the energy of a tape is not doubled beyond this */

enum {
    ENERGY = 5000,     /* a tape is given up after this many mutants without success */
    MEMORY = 2000,     /* number of cases over which the success of moves is remembered */
    LOOKED_AT = 256,   /* number of choices among which a number is searched */
    DOUBLE_STEPS = 48, /* number of powers of two by which a double may move; half of them are below 1 */
    PRIOR_TRIED = 20,  /* number of tries that are added to each rate, one of them as a success */
    KNOWN = 20,        /* number of changes at a site before its effect is judged */
    HARDLY_EVER = 50   /* a site has no effect if at most one change in this many changed a utility */
};

void sonde_climb_init(struct sonde_climb *c, const struct sonde_guide_setup *setup, struct sonde_rng *rng,
                      struct sonde_mutate *mutate, size_t limit)
{
    memset(c, 0, sizeof *c);
    c->rng = rng;
    c->mutate = mutate;
    c->corpus = setup->corpus;
    c->start_energy = ENERGY;
    c->limit = limit;
}

static void drop_reference(struct sonde_climb *c, struct sonde_climber *climber)
{
    c->bytes -= sonde_tape_bytes(&climber->kept->tape);
    sonde_corpus_drop(c->corpus, climber->kept);
}

static void drop(struct sonde_climb *c, struct sonde_climber *gone)
{
    if (c->parent == gone) c->parent = NULL;
    drop_reference(c, gone);
    sonde_free(gone);
}

/* Removes and returns entry i. The order of both arrays has no meaning: `order` distinguishes old from new. */
static struct sonde_climber *take(struct sonde_climber **array, uint32_t *n, uint32_t i)
{
    struct sonde_climber *taken = array[i];
    array[i] = array[--*n];
    return taken;
}

void sonde_climb_clear(struct sonde_climb *c)
{
    while (c->n_pool) drop(c, take(c->pool, &c->n_pool, c->n_pool - 1));
    while (c->n_beside) drop(c, take(c->beside, &c->n_beside, c->n_beside - 1));
    sonde_free(c->beside);
}

/* ---- Scores */

/* Compares two cases: first by assumes passed, then by parts of the failing conjunction that held, then by distance. */
static int compare_progress(struct sonde_progress a, struct sonde_progress b)
{
    if (a.passed != b.passed) return a.passed < b.passed ? -1 : 1;
    if (a.held != b.held) return a.held < b.held ? -1 : 1;
    return (a.distance > b.distance) - (a.distance < b.distance);
}

static bool is_all(struct sonde_progress p)
{
    return p.passed == UINT32_MAX;
}

static bool at_least(const struct sonde_climb *c, const struct sonde_climb_score *a, const struct sonde_climb_score *b)
{
    if (compare_progress(a->progress, b->progress) < 0) return false;
    for (uint32_t i = 0; i < c->n_labels; i++)
        if (a->labels[i] < b->labels[i]) return false;
    return true;
}

/* Returns the index of a utility; UINT32_MAX if there are too many. A new utility counts as -INFINITY for the tapes of
 * the pool, so the first case that reports it joins. */
static uint32_t label_index(struct sonde_climb *c, uint32_t label)
{
    for (uint32_t i = 0; i < c->n_labels; i++)
        if (c->labels[i] == label) return i;
    if (c->n_labels == SONDE_CLIMB_LABELS) return UINT32_MAX;
    c->labels[c->n_labels] = label;
    for (uint32_t i = 0; i < c->n_pool; i++) c->pool[i]->score.labels[c->n_labels] = -INFINITY;
    for (uint32_t i = 0; i < c->n_beside; i++) c->beside[i]->score.labels[c->n_labels] = -INFINITY;
    return c->n_labels++;
}

/* Returns the score of a case. A valid case has passed = UINT32_MAX, more than any discarded one. */
static struct sonde_climb_score score_of(struct sonde_climb *c, const struct sonde_observation *o)
{
    struct sonde_climb_score score;
    bool all = sonde_is_valid_input(o);
    score.progress = (struct sonde_progress){.passed = all ? UINT32_MAX : o->assumes_passed,
                                             .held = all ? 0 : o->assume_held,
                                             .distance = all ? 0 : o->assume_distance};
    for (uint32_t i = 0; i < SONDE_CLIMB_LABELS; i++) score.labels[i] = -INFINITY;
    for (size_t i = 0; i < o->n_targets; i++) {
        uint32_t at = label_index(c, o->targets[i].label);
        if (at != UINT32_MAX && !isnan(o->targets[i].value)) score.labels[at] = o->targets[i].value;
    }
    return score;
}

/* ---- Which tape */

/* Reports whether a is better than b. `respect` 0 is progress, i + 1 is utility i. On a tie the younger tape is better,
 * so that the search moves on plateaus. */
static bool is_better(const struct sonde_climber *a, const struct sonde_climber *b, uint32_t respect)
{
    int order = 0;
    if (respect > 0) {
        double x = a->score.labels[respect - 1], y = b->score.labels[respect - 1];
        order = (x > y) - (x < y);
    }
    if (order == 0) order = compare_progress(a->score.progress, b->score.progress);
    return order > 0 || (order == 0 && a->order > b->order);
}

static bool has_valid(const struct sonde_climb *c)
{
    for (uint32_t i = 0; i < c->n_pool; i++)
        if (is_all(c->pool[i]->score.progress)) return true;
    return false;
}

/* Returns the largest number of assumes passed, among tapes that did not pass all. */
static uint32_t deepest(const struct sonde_climb *c)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < c->n_pool; i++) {
        uint32_t passed = c->pool[i]->score.progress.passed;
        if (passed != UINT32_MAX && passed > most) most = passed;
    }
    return most;
}

/* Returns a random tape, of the pool or beside it. */
static struct sonde_climber *any_of_all(struct sonde_climb *c)
{
    uint64_t i = sonde_rng_upto(c->rng, (uint64_t)c->n_pool + c->n_beside - 1);
    return i < c->n_pool ? c->pool[i] : c->beside[i - c->n_pool];
}

/* Returns the parent of the next mutant, or NULL if no tape has energy. If there are valid tapes, half of the mutants
 * come from valid tapes, because checks run only there. The others come from valid tapes or from tapes that failed at
 * the deepest assume. The best of these may be one step away from being valid. */
static struct sonde_climber *best(struct sonde_climb *c)
{
    if (!c->n_pool) return NULL;
    struct sonde_climber *found = NULL;
    if (c->has_states && sonde_rng_upto(c->rng, 1)) {
        struct sonde_climber *any = any_of_all(c);
        if (any->left) return any;
    }
    bool valid_exists = has_valid(c), valid_only = valid_exists && sonde_rng_upto(c->rng, 1);
    uint32_t respect = valid_exists && c->n_labels ? 1 + (uint32_t)sonde_rng_upto(c->rng, c->n_labels - 1) : 0;
    uint32_t level = valid_only ? UINT32_MAX : valid_exists ? deepest(c) : 0;
    for (uint32_t i = 0; i < c->n_pool; i++) {
        struct sonde_climber *rival = c->pool[i];
        if (!rival->left || rival->score.progress.passed < level) continue;
        if (!found || is_better(rival, found, respect)) found = rival;
    }
    return found;
}

/* Returns a parent for the next mutant, or NULL. If no tape has energy, fresh inputs and exhausted tapes take turns. */
static struct sonde_climber *pick(struct sonde_climb *c)
{
    struct sonde_climber *found = best(c);
    if (found || !c->n_pool) return found;
    c->fresh_turn = !c->fresh_turn;
    return c->fresh_turn ? NULL : any_of_all(c);
}

/* ---- Numeric moves */

static bool is_number(const struct sonde_choice *choice)
{
    switch (choice->kind) {
    case SONDE_KIND_INT:
    case SONDE_KIND_UINT:
    case SONDE_KIND_LENGTH:
    case SONDE_KIND_DOUBLE: return choice->max > 0;
    default: return false;
    }
}

/* Returns a random number of the tape; UINT32_MAX if none is found among LOOKED_AT choices. */
static uint32_t any_number(struct sonde_climb *c, const struct sonde_tape *tape)
{
    uint32_t n = tape->n_choices, start = n ? (uint32_t)sonde_rng_upto(c->rng, n - 1) : 0;
    for (uint32_t k = 0; k < n && k < LOOKED_AT; k++) {
        uint32_t i = start + k < n ? start + k : start + k - n;
        if (is_number(&tape->choices[i])) return i;
    }
    return UINT32_MAX;
}

/* Returns a random step, up or down, by a power of two: small steps pay near the goal, large ones far from it. */
static double any_step(struct sonde_climb *c, const struct sonde_choice *choice)
{
    uint64_t x = sonde_rng_next(c->rng);
    int bits = 0;
    if (choice->kind == SONDE_KIND_DOUBLE) bits = (int)(x % DOUBLE_STEPS) - DOUBLE_STEPS / 2;
    else {
        int width = 64 - __builtin_clzll(choice->max | 1);
        bits = (int)(x % (uint64_t)width);
    }
    return ldexp(x >> 63 ? -1 : 1, bits);
}

/* Plans a new move. Half of the moves change two numbers: under conditions on two values (a == b) no single step
 * pays. */
static void new_move(struct sonde_climb *c, const struct sonde_tape *tape)
{
    struct sonde_climb_move *m = &c->move;
    uint32_t first = any_number(c, tape);
    m->n = 0;
    if (first == UINT32_MAX) return;
    m->n = 1;
    m->parts[0].choice = first;
    m->parts[0].by = any_step(c, &tape->choices[first]);
    uint32_t second = sonde_rng_upto(c->rng, 1) ? any_number(c, tape) : first;
    if (second != first) {
        static const double ratios[] = {1, 1, 1, 2, 0.5, 3};
        uint64_t x = sonde_rng_next(c->rng);
        m->n = 2;
        m->parts[1].choice = second;
        m->parts[1].by = (x & 1 ? -1 : 1) * m->parts[0].by * ratios[(x >> 8) % 6];
        if ((x >> 1 & 3) == 0) m->parts[1].by = any_step(c, &tape->choices[second]);
    }
    for (uint32_t i = 0; i < m->n; i++) m->parts[i].site = tape->choices[m->parts[i].choice].site;
}

/* Plans a move that paid before, scaled by a power of two from a sixteenth to four. */
static void old_move(struct sonde_climb *c)
{
    c->move = c->paid[sonde_rng_upto(c->rng, c->n_paid - 1)];
    double scale = ldexp(1, (int)sonde_rng_upto(c->rng, 6) - 4);
    for (uint32_t i = 0; i < c->move.n; i++) c->move.parts[i].by *= scale;
}

/* Makes a move; returns whether it changed the script. Steps beyond the domain stop at its end. On another tape, a
 * choice of the same number may have another site; such a choice is left alone. */
static bool apply(const struct sonde_climb_move *m, struct sonde_tape *script)
{
    bool changed = false;
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t at = m->parts[i].choice;
        if (at >= script->n_choices || script->choices[at].site != m->parts[i].site) continue;
        uint64_t before = script->choices[at].index;
        sonde_choice_move(script, at, m->parts[i].by);
        changed |= script->choices[at].index != before;
    }
    return changed;
}

static bool step(struct sonde_climb *c, struct sonde_tape *script)
{
    if (c->n_paid && sonde_rng_upto(c->rng, 3) == 0) old_move(c);
    else new_move(c, script);
    return apply(&c->move, script);
}

/* ---- Choices without effect on the utilities
 *
 * A check may depend on more than the utilities do. Choices at sites that never changed a utility are therefore drawn
 * again now and then. Climbing does not need them, and without redraws the same values would be tried all the time. */

/* Returns the entry of a site, or a free entry for it; NULL if the table has no room. */
static struct sonde_climb_site *site_of(struct sonde_climb *c, uint32_t site)
{
    enum { PROBES = 8 };
    uint32_t start = site * UINT32_C(0x9e3779b1) >> (32 - SONDE_CLIMB_SITE_BITS);
    for (uint32_t i = 0; i < PROBES; i++) {
        struct sonde_climb_site *s = &c->sites[(start + i) % SONDE_CLIMB_SITES];
        if (s->site == site || s->tried == 0) return s;
    }
    return NULL;
}

/* Returns the only site at which two tapes of one shape differ; 0 if there is none, or more than one. */
static uint32_t different_site(const struct sonde_tape *a, const struct sonde_tape *b)
{
    uint32_t site = 0;
    if (a->n_choices != b->n_choices) return 0;
    for (uint32_t i = 0; i < a->n_choices; i++) {
        const struct sonde_choice *x = &a->choices[i], *y = &b->choices[i];
        if (x->site != y->site || (site && x->index != y->index && x->site != site)) return 0;
        if (x->index != y->index) site = x->site;
    }
    return site;
}

/* Counts the effect of a site. Only a mutant that differs at one site shows what that site does. */
static void note_site(struct sonde_climb *c, const struct sonde_tape *child, const struct sonde_climb_score *score,
                      const struct sonde_climber *parent)
{
    uint32_t site = different_site(child, &parent->kept->tape);
    struct sonde_climb_site *s = site ? site_of(c, site) : NULL;
    if (!s) return;
    bool changed = false;
    for (uint32_t i = 0; i < c->n_labels; i++) changed |= score->labels[i] != parent->score.labels[i];
    s->site = site;
    s->tried++;
    s->changed += changed;
    if (s->tried >= MEMORY) s->tried /= 2, s->changed /= 2;
}

static bool has_no_effect(struct sonde_climb *c, uint32_t site)
{
    const struct sonde_climb_site *s = site_of(c, site);
    return s && s->tried >= KNOWN && HARDLY_EVER * s->changed <= s->tried;
}

/* Marks choices without effect to be drawn again: all of them, or each with probability one half. If a check depends on
 * a single one of these choices, the second way finds that more often. */
static void redraw_without_effect(struct sonde_climb *c, struct sonde_tape *script)
{
    if (c->n_labels == 0 || sonde_rng_upto(c->rng, 1)) return;
    bool all = sonde_rng_upto(c->rng, 1);
    for (uint32_t i = 0; i < script->n_choices; i++)
        if (has_no_effect(c, script->choices[i].site) && (all || sonde_rng_upto(c->rng, 1)))
            script->choices[i].flags |= SONDE_CHOICE_HOLE;
}

/* ---- The next case */

static double rate(double earned, double tried)
{
    return (earned + 1) / (tried + PRIOR_TRIED);
}

/* Decides between a step and a mutant, by what each earned (Laplace's rule). Each gets at least least_share. */
static bool wants_step(struct sonde_climb *c)
{
    double a = rate(c->steps_earned, c->steps_tried), b = rate(c->mutants_earned, c->mutants_tried);
    return sonde_rng_unit(c->rng) < least_share + (1 - 2 * least_share) * a / (a + b);
}

bool sonde_climb_next(struct sonde_climb *c, struct sonde_tape *script)
{
    c->parent = pick(c);
    c->used = 0;
    c->move.n = 0;
    if (!c->parent || c->parent->kept->tape.n_choices == 0) {
        c->parent = NULL;
        c->is_mutant = false;
        return false;
    }
    c->is_mutant = true;
    sonde_tape_copy(script, &c->parent->kept->tape);
    /* Repeat a move that paid, twice as far: a line search by doubling. The parent is the best tape, which as a rule is
     * the tape that the move has just made. */
    if (c->repeats_move) {
        c->repeats_move = false;
        c->move = c->next;
        if (apply(&c->move, script)) return true;
        c->move.n = 0;
    }
    if (!wants_step(c) || !step(c, script)) {
        c->move.n = 0;
        c->used = sonde_mutate(c->mutate, script);
    }
    redraw_without_effect(c, script);
    return true;
}

/* ---- Learning */

/* Returns the oldest tape that another one surpasses, else the oldest of all. Quadratic in the (small) pool. */
static uint32_t worst(const struct sonde_climb *c)
{
    uint32_t found = 0;
    bool found_surpassed = false;
    for (uint32_t i = 0; i < c->n_pool; i++) {
        bool surpassed = false;
        for (uint32_t k = 0; k < c->n_pool && !surpassed; k++)
            surpassed = k != i && at_least(c, &c->pool[k]->score, &c->pool[i]->score);
        if (surpassed < found_surpassed) continue;
        if (surpassed > found_surpassed || c->pool[i]->order < c->pool[found]->order) found = i;
        found_surpassed = surpassed;
    }
    return found;
}

static void hold(struct sonde_climb *c, struct sonde_climber *climber, const struct sonde_run *run)
{
    climber->kept = sonde_corpus_keep(c->corpus, run);
    c->bytes += sonde_tape_bytes(&climber->kept->tape);
}

/* Returns the oldest exhausted tape beside the pool, else the oldest there. */
static uint32_t oldest_exhausted(const struct sonde_climb *c)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < c->n_beside; i++) {
        const struct sonde_climber *a = c->beside[i], *b = c->beside[found];
        if (!a->left != !b->left ? !a->left : a->order < b->order) found = i;
    }
    return found;
}

/* Makes room in pool and memory for one tape. A tape that changed a state moves to `beside`; others are dropped. */
static void make_room(struct sonde_climb *c)
{
    while (c->n_beside && c->bytes > c->limit) drop(c, take(c->beside, &c->n_beside, oldest_exhausted(c)));
    while (c->n_pool == SONDE_CLIMB_POOL || (c->n_pool > 1 && c->bytes > c->limit)) {
        struct sonde_climber *gone = take(c->pool, &c->n_pool, worst(c));
        c->beside = sonde_grow(c->beside, &c->cap_beside, (size_t)c->n_beside + 1, sizeof *c->beside);
        if (gone->is_state && c->bytes <= c->limit) c->beside[c->n_beside++] = gone;
        else drop(c, gone);
    }
}

static void join(struct sonde_climb *c, const struct sonde_run *run, const struct sonde_climb_score *score)
{
    make_room(c);
    struct sonde_climber *climber = c->pool[c->n_pool++] = sonde_calloc(1, sizeof *climber);
    hold(c, climber, run);
    climber->score = *score;
    climber->energy = climber->left = c->start_energy;
    climber->order = ++c->order;
    climber->is_state = run->interest.reasons & SONDE_NEW_STATE;
}

/* Remembers the move that paid. A full table overwrites a random entry, which is lost until it pays again. */
static void remember(struct sonde_climb *c)
{
    uint32_t at = c->n_paid < SONDE_CLIMB_MOVES ? c->n_paid++ : (uint32_t)sonde_rng_upto(c->rng, SONDE_CLIMB_MOVES - 1);
    c->paid[at] = c->next = c->move;
    for (uint32_t i = 0; i < c->next.n; i++) c->next.parts[i].by *= 2;
    c->repeats_move = true;
}

/* Updates the rates and the parent's energy after a mutant. In a numeric move no mutator was used. */
static void earn(struct sonde_climb *c, bool joined)
{
    struct sonde_climber *parent = c->parent;
    double *tried = c->move.n ? &c->steps_tried : &c->mutants_tried;
    double *earned = c->move.n ? &c->steps_earned : &c->mutants_earned;
    ++*tried;
    *earned += joined;
    if (*tried > MEMORY) *tried /= 2, *earned /= 2;
    if (c->used) sonde_mutate_reward(c->mutate, c->used, joined);
    if (joined && c->move.n) remember(c);
    if (!parent) return;
    if (joined) {
        if (parent->energy < energy_max) parent->energy *= 2;
        parent->left = parent->energy;
    } else if (parent->left) parent->left--;
}

bool sonde_climb_learn(struct sonde_climb *c, const struct sonde_run *run, bool own)
{
    struct sonde_climb_score score = score_of(c, run->observation);
    struct sonde_climber *parent = own ? c->parent : NULL;
    bool joins = run->observation->verdict != SONDE_OVERRUN && run->observation->verdict != SONDE_MISUSE;
    for (uint32_t i = 0; i < c->n_pool && joins; i++) joins = !at_least(c, &c->pool[i]->score, &score);
    if (run->interest.reasons & SONDE_NEW_STATE) joins = c->has_states = true;
    if (parent) note_site(c, run->tape, &score, parent);
    if (own && c->is_mutant) earn(c, joins);
    if (joins) join(c, run, &score);
    /* A neutral step: the mutant replaces its parent and takes over its energy. A parent that changed a state stays:
     * its mutant may not change that state. */
    else if (parent && !parent->is_state && at_least(c, &score, &parent->score)) {
        drop_reference(c, parent);
        hold(c, parent, run);
    }
    return joins;
}

void sonde_climb_stats(const struct sonde_climb *c, FILE *out)
{
    uint32_t live = 0;
    for (uint32_t i = 0; i < c->n_pool; i++) live += c->pool[i]->left > 0;
    fprintf(out, " climbers=%" PRIu32 " exhausted=%" PRIu32 " beside=%" PRIu32 " joined=%" PRIu64, c->n_pool,
            c->n_pool - live, c->n_beside, c->order);
}
