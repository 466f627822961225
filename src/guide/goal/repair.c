/* See repair.h. */
#include "guide/goal/repair.h"

#include "base/mem.h"

#include <stdlib.h>

enum {
    MEETINGS = 4, /* discarded inputs at a location before it is probed: most locations discard few */
    BUDGET = 192, /* probes of a session */
    SESSIONS = 3, /* sessions at a location */
    LATER = 16,   /* a session waits for so many times as many discarded inputs as the one before */
    CHAIN = 8,    /* repairs of one input, at locations after each other */
    MOST = 4096,  /* numbers of an input; longer ones are not probed */
    ASKED = 32,   /* inputs after which a location is judged by how many of them could be repaired */
    ANYWAY = 64   /* a location that does not pay is repaired once in so many inputs */
};

static const double fade = 1 - 1.0 / 256;

void sonde_repair_init(struct sonde_repair *r, uint64_t seed, uint64_t stream)
{
    *r = (struct sonde_repair){0};
    sonde_rng_seed(&r->rng, seed, stream);
    sonde_branches_init(&r->branches, ~seed, stream);
    sonde_tape_init(&r->script);
    sonde_tape_init(&r->base);
}

void sonde_repair_clear(struct sonde_repair *r)
{
    sonde_tape_clear(&r->script);
    sonde_tape_clear(&r->base);
    sonde_free(r->numbers);
    sonde_seen_clear(&r->seen);
    sonde_branches_clear(&r->branches);
    *r = (struct sonde_repair){0};
}

/* ---- Comparisons of a case */

static struct sonde_repair_compared compared_at(const struct sonde_observation *seen, size_t i)
{
    const struct sonde_compared *c = &seen->compared[i];
    struct sonde_repair_compared x = {.place = c->place, .apart = c->a - c->b, .bytes = c->bytes};
    for (size_t k = 0; k < i; k++) x.nth += seen->compared[k].place == c->place;
    return x;
}

/* Finds the comparison that discarded the case: the last one of the assume that failed. */
static bool find_cause(const struct sonde_observation *seen, struct sonde_repair_compared *out)
{
    if (seen->verdict != SONDE_DISCARDED) return false;
    for (size_t i = seen->n_compared; i-- > 0;) {
        const struct sonde_compared *c = &seen->compared[i];
        if (c->assume != seen->assumes_passed) continue;
        *out = compared_at(seen, i);
        return c->bytes && c->a != c->b;
    }
    return false;
}

/* Finds the comparison of another case that corresponds to this one. */
static bool find_again(const struct sonde_observation *seen, struct sonde_repair_compared *x)
{
    uint32_t nth = 0;
    for (size_t i = 0; i < seen->n_compared; i++) {
        if (seen->compared[i].place != x->place || nth++ != x->nth) continue;
        x->apart = seen->compared[i].a - seen->compared[i].b;
        return true;
    }
    return false;
}

static struct sonde_repair_place *place_of(struct sonde_repair *r, uint64_t place)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (r->places[i].place == place) return &r->places[i];
    if (r->n == SONDE_REPAIR_PLACES) return NULL;
    r->places[r->n] = (struct sonde_repair_place){.place = place, .next = MEETINGS};
    return &r->places[r->n++];
}

/* Marks the locations at which this case continued with unequal sides. */
static void note_loose(struct sonde_repair *r, const struct sonde_observation *seen)
{
    for (size_t i = 0; r->n && i < seen->n_compared; i++) {
        const struct sonde_compared *c = &seen->compared[i];
        bool is_last = i + 1 == seen->n_compared || seen->compared[i + 1].assume != c->assume;
        if (!c->bytes || c->a == c->b || c->assume > seen->assumes_passed) continue;
        if (c->assume == seen->assumes_passed && is_last) continue; /* it may have discarded the case */
        for (uint32_t k = 0; k < r->n; k++) r->places[k].is_loose |= r->places[k].place == c->place;
    }
}

/* ---- Numbers in other inputs */

static struct sonde_repair_number remember(const struct sonde_tape *tape, const struct sonde_number *x,
                                           struct sonde_slope slope)
{
    struct sonde_repair_number n = {.site = tape->choices[x->choice].site, .part = x->part, .slope = slope};
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        if (tape->choices[i].site != n.site) continue;
        n.first += i < x->choice;
        n.last += i > x->choice;
    }
    if (x->part == SONDE_NUMBER_SYMBOL) {
        n.left = x->symbol;
        n.right = sonde_choice_blob(tape, &tape->choices[x->choice]).len - 1 - x->symbol;
    }
    return n;
}

