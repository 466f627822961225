/* Threads whose schedule is on the tape (sonde_threads): the seam between a case, which draws the schedule, and addons/threads/, which
 * runs the code under test by it.
 *
 * The threads live outside of this library, as failing calls do (base/faults.h), because they take the place of functions of the
 * C library. A program has them if it was linked by `sonde cc --threads`. */
#ifndef SONDE_BASE_SCHEDULE_H
#define SONDE_BASE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sonde;

/* Something that a thread did, in the order in which it happened. */
struct sonde_moment {
    uint32_t thread;
    bool is_preempted; /* it could have gone on, and another was next */
    const char *what;  /* static */
    const void *site;  /* where it returns to */
};

/* What of threads the model does not have, where a case met it (case/unseen.c has the sentences). */
enum sonde_unseen {
    SONDE_UNSEEN_ORDERS = 1 << 0, /* atomic operations asked for less than they got */
    SONDE_UNSEEN_LATE = 1 << 1,   /* a run was much longer than those of the warm-up: no switch came near its end */
    SONDE_UNSEEN_OTHERS = 1 << 2, /* a thread ran that is not under control */
    SONDE_UNSEEN_RACES = 1 << 3   /* plain accesses that nothing orders */
};

/* What is known of a case's threads while they run, also to who comes after a crash. Lies in the case. */
struct sonde_schedule {
    bool is_elsewhere;              /* a thread runs that is not the first */
    uint32_t running;               /* its number */
    unsigned unseen;                /* of enum sonde_unseen */
    char unmodelled[96];            /* calls that the model does not have: "flock() dlerror()" */
    uint32_t n_threads, n_switches; /* switches: from threads that could have gone on */
    int runs_in;                    /* the kernel's number of the thread whose turn it is; 0: that of the case */
    struct sonde_moment *moments;   /* of a case that is shown; NULL: none are kept */
    uint32_t n_moments, cap_moments;
};

/* Who continues at a switch: the first in the order, or, whatever its rank, one by its age; or one that waits for a signal or a futex, and wakes up
 * without: POSIX, C11 and the kernel allow that. Where none waits so, the next by age. */
enum sonde_switch_to { SONDE_TO_FIRST, SONDE_TO_NEXT, SONDE_TO_OLDEST, SONDE_TO_YOUNGEST, SONDE_TO_WAITER };

/* Behind so many steps, the running thread comes after all others. */
struct sonde_switch {
    uint64_t at;
    enum sonde_switch_to to;
};

struct sonde_schedule_plan {
    const struct sonde_switch *switches; /* ascending */
    uint32_t n_switches;
    const uint32_t *ranks; /* by thread, the first being the function itself: lower ones first, then older ones */
    uint32_t n_ranks;
    bool finds_races; /* by happens-before; in a warm-up they are noted and do not end the run */
    uint64_t
        all_until; /* before this step every access to memory is a step, also at sites that the warm-up saw as private */
    uint64_t *random; /* state of a warm-up's own numbers: no plan, and sites are learned; NULL: by the plan */
    /* Leaves the case: what is run there misuses sonde, at this place. */
    void (*misuse)(struct sonde *t, const void *site, const char *message);
    /* The OS thread that calls this is the one that runs the case from now on. */
    void (*here)(struct sonde *t);
    struct sonde *t; /* for misuse and here */
    struct sonde_schedule *schedule;
};

enum sonde_schedule_end {
    SONDE_SCHEDULE_DONE,
    SONDE_SCHEDULE_LEFT,     /* a thread leaves the case */
    SONDE_SCHEDULE_DEADLOCK, /* all wait, for each other or for nobody */
    SONDE_SCHEDULE_STUCK,    /* those that can run change nothing */
    SONDE_SCHEDULE_LEAK,     /* threads are left over */
    SONDE_SCHEDULE_RACE,
    SONDE_SCHEDULE_WRONG, /* a lock, a thread or memory was used as it must not be */
    SONDE_SCHEDULE_LONG   /* too many steps */
};

struct sonde_schedule_result {
    enum sonde_schedule_end end;
    uint64_t n_steps;
    uint64_t identity;    /* of what went wrong: where in the program, by offsets */
    const void *place[2]; /* where; NULL: nowhere */
    char message[1024];   /* what went wrong, without places */
};

/* What a warm-up learned, in memory that its process shares with the one that began it. */
struct sonde_learned {
    bool is_frozen;
    uint64_t run;       /* number of the run that it belongs to: each has one property */
    uint32_t n_threads; /* the most that ran in one case */
    uint64_t n_steps;   /* the most of one case */
    uint64_t n_runs;
    uint64_t n_all_steps; /* of all cases */
    bool has_races;       /* plain accesses were seen that nothing orders */
    uint64_t n_begun;     /* cases, runs with threads being n_runs */
    uint64_t random;      /* its own numbers */
};

/* One per program, in addons/threads/. */
struct sonde_schedule_hook {
    void (*run)(const struct sonde_schedule_plan *plan, void (*fn)(struct sonde *t, void *arg), void *arg,
                struct sonde_schedule_result *result);
    /* From a thread: run() returns, with SONDE_SCHEDULE_LEFT. */
    __attribute__((noreturn)) void (*leave)(void);
    /* Returns what was learned in the run with this number: the present table if it is frozen and of that run, else an empty one. */
    struct sonde_learned *(*prepare)(uint64_t run);
    struct sonde_learned *learned; /* NULL before */
    /* For a handler that has interrupted the code under test: nothing is a step in this OS thread from now on, or it is again. Returns what
     * was. */
    bool (*set_control)(bool is_on);
    void (*die)(void);       /* the same if the process ends here, which is the last that its thread does */
    uint64_t n_others;       /* threads that this process has started and that are not under control */
    bool is_os;              /* threads are the kernel's (sonde cc --threads=os), not fibers */
    char uninstrumented[64]; /* the name of a loaded library in which nobody can be interrupted; "": none is known */
};

/* Of threads/: there if the program was linked by sonde cc --threads. */
extern struct sonde_schedule_hook *sonde_schedule_hook_(void) __attribute__((weak, visibility("default")));

static inline bool sonde_schedule_control(bool is_on)
{
    return sonde_schedule_hook_ ? sonde_schedule_hook_()->set_control(is_on) : false;
}

static inline void sonde_schedule_die(void)
{
    if (sonde_schedule_hook_) sonde_schedule_hook_()->die();
}

#endif
