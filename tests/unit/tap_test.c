/* The TAP report. Its diagnostics are JSON fields, one per line, so a JSON library can judge them. */
#include "report_fixture.h"

#include <jansson.h>

/* Returns the output of TAP for `n` properties of which the reports are given; the caller closes the sink. */
static const char *tap_of(struct sink *sink, const struct sonde_report *reports, size_t n_reports, size_t n)
{
    sink_open(sink);
    struct sonde_reporter *reporter = sonde_tap_create(sink->out);
    tell(reporter, SONDE_EVENT_BEGIN, n);
    for (size_t i = 0; i < n_reports; i++) tell_end(reporter, &reports[i]);
    tell(reporter, SONDE_EVENT_END, n);
    reporter->destroy(reporter);
    return sink_text(sink);
}

/* The first YAML block, as JSON. */
static json_t *diagnostics_of(const char *tap)
{
    const char *start = strstr(tap, "\n  ---\n"), *end = strstr(tap, "\n  ...\n");
    struct sink sink;
    json_error_t error;
    assert_true(start && end && start < end);
    sink_open(&sink);
    fputc('{', sink.out);
    for (const char *line = start + 7; line < end; line = strchr(line, '\n') + 1) {
        assert_int_equal(strncmp(line, "  \"", 3), 0);
        fprintf(sink.out, "%s%.*s", line == start + 7 ? "" : ",", (int)strcspn(line, "\n"), line);
    }
    fputc('}', sink.out);
    json_t *json = json_loads(sink_text(&sink), JSON_REJECT_DUPLICATES, &error);
    if (!json) fail_msg("%s in %s", error.text, sink.text);
    sink_close(&sink);
    return json;
}

static void version_and_plan_come_first(void **state)
{
    (void)state;
    struct sink sink;
    struct sonde_report r = report_passed();
    const char *text = tap_of(&sink, &r, 1, 1);
    assert_int_equal(strncmp(text, "TAP version 13\n1..1\nok 1 - sorts\n  ---\n", 39), 0);
    assert_string_equal(text + sink.size - 7, "\n  ...\n");
    sink_close(&sink);
}

static void failing_property_is_not_ok(void **state)
{
    (void)state;
    struct sink sink;
    struct writer w;
    writer_example(&w);
    struct sonde_failure f = failure_of(&w.tape);
    struct sonde_report reports[] = {report_passed(), report_falsified(&f, &w)};
    const char *text = tap_of(&sink, reports, 2, 2);
    const char *second = strstr(text, "\nnot ok 2 - sorts\n");
    assert_non_null(second);
    json_t *json = diagnostics_of(second);
    assert_string_equal(json_string_value(json_object_get(json, "verdict")), "falsified");
    assert_int_equal(json_array_size(json_object_get(json, "failures")), 1);
    json_decref(json);
    sink_close(&sink);
    writer_clear(&w);
}

static void giving_up_is_a_skip(void **state)
{
    (void)state;
    struct sink sink;
    struct sonde_report r = report_passed();
    r.outcome = SONDE_OUTCOME_GAVE_UP;
    r.message = "only 1 of 9 inputs\nwere valid";
    assert_non_null(
        strstr(tap_of(&sink, &r, 1, 1), "\nok 1 - sorts # SKIP gave up: only 1 of 9 inputs\\nwere valid\n"));
    sink_close(&sink);
}

static void hostile_text_breaks_no_line(void **state)
{
    (void)state;
    struct sink sink;
    struct sonde_failure f = failure_of(NULL);
    struct sonde_report r = report_falsified(&f, NULL);
    r.property = "a # TODO \\ b\nok 2 - c";
    f.message = f.notes = f.condition = r.message = "\n  ...\nok 9 - x " HOSTILE;
    const char *text = tap_of(&sink, &r, 1, 1);
    assert_non_null(strstr(text, "\nnot ok 1 - a \\# TODO \\\\ b\\\\nok 2 - c\n"));
    assert_null(strstr(text, "\nok "));
    json_decref(diagnostics_of(text));
    sink_close(&sink);
}

static void what_a_signal_cut_short_is_not_ok(void **state)
{
    (void)state;
    struct sink sink;
    struct sonde_report reports[] = {report_passed(), report_passed(), report_passed()};
    reports[1].outcome = SONDE_OUTCOME_INTERRUPTED;
    reports[2].outcome = SONDE_OUTCOME_NOT_RUN;
    const char *text = tap_of(&sink, reports, 3, 3);
    assert_non_null(strstr(text, "\nok 1 - sorts\n"));
    assert_non_null(strstr(text, "\nnot ok 2 - sorts # interrupted\n"));
    assert_non_null(strstr(text, "\nnot ok 3 - sorts # not run\n"));
    sink_close(&sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_and_plan_come_first),
        cmocka_unit_test(failing_property_is_not_ok),
        cmocka_unit_test(giving_up_is_a_skip),
        cmocka_unit_test(hostile_text_breaks_no_line),
        cmocka_unit_test(what_a_signal_cut_short_is_not_ok),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
