/* The mutators, one by one, on tapes written by hand: each makes the change it is named after, and nothing that the
 * replay cannot follow. */
#include "lib/mocka.h"

#include "base/mem.h"
#include "guide/mutate/mutate.h"
#include "guide/guides.h"
#include "lib/proper.h"
#include "lib/tapes.h"
#include "tape/script.h"

enum { ROUNDS = 300 };

static struct sonde_rng rng;
static struct sonde_parents parents;
static struct sonde_hints hints;
static const struct sonde_guide_setup setup = {.seed = 1};
static struct sonde_mutate m;
static struct tapes t;
static struct sonde_tape script;

static int set_up(void **state)
{
    (void)state;
    sonde_rng_seed(&rng, 1, 1);
    sonde_parents_init(&parents, NULL, 1 << 20);
    memset(&hints, 0, sizeof hints);
    sonde_mutate_init(&m, &setup, &rng, &parents, &hints);
    sonde_tape_init(&script);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sonde_mutate_clear(&m);
    sonde_parents_clear(&parents);
    sonde_tape_clear(&script);
    tapes_clear(&t);
    return 0;
}

static void draw_point(int x, int y)
{
    tapes_open(&t, "point", 0);
    tapes_int(&t, "x", 0, 100, x);
    tapes_int(&t, "y", 0, 100, y);
    tapes_close(&t);
}

static void two_points(void)
{
    tapes_begin(&t);
    draw_point(1, 2);
    draw_point(3, 4);
    sonde_tape_end(&t.tape);
}

static void list_of(int n)
{
    tapes_begin(&t);
    tapes_open(&t, "xs", SONDE_SPAN_LIST);
    tapes_uint(&t, SONDE_KIND_LENGTH, SONDE_LABEL_LENGTH, 0, 9, (uint64_t)n);
    for (int i = 0; i < n; i++) {
        tapes_open(&t, "xs[]", SONDE_SPAN_ELEMENT);
        tapes_int(&t, "x", 0, 100, 10 + i);
        tapes_close(&t);
    }
    tapes_close(&t);
    sonde_tape_end(&t.tape);
}

/* A root with a left and a right subtree. */
static void tree_of_three(void)
{
    tapes_begin(&t);
    tapes_open(&t, "tree", 0);
    tapes_int(&t, "v", 0, 100, 50);
    for (int i = 0; i < 2; i++) {
        tapes_uint(&t, SONDE_KIND_BOOL, i ? "right" : "left", 0, 1, 1);
        tapes_open(&t, "tree", 0);
        tapes_int(&t, "v", 0, 100, i ? 70 : 20);
        tapes_close(&t);
    }
    tapes_close(&t);
    sonde_tape_end(&t.tape);
}

static uint32_t differences(void)
{
    uint32_t n = 0;
    assert_int_equal(script.n_choices, t.tape.n_choices);
    for (uint32_t i = 0; i < script.n_choices; i++) n += script.choices[i].index != t.tape.choices[i].index;
    return n;
}

static bool apply(bool (*mutator)(struct sonde_mutate *, struct sonde_tape *))
{
    sonde_tape_copy(&script, &t.tape);
    return mutator(&m, &script);
}

static void leaf_changes_one_choice(void **state)
{
    (void)state;
    bool touched[4] = {0};
    two_points();
    for (int i = 0; i < ROUNDS; i++) {
        assert_true(apply(sonde_mutate_leaf));
        assert_int_equal(differences(), 1);
        for (int k = 0; k < 4; k++) touched[k] |= script.choices[k].index != t.tape.choices[k].index;
    }
    for (int k = 0; k < 4; k++) assert_true(touched[k]);
}

