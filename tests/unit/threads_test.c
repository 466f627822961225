/* Threads that came and went are seen, and nothing else is. */
#include "lib/mocka.h"

#include "exec/threads.h"

#include <pthread.h>
#include <unistd.h>

static void *nothing(void *arg)
{
    return arg;
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

static void work_and_sleep_of_this_thread_are_not(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct sonde_threads threads;
        volatile int x = 0;
        sonde_threads_begin(&threads);
        for (int k = 0; k < 100000; k++) x = x + k;
        usleep(100);
        assert_false(sonde_threads_ran(&threads));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_and_sleep_of_this_thread_are_not),
        cmocka_unit_test(a_thread_that_has_ended_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
