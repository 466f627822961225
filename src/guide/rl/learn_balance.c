/* See learn_balance.h. All arithmetic is in whole numbers; an equation whose factors grow large is dropped.
 *
 * The equations are a basis of all linear equations that hold for every valid input examined, without the dropped ones.
 * In geometry they describe the affine hull of the vectors of counts. The hull starts as a point: every count as in the
 * first valid input. It gains one dimension, and so loses one equation, with each valid input outside of it. So at most
 * LEARN_TERMS valid inputs ever change anything except the counters.
 *
 * learn_context.c calls _begin, _add and _factor while a case runs; rl.c calls _learn when it has ended. This file does
 * not know the model. */
#include "guide/rl/learn_balance.h"

#include "base/check.h"
#include "base/wide.h"
#include "guide/rl/learn_value.h"

#include <string.h>

enum {
    COUNTED = 8,            /* domains of up to this many values are counted value by value */
    SUM = UINT32_C(0xffff), /* stands for the sum of a site, in place of a value */
    FACTOR_MAX = 50,        /* equations with larger factors are dropped */
    TRUSTED = 24,           /* an equation is useful only if at least this many valid inputs have upheld it */
    ALWAYS = 2000,          /* number of first cases, which are all examined */
    SELDOM = 16,            /* after the first ALWAYS cases, one case in this many is examined */
    MULTIPLE_MAX = 1000000, /* maximum factor of an equation in an elimination; beyond it, the equation is dropped */
    BROKEN_MIN = 4,         /* minimum number of invalid inputs that break a useful equation */
    BROKEN_SHARE = 20,      /* at least one in this many of all invalid inputs must break a useful equation */
    BROKEN_PAIRS = 100,     /* the same for an equation that is a pair */
    HALF_MIXED = 15         /* a shift near half of the width, as at the end of MurmurHash3 */
};
static const int64_t value_max = INT64_C(1) << 31; /* larger values are not summed: sums of products fit in 64 bits */
_Static_assert(LEARN_TERMS < LEARN_SLOTS, "a free slot ends the search for a term");
_Static_assert(LEARN_TERMS < UINT8_MAX, "the number of a term, plus one, takes a byte");

static uint32_t mix(uint32_t a, uint32_t b)
{
    uint32_t x = (a ^ b * UINT32_C(0x9e3779b1)) * UINT32_C(0x85ebca6b);
    return x ^ (x >> HALF_MIXED);
}

/* ---- Terms */

/* Returns the slot of a key, or a free one. Open addressing; slots are never freed. Two terms with the same key become
 * one term, which only weakens their equation. */
static uint32_t find(const struct sonde_learn_balance *b, uint32_t key)
{
    uint32_t i = key % LEARN_SLOTS;
    while (b->slots[i].term && b->slots[i].key != key) i = (i + 1) % LEARN_SLOTS;
    return i;
}

/* Returns the term of a value or of the sum of a site, adding it if allowed; -1 if there is none. */
static int term_of(struct sonde_learn_balance *b, uint32_t site, uint32_t what, bool may_add)
{
    uint32_t key = mix(site, what), i = find(b, key);
    if (b->slots[i].term) return b->slots[i].term - 1;
    if (!may_add || b->n_terms == LEARN_TERMS) return -1;
    uint32_t term = b->n_terms++;
    b->slots[i].key = key;
    b->slots[i].term = (uint8_t)(term + 1);
    b->sites[term] = site;
    b->is_sum[term] = what == SUM;
    b->scratch[term] = 0;
    /* A term that appears late was 0 in all inputs before, so the equation "term = 0" held until now. */
    if (b->has_begun) {
        sonde_assert(b->n_equations < b->n_terms); /* at most one equation for each term */
        struct sonde_learn_equation *e = &b->equations[b->n_equations++];
        memset(e, 0, sizeof *e);
        e->factors[term] = 1;
    }
    return (int)term;
}

/* Reports whether values are counted one by one. In a wider domain each value would be a term, which LEARN_TERMS does
 * not allow; such values are summed. */
static bool is_counted(const struct sonde_choice *c)
{
    return c->max < COUNTED && c->kind != SONDE_KIND_BLOB && c->kind != SONDE_KIND_DOUBLE;
}

/* Reports whether a value is summed. The bound keeps sums of factors times values far below 64 bits. */
static bool is_summed(const struct sonde_choice *c, int64_t value)
{
    return sonde_learn_is_number(c) && value < value_max && value > -value_max;
}

