/* The file of mutants that a person has judged equivalent: lines name mutants by their contents, and stale ones are
 * noticed. */
#include "lib/mocka.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "mutate/equivalent.h"
#include "program/mutants.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MUTANT(site_, line_, column_, function_, before_, after_)                                                      \
    {                                                                                                                  \
        .site = (site_), .line = (line_), .column = (column_), .file = "../src/ini.c", .function = (function_),        \
        .before = (before_), .after = (after_)                                                                         \
    }

static const struct sonde_mutant_ mutants[] = {
    MUTANT(1, 90, 5, "copy", "size - 1", "size + 1"),      /* 1 */
    MUTANT(1, 90, 5, "copy", "size - 1", "size"),          /* 2 */
    MUTANT(2, 100, 5, "parse", "i + 1", "i - 1"),          /* 3 */
    MUTANT(3, 100, 9, "parse", "i + 1", "i - 1"),          /* 4 */
    MUTANT(4, 120, 9, "parse", "i + 1", "i - 1"),          /* 5 */
    MUTANT(5, 130, 9, "parse", "error =\n    lineno", ""), /* 6 */
    MUTANT(6, 140, 0, "parse", "a: b", "a"),               /* 7 */
    MUTANT(7, 140, 0, "parse", "a: b", "a"),               /* 8 */
};
enum { N = sizeof mutants / sizeof *mutants };

static struct sonde_mutants_now_ now;
static volatile unsigned char reached[16];
static struct sonde_mutants_ table = {.version = SONDE_MUTANTS_VERSION_,
                                      .n_mutants = N,
                                      .n_sites = 7,
                                      .source = "ini.c",
                                      .mutants = mutants,
                                      .reached = reached,
                                      .now = &now};

static char path[] = "/tmp/sonde-equivalent-XXXXXX";
static struct sonde_equivalents list;