/* Finds a number. The three ways to find its choice are: from the first one, from the last one, and moved with the
 * comparison. Each is combined with the two ways to find its symbol: from the first or from the last one. */
static bool locate(const struct sonde_tape *tape, const struct sonde_repair_number *n, uint32_t way, uint32_t moved,
                   struct sonde_number *out)
{
    uint32_t count = 0, at = 0;
    for (uint32_t i = 0; i < tape->n_choices; i++) count += tape->choices[i].site == n->site;
    uint32_t wanted = way / 2 == 0 ? n->first : way / 2 == 1 ? count - 1 - n->last : n->first + moved;
    if (wanted >= count) return false;
    for (;; at++)
        if (tape->choices[at].site == n->site && wanted-- == 0) break;
    uint32_t symbol = n->left;
    if (n->part == SONDE_NUMBER_SYMBOL && way % 2) {
        uint32_t len = sonde_choice_blob(tape, &tape->choices[at]).len;
        if (len <= n->right) return false;
        symbol = len - 1 - n->right;
    }
    return sonde_number_read(tape, at, n->part, symbol, out);
}

/* Writes the input with the sides of a comparison made equal. */
static bool mend(struct sonde_repair *r, const struct sonde_tape *tape, const struct sonde_repair_side *side,
                 uint32_t way, uint32_t nth)
{
    struct sonde_number numbers[SONDE_SLOPE_PARTS];
    struct sonde_slope_part parts[SONDE_SLOPE_PARTS];
    for (uint32_t i = 0; i < side->n; i++) {
        if (!locate(tape, &side->numbers[i], way, r->wants.nth - nth, &numbers[i])) return false;
        parts[i] =
            (struct sonde_slope_part){.at = numbers[i].at, .max = numbers[i].max, .slope = side->numbers[i].slope};
    }
    if (!sonde_slope_solve(parts, side->n, r->wants.apart, r->wants.bytes, &r->rng)) return false;
    sonde_tape_copy(&r->script, tape);
    sonde_tape_end(&r->script);
    for (uint32_t i = 0; i < side->n; i++)
        if (!sonde_number_put(&r->script, &numbers[i], parts[i].at)) return false;
    return true;
}

/* ---- Probing */

/* Orders numbers by promise. A drawn checksum is as wide as a computed one and mostly follows the draws that it is
 * computed from. Lengths change the shape of the input, so they come last. */
static int compare_numbers(const void *a, const void *b)
{
    const struct sonde_number *x = a, *y = b;
    bool is_length = x->part == SONDE_NUMBER_LENGTH;
    if (is_length != (y->part == SONDE_NUMBER_LENGTH)) return is_length ? 1 : -1;
    if (x->max != y->max) return x->max > y->max ? -1 : 1;
    if (x->choice != y->choice) return x->choice > y->choice ? -1 : 1;
    return (x->symbol < y->symbol) - (x->symbol > y->symbol);
}

static void begin_session(struct sonde_repair *r, struct sonde_repair_place *p, const struct sonde_tape *tape)
{
    uint64_t most = sonde_tape_size(tape) + tape->n_choices;
    p->sessions++;
    p->next = p->sessions < SESSIONS ? p->met * LATER : UINT64_MAX;
    if (most > MOST) return;
    r->numbers = sonde_realloc(r->numbers, most * sizeof *r->numbers);
    r->n_numbers = sonde_numbers_read(tape, r->numbers, (uint32_t)most);
    qsort(r->numbers, r->n_numbers, sizeof *r->numbers, compare_numbers);
    sonde_tape_copy(&r->base, tape);
    sonde_tape_end(&r->base);
    r->at = p;
    r->number = r->n_probes = 0;
    r->budget = BUDGET;
    r->sides[0].n = r->sides[1].n = 0;
    r->job = SONDE_REPAIR_PROBE;
}

/* Picks a value of the number that was not probed yet; returns false if there is none. */
static bool pick_value(struct sonde_repair *r, const struct sonde_number *x, uint64_t *at)
{
    enum { PICKS = 32 };
    for (unsigned tries = 0; tries < PICKS; tries++) {
        bool is_old = false;
        *at = sonde_rng_upto(&r->rng, x->max);
        for (uint32_t i = 0; i < r->n_probes; i++) is_old |= r->values[i] == *at;
        if (!is_old && *at != x->at) return true;
    }
    return false;
}

