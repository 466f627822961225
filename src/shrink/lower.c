/* Passes that lower values one by one: numbers by magnitude, doubles towards whole numbers and short
 * fractions.
 *
 * Order: zero runs (many at once), lower (one choice: 0, then a galloping search), and late, for
 * numbers on which that search finds no way down, lower stubborn (values of others, small ones, digits)
 * and lower by steps (remainders and multiples). Marks keep a value from being searched twice; they
 * belong to a site and a value, so the second element of a list profits from the first. */
#include "shrink/pass.h"

#include <math.h>

/* FEW, SCANNED: domains so small are walked through one by one. PLACES: binary places of fractions that
 * are tried. LONGEST_STEP: the largest remainder class that lower_by_steps looks for. OTHERS: values of
 * other choices that are tried. */
enum {
    FEW = 8,
    FEWEST_RUN = 2,
    FINEST = 32,
    MAX_SITES = 4096,
    PLACES = 12,
    SCANNED = 16,
    LONGEST_STEP = 16,
    PATIENCE = 96,
    SMALL_DOMAIN = 1000,
    OTHERS = 3,
    LONG_NUMBER = 1 << 16
};

/* ---- Runs of zeros */

/* Lengths are left alone: shortening is the business of the deletions, which drop the elements as well. */
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

/* All at once, then in halves, quarters, and so on, from the end: what is drawn late depends on what is drawn early. */
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

static bool index_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    return sonde_try_index(s, p->a, m);
}

/* p->x is the sign. */
static bool magnitude_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    return sonde_try_number(s, p->a, p->x * m);
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

/* Is every simpler value that of another choice of this site? From a small domain that says little. */
static bool lacks_simpler(const struct sonde_tape *t, uint32_t i)
{
    sonde_assert(i < t->n_choices);
    uint64_t used = 0, index = t->choices[i].index;
    if (index == 0 || index >= 64 || t->choices[i].max < SMALL_DOMAIN || t->n_choices > MAX_SITES) return false;
    for (uint32_t k = 0; k < t->n_choices; k++)
        if (t->choices[k].site == t->choices[i].site && t->choices[k].index < index)
            used |= UINT64_C(1) << t->choices[k].index;
    return used == (UINT64_C(1) << index) - 1;
}

/* Lowers an index among few, one by one. */
static void lower_few(struct sonde_shrinker *s, uint32_t i)
{
    for (uint64_t x = 1; i < s->best.n_choices && x < s->best.choices[i].index && !s->stopped; x++)
        if (sonde_try_index(s, i, x)) return;
}

/* How far a number is from the simplest, and how to ask about less; 0 if it is none any more. */
static uint64_t distance(struct sonde_shrinker *s, uint32_t i, struct sonde_probe *probe)
{
    sonde_wide v, lo, hi;
    *probe = (struct sonde_probe){.holds = index_holds, .a = i};
    if (i >= s->best.n_choices || !sonde_number(&s->best, i, &v)) return 0;
    sonde_number_range(&s->best, i, &lo, &hi);
    bool around_zero = lo < 0 && hi > 0;
    *probe = (struct sonde_probe){.holds = around_zero ? magnitude_holds : index_holds, .a = i, .x = v < 0 ? -1 : 1};
    return around_zero ? (uint64_t)(v < 0 ? -v : v) : s->best.choices[i].index;
}

/* Clears digits, the leading ones first; where that helped, lowers the others too. For masks, packed
 * fields and round numbers, where no threshold leads a binary search. */
static void lower_digits(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m, uint64_t base)
{
    uint64_t unit = 1, before = s->generation;
    while (m / unit >= base) unit *= base;
    for (; unit > 0 && !s->stopped; unit /= base) {
        uint64_t digit = m / unit % base, most = s->generation == before ? 1 : digit;
        for (uint64_t lower = 0; lower < most && lower < digit; lower++) {
            if (!p->holds(s, p, m - (digit - lower) * unit)) continue;
            m -= (digit - lower) * unit;
            break;
        }
    }
    if (s->generation == before) return;
    for (unit = 1; unit <= m / base && !s->stopped; unit *= base) /* 1007 may be 107 */
        while (unit <= m / base && p->holds(s, p, m / unit / base * unit + m % unit))
            m = m / unit / base * unit + m % unit;
}

/* Where a search ended for an earlier choice of this site: often the same limit holds here. */
static uint64_t settled_before(struct sonde_shrinker *s, uint32_t i)
{
    struct sonde_probe ignored;
    for (uint32_t k = i; k-- > 0 && i - k < MAX_SITES;)
        if (s->best.choices[k].site == s->best.choices[i].site && sonde_is_marked(s, k, SONDE_MARK_SETTLED))
            return distance(s, k, &ignored);
    return 0;
}

