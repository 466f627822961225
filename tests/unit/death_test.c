/* How a worker died, as its supervisor tells it: from what the worker left and its wait status to a claim with an identity. Stacks are made
 * of addresses in functions of this program. */
#include "lib/mocka.h"

#include "exec/death.h"
#include "exec/exec.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- Code under test: functions that stacks name. */

#define FUNCTION(name, n)                                                                                              \
    static __attribute__((noinline)) int name(int x)                                                                   \
    {                                                                                                                  \
        __asm__ volatile("" : "+r"(x));                                                                                \
        return x + (n);                                                                                                \
    }
FUNCTION(parse, 1)
FUNCTION(scan, 2)
FUNCTION(load, 3)
FUNCTION(open_all, 4)

static void *in(int (*function)(int))
{
    return (char *)(uintptr_t)function + 2; /* as a return address: behind the call */
}

#define BASE ((void *)((char *)(uintptr_t)sonde_exec_worker_setup + 2)) /* user code is called from there */
#define SONDES ((void *)((char *)(uintptr_t)sonde_int + 2))

static struct sonde_death death;

static void stack_of(int n, void *const *frames)
{
    memcpy(death.frames, frames, (size_t)n * sizeof *frames);
    death.n_frames = n;
}

#define STACK(...) stack_of((int)(sizeof(void *[]){__VA_ARGS__} / sizeof(void *)), (void *[]){__VA_ARGS__})

static int set_up(void **state)
{
    (void)state;
    memset(&death, 0, sizeof death);
    return 0;
}

static struct sonde_claim claim_of(enum sonde_death_kind kind, int signal)
{
    struct sonde_claim claim;
    death.kind = kind;
    death.signal = signal;
    sonde_death_claim(&death, &claim);
    return claim;
}

/* ---- Records that are believed */

static enum sonde_death_kind decided(enum sonde_death_kind left, int status)
{
    death.kind = left;
    sonde_death_decide(&death, status);
    return death.kind;
}

static int exited(int status)
{
    return status << 8;
}

static void the_wait_status_decides_where_the_worker_left_nothing(void **state)
{
    (void)state;
    assert_int_equal(decided(SONDE_DEATH_NONE, exited(3)), SONDE_DEATH_EXIT);
    assert_int_equal(death.exit_status, 3);
    assert_int_equal(decided(SONDE_DEATH_NONE, SIGKILL), SONDE_DEATH_KILLED);
    assert_int_equal(decided(SONDE_DEATH_NONE, SIGFPE), SONDE_DEATH_SIGNAL);
    assert_int_equal(death.signal, SIGFPE);
    assert_false(death.is_unhandled);
}

static void a_worker_that_left_word_is_believed_unless_it_was_killed(void **state)
{
    (void)state;
    assert_int_equal(decided(SONDE_DEATH_SANITIZER, exited(1)), SONDE_DEATH_SANITIZER);
    assert_int_equal(decided(SONDE_DEATH_STACK_OVERFLOW, SIGSEGV), SONDE_DEATH_STACK_OVERFLOW);
    assert_int_equal(decided(SONDE_DEATH_SIGNAL, SIGKILL), SONDE_DEATH_KILLED);
    assert_int_equal(decided(SONDE_DEATH_HANG, SIGKILL), SONDE_DEATH_HANG); /* by the supervisor, for that */
    assert_int_equal(decided(SONDE_DEATH_MEMORY, SIGKILL), SONDE_DEATH_MEMORY);
}

static void a_fault_that_no_handler_saw_may_be_a_threads_stack(void **state)
{
    (void)state;
    assert_int_equal(decided(SONDE_DEATH_NONE, SIGSEGV), SONDE_DEATH_SIGNAL);
    assert_true(death.is_unhandled);
    death.may_be_threads = true;
    assert_int_equal(decided(SONDE_DEATH_NONE, SIGSEGV), SONDE_DEATH_STACK_OVERFLOW);
}

static void nothing_is_said_of_how_a_damaged_worker_ended(void **state)
{
    (void)state;
    STACK(in(parse), BASE);
    strcpy(death.text, "anything");
    death.signal = SIGSEGV;
    assert_int_equal(decided(SONDE_DEATH_OVERWRITTEN, SIGSEGV), SONDE_DEATH_OVERWRITTEN);
    assert_int_equal(death.signal + death.n_frames + death.text[0], 0);
}

static void a_request_to_end_comes_from_outside(void **state)
{
    (void)state;
    death.kind = SONDE_DEATH_SIGNAL;
    death.signal = SIGTERM;
    assert_false(sonde_death_was_asked_for(&death)); /* raised by the program's own instruction */
    death.is_anywhere = true;
    assert_true(sonde_death_was_asked_for(&death));
    death.signal = SIGUSR1;
    assert_false(sonde_death_was_asked_for(&death));
    death.signal = SIGTERM;
    death.to_parent = true;
    assert_false(sonde_death_was_asked_for(&death));
}

/* ---- Identity */

