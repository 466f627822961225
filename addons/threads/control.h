/* The scheduler of threads under control: which fiber runs, what each waits for, and when another gets its turn.
 *
 * Every action of the code under test that another thread could notice is a step: it calls sonde_step before it
 * acts. Only there can a runnable thread lose its turn. The plan alone (base/schedule.h), which a case draws,
 * decides which thread runs. No clock, address or other number of the machine matters, so a tape leads to the same
 * run each time.
 *
 * Threads are ordered: lower levels first, then lower ranks, then older ones. When a thread waits or ends, the
 * first runnable one continues. A switch of the plan puts the running thread at the end of the order. This is PCT:
 * Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler with Probabilistic Guarantees of Finding
 * Bugs", ASPLOS 2010, section 3. There are two differences:
 * - In PCT a thread of higher priority also takes the turn when it becomes runnable. Here only switches preempt,
 *   so a schedule has as many preemptions as the plan has switches.
 * - Ranks may be equal, so that 0 for all is a valid schedule, the simplest one. */
#ifndef SONDE_THREADS_CONTROL_H
#define SONDE_THREADS_CONTROL_H

#include "base/schedule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SONDE_CALLER __builtin_return_address(0)
#define SONDE_HIDDEN __attribute__((visibility("hidden")))
#define SONDE_TLS _Thread_local __attribute__((tls_model("initial-exec")))

enum {
    SONDE_THREADS_MAX = 256, /* maximum number of threads per run; a thread's number fits into a byte (shadow.c) */
    SONDE_FOREVER = 0,       /* value of a deadline that never comes */
    SONDE_SPIN_READS = 8,    /* maximum number of different reads in a loop that waits */
    SONDE_VALUES = 8,        /* values of keys per thread before the array grows */
    SONDE_READINGS = 8       /* maximum number of read locks that are tracked for a thread */
};

/* States of a thread. */
enum sonde_wait { SONDE_RUNS, SONDE_WAITS, SONDE_HAS_ENDED };

/* A value of pthread_setspecific. */
struct sonde_value {
    unsigned key;
    const void *value;
};

/* A lock that a thread holds for reading, after n calls. */
struct sonde_reading {
    const void *object, *site;
    uint32_t n;
};

/* A thread under control. With --threads=os it is an OS thread, but still called a fiber here. */
struct sonde_fiber {
    void *sp; /* stack pointer while another thread runs */
    char *stack;
    size_t stack_size;
    uint32_t id, rank;
    int64_t level;
    enum sonde_wait state;
    /* Valid while the thread waits. */
    const void *object;
    const char *what;  /* what the thread waits for, such as "a mutex" */
    uint64_t deadline; /* end of the wait in virtual nanoseconds; SONDE_FOREVER: none */
    bool timed_out;
    bool may_wake; /* the wait may end spuriously, as a condition variable allows */
    /* Locations in the code, for reports. */
    const void *site, *created_at;
    /* To detect a loop that waits: such a loop repeats the reads below, and changes nothing. */
    uint32_t spins;        /* repeated reads since the last change */
    bool is_spinning;      /* the thread is not runnable until something changes */
    uint64_t changes_seen; /* value of sonde_control.changes when the thread began to spin */
    uintptr_t reads[SONDE_SPIN_READS];
    uint32_t next_read;
    /* To detect that such a loop never ends: hashes of its stack and registers, taken after every 100 reads. */
    uint64_t loop_state, loop_changes;
    uint32_t n_loop_states;
    bool repeats; /* the loop was in this state before, so it never ends */
    /* The attributes of a POSIX thread. */
    void *(*fn)(void *arg);
    void *arg, *result;
    bool is_detached, is_joined;
    uint32_t locks_held;
    struct sonde_reading readings[SONDE_READINGS]; /* locks held for reading; if there are too many, none is reported */
    uint32_t n_readings;
    uintptr_t base;                       /* frame that called its function; 0: the stack has no frame outside of it */
    void *cleanup;                        /* innermost buffer of pthread_cleanup_push */
    struct sonde_destructor *destructors; /* destructors of C++ thread-locals, the newest first */
    struct sonde_value *values;
    uint32_t n_values, cap_values;
    int saved_errno; /* errno of the thread while another one runs */
    char *tls;       /* copy of the program's thread-locals while another thread runs */
};

