/* The walk over valid inputs, and the moves that it makes: what each of them keeps, and that a walk keeps moving. */
#include "lib/mocka.h"

#include "guide/target/wander.h"

#include <string.h>

enum { NUMBERS = 6, TOP = 20, SITE = 100 };

struct world {
    struct sonde_rng rng;
    struct sonde_parents parents;
    struct sonde_hints hints;
    struct sonde_mutate mutate;
    struct sonde_region *region;
    struct sonde_wander wander;
    struct sonde_seen known;
    struct sonde_tape tape;
    bool (*holds)(const struct sonde_tape *tape);
    unsigned valid, different, again;
};

static void init(struct world *w, uint64_t seed, bool (*holds)(const struct sonde_tape *))
{
    static const struct sonde_guide_setup setup = {.seed = 1};
    memset(w, 0, sizeof *w);
    w->holds = holds;
    sonde_rng_seed(&w->rng, seed, 1);
    sonde_parents_init(&w->parents, NULL, 1 << 20);
    sonde_mutate_init(&w->mutate, &setup, &w->rng, &w->parents, &w->hints);
    w->region = sonde_region_create();
    sonde_wander_init(&w->wander, &setup, &w->rng, w->region, &w->mutate, 1 << 20);
    sonde_seen_init(&w->known);
    sonde_tape_init(&w->tape);
}

static void clear(struct world *w)
{
    sonde_wander_clear(&w->wander);
    sonde_region_free(w->region);
    sonde_mutate_clear(&w->mutate);
    sonde_parents_clear(&w->parents);
    sonde_seen_clear(&w->known);
    sonde_tape_clear(&w->tape);
}

static void put_numbers(struct sonde_tape *tape, const uint64_t *v, uint32_t n)
{
    sonde_tape_begin(tape);
    for (uint32_t i = 0; i < n; i++) {
        struct sonde_choice c = {.index = v[i], .max = TOP, .site = SITE, .kind = SONDE_KIND_UINT};
        sonde_tape_add(tape, &c);
    }
    sonde_tape_end(tape);
}

/* Runs what is on the tape; holes are drawn evenly. */
static void run(struct world *w, bool own)
{
    for (uint32_t i = 0; i < w->tape.n_choices; i++) {
        struct sonde_choice *c = &w->tape.choices[i];
        if (c->flags & SONDE_CHOICE_HOLE) c->index = sonde_rng_upto(&w->rng, c->max);
        c->flags = 0;
    }
    bool is_valid = w->holds(&w->tape), is_known = sonde_seen_has(&w->known, &w->tape);
    sonde_seen_add(&w->known, &w->tape);
    w->valid += is_valid;
    w->again += is_known;
    w->different += is_valid && !is_known;
    struct sonde_observation o = {.verdict = is_valid ? SONDE_VALID : SONDE_DISCARDED,
                                  .assume_distance = is_valid ? 0 : -1};
    struct sonde_run r = {.tape = &w->tape,
                          .observation = &o,
                          .interest = {.reasons = is_valid && !is_known ? SONDE_NEW_VALID : 0}};
    sonde_wander_learn(&w->wander, &r, own);
}

static void search(struct world *w, int cases)
{
    run(w, false);
    assert_int_equal(w->valid, 1);
    w->valid = w->different = w->again = 0;
    for (int i = 0; i < cases; i++) {
        assert_true(sonde_wander_next(&w->wander, &w->tape));
        run(w, true);
    }
}

static bool is_permutation(const struct sonde_tape *t)
{
    unsigned seen = 0;
    for (uint32_t i = 0; i < t->n_choices; i++) seen |= 1u << t->choices[i].index;
    return seen == (1u << t->n_choices) - 1;
}

/* Of 20^6 tapes 720 are valid: chance would meet none. */
static void a_walk_over_permutations_meets_nearly_all_of_them(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct world w;
        init(&w, seed, is_permutation);
        put_numbers(&w.tape, (const uint64_t[]){0, 1, 2, 3, 4, 5}, NUMBERS);
        search(&w, 2000);
        assert_true(w.different > 680);
        clear(&w);
    }
}

static bool is_sum(const struct sonde_tape *t)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->n_choices; i++) sum += t->choices[i].index;
    return sum == 60;
}

static void a_walk_makes_new_inputs_not_known_ones(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct world w;
        init(&w, seed, is_sum);
        put_numbers(&w.tape, (const uint64_t[]){10, 10, 10, 10, 10, 10}, NUMBERS);
        search(&w, 2000);
        assert_true(w.different > 1400);
        assert_true(w.again < 100);
        clear(&w);
    }
}

