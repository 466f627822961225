#define _GNU_SOURCE /* syscall */
/* Threads under control: one property for each promise, most with a bug that needs a certain schedule. */
#include <sonde.h>

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

typedef void *thread_fn(void *);

/* Runs two functions at once. */
static void both(thread_fn *a, thread_fn *b, void *arg)
{
    pthread_t x, y;
    pthread_create(&x, NULL, a, arg);
    pthread_create(&y, NULL, b, arg);
    pthread_join(x, NULL);
    pthread_join(y, NULL);
}

static int counter;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t signal_ = PTHREAD_COND_INITIALIZER;
static sonde *the_case;

/* ---- Found */

static void *add(void *unused)
{
    counter++;
    return unused;
}

static void adds(sonde *t, void *unused)
{
    (void)unused;
    counter = 0;
    both(add, add, NULL);
    sonde_check_eq(t, counter, 2);
}
SONDE_PROPERTY(lost_update)
{
    sonde_threads(t, "run", adds, NULL);
}

static void *checks(void *unused)
{
    counter++;
    sonde_check(the_case, counter == 1);
    counter--;
    return unused;
}
static void checks_inside(sonde *t, void *unused)
{
    (void)unused;
    the_case = t;
    counter = 0;
    both(checks, checks, NULL);
}
SONDE_PROPERTY(claim_in_a_thread)
{
    sonde_threads(t, "run", checks_inside, NULL);
}

static void *forwards(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
    pthread_mutex_unlock(&m);
    return unused;
}
static void *backwards(void *unused)
{
    pthread_mutex_lock(&other);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&other);
    return unused;
}
static void lock_both_ways(sonde *t, void *unused)
{
    (void)t, (void)unused;
    both(forwards, backwards, NULL);
}
SONDE_PROPERTY(lock_order)
{
    sonde_threads(t, "run", lock_both_ways, NULL);
}

static void *sets(void *unused)
{
    pthread_mutex_lock(&m);
    counter = 1;
    pthread_mutex_unlock(&m);
    pthread_cond_signal(&signal_);
    return unused;
}
static void *waits_without_a_look(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&signal_, &m);
    pthread_mutex_unlock(&m);
    return unused;
}
static void signal_gets_lost(sonde *t, void *unused)
{
    (void)t, (void)unused;
    counter = 0;
    both(waits_without_a_look, sets, NULL);
}
SONDE_PROPERTY(lost_wake_up)
{
    sonde_threads(t, "run", signal_gets_lost, NULL);
}

static void *crashes(void *where)
{
    int *volatile *p = where;
    if (*p) **p = 1;
    return NULL;
}
static void *clears(void *where)
{
    *(int **)where = NULL;
    return NULL;
}
static void checks_then_acts(sonde *t, void *unused)
{
    static int *p;
    (void)t, (void)unused;
    p = &counter;
    both(crashes, clears, &p);
}
SONDE_PROPERTY(crash)
{
    sonde_threads(t, "run", checks_then_acts, NULL);
}

static atomic_int flag;
static void *spins(void *unused)
{
    while (!atomic_load(&flag)) sched_yield();
    return unused;
}
static void *sets_sometimes(void *unused)
{
    if (counter == 0) atomic_store(&flag, 1);
    return unused;
}
static void *counts(void *unused)
{
    counter = 1;
    return unused;
}
static void spins_for_ever(sonde *t, void *unused)
{
    pthread_t x;
    (void)t, (void)unused;
    counter = 0;
    atomic_store(&flag, 0);
    pthread_create(&x, NULL, spins, NULL);
    both(counts, sets_sometimes, NULL);
    pthread_join(x, NULL);
}
SONDE_PROPERTY(no_progress)
{
    sonde_threads(t, "run", spins_for_ever, NULL);
}

static void leaves_thread(sonde *t, void *unused)
{
    pthread_t x;
    (void)t, (void)unused;
    pthread_create(&x, NULL, add, NULL);
}
SONDE_PROPERTY(leaked_thread)
{
    sonde_threads(t, "run", leaves_thread, NULL);
}

