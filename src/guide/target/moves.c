/* See moves.h. */
#include "guide/target/moves.h"

#include "base/hash.h"
#include "base/mem.h"
#include "guide/plain/number.h"
#include "tape/script.h"

#include <math.h>
#include <string.h>

enum {
    FEW_VALUES = 7, /* if the maximum of a site is at most this, its values are part of a plan's key */
    TRIES = 8,      /* number of random parts that are tried for a move */
    RUN = 64        /* maximum number of elements of a block */
};
#define NO_SYMBOL UINT32_MAX

const char *const sonde_move_names[SONDE_MOVE_COUNT] = {"even",       "step",  "take",    "swap",    "opposite",
                                                        "same",       "twin",  "relabel", "shuffle", "cross",
                                                        "difference", "spans", "repair",  "between", "list",
                                                        "lists",      "block", "run",     "blob",    "mutant"};

void sonde_moves_init(struct sonde_moves *m, struct sonde_rng *rng, struct sonde_mutate *mutate)
{
    memset(m, 0, sizeof *m);
    m->rng = rng;
    m->mutate = mutate;
    sonde_tape_init(&m->scratch);
}

void sonde_moves_clear(struct sonde_moves *m)
{
    sonde_tape_clear(&m->scratch);
}

static uint32_t below(struct sonde_moves *m, uint32_t n)
{
    return (uint32_t)sonde_rng_upto(m->rng, n - 1);
}

static bool toss(struct sonde_moves *m)
{
    return sonde_rng_next(m->rng) >> 63;
}

/* ---- Cells */

static bool is_number(const struct sonde_choice *c)
{
    return c->max > 0 && !(c->flags & SONDE_CHOICE_HOLE) && c->kind <= SONDE_KIND_DOUBLE;
}

static void add_cell(struct sonde_moves *m, uint32_t choice, uint32_t symbol, uint32_t site, uint64_t max)
{
    m->cells[m->n_cells++] = (struct sonde_move_cell){choice, symbol, site, max};
    for (uint32_t i = m->n_groups; i-- > 0;)
        if (m->groups[i] == site) return;
    if (m->n_groups < SONDE_MOVE_GROUPS) m->groups[m->n_groups++] = site;
}

void sonde_moves_read(struct sonde_moves *m, const struct sonde_tape *t)
{
    m->n_cells = m->n_groups = 0;
    for (uint32_t i = 0; i < t->n_choices && m->n_cells < SONDE_MOVE_CELLS; i++) {
        const struct sonde_choice *c = &t->choices[i];
        if (is_number(c)) add_cell(m, i, NO_SYMBOL, c->site, c->max);
        if (c->kind != SONDE_KIND_BLOB || c->flags & SONDE_CHOICE_HOLE) continue;
        struct sonde_blob b = sonde_choice_blob(t, c);
        for (uint32_t k = 0; k < b.len && m->n_cells < SONDE_MOVE_CELLS && b.alphabet.size > 1; k++)
            add_cell(m, i, k, c->site, b.alphabet.size - 1);
    }
}

static bool is_double(const struct sonde_tape *t, const struct sonde_move_cell *e)
{
    return e->symbol == NO_SYMBOL && t->choices[e->choice].kind == SONDE_KIND_DOUBLE;
}

/* Returns how far a cell is above the least value of its domain; for doubles, the index. */
static uint64_t get(const struct sonde_tape *t, const struct sonde_move_cell *e)
{
    const struct sonde_choice *c = &t->choices[e->choice];
    if (e->symbol != NO_SYMBOL) {
        struct sonde_blob b = sonde_choice_blob(t, c);
        return sonde_blob_symbol(&b, e->symbol);
    }
    if (c->kind != SONDE_KIND_INT) return c->index;
    return (uint64_t)sonde_int_value((int64_t)c->base, c->max, c->index) - c->base;
}

static void set(struct sonde_tape *t, const struct sonde_move_cell *e, uint64_t value)
{
    struct sonde_choice *c = &t->choices[e->choice];
    if (e->symbol != NO_SYMBOL) sonde_tape_set_symbol(t, c, e->symbol, (uint32_t)value);
    else if (c->kind == SONDE_KIND_INT)
        c->index = sonde_int_index((int64_t)c->base, c->max, (int64_t)(c->base + value));
    else c->index = value;
}

