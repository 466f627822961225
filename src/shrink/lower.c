/* Passes that lower values one by one: numbers by magnitude, doubles towards whole numbers and short fractions.
 *
 * The order: `zero runs` sets many values to 0 at once. `lower` tries 0 for one choice, then a galloping search. Two
 * late passes are for numbers that this search cannot lower. `lower stubborn` tries values of other choices, small
 * values and digits; `lower by steps` tries remainders and multiples. Marks keep a value from being searched twice.
 * They belong to a site and a value, so the second element of a list profits from the first. */
#include "shrink/pass.h"

#include <math.h>

enum {
    FEW = 8, /* up to this many alternatives are tried one by one; fewer choices than this are not zeroed in runs */
    FEWEST_RUN = 2,       /* length of the shortest run of choices that is zeroed at once */
    FINEST = 32,          /* maximum number of runs into which the nonzero choices are divided */
    MAX_SITES = 4096,     /* maximum number of choices that are searched for choices of the same site */
    PLACES = 12,          /* maximum number of fractional bits that are tried for a double */
    SCANNED = 16,         /* all numbers up to this one are tried */
    LONGEST_STEP = 16,    /* the largest modulus, or number of equal parts, that is tried */
    PATIENCE = 96,        /* a pass gives up after this many calls without an improvement */
    SMALL_DOMAIN = 1000,  /* in a domain with fewer values, different values prove little: they may differ by chance */
    OTHERS = 3,           /* number of values of other choices that are tried */
    LONG_NUMBER = 1 << 16 /* a number above this may be a mask, so its digits are tried too */
};

/* ---- Runs of zeros */

/* Reports whether a choice can be set to 0. Lengths are left to the deleting passes, which drop the elements as
 * well. */
static bool can_be_zeroed(const struct sonde_choice *c)
{
    return c->index > 0 && c->kind != SONDE_KIND_LENGTH;
}

/* Sets the nonzero choices with ranks in [from, to) to 0; returns whether it helped. */
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

/* Zeroes all choices at once, then halves, quarters, and so on. Begins at the end: late draws depend on early ones. */
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

/* Tries the number with magnitude m and sign p->x. */
static bool magnitude_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    return sonde_try_number(s, p->a, p->x * m);
}

/* Returns the first index that no other choice of this site has, for properties that require different values. */
static uint64_t first_unused(const struct sonde_tape *t, uint32_t i)
{
    uint64_t used = 0;
    if (t->n_choices > MAX_SITES) return 1;
    for (uint32_t k = 0; k < t->n_choices; k++)
        if (k != i && t->choices[k].site == t->choices[i].site && t->choices[k].index < 64)
            used |= UINT64_C(1) << t->choices[k].index;
    used |= 1; /* 0 counts as used, because it was tried */
    return used == UINT64_MAX ? 64 : (uint64_t)__builtin_ctzll(~used);
}

/* Reports whether other choices of this site have all simpler values. In a small domain that proves little, so the
 * result is false. */
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

/* Tries the lower indices one by one, for a choice with few alternatives. */
static void lower_few(struct sonde_shrinker *s, uint32_t i)
{
    for (uint64_t x = 1; i < s->best.n_choices && x < s->best.choices[i].index && !s->stopped; x++)
        if (sonde_try_index(s, i, x)) return;
}

/* Returns the distance of a number from the simplest value, and fills `probe` to try a lower distance. Returns 0 if the
 * choice is not a number any more. */
static uint64_t distance(struct sonde_shrinker *s, uint32_t i, struct sonde_probe *probe)
{
    sonde_wide v, lo, hi;
    *probe = (struct sonde_probe){.holds = index_holds, .a = i};
    if (i >= s->best.n_choices || !sonde_number(&s->best, i, &v)) return 0;
    sonde_number_range(&s->best, i, &lo, &hi);
    bool around_zero = lo < 0 && hi > 0;
    *probe = (struct sonde_probe){.holds = around_zero ? magnitude_holds : index_holds, .a = i, .x = v < 0 ? -1 : 1};
    if (!around_zero && lo > 0) probe->offset = (uint64_t)lo;
    return around_zero ? (uint64_t)(v < 0 ? -v : v) : s->best.choices[i].index;
}

