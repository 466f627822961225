#define _GNU_SOURCE /* O_TMPFILE */
/* Calls that fail on request and report what they change (addons/faults/calls.h), with the C library's as the real ones. */
#include "lib/mocka.h"

#include <stdbool.h>

/* The functions get other names here, and the C library's keep theirs. */
#define DEFINE(type, name, parameters)                                                                                 \
    type name parameters;                                                                                              \
    static __attribute__((unused)) type our_##name parameters;                                                         \
    static type our_##name parameters
#define REAL(name) name
#define SEEN(p, n, writes) (void)0
#include "../../addons/faults/calls.h"

static unsigned answer, offered;
static int n_asked;
static bool is_our_thread;

static unsigned ask_test(struct sonde *t, const struct sonde_fault_call *call)
{
    (void)t;
    n_asked++;
    offered = call->kinds;
    errno = EPERM; /* is none of the code's */
    return call->kinds & answer;
}

static bool is_ours_test(const struct sonde_fault_hook *h)
{
    (void)h;
    return is_our_thread;
}

static struct sonde_disk_event reports[4];
static int n_reports;
static bool keeps;

static void disk_test(struct sonde_fault_hook *h, struct sonde_disk_event *event)
{
    (void)h;
    if (!event->is_done && keeps) event->kept = reports;
    if (n_reports < 4) reports[n_reports++] = *event;
    errno = EPERM;
}

static int a_file, ends[2], pair[2];

static int set_up(void **state)
{
    (void)state;
    hook.ask = ask_test;
    hook.is_ours = is_ours_test;
    is_our_thread = keeps = true;
    answer = 0;
    n_asked = n_reports = 0;
    a_file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    return a_file < 0 || pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    hook.ask = NULL;
    hook.disk = NULL;
    hook.follows_files = false;
    for (int i = 0; i < 2; i++) close(ends[i]), close(pair[i]);
    close(a_file);
    return 0;
}

static off_t size_of_file(void)
{
    struct stat info;
    assert_int_equal(fstat(a_file, &info), 0);
    return info.st_size;
}

