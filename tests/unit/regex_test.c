/* sonde_regex: what it makes matches, starts simple, and every bad pattern gets its sentence. The judge of matching is
 * the C library's regexec, given an equivalent pattern in its own dialect. */
#include <sonde.h>

#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct row {
    const char *pattern;
    const char *posix; /* the same language, as an extended regular expression */
    regex_t compiled;
    char last[256];
    size_t longest;
};

static void matches(sonde *t)
{
    struct row *row = sonde_context(t);
    const char *text = sonde_regex(t, "text", row->pattern);
    sonde_check_eq(t, regexec(&row->compiled, text, 0, NULL, 0), 0);
}

static void every_text_matches_its_pattern(void **state)
{
    (void)state;
    static struct row rows[] = {
        {.pattern = "abc", .posix = "abc"},
        {.pattern = "", .posix = "()"},
        {.pattern = "a|bc|", .posix = "(a|bc|())"},
        {.pattern = "(a|b)(c|d)*", .posix = "(a|b)(c|d){0,8}"},
        {.pattern = "(?:ab)+c?", .posix = "(ab){1,8}c?"},
        {.pattern = "[a-fx]{2,5}", .posix = "[a-fx]{2,5}"},
        {.pattern = "[]a]{3}[^]a-z]", .posix = "[]a]{3}[ A-Z0-9!-@^_`{|}~\\[]"},
        {.pattern = "[a-]+[-z]+", .posix = "[-a]{1,8}[-z]{1,8}"},
        {.pattern = "\\d{3,}-\\w\\s", .posix = "[0-9]{3,8}-[A-Za-z0-9_][[:space:]]"},
        {.pattern = "\\D\\W\\S", .posix = "[^0-9][^A-Za-z0-9_][!-~]"},
        {.pattern = ".*", .posix = "[ -~]{0,8}"},
        {.pattern = "\\.\\*\\(\\[\\\\", .posix = "\\.\\*\\(\\[\\\\"},
        {.pattern = "[\\d\\-_]+", .posix = "[0-9_-]{1,8}"},
        {.pattern = "\\x41[\\x42-\\x44]\\n", .posix = "A[B-D]\n"},
        {.pattern = "[[:upper:][:digit:]]{9,}", .posix = "[A-Z0-9]{9,17}"},
        {.pattern = "((a|b){0,2}|[0-9]?){2}", .posix = "((a|b){0,2}|[0-9]?){2}"},
        {.pattern = "a{0}b{0,0}(){5}c", .posix = "c"},
        {.pattern = "[a-z]+(\\.[a-z]+)*@([a-z]{1,5}\\.){1,2}(com|org)",
         .posix = "[a-z]{1,8}(\\.[a-z]{1,8}){0,8}@([a-z]{1,5}\\.){1,2}(com|org)"},
    };
    static const char *const guides[] = {"uniform", "random"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char whole[300];
        snprintf(whole, sizeof whole, "^(%s)$", rows[i].posix);
        assert_int_equal(regcomp(&rows[i].compiled, whole, REG_EXTENDED | REG_NOSUB), 0);
        for (size_t g = 0; g < 2; g++) {
            sonde_result result;
            sonde_config config = {.name = rows[i].pattern,
                                   .seed = i + 1,
                                   .tests = 200,
                                   .guide = guides[g],
                                   .context = &rows[i],
                                   .store = "",
                                   .quiet = true,
                                   .result = &result};
            if (sonde_run(matches, &config) != SONDE_PASSED) {
                fail_msg("%s: %s: %s", rows[i].pattern, guides[g], result.message);
            }
        }
        regfree(&rows[i].compiled);
    }
}

static void remember(sonde *t)
{
    struct row *row = sonde_context(t);
    const char *text = sonde_regex(t, "text", row->pattern);
    snprintf(row->last, sizeof row->last, "%s", text);
    if (strlen(text) > row->longest) row->longest = strlen(text);
}

static sonde_result enumerate(struct row *row, uint64_t tests)
{
    sonde_result result;
    sonde_config config = {.name = row->pattern,
                           .seed = 1,
                           .tests = tests,
                           .guide = "enumerate",
                           .context = row,
                           .store = "",
                           .quiet = true,
                           .result = &result};
    sonde_run(remember, &config);
    return result;
}

static void the_first_text_is_the_simplest(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *simplest;
    } rows[] = {
        {"[0-9A-Za-z]+", "a"},
        {"[0-9A-Z]", "A"},
        {"(foo|a)", "foo"},
        {"\\d{3}", "000"},
        {"[^a]", "b"},
        {".", "a"},
        {"\\s", " "},
        {"[!-/]", "!"},
        {"x*", ""},
        {"x+y?", "x"},
        {"[-+]?\\d+", "0"},
        {"[\\t\\x01]", "\x01"},
        {"(|a)(b{2,4}|c)", "bb"},
        {"\\w", "a"},
        {"[_.]", "."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct row row = {.pattern = rows[i].pattern};
        assert_int_equal(enumerate(&row, 1).status, SONDE_PASSED);
        assert_string_equal(row.last, rows[i].simplest);
    }
}

