/* sonde_threads: test code with threads, under drawn schedules.
 * Also: sonde_find_races sonde_together
 * See also: sonde_drive sonde_faults
 * Build with: sonde cc --threads */
#include <pthread.h>
#include <sonde.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *count(void *arg)
{
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void count_twice(sonde *t, void *arg)
{
    (void)arg;
    pthread_t threads[2];
    counter = 0;
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    sonde_check_eq(t, counter, 2);
}

static void no_update_is_lost(sonde *t)
{
    sonde_find_races(t);
    sonde_threads(t, "schedule", count_twice, NULL);
}

SONDE_MAIN(no_update_is_lost)
