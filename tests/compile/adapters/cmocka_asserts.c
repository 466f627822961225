/* cmocka's own assertions inside of properties, and a jump that no adapter knows; tests/compile/asserts.sh says what is expected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sonde_cmocka.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int draw(sonde *t)
{
    return sonde_int(t, "n", 0, 1000);
}

static void asserts(sonde *t)
{
    int n = draw(t);
    assert_in_range(n, 0, 499);
}

static void asserts_two(sonde *t)
{
    int n = draw(t);
    if (n >= 700) assert_int_equal(n, 3);
    if (n >= 500) assert_string_equal("small", "large");
}

static int mocked(void)
{
    return (int)mock();
}

static void mocks(sonde *t)
{
    if (draw(t) >= 500) mocked();
}

static void fails(sonde *t)
{
    if (draw(t) >= 500) fail_msg("words of %s", "the test");
}

static void assert_false_there(void *what)
{
    assert_false(*(bool *)what);
}

static void asserts_when_deferred(sonde *t)
{
    bool *is_large = sonde_new(t, bool);
    *is_large = draw(t) >= 500;
    sonde_defer(t, assert_false_there, is_large);
    sonde_assume(t, !*is_large);
}

static void asserts_in_child(sonde *t)
{
    int n = draw(t);
    pid_t child = n >= 500 ? fork() : -1;
    if (child == 0) {
        assert_true(n < 500);
        _exit(0);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

static void skips(sonde *t)
{
    if (draw(t) >= 500) skip();
}

/* A case that is skipped must not hide the failure of another one. */
static void skips_and_fails(sonde *t)
{
    int n = draw(t);
    if (n < 300) skip();
    assert_int_not_equal(n, 300);
}

/* Skips as skip() does in files without the adapter. */
static void skips_unseen(sonde *t)
{
    if (draw(t) >= 500) _skip(__FILE__, __LINE__);
}

static void a_skip_without_the_adapter_is_a_failure(void **state)
{
    sonde_result result;
    sonde_config config = {.seed = 1, .isolate = SONDE_ISOLATE_WORKER, .result = &result, .quiet = true};
    sonde_jump_fn_ *before = sonde_on_jump_(sonde_cmocka_describe_);
    (void)state;
    unsetenv("SONDE_ISOLATE"); /* in this process cmocka would note that the test is skipped */
    assert_int_equal(sonde_run(skips_unseen, &config), SONDE_FALSIFIED);
    sonde_on_jump_(before);
    assert_true(strstr(result.message, "left by a jump past sonde") || strstr(result.message, "Skipped!"));
}

/* Jumps within the property are its own affair. */
static void jumps_inside(sonde *t)
{
    jmp_buf here;
    int n = draw(t);
    if (setjmp(here) == 0 && n >= 500) longjmp(here, 1);
}

static jmp_buf runner;

static void jump_out(int n)
{
    if (n >= 500) longjmp(runner, 1);
}

static void jumps_out(sonde *t)
{
    jump_out(draw(t));
}

static void a_jump_into_the_host_is_a_failure(void **state)
{
    sonde_result result;
    sonde_config config = {.seed = 1, .isolate = SONDE_ISOLATE_WORKER, .result = &result, .quiet = true};
    (void)state;
    for (int i = 0; i < 2; i++, config.isolate = SONDE_ISOLATE_NONE) {
        if (setjmp(runner)) abort();
        assert_int_equal(sonde_run(jumps_out, &config), SONDE_FALSIFIED);
        assert_string_equal(result.token, "s1:n=500 ?");
        assert_non_null(strstr(result.message, "left by a jump past sonde"));
        assert_non_null(strstr(result.message, "in jump_out"));
    }
}

static void the_host_goes_on(void **state)
{
    (void)state;
    assert_int_equal(write(STDOUT_FILENO, "the host goes on\n", 17), 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        sonde_cmocka_test_with(asserts, .seed = 1),
        sonde_cmocka_test_with(asserts_two, .seed = 1),
        sonde_cmocka_test_with(mocks, .seed = 1),
        sonde_cmocka_test_with(fails, .seed = 1),
        sonde_cmocka_test_with(asserts_when_deferred, .seed = 1),
        sonde_cmocka_test_with(asserts_in_child, .seed = 1),
        sonde_cmocka_test_with(skips_and_fails, .seed = 1, .guide = "enumerate"),
        sonde_cmocka_test_with(skips, .seed = 1),
        sonde_cmocka_test_with(jumps_inside, .seed = 1),
        cmocka_unit_test(a_skip_without_the_adapter_is_a_failure),
        cmocka_unit_test(a_jump_into_the_host_is_a_failure),
        cmocka_unit_test(the_host_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
