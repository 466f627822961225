#define _GNU_SOURCE /* pthread_barrier_t */
/* See programs.h. Globals are set at the beginning of each run. */
#include "threads/programs.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <threads.h>

typedef void *thread_fn(void *);

static pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER, m3 = PTHREAD_MUTEX_INITIALIZER,
                       m4 = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sonde *the_case;
static int a, b, c;
static atomic_int x, y, z;

static void begin(sonde *t)
{
    the_case = t;
    a = b = c = 0;
    x = y = z = 0;
}

enum { THREADS_MAX = 24 };

/* Starts all of them, then waits for all. */
static void together(thread_fn *const *fns, size_t n)
{
    pthread_t threads[THREADS_MAX];
    for (size_t i = 0; i < n; i++) pthread_create(&threads[i], NULL, fns[i], (void *)i);
    for (size_t i = 0; i < n; i++) pthread_join(threads[i], NULL);
}
#define TOGETHER(...)                                                                                                  \
    together((thread_fn *const[]){__VA_ARGS__}, sizeof(thread_fn *const[]){__VA_ARGS__} / sizeof(thread_fn *))

/* ---- Lost updates */

static void *raise_a(void *unused)
{
    a++;
    return unused;
}
static void lost_update(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(raise_a, raise_a);
    sonde_check_eq(t, a, 2);
    (void)unused;
}
static void lost_update_of_five(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(raise_a, raise_a, raise_a, raise_a, raise_a);
    sonde_check_eq(t, a, 5);
    (void)unused;
}

static void *raise_x(void *unused)
{
    int before = atomic_load(&x);
    atomic_store(&x, before + 1);
    return unused;
}
static void atomic_lost_update(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(raise_x, raise_x, raise_x);
    sonde_check_eq(t, (int)x, 3);
    (void)unused;
}

static int c11_raise(void *unused)
{
    (void)unused;
    mtx_t *lock = (mtx_t *)&m1;
    mtx_lock(lock);
    int before = a;
    mtx_unlock(lock);
    mtx_lock(lock);
    a = before + 1;
    mtx_unlock(lock);
    return 0;
}
static void c11_threads(sonde *t, void *unused)
{
    thrd_t one, two;
    begin(t);
    thrd_create(&one, c11_raise, NULL);
    thrd_create(&two, c11_raise, NULL);
    thrd_join(one, NULL);
    thrd_join(two, NULL);
    sonde_check_eq(t, a, 2);
    (void)unused;
}

/* ---- Check, then act */

static void *withdraw(void *unused)
{
    if (atomic_load(&x) >= 100) atomic_fetch_sub(&x, 100);
    return unused;
}
static void overdrawn(sonde *t, void *unused)
{
    begin(t);
    x = 150;
    TOGETHER(withdraw, withdraw);
    sonde_check_ge(t, (int)x, 0);
    (void)unused;
}

static void *move_money(void *unused)
{
    pthread_mutex_lock(&m1);
    a -= 10;
    pthread_mutex_unlock(&m1);
    pthread_mutex_lock(&m2);
    b += 10;
    pthread_mutex_unlock(&m2);
    return unused;
}
static void *audit(void *unused)
{
    pthread_mutex_lock(&m1);
    pthread_mutex_lock(&m2);
    int sum = a + b;
    pthread_mutex_unlock(&m2);
    pthread_mutex_unlock(&m1);
    sonde_check_eq(the_case, sum, 200);
    return unused;
}
static void account_transfer(sonde *t, void *unused)
{
    begin(t);
    a = b = 100;
    TOGETHER(move_money, audit);
    (void)unused;
}

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static void *fill_once(void *unused)
{
    pthread_rwlock_rdlock(&rw);
    bool is_empty = a == 0;
    pthread_rwlock_unlock(&rw);
    if (!is_empty) return unused;
    pthread_rwlock_wrlock(&rw);
    a++;
    pthread_rwlock_unlock(&rw);
    return unused;
}
static void rwlock_upgrade(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(fill_once, fill_once);
    sonde_check_eq(t, a, 1);
    (void)unused;
}

