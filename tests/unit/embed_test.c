/* Properties inside another program: what counts of config and environment, and what the host finds as it left it. */
#define _GNU_SOURCE
#include "lib/mocka.h"
#include "lib/sanitizers.h"

#include <sonde.h>

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void holds(sonde *t)
{
    sonde_int(t, "n", 0, 1000000);
}

static void crashes_at_500(sonde *t)
{
    int n = sonde_int(t, "n", 0, 1000);
    int *volatile nowhere = NULL; /* not to volatile: clang's UBSan checks no such pointer */
    if (n >= 500) *nowhere = n;
}

static void raises_at_500(sonde *t)
{
    if (sonde_int(t, "n", 0, 1000) >= 500) raise(SIGSEGV);
}

static void hangs_at_500(sonde *t)
{
    volatile int n = sonde_int(t, "n", 0, 1000);
    while (n >= 500) continue;
}

static void exits_at_500(sonde *t)
{
    if (sonde_int(t, "n", 0, 1000) >= 500) exit(0);
}

static int calls;

static void counts_its_calls(sonde *t)
{
    sonde_int(t, "n", 0, 1000000);
    calls++;
}

static sonde_result result;

static int run(sonde_property_fn *property, sonde_config config)
{
    config.quiet = true;
    config.result = &result;
    if (!config.seed) config.seed = 1;
    if (!config.store) config.store = "";
    return sonde_run(property, &config);
}

/* ---- Settings */

static void the_environment_wins_over_the_config(void **state)
{
    (void)state;
    assert_int_equal(run(holds, (sonde_config){.tests = 200}), SONDE_PASSED);
    assert_true(result.valid == 200);
    setenv("SONDE_TESTS", "300", 1);
    assert_int_equal(run(holds, (sonde_config){.tests = 200}), SONDE_PASSED);
    assert_true(result.valid == 300);
    unsetenv("SONDE_TESTS");
}

static void a_wrong_environment_is_misuse_and_no_exit(void **state)
{
    (void)state;
    setenv("SONDE_TESTS", "many", 1);
    assert_int_equal(run(holds, (sonde_config){.tests = 200}), SONDE_USAGE);
    unsetenv("SONDE_TESTS");
    assert_non_null(strstr(result.message, "SONDE_TESTS"));
    assert_non_null(strstr(result.message, "'many'"));
}

static void a_wrong_config_is_misuse_and_no_exit(void **state)
{
    (void)state;
    assert_int_equal(run(holds, (sonde_config){.isolate = (enum sonde_isolation)9}), SONDE_USAGE);
    assert_non_null(strstr(result.message, "isolate is 9"));
    assert_int_equal(run(NULL, (sonde_config){.tests = 1}), SONDE_USAGE);
    assert_non_null(strstr(result.message, "NULL"));
    assert_int_equal(run(holds, (sonde_config){.guide = "nobody"}), SONDE_USAGE);
    assert_non_null(strstr(result.message, "nobody"));
    const sonde_property never = {.seconds = -1};
    const sonde_config no_seconds[] = {
        {.seconds = -1}, {.seconds = NAN}, {.timeout = -0.5}, {.wall_timeout = NAN}, {.property = &never}};
    for (size_t i = 0; i < sizeof no_seconds / sizeof *no_seconds; i++) {
        assert_int_equal(run(holds, no_seconds[i]), SONDE_USAGE);
        assert_non_null(strstr(result.message, "must be a number of seconds; 0 for the default"));
    }
    assert_int_equal(sonde_run(NULL, &(sonde_config){.quiet = true, .result = &result}), SONDE_USAGE);
    assert_string_equal(result.message, "sonde_run: the property is NULL; give a function");
}

static void by_default_cases_run_here(void **state)
{
    (void)state;
    calls = 0;
    assert_int_equal(run(counts_its_calls, (sonde_config){.tests = 50}), SONDE_PASSED);
    assert_true(calls >= 50);
    calls = 0;
    assert_int_equal(run(counts_its_calls, (sonde_config){.tests = 50, .isolate = SONDE_ISOLATE_WORKER}), SONDE_PASSED);
    assert_int_equal(calls, 0);
    setenv("SONDE_ISOLATE", "none", 1);
    assert_int_equal(run(counts_its_calls, (sonde_config){.tests = 50, .isolate = SONDE_ISOLATE_WORKER}), SONDE_PASSED);
    unsetenv("SONDE_ISOLATE");
    assert_true(calls >= 50);
}

/* ---- Properties that die */

