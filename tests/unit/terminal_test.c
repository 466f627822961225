/* The report for people, on literal reports. */
#include "report_fixture.h"

static void assert_page(const struct sonde_terminal_style *style, const struct sonde_report *report,
                        const char *expected)
{
    struct sink sink;
    sink_open(&sink);
    sonde_terminal_print(sink.out, style, report);
    assert_string_equal(sink_text(&sink), expected);
    sink_close(&sink);
}

static const struct sonde_terminal_style plain;

static void passing_is_one_line(void **state)
{
    (void)state;
    struct sonde_report r = report_passed();
    assert_page(&plain, &r, "ok   sorts: 10,000 valid cases, 9,000 different (3,120 discarded) in 0.8 s\n");
}

static void time_limit_is_named(void **state)
{
    (void)state;
    struct sonde_report r = report_passed();
    r.stopped = SONDE_STOP_TIME;
    r.stats = (struct sonde_stats){.tests = 1, .valid = 1, .seconds = 10};
    assert_page(&plain, &r, "ok   sorts: 1 valid case in 10.0 s, the time limit\n");
    r.wanted = 10000;
    assert_page(&plain, &r, "ok   sorts: 1 valid case in 10.0 s, of the 10,000 wanted\n");
}

static void exhausted_is_a_proof(void **state)
{
    (void)state;
    struct sonde_report r = report_passed();
    r.outcome = SONDE_OUTCOME_EXHAUSTED;
    r.stats = (struct sonde_stats){.tests = 1331, .valid = 1331};
    assert_page(&plain, &r, "ok   sorts: holds for all 1,331 inputs\n");
    r.stats =
        (struct sonde_stats){.tests = 5596000, .valid = 5596000, .unique_valid = 1498021, .unique_estimated = true};
    assert_page(&plain, &r, "ok   sorts: holds for all inputs, about 1,498,021\n");
}

static void quiet_says_nothing_of_success(void **state)
{
    (void)state;
    struct sonde_report r = report_passed();
    assert_page(&(struct sonde_terminal_style){.quiet = true}, &r, "");
}

static void giving_up_names_the_assume(void **state)
{
    (void)state;
    struct sonde_assume_count assumes[] = {{"test.c", 4, "n > 2", 10}, {"test.c", 5, "is_sorted(a)", 49978}};
    struct sonde_report r = report_passed();
    r.outcome = SONDE_OUTCOME_GAVE_UP;
    r.message = "only 12 of 50,000 inputs were valid";
    r.stats = (struct sonde_stats){.tests = 50000, .valid = 12, .discarded = 49988, .seconds = 2.5};
    r.assumes = assumes;
    r.n_assumes = 2;
    assert_page(&plain, &r,
                "GAVE UP sorts: only 12 of 50,000 inputs were valid\n"
                "  50,000 cases in 2.5 s: 12 valid, 49,988 discarded. Seed 42, guide random.\n\n"
                "  Discarded by:\n"
                "       49,978  test.c:5: is_sorted(a)\n"
                "           10  test.c:4: n > 2\n\n");
}

static void failure_is_told_in_order(void **state)
{
    (void)state;
    struct writer w;
    writer_example(&w);
    struct sonde_failure f = failure_of(&w.tape);
    f.notes = "first\nsecond\n";
    struct sonde_report r = report_falsified(&f, &w);
    assert_page(&plain, &r,
                "FAIL sorts: falsified\n\n"
                "  Does not hold, at test.c:12:\n"
                "      a == b\n"
                "      got:  a = 1\n"
                "      want: b = 2\n\n"
                "  For these values:\n"
                "      tree\n"
                "        value = 3\n"
                "        left = true\n"
                "        tree\n"
                "          value = 4\n"
                "        tree\n"
                "          value = 5\n"
                "      xs = [1, 2, 3]\n"
                "      x = 7\n\n"
                "  Notes:\n"
                "      first\n"
                "      second\n\n"
                "  Found by case 57, shrunk from 40 to 10 choices in 61 calls.\n"
                "  57 cases in 2 ms: 50 valid, 6 discarded, 1 failing. Seed 42, guide random.\n\n"
                "  Run it again:\n"
                "      ./test --replay 's1:a=1 b=2'\n\n");
    writer_clear(&w);
}

