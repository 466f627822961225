/* Programs without a bug. No property may be falsified, with fibers or with threads of the kernel's. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <linux/futex.h>
#include <locale.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sonde.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
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

#define RIGHT(name)                                                                                                    \
    static void run_##name(sonde *t, void *unused);                                                                    \
    SONDE_PROPERTY(name)                                                                                               \
    {                                                                                                                  \
        test = t;                                                                                                      \
        sonde_threads(t, "run", run_##name, NULL);                                                                     \
    }                                                                                                                  \
    static void run_##name(sonde *t __attribute__((unused)), void *unused __attribute__((unused)))

/* ---- Objects that are destroyed, and come again */

struct counted {
    pthread_mutex_t lock;
    int references;
};
static void *drop(void *p)
{
    struct counted *c = p;
    pthread_mutex_lock(&c->lock);
    int is_last = --c->references == 0;
    pthread_mutex_unlock(&c->lock);
    if (!is_last) return NULL;
    pthread_mutex_destroy(&c->lock);
    free(c);
    return NULL;
}
RIGHT(last_reference_destroys_the_lock)
{
    struct counted *c = malloc(sizeof *c);
    pthread_mutex_init(&c->lock, NULL);
    c->references = 2;
    start_two(drop, drop, c);
}

static __attribute__((noinline)) void use_local_locks(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    pthread_cond_signal(&condition);
    pthread_rwlock_unlock(&rwlock);
    pthread_mutex_unlock(&mutex);
    pthread_cond_destroy(&condition);
    pthread_rwlock_destroy(&rwlock);
    pthread_mutex_destroy(&mutex);
}
static void *use_twice(void *unused)
{
    use_local_locks();
    use_local_locks();
    return unused;
}
RIGHT(locks_of_a_frame_come_again)
{
    start_two(use_twice, use_twice, NULL);
}

static sem_t semaphore;
static pthread_spinlock_t spin;
static int counter;
static void *count_by_semaphore(void *unused)
{
    sem_wait(&semaphore);
    pthread_spin_lock(&spin);
    counter++;
    pthread_spin_unlock(&spin);
    sem_post(&semaphore);
    return unused;
}
RIGHT(semaphore_destroyed_and_initialised_again)
{
    for (int i = 0; i < 2; i++) {
        counter = 0;
        sem_init(&semaphore, 0, 1);
        pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
        start_two(count_by_semaphore, count_by_semaphore, NULL);
        sem_destroy(&semaphore);
        pthread_spin_destroy(&spin);
        sonde_check_eq(t, counter, 2);
    }
}

/* The serial thread of a barrier may destroy and free it: the destruction waits for the others. */
static pthread_barrier_t *barrier;
static void *meet(void *unused)
{
    pthread_barrier_t *b = barrier;
    if (pthread_barrier_wait(b) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_barrier_destroy(b);
        free(b);
    }
    return unused;
}
RIGHT(serial_thread_frees_the_barrier)
{
    barrier = malloc(sizeof *barrier);
    pthread_barrier_init(barrier, NULL, 2);
    start_two(meet, meet, NULL);
}

/* A request on the stack of the thread that waits for it, announced under the lock. */
struct request {
    pthread_mutex_t lock;
    pthread_cond_t done;
    int is_done;
};
static void *serve(void *p)
{
    struct request *r = p;
    pthread_mutex_lock(&r->lock);
    r->is_done = 1;
    pthread_cond_signal(&r->done);
    pthread_mutex_unlock(&r->lock);
    return NULL;
}
static __attribute__((noinline)) int ask(pthread_t *a)
{
    struct request r = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    pthread_create(a, NULL, serve, &r);
    pthread_mutex_lock(&r.lock);
    while (!r.is_done) pthread_cond_wait(&r.done, &r.lock);
    pthread_mutex_unlock(&r.lock);
    return r.is_done;
}
RIGHT(request_on_a_stack)
{
    pthread_t a;
    sonde_check_eq(t, ask(&a), 1);
    pthread_join(a, NULL);
}

