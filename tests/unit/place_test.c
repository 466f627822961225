/* The output of addr2line, with directories whose names are made of its punctuation. */
#include "lib/mocka.h"

#include "program/place.h"

#include <stdio.h>

static void assert_place(const char *printed, const char *file, int line)
{
    char copy[256];
    struct sonde_place place = {.line = 0};
    snprintf(copy, sizeof copy, "%s", printed);
    sonde_place_parse(copy, &place);
    assert_string_equal(place.file, file);
    assert_int_equal(place.line, line);
}

static void a_line_has_file_and_number(void **state)
{
    (void)state;
    assert_place("/a/b.c:12\n", "/a/b.c", 12);
    assert_place("/a/b.c:12 (discriminator 3)\n", "/a/b.c", 12);
    assert_place("b.c:1", "b.c", 1);
}

static void names_may_hold_brackets_and_colons(void **state)
{
    (void)state;
    assert_place("/a/my (old) project/b.c:12\n", "/a/my (old) project/b.c", 12);
    assert_place("/a/my (old) project/b.c:12 (discriminator 3)\n", "/a/my (old) project/b.c", 12);
    assert_place("/a (/b.c:7\n", "/a (/b.c", 7);
    assert_place("/a:3 (x)/b.c:7\n", "/a:3 (x)/b.c", 7);
    assert_place("/a:3/b:c.c:7 (inlined by)\n", "/a:3/b:c.c", 7);
}

static void what_is_not_known_is_left_empty(void **state)
{
    (void)state;
    assert_place("??:0\n", "", 0);
    assert_place("??:?\n", "", 0);
    assert_place("/a/b.c:?\n", "", 0);
    assert_place("/a:3 (x)/b.c:?\n", "", 0);
    assert_place("/a/b.c:0\n", "", 0);
    assert_place("/a/b.c:99999999999\n", "", 0);
    assert_place("/a/b.c\n", "", 0);
    assert_place("/a/b.c:\n", "", 0);
    assert_place(":::\n", "", 0);
    assert_place("", "", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_file_and_number),
        cmocka_unit_test(names_may_hold_brackets_and_colons),
        cmocka_unit_test(what_is_not_known_is_left_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
