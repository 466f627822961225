/* Linear equations between counts and sums of draws that hold in every valid input. Such equations show what no
 * comparison of two values shows.
 *
 * For each site, count how often each value was drawn, and add up the numbers drawn. Some linear equations between
 * these terms hold in every valid input. Examples are as many closing brackets as opening ones, and shares that add up
 * to a hundred. Others are as many bytes as the length field says, and a stack machine that ends with one value. The
 * equations are found by elimination. Begin with "every count is as in the first valid input". Each valid input that
 * breaks equations removes one of them, and the others are adjusted by it. After a few dozen valid inputs the rest
 * holds, or says nothing. The equations that invalid inputs break are useful.
 *
 * While a case runs, each useful equation has a *balance*: the amount that is still missing. It is part of the state of
 * a draw. If an equation pairs two values of one site, the open ones form a stack, whose top is part of the state too.
 *
 * Example: a string of brackets, one pick of "(" or ")" per symbol. The first valid input is (): the equations are
 * opened = 1 and closed = 1. The second, ()(), breaks both by 1. One of them is removed and subtracted from the other,
 * which becomes opened - closed = 0. No valid input breaks that one, and most invalid ones do, so after TRUSTED valid
 * inputs it is useful. After "((" the balance is 2 and the top of the stack is "(". The model learns that with a
 * balance of 2 and two symbols to come only ")" is right.
 *
 * learn_context.c uses the same for equations within spans. There the terms are facts of one span, and the equations
 * are solved for a term that is still to be drawn (sonde_learn_balance_solve). */
#ifndef SONDE_GUIDE_RL_LEARN_BALANCE_H
#define SONDE_GUIDE_RL_LEARN_BALANCE_H

#include <sonde/extend.h>

enum {
    LEARN_TERMS = 40, /* maximum number of terms (counts and sums) */
    LEARN_ACTIVE = 6, /* maximum number of useful equations at a time */
    LEARN_STACK = 64, /* number of entries in the stack of a pair */
    LEARN_SLOTS = 128 /* number of slots in the table of terms: a power of two, many more than terms */
};

/* An equation: the sum of factors[t] * term t == constant. Factors and constant together have no common divisor. */
struct sonde_learn_equation {
    int32_t factors[LEARN_TERMS];
    int64_t constant;
    uint32_t key;     /* hash of the factors */
    bool is_useful;   /* enough invalid inputs break the equation, or did so earlier */
    uint32_t upheld;  /* number of valid inputs since the equation last changed */
    uint32_t broken;  /* number of invalid inputs since then that break the equation */
    uint32_t invalid; /* number of all invalid inputs since then */
    bool is_pair;     /* the equation pairs two values of one site, one for one */
};

/* All terms and equations. `slots` finds a term by site and value; sites, is_sum, factors and scratch are indexed by
 * the term. active[0..n_active) are indices of equations, the most often broken first; balances have the same order. */
struct sonde_learn_balance {
    struct {
        uint32_t key, site;
        uint8_t term; /* index of the term, + 1; 0: free slot */
    } slots[LEARN_SLOTS];
    uint32_t sites[LEARN_TERMS];
    bool is_sum[LEARN_TERMS];
    uint32_t n_terms;
    struct sonde_learn_equation equations[LEARN_TERMS];
    uint32_t n_equations;
    bool has_begun;
    uint64_t seen;
    /* The useful equations, and their balances in the running case. */
    uint8_t active[LEARN_ACTIVE];
    uint32_t n_active;
    bool has_pair; /* one of the useful equations is a pair */
    int64_t balances[LEARN_ACTIVE];
    uint8_t stack[LEARN_STACK]; /* the stack: terms of the values that were opened and are not closed yet */
    uint32_t depth;             /* depth of the stack; may exceed LEARN_STACK */
    int64_t scratch[LEARN_TERMS];
};

enum { LEARN_FACTS = 16 }; /* maximum number of facts of one span */

/* The known facts of a span: terms, by key, and their values. */
struct sonde_learn_facts {
    uint32_t n;
    uint32_t keys[LEARN_FACTS];
    int64_t values[LEARN_FACTS];
};

/* Resets the balances, before the first choice of a case. */
void sonde_learn_balance_begin(struct sonde_learn_balance *b);
/* Updates the balances with a choice. `value` comes from sonde_learn_value. */
void sonde_learn_balance_add(struct sonde_learn_balance *b, const struct sonde_choice *choice, int64_t value);
/* Returns a factor of this site in useful equation i: of its sum if there is one, else of a count. Returns 0 if the
 * site has none, else sets *is_sum. */
int32_t sonde_learn_balance_factor(const struct sonde_learn_balance *b, uint32_t i, uint32_t site, bool *is_sum);
/* Learns from a case that has ended. */
void sonde_learn_balance_learn(struct sonde_learn_balance *b, const struct sonde_tape *tape, bool is_valid);
/* Learns from the facts of a span instead of a whole tape; terms without a fact are 0. */
void sonde_learn_balance_learn_facts(struct sonde_learn_balance *b, const struct sonde_learn_facts *facts,
                                     bool is_valid);
/* Computes the only value of a term with which the useful equations can hold. Returns false if there is no such value,
 * or more than one. Terms without a fact are unknown. */
bool sonde_learn_balance_solve(struct sonde_learn_balance *b, const struct sonde_learn_facts *facts, uint32_t key,
                               int64_t *value);

#endif