/* A variable of the creator, which waits for the thread, deep in its calls. */
static void *add_to(void *p)
{
    for (int i = 0; i < 3; i++) atomic_fetch_add((atomic_int *)p, 1);
    return NULL;
}
static __attribute__((noinline)) void join_deeply(pthread_t a, int depth)
{
    volatile char room[256];
    room[0] = (char)depth;
    if (depth) join_deeply(a, depth - 1);
    else pthread_join(a, NULL);
    room[1] = room[0];
}
RIGHT(variable_of_the_creator)
{
    atomic_int sum = 0;
    pthread_t a, b;
    pthread_create(&a, NULL, add_to, &sum);
    pthread_create(&b, NULL, add_to, &sum);
    join_deeply(a, 5);
    join_deeply(b, 0);
    sonde_check_eq(t, (int)sum, 6);
}

/* ---- Robust mutexes */

static pthread_mutex_t mutex;
static int half, whole;
static void make_robust(int type)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    half = whole = 0;
}
static int lock_robust(void)
{
    int error = pthread_mutex_lock(&mutex);
    if (error != EOWNERDEAD) return error;
    whole = half;
    return pthread_mutex_consistent(&mutex);
}
static void *end_in_the_middle(void *unused)
{
    if (lock_robust() == 0) half++;
    return unused;
}
static void *change_both(void *unused)
{
    for (int i = 0; i < 2; i++) {
        sonde_expect(test, lock_robust() == 0);
        sonde_expect(test, half == whole);
        half++;
        whole++;
        sonde_expect(test, pthread_mutex_unlock(&mutex) == 0);
    }
    return unused;
}
RIGHT(robust_mutex_is_repaired)
{
    make_robust(PTHREAD_MUTEX_NORMAL);
    start_two(end_in_the_middle, change_both, NULL);
    sonde_check_eq(t, pthread_mutex_consistent(&mutex), EINVAL);
}
RIGHT(robust_recursive_mutex_is_repaired)
{
    make_robust(PTHREAD_MUTEX_RECURSIVE);
    start_two(end_in_the_middle, change_both, NULL);
    sonde_check_eq(t, pthread_mutex_unlock(&mutex), EPERM);
}

/* Unlocks the mutex without having made it consistent, which POSIX says makes it unusable. */
static void *lose_it(void *unused)
{
    int error = pthread_mutex_trylock(&mutex);
    if (error == EOWNERDEAD) pthread_mutex_unlock(&mutex);
    sonde_expect(test, error == 0 || error == EOWNERDEAD || error == EBUSY);
    if (error == 0) pthread_mutex_unlock(&mutex);
    return unused;
}
RIGHT(robust_mutex_becomes_unusable)
{
    pthread_t a;
    make_robust(PTHREAD_MUTEX_NORMAL);
    pthread_create(&a, NULL, end_in_the_middle, NULL);
    pthread_join(a, NULL);
    pthread_create(&a, NULL, lose_it, NULL);
    pthread_join(a, NULL);
    sonde_check_eq(t, pthread_mutex_lock(&mutex), ENOTRECOVERABLE);
    sonde_check_eq(t, pthread_mutex_trylock(&mutex), ENOTRECOVERABLE);
    sonde_check_eq(t, pthread_mutex_destroy(&mutex), 0);
}

/* A waiter of a condition variable gets the mutex of a thread that has ended. */
static pthread_cond_t condition;
static int is_ready;
static void *signal_and_end(void *unused)
{
    if (pthread_mutex_lock(&mutex) == EOWNERDEAD) pthread_mutex_consistent(&mutex);
    is_ready = 1;
    pthread_cond_signal(&condition);
    return unused;
}
static void *wait_robust(void *unused)
{
    int error = pthread_mutex_lock(&mutex);
    while (!is_ready) {
        if (error == EOWNERDEAD) pthread_mutex_consistent(&mutex);
        error = pthread_cond_wait(&condition, &mutex);
        sonde_expect(test, error == 0 || error == EOWNERDEAD);
    }
    if (error == EOWNERDEAD) sonde_expect(test, pthread_mutex_consistent(&mutex) == 0);
    pthread_mutex_unlock(&mutex);
    return unused;
}
RIGHT(waiter_of_a_robust_mutex)
{
    make_robust(PTHREAD_MUTEX_ERRORCHECK);
    pthread_cond_init(&condition, NULL);
    is_ready = 0;
    start_two(wait_robust, signal_and_end, NULL);
}
/* ---- State of a thread in the processor and in the C library */

