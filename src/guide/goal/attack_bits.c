/* The bits of an attack: flips them one by one, or in sets that keep the path, and solves for the outcome (bits.h). */
#include "guide/goal/attack_parts.h"

#include <string.h>

enum { SOLUTIONS = 2 }; /* solutions that are tried */

/* Returns the bits in which the sides of a row differ, changed from its base to this case. */
static uint64_t effect_on(const struct sonde_comparison *row, const struct sonde_comparison *c)
{
    return sonde_compared_unsigned(c->a ^ c->b ^ row->a ^ row->b, row->bytes);
}

static bool is_flippable(const struct sonde_attack *a, uint32_t number)
{
    const struct sonde_number *n = &a->numbers[number];
    if (n->part == SONDE_NUMBER_REAL || n->part == SONDE_NUMBER_LENGTH || a->is_scanned[number]) return false;
    bool is_text =
        n->part == SONDE_NUMBER_SYMBOL && n->max <= INT8_MAX; /* of no use as bits, unless it moves the goal */
    if (is_text && !a->moves[number]) return false;
    return a->moves[number] || a->lines.rows[0].slopes[number] || sonde_lines_is_bound(&a->lines, number);
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
    a->has_flips = true;
    if (a->n_flips > a->budget) a->n_flips = a->bits.n = 0;
    for (; a->at < a->bits.n; a->at++)
        if (write_flips(a, &a->bits.unknowns[a->at], script)) return true;
    sonde_attack_enter(a, SONDE_ATTACK_TABLE);
    return false;
}

/* Effects on the equalities before the goal count even if the flip left the path. */
void sonde_attack_learn_flip(struct sonde_attack *a, const struct sonde_frontier *f,
                             const struct sonde_comparison *goal)
{
    uint64_t *effects = a->bits.effects[a->at];
    a->leaves |= !goal;
    const struct sonde_number *n = &a->numbers[a->flips[a->at].number];
    uint64_t at = ((n->base + n->at) ^ UINT64_C(1) << a->flips[a->at].bit) - n->base;
    sonde_attack_learn_option(a, f, goal, (struct sonde_attack_option){a->flips[a->at].number, 0, at, true});
    a->at++;
    for (uint32_t w = 0; w < a->bits.n_words; w++) {
        const struct sonde_comparison *row = &a->rows[a->bit_rows[w]];
        const struct sonde_comparison *c = w ? sonde_frontier_find(f, row->id, row->nth) : goal;
        effects[w] = c ? effect_on(row, c) : 0;
    }
}

void sonde_attack_begin_joint(struct sonde_attack *a)
{
    bool is_joint = a->leaves && a->bits.n_words > 1;
    if (is_joint) sonde_bits_keep_others(&a->bits, &a->work);
    if (is_joint) a->bits.n_words = 1;
    sonde_attack_enter(a, is_joint ? SONDE_ATTACK_JOINT : SONDE_ATTACK_BITS);
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
    a->bits.effects[a->at][0] = goal ? effect_on(row, goal) : 0;
    a->at++;
}

bool sonde_attack_plan_bits(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script)
{
    enum { ORDERS = 12 }; /* a solution may leave the ranges of the numbers; another one may not */
    uint64_t need[SONDE_BITS_WORDS] = {sonde_compared_unsigned(a->rows[0].a ^ a->rows[0].b, a->rows[0].bytes)};
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