/* ---- The run. Only an OS thread that runs a thread under control uses this state. */

/* The state of a run. */
struct sonde_control {
    struct sonde_fiber *running; /* the thread that has its turn; NULL outside of a run */
    struct sonde_fiber *fibers;  /* array of SONDE_THREADS_MAX fibers */
    uint32_t n_fibers, n_alive;
    bool is_order_stale; /* the first thread in the order may have changed; the next step finds out */
    uint64_t steps, next_switch;
    uint64_t n_late;  /* number of accesses after plan->all_until that were not steps */
    uint64_t changes; /* number of changes to memory and objects that another thread could notice */
    uint64_t now;     /* virtual time in nanoseconds */
    uint32_t run;     /* number of the run; tables ignore entries of earlier runs */
    const struct sonde_schedule_plan *plan;
};
extern struct sonde_control sonde_control SONDE_HIDDEN;

/* Whether this OS thread runs code under control. It is false in other OS threads, in the case, and inside sonde. */
extern SONDE_TLS bool sonde_is_controlled SONDE_HIDDEN;
/* Returns the thread under control that calls; NULL if the call comes from elsewhere. */
static inline struct sonde_fiber *sonde_running(void)
{
    return __builtin_expect(sonde_is_controlled, 0) ? sonde_control.running : NULL;
}

/* Announces what the running thread is about to do, and lets other threads run first at a switch of the plan.
 * `changes`: other threads can notice the action. */
SONDE_HIDDEN void sonde_step(const char *what, const void *site, bool changes);
/* Announces a read of memory, or a failed attempt to take an object. A loop of only such steps counts as a loop that
 * waits. */
SONDE_HIDDEN void sonde_step_reading(const char *what, const void *site, uintptr_t address);
/* Records that the running thread has changed something since its step. */
static inline void sonde_changed(void)
{
    sonde_control.changes++;
    sonde_control.running->spins = 0;
}

/* Waits until sonde_wake wakes waiters of the object. Returns false if the deadline came first. The caller must
 * check its condition again. */
SONDE_HIDDEN bool sonde_wait_for(const void *object, const char *what, uint64_t deadline, const void *site);
/* Waits like sonde_wait_for, but may also return true spuriously, at a switch of the plan. */
SONDE_HIDDEN bool sonde_wait_spuriously(const void *object, const char *what, uint64_t deadline, const void *site);
/* Makes threads that wait for the object runnable, at most `most`, in their order. Returns how many. */
SONDE_HIDDEN uint32_t sonde_wake(const void *object, uint32_t most);
/* Moves the running thread to the end of the order. */
SONDE_HIDDEN void sonde_come_last(void);

/* Creates a thread with a stack of at least `stack` bytes. Returns NULL if there are too many threads, or no
 * memory. */
SONDE_HIDDEN struct sonde_fiber *sonde_fiber_create(void *(*fn)(void *), void *arg, size_t stack, const void *site);
/* Ends the running thread. */
SONDE_HIDDEN __attribute__((noreturn)) void sonde_fiber_end(void *result);
/* Ends the run with a failure, whose message is formatted as by printf. */
SONDE_HIDDEN __attribute__((noreturn, format(printf, 3, 4))) void sonde_end_run(enum sonde_schedule_end end,
                                                                                const void *site, const char *format,
                                                                                ...);
/* Leaves the case with a misuse: the test uses sonde wrongly. */
SONDE_HIDDEN __attribute__((noreturn, format(printf, 2, 3))) void sonde_misused(const void *site, const char *format,
                                                                                ...);
/* Writes the name of a loaded library that is not instrumented (unseen.c); "" if none is known. */
SONDE_HIDDEN void sonde_find_uninstrumented(char *out, size_t size);
/* Returns whether the site is in sonde's code (copies.c). */
SONDE_HIDDEN bool sonde_is_ours(const void *site);
/* Records an action of a thread for the report; ignores actions of sonde itself. */
SONDE_HIDDEN void sonde_note_of(const struct sonde_fiber *f, const char *what, const void *site);
/* Counts a thread that is started and is not under control. */
SONDE_HIDDEN void sonde_others_started(void);
/* Returns the result of the run, for callers that add to it before sonde_end_run. */
SONDE_HIDDEN struct sonde_schedule_result *sonde_result_of_run(void);

