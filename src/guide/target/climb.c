/* See climb.h. The pool is a view of the corpus: a climber holds a tape there and drops it when it goes. Searches through it are linear. */
#include "guide/target/climb.h"

#include "base/mem.h"
#include "guide/guides.h"
#include "guide/plain/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define KNOB(name, field, ...) SONDE_KNOB(struct sonde_climb, field, name, __VA_ARGS__)

const struct sonde_knob sonde_climb_knobs[] = {
    KNOB("energy", start_energy, 5000, 1, 1e12, "how many mutants a tape gets before it is given up",
         "bench/KNOBS.md, target"),
    KNOB("climbmemory", memory, 2000, 2, 1e9, "over how many cases the climber remembers what its moves earned",
         "bench/KNOBS.md, target"),
    KNOB("leaststeps", least_share, 0.2, 0, 0.5, "least share of numeric steps, and of mutants, of what is climbed",
         "bench/KNOBS.md, target"),
    {0},
};

static const uint64_t energy_max = 1 << 24;

enum {
    LOOKED_AT = 256,   /* choices that are asked whether they are numbers */
    DOUBLE_STEPS = 48, /* powers of two by which a double is moved, half of them below 1 */
    PRIOR_TRIED = 20,  /* tries that a move starts with, one of them earned */
    KNOWN = 20,        /* changes of a site before it is said what they do, */
    HARDLY_EVER = 50   /* and one in so many may have changed a utility */
};

void sonde_climb_init(struct sonde_climb *c, const struct sonde_guide_setup *setup, struct sonde_rng *rng,
                      struct sonde_mutate *mutate, size_t limit)
{
    memset(c, 0, sizeof *c);
    c->rng = rng;
    c->mutate = mutate;
    c->corpus = setup->corpus;
    sonde_knobs_read(sonde_climb_knobs, setup->options, c);
    c->limit = limit;
}

static void let_go(struct sonde_climb *c, struct sonde_climber *climber)
{
    c->bytes -= sonde_tape_bytes(&climber->kept->tape);
    sonde_corpus_drop(c->corpus, climber->kept);
}

static void drop(struct sonde_climb *c, struct sonde_climber *gone)
{
    if (c->parent == gone) c->parent = NULL;
    let_go(c, gone);
    sonde_free(gone);
}

/* The order of both arrays means nothing: `order` tells old from new. */
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

/* First how many assumes were passed, then how many parts of the failing conjunction held, then how
 * near it came. */
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

/* A utility that appears late was not told by those in the pool: it counts as -INFINITY for them, so
 * whoever tells it joins. */
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

/* A valid run has progress UINT32_MAX: better than any that failed. */
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

/* On a tie the younger one: plateaus are walked. */
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

/* How many assumes were passed by those that did not pass all. */
static uint32_t deepest(const struct sonde_climb *c)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < c->n_pool; i++) {
        uint32_t passed = c->pool[i]->score.progress.passed;
        if (passed != UINT32_MAX && passed > most) most = passed;
    }
    return most;
}

/* Any of all tapes, those beside the pool included. */
static struct sonde_climber *any_of_all(struct sonde_climb *c)
{
    uint64_t i = sonde_rng_upto(c->rng, (uint64_t)c->n_pool + c->n_beside - 1);
    return i < c->n_pool ? c->pool[i] : c->beside[i - c->n_pool];
}

/* Half of the mutants come from valid tapes, where there are any: claims are checked only there. The others come from
 * tapes that got as far as one can without being valid, or further: the best of these may be one step away. */
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

/* With nothing left that has energy, fresh inputs and exhausted tapes take turns, as in the paper. */
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

/* Any number of the tape; UINT32_MAX if a few attempts find none. */
static uint32_t any_number(struct sonde_climb *c, const struct sonde_tape *tape)
{
    uint32_t n = tape->n_choices, start = n ? (uint32_t)sonde_rng_upto(c->rng, n - 1) : 0;
    for (uint32_t k = 0; k < n && k < LOOKED_AT; k++) {
        uint32_t i = start + k < n ? start + k : start + k - n;
        if (is_number(&tape->choices[i])) return i;
    }
    return UINT32_MAX;
}

/* A power of two up to the width of the domain, up or down. All orders of magnitude alike: near the
 * goal small steps pay, far from it large ones. */
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

/* Two numbers in half of the cases: conditions on two values (a == b, a + b == c) keep single steps
 * from paying. */
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

/* One that paid before, larger or smaller. From a sixteenth of it to four times as far, by powers of
 * two. */
static void old_move(struct sonde_climb *c)
{
    c->move = c->paid[sonde_rng_upto(c->rng, c->n_paid - 1)];
    double scale = ldexp(1, (int)sonde_rng_upto(c->rng, 6) - 4);
    for (uint32_t i = 0; i < c->move.n; i++) c->move.parts[i].by *= scale;
}