static void count(struct sonde_learn_balance *b, const struct sonde_tape *tape)
{
    memset(b->scratch, 0, sizeof b->scratch);
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        const struct sonde_choice *c = &tape->choices[i];
        int term;
        if (is_counted(c) && (term = term_of(b, c->site, (uint32_t)c->index, true)) >= 0) b->scratch[term]++;
        if (!sonde_learn_is_number(c)) continue;
        int64_t value = sonde_learn_value(tape, c, c->index);
        if (is_summed(c, value) && (term = term_of(b, c->site, SUM, true)) >= 0) b->scratch[term] += value;
    }
}

/* ---- Equations */

static int64_t residual(const struct sonde_learn_balance *b, const struct sonde_learn_equation *e)
{
    int64_t sum = -e->constant;
    for (uint32_t i = 0; i < b->n_terms; i++) sum += e->factors[i] * b->scratch[i];
    return sum;
}

/* Reports whether an equation is a pair: two counts of one site, one for one. */
static bool is_pair(const struct sonde_learn_balance *b, const struct sonde_learn_equation *e)
{
    uint32_t n = 0, at[2];
    for (uint32_t i = 0; i < b->n_terms; i++) {
        if (e->factors[i] == 0) continue;
        if (n == 2 || b->is_sum[i]) return false;
        at[n++] = i;
    }
    return n == 2 && e->constant == 0 && b->sites[at[0]] == b->sites[at[1]] && e->factors[at[0]] == -e->factors[at[1]];
}

/* Reduces a changed equation to lowest terms and resets its counters. Returns false if it is not worth keeping. */
static bool normalise(struct sonde_learn_balance *b, struct sonde_learn_equation *e, const int64_t *factors)
{
    uint64_t common = sonde_magnitude(e->constant);
    for (uint32_t i = 0; i < b->n_terms; i++) common = sonde_gcd(common, sonde_magnitude(factors[i]));
    int64_t divisor = (int64_t)common;
    bool is_empty = true;
    e->key = 0;
    for (uint32_t i = 0; i < b->n_terms; i++) {
        int64_t factor = divisor ? factors[i] / divisor : 0;
        if (factor > FACTOR_MAX || factor < -FACTOR_MAX) return false;
        e->factors[i] = (int32_t)factor;
        is_empty &= factor == 0;
        if (factor) e->key = mix(e->key ^ i, (uint32_t)factor);
    }
    if (divisor) e->constant /= divisor;
    e->upheld = e->broken = e->invalid = 0;
    e->is_useful = false;
    e->is_pair = is_pair(b, e);
    return !is_empty;
}

/* Makes an equation hold for the current input by adding a multiple of another equation that does not hold. Returns
 * false if numbers grow too large. */
static bool eliminate(struct sonde_learn_balance *b, struct sonde_learn_equation *e, int64_t r,
                      const struct sonde_learn_equation *pivot, int64_t r_pivot)
{
    sonde_assert(r != 0 && r_pivot != 0);
    int64_t divisor = (int64_t)sonde_gcd(sonde_magnitude(r), sonde_magnitude(r_pivot)), x = r_pivot / divisor,
            y = r / divisor;
    if (x > MULTIPLE_MAX || x < -MULTIPLE_MAX || y > MULTIPLE_MAX || y < -MULTIPLE_MAX) return false;
    int64_t factors[LEARN_TERMS];
    for (uint32_t i = 0; i < b->n_terms; i++) factors[i] = x * e->factors[i] - y * pivot->factors[i];
    e->constant = x * e->constant - y * pivot->constant;
    return normalise(b, e, factors);
}

/* Returns the number of terms of an equation, where a sum counts twice. If an input breaks several equations, the
 * one with the largest weight is removed. */
static uint32_t weight(const struct sonde_learn_balance *b, const struct sonde_learn_equation *e)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n_terms; i++)
        if (e->factors[i]) n += 1 + (uint32_t)b->is_sum[i];
    return n;
}

/* Learns from a valid input: removes one equation that it breaks, and uses it to make the others hold. */
static void uphold(struct sonde_learn_balance *b)
{
    int64_t residuals[LEARN_TERMS];
    uint32_t pivot = UINT32_MAX, heaviest = 0;
    for (uint32_t k = 0; k < b->n_equations; k++) {
        residuals[k] = residual(b, &b->equations[k]);
        b->equations[k].upheld++;
        if (residuals[k] == 0) continue;
        uint32_t w = weight(b, &b->equations[k]);
        if (w > heaviest) {
            heaviest = w;
            pivot = k;
        }
    }
    if (pivot == UINT32_MAX) return;
    struct sonde_learn_equation gone = b->equations[pivot];
    uint32_t kept = 0;
    for (uint32_t k = 0; k < b->n_equations; k++) {
        if (k == pivot) continue;
        bool stays = residuals[k] == 0 || eliminate(b, &b->equations[k], residuals[k], &gone, residuals[pivot]);
        if (stays) b->equations[kept++] = b->equations[k];
    }
    b->n_equations = kept;
}

