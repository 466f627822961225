/* Programs with a bug that only some schedules show. Every property must be falsified, with fibers and with threads of the kernel's. The comment behind a
 * property is what its report must contain. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sonde.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

typedef void *routine(void *arg);
static sonde *test;

static void start_two(routine *first, routine *second, void *arg)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, arg);
    pthread_create(&b, NULL, second, arg);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}

#define BROKEN(name)                                                                                                   \
    static void run_##name(sonde *t, void *unused);                                                                    \
    SONDE_PROPERTY(name)                                                                                               \
    {                                                                                                                  \
        test = t;                                                                                                      \
        sonde_threads(t, "run", run_##name, NULL);                                                                     \
    }                                                                                                                  \
    static void run_##name(sonde *t __attribute__((unused)), void *unused __attribute__((unused)))

/* ---- Objects whose memory is gone */

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_rwlock_t guard;
    pthread_spinlock_t spin;
    pthread_barrier_t barrier;
    sem_t done;
    pthread_once_t once;
    atomic_int alive;
};
static struct pool *pool;

static struct pool *make_pool(void)
{
    struct pool *p = calloc(1, sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    pthread_rwlock_init(&p->guard, NULL);
    pthread_spin_init(&p->spin, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&p->barrier, NULL, 1);
    sem_init(&p->done, 0, 0);
    p->once = PTHREAD_ONCE_INIT;
    p->alive = 1;
    return p;
}

static void *free_pool(void *unused)
{
    free(pool);
    return unused;
}

static void *lock_pool(void *unused)
{
    pthread_mutex_lock(&pool->lock);
    return unused;
}
BROKEN(lock_in_freed_memory) /* uses a mutex in memory that thread */
{
    pool = make_pool();
    start_two(free_pool, lock_pool, NULL);
}

/* The end of many thread pools: the last worker announces itself, and then unlocks. */
static void *last_worker(void *unused)
{
    pthread_mutex_lock(&pool->lock);
    pool->alive = 0;
    pthread_mutex_unlock(&pool->lock);
    return unused;
}
BROKEN(unlock_in_freed_memory) /* uses a mutex in memory that thread */
{
    pthread_t a;
    pool = make_pool();
    pthread_create(&a, NULL, last_worker, NULL);
    pthread_detach(a);
    while (pool->alive) sched_yield();
    free(pool);
}

static void *signal_pool(void *unused)
{
    pool->alive = 0;
    pthread_cond_signal(&pool->changed);
    return unused;
}
BROKEN(signal_in_freed_memory) /* uses a condition variable in memory that thread */
{
    pthread_t a;
    pool = make_pool();
    pthread_create(&a, NULL, signal_pool, NULL);
    while (pool->alive) sched_yield();
    free(pool);
    pthread_join(a, NULL);
}

static void *post_pool(void *unused)
{
    sem_post(&pool->done);
    sem_post(&pool->done);
    return unused;
}
static void *await_pool(void *unused)
{
    sem_wait(&pool->done);
    free(pool);
    return unused;
}
BROKEN(post_in_freed_memory) /* uses a semaphore in memory that thread */
{
    pool = make_pool();
    start_two(await_pool, post_pool, NULL);
}

static void *read_pool(void *unused)
{
    if (pthread_rwlock_rdlock(&pool->guard) == 0) pthread_rwlock_unlock(&pool->guard);
    return unused;
}
BROKEN(rwlock_in_freed_memory) /* uses a lock in memory that thread */
{
    pool = make_pool();
    start_two(free_pool, read_pool, NULL);
}

static void *spin_pool(void *unused)
{
    pthread_spin_lock(&pool->spin);
    pthread_spin_unlock(&pool->spin);
    return unused;
}
BROKEN(spin_lock_in_freed_memory) /* uses a spin lock in memory that thread */
{
    pool = make_pool();
    start_two(free_pool, spin_pool, NULL);
}

static void *meet_pool(void *unused)
{
    pthread_barrier_wait(&pool->barrier);
    return unused;
}
BROKEN(barrier_in_freed_memory) /* uses a barrier in memory that thread */
{
    pool = make_pool();
    start_two(free_pool, meet_pool, NULL);
}

static void nothing(void) {}
static void *once_pool(void *unused)
{
    pthread_once(&pool->once, nothing);
    return unused;
}
BROKEN(once_in_freed_memory) /* uses a pthread_once_t in memory that thread */
{
    pool = make_pool();
    start_two(free_pool, once_pool, NULL);
}

static void *destroy_in_pool(void *unused)
{
    pthread_mutex_destroy(&pool->lock);
    return unused;
}
BROKEN(destroy_in_freed_memory) /* uses a mutex in memory that thread */
{
    pool = make_pool();
    start_two(free_pool, destroy_in_pool, NULL);
}

static char *large;
static void *free_large(void *unused)
{
    free(large);
    return unused;
}
static void *read_large(void *unused)
{
    return ((volatile char *)large)[150000] ? unused : NULL;
}
BROKEN(end_of_a_large_block) /* reads memory that thread */
{
    large = calloc(1, 200000);
    start_two(free_large, read_large, NULL);
}

/* ---- Objects that were destroyed */

static pthread_mutex_t mutex;
static pthread_cond_t condition;
static pthread_rwlock_t rwlock;
static pthread_spinlock_t spin;
static sem_t semaphore;
static cnd_t cnd;

static void *destroy_mutex(void *unused)
{
    pthread_mutex_destroy(&mutex);
    return unused;
}
static void *lock_mutex(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}
BROKEN(lock_of_a_destroyed_mutex) /* mutex that was destroyed */
{
    pthread_mutex_init(&mutex, NULL);
    start_two(destroy_mutex, lock_mutex, NULL);
}

static void *destroy_condition(void *unused)
{
    pthread_cond_destroy(&condition);
    return unused;
}
static void *signal_condition(void *unused)
{
    pthread_cond_broadcast(&condition);
    return unused;
}
BROKEN(signal_of_a_destroyed_condition) /* condition variable that was destroyed */
{
    pthread_cond_init(&condition, NULL);
    start_two(destroy_condition, signal_condition, NULL);
}

static void *destroy_rwlock(void *unused)
{
    pthread_rwlock_destroy(&rwlock);
    return unused;
}
static void *write_rwlock(void *unused)
{
    if (pthread_rwlock_trywrlock(&rwlock) == 0) pthread_rwlock_unlock(&rwlock);
    return unused;
}
BROKEN(lock_of_a_destroyed_rwlock) /* lock that */
{
    pthread_rwlock_init(&rwlock, NULL);
    start_two(destroy_rwlock, write_rwlock, NULL);
}

static void *destroy_semaphore(void *unused)
{
    sem_destroy(&semaphore);
    return unused;
}
static void *post_semaphore(void *unused)
{
    sem_post(&semaphore);
    return unused;
}
BROKEN(post_of_a_destroyed_semaphore) /* semaphore that was destroyed */
{
    sem_init(&semaphore, 0, 0);
    start_two(destroy_semaphore, post_semaphore, NULL);
}

static void *destroy_spin(void *unused)
{
    pthread_spin_destroy(&spin);
    return unused;
}
static void *lock_spin(void *unused)
{
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    return unused;
}
BROKEN(lock_of_a_destroyed_spin_lock) /* spin lock that */
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    start_two(destroy_spin, lock_spin, NULL);
}