double sonde_move_total(const struct sonde_tape *t, uint32_t site)
{
    double total = 0;
    for (uint32_t i = 0; i < t->n_choices; i++) {
        const struct sonde_choice *c = &t->choices[i];
        if (c->site == site && is_number(c) && c->kind != SONDE_KIND_DOUBLE)
            total += (double)get(t, &(struct sonde_move_cell){i, NO_SYMBOL, site, c->max}) + (double)(int64_t)c->base;
    }
    return total;
}

bool sonde_move_shift(struct sonde_tape *t, const struct sonde_move_cell *e, double by)
{
    uint64_t at = get(t, e), step = (uint64_t)fmin(fabs(by), 1e18);
    if (is_double(t, e)) {
        sonde_choice_move(t, e->choice, by);
        return t->choices[e->choice].index != at;
    }
    if (e->symbol != NO_SYMBOL) {
        uint64_t size = e->max + 1, up = by > 0 ? step % size : size - step % size;
        set(t, e, (at + up) % size);
        return step % size != 0;
    }
    if (step == 0 || (by > 0 ? e->max - at < step : at < step)) return false;
    set(t, e, by > 0 ? at + step : at - step);
    return true;
}

static uint64_t any_value(struct sonde_moves *m, const struct sonde_tape *t, const struct sonde_move_cell *e)
{
    if (is_double(t, e)) {
        struct sonde_double_bounds b = sonde_choice_bounds(t, &t->choices[e->choice]);
        if (!isinf(b.hi)) return sonde_double_index(b, sonde_double_between(b, sonde_rng_unit(m->rng)));
    }
    return sonde_rng_upto(m->rng, e->max);
}

static bool are_alike(const struct sonde_move_cell *a, const struct sonde_move_cell *b)
{
    return a->group == b->group && a->max == b->max;
}

/* Returns another cell of the site of cell i, with the value *same if `same` is not NULL; UINT32_MAX if there is
 * none. */
static uint32_t partner(struct sonde_moves *m, const struct sonde_tape *t, uint32_t i, const uint64_t *same)
{
    uint32_t start = below(m, m->n_cells);
    for (uint32_t k = 0; k < m->n_cells; k++) {
        uint32_t at = start + k < m->n_cells ? start + k : start + k - m->n_cells;
        if (at == i || !are_alike(&m->cells[at], &m->cells[i])) continue;
        if (!same || get(t, &m->cells[at]) == *same) return at;
    }
    return UINT32_MAX;
}

/* ---- Plans */

/* Returns half of the time a random cell, else a cell of a random site, so that sites with few cells get enough
 * tries. */
static uint32_t any_cell(struct sonde_moves *m)
{
    uint32_t start = below(m, m->n_cells), site = m->groups[below(m, m->n_groups)];
    if (toss(m)) return start;
    for (uint32_t k = 0; k < m->n_cells; k++) {
        uint32_t at = start + k < m->n_cells ? start + k : start + k - m->n_cells;
        if (m->cells[at].group == site) return at;
    }
    return start;
}

static bool plan_partner(struct sonde_moves *m, const struct sonde_tape *t, struct sonde_move_plan *p)
{
    bool is_any = p->move == SONDE_MOVE_OPPOSITE || p->move == SONDE_MOVE_SAME;
    if (m->n_cells < 2) return false;
    p->j = is_any && below(m, 5) < 2 ? UINT32_MAX : partner(m, t, p->i, NULL);
    if (p->j != UINT32_MAX) return true;
    p->j = (p->i + 1 + below(m, m->n_cells - 1)) % m->n_cells;
    return is_any;
}

static void plan_amount(struct sonde_moves *m, struct sonde_move_plan *p)
{
    p->bits = (int)below(m, (uint32_t)(64 - __builtin_clzll(m->cells[p->i].max | 1)));
    p->sign = toss(m) ? 1 : -1;
}

/* Returns a number for the values of the cells if their domain is small, else 0. Two cells are taken in their order on
 * the tape. */
