/* The bits of an attack: flips them one by one, or in sets that keep the path, and solves for the outcome (bits.h). */
#include "guide/goal/attack_parts.h"
#include "guide/goal/sum.h"

#include <string.h>

enum { SOLUTIONS = 2 }; /* solutions that are tried */

static uint64_t mask_of(uint8_t bytes)
{
    return bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
}

static bool is_flippable(const struct sonde_attack *a, uint32_t number)
{
    const struct sonde_number *n = &a->numbers[number];
    if (n->part == SONDE_NUMBER_REAL || n->part == SONDE_NUMBER_LENGTH) return false;
    return a->moves[number] || a->lines.rows[0].slopes[number] || sonde_attack_is_bound(a, number);
}

/* Takes the bits of all numbers that matter as unknowns, and the goal and the equalities before it as equations. */
static void begin_flips(struct sonde_attack *a)
{
    struct sonde_bits *b = &a->bits;
    b->n_words = 0;
    for (uint32_t r = 0; r < a->lines.n_rows && b->n_words < SONDE_BITS_WORDS; r++)
        if (a->lines.rows[r].is_equation && a->rows[r].bytes) a->bit_rows[b->n_words++] = r;
    a->n_flips = 0;
    for (uint32_t i = 0; i < a->n_numbers; i++) {
        if (!is_flippable(a, i)) continue;
        for (uint8_t bit = 0; bit < 64 && a->numbers[i].max >> bit && a->n_flips < SONDE_BITS_FLIPS; bit++) {
            a->flips[a->n_flips].number = i;
            a->flips[a->n_flips++].bit = bit;
        }
    }
    b->n = a->n_flips;
    memset(b->unknowns, 0, b->n * sizeof *b->unknowns);
    memset(b->effects, 0, sizeof b->effects);
    for (uint32_t i = 0; i < b->n; i++) b->unknowns[i].bits[i / 64] = UINT64_C(1) << i % 64;
    a->leaves = false;
}

/* Flips bits of the values, not of their distances from the least one. */
static bool write_flips(const struct sonde_attack *a, const struct sonde_flips *flips, struct sonde_tape *script)
{
    uint64_t masks[SONDE_ATTACK_NUMBERS] = {0};
    for (uint32_t i = 0; i < a->n_flips; i++)
        if (flips->bits[i / 64] >> i % 64 & 1) masks[a->flips[i].number] |= UINT64_C(1) << a->flips[i].bit;
    sonde_tape_copy(script, &a->tape);
    for (uint32_t i = 0; i < a->n_numbers; i++) {
        const struct sonde_number *n = &a->numbers[i];
        if (masks[i] && !sonde_number_put(script, n, ((n->base + n->at) ^ masks[i]) - n->base)) return false;
    }
    return true;
}

bool sonde_attack_plan_flip(struct sonde_attack *a, struct sonde_tape *script)
{
    if (a->at == 0) begin_flips(a);
    if (a->n_flips > a->budget) a->n_flips = a->bits.n = 0;
    for (; a->at < a->bits.n; a->at++)
        if (write_flips(a, &a->bits.unknowns[a->at], script)) return true;
    sonde_attack_enter(a, SONDE_ATTACK_WEIGHT);
    return false;
}

static void learn_changes(struct sonde_attack *a, const struct sonde_frontier *f, const struct sonde_comparison *goal)
{
    a->flip_known[a->at] = 0;
    for (uint32_t r = 0; r < a->lines.n_rows; r++) {
        const struct sonde_comparison *row = &a->rows[r], *c = r ? sonde_frontier_find(f, row->id, row->nth) : goal;
        int64_t *change = &a->flip_changes[a->at][r];
        *change =
            c && c->bytes ? sonde_wrap((uint64_t)sonde_attack_gap(c) - (uint64_t)a->lines.rows[r].now, row->bytes) : 0;
        if (c) a->flip_known[a->at] |= UINT32_C(1) << r;
    }
    a->work += a->lines.n_rows;
}

/* Effects on the equalities before the goal count even if the flip left the path. */
void sonde_attack_learn_flip(struct sonde_attack *a, const struct sonde_frontier *f,
                             const struct sonde_comparison *goal)
{
    uint64_t *effects = a->bits.effects[a->at];
    a->leaves |= !goal;
    learn_changes(a, f, goal);
    a->at++;
    for (uint32_t w = 0; w < a->bits.n_words; w++) {
        const struct sonde_comparison *row = &a->rows[a->bit_rows[w]];
        const struct sonde_comparison *c = w ? sonde_frontier_find(f, row->id, row->nth) : goal;
        effects[w] = c ? (c->a ^ c->b ^ row->a ^ row->b) & mask_of(row->bytes) : 0;
    }
}

/* ---- Weights: a bit adds a number to a difference, as a decimal digit in half a byte does. */

static bool is_set(const struct sonde_attack *a, uint32_t flip)
{
    const struct sonde_number *n = &a->numbers[a->flips[flip].number];
    return (n->base + n->at) >> a->flips[flip].bit & 1;
}