static void *two_stages(void *unused)
{
    pthread_mutex_lock(&m1);
    a = 1;
    pthread_mutex_unlock(&m1);
    pthread_mutex_lock(&m2);
    b = a + 1;
    pthread_mutex_unlock(&m2);
    return unused;
}
static void *read_stages(void *unused)
{
    pthread_mutex_lock(&m1);
    int first = a;
    pthread_mutex_unlock(&m1);
    pthread_mutex_lock(&m2);
    int second = b;
    pthread_mutex_unlock(&m2);
    sonde_check(the_case, first == 0 || second == first + 1);
    return unused;
}
static void two_stage_lock(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(two_stages, two_stages, read_stages);
    (void)unused;
}

/* ---- Order */

static void *set_both(void *unused)
{
    a = 1;
    b = -1;
    return unused;
}
static void *see_both(void *unused)
{
    int first = a, second = b;
    sonde_check(the_case, (first == 0 && second == 0) || (first == 1 && second == -1));
    return unused;
}
static void reorder(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(set_both, see_both);
    (void)unused;
}
static void reorder_twenty(sonde *t, void *unused)
{
    thread_fn *fns[20];
    begin(t);
    for (int i = 0; i < 20; i++) fns[i] = i < 19 ? set_both : see_both;
    together(fns, 20);
    (void)unused;
}

static void *publish(void *unused)
{
    atomic_store(&x, 1);
    a = 42;
    return unused;
}
static void *consume(void *unused)
{
    if (atomic_load(&x)) sonde_check_eq(the_case, a, 42);
    return unused;
}
static void published_early(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(publish, consume);
    (void)unused;
}

static void *lazily(void *unused)
{
    if (!atomic_load(&x)) {
        pthread_mutex_lock(&m1);
        if (!atomic_load(&x)) {
            atomic_store(&x, 1);
            a = 7; /* too late */
        }
        pthread_mutex_unlock(&m1);
    }
    sonde_check_eq(the_case, a, 7);
    return unused;
}
static void double_checked_start(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(lazily, lazily);
    (void)unused;
}

static pthread_once_t once;
static void start_once(void)
{
    a++;
}
static void *uses_once(void *unused)
{
    pthread_once(&once, start_once);
    if (b == 0) { /* and the same again by hand */
        b = 1;
        c++;
    }
    return unused;
}
static void once_by_hand(sonde *t, void *unused)
{
    begin(t);
    once = (pthread_once_t)PTHREAD_ONCE_INIT;
    TOGETHER(uses_once, uses_once);
    sonde_check_eq(t, a, 1);
    sonde_check_eq(t, c, 1);
    (void)unused;
}

static void *odd_reader(void *unused)
{
    int before = atomic_load(&x);
    int first = a, second = b;
    if (before % 2 == 0) sonde_check_eq(the_case, first, second); /* does not look at x again */
    return unused;
}
static void *odd_writer(void *unused)
{
    atomic_fetch_add(&x, 1);
    a++;
    b++;
    atomic_fetch_add(&x, 1);
    return unused;
}
static void sequence_lock(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(odd_reader, odd_writer);
    (void)unused;
}

/* ---- Deadlocks */

static void *first_then_second(void *unused)
{
    pthread_mutex_lock(&m1);
    pthread_mutex_lock(&m2);
    pthread_mutex_unlock(&m2);
    pthread_mutex_unlock(&m1);
    return unused;
}
static void *second_then_first(void *unused)
{
    pthread_mutex_lock(&m2);
    pthread_mutex_lock(&m1);
    pthread_mutex_unlock(&m1);
    pthread_mutex_unlock(&m2);
    return unused;
}
static void *third_then_fourth(void *unused)
{
    pthread_mutex_lock(&m3);
    pthread_mutex_lock(&m4);
    pthread_mutex_unlock(&m4);
    pthread_mutex_unlock(&m3);
    return unused;
}
static void lock_order(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(first_then_second, second_then_first);
    (void)unused;
}
static void two_pairs_of_locks(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(third_then_fourth, first_then_second, third_then_fourth, second_then_first);
    (void)unused;
}

static void *dine(void *seat)
{
    static pthread_mutex_t *const forks[] = {&m1, &m2, &m3};
    size_t i = (size_t)seat;
    pthread_mutex_lock(forks[i]);
    pthread_mutex_lock(forks[(i + 1) % 3]);
    pthread_mutex_unlock(forks[(i + 1) % 3]);
    pthread_mutex_unlock(forks[i]);
    return NULL;
}
static void philosophers(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(dine, dine, dine);
    (void)unused;
}

