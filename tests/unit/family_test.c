#define _GNU_SOURCE
/* Processes that workers start: which end with their worker, and which do not. A process that lives holds a pipe open,
 * which the tests see. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exec/family.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2]; /* of the pipe: the process that a test looks for holds [1] */

static int begin(void **state)
{
    (void)state;
    sonde_family_adopt();
    return pipe2(ends, O_CLOEXEC);
}

static int end(void **state)
{
    (void)state;
    close(ends[0]);
    sonde_family_release();
    return 0;
}

static void sleep_for_ever(void)
{
    alarm(60); /* should a test fail, nothing is left */
    for (;;) pause();
}

/* Whether all that held the pipe open have ended, within `ms`. */
static bool is_gone(int ms)
{
    struct pollfd one = {.fd = ends[0], .events = POLLIN};
    char byte;
    while (poll(&one, 1, ms) > 0)
        if (read(ends[0], &byte, 1) <= 0) return true;
    return false;
}

/* A worker that starts another process, which leaves the group if it is to, and says that it is there. */
static pid_t start_worker_like(bool leaves_group, bool has_mark)
{
    sonde_family_expect();
    pid_t worker = fork();
    if (worker == 0) {
        if (has_mark) sonde_family_mark();
        sonde_family_leave();
        if (fork() == 0) {
            if (leaves_group && fork() > 0) _exit(0); /* its child is an orphan then, and comes to the supervisor */
            if (leaves_group) setsid();
            if (write(ends[1], "x", 1) != 1) _exit(1);
            sleep_for_ever();
        }
        close(ends[1]);
        sleep_for_ever();
    }
    sonde_family_add(worker);
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 1);
    return worker;
}

static pid_t start_worker(bool leaves_group)
{
    return start_worker_like(leaves_group, true);
}

static void end_worker(pid_t worker)
{
    sonde_family_kill(worker);
    assert_int_equal(waitpid(worker, NULL, 0), worker);
    sonde_family_remove(worker);
}

enum { SOON = 20000, NOW = 50 };

static void a_group_ends_with_its_worker(void **state)
{
    (void)state;
    pid_t worker = start_worker(false);
    close(ends[1]);
    assert_false(is_gone(NOW));
    end_worker(worker);
    assert_true(is_gone(SOON));
}

static void so_does_a_process_that_left_the_group(void **state)
{
    (void)state;
    pid_t worker = start_worker(true);
    close(ends[1]);
    end_worker(worker);
    assert_true(is_gone(SOON));
}

/* A sandbox may keep workers from marking themselves. */
static void a_process_that_left_ends_without_a_mark(void **state)
{
    (void)state;
    pid_t worker = start_worker_like(true, false);
    close(ends[1]);
    end_worker(worker);
    assert_true(is_gone(SOON));
}

/* The second worker's process must live when the first worker's are ended. */
static void another_worker_keeps_what_it_started(void **state)
{
    (void)state;
    pid_t first = start_worker(true), second = start_worker(true);
    close(ends[1]);
    end_worker(first);
    assert_false(is_gone(NOW));
    end_worker(second);
    assert_true(is_gone(SOON));
}

/* A reporter's, say: it is neither ended nor waited for. */
static void what_was_started_here_lives(void **state)
{
    (void)state;
    pid_t own = fork();
    if (own == 0) sleep_for_ever();
    close(ends[1]);
    pid_t worker = fork();
    if (worker == 0) sleep_for_ever();
    sonde_family_add(worker);
    end_worker(worker);
    sonde_family_sweep();
    assert_false(is_gone(NOW));
    kill(own, SIGKILL);
    assert_int_equal(waitpid(own, NULL, 0), own);
}

/* Even if it looks like a worker's, until it is given back. */
static void what_is_spared_lives(void **state)
{
    (void)state;
    pid_t agent = fork();
    if (agent == 0) {
        sonde_family_mark();
        setsid();
        if (write(ends[1], "x", 1) != 1) _exit(1);
        sleep_for_ever();
    }
    sonde_family_spare(agent);
    close(ends[1]);
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 1);
    sonde_family_sweep();
    assert_false(is_gone(NOW));
    sonde_family_unspare(agent);
    sonde_family_sweep();
    assert_true(is_gone(SOON));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_group_ends_with_its_worker, begin, end),
        cmocka_unit_test_setup_teardown(so_does_a_process_that_left_the_group, begin, end),
        cmocka_unit_test_setup_teardown(a_process_that_left_ends_without_a_mark, begin, end),
        cmocka_unit_test_setup_teardown(another_worker_keeps_what_it_started, begin, end),
        cmocka_unit_test_setup_teardown(what_was_started_here_lives, begin, end),
        cmocka_unit_test_setup_teardown(what_is_spared_lives, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
