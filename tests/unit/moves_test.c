/* Moves over tapes that the test writes: what each keeps, and what it refuses. */
#include "lib/mocka.h"

#include "guide/target/moves.h"

#include <float.h>

/* A tape of one double from the widest range: hi - lo overflows. */
static void write_tape(struct sonde_tape *tape)
{
    struct sonde_double_bounds widest = {-DBL_MAX, DBL_MAX};
    sonde_tape_init(tape);
    sonde_tape_begin(tape);
    struct sonde_choice c = {.max = sonde_double_max(widest), .site = 7, .kind = SONDE_KIND_DOUBLE};
    c.base = sonde_tape_add_bytes(tape, &widest, sizeof widest);
    sonde_tape_add(tape, &c);
    sonde_tape_end(tape);
}

static void any_value_of_the_widest_range_differs(void **state)
{
    (void)state;
    enum { DRAWS = 100 };
    static struct sonde_moves moves;
    struct sonde_rng rng;
    struct sonde_tape tape;
    unsigned n_negative = 0, n_new = 0;
    double before = 0;
    write_tape(&tape);
    sonde_rng_seed(&rng, 1, 1);
    sonde_moves_init(&moves, &rng, NULL);
    sonde_moves_read(&moves, &tape);
    assert_int_equal(moves.n_cells, 1);
    for (int i = 0; i < DRAWS; i++) {
        struct sonde_move_plan plan;
        sonde_move_plan_at(&moves, &tape, SONDE_MOVE_EVEN, 0, &plan);
        double value = sonde_double_value((struct sonde_double_bounds){-DBL_MAX, DBL_MAX}, plan.value);
        assert_true(value >= -DBL_MAX && value <= DBL_MAX);
        n_negative += value < 0;
        n_new += value != before;
        before = value;
    }
    assert_int_equal(n_new, DRAWS);
    assert_in_range(n_negative, DRAWS / 4, DRAWS * 3 / 4);
    sonde_moves_clear(&moves);
    sonde_tape_clear(&tape);
}

/* ---- A row of numbers of one site, from [-50, 50] */

enum { ROW = 6, SITE = 3, LOW = -50, WIDTH = 100, MADE = 200 };

struct row {
    struct sonde_moves moves;
    struct sonde_rng rng;
    struct sonde_tape tape, other, third;
};

static void write_row(struct sonde_tape *tape, const int *values)
{
    sonde_tape_init(tape);
    sonde_tape_begin(tape);
    for (int i = 0; i < ROW; i++) {
        struct sonde_choice c = {.base = (uint64_t)(int64_t)LOW, .max = WIDTH, .site = SITE, .kind = SONDE_KIND_INT};
        c.index = sonde_int_index(LOW, WIDTH, values[i]);
        sonde_tape_add(tape, &c);
    }
    sonde_tape_end(tape);
}

static int value_at(const struct sonde_tape *tape, uint32_t i)
{
    return (int)sonde_int_value(LOW, WIDTH, tape->choices[i].index);
}

static int sum_of(const struct sonde_tape *tape)
{
    int sum = 0;
    for (uint32_t i = 0; i < ROW; i++) sum += value_at(tape, i);
    return sum;
}

static int set_up(void **state)
{
    static struct row row;
    write_row(&row.tape, (int[]){1, 2, 3, 4, 5, 1});
    write_row(&row.other, (int[]){10, -2, 3, 4, 0, 6});
    write_row(&row.third, (int[]){4, 0, 3, 6, 0, 8}); /* both add up to 21 */
    sonde_rng_seed(&row.rng, 1, 2);
    sonde_moves_init(&row.moves, &row.rng, NULL);
    row.moves.other = row.moves.like[0] = &row.other;
    row.moves.like[1] = &row.third;
    sonde_moves_read(&row.moves, &row.tape);
    *state = &row;
    return 0;
}

static int tear_down(void **state)
{
    struct row *row = *state;
    sonde_moves_clear(&row->moves);
    sonde_tape_clear(&row->tape);
    sonde_tape_clear(&row->other);
    sonde_tape_clear(&row->third);
    return 0;
}

