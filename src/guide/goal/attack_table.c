/* The table of an attack: values of single numbers, and how each changes the differences of the rows. It solves sums
 * whose terms are not lines: digits of a string, look-ups, days of months.
 *
 * A number with few values is tried with all of them, a case for each. Numbers of the same kind often count alike, up
 * to a factor, as the digits of a string do. Such a number gets its values from the first one, and the factor from its
 * probe. Bits are values, too: each adds a number to a difference, as a decimal digit in half a byte does. Then one
 * value of each number is chosen, so that the sum of all changes is what the goal lacks (sum.h).
 *
 * Example: the code reads eight hex digits and compares their number with 0xdecafbad. The last digit is tried with all
 * symbols: 0..9 and a..f add 0..15, and all others leave the path. A step of the first digit adds 1 << 28, so its
 * values are the same times 1 << 28. */
#include "guide/goal/attack_parts.h"
#include "guide/goal/sum.h"

#include "base/wide.h"

#include <string.h>

enum {
    SCANS = 3,    /* numbers of which all values are tried */
    LARGEST = 127 /* largest distance of such a number's values */
};

/* ---- Values */

void sonde_attack_learn_option(struct sonde_attack *a, const struct sonde_frontier *f,
                               const struct sonde_comparison *goal, struct sonde_attack_option option)
{
    struct sonde_attack_table *t = &a->table;
    if (t->n == SONDE_TABLE_OPTIONS) return;
    option.known = 0;
    for (uint32_t r = 0; r < a->lines.n_rows && r < SONDE_TABLE_ROWS; r++) {
        const struct sonde_comparison *row = &a->rows[r], *c = r ? sonde_frontier_find(f, row->id, row->nth) : goal;
        uint64_t gap = c && c->bytes ? (uint64_t)sonde_attack_gap(c) - (uint64_t)a->lines.rows[r].now : 0;
        t->changes[t->n][r] = sonde_wrap(gap, row->bytes);
        if (c) option.known |= UINT32_C(1) << r;
    }
    t->options[t->n++] = option;
    a->work += a->lines.n_rows;
}

static bool may_scan(const struct sonde_attack *a, uint32_t i)
{
    const struct sonde_number *n = &a->numbers[i];
    bool is_whole = n->part == SONDE_NUMBER_SYMBOL || n->part == SONDE_NUMBER_VALUE;
    return is_whole && a->moves[i] && !a->is_scanned[i] && n->max > 1 && n->max <= LARGEST;
}

bool sonde_attack_has_digits(const struct sonde_attack *a)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->n_numbers; i++) n += a->numbers[i].part == SONDE_NUMBER_SYMBOL && may_scan(a, i);
    return n > 1;
}

/* Returns the number to scan next, the one with the smallest slope; SONDE_ATTACK_NUMBERS if there is none. A single one
 * is left to the solvers at first. */
static uint32_t next_scan(const struct sonde_attack *a)
{
    uint32_t best = SONDE_ATTACK_NUMBERS, n = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < a->n_numbers; i++) {
        uint64_t slope = sonde_magnitude(a->lines.rows[0].slopes[i]);
        if (!may_scan(a, i)) continue;
        if (slope < least) best = i, least = slope;
        n++;
    }
    return n > 1 || a->sample.tries > 0 ? best : SONDE_ATTACK_NUMBERS;
}

/* Returns the change of row r when a scanned number has this value; false if that case did not have the row. */
static bool change_at(const struct sonde_attack *a, uint32_t number, uint64_t at, uint32_t r, uint64_t *change)
{
    const struct sonde_attack_table *t = &a->table;
    *change = 0;
    if (at == a->numbers[number].at) return true;
    for (uint32_t k = 0; k < t->n; k++) {
        const struct sonde_attack_option *o = &t->options[k];
        if (o->number != number || o->is_bit || o->at != at || !(o->known >> r & 1)) continue;
        *change = (uint64_t)t->changes[k][r];
        return true;
    }
    return false;
}