static void values_stay_in_their_domain(void **state)
{
    (void)state;
    tapes_everything(&t);
    for (int i = 0; i < ROUNDS; i++) {
        sonde_tape_copy(&script, &t.tape);
        for (uint32_t k = 0; k < script.n_choices; k++) {
            sonde_mutate_value(&m, &script, k);
            const struct sonde_choice *c = &script.choices[k];
            assert_true(c->index <= c->max);
            if (c->kind != SONDE_KIND_BLOB) continue;
            struct sonde_blob blob = sonde_choice_blob(&script, c);
            assert_in_range(blob.len, blob.min, blob.max);
            assert_int_equal(blob.len - blob.min, c->index);
            for (uint32_t s = 0; s < blob.len; s++) assert_true(sonde_blob_symbol(&blob, s) < blob.alphabet.size);
        }
    }
}

static void twin_moves_two_spans_together(void **state)
{
    (void)state;
    two_points();
    for (int i = 0; i < ROUNDS; i++) {
        assert_true(apply(sonde_mutate_twin));
        bool x = script.choices[0].index == script.choices[2].index,
             y = script.choices[1].index == script.choices[3].index;
        assert_true(x != y); /* the same new value in both, and the other as it was */
    }
}

static void copy_makes_two_spans_equal(void **state)
{
    (void)state;
    two_points();
    for (int i = 0; i < ROUNDS; i++) {
        assert_true(apply(sonde_mutate_copy));
        assert_true(sonde_span_hash(&script, 1) == sonde_span_hash(&script, 2));
    }
}

static void copy_needs_two_spans_of_a_label(void **state)
{
    (void)state;
    tapes_begin(&t);
    draw_point(1, 2);
    sonde_tape_end(&t.tape);
    assert_false(apply(sonde_mutate_copy));
    assert_false(apply(sonde_mutate_twin));
}

static void list_changes_length_with_its_elements(void **state)
{
    (void)state;
    bool grew = false, shrank = false, swapped = false;
    list_of(3);
    for (int i = 0; i < ROUNDS; i++) {
        if (!apply(sonde_mutate_list)) continue;
        uint32_t elements = script.n_spans - 2, length = (uint32_t)script.choices[0].index;
        grew |= length == 4;
        shrank |= length == 2;
        swapped |= length == 3 && elements == 3 && script.choices[1].index != t.tape.choices[1].index;
        assert_true(length == elements || length == elements + 1); /* the additional one is drawn again */
        assert_in_range(length, 2, 4);
    }
    assert_true(grew && shrank && swapped);
}

static void an_empty_list_can_grow(void **state)
{
    (void)state;
    list_of(0);
    assert_true(apply(sonde_mutate_list));
    assert_int_equal(script.choices[0].index, 1);
}

static void descendant_lifts_a_subtree(void **state)
{
    (void)state;
    bool left = false, right = false;
    tree_of_three();
    for (int i = 0; i < ROUNDS; i++) {
        assert_true(apply(sonde_mutate_descendant));
        assert_int_equal(script.n_choices, 1);
        left |= script.choices[0].index == 20;
        right |= script.choices[0].index == 70;
    }
    assert_true(left && right);
}

static void regenerate_leaves_a_hole(void **state)
{
    (void)state;
    two_points();
    assert_true(apply(sonde_mutate_regenerate));
    uint32_t holes = 0;
    for (uint32_t i = 0; i < script.n_spans; i++) holes += (script.spans[i].flags & SONDE_SPAN_HOLE) != 0;
    assert_int_equal(holes, 1);
}

static void constructor_changes_the_first_choice(void **state)
{
    (void)state;
    tapes_begin(&t);
    tapes_open(&t, "shape", 0);
    tapes_uint(&t, SONDE_KIND_PICK, "kind", 0, 2, 1);
    tapes_int(&t, "x", 0, 9, 5);
    tapes_close(&t);
    sonde_tape_end(&t.tape);
    for (int i = 0; i < ROUNDS; i++) {
        assert_true(apply(sonde_mutate_constructor));
        assert_int_not_equal(script.choices[0].index, 1);
        assert_int_equal(script.choices[1].index, t.tape.choices[1].index);
    }
}

