/* The climber alone: which runs join its pool, what becomes of energy, and that its moves climb. */
#include "lib/mocka.h"

#include "guide/target/climb.h"

#include <string.h>

enum { HEIGHT = 1, WIDTH = 2 };

struct world {
    struct sonde_rng rng;
    struct sonde_parents parents;
    struct sonde_hints hints;
    struct sonde_mutate mutate;
    struct sonde_climb climb;
    struct sonde_tape tape;
};

static void init(struct world *w, uint64_t seed, uint64_t energy)
{
    static const struct sonde_guide_setup setup = {.seed = 1};
    memset(w, 0, sizeof *w);
    sonde_rng_seed(&w->rng, seed, 1);
    sonde_parents_init(&w->parents, NULL, 1 << 20);
    sonde_mutate_init(&w->mutate, &setup, &w->rng, &w->parents, &w->hints);
    sonde_climb_init(&w->climb, &setup, &w->rng, &w->mutate, 1 << 20);
    w->climb.start_energy = energy;
    sonde_tape_init(&w->tape);
}

static void clear(struct world *w)
{
    sonde_climb_clear(&w->climb);
    sonde_mutate_clear(&w->mutate);
    sonde_parents_clear(&w->parents);
    sonde_tape_clear(&w->tape);
}

/* Two numbers in 0..9999. */
static void make_tape(struct sonde_tape *tape, uint64_t x, uint64_t y)
{
    sonde_tape_begin(tape);
    sonde_tape_add(tape, &(struct sonde_choice){.index = x, .max = 9999, .site = 100, .kind = SONDE_KIND_UINT});
    sonde_tape_add(tape, &(struct sonde_choice){.index = y, .max = 9999, .site = 101, .kind = SONDE_KIND_UINT});
    sonde_tape_end(tape);
}

static bool learn(struct world *w, const struct sonde_observation *o, bool own)
{
    struct sonde_run run = {.tape = &w->tape, .observation = o};
    return sonde_climb_learn(&w->climb, &run, own);
}

static bool show(struct world *w, double height, double width)
{
    const struct sonde_target_value targets[] = {{.label = HEIGHT, .value = height}, {.label = WIDTH, .value = width}};
    struct sonde_observation o = {.verdict = SONDE_VALID, .targets = targets, .n_targets = 2};
    make_tape(&w->tape, (uint64_t)height, (uint64_t)width);
    return learn(w, &o, false);
}

static void without_a_tape_there_is_nothing_to_mutate(void **state)
{
    (void)state;
    struct world w;
    init(&w, 1, 10);
    assert_false(sonde_climb_next(&w.climb, &w.tape));
    clear(&w);
}

static void what_another_surpasses_does_not_join(void **state)
{
    (void)state;
    struct world w;
    init(&w, 1, 10);
    assert_true(show(&w, 5, 1));
    assert_false(show(&w, 5, 1));
    assert_true(show(&w, 1, 5));
    assert_false(show(&w, 1, 1));
    assert_true(show(&w, 2, 2));
    assert_int_equal(w.climb.n_pool, 3);
    clear(&w);
}

static void discarded_runs_join_by_how_far_they_got(void **state)
{
    (void)state;
    struct world w;
    init(&w, 1, 10);
    make_tape(&w.tape, 1, 1);
    struct sonde_observation o = {.verdict = SONDE_DISCARDED, .assumes_passed = 1, .assume_distance = -7};
    assert_true(learn(&w, &o, false));
    o.assume_distance = -9;
    assert_false(learn(&w, &o, false));
    o.assume_distance = -3;
    assert_true(learn(&w, &o, false));
    o.assumes_passed = 0;
    o.assume_distance = -1;
    assert_false(learn(&w, &o, false));
    o.verdict = SONDE_VALID;
    assert_true(learn(&w, &o, false));
    o.assumes_passed = 2;
    o.verdict = SONDE_OVERRUN;
    assert_false(learn(&w, &o, false));
    clear(&w);
}

static void the_pool_has_a_bound(void **state)
{
    (void)state;
    struct world w;
    init(&w, 1, 10);
    for (int i = 0; i < 3 * SONDE_CLIMB_POOL; i++) assert_true(show(&w, i, 1000 - i));
    assert_int_equal(w.climb.n_pool, SONDE_CLIMB_POOL);
    clear(&w);
}

/* A run that changed the state of the user's feedback; `height` tells tapes apart and is not a utility. */
static void change_state(struct world *w, uint64_t height)
{
    struct sonde_observation o = {.verdict = SONDE_VALID};
    struct sonde_run run = {.tape = &w->tape, .observation = &o, .interest = {.reasons = SONDE_NEW_STATE}};
    make_tape(&w->tape, height, 0);
    assert_true(sonde_climb_learn(&w->climb, &run, false));
}

