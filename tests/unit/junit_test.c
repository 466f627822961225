/* The JUnit report. A small reader checks that the XML is well-formed and holds no character that XML forbids. */
#include "report_fixture.h"

#include "tape/order.h"

static const char *junit_of(struct sink *sink, const struct sonde_report *reports, size_t n)
{
    sink_open(sink);
    struct sonde_reporter *reporter = sonde_junit_create(sink->out);
    tell(reporter, SONDE_EVENT_BEGIN, n);
    for (size_t i = 0; i < n; i++) tell_end(reporter, &reports[i]);
    tell(reporter, SONDE_EVENT_END, n);
    reporter->destroy(reporter);
    return sink_text(sink);
}

static void assert_legal_characters(const char *text, size_t n)
{
    for (size_t i = 0, length; i < n; i += length) {
        uint32_t code;
        length = sonde_utf8_decode(text + i, n - i, &code);
        assert_true(code >= 0x20 || code == '\n');
        assert_true(code != 0xfffe && code != 0xffff);
        assert_false(length == 1 && code >= 0x80);
        if (code == '&') assert_true(strchr("laqg#", text[i + 1]) && strchr(text + i, ';') - (text + i) <= 6);
    }
}

/* Asserts that tags nest and attributes are quoted; returns how many elements there are. */
static unsigned assert_well_formed(const char *text)
{
    char open[16][32];
    unsigned depth = 0, n = 0;
    assert_int_equal(strncmp(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", 39), 0);
    for (const char *at = strchr(text + 1, '<'); at; at = strchr(at + 1, '<')) {
        const char *end = at + strcspn(at, ">\"");
        while (*end == '"') end = strchr(end + 1, '"') + 1, end += strcspn(end, ">\"");
        size_t name = strcspn(at + 1, " >/");
        if (at[1] == '/') {
            name = strcspn(at + 2, ">");
            assert_true(depth > 0 && strlen(open[depth - 1]) == name);
            assert_int_equal(strncmp(open[--depth], at + 2, name), 0);
        } else {
            n++;
            if (end[-1] != '/') snprintf(open[depth++], sizeof *open, "%.*s", (int)name, at + 1);
            assert_true(depth < 16);
        }
    }
    assert_int_equal(depth, 0);
    return n;
}

static void counts_stand_in_the_suite(void **state)
{
    (void)state;
    struct sink sink;
    struct sonde_failure f = failure_of(NULL);
    struct sonde_report reports[] = {report_passed(), report_falsified(&f, NULL),
                                     report_passed(), report_passed(),
                                     report_passed(), report_passed()};
    reports[2].outcome = SONDE_OUTCOME_GAVE_UP;
    reports[3].outcome = SONDE_OUTCOME_ERROR;
    reports[4].outcome = SONDE_OUTCOME_INTERRUPTED;
    reports[5].outcome = SONDE_OUTCOME_NOT_RUN;
    const char *text = junit_of(&sink, reports, 6);
    assert_non_null(
        strstr(text, "<testsuite name=\"test\" tests=\"6\" failures=\"1\" errors=\"3\" skipped=\"1\" time=\""));
    assert_non_null(strstr(text, "<error message=\"no failure in "));
    assert_non_null(strstr(text, "type=\"interrupted\">"));
    assert_non_null(strstr(text, "type=\"not_run\">"));
    assert_non_null(strstr(text, "<failure message=\"a == b\" type=\"check\">FAIL sorts: falsified"));
    /* testsuites, testsuite, six test cases with one element each */
    assert_int_equal(assert_well_formed(text), 14);
    sink_close(&sink);
}

static void hostile_text_stays_well_formed(void **state)
{
    (void)state;
    struct sink sink;
    struct sonde_failure f = failure_of(NULL);
    struct sonde_report r = report_falsified(&f, NULL);
    r.property = r.program = f.kind = f.message = f.notes = f.condition = f.got = f.want = HOSTILE;
    const char *text = junit_of(&sink, &r, 1);
    assert_well_formed(text);
    assert_legal_characters(text, sink.size);
    assert_non_null(strstr(text, "a&quot;b\\c&lt;/x&gt;&amp;'#"));
    sink_close(&sink);
}

static void each_failure_is_an_element(void **state)
{
    (void)state;
    struct sink sink;
    struct sonde_failure failures[] = {failure_of(NULL), failure_of(NULL)};
    struct sonde_report r = report_falsified(failures, NULL);
    r.n_failures = 2;
    failures[1].condition = "c < d";
    const char *text = junit_of(&sink, &r, 1);
    assert_non_null(strstr(text, "<failure message=\"a == b\""));
    assert_non_null(strstr(text, "<failure message=\"c &lt; d\""));
    assert_int_equal(assert_well_formed(text), 5);
    sink_close(&sink);
}

static void megabyte_of_notes_is_kept(void **state)
{
    (void)state;
    struct sink sink;
    char *notes = malloc((1 << 20) + 1);
    assert_non_null(notes);
    memset(notes, '<', 1 << 20);
    notes[1 << 20] = 0;
    struct sonde_failure f = failure_of(NULL);
    f.notes = notes;
    struct sonde_report r = report_falsified(&f, NULL);
    const char *text = junit_of(&sink, &r, 1);
    assert_true(sink.size > 4 << 20);
    assert_int_equal(assert_well_formed(text), 4);
    sink_close(&sink);
    free(notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_stand_in_the_suite),
        cmocka_unit_test(hostile_text_stays_well_formed),
        cmocka_unit_test(each_failure_is_an_element),
        cmocka_unit_test(megabyte_of_notes_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
