/* Files below a directory that the user named: what others put there is never followed, waited for or written through. */
#include "lib/mocka.h"

#include "base/mem.h"
#include "store/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *top;

static int make_top(void **state)
{
    (void)state;
    char name[] = "/tmp/sonde-below-XXXXXX";
    top = sonde_strdup(mkdtemp(name));
    return 0;
}

static int remove_top(void **state)
{
    (void)state;
    char *command = sonde_path("chmod -R u+rwx '%s'; rm -rf '%s'", top, top);
    int status = system(command);
    sonde_free(command);
    sonde_free(top);
    return status;
}

/* A path below `top`, in one of a few buffers that take turns. */
static const char *in(const char *path)
{
    static char paths[4][4096];
    static unsigned turn;
    char *to = paths[turn++ % 4];
    snprintf(to, sizeof paths[0], "%s/%s", top, path);
    return to;
}

static size_t named(void)
{
    return strlen(top);
}

static void put(const char *path, const char *text)
{
    FILE *out = fopen(in(path), "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void make(const char *path)
{
    assert_int_equal(sonde_below_make(in(path), named()), 0);
}

static int read_it(const char *path)
{
    char *bytes;
    size_t n;
    int error = sonde_below_read(in(path), named(), 1000, &bytes, &n);
    assert_true(error == 0 || (bytes == NULL && n == 0));
    sonde_free(bytes);
    return error;
}

static void assert_holds(const char *path, const char *text)
{
    char *bytes;
    size_t n;
    assert_int_equal(sonde_read_file(in(path), 1000, true, &bytes, &n), 0);
    assert_int_equal(n, strlen(text));
    assert_memory_equal(bytes, text, n);
    sonde_free(bytes);
}

static void a_file_is_read_whole(void **state)
{
    (void)state;
    char *bytes;
    size_t n;
    make("a/b");
    put("a/b/x", "hello");
    assert_int_equal(sonde_below_read(in("a/b/x"), named(), 5, &bytes, &n), 0);
    assert_int_equal(n, 5);
    assert_memory_equal(bytes, "hello", 5);
    sonde_free(bytes);
    assert_int_equal(sonde_below_read(in("a/b/x"), named(), 4, &bytes, &n), -EFBIG);
    assert_null(bytes);
    assert_int_equal(read_it("a//b/./x"), 0);
    assert_int_equal(read_it("a/none"), -ENOENT);
    assert_int_equal(read_it("a/b"), -EISDIR);
}

static void a_link_to_a_file_is_not_read(void **state)
{
    (void)state;
    put("secret", "s");
    make("d");
    assert_int_equal(symlink(in("secret"), in("d/x")), 0);
    assert_int_equal(read_it("d/x"), -ELOOP);
    assert_int_equal(symlink("nowhere", in("d/dangling")), 0);
    assert_int_equal(read_it("d/dangling"), -ELOOP);
}

static void a_link_to_a_directory_on_the_way_is_not_followed(void **state)
{
    (void)state;
    struct sonde_names names;
    struct stat info;
    unsigned turn = 0;
    make("far/inner");
    put("far/x", "s");
    make("d");
    assert_int_equal(symlink(in("far"), in("d/queue")), 0);
    assert_int_equal(read_it("d/queue/x"), -ELOOP);
    assert_int_equal(sonde_below_stat(in("d/queue/x"), named(), &info), -ELOOP);
    assert_int_equal(sonde_below_list(in("d/queue"), named(), &names), -ELOOP);
    sonde_names_clear(&names);
    assert_int_equal(sonde_below_list(in("d/queue/inner"), named(), &names), -ELOOP);
    sonde_names_clear(&names);
    assert_int_equal(sonde_below_make(in("d/queue/more"), named()), -ELOOP);
    assert_int_equal(sonde_below_write(in("d/queue/y"), named(), "y", 1, &turn, false), -ELOOP);
    assert_int_equal(sonde_below_create(in("d/queue/y"), named(), "y", 1), -ELOOP);
    assert_int_equal(sonde_below_remove(in("d/queue/x"), named()), -ELOOP);
    assert_int_equal(sonde_below_move(in("d/queue/x"), in("d/x"), named()), -ELOOP);
    assert_holds("far/x", "s");
    assert_int_equal(access(in("far/y"), F_OK), -1);
    assert_int_equal(access(in("far/more"), F_OK), -1);
}

static void what_was_named_may_be_a_link(void **state)
{
    (void)state;
    char *bytes;
    size_t n;
    make("real");
    put("real/x", "hello");
    assert_int_equal(symlink("real", in("link")), 0);
    assert_int_equal(sonde_below_read(in("link/x"), strlen(in("link")), 9, &bytes, &n), 0);
    sonde_free(bytes);
    /* All of it was named. */
    assert_int_equal(symlink("real/x", in("y")), 0);
    assert_int_equal(sonde_below_read(in("y"), strlen(in("y")), 9, &bytes, &n), 0);
    sonde_free(bytes);
}

static void nothing_leads_up(void **state)
{
    (void)state;
    make("d/e");
    put("x", "s");
    assert_int_equal(read_it("d/../x"), -EINVAL);
    assert_int_equal(read_it("d/.."), -EINVAL);
    assert_int_equal(sonde_below_make(in("d/../f"), named()), -EINVAL);
}

static void pipes_and_devices_are_not_opened(void **state)
{
    (void)state;
    make("d");
    assert_int_equal(mkfifo(in("d/pipe"), 0600), 0);
    assert_int_equal(read_it("d/pipe"), -EINVAL);
    char *bytes;
    size_t n;
    assert_int_equal(sonde_below_read("/dev/zero", strlen("/dev"), 10, &bytes, &n), -EINVAL);
}

static void the_kernels_state_is_refused(void **state)
{
    (void)state;
    char *bytes;
    size_t n;
    struct sonde_names names;
    assert_int_equal(sonde_below_read("/proc/self/environ", strlen("/proc"), 1 << 20, &bytes, &n), -ELOOP);
    assert_int_equal(sonde_below_read("/proc/version", strlen("/proc"), 1 << 20, &bytes, &n), -EXDEV);
    assert_int_equal(sonde_below_read("/proc/version", strlen("/proc/version"), 1 << 20, &bytes, &n), -EXDEV);
    assert_int_equal(symlink("/proc/self", in("me")), 0);
    assert_int_equal(sonde_below_read(in("me/environ"), strlen(in("me")), 1 << 20, &bytes, &n), -EXDEV);
    assert_int_equal(sonde_below_list(in("me"), strlen(in("me")), &names), -EXDEV);
    sonde_names_clear(&names);
}

static void a_huge_sparse_file_is_too_large_at_once(void **state)
{
    (void)state;
    put("x", "");
    assert_int_equal(truncate(in("x"), (off_t)1 << 40), 0);
    assert_int_equal(read_it("x"), -EFBIG);
}

static void writing_replaces_a_link_and_leaves_its_target(void **state)
{
    (void)state;
    unsigned turn = 0;
    struct stat info;
    put("target", "old");
    assert_int_equal(symlink("target", in("x")), 0);
    assert_int_equal(sonde_below_create(in("x"), named(), "new", 3), -EEXIST);
    assert_int_equal(sonde_below_write(in("x"), named(), "new", 3, &turn, true), 0);
    assert_holds("target", "old");
    assert_holds("x", "new");
    assert_int_equal(lstat(in("x"), &info), 0);
    assert_true(S_ISREG(info.st_mode));
}

/* A user that knows the process id may put links where the temporary files will be. */
static void a_link_at_the_name_of_the_temporary_file_is_not_written_through(void **state)
{
    (void)state;
    char name[64];
    unsigned turn = 0;
    put("target", "old");
    snprintf(name, sizeof name, ".%ld-0.tmp", (long)getpid());
    assert_int_equal(symlink("target", in(name)), 0);
    assert_int_equal(sonde_below_write(in("x"), named(), "new", 3, &turn, false), 0);
    assert_holds("target", "old");
    assert_holds("x", "new");
}

static void a_directory_is_never_replaced(void **state)
{
    (void)state;
    unsigned turn = 0;
    struct sonde_names names;
    make("x/inner");
    assert_int_equal(sonde_below_write(in("x"), named(), "new", 3, &turn, false), -EISDIR);
    assert_int_equal(sonde_below_remove(in("x/inner"), named()), -EISDIR);
    assert_int_equal(sonde_below_list(in("."), named(), &names), 0);
    assert_int_equal(names.n, 1); /* and no temporary file is left */
    sonde_names_clear(&names);
}

static void leftovers_are_not_removed_through_a_link(void **state)
{
    (void)state;
    make("far");
    put("far/.999999-0.tmp", "");
    make("d");
    assert_int_equal(symlink(in("far"), in("d/corpus")), 0);
    sonde_remove_leftovers(in("d/corpus"), named());
    assert_int_equal(access(in("far/.999999-0.tmp"), F_OK), 0);
    sonde_remove_leftovers(in("far"), named());
    assert_int_equal(access(in("far/.999999-0.tmp"), F_OK), -1);
}

static void names_are_sorted_and_hidden_ones_left_out(void **state)
{
    (void)state;
    struct sonde_names names;
    put("b", "");
    put("a\nc", "");
    put(".hidden", "");
    assert_int_equal(sonde_below_list(in(""), named(), &names), 0);
    assert_int_equal(names.n, 2);
    assert_string_equal(names.names[0], "a\nc");
    assert_string_equal(names.names[1], "b");
    sonde_names_clear(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_is_read_whole, make_top, remove_top),
        cmocka_unit_test_setup_teardown(a_link_to_a_file_is_not_read, make_top, remove_top),
        cmocka_unit_test_setup_teardown(a_link_to_a_directory_on_the_way_is_not_followed, make_top, remove_top),
        cmocka_unit_test_setup_teardown(what_was_named_may_be_a_link, make_top, remove_top),
        cmocka_unit_test_setup_teardown(nothing_leads_up, make_top, remove_top),
        cmocka_unit_test_setup_teardown(pipes_and_devices_are_not_opened, make_top, remove_top),
        cmocka_unit_test_setup_teardown(the_kernels_state_is_refused, make_top, remove_top),
        cmocka_unit_test_setup_teardown(a_huge_sparse_file_is_too_large_at_once, make_top, remove_top),
        cmocka_unit_test_setup_teardown(writing_replaces_a_link_and_leaves_its_target, make_top, remove_top),
        cmocka_unit_test_setup_teardown(a_link_at_the_name_of_the_temporary_file_is_not_written_through, make_top,
                                        remove_top),
        cmocka_unit_test_setup_teardown(a_directory_is_never_replaced, make_top, remove_top),
        cmocka_unit_test_setup_teardown(leftovers_are_not_removed_through_a_link, make_top, remove_top),
        cmocka_unit_test_setup_teardown(names_are_sorted_and_hidden_ones_left_out, make_top, remove_top),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
