/* Moves of one value, over a tape that the test writes. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_value_of_the_widest_range_differs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
