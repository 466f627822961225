/* What must come before what among the calls of a history: by their times, and by values. */
#ifndef SONDE_CASE_LINEAR_ORDER_H
#define SONDE_CASE_LINEAR_ORDER_H

#include "case/linear.h"

/* Calls are numbered by their ends, the first first; sets of them are bits. */
struct sonde_linear_order {
    const struct sonde_linear *h;
    const struct sonde_linear_call *calls[SONDE_LINEAR_MAX];
    uint64_t all;
    uint64_t open[SONDE_LINEAR_MAX];   /* calls that began before this one ended */
    uint64_t before[SONDE_LINEAR_MAX]; /* calls that come before this one */
    char *models;                      /* the one before the first call, and room for one behind each */
    size_t size;                       /* of a model */
};

/* An order that explains the calls, the last first. */
struct sonde_linear_path {
    uint8_t calls[SONDE_LINEAR_MAX];
    size_t n;
};

static inline unsigned sonde_linear_first(uint64_t set)
{
    return (unsigned)__builtin_ctzll(set);
}

/* Which of `rest`, which are not none, may come next when all others have come. */
static inline uint64_t sonde_linear_order_next(const struct sonde_linear_order *o, uint64_t rest)
{
    uint64_t next = 0;
    for (uint64_t c = rest & o->open[sonde_linear_first(rest)]; c; c &= c - 1)
        if (!(o->before[sonde_linear_first(c)] & rest)) next |= c & -c;
    return next;
}

/* Borrows the history; a copy of an order shares its models. */
void sonde_linear_order_init(struct sonde_linear_order *o, const struct sonde_linear *h);
void sonde_linear_order_clear(struct sonde_linear_order *o);

/* Whether what sonde_linear_order_by_values adds holds in each order that explains the calls; else it is a guess. */
bool sonde_linear_order_is_sure(const struct sonde_linear_order *o);

/* Adds to `before` what the calls of each two values alone demand. False: they cannot be explained. */
bool sonde_linear_order_by_values(struct sonde_linear_order *o);

/* Whether this order explains the others still when the calls of any one value are left out, as `value` has it. */
bool sonde_linear_order_spares_values(const struct sonde_linear_order *o, const struct sonde_linear_path *path);

#endif