static void assert_contains(const struct sonde_terminal_style *style, const struct sonde_report *r, const char *part)
{
    struct sink sink;
    sink_open(&sink);
    sonde_terminal_print(sink.out, style, r);
    if (!strstr(sink_text(&sink), part)) fail_msg("'%s' is not in:\n%s", part, sink.text);
    sink_close(&sink);
}

static void assert_lacks(const struct sonde_terminal_style *style, const struct sonde_report *r, const char *part)
{
    struct sink sink;
    sink_open(&sink);
    sonde_terminal_print(sink.out, style, r);
    if (strstr(sink_text(&sink), part)) fail_msg("'%s' is in:\n%s", part, sink.text);
    sink_close(&sink);
}

static void only_what_another_worker_shrank_is_said_to_be(void **state)
{
    (void)state;
    struct writer w;
    writer_example(&w);
    struct sonde_failure f = failure_of(&w.tape);
    struct sonde_report r = report_falsified(&f, &w);
    f.shrink_calls = 0;
    f.shrink_complete = false;
    assert_contains(&plain, &r, "Found by case 57, 10 choices, not shrunk"); /* of 40 choices when it was found */
    f.shrunk_elsewhere = true;
    assert_contains(&plain, &r, "Found by case 57, 10 choices, shrunk by another worker");
    writer_clear(&w);
}

static void advice_that_was_followed_is_not_given(void **state)
{
    (void)state;
    struct sonde_assume_count assumes[] = {{"test.c", 5, "is_sorted(a)", 49988}};
    struct sonde_report r = report_passed();
    r.outcome = SONDE_OUTCOME_GAVE_UP;
    r.message = "only 12 of 50,000 inputs were valid. test.c:5: the precondition is_sorted(a) discarded 49,988";
    r.stats = (struct sonde_stats){.tests = 50000, .valid = 12, .discarded = 49988};
    r.assumes = assumes;
    r.n_assumes = 1;
    assert_contains(&plain, &r, "      Build with sonde cc, ");
    r.stats.edges = 1;
    assert_contains(&plain, &r, "      Search longer, ");
    assert_lacks(&plain, &r, "sonde cc");
}

static void a_search_that_a_failure_ended_says_that(void **state)
{
    (void)state;
    const struct sonde_terminal_style hints = {.hints = true};
    const char *line = "  Stopped 43 cases after the first failure; --keep-going continues to the limit.\n";
    struct writer w;
    writer_example(&w);
    struct sonde_failure f = failure_of(&w.tape);
    f.tests_to_failure = 57;
    struct sonde_report r = report_falsified(&f, &w);
    r.stopped = SONDE_STOP_FOUND;
    r.stats.tests = 100;
    assert_contains(&hints, &r, line);
    r.stopped = SONDE_STOP_TESTS;
    assert_lacks(&hints, &r, "Stopped");
    r.stopped = SONDE_STOP_FOUND;
    r.stats.tests = 57; /* --fail-fast */
    assert_lacks(&hints, &r, "Stopped");
    writer_clear(&w);
}

static void both_sides_have_their_expressions(void **state)
{
    (void)state;
    static const struct {
        const char *condition, *got, *want, *lines;
    } rows[] = {
        {"f(a == b) < c[i < 2]", "4", "3", "      got:  f(a == b) = 4\n      want: less than c[i < 2] = 3\n"},
        {"size(x) >= 1", "0", "1", "      got:  size(x) = 0\n      want: at least 1\n"},
        {"*p != 'x'", "120", "120", "      got:  *p = 120\n      want: other than 'x' = 120\n"},
        {"text == \" == \"", "\"\"", "\" == \"", "      got:  text = \"\"\n      want: \" == \"\n"},
        {"near(a)", "1", "2", "      got:  1\n      want: 2\n"},
    };
    struct writer w;
    writer_example(&w);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sonde_failure f = failure_of(&w.tape);
        f.condition = rows[i].condition, f.got = rows[i].got, f.want = rows[i].want;
        struct sonde_report r = report_falsified(&f, &w);
        assert_contains(&plain, &r, rows[i].lines);
    }
    writer_clear(&w);
}