static void splice_takes_from_another_tape(void **state)
{
    (void)state;
    two_points();
    struct sonde_observation observation = {.verdict = SONDE_VALID};
    struct sonde_run run = {.tape = &t.tape, .observation = &observation};
    sonde_parents_keep(&parents, SONDE_POOL_VALID, &run);
    tapes_clear(&t);
    tapes_begin(&t);
    draw_point(77, 78);
    sonde_tape_end(&t.tape);
    for (int i = 0; i < ROUNDS; i++) {
        assert_true(apply(sonde_mutate_splice));
        uint64_t x = script.choices[0].index, y = script.choices[1].index;
        assert_true((x == 1 && y == 2) || (x == 3 && y == 4));
    }
}

static void a_hint_is_tried_where_its_other_side_stands(void **state)
{
    (void)state;
    struct sonde_hint hint = {.a = 5, .b = 123456, .bytes = 4};
    struct sonde_coverage_view view = {.hints = &hint, .n_hints = 1};
    bool tried = false;
    sonde_hints_learn(&hints, &view, &t.tape);
    tapes_begin(&t);
    tapes_int(&t, "x", 0, 1000000, 5);
    sonde_tape_end(&t.tape);
    for (int i = 0; i < ROUNDS && !tried; i++) {
        apply(sonde_mutate_leaf);
        tried = script.choices[0].index == 123456;
    }
    assert_true(tried);
}

/* Sides come with their sign; a draw of an unsigned number must get them all the same. */
static void a_hint_beyond_the_sign_bit_reaches_unsigned_draws(void **state)
{
    (void)state;
    uint64_t beef = UINT64_C(0xdeadbeef);
    struct sonde_hint hint = {.a = 5, .b = (uint64_t)(int64_t)(int32_t)0xdeadbeef, .bytes = 4};
    struct sonde_coverage_view view = {.hints = &hint, .n_hints = 1};
    bool up = false, back = false;
    sonde_hints_learn(&hints, &view, &t.tape);
    tapes_begin(&t);
    tapes_int(&t, "x", 0, UINT32_MAX, 5);
    tapes_int(&t, "y", 0, UINT32_MAX, (int64_t)beef);
    sonde_tape_end(&t.tape);
    for (int i = 0; i < ROUNDS && !(up && back); i++) {
        apply(sonde_mutate_leaf);
        up |= script.choices[0].index == beef;
        back |= script.choices[1].index == 5;
    }
    assert_true(up && back);
}

static void put_letters(const char *letters)
{
    uint32_t symbols[16];
    struct sonde_blob shape = {.max = 16, .alphabet = {.size = 256}};
    struct sonde_choice c = {.kind = SONDE_KIND_BLOB, .index = strlen(letters), .max = 16};
    for (size_t i = 0; i < strlen(letters); i++) symbols[i] = (uint8_t)letters[i];
    tapes_begin(&t);
    c.base = sonde_tape_add_blob(&t.tape, &shape, symbols, (uint32_t)strlen(letters));
    tapes_add(&t, "s", c);
    sonde_tape_end(&t.tape);
}

/* One string was compared with part of the input; hundreds of others, before and after, have nothing to do with it. */
static void what_the_input_was_compared_with_is_not_hidden_by_others(void **state)
{
    (void)state;
    enum { OTHERS = 300 };
    static char names[2 * OTHERS][16];
    struct sonde_hint_text texts[2 * OTHERS + 2];
    for (int i = 0; i < 2 * OTHERS; i++) {
        snprintf(names[i], sizeof names[i], "n%d", i);
        texts[i < OTHERS ? i : i + 2] = (struct sonde_hint_text){names[i], strlen(names[i])};
    }
    texts[OTHERS] = (struct sonde_hint_text){"abc", 3};
    texts[OTHERS + 1] = (struct sonde_hint_text){"lynx", 4};
    struct sonde_coverage_view view = {.texts = texts, .n_texts = 2 * OTHERS + 2};
    put_letters("xabcx");
    sonde_hints_learn(&hints, &view, &t.tape);
    int wanted = 0;
    for (int i = 0; i < 400; i++) {
        char text[SONDE_HINT_TEXT];
        wanted += sonde_hints_text(&hints, &rng, text) == 4 && memcmp(text, "lynx", 4) == 0;
    }
    assert_in_range(wanted, 200, 390); /* the others are tried, too */
}

