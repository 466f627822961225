/* Samples of an attack: other inputs that make the goal's comparison, one after the other, each no farther from the
 * outcome than the one before.
 *
 * A sample changes one number of the base, or the length of a string. That often breaks an equality of the path, or
 * some narrow range. Then the case is run again with a number changed so that the broken comparison holds again. Either
 * a drawn value is set to the computed one beside it, or a root is looked for along another number. So the samples move
 * along what the path demands. It does not matter how the computed sides depend on the input: by a table, a checksum, a
 * quotient.
 *
 * Example: if (table[i] == x) if (x > 14000). The base has i = 3 and x = 13. A sample has i = 8, which breaks the
 * equality of 7001 and 13. Run again with x = 7001, it makes the second comparison, and is nearer. */
#include "guide/goal/attack_parts.h"

#include <math.h>
#include <string.h>

enum {
    SAMPLES = 48,   /* cases of a round, in the first attack; twice as many in each later one, up to 16 times */
    ROUNDS = 6,     /* times that an attack begins again from a nearer sample */
    MORE = 200,     /* cases that a nearer sample adds to the attack */
    MENDS = 6,      /* comparisons of one sample that are mended */
    STEPS = 14,     /* cases of one root */
    MOST_TIMES = 64 /* a secant goes at most so many times as far as the step before */
};

/* ---- Changing a number */

static bool may_sample(const struct sonde_attack *a, uint32_t i)
{
    bool matters = a->moves[i] || a->lines.leaves[i] || sonde_lines_is_bound(&a->lines, i);
    return matters || a->numbers[i].part == SONDE_NUMBER_REAL || a->numbers[i].part == SONDE_NUMBER_LENGTH;
}

/* Picks a number that the path depends on, or any number if there is none. */
static uint32_t pick_number(const struct sonde_attack *a, struct sonde_rng *rng)
{
    uint32_t n = 0, picked = (uint32_t)sonde_rng_upto(rng, a->n_numbers - 1);
    if (sonde_rng_upto(rng, 7) == 0) return picked;
    for (uint32_t i = 0; i < a->n_numbers; i++)
        if (may_sample(a, i) && sonde_rng_upto(rng, n++) == 0) picked = i;
    return picked;
}

/* Returns a value near x, at a distance of any size, or anywhere. */
static uint64_t other_value(uint64_t x, uint64_t max, struct sonde_rng *rng)
{
    unsigned bits = 64 - (unsigned)__builtin_clzll(max | 1);
    uint64_t by = (sonde_rng_next(rng) >> 1 >> (63 - sonde_rng_upto(rng, bits - 1))) + 1;
    if (sonde_rng_upto(rng, 3) == 0) return sonde_rng_upto(rng, max);
    if (sonde_rng_next(rng) >> 63) return x >= by ? x - by : x;
    return by <= max - x ? x + by : x;
}

static double other_real(const struct sonde_number *n, struct sonde_rng *rng)
{
    const int sizes = 24;
    double by = ldexp(fabs(n->real) + 1e-3, 1 - (int)sonde_rng_upto(rng, (uint64_t)sizes)) * sonde_rng_unit(rng);
    if (sonde_rng_upto(rng, 3) == 0) return n->lo + sonde_rng_unit(rng) * (n->hi - n->lo);
    return fmin(fmax(n->real + (sonde_rng_next(rng) >> 63 ? by : -by), n->lo), n->hi);
}

/* Returns a symbol to insert: mostly the one that it is put before or after, or one near that; sometimes any. */
static uint32_t new_symbol(const struct sonde_blob *b, uint32_t at, struct sonde_rng *rng)
{
    uint32_t symbol = sonde_blob_symbol(b, at), code = sonde_alphabet_code(&b->alphabet, symbol);
    uint64_t way = sonde_rng_upto(rng, 3);
    if (way < 2) return symbol;
    if (way == 2) return (uint32_t)sonde_rng_upto(rng, b->alphabet.size - 1);
    uint32_t other = sonde_alphabet_symbol(&b->alphabet, (uint32_t)other_value(code, UINT8_MAX, rng));
    return other < b->alphabet.size ? other : symbol;
}

/* Inserts or removes a symbol, and moves those after it. */
static bool change_length(struct sonde_tape *script, const struct sonde_number *n, struct sonde_rng *rng)
{
    struct sonde_blob b = sonde_choice_blob(script, &script->choices[n->choice]);
    if (b.len == 0) return false;
    uint32_t at = n->part == SONDE_NUMBER_SYMBOL ? n->symbol : b.len - 1, after = (uint32_t)sonde_rng_upto(rng, 1);
    struct sonde_splice splice = {.at = at, .n_old = 1};
    if (sonde_rng_next(rng) >> 63)
        splice = (struct sonde_splice){.at = at + after, .n = 1, .symbols = {new_symbol(&b, at, rng)}};
    return sonde_numbers_splice(script, n->choice, &splice);
}