/* Each smaller input that hangs takes as long as the limit. */
static const double hang_limit = 0.03;

static void dies(sonde_property_fn *property, const char *says)
{
    static const enum sonde_isolation modes[] = {SONDE_ISOLATE_WORKER, SONDE_ISOLATE_CASE};
    for (size_t i = 0; i < 2; i++) {
        sonde_config config = {.isolate = modes[i], .tests = 200, .timeout = property == hangs_at_500 ? hang_limit : 0};
        assert_int_equal(run(property, config), SONDE_FALSIFIED);
        assert_string_equal(result.token, "s1:n=500 ?");
        assert_non_null(strstr(result.message, says));
    }
}

static void a_crash_is_a_failure_with_its_input(void **state)
{
    (void)state;
    /* Sanitized tests have UBSan, too, which sees the pointer before there is a signal. */
    dies(crashes_at_500, HAS_ADDRESS_SANITIZER ? "undefined behaviour (null-pointer-use): "
                                               : "SIGSEGV (invalid memory access) at address 0");
}

/* cmocka's handler of SIGSEGV would continue with the next test, in the worker. */
static void a_handler_of_the_host_does_not_run_in_a_worker(void **state)
{
    (void)state;
    struct sigaction cmockas;
    assert_int_equal(sigaction(SIGSEGV, NULL, &cmockas), 0);
    assert_true(cmockas.sa_handler != SIG_DFL && cmockas.sa_handler != SIG_IGN);
    dies(raises_at_500, HAS_ADDRESS_SANITIZER ? "reported by a sanitizer: " : "SIGSEGV");
}

static void a_hang_is_a_failure_with_its_input(void **state)
{
    (void)state;
    dies(hangs_at_500, "processor time limit");
}

static void an_exit_is_a_failure_with_its_input(void **state)
{
    (void)state;
    dies(exits_at_500, "status 0");
}

static void *waits(void *arg)
{
    (void)arg;
    pause();
    return NULL;
}

static void with_threads_cases_run_here(void **state)
{
    (void)state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, waits, NULL), 0);
    calls = 0;
    assert_int_equal(run(counts_its_calls, (sonde_config){.tests = 50, .isolate = SONDE_ISOLATE_WORKER}), SONDE_PASSED);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    assert_true(calls >= 50);
}

/* ---- The store */

static void a_failure_is_stored_and_runs_first_the_next_time(void **state)
{
    (void)state;
    char folder[] = "/tmp/sonde-embed-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    sonde_config config = {.name = "crashes", .isolate = SONDE_ISOLATE_WORKER, .store = folder, .tests = 200};
    assert_int_equal(run(crashes_at_500, config), SONDE_FALSIFIED);
    setenv("SONDE_RUNS", "1", 1); /* of new ones */
    config.seed = 2;
    assert_int_equal(run(crashes_at_500, config), SONDE_FALSIFIED);
    assert_string_equal(result.token, "s1:n=500 ?");
    config.store = "";
    config.seed = 1;
    assert_int_equal(run(crashes_at_500, config), SONDE_PASSED);
    unsetenv("SONDE_RUNS");
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

/* ---- The host */

static volatile sig_atomic_t children_heard;

static void on_child(int signal)
{
    (void)signal;
    children_heard++;
}

static void signals_and_children_of_the_host_are_left_alone(void **state)
{
    (void)state;
    const int numbers[] = {SIGSEGV, SIGABRT, SIGFPE, SIGXCPU, SIGALRM, SIGINT, SIGTERM, SIGCHLD, SIGPIPE};
    struct sigaction before[9], after;
    sigset_t mask_before, mask_after;
    stack_t stack_before, stack_after;
    struct sigaction mine = {.sa_handler = on_child, .sa_flags = SA_RESTART}, old;
    sigaction(SIGCHLD, &mine, &old);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    for (size_t i = 0; i < 9; i++) sigaction(numbers[i], NULL, &before[i]);
    sigprocmask(SIG_SETMASK, NULL, &mask_before);
    sigaltstack(NULL, &stack_before);
    pid_t quick = fork();
    if (quick == 0) _exit(7);
    pid_t patient = fork();
    if (patient == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the test fail */
        pause();
        _exit(0);
    }
    for (int mode = SONDE_ISOLATE_NONE; mode <= SONDE_ISOLATE_CASE; mode++) {
        sonde_config config = {.isolate = (enum sonde_isolation)mode, .tests = 20};
        assert_int_equal(run(mode == SONDE_ISOLATE_NONE ? holds : crashes_at_500, config), mode != SONDE_ISOLATE_NONE);
        for (size_t i = 0; i < 9; i++) {
            sigaction(numbers[i], NULL, &after);
            assert_ptr_equal(after.sa_sigaction, before[i].sa_sigaction);
            assert_int_equal(after.sa_flags, before[i].sa_flags);
        }
        sigprocmask(SIG_SETMASK, NULL, &mask_after);
        for (int i = 1; i < 32; i++) assert_int_equal(sigismember(&mask_before, i), sigismember(&mask_after, i));
        sigaltstack(NULL, &stack_after);
        assert_ptr_equal(stack_before.ss_sp, stack_after.ss_sp);
        assert_int_equal(stack_before.ss_flags, stack_after.ss_flags);
    }
    sigprocmask(SIG_UNBLOCK, &blocked, NULL);
    assert_true(children_heard > 0); /* of the quick one, which has not been waited for yet */
    int status;
    assert_int_equal(waitpid(quick, &status, 0), quick);
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_int_equal(waitpid(patient, &status, WNOHANG), 0);
    kill(patient, SIGKILL);
    waitpid(patient, &status, 0);
    sigaction(SIGCHLD, &old, NULL);
}

static void a_host_that_ignores_its_children_may(void **state)
{
    (void)state;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    sigaction(SIGCHLD, &ignore, &old);
    sonde_config config = {.isolate = SONDE_ISOLATE_WORKER, .tests = 100};
    assert_int_equal(run(exits_at_500, config), SONDE_FALSIFIED);
    assert_string_equal(result.token, "s1:n=500 ?");
    pid_t child = fork();
    if (child == 0) _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), -1); /* gone without a trace, as the host wants it */
    sigaction(SIGCHLD, &old, NULL);
}

