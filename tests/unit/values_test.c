/* The values of a tape: the tree for people and the paths for programs. */
#include "report_fixture.h"

#include "report/values.h"

static void assert_tree(const struct sonde_values *values, size_t max_lines, const char *expected)
{
    struct sink sink;
    sink_open(&sink);
    sonde_values_tree(sink.out, values, 0, max_lines);
    assert_string_equal(sink_text(&sink), expected);
    sink_close(&sink);
}

static bool collect(void *to, const struct sonde_leaf *leaf)
{
    fprintf(to, "%s%s%s\n", leaf->path, leaf->shown ? " " : "", leaf->shown ? leaf->shown : "");
    return true;
}

static void assert_paths(const struct sonde_values *values, const char *expected)
{
    struct sink sink;
    sink_open(&sink);
    sonde_values_each(values, collect, sink.out);
    assert_string_equal(sink_text(&sink), expected);
    sink_close(&sink);
}

static void spans_are_indented_and_lists_of_single_choices_are_compact(void **state)
{
    struct writer w;
    (void)state;
    writer_example(&w);
    assert_tree(
        &(struct sonde_values){&w.tape, &w.labels, NULL, 0, NULL}, 0,
        "tree\n  value = 3\n  left = true\n  tree\n    value = 4\n  tree\n    value = 5\nxs = [1, 2, 3]\nx = 7\n");
    writer_clear(&w);
}

static void siblings_of_one_name_have_different_paths(void **state)
{
    struct writer w;
    (void)state;
    writer_example(&w);
    assert_paths(&(struct sonde_values){&w.tape, &w.labels, NULL, 0, NULL},
                 "tree.value\ntree.left\ntree.tree.value\ntree.tree#2.value\nxs[0].x\nxs[1].x\nxs[2].x\nx\n");
    writer_clear(&w);
}

static void path_characters_in_labels_are_escaped(void **state)
{
    struct writer w;
    (void)state;
    writer_begin(&w);
    writer_uint(&w, "a.b[0]#2\\", 1);
    writer_end(&w);
    assert_paths(&(struct sonde_values){&w.tape, &w.labels, NULL, 0, NULL}, "a\\.b\\[0\\]\\#2\\\\\n");
    writer_clear(&w);
}

static void shown_spans_replace_their_draws(void **state)
{
    struct writer w;
    (void)state;
    writer_example(&w);
    struct sonde_shown_span shown[] = {{1, "(3 (4) (5))"}};
    struct sonde_values values = {&w.tape, &w.labels, shown, 1, NULL};
    assert_tree(&values, 0, "tree = (3 (4) (5))\nxs = [1, 2, 3]\nx = 7\n");
    assert_paths(&values, "tree (3 (4) (5))\nxs[0].x\nxs[1].x\nxs[2].x\nx\n");
    writer_clear(&w);
}

static void shown_text_of_several_lines_is_indented(void **state)
{
    struct writer w;
    (void)state;
    writer_example(&w);
    struct sonde_shown_span shown[] = {{1, "one\ntwo\n"}};
    assert_tree(&(struct sonde_values){&w.tape, &w.labels, shown, 1, NULL}, 0,
                "tree =\n  one\n  two\nxs = [1, 2, 3]\nx = 7\n");
    writer_clear(&w);
}

static void rejected_elements_are_left_out(void **state)
{
    struct writer w;
    (void)state;
    writer_begin(&w);
    writer_list(&w, "xs", 3);
    writer_end(&w);
    w.tape.spans[3].flags |= SONDE_SPAN_REJECTED; /* the second element */
    struct sonde_values values = {&w.tape, &w.labels, NULL, 0, NULL};
    assert_tree(&values, 0, "xs = [1, 3]\n");
    assert_paths(&values, "xs[0].x\nxs[1].x\n");
    writer_clear(&w);
}

static void size_is_shown_only_where_it_matters(void **state)
{
    struct writer w;
    (void)state;
    writer_begin(&w);
    writer_add(&w, SONDE_LABEL_SIZE, SONDE_KIND_SIZE, 30, 0);
    writer_uint(&w, "x", 1);
    writer_end(&w);
    struct sonde_values values = {&w.tape, &w.labels, NULL, 0, NULL};
    assert_paths(&values, "\\#size\nx\n");
    w.tape.choices[0].index = 0;
    assert_paths(&values, "x\n");
    writer_clear(&w);
}

static void elements_of_several_draws_keep_their_names(void **state)
{
    struct writer w;
    (void)state;
    writer_begin(&w);
    writer_open(&w, "ps", SONDE_SPAN_LIST);
    for (uint64_t i = 0; i < 2; i++) {
        writer_open(&w, "ps", SONDE_SPAN_ELEMENT);
        writer_uint(&w, "x", i);
        if (i == 0) writer_uint(&w, "y", 9);
        writer_close(&w);
    }
    writer_close(&w);
    writer_end(&w);
    assert_tree(&(struct sonde_values){&w.tape, &w.labels, NULL, 0, NULL}, 0, "ps = [{x = 0, y = 9}, {x = 1}]\n");
    writer_clear(&w);
}

static void long_lists_are_wrapped(void **state)
{
    struct writer w;
    struct sink sink;
    (void)state;
    writer_begin(&w);
    writer_list(&w, "xs", 100);
    writer_end(&w);
    sink_open(&sink);
    sonde_values_tree(sink.out, &(struct sonde_values){&w.tape, &w.labels, NULL, 0, NULL}, 0, 0);
    const char *text = sink_text(&sink);
    assert_int_equal(strncmp(text, "xs = [1, 2, 3", 13), 0);
    assert_non_null(strstr(text, "99, 100]\n"));
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) assert_true(strcspn(line, "\n") <= 100);
    sink_close(&sink);
    writer_clear(&w);
}

static void long_inputs_are_cut_with_a_word_on_the_rest(void **state)
{
    struct writer w;
    (void)state;
    writer_begin(&w);
    for (uint64_t i = 0; i < 1500; i++) writer_uint(&w, "x", i);
    writer_end(&w);
    assert_tree(&(struct sonde_values){&w.tape, &w.labels, NULL, 0, NULL}, 2,
                "x = 0\nx = 1\n... and 1,498 more choices\n");
    writer_clear(&w);
}

static void nothing_drawn_is_said(void **state)
{
    struct writer w;
    (void)state;
    writer_begin(&w);
    writer_end(&w);
    assert_tree(&(struct sonde_values){&w.tape, &w.labels, NULL, 0, NULL}, 0, "(nothing was drawn)\n");
    writer_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_are_indented_and_lists_of_single_choices_are_compact),
        cmocka_unit_test(siblings_of_one_name_have_different_paths),
        cmocka_unit_test(path_characters_in_labels_are_escaped),
        cmocka_unit_test(shown_spans_replace_their_draws),
        cmocka_unit_test(shown_text_of_several_lines_is_indented),
        cmocka_unit_test(rejected_elements_are_left_out),
        cmocka_unit_test(size_is_shown_only_where_it_matters),
        cmocka_unit_test(elements_of_several_draws_keep_their_names),
        cmocka_unit_test(long_lists_are_wrapped),
        cmocka_unit_test(long_inputs_are_cut_with_a_word_on_the_rest),
        cmocka_unit_test(nothing_drawn_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
