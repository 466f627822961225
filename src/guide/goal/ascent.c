/* See ascent.h. */
#include "guide/goal/ascent.h"

#include <math.h>
#include <string.h>

enum {
    EVERY = 64,      /* symbols and picks have no order; of so many values all are tried */
    LONGER = 64,     /* strings are made longer by so much if that costs nothing, because symbols may gain later */
    MOVERS = 8,      /* numbers whose pairs are tried */
    MOST_RESTS = 12, /* the rest is doubled so often at most */
    RECENT = 64,     /* the random tape is about one of so many recent ones */
    BUDGET = 4000    /* cases of one ascent */
};
static const double slow = 0.125;    /* a sweep that gains a smaller part of all gains is followed by pairs */
static const double least = 0x1p-20; /* a round that gains a smaller part of all gains is the last one */
static const double part = 0x1p-10;  /* the first step of a double, relative to its value */

void sonde_ascent_init(struct sonde_ascent *a, struct sonde_corpus *corpus)
{
    *a = (struct sonde_ascent){.corpus = corpus};
    sonde_tape_init(&a->base);
    sonde_tape_init(&a->top);
    sonde_tape_init(&a->start);
}

static void replace(struct sonde_ascent *a, struct sonde_kept **place, const struct sonde_run *run)
{
    if (*place) sonde_corpus_drop(a->corpus, *place);
    *place = run ? sonde_corpus_keep(a->corpus, run) : NULL;
}

void sonde_ascent_clear(struct sonde_ascent *a)
{
    for (uint32_t i = 0; i < a->n_utilities; i++) {
        replace(a, &a->utilities[i].nearest, NULL);
        replace(a, &a->utilities[i].other, NULL);
    }
    sonde_tape_clear(&a->base);
    sonde_tape_clear(&a->top);
    sonde_tape_clear(&a->start);
}

static bool is_due(const struct sonde_ascent *a, const struct sonde_utility *u)
{
    return u->varies && a->clock >= u->due;
}

bool sonde_ascent_is_busy(const struct sonde_ascent *a)
{
    if (a->stage != SONDE_ASCENT_OVER) return true;
    for (uint32_t i = 0; i < a->n_utilities; i++)
        if (is_due(a, &a->utilities[i])) return true;
    return false;
}

bool sonde_ascent_rises(const struct sonde_ascent *a)
{
    bool runs = a->stage != SONDE_ASCENT_OVER;
    for (uint32_t i = 0; i < a->n_utilities; i++) {
        const struct sonde_utility *u = &a->utilities[i];
        if ((runs ? i == a->utility : is_due(a, u)) && u->failures == 0 && !u->is_margin) return true;
    }
    return false;
}

/* ---- Lines */

/* Reports whether the values of a number have no order. */
static bool is_pick(const struct sonde_ascent *a, const struct sonde_number *n)
{
    enum sonde_kind kind = (enum sonde_kind)a->base.choices[n->choice].kind;
    bool is_value = n->part == SONDE_NUMBER_VALUE && (kind == SONDE_KIND_PICK || kind == SONDE_KIND_WEIGHTED);
    return (is_value || n->part == SONDE_NUMBER_SYMBOL) && n->max <= EVERY;
}

/* Returns how far a number may move, up or down. */
static double room_of(const struct sonde_number *n, bool is_up)
{
    if (n->part == SONDE_NUMBER_REAL) return is_up ? n->hi - n->real : n->real - n->lo;
    if (n->part == SONDE_NUMBER_LENGTH && is_up) return fmin((double)(n->max - n->at), LONGER);
    return (double)(is_up ? n->max - n->at : n->at);
}

/* Begins a line along `by`. Numbers that reach an end stay there, so the line ends with the last of them; if `stops`,
 * with the first. */
static bool begin_line(struct sonde_ascent *a, bool stops, bool is_whole, double step)
{
    double ends[2] = {0, 0};
    for (int is_up = 0; is_up < 2; is_up++) {
        bool is_first = true;
        for (uint32_t i = 0; i < a->n_numbers; i++) {
            if (a->by[i] == 0) continue;
            double t = room_of(&a->numbers[i], is_up == (a->by[i] > 0)) / fabs(a->by[i]);
            if (is_whole) t = floor(t);
            if (is_first || (stops ? t < ends[is_up] : t > ends[is_up])) ends[is_up] = t;
            is_first = false;
        }
    }
    sonde_peak_begin(&a->peak, a->value, -ends[0], ends[1], step, is_whole);
    return a->has_line = true;
}

