/* Threads that came and went are seen, and those that only wait; nothing else is. */
#define _GNU_SOURCE /* affinity */
#include "lib/mocka.h"

#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static void *nothing(void *arg)
{
    return arg;
}

static void *wait_at(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

static void a_thread_that_has_ended_is_seen(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct sonde_threads threads;
        pthread_t other;
        sonde_threads_begin(&threads);
        assert_int_equal(pthread_create(&other, NULL, nothing, NULL), 0);
        pthread_join(other, NULL);
        assert_true(sonde_threads_ran(&threads));
    }
}

/* On one processor a new thread does not run before its creator gives way. */
static void a_thread_that_has_not_run_yet_is_seen(void **state)
{
    cpu_set_t all, one;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    int processor = sched_getcpu();
    assert_true(processor >= 0);
    CPU_ZERO(&one);
    CPU_SET((size_t)processor, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    for (int i = 0; i < 50; i++) {
        struct sonde_threads threads;
        pthread_t other;
        pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
        pthread_mutex_lock(&gate);
        sonde_threads_begin(&threads);
        assert_int_equal(pthread_create(&other, NULL, wait_at, &gate), 0);
        bool seen = sonde_threads_ran(&threads);
        pthread_mutex_unlock(&gate);
        pthread_join(other, NULL);
        assert_true(seen);
    }
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

static void work_and_sleep_of_this_thread_are_not(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct sonde_threads threads;
        volatile unsigned x = 0;
        sonde_threads_begin(&threads);
        for (unsigned k = 0; k < 100000; k++) x = x + k;
        usleep(100);
        assert_false(sonde_threads_ran(&threads));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_and_sleep_of_this_thread_are_not),
        cmocka_unit_test(a_thread_that_has_ended_is_seen),
        cmocka_unit_test(a_thread_that_has_not_run_yet_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
