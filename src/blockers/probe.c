/* See probe.h. */
#include "blockers/probe.h"

#include "base/mem.h"
#include "shrink/near.h"
#include "tape/order.h"
#include "tape/text.h"

enum {
    NEIGHBOURS = 160, /* maximum number of inputs near another that are run */
    CHOICES = 64,     /* maximum number of draws whose ends are tried */
    HANGS = 3         /* no more assumes are lifted after so many cases that hung without them: each takes a second */
};

/* ---- Running */

const struct sonde_coverage_view *sonde_probe_run(struct sonde_prober *x, const struct sonde_tape *script, bool lifts)
{
    sonde *t = x->single->search->t;
    t->lifts = lifts;
    bool fails = sonde_single_fails(x->single, &script, 1, x->is_dirty, 0);
    x->is_dirty = lifts;
    t->lifts = false;
    x->n_runs++;
    /* A failure without an assume that was lifted is a finding like any other. */
    if (fails && !t->lifted.line) sonde_single_keep_finding(x->single, "while blockers were examined");
    else x->n_hangs += fails && t->claim.kind == SONDE_CLAIM_HANG;
    if (!fails && t->verdict != SONDE_VALID) return NULL;
    return sonde_coverage_last(x->coverage);
}

/* Returns the distance between the sides. */
static uint64_t gap_of(const struct sonde_comparison *c, bool is_unsigned)
{
    bool is_less = sonde_outcome_of(c) & (is_unsigned ? SONDE_IS_BELOW : SONDE_IS_LESS);
    return is_less ? c->b - c->a : c->a - c->b;
}

bool sonde_approach(struct sonde_approach nearest[2], const struct sonde_comparison *c)
{
    bool is_nearer = gap_of(c, false) < nearest[0].gap;
    for (int view = 0; view < 2; view++)
        if (gap_of(c, view) < nearest[view].gap) nearest[view] = (struct sonde_approach){gap_of(c, view), {c->a, c->b}};
    return is_nearer;
}

/* ---- Changing one input */

/* Keeps the sides of a comparison in the run of the nearest input. */
static void keep_base(struct sonde_evidence *v, const struct sonde_coverage_view *view)
{
    for (size_t i = 0; i < view->n_log && v->n_base < SONDE_PROBE_BASE; i++)
        if (view->log[i].id == v->site->id) v->base[v->n_base++] = view->log[i];
}

/* Returns whether a run compared other values than the nearest input. If it compared more often, the additional times
 * count only if they come nearer: a longer list alone repeats what its elements do. */
static bool is_moved(const struct sonde_evidence *v, const struct sonde_coverage_view *view)
{
    uint32_t n = 0;
    for (size_t i = 0; i < view->n_log; i++) {
        const struct sonde_comparison *c = &view->log[i];
        if (c->id != v->site->id) continue;
        if (n >= v->n_base ? n < SONDE_PROBE_BASE && gap_of(c, false) < v->base_gap
                           : c->a != v->base[n].a || c->b != v->base[n].b)
            return true;
        n++;
    }
    return false;
}

/* Returns the comparison of this id with the smallest distance, or NULL. */
static const struct sonde_comparison *nearest_of(const struct sonde_coverage_view *view, uint32_t id)
{
    const struct sonde_comparison *best = NULL;
    for (size_t i = 0; i < view->n_log; i++)
        if (view->log[i].id == id && (!best || gap_of(&view->log[i], false) < gap_of(best, false)))
            best = &view->log[i];
    return best;
}

static uint32_t name_of(const struct sonde_tape *tape, uint32_t choice)
{
    const struct sonde_choice *c = &tape->choices[choice];
    return c->kind == SONDE_KIND_LENGTH ? tape->spans[c->span].label : c->label;
}

static void add_mover(struct sonde_evidence *v, uint32_t name)
{
    for (uint32_t i = 0; i < v->n_movers; i++)
        if (v->movers[i] == name) return;
    if (v->n_movers < SONDE_PROBE_MOVERS) v->movers[v->n_movers++] = name;
}

/* Returns whether a number is the value of a draw, or the code of a character of a string. */
static bool has_value(const struct sonde_tape *tape, uint32_t choice, uint64_t number, uint8_t bytes)
{
    const struct sonde_choice *c = &tape->choices[choice];
    if (c->kind != SONDE_KIND_BLOB) {
        uint64_t value = sonde_choice_value(tape, c).as.u;
        return value == number || value == sonde_compared_unsigned(number, bytes);
    }
    struct sonde_blob blob = sonde_choice_blob(tape, c);
    for (uint32_t i = 0; i < blob.len; i++)
        if (sonde_alphabet_code(&blob.alphabet, sonde_blob_symbol(&blob, i)) == number) return true;
    return false;
}