static void write_file(const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void read_again(void)
{
    sonde_equivalents_clear(&list);
    assert_int_equal(sonde_equivalents_read(&list, path), 0);
}

/* The numbers of the mutants that the file names: "1 5". */
static const char *named(const char *text)
{
    static char out[64];
    size_t n = 0;
    *out = '\0';
    write_file(text);
    read_again();
    for (uint32_t i = 1; i <= N; i++)
        if (sonde_equivalents_reason(&list, i)) n += (size_t)snprintf(out + n, sizeof out - n, "%s%u", n ? " " : "", i);
    return out;
}

/* The warnings about the file after a run in which mutant `killed` was killed. */
static const char *warnings(uint32_t killed)
{
    static char out[1024];
    struct sonde_mutant_result result = {.number = killed, .mutant = &mutants[0], .fate = SONDE_FATE_KILLED};
    struct sonde_mutation mutation = {.mutants = &result, .n_mutants = 1};
    struct sonde_buffer text;
    sonde_equivalents_warn(&list, &mutation, sonde_buffer_open(&text));
    const char *at = sonde_buffer_close(&text);
    snprintf(out, sizeof out, "%s", strstr(at, path) ? strstr(at, path) + strlen(path) : at);
    sonde_buffer_clear(&text);
    return out;
}

static void lines_name_mutants_by_their_contents(void **state)
{
    (void)state;
    assert_string_equal(named(""), "");
    assert_string_equal(named("# a comment\n\nsrc/ini.c: copy: `size - 1` -> `size + 1`: a spare byte\n"), "1");
    assert_string_equal(sonde_equivalents_reason(&list, 1), "a spare byte");
    assert_null(sonde_equivalents_reason(&list, 2));
    assert_string_equal(named("ini.c: copy: `size - 1` -> `size`: x: y\r\n"), "2");
    assert_string_equal(sonde_equivalents_reason(&list, 2), "x: y");
    assert_string_equal(named("src/ini.c: parse: `error = lineno` -> (nothing): dead"), "6");
    assert_string_equal(named("/home/me/src/ini.c: parse: `i + 1` -> `i - 1` (2 of 3): 0\n"), "4");
    assert_string_equal(named("src/ini.c: parse: `a: b` -> `a` (2 of 2): colons\n"), "8");
    assert_string_equal(warnings(1), "");
}

static void stale_lines_are_named(void **state)
{
    (void)state;
    /* The code changed: another function, another count. */
    assert_string_equal(named("src/ini.c: copy2: `size - 1` -> `size + 1`: x\n"), "");
    assert_string_equal(warnings(1),
                        ":1: stale: the program has no such mutant any more; remove the line, or judge its "
                        "successor\n");
    assert_string_equal(named("# x\nsrc/ini.c: parse: `i + 1` -> `i - 1`: x\n"), "");
    assert_non_null(strstr(warnings(1), ":2: stale"));
    assert_string_equal(named("src/ini.c: parse: `i + 1` -> `i - 1` (2 of 4): x\n"), "");
    assert_non_null(strstr(warnings(1), ":1: stale"));
    /* A file of another program says nothing. */
    assert_string_equal(named("src/other.c: parse: `i + 1` -> `i - 1`: x\nnotsrc/ini.c: f: `a` -> `b`: x\n"), "");
    assert_string_equal(warnings(1), "");
    assert_string_equal(named("whatever\n"), "");
    assert_non_null(strstr(warnings(1), ":1: not a line of the form"));
    assert_string_equal(named("src/ini.c: copy: `size - 1` -> `size + 1`\n"), ""); /* without a reason */
    assert_non_null(strstr(warnings(1), ":1: not a line of the form"));
}

static void a_killed_mutant_is_not_equivalent(void **state)
{
    (void)state;
    assert_string_equal(named("src/ini.c: copy: `size - 1` -> `size + 1`: a spare byte\n"), "1");
    assert_string_equal(warnings(2), "");
    assert_string_equal(warnings(1), ":1: mutant 1 is not equivalent: it was killed; remove the line\n");
}

static void a_line_that_is_added_is_found(void **state)
{
    (void)state;
    unlink(path);
    read_again();
    for (uint32_t i = 1; i <= N; i++) {
        assert_int_equal(sonde_equivalents_add(&list, "src/ini.c", i, "two\nlines"), 0);
        read_again();
        assert_string_equal(sonde_equivalents_reason(&list, i), "two lines");
        assert_int_equal(sonde_equivalents_add(&list, "src/ini.c", i, "again"), -EEXIST);
        for (uint32_t k = i + 1; k <= N; k++) assert_null(sonde_equivalents_reason(&list, k));
    }
    /* A file that does not end with a line end. */
    write_file("# mine");
    read_again();
    assert_int_equal(sonde_equivalents_add(&list, "src/ini.c", 6, "dead"), 0);
    char line[128];
    FILE *f = fopen(path, "r");
    assert_non_null(fgets(line, sizeof line, f));
    assert_string_equal(line, "# mine\n");
    assert_non_null(fgets(line, sizeof line, f));
    assert_string_equal(line, "src/ini.c: parse: `error = lineno` -> (nothing): dead\n");
    fclose(f);
}

static void a_file_that_cannot_be_read_is_an_error(void **state)
{
    (void)state;
    sonde_equivalents_clear(&list);
    assert_int_not_equal(sonde_equivalents_read(&list, "/"), 0);
    sonde_equivalents_clear(&list);
    assert_int_equal(sonde_equivalents_read(&list, "/nowhere/sonde.equivalent"), 0);
    assert_int_not_equal(sonde_equivalents_add(&list, "src/ini.c", 1, "x"), 0);
}

static int clear(void **state)
{
    (void)state;
    sonde_equivalents_clear(&list);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(lines_name_mutants_by_their_contents, clear),
        cmocka_unit_test_teardown(stale_lines_are_named, clear),
        cmocka_unit_test_teardown(a_killed_mutant_is_not_equivalent, clear),
        cmocka_unit_test_teardown(a_line_that_is_added_is_found, clear),
        cmocka_unit_test_teardown(a_file_that_cannot_be_read_is_an_error, clear),
    };
    int file = mkstemp(path);
    if (file < 0) return 1;
    close(file);
    sonde_mutants_add_(&table);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
