/* The page of --report html: whatever a program under test calls its labels, conditions and messages, none of it becomes markup, an
 * escape sequence of a terminal, or the end of a block. */
#include "lib/mocka.h"
#include "lib/sanitizers.h"

#include "base/mem.h"
#include "report/page.h"
#include "report/report.h"
#include "report/write.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parts of attacks, to be put together at random. */
static const char *const parts[] = {"</script>",
                                    "<script>alert(1)</script>",
                                    "<!--",
                                    "-->",
                                    "]]>",
                                    "<img src=x onerror=alert(1)>",
                                    "\"",
                                    "'",
                                    "\\",
                                    "&lt;",
                                    "&",
                                    "\x1b[2J",
                                    "\x1b]0;t\x07",
                                    "\x9b"
                                    "31m",
                                    "\xc2\x9b"
                                    "0m",
                                    "\xe2\x80\xa8",
                                    "\xe2\x80\xae",
                                    "\xff",
                                    "\xed\xa0\x80",
                                    "\xf0\x9f\x98\x80",
                                    "\n",
                                    "\r",
                                    "\t",
                                    "\x01",
                                    "${x}",
                                    "__proto__",
                                    "javascript:",
                                    "%s",
                                    "}",
                                    "\"}]",
                                    "<",
                                    ">",
                                    "a",
                                    "\xc3"};
enum { STRINGS = HAS_ADDRESS_SANITIZER ? 10000 : 100000 }; /* all of them take 35 s with the sanitizer */
enum { PARTS = sizeof parts / sizeof *parts, PER_REPORT = 500 };

static uint64_t seed = 20240229;

static unsigned draw(unsigned n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % n;
}

static void make(char *out, size_t size)
{
    size_t n = 0;
    *out = 0;
    for (unsigned i = 1 + draw(5); i-- > 0;) n += (size_t)snprintf(out + n, size - n, "%s", parts[draw(PARTS)]);
}

/* Of the bytes that terminals and parsers act on, none but line ends. A C1 control has two bytes in UTF-8. */
static void assert_harmless(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        if ((c < 0x20 && c != '\n') || c == 0x7f) fail_msg("byte %02x at %zu", c, i);
        if (c == 0xc2 && i + 1 < n && (unsigned char)text[i + 1] < 0xa0) fail_msg("a C1 control at %zu", i);
    }
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    for (; (text = strstr(text, what)) != NULL; text += strlen(what)) n++;
    return n;
}

static void hostile_texts_stay_texts(void **state)
{
    static char texts[PER_REPORT][256];
    static struct sonde_label_count labels[PER_REPORT];
    static struct sonde_assume_count assumes[PER_REPORT];
    (void)state;
    for (unsigned done = 0; done < STRINGS; done += PER_REPORT) {
        for (unsigned i = 0; i < PER_REPORT; i++) {
            make(texts[i], sizeof texts[i]);
            labels[i] = (struct sonde_label_count){.name = texts[i], .count = 1};
            assumes[i] = (struct sonde_assume_count){.file = texts[i], .condition = texts[i], .rejected = 1};
        }
        struct sonde_failure failure = {
            .kind = "check", .message = texts[0], .notes = texts[1], .output = texts[2], .detail = texts[3]};
        struct sonde_report report = {.property = texts[4],
                                      .program = texts[5],
                                      .guide = "auto",
                                      .message = texts[6],
                                      .outcome = SONDE_OUTCOME_FALSIFIED,
                                      .labels = labels,
                                      .n_labels = PER_REPORT,
                                      .assumes = assumes,
                                      .n_assumes = PER_REPORT,
                                      .failures = &failure,
                                      .n_failures = 1};
        struct sonde_event begin = {.kind = SONDE_EVENT_BEGIN, .n_properties = 1},
                           ended = {.kind = SONDE_EVENT_PROPERTY_END, .report = &report},
                           end = {.kind = SONDE_EVENT_END};
        char *html = NULL;
        size_t n = 0;
        FILE *out = open_memstream(&html, &n);
        struct sonde_reporter *reporter = sonde_html_create(out, NULL);
        reporter->event(reporter, &begin);
        reporter->event(reporter, &ended);
        reporter->event(reporter, &end);
        reporter->destroy(reporter);
        fclose(out);
        assert_harmless(html, n);
        assert_int_equal(count(html, "<script"), 7);
        assert_int_equal(count(html, "</script>"), 7);
        assert_int_equal(count(html, "<!--"), 1); /* the licence */
        assert_int_equal(count(html, "<img"), 0);
        char *data = sonde_page_block(html, "sonde-data");
        assert_non_null(data);
        assert_null(strpbrk(data, "<>&"));
        assert_int_equal(data[strlen(data) - 1], '}');
        sonde_free(data);
        free(html);
    }
}

