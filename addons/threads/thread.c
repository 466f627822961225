#define _GNU_SOURCE /* pthread_getattr_np */
/* Replaces the functions of POSIX that create, join, detach and end threads, and those for values of keys. In
 * each, sonde_running tells whether a thread under control calls. If not, the function of the C library is called. */
#include "control.h"
#include "fiber.h"
#include "os.h"
#include "shadow.h"
#include "sync.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

void __libc_free(void *p);

enum { FIRST_HANDLE = 0x1000 }; /* the first handle of a fiber: below any address, and real handles are addresses */

/* Returns the handle of a thread. A fiber's handle is a small number that is the same in every run. */
static pthread_t handle_of(const struct sonde_fiber *f)
{
    return sonde_is_os() ? sonde_os_handle(f) : (pthread_t)(FIRST_HANDLE + f->id);
}

struct sonde_fiber *sonde_thread_find(pthread_t name)
{
    if (sonde_is_os()) return sonde_os_find(name);
    uintptr_t id = (uintptr_t)name - FIRST_HANDLE;
    return id < sonde_control.n_fibers ? &sonde_control.fibers[id] : NULL;
}

/* Takes a step before the creation and one after it, so that the new thread may run before its creator continues. */
int sonde_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*fn)(void *), void *arg,
                        const void *site)
{
    int detach = PTHREAD_CREATE_JOINABLE;
    size_t stack = 0;
    if (attributes) pthread_attr_getdetachstate(attributes, &detach);
    if (attributes) pthread_attr_getstacksize(attributes, &stack);
    sonde_step("creates a thread", site, true);
    struct sonde_fiber *f = sonde_fiber_create(fn, arg, stack, site);
    if (!f && sonde_control.n_fibers < SONDE_THREADS_MAX)
        sonde_misused(site, "sonde_threads: no memory for the stack of a thread (%zu bytes); request a smaller stack",
                      stack);
    if (!f) sonde_misused(site, "sonde_threads: more than %d threads in one run; start fewer", SONDE_THREADS_MAX);
    f->is_detached = detach == PTHREAD_CREATE_DETACHED;
    *thread = handle_of(f);
    sonde_step("has created a thread", site, false);
    return 0;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*fn)(void *), void *arg)
{
    if (!sonde_running()) {
        sonde_others_started();
        return SONDE_REAL(pthread_create)(thread, attributes, fn, arg);
    }
    return sonde_thread_create(thread, attributes, fn, arg, SONDE_CALLER);
}

/* Joining a thread twice, or one that was detached, is undefined in POSIX; here it ends the run. */
int sonde_thread_join(pthread_t thread, void **result, uint64_t deadline, const void *site)
{
    struct sonde_fiber *f = sonde_thread_find(thread);
    if (deadline != SONDE_JOIN_NOW) sonde_step("joins", site, false);
    else sonde_step_reading("tries to join", site, (uintptr_t)f);
    if (!f) return ESRCH;
    if (f->is_detached || f->is_joined)
        sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u joins thread %u, which was %s before",
                      sonde_control.running->id, f->id, f->is_detached ? "detached" : "joined");
    if (f == sonde_control.running) return EDEADLK;
    if (deadline == SONDE_JOIN_NOW && f->state != SONDE_HAS_ENDED) return EBUSY;
    while (f->state != SONDE_HAS_ENDED)
        if (!sonde_wait_for(f, "the end of a thread", deadline, site) && f->state != SONDE_HAS_ENDED) return ETIMEDOUT;
    f->is_joined = true;
    if (sonde_is_os()) sonde_os_join(f);
    sonde_acquire(f);
    if (result) *result = f->result;
    return 0;
}

int pthread_join(pthread_t thread, void **result)
{
    if (!sonde_running()) return SONDE_REAL(pthread_join)(thread, result);
    return sonde_thread_join(thread, result, SONDE_FOREVER, SONDE_CALLER);
}

int pthread_tryjoin_np(pthread_t thread, void **result)
{
    if (!sonde_running()) return SONDE_REAL(pthread_tryjoin_np)(thread, result);
    return sonde_thread_join(thread, result, SONDE_JOIN_NOW, SONDE_CALLER);
}

int sonde_thread_detach(pthread_t thread, const void *site)
{
    struct sonde_fiber *f = sonde_thread_find(thread);
    if (!f) return ESRCH;
    if (f->is_detached || f->is_joined)
        sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u detaches thread %u, which was %s before",
                      sonde_control.running->id, f->id, f->is_detached ? "detached" : "joined");
    f->is_detached = true;
    return 0;
}

int pthread_detach(pthread_t thread)
{
    if (!sonde_running()) return SONDE_REAL(pthread_detach)(thread);
    return sonde_thread_detach(thread, SONDE_CALLER);
}

/* ---- The end of a thread: handlers of pthread_cleanup_push run, and destructors of C++ objects on the stack.
 *
 * In C, pthread_cleanup_push expands to a sigsetjmp and a call of __pthread_register_cancel. To run the handlers,
 * unwind jumps to the innermost buffer. The code there runs the handler and calls __pthread_unwind_next, which comes
 * back here. In C++ the handlers are destructors, and a forced unwinding of the stack runs them. */