static void *unlocks(void *unused)
{
    pthread_mutex_unlock(&m);
    return unused;
}
static void unlock_of_another(sonde *t, void *unused)
{
    (void)t, (void)unused;
    pthread_t x;
    pthread_mutex_lock(&m);
    pthread_create(&x, NULL, unlocks, NULL);
    pthread_join(x, NULL);
    pthread_mutex_unlock(&m);
}
SONDE_PROPERTY(wrong_unlock)
{
    sonde_threads(t, "run", unlock_of_another, NULL);
}

static void *keeps_lock(void *unused)
{
    pthread_mutex_lock(&m);
    return unused;
}
static void lock_is_kept(sonde *t, void *unused)
{
    pthread_t x;
    (void)t, (void)unused;
    pthread_create(&x, NULL, keeps_lock, NULL);
    pthread_join(x, NULL);
}
SONDE_PROPERTY(kept_lock)
{
    sonde_threads(t, "run", lock_is_kept, NULL);
}

static void destroys(sonde *t, void *unused)
{
    static pthread_mutex_t own;
    (void)t, (void)unused;
    pthread_mutex_init(&own, NULL);
    pthread_mutex_lock(&own);
    pthread_mutex_destroy(&own);
}
SONDE_PROPERTY(destroyed_lock)
{
    sonde_threads(t, "run", destroys, NULL);
}

struct shared {
    int value;
};
static struct shared *volatile object;
static void *uses_object(void *unused)
{
    struct shared *own = object;
    if (own) own->value++;
    return unused;
}
static void *frees_object(void *unused)
{
    struct shared *own = object;
    object = NULL;
    free(own);
    return unused;
}
static void use_and_free(sonde *t, void *unused)
{
    (void)t, (void)unused;
    object = malloc(sizeof *object);
    object->value = 0;
    both(uses_object, frees_object, NULL);
}
SONDE_PROPERTY(use_after_free)
{
    sonde_threads(t, "run", use_and_free, NULL);
}
static void free_twice(sonde *t, void *unused)
{
    (void)t, (void)unused;
    object = malloc(sizeof *object);
    both(frees_object, frees_object, NULL);
}
SONDE_PROPERTY(double_free)
{
    sonde_threads(t, "run", free_twice, NULL);
}

static void *allocates(void *unused)
{
    char *text = malloc(10);
    text = realloc(text, 1000);
    memset(text, 1, 1000);
    text = realloc(text, 5);
    free(text);
    free(NULL);
    return unused;
}
static void memory_is_well(sonde *t, void *unused)
{
    (void)t, (void)unused;
    both(allocates, allocates, NULL);
}
SONDE_PROPERTY(right_memory)
{
    sonde_threads(t, "run", memory_is_well, NULL);
}

struct record {
    char name[32];
    size_t n;
};
static struct record record;
static void all_is_well(sonde *t, void *unused);
static int shared_number;
static atomic_int is_there;
static void *publishes(void *unused)
{
    shared_number = 42;
    atomic_store_explicit(&is_there, 1, memory_order_release);
    return unused;
}
static void *looks_acquiring(void *unused)
{
    if (atomic_load_explicit(&is_there, memory_order_acquire)) sonde_check_eq(the_case, shared_number, 42);
    return unused;
}
static void *looks_relaxed(void *unused)
{
    if (atomic_load_explicit(&is_there, memory_order_relaxed)) sonde_check_eq(the_case, shared_number, 42);
    return unused;
}
static void publish_to(sonde *t, thread_fn *reader)
{
    the_case = t;
    shared_number = 0;
    atomic_store(&is_there, 0);
    both(publishes, reader, NULL);
}
static void relaxed_reader(sonde *t, void *unused)
{
    (void)unused;
    publish_to(t, looks_relaxed);
}
static void acquiring_reader(sonde *t, void *unused)
{
    (void)unused;
    publish_to(t, looks_acquiring);
}
SONDE_PROPERTY(data_race)
{
    sonde_find_races(t);
    sonde_threads(t, "run", relaxed_reader, NULL);
}
SONDE_PROPERTY(right_without_find_races)
{
    sonde_threads(t, "run", relaxed_reader, NULL);
}
SONDE_PROPERTY(right_order)
{
    sonde_find_races(t);
    sonde_threads(t, "run", acquiring_reader, NULL);
}
SONDE_PROPERTY(right_all_without_races)
{
    sonde_find_races(t);
    sonde_threads(t, "run", all_is_well, NULL);
}
static void *reads_counter(void *unused)
{
    return counter < 0 ? unused : NULL;
}
static void reads_at_once(sonde *t, void *unused)
{
    (void)t, (void)unused;
    counter = 0;
    both(add, reads_counter, NULL);
}
SONDE_PROPERTY(plain_race)
{
    sonde_find_races(t);
    sonde_threads(t, "run", reads_at_once, NULL);
}

