#define _GNU_SOURCE /* uselocale */
/* Exchanges state that the processor and the C library keep per thread: the floating-point environment, the locale
 * of uselocale, the signal mask, and h_errno. It also keeps the cancellation state of each fiber. Fibers share one
 * OS thread, so this state is exchanged with the turn; control.c has the overview.
 *
 * A new thread inherits what a real one does: the floating-point environment and the signal mask of its creator,
 * but not its locale. */
#include "state.h"

#include "os.h"

#include <errno.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

/* ---- Floating point */

#if defined(__x86_64__)

enum { X87_FLAGS = 0x3f }; /* the six exception flags of the status word */

/* The environment as fnstenv writes it. */
struct x87_environment {
    uint16_t control, unused1, status, unused2, words[10];
};

/* Saves control and status of SSE and of the x87, which long double uses. */
static void save_floats(struct sonde_floats *f)
{
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2" : "=m"(f->sse), "=m"(f->x87), "=m"(f->x87_status));
}

/* Loads what differs from `from`, the present state. Loading is slow, and two threads rarely differ. The x87 has no
 * instruction that loads its status word alone, so the whole environment is read and written. */
static void set_floats(const struct sonde_floats *from, const struct sonde_floats *to)
{
    if (from->sse != to->sse) __asm__ volatile("ldmxcsr %0" : : "m"(to->sse));
    if (from->x87 != to->x87) __asm__ volatile("fldcw %0" : : "m"(to->x87));
    if (((from->x87_status ^ to->x87_status) & X87_FLAGS) == 0) return;
    struct x87_environment e;
    __asm__ volatile("fnstenv %0" : "=m"(e));
    e.status = (uint16_t)((e.status & ~X87_FLAGS) | (to->x87_status & X87_FLAGS));
    e.control = to->x87; /* restores the exception masks: fnstenv has masked all exceptions */
    __asm__ volatile("fldenv %0" : : "m"(e));
}

#elif defined(__aarch64__)

static void save_floats(struct sonde_floats *f)
{
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(f->control), "=r"(f->status));
}

static void set_floats(const struct sonde_floats *from, const struct sonde_floats *to)
{
    if (from->control != to->control) __asm__ volatile("msr fpcr, %0" : : "r"(to->control));
    if (from->status != to->status) __asm__ volatile("msr fpsr, %0" : : "r"(to->status));
}

#else

static void save_floats(struct sonde_floats *f)
{
    fegetenv(&f->environment);
}

static void set_floats(const struct sonde_floats *from, const struct sonde_floats *to)
{
    (void)from;
    fesetenv(&to->environment);
}

#endif

/* ---- The state of each fiber */

static struct sonde_state states[SONDE_THREADS_MAX]; /* indexed by number of the fiber */
static bool has_masks;                               /* a thread of this run has changed its signal mask */

/* Thread 0 begins with the state of the thread of the case. */
void sonde_state_begin(const struct sonde_fiber *f)
{
    struct sonde_state *s = &states[f->id];
    bool is_first = f->id == 0;
    if (is_first) has_masks = false;
    save_floats(&s->floats);
    s->locale = LC_GLOBAL_LOCALE;
    s->cancel_state = s->cancel_type = s->resolver_error = 0;
    if (is_first) s->locale = SONDE_REAL(uselocale)((locale_t)0);
    else if (has_masks) s->mask = states[sonde_control.running->id].mask;
}

/* Exchanges locale and mask only if they differ, because a switch must be cheap: a system call takes longer than the
 * rest of it. */
void sonde_state_exchange(const struct sonde_fiber *from, const struct sonde_fiber *to)
{
    struct sonde_state *a = &states[from->id], *b = &states[to->id];
    if (a == b) return;
    save_floats(&a->floats);
    set_floats(&a->floats, &b->floats);
    a->resolver_error = h_errno;
    h_errno = b->resolver_error;
    if (a->locale != b->locale) SONDE_REAL(uselocale)(b->locale);
    if (has_masks && memcmp(&a->mask, &b->mask, sizeof a->mask) != 0)
        SONDE_REAL(pthread_sigmask)(SIG_SETMASK, &b->mask, NULL);
}

/* Returns the state of the running fiber; NULL outside of fibers. */
static struct sonde_state *own_state(void)
{
    return sonde_running() && !sonde_is_os() ? &states[sonde_control.running->id] : NULL;
}

locale_t uselocale(locale_t new)
{
    struct sonde_state *s = own_state();
    locale_t before = SONDE_REAL(uselocale)(new);
    if (s && new &&before) s->locale = new;
    return before;
}

/* ---- Signal masks. All threads have the same one until a thread changes it. So most runs need no system call here. */

void sonde_state_mask(const sigset_t *mask)
{
    struct sonde_state *s = own_state();
    if (!s) return;
    if (!has_masks) {
        sigset_t all;
        SONDE_REAL(pthread_sigmask)(SIG_SETMASK, NULL, &all);
        for (uint32_t i = 0; i < sonde_control.n_fibers; i++) states[i].mask = all;
    }
    has_masks = true;
    s->mask = *mask;
}

/* Changes the mask of the running fiber, and records the new one as the kernel has it afterwards. At the first
 * change of a run, the mask before it is recorded for all other threads. */
static int change_mask(int how, const sigset_t *new, sigset_t *before)
{
    sigset_t old, now;
    SONDE_REAL(pthread_sigmask)(SIG_SETMASK, NULL, &old);
    if (own_state() && new && !has_masks) sonde_state_mask(&old);
    int error = SONDE_REAL(pthread_sigmask)(how, new, before);
    if (error || !new) return error;
    SONDE_REAL(pthread_sigmask)(SIG_SETMASK, NULL, &now);
    sonde_state_mask(&now);
    return 0;
}

int pthread_sigmask(int how, const sigset_t *restrict new, sigset_t *restrict before)
{
    if (!own_state()) return SONDE_REAL(pthread_sigmask)(how, new, before);
    return change_mask(how, new, before);
}

int sigprocmask(int how, const sigset_t *restrict new, sigset_t *restrict before)
{
    if (!own_state()) return SONDE_REAL(sigprocmask)(how, new, before);
    int error = change_mask(how, new, before);
    if (!error) return 0;
    errno = error;
    return -1;
}

/* ---- Cancellation. pthread_cancel is refused, but threads may set and query their state. */

int pthread_setcancelstate(int state, int *before)
{
    struct sonde_state *s = own_state();
    if (!s) return SONDE_REAL(pthread_setcancelstate)(state, before);
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
    if (before) *before = s->cancel_state;
    s->cancel_state = state;
    return 0;
}

int pthread_setcanceltype(int type, int *before)
{
    struct sonde_state *s = own_state();
    if (!s) return SONDE_REAL(pthread_setcanceltype)(type, before);
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
    if (before) *before = s->cancel_type;
    s->cancel_type = type;
    return 0;
}