/* From libgcc_s, which a program in C++ has. In C there is nothing to unwind but the buffers. */
extern _Unwind_Reason_Code _Unwind_ForcedUnwind(struct _Unwind_Exception *exception, _Unwind_Stop_Fn stop, void *arg)
    __attribute__((weak));
extern _Unwind_Word _Unwind_GetCFA(struct _Unwind_Context *context) __attribute__((weak));

/* Decides after each frame whether the unwinding continues. At the end of the fiber's frames it ends the thread. */
static _Unwind_Reason_Code stop_at_base(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                        struct _Unwind_Exception *exception, struct _Unwind_Context *context,
                                        void *fiber)
{
    (void)version, (void)class, (void)exception;
    const struct sonde_fiber *f = fiber;
    bool is_outside = f->base && _Unwind_GetCFA && _Unwind_GetCFA(context) > f->base;
    if (actions & _UA_END_OF_STACK || is_outside) sonde_fiber_end(((struct sonde_fiber *)fiber)->result);
    return _URC_NO_REASON;
}

/* Runs the next cleanup handler, or destructors if there is none left, and ends the thread. */
static __attribute__((noreturn)) void unwind(struct sonde_fiber *f)
{
    void *innermost = f->cleanup;
    if (innermost) {
        f->cleanup = ((__pthread_unwind_buf_t *)innermost)->__pad[0];
        _longjmp(innermost, 1); /* the buffer begins with the part of a jmp_buf that _longjmp uses */
    }
    if (_Unwind_ForcedUnwind) {
        /* one for each thread: a destructor may lose its turn, and another thread may then end before it continues */
        static struct _Unwind_Exception exceptions[SONDE_THREADS_MAX];
        memset(&exceptions[f->id], 0, sizeof *exceptions);
        _Unwind_ForcedUnwind(&exceptions[f->id], stop_at_base, f);
    }
    sonde_fiber_end(f->result);
}

/* pthread_cleanup_push and pthread_cleanup_pop expand to calls of these in C. The first word of the padding links the
 * buffers of a thread. */
void __pthread_register_cancel(__pthread_unwind_buf_t *buffer);
void __pthread_unregister_cancel(__pthread_unwind_buf_t *buffer);
__attribute__((noreturn)) void __pthread_unwind_next(__pthread_unwind_buf_t *buffer);
void __pthread_register_cancel(__pthread_unwind_buf_t *buffer)
{
    struct sonde_fiber *f = sonde_running();
    if (!f) {
        SONDE_REAL(__pthread_register_cancel)(buffer);
        return;
    }
    buffer->__pad[0] = f->cleanup;
    f->cleanup = buffer;
}

void __pthread_unregister_cancel(__pthread_unwind_buf_t *buffer)
{
    struct sonde_fiber *f = sonde_running();
    if (f) f->cleanup = buffer->__pad[0];
    else SONDE_REAL(__pthread_unregister_cancel)(buffer);
}

void __pthread_unwind_next(__pthread_unwind_buf_t *buffer)
{
    if (!sonde_running()) SONDE_REAL(__pthread_unwind_next)(buffer);
    unwind(sonde_control.running);
}

void pthread_exit(void *result)
{
    if (!sonde_running()) SONDE_REAL(pthread_exit)(result);
    sonde_control.running->result = result;
    unwind(sonde_control.running);
}

/* A destructor to be called when its thread ends. */
struct sonde_destructor {
    void (*fn)(void *object);
    void *object;
    struct sonde_destructor *next;
};

/* Registers the destructor of a C++ thread-local. In thread 0, leaves it to the C library: the thread-locals there
 * belong to the thread of the case, which lives longer than the run. */
int __cxa_thread_atexit_impl(void (*fn)(void *), void *object, void *library);
int __cxa_thread_atexit_impl(void (*fn)(void *), void *object, void *library)
{
    struct sonde_fiber *f = sonde_running();
    if (!f || f->id == 0) return SONDE_REAL(__cxa_thread_atexit_impl)(fn, object, library);
    struct sonde_destructor *new = malloc(sizeof *new);
    if (!new) return ENOMEM;
    *new = (struct sonde_destructor){fn, object, f->destructors};
    f->destructors = new;
    return 0;
}

/* Calls __libc_free, because free() is a step while a thread is under control. */
void sonde_locals_end(struct sonde_fiber *f)
{
    while (f->destructors) {
        struct sonde_destructor newest = *f->destructors;
        __libc_free(f->destructors);
        f->destructors = newest.next;
        newest.fn(newest.object);
    }
}

pthread_t pthread_self(void)
{
    return sonde_running() ? handle_of(sonde_control.running) : SONDE_REAL(pthread_self)();
}