static bool change(struct sonde_attack *a, uint32_t i, struct sonde_rng *rng, struct sonde_tape *script)
{
    const struct sonde_number *n = &a->numbers[i];
    bool is_text = n->part == SONDE_NUMBER_SYMBOL || n->part == SONDE_NUMBER_LENGTH;
    if (n->part == SONDE_NUMBER_REAL) return sonde_number_put_real(script, n, other_real(n, rng));
    if (is_text && sonde_rng_upto(rng, 3) == 0 && change_length(script, n, rng)) return true;
    return sonde_number_put(script, n, other_value(n->at, n->max, rng));
}

/* Moves a number along the line through the base before this one and this one. */
static bool move_along(const struct sonde_attack *a, uint32_t i, double times, struct sonde_tape *script)
{
    const struct sonde_number *n = &a->numbers[i], *last = &a->sample.last[i];
    if (n->part == SONDE_NUMBER_REAL) {
        double x = n->real + times * (n->real - last->real);
        return x != n->real && sonde_number_put_real(script, n, fmin(fmax(x, n->lo), n->hi));
    }
    double by = rint(times * ((double)n->at - (double)last->at)),
           most = by < 0 ? (double)n->at : (double)(n->max - n->at);
    if (by == 0 || !(fabs(by) <= most) || fabs(by) > 0x1p53) return false;
    return sonde_number_put(script, n, n->at + (uint64_t)(int64_t)by);
}

/* A secant: if the last step came nearer, the next one goes the same way, as far as the outcome seems to be. If that
 * leaves the path, it is mended like any sample. */
static bool follow(struct sonde_attack *a, struct sonde_tape *script)
{
    struct sonde_attack_sample *s = &a->sample;
    double gain = s->last_miss - s->miss;
    double times = fmin(fmax(s->miss / gain, -MOST_TIMES), MOST_TIMES);
    bool is_moved = false;
    if (!s->has_last || gain == 0) return false;
    s->has_last = false;
    for (uint32_t i = 0; i < a->n_numbers; i++)
        if (move_along(a, i, times, script)) s->axis = i, is_moved = true;
    return is_moved;
}

/* Returns the first number that differs from the base. */
static uint32_t changed_number(const struct sonde_attack *a, const struct sonde_tape *script)
{
    struct sonde_number numbers[SONDE_ATTACK_NUMBERS];
    uint32_t n = sonde_numbers_read(script, numbers, SONDE_ATTACK_NUMBERS), i = 0;
    while (i < n && i + 1 < a->n_numbers && numbers[i].at == a->numbers[i].at) i++;
    return i;
}

static bool begin_sample(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script)
{
    struct sonde_attack_sample *s = &a->sample;
    sonde_tape_copy(script, &a->tape);
    s->mends = 0;
    s->has_root = false;
    if (follow(a, script)) return true;
    if (a->want == SONDE_IS_EQUAL && sonde_rng_upto(rng, 2) == 0 && sonde_attack_copy_goal(a, rng, script)) {
        s->axis = changed_number(a, script);
        return true;
    }
    sonde_tape_copy(script, &a->tape);
    s->axis = pick_number(a, rng);
    return change(a, s->axis, rng, script);
}

/* ---- Mending a comparison */

static double miss_of(const struct sonde_comparison *row, const struct sonde_comparison *c)
{
    uint8_t outcome = sonde_outcome_of(row);
    double beyond = outcome == SONDE_IS_EQUAL ? 0 : outcome & SONDE_IS_LESS ? -1 : 1;
    return sonde_difference(c, true) - (c->bytes ? beyond : beyond * sonde_fraction(c));
}

/* Returns the last comparison of an id in the log; NULL if there is none. */
static const struct sonde_comparison *last_of(const struct sonde_frontier *f, uint32_t id)
{
    for (uint32_t i = f->n_log; i-- > 0;)
        if (f->log[i].id == id) return &f->log[i];
    return NULL;
}

static bool may_have(const struct sonde_attack *a, uint32_t r, uint8_t outcome)
{
    if (outcome == sonde_outcome_of(&a->rows[r])) return true;
    uint8_t fact = outcome & SONDE_IS_LESS ? SONDE_ROW_LESS : outcome & SONDE_IS_GREATER ? SONDE_ROW_GREATER : 0;
    return fact == 0 || a->facts[r] & fact;
}