static void headline_of_a_crash_says_what_happened(void **state)
{
    (void)state;
    struct writer w;
    writer_example(&w);
    struct sonde_failure f = failure_of(&w.tape);
    f.condition = f.got = f.want = f.file = NULL;
    f.kind = "crash", f.message = "SIGSEGV at address 0, in next_token\nand more";
    struct sonde_report r = report_falsified(&f, &w);
    assert_contains(&plain, &r, "CRASH sorts: SIGSEGV at address 0, in next_token\n\n      and more\n");
    f.message = "SIGSEGV at address 0, in next_token, called from parse";
    f.file = "src/lex.c", f.line = 88;
    assert_contains(&plain, &r, "CRASH sorts: SIGSEGV at address 0, in next_token (lex.c:88), called from parse\n");
    f.file = NULL;
    f.kind = "hang";
    assert_contains(&plain, &r, "HANG sorts: ");
    f.kind = "exit";
    assert_contains(&plain, &r, "FAIL sorts: ");
    writer_clear(&w);
}

static void replay_chooses_among_several_properties(void **state)
{
    (void)state;
    struct sonde_failure f = failure_of(NULL);
    struct sonde_report r = report_falsified(&f, NULL);
    r.program = "./it's mine";
    assert_contains(&(struct sonde_terminal_style){.several = true}, &r,
                    "'./it'\\''s mine' --filter sorts --replay 's1:a=1 b=2'\n");
}

static void long_tokens_give_way_to_the_seed(void **state)
{
    (void)state;
    static char token[1200];
    memset(token, 'a', sizeof token - 1);
    struct sonde_failure f = failure_of(NULL);
    f.token = token;
    struct sonde_report r = report_falsified(&f, NULL);
    assert_contains(&plain, &r,
                    "(the input itself is too long for a line: 1,199 characters; --json has it):\n"
                    "      ./test --seed 42 --guide random\n");
}

static void without_a_program_the_call_is_printed(void **state)
{
    (void)state;
    struct sonde_failure f = failure_of(NULL);
    struct sonde_report r = report_falsified(&f, NULL);
    r.program = NULL;
    assert_contains(&plain, &r, "      sonde_replay(sorts, \"s1:a=1 b=2\")\n");
}

static void claims_of_cover_have_a_verdict(void **state)
{
    (void)state;
    struct sonde_label_count labels[] = {
        {.name = "empty", .count = 500},
        {.name = "long", .count = 1000, .wanted = 20, .sampled = 2000, .met = 100, .cover = SONDE_COVER_MISSED}};
    struct sonde_report r = report_passed();
    r.labels = labels;
    r.n_labels = 2;
    assert_contains(
        &plain, &r,
        "      10.0 %  long   wanted 20 %: MISSED (5.0 % of 2,000 independent cases)\n       5.0 %  empty\n");
}