/* Returns only the stack of a fiber; the other attributes have their defaults. */
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    struct sonde_fiber *f = sonde_running() && !sonde_is_os() ? sonde_thread_find(thread) : NULL;
    if (!f) return SONDE_REAL(pthread_getattr_np)(thread, attributes);
    int error = pthread_attr_init(attributes);
    return error ? error : pthread_attr_setstack(attributes, f->stack, f->stack_size);
}

int pthread_cancel(pthread_t thread)
{
    if (sonde_running()) sonde_refuse_call("pthread_cancel()", SONDE_CALLER);
    return SONDE_REAL(pthread_cancel)(thread);
}

/* ---- Values of keys. A key that is created under control gets a number that no real key has. A run that is left in
 * the middle does not delete its keys, and would soon use up the real ones. */

enum {
    REAL_KEYS = 1024,    /* PTHREAD_KEYS_MAX */
    FIRST_KEY = 1 << 16, /* above all real keys */
    KEYS = 1 << 12,      /* maximum number of keys in use at once */
    ROUNDS = 4           /* rounds of destructors, as PTHREAD_DESTRUCTOR_ITERATIONS */
};

static void (*real_destructors[REAL_KEYS])(void *); /* destructors of real keys, which fibers may use, too */
static struct {
    bool is_used;
    void (*destructor)(void *);
} keys[KEYS]; /* indexed by key - FIRST_KEY */

/* Returns the destructor of a key; NULL if it has none or was deleted. */
static void (*destructor_of(unsigned key))(void *)
{
    if (key >= FIRST_KEY) return keys[key - FIRST_KEY].is_used ? keys[key - FIRST_KEY].destructor : NULL;
    return key < REAL_KEYS ? real_destructors[key] : NULL;
}

/* Records destructors of real keys, too, because fibers may have values of keys that were created before the run. */
int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    static unsigned next;
    if (!sonde_running()) {
        int error = SONDE_REAL(pthread_key_create)(key, destructor);
        if (!error && *key < REAL_KEYS) real_destructors[*key] = destructor;
        return error;
    }
    for (unsigned i = 0; i < KEYS; i++, next++) {
        if (keys[next % KEYS].is_used) continue;
        keys[next % KEYS].is_used = true;
        keys[next % KEYS].destructor = destructor;
        *key = FIRST_KEY + next++ % KEYS;
        return 0;
    }
    memset(keys, 0, sizeof keys); /* all keys in use are from runs that were left */
    return pthread_key_create(key, destructor);
}

int pthread_key_delete(pthread_key_t key)
{
    if (key < FIRST_KEY) return SONDE_REAL(pthread_key_delete)(key);
    keys[(key - FIRST_KEY) % KEYS].is_used = false;
    return 0;
}

static struct sonde_value *find_value(struct sonde_fiber *f, unsigned key)
{
    for (uint32_t i = 0; i < f->n_values; i++)
        if (f->values[i].key == key) return &f->values[i];
    return NULL;
}

/* Also returns, to thread 0, the values that the thread of the case has set before the run. */
void *pthread_getspecific(pthread_key_t key)
{
    struct sonde_fiber *f = sonde_running();
    if (!f) return key < FIRST_KEY ? SONDE_REAL(pthread_getspecific)(key) : NULL;
    struct sonde_value *v = find_value(f, key);
    if (!v && f->id == 0 && key < FIRST_KEY) return SONDE_REAL(pthread_getspecific)(key); /* the thread of the case */
    return v ? (void *)(uintptr_t)v->value : NULL;
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
    struct sonde_fiber *f = sonde_running();
    if (!f) return key < FIRST_KEY ? SONDE_REAL(pthread_setspecific)(key, value) : EINVAL;
    struct sonde_value *v = find_value(f, key);
    if (v) {
        v->value = value;
        return 0;
    }
    if (f->n_values == f->cap_values) {
        uint32_t cap = f->cap_values ? 2 * f->cap_values : SONDE_VALUES;
        struct sonde_value *values = realloc(f->values, cap * sizeof *values);
        if (!values) return ENOMEM;
        f->values = values;
        f->cap_values = cap;
    }
    f->values[f->n_values++] = (struct sonde_value){.key = key, .value = value};
    return 0;
}

/* Calls destructors in several rounds, because a destructor may set values again. */
void sonde_values_end(struct sonde_fiber *f)
{
    bool is_over = f->id == 0; /* thread 0 continues as the thread of the case */
    for (int round = 0; round < ROUNDS && !is_over; round++) {
        is_over = true;
        for (uint32_t i = 0; i < f->n_values; i++) {
            void *value = (void *)(uintptr_t)f->values[i].value;
            void (*destroy)(void *) = destructor_of(f->values[i].key);
            f->values[i].value = NULL;
            if (!value || !destroy) continue;
            is_over = false;
            destroy(value);
        }
    }
}

void sonde_values_forget(struct sonde_fiber *f)
{
    while (f->destructors) {
        struct sonde_destructor *newest = f->destructors;
        f->destructors = newest->next;
        __libc_free(newest);
    }
    f->n_values = 0;
}