static void *tries(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m1);
        if (pthread_mutex_trylock(&m2) == 0) {
            pthread_mutex_unlock(&m2);
            pthread_mutex_unlock(&m1);
            return unused;
        }
        if (i == 1) return unused; /* forgets the first */
        pthread_mutex_unlock(&m1);
    }
    return unused;
}
static void *holds_second(void *unused)
{
    pthread_mutex_lock(&m2);
    a++;
    pthread_mutex_unlock(&m2);
    return unused;
}
static void trylock_with_backoff(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(holds_second, tries);
    (void)unused;
}

/* ---- Signals between threads */

static void *waits_blindly(void *unused)
{
    pthread_mutex_lock(&m1);
    pthread_cond_wait(&changed, &m1);
    pthread_mutex_unlock(&m1);
    return unused;
}
static void *signals(void *unused)
{
    pthread_mutex_lock(&m1);
    a = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m1);
    return unused;
}
static void missed_wake_up(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(waits_blindly, signals);
    (void)unused;
}

static void *works_until_stopped(void *unused)
{
    if (atomic_load(&x)) return unused; /* looked at without the lock */
    pthread_mutex_lock(&m1);
    pthread_cond_wait(&changed, &m1);
    pthread_mutex_unlock(&m1);
    return unused;
}
static void *stops(void *unused)
{
    atomic_store(&x, 1);
    pthread_cond_broadcast(&changed);
    return unused;
}
static void shutdown_race(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(works_until_stopped, stops);
    (void)unused;
}

static void *takes_one(void *unused)
{
    pthread_mutex_lock(&m1);
    if (a == 0) pthread_cond_wait(&changed, &m1); /* if, not while */
    a--;
    sonde_check_ge(the_case, a, 0);
    pthread_mutex_unlock(&m1);
    return unused;
}
static void *brings_one(void *unused)
{
    pthread_mutex_lock(&m1);
    a++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m1);
    return unused;
}
static void if_not_while(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(takes_one, takes_one, brings_one, brings_one);
    (void)unused;
}

enum { ROOM = 1 };
static void *produce_two(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m1);
        while (a == ROOM) pthread_cond_wait(&changed, &m1);
        a++;
        pthread_cond_signal(&changed); /* may wake another producer */
        pthread_mutex_unlock(&m1);
    }
    return unused;
}
static void *consume_two(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m1);
        while (a == 0) pthread_cond_wait(&changed, &m1);
        a--;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&m1);
    }
    return unused;
}
static void bounded_queue(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(consume_two, consume_two, produce_two, produce_two);
    (void)unused;
}

static sem_t sem;
static void *in_section(void *unused)
{
    sem_wait(&sem);
    a++;
    sonde_check_eq(the_case, a, 1);
    a--;
    sem_post(&sem);
    return unused;
}
static void semaphore_of_two(sonde *t, void *unused)
{
    begin(t);
    sem_init(&sem, 0, 2);
    TOGETHER(in_section, in_section);
    sem_destroy(&sem);
    (void)unused;
}

static pthread_barrier_t bar;
static void *half(void *which)
{
    size_t i = (size_t)which;
    if (i == 0) a = 1;
    else b = 1;
    pthread_barrier_wait(&bar);
    c += a + b; /* together again */
    pthread_barrier_wait(&bar);
    sonde_check_eq(the_case, c, 4);
    return NULL;
}
static void barrier_then_race(sonde *t, void *unused)
{
    begin(t);
    pthread_barrier_init(&bar, NULL, 2);
    TOGETHER(half, half);
    pthread_barrier_destroy(&bar);
    (void)unused;
}

static void *arrives(void *unused)
{
    if (atomic_fetch_add(&x, 1) + 1 == 2) {
        atomic_store(&x, 0); /* before the other has seen 2 */
        atomic_store(&y, 1);
    }
    while (atomic_load(&x) != 2 && !atomic_load(&z)) {
        if (atomic_load(&y)) break;
        sched_yield();
    }
    if (atomic_load(&y)) atomic_store(&y, 0);
    return unused;
}
static void barrier_by_hand(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(arrives, arrives);
    (void)unused;
}

static pthread_key_t key;
static void drop(void *value)
{
    int *count = value, left = *count - 1;
    *count = left;
}
static void *registers(void *unused)
{
    pthread_setspecific(key, &a);
    return unused;
}
static void tls_destructor(sonde *t, void *unused)
{
    begin(t);
    a = 2;
    pthread_key_create(&key, drop);
    TOGETHER(registers, registers);
    pthread_key_delete(key);
    sonde_check_eq(t, a, 0);
    (void)unused;
}

