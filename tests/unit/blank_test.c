/* Lines without code: comments, literals that look like comments, and any bytes. */
#include "lib/mocka.h"

#include "base/blank.h"

#include <string.h>

/* Returns a letter per line: '.' if it is blank, else '#'. */
static const char *lines(const char *text, uint32_t n)
{
    static char out[64];
    uint8_t blank[64];
    sonde_blank_lines(text, strlen(text), blank, n);
    for (uint32_t i = 0; i < n; i++) out[i] = blank[i] ? '.' : '#';
    out[n] = '\0';
    return out;
}

static void comments_and_white_space_are_blank(void **state)
{
    (void)state;
    assert_string_equal(lines("int x;\n\n  \t\r\n// a\n  /* b */\n/* c */ int y; /* d\n e\n f */\nz", 9), "#....#..#");
    assert_string_equal(lines("a // b \\\n still b\nc\n", 4), "#.#.");
    assert_string_equal(lines("/* a */ /* b\n*/\n#define X \\\n 1\n", 4), "..##");
    assert_string_equal(lines("x = a /b;\ny = *p / *q;\n", 2), "##");
}

static void literals_may_look_like_comments(void **state)
{
    (void)state;
    assert_string_equal(lines("s = \"/* \\\" //\";\n// x\n'\"'; /* \n*/\n'\\''; // y\n\n", 6), "#.#.#.");
    assert_string_equal(lines("s = \"a \\\n // b\";\n// c\n", 3), "##.");
    assert_string_equal(lines("it's // x\n// y\n", 2), "#.");
}

static void any_bytes_are_read(void **state)
{
    (void)state;
    static const char bytes[] = "/*\"'\\\n \0x\r";
    uint8_t blank[8];
    for (unsigned seed = 0; seed < 20000; seed++) {
        char text[12];
        unsigned x = seed * 2654435761u + 1, n = seed % sizeof text;
        for (unsigned i = 0; i < n; i++, x = x * 1664525u + 1013904223u) text[i] = bytes[(x >> 16) % sizeof bytes];
        sonde_blank_lines(text, n, blank, sizeof blank);
        for (unsigned i = 0; i < sizeof blank; i++) assert_true(blank[i] <= 1);
    }
    assert_string_equal(lines("", 3), "...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_and_white_space_are_blank),
        cmocka_unit_test(literals_may_look_like_comments),
        cmocka_unit_test(any_bytes_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