static volatile double three = 3;
static void *round_up(void *unused)
{
    fesetround(FE_UPWARD);
    sched_yield();
    double third = 1 / three;
    sonde_expect(test, fegetround() == FE_UPWARD);
    sonde_expect(test, third > 0.3333333333333333);
    return unused;
}
static void *round_to_nearest(void *unused)
{
    double third = 1 / three;
    sched_yield();
    sonde_expect(test, fegetround() == FE_TONEAREST);
    sonde_expect(test, third == 0.3333333333333333);
    return unused;
}
RIGHT(rounding_of_one_thread)
{
    start_two(round_up, round_to_nearest, NULL);
    sonde_check_eq(t, fegetround(), FE_TONEAREST);
}

static void *inherit_rounding(void *unused)
{
    sonde_expect(test, fegetround() == FE_DOWNWARD);
    fesetround(FE_TOWARDZERO);
    return unused;
}
RIGHT(rounding_is_inherited)
{
    pthread_t a;
    fesetround(FE_DOWNWARD);
    pthread_create(&a, NULL, inherit_rounding, NULL);
    pthread_join(a, NULL);
    sonde_check_eq(t, fegetround(), FE_DOWNWARD);
    fesetround(FE_TONEAREST);
}

static volatile long double wide_zero;
static void *divide_by_zero(void *unused)
{
    volatile double x = 1 / (three - 3);
    volatile long double y = 1 / wide_zero;
    (void)x, (void)y;
    sched_yield();
    sonde_expect(test, fetestexcept(FE_DIVBYZERO) != 0);
    return unused;
}
static void *divide_by_three(void *unused)
{
    sched_yield();
    sonde_expect(test, fetestexcept(FE_DIVBYZERO) == 0);
    return unused;
}
RIGHT(exceptions_of_one_thread)
{
    feclearexcept(FE_ALL_EXCEPT);
    start_two(divide_by_zero, divide_by_three, NULL);
    sonde_check_eq(t, fetestexcept(FE_DIVBYZERO), 0);
}

static void *use_locale(void *unused)
{
    locale_t own = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
    locale_t before = uselocale(own);
    sonde_expect(test, before == LC_GLOBAL_LOCALE);
    sched_yield();
    sonde_expect(test, uselocale((locale_t)0) == own);
    uselocale(before);
    freelocale(own);
    return unused;
}
static void *use_global_locale(void *unused)
{
    sonde_expect(test, uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
    return unused;
}
RIGHT(locale_of_one_thread)
{
    start_two(use_locale, use_global_locale, NULL);
}

static int is_blocked(int number)
{
    sigset_t set;
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    return sigismember(&set, number);
}
static void *block_signal(void *unused)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sonde_expect(test, pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    sched_yield();
    sonde_expect(test, is_blocked(SIGUSR2) == 1);
    return unused;
}
static void *leave_signal(void *unused)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sonde_expect(test, is_blocked(SIGUSR2) == 0);
    sigprocmask(SIG_BLOCK, &set, NULL);
    sonde_expect(test, is_blocked(SIGUSR2) == 0);
    return unused;
}
RIGHT(signal_mask_of_one_thread)
{
    start_two(block_signal, leave_signal, NULL);
    sonde_check_eq(t, is_blocked(SIGUSR2) + is_blocked(SIGUSR1), 0);
}

static void *jump_back(void *unused)
{
    sigjmp_buf back;
    if (sigsetjmp(back, 1) == 0) {
        block_signal(NULL);
        siglongjmp(back, 1);
    }
    sched_yield();
    sonde_expect(test, is_blocked(SIGUSR2) == 0);
    return unused;
}
RIGHT(jump_restores_the_mask)
{
    start_two(jump_back, block_signal, NULL);
}

static void *disable_cancel(void *unused)
{
    int before = -1;
    sonde_expect(test, pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before) == 0);
    sonde_expect(test, before == PTHREAD_CANCEL_ENABLE);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
    sched_yield();
    sonde_expect(test, before == PTHREAD_CANCEL_DEFERRED);
    pthread_testcancel();
    return unused;
}
RIGHT(cancellation_of_one_thread)
{
    start_two(disable_cancel, disable_cancel, NULL);
}