static bool write_line(const struct sonde_ascent *a, double t, struct sonde_tape *script)
{
    bool is_changed = false;
    sonde_tape_copy(script, &a->base);
    for (uint32_t i = 0; i < a->n_numbers; i++) {
        const struct sonde_number *n = &a->numbers[i];
        double change = t * a->by[i], room = room_of(n, change > 0);
        if (change == 0) continue;
        if (fabs(change) > room) change = copysign(room, change);
        if (n->part == SONDE_NUMBER_REAL) {
            is_changed |= change != 0 && sonde_number_put_real(script, n, n->real + change);
            continue;
        }
        uint64_t by = (uint64_t)rint(fmin(fabs(change), 0x1p63)), most = change > 0 ? n->max - n->at : n->at;
        if (by > most) by = most;
        is_changed |= by && sonde_number_put(script, n, change > 0 ? n->at + by : n->at - by);
    }
    return is_changed;
}

static void read_base(struct sonde_ascent *a)
{
    uint32_t before = a->n_numbers;
    a->n_numbers = sonde_numbers_read(&a->base, a->numbers, SONDE_ASCENT_NUMBERS);
    if (a->n_numbers != before) memset(a->moves, 0, sizeof a->moves);
    for (uint32_t i = 0; i < a->n_numbers; i++)
        a->steps[i] = a->numbers[i].part == SONDE_NUMBER_REAL ? fabs(a->numbers[i].real) * part + part : 1;
}

static void end_line(struct sonde_ascent *a)
{
    a->has_line = false;
    if (!(a->peak.f[1] > a->value)) return;
    a->value = a->peak.f[1];
    sonde_tape_swap(&a->base, &a->top);
    read_base(a);
}

/* ---- Stages */

static void enter(struct sonde_ascent *a, enum sonde_ascent_stage stage)
{
    a->stage = stage;
    a->at = 0;
    if (stage != SONDE_ASCENT_SINGLE) return;
    a->swept = a->value;
    sonde_tape_copy(&a->start, &a->base);
}

/* The first sweep goes along all numbers, later ones along those that showed an effect. */
static bool next_single(struct sonde_ascent *a)
{
    while (a->at < a->n_numbers) {
        uint32_t i = a->at++;
        const struct sonde_number *n = &a->numbers[i];
        if (!a->is_first && !a->moves[i]) continue;
        memset(a->by, 0, sizeof a->by);
        a->by[i] = 1;
        if (!is_pick(a, n)) return begin_line(a, true, n->part != SONDE_NUMBER_REAL, a->steps[i]);
        sonde_peak_begin_every(&a->peak, a->value, -(double)n->at, (double)(n->max - n->at));
        return a->has_line = true;
    }
    enter(a, a->value > a->swept ? SONDE_ASCENT_SWEEP : SONDE_ASCENT_PAIR);
    return false;
}

static double apart(const struct sonde_number *to, const struct sonde_number *from)
{
    if (to->part == SONDE_NUMBER_REAL) return to->real - from->real;
    return to->at > from->at ? (double)(to->at - from->at) : -(double)(from->at - to->at);
}

/* Continues in the direction of the whole sweep, if it moved several numbers. */
static bool next_sweep(struct sonde_ascent *a)
{
    struct sonde_number from[SONDE_ASCENT_NUMBERS];
    uint32_t n = sonde_numbers_read(&a->start, from, SONDE_ASCENT_NUMBERS), n_moved = 0;
    if (a->at++ > 0 || n != a->n_numbers) {
        bool is_slow = !a->is_first && a->value - a->swept < slow * (a->value - a->started);
        a->is_first = false;
        enter(a, is_slow ? SONDE_ASCENT_PAIR : SONDE_ASCENT_SINGLE);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        bool is_fixed = is_pick(a, &a->numbers[i]) || from[i].part != a->numbers[i].part;
        a->by[i] = is_fixed ? 0 : apart(&a->numbers[i], &from[i]);
        n_moved += a->by[i] != 0;
    }
    return n_moved > 1 && begin_line(a, false, false, 1);
}