/* ---- The end of a thread (thread.c) */

/* Calls the destructors of a thread's C++ thread-locals, the newest first. */
SONDE_HIDDEN void sonde_locals_end(struct sonde_fiber *f);
/* Calls the destructors of a thread's values of keys (pthread_setspecific). */
SONDE_HIDDEN void sonde_values_end(struct sonde_fiber *f);
/* Forgets the values and destructors of a thread without calling any, for a run that was left in the middle. */
SONDE_HIDDEN void sonde_values_forget(struct sonde_fiber *f);

/* ---- Thread-locals (tls.c) */

/* Finds the thread-locals of everything that is loaded; called before each run. */
SONDE_HIDDEN void sonde_tls_look(void);
/* Returns whether an address belongs to a thread-local, so that each thread has a separate variable. */
SONDE_HIDDEN bool sonde_is_local(const void *p);
/* Saves the thread-locals of sonde, so that another OS thread can take them over with its turn (os.c). */
SONDE_HIDDEN void sonde_tls_give(void);
/* Loads the saved thread-locals of sonde into this OS thread. */
SONDE_HIDDEN void sonde_tls_take(void);
/* Sets the thread-locals of a new fiber to their initial values. */
SONDE_HIDDEN void sonde_tls_begin(struct sonde_fiber *f);
/* Saves the thread-locals of one fiber and loads those saved for the other. */
SONDE_HIDDEN void sonde_tls_exchange(struct sonde_fiber *from, struct sonde_fiber *to);

/* ---- Locks that are held (objects.c) */

/* Writes the holder of an object in words, such as " that thread 2 holds"; "" if there is none. */
SONDE_HIDDEN void sonde_holder_of(const void *object, char *out, size_t size);
/* Returns the kind of an object that a thread holds, such as "mutex"; NULL if it holds none. Sets *site to where the
 * thread took it. */
SONDE_HIDDEN const char *sonde_held_by(const struct sonde_fiber *f, const void **site);

/* ---- Sites (sites.c): which accesses to memory are steps */

/* Returns whether an access is a step. During a warm-up every access is, and the function learns which sites share
 * memory. */
SONDE_HIDDEN bool sonde_site_is_step(const void *site, uintptr_t address, size_t size, bool writes);
/* Returns whether the warm-up, so far, saw threads share memory at this site, or did not see the site at all. */
SONDE_HIDDEN bool sonde_site_is_shared(const void *site);
/* Returns whether the warm-up saw another thread use a thread-local at this site. */
SONDE_HIDDEN bool sonde_site_shares_local(const void *site, uintptr_t address, bool writes);
/* Counts a run of the warm-up. */
SONDE_HIDDEN void sonde_sites_begin(void);
/* Returns the table for the run with this number: the present one if it is frozen and belongs to that run, else a new
 * one. NULL if there is no memory. */
SONDE_HIDDEN struct sonde_learned *sonde_sites_prepare(uint64_t run);
/* Asserts the invariants of the tables. */
SONDE_HIDDEN void sonde_sites_check(void);

/* A segment of the program or of a library in memory. */
struct sonde_segment {
    uintptr_t inside, from, end; /* the address that was looked up; bounds of the segment, both 0 if there is none */
    uintptr_t base;              /* load address of the module */
};
/* Returns the segment that holds an address. */
SONDE_HIDDEN struct sonde_segment sonde_segment_of(uintptr_t address);
/* Returns the site as an offset in its module, which is the same in every process; 1 if it is in no module. */
SONDE_HIDDEN uint64_t sonde_site_offset(const void *site);

/* Returns the C library's function of this name, which a function of this add-on replaces. */
SONDE_HIDDEN void *sonde_real(const char *name);
/* Expands to the C library's function with its type. Each use in the source looks it up once. */
#define SONDE_REAL(name)                                                                                               \
    __extension__({                                                                                                    \
        static __typeof__(&(name)) sonde_real_;                                                                        \
        if (!sonde_real_) sonde_real_ = (__typeof__(&(name)))(uintptr_t)sonde_real(#name);                             \
        sonde_real_;                                                                                                   \
    })

#endif
