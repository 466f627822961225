/* See attack.h. Each phase has a function that plans its next case and one that learns from it. A phase that has no
 * case left enters the next one. */
#include "guide/goal/attack.h"

#include <math.h>
#include <string.h>

enum {
    BUDGET = 600,  /* cases of one attack */
    REBASES = 12,  /* times that the lines may begin again from a nearer case */
    SOLUTIONS = 2, /* solutions of a curve that are tried */
    GROWTH = 24    /* symbols that an attack writes twice */
};

static const enum sonde_lines_way ways[] = {SONDE_LINES_BOUNDED, SONDE_LINES_INVERSE, SONDE_LINES_TRIALS,
                                            SONDE_LINES_BOUNDED, SONDE_LINES_NEAREST, SONDE_LINES_NEAREST};
enum { WAYS = sizeof ways / sizeof *ways };

void sonde_attack_init(struct sonde_attack *a)
{
    sonde_tape_init(&a->tape);
    sonde_tape_init(&a->sample.tape);
}

void sonde_attack_clear(struct sonde_attack *a)
{
    sonde_tape_clear(&a->tape);
    sonde_tape_clear(&a->sample.tape);
}

void sonde_attack_begin(struct sonde_attack *a, const struct sonde_frontier *f, uint32_t goal, uint8_t want)
{
    const struct sonde_goal *g = &f->goals[goal];
    uint8_t tries = g->tries[sonde_outcome_index(want)];
    a->goal = goal;
    a->want = want;
    a->bytes = g->bytes;
    a->budget = BUDGET;
    a->bases = a->sample.rounds = 0;
    a->sample.tries = tries ? tries - 1u : 0;
    a->n_flips = a->grown = 0;
    memset(a->is_scanned, 0, sizeof a->is_scanned);
    sonde_tape_copy(&a->tape, tries % 2 == 0 && g->other ? &g->other->tape : &g->nearest->tape);
    sonde_attack_enter(a, SONDE_ATTACK_BASE);
}

/* ---- Lines */

static uint32_t count_moving(const struct sonde_attack *a)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->lines.n_axes; i++) n += a->lines.rows[0].slopes[i] != 0;
    return n;
}

static bool plan_line(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script)
{
    int64_t steps[SONDE_LINES_AXES];
    uint32_t n = count_moving(a);
    while (n && a->tries < WAYS) {
        enum sonde_lines_way way = ways[a->tries++];
        bool is_first = way == SONDE_LINES_BOUNDED && a->tries < WAYS / 2;
        if (is_first) sonde_attack_narrow(a, true);
        bool is_solved = sonde_lines_solve(&a->lines, way, is_first ? NULL : rng, steps, &a->work);
        if (is_first) sonde_attack_narrow(a, false);
        if (is_solved && sonde_attack_write(a, steps, script)) return true;
    }
    sonde_attack_enter(a, SONDE_ATTACK_GROW);
    return false;
}

/* ---- Growing */

/* Writes a symbol that moves the goal twice. */
static bool write_twice(const struct sonde_attack *a, uint32_t i, struct sonde_tape *script)
{
    const struct sonde_number *n = &a->numbers[i];
    struct sonde_number now; /* the case that was taken over may have other draws */
    if (n->part != SONDE_NUMBER_SYMBOL || !a->moves[i] || n->choice >= a->tape.n_choices) return false;
    if (!sonde_number_read(&a->tape, n->choice, n->part, n->symbol, &now)) return false;
    sonde_tape_copy(script, &a->tape);
    struct sonde_blob b = sonde_choice_blob(script, &script->choices[n->choice]);
    const struct sonde_splice twice = {.at = n->symbol, .n = 1, .symbols = {sonde_blob_symbol(&b, n->symbol)}};
    return sonde_numbers_splice(script, n->choice, &twice);
}

/* Writes one more symbol at the end of a string. Returns false if that is not possible, or after the last symbol. */
static bool write_more(const struct sonde_attack *a, uint32_t i, uint32_t symbol, struct sonde_tape *script)
{
    enum { MOST = 128 };
    const struct sonde_number *n = &a->numbers[i];
    if (n->part != SONDE_NUMBER_LENGTH) return false;
    sonde_tape_copy(script, &a->tape);
    struct sonde_blob b = sonde_choice_blob(script, &script->choices[n->choice]);
    bool is_symbol = b.alphabet.size <= MOST && symbol < b.alphabet.size;
    const struct sonde_splice more = {.at = b.len, .n = 1, .symbols = {symbol}};
    return is_symbol && sonde_numbers_splice(script, n->choice, &more);
}