static void a_call_that_fails_has_its_errno_and_no_effect(void **state)
{
    char byte;
    (void)state;
    answer = NO_SPACE;
    assert_int_equal(our_write(a_file, "text", 4), -1);
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(size_of_file(), 0);
    answer = INTERRUPTED;
    assert_int_equal(our_read(ends[0], &byte, 1), -1);
    assert_int_equal(errno, EINTR);
    answer = RESET;
    assert_int_equal(our_send(pair[0], "text", 4, 0), -1);
    assert_int_equal(errno, ECONNRESET);
    assert_int_equal(recv(pair[1], &byte, 1, MSG_DONTWAIT), -1); /* nothing was sent */
    answer = AGAIN;
    assert_int_equal(our_recv(pair[0], &byte, 1, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
    answer = NO_OPEN;
    assert_int_equal(our_open("/dev/null", O_RDONLY), -1);
    assert_int_equal(errno, EMFILE);
    answer = NO_SYNC;
    assert_int_equal(our_fsync(a_file), -1);
    assert_int_equal(errno, EIO);
    assert_int_equal(n_asked, 6);
}

static void a_short_call_does_half(void **state)
{
    char text[8];
    (void)state;
    answer = SHORT;
    assert_int_equal(our_write(a_file, "12345678", 8), 4);
    assert_int_equal(size_of_file(), 4);
    assert_int_equal(our_pread(a_file, text, 4, 0), 2);
    assert_memory_equal(text, "12", 2);
    assert_int_equal(our_write(a_file, "1", 1), 1); /* cannot be split */
    struct iovec parts[2] = {{(char *)"abc", 3}, {(char *)"def", 3}};
    assert_int_equal(our_writev(a_file, parts, 2), 3);
}

static void only_what_can_happen_is_asked(void **state)
{
    char bytes[8];
    (void)state;
    assert_int_equal(our_write(a_file, "12345678", 8), 8);
    assert_int_equal(offered, SHORT | NO_SPACE | CRASH);
    assert_int_equal(our_write(ends[1], "12345678", 8), 8); /* a pipe takes so few at once */
    assert_int_equal(offered, INTERRUPTED);
    assert_int_equal(our_read(ends[0], bytes, 8), 8);
    assert_int_equal(offered, SHORT | INTERRUPTED);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(our_read(ends[0], bytes, 8), -1);
    assert_int_equal(offered, SHORT | AGAIN);
    n_asked = 0;
    assert_int_equal(our_read(-1, bytes, 8), -1); /* fails by itself */
    assert_int_equal(n_asked, 0);
}

static void errno_is_left_alone_by_calls_that_succeed(void **state)
{
    (void)state;
    hook.disk = disk_test;
    errno = ENOTTY;
    assert_int_equal(our_write(a_file, "text", 4), 4);
    assert_int_equal(errno, ENOTTY);
    assert_int_equal(n_asked, 1);
    assert_int_equal(n_reports, 2);
}

static void calls_of_other_threads_are_left_alone(void **state)
{
    (void)state;
    answer = NO_SPACE;
    hook.disk = disk_test;
    is_our_thread = false;
    assert_int_equal(our_write(a_file, "text", 4), 4);
    assert_int_equal(n_asked, 0);
    assert_int_equal(n_reports, 0);
}

static void nothing_is_asked_while_the_hook_is_off(void **state)
{
    (void)state;
    answer = NO_SPACE;
    hook.ask = NULL;
    assert_int_equal(our_write(a_file, "text", 4), 4);
    assert_int_equal(n_asked, 0);
}

static void a_change_is_reported_before_and_with_its_result(void **state)
{
    (void)state;
    hook.disk = disk_test;
    assert_int_equal(our_pwrite(a_file, "text", 4, 10), 4);
    assert_int_equal(n_reports, 2);
    assert_int_equal(reports[0].act, SONDE_DISK_WRITE);
    assert_int_equal(reports[0].fd, a_file);
    assert_int_equal(reports[0].offset, 10);
    assert_int_equal(reports[0].n, 4);
    assert_false(reports[0].is_done);
    assert_true(reports[1].is_done);
    assert_int_equal(reports[1].result, 4);
    keeps = false; /* a change that does not matter is reported once */
    assert_int_equal(our_ftruncate(a_file, 2), 0);
    assert_int_equal(n_reports, 3);
    assert_int_equal(reports[2].act, SONDE_DISK_RESIZE);
}

static void a_process_that_dies_closes_what_it_opened(void **state)
{
    (void)state;
    hook.follows_files = true;
    int before = our_open("/dev/null", O_RDONLY);
    hook.begin(&hook);
    int lost = our_open("/dev/null", O_RDONLY), closed = our_open("/dev/null", O_RDONLY), copy = our_dup(a_file);
    int renumbered = our_open("/dev/null", O_RDONLY);
    assert_int_equal(our_close(closed), 0);
    assert_int_equal(dup2(a_file, renumbered), renumbered); /* unseen: the number is another file's now */
    int later = open("/dev/zero", O_RDONLY);
    hook.die(&hook);
    assert_int_equal(fcntl(lost, F_GETFD), -1);
    assert_int_equal(fcntl(copy, F_GETFD), -1);
    assert_int_not_equal(fcntl(before, F_GETFD), -1); /* of the process before */
    assert_int_not_equal(fcntl(renumbered, F_GETFD), -1);
    assert_int_not_equal(fcntl(later, F_GETFD), -1);
    close(before), close(renumbered), close(later);
}

#define CALL_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CALL_TEST(a_call_that_fails_has_its_errno_and_no_effect),
        CALL_TEST(a_short_call_does_half),
        CALL_TEST(only_what_can_happen_is_asked),
        CALL_TEST(errno_is_left_alone_by_calls_that_succeed),
        CALL_TEST(calls_of_other_threads_are_left_alone),
        CALL_TEST(nothing_is_asked_while_the_hook_is_off),
        CALL_TEST(a_change_is_reported_before_and_with_its_result),
        CALL_TEST(a_process_that_dies_closes_what_it_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