static uint64_t values_of(const struct sonde_moves *m, const struct sonde_tape *t, const struct sonde_move_plan *p)
{
    const struct sonde_move_cell *x = &m->cells[p->i], *y = &m->cells[p->j];
    if (x->max > FEW_VALUES) return 0;
    if (p->move == SONDE_MOVE_EVEN) return 1 + p->value * (FEW_VALUES + 1) + get(t, x);
    if (p->move != SONDE_MOVE_SWAP) return 0;
    const struct sonde_move_cell *first = p->i < p->j ? x : y, *second = p->i < p->j ? y : x;
    return 1 + get(t, first) * (FEW_VALUES + 1) + get(t, second);
}

static uint32_t key_of(enum sonde_move move, uint64_t sites, uint64_t more)
{
    return (uint32_t)sonde_mix(sonde_hash_add(sonde_hash_add(sites, move), more)) | 1;
}

void sonde_move_plan_at(struct sonde_moves *m, const struct sonde_tape *t, enum sonde_move move, uint32_t cell,
                        struct sonde_move_plan *p)
{
    *p = (struct sonde_move_plan){.move = move, .i = cell};
    if (move == SONDE_MOVE_STEP) plan_amount(m, p);
    else p->value = any_value(m, t, &m->cells[cell]);
    p->key = key_of(move, (uint64_t)m->cells[cell].group << 32, values_of(m, t, p) << 8 | (uint64_t)(p->bits / 2));
}

bool sonde_move_plan(struct sonde_moves *m, const struct sonde_tape *t, enum sonde_move move, struct sonde_move_plan *p)
{
    *p = (struct sonde_move_plan){.move = move, .key = key_of(move, 0, 0)};
    if (move == SONDE_MOVE_REPAIR) return false;
    if (move == SONDE_MOVE_CROSS) return m->like[0] && m->n_cells > 1;
    if (move == SONDE_MOVE_DIFFERENCE) return m->like[1] != NULL;
    if (move == SONDE_MOVE_SPANS || sonde_move_is_structural(move)) return true;
    if (m->n_cells == 0) return false;
    p->i = any_cell(m);
    if (move == SONDE_MOVE_EVEN || move == SONDE_MOVE_STEP) {
        sonde_move_plan_at(m, t, move, p->i, p);
        return true;
    }
    bool is_pair = move == SONDE_MOVE_OPPOSITE || move == SONDE_MOVE_SAME;
    bool is_of_site =
        move == SONDE_MOVE_SWAP || move == SONDE_MOVE_TWIN || move == SONDE_MOVE_RELABEL || move == SONDE_MOVE_SHUFFLE;
    if ((is_pair || is_of_site) && !plan_partner(m, t, p)) return false;
    if (is_pair) plan_amount(m, p);
    uint64_t a = m->cells[p->i].group, b = is_pair ? m->cells[p->j].group : 0;
    uint64_t sites = is_pair && a > b ? b << 32 | a : a << 32 | b;
    p->key = key_of(move, sites, values_of(m, t, p) << 8 | (uint64_t)(p->bits / 2));
    return true;
}

/* ---- Moves of cells */

static double amount(struct sonde_moves *m, const struct sonde_move_plan *p)
{
    return p->sign * trunc(ldexp(1 + sonde_rng_unit(m->rng), p->bits));
}

static bool move_even(struct sonde_moves *m, const struct sonde_move_plan *p, struct sonde_tape *t)
{
    const struct sonde_move_cell *x = &m->cells[p->i];
    uint64_t before = get(t, x), now = p->value == before ? any_value(m, t, x) : p->value;
    if (now == before) return false;
    set(t, x, now);
    if (x->max == 1 && x->symbol == NO_SYMBOL) t->choices[x->choice].flags ^= SONDE_CHOICE_TURNED;
    return true;
}

static bool move_take(struct sonde_moves *m, const struct sonde_move_plan *p, struct sonde_tape *t)
{
    const struct sonde_move_cell *x = &m->cells[p->i];
    struct sonde_choice *mine = &t->choices[x->choice];
    uint32_t n = m->other->n_choices, start = n ? below(m, n) : 0;
    for (uint32_t k = 0; k < n && x->symbol == NO_SYMBOL; k++) {
        const struct sonde_choice *c = &m->other->choices[start + k < n ? start + k : start + k - n];
        if (c->site != mine->site || c->max != mine->max || c->kind != mine->kind) continue;
        bool differs = c->index != mine->index && c->kind != SONDE_KIND_DOUBLE;
        if (differs) mine->index = c->index;
        return differs;
    }
    return false;
}