/* Where nothing moves the goal, a symbol more may: perhaps the code reads digits, and there is none. */
static bool plan_grow(struct sonde_attack *a, struct sonde_tape *script)
{
    bool is_moved = a->tries > 0;
    for (uint32_t i = 0; i < a->n_numbers; i++) is_moved |= a->moves[i];
    for (; a->at < a->n_numbers && a->grown < GROWTH; a->at++, a->symbol = 0) {
        if (is_moved ? write_twice(a, a->at, script) : a->sample.tries && write_more(a, a->at, a->symbol, script))
            return true;
    }
    uint32_t n = count_moving(a);
    bool is_curve = n && n <= SONDE_CURVE_AXES && a->want == SONDE_IS_EQUAL;
    sonde_attack_enter(a, a->tries ? SONDE_ATTACK_BASE : is_curve ? SONDE_ATTACK_PAIR : SONDE_ATTACK_SCAN);
    return false;
}

/* Continues from a case that is nearer, or beyond the outcome: there its symbols can be solved for. */
static void learn_grow(struct sonde_attack *a, const struct sonde_run *run, const struct sonde_comparison *goal)
{
    double before = sonde_attack_miss(a, &a->rows[0]), now = goal ? sonde_attack_miss(a, goal) : INFINITY;
    bool is_beyond = goal && (now > 0) != (before > 0);
    bool is_symbol = a->numbers[a->at].part == SONDE_NUMBER_SYMBOL;
    if (!is_beyond && !(fabs(now) < fabs(before))) {
        if (is_symbol) a->at++;
        else a->symbol++;
        return;
    }
    sonde_tape_copy(&a->tape, run->tape);
    sonde_tape_end(&a->tape);
    a->rows[0] = *goal;
    a->grown++;
    a->tries = 1;
    if (is_beyond) a->grown = GROWTH; /* long enough */
    if (is_beyond || !is_symbol) sonde_attack_enter(a, SONDE_ATTACK_BASE);
}

/* ---- Curves. Steps of a curve have the sign of the probe's step. */

static bool write_curve(const struct sonde_attack *a, const int64_t *k, struct sonde_tape *script)
{
    int64_t steps[SONDE_LINES_AXES] = {0};
    for (uint32_t i = 0; i < a->curve.n; i++) steps[a->curve_axes[i]] = k[i] * a->step[a->curve_axes[i]];
    return sonde_attack_write(a, steps, script);
}

static void begin_curve(struct sonde_attack *a)
{
    struct sonde_curve *c = &a->curve;
    *c = (struct sonde_curve){.bytes = a->bytes, .at = a->lines.rows[0].now};
    for (uint32_t i = 0; i < a->lines.n_axes && c->n < SONDE_CURVE_AXES; i++) {
        int64_t slope = a->lines.rows[0].slopes[i];
        bool is_down = a->step[i] < 0;
        if (!slope) continue;
        a->curve_axes[c->n] = i;
        c->first[c->n] = is_down ? (int64_t)(0 - (uint64_t)slope) : slope;
        c->up[c->n] = is_down ? a->lines.down[i] : a->lines.up[i];
        c->down[c->n++] = is_down ? a->lines.up[i] : a->lines.down[i];
    }
}

/* Finds the pair i <= j of a number. */
static void pair_of(const struct sonde_attack *a, uint32_t number, uint32_t *i, uint32_t *j)
{
    *i = *j = 0;
    for (; number > 0; number--) {
        ++*j;
        if (*j == a->curve.n) *j = ++*i;
    }
}

