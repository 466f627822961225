/* The state of RLCheck's figure 3, read off spans (addons/classic/rl_state.c). A state is written as the paper writes
 * it, the oldest entry first. */
#include "lib/mocka.h"
#include "lib/tapes.h"

#include "../../addons/classic/classic.h"

#include <stdio.h>

static struct tapes made;

static void draw_value(const char *label, int64_t value)
{
    tapes_int(&made, label, 0, 10, value);
}

static void draw_bool(const char *label, bool value)
{
    tapes_uint(&made, SONDE_KIND_BOOL, label, 0, 1, value);
}

/* Returns the label of an entry: of the draw with that site, or of the list with that label. */
static const char *label_of(const struct classic_entry *e)
{
    uint32_t label = e->name;
    for (uint32_t i = 0; i < made.tape.n_choices; i++)
        if (made.tape.choices[i].site == e->name) label = made.tape.choices[i].label;
    return sonde_label_text(&made.labels, label);
}

/* Checks the state of the next draw. */
static void expect_state(uint32_t window, const char *expected)
{
    struct classic_entry entries[16];
    char text[256] = "";
    uint32_t n = classic_parents(&made.tape, made.span, made.tape.n_choices, entries, window);
    assert_true(n <= window);
    for (uint32_t i = n; i-- > 0;) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", label_of(&entries[i]));
        used = strlen(text);
        if (entries[i].is_value)
            snprintf(text + used, sizeof text - used, "=%llu", (unsigned long long)entries[i].value);
    }
    assert_string_equal(text, expected);
}

/* Figure 2: the tree in the making, and its states S1 to S6. The paper's L and R are the draws "left" and "right". */
static void the_states_are_those_of_figure_2(void **state)
{
    (void)state;
    tapes_begin(&made);
    tapes_open(&made, "tree", 0);
    expect_state(4, "");
    draw_value("value", 2);
    expect_state(4, "value=2");
    draw_bool("left", true);
    tapes_open(&made, "tree", 0);
    expect_state(4, "value=2 left");
    draw_value("value", 1);
    expect_state(4, "value=2 left value=1");
    draw_bool("left", false);
    draw_bool("right", false);
    tapes_close(&made);
    expect_state(4, "value=2");
    draw_bool("right", true);
    tapes_open(&made, "tree", 0);
    expect_state(4, "value=2 right"); /* as printed: [2, R] */
    draw_value("value", 3);
    draw_bool("left", true);
    tapes_open(&made, "tree", 0);
    draw_value("value", 4);
    expect_state(4, "right value=3 left value=4"); /* the tail of w = 4 */
    expect_state(2, "left value=4");
    expect_state(0, "");
    tapes_clear(&made);
}

/* An element with attributes and children, both lists: neither their lengths nor earlier children are in the state. */
static void lists_name_their_elements_and_have_no_value(void **state)
{
    (void)state;
    tapes_begin(&made);
    tapes_uint(&made, SONDE_KIND_SIZE, SONDE_LABEL_SIZE, 0, 100, 30);
    tapes_open(&made, "element", 0);
    tapes_int(&made, "only", 5, 5, 5); /* forced: nothing was chosen */
    draw_value("tag", 7);
    draw_value("style", 1);
    tapes_open(&made, "children", SONDE_SPAN_LIST);
    tapes_uint(&made, SONDE_KIND_LENGTH, SONDE_LABEL_LENGTH, 0, 5, 2);
    for (int i = 0; i < 2; i++) {
        tapes_open(&made, "children[]", SONDE_SPAN_ELEMENT);
        tapes_open(&made, "element", 0);
        expect_state(5, "tag=7 children");
        draw_value("tag", i + 2);
        expect_state(5, i ? "tag=7 children tag=3" : "tag=7 children tag=2");
        tapes_close(&made);
        tapes_close(&made);
    }
    tapes_close(&made);
    expect_state(5, "tag=7");
    tapes_clear(&made);
}

/* A string counts with its characters, not by its length. */
static void strings_are_values(void **state)
{
    (void)state;
    static const char *const texts[] = {"ab", "ba"};
    uint64_t values[2];
    for (int i = 0; i < 2; i++) {
        struct classic_entry entry;
        tapes_begin(&made);
        tapes_open(&made, "element", 0);
        tapes_text(&made, "tag", texts[i]);
        assert_int_equal(classic_parents(&made.tape, made.span, made.tape.n_choices, &entry, 1), 1);
        values[i] = entry.value;
        tapes_clear(&made);
    }
    assert_true(values[0] != values[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_states_are_those_of_figure_2),
        cmocka_unit_test(lists_name_their_elements_and_have_no_value),
        cmocka_unit_test(strings_are_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
