/* The base of an attack: its numbers, the comparisons before the goal, and how they change with one step (attack.h). */
#include "guide/goal/attack_parts.h"

#include <math.h>
#include <string.h>

enum { DIRECTIONS = 24 }; /* directions that are probed */

void sonde_attack_enter(struct sonde_attack *a, enum sonde_attack_phase phase)
{
    a->phase = phase;
    a->at = a->tries = 0;
}

/* ---- The goal as a number */

int64_t sonde_attack_wanted(const struct sonde_attack *a)
{
    return a->want == SONDE_IS_EQUAL ? 0 : a->want & (SONDE_IS_LESS | SONDE_IS_BELOW) ? -1 : 1;
}

int64_t sonde_attack_gap(const struct sonde_comparison *c)
{
    return sonde_wrap(c->a - c->b, c->bytes);
}

/* Of doubles, < and > are a little beyond 0. */
double sonde_attack_miss(const struct sonde_attack *a, const struct sonde_comparison *c)
{
    double apart = sonde_difference(c, a->want <= SONDE_IS_GREATER), beyond = (double)sonde_attack_wanted(a);
    return apart - (c->bytes ? beyond : beyond * sonde_fraction(&a->rows[0]));
}

/* ---- Writing cases */

/* Adds step * by to the change of a number; returns false if that overflows. */
static bool add_change(int64_t *change, int64_t step, int64_t by)
{
    int64_t product;
    return !__builtin_mul_overflow(step, by, &product) && !__builtin_add_overflow(*change, product, change);
}

bool sonde_attack_write(const struct sonde_attack *a, const int64_t *steps, struct sonde_tape *script)
{
    int64_t changes[SONDE_ATTACK_NUMBERS] = {0};
    bool is_changed = false;
    for (uint32_t i = 0; i < a->lines.n_axes; i++)
        for (uint32_t k = 0; steps[i] && k < a->axes[i].n; k++)
            if (!add_change(&changes[a->axes[i].parts[k].number], steps[i], a->axes[i].parts[k].by)) return false;
    sonde_tape_copy(script, &a->tape);
    for (uint32_t i = 0; i < a->n_numbers; i++) {
        const struct sonde_number *n = &a->numbers[i];
        if (!changes[i]) continue;
        bool fits = changes[i] < 0 ? 0 - (uint64_t)changes[i] <= n->at : (uint64_t)changes[i] <= n->max - n->at;
        if (!fits || !sonde_number_put(script, n, n->at + (uint64_t)changes[i])) return false;
        is_changed = true;
    }
    return is_changed;
}

bool sonde_attack_write_one(const struct sonde_attack *a, uint32_t axis, int64_t step, struct sonde_tape *script)
{
    int64_t steps[SONDE_LINES_AXES];
    memset(steps, 0, a->lines.n_axes * sizeof *steps);
    steps[axis] = step;
    return sonde_attack_write(a, steps, script);
}

/* ---- Setting up */

static void add_row(struct sonde_attack *a, const struct sonde_comparison *c)
{
    struct sonde_lines *l = &a->lines;
    bool is_goal = l->n_rows == 0;
    struct sonde_goal_line *row = &l->rows[l->n_rows];
    a->rows[l->n_rows++] = *c;
    row->bytes = c->bytes;
    row->now = c->bytes ? sonde_attack_gap(c) : 0;
    row->want = is_goal ? sonde_attack_wanted(a) : 0;
    row->is_equation = is_goal || c->a == c->b;
    a->facts[l->n_rows - 1] = 0;
}

/* A row without an equation keeps its sign. Sides that were equal may also differ as probes showed. */
static void set_bounds(struct sonde_goal_line *row, uint8_t facts)
{
    bool may_fall = row->now < 0 || facts & SONDE_ROW_LESS, may_rise = row->now > 0 || facts & SONDE_ROW_GREATER;
    row->least = may_fall ? INT64_MIN : row->now > 0;
    row->most = may_rise ? INT64_MAX : -(row->now < 0);
}