/* Steps beyond the domain stop at its end. By place and site: on another tape the same place may be
 * another draw, which is left alone. */
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

/* ---- What the utilities do not see
 *
 * A claim may depend on more than the utilities do. Choices at sites that never changed a utility are therefore drawn
 * anew now and then: the climb has no use for them, and whoever keeps them tries one and the same all the time. */

/* Where a site's numbers are, or belong; NULL if the table has no room for it. */
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

/* The one site at which two tapes of one form differ; 0 if there is none, or more than one. */
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

/* Only a mutant that differs at one site tells what that site does. */
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
    if (s->tried >= c->memory) s->tried /= 2, s->changed /= 2;
}

static bool is_unseen(struct sonde_climb *c, uint32_t site)
{
    const struct sonde_climb_site *s = site_of(c, site);
    return s && s->tried >= KNOWN && HARDLY_EVER * s->changed <= s->tried;
}

/* All or half of them: what depends on one of them alone is found more often by the latter. */
static void redraw_unseen(struct sonde_climb *c, struct sonde_tape *script)
{
    if (c->n_labels == 0 || sonde_rng_upto(c->rng, 1)) return;
    bool all = sonde_rng_upto(c->rng, 1);
    for (uint32_t i = 0; i < script->n_choices; i++)
        if (is_unseen(c, script->choices[i].site) && (all || sonde_rng_upto(c->rng, 1)))
            script->choices[i].flags |= SONDE_CHOICE_HOLE;
}

/* ---- The next case */

static double rate(double earned, double tried)
{
    return (earned + 1) / (tried + PRIOR_TRIED);
}

/* Shares by what each earned (Laplace's rule with PRIOR_TRIED), each at least least_share. */
static bool wants_step(struct sonde_climb *c)
{
    double a = rate(c->steps_earned, c->steps_tried), b = rate(c->mutants_earned, c->mutants_tried);
    return sonde_rng_unit(c->rng) < c->least_share + (1 - 2 * c->least_share) * a / (a + b);
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
    /* Straight on, twice as far, as long as it pays: a line search by doubling. The parent picked is
     * the best, which as a rule is the tape that the move has just made. */
    if (c->goes_on) {
        c->goes_on = false;
        c->move = c->next;
        if (apply(&c->move, script)) return true;
        c->move.n = 0;
    }
    if (!wants_step(c) || !step(c, script)) {
        c->move.n = 0;
        c->used = sonde_mutate(c->mutate, script);
    }
    redraw_unseen(c, script);
    return true;
}

/* ---- Learning */

/* Of those that another one surpasses the oldest, else the oldest of all. Quadratic in the pool, which
 * has at most 64. */
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

/* Of those beside the pool the oldest that is exhausted, else the oldest. */
static uint32_t most_spent(const struct sonde_climb *c)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < c->n_beside; i++) {
        const struct sonde_climber *a = c->beside[i], *b = c->beside[found];
        if (!a->left != !b->left ? !a->left : a->order < b->order) found = i;
    }
    return found;
}

/* A place in the pool, and memory. What the pool has no place for waits beside it if it changed a state. */
static void make_room(struct sonde_climb *c)
{
    while (c->n_beside && c->bytes > c->limit) drop(c, take(c->beside, &c->n_beside, most_spent(c)));
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
    climber->energy = climber->left = (uint64_t)c->start_energy;
    climber->order = ++c->order;
    climber->is_state = run->interest.reasons & SONDE_NEW_STATE;
}

/* A full table forgets any: those that pay again come back. */
static void remember(struct sonde_climb *c)
{
    uint32_t at = c->n_paid < SONDE_CLIMB_MOVES ? c->n_paid++ : (uint32_t)sonde_rng_upto(c->rng, SONDE_CLIMB_MOVES - 1);
    c->paid[at] = c->next = c->move;
    for (uint32_t i = 0; i < c->next.n; i++) c->next.parts[i].by *= 2;
    c->goes_on = true;
}

/* Mutators are rewarded only when they were used: a numeric move has used = 0. */
static void earn(struct sonde_climb *c, bool joined)
{
    struct sonde_climber *parent = c->parent;
    double *tried = c->move.n ? &c->steps_tried : &c->mutants_tried;
    double *earned = c->move.n ? &c->steps_earned : &c->mutants_earned;
    ++*tried;
    *earned += joined;
    if (*tried > c->memory) *tried /= 2, *earned /= 2;
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
    /* A neutral step: keeps the place and the energy of its parent, unless that did something the mutant may not do. */
    else if (parent && !parent->is_state && at_least(c, &score, &parent->score)) {
        let_go(c, parent);
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