/* Makes a move of the kind from the same tape again and again; returns how many could be made, and calls `holds` for each. */
static unsigned make_moves(struct row *row, enum sonde_move move, bool (*holds)(const struct sonde_tape *))
{
    unsigned made = 0;
    struct sonde_tape now;
    sonde_tape_init(&now);
    for (int i = 0; i < MADE; i++) {
        struct sonde_move_plan plan;
        sonde_tape_copy(&now, &row->tape);
        if (!sonde_move_plan(&row->moves, &now, move, &plan)) continue;
        assert_int_equal(plan.move, move);
        if (!sonde_move_make(&row->moves, &plan, &now)) continue;
        made++;
        for (uint32_t k = 0; k < ROW; k++) assert_true(now.choices[k].index <= WIDTH);
        assert_true(holds(&now));
    }
    sonde_tape_clear(&now);
    return made;
}

static bool has_the_same_values(const struct sonde_tape *tape)
{
    int sum = 0, squares = 0;
    for (uint32_t i = 0; i < ROW; i++) sum += value_at(tape, i), squares += value_at(tape, i) * value_at(tape, i);
    return sum == 16 && squares == 56;
}

static bool has_the_same_sum(const struct sonde_tape *tape)
{
    return sum_of(tape) == 16;
}

static bool has_equal_ends(const struct sonde_tape *tape)
{
    return value_at(tape, 0) == value_at(tape, ROW - 1);
}

static bool has_equal_ends_that_moved(const struct sonde_tape *tape)
{
    return has_equal_ends(tape) && value_at(tape, 0) != 1;
}

/* Five different values, as before. */
static bool tells_the_same_apart(const struct sonde_tape *tape)
{
    int different = 0;
    for (uint32_t i = 0; i < ROW; i++) {
        uint32_t k = 0;
        while (k < i && value_at(tape, k) != value_at(tape, i)) k++;
        different += k == i;
    }
    return different == ROW - 1 && has_equal_ends(tape);
}

/* One number of the row is another's. */
static bool took_one(const struct sonde_tape *tape)
{
    static const int before[ROW] = {1, 2, 3, 4, 5, 1};
    int changed = 0;
    for (uint32_t i = 0; i < ROW; i++) changed += value_at(tape, i) != before[i];
    return changed == 1;
}

static void swaps_and_shuffles_keep_the_values(void **state)
{
    assert_in_range(make_moves(*state, SONDE_MOVE_SWAP, has_the_same_values), MADE / 2, MADE);
    assert_in_range(make_moves(*state, SONDE_MOVE_SHUFFLE, has_the_same_values), MADE / 2, MADE);
}

static void opposite_steps_and_differences_keep_the_sum(void **state)
{
    assert_in_range(make_moves(*state, SONDE_MOVE_OPPOSITE, has_the_same_sum), MADE / 4, MADE);
    assert_int_equal(make_moves(*state, SONDE_MOVE_DIFFERENCE, has_the_same_sum), MADE);
}

static void twins_and_renamed_values_stay_equal(void **state)
{
    assert_in_range(make_moves(*state, SONDE_MOVE_RELABEL, tells_the_same_apart), MADE / 2, MADE);
    assert_in_range(make_moves(*state, SONDE_MOVE_TWIN, has_equal_ends_that_moved), MADE / 8, MADE);
}

static void single_moves_change_one_number(void **state)
{
    assert_in_range(make_moves(*state, SONDE_MOVE_EVEN, took_one), MADE / 2, MADE);
    assert_in_range(make_moves(*state, SONDE_MOVE_STEP, took_one), MADE / 2, MADE);
    assert_in_range(make_moves(*state, SONDE_MOVE_TAKE, took_one), MADE / 8, MADE);
}

static void a_number_refuses_to_leave_its_domain(void **state)
{
    struct row *row = *state;
    const struct sonde_move_cell *cell = &row->moves.cells[4]; /* 5, from -50 to 50 */
    assert_false(sonde_move_shift(&row->tape, cell, 46));
    assert_false(sonde_move_shift(&row->tape, cell, -56));
    assert_false(sonde_move_shift(&row->tape, cell, 0));
    assert_int_equal(value_at(&row->tape, 4), 5);
    assert_true(sonde_move_shift(&row->tape, cell, 45));
    assert_int_equal(value_at(&row->tape, 4), 50);
    assert_true(sonde_move_shift(&row->tape, cell, -100));
    assert_int_equal(value_at(&row->tape, 4), -50);
    assert_float_equal(sonde_move_total(&row->tape, SITE), 16 - 55, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_value_of_the_widest_range_differs),
        cmocka_unit_test_setup_teardown(swaps_and_shuffles_keep_the_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(opposite_steps_and_differences_keep_the_sum, set_up, tear_down),
        cmocka_unit_test_setup_teardown(twins_and_renamed_values_stay_equal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(single_moves_change_one_number, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_number_refuses_to_leave_its_domain, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
