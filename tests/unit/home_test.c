#include "lib/mocka.h"

#include "base/mem.h"
#include "store/files.h"
#include "store/home.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *top; /* of a temporary directory, outside of any repository */

static int make_top(void **state)
{
    (void)state;
    char name[] = "/tmp/sonde-place-XXXXXX";
    top = sonde_strdup(mkdtemp(name));
    return 0;
}

static int remove_top(void **state)
{
    (void)state;
    char *command = sonde_path("rm -rf '%s'", top);
    int status = system(command);
    sonde_free(command);
    sonde_free(top);
    return status;
}

static void make(const char *path)
{
    char *whole = sonde_path("%s/%s", top, path);
    assert_int_equal(sonde_make_directories(whole), 0);
    sonde_free(whole);
}

static void touch(const char *path)
{
    unsigned turn = 0;
    char *whole = sonde_path("%s/%s", top, path);
    assert_int_equal(sonde_write_file_lightly(whole, "", 0, &turn), 0);
    sonde_free(whole);
}

/* Paths are under `top`, unless they start otherwise. */
static void assert_place(const char *program, const char *source, const char *store, const char *name)
{
    struct sonde_home home;
    char *whole = sonde_path("%s/%s", top, program), *wanted = sonde_path("%s/%s", top, store);
    sonde_home_find(&home, NULL, whole, source);
    assert_string_equal(home.store, wanted);
    if (name) assert_string_equal(home.program, name);
    assert_true(home.is_default);
    sonde_home_clear(&home);
    sonde_free(whole);
    sonde_free(wanted);
}

static void a_program_in_a_repository_has_its_path_there(void **state)
{
    (void)state;
    make("r/.git");
    make("r/a");
    make("r/b");
    assert_place("r/a/test", NULL, "r/.sonde", "a/test");
    assert_place("r/b/test", NULL, "r/.sonde", "b/test");
    assert_place("r/test", NULL, "r/.sonde", "test");
}

static void the_working_directory_has_no_say(void **state)
{
    (void)state;
    make("r/.hg");
    make("here/.git");
    char *here = getcwd(NULL, 0), *there = sonde_path("%s/here", top);
    assert_int_equal(chdir(there), 0);
    assert_place("r/a/test", NULL, "r/.sonde", "a/test");
    assert_int_equal(chdir(here), 0);
    free(here);
    sonde_free(there);
}

static void the_source_decides_where_it_is_found(void **state)
{
    (void)state;
    make("r/.svn");
    make("r/tests");
    make("r/build/asan");
    make("elsewhere");
    touch("r/tests/t.c");
    char *absolute = sonde_path("%s/r/tests/t.c", top);
    assert_place("elsewhere/t", absolute, "r/.sonde", "tests/t");
    assert_place("r/build/t", "tests/t.c", "r/.sonde", "tests/t");
    assert_place("r/build/asan/t", "tests/t.c", "r/.sonde", "tests/t"); /* all builds are one program */
    assert_place("r/build/t", "../gone/t.c", "r/.sonde", "build/t");
    sonde_free(absolute);
}

static void outside_of_repositories_it_is_the_users_state(void **state)
{
    (void)state;
    char *state_home = sonde_path("%s/state", top), *home = sonde_path("%s/home", top);
    setenv("XDG_STATE_HOME", state_home, 1);
    setenv("HOME", home, 1);
    assert_place("elsewhere/t", NULL, "state/sonde", NULL);
    unsetenv("XDG_STATE_HOME");
    assert_place("elsewhere/t", NULL, "home/.local/state/sonde", NULL);
    sonde_free(state_home);
    sonde_free(home);
}

static void a_repository_of_another_user_is_passed_over(void **state)
{
    (void)state;
    char *mark = sonde_path("%s/r/theirs/.git", top);
    make("r/.git");
    make("r/theirs/.git");
    if (chown(mark, 12345, (gid_t)-1) == 0) assert_place("r/theirs/t", NULL, "r/.sonde", NULL); /* root only */
    sonde_free(mark);
}

static void a_given_place_is_taken(void **state)
{
    (void)state;
    struct sonde_home home;
    make("r/.git");
    char *program = sonde_path("%s/r/a/test", top);
    sonde_home_find(&home, "some/where", program, NULL);
    assert_string_equal(home.store, "some/where");
    assert_string_equal(home.program, "a/test");
    assert_false(home.is_default);
    sonde_home_clear(&home);
    sonde_free(program);
}

static void assert_source(const char *source, const char *wanted)
{
    char *program = sonde_path("%s/repository/build/deep/program", top), *path = sonde_home_source(source, program, 1);
    assert_string_equal(path, wanted);
    sonde_free(path);
    sonde_free(program);
}

static void a_source_has_its_path_in_the_repository(void **state)
{
    (void)state;
    make("repository/.git");
    make("repository/lib");
    make("repository/build/deep");
    touch("repository/lib/code.c");
    touch("repository/top.c");
    touch("alone.c");
    char *absolute = sonde_path("%s/repository/lib/code.c", top), *outside = sonde_path("%s/alone.c", top);
    assert_source(absolute, "lib/code.c");
    assert_source("../lib/code.c", "lib/code.c"); /* from the build directory */
    assert_source("lib/code.c", "lib/code.c");
    assert_source("top.c", "top.c");
    assert_source(outside, outside); /* in no repository */
    assert_source("gone/code.c", "gone/code.c");
    assert_source("code.c", "lib/code.c"); /* compiled in lib */
    make("repository/other");
    touch("repository/other/code.c");
    assert_source("code.c", "code.c"); /* which of the two is not known */
    sonde_free(absolute);
    sonde_free(outside);
}

static void this_program_is_found(void **state)
{
    (void)state;
    char *path = sonde_home_executable(NULL);
    assert_true(path[0] == '/');
    assert_int_equal(access(path, X_OK), 0);
    sonde_free(path);
}

#define home_test(test) cmocka_unit_test_setup_teardown(test, make_top, remove_top)

int main(void)
{
    const struct CMUnitTest tests[] = {
        home_test(a_program_in_a_repository_has_its_path_there),
        home_test(the_working_directory_has_no_say),
        home_test(the_source_decides_where_it_is_found),
        home_test(outside_of_repositories_it_is_the_users_state),
        home_test(a_repository_of_another_user_is_passed_over),
        home_test(a_given_place_is_taken),
        cmocka_unit_test_setup_teardown(a_source_has_its_path_in_the_repository, make_top, remove_top),
        cmocka_unit_test(this_program_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