static void *names(void *name)
{
    record.n = strlen(name);
    memcpy(record.name, name, record.n + 1);
    return NULL;
}
static void *reads_name(void *unused)
{
    struct record own = record;
    sonde_check_eq(the_case, strlen(own.name), own.n);
    return unused;
}
static void copy_is_torn(sonde *t, void *unused)
{
    pthread_t x, y;
    char name[] = "alexander";
    (void)unused;
    the_case = t;
    memset(&record, 0, sizeof record);
    pthread_create(&x, NULL, names, name);
    pthread_create(&y, NULL, reads_name, NULL);
    pthread_join(x, NULL);
    pthread_join(y, NULL);
}
SONDE_PROPERTY(torn_copy)
{
    sonde_threads(t, "run", copy_is_torn, NULL);
}

static void lock_is_kept_for_reading(sonde *t, void *unused)
{
    static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    (void)t, (void)unused;
    pthread_rwlock_rdlock(&lock);
}
SONDE_PROPERTY(kept_reading)
{
    sonde_threads(t, "run", lock_is_kept_for_reading, NULL);
}

static void *sleeps_for_ever(void *unused)
{
    for (;;) sleep(1);
    return unused;
}
static void daemon_is_left(sonde *t, void *unused)
{
    pthread_t x;
    (void)t, (void)unused;
    pthread_create(&x, NULL, sleeps_for_ever, NULL);
    pthread_detach(x);
}
SONDE_PROPERTY(left_daemon)
{
    sonde_threads(t, "run", daemon_is_left, NULL);
}

/* ---- Misused */

static void *draws(void *unused)
{
    sonde_int(the_case, "x", 0, 9);
    return unused;
}
static void draw_in_thread(sonde *t, void *unused)
{
    (void)unused;
    the_case = t;
    both(draws, add, NULL);
}
SONDE_PROPERTY(draw_elsewhere)
{
    sonde_threads(t, "run", draw_in_thread, NULL);
}

static void reads_from_pipe(sonde *t, void *unused)
{
    char byte;
    int ends[2];
    (void)t, (void)unused;
    if (pipe(ends) != 0) return;
    if (read(ends[0], &byte, 1) < 0) return;
}
SONDE_PROPERTY(blocking_call)
{
    sonde_threads(t, "run", reads_from_pipe, NULL);
}

static void forks(sonde *t, void *unused)
{
    (void)t, (void)unused;
    if (fork() == 0) _exit(0);
}
SONDE_PROPERTY(fork_inside)
{
    sonde_threads(t, "run", forks, NULL);
}

/* ---- Right */

static void *adds_locked(void *unused)
{
    pthread_mutex_lock(&m);
    counter++;
    pthread_mutex_unlock(&m);
    return unused;
}
static pthread_once_t once;
static int once_done, written;
static void do_once(void)
{
    once_done++;
}
static sem_t semaphore;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_key_t key;
static _Thread_local int mine;
static _Thread_local int initialised = 7;
static atomic_int destroyed;
static void destroy(void *value)
{
    destroyed += *(int *)value;
}