void sonde_attack_narrow(struct sonde_attack *a, bool is_narrow)
{
    const uint8_t sides = SONDE_ROW_FIRST | SONDE_ROW_SECOND;
    for (uint32_t r = 1; r < a->lines.n_rows; r++) {
        struct sonde_goal_line *row = &a->lines.rows[r];
        int64_t x = (int64_t)a->rows[r].a, y = (int64_t)a->rows[r].b;
        set_bounds(row, a->facts[r]);
        if (!is_narrow || x < 0 || y < 0) continue;
        if (x <= y && (a->facts[r] & sides) == SONDE_ROW_FIRST) row->least = row->now - x;
        if (y <= x && (a->facts[r] & sides) == SONDE_ROW_SECOND) row->most = row->now + y;
    }
}

/* The goal first, then the equalities of the path, the latest first, then its other comparisons. */
static void read_rows(struct sonde_attack *a, const struct sonde_frontier *f, const struct sonde_comparison *goal)
{
    a->lines.n_rows = 0;
    add_row(a, goal);
    for (int pass = 0; pass < 2; pass++)
        for (const struct sonde_comparison *c = goal; c-- > f->log && a->lines.n_rows < SONDE_LINES_ROWS;)
            if (pass == 0 ? c->bytes && c->a == c->b : !c->bytes || c->a != c->b) {
                add_row(a, c);
                bool is_last = !sonde_frontier_find(f, c->id, (uint16_t)(c->nth + 1));
                if (is_last) a->facts[a->lines.n_rows - 1] |= SONDE_ROW_LAST;
            }
}

void sonde_attack_read_numbers(struct sonde_attack *a)
{
    struct sonde_lines *l = &a->lines;
    a->n_numbers = l->n_axes = sonde_numbers_read(&a->tape, a->numbers, SONDE_ATTACK_NUMBERS);
    a->has_directions = false;
    for (uint32_t i = 0; i < a->n_numbers; i++) {
        const struct sonde_number *n = &a->numbers[i];
        bool is_real = n->part == SONDE_NUMBER_REAL;
        a->axes[i] = (struct sonde_axis){.n = 1, .parts = {{i, 1}}};
        l->up[i] = is_real ? 0 : n->max - n->at;
        l->down[i] = is_real ? 0 : n->at;
        l->is_joint[i] = false;
    }
}

static void forget_slopes(struct sonde_attack *a)
{
    struct sonde_lines *l = &a->lines;
    for (uint32_t r = 0; r < SONDE_LINES_ROWS; r++) memset(l->rows[r].slopes, 0, sizeof l->rows[r].slopes);
    memset(l->leaves, 0, sizeof l->leaves);
    memset(a->moves, 0, sizeof a->moves);
    memset(a->step, 0, sizeof a->step);
}

void sonde_attack_rebase(struct sonde_attack *a, const struct sonde_frontier *f, const struct sonde_run *run,
                         const struct sonde_comparison *goal, bool is_whole)
{
    uint32_t before = a->n_numbers;
    sonde_tape_copy(&a->tape, run->tape);
    sonde_tape_end(&a->tape);
    sonde_attack_read_numbers(a);
    read_rows(a, f, goal);
    sonde_attack_narrow(a, false);
    a->probes_all = is_whole || a->n_numbers != before;
    if (a->probes_all) forget_slopes(a);
    sonde_attack_enter(a, SONDE_ATTACK_PROBE);
}

/* ---- Probes */

/* Appends a direction that contains this number. Its range is the least of its parts' ranges. */
static void add_direction(struct sonde_attack *a, uint32_t number, struct sonde_rng *rng)
{
    struct sonde_lines *l = &a->lines;
    int64_t by[SONDE_LINES_AXES];
    struct sonde_axis axis = {0};
    uint64_t up = INT64_MAX, down = INT64_MAX;
    if (!sonde_lines_direction(l, number, rng, by)) return;
    for (uint32_t i = 0; i < a->n_numbers; i++) {
        if (!by[i]) continue;
        uint64_t size = by[i] < 0 ? 0 - (uint64_t)by[i] : (uint64_t)by[i];
        uint64_t ups = (by[i] > 0 ? l->up[i] : l->down[i]) / size, downs = (by[i] > 0 ? l->down[i] : l->up[i]) / size;
        if (ups < up) up = ups;
        if (downs < down) down = downs;
        if (axis.n == SONDE_ATTACK_PARTS) return;
        axis.parts[axis.n].number = i;
        axis.parts[axis.n++].by = by[i];
    }
    if (up == 0 && down == 0) return;
    uint32_t at = l->n_axes++;
    a->axes[at] = axis;
    l->up[at] = up;
    l->down[at] = down;
    l->is_joint[at] = true;
}