static void a_crash_is_known_by_its_functions(void **state)
{
    (void)state;
    STACK(in(parse), in(scan), BASE, in(load));
    struct sonde_claim a = claim_of(SONDE_DEATH_SIGNAL, SIGSEGV), same = claim_of(SONDE_DEATH_SIGNAL, SIGSEGV);
    assert_int_equal(a.kind, SONDE_CLAIM_CRASH);
    assert_true(a.functions == same.functions && a.innermost == same.innermost);
    struct sonde_claim other = claim_of(SONDE_DEATH_SIGNAL, SIGFPE);
    assert_true(a.functions != other.functions && a.innermost != other.innermost);
    STACK(in(parse), in(load), BASE);
    struct sonde_claim by_another_way = claim_of(SONDE_DEATH_SIGNAL, SIGSEGV);
    assert_true(a.functions != by_another_way.functions);
    assert_true(a.innermost == by_another_way.innermost);
}

static void the_message_names_the_functions(void **state)
{
    (void)state;
    STACK(in(parse), in(parse), in(scan), in(load), in(open_all), BASE);
    death.address = 0x10;
    assert_string_equal(
        claim_of(SONDE_DEATH_SIGNAL, SIGSEGV).message,
        "SIGSEGV (invalid memory access) at address 0x10, in parse, called from scan, called from load");
}

static void what_sonde_calls_is_not_the_propertys(void **state)
{
    (void)state;
    STACK(in(parse), SONDES, in(load), BASE); /* parse: a function that sonde_int called */
    struct sonde_claim claim = claim_of(SONDE_DEATH_SIGNAL, SIGABRT);
    assert_string_equal(claim.message, "SIGABRT (abort, or a failed assert), in load");
}

static void an_exit_is_known_by_its_innermost_function(void **state)
{
    (void)state;
    STACK(in(parse), in(scan), BASE);
    struct sonde_claim a = claim_of(SONDE_DEATH_EXIT, 0);
    STACK(in(parse), in(load), BASE);
    struct sonde_claim b = claim_of(SONDE_DEATH_EXIT, 0);
    STACK(in(load), in(scan), BASE);
    struct sonde_claim c = claim_of(SONDE_DEATH_EXIT, 0);
    assert_true(a.functions == b.functions && a.functions != c.functions);
}

static void a_signal_from_outside_blames_no_function(void **state)
{
    (void)state;
    death.is_anywhere = true;
    STACK(in(parse), BASE);
    struct sonde_claim a = claim_of(SONDE_DEATH_SIGNAL, SIGALRM);
    STACK(in(scan), BASE);
    struct sonde_claim b = claim_of(SONDE_DEATH_SIGNAL, SIGALRM);
    assert_true(a.functions == b.functions && a.innermost == b.innermost);
}

/* Which of the two is at the end of the stack is chance. */
static void an_overflow_is_known_by_its_recursion(void **state)
{
    (void)state;
    STACK(in(parse), in(scan), in(parse), in(scan), in(parse), in(load), BASE);
    struct sonde_claim a = claim_of(SONDE_DEATH_STACK_OVERFLOW, SIGSEGV);
    STACK(in(scan), in(parse), in(scan), in(parse), in(load), BASE);
    struct sonde_claim b = claim_of(SONDE_DEATH_STACK_OVERFLOW, SIGSEGV);
    STACK(in(load), in(open_all), in(load), in(open_all), BASE);
    struct sonde_claim c = claim_of(SONDE_DEATH_STACK_OVERFLOW, SIGSEGV);
    assert_int_equal(a.kind, SONDE_CLAIM_STACK_OVERFLOW);
    assert_true(a.innermost == b.innermost && a.innermost != c.innermost);
}

static void sample(int n, void *const *frames)
{
    struct sonde_death_sample *s = &death.samples[death.n_samples++];
    memcpy(s->frames, frames, (size_t)n * sizeof *frames);
    s->n = n;
}

static void a_hang_is_known_by_what_all_samples_have_in_common(void **state)
{
    (void)state;
    STACK(in(parse), in(scan), in(load), BASE);
    sample(4, (void *[]){in(open_all), in(scan), in(load), BASE});
    struct sonde_claim claim = claim_of(SONDE_DEATH_HANG, 0);
    assert_int_equal(claim.kind, SONDE_CLAIM_HANG);
    assert_int_equal(claim.n_way, 2);
    assert_string_equal(claim.message,
                        "the case did not end within its processor time limit (--timeout), in scan, called "
                        "from load");
    sample(2, (void *[]){in(scan), BASE});
    assert_int_equal(claim_of(SONDE_DEATH_HANG, 0).n_way, 0);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_wait_status_decides_where_the_worker_left_nothing),
        TEST(a_worker_that_left_word_is_believed_unless_it_was_killed),
        TEST(a_fault_that_no_handler_saw_may_be_a_threads_stack),
        TEST(nothing_is_said_of_how_a_damaged_worker_ended),
        TEST(a_request_to_end_comes_from_outside),
        TEST(a_crash_is_known_by_its_functions),
        TEST(the_message_names_the_functions),
        TEST(what_sonde_calls_is_not_the_propertys),
        TEST(an_exit_is_known_by_its_innermost_function),
        TEST(a_signal_from_outside_blames_no_function),
        TEST(an_overflow_is_known_by_its_recursion),
        TEST(a_hang_is_known_by_what_all_samples_have_in_common),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
