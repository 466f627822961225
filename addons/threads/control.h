/* Control over threads: which fiber runs, who waits for what, and when another has its turn.
 *
 * Every function of the code under test that another thread could notice is a step: it calls sonde_step before it acts. There, and
 * nowhere else, a thread that could go on may lose its turn. Who has it follows from the plan alone (base/schedule.h), which a case
 * draws, so a tape leads to the same run each time: no clock, address or number of the machine's is looked at.
 *
 * Threads have an order: lower levels first, then lower ranks, then older ones. When one waits or ends, the first in it that can run
 * goes on. A switch of the plan puts the running thread at the end (PCT: Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler with
 * Probabilistic Guarantees of Finding Bugs", ASPLOS 2010, section 3; there a thread of higher priority also takes
 * the turn when it becomes able to run; here only switches do, so that a schedule has as many preemptions as the plan has switches, and
 * ranks may be equal, so that 0 for all is a schedule, the simplest). */
#ifndef SONDE_THREADS_CONTROL_H
#define SONDE_THREADS_CONTROL_H

#include "base/schedule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SONDE_CALLER __builtin_return_address(0)
#define SONDE_HIDDEN __attribute__((visibility("hidden")))
#define SONDE_TLS _Thread_local __attribute__((tls_model("initial-exec")))

enum { SONDE_THREADS_MAX = 256, SONDE_FOREVER = 0, SONDE_SPIN_READS = 8, SONDE_VALUES = 8, SONDE_READINGS = 8 };

enum sonde_wait { SONDE_RUNS, SONDE_WAITS, SONDE_HAS_ENDED };

/* A value of pthread_setspecific. */
struct sonde_value {
    unsigned key;
    const void *value;
};

/* A lock that is held for reading, by so many calls. */
struct sonde_reading {
    const void *object, *site;
    uint32_t n;
};

struct sonde_fiber {
    void *sp;
    char *stack;
    size_t stack_size;
    uint32_t id, rank;
    int64_t level;
    enum sonde_wait state;
    /* While it waits. */
    const void *object;
    const char *what;  /* it waits for: "a mutex" */
    uint64_t deadline; /* in virtual nanoseconds; SONDE_FOREVER: it waits until it is woken */
    bool timed_out;
    bool may_wake; /* for no reason: what it waits for allows that */
    /* For reports. */
    const void *site, *created_at;
    /* A loop that changes nothing: reads that were there before, since it last wrote. */
    uint32_t spins;
    bool is_spinning;
    uint64_t changes_seen;
    uintptr_t reads[SONDE_SPIN_READS];
    uint32_t next_read;
    /* Whether such a loop can end by itself: its stack and registers when it has looked 100 times, while nothing changes. */
    uint64_t loop_state, loop_changes;
    uint32_t n_loop_states;
    bool repeats; /* it was in this state before: it never ends */
    /* As a thread. */
    void *(*fn)(void *arg);
    void *arg, *result;
    bool is_detached, is_joined;
    uint32_t locks_held;
    struct sonde_reading readings[SONDE_READINGS]; /* locks that it holds for reading; of more it is not known */
    uint32_t n_readings;
    uintptr_t base;              /* the frame that its function was called from; 0: its stack has no other */
    void *cleanup;               /* the innermost of pthread_cleanup_push */
    struct sonde_farewell *last; /* destructors of C++'s thread-locals, the newest first */
    struct sonde_value *values;
    uint32_t n_values, cap_values;
    int saved_errno;
    char *tls; /* what the program's thread-locals are while another runs */
};

/* ---- The run. All of it is one OS thread's. */

struct sonde_control {
    struct sonde_fiber *running; /* whose code runs; NULL: not of a thread under control, or the control itself */
    struct sonde_fiber *fibers;  /* SONDE_THREADS_MAX */
    uint32_t n_fibers, n_alive;
    bool is_unsettled; /* who comes first may have changed */
    uint64_t steps, next_switch;
    uint64_t n_late;  /* accesses behind plan->all_until that were no steps */
    uint64_t changes; /* of memory and of objects, that another thread could notice */
    uint64_t now;     /* virtual time in nanoseconds */
    uint32_t run;     /* number: what belongs to an earlier one is forgotten */
    const struct sonde_schedule_plan *plan;
};
extern struct sonde_control sonde_control SONDE_HIDDEN;

/* The thread under control that runs, NULL if the call comes from elsewhere: another OS thread, the case, sonde itself. */
extern SONDE_TLS bool sonde_is_controlled SONDE_HIDDEN;
static inline struct sonde_fiber *sonde_running(void)
{
    return __builtin_expect(sonde_is_controlled, 0) ? sonde_control.running : NULL;
}

/* Before the running thread does something; may give the turn to others. `changes`: others can notice. */
SONDE_HIDDEN void sonde_step(const char *what, const void *site, bool changes);
/* The same for a look at memory or an object that did not go further: a loop of them is a loop that waits. */
SONDE_HIDDEN void sonde_step_reading(const char *what, const void *site, uintptr_t address);
/* Something was changed behind the step. */
static inline void sonde_changed(void)
{
    sonde_control.changes++;
    sonde_control.running->spins = 0;
}