static void *uses_all(void *arg)
{
    static int one = 1;
    sonde *t = the_case;
    pthread_once(&once, do_once);
    pthread_setspecific(key, &one);
    mine += 1 + (int)(intptr_t)arg;
    initialised++;
    sem_wait(&semaphore);
    errno = 5;
    adds_locked(NULL);
    sonde_check(t, errno == 5);
    sem_post(&semaphore);
    pthread_rwlock_wrlock(&rw);
    int before = written++;
    sonde_check(t, written == before + 1);
    pthread_rwlock_unlock(&rw);
    pthread_barrier_wait(&barrier);
    pthread_rwlock_rdlock(&rw);
    sonde_check_eq(t, counter + written, 4);
    pthread_rwlock_unlock(&rw);
    sonde_check_eq(t, mine, 1 + (int)(intptr_t)arg);
    sonde_check_eq(t, initialised, 8);
    sonde_check(t, pthread_getspecific(key) == &one);
    usleep(100000);
    return arg;
}

static void all_is_well(sonde *t, void *unused)
{
    pthread_t x, y;
    struct timespec from, to;
    void *result;
    (void)unused;
    the_case = t;
    counter = written = 0;
    destroyed = 0;
    mine = 40;
    once = (pthread_once_t)PTHREAD_ONCE_INIT;
    once_done = 0;
    int length = sonde_int(t, "length", 0, 9); /* the first thread may draw */
    sem_init(&semaphore, 0, 1);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_key_create(&key, destroy);
    clock_gettime(CLOCK_MONOTONIC, &from);
    pthread_create(&x, NULL, uses_all, (void *)(intptr_t)1);
    pthread_create(&y, NULL, uses_all, (void *)(intptr_t)2);
    pthread_join(x, &result);
    sonde_check(t, result == (void *)(intptr_t)1);
    pthread_join(y, &result);
    clock_gettime(CLOCK_MONOTONIC, &to);
    sonde_check(t, (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000 >= 100);
    sonde_check_eq(t, (int)destroyed, 2);
    sonde_check_eq(t, once_done, 1);
    sonde_check_eq(t, mine, 40);
    sonde_check_le(t, length, 9);
    pthread_key_delete(key);
    pthread_barrier_destroy(&barrier);
    sem_destroy(&semaphore);
}
SONDE_PROPERTY(all_right)
{
    sonde_threads(t, "run", all_is_well, NULL);
}

static mtx_t c11;
static cnd_t c11_signal;
static int c11_waits(void *unused)
{
    (void)unused;
    mtx_lock(&c11);
    while (counter == 0) cnd_wait(&c11_signal, &c11);
    counter++;
    mtx_unlock(&c11);
    return 3;
}
static void c11_is_well(sonde *t, void *unused)
{
    thrd_t x;
    int result;
    (void)unused;
    counter = 0;
    mtx_init(&c11, mtx_plain);
    cnd_init(&c11_signal);
    thrd_create(&x, c11_waits, NULL);
    mtx_lock(&c11);
    counter = 1;
    cnd_signal(&c11_signal);
    mtx_unlock(&c11);
    thrd_join(x, &result);
    sonde_check_eq(t, result, 3);
    sonde_check_eq(t, counter, 2);
    mtx_destroy(&c11);
    cnd_destroy(&c11_signal);
}
SONDE_PROPERTY(right_in_c11)
{
    sonde_threads(t, "run", c11_is_well, NULL);
}

static atomic_flag spin_lock = ATOMIC_FLAG_INIT;
static void *adds_spinning(void *unused)
{
    while (atomic_flag_test_and_set(&spin_lock)) continue; /* without a yield */
    counter++;
    atomic_flag_clear(&spin_lock);
    return unused;
}
static void spin_is_well(sonde *t, void *unused)
{
    (void)unused;
    counter = 0;
    atomic_flag_clear(&spin_lock);
    both(adds_spinning, adds_spinning, NULL);
    sonde_check_eq(t, counter, 2);
}
SONDE_PROPERTY(right_spinning)
{
    sonde_threads(t, "run", spin_is_well, NULL);
}

static void *writes_pipe(void *ends)
{
    return write(((int *)ends)[1], "x", 1) == 1 ? ends : NULL;
}
static void pipe_is_well(sonde *t, void *unused)
{
    int ends[2];
    char byte = 0;
    pthread_t x;
    (void)unused;
    if (pipe(ends) != 0) return;
    pthread_create(&x, NULL, writes_pipe, ends);
    sonde_check_eq(t, (int)read(ends[0], &byte, 1), 1);
    pthread_join(x, NULL);
    close(ends[0]);
    close(ends[1]);
}
SONDE_PROPERTY(right_with_a_pipe)
{
    sonde_threads(t, "run", pipe_is_well, NULL);
}

static void raise_counter(void *by)
{
    counter += *(int *)by;
}
static void *exits_cleaning(void *by)
{
    pthread_cleanup_push(raise_counter, by);
    pthread_cleanup_push(raise_counter, by);
    pthread_exit(by);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}
static unsigned long sum_to(unsigned long n)
{
    volatile char frame[200];
    frame[0] = 1;
    return n ? (unsigned long)frame[0] * (n + sum_to(n - 1)) : 0;
}
static void *recurses(void *unused)
{
    sonde_check_eq(the_case, sum_to(10000), 50005000UL);
    return unused;
}
static void *is_large(void *unused)
{
    volatile char large[32 << 20];
    large[0] = large[sizeof large - 1] = 1;
    sonde_check(the_case, large[0] == 1);
    return unused;
}
static void *jumps(void *unused)
{
    jmp_buf back;
    volatile int n = 0;
    if (setjmp(back) < 3) longjmp(back, ++n);
    sonde_check_eq(the_case, (int)n, 3);
    adds_locked(NULL);
    return unused;
}
static void stacks_are_well(sonde *t, void *unused)
{
    pthread_t x;
    pthread_attr_t large;
    int two = 2;
    (void)unused;
    the_case = t;
    counter = 0;
    both(exits_cleaning, recurses, &two);
    sonde_check_eq(t, counter, 4);
    both(jumps, jumps, NULL);
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, 64 << 20);
    pthread_create(&x, &large, is_large, NULL);
    pthread_join(x, NULL);
    pthread_attr_destroy(&large);
}
SONDE_PROPERTY(right_stacks)
{
    sonde_threads(t, "run", stacks_are_well, NULL);
}