static void *destroy_twice(void *unused)
{
    cnd_destroy(&cnd);
    return unused;
}
BROKEN(condition_destroyed_twice) /* condition variable that was destroyed */
{
    cnd_init(&cnd);
    start_two(destroy_twice, destroy_twice, NULL);
}

/* ---- Variables of functions that have returned */

static void *write_there(void *p)
{
    *(volatile int *)p = 5;
    return NULL;
}
static __attribute__((noinline)) void start_with_local(void)
{
    volatile int local = 1;
    pthread_t a;
    pthread_create(&a, NULL, write_there, (void *)&local);
    pthread_detach(a);
}
BROKEN(variable_of_a_function_that_has_returned) /* a variable of a function of thread 0 that has returned */
{
    start_with_local();
}

static void *return_local(void *unused)
{
    int local = 7;
    (void)unused;
    return (void *)(uintptr_t)((uintptr_t)&local ^ 1); /* compilers would return NULL */
}
BROKEN(variable_of_a_thread_that_has_ended) /* a variable of a function of thread 1 that has returned */
{
    void *result = NULL;
    pthread_t a;
    pthread_create(&a, NULL, return_local, NULL);
    pthread_join(a, &result);
    sonde_check_eq(t, *(volatile int *)((uintptr_t)result ^ 1), 7);
}