static int fd_of_exits;

static void at_exit(void)
{
    if (write(fd_of_exits, "x", 1) < 0) _exit(9);
}

/* In a child, because handlers of an exit cannot be taken back. */
static void exit_handlers_and_buffers_of_the_host_run_once(void **state)
{
    (void)state;
    int ends[2];
    char got[64] = "";
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        fd_of_exits = ends[1];
        atexit(at_exit);
        printf("said ");
        run(exits_at_500, (sonde_config){.isolate = SONDE_ISOLATE_WORKER, .tests = 100});
        run(crashes_at_500, (sonde_config){.isolate = SONDE_ISOLATE_CASE, .tests = 20});
        printf("once");
        exit(0);
    }
    close(ends[1]);
    waitpid(child, NULL, 0);
    ssize_t n = 0, more;
    while ((more = read(ends[0], got + n, sizeof got - 1 - (size_t)n)) > 0) n += more;
    close(ends[0]);
    assert_string_equal(got, "said xonce");
}

/* ---- Descriptors */

static unsigned open_descriptors(void)
{
    unsigned n = 0;
    for (int fd = 0; fd < 1024; fd++) n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void runs_leave_no_descriptor_open(void **state)
{
    (void)state;
    enum sonde_isolation ways[] = {SONDE_ISOLATE_NONE, SONDE_ISOLATE_WORKER};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        run(holds, (sonde_config){.tests = 20, .isolate = ways[i]}); /* some are made once */
        unsigned before = open_descriptors();
        for (int k = 0; k < 5; k++) run(holds, (sonde_config){.tests = 20, .isolate = ways[i]});
        assert_int_equal(open_descriptors(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment_wins_over_the_config),
        cmocka_unit_test(a_wrong_environment_is_misuse_and_no_exit),
        cmocka_unit_test(a_wrong_config_is_misuse_and_no_exit),
        cmocka_unit_test(by_default_cases_run_here),
        cmocka_unit_test(a_crash_is_a_failure_with_its_input),
        cmocka_unit_test(a_handler_of_the_host_does_not_run_in_a_worker),
        cmocka_unit_test(a_hang_is_a_failure_with_its_input),
        cmocka_unit_test(an_exit_is_a_failure_with_its_input),
        cmocka_unit_test(with_threads_cases_run_here),
        cmocka_unit_test(a_failure_is_stored_and_runs_first_the_next_time),
        cmocka_unit_test(signals_and_children_of_the_host_are_left_alone),
        cmocka_unit_test(a_host_that_ignores_its_children_may),
        cmocka_unit_test(runs_leave_no_descriptor_open),
        cmocka_unit_test(exit_handlers_and_buffers_of_the_host_run_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
