/* The interface between a case, which draws the schedule of its threads (sonde_threads), and addons/threads/, which
 * runs the code under test by it.
 *
 * The threads live outside this library, like failing calls (base/faults.h), because they replace functions of the C
 * library. A program has them if it was linked by `sonde cc --threads`. */
#ifndef SONDE_BASE_SCHEDULE_H
#define SONDE_BASE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sonde;

/* A step that a thread took. */
struct sonde_moment {
    uint32_t thread;
    bool is_preempted; /* the thread could have continued, but another thread ran next */
    const char *what;  /* static */
    const void *site;  /* return address */
};

/* Thread behaviour outside the model, as met by a case (case/unseen.c has the messages). */
enum sonde_unseen {
    SONDE_UNSEEN_ORDERS = 1 << 0, /* atomic operations ran with a stronger memory order than they asked for */
    SONDE_UNSEEN_LATE = 1 << 1,   /* a run was much longer than the warm-up, so no switch happened near its end */
    SONDE_UNSEEN_OTHERS = 1 << 2, /* a thread that is not under control ran */
    SONDE_UNSEEN_RACES = 1 << 3   /* data races: plain accesses of two threads that nothing orders */
};

/* The state of a case's threads while they run; also read after a crash. Part of the case. */
struct sonde_schedule {
    bool is_elsewhere;              /* a thread other than the first one is running */
    uint32_t running;               /* number of the running thread */
    unsigned unseen;                /* bits of enum sonde_unseen */
    char unmodelled[96];            /* calls outside the model: "flock() dlerror()" */
    uint32_t n_threads, n_switches; /* n_switches: only switches away from runnable threads */
    int runs_in;                    /* kernel id of the thread whose turn it is; 0: the thread of the case */
    struct sonde_moment *moments;   /* the steps, for a case that is shown; NULL: not kept */
    uint32_t n_moments, cap_moments;
};

/* Which thread runs after a switch. TO_FIRST chooses by rank; TO_NEXT (the next younger), TO_OLDEST and TO_YOUNGEST
 * choose by age alone. TO_WAITER wakes a thread that waits for a signal or a futex, which POSIX, C11 and the kernel
 * allow. Without such a thread, TO_WAITER acts as TO_NEXT. */
enum sonde_switch_to { SONDE_TO_FIRST, SONDE_TO_NEXT, SONDE_TO_OLDEST, SONDE_TO_YOUNGEST, SONDE_TO_WAITER };

/* A planned switch: after `at` steps the running thread is ranked after all others. */
struct sonde_switch {
    uint64_t at;
    enum sonde_switch_to to;
};

/* The schedule of a case, and its callbacks. */
struct sonde_schedule_plan {
    const struct sonde_switch *switches; /* in ascending order */
    uint32_t n_switches;
    const uint32_t *ranks; /* ranks[i] is the rank of thread i; lower ranks run first, at equal rank older threads */
    uint32_t n_ranks;
    bool finds_races;   /* detects races by happens-before; a warm-up notes races and continues */
    uint64_t all_until; /* before this step every access is a step, even where the warm-up saw only private accesses */
    uint64_t *random;   /* random state of a warm-up, which switches at random and learns sites; NULL: use `switches` */
    /* Reports that the code at this location misuses sonde, and leaves the case. */
    void (*misuse)(struct sonde *t, const void *site, const char *message);
    /* Declares that the calling OS thread runs the case from now on. */
    void (*here)(struct sonde *t);
    struct sonde *t; /* argument for the callbacks `misuse` and `here` */
    struct sonde_schedule *schedule;
};

/* How the threads of a case ended. */
enum sonde_schedule_end {
    SONDE_SCHEDULE_DONE,
    SONDE_SCHEDULE_LEFT,     /* a thread left the case */
    SONDE_SCHEDULE_DEADLOCK, /* all threads wait */
    SONDE_SCHEDULE_STUCK,    /* the runnable threads make no progress: they change nothing */
    SONDE_SCHEDULE_LEAK,     /* a thread was neither joined nor detached, or a detached one does not end */
    SONDE_SCHEDULE_RACE,
    SONDE_SCHEDULE_WRONG, /* a lock, a thread or memory was misused */
    SONDE_SCHEDULE_LONG   /* too many steps */
};

/* The outcome of one run of the threads. */
struct sonde_schedule_result {
    enum sonde_schedule_end end;
    uint64_t n_steps;
    uint64_t identity;    /* identifies the error by its locations, as offsets in their modules */
    const void *place[2]; /* the locations of the error; NULL: none */
    char message[1024];   /* description of the error, without its locations */
};

/* Facts about the threads of a property, learned by a warm-up. The warm-up runs in a forked process, and writes to
 * memory that it shares with the process that started it. */
struct sonde_learned {
    bool is_frozen;
    uint64_t run;       /* the run that these results belong to: each run has one property */
    uint32_t n_threads; /* largest number of threads in a case */
    uint64_t n_steps;   /* largest number of steps in a case */
    uint64_t n_runs;
    uint64_t n_all_steps; /* number of steps of all cases together */
    bool has_races;       /* data races were seen: plain accesses that nothing orders */
    uint64_t n_begun;     /* number of cases begun; n_runs counts only cases that used threads */
    uint64_t random;      /* random state */
};

/* The functions and state of addons/threads/. A program has at most one such struct. */
struct sonde_schedule_hook {
    void (*run)(const struct sonde_schedule_plan *plan, void (*fn)(struct sonde *t, void *arg), void *arg,
                struct sonde_schedule_result *result);
    /* Leaves the case from a thread: run() returns with SONDE_SCHEDULE_LEFT. */
    __attribute__((noreturn)) void (*leave)(void);
    /* Returns the results of the run with this number: the current table if it is frozen and belongs to that run,
     * otherwise an empty one. */
    struct sonde_learned *(*prepare)(uint64_t run);
    struct sonde_learned *learned; /* NULL before prepare */
    /* For a signal handler that interrupted the code under test: sets whether operations of this OS thread are
     * steps. Returns the previous state. */
    bool (*set_control)(bool is_on);
    void (*die)(void);       /* acts like set_control(false); called when the process ends in this thread */
    uint64_t n_others;       /* number of threads that this process started and that are not under control */
    bool is_os;              /* uses OS threads (sonde cc --threads=os), not fibers */
    char uninstrumented[64]; /* name of a loaded library in which threads cannot be preempted; "": none known */
};

/* Returns the hook of addons/threads/; defined only if the program was linked by sonde cc --threads. */
extern struct sonde_schedule_hook *sonde_schedule_hook_(void) __attribute__((weak, visibility("default")));

/* Calls set_control of the hook, and returns its result. Without the hook, returns false. */
static inline bool sonde_schedule_control(bool is_on)
{
    return sonde_schedule_hook_ ? sonde_schedule_hook_()->set_control(is_on) : false;
}

/* Calls die of the hook, if the program has it. */
static inline void sonde_schedule_die(void)
{
    if (sonde_schedule_hook_) sonde_schedule_hook_()->die();
}

#endif