static void draw_cell(bool is_pair, int v)
{
    tapes_open(&t, "cell", 0);
    if (is_pair) tapes_int(&t, "extra", 0, 100, 50);
    tapes_int(&t, "v", 0, 100, v);
    tapes_close(&t);
}

/* Two states, one of whose cells is of another form: parts at the same position still move together. */
static void twins_need_not_have_the_same_shape_elsewhere(void **state)
{
    (void)state;
    int together = 0;
    tapes_begin(&t);
    for (int i = 0; i < 2; i++) {
        tapes_open(&t, "state", 0);
        draw_cell(i == 0, 7);
        tapes_int(&t, "pc", 0, 100, 9);
        tapes_close(&t);
    }
    sonde_tape_end(&t.tape); /* extra v pc | v pc */
    for (int i = 0; i < ROUNDS; i++)
        together += apply(sonde_mutate_twin) && script.n_choices == 5 && script.choices[2].index != 9
                    && script.choices[2].index == script.choices[4].index;
    assert_true(together > 0);
}

/* The right sum is written where the wrong one stands, whichever end comes first. */
static void the_other_side_of_a_comparison_is_put_into_bytes(void **state)
{
    (void)state;
    static const uint8_t data[] = {1, 2, 0x44, 0x33, 0x22, 0x11, 3};
    struct sonde_hint own = {.a = 0x11223344, .b = 0x55667788, .bytes = 4};
    struct sonde_coverage_view view = {.hints = &own, .n_hints = 1};
    uint32_t symbols[sizeof data];
    bool answered = false;
    sonde_hints_learn(&hints, &view, &t.tape);
    hints.own = &own;
    hints.n_own = 1;
    tapes_begin(&t);
    struct sonde_blob shape = {.max = 64, .alphabet = {.size = 256}};
    for (size_t i = 0; i < sizeof data; i++) symbols[i] = data[i];
    struct sonde_choice c = {.kind = SONDE_KIND_BLOB, .index = sizeof data, .max = 64};
    c.base = sonde_tape_add_blob(&t.tape, &shape, symbols, sizeof data);
    tapes_add(&t, "data", c);
    sonde_tape_end(&t.tape);
    for (int i = 0; i < ROUNDS && !answered; i++) {
        if (!apply(sonde_mutate_leaf)) continue;
        struct sonde_blob blob = sonde_choice_blob(&script, &script.choices[0]);
        answered = blob.len == sizeof data && sonde_blob_symbol(&blob, 2) == 0x88 && sonde_blob_symbol(&blob, 5) == 0x55
                   && sonde_blob_symbol(&blob, 1) == 2 && sonde_blob_symbol(&blob, 6) == 3;
    }
    assert_true(answered);
}

static void a_turned_flag_keeps_the_other_child_in_place(void **state)
{
    (void)state;
    struct sonde_script_reader r;
    tree_of_three();
    uint32_t tree = t.tape.spans[1].label, right = sonde_label_intern(&t.labels, "right"),
             left = sonde_label_intern(&t.labels, "left"), v = sonde_label_intern(&t.labels, "v");
    t.tape.choices[1].index = 0; /* no left subtree any more */
    t.tape.choices[1].flags |= SONDE_CHOICE_TURNED;
    sonde_script_init(&r);
    sonde_script_begin(&r, &t.tape);
    sonde_script_open(&r, tree);
    sonde_script_next(&r, v);
    assert_int_equal(sonde_script_next(&r, left)->index, 0);
    assert_int_equal(sonde_script_next(&r, right)->index, 1);
    sonde_script_open(&r, tree);
    assert_int_equal(sonde_script_next(&r, v)->index, t.tape.choices[4].index);
    sonde_script_clear(&r);
}