/* The same through the writers for people: no string can command a terminal. */
static void hostile_texts_do_not_command_terminals(void **state)
{
    char text[256], *shown = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&shown, &n);
    (void)state;
    for (unsigned i = 0; i < STRINGS; i++) {
        make(text, sizeof text);
        sonde_write_line(out, text);
        fputc('\n', out);
    }
    fclose(out);
    assert_int_equal(count(shown, "\n"), STRINGS);
    for (char *tab = strchr(shown, '\t'); tab; tab = strchr(tab, '\t')) *tab = ' ';
    assert_harmless(shown, n);
    free(shown);
}

static void a_block_is_found_by_its_name(void **state)
{
    (void)state;
    char *text = sonde_page_block("<script type=\"x\" id=\"a\">1</script><script type=\"x\" id=\"b\">2</script>", "b");
    assert_string_equal(text, "2");
    sonde_free(text);
    assert_null(sonde_page_block("<script id=\"a\">1", "a"));
    assert_null(sonde_page_block("", "a"));
}

/* A custom guide reports what its parts cost and earned, and may divide by zero. */
static void numbers_that_are_none_stay_json(void **state)
{
    (void)state;
    const struct sonde_series_point point = {.seconds = 1,
                                             .guide = "mine",
                                             .cost = {(float)NAN, (float)INFINITY},
                                             .earned = {(float)-INFINITY, (float)NAN}};
    const struct sonde_share shares[2] = {{.name = "a", .cost = NAN, .earned = INFINITY}, {.name = "b"}};
    const struct sonde_tried tried = {.label = "x", .within = "", .kind = "double", .least = -INFINITY, .most = NAN};
    const struct sonde_insight insight = {
        .series = &point, .n_series = 1, .shares = shares, .n_shares = 2, .tried = &tried, .n_tried = 1};
    struct sonde_report report = {.property = "p", .guide = "mine", .insight = &insight};
    struct sonde_event begin = {.kind = SONDE_EVENT_BEGIN, .n_properties = 1},
                       ended = {.kind = SONDE_EVENT_PROPERTY_END, .report = &report}, end = {.kind = SONDE_EVENT_END};
    char *html = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&html, &n);
    struct sonde_reporter *reporter = sonde_html_create(out, NULL);
    reporter->event(reporter, &begin);
    reporter->event(reporter, &ended);
    reporter->event(reporter, &end);
    reporter->destroy(reporter);
    fclose(out);
    char *data = sonde_page_block(html, "sonde-data");
    assert_non_null(data);
    json_error_t error;
    json_t *json = json_loads(data, JSON_REJECT_DUPLICATES, &error);
    if (!json)
        fail_msg("%s at %d: %.60s", error.text, error.position, data + (error.position > 30 ? error.position - 30 : 0));
    json_decref(json);
    sonde_free(data);
    free(html);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_texts_stay_texts),
        cmocka_unit_test(hostile_texts_do_not_command_terminals),
        cmocka_unit_test(a_block_is_found_by_its_name),
        cmocka_unit_test(numbers_that_are_none_stay_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