/* Finds the factor of row r between a scanned number and another one, modulo 2^64. */
static bool factor_of(const struct sonde_attack *a, uint32_t scanned, uint32_t number, uint32_t r, uint64_t *factor)
{
    uint64_t at = a->numbers[number].at, here, there, slope = (uint64_t)a->lines.rows[r].slopes[number];
    *factor = 0;
    if (a->step[number] == 0) return false;
    if (!change_at(a, scanned, at, r, &here)) return false;
    if (!change_at(a, scanned, at + (uint64_t)(int64_t)a->step[number], r, &there)) return false;
    int64_t step = (int64_t)(there - here) * a->step[number];
    if (step == 0) return slope == 0;
    if (step % 2) return *factor = slope * sonde_inverse((uint64_t)step), true;
    if (slope == 0 || (int64_t)slope % step) return slope == 0;
    *factor = (uint64_t)((int64_t)slope / step);
    return true;
}

/* Gives a number the values of a scanned one of the same kind. */
static void explain(struct sonde_attack *a, uint32_t scanned, uint32_t number, uint32_t n)
{
    struct sonde_attack_table *t = &a->table;
    uint64_t factors[SONDE_TABLE_ROWS], here[SONDE_TABLE_ROWS];
    uint32_t known = 0;
    for (uint32_t r = 0; r < a->lines.n_rows && r < SONDE_TABLE_ROWS; r++) {
        bool is_equation = a->lines.rows[r].is_equation;
        if (!is_equation || !factor_of(a, scanned, number, r, &factors[r])) continue;
        if (change_at(a, scanned, a->numbers[number].at, r, &here[r])) known |= UINT32_C(1) << r;
    }
    if (!(known & 1) || !factors[0]) return;
    a->is_scanned[number] = true;
    for (uint32_t k = 0; k < n && t->n < SONDE_TABLE_OPTIONS; k++) {
        const struct sonde_attack_option *o = &t->options[k];
        if (o->number != scanned || o->is_bit || !(o->known & 1) || o->at == a->numbers[number].at) continue;
        t->options[t->n] = (struct sonde_attack_option){.number = number, .at = o->at, .known = o->known & known};
        for (uint32_t r = 0; r < SONDE_TABLE_ROWS; r++)
            if (known >> r & 1)
                t->changes[t->n][r] = sonde_wrap(((uint64_t)t->changes[k][r] - here[r]) * factors[r], a->rows[r].bytes);
        t->n++;
    }
}

static void explain_others(struct sonde_attack *a, uint32_t scanned)
{
    const struct sonde_number *of = &a->numbers[scanned];
    uint32_t n = a->table.n;
    for (uint32_t i = 0; i < a->n_numbers; i++) {
        const struct sonde_number *x = &a->numbers[i];
        if (may_scan(a, i) && x->part == of->part && x->base == of->base && x->max == of->max)
            explain(a, scanned, i, n);
    }
}

bool sonde_attack_plan_scan(struct sonde_attack *a, struct sonde_tape *script)
{
    struct sonde_attack_table *t = &a->table;
    if (a->want != SONDE_IS_EQUAL) {
        sonde_attack_enter(a, SONDE_ATTACK_SAMPLE);
        return false;
    }
    if (a->at == 0 && a->tries == 0) {
        t->n = 0;
        a->has_flips = false;
        memset(a->is_scanned, 0, sizeof a->is_scanned);
    }
    for (; a->at < SCANS; a->at++, a->tries = 0) {
        if (a->tries == 0) t->scanned = next_scan(a);
        if (t->scanned == SONDE_ATTACK_NUMBERS) break;
        const struct sonde_number *n = &a->numbers[t->scanned];
        while (a->tries <= n->max) {
            uint64_t at = a->tries++;
            sonde_tape_copy(script, &a->tape);
            if (at != n->at && sonde_number_put(script, n, at)) return true;
        }
        a->is_scanned[t->scanned] = true;
        explain_others(a, t->scanned);
    }
    sonde_attack_enter(a, t->n ? SONDE_ATTACK_TABLE : SONDE_ATTACK_FLIP);
    return false;
}

/* ---- Solving */

