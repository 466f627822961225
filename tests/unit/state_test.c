/* State that cases leave behind is noticed, and restored where the order asks for it. */
#include "lib/mocka.h"

#include "exec/state.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct sonde_state_order order;

static bool has_changed(enum sonde_state_kind kind)
{
    return order.changed_kinds >> kind & 1;
}

/* Compares, restoring kinds by their bits. */
static void compare(uint32_t restored)
{
    order = (struct sonde_state_order){.restored = restored};
    sonde_state_restore(&order);
    assert_true(order.is_done);
}

static const uint32_t always = 1U << SONDE_STATE_RANDOM | 1U << SONDE_STATE_STACK;

static void nothing_has_changed_at_first(void **state)
{
    (void)state;
    sonde_state_keep();
    compare(0);
    assert_int_equal(order.changed_kinds, always);
    assert_int_equal(order.n_changed, 0);
}

static void leave_all(void)
{
    sigset_t set;
    setlocale(LC_ALL, "C.UTF-8");
    assert_int_equal(chdir("/"), 0);
    umask(0777);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGUSR2, SIG_IGN);
    setenv("LEAKED", "1", 1);
    alarm(1000);
    errno = ENOTDIR;
}

static void each_kind_is_noticed_and_restored(void **state)
{
    (void)state;
    errno = 0;
    sonde_state_keep();
    char before[4096], after[4096];
    assert_non_null(getcwd(before, sizeof before));
    int fd = open("/dev/null", O_RDONLY);
    leave_all();
    compare(0);
    for (uint32_t kind = SONDE_STATE_ERRNO; kind < SONDE_STATE_KINDS; kind++)
        if (!has_changed(kind)) fail_msg("kind %u", kind);
    assert_int_equal(errno, ENOTDIR);
    compare(~0U);
    assert_int_equal(errno, 0);
    assert_true(fcntl(fd, F_GETFD) < 0);
    assert_null(getenv("LEAKED"));
    assert_string_equal(getcwd(after, sizeof after), before);
    errno = 0; /* fcntl changed it */
    compare(0);
    assert_int_equal(order.changed_kinds, always);
    assert_int_equal(alarm(0), 0);
}

static void what_is_not_asked_for_stays(void **state)
{
    (void)state;
    sonde_state_keep();
    setenv("LEAKED", "1", 1);
    umask(0123);
    compare(1U << SONDE_STATE_UMASK);
    assert_non_null(getenv("LEAKED"));
    assert_int_not_equal(umask(022), 0123);
    unsetenv("LEAKED");
}

static void a_descriptor_that_was_closed_is_opened_again(void **state)
{
    (void)state;
    int fd = open("/dev/zero", O_RDONLY);
    sonde_state_keep();
    close(fd);
    compare(0);
    assert_true(has_changed(SONDE_STATE_DESCRIPTORS));
    compare(1U << SONDE_STATE_DESCRIPTORS);
    char byte = 1;
    assert_int_equal(read(fd, &byte, 1), 1);
    assert_int_equal(byte, 0);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_has_changed_at_first),
        cmocka_unit_test(each_kind_is_noticed_and_restored),
        cmocka_unit_test(what_is_not_asked_for_stays),
        cmocka_unit_test(a_descriptor_that_was_closed_is_opened_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