static bool move_swap(struct sonde_moves *m, const struct sonde_move_plan *p, struct sonde_tape *t)
{
    const struct sonde_move_cell *x = &m->cells[p->i], *y = &m->cells[p->j];
    uint64_t a = get(t, x), b = get(t, y);
    set(t, x, b);
    set(t, y, a);
    return a != b;
}

static bool move_pair(struct sonde_moves *m, const struct sonde_move_plan *p, struct sonde_tape *t)
{
    double by = amount(m, p);
    return sonde_move_shift(t, &m->cells[p->i], by)
           && sonde_move_shift(t, &m->cells[p->j], p->move == SONDE_MOVE_SAME ? by : -by);
}

static bool move_twin(struct sonde_moves *m, const struct sonde_move_plan *p, struct sonde_tape *t)
{
    uint64_t before = get(t, &m->cells[p->i]), now = any_value(m, t, &m->cells[p->i]);
    uint32_t other = partner(m, t, p->i, &before);
    if (other == UINT32_MAX || now == before) return false;
    set(t, &m->cells[p->i], now);
    set(t, &m->cells[other], now);
    return true;
}

static bool move_relabel(struct sonde_moves *m, const struct sonde_move_plan *p, struct sonde_tape *t)
{
    const struct sonde_move_cell *x = &m->cells[p->i];
    uint64_t before = get(t, x), now = toss(m) ? get(t, &m->cells[p->j]) : any_value(m, t, x);
    if (now == before) return false;
    for (uint32_t k = 0; k < m->n_cells; k++) {
        const struct sonde_move_cell *e = &m->cells[k];
        if (!are_alike(e, x)) continue;
        uint64_t v = get(t, e);
        if (v == before) set(t, e, now);
        else if (v == now) set(t, e, before);
    }
    return true;
}

static bool move_shuffle(struct sonde_moves *m, const struct sonde_move_plan *p, struct sonde_tape *t)
{
    uint32_t all[SONDE_MOVE_CELLS], n = 0;
    uint64_t v[SONDE_MOVE_CELLS];
    for (uint32_t k = 0; k < m->n_cells; k++)
        if (are_alike(&m->cells[k], &m->cells[p->i])) all[n++] = k;
    if (n < 3) return false;
    uint32_t len = 2 + below(m, n - 1), from = below(m, n - len + 1), how = below(m, 3), by = 1 + below(m, len - 1);
    for (uint32_t k = 0; k < len; k++) v[k] = get(t, &m->cells[all[from + k]]);
    for (uint32_t k = len - 1; how == 0 && k > 0; k--) {
        uint32_t o = below(m, k + 1);
        uint64_t x = v[k];
        v[k] = v[o];
        v[o] = x;
    }
    for (uint32_t k = 0; k < len; k++) {
        uint32_t take = how == 0 ? k : how == 1 ? len - 1 - k : (k + by) % len;
        set(t, &m->cells[all[from + k]], v[take]);
    }
    return true;
}

/* Reports whether two tapes of one shape have the same domain at this cell. */
static bool agree_at(const struct sonde_tape *a, const struct sonde_tape *b, const struct sonde_move_cell *e)
{
    const struct sonde_choice *x = &a->choices[e->choice], *y = &b->choices[e->choice];
    if (e->choice >= b->n_choices || x->kind != y->kind || x->max != y->max) return false;
    if (x->kind != SONDE_KIND_BLOB) return x->kind == SONDE_KIND_DOUBLE || x->base == y->base;
    struct sonde_blob p = sonde_choice_blob(a, x), q = sonde_choice_blob(b, y);
    return p.alphabet.size == q.alphabet.size && e->symbol < q.len;
}

static bool move_cross(struct sonde_moves *m, const struct sonde_move_plan *p, struct sonde_tape *t)
{
    uint32_t a = below(m, m->n_cells), b = a + 1 + below(m, m->n_cells - a);
    bool changed = false;
    (void)p;
    for (uint32_t k = a; k < b; k++) {
        const struct sonde_move_cell *e = &m->cells[k];
        if (!agree_at(t, m->like[0], e)) return false;
        uint64_t x = get(m->like[0], e);
        if (is_double(t, e)) continue;
        changed |= x != get(t, e);
        set(t, e, x);
    }
    return changed;
}