/* Plans the next probe, or ends the session. */
static void plan_probe(struct sonde_repair *r)
{
    for (; r->number < r->n_numbers && r->budget > 0; r->number++, r->n_probes = 0) {
        const struct sonde_number *x = &r->numbers[r->number];
        uint64_t at;
        if (x->part == SONDE_NUMBER_REAL || !pick_value(r, x, &at)) continue;
        sonde_tape_copy(&r->script, &r->base);
        if (!sonde_number_put(&r->script, x, at)) continue;
        r->values[r->n_probes] = at;
        r->budget--;
        r->n_probed++;
        r->job = SONDE_REPAIR_PROBE;
        return;
    }
    if (r->at->side.n) r->at->state = SONDE_REPAIR_KNOWN; /* from an earlier session */
    r->job = SONDE_REPAIR_IDLE;
}

/* Adds a number to a side; returns false if the side has one with the same shift. */
static bool add_number(struct sonde_repair_side *side, struct sonde_repair_number number)
{
    uint32_t at = 0;
    if (number.slope.modulus || (side->n && side->numbers[0].slope.modulus)) side->n = 0;
    while (at < side->n && side->numbers[at].slope.shift > number.slope.shift) at++;
    if (side->n == SONDE_SLOPE_PARTS || (at < side->n && side->numbers[at].slope.shift == number.slope.shift))
        return false;
    for (uint32_t i = side->n++; i > at; i--) side->numbers[i] = side->numbers[i - 1];
    side->numbers[at] = number;
    return true;
}

/* Ends the probes of a number. If its line is known, the base is repaired by it, to confirm the line. */
static void end_number(struct sonde_repair *r, const struct sonde_slope *slope)
{
    const struct sonde_number *x = &r->numbers[r->number++];
    r->n_probes = 0;
    if (slope) {
        struct sonde_repair_side *side = &r->sides[slope->is_negative];
        if (add_number(side, remember(&r->base, x, *slope)) && mend(r, &r->base, side, 0, r->wants.nth)) {
            r->side = side;
            r->job = SONDE_REPAIR_CONFIRM;
            return;
        }
    }
    plan_probe(r);
}

static void learn_probe(struct sonde_repair *r, const struct sonde_observation *seen)
{
    const struct sonde_number *x = &r->numbers[r->number];
    struct sonde_repair_compared now = r->wants;
    struct sonde_slope slope;
    if (!find_again(seen, &now)) {
        end_number(r, NULL);
        return;
    }
    r->probes[r->n_probes] = (struct sonde_slope_probe){.step = r->values[r->n_probes] - x->at, .apart = now.apart};
    r->n_probes++;
    enum sonde_slope_state state =
        sonde_slope_fit(r->probes, r->n_probes, x->max, r->wants.apart, r->wants.bytes, &slope);
    if (state == SONDE_SLOPE_MORE) plan_probe(r);
    else end_number(r, state == SONDE_SLOPE_FOUND ? &slope : NULL);
}

/* ---- Repairing */

/* Reports whether the planned input was not planned before. */
static bool is_new(struct sonde_repair *r)
{
    return sonde_seen_enter(&r->seen, sonde_tape_hash(&r->script));
}

static double rate_of(const struct sonde_repair_place *p, uint32_t way)
{
    return (p->hits[way] + 1) / (p->tries[way] + 2);
}

static bool is_equal(const struct sonde_repair *r, const struct sonde_observation *seen)
{
    struct sonde_repair_compared now = r->wants;
    return find_again(seen, &now) && now.apart == 0;
}

static void learn_confirmation(struct sonde_repair *r, const struct sonde_observation *seen)
{
    struct sonde_repair_place *p = r->at;
    if (!is_equal(r, seen)) {
        plan_probe(r);
        return;
    }
    p->state = SONDE_REPAIR_KNOWN;
    p->side = *r->side;
    p->nth = r->wants.nth;
    p->asked = p->unsolved = 0;
    for (uint32_t i = 0; i < SONDE_REPAIR_WAYS; i++) p->tries[i] = p->hits[i] = 0;
    p->cost = p->won = 0;
    r->job = SONDE_REPAIR_IDLE;
}

static void learn_mended(struct sonde_repair *r, const struct sonde_observation *seen)
{
    struct sonde_repair_place *p = r->at;
    bool is_hit = is_equal(r, seen);
    p->tries[r->way] = p->tries[r->way] * fade + 1;
    p->hits[r->way] = p->hits[r->way] * fade + is_hit;
    r->n_hit += is_hit;
    r->job = SONDE_REPAIR_IDLE;
}

/* Reports whether a case of a repair at this location is valid as often as other cases are. */
static bool is_worth_it(const struct sonde_repair *r, const struct sonde_repair_place *p)
{
    return (p->won + 1) * r->cases >= r->valid * (p->cost + 2) || p->met % ANYWAY == 0;
}

