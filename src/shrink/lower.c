/* Passes that lower values one by one: numbers by magnitude, doubles towards whole numbers and short fractions. */
#include "shrink/pass.h"

#include "base/hash.h"

#include <math.h>

enum { FEW = 8, FEWEST_RUN = 2, FINEST = 32, MAX_SITES = 4096, PLACES = 12 };

/* ---- Runs of zeros */

static bool can_be_zeroed(const struct sonde_choice *c)
{
    return c->index > 0 && c->kind != SONDE_KIND_LENGTH;
}

/* Zeroes those of the nonzero choices whose rank lies in [from, to); answers whether it helped. */
static bool zero_ranks(struct sonde_shrinker *s, uint32_t from, uint32_t to)
{
    uint32_t rank = 0;
    sonde_edit_begin(s);
    for (uint32_t i = 0; i < s->best.n_choices; i++) {
        if (!can_be_zeroed(&s->best.choices[i])) continue;
        if (rank >= from && rank < to) sonde_edit_simplest(s, i);
        rank++;
    }
    return sonde_edit_try(s);
}

static uint32_t count_nonzero(const struct sonde_tape *t)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n_choices; i++) n += can_be_zeroed(&t->choices[i]);
    return n;
}

void sonde_pass_zero_runs(struct sonde_shrinker *s)
{
    uint32_t n = count_nonzero(&s->best);
    if (n < FEW || zero_ranks(s, 0, n)) return;
    for (uint32_t parts = 2; parts <= FINEST && n / parts >= FEWEST_RUN; parts *= 2) {
        uint32_t step = (n + parts - 1) / parts;
        for (uint32_t i = count_nonzero(&s->best); i > 0 && !s->stopped;) {
            uint32_t from = i > step ? i - step : 0;
            zero_ranks(s, from, i);
            i = from;
        }
    }
}

/* ---- One choice */

static bool set(struct sonde_shrinker *s, uint32_t i, uint64_t index)
{
    if (i >= s->best.n_choices || index >= s->best.choices[i].index) return false;
    sonde_edit_begin(s);
    sonde_edit_set(s, i, index);
    return sonde_edit_try(s);
}

static bool index_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    return set(s, p->a, m);
}

/* p->x is the sign. */
static bool magnitude_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    uint64_t index;
    return sonde_number_index(&s->best, p->a, p->x * m, &index) && set(s, p->a, index);
}

static uint64_t *settled_slot(struct sonde_shrinker *s, uint32_t i, uint64_t *key)
{
    const struct sonde_choice *c = &s->best.choices[i];
    *key = sonde_mix(sonde_hash_add(c->site, c->index + 1));
    return &s->settled[*key % SONDE_SETTLED];
}

static bool is_settled(struct sonde_shrinker *s, uint32_t i)
{
    uint64_t key, *slot = settled_slot(s, i, &key);
    return *slot == key;
}

static void settle(struct sonde_shrinker *s, uint32_t i)
{
    if (i >= s->best.n_choices) return;
    uint64_t key, *slot = settled_slot(s, i, &key);
    *slot = key;
}

/* The first index that no other choice of this site has: what a property about different values wants. */
static uint64_t first_unused(const struct sonde_tape *t, uint32_t i)
{
    uint64_t used = 0;
    if (t->n_choices > MAX_SITES) return 1;
    for (uint32_t k = 0; k < t->n_choices; k++)
        if (k != i && t->choices[k].site == t->choices[i].site && t->choices[k].index < 64)
            used |= UINT64_C(1) << t->choices[k].index;
    used |= 1; /* 0 was tried */
    return used == UINT64_MAX ? 64 : (uint64_t)__builtin_ctzll(~used);
}

/* Lowers an index among few, one by one. */
static void lower_few(struct sonde_shrinker *s, uint32_t i)
{
    for (uint64_t x = 1; i < s->best.n_choices && x < s->best.choices[i].index && !s->stopped; x++)
        if (set(s, i, x)) return;
}

static void lower_number(struct sonde_shrinker *s, uint32_t i, bool is_stubborn)
{
    sonde_wide v, lo, hi;
    sonde_number(&s->best, i, &v);
    sonde_number_range(&s->best, i, &lo, &hi);
    bool around_zero = lo < 0 && hi > 0;
    uint64_t before = s->generation, m = around_zero ? (uint64_t)(v < 0 ? -v : v) : s->best.choices[i].index;
    struct sonde_probe probe = {.holds = around_zero ? magnitude_holds : index_holds, .a = i, .x = v < 0 ? -1 : 1};
    probe.cautious = !is_stubborn;
    m = sonde_least(s, &probe, m);
    bool moved = s->generation != before;
    if (moved && m > 2) probe.holds(s, &probe, m - 2);
    if (around_zero && v < 0 && (moved || is_stubborn)) {
        probe.x = 1;
        probe.holds(s, &probe, m);
    }
    if (moved || is_stubborn) settle(s, i);
}

/* ---- Doubles */