/* A request on the stack of the thread that waits for it: it is done, and then announced by what lies in the request. */
struct request {
    pthread_mutex_t lock;
    pthread_cond_t done;
    atomic_int is_done;
    char room[2000]; /* else frames of calls that follow cover it: see threads/README.md */
};
static struct request *asked;
static void *serve(void *unused)
{
    struct request *r = asked;
    r->is_done = 1;
    pthread_cond_signal(&r->done);
    return unused;
}
static __attribute__((noinline)) void ask(pthread_t *a)
{
    struct request r = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, ""};
    asked = &r;
    pthread_create(a, NULL, serve, NULL);
    while (!r.is_done) sched_yield();
}
BROKEN(condition_in_a_frame_that_is_gone) /* uses a condition variable in a variable of a function of thread 0 */
{
    pthread_t a;
    ask(&a);
    pthread_join(a, NULL);
}

/* ---- Robust mutexes */

static void make_robust(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}
static int half, whole;
static void *end_in_the_middle(void *unused)
{
    pthread_mutex_lock(&mutex);
    half++;
    return unused;
}
static void *ignore_the_dead(void *unused)
{
    pthread_mutex_lock(&mutex); /* EOWNERDEAD is not looked at */
    sonde_expect(test, half == whole);
    pthread_mutex_unlock(&mutex);
    return unused;
}
BROKEN(robust_mutex_that_is_not_repaired) /* half == whole */
{
    make_robust();
    half = whole = 0;
    start_two(end_in_the_middle, ignore_the_dead, NULL);
}

static void *lock_and_check(void *unused)
{
    int error = pthread_mutex_lock(&mutex);
    if (error == EOWNERDEAD) error = 0; /* pthread_mutex_consistent is missing */
    sonde_expect(test, error == 0);
    if (!error) pthread_mutex_unlock(&mutex);
    return unused;
}
BROKEN(robust_mutex_that_is_not_made_consistent) /* error == 0 */
{
    pthread_t a;
    make_robust();
    pthread_create(&a, NULL, end_in_the_middle, NULL);
    start_two(lock_and_check, lock_and_check, NULL);
    pthread_join(a, NULL);
}

/* A mutex that is not robust stays locked. */
BROKEN(mutex_that_is_not_robust) /* still holds a mutex */
{
    pthread_mutex_init(&mutex, NULL);
    start_two(end_in_the_middle, lock_mutex, NULL);
}
/* ---- Waiting */

static int is_ready, items;
static void begin_waiting(void)
{
    pthread_mutex_init(&mutex, NULL);
    pthread_cond_init(&condition, NULL);
    is_ready = items = 0;
}
static void *take_if_ready(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (!is_ready) pthread_cond_wait(&condition, &mutex); /* should be `while` */
    sonde_expect(test, is_ready == 1);
    pthread_mutex_unlock(&mutex);
    return unused;
}
static void *make_ready(void *unused)
{
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}
BROKEN(if_around_a_wait) /* wakes up without a signal */
{
    begin_waiting();
    start_two(take_if_ready, make_ready, NULL);
}