/* Finds what a case broke. That is the first equality of the path whose last occurrence has unequal sides. If there is
 * none, it is the first other comparison with an outcome that no case on the path had. Rows are in the order from the
 * goal back. */
static void find_broken(struct sonde_attack *a, const struct sonde_frontier *f)
{
    struct sonde_attack_sample *s = &a->sample;
    s->broken = SONDE_LINES_ROWS;
    for (int pass = 0; pass < 2 && s->broken == SONDE_LINES_ROWS; pass++)
        for (uint32_t r = a->lines.n_rows; r-- > 1 && s->broken == SONDE_LINES_ROWS;) {
            const struct sonde_comparison *row = &a->rows[r];
            bool is_equality = row->a == row->b && !(a->facts[r] & (SONDE_ROW_LESS | SONDE_ROW_GREATER));
            if (is_equality != (pass == 0)) continue;
            bool is_last = pass == 0 && a->facts[r] & SONDE_ROW_LAST; /* perhaps after fewer or more turns of a loop */
            const struct sonde_comparison *c =
                is_last ? last_of(f, row->id) : sonde_frontier_find(f, row->id, row->nth);
            if (!c || (pass ? may_have(a, r, sonde_outcome_of(c)) : c->a == c->b)) continue;
            s->broken = r;
            s->was = *c;
        }
}

/* Moves a number by what the difference lacks, by the slope of the row. */
static bool move_by_slope(const struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script)
{
    struct sonde_number numbers[SONDE_ATTACK_NUMBERS];
    const struct sonde_attack_sample *s = &a->sample;
    int64_t gap = sonde_attack_gap(&s->was), step = 0;
    uint32_t n = 0, best = 0;
    if (sonde_numbers_read(&s->tape, numbers, SONDE_ATTACK_NUMBERS) != a->n_numbers) return false;
    for (uint32_t i = 0; i < a->n_numbers; i++) {
        int64_t slope = a->lines.rows[s->broken].slopes[i];
        if (slope == 0 || i == s->axis || (slope != -1 && gap % slope)) continue; /* INT64_MIN / -1 overflows */
        int64_t by = slope == -1 ? gap : (int64_t)(0 - (uint64_t)(gap / slope));
        bool fits = by < 0 ? 0 - (uint64_t)by <= numbers[i].at : (uint64_t)by <= numbers[i].max - numbers[i].at;
        if (fits && sonde_rng_upto(rng, n++) == 0) best = i, step = by;
    }
    return n > 0 && sonde_number_put(script, &numbers[best], numbers[best].at + (uint64_t)step);
}

/* Reports whether a root may be looked for along a number. A step of 1 need not change anything: a quotient moves once
 * in many steps. */
static bool may_mend(const struct sonde_attack *a, const struct sonde_number *n, uint32_t i, bool is_far)
{
    enum { FAR = 256 };
    if (i == a->sample.axis) return false;
    if (is_far) return n->part == SONDE_NUMBER_VALUE && n->max >= FAR;
    return n->part == SONDE_NUMBER_REAL || a->lines.rows[a->sample.broken].slopes[i];
}

/* Begins a root along another number. */
static bool begin_root(struct sonde_attack *a, struct sonde_rng *rng)
{
    struct sonde_number numbers[SONDE_ATTACK_NUMBERS];
    struct sonde_attack_sample *s = &a->sample;
    uint32_t n = 0, is_far = 0;
    if (sonde_numbers_read(&s->tape, numbers, SONDE_ATTACK_NUMBERS) != a->n_numbers) return false;
    for (; is_far < 2 && n == 0; is_far++)
        for (uint32_t i = 0; i < a->n_numbers; i++)
            if (may_mend(a, &numbers[i], i, is_far) && sonde_rng_upto(rng, n++) == 0) s->along = i;
    if (n == 0) return false;
    const struct sonde_number *x = &numbers[s->along];
    double f = miss_of(&a->rows[s->broken], &s->was);
    if (x->part == SONDE_NUMBER_REAL) sonde_root_begin(&s->root, x->real, f, x->lo, x->hi, false);
    else sonde_root_begin(&s->root, (double)x->at, f, 0, (double)x->max, true);
    if (is_far == 2) s->root.step = rint((double)x->max / 64);
    s->has_root = true;
    return true;
}