/* Selects the useful equations: they held long, and invalid inputs break them most. */
static void choose_active(struct sonde_learn_balance *b)
{
    b->n_active = 0;
    for (uint32_t k = 0; k < b->n_equations; k++) {
        struct sonde_learn_equation *e = &b->equations[k];
        e->is_useful |= e->broken >= BROKEN_MIN && e->broken * (e->is_pair ? BROKEN_PAIRS : BROKEN_SHARE) >= e->invalid;
        if (e->upheld < TRUSTED || !e->is_useful) continue;
        uint32_t at = b->n_active < LEARN_ACTIVE ? b->n_active++ : LEARN_ACTIVE;
        for (; at > 0 && b->equations[b->active[at - 1]].broken < e->broken; at--)
            if (at < LEARN_ACTIVE) b->active[at] = b->active[at - 1];
        if (at < LEARN_ACTIVE) b->active[at] = (uint8_t)k;
    }
    b->has_pair = false;
    for (uint32_t i = 0; i < b->n_active; i++) b->has_pair |= b->equations[b->active[i]].is_pair;
}

/* Creates the equations at the first valid input; invalid inputs before it could break nothing. */
static void start_equations(struct sonde_learn_balance *b)
{
    b->has_begun = true;
    for (uint32_t i = 0; i < b->n_terms; i++) {
        struct sonde_learn_equation *e = &b->equations[b->n_equations++];
        memset(e, 0, sizeof *e);
        e->factors[i] = 1;
        e->constant = b->scratch[i];
    }
}

/* Learns from the terms in `scratch`. */
static void examine(struct sonde_learn_balance *b, bool is_valid)
{
    if (!b->has_begun) {
        start_equations(b);
    } else if (is_valid) {
        uphold(b);
    } else {
        for (uint32_t k = 0; k < b->n_equations; k++) {
            b->equations[k].invalid++;
            b->equations[k].broken += residual(b, &b->equations[k]) != 0;
        }
    }
    choose_active(b);
}

void sonde_learn_balance_learn(struct sonde_learn_balance *b, const struct sonde_tape *tape, bool is_valid)
{
    if (!is_valid && !b->has_begun) return;
    /* If no equation is left, none can come back. Most accidental equations are gone after ALWAYS cases. */
    if (b->has_begun && (b->n_equations == 0 || (b->seen++ > ALWAYS && b->seen % SELDOM))) return;
    count(b, tape);
    examine(b, is_valid);
}

void sonde_learn_balance_learn_facts(struct sonde_learn_balance *b, const struct sonde_learn_facts *facts,
                                     bool is_valid)
{
    if (!is_valid && !b->has_begun) return;
    if (b->has_begun && (b->n_equations == 0 || (b->seen++ > ALWAYS && b->seen % SELDOM))) return;
    memset(b->scratch, 0, sizeof b->scratch);
    for (uint32_t i = 0; i < facts->n; i++) {
        int term = term_of(b, facts->keys[i], SUM, true);
        if (term >= 0) b->scratch[term] += facts->values[i];
    }
    examine(b, is_valid);
}

/* ---- Solving the equations for a term that is not known yet */

/* The useful equations while they are solved. The column after the last term is what the known terms leave. */
struct solving {
    int64_t rows[LEARN_ACTIVE][LEARN_TERMS + 1];
    uint32_t n_rows;
};

/* Removes a column from all rows but one, which is dropped. Rows whose numbers grow too large are dropped as well. */
static void remove_column(struct solving *x, uint32_t column, uint32_t n)
{
    uint32_t pivot = 0, kept = 0;
    while (pivot < x->n_rows && x->rows[pivot][column] == 0) pivot++;
    if (pivot == x->n_rows) return;
    int64_t gone[LEARN_TERMS + 1];
    memcpy(gone, x->rows[pivot], sizeof gone);
    for (uint32_t i = 0; i < x->n_rows; i++) {
        int64_t *row = x->rows[i], by = row[column];
        if (i == pivot) continue;
        bool is_small = true;
        for (uint32_t k = 0; by && k <= n; k++) {
            row[k] = row[k] * gone[column] - gone[k] * by;
            is_small &= row[k] <= MULTIPLE_MAX && row[k] >= -MULTIPLE_MAX;
        }
        if (is_small) memmove(x->rows[kept++], row, sizeof x->rows[i]);
    }
    x->n_rows = kept;
}

