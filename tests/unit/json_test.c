/* The JSON report, read back by a JSON library. */
#include "report_fixture.h"

#include "base/json.h"
#include "report/shared.h"

#include <jansson.h>
#include <math.h>

/* Reads integers as they are; those above 2^63 only as reals. */
static json_t *report_of(const struct sonde_report *report, size_t flags)
{
    struct sink sink;
    json_error_t error;
    sink_open(&sink);
    struct sonde_reporter *reporter = sonde_json_create(sink.out, (struct sonde_json_extras){false, false});
    tell(reporter, SONDE_EVENT_BEGIN, 1);
    tell_end(reporter, report);
    tell(reporter, SONDE_EVENT_END, 1);
    const char *text = sink_text(&sink);
    assert_ptr_equal(strchr(text, '\n'), text + sink.size - 1); /* one line */
    json_t *json = json_loads(text, flags | JSON_REJECT_DUPLICATES, &error);
    if (!json) fail_msg("%s at %d in %s", error.text, error.position, text);
    reporter->destroy(reporter);
    sink_close(&sink);
    return json;
}

static const char *text_at(const json_t *json, const char *key)
{
    assert_true(json_is_string(json_object_get(json, key)));
    return json_string_value(json_object_get(json, key));
}

static json_int_t number_at(const json_t *json, const char *key)
{
    assert_true(json_is_integer(json_object_get(json, key)));
    return json_integer_value(json_object_get(json, key));
}

static void passed_property_has_all_fields(void **state)
{
    (void)state;
    struct sonde_report r = report_passed();
    json_t *json = report_of(&r, 0);
    assert_string_equal(text_at(json, "property"), "sorts");
    assert_string_equal(text_at(json, "verdict"), "passed");
    assert_string_equal(text_at(json, "stopped"), "tests");
    assert_string_equal(text_at(json, "guide"), "random");
    assert_int_equal(number_at(json, "tests"), 13120);
    assert_int_equal(number_at(json, "valid"), 10000);
    assert_int_equal(number_at(json, "discarded"), 3120);
    assert_int_equal(number_at(json, "unique_valid"), 9000);
    json_t *different = json_object_get(json, "different");
    assert_int_equal(number_at(different, "shape"), 31);
    assert_int_equal(number_at(different, "skeleton"), 1200);
    assert_int_equal(number_at(different, "payload"), 9000);
    assert_true(json_is_null(json_object_get(different, "trace"))); /* no code is instrumented */
    assert_int_equal(number_at(json, "seed"), 42);
    assert_int_equal(number_at(json, "choices"), 0);
    assert_true(json_is_real(json_object_get(json, "seconds")));
    assert_true(json_is_real(json_object_get(json, "cpu_s")));
    assert_int_equal(json_array_size(json_object_get(json, "failures")), 0);
    assert_true(json_is_object(json_object_get(json, "labels")));
    assert_true(json_is_object(json_object_get(json, "targets")));
    json_decref(json);
}

static void failure_has_values_in_order(void **state)
{
    (void)state;
    static const char *const paths[] = {"tree.value", "tree.left", "tree.tree.value", "tree.tree#2.value",
                                        "xs[0].x",    "xs[1].x",   "xs[2].x",         "x"};
    struct writer w;
    writer_example(&w);
    struct sonde_failure f = failure_of(&w.tape);
    struct sonde_report r = report_falsified(&f, &w);
    json_t *json = report_of(&r, 0), *failure = json_array_get(json_object_get(json, "failures"), 0);
    assert_string_equal(text_at(json, "verdict"), "falsified");
    assert_string_equal(text_at(failure, "id"), "00000000deadbeef");
    assert_string_equal(text_at(failure, "token"), "s1:a=1 b=2");
    assert_int_equal(number_at(failure, "line"), 12);
    assert_int_equal(number_at(failure, "tests_to_failure"), 57);
    assert_int_equal(number_at(failure, "shrink_calls"), 61);
    assert_true(json_is_true(json_object_get(failure, "shrink_complete")));
    assert_true(json_is_false(json_object_get(failure, "shrink_stopped")));
    json_t *values = json_object_get(failure, "values");
    assert_int_equal(json_array_size(values), 8);
    for (size_t i = 0; i < 8; i++) assert_string_equal(text_at(json_array_get(values, i), "path"), paths[i]);
    assert_int_equal(number_at(json_array_get(values, 7), "value"), 7);
    assert_true(json_is_true(json_object_get(json_array_get(values, 1), "value")));
    json_decref(json);
    writer_clear(&w);
}

/* A limit that was reached is something else than an input too large for some passes. */
static void failure_says_how_shrinking_ended(void **state)
{
    (void)state;
    for (int stopped = 0; stopped < 2; stopped++) {
        struct writer w;
        writer_example(&w);
        struct sonde_failure f = failure_of(&w.tape);
        f.shrink_complete = false;
        f.shrink_stopped = stopped;
        struct sonde_report r = report_falsified(&f, &w);
        json_t *json = report_of(&r, 0), *failure = json_array_get(json_object_get(json, "failures"), 0);
        assert_true(json_is_false(json_object_get(failure, "shrink_complete")));
        assert_int_equal(json_is_true(json_object_get(failure, "shrink_stopped")), stopped);
        assert_int_equal(json_is_false(json_object_get(failure, "shrink_stopped")), !stopped);
        json_decref(json);
        writer_clear(&w);
    }
}