static void without_a_valid_input_there_is_no_walk(void **state)
{
    (void)state;
    struct world w;
    init(&w, 1, is_sum);
    assert_false(sonde_wander_next(&w.wander, &w.tape));
    clear(&w);
}

/* ---- Moves */

static uint64_t sum_of(const struct sonde_tape *t)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->n_choices; i++) sum += t->choices[i].index;
    return sum;
}

/* Plans and makes a move of one kind from 1..6 again and again; returns how often it could be made. */
static unsigned move(struct world *w, enum sonde_move kind, void (*check)(const struct sonde_tape *))
{
    unsigned made = 0;
    for (int i = 0; i < 200; i++) {
        struct sonde_move_plan plan;
        put_numbers(&w->tape, (const uint64_t[]){1, 2, 3, 4, 5, 6}, NUMBERS);
        sonde_moves_read(&w->wander.moves, &w->tape);
        if (!sonde_move_plan(&w->wander.moves, &w->tape, kind, &plan)) continue;
        if (!sonde_move_make(&w->wander.moves, &plan, &w->tape)) continue;
        for (uint32_t k = 0; k < NUMBERS; k++) assert_true(w->tape.choices[k].index <= TOP);
        check(&w->tape);
        made++;
    }
    return made;
}

static void keeps_sum(const struct sonde_tape *t)
{
    assert_int_equal(sum_of(t), 21);
}

static void keeps_parity(const struct sonde_tape *t)
{
    assert_int_equal(sum_of(t) % 2, 1);
}

static void changes_one(const struct sonde_tape *t)
{
    unsigned changed = 0;
    for (uint32_t i = 0; i < NUMBERS; i++) changed += t->choices[i].index != i + 1;
    assert_int_equal(changed, 1);
}

static void moves_keep_what_they_are_for(void **state)
{
    (void)state;
    struct world w;
    init(&w, 1, is_sum);
    assert_true(move(&w, SONDE_MOVE_SWAP, keeps_sum) > 100);
    assert_true(move(&w, SONDE_MOVE_SHUFFLE, keeps_sum) > 100);
    assert_true(move(&w, SONDE_MOVE_OPPOSITE, keeps_sum) > 20);
    assert_true(move(&w, SONDE_MOVE_SAME, keeps_parity) > 20);
    assert_true(move(&w, SONDE_MOVE_EVEN, changes_one) > 100);
    assert_true(move(&w, SONDE_MOVE_STEP, changes_one) > 20);
    assert_int_equal(move(&w, SONDE_MOVE_TWIN, keeps_sum), 0);       /* no two are equal */
    assert_int_equal(move(&w, SONDE_MOVE_DIFFERENCE, keeps_sum), 0); /* there is no other tape */
    assert_int_equal(move(&w, SONDE_MOVE_BETWEEN, keeps_sum), 0);    /* nor a list */
    clear(&w);
}

static void a_difference_keeps_linear_equations(void **state)
{
    (void)state;
    struct world w;
    struct sonde_tape p, q;
    struct sonde_move_plan plan = {.move = SONDE_MOVE_DIFFERENCE};
    init(&w, 1, is_sum);
    sonde_tape_init(&p);
    sonde_tape_init(&q);
    put_numbers(&p, (const uint64_t[]){5, 5, 5, 5, 5, 5}, NUMBERS);
    put_numbers(&q, (const uint64_t[]){6, 4, 5, 5, 8, 2}, NUMBERS);
    put_numbers(&w.tape, (const uint64_t[]){1, 9, 5, 5, 5, 5}, NUMBERS);
    w.wander.moves.like[0] = &p;
    w.wander.moves.like[1] = &q;
    sonde_moves_read(&w.wander.moves, &w.tape);
    assert_true(sonde_move_make(&w.wander.moves, &plan, &w.tape));
    const uint64_t wanted[] = {2, 8, 5, 5, 8, 2};
    for (int i = 0; i < NUMBERS; i++) assert_int_equal(w.tape.choices[i].index, wanted[i]);
    put_numbers(&w.tape, (const uint64_t[]){TOP, 0, 5, 5, 0, 0}, NUMBERS);
    assert_false(sonde_move_make(&w.wander.moves, &plan, &w.tape)); /* out of the domain */
    sonde_tape_clear(&p);
    sonde_tape_clear(&q);
    clear(&w);
}