static void *resolve(void *number)
{
    h_errno = (int)(intptr_t)number;
    errno = (int)(intptr_t)number + 10;
    sched_yield();
    sonde_expect(test, h_errno == (int)(intptr_t)number);
    sonde_expect(test, errno == (int)(intptr_t)number + 10);
    return NULL;
}
RIGHT(error_numbers_of_one_thread)
{
    pthread_t a, b;
    pthread_create(&a, NULL, resolve, (void *)1);
    pthread_create(&b, NULL, resolve, (void *)2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
/* ---- Signals to the thread itself */

static sem_t from_handler;
static _Thread_local int handled;
static int handler_value;
static void handle(int number)
{
    handled += number == SIGUSR1;
    sem_post(&from_handler);
}
static void *raise_own(void *unused)
{
    handled = 0;
    sonde_expect(test, raise(SIGUSR1) == 0);
    sonde_expect(test, handled == 1);
    sonde_expect(test, pthread_kill(pthread_self(), SIGUSR1) == 0);
    sonde_expect(test, handled == 2);
    sonde_expect(test, syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1) == 0);
    sonde_expect(test, handled == 3);
    return unused;
}
static void *await_handlers(void *unused)
{
    for (int i = 0; i < 3; i++) sem_wait(&from_handler);
    return unused;
}
RIGHT(signal_to_oneself)
{
    sem_init(&from_handler, 0, 0);
    signal(SIGUSR1, handle);
    start_two(await_handlers, raise_own, NULL);
    signal(SIGUSR1, SIG_DFL);
}

static void handle_with_value(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    handler_value = info->si_value.sival_int;
    sonde_expect(test, is_blocked(SIGUSR2) == 1); /* by sa_mask */
}
static void *queue_own(void *unused)
{
    sonde_expect(test, pthread_sigqueue(pthread_self(), SIGUSR1, (union sigval){.sival_int = 5}) == 0);
    sonde_expect(test, handler_value == 5);
    sonde_expect(test, is_blocked(SIGUSR2) == 0);
    return unused;
}
static void *look_at_mask(void *unused)
{
    sonde_expect(test, is_blocked(SIGUSR2) == 0);
    return unused;
}
RIGHT(handler_with_a_mask)
{
    struct sigaction action = {.sa_sigaction = handle_with_value, .sa_flags = SA_SIGINFO}, before;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(SIGUSR1, &action, &before);
    start_two(queue_own, look_at_mask, NULL);
    sigaction(SIGUSR1, &before, NULL);
}

/* ---- Handles of threads */

static void *describe_oneself(void *unused)
{
    char name[16];
    cpu_set_t cpus, got;
    struct sched_param param = {0};
    int policy = -1;
    clockid_t clock;
    pthread_t self = pthread_self();
    sonde_expect(test, pthread_setname_np(self, unused) == 0);
    sched_yield();
    sonde_expect(test, pthread_getname_np(self, name, sizeof name) == 0);
    sonde_expect(test, strcmp(name, unused) == 0);
    sonde_expect(test, pthread_setname_np(self, "much too long for a name") == ERANGE);
    sonde_expect(test, pthread_getaffinity_np(self, sizeof cpus, &cpus) == 0);
    sonde_expect(test, pthread_setaffinity_np(self, sizeof cpus, &cpus) == 0);
    sonde_expect(test, pthread_getaffinity_np(self, sizeof got, &got) == 0);
    sonde_expect(test, CPU_EQUAL(&cpus, &got));
    sonde_expect(test, pthread_getschedparam(self, &policy, &param) == 0);
    sonde_expect(test, pthread_setschedparam(self, policy, &param) == 0);
    sonde_expect(test, pthread_getcpuclockid(self, &clock) == 0);
    return NULL;
}
RIGHT(names_and_places_of_threads)
{
    pthread_t a, b;
    pthread_create(&a, NULL, describe_oneself, (void *)(uintptr_t) "first");
    pthread_create(&b, NULL, describe_oneself, (void *)(uintptr_t) "second");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}

/* A lock that knows its owner by the kernel's number of the thread. */
static atomic_int owner;
static void *lock_by_number(void *unused)
{
    int self = gettid(), nobody = 0;
    sonde_expect(test, self == (int)syscall(SYS_gettid));
    while (!atomic_compare_exchange_weak(&owner, &nobody, self)) nobody = 0;
    counter++;
    sonde_expect(test, owner == gettid());
    owner = 0;
    return unused;
}
RIGHT(lock_that_knows_its_owner)
{
    owner = counter = 0;
    start_two(lock_by_number, lock_by_number, NULL);
    sonde_check_eq(t, counter, 2);
}

static void *wait_for_semaphore(void *unused)
{
    sem_wait(&semaphore);
    return unused;
}
RIGHT(join_with_a_time)
{
    pthread_t a;
    struct timespec until;
    sem_init(&semaphore, 0, 0);
    pthread_create(&a, NULL, wait_for_semaphore, NULL);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    sonde_check_eq(t, pthread_timedjoin_np(a, NULL, &until), ETIMEDOUT);
    sem_post(&semaphore);
    until.tv_sec += 1000;
    int error = pthread_timedjoin_np(a, NULL, &until);
    sonde_check(t, error == 0 || error == ETIMEDOUT);
    if (error) pthread_join(a, NULL);
}
/* ---- Waiting */

static void begin_waiting(void)
{
    pthread_mutex_init(&mutex, NULL);
    pthread_cond_init(&condition, NULL);
    is_ready = counter = 0;
}
static void *take_when_ready(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (!is_ready) pthread_cond_wait(&condition, &mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return unused;
}
RIGHT(wait_in_a_loop)
{
    pthread_t a, b;
    begin_waiting();
    pthread_create(&a, NULL, take_when_ready, NULL);
    pthread_create(&b, NULL, take_when_ready, NULL);
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    sonde_check_eq(t, counter, 2);
}

static int slot, is_full;
static void *put_three(void *unused)
{
    for (int i = 1; i <= 3; i++) {
        pthread_mutex_lock(&mutex);
        while (is_full) pthread_cond_wait(&condition, &mutex);
        slot = i;
        is_full = 1;
        pthread_cond_broadcast(&condition);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}
static void *get_three(void *unused)
{
    for (int i = 1; i <= 3; i++) {
        pthread_mutex_lock(&mutex);
        while (!is_full) {
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_sec++;
            pthread_cond_timedwait(&condition, &mutex, &until);
        }
        sonde_expect(test, slot == i);
        is_full = 0;
        pthread_cond_broadcast(&condition);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}
RIGHT(hand_over_with_a_time)
{
    begin_waiting();
    is_full = 0;
    start_two(put_three, get_three, NULL);
}

/* The mutex of Drepper's "Futexes are tricky", section 4. */
static atomic_uint word;
static void lock_word(void)
{
    unsigned c = 0;
    if (atomic_compare_exchange_strong(&word, &c, 1)) return;
    if (c != 2) c = atomic_exchange(&word, 2);
    while (c) {
        syscall(SYS_futex, &word, FUTEX_WAIT, 2, NULL, NULL, 0);
        c = atomic_exchange(&word, 2);
    }
}
static void unlock_word(void)
{
    if (atomic_exchange(&word, 0) == 2) syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
}
static void *count_by_futex(void *unused)
{
    for (int i = 0; i < 2; i++) {
        lock_word();
        counter++;
        unlock_word();
    }
    return unused;
}
RIGHT(mutex_by_futexes)
{
    word = 0;
    counter = 0;
    start_two(count_by_futex, count_by_futex, NULL);
    sonde_check_eq(t, counter, 4);
}

static atomic_int never;
static void *give_up_spinning(void *unused)
{
    int i = 0;
    while (!never && i < 100000) i++;
    sonde_expect(test, i == 100000);
    return unused;
}
static void *do_nothing(void *unused)
{
    return unused;
}
RIGHT(spin_that_gives_up)
{
    never = 0;
    start_two(give_up_spinning, do_nothing, NULL);
}

static void *yield_often(void *unused)
{
    int i = 0;
    for (; i < 30000 && !never; i++) sched_yield();
    sonde_expect(test, i == 30000);
    return unused;
}
RIGHT(loop_of_yields)
{
    never = 0;
    start_two(yield_often, do_nothing, NULL);
}

/* ---- Locks made by hand */

static atomic_int wants[2], turn;
static void *enter_by_peterson(void *number)
{
    int self = (int)(intptr_t)number;
    for (int i = 0; i < 2; i++) {
        wants[self] = 1;
        turn = !self;
        while (wants[!self] && turn == !self) continue;
        counter++;
        wants[self] = 0;
    }
    return NULL;
}
RIGHT(algorithm_of_peterson)
{
    pthread_t a, b;
    counter = 0;
    wants[0] = wants[1] = turn = 0;
    pthread_create(&a, NULL, enter_by_peterson, (void *)0);
    pthread_create(&b, NULL, enter_by_peterson, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    sonde_check_eq(t, counter, 4);
}

static atomic_uint next_ticket, serving;
static void *count_by_ticket(void *unused)
{
    for (int i = 0; i < 2; i++) {
        unsigned own = atomic_fetch_add(&next_ticket, 1);
        while (serving != own) continue;
        counter++;
        serving = own + 1;
    }
    return unused;
}
RIGHT(ticket_lock)
{
    next_ticket = serving = 0;
    counter = 0;
    start_two(count_by_ticket, count_by_ticket, NULL);
    sonde_check_eq(t, counter, 4);
}

static void *count_by_trylock(void *unused)
{
    for (int i = 0; i < 2; i++) {
        while (pthread_mutex_trylock(&mutex) != 0) continue;
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}
RIGHT(lock_by_trying)
{
    begin_waiting();
    start_two(count_by_trylock, count_by_trylock, NULL);
    sonde_check_eq(t, counter, 4);
}

/* ---- Without locks */

static atomic_uint sequence;
static atomic_long pair[2];
static void *write_pairs(void *unused)
{
    for (int i = 0; i < 2; i++) {
        sequence++;
        pair[0] = i;
        pair[1] = i;
        sequence++;
    }
    return unused;
}
static void *read_pair(void *unused)
{
    unsigned before;
    long a, b;
    do {
        while ((before = sequence) & 1) continue;
        a = pair[0];
        b = pair[1];
    } while (sequence != before);
    sonde_expect(test, a == b);
    return unused;
}
RIGHT(sequence_lock)
{
    sequence = 0;
    pair[0] = pair[1] = 0;
    start_two(write_pairs, read_pair, NULL);
}

static _Atomic(int *) single;
static void *get_single(void *unused)
{
    int *o = single;
    if (!o) {
        pthread_mutex_lock(&mutex);
        o = single;
        if (!o) {
            o = malloc(sizeof *o);
            *o = 3;
            single = o;
            counter++;
        }
        pthread_mutex_unlock(&mutex);
    }
    sonde_expect(test, *o == 3);
    return unused;
}
RIGHT(double_checked_locking)
{
    begin_waiting();
    single = NULL;
    start_two(get_single, get_single, NULL);
    sonde_check_eq(t, counter, 1);
    free(single);
}

struct node {
    _Atomic(struct node *) next;
    int value;
};
static struct node stub, nodes[4], *tail;
static _Atomic(struct node *) head;
static void *push_two(void *first)
{
    for (struct node *n = first; n < (struct node *)first + 2; n++) {
        n->next = NULL;
        struct node *before = atomic_exchange(&head, n);
        before->next = n;
    }
    return NULL;
}
RIGHT(queue_of_many_producers)
{
    pthread_t a, b;
    int last[2] = {-1, -1};
    stub.next = NULL;
    head = tail = &stub;
    for (int i = 0; i < 4; i++) nodes[i].value = i;
    pthread_create(&a, NULL, push_two, nodes);
    pthread_create(&b, NULL, push_two, nodes + 2);
    for (int n = 0; n < 4;) {
        struct node *next = tail->next;
        if (!next) {
            sched_yield();
            continue;
        }
        tail = next;
        sonde_check_lt(t, last[next->value / 2], next->value);
        last[next->value / 2] = next->value;
        n++;
    }
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}

/* ---- Threads */

static once_flag flag;
static int calls;
static void call_it(void)
{
    calls++;
}
static int call_and_exit(void *unused)
{
    (void)unused;
    call_once(&flag, call_it);
    thrd_exit(3);
}
RIGHT(threads_of_c11)
{
    thrd_t a, b;
    int result;
    calls = 0;
    flag = (once_flag)ONCE_FLAG_INIT;
    thrd_create(&a, call_and_exit, NULL);
    thrd_create(&b, call_and_exit, NULL);
    thrd_join(a, &result);
    sonde_check_eq(t, result, 3);
    thrd_detach(b);
}

static pthread_key_t key;
static atomic_int destroyed;
static void destroy_value(void *p)
{
    destroyed += *(int *)p;
    free(p);
}
static void *set_value(void *unused)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    pthread_setspecific(key, p);
    sched_yield();
    sonde_expect(test, pthread_getspecific(key) == p);
    return unused;
}
RIGHT(keys_and_destructors)
{
    destroyed = 0;
    pthread_key_create(&key, destroy_value);
    start_two(set_value, set_value, NULL);
    pthread_key_delete(key);
    sonde_check_eq(t, (int)destroyed, 2);
}

static void *finish_late(void *unused)
{
    sched_yield();
    counter = 1;
    return unused;
}
RIGHT(first_thread_ends_first)
{
    pthread_t a;
    pthread_create(&a, NULL, finish_late, NULL);
    pthread_detach(a);
    pthread_exit(NULL);
}
/* ---- Time */

static pthread_rwlock_t rwlock;
static mtx_t mtx;
static cnd_t cnd;
static struct timespec in_a_second(clockid_t clock)
{
    struct timespec until;
    clock_gettime(clock, &until);
    until.tv_sec++;
    return until;
}
static void *try_in_time(void *unused)
{
    struct timespec real = in_a_second(CLOCK_REALTIME), steady = in_a_second(CLOCK_MONOTONIC);
    sonde_expect(test, pthread_mutex_timedlock(&mutex, &real) == ETIMEDOUT);
    sonde_expect(test, pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &steady) == ETIMEDOUT);
    sonde_expect(test, pthread_rwlock_timedrdlock(&rwlock, &real) == ETIMEDOUT);
    sonde_expect(test, pthread_rwlock_timedwrlock(&rwlock, &real) == ETIMEDOUT);
    sonde_expect(test, pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &steady) == ETIMEDOUT);
    sonde_expect(test, pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &steady) == ETIMEDOUT);
    sonde_expect(test, pthread_rwlock_tryrdlock(&rwlock) == EBUSY);
    sonde_expect(test, pthread_rwlock_trywrlock(&rwlock) == EBUSY);
    sonde_expect(test, sem_timedwait(&semaphore, &real) == -1 && errno == ETIMEDOUT);
    sonde_expect(test, sem_clockwait(&semaphore, CLOCK_MONOTONIC, &steady) == -1 && errno == ETIMEDOUT);
    sonde_expect(test, sem_trywait(&semaphore) == -1 && errno == EAGAIN);
    sonde_expect(test, mtx_timedlock(&mtx, &real) == thrd_timedout);
    sonde_expect(test, mtx_trylock(&mtx) == thrd_busy);
    return unused;
}
RIGHT(locks_that_are_not_given_in_time)
{
    pthread_t a;
    pthread_mutex_init(&mutex, NULL);
    pthread_rwlock_init(&rwlock, NULL);
    sem_init(&semaphore, 0, 0);
    mtx_init(&mtx, mtx_timed);
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    mtx_lock(&mtx);
    pthread_create(&a, NULL, try_in_time, NULL);
    pthread_join(a, NULL);
    mtx_unlock(&mtx);
    mtx_destroy(&mtx);
    pthread_rwlock_unlock(&rwlock);
    pthread_mutex_unlock(&mutex);
}

RIGHT(waits_that_end_by_time)
{
    struct timespec real = in_a_second(CLOCK_REALTIME), steady = in_a_second(CLOCK_MONOTONIC);
    int error;
    pthread_mutex_init(&mutex, NULL);
    pthread_cond_init(&condition, NULL);
    mtx_init(&mtx, mtx_plain);
    cnd_init(&cnd);
    pthread_mutex_lock(&mutex);
    do error = pthread_cond_timedwait(&condition, &mutex, &real);
    while (error == 0);
    sonde_check_eq(t, error, ETIMEDOUT);
    do error = pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &steady);
    while (error == 0);
    sonde_check_eq(t, error, ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    mtx_lock(&mtx);
    do error = cnd_timedwait(&cnd, &mtx, &real);
    while (error == thrd_success);
    sonde_check_eq(t, error, thrd_timedout);
    mtx_unlock(&mtx);
    cnd_broadcast(&cnd);
    cnd_destroy(&cnd);
}

static void *sleep_in_all_ways(void *unused)
{
    struct timespec before, after, short_time = {1, 0};
    struct timeval day;
    clock_gettime(CLOCK_MONOTONIC, &before);
    nanosleep(&short_time, NULL);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &short_time, NULL);
    usleep(500000);
    sleep(1);
    thrd_sleep(&short_time, NULL);
    clock_gettime(CLOCK_MONOTONIC, &after);
    sonde_expect(test, after.tv_sec - before.tv_sec >= 4);
    time_t now = time(NULL);
    sonde_expect(test, gettimeofday(&day, NULL) == 0 && day.tv_sec - now <= 1);
    sonde_expect(test, timespec_get(&after, TIME_UTC) == TIME_UTC && after.tv_sec - now <= 1);
    sonde_expect(test, clock() >= 0);
    return unused;
}
RIGHT(clocks_and_sleeping)
{
    start_two(sleep_in_all_ways, do_nothing, NULL);
}

/* ---- Descriptors */

static int ends[2];
static void *send_in_all_ways(void *unused)
{
    char letter = 'x';
    struct iovec part = {&letter, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    sonde_expect(test, send(ends[1], &letter, 1, 0) == 1);
    sonde_expect(test, sendto(ends[1], &letter, 1, 0, NULL, 0) == 1);
    sonde_expect(test, sendmsg(ends[1], &message, 0) == 1);
    sonde_expect(test, writev(ends[1], &part, 1) == 1);
    sonde_expect(test, write(ends[1], &letter, 1) == 1);
    return unused;
}
static void *receive_in_all_ways(void *unused)
{
    char letter = 0;
    struct iovec part = {&letter, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    struct pollfd poll_this = {ends[0], POLLIN, 0};
    sonde_expect(test, poll(&poll_this, 1, -1) == 1);
    sonde_expect(test, recv(ends[0], &letter, 1, 0) == 1 && letter == 'x');
    sonde_expect(test, recvfrom(ends[0], &letter, 1, 0, NULL, NULL) == 1);
    sonde_expect(test, recvmsg(ends[0], &message, 0) == 1);
    sonde_expect(test, readv(ends[0], &part, 1) == 1);
    sonde_expect(test, ppoll(&poll_this, 1, NULL, NULL) == 1);
    sonde_expect(test, read(ends[0], &letter, 1) == 1);
    sonde_expect(test, poll(&poll_this, 1, 1000) == 0);
    return unused;
}
RIGHT(messages_between_threads)
{
    sonde_check_eq(t, socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    start_two(receive_in_all_ways, send_in_all_ways, NULL);
    close(ends[0]);
    close(ends[1]);
}

enum { MUCH = 200000 };
static void *write_much(void *unused)
{
    static char bytes[MUCH];
    sonde_expect(test, write(ends[1], bytes, MUCH) == MUCH);
    return unused;
}
static void *read_much(void *unused)
{
    static char bytes[MUCH];
    for (size_t n = 0; n < MUCH;) {
        ssize_t got = read(ends[0], bytes, MUCH - n);
        sonde_expect(test, got > 0);
        if (got <= 0) break;
        n += (size_t)got;
    }
    return unused;
}
RIGHT(more_than_a_pipe_holds)
{
    sonde_check_eq(t, pipe(ends), 0);
    start_two(write_much, read_much, NULL);
    close(ends[0]);
    close(ends[1]);
}

static void *wait_by_epoll(void *unused)
{
    struct epoll_event event = {.events = EPOLLIN};
    int fd = epoll_create1(0);
    epoll_ctl(fd, EPOLL_CTL_ADD, ends[0], &event);
    sonde_expect(test, epoll_wait(fd, &event, 1, -1) == 1);
    sonde_expect(test, epoll_pwait(fd, &event, 1, -1, NULL) == 1);
    close(fd);
    return unused;
}
static void *write_one(void *unused)
{
    sonde_expect(test, write(ends[1], "x", 1) == 1);
    return unused;
}
RIGHT(wait_by_epoll_for_a_thread)
{
    sonde_check_eq(t, pipe(ends), 0);
    start_two(wait_by_epoll, write_one, NULL);
    close(ends[0]);
    close(ends[1]);
}

/* Whose result the model does not have: the report must name it. */
static void *lock_a_file(void *unused)
{
    int fd = open("locked", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    sonde_expect(test, flock(fd, LOCK_EX) == 0);
    close(fd);
    return unused;
}
RIGHT(lock_of_a_file)
{
    pthread_t a;
    pthread_create(&a, NULL, lock_a_file, NULL);
    pthread_join(a, NULL);
}
SONDE_MAIN()
