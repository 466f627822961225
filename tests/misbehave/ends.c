/* A check fails for x from 37 on, and then the case ends in another way than by a return. tests/cli/ends.sh says what is
 * expected: each of these is falsified by the check, with x = 37. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sonde.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WRONG_FROM = 37 };

static int draw(sonde *t)
{
    return sonde_int(t, "x", 0, 1000);
}

static bool is_wrong(sonde *t)
{
    return !sonde_expect(t, draw(t) < WRONG_FROM);
}

/* ---- Ways to leave the case */

static void assume(sonde *t)
{
    sonde_assume(t, !is_wrong(t));
}

static void overrun(sonde *t)
{
    if (is_wrong(t))
        for (;;) sonde_bool(t, "more");
}

static void too_few_elements(sonde *t)
{
    int x = draw(t);
    sonde_expect(t, x < WRONG_FROM);
    for (sonde_list xs = sonde_list_of(t, "xs", 2, 3); sonde_more(&xs);)
        if (x >= WRONG_FROM) sonde_list_reject(&xs);
}

static void *expect_in_thread(void *t)
{
    sonde_expect(t, false);
    return NULL;
}

static void thread(sonde *t)
{
    pthread_t id;
    int x = draw(t);
    if (x >= WRONG_FROM && pthread_create(&id, NULL, expect_in_thread, t) == 0) pthread_join(id, NULL);
    sonde_assume(t, x < WRONG_FROM);
}

/* ---- Machines: a call that is taken back */

static void assumes(sonde *t, void *world)
{
    (void)world;
    assume(t);
}

static void idles(sonde *t, void *world)
{
    (void)t;
    (void)world;
}

static const sonde_rule rules[] = {SONDE_RULE(assumes), SONDE_RULE(idles)};
static const sonde_machine machine = {SONDE_RULES(rules)};

static void rule(sonde *t)
{
    sonde_drive(t, "calls", &machine);
}

static void drives(sonde *t, void *world)
{
    (void)world;
    sonde_drive(t, "inner", &machine);
}

static const sonde_rule outer_rules[] = {SONDE_RULE(drives), SONDE_RULE(idles)};
static const sonde_machine outer_machine = {SONDE_RULES(outer_rules)};

static void nested_rule(sonde *t)
{
    sonde_drive(t, "calls", &outer_machine);
}

/* ---- Cleaning up after an assume */

struct seen {
    sonde *t;
    int x;
};

static void check_seen(void *what)
{
    const struct seen *seen = what;
    sonde_check(seen->t, seen->x < WRONG_FROM);
}

static void deferred(sonde *t)
{
    struct seen *seen = sonde_new(t, struct seen);
    *seen = (struct seen){t, draw(t)};
    sonde_defer(t, check_seen, seen);
    sonde_assume(t, seen->x < 0);
}

static int last;

static void keep(sonde *t)
{
    last = draw(t);
    sonde_assume(t, last < 0);
}

static void check_last(sonde *t)
{
    sonde_check(t, last < WRONG_FROM);
}

static void fail_in_setup(sonde *t)
{
    assume(t);
}

static void nothing(sonde *t)
{
    (void)t;
}

/* ---- Processes */

static void await(pid_t child)
{
    if (child > 0) waitpid(child, NULL, 0);
}

static void child_expects(sonde *t)
{
    int x = draw(t);
    pid_t child = x >= WRONG_FROM ? fork() : -1;
    if (child == 0) {
        sonde_expect(t, x < WRONG_FROM);
        _exit(0);
    }
    await(child);
}

static void child_checks(sonde *t)
{
    int x = draw(t);
    pid_t child = x >= WRONG_FROM ? fork() : -1;
    if (child == 0) {
        sonde_check_lt(t, x, WRONG_FROM);
        _exit(0);
    }
    await(child);
    sonde_assume(t, child < 0);
}

static void child_becomes_another(sonde *t)
{
    int x = draw(t);
    pid_t child = x >= WRONG_FROM ? fork() : -1;
    if (child == 0) {
        sonde_expect(t, x < WRONG_FROM);
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    await(child);
}

/* None of them is waited for. */
static void grandchild_expects(sonde *t)
{
    int x = draw(t);
    if (x < WRONG_FROM || fork() != 0) return;
    if (fork() != 0) _exit(0);
    sonde_expect(t, x < WRONG_FROM);
    _exit(0);
}

static void raw_child_expects(sonde *t)
{
    int x = draw(t);
    pid_t child = x >= WRONG_FROM ? (pid_t)syscall(SYS_fork) : -1;
    if (child == 0) {
        sonde_expect(t, x < WRONG_FROM);
        _exit(0);
    }
    await(child);
}

/* Fails when the case has ended. */
static void late_child_expects(sonde *t)
{
    int x = draw(t);
    if (x < WRONG_FROM || fork() != 0) return;
    usleep(120 * 1000);
    sonde_expect(t, x < WRONG_FROM);
    _exit(0);
}

/* Fails without a check. */
static void thread_exits(sonde *t)
{
    if (draw(t) >= WRONG_FROM) pthread_exit(NULL);
}

#define PLAIN(property)                                                                                                \
    {                                                                                                                  \
        .name = #property, .run = property                                                                             \
    }

int main(int argc, char **argv)
{
    const sonde_property all[] = {
        PLAIN(assume),
        PLAIN(overrun),
        PLAIN(too_few_elements),
        PLAIN(thread),
        PLAIN(rule),
        PLAIN(nested_rule),
        PLAIN(deferred),
        {.name = "teardown", .run = keep, .teardown = check_last},
        {.name = "setup", .run = nothing, .setup = fail_in_setup},
        PLAIN(child_expects),
        PLAIN(child_checks),
        PLAIN(child_becomes_another),
        PLAIN(grandchild_expects),
        PLAIN(raw_child_expects),
        PLAIN(late_child_expects),
        PLAIN(thread_exits),
    };
    return sonde_main(argc, argv, all, sizeof all / sizeof *all);
}