static void put_bytes(struct sonde_tape *tape, const uint32_t *symbols, uint32_t n)
{
    struct sonde_blob shape = {.alphabet = sonde_alphabet_make(SONDE_ALPHABET_BYTES, NULL), .min = 1, .max = 8};
    sonde_tape_begin(tape);
    struct sonde_choice c = {.max = 7, .site = SITE, .kind = SONDE_KIND_BLOB, .index = n - 1};
    c.base = sonde_tape_add_blob(tape, &shape, symbols, n);
    sonde_tape_add(tape, &c);
    sonde_tape_end(tape);
}

static bool is_checked(const struct sonde_tape *t)
{
    struct sonde_blob b = sonde_choice_blob(t, &t->choices[0]);
    uint32_t sum = 0;
    for (uint32_t i = 0; i + 1 < b.len; i++) sum += sonde_blob_symbol(&b, i);
    return sum % 256 == sonde_blob_symbol(&b, b.len - 1);
}

/* One of 256 is valid. */
static void symbols_of_strings_take_part(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct world w;
        init(&w, seed, is_checked);
        put_bytes(&w.tape, (const uint32_t[]){200, 100, 44}, 3);
        search(&w, 2000);
        assert_true(w.different > 1000);
        clear(&w);
    }
}

static void symbols_go_round(void **state)
{
    (void)state;
    struct sonde_tape t;
    sonde_tape_init(&t);
    put_bytes(&t, (const uint32_t[]){250, 3}, 2);
    struct sonde_move_cell first = {0, 0, SITE, 255}, second = {0, 1, SITE, 255};
    assert_true(sonde_move_shift(&t, &first, 10));
    assert_true(sonde_move_shift(&t, &second, -4));
    struct sonde_blob b = sonde_choice_blob(&t, &t.choices[0]);
    assert_int_equal(sonde_blob_symbol(&b, 0), 4);
    assert_int_equal(sonde_blob_symbol(&b, 1), 255);
    assert_false(sonde_move_shift(&t, &first, 256)); /* changes nothing */
    sonde_tape_clear(&t);
}

static void what_has_holes_is_not_known(void **state)
{
    (void)state;
    struct sonde_seen seen;
    struct sonde_tape t;
    sonde_seen_init(&seen);
    sonde_tape_init(&t);
    put_numbers(&t, (const uint64_t[]){1, 2}, 2);
    assert_false(sonde_seen_has(&seen, &t));
    sonde_seen_add(&seen, &t);
    assert_true(sonde_seen_has(&seen, &t));
    t.choices[1].flags |= SONDE_CHOICE_HOLE;
    assert_false(sonde_seen_has(&seen, &t));
    sonde_tape_clear(&t);
    sonde_seen_clear(&seen);
}

static bool always(const struct sonde_tape *tape)
{
    (void)tape;
    return true;
}

/* A run of n numbers, all of them v. */
static void run_of(struct world *w, uint32_t n, uint64_t v)
{
    uint64_t values[NUMBERS];
    for (uint32_t i = 0; i < n; i++) values[i] = v;
    put_numbers(&w->tape, values, n);
    run(w, false);
}

static void where_all_have_one_shape_no_other_is_looked_for(void **state)
{
    (void)state;
    struct world w;
    init(&w, 1, always);
    for (uint64_t v = 0; v < TOP; v++) run_of(&w, 3, v);
    assert_true(sonde_wander_reshape_share(&w.wander) == 0);
    run_of(&w, 4, 1);
    assert_true(sonde_wander_reshape_share(&w.wander) > 0);
    clear(&w);
}

static void the_search_for_shapes_tires_until_one_is_found(void **state)
{
    (void)state;
    struct world w;
    init(&w, 1, always);
    run_of(&w, 3, 1);
    run_of(&w, 4, 1);
    double fresh = sonde_wander_reshape_share(&w.wander);
    w.wander.since_new_shape = 1000;
    run_of(&w, 4, 2);
    assert_true(sonde_wander_reshape_share(&w.wander) < fresh / 4);
    run_of(&w, 5, 2);
    assert_true(sonde_wander_reshape_share(&w.wander) == fresh);
    clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_over_permutations_meets_nearly_all_of_them),
        cmocka_unit_test(a_walk_makes_new_inputs_not_known_ones),
        cmocka_unit_test(without_a_valid_input_there_is_no_walk),
        cmocka_unit_test(moves_keep_what_they_are_for),
        cmocka_unit_test(a_difference_keeps_linear_equations),
        cmocka_unit_test(symbols_of_strings_take_part),
        cmocka_unit_test(symbols_go_round),
        cmocka_unit_test(what_has_holes_is_not_known),
        cmocka_unit_test(where_all_have_one_shape_no_other_is_looked_for),
        cmocka_unit_test(the_search_for_shapes_tires_until_one_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
