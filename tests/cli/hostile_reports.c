/* A program that puts everything into its names, labels, notes and output that a report must not choke on. reports.sh
 * runs it. */
#include <sonde.h>

#include <stdlib.h>
#include <string.h>

#define QUOTES                                                                                                         \
    "\"double\" 'single' `back` \\ # not ok 1 - <a href=\"x\">&amp;</a> ]]> <!-- -- --> --- ... %s %XX {} [] :"
#define BYTES "\x01\x02\x07\x08\x1b[31mred\x1b[0m\x7f\r\n\t\xff\xfe\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80\xc3"
#define WIDE "\xe2\x80\xae reversed \xe2\x80\xa8 separated \xef\xbf\xbe \xef\xbb\xbf \xf0\x9f\x98\x80 \xc2\x85"
#define ALL QUOTES BYTES WIDE

static void says_everything(sonde *t)
{
    sonde_span(t, "span " ALL);
    int n = sonde_int(t, "n " ALL, 0, 100);
    char *text = sonde_utf8(t, "text " ALL, 0, 20);
    size_t length;
    uint8_t *bytes = sonde_bytes(t, "bytes", 0, 20, &length);
    sonde_label(t, ALL);
    sonde_classify(t, n > 5, "many " ALL);
    sonde_note(t, "%s", ALL);
    sonde_note(t, "%s %.*s", text, (int)length, (char *)bytes);
    fputs(ALL "\n", stdout);
    fputs("\n  ...\nnot ok 77 - forged\n</testcase>\n", stderr);
    if (n > 10) sonde_fail(t, "%s is %d", ALL, n);
}

static void notes_a_megabyte(sonde *t)
{
    enum { N = 1 << 20 };
    char *note = sonde_alloc(t, N);
    for (size_t i = 0; i + 1 < N; i++) note[i] = (char)(1 + i * 7 % 255);
    sonde_note(t, "%s", note);
    sonde_check(t, sonde_int(t, "n", 0, 9) < 5);
}

static void compares_texts(sonde *t)
{
    char *text = sonde_string(t, "text", 0, 8);
    sonde_check_eq(t, (const char *)ALL, (const char *)text);
}

static void misuses(sonde *t)
{
    sonde_int(t, ALL, 1, 0);
}

static void gives_up(sonde *t)
{
    sonde_assume(t, sonde_int(t, "n", 0, 1 << 30) < 0 && strcmp("\"<&>'", "]]>"));
}

static void holds(sonde *t)
{
    sonde_label(t, ALL);
    sonde_bool(t, ALL);
}

static void dies(sonde *t)
{
    sonde_note(t, "%s", ALL);
    fputs(ALL, stderr);
    if (sonde_bool(t, ALL)) abort();
}

static const sonde_property properties[] = {
    {.name = ALL, .run = says_everything},
    {.name = "# SKIP " QUOTES, .run = notes_a_megabyte},
    {.name = "\n", .run = compares_texts},
    {.name = "misuse " BYTES, .run = misuses},
    {.name = "give up # TODO", .run = gives_up, .seconds = 0.2},
    {.name = "holds " WIDE, .run = holds},
    {.name = "dies \\", .run = dies},
};

int main(int argc, char **argv)
{
    return sonde_main(argc, argv, properties, sizeof properties / sizeof *properties);
}