/* Writes the next of the values around the base. */
static bool write_around(struct sonde_ascent *a, struct sonde_tape *script)
{
    static const int steps[SONDE_ASCENT_AROUND][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {1, 1}};
    for (int k = 0; k < 2; k++) a->by[a->pair[k]] = steps[a->n_around][k] * a->steps[a->pair[k]];
    return write_line(a, 1, script);
}

/* Begins a line to the maximum of the parabola through the values around the base; returns false if it has none. */
static bool begin_newton(struct sonde_ascent *a)
{
    const double *f = a->around, now = a->value;
    double xx = f[0] + f[1] - 2 * now, yy = f[2] + f[3] - 2 * now, xy = f[4] - f[1] - f[3] + now;
    double x = (f[1] - f[0]) / 2, y = (f[3] - f[2]) / 2, both = xx * yy - xy * xy;
    a->is_around = false;
    a->by[a->pair[0]] = a->steps[a->pair[0]] * (y * xy - x * yy) / both;
    a->by[a->pair[1]] = a->steps[a->pair[1]] * (x * xy - y * xx) / both;
    bool is_top = xx < 0 && both > 0 && isfinite(a->by[a->pair[0]]) && isfinite(a->by[a->pair[1]]);
    return is_top && begin_line(a, true, false, 1);
}

/* Finds pair number k of the numbers that showed an effect. */
static bool find_pair(struct sonde_ascent *a, uint32_t k)
{
    uint32_t movers[MOVERS], n = 0;
    for (uint32_t i = 0; i < a->n_numbers && n < MOVERS; i++)
        if (a->moves[i] && !is_pick(a, &a->numbers[i])) movers[n++] = i;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            if (k-- == 0) {
                a->pair[0] = movers[i], a->pair[1] = movers[j];
                return true;
            }
    return false;
}

/* Goes along a pair of numbers: both together, in opposite directions, and to the maximum of a parabola. */
static bool next_pair(struct sonde_ascent *a)
{
    enum { LINES = 3 };
    uint32_t k = a->at++;
    if (!find_pair(a, k / LINES)) {
        bool is_over = !(a->value - a->rounded > least * (a->value - a->started));
        a->is_first = false;
        a->rounded = a->value;
        enter(a, is_over ? SONDE_ASCENT_OVER : SONDE_ASCENT_SINGLE);
        return false;
    }
    uint32_t i = a->pair[0], j = a->pair[1];
    bool is_whole = a->numbers[i].part != SONDE_NUMBER_REAL && a->numbers[j].part != SONDE_NUMBER_REAL;
    memset(a->by, 0, sizeof a->by);
    if (k % LINES == 2) {
        a->n_around = 0;
        return a->is_around = true;
    }
    a->by[i] = fmin(a->steps[i], a->steps[j]);
    a->by[j] = k % LINES ? -a->by[i] : a->by[i];
    return begin_line(a, true, is_whole, 1);
}

static void begin(struct sonde_ascent *a, uint32_t utility)
{
    struct sonde_utility *u = &a->utilities[utility];
    bool is_best = u->is_new || !u->other;
    a->utility = utility;
    a->reached = u->best;
    a->began = a->cases;
    a->value = a->started = a->rounded = is_best ? u->best : u->other_value;
    sonde_tape_copy(&a->base, is_best ? &u->nearest->tape : &u->other->tape);
    u->is_new = a->has_line = a->is_around = false;
    a->is_first = true;
    memset(a->moves, 0, sizeof a->moves);
    read_base(a);
    enter(a, SONDE_ASCENT_SINGLE);
}

static void end(struct sonde_ascent *a)
{
    struct sonde_utility *u = &a->utilities[a->utility];
    u->failures = u->best > a->reached ? 0 : u->failures + 1;
    if (u->failures > MOST_RESTS) u->failures = MOST_RESTS;
    u->cost = a->cases - a->began + 1;
    u->due = a->clock + (u->cost << u->failures);
    a->stage = SONDE_ASCENT_OVER;
}

static bool next_line(struct sonde_ascent *a)
{
    if (a->cases - a->began > BUDGET) a->stage = SONDE_ASCENT_OVER;
    while (a->stage != SONDE_ASCENT_OVER) {
        bool is_begun = a->stage == SONDE_ASCENT_SINGLE  ? next_single(a)
                        : a->stage == SONDE_ASCENT_SWEEP ? next_sweep(a)
                                                         : next_pair(a);
        if (is_begun) return true;
    }
    end(a);
    return false;
}