static void what_changed_a_state_is_kept_while_memory_lasts(void **state)
{
    (void)state;
    enum { MANY = 20 * SONDE_CLIMB_POOL };
    struct world w;
    init(&w, 1, 10);
    w.climb.limit = 1 << 24;
    for (uint64_t i = 0; i < MANY; i++) change_state(&w, i);
    assert_int_equal(w.climb.n_pool + w.climb.n_beside, MANY);
    /* All of them are mutated, not the last ones only: the first choice says which, in the mutants that leave it alone. */
    unsigned old = 0;
    struct sonde_tape script;
    sonde_tape_init(&script);
    for (int i = 0; i < 400 && sonde_climb_next(&w.climb, &script); i++) old += w.climb.parent->order <= MANY / 2;
    assert_in_range(old, 50, 150); /* of the half that comes from any, half */
    sonde_tape_clear(&script);
    w.climb.limit = w.climb.bytes / 2;
    change_state(&w, MANY);
    assert_in_range(w.climb.n_pool + w.climb.n_beside, MANY / 4, MANY * 3 / 4);
    assert_true(w.climb.bytes <= w.climb.limit + sonde_tape_bytes(&w.tape));
    clear(&w);
}

static void exhausted_tapes_are_the_first_to_go(void **state)
{
    (void)state;
    struct world w;
    init(&w, 1, 10);
    w.climb.limit = 1 << 24;
    for (uint64_t i = 0; i < 4 * SONDE_CLIMB_POOL; i++) change_state(&w, i);
    for (uint32_t i = 0; i < w.climb.n_beside; i++)
        if (w.climb.beside[i]->order > 100) w.climb.beside[i]->left = 0;
    w.climb.limit = w.climb.bytes * 3 / 4;
    change_state(&w, 4 * SONDE_CLIMB_POOL);
    unsigned early = 0;
    for (uint32_t i = 0; i < w.climb.n_beside; i++) early += w.climb.beside[i]->order <= 100;
    assert_int_equal(early, 100);
    clear(&w);
}

static void what_changed_a_state_is_kept_as_it_is(void **state)
{
    (void)state;
    struct world w;
    struct sonde_observation o = {.verdict = SONDE_VALID};
    init(&w, 1, 10);
    change_state(&w, 7);
    assert_true(sonde_climb_next(&w.climb, &w.tape));
    make_tape(&w.tape, 8, 8);
    assert_false(learn(&w, &o, true));
    assert_int_equal(w.climb.pool[0]->kept->tape.choices[0].index, 7);
    clear(&w);
}

/* The case that the climber made shows this height. */
static bool answer(struct world *w, double height)
{
    const struct sonde_target_value target = {.label = HEIGHT, .value = height};
    struct sonde_observation o = {.verdict = SONDE_VALID, .targets = &target, .n_targets = 1};
    return learn(w, &o, true);
}

static void exhausted_tapes_and_fresh_inputs_take_turns(void **state)
{
    (void)state;
    struct world w;
    init(&w, 1, 3);
    make_tape(&w.tape, 5, 5);
    answer(&w, 5);
    for (int i = 0; i < 3; i++) {
        assert_true(sonde_climb_next(&w.climb, &w.tape));
        assert_false(answer(&w, 1));
    }
    int fresh = 0;
    for (int i = 0; i < 10; i++) {
        if (!sonde_climb_next(&w.climb, &w.tape)) fresh++;
        else answer(&w, 1);
    }
    assert_int_equal(fresh, 5);
    clear(&w);
}

static void success_doubles_the_energy(void **state)
{
    (void)state;
    struct world w;
    init(&w, 1, 3);
    make_tape(&w.tape, 5, 5);
    answer(&w, 5);
    struct sonde_climber *first = w.climb.pool[0];
    assert_true(sonde_climb_next(&w.climb, &w.tape));
    assert_false(answer(&w, 1));
    assert_int_equal(first->left, 2);
    assert_true(sonde_climb_next(&w.climb, &w.tape));
    assert_true(answer(&w, 6));
    assert_int_equal(first->energy, 6);
    assert_int_equal(first->left, 6);
    clear(&w);
}