/* ---- Without locks */

static void *spins_for_lock(void *unused)
{
    while (atomic_load(&x)) continue;
    atomic_store(&x, 1); /* test and set, in two steps */
    a++;
    sonde_check_eq(the_case, a, 1);
    a--;
    atomic_store(&x, 0);
    return unused;
}
static void spin_lock(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(spins_for_lock, spins_for_lock);
    (void)unused;
}

static atomic_int wants[2];
static void *peterson(void *which)
{
    size_t i = (size_t)which;
    atomic_store(&y, (int)(1 - i)); /* before the wish: the wrong way round */
    atomic_store(&wants[i], 1);
    while (atomic_load(&wants[1 - i]) && atomic_load(&y) == (int)(1 - i)) sched_yield();
    a++;
    sonde_check_eq(the_case, a, 1);
    a--;
    atomic_store(&wants[i], 0);
    return NULL;
}
static void peterson_reversed(sonde *t, void *unused)
{
    begin(t);
    wants[0] = wants[1] = 0;
    TOGETHER(peterson, peterson);
    (void)unused;
}

/* A stack of numbered nodes; 0 is none. */
enum { NODES = 4 };
static atomic_int head, next_of[NODES];
static int taken[NODES];
static int pop(void)
{
    for (;;) {
        int first = atomic_load(&head);
        if (!first) return 0;
        int second = atomic_load(&next_of[first]);
        if (atomic_compare_exchange_strong(&head, &first, second)) return first;
    }
}
static void push(int node)
{
    int first;
    do {
        first = atomic_load(&head);
        atomic_store(&next_of[node], first);
    } while (!atomic_compare_exchange_strong(&head, &first, node));
}
static void own(int node)
{
    if (!node) return;
    taken[node]++;
    sonde_check_eq(the_case, taken[node], 1);
}
static void *pops_twice(void *unused)
{
    own(pop());
    own(pop());
    return unused;
}
static void *pops_and_pushes(void *unused)
{
    int one = pop(), two = pop();
    own(two);
    if (one) push(one);
    return unused;
}
static void aba(sonde *t, void *unused)
{
    begin(t);
    memset(taken, 0, sizeof taken);
    head = 1;
    for (int i = 1; i < NODES; i++) next_of[i] = i + 1 < NODES ? i + 1 : 0;
    TOGETHER(pops_twice, pops_and_pushes);
    (void)unused;
}

/* A deque that its owner takes from at one end, and a thief at the other. */
static int stolen[2];
static void *owner(void *unused)
{
    int end = atomic_load(&y) - 1;
    atomic_store(&y, end);
    if (atomic_load(&x) <= end) stolen[end]++;
    return unused;
}
static void *thief(void *unused)
{
    int from = atomic_load(&x);
    if (from < atomic_load(&y)) {
        stolen[from]++;
        atomic_store(&x, from + 1);
    }
    return unused;
}
static void work_stealing(sonde *t, void *unused)
{
    begin(t);
    stolen[0] = stolen[1] = 0;
    y = 1;
    TOGETHER(owner, thief);
    sonde_check_le(t, stolen[0], 1);
    (void)unused;
}

static void *drops_reference(void *unused)
{
    atomic_fetch_sub(&x, 1);
    if (atomic_load(&x) == 0) a++; /* frees */
    return unused;
}
static void freed_twice(sonde *t, void *unused)
{
    begin(t);
    x = 2;
    TOGETHER(drops_reference, drops_reference);
    sonde_check_eq(t, a, 1);
    (void)unused;
}

static atomic_int token;
static void *passes(void *which)
{
    int i = (int)(size_t)which;
    if (atomic_load(&token) == i) {
        a++;
        atomic_store(&token, i + 1);
    }
    return NULL;
}
static void token_ring(sonde *t, void *unused)
{
    begin(t);
    token = 0;
    TOGETHER(passes, passes, passes);
    sonde_check_eq(t, a, 3);
    (void)unused;
}