/* Returns whether all values that a run compared are values of the changed draw. */
static bool is_copy(const struct sonde_evidence *v, const struct sonde_coverage_view *view,
                    const struct sonde_tape *tape, uint32_t choice)
{
    bool is_all = v->site->is_same[0] != v->site->is_same[1];
    for (size_t i = 0; is_all && i < view->n_log; i++)
        if (view->log[i].id == v->site->id)
            is_all = has_value(tape, choice, v->site->is_same[0] ? view->log[i].b : view->log[i].a, v->site->bytes);
    return is_all;
}

/* Returns whether a string cannot have the character that it is compared with. */
static bool lacks_constant(const struct sonde_evidence *v, const struct sonde_tape *tape, uint32_t choice)
{
    struct sonde_blob blob = sonde_choice_blob(tape, &tape->choices[choice]);
    uint64_t wanted = v->site->first[v->site->is_same[0] ? 0 : 1];
    return wanted <= INT8_MAX && sonde_alphabet_symbol(&blob.alphabet, (uint32_t)wanted) == UINT32_MAX;
}

/* Counts a run, in which `choice` was changed; UINT32_MAX: several were. */
static void learn(struct sonde_prober *x, struct sonde_evidence *v, const struct sonde_coverage_view *view,
                  const struct sonde_tape *script, uint32_t choice)
{
    uint32_t id = v->site->id;
    for (size_t i = 0; i < view->n_log; i++) {
        const struct sonde_comparison *c = &view->log[i];
        if (c->id != id) continue;
        v->seen |= sonde_outcome_of(c);
        sonde_approach(v->nearest, c);
    }
    if (choice != UINT32_MAX && is_moved(v, view)) {
        add_mover(v, name_of(script, choice));
        v->is_copied &= is_copy(v, view, script, choice);
        const struct sonde_choice *c = &script->choices[choice];
        v->has_sign |= c->kind == SONDE_KIND_INT && (int64_t)c->base < 0;
        v->is_unsigned |= c->kind == SONDE_KIND_UINT;
        if (script->choices[choice].kind == SONDE_KIND_BLOB) v->lacks = lacks_constant(v, script, choice);
    }
    if (!sonde_branch_is_taken(v->branch, x->coverage, view)) return;
    const sonde *t = x->single->search->t;
    if (t->lifted.line) {
        if (!v->is_guarded) v->guard = t->lifted;
        v->is_guarded = true;
    } else if (!v->is_taken) {
        v->is_taken = true;
        v->token = sonde_tape_to_text(&t->tape, &x->single->search->labels);
    }
}

/* Runs a changed input, again with its assumes lifted if it is discarded. Returns what the code did, or NULL. */
static const struct sonde_coverage_view *probe(struct sonde_prober *x, struct sonde_evidence *v,
                                               const struct sonde_tape *script, uint32_t choice)
{
    const struct sonde_coverage_view *view = sonde_probe_run(x, script, false);
    v->n_probes++;
    bool may_lift = x->single->isolated && x->n_hangs < HANGS && x->single->search->t->verdict == SONDE_DISCARDED;
    if (!view && may_lift) view = sonde_probe_run(x, script, true);
    v->n_discarded += !view && x->single->search->t->verdict == SONDE_DISCARDED;
    if (view) learn(x, v, view, script, choice);
    return view;
}

static bool can_change(const struct sonde_choice *c)
{
    return c->kind != SONDE_KIND_SIZE && !(c->flags & SONDE_CHOICE_FORCED) && (c->max || c->kind == SONDE_KIND_BLOB);
}

/* Sets a blob to its shortest or longest length, with its first or last symbol by code. */
static void set_blob(struct sonde_tape *script, uint32_t choice, bool is_high)
{
    enum { SYMBOLS = 4096 };
    struct sonde_choice *c = &script->choices[choice];
    struct sonde_blob blob = sonde_choice_blob(script, c);
    uint32_t n = is_high ? blob.max < SYMBOLS ? blob.max : SYMBOLS : blob.min, end = 0;
    for (uint32_t i = 1; i < blob.alphabet.size && i < SYMBOLS; i++) {
        uint32_t code = sonde_alphabet_code(&blob.alphabet, i), best = sonde_alphabet_code(&blob.alphabet, end);
        if (is_high ? code > best : code < best) end = i;
    }
    uint32_t *symbols = sonde_malloc(((size_t)n + 1) * sizeof *symbols);
    for (uint32_t i = 0; i < n; i++) symbols[i] = end;
    c->base = sonde_tape_add_blob(script, &blob, symbols, n);
    c->index = n - blob.min;
    sonde_free(symbols);
}

/* Sets a draw to the end of its range. */
static void set_end(struct sonde_tape *script, uint32_t choice, bool is_high)
{
    struct sonde_choice *c = &script->choices[choice];
    bool fits;
    if (c->kind == SONDE_KIND_BLOB) {
        set_blob(script, choice, is_high);
    } else if (c->kind == SONDE_KIND_INT) {
        int64_t value = (int64_t)(c->base + (is_high ? c->max : 0));
        c->index = sonde_int_index((int64_t)c->base, c->max, value);
    } else if (c->kind == SONDE_KIND_DOUBLE) {
        struct sonde_double_bounds bounds = sonde_choice_bounds(script, c);
        struct sonde_value value = {.type = SONDE_VALUE_DOUBLE, .as.d = is_high ? bounds.hi : bounds.lo};
        c->index = sonde_choice_index(script, c, value, &fits);
    } else {
        c->index = is_high ? c->max : 0;
    }
}