static void a_flag_that_is_turned_on_opens_something_new(void **state)
{
    (void)state;
    struct sonde_script_reader r;
    tapes_begin(&t);
    tapes_open(&t, "tree", 0);
    tapes_uint(&t, SONDE_KIND_BOOL, "left", 0, 1, 0);
    tapes_uint(&t, SONDE_KIND_BOOL, "right", 0, 1, 1);
    tapes_open(&t, "tree", 0);
    tapes_int(&t, "v", 0, 100, 70);
    tapes_close(&t);
    tapes_close(&t);
    sonde_tape_end(&t.tape);
    uint32_t tree = t.tape.spans[1].label, right = sonde_label_intern(&t.labels, "right"),
             left = sonde_label_intern(&t.labels, "left"), v = sonde_label_intern(&t.labels, "v");
    t.tape.choices[0].index = 1;
    t.tape.choices[0].flags |= SONDE_CHOICE_TURNED;
    sonde_script_init(&r);
    sonde_script_begin(&r, &t.tape);
    sonde_script_open(&r, tree);
    sonde_script_next(&r, left);
    sonde_script_open(&r, tree);
    assert_null(sonde_script_next(&r, v)); /* the guide's to answer */
    sonde_script_close(&r);
    sonde_script_next(&r, right);
    sonde_script_open(&r, tree);
    assert_non_null(sonde_script_next(&r, v));
    sonde_script_clear(&r);
}

static void mutants_are_proper_tapes(void **state)
{
    (void)state;
    tapes_everything(&t);
    sonde_tape_copy(&script, &t.tape);
    for (int i = 0; i < 20 * ROUNDS; i++) {
        if (i % 20 == 0) sonde_tape_copy(&script, &t.tape);
        assert_true(sonde_mutate(&m, &script) != 0);
        assert_proper(&script);
    }
}

/* An earlier mutator may have dropped all that there was. */
/* A mutant of a blob, made from a scratch array that held `poison` before. */
static void mutate_poisoned(uint64_t seed, uint32_t poison)
{
    sonde_rng_seed(&rng, seed, 1);
    m.symbols = sonde_grow(m.symbols, &m.cap_symbols, 64, sizeof *m.symbols);
    for (uint32_t i = 0; i < m.cap_symbols; i++) m.symbols[i] = poison;
    sonde_tape_copy(&script, &t.tape);
    sonde_mutate_blob(&m, &script, 0);
}

static void a_blob_is_made_of_what_was_written(void **state)
{
    (void)state;
    for (uint32_t length = 0; length <= 8; length++) {
        tapes_begin(&t);
        tapes_blob(&t, "data", sonde_alphabet_make(SONDE_ALPHABET_BYTES, NULL), 0, 8, "abcdefgh", length);
        sonde_tape_end(&t.tape);
        for (uint64_t seed = 0; seed < 2000; seed++) {
            uint32_t symbols[8];
            mutate_poisoned(seed, 0x11);
            struct sonde_blob one = sonde_choice_blob(&script, &script.choices[0]);
            uint32_t n = one.len;
            for (uint32_t i = 0; i < n; i++) symbols[i] = sonde_blob_symbol(&one, i);
            mutate_poisoned(seed, 0x77);
            struct sonde_blob other = sonde_choice_blob(&script, &script.choices[0]);
            assert_int_equal(other.len, n);
            for (uint32_t i = 0; i < n; i++) assert_int_equal(symbols[i], sonde_blob_symbol(&other, i));
        }
        tapes_clear(&t);
    }
}

static void a_tape_without_choices_is_left_alone(void **state)
{
    (void)state;
    tapes_begin(&t);
    tapes_open(&t, "point", 0);
    tapes_close(&t);
    sonde_tape_end(&t.tape);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < SONDE_MUTATORS; i++) {
            apply(sonde_mutators[i].mutate);
            assert_int_equal(script.n_choices, 0);
        }
}