/* Threshold properties (x > 1000) end after the search; the rest is for those that are none. */
static void lower_number(struct sonde_shrinker *s, uint32_t i)
{
    struct sonde_probe probe;
    uint64_t before = s->generation, m = distance(s, i, &probe);
    probe.cautious = true;
    probe.guess = settled_before(s, i);
    m = sonde_least(s, &probe, m);
    if (s->generation == before) return;
    /* A parity that the search stepped over. */
    if (m > 2) probe.holds(s, &probe, m - 2);
    if (m > LONG_NUMBER) { /* the search may have missed what is no threshold: a mask, say */
        uint64_t found = s->generation;
        lower_digits(s, &probe, m, 256);
        m = distance(s, i, &probe);
        if (s->generation != found) lower_digits(s, &probe, m, 2);
    }
    if (probe.x < 0 && probe.holds == magnitude_holds) {
        probe.x = 1;
        probe.holds(s, &probe, m);
    }
    sonde_mark(s, i, SONDE_MARK_SETTLED);
}

/* ---- Doubles */

static bool is_double(const struct sonde_shrinker *s, uint32_t i)
{
    return i < s->best.n_choices && s->best.choices[i].kind == SONDE_KIND_DOUBLE;
}

/* False if it is no double any more, does not lie in the domain, or is not simpler. */
static bool set_double(struct sonde_shrinker *s, uint32_t i, double x)
{
    if (!is_double(s, i)) return false;
    bool fits;
    struct sonde_value value = {.type = SONDE_VALUE_DOUBLE, .as.d = x};
    uint64_t index = sonde_choice_index(&s->best, &s->best.choices[i], value, &fits);
    return fits && sonde_try_index(s, i, index);
}

/* p->b binary places, p->x the sign. */
static bool fraction_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    return set_double(s, p->a, sonde_wide_double(p->x) * ldexp((double)m, -(int)p->b));
}

/* The shortest fraction near x that will do: whole numbers, halves, quarters, ... */
static double shorten_fraction(struct sonde_shrinker *s, uint32_t i, double x, uint32_t *places)
{
    /* Truncated towards zero, then away from it: one of the two neighbours mostly keeps the failure. */
    for (*places = 0; *places < PLACES && !s->stopped; ++*places) {
        double scaled = ldexp(x, (int)*places), down = ldexp(trunc(scaled), -(int)*places);
        double up = ldexp(trunc(scaled) + (x < 0 ? -1 : 1), -(int)*places);
        if (scaled == trunc(scaled)) return x;
        if (down != 0 && set_double(s, i, down)) return down;
        if (set_double(s, i, up)) return up;
    }
    return x;
}

/* The power of two with exponent 51 + m, p->x the sign: beyond 2^51 indices of doubles are in the order
 * of exponents. */
static bool power_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    return set_double(s, p->a, sonde_wide_double(p->x) * ldexp(1, 51 + (int)m));
}

/* p->y is the index to count from; indices of one sign are two apart. */
static bool step_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    return sonde_try_index(s, p->a, (uint64_t)p->y + 2 * m);
}

/* Whole numbers too large for the first region: the exponent, then the rest within it. */
static void lower_large(struct sonde_shrinker *s, uint32_t i, double x)
{
    int exponent;
    if (!is_double(s, i)) return;
    struct sonde_probe probe = {.holds = power_holds, .a = i, .x = x < 0 ? -1 : 1};
    frexp(x, &exponent); /* 2^(exponent - 1) <= |x| < 2^exponent */
    if (exponent < 52) return;
    uint64_t m = sonde_least(s, &probe, (uint64_t)(exponent - 51));
    if (m == 0 || !is_double(s, i)) return;
    bool fits;
    struct sonde_value low = {.type = SONDE_VALUE_DOUBLE, .as.d = sonde_wide_double(probe.x) * ldexp(1, 50 + (int)m)};
    uint64_t from = sonde_choice_index(&s->best, &s->best.choices[i], low, &fits);
    uint64_t here = s->best.choices[i].index;
    if (!fits || here <= from) return;
    probe = (struct sonde_probe){.holds = step_holds, .a = i, .y = from};
    sonde_least(s, &probe, (here - from) / 2);
}

/* Infinities and NaN: a large number instead, or at least the positive one. */
static bool lower_special(struct sonde_shrinker *s, uint32_t i, double x)
{
    if (set_double(s, i, copysign(0x1p51, x)) || set_double(s, i, copysign(0x1p1000, x))) return true;
    if (isnan(x) && set_double(s, i, INFINITY)) return false;
    if (signbit(x)) set_double(s, i, fabs(x));
    return false;
}

