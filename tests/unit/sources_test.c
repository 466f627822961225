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

static void assert_found(const char *source, const char *want)
{
    char *path = sonde_source_below(".", source);
    if (want) assert_string_equal(path, want);
    else assert_null(path);
    sonde_free(path);
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

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(a_path_is_found_by_its_end)};
    return cmocka_run_group_tests(tests, make_top, remove_top);
}