struct terms {
    const struct sonde_attack *attack;
    uint32_t n, options[SONDE_SUM_TERMS]; /* of each term, its first option */
};

static bool keeps_rows(const void *of, const int64_t *x)
{
    const struct terms *w = of;
    const struct sonde_attack *a = w->attack;
    for (uint32_t r = 1; r < a->lines.n_rows && r < SONDE_TABLE_ROWS; r++) {
        const struct sonde_goal_line *row = &a->lines.rows[r];
        uint64_t sum = (uint64_t)row->now;
        bool is_known = true;
        for (uint32_t k = 0; k < w->n; k++) {
            if (!x[k]) continue;
            uint32_t option = w->options[k] + (uint32_t)x[k] - 1;
            sum += (uint64_t)a->table.changes[option][r];
            is_known &= a->table.options[option].known >> r & 1;
        }
        int64_t gap = sonde_wrap(sum, row->bytes);
        if (is_known && (row->is_equation ? gap != 0 : gap < row->least || gap > row->most)) return false;
    }
    return true;
}

/* Collects the options of each number, and of each bit, that make the goal's comparison and change it. */
static void read_terms(const struct sonde_attack *a, struct terms *w, struct sonde_sum *sum, int64_t *effects)
{
    const struct sonde_attack_table *t = &a->table;
    for (uint32_t k = 0, end; k < t->n && w->n < SONDE_SUM_TERMS; k = end) {
        int64_t largest = 0;
        for (end = k;
             end < t->n && (end == k || (!t->options[k].is_bit && t->options[end].number == t->options[k].number));
             end++) {
            bool is_usable = t->options[end].known & 1;
            effects[end] = is_usable ? t->changes[end][0] : 0;
            if (sonde_magnitude(effects[end]) > sonde_magnitude(largest)) largest = effects[end];
        }
        if (largest == 0) continue;
        sum->by[w->n] = largest;
        sum->effects[w->n] = &effects[k];
        sum->hi[w->n] = end - k;
        w->options[w->n++] = k;
    }
    sum->n = w->n;
}

static bool write_options(const struct sonde_attack *a, const struct terms *w, const int64_t *x,
                          struct sonde_tape *script)
{
    uint64_t at[SONDE_ATTACK_NUMBERS];
    for (uint32_t i = 0; i < a->n_numbers; i++) at[i] = a->numbers[i].at;
    for (uint32_t k = 0; k < w->n; k++) {
        if (!x[k]) continue;
        const struct sonde_attack_option *o = &a->table.options[w->options[k] + (uint32_t)x[k] - 1];
        const struct sonde_number *n = &a->numbers[o->number];
        at[o->number] =
            o->is_bit ? ((at[o->number] + n->base) ^ (o->at + n->base) ^ (n->at + n->base)) - n->base : o->at;
    }
    sonde_tape_copy(script, &a->tape);
    for (uint32_t i = 0; i < a->n_numbers; i++)
        if (at[i] != a->numbers[i].at && !sonde_number_put(script, &a->numbers[i], at[i])) return false;
    return true;
}

bool sonde_attack_plan_table(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script)
{
    enum { TRIALS = 4 };
    int64_t x[SONDE_SUM_TERMS], effects[SONDE_TABLE_OPTIONS];
    int64_t need = sonde_wrap((uint64_t)a->lines.rows[0].want - (uint64_t)a->lines.rows[0].now, a->bytes);
    struct terms w = {.attack = a};
    struct sonde_sum sum = {.bytes = a->bytes, .accepts = keeps_rows, .of = &w};
    if (a->tries < TRIALS) read_terms(a, &w, &sum, effects);
    while (a->tries++ < TRIALS && w.n) {
        bool is_solved = sonde_sum_solve(&sum, need, a->tries == 1 ? NULL : rng, x, &a->work);
        if (is_solved && write_options(a, &w, x, script)) return true;
    }
    if (a->has_flips) sonde_attack_begin_joint(a);
    else sonde_attack_enter(a, SONDE_ATTACK_FLIP);
    return false;
}
