/* Accounts that valid inputs balance: what no comparison of two values shows.
 *
 * Count how often each answer was given at each site and add up the numbers drawn there. Some linear equations between
 * these hold in every valid input: as many closing brackets as opening ones, shares that add up to a hundred, as many
 * bytes as the length field says, a stack machine that ends with one value. They are found by elimination: begin with
 * "every count is as in the first valid input", and let each valid input that breaks an equation remove it from the
 * others. What is left after a few dozen is an equation that holds, or one that says nothing; those that invalid inputs
 * break are of use.
 *
 * While a case runs, each equation of use has a *balance*, what is still missing. It is part of the state. Where an
 * equation pairs two answers of one site, the open ones form a stack, and its top is part of the state.
 *
 * Example: a text of brackets, one pick of "(" or ")" per symbol. The first valid input is (): the equations
 * are opened = 1 and closed = 1. The second, ()(), breaks both by 1: one of them goes, and is taken from the
 * other, which becomes opened - closed = 0. No valid input breaks that one, and most invalid ones do, so after
 * TRUSTED valid inputs it is of use: behind "((" the balance is 2, the top of the stack is "(", and the model
 * learns that with a balance of 2 and two symbols to come only ")" is right. */
#ifndef SONDE_GUIDE_RL_LEARN_BALANCE_H
#define SONDE_GUIDE_RL_LEARN_BALANCE_H

#include <sonde/extend.h>

enum {
    LEARN_TERMS = 40, /* counts and sums */
    LEARN_ACTIVE = 6, /* equations of use at a time */
    LEARN_STACK = 64,
    LEARN_SLOTS = 128 /* of the table of terms: a power of two, much more than there are terms */
};

/* sum of factors[t] * term t == constant. Factors and constant together have no common divisor. */
struct sonde_learn_equation {
    int32_t factors[LEARN_TERMS];
    int64_t constant;
    uint32_t key;     /* hash of the factors */
    bool is_useful;   /* invalid inputs break it, or did */
    uint32_t upheld;  /* valid inputs since it last changed */
    uint32_t broken;  /* by so many of the invalid inputs since, */
    uint32_t invalid; /* which were so many */
    bool is_pair;     /* of two answers of one site, one for one */
};

/* slots find a term by site and answer; sites, is_sum, factors and scratch are indexed by the term.
 * active[0..n_active) are indices of equations, those that are broken most often first; balances belong
 * to them in the same order. */
struct sonde_learn_balance {
    struct {
        uint32_t key, site;
        uint8_t term; /* + 1 */
    } slots[LEARN_SLOTS];
    uint32_t sites[LEARN_TERMS];
    bool is_sum[LEARN_TERMS];
    uint32_t n_terms;
    struct sonde_learn_equation equations[LEARN_TERMS];
    uint32_t n_equations;
    bool has_begun;
    uint64_t seen;
    /* The equations of use, and where the case at hand stands. */
    uint8_t active[LEARN_ACTIVE];
    uint32_t n_active;
    bool has_pair; /* among them */
    int64_t balances[LEARN_ACTIVE];
    uint8_t stack[LEARN_STACK]; /* term of the answer that opened */
    uint32_t depth;             /* of the stack; may exceed it */
    int64_t scratch[LEARN_TERMS];
};

/* Before the first choice of a case: no balance is carried over from the one before. */
void sonde_learn_balance_begin(struct sonde_learn_balance *b);
/* A choice was made; `value` as sonde_learn_value has it. */
void sonde_learn_balance_add(struct sonde_learn_balance *b, const struct sonde_choice *choice, int64_t value);
/* The factor that a sum or a count at this site has in the i-th equation of use: not 0 if any has one. For a sum, the
 * factor itself. */
int32_t sonde_learn_balance_factor(const struct sonde_learn_balance *b, uint32_t i, uint32_t site, bool *is_sum);
/* A case has ended. */
void sonde_learn_balance_learn(struct sonde_learn_balance *b, const struct sonde_tape *tape, bool is_valid);

#endif