/* The order: finite, positive, a short fraction, then a search among fractions of that many places.
 * What has more places than PLACES is lowered by its index alone. */
static void lower_double(struct sonde_shrinker *s, uint32_t i)
{
    double x = sonde_choice_value(&s->best, &s->best.choices[i]).as.d;
    bool known = sonde_is_marked(s, i, SONDE_MARK_SETTLED);
    uint32_t places = 0;
    if (!isfinite(x) && (!lower_special(s, i, x) || !is_double(s, i))) return;
    x = sonde_choice_value(&s->best, &s->best.choices[i]).as.d;
    if (x < 0 && !known && set_double(s, i, -x)) x = -x;
    if (fabs(x) < 0x1p51) x = shorten_fraction(s, i, x, &places);
    double scaled = ldexp(fabs(x), (int)places);
    struct sonde_probe probe = {.holds = fraction_holds, .a = i, .b = places, .x = x < 0 ? -1 : 1, .cautious = known};
    if (places < PLACES && scaled <= 0x1p51) {
        sonde_least(s, &probe, (uint64_t)scaled);
    } else if (fabs(x) > 0x1p51) {
        lower_large(s, i, x);
    } else if (is_double(s, i)) {
        probe.holds = index_holds;
        sonde_least(s, &probe, s->best.choices[i].index);
    }
    sonde_mark(s, i, SONDE_MARK_SETTLED);
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

/* In the order of what a call may gain: 0, the first value that nobody else has, and only then a search of its kind. Each success
 * may shorten the tape, so whether there still is a choice i is asked again. */
static void lower_choice(struct sonde_shrinker *s, uint32_t i)
{
    const struct sonde_choice *c = &s->best.choices[i];
    if (!can_be_zeroed(c) || c->kind == SONDE_KIND_BLOB) return;
    if (sonde_try_index(s, i, 0)) {
        if (count_nonzero(&s->best) > FEW) zero_following(s, i);
        return;
    }
    c = &s->best.choices[i];
    if (c->index == 1) return;
    uint64_t unused = first_unused(&s->best, i);
    if (!sonde_is_marked(s, i, SONDE_MARK_SETTLED) && sonde_try_index(s, i, unused)) {
        if (unused == 1 || !sonde_try_index(s, i, unused - 1)) {
            sonde_mark(s, i, SONDE_MARK_SETTLED);
            if (i < s->best.n_choices && lacks_simpler(&s->best, i)) sonde_mark(s, i, SONDE_MARK_APART);
            return;
        }
    }
    if (i >= s->best.n_choices) return;
    c = &s->best.choices[i];
    switch (c->kind) {
    case SONDE_KIND_INT:
    case SONDE_KIND_UINT: lower_number(s, i); return;
    case SONDE_KIND_DOUBLE: lower_double(s, i); return;
    case SONDE_KIND_BOOL:
    case SONDE_KIND_CHANCE: return;
    default: break;
    }
    if (c->index <= FEW) lower_few(s, i);
    else if (c->kind == SONDE_KIND_SIZE) sonde_least(s, &(struct sonde_probe){.holds = index_holds, .a = i}, c->index);
    else lower_number(s, i);
}

void sonde_pass_lower(struct sonde_shrinker *s)
{
    for (uint32_t i = 0; i < s->best.n_choices && !s->stopped; i++) lower_choice(s, i);
}

/* ---- Stubborn numbers: those that do not go down by one may still go down by more. That costs, so it comes late, and
 * once for each value. */

/* Smaller values that other numbers have: what was good enough there, and what it may have to equal. */
static bool take_over(struct sonde_shrinker *s, uint32_t i)
{
    sonde_wide mine, v;
    uint64_t index;
    unsigned tried = 0;
    for (uint32_t k = i + MAX_SITES < s->best.n_choices ? i + MAX_SITES : s->best.n_choices;
         k-- > 0 && tried < OTHERS;) {
        if (i >= s->best.n_choices || !sonde_number(&s->best, i, &mine) || !sonde_number(&s->best, k, &v)) continue;
        if (v == mine || s->best.choices[k].index == 0 || !sonde_number_index(&s->best, i, v, &index)) continue;
        if (index >= s->best.choices[i].index) continue;
        tried++;
        if (sonde_try_index(s, i, index)) return true;
    }
    return false;
}

/* p->more asks about a number, p->x is a step: of those that lie whole steps apart, the m-th. */
static bool multiple_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    struct sonde_probe *inner = (struct sonde_probe *)(uintptr_t)p->more;
    sonde_wide value = p->y + (sonde_wide)m * p->x;
    return value >= 0 && inner->holds(s, inner, (uint64_t)value);
}

