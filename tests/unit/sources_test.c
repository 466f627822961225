/* A source is found by the end of its path, if there is exactly one. */
#include "lib/mocka.h"

#include "base/mem.h"
#include "store/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[] = "sources.XXXXXX";

static void touch(const char *path)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
}

static int make_top(void **state)
{
    (void)state;
    return mkdtemp(top) && chdir(top) == 0 && mkdir("deps", 0755) == 0 && mkdir("deps/a", 0755) == 0
                   && mkdir(".git", 0755) == 0 && mkdir("b", 0755) == 0
               ? 0
               : -1;
}

static int remove_top(void **state)
{
    (void)state;
    if (chdir("..") != 0) return -1;
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'", top);
    return system(command);
}

static void assert_found_with(const char *source, int line, const char *want)
{
    char *path = sonde_source_below(".", source, line);
    if (want) assert_string_equal(path, want);
    else assert_null(path);
    sonde_free(path);
}

static void assert_found(const char *source, const char *want)
{
    assert_found_with(source, 1, want);
}

static void a_path_is_found_by_its_end(void **state)
{
    (void)state;
    touch("deps/a/one.c");
    touch("deps/a/two.c");
    touch("b/two.c");
    touch("b/mytwo.c");
    touch(".git/hidden.c");
    assert_int_equal(symlink("../deps", "b/link"), 0);
    assert_found("one.c", "deps/a/one.c");
    assert_found("a/one.c", "deps/a/one.c");
    assert_found("../a/one.c", "deps/a/one.c");
    assert_found("./one.c", "deps/a/one.c");
    assert_found("two.c", NULL); /* two of them */
    assert_found("b/two.c", "b/two.c");
    assert_found("ne.c", NULL);
    assert_found("hidden.c", NULL);
    assert_found("/deps/a/one.c", NULL);
    assert_found("", NULL);
    assert_found("..", NULL);
}

/* A short file of the same name is another one. */
static void a_file_that_is_too_short_is_not_it(void **state)
{
    (void)state;
    touch("deps/a/same.c");
    FILE *out = fopen("b/same.c", "w");
    assert_non_null(out);
    fputs("1\n2\n3", out);
    fclose(out);
    assert_found_with("same.c", 1, NULL); /* two of them */
    assert_found_with("same.c", 2, "b/same.c");
    assert_found_with("same.c", 3, "b/same.c");
    assert_found_with("same.c", 4, NULL);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(a_path_is_found_by_its_end),
                                              cmocka_unit_test(a_file_that_is_too_short_is_not_it)};
    return cmocka_run_group_tests(tests, make_top, remove_top);
}