static bool move_difference(struct sonde_moves *m, const struct sonde_move_plan *plan, struct sonde_tape *t)
{
    const struct sonde_tape *p = m->like[0], *q = m->like[1];
    bool changed = false;
    (void)plan;
    for (uint32_t k = 0; k < m->n_cells; k++) {
        const struct sonde_move_cell *e = &m->cells[k];
        if (!agree_at(t, p, e) || !agree_at(t, q, e)) return false;
        if (is_double(t, e)) continue;
        double by = (double)get(q, e) - (double)get(p, e);
        if (by == 0) continue;
        if (!sonde_move_shift(t, e, by)) return false;
        changed = true;
    }
    return changed;
}

/* ---- Moves of parts */

static bool move_spans(struct sonde_moves *m, struct sonde_tape *t)
{
    for (int i = 0; i < TRIES && t->n_spans > 2; i++) {
        uint32_t a = 1 + below(m, t->n_spans - 1), b = 1 + below(m, t->n_spans - 1);
        const struct sonde_tape_span *x = &t->spans[a < b ? a : b], *y = &t->spans[a < b ? b : a];
        if (a == b || x->next > (a < b ? b : a) || x->label != y->label || x->start == x->end) continue;
        sonde_script_swap(&m->scratch, t, a < b ? a : b, a < b ? b : a);
        bool differs = sonde_tape_hash(t) != sonde_tape_hash(&m->scratch);
        sonde_tape_swap(t, &m->scratch);
        return differs;
    }
    return false;
}

/* Returns a random element of a list; SONDE_NO_SPAN if a few tries find none. */
static uint32_t any_element(struct sonde_moves *m, const struct sonde_tape *t)
{
    for (int i = 0; i < TRIES && t->n_spans > 1; i++) {
        uint32_t e = 1 + below(m, t->n_spans - 1);
        if (t->spans[e].flags & SONDE_SPAN_ELEMENT && sonde_list_length(t, t->spans[e].parent) != UINT32_MAX) return e;
    }
    return SONDE_NO_SPAN;
}

static struct sonde_choice *length_of(const struct sonde_tape *t, uint32_t element)
{
    return &t->choices[sonde_list_length(t, t->spans[element].parent)];
}

/* Draws the numbers of an element between the numbers of the elements around it. `at` is the element, still a copy of a
 * neighbour. */
static void draw_between(struct sonde_moves *m, struct sonde_tape *t, uint32_t at, uint32_t before)
{
    const struct sonde_tape_span *s = &t->spans[at], *p = before == SONDE_NO_SPAN ? NULL : &t->spans[before];
    uint32_t n = s->end - s->start;
    for (uint32_t k = 0; k < n; k++) {
        const struct sonde_choice *c = &t->choices[s->start + k];
        struct sonde_move_cell e = {s->start + k, NO_SYMBOL, 0, c->max}, q = e;
        if (!is_number(c) || c->kind == SONDE_KIND_DOUBLE) continue;
        uint64_t here = get(t, &e), lo = 0, hi = e.max;
        if (p && p->end - p->start == n && t->choices[p->start + k].max == c->max) {
            q.choice = p->start + k;
            uint64_t there = get(t, &q);
            lo = there < here ? there : here, hi = there < here ? here : there;
        } else if (toss(m)) lo = here;
        else hi = here;
        set(t, &e, lo + sonde_rng_upto(m->rng, hi - lo));
    }
}

static bool move_between(struct sonde_moves *m, struct sonde_tape *t)
{
    uint32_t e = any_element(m, t), before = SONDE_NO_SPAN;
    if (e == SONDE_NO_SPAN || length_of(t, e)->index >= length_of(t, e)->max) return false;
    uint32_t parent = t->spans[e].parent;
    for (uint32_t i = parent + 1; i < e; i = t->spans[i].next)
        if (t->spans[i].flags & SONDE_SPAN_ELEMENT) before = i;
    bool is_last = t->spans[e].next >= t->spans[parent].next && toss(m);
    sonde_script_insert(&m->scratch, t, parent, is_last ? SONDE_NO_SPAN : e, t, e);
    sonde_tape_swap(t, &m->scratch);
    draw_between(m, t, is_last ? t->spans[e].next : e, is_last ? SONDE_NO_SPAN : before);
    return true;
}