static void hostile_text_cannot_command_a_terminal(void **state)
{
    (void)state;
    struct sink sink;
    struct sonde_failure f = failure_of(NULL);
    struct sonde_report r = report_falsified(&f, NULL);
    r.property = f.message = f.notes = f.condition = f.got = f.want = f.file = HOSTILE;
    sink_open(&sink);
    sonde_terminal_print(sink.out, &plain, &r);
    const char *text = sink_text(&sink);
    for (size_t i = 0; i < sink.size; i++) {
        unsigned char c = (unsigned char)text[i];
        assert_true((c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t');
    }
    assert_non_null(strstr(text, "\\x1b[31m"));
    sink_close(&sink);
}

static void several_properties_end_with_a_total(void **state)
{
    (void)state;
    struct sink sink;
    sink_open(&sink);
    struct sonde_reporter *reporter = sonde_terminal_create(sink.out, &plain);
    struct sonde_report r = report_passed();
    tell(reporter, SONDE_EVENT_BEGIN, 5);
    tell_end(reporter, &r);
    tell_end(reporter, &r);
    r.outcome = SONDE_OUTCOME_INTERRUPTED;
    tell_end(reporter, &r);
    r.outcome = SONDE_OUTCOME_NOT_RUN;
    tell_end(reporter, &r);
    tell_end(reporter, &r);
    tell(reporter, SONDE_EVENT_END, 5);
    assert_non_null(strstr(sink_text(&sink), "\nINTERRUPTED sorts: no failure in "));
    assert_non_null(strstr(sink_text(&sink), "\nNOT RUN sorts: a signal ended the run before this property began\n"));
    assert_non_null(strstr(sink_text(&sink), "\n5 properties: 2 hold, 1 interrupted, 2 not run.\n"));
    reporter->destroy(reporter);
    sink_close(&sink);
}

static void pipe_sees_no_progress(void **state)
{
    (void)state;
    struct sink sink;
    struct sonde_stats stats = {.tests = 10, .valid = 5, .seconds = 3};
    sink_open(&sink);
    struct sonde_reporter *reporter = sonde_terminal_create(sink.out, &plain);
    reporter->event(reporter, &(struct sonde_event){.kind = SONDE_EVENT_PROGRESS, .property = "p", .stats = &stats});
    reporter->event(reporter, &(struct sonde_event){.kind = SONDE_EVENT_SHRINKING, .property = "p", .size = 3});
    assert_string_equal(sink_text(&sink), "");
    reporter->destroy(reporter);
    sink_close(&sink);
}

static void only_a_case_that_lasts_is_said_to_be_running(void **state)
{
    (void)state;
    struct sink sink;
    struct sonde_stats stats = {.tests = 10, .valid = 10};
    struct sonde_event event = {.kind = SONDE_EVENT_PROGRESS, .property = "p", .stats = &stats};
    sink_open(&sink);
    struct sonde_reporter *reporter = sonde_terminal_create(sink.out, &plain);
    for (int i = 0; i < 4; i++) { /* the inputs are run again, before a proof */
        reporter->event(reporter, &event);
        stats.seconds += 1.5;
        stats.rerun++;
    }
    assert_string_equal(sink_text(&sink), "");
    reporter->event(reporter, &event);
    stats.seconds += 2.5;
    reporter->event(reporter, &event);
    assert_string_equal(sink_text(&sink),
                        "...  p: case 15 has been running for 2 s; --timeout and --wall-timeout limit it\n");
    reporter->destroy(reporter);
    sink_close(&sink);
}

static void progress_line_is_erased_before_the_report(void **state)
{
    (void)state;
    struct sink sink;
    struct sonde_stats stats = {.tests = 10, .valid = 5, .unique_valid = 4, .seconds = 2};
    struct sonde_report r = report_passed();
    sink_open(&sink);
    struct sonde_reporter *reporter = sonde_terminal_create(sink.out, &(struct sonde_terminal_style){.progress = true});
    reporter->event(reporter, &(struct sonde_event){.kind = SONDE_EVENT_PROGRESS, .property = "p", .stats = &stats});
    tell_end(reporter, &r);
    assert_string_equal(sink_text(&sink),
                        "...  p: 5 valid cases (50 % of all cases, 4 different), 5 cases/s\r\033[K"
                        "ok   sorts: 10,000 valid cases, 9,000 different (3,120 discarded) in 0.8 s\n");
    reporter->destroy(reporter);
    sink_close(&sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passing_is_one_line),
        cmocka_unit_test(time_limit_is_named),
        cmocka_unit_test(exhausted_is_a_proof),
        cmocka_unit_test(quiet_says_nothing_of_success),
        cmocka_unit_test(giving_up_names_the_assume),
        cmocka_unit_test(failure_is_told_in_order),
        cmocka_unit_test(only_what_another_worker_shrank_is_said_to_be),
        cmocka_unit_test(advice_that_was_followed_is_not_given),
        cmocka_unit_test(a_search_that_a_failure_ended_says_that),
        cmocka_unit_test(both_sides_have_their_expressions),
        cmocka_unit_test(headline_of_a_crash_says_what_happened),
        cmocka_unit_test(replay_chooses_among_several_properties),
        cmocka_unit_test(long_tokens_give_way_to_the_seed),
        cmocka_unit_test(without_a_program_the_call_is_printed),
        cmocka_unit_test(claims_of_cover_have_a_verdict),
        cmocka_unit_test(hostile_text_cannot_command_a_terminal),
        cmocka_unit_test(several_properties_end_with_a_total),
        cmocka_unit_test(pipe_sees_no_progress),
        cmocka_unit_test(only_a_case_that_lasts_is_said_to_be_running),
        cmocka_unit_test(progress_line_is_erased_before_the_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
