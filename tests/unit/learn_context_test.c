/* The state of a draw, over tapes that the test writes: what it is related to, and which views of it agree. */
#include "lib/mocka.h"

#include "guide/rl/learn_context.h"
#include "tape/tape.h"

#include <stdlib.h>
#include <string.h>

enum { TREE = 1, VALUE, LEFT, RIGHT, LIST, LENGTH, ITEM, KEY, MAX = 1000 };

struct fixture {
    struct sonde_tape tape;
    struct sonde_learn_context context;
    uint32_t span; /* that is open */
};

static void open_span(struct fixture *f, uint32_t label, uint32_t flags)
{
    f->span = sonde_tape_open(&f->tape, f->span, label, flags);
}

static void close_span(struct fixture *f)
{
    uint32_t parent = f->tape.spans[f->span].parent;
    sonde_tape_close(&f->tape, f->span);
    f->span = parent;
}

/* A draw from [0, max], whose site is its label and the label of its span. */
static uint32_t draw(struct fixture *f, uint32_t label, uint64_t max, uint64_t index, enum sonde_kind kind)
{
    struct sonde_choice c = {.label = label, .max = max, .index = index, .kind = (uint8_t)kind, .span = f->span};
    c.site = label * 64 + f->tape.spans[f->span].label;
    sonde_tape_add(&f->tape, &c);
    return f->tape.n_choices - 1;
}

static uint32_t draw_value(struct fixture *f, uint64_t value)
{
    return draw(f, VALUE, MAX, value, SONDE_KIND_INT);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    sonde_tape_init(&f->tape);
    sonde_tape_begin(&f->tape);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    sonde_learn_context_clear(&f->context);
    sonde_tape_clear(&f->tape);
    free(f);
    return 0;
}

/* Brings the context up to a choice, from the start. */
static void follow(struct fixture *f, uint32_t choice)
{
    sonde_learn_context_begin(&f->context);
    for (uint32_t i = 0; i <= choice; i++) sonde_learn_context_follow(&f->context, &f->tape, &f->tape.choices[i], i);
}

static const struct sonde_learn_class *class_of(const struct fixture *f, enum sonde_learn_sort sort)
{
    for (uint32_t k = 0; k < f->context.n_classes; k++)
        if (f->context.classes[k].sort == sort) return &f->context.classes[k];
    return NULL;
}

static uint32_t members(const struct fixture *f, enum sonde_learn_sort sort)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->context.n_members; i++) n += f->context.classes[f->context.class_of[i]].sort == sort;
    return n;
}

static void a_value_is_compared_with_its_ancestors_by_the_way_down(void **state)
{
    struct fixture *f = *state;
    open_span(f, TREE, 0);
    draw_value(f, 5);
    draw(f, LEFT, 1, 1, SONDE_KIND_BOOL);
    open_span(f, TREE, 0);
    uint32_t below = draw_value(f, 3);
    follow(f, below);
    const struct sonde_learn_class *class = class_of(f, LEARN_ANCESTORS);
    assert_non_null(class);
    assert_int_equal(class->label, VALUE);
    assert_int_equal(class->by, LEFT);
    assert_int_equal(class->min, 5);
    assert_int_equal(class->max, 5);
    assert_null(class_of(f, LEARN_OWN)); /* it is the first of its span */
    struct sonde_learn_state where = sonde_learn_context_state(&f->context);
    assert_int_equal(where.label, VALUE);
    assert_int_equal(where.value, 5);
    assert_int_equal(where.by, LEFT);
}

static void left_is_told_from_right(void **state)
{
    struct fixture *f = *state;
    open_span(f, TREE, 0);
    draw_value(f, 5);
    draw(f, LEFT, 1, 1, SONDE_KIND_BOOL);
    open_span(f, TREE, 0);
    uint32_t left = draw_value(f, 3);
    close_span(f);
    draw(f, RIGHT, 1, 1, SONDE_KIND_BOOL);
    open_span(f, TREE, 0);
    uint32_t right = draw_value(f, 7);
    follow(f, left);
    uint32_t key = class_of(f, LEARN_ANCESTORS)->key;
    follow(f, right);
    assert_int_not_equal(class_of(f, LEARN_ANCESTORS)->key, key);
    assert_int_equal(class_of(f, LEARN_ANCESTORS)->by, RIGHT);
}