/* Sets a number to where the line through the nearest run and one beside it meets 0. */
static void follow_line(struct sonde_prober *x, struct sonde_evidence *v, const struct sonde_tape *base,
                        uint32_t choice)
{
    const struct sonde_choice *c = &base->choices[choice];
    struct sonde_tape script;
    if ((c->kind != SONDE_KIND_INT && c->kind != SONDE_KIND_UINT) || v->site->bytes == 0) return;
    sonde_tape_init(&script);
    sonde_tape_copy(&script, base);
    struct sonde_value value = sonde_choice_value(base, c);
    bool is_top = value.as.u == c->base + c->max, fits;
    int64_t step = is_top ? -1 : 1;
    value.as.u += (uint64_t)step;
    script.choices[choice].index = sonde_choice_index(base, c, value, &fits);
    const struct sonde_coverage_view *view = probe(x, v, &script, choice);
    const struct sonde_comparison *near = view ? nearest_of(view, v->site->id) : NULL;
    int64_t slope = near ? ((int64_t)(near->a - near->b) - v->difference) * step : 0;
    for (int beyond = -1; slope != 0 && beyond <= 1; beyond++) {
        value = sonde_choice_value(base, c);
        value.as.u += (uint64_t)(-v->difference / slope + beyond);
        uint64_t index = sonde_choice_index(base, c, value, &fits);
        if (!fits) continue;
        script.choices[choice].index = index;
        probe(x, v, &script, choice);
    }
    sonde_tape_clear(&script);
}

static bool is_mover(const struct sonde_evidence *v, uint32_t name)
{
    for (uint32_t i = 0; i < v->n_movers; i++)
        if (v->movers[i] == name) return true;
    return false;
}

/* Tries the ends of the ranges: of each draw alone, then of all draws together that moved the comparison. */
static void try_ends(struct sonde_prober *x, struct sonde_evidence *v, const struct sonde_tape *base)
{
    struct sonde_tape script;
    sonde_tape_init(&script);
    uint32_t n = base->n_choices < CHOICES ? base->n_choices : CHOICES;
    for (uint32_t i = 0; i < n; i++) {
        if (!can_change(&base->choices[i])) continue;
        for (int is_high = 0; is_high < 2; is_high++) {
            sonde_tape_copy(&script, base);
            set_end(&script, i, is_high);
            probe(x, v, &script, i);
        }
        follow_line(x, v, base, i);
    }
    for (int is_high = 0; is_high < 2; is_high++) {
        sonde_tape_copy(&script, base);
        for (uint32_t i = 0; i < base->n_choices; i++)
            if (can_change(&base->choices[i]) && is_mover(v, name_of(base, i))) set_end(&script, i, is_high);
        probe(x, v, &script, UINT32_MAX);
    }
    sonde_tape_clear(&script);
}

static void try_neighbours(struct sonde_prober *x, struct sonde_evidence *v, const struct sonde_tape *base)
{
    struct sonde_near near;
    struct sonde_tape script;
    uint32_t choice;
    sonde_tape_init(&script);
    sonde_near_init(&near, base, 1);
    for (unsigned i = 0; i < NEIGHBOURS && !v->is_taken && sonde_near_next(&near, &script, &choice); i++)
        probe(x, v, &script, choice == SONDE_NEAR_SEVERAL ? UINT32_MAX : choice);
    sonde_tape_clear(&script);
}

/* Changes one input of the sample, which has to make the comparison. */
static void examine_input(struct sonde_prober *x, struct sonde_evidence *v, uint32_t sample)
{
    struct sonde_tape base;
    const struct sonde_tape *input = &x->single->search->rerun.sample.inputs[sample]->tape;
    const struct sonde_coverage_view *view = sonde_probe_run(x, input, false);
    const struct sonde_comparison *near = view ? nearest_of(view, v->site->id) : NULL;
    if (!near) return;
    v->n_base = 0;
    keep_base(v, view);
    v->base_gap = gap_of(near, false);
    v->difference = (int64_t)(near->a - near->b);
    sonde_tape_init(&base);
    sonde_tape_copy(&base, input);
    sonde_tape_end(&base);
    try_ends(x, v, &base);
    if (!v->is_taken && !v->is_guarded) try_neighbours(x, v, &base);
    sonde_tape_clear(&base);
}

/* The nearest input may have draws at their ends already, which then cannot come nearer; another input shows their
 * influence. */
void sonde_probe_branch(struct sonde_prober *x, struct sonde_evidence *v)
{
    examine_input(x, v, v->site->sample);
    if (!v->is_taken && !v->is_guarded && v->site->other != v->site->sample) examine_input(x, v, v->site->other);
}