/* Counts a chain of repairs, when no other one follows. */
static void end_chain(struct sonde_repair *r, bool is_valid)
{
    for (uint32_t i = 0; i < r->n; i++) {
        struct sonde_repair_place *p = &r->places[i];
        if (!(r->visited >> i & 1)) continue;
        p->cost = p->cost * fade + r->chain;
        p->won = p->won * fade + is_valid;
    }
    r->chain = r->visited = 0;
}

/* Repairs an input by the way that succeeds most often and can be gone. */
static bool plan_mended(struct sonde_repair *r, struct sonde_repair_place *p, const struct sonde_tape *tape)
{
    uint32_t left = (1u << SONDE_REPAIR_WAYS) - 1;
    if (!is_worth_it(r, p)) return true;
    while (left) {
        uint32_t best = SONDE_REPAIR_WAYS;
        for (uint32_t way = 0; way < SONDE_REPAIR_WAYS; way++)
            if (left >> way & 1 && (best == SONDE_REPAIR_WAYS || rate_of(p, way) > rate_of(p, best))) best = way;
        left &= ~(1u << best);
        if (!mend(r, tape, &p->side, best, p->nth)) continue;
        if (!is_new(r)) return true;
        r->at = p;
        r->way = best;
        r->chain++;
        r->visited |= 1u << (p - r->places);
        r->n_mended++;
        r->job = SONDE_REPAIR_MEND;
        return true;
    }
    return false;
}

/* Counts an input that had to be repaired. If many could not be, the location is probed again. A side may have a
 * modulus that did not show, or its numbers vary too little. */
static void count_asked(struct sonde_repair_place *p, bool is_solved)
{
    p->asked++;
    p->unsolved += !is_solved;
    if (p->asked < ASKED) return;
    if (p->unsolved > ASKED / 4 && p->sessions < SESSIONS) {
        p->state = SONDE_REPAIR_UNKNOWN;
        p->next = p->met;
    }
    p->asked = p->unsolved = 0;
}

/* Looks at a case of a guide, or at a repaired one, and plans what follows from it. */
static void consider(struct sonde_repair *r, const struct sonde_run *run)
{
    struct sonde_repair_compared cause;
    if (r->chain == CHAIN || !find_cause(run->observation, &cause)) return;
    struct sonde_repair_place *p = place_of(r, cause.place);
    if (!p || p->is_loose) return;
    p->met++;
    r->wants = cause;
    if (p->state == SONDE_REPAIR_KNOWN) {
        count_asked(p, plan_mended(r, p, run->tape));
    } else if (p->met >= p->next) {
        begin_session(r, p, run->tape);
        if (r->job == SONDE_REPAIR_PROBE) plan_probe(r);
    }
}

void sonde_repair_learn(struct sonde_repair *r, const struct sonde_run *run, bool is_own)
{
    enum sonde_repair_job job = r->is_running ? r->job : SONDE_REPAIR_IDLE;
    if (r->is_running && !is_own) r->job = SONDE_REPAIR_IDLE, end_chain(r, false);
    r->is_running = false;
    if (!is_own) {
        r->cases = r->cases * fade + 1;
        note_loose(r, run->observation);
        r->valid = r->valid * fade + (run->observation->verdict == SONDE_VALID);
        if (r->job != SONDE_REPAIR_IDLE || !run->author) return;
        consider(r, run);
        if (r->job != SONDE_REPAIR_IDLE) return;
        if (sonde_branches_consider(&r->branches, run, &r->script) && is_new(r)) r->job = SONDE_REPAIR_BRANCH;
        return;
    }
    r->is_branch = job == SONDE_REPAIR_BRANCH;
    if (r->is_branch) {
        sonde_branches_learn(&r->branches, run);
        r->job = SONDE_REPAIR_IDLE;
        return;
    }
    if (job == SONDE_REPAIR_PROBE) learn_probe(r, run->observation);
    else if (job == SONDE_REPAIR_CONFIRM) learn_confirmation(r, run->observation);
    else if (job == SONDE_REPAIR_MEND) learn_mended(r, run->observation);
    if (job == SONDE_REPAIR_MEND) consider(r, run);
    if (r->job != SONDE_REPAIR_MEND) end_chain(r, run->observation->verdict == SONDE_VALID);
}

void sonde_repair_plan(struct sonde_repair *r, struct sonde_tape *script)
{
    sonde_tape_copy(script, &r->script);
    r->is_running = true;
}
