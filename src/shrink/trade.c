/* A pass that lowers one number if another may be raised. The value that the other needs is not known, so it goes to
 * the end of its domain; other passes lower it later. `redistribute` handles two numbers with a fixed sum. */
#include "shrink/pass.h"

enum {
    /* number of later numbers tried one by one; if none helps, all later numbers go to their ends at once */
    PARTNERS = 4,
    PATIENCE = 96, /* the pass gives up after this many calls without an improvement */
};
#define EVERY UINT32_MAX

/* Sets a number in the script to the end of its domain: the greatest number, or the least if way < 0. Returns false if
 * the number is at that end already. */
static bool raise_to_end(struct sonde_shrinker *s, uint32_t i, sonde_wide way)
{
    sonde_wide v, lo, hi;
    if (!sonde_amount(&s->best, i, &v)) return false;
    sonde_amount_range(&s->best, i, &lo, &hi);
    sonde_wide end = way < 0 && lo < 0 ? lo : hi;
    return v != end && sonde_edit_amount(s, i, end);
}

/* Tries magnitude m for the number p->a, with its partner p->b at the end of its domain in direction p->x. p->b may
 * mean EVERY later number. p->y is set once the partners are at their ends. */
static bool traded_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    sonde_wide v;
    unsigned raised = 0;
    if (!sonde_amount(&s->best, p->a, &v)) return false;
    sonde_edit_begin(s);
    if (!sonde_edit_amount(s, p->a, v < 0 ? -(sonde_wide)m : (sonde_wide)m)) return false;
    if (p->b != EVERY) raised += raise_to_end(s, p->b, p->x);
    for (uint32_t i = p->a + 1; p->b == EVERY && i < s->best.n_choices; i++) raised += raise_to_end(s, i, p->x);
    return (raised || p->y) && sonde_edit_try(s);
}

/* Trades with one partner, or with EVERY later number; returns whether it helped. One call shows whether a search
 * pays. */
static bool trade_with(struct sonde_shrinker *s, uint32_t a, uint32_t b, sonde_wide way)
{
    sonde_wide v;
    struct sonde_probe p = {.holds = traded_holds, .a = a, .b = b, .x = way};
    if (!sonde_amount(&s->best, a, &v)) return false;
    uint64_t m = (uint64_t)(v < 0 ? -v : v);
    if (m == 0 || !traded_holds(s, &p, m - 1)) return false;
    p.y = 1; /* partners are at their ends from here on */
    if (m > 1) sonde_least(s, &p, m - 1);
    return true;
}

/* Trades number a with the next few numbers, then with all later ones; returns whether one trade helped. */
static bool trade(struct sonde_shrinker *s, uint32_t a, sonde_wide way)
{
    uint32_t partners = 0;
    sonde_wide v;
    for (uint32_t b = a + 1; b < s->best.n_choices && partners <= PARTNERS; b++) {
        if (!sonde_amount(&s->best, b, &v)) continue;
        partners++;
        if (partners <= PARTNERS && trade_with(s, a, b, way)) return true;
    }
    return partners > 1 && trade_with(s, a, EVERY, way);
}

/* Reports whether a later number can be negative: only then can partners go down. */
static bool has_negative(const struct sonde_tape *t, uint32_t after)
{
    sonde_wide v, lo, hi;
    for (uint32_t i = after + 1; i < t->n_choices; i++) {
        if (!sonde_amount(t, i, &v)) continue;
        sonde_amount_range(t, i, &lo, &hi);
        if (lo < 0) return true;
    }
    return false;
}

/* a = 10, b = 3 with a + 2b > 15 becomes a = 0 with b at its end; the passes for one number then lower b. */
void sonde_pass_trade(struct sonde_shrinker *s)
{
    sonde_wide v;
    for (uint32_t a = 0; a < s->best.n_choices; a++) {
        if (s->best.choices[a].index == 0 || !sonde_amount(&s->best, a, &v) || sonde_is_marked(s, a, SONDE_MARK_APART))
            continue;
        if (sonde_is_tired(s, PATIENCE)) return;
        if (!trade(s, a, +1) && has_negative(&s->best, a)) trade(s, a, -1);
    }
}