/* What must keep a remainder goes down by some step, and then by more of them. */
static bool lower_by_steps(struct sonde_shrinker *s, struct sonde_probe *probe, uint64_t m)
{
    for (uint64_t step = 2; step <= LONGEST_STEP && step < m && !s->stopped; step++) {
        if (!probe->holds(s, probe, m - step)) continue;
        struct sonde_probe p = {.holds = multiple_holds, .more = probe, .x = step, .y = m % step};
        sonde_least(s, &p, m / step - 1);
        return true;
    }
    return false;
}

/* What must be a multiple of something stays one: of a number that k divides, fewer k-th parts. The number is m + lo: a search
 * counts from the lowest. */
static bool lower_by_parts(struct sonde_shrinker *s, struct sonde_probe *probe, uint64_t m, uint64_t lo)
{
    for (uint64_t k = 2; k <= LONGEST_STEP && !s->stopped; k++) {
        uint64_t part = (m + lo) / k;
        if ((m + lo) % k != 0 || part > m || !probe->holds(s, probe, m - part)) continue;
        struct sonde_probe p = {.holds = multiple_holds, .more = probe, .x = part, .y = -(sonde_wide)lo};
        sonde_least(s, &p, k - 1);
        return true;
    }
    return false;
}

/* True if something helped. Ever more expensive: values of others, small ones, powers of two, then digits of bases 10, 256, 2. */
static bool lower_stubborn(struct sonde_shrinker *s, uint32_t i)
{
    struct sonde_probe probe;
    uint64_t before = s->generation, m;
    if (take_over(s, i)) return true;
    m = distance(s, i, &probe);
    for (uint64_t x = 1; x < m && x <= SCANNED && !s->stopped; x++)
        if (probe.holds(s, &probe, x)) return true;
    if (m <= SCANNED) return false;
    probe.sparse = true;
    m = sonde_least(s, &probe, m);
    lower_digits(s, &probe, m, 10);
    if (i < s->best.n_choices) m = distance(s, i, &probe);
    if (m > SCANNED) lower_digits(s, &probe, m, 256);
    if (i < s->best.n_choices && s->generation != before) lower_digits(s, &probe, distance(s, i, &probe), 2);
    if (probe.x < 0 && probe.holds == magnitude_holds) {
        m = distance(s, i, &probe);
        probe.x = 1;
        probe.holds(s, &probe, m);
    }
    return s->generation != before;
}

void sonde_pass_lower_by_steps(struct sonde_shrinker *s)
{
    struct sonde_probe probe;
    for (uint32_t i = 0; i < s->best.n_choices && !sonde_is_tired(s, PATIENCE); i++) {
        uint64_t m = distance(s, i, &probe);
        bool is_stubborn = sonde_is_marked(s, i, SONDE_MARK_STUBBORN) && !sonde_is_marked(s, i, SONDE_MARK_STEPPED);
        if (m <= SCANNED || !is_stubborn || s->best.choices[i].index == s->best.choices[i].max) continue;
        sonde_wide lo, hi;
        sonde_number_range(&s->best, i, &lo, &hi);
        uint64_t least = lo > 0 ? (uint64_t)lo : 0;
        while (m > SCANNED && (lower_by_steps(s, &probe, m) || lower_by_parts(s, &probe, m, least)))
            m = distance(s, i, &probe);
        sonde_mark(s, i, SONDE_MARK_STEPPED);
    }
}

/* A number that the search left as it is: it has no mark that says where a search ended. */
static bool is_stubborn(struct sonde_shrinker *s, uint32_t i)
{
    const struct sonde_choice *c = &s->best.choices[i];
    bool is_number = c->kind == SONDE_KIND_INT || c->kind == SONDE_KIND_UINT;
    bool is_pick = c->kind == SONDE_KIND_PICK || c->kind == SONDE_KIND_WEIGHTED;
    return ((is_number && c->index > 1) || (is_pick && c->index > FEW)) && !sonde_is_marked(s, i, SONDE_MARK_SETTLED);
}

void sonde_pass_lower_stubborn(struct sonde_shrinker *s)
{
    for (uint32_t i = 0; i < s->best.n_choices && !s->stopped; i++) {
        if (!is_stubborn(s, i)) continue;
        while (lower_stubborn(s, i) && i < s->best.n_choices && is_stubborn(s, i)) continue;
        sonde_mark(s, i, SONDE_MARK_STUBBORN);
        sonde_mark(s, i, SONDE_MARK_SETTLED);
    }
}