static void what_is_as_good_takes_its_parents_place(void **state)
{
    (void)state;
    struct world w;
    init(&w, 1, 10);
    make_tape(&w.tape, 5, 5);
    answer(&w, 5);
    assert_true(sonde_climb_next(&w.climb, &w.tape));
    make_tape(&w.tape, 7, 7);
    assert_false(answer(&w, 5));
    assert_int_equal(w.climb.n_pool, 1);
    assert_int_equal(w.climb.pool[0]->kept->tape.choices[0].index, 7);
    clear(&w);
}

/* x and y must rise together: a step of one alone loses a hundred times what it gains. */
static void two_numbers_move_together(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct world w;
        init(&w, seed, 5000);
        make_tape(&w.tape, 10, 10);
        uint64_t x = 10, y = 10;
        int runs = 0;
        for (; runs < 2000 && x + y < 19900; runs++) {
            x = w.tape.choices[0].index, y = w.tape.choices[1].index;
            answer(&w, (double)(x + y) - 100.0 * (double)(x > y ? x - y : y - x));
            assert_true(sonde_climb_next(&w.climb, &w.tape));
            if (w.tape.n_choices != 2) make_tape(&w.tape, x, y);
        }
        if (runs == 2000) fail_msg("seed %d stands at %d, %d", (int)seed, (int)x, (int)y);
        clear(&w);
    }
}

/* The height is x alone. Returns in how many of the last cases y was left to be drawn. */
static int redrawn(struct world *w, bool y_counts)
{
    int n = 0;
    uint64_t last_y = 10;
    make_tape(&w->tape, 10, 10);
    for (int i = 0; i < 1000; i++) {
        uint64_t x = w->tape.choices[0].index, y = w->tape.choices[1].index;
        bool is_hole = w->tape.choices[1].flags & SONDE_CHOICE_HOLE;
        if (is_hole) y = sonde_rng_upto(&w->rng, 9999);
        n += is_hole && i >= 800;
        make_tape(&w->tape, x, y);
        answer(w, (double)(x % 100) + (y_counts ? (double)(y % 100) : 0));
        last_y = y;
        assert_true(sonde_climb_next(&w->climb, &w->tape));
        if (w->tape.n_choices != 2) make_tape(&w->tape, x, last_y);
    }
    return n;
}

static void what_no_utility_depends_on_is_drawn_anew(void **state)
{
    (void)state;
    struct world w;
    init(&w, 1, 5000);
    assert_in_range(redrawn(&w, false), 50, 150);
    clear(&w);
    init(&w, 1, 5000);
    assert_int_equal(redrawn(&w, true), 0);
    clear(&w);
}

/* Of the tapes that are not valid, those that got furthest are mutated: not the one that is best without getting far. */
static void height_that_leads_nowhere_is_left_alone(void **state)
{
    (void)state;
    struct world w;
    init(&w, 1, 5000);
    const double heights[] = {900, 50, 10};
    const uint32_t passed[] = {0, 1, 2};
    for (uint64_t i = 0; i < 3; i++) {
        const struct sonde_target_value target = {.label = HEIGHT, .value = heights[i]};
        struct sonde_observation o = {.verdict = i == 2 ? SONDE_VALID : SONDE_DISCARDED,
                                      .assumes_passed = passed[i],
                                      .assume_distance = i == 2 ? 0 : -1,
                                      .targets = &target,
                                      .n_targets = 1};
        make_tape(&w.tape, i, i);
        assert_true(learn(&w, &o, false));
    }
    int from[3] = {0, 0, 0};
    for (int i = 0; i < 200; i++) {
        assert_true(sonde_climb_next(&w.climb, &w.tape));
        for (int k = 0; k < 3; k++) from[k] += w.climb.parent == w.climb.pool[k];
    }
    assert_int_equal(from[0], 0);
    assert_in_range(from[1], 50, 150);
    assert_in_range(from[2], 50, 150);
    clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_tape_there_is_nothing_to_mutate),
        cmocka_unit_test(what_another_surpasses_does_not_join),
        cmocka_unit_test(discarded_runs_join_by_how_far_they_got),
        cmocka_unit_test(the_pool_has_a_bound),
        cmocka_unit_test(what_changed_a_state_is_kept_while_memory_lasts),
        cmocka_unit_test(exhausted_tapes_are_the_first_to_go),
        cmocka_unit_test(what_changed_a_state_is_kept_as_it_is),
        cmocka_unit_test(exhausted_tapes_and_fresh_inputs_take_turns),
        cmocka_unit_test(success_doubles_the_energy),
        cmocka_unit_test(what_is_as_good_takes_its_parents_place),
        cmocka_unit_test(two_numbers_move_together),
        cmocka_unit_test(what_no_utility_depends_on_is_drawn_anew),
        cmocka_unit_test(height_that_leads_nowhere_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