static bool set_double(struct sonde_shrinker *s, uint32_t i, double x)
{
    if (i >= s->best.n_choices || s->best.choices[i].kind != SONDE_KIND_DOUBLE) return false;
    bool fits;
    struct sonde_value value = {.type = SONDE_VALUE_DOUBLE, .as.d = x};
    uint64_t index = sonde_choice_index(&s->best, &s->best.choices[i], value, &fits);
    return fits && set(s, i, index);
}

/* p->b binary places, p->x the sign. */
static bool fraction_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    return set_double(s, p->a, (double)p->x * ldexp((double)m, -(int)p->b));
}

/* The shortest fraction near x that will do: whole numbers, halves, quarters, ... */
static double shorten_fraction(struct sonde_shrinker *s, uint32_t i, double x, uint32_t *places)
{
    for (*places = 0; *places < PLACES && !s->stopped; ++*places) {
        double scaled = ldexp(x, (int)*places), down = ldexp(trunc(scaled), -(int)*places);
        double up = ldexp(trunc(scaled) + (x < 0 ? -1 : 1), -(int)*places);
        if (scaled == trunc(scaled)) return x;
        if (down != 0 && set_double(s, i, down)) return down;
        if (set_double(s, i, up)) return up;
    }
    return x;
}

static void lower_double(struct sonde_shrinker *s, uint32_t i)
{
    double x = sonde_choice_value(&s->best, &s->best.choices[i]).as.d;
    struct sonde_probe probe = {.holds = fraction_holds, .a = i, .x = signbit(x) ? -1 : 1};
    bool known = is_settled(s, i);
    probe.cautious = known;
    uint32_t places = 0;
    if (!isfinite(x) && !set_double(s, i, copysign(0x1p51, x)) && !set_double(s, i, copysign(0x1p1000, x))) {
        set_double(s, i, INFINITY);
        return;
    }
    x = sonde_choice_value(&s->best, &s->best.choices[i]).as.d;
    if (x < 0 && !known && set_double(s, i, -x)) {
        x = -x;
        probe.x = 1;
    }
    if (fabs(x) < 0x1p51) x = shorten_fraction(s, i, x, &places);
    double scaled = ldexp(fabs(x), (int)places);
    probe.b = places;
    if (places < PLACES && scaled < 0x1p62) {
        sonde_least(s, &probe, (uint64_t)scaled);
    } else {
        probe.holds = index_holds;
        sonde_least(s, &probe, s->best.choices[i].index);
    }
    settle(s, i);
}

/* After a choice became 0, its followers often can too: take ever longer runs of them. */
static void zero_following(struct sonde_shrinker *s, uint32_t i)
{
    for (uint32_t k = 1; !s->stopped; k *= 2) {
        sonde_edit_begin(s);
        uint32_t left = k, end = i + 1;
        for (; end < s->best.n_choices && left; end++) {
            if (!can_be_zeroed(&s->best.choices[end])) continue;
            sonde_edit_simplest(s, end);
            left--;
        }
        if (left == k || !sonde_edit_try(s)) return;
        i = end - 1;
    }
}

static void lower_choice(struct sonde_shrinker *s, uint32_t i)
{
    const struct sonde_choice *c = &s->best.choices[i];
    if (!can_be_zeroed(c) || c->kind == SONDE_KIND_BLOB) return;
    if (set(s, i, 0)) {
        if (count_nonzero(&s->best) > FEW) zero_following(s, i);
        return;
    }
    c = &s->best.choices[i];
    if (c->index == 1) return;
    uint64_t unused = first_unused(&s->best, i);
    if (set(s, i, unused)) {
        if (unused == 1 || !set(s, i, unused - 1)) {
            settle(s, i);
            return;
        }
    }
    if (i >= s->best.n_choices) return;
    c = &s->best.choices[i];
    switch (c->kind) {
    case SONDE_KIND_INT:
    case SONDE_KIND_UINT: lower_number(s, i, false); return;
    case SONDE_KIND_DOUBLE: lower_double(s, i); return;
    case SONDE_KIND_BOOL:
    case SONDE_KIND_CHANCE: return;
    default: break;
    }
    if (c->index <= FEW) lower_few(s, i);
    else sonde_least(s, &(struct sonde_probe){.holds = index_holds, .a = i}, c->index);
}

void sonde_pass_lower(struct sonde_shrinker *s)
{
    for (uint32_t i = 0; i < s->best.n_choices && !s->stopped; i++) lower_choice(s, i);
}

/* Numbers that do not go down by one may still go down by more; that costs a whole search, so it comes late and once. */
void sonde_pass_lower_stubborn(struct sonde_shrinker *s)
{
    for (uint32_t i = 0; i < s->best.n_choices && !s->stopped; i++) {
        const struct sonde_choice *c = &s->best.choices[i];
        bool is_number = c->kind == SONDE_KIND_INT || c->kind == SONDE_KIND_UINT;
        if (is_number && c->index > 1 && !is_settled(s, i)) lower_number(s, i, true);
    }
}