const struct program programs[] = {
    {"lost_update", lost_update, 1},
    {"lost_update_of_five", lost_update_of_five, 1},
    {"atomic_lost_update", atomic_lost_update, 1},
    {"c11_threads", c11_threads, 1},
    {"overdrawn", overdrawn, 1},
    {"account_transfer", account_transfer, 1},
    {"rwlock_upgrade", rwlock_upgrade, 1},
    {"two_stage_lock", two_stage_lock, 1},
    {"reorder", reorder, 1},
    {"reorder_twenty", reorder_twenty, 1},
    {"published_early", published_early, 1},
    {"double_checked_start", double_checked_start, 1},
    {"once_by_hand", once_by_hand, 1},
    {"sequence_lock", sequence_lock, 1},
    {"lock_order", lock_order, 1},
    {"two_pairs_of_locks", two_pairs_of_locks, 1},
    {"philosophers", philosophers, 1},
    {"trylock_with_backoff", trylock_with_backoff, 1},
    {"missed_wake_up", missed_wake_up, 0},
    {"shutdown_race", shutdown_race, 1},
    {"if_not_while", if_not_while, 1},
    {"bounded_queue", bounded_queue, 0},
    {"semaphore_of_two", semaphore_of_two, 1},
    {"barrier_then_race", barrier_then_race, 1},
    {"barrier_by_hand", barrier_by_hand, 1},
    {"tls_destructor", tls_destructor, 1},
    {"spin_lock", spin_lock, 2},
    {"peterson_reversed", peterson_reversed, 2},
    {"aba", aba, 1},
    {"work_stealing", work_stealing, 1},
    {"freed_twice", freed_twice, 1},
    {"token_ring", token_ring, 0},
    {NULL, NULL, 0},
};

/* ---- Right */

/* The queue of Michael and Scott, "Simple, Fast, and Practical Non-Blocking and Blocking Concurrent Queue Algorithms" (PODC 1996), whose
 * nodes are never used again. */
enum { CELLS = 8 };
static atomic_int q_next[CELLS], q_head, q_tail, q_used;
static int q_value[CELLS];

static void enqueue(int value)
{
    int node = atomic_fetch_add(&q_used, 1);
    q_value[node] = value;
    atomic_store(&q_next[node], 0);
    for (;;) {
        int tail = atomic_load(&q_tail), next = atomic_load(&q_next[tail]), none = 0;
        if (next) atomic_compare_exchange_strong(&q_tail, &tail, next);
        else if (atomic_compare_exchange_strong(&q_next[tail], &none, node)) {
            atomic_compare_exchange_strong(&q_tail, &tail, node);
            return;
        }
    }
}

static int dequeue(void)
{
    for (;;) {
        int first = atomic_load(&q_head), tail = atomic_load(&q_tail), next = atomic_load(&q_next[first]);
        if (first != atomic_load(&q_head)) continue;
        if (first == tail) {
            if (!next) return 0;
            atomic_compare_exchange_strong(&q_tail, &tail, next);
        } else {
            int value = q_value[next];
            if (atomic_compare_exchange_strong(&q_head, &first, next)) return value;
        }
    }
}

static void *put_two(void *unused)
{
    enqueue(1);
    enqueue(2);
    return unused;
}
static void *get_two(void *unused)
{
    int one = dequeue(), two = dequeue();
    sonde_check(the_case, one == 0 || two == 0 || one < two);
    return unused;
}
static void right_queue(sonde *t, void *unused)
{
    begin(t);
    for (int i = 0; i < CELLS; i++) q_next[i] = 0;
    q_head = q_tail = 1;
    q_used = 2;
    TOGETHER(put_two, get_two);
    (void)unused;
}

static void *write_both(void *unused)
{
    pthread_rwlock_wrlock(&rw);
    a++;
    b++;
    pthread_rwlock_unlock(&rw);
    return unused;
}
static void *read_both(void *unused)
{
    pthread_rwlock_rdlock(&rw);
    sonde_check_eq(the_case, a, b);
    pthread_rwlock_unlock(&rw);
    return unused;
}
static void right_rwlock(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(write_both, read_both, write_both);
    sonde_check_eq(t, a, 2);
    (void)unused;
}

static void *five_steps(void *unused)
{
    for (int i = 0; i < 5; i++) atomic_fetch_add(&x, 1);
    return unused;
}
static void fifty_steps(sonde *t, void *unused)
{
    begin(t);
    TOGETHER(five_steps, five_steps, five_steps, five_steps, five_steps, five_steps, five_steps, five_steps, five_steps,
             five_steps);
    sonde_check_eq(t, (int)x, 50);
    (void)unused;
}

const struct program right_programs[] = {{"right_queue", right_queue, 0},
                                         {"right_rwlock", right_rwlock, 0},
                                         {"fifty_steps", fifty_steps, 0},
                                         {NULL, NULL, 0}};