/* Supplies what flips that left the path would have changed: twice as much as the bit below. */
static void extrapolate(struct sonde_attack *a)
{
    for (uint32_t i = 1; i < a->n_flips; i++) {
        bool is_next = a->flips[i].number == a->flips[i - 1].number;
        uint32_t lacks = is_next ? a->flip_known[i - 1] & ~a->flip_known[i] : 0;
        for (; lacks; lacks &= lacks - 1) {
            uint32_t r = (uint32_t)__builtin_ctz(lacks);
            uint64_t twice = 2 * (uint64_t)a->flip_changes[i - 1][r];
            if (is_set(a, i) != is_set(a, i - 1)) twice = 0 - twice;
            a->flip_changes[i][r] = sonde_wrap(twice, a->rows[r].bytes);
            a->flip_known[i] |= UINT32_C(1) << r;
        }
    }
}

struct weights {
    const struct sonde_attack *attack;
    uint32_t n, flips[SONDE_SUM_TERMS]; /* the flip of each term */
};

static bool keeps_rows(const void *of, const int64_t *x)
{
    const struct weights *w = of;
    for (uint32_t r = 1; r < w->attack->lines.n_rows; r++) {
        const struct sonde_goal_line *row = &w->attack->lines.rows[r];
        uint64_t sum = (uint64_t)row->now;
        for (uint32_t k = 0; k < w->n; k++)
            if (x[k]) sum += (uint64_t)w->attack->flip_changes[w->flips[k]][r];
        int64_t gap = sonde_wrap(sum, row->bytes);
        if (row->is_equation ? gap != 0 : gap < row->least || gap > row->most) return false;
    }
    return true;
}

static bool solve_weights(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_flips *flips)
{
    struct weights w = {.attack = a};
    struct sonde_sum sum = {.bytes = a->bytes, .accepts = keeps_rows, .of = &w};
    int64_t x[SONDE_SUM_TERMS];
    for (uint32_t i = 0; i < a->n_flips; i++) {
        if (!a->flip_changes[i][0]) continue;
        sum.by[w.n] = a->flip_changes[i][0];
        sum.lo[w.n] = 0, sum.hi[w.n] = 1;
        w.flips[w.n++] = i;
    }
    sum.n = w.n;
    int64_t need = sonde_wrap((uint64_t)a->lines.rows[0].want - (uint64_t)a->lines.rows[0].now, a->bytes);
    if (w.n == 0 || !sonde_sum_solve(&sum, need, rng, x, &a->work)) return false;
    *flips = (struct sonde_flips){{0}};
    for (uint32_t k = 0; k < w.n; k++)
        if (x[k]) flips->bits[w.flips[k] / 64] |= UINT64_C(1) << w.flips[k] % 64;
    return true;
}

bool sonde_attack_plan_weight(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script)
{
    enum { TRIALS = 4 };
    struct sonde_flips flips;
    if (a->tries == 0) extrapolate(a);
    while (a->tries++ < TRIALS && a->n_flips)
        if (solve_weights(a, a->tries == 1 ? NULL : rng, &flips) && write_flips(a, &flips, script)) return true;
    bool is_joint = a->leaves && a->bits.n_words > 1;
    if (is_joint) sonde_bits_keep_others(&a->bits, &a->work);
    if (is_joint) a->bits.n_words = 1;
    sonde_attack_enter(a, is_joint ? SONDE_ATTACK_JOINT : SONDE_ATTACK_BITS);
    return false;
}

bool sonde_attack_plan_joint(struct sonde_attack *a, struct sonde_tape *script)
{
    for (; a->at < a->bits.n; a->at++)
        if (write_flips(a, &a->bits.unknowns[a->at], script)) return true;
    sonde_attack_enter(a, SONDE_ATTACK_BITS);
    return false;
}

void sonde_attack_learn_joint(struct sonde_attack *a, const struct sonde_comparison *goal)
{
    const struct sonde_comparison *row = &a->rows[0];
    a->bits.effects[a->at][0] = goal ? (goal->a ^ goal->b ^ row->a ^ row->b) & mask_of(row->bytes) : 0;
    a->at++;
}

bool sonde_attack_plan_bits(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script)
{
    enum { ORDERS = 12 }; /* a solution may leave the ranges of the numbers; another one may not */
    uint64_t need[SONDE_BITS_WORDS] = {(a->rows[0].a ^ a->rows[0].b) & mask_of(a->rows[0].bytes)};
    struct sonde_flips flips;
    while (a->bits.n && a->tries < ORDERS * SOLUTIONS) {
        if (!sonde_bits_solve(&a->bits, need, a->tries ? rng : NULL, &flips, &a->work)) break;
        bool is_written = write_flips(a, &flips, script);
        a->tries = is_written ? (a->tries / ORDERS + 1) * ORDERS : a->tries + 1;
        if (is_written) return true;
    }
    sonde_attack_enter(a, SONDE_ATTACK_SAMPLE);
    return false;
}