static atomic_int word;
static void wait_while(int value)
{
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}
static void *adds_by_futex(void *is_right)
{
    int seen = 0;
    if (!atomic_compare_exchange_strong(&word, &seen, 1)) {
        while (atomic_exchange(&word, is_right ? 2 : 1) != 0) wait_while(is_right ? 2 : 1); /* 2: a thread waits */
    }
    counter++;
    if (atomic_exchange(&word, 0) == 2) syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    return NULL;
}
static void by_futex(sonde *t, void *is_right)
{
    counter = 0;
    word = 0;
    both(adds_by_futex, adds_by_futex, is_right);
    sonde_check_eq(t, counter, 2);
}
SONDE_PROPERTY(right_by_futex)
{
    sonde_threads(t, "run", by_futex, &counter);
}
SONDE_PROPERTY(asleep_by_futex)
{
    sonde_threads(t, "run", by_futex, NULL);
}

/* ---- Calls at once, against a model */

struct cell {
    atomic_int value;
};
struct cell_call {
    int by, result;
};
static void draw_by(sonde *t, void *call)
{
    ((struct cell_call *)call)->by = sonde_int(t, "by", 1, 3);
}
static void racy_add(void *world, void *call)
{
    struct cell *w = world;
    struct cell_call *c = call;
    int before = atomic_load(&w->value);
    atomic_store(&w->value, before + c->by);
    c->result = before + c->by;
}
static void right_add(void *world, void *call)
{
    struct cell *w = world;
    struct cell_call *c = call;
    c->result = atomic_fetch_add(&w->value, c->by) + c->by;
}
static bool add_agrees(void *model, const void *call)
{
    const struct cell_call *c = call;
    *(int *)model += c->by;
    return *(int *)model == c->result;
}
static void get_value(void *world, void *call)
{
    ((struct cell_call *)call)->result = atomic_load(&((struct cell *)world)->value);
}
static bool get_agrees(void *model, const void *call)
{
    return *(int *)model == ((const struct cell_call *)call)->result;
}
static const sonde_rule racy_rules[] = {{.name = "add", .draw = draw_by, .run = racy_add, .agrees = add_agrees},
                                        {.name = "get", .run = get_value, .agrees = get_agrees}};