static void hostile_text_stays_valid(void **state)
{
    (void)state;
    struct writer w;
    writer_begin(&w);
    writer_uint(&w, HOSTILE, 1);
    writer_text(&w, "s", SONDE_ALPHABET_PRINTABLE, "quote \" and \\");
    writer_text(&w, "b", SONDE_ALPHABET_BYTES, "\x01\xff");
    writer_end(&w);
    struct sonde_shown_span shown[] = {{0, HOSTILE}};
    struct sonde_failure f = failure_of(&w.tape);
    struct sonde_label_count labels[] = {{.name = HOSTILE, .count = 3, .wanted = 5}};
    struct sonde_target_best targets[] = {{HOSTILE, 1}};
    struct sonde_assume_count assumes[] = {{HOSTILE, 1, HOSTILE, 2}};
    struct sonde_report r = report_falsified(&f, &w);
    r.property = r.message = r.warning = f.message = f.condition = f.notes = f.got = f.want = f.token = HOSTILE;
    r.labels = labels, r.n_labels = 1, r.targets = targets, r.n_targets = 1, r.assumes = assumes, r.n_assumes = 1;
    json_t *json = report_of(&r, 0), *values;
    values = json_object_get(json_array_get(json_object_get(json, "failures"), 0), "values");
    assert_string_equal(text_at(json_array_get(values, 1), "value"), "quote \" and \\");
    assert_string_equal(text_at(json_array_get(values, 2), "value"), "01ff");
    assert_non_null(strstr(text_at(json, "property"), "\x1b[31m\t\xef\xbf\xbd\xef\xbf\xbd("));
    json_decref(json);
    f.shown = shown, f.n_shown = 1;
    json_decref(report_of(&r, 0));
    writer_clear(&w);
}

static void numbers_that_json_lacks_are_strings(void **state)
{
    (void)state;
    struct sonde_target_best targets[] = {{"a", INFINITY}, {"b", -INFINITY}, {"c", NAN}, {"d", 0.1}};
    struct sonde_report r = report_passed();
    r.targets = targets;
    r.n_targets = 4;
    json_t *json = report_of(&r, 0), *object = json_object_get(json, "targets");
    assert_string_equal(text_at(object, "a"), "inf");
    assert_string_equal(text_at(object, "b"), "-inf");
    assert_string_equal(text_at(object, "c"), "nan");
    assert_true(fabs(json_real_value(json_object_get(object, "d")) - 0.1) == 0);
    json_decref(json);
}

static void large_integers_are_plain_numbers(void **state)
{
    (void)state;
    struct sink sink;
    struct sonde_report r = report_passed();
    r.seed = UINT64_MAX;
    sink_open(&sink);
    sonde_json_fields(&(struct sonde_json_out){.out = sink.out}, &r, false);
    assert_non_null(strstr(sink_text(&sink), "\"seed\": 18446744073709551615,"));
    sink_close(&sink);
    json_decref(report_of(&r, JSON_DECODE_INT_AS_REAL));
}

static void cover_claims_have_verdicts(void **state)
{
    (void)state;
    struct sonde_label_count labels[] = {
        {.name = "free", .count = 3},
        {.name = "long", .count = 10, .wanted = 20, .sampled = 50, .met = 4, .cover = SONDE_COVER_MISSED}};
    struct sonde_report r = report_passed();
    r.labels = labels;
    r.n_labels = 2;
    json_t *json = report_of(&r, 0), *cover = json_object_get(json, "cover");
    assert_int_equal(number_at(json_object_get(json, "labels"), "free"), 3);
    assert_int_equal(json_object_size(cover), 1);
    assert_string_equal(text_at(json_object_get(cover, "long"), "verdict"), "missed");
    json_decref(json);
}

static void huge_values_are_cut_and_marked(void **state)
{
    (void)state;
    struct writer w;
    writer_begin(&w);
    for (uint64_t i = 0; i < 200000; i++) writer_uint(&w, "x", i);
    writer_end(&w);
    struct sonde_failure f = failure_of(&w.tape);
    struct sonde_report r = report_falsified(&f, &w);
    json_t *json = report_of(&r, 0), *failure = json_array_get(json_object_get(json, "failures"), 0);
    assert_true(json_is_false(json_object_get(failure, "values_complete")));
    json_decref(json);
    writer_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passed_property_has_all_fields),      cmocka_unit_test(failure_has_values_in_order),
        cmocka_unit_test(failure_says_how_shrinking_ended),    cmocka_unit_test(hostile_text_stays_valid),
        cmocka_unit_test(numbers_that_json_lacks_are_strings), cmocka_unit_test(large_integers_are_plain_numbers),
        cmocka_unit_test(cover_claims_have_verdicts),          cmocka_unit_test(huge_values_are_cut_and_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