static bool next_of_root(struct sonde_attack *a, struct sonde_tape *script)
{
    struct sonde_attack_sample *s = &a->sample;
    struct sonde_number numbers[SONDE_ATTACK_NUMBERS];
    double x;
    if (s->root.steps >= STEPS || !sonde_root_next(&s->root, &x)) return false;
    sonde_tape_copy(script, &s->tape);
    sonde_numbers_read(script, numbers, SONDE_ATTACK_NUMBERS);
    const struct sonde_number *n = &numbers[s->along];
    if (!s->root.is_whole) return sonde_number_put_real(script, n, x);
    return x >= 0 && x < 0x1p63 && sonde_number_put(script, n, (uint64_t)x);
}

static bool mend(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script)
{
    struct sonde_attack_sample *s = &a->sample;
    if (s->has_root) return next_of_root(a, script);
    if (s->broken == SONDE_LINES_ROWS || s->mends++ == MENDS) return false;
    bool is_equality = a->rows[s->broken].a == a->rows[s->broken].b && a->rows[s->broken].bytes;
    if (is_equality && sonde_attack_copy_number(&s->tape, &s->was, rng, script)) return true;
    sonde_tape_copy(script, &s->tape);
    if (is_equality && move_by_slope(a, rng, script)) return true;
    return begin_root(a, rng) && next_of_root(a, script);
}

/* ---- Planning and learning */

/* After a round that came nearer, the base is probed again. */
static void end_round(struct sonde_attack *a)
{
    struct sonde_attack_sample *s = &a->sample;
    bool again = s->is_nearer && s->rounds++ < ROUNDS;
    if (again) a->budget += MORE;
    sonde_attack_enter(a, again ? SONDE_ATTACK_BASE : SONDE_ATTACK_OVER);
}

/* Reports whether a case was run before. */
static bool is_known(const struct sonde_attack *a, const struct sonde_tape *script)
{
    return a->known ? sonde_seen_has(a->known, script) : sonde_tape_compare(script, &a->tape) == 0;
}

bool sonde_attack_plan_sample(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script)
{
    struct sonde_attack_sample *s = &a->sample;
    if (a->at++ == 0) {
        s->left = (uint32_t)SAMPLES << (s->tries < 4 ? s->tries : 4);
        s->broken = SONDE_LINES_ROWS;
        s->has_root = s->is_nearer = false;
        s->mends = 0;
        s->miss = sonde_attack_miss(a, &a->rows[0]);
        s->distance = fabs(s->miss);
        s->has_last = false;
    } else if (s->left > 0 && mend(a, rng, script) && (s->has_root || !is_known(a, script))) {
        s->left--;
        return true;
    }
    s->broken = SONDE_LINES_ROWS;
    while (a->n_numbers && s->left > 0) {
        s->left--;
        if (begin_sample(a, rng, script) && !is_known(a, script)) return true;
    }
    end_round(a);
    return false;
}

/* Takes a sample as the base of further ones. Slopes are of the probed base, and serve as long as the numbers are the
 * same. */
static void accept_run(struct sonde_attack *a, const struct sonde_run *run, double miss)
{
    struct sonde_attack_sample *s = &a->sample;
    uint32_t before = a->n_numbers, n_axes = a->lines.n_axes;
    bool is_nearer = fabs(miss) < s->distance;
    if (is_nearer) memcpy(s->last, a->numbers, before * sizeof *s->last);
    s->last_miss = s->miss;
    s->miss = miss;
    s->is_nearer |= is_nearer;
    s->distance = fabs(miss);
    sonde_tape_copy(&a->tape, run->tape);
    sonde_tape_end(&a->tape);
    sonde_attack_read_numbers(a);
    s->has_last = is_nearer && a->n_numbers == before;
    if (a->n_numbers == before) a->lines.n_axes = n_axes;
}

void sonde_attack_learn_sample(struct sonde_attack *a, const struct sonde_frontier *f, const struct sonde_run *run,
                               const struct sonde_comparison *goal)
{
    struct sonde_attack_sample *s = &a->sample;
    double miss = goal ? sonde_attack_miss(a, goal) : INFINITY;
    if (goal) {
        sonde_attack_learn_free(a, f);
        s->broken = SONDE_LINES_ROWS;
        s->has_root = false;
        if (fabs(miss) <= s->distance) accept_run(a, run, miss);
        return;
    }
    if (s->has_root) {
        const struct sonde_comparison *row = &a->rows[s->broken];
        const struct sonde_comparison *c = sonde_frontier_find(f, row->id, s->was.nth);
        bool is_mended = c && sonde_outcome_of(c) == sonde_outcome_of(row);
        sonde_root_learn(&s->root, c != NULL, c ? miss_of(row, c) : 0);
        if (!is_mended) return;
        s->has_root = false;
    }
    sonde_tape_copy(&s->tape, run->tape);
    sonde_tape_end(&s->tape);
    find_broken(a, f);
}