/* Lists the elements of a list from `first` on; returns their number, at most RUN. */
static uint32_t elements_from(const struct sonde_tape *t, uint32_t first, uint32_t end, uint32_t out[RUN])
{
    uint32_t n = 0;
    for (uint32_t i = first; i < end && n < RUN; i = t->spans[i].next)
        if (t->spans[i].flags & SONDE_SPAN_ELEMENT) out[n++] = i;
    return n;
}

static bool drop_block(struct sonde_moves *m, struct sonde_tape *t, uint32_t e)
{
    uint32_t all[RUN], n = elements_from(t, e, t->spans[t->spans[e].parent].next, all);
    n = 1 + below(m, n);
    if (n > length_of(t, e)->index) return false;
    sonde_script_without(&m->scratch, t, all, n);
    sonde_tape_swap(t, &m->scratch);
    return true;
}

/* Returns a list of this label in the other tape; SONDE_NO_SPAN if that tape has none. */
static uint32_t like_list(struct sonde_moves *m, uint32_t label)
{
    const struct sonde_tape *from = m->other;
    uint32_t start = from->n_spans ? below(m, from->n_spans) : 0;
    for (uint32_t k = 0; k < from->n_spans; k++) {
        uint32_t at = start + k < from->n_spans ? start + k : start + k - from->n_spans;
        if (from->spans[at].label == label && from->spans[at].flags & SONDE_SPAN_LIST) return at;
    }
    return SONDE_NO_SPAN;
}

static bool move_block(struct sonde_moves *m, struct sonde_tape *t)
{
    uint32_t e = any_element(m, t), all[RUN];
    if (e == SONDE_NO_SPAN) return false;
    if (below(m, 3) == 0) return drop_block(m, t, e);
    uint32_t parent = t->spans[e].parent, list = like_list(m, t->spans[parent].label);
    if (list == SONDE_NO_SPAN) return false;
    uint32_t n = elements_from(m->other, list + 1, m->other->spans[list].next, all);
    if (!n) return false;
    uint32_t first = toss(m) ? 0 : below(m, n), many = toss(m) ? n - first : 1 + below(m, n - first);
    if (many > length_of(t, e)->max - length_of(t, e)->index) return false;
    uint32_t before = below(m, 3) == 0 ? SONDE_NO_SPAN : e;
    for (uint32_t k = 0; k < many; k++) {
        uint32_t by = all[first + k];
        sonde_script_insert(&m->scratch, t, parent, before, m->other, by);
        sonde_tape_swap(t, &m->scratch);
        if (before != SONDE_NO_SPAN) before += m->other->spans[by].next - by;
    }
    return true;
}

/* Returns the position of the second of two symbols to insert or delete: mirrored, or random. */
static uint32_t second_place(struct sonde_moves *m, uint32_t place, uint32_t n, bool mirrored)
{
    if (!mirrored) return below(m, n);
    return place < n ? n - 1 - place : 0;
}

static bool move_blob(struct sonde_moves *m, struct sonde_tape *t)
{
    uint32_t symbols[SONDE_MOVE_CELLS + 2], at = UINT32_MAX, start = t->n_choices ? below(m, t->n_choices) : 0;
    for (uint32_t k = 0; k < t->n_choices && at == UINT32_MAX; k++) {
        uint32_t i = start + k < t->n_choices ? start + k : start + k - t->n_choices;
        if (t->choices[i].kind == SONDE_KIND_BLOB) at = i;
    }
    if (at == UINT32_MAX) return false;
    struct sonde_blob b = sonde_choice_blob(t, &t->choices[at]);
    if (b.len > SONDE_MOVE_CELLS || b.alphabet.size < 2) return false;
    sonde_blob_read(&b, symbols, b.len);
    uint32_t len = b.len, times = 1 + below(m, 2), place = below(m, len + 1);
    uint32_t symbol = below(m, 3) == 0 ? 0 : toss(m) && len ? symbols[below(m, len)] : below(m, b.alphabet.size);
    bool is_mirrored = toss(m), comes = toss(m);
    if (comes ? len + times > b.max : len < b.min + times) return false;
    for (uint32_t k = 0; k < times; k++) {
        uint32_t x = k == 0 ? place : second_place(m, place, len + comes, is_mirrored);
        if (!comes && x >= len) x = len - 1;
        if (comes) memmove(symbols + x + 1, symbols + x, (len - x) * sizeof *symbols);
        else memmove(symbols + x, symbols + x + 1, (len - x - 1) * sizeof *symbols);
        if (comes) symbols[x] = symbol;
        len = comes ? len + 1 : len - 1;
    }
    t->choices[at].base = sonde_tape_add_blob(t, &b, symbols, len);
    t->choices[at].index = len - b.min;
    return true;
}