static void add_directions(struct sonde_attack *a, struct sonde_rng *rng)
{
    uint32_t bound[SONDE_ATTACK_NUMBERS], n = 0;
    a->has_directions = true;
    if (!a->bytes) return;
    for (uint32_t i = 0; i < a->n_numbers; i++)
        if (sonde_lines_is_bound(&a->lines, i)) bound[n++] = i;
    for (uint32_t k = 0; k < n && k < DIRECTIONS && a->lines.n_axes < SONDE_LINES_AXES; k++)
        add_direction(a, bound[n <= DIRECTIONS ? k : sonde_rng_upto(rng, n - 1)], rng);
    a->work += n * a->lines.n_rows;
}

bool sonde_attack_plan_probe(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script)
{
    if (a->at == a->lines.n_axes && a->probes_all && !a->has_directions) add_directions(a, rng);
    for (; a->at < a->lines.n_axes; a->at++) {
        if (!a->probes_all && !a->lines.rows[0].slopes[a->at]) continue;
        bool has_left = a->lines.leaves[a->at] && a->probes_all && a->at < a->n_numbers;
        bool was_down = !a->probes_all && a->step[a->at] < 0;
        a->step[a->at] = 1;
        if (!has_left && !was_down && sonde_attack_write_one(a, a->at, 1, script)) return true;
        a->step[a->at] = -1;
        if (sonde_attack_write_one(a, a->at, -1, script)) return true;
        a->step[a->at] = 0;
    }
    if (!a->has_directions && a->probes_all) return sonde_attack_plan_probe(a, rng, script);
    sonde_attack_enter(a, a->bytes ? SONDE_ATTACK_LINE : SONDE_ATTACK_SAMPLE);
    return false;
}

static void learn_row(struct sonde_attack *a, uint32_t r, uint32_t axis, const struct sonde_comparison *c)
{
    struct sonde_goal_line *row = &a->lines.rows[r];
    int64_t change = c && row->bytes ? sonde_wrap((uint64_t)sonde_attack_gap(c) - (uint64_t)row->now, c->bytes) : 0;
    row->slopes[axis] = a->step[axis] < 0 ? (int64_t)(0 - (uint64_t)change) : change;
    if (!c) return;
    if (c->a != a->rows[r].a) a->facts[r] |= SONDE_ROW_FIRST;
    if (c->b != a->rows[r].b) a->facts[r] |= SONDE_ROW_SECOND;
}

void sonde_attack_learn_free(struct sonde_attack *a, const struct sonde_frontier *f)
{
    for (uint32_t r = 1; r < a->lines.n_rows; r++) {
        const struct sonde_comparison *c = sonde_frontier_find(f, a->rows[r].id, a->rows[r].nth);
        if (!c || c->a == c->b) continue;
        a->facts[r] |= sonde_outcome_of(c) & SONDE_IS_LESS ? SONDE_ROW_LESS : SONDE_ROW_GREATER;
        a->lines.rows[r].is_equation = false;
    }
}

void sonde_attack_learn_probe(struct sonde_attack *a, const struct sonde_frontier *f,
                              const struct sonde_comparison *goal, bool is_on_path)
{
    struct sonde_lines *l = &a->lines;
    uint32_t axis = a->at;
    bool is_first = a->step[axis] > 0 && a->probes_all && axis < a->n_numbers;
    if (!goal && is_first && a->numbers[axis].at > 0) {
        l->leaves[axis] = true;
        a->step[axis] = 0;
        return; /* the other direction may stay on the path */
    }
    a->at++;
    if (!goal && !a->probes_all) return; /* the slope of the base before serves */
    l->leaves[axis] = !goal;
    a->moves[axis] = goal && (goal->a != a->rows[0].a || goal->b != a->rows[0].b);
    for (uint32_t r = 0; r < l->n_rows; r++)
        learn_row(a, r, axis, r ? sonde_frontier_find(f, a->rows[r].id, a->rows[r].nth) : goal);
    if (is_on_path) sonde_attack_learn_free(a, f);
    a->work += l->n_rows;
}