static bool plan_line(struct sonde_ascent *a, struct sonde_tape *script)
{
    double t;
    while (sonde_peak_next(&a->peak, &t)) {
        if (write_line(a, t, script)) return true;
        sonde_peak_learn(&a->peak, NAN);
    }
    end_line(a);
    return false;
}

static bool plan_around(struct sonde_ascent *a, struct sonde_tape *script)
{
    if (a->n_around < SONDE_ASCENT_AROUND && write_around(a, script)) return true;
    if (a->n_around == SONDE_ASCENT_AROUND) begin_newton(a);
    a->is_around = false;
    return false;
}

bool sonde_ascent_plan(struct sonde_ascent *a, struct sonde_rng *rng, struct sonde_tape *script)
{
    if (a->stage == SONDE_ASCENT_OVER) {
        uint32_t first = a->n_utilities ? (uint32_t)sonde_rng_upto(rng, a->n_utilities - 1) : 0, n = 0;
        while (n < a->n_utilities && !is_due(a, &a->utilities[(first + n) % a->n_utilities])) n++;
        if (n == a->n_utilities) return false;
        begin(a, (first + n) % a->n_utilities);
    }
    for (;;) {
        if (!a->has_line && !a->is_around && !next_line(a)) return false;
        if (a->is_around ? plan_around(a, script) : plan_line(a, script)) {
            a->cases++;
            return true;
        }
    }
}

/* ---- Learning */

static struct sonde_utility *utility_of(struct sonde_ascent *a, uint32_t label)
{
    for (uint32_t i = 0; i < a->n_utilities; i++)
        if (a->utilities[i].label == label) return &a->utilities[i];
    if (a->n_utilities == SONDE_ASCENT_UTILITIES) return NULL;
    struct sonde_utility *u = &a->utilities[a->n_utilities++];
    *u = (struct sonde_utility){.label = label, .best = -INFINITY};
    return u;
}

static void note(struct sonde_ascent *a, const struct sonde_run *run, double value, bool is_own,
                 struct sonde_utility *u, struct sonde_rng *rng)
{
    u->varies |= u->nearest && value != u->best;
    if (value > u->best) {
        replace(a, &u->nearest, run);
        u->best = value;
        if (is_own) return;
        u->is_new = true;
        u->failures /= 2;
        uint64_t due = a->clock + (u->cost << u->failures);
        if (due < u->due) u->due = due;
    } else if (!is_own && sonde_rng_upto(rng, u->met < RECENT ? u->met++ : RECENT) == 0) {
        replace(a, &u->other, run);
        u->other_value = value;
    }
}

static void learn_line(struct sonde_ascent *a, const struct sonde_run *run, double value)
{
    struct sonde_peak *p = &a->peak;
    uint32_t i = a->at - 1;
    if (a->is_around) {
        a->around[a->n_around++] = value;
        return;
    }
    bool is_single = a->stage == SONDE_ASCENT_SINGLE;
    bool is_longer = is_single && a->is_first && a->numbers[i].part == SONDE_NUMBER_LENGTH && p->asked > p->x[1];
    if (is_single && value != a->value && !isnan(value)) a->moves[i] = true;
    if (is_longer && value == a->value) value = nextafter(p->f[1], INFINITY);
    if (!sonde_peak_learn(p, value)) return;
    sonde_tape_copy(&a->top, run->tape);
    sonde_tape_end(&a->top);
}

void sonde_ascent_learn(struct sonde_ascent *a, const struct sonde_run *run, bool is_own, struct sonde_rng *rng)
{
    const struct sonde_observation *seen = run->observation;
    double value = NAN;
    a->clock++;
    for (size_t i = 0; i < seen->n_targets && sonde_is_valid_input(seen); i++) {
        struct sonde_utility *u = utility_of(a, seen->targets[i].label);
        if (!u || isnan(seen->targets[i].value)) continue;
        u->is_margin = seen->are_margins;
        if (is_own && u == &a->utilities[a->utility]) value = seen->targets[i].value;
        note(a, run, seen->targets[i].value, is_own, u, rng);
    }
    if (is_own) learn_line(a, run, value);
}

void sonde_ascent_lose(struct sonde_ascent *a)
{
    if (a->is_around) a->around[a->n_around++] = NAN;
    else sonde_peak_learn(&a->peak, NAN);
}