static void without_parts_every_mutant_differs_in_its_leaves(void **state)
{
    (void)state;
    tapes_begin(&t);
    tapes_int(&t, "x", 0, 100, 7);
    tapes_int(&t, "y", 0, 100, 8);
    sonde_tape_end(&t.tape);
    for (int i = 0; i < 4000; i++) {
        sonde_tape_copy(&script, &t.tape);
        assert_int_equal(sonde_mutate(&m, &script), 1); /* leaf, and it was not given up */
    }
    m.weights[0] = 0;
    assert_int_equal(sonde_mutate(&m, &script), 0);
}

static void what_earns_is_tried_more(void **state)
{
    (void)state;
    two_points();
    for (int i = 0; i < 4000; i++) sonde_mutate_reward(&m, 1u << (i % 4), i % 4 == 3 ? 1 : 0); /* list */
    uint64_t before[4];
    for (int i = 0; i < 4; i++) before[i] = m.states[i].uses;
    tapes_clear(&t);
    list_of(3);
    for (int i = 0; i < 4000; i++) {
        sonde_tape_copy(&script, &t.tape);
        sonde_mutate(&m, &script);
    }
    assert_true(m.states[3].uses - before[3] > 4000 / 14); /* its weight is one of 17.5, of which 15.5 apply here */
    assert_true(m.states[0].uses - before[0] > 100);       /* the floor */
    tapes_clear(&t);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void learn_pair(struct sonde_hints *all, const struct sonde_tape *tape, uint64_t a)
{
    struct sonde_hint hint = {.a = a, .b = a / 2, .bytes = 8, .id = (uint32_t)a % 7};
    sonde_hints_learn(all, &(struct sonde_coverage_view){.hints = &hint, .n_hints = 1}, tape);
}

static void a_comparison_is_held_once_until_others_take_its_place(void **state)
{
    (void)state;
    enum { MANY = 3 * SONDE_HINTS };
    static struct sonde_hints all;
    struct sonde_tape tape;
    sonde_tape_init(&tape);
    sonde_tape_begin(&tape);
    for (uint64_t a = 1; a <= MANY; a++) {
        learn_pair(&all, &tape, a);
        learn_pair(&all, &tape, a > SONDE_HINTS ? a - SONDE_HINTS + 1 : 1); /* the oldest that is held */
        assert_int_equal(all.n_pairs, a);
    }
    learn_pair(&all, &tape, 1); /* gone long ago */
    assert_int_equal(all.n_pairs, MANY + 1);
    sonde_tape_clear(&tape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(leaf_changes_one_choice),
        TEST(values_stay_in_their_domain),
        TEST(twin_moves_two_spans_together),
        TEST(copy_makes_two_spans_equal),
        TEST(copy_needs_two_spans_of_a_label),
        TEST(list_changes_length_with_its_elements),
        TEST(an_empty_list_can_grow),
        TEST(descendant_lifts_a_subtree),
        TEST(regenerate_leaves_a_hole),
        TEST(constructor_changes_the_first_choice),
        TEST(splice_takes_from_another_tape),
        TEST(a_hint_is_tried_where_its_other_side_stands),
        TEST(a_hint_beyond_the_sign_bit_reaches_unsigned_draws),
        TEST(what_the_input_was_compared_with_is_not_hidden_by_others),
        TEST(twins_need_not_have_the_same_shape_elsewhere),
        TEST(the_other_side_of_a_comparison_is_put_into_bytes),
        TEST(a_turned_flag_keeps_the_other_child_in_place),
        TEST(a_flag_that_is_turned_on_opens_something_new),
        TEST(mutants_are_proper_tapes),
        TEST(without_parts_every_mutant_differs_in_its_leaves),
        TEST(a_blob_is_made_of_what_was_written),
        TEST(a_tape_without_choices_is_left_alone),
        TEST(what_earns_is_tried_more),
        TEST(a_comparison_is_held_once_until_others_take_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