static void a_list_between_does_not_hide_the_parent(void **state)
{
    struct fixture *f = *state;
    open_span(f, TREE, 0);
    draw_value(f, 5);
    open_span(f, LIST, SONDE_SPAN_LIST);
    draw(f, LENGTH, 9, 1, SONDE_KIND_LENGTH);
    open_span(f, ITEM, SONDE_SPAN_ELEMENT);
    open_span(f, TREE, 0);
    uint32_t below = draw_value(f, 3);
    follow(f, below);
    const struct sonde_learn_class *class = class_of(f, LEARN_ANCESTORS);
    assert_non_null(class);
    assert_int_equal(class->min, 5);
    assert_int_equal(sonde_learn_context_state(&f->context).value, 5);
}

static uint32_t write_list(struct fixture *f, const uint64_t *values, uint32_t n)
{
    uint32_t last = 0;
    open_span(f, LIST, SONDE_SPAN_LIST);
    draw(f, LENGTH, 9, n, SONDE_KIND_LENGTH);
    for (uint32_t i = 0; i < n; i++) {
        open_span(f, ITEM, SONDE_SPAN_ELEMENT);
        last = draw_value(f, values[i]);
        close_span(f);
    }
    return last;
}

static void an_element_is_compared_with_all_before_it_and_the_nearest(void **state)
{
    struct fixture *f = *state;
    uint32_t last = write_list(f, (uint64_t[]){40, 20, 30}, 3);
    follow(f, last);
    assert_int_equal(members(f, LEARN_SIBLING_NEAREST), 1);
    assert_int_equal(class_of(f, LEARN_SIBLING_NEAREST)->min, 20);
    assert_int_equal(members(f, LEARN_SIBLINGS), 2);
    assert_int_equal(class_of(f, LEARN_SIBLINGS)->min, 20);
    assert_int_equal(class_of(f, LEARN_SIBLINGS)->max, 40);
    assert_null(class_of(f, LEARN_MIRROR));
}

static void a_deep_look_finds_the_element_on_the_other_side(void **state)
{
    struct fixture *f = *state;
    f->context.is_deep = true;
    uint32_t last = write_list(f, (uint64_t[]){40, 20, 30, 25}, 4);
    follow(f, last);
    assert_non_null(class_of(f, LEARN_MIRROR));
    assert_int_equal(class_of(f, LEARN_MIRROR)->min, 40);
}

static void a_draw_is_compared_with_those_of_its_span(void **state)
{
    struct fixture *f = *state;
    open_span(f, TREE, 0);
    draw_value(f, 8);
    draw(f, KEY, MAX, 6, SONDE_KIND_INT);
    uint32_t last = draw_value(f, 9);
    follow(f, last);
    assert_int_equal(members(f, LEARN_OWN), 2);
    assert_int_equal(members(f, LEARN_OWN_NEAREST), 1);
    assert_int_equal(class_of(f, LEARN_OWN_NEAREST)->label, KEY);
    assert_int_equal(class_of(f, LEARN_OWN_NEAREST)->min, 6);
}

static void the_site_alone_is_the_same_row_at_every_depth(void **state)
{
    struct fixture *f = *state;
    uint32_t at[3], site[3], rows[3];
    for (int i = 0; i < 3; i++) {
        open_span(f, TREE, 0);
        at[i] = draw_value(f, 5);
    }
    for (int i = 0; i < 3; i++) {
        follow(f, at[i]);
        site[i] = f->context.rows[0];
        rows[i] = f->context.n_rows;
    }
    assert_int_equal(site[0], site[1]);
    assert_int_equal(site[1], site[2]);
    assert_true(rows[0] < rows[1] && rows[1] < rows[2]); /* the path is longer */
}

static void asked_twice_it_says_the_same(void **state)
{
    struct fixture *f = *state;
    uint32_t last = write_list(f, (uint64_t[]){4, 2, 3}, 3), before[LEARN_ROWS];
    follow(f, last);
    uint32_t n = f->context.n_rows, n_members = f->context.n_members;
    memcpy(before, f->context.rows, n * sizeof *before);
    sonde_learn_context_follow(&f->context, &f->tape, &f->tape.choices[last], last);
    assert_int_equal(f->context.n_rows, n);
    assert_int_equal(f->context.n_members, n_members);
    assert_memory_equal(f->context.rows, before, n * sizeof *before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_value_is_compared_with_its_ancestors_by_the_way_down, set_up, tear_down),
        cmocka_unit_test_setup_teardown(left_is_told_from_right, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_list_between_does_not_hide_the_parent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_element_is_compared_with_all_before_it_and_the_nearest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_deep_look_finds_the_element_on_the_other_side, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_draw_is_compared_with_those_of_its_span, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_site_alone_is_the_same_row_at_every_depth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(asked_twice_it_says_the_same, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