static void *take_if_ready_in_time(void *unused)
{
    struct timespec until;
    pthread_mutex_lock(&mutex);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    int error = is_ready ? 0 : pthread_cond_timedwait(&condition, &mutex, &until);
    sonde_expect(test, error == ETIMEDOUT || is_ready);
    pthread_mutex_unlock(&mutex);
    return unused;
}
BROKEN(if_around_a_wait_with_a_time) /* wakes up without a signal */
{
    begin_waiting();
    start_two(take_if_ready_in_time, make_ready, NULL);
}

static mtx_t mtx;
static int take_c11(void *unused)
{
    (void)unused;
    mtx_lock(&mtx);
    if (!is_ready) cnd_wait(&cnd, &mtx);
    sonde_expect(test, is_ready == 1);
    mtx_unlock(&mtx);
    return 0;
}
BROKEN(if_around_a_wait_of_c11) /* wakes up without a signal */
{
    thrd_t a;
    is_ready = 0;
    mtx_init(&mtx, mtx_plain);
    cnd_init(&cnd);
    thrd_create(&a, take_c11, NULL);
    mtx_lock(&mtx);
    is_ready = 1;
    cnd_signal(&cnd);
    mtx_unlock(&mtx);
    thrd_join(a, NULL);
}

static atomic_uint word;
static void *sleep_once(void *unused)
{
    if (word == 0) syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
    sonde_expect(test, word == 1);
    return unused;
}
static void *wake_word(void *unused)
{
    word = 1;
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
    return unused;
}
BROKEN(if_around_a_futex) /* wakes up without a signal */
{
    word = 0;
    start_two(sleep_once, wake_word, NULL);
}

static void *make_ready_unlocked(void *unused)
{
    is_ready = 1;
    pthread_cond_signal(&condition);
    return unused;
}
static void *take_while(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (!is_ready) pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}
BROKEN(signal_without_the_lock) /* deadlock */
{
    begin_waiting();
    start_two(take_while, make_ready_unlocked, NULL);
}

static void *take_item(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (items == 0) pthread_cond_wait(&condition, &mutex);
    items--;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}
static void *put_item(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (items == 1) pthread_cond_wait(&condition, &mutex);
    items++;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}
BROKEN(one_condition_for_two_kinds) /* deadlock */
{
    pthread_t all[6];
    begin_waiting();
    for (int i = 0; i < 6; i++) pthread_create(&all[i], NULL, i % 2 ? put_item : take_item, NULL);
    for (int i = 0; i < 6; i++) pthread_join(all[i], NULL);
}

static atomic_int go;
static void *spin_and_count(void *unused)
{
    volatile long looks = 0;
    while (!go) looks++; /* counts, and never ends */
    return unused;
}
static void *forget_to_go(void *unused)
{
    int expected = 5;
    atomic_compare_exchange_strong(&go, &expected, 1);
    return unused;
}
BROKEN(spin_that_counts_forever) /* has not ended after 500000 reads */
{
    go = 0;
    start_two(spin_and_count, forget_to_go, NULL);
}
static void *spin_only(void *unused)
{
    while (!go) continue;
    return unused;
}
BROKEN(spin_that_changes_nothing) /* keeps reading the same values, and */
{
    go = 0;
    start_two(spin_only, forget_to_go, NULL);
}

/* ---- Locks */

static pthread_mutex_t left, right;
static void *left_first(void *unused)
{
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right);
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return unused;
}
static void *right_first(void *unused)
{
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left);
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return unused;
}
BROKEN(locks_in_two_orders) /* deadlock */
{
    pthread_mutex_init(&left, NULL);
    pthread_mutex_init(&right, NULL);
    start_two(left_first, right_first, NULL);
}

static int value;
static void *upgrade(void *unused)
{
    pthread_rwlock_rdlock(&rwlock);
    int seen = value;
    pthread_rwlock_unlock(&rwlock);
    pthread_rwlock_wrlock(&rwlock);
    value = seen + 1;
    pthread_rwlock_unlock(&rwlock);
    return unused;
}
BROKEN(upgrade_of_a_reader) /* value */
{
    value = 0;
    pthread_rwlock_init(&rwlock, NULL);
    start_two(upgrade, upgrade, NULL);
    sonde_check_eq(t, value, 2);
}