static bool plan_pair(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script)
{
    enum { NEAR = 3, SPAN = 5 };
    int64_t k[SONDE_CURVE_AXES] = {0};
    if (a->at == 0) begin_curve(a);
    uint32_t pairs = a->curve.n * (a->curve.n + 1) / 2;
    if (a->at < pairs + (a->curve.n == 3)) {
        uint32_t i = 0, j = 0;
        if (a->at < pairs) pair_of(a, a->at, &i, &j), k[i]++, k[j]++;
        else k[0] = k[1] = k[2] = 1;
        if (write_curve(a, k, script)) return true;
        sonde_attack_enter(a, SONDE_ATTACK_SCAN);
        return false;
    }
    sonde_attack_enter(a, SONDE_ATTACK_VERIFY);
    for (uint32_t i = 0; i < a->curve.n; i++) {
        int64_t step = NEAR + (int64_t)sonde_rng_upto(rng, SPAN);
        k[i] = (uint64_t)step <= a->curve.up[i] ? step : (int64_t)a->curve.up[i];
    }
    memcpy(a->trial, k, sizeof k);
    if (write_curve(a, k, script)) return true;
    sonde_attack_enter(a, SONDE_ATTACK_SCAN);
    return false;
}

static void learn_pair(struct sonde_attack *a, const struct sonde_comparison *goal)
{
    uint32_t i, j;
    if (!goal) {
        sonde_attack_enter(a, SONDE_ATTACK_SCAN);
        return;
    }
    if (a->at == a->curve.n * (a->curve.n + 1) / 2) {
        const int64_t ones[SONDE_CURVE_AXES] = {1, 1, 1};
        uint64_t value = (uint64_t)sonde_curve_value(&a->curve, ones);
        a->curve.third = sonde_wrap((uint64_t)sonde_attack_gap(goal) - value, a->curve.bytes);
        a->at++;
        return;
    }
    pair_of(a, a->at++, &i, &j);
    uint64_t rest = (uint64_t)sonde_attack_gap(goal) - (uint64_t)a->curve.at;
    a->curve.second[i][j] =
        sonde_wrap(rest - (uint64_t)a->curve.first[i] - (uint64_t)a->curve.first[j], a->curve.bytes);
}

static void learn_verify(struct sonde_attack *a, const struct sonde_comparison *goal)
{
    bool is_exact = goal && sonde_attack_gap(goal) == sonde_curve_value(&a->curve, a->trial);
    sonde_attack_enter(a, is_exact ? SONDE_ATTACK_CURVE : SONDE_ATTACK_SCAN);
}

static bool plan_curve(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script)
{
    if (a->tries++ < SOLUTIONS && sonde_curve_solve(&a->curve, 0, rng, a->trial, &a->work)
        && write_curve(a, a->trial, script))
        return true;
    sonde_attack_enter(a, SONDE_ATTACK_SCAN);
    return false;
}

/* ---- The attack */

/* Plans a case of the current phase. Returns false if the phase has none; it has then entered another one. */
static bool plan_phase(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script)
{
    switch (a->phase) {
    case SONDE_ATTACK_BASE: sonde_tape_copy(script, &a->tape); return true;
    case SONDE_ATTACK_COPY: return sonde_attack_plan_copy(a, rng, script);
    case SONDE_ATTACK_PROBE: return sonde_attack_plan_probe(a, rng, script);
    case SONDE_ATTACK_LINE: return plan_line(a, rng, script);
    case SONDE_ATTACK_GROW: return plan_grow(a, script);
    case SONDE_ATTACK_PAIR: return plan_pair(a, rng, script);
    case SONDE_ATTACK_CURVE: return plan_curve(a, rng, script);
    case SONDE_ATTACK_FLIP: return sonde_attack_plan_flip(a, script);
    case SONDE_ATTACK_SCAN: return sonde_attack_plan_scan(a, script);
    case SONDE_ATTACK_TABLE: return sonde_attack_plan_table(a, rng, script);
    case SONDE_ATTACK_JOINT: return sonde_attack_plan_joint(a, script);
    case SONDE_ATTACK_BITS: return sonde_attack_plan_bits(a, rng, script);
    case SONDE_ATTACK_SAMPLE: return sonde_attack_plan_sample(a, rng, script);
    default: sonde_attack_enter(a, SONDE_ATTACK_OVER); return false;
    }
}

bool sonde_attack_plan(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script)
{
    if (a->budget == 0) sonde_attack_enter(a, SONDE_ATTACK_OVER);
    while (a->phase != SONDE_ATTACK_OVER) {
        if (!plan_phase(a, rng, script)) continue;
        a->budget--;
        return true;
    }
    return false;
}