/* Clears digits, the leading ones first; after a success, also lowers the other digits. For masks, packed fields and
 * round numbers, which have no threshold for a binary search. */
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
    for (unit = 1; unit <= m / base && !s->stopped; unit *= base) /* removes zeros inside: 1007 may become 107 */
        while (unit <= m / base && p->holds(s, p, m / unit / base * unit + m % unit))
            m = m / unit / base * unit + m % unit;
}

/* Returns the distance at which a search ended for an earlier choice of this site: often the same limit holds here. */
static uint64_t settled_before(struct sonde_shrinker *s, uint32_t i)
{
    struct sonde_probe ignored;
    for (uint32_t k = i; k-- > 0 && i - k < MAX_SITES;)
        if (s->best.choices[k].site == s->best.choices[i].site && sonde_is_marked(s, k, SONDE_MARK_SETTLED))
            return distance(s, k, &ignored);
    return 0;
}

/* Lowers a number. For threshold properties (x > 1000) the search finds the minimum; the other steps are for other
 * properties. */
static void lower_number(struct sonde_shrinker *s, uint32_t i)
{
    struct sonde_probe probe;
    uint64_t before = s->generation, m = distance(s, i, &probe);
    probe.cautious = true;
    if (!s->is_thorough) probe.guess = settled_before(s, i);
    m = sonde_least(s, &probe, m);
    if (s->generation == before) return;
    /* The number may have to keep its parity, which a search cannot see. */
    if (m > 2 && !sonde_is_unlikely(&probe.seen, m + probe.offset, m + probe.offset - 2)) probe.holds(s, &probe, m - 2);
    if (m > LONG_NUMBER) { /* a number without a threshold, such as a mask, may still be lowered */
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
    sonde_keep_evidence(s, i, &probe);
}

/* ---- Doubles */

static bool is_double(const struct sonde_shrinker *s, uint32_t i)
{
    return i < s->best.n_choices && s->best.choices[i].kind == SONDE_KIND_DOUBLE;
}

/* Tries x for a double. Returns false also if the choice is not a double any more, or x is outside of the domain or not
 * simpler. */
static bool set_double(struct sonde_shrinker *s, uint32_t i, double x)
{
    if (!is_double(s, i)) return false;
    bool fits;
    struct sonde_value value = {.type = SONDE_VALUE_DOUBLE, .as.d = x};
    uint64_t index = sonde_choice_index(&s->best, &s->best.choices[i], value, &fits);
    return fits && sonde_try_index(s, i, index);
}

/* Tries the fraction m / 2^p->b with sign p->x. */
static bool fraction_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    return set_double(s, p->a, sonde_wide_double(p->x) * ldexp((double)m, -(int)p->b));
}

/* Finds the shortest fraction next to x that keeps the failure: a whole number, halves, quarters, and so on. Returns
 * it, or x, and sets the last argument to its number of fractional bits. */
static double shorten_fraction(struct sonde_shrinker *s, uint32_t i, double x, uint32_t *places)
{
    /* x is rounded towards zero, then away from it: mostly one of the two keeps the failure. */
    for (*places = 0; *places < PLACES && !s->stopped; ++*places) {
        double scaled = ldexp(x, (int)*places), down = ldexp(trunc(scaled), -(int)*places);
        double up = ldexp(trunc(scaled) + (x < 0 ? -1 : 1), -(int)*places);
        if (scaled == trunc(scaled)) return x;
        if (down != 0 && set_double(s, i, down)) return down;
        if (set_double(s, i, up)) return up;
    }
    return x;
}

/* Tries 2^(51 + m) with sign p->x. Beyond 2^51, indices of doubles are ordered by exponent. */
static bool power_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    return set_double(s, p->a, sonde_wide_double(p->x) * ldexp(1, 51 + (int)m));
}

/* Tries the m-th double after index p->y. Indices of one sign are two apart. */
static bool step_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    return sonde_try_index(s, p->a, (uint64_t)p->y + 2 * m);
}