static void what_leaves_no_choice_draws_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        uint64_t inputs;
    } rows[] = {
        {"", 1},       {"abc", 1},      {"[a]{3}(b)", 1},  {"(a|b)[0-9]", 20}, {"x?y?", 4},
        {"a{2,5}", 4}, {"(a|b){2}", 4}, {"[01]{0,3}", 15}, {"(){9}", 1},       {"(a{2}){3}", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct row row = {.pattern = rows[i].pattern};
        sonde_result result = enumerate(&row, 1000);
        assert_true(result.exhausted);
        assert_int_equal(result.valid, rows[i].inputs);
    }
}

static void open_repetition_stops_at_eight(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        size_t longest;
    } rows[] = {{"a*", 8}, {"a+", 8}, {"a{3,}", 8}, {"a{8,}", 16}, {"a{20,}", 28}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct row row = {.pattern = rows[i].pattern};
        assert_true(enumerate(&row, 1000).exhausted);
        assert_int_equal(row.longest, rows[i].longest);
    }
}

static void characters_of_several_bytes_repeat_whole(void **state)
{
    (void)state;
    struct row row = {.pattern = "(\xc3\xa4{2}|x)"};
    assert_int_equal(enumerate(&row, 1).status, SONDE_PASSED);
    assert_string_equal(row.last, "\xc3\xa4\xc3\xa4");
}

static void a_bad_pattern_is_refused_with_place_and_reason(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        int position;
        const char *reason;
    } rows[] = {
        {"a(b", 1, "( without )"},
        {"ab)", 2, ") without ("},
        {"a[bc", 1, "[ without ]"},
        {"[]", 0, "[ without ]"},
        {"a[z-b]", 2, "backwards"},
        {"[\\d-z]", 1, "one character at each end"},
        {"[^ -~]", 0, "no characters"},
        {"[\xc3\xa4]", 1, "ASCII"},
        {"[[:alhpa:]]", 1, "unknown name"},
        {"*a", 0, "nothing to repeat"},
        {"a|+", 2, "nothing to repeat"},
        {"({2})", 1, "nothing to repeat"},
        {"a**", 2, "in a row"},
        {"a{2}{3}", 4, "in a row"},
        {"a{,3}", 1, "expected {n}"},
        {"a{x}", 1, "expected {n}"},
        {"a{2", 1, "{ without }"},
        {"a{3,2}", 1, "n must not exceed m"},
        {"a{1001}", 1, "at most 1000"},
        {"a{99999999999999999999999}", 1, "at most 1000"},
        {"((a{1000}){1000}){2}", 1, "65536"},
        {"a\\", 1, "backslash at the end"},
        {"\\q", 0, "unknown escape"},
        {"a\\1", 1, "unknown escape"},
        {"\\xg0", 0, "hex"},
        {"\\x4", 0, "hex"},
        {"\\x00", 0, "character 0"},
        {"^a", 0, "no anchors"},
        {"a$", 1, "no anchors"},
        {"(?=a)", 0, "(?:...)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct row row = {.pattern = rows[i].pattern};
        sonde_result result = enumerate(&row, 10);
        char place[40];
        snprintf(place, sizeof place, "at position %d:", rows[i].position);
        if (result.status != SONDE_USAGE || !strstr(result.message, place) || !strstr(result.message, rows[i].reason)
            || !strstr(result.message, rows[i].pattern) || !strstr(result.message, "sonde_regex(\"text\")")) {
            fail_msg("%s: %s, got status %d and \"%s\"", rows[i].pattern, rows[i].reason, result.status,
                     result.message);
        }
    }
}

static void no_pattern_at_all_is_refused(void **state)
{
    (void)state;
    struct row row = {.pattern = NULL};
    sonde_result result = enumerate(&row, 1);
    assert_int_equal(result.status, SONDE_USAGE);
    assert_non_null(strstr(result.message, "NULL"));
}

static void nesting_ends_at_64_groups(void **state)
{
    (void)state;
    char pattern[200];
    for (int depth = 64; depth <= 65; depth++) {
        memset(pattern, 0, sizeof pattern);
        memset(pattern, '(', (size_t)depth);
        pattern[depth] = 'a';
        memset(pattern + depth + 1, ')', (size_t)depth);
        struct row row = {.pattern = pattern};
        sonde_result result = enumerate(&row, 1);
        assert_int_equal(result.status, depth == 64 ? SONDE_PASSED : SONDE_USAGE);
        if (depth == 65) assert_non_null(strstr(result.message, "nested too deep"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_text_matches_its_pattern),
        cmocka_unit_test(the_first_text_is_the_simplest),
        cmocka_unit_test(what_leaves_no_choice_draws_nothing),
        cmocka_unit_test(open_repetition_stops_at_eight),
        cmocka_unit_test(characters_of_several_bytes_repeat_whole),
        cmocka_unit_test(a_bad_pattern_is_refused_with_place_and_reason),
        cmocka_unit_test(no_pattern_at_all_is_refused),
        cmocka_unit_test(nesting_ends_at_64_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