bool sonde_learn_balance_solve(struct sonde_learn_balance *b, const struct sonde_learn_facts *facts, uint32_t key,
                               int64_t *value)
{
    int target = b->n_active ? term_of(b, key, SUM, false) : -1;
    if (target < 0) return false;
    struct solving x = {.n_rows = b->n_active};
    bool is_known[LEARN_TERMS] = {false};
    int64_t known[LEARN_TERMS] = {0};
    for (uint32_t i = 0; i < facts->n; i++) {
        int term = term_of(b, facts->keys[i], SUM, false);
        if (term >= 0 && term != target) is_known[term] = true, known[term] += facts->values[i];
    }
    for (uint32_t i = 0; i < b->n_active; i++) {
        const struct sonde_learn_equation *e = &b->equations[b->active[i]];
        int64_t left = e->constant;
        for (uint32_t t = 0; t < b->n_terms; t++) {
            if (is_known[t]) left -= e->factors[t] * known[t];
            x.rows[i][t] = is_known[t] ? 0 : e->factors[t];
        }
        if (left > MULTIPLE_MAX || left < -MULTIPLE_MAX) return false;
        x.rows[i][b->n_terms] = left;
    }
    for (uint32_t t = 0; t < b->n_terms; t++)
        if (!is_known[t] && t != (uint32_t)target) remove_column(&x, t, b->n_terms);
    for (uint32_t i = 0; i < x.n_rows; i++) {
        int64_t factor = x.rows[i][target], left = x.rows[i][b->n_terms];
        if (factor == 0 || left % factor) continue;
        *value = left / factor;
        return true;
    }
    return false;
}

/* ---- While a case runs */

void sonde_learn_balance_begin(struct sonde_learn_balance *b)
{
    /* The balance of an empty input. A balance becomes 0 when its equation is satisfied. */
    for (uint32_t i = 0; i < b->n_active; i++) b->balances[i] = -b->equations[b->active[i]].constant;
    b->depth = 0;
}

/* Updates the stack of a pair: the value that appears first opens; the other closes if its partner is on top. */
static void stack_up(struct sonde_learn_balance *b, uint32_t i, uint32_t term)
{
    const int32_t *factors = b->equations[b->active[i]].factors;
    int64_t before = b->balances[i] - factors[term];
    bool opens = before == 0 || (before > 0) == (factors[term] > 0);
    if (opens) {
        if (b->depth < LEARN_STACK) b->stack[b->depth] = (uint8_t)term;
        b->depth++;
    } else if (b->depth > LEARN_STACK || (b->depth > 0 && factors[b->stack[b->depth - 1]])) {
        b->depth--;
    }
}

void sonde_learn_balance_add(struct sonde_learn_balance *b, const struct sonde_choice *choice, int64_t value)
{
    if (b->n_active == 0) return;
    int term;
    if (is_counted(choice) && (term = term_of(b, choice->site, (uint32_t)choice->index, false)) >= 0) {
        for (uint32_t i = 0; i < b->n_active; i++) {
            const struct sonde_learn_equation *e = &b->equations[b->active[i]];
            b->balances[i] += e->factors[term];
            if (e->is_pair && e->factors[term]) stack_up(b, i, (uint32_t)term);
        }
    }
    if (is_summed(choice, value) && (term = term_of(b, choice->site, SUM, false)) >= 0)
        for (uint32_t i = 0; i < b->n_active; i++) b->balances[i] += b->equations[b->active[i]].factors[term] * value;
}

/* A sum is preferred to a count, because rl can aim at the value that balances it (learn_context.c,
 * relate_to_balances). */
int32_t sonde_learn_balance_factor(const struct sonde_learn_balance *b, uint32_t i, uint32_t site, bool *is_sum)
{
    const struct sonde_learn_equation *e = &b->equations[b->active[i]];
    int32_t found = 0;
    for (uint32_t t = 0; t < b->n_terms; t++) {
        if (b->sites[t] != site || e->factors[t] == 0) continue;
        found = e->factors[t];
        *is_sum = b->is_sum[t];
        if (*is_sum) return found;
    }
    return found;
}