static void *unlock_others(void *unused)
{
    if (pthread_mutex_trylock(&mutex) != 0) pthread_mutex_unlock(&mutex);
    else pthread_mutex_unlock(&mutex);
    return unused;
}
BROKEN(unlock_of_another_thread) /* unlocks a mutex that thread */
{
    pthread_mutex_init(&mutex, NULL);
    start_two(unlock_others, unlock_others, NULL);
}

/* ---- Without locks */

struct object {
    int a, b;
};
static struct object *volatile single;
static void *get_single(void *unused)
{
    struct object *o = single;
    if (!o) {
        pthread_mutex_lock(&mutex);
        if (!single) {
            single = calloc(1, sizeof *single); /* published before it is filled */
            single->a = 1;
            single->b = 2;
        }
        pthread_mutex_unlock(&mutex);
        o = single;
    }
    sonde_expect(test, o->a + o->b == 3);
    return unused;
}
BROKEN(double_checked_locking) /* o->a + o->b */
{
    pthread_mutex_init(&mutex, NULL);
    single = NULL;
    start_two(get_single, get_single, NULL);
    free(single);
}

static int next_of[3];
static atomic_int head;
static atomic_int taken[3];
static int pop(void)
{
    for (;;) {
        int top = head;
        if (top < 0) return -1;
        int next = next_of[top];
        if (atomic_compare_exchange_strong(&head, &top, next)) return top;
    }
}
static void take_once(int i)
{
    if (i >= 0) {
        int before = atomic_fetch_add(&taken[i], 1);
        sonde_expect(test, before == 0);
    }
}
static void *pop_two(void *unused)
{
    take_once(pop());
    take_once(pop());
    return unused;
}
static void *pop_and_push(void *unused)
{
    int first = pop();
    take_once(pop());
    if (first < 0) return unused;
    int top = head;
    do next_of[first] = top;
    while (!atomic_compare_exchange_strong(&head, &top, first));
    return unused;
}
BROKEN(top_that_comes_back) /* before == 0 */
{
    for (int i = 0; i < 3; i++) next_of[i] = i < 2 ? i + 1 : -1, taken[i] = 0;
    head = 0;
    start_two(pop_two, pop_and_push, NULL);
}

struct node {
    struct node *next;
};
static _Atomic(struct node *) top;
static void *push_and_pop(void *unused)
{
    struct node *n = malloc(sizeof *n);
    n->next = top;
    while (!atomic_compare_exchange_weak(&top, &n->next, n)) continue;
    struct node *p = top;
    while (p && !atomic_compare_exchange_weak(&top, &p, p->next)) continue;
    free(p);
    return unused;
}
BROKEN(stack_without_hazard_pointers) /* memory that thread */
{
    top = NULL;
    start_two(push_and_pop, push_and_pop, NULL);
}

static atomic_uint sequence;
static volatile long pair[2];
static void *write_pair(void *unused)
{
    sequence++;
    pair[0]++;
    pair[1]++;
    sequence++;
    return unused;
}
static void *read_pair(void *unused)
{
    while (sequence & 1) continue;
    long a = pair[0], b = pair[1]; /* and does not look again */
    sonde_expect(test, a == b);
    return unused;
}
BROKEN(sequence_lock_without_a_second_look) /* a == b */
{
    sequence = 0;
    pair[0] = pair[1] = 0;
    start_two(write_pair, read_pair, NULL);
}

static atomic_int sum;
static void *add_by_halves(void *unused)
{
    sum = sum + 1; /* two atomic operations */
    return unused;
}
BROKEN(update_in_two_operations) /* sum */
{
    sum = 0;
    start_two(add_by_halves, add_by_halves, NULL);
    sonde_check_eq(t, (int)sum, 2);
}
SONDE_MAIN()