/* Waits until the object's waiters are woken, or the deadline is over: then false. Whoever is woken asks again. */
SONDE_HIDDEN bool sonde_wait_for(const void *object, const char *what, uint64_t deadline, const void *site);
/* The same, but it may also return true for no reason, if the plan has that. */
SONDE_HIDDEN bool sonde_wait_loosely(const void *object, const char *what, uint64_t deadline, const void *site);
/* At most so many of those that wait for the object can run again, the first in the order first; returns how many. */
SONDE_HIDDEN uint32_t sonde_wake(const void *object, uint32_t most);
/* The running thread comes after all others. */
SONDE_HIDDEN void sonde_come_last(void);

/* A new thread with a stack of at least so many bytes; NULL if there are too many, or no memory. */
SONDE_HIDDEN struct sonde_fiber *sonde_fiber_create(void *(*fn)(void *), void *arg, size_t stack, const void *site);
/* Ends the running thread. */
SONDE_HIDDEN __attribute__((noreturn)) void sonde_fiber_end(void *result);
/* Ends the run: something went wrong. The message is printf's. */
SONDE_HIDDEN __attribute__((noreturn, format(printf, 3, 4))) void sonde_end_run(enum sonde_schedule_end end,
                                                                                const void *site, const char *format,
                                                                                ...);
/* Leaves the case: the test uses sonde wrongly. */
SONDE_HIDDEN __attribute__((noreturn, format(printf, 2, 3))) void sonde_misused(const void *site, const char *format,
                                                                                ...);
/* The name of a loaded library that is not instrumented (unseen.c); "" if none is known. */
SONDE_HIDDEN void sonde_find_uninstrumented(char *out, size_t size);
/* The site is in sonde's own code (copies.c). */
SONDE_HIDDEN bool sonde_is_ours(const void *site);
/* Something that a thread did, for the report; what sonde does there itself is left out. */
SONDE_HIDDEN void sonde_note_of(const struct sonde_fiber *f, const char *what, const void *site);
/* A thread is started that is not under control. */
SONDE_HIDDEN void sonde_others_started(void);
/* The result so far, for who adds to it before sonde_end_run. */
SONDE_HIDDEN struct sonde_schedule_result *sonde_result_of_run(void);

/* Of what a thread leaves when it ends (objects.c, thread.c, tls.c). */
SONDE_HIDDEN void sonde_farewells(struct sonde_fiber *f);
SONDE_HIDDEN void sonde_values_end(struct sonde_fiber *f);
SONDE_HIDDEN void sonde_values_forget(struct sonde_fiber *f);
/* Before a run: finds the thread-locals of what is loaded. */
SONDE_HIDDEN void sonde_tls_look(void);
/* The address is that of a thread-local: each thread has another there. */
SONDE_HIDDEN bool sonde_is_local(const void *p);
/* Of sonde's own thread-locals, which belong to who has the baton (os.c): they are put down, and taken up in another OS thread. */
SONDE_HIDDEN void sonde_tls_give(void);
SONDE_HIDDEN void sonde_tls_take(void);
SONDE_HIDDEN void sonde_tls_begin(struct sonde_fiber *f);
SONDE_HIDDEN void sonde_tls_exchange(struct sonde_fiber *from, struct sonde_fiber *to);
/* Writes who holds the object, " that thread 2 holds", or nothing. */
SONDE_HIDDEN void sonde_holder_of(const void *object, char *out, size_t size);
/* "mutex" and where it was locked, of an object that a thread that has ended still holds; NULL: none. */
SONDE_HIDDEN const char *sonde_held_by(const struct sonde_fiber *f, const void **site);

/* ---- Sites (sites.c): which accesses to memory are steps. */
SONDE_HIDDEN bool sonde_site_is_step(const void *site, uintptr_t address, size_t size, bool writes);
/* Whether the warm-up, so far, saw threads share what this site touches, or did not see the site at all. */
SONDE_HIDDEN bool sonde_site_is_shared(const void *site);
SONDE_HIDDEN bool sonde_site_shares_local(const void *site, uintptr_t address, bool writes);
SONDE_HIDDEN void sonde_sites_begin(void);
/* Returns the table of the run with this number: the present one if it is frozen and of that run, else a new one. */
SONDE_HIDDEN struct sonde_learned *sonde_sites_prepare(uint64_t run);
SONDE_HIDDEN void sonde_sites_check(void);

/* A part of the program or of a library in memory. */
struct sonde_segment {
    uintptr_t inside, from, end; /* the address that was asked for; both 0 if it lies in none */
    uintptr_t base;              /* what addresses in the module count from */
};
SONDE_HIDDEN struct sonde_segment sonde_segment_of(uintptr_t address);
/* The site as an offset in its module: the same in every process. 1 if it lies in none. */
SONDE_HIDDEN uint64_t sonde_site_offset(const void *site);

/* The function of the C library that one of ours takes the place of. */
SONDE_HIDDEN void *sonde_real(const char *name);
#define SONDE_REAL(name)                                                                                               \
    __extension__({                                                                                                    \
        static __typeof__(&(name)) sonde_real_;                                                                        \
        if (!sonde_real_) sonde_real_ = (__typeof__(&(name)))(uintptr_t)sonde_real(#name);                             \
        sonde_real_;                                                                                                   \
    })

#endif