/* Lowers a whole number from 2^51 on: first the exponent, then the number within that exponent. */
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

/* Replaces an infinity or NaN by a large finite number, or at least by a simpler special value. Returns whether the
 * value is finite now. */
static bool lower_special(struct sonde_shrinker *s, uint32_t i, double x)
{
    if (set_double(s, i, copysign(0x1p51, x)) || set_double(s, i, copysign(0x1p1000, x))) return true;
    if (isnan(x) && set_double(s, i, INFINITY)) return false;
    if (signbit(x)) set_double(s, i, fabs(x));
    return false;
}

/* Lowers a double: makes it finite, positive, a short fraction, and then searches among fractions of that many bits. A
 * double with PLACES fractional bits or more is lowered by its index alone. */
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

/* Sets ever longer runs of choices after i to 0: after one choice became 0, the next ones often can too. */
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

/* Lowers one choice, beginning with what a call may gain most: 0, then the first unused value, and only then a search
 * for its kind. Each success may shorten the tape, so the code checks again whether there is a choice i. */
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
    if (s->best.n_choices > MAX_SITES) sonde_leave_out(s);
    for (uint32_t i = 0; i < s->best.n_choices && !s->stopped; i++) lower_choice(s, i);
}

/* ---- Stubborn numbers: some numbers that cannot be lowered by one can be lowered by more. Trying costs many calls, so
 * it is done late, and once for each value. */

/* Tries smaller values that other numbers have: they suffice elsewhere, or the number may have to equal one of them. */
static bool take_over(struct sonde_shrinker *s, uint32_t i)
{
    sonde_wide mine, v;
    uint64_t index;
    unsigned tried = 0;
    for (uint32_t k = i + MAX_SITES < s->best.n_choices ? i + MAX_SITES : s->best.n_choices;
         k-- > 0 && !sonde_is_past(s, tried, OTHERS) && !s->stopped;) {
        if (i >= s->best.n_choices || !sonde_number(&s->best, i, &mine) || !sonde_number(&s->best, k, &v)) continue;
        if (v == mine || s->best.choices[k].index == 0 || !sonde_number_index(&s->best, i, v, &index)) continue;
        if (index >= s->best.choices[i].index) continue;
        tried++;
        if (sonde_try_index(s, i, index)) return true;
    }
    return false;
}

/* Tries the number p->y + m * p->x, which is m steps of size p->x above p->y, with the probe p->more. */
static bool multiple_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    struct sonde_probe *inner = (struct sonde_probe *)(uintptr_t)p->more;
    sonde_wide value = p->y + (sonde_wide)m * p->x;
    return value >= 0 && inner->holds(s, inner, (uint64_t)value);
}

/* Lowers a number that must keep a remainder: finds a step by which it can be lowered, then lowers it by more steps. */
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

/* Lowers a number that must be a multiple of something: if k divides it, tries fewer k-th parts. The number is m + lo,
 * because a search counts from the lowest number, lo. */
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

/* Lowers a stubborn number; returns true if something helped. The steps get more and more expensive: values of other
 * choices, small values, powers of two, then digits in bases 10, 256 and 2. */
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

/* Reports whether the search could not lower a number: then its value has no mark that a search ended there. */
static bool is_stubborn(struct sonde_shrinker *s, uint32_t i)
{
    const struct sonde_choice *c = &s->best.choices[i];
    bool is_number = c->kind == SONDE_KIND_INT || c->kind == SONDE_KIND_UINT;
    bool is_pick = c->kind == SONDE_KIND_PICK || c->kind == SONDE_KIND_WEIGHTED;
    bool is_settled = sonde_is_marked(s, i, SONDE_MARK_SETTLED);
    /* In a thorough run a mark that this pass has set does not count: the rest of the tape may have changed since. */
    if (s->is_thorough && sonde_is_marked(s, i, SONDE_MARK_STUBBORN)) is_settled = false;
    return ((is_number && c->index > 1) || (is_pick && c->index > FEW)) && !is_settled;
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