/* Reports whether a case has the outcome. A discarded case that has it counts against the outcome, once cases are
 * valid. */
static bool is_reached(struct sonde_attack *a, struct sonde_frontier *f, const struct sonde_run *run,
                       const struct sonde_comparison *goal)
{
    if (!goal || !(sonde_outcome_of(goal) & a->want)) return false;
    enum sonde_verdict verdict = run->observation->verdict;
    if (f->is_early || verdict == SONDE_VALID || verdict == SONDE_FAILED) return true;
    uint8_t *refused = &f->goals[a->goal].refused[sonde_outcome_index(a->want)];
    if (*refused < UINT8_MAX) ++*refused;
    return false;
}

/* Reports whether a side is at the end of the unsigned numbers, and so cannot be passed. Usually it is a constant, and
 * the code compares signed numbers: x < 0. */
static bool is_beyond(const struct sonde_attack *a, const struct sonde_comparison *goal)
{
    const uint64_t least = 0, most = UINT64_MAX;
    if (a->want == SONDE_IS_BELOW) return goal->b == least || goal->a == most;
    return a->want == SONDE_IS_ABOVE && (goal->a == least || goal->b == most);
}

/* A case of the lines that comes nearer is the next base. Not if digits were added: a line often leaves what is a
 * digit, and a shorter number may be nearer. */
static void learn_line(struct sonde_attack *a, const struct sonde_frontier *f, const struct sonde_run *run,
                       const struct sonde_comparison *goal)
{
    bool is_nearer = goal && fabs(sonde_attack_miss(a, goal)) < fabs(sonde_attack_miss(a, &a->rows[0]));
    if (is_nearer && !(a->grown && sonde_attack_has_digits(a)) && a->bases++ < REBASES)
        sonde_attack_rebase(a, f, run, goal, false);
}

static void learn_phase(struct sonde_attack *a, const struct sonde_frontier *f, const struct sonde_run *run,
                        const struct sonde_comparison *goal, bool is_on_path)
{
    switch (a->phase) {
    case SONDE_ATTACK_BASE:
        if (goal && !is_beyond(a, goal)) sonde_attack_rebase(a, f, run, goal, true);
        else sonde_attack_enter(a, SONDE_ATTACK_OVER);
        if (a->phase == SONDE_ATTACK_PROBE && a->want == SONDE_IS_EQUAL) sonde_attack_enter(a, SONDE_ATTACK_COPY);
        break;
    case SONDE_ATTACK_PROBE: sonde_attack_learn_probe(a, f, goal, is_on_path); break;
    case SONDE_ATTACK_LINE: learn_line(a, f, run, goal); break;
    case SONDE_ATTACK_GROW: learn_grow(a, run, goal); break;
    case SONDE_ATTACK_PAIR: learn_pair(a, goal); break;
    case SONDE_ATTACK_VERIFY: learn_verify(a, goal); break;
    case SONDE_ATTACK_SCAN:
        sonde_attack_learn_option(a, f, goal, (struct sonde_attack_option){a->table.scanned, 0, a->tries - 1u, false});
        break;
    case SONDE_ATTACK_FLIP: sonde_attack_learn_flip(a, f, goal); break;
    case SONDE_ATTACK_JOINT: sonde_attack_learn_joint(a, goal); break;
    case SONDE_ATTACK_SAMPLE: sonde_attack_learn_sample(a, f, run, goal); break;
    default: break;
    }
}

bool sonde_attack_learn(struct sonde_attack *a, struct sonde_frontier *f, const struct sonde_run *run)
{
    const struct sonde_goal *goal = &f->goals[a->goal];
    const struct sonde_comparison *c = sonde_frontier_find(f, goal->id, goal->nth);
    /* Conditions that the compiler merged: all comparisons before the goal must stay equal. */
    bool is_on_path = c && sonde_frontier_is_on_path(f, goal, c);
    if (is_reached(a, f, run, is_on_path ? c : NULL)) {
        sonde_attack_enter(a, SONDE_ATTACK_OVER);
        return true;
    }
    bool is_free = a->phase == SONDE_ATTACK_PROBE || a->phase == SONDE_ATTACK_FLIP;
    learn_phase(a, f, run, is_on_path || is_free ? c : NULL, is_on_path);
    return false;
}