static const sonde_rule right_rules[] = {{.name = "add", .draw = draw_by, .run = right_add, .agrees = add_agrees},
                                         {.name = "get", .run = get_value, .agrees = get_agrees}};
SONDE_PROPERTY(together_racy)
{
    sonde_together(t, "calls",
                   &(const sonde_machine){.rules = racy_rules,
                                          .n_rules = 2,
                                          .size = sizeof(struct cell),
                                          .call = sizeof(struct cell_call),
                                          .model = sizeof(int)},
                   NULL);
}
SONDE_PROPERTY(together_right)
{
    sonde_together(t, "calls",
                   &(const sonde_machine){.rules = right_rules,
                                          .n_rules = 2,
                                          .size = sizeof(struct cell),
                                          .call = sizeof(struct cell_call),
                                          .model = sizeof(int)},
                   &(const sonde_parallel){.threads = {2, 4}, .calls = {1, 3}});
}
SONDE_PROPERTY(together_too_many)
{
    sonde_together(t, "calls",
                   &(const sonde_machine){.rules = right_rules,
                                          .n_rules = 2,
                                          .size = sizeof(struct cell),
                                          .call = sizeof(struct cell_call),
                                          .model = sizeof(int)},
                   &(const sonde_parallel){.threads = {2, 8}, .calls = {1, 20}});
}

/* A queue whose take waits until something is there. Its put either always signals, or forgets to. */
struct queue {
    int n;
    pthread_mutex_t lock;
    pthread_cond_t filled;
};
static void start_queue(sonde *t, void *world)
{
    struct queue *q = world;
    (void)t;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->filled, NULL);
}
static void put_into(struct queue *q, bool says_so)
{
    pthread_mutex_lock(&q->lock);
    if (q->n++ == 0 || says_so) pthread_cond_signal(&q->filled); /* two puts, two takes that wait: one sleeps on */
    pthread_mutex_unlock(&q->lock);
}
static void puts_right(void *world, void *call)
{
    (void)call;
    put_into(world, true);
}
static void puts_wrong(void *world, void *call)
{
    (void)call;
    put_into(world, false);
}
static void takes(void *world, void *call)
{
    struct queue *q = world;
    (void)call;
    pthread_mutex_lock(&q->lock);
    while (q->n == 0) pthread_cond_wait(&q->filled, &q->lock);
    q->n--;
    pthread_mutex_unlock(&q->lock);
}
static bool put_agrees(void *model, const void *call)
{
    (void)call;
    ++*(int *)model;
    return true;
}
static bool take_agrees(void *model, const void *call)
{
    (void)call;
    return --*(int *)model >= 0;
}
static bool take_waits(const void *model, const void *call)
{
    (void)call;
    return *(const int *)model == 0;
}
#define TAKE                                                                                                           \
    {                                                                                                                  \
        .name = "take", .run = takes, .agrees = take_agrees, .waits = take_waits                                       \
    }
static const sonde_rule waiting_rules[] = {TAKE, {.name = "put", .run = puts_right, .agrees = put_agrees}};
static const sonde_rule sleepy_rules[] = {TAKE, {.name = "put", .run = puts_wrong, .agrees = put_agrees}};
static void drive_queue(sonde *t, const sonde_rule *rules)
{
    sonde_together(t, "calls",
                   &(const sonde_machine){.rules = rules,
                                          .n_rules = 2,
                                          .size = sizeof(struct queue),
                                          .start = start_queue,
                                          .call = 1,
                                          .model = sizeof(int)},
                   &(const sonde_parallel){.threads = {2, 4}, .calls = {1, 3}, .before = {0, 0}});
}
SONDE_PROPERTY(together_waiting)
{
    drive_queue(t, waiting_rules);
}
SONDE_PROPERTY(together_sleepy)
{
    drive_queue(t, sleepy_rules);
}