/* Returns a random choice of this site from `from` on; UINT32_MAX if there is none. */
static uint32_t any_of_site(struct sonde_moves *m, const struct sonde_tape *t, uint32_t from, uint32_t site)
{
    uint32_t n = t->n_choices > from ? t->n_choices - from : 0, start = n ? below(m, n) : 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t at = from + (start + k < n ? start + k : start + k - n);
        if (t->choices[at].site == site) return at;
    }
    return UINT32_MAX;
}

static void add_choices(struct sonde_tape *to, const struct sonde_tape *from, uint32_t start, uint32_t end)
{
    for (uint32_t i = start; i < end; i++) sonde_tape_add(to, &from->choices[i]);
}

/* Deletes or inserts one or several iterations of a loop that draws without a list or a span. They begin at a choice of
 * some site and end before another choice of that site. */
static bool move_run(struct sonde_moves *m, struct sonde_tape *t)
{
    bool drops = toss(m);
    const struct sonde_tape *source = drops || toss(m) ? t : m->other;
    if (t->n_spans > 1 || source->n_spans > 1 || t->n_bytes || source->n_bytes || !t->n_choices) return false;
    uint32_t at = below(m, t->n_choices), site = t->choices[at].site;
    uint32_t start = drops ? at : any_of_site(m, source, 0, site);
    uint32_t end = start == UINT32_MAX ? UINT32_MAX : any_of_site(m, source, start + 1, site);
    if (end == UINT32_MAX) return false;
    sonde_tape_begin(&m->scratch);
    add_choices(&m->scratch, t, 0, at);
    if (!drops) add_choices(&m->scratch, source, start, end);
    add_choices(&m->scratch, t, drops ? end : at, t->n_choices);
    sonde_tape_end(&m->scratch);
    sonde_tape_swap(t, &m->scratch);
    return true;
}

bool sonde_move_make(struct sonde_moves *m, const struct sonde_move_plan *p, struct sonde_tape *t)
{
    m->used = 0;
    switch (p->move) {
    case SONDE_MOVE_EVEN: return move_even(m, p, t);
    case SONDE_MOVE_STEP: return sonde_move_shift(t, &m->cells[p->i], amount(m, p));
    case SONDE_MOVE_TAKE: return move_take(m, p, t);
    case SONDE_MOVE_SWAP: return move_swap(m, p, t);
    case SONDE_MOVE_OPPOSITE:
    case SONDE_MOVE_SAME: return move_pair(m, p, t);
    case SONDE_MOVE_TWIN: return move_twin(m, p, t);
    case SONDE_MOVE_RELABEL: return move_relabel(m, p, t);
    case SONDE_MOVE_SHUFFLE: return move_shuffle(m, p, t);
    case SONDE_MOVE_CROSS: return move_cross(m, p, t);
    case SONDE_MOVE_DIFFERENCE: return move_difference(m, p, t);
    case SONDE_MOVE_SPANS: return move_spans(m, t);
    case SONDE_MOVE_BETWEEN: return move_between(m, t);
    case SONDE_MOVE_LIST: return sonde_mutate_list(m->mutate, t);
    case SONDE_MOVE_LISTS: return sonde_mutate_list(m->mutate, t) && sonde_mutate_list(m->mutate, t);
    case SONDE_MOVE_BLOCK: return move_block(m, t);
    case SONDE_MOVE_RUN: return move_run(m, t);
    case SONDE_MOVE_BLOB: return move_blob(m, t);
    default: m->used = sonde_mutate(m->mutate, t); return m->used != 0;
    }
}