/* Two keys, each with a separate register. */
struct keyed_call {
    int key, writes, value;
};
static int *registers(void *world)
{
    return world;
}
static void draw_keyed(sonde *t, void *call)
{
    struct keyed_call *c = call;
    c->key = sonde_int(t, "key", 0, 1);
    c->writes = sonde_bool(t, "writes");
    if (c->writes) c->value = sonde_int(t, "value", 1, 9);
}
static void run_keyed(void *world, void *call)
{
    struct keyed_call *c = call;
    pthread_mutex_lock(&m);
    if (c->writes) registers(world)[c->key] = c->value;
    else c->value = registers(world)[c->key];
    pthread_mutex_unlock(&m);
}
static bool keyed_agrees(void *model, const void *call)
{
    const struct keyed_call *c = call;
    if (c->writes) registers(model)[c->key] = c->value;
    return registers(model)[c->key] == c->value;
}
static uint64_t key_of(const void *call)
{
    return (uint64_t)((const struct keyed_call *)call)->key;
}
static const sonde_rule keyed_rules[] = {
    {.name = "access", .draw = draw_keyed, .run = run_keyed, .agrees = keyed_agrees}};
SONDE_PROPERTY(together_by_key)
{
    sonde_together(t, "calls",
                   &(const sonde_machine){.rules = keyed_rules,
                                          .n_rules = 1,
                                          .size = 2 * sizeof(int),
                                          .call = sizeof(struct keyed_call),
                                          .model = 2 * sizeof(int),
                                          .part = key_of},
                   NULL);
}

/* A queue of numbers, that a lock keeps whole or not, with `.value`; and a value that is none. */
struct item_call {
    bool puts;
    int item; /* put, or taken; 0: there was none */
};
struct items {
    int n, items[64];
};
static struct items shared_items;
static void start_items(sonde *t, void *world)
{
    (void)t, (void)world;
    shared_items.n = 0;
}
static void draw_item(sonde *t, void *call)
{
    struct item_call *c = call;
    c->puts = sonde_bool(t, "puts");
    if (c->puts) c->item = sonde_int(t, "item", 1, 9);
}
static int apply_item(struct items *q, bool puts, int item)
{
    if (puts) {
        q->items[q->n] = item;
        q->n++;
        return item;
    }
    if (q->n == 0) return 0;
    item = q->items[0];
    for (int i = 1; i < q->n; i++) q->items[i - 1] = q->items[i];
    q->items[--q->n] = 0;
    return item;
}
static void run_item(void *world, void *call)
{
    struct item_call *c = call;
    (void)world;
    pthread_mutex_lock(&m);
    c->item = apply_item(&shared_items, c->puts, c->item);
    pthread_mutex_unlock(&m);
}
static void run_item_racy(void *world, void *call)
{
    struct item_call *c = call;
    (void)world;
    c->item = apply_item(&shared_items, c->puts, c->item);
}
static bool item_agrees(void *model, const void *call)
{
    const struct item_call *c = call;
    return apply_item(model, c->puts, c->item) == c->item;
}
static uint64_t item_of(const void *call)
{
    return (uint64_t)((const struct item_call *)call)->item;
}
static uint64_t puts_or_takes(const void *call)
{
    return ((const struct item_call *)call)->puts ? 1 : 2;
}
static void drive_items(sonde *t, void (*run)(void *world, void *call), uint64_t (*value)(const void *call))
{
    const sonde_rule rule = {.name = "item", .draw = draw_item, .run = run, .agrees = item_agrees};
    sonde_together(t, "calls",
                   &(const sonde_machine){.rules = &rule,
                                          .n_rules = 1,
                                          .start = start_items,
                                          .call = sizeof(struct item_call),
                                          .model = sizeof(struct items),
                                          .value = value},
                   &(const sonde_parallel){.threads = {2, 4}, .calls = {1, 12}});
}
SONDE_PROPERTY(together_by_value)
{
    drive_items(t, run_item, item_of);
}
SONDE_PROPERTY(together_by_value_racy)
{
    drive_items(t, run_item_racy, item_of);
}
SONDE_PROPERTY(together_no_value)
{
    drive_items(t, run_item, puts_or_takes);
}

SONDE_MAIN()
