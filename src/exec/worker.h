/* Worker processes: run a job in a child, watch it, and determine how it ended.
 *
 * A worker shares its memory (base/heap.h) with the supervisor, and owns that memory while it lives. The two
 * synchronise only through a bell (a futex in that memory), so code under test that closes descriptors cannot
 * disturb them.
 *
 * The life of a worker, seen from the supervisor: start (fork, or execve for --spawn), then repeated poll or wait.
 * These also watch the heartbeat (the number of the case) and the limits. In the end either the worker has finished
 * as intended, or sonde_worker_on_death turns its death into a failure of the case that ran.
 *
 * Seen from the worker: it installs handlers (death.h), redirects output, and runs the job. The job begins with the
 * property's worker_setup and ends with its worker_teardown. Last the worker records that its end was intended.
 * Between start and end the supervisor reads only atomic fields. */
#ifndef SONDE_EXEC_WORKER_H
#define SONDE_EXEC_WORKER_H

#include "exec/death.h"
#include "exec/spawn.h"
#include "observe/coverage.h"

#include <sys/types.h>

/* Limits of one case. 0: no limit. */
struct sonde_case_limits {
    double cpu_seconds;
    double wall_seconds;
    double around_seconds; /* limit for worker_setup, and for worker_teardown */
    uint64_t memory;       /* bytes that the whole worker may use */
    double margin;         /* share of stack and descriptors that the worker gets beyond the program's limits */
};

/* Destination of the code under test's output: dropped, written to a descriptor, or shown with the run's messages. */
enum sonde_output { SONDE_OUTPUT_DROP, SONDE_OUTPUT_KEEP, SONDE_OUTPUT_SHOW };

/* A worker, as the supervisor sees it. pid is not 0 exactly while there is a process to wait for. `t`, `death` and
 * `property` are in shared memory. */
struct sonde_worker {
    pid_t pid; /* 0: no process */
    int sent;  /* signal that the last worker sent to this process; 0: none, or a worker is running */
    struct sonde_death *death;
    const sonde *t; /* the case whose heartbeat is watched */
    struct sonde_case_limits limits;
    enum sonde_output output; /* destination of the output of a search's cases: DROP or SHOW */
    /* Settings for spawning the worker, which replaces *property by its own version; NULL: the worker is forked. */
    struct sonde_spawn *spawn;
    sonde_property *property;
    uint64_t seed;      /* seed of the run, for messages */
    unsigned char fill; /* if not 0, malloc fills new memory with its complement, where supported (M_PERTURB) */
    struct {            /* the current job, in case it must be started again */
        void (*job)(void *arg);
        void *arg;
        struct sonde_heap *heap; /* heap that the job allocates from: the current heap when the job was first started */
        int capture;
        enum sonde_output output;
        unsigned tries;
    } task;
    /* When the supervisor first saw the current case, and what the worker had used by then. */
    unsigned long long seen_case, first_case;
    enum sonde_stage seen_stage;
    struct sonde_case_origin origin; /* arguments of sonde_case_repair, if the case must be repaired */
    double seen_wall, seen_cpu, looked, swept;
    double used_wall, used_cpu;       /* usage of the current case when it was last checked */
    double longest_wall, longest_cpu; /* approximately the largest usage of a case that has ended */
    unsigned hangs;                   /* number of known hangs: after the first one, each case gets less time */
};

/* Starts a worker by fork or spawn; the child runs job(arg) and ends. `capture` is the descriptor for
 * SONDE_OUTPUT_KEEP. Returns 0 or a negative errno. */
int sonde_worker_start(struct sonde_worker *worker, enum sonde_output output, int capture, void (*job)(void *arg),
                       void *arg);
/* Runs the job of a spawned worker, at the start of sonde_main; does not return if this call has spawned it. Returns
 * true in a worker that a later call has spawned, where this call must do nothing. */
bool sonde_worker_enter(char **argv, const sonde_property *properties, size_t n);
/* Returns whether the worker has ended, and stores its *status. Ends the worker if its case exceeds a limit. */
bool sonde_worker_poll(struct sonde_worker *worker, int *status);
/* Waits until the worker ends or the bell differs from `bell_seen`, at most as long as limits may go unwatched.
 * Returns like sonde_worker_poll. */
bool sonde_worker_wait(struct sonde_worker *worker, unsigned bell_seen, int *status);
/* Fails the case of a worker that did not finish, with a claim made of its death, and returns true. Returns false if
 * the worker ran no case: it died in the property's worker_setup, or was killed. Then the verdict is MISUSE, with a
 * message. */
bool sonde_worker_on_death(struct sonde_worker *worker, sonde *t, int status);
/* Restarts the limits for the case that is about to run. */
void sonde_worker_restart_limits(struct sonde_worker *worker);
/* Ends the worker now. */
void sonde_worker_stop(struct sonde_worker *worker);

/* Limits of a runner. SCRIPTS is large enough that cases which leak a descriptor each can exhaust the usual 1,024
 * descriptors. */
enum { SONDE_RUNNER_SCRIPTS = 2048, SONDE_RUNNER_HINTS = 16 };

/* ---- State that cases leave behind (--find-state; exec/state.c). */

/* Kinds of state of a process, besides the variables of instrumented code. */
enum sonde_state_kind {
    SONDE_STATE_HEAP, /* blocks that were allocated before the first case, and that variables lead to */
    SONDE_STATE_ERRNO,
    SONDE_STATE_LOCALE,
    SONDE_STATE_DIRECTORY,
    SONDE_STATE_UMASK,
    SONDE_STATE_MASK,     /* the signal mask */
    SONDE_STATE_HANDLERS, /* the handlers of signals */
    SONDE_STATE_TIMER,
    SONDE_STATE_DESCRIPTORS,
    SONDE_STATE_ENVIRONMENT,
    SONDE_STATE_RANDOM, /* numbers of rand and random; always counts as changed */
    SONDE_STATE_STACK,  /* old contents of the stack; always counts as changed */
    SONDE_STATE_KINDS
};

enum { SONDE_STATE_RUNS = 4096 };

/* Bytes of variables. */
struct sonde_state_bytes {
    uint8_t *at;
    size_t n;
};

/* An order to restore state before the last script, and what had changed by then. In memory shared with the worker. */
struct sonde_state_order {
    uint32_t restored;                                    /* bits of enum sonde_state_kind */
    struct sonde_state_bytes variables[SONDE_STATE_RUNS]; /* variables to restore */
    uint32_t n_variables;
    uint32_t changed_kinds;                             /* bits of enum sonde_state_kind */
    struct sonde_state_bytes changed[SONDE_STATE_RUNS]; /* bytes of variables that have changed */
    uint32_t n_changed;                                 /* may exceed the array: then not all fit */
    bool is_done;                                       /* the worker has carried out the order */
    uint8_t *block_of;                                  /* variable that leads to the first changed block of the heap */
    size_t block_size;
};

/* ---- A runner: a worker that runs one case at a time on demand, for shrinking, confirming and replaying. */
struct sonde_runner {
    struct sonde_worker worker;
    sonde *t;
    const sonde_property *property;
    struct sonde_guide *guide;
    /* The order, in shared memory with this struct; the result is in the case. The supervisor writes the order, then
     * stores `wanted` with release. The worker loads `wanted` with acquire, reads the order and runs it. After its
     * last write to the case it stores `done` with release, which the supervisor loads with acquire. So each side
     * sees all earlier writes of the other, also on machines that reorder. While the two numbers differ, the memory
     * belongs to the worker. If the worker ends then, there is no result, and the memory belongs to the supervisor
     * again. */
    struct sonde_tape scripts[SONDE_RUNNER_SCRIPTS]; /* run one after the other; only the last result is kept */
    uint32_t n_scripts;
    bool stops_at_failure;           /* stop after the first script whose case fails */
    uint32_t n_ran;                  /* number of scripts that were run for the last order */
    atomic_int wanted, done;         /* number of the latest order, and of the latest order that is done */
    uint32_t n_after;                /* number of cases that were run after the last script, to confirm a leak */
    bool checks_leaks;               /* fail a case that ends well but leaks */
    bool awaits_children;            /* fail a case whose child process returns from the property later */
    int capture;                     /* descriptor for the output of the cases; -1: output is dropped */
    struct sonde_coverage *coverage; /* records what the last script's case compares; NULL: not wanted */
    struct sonde_hint hints[SONDE_RUNNER_HINTS];
    uint32_t n_hints;
    struct sonde_state_order *state; /* what to restore before the last script, in a fresh worker; NULL: nothing */
    uint64_t deaths;
};

/* Initialises a runner; only the limits in `worker` are kept. The case, the property and the guide are borrowed. */
void sonde_runner_init(struct sonde_runner *runner, sonde *t, const sonde_property *property,
                       struct sonde_guide *guide);
/* Runs the scripts in a row in the worker, or in a new worker if `fresh`, or if the last worker died. n is at most
 * SONDE_RUNNER_SCRIPTS. The scripts are copied to the current heap, which the worker shares. The result of the last
 * script is in the case. A death is recorded there too: verdict FAILED and its claim. */
void sonde_runner_run(struct sonde_runner *runner, const struct sonde_tape *const *scripts, uint32_t n, bool fresh);
/* Runs the scripts in this process, which a case may end. */
void sonde_runner_run_here(struct sonde_runner *runner, const struct sonde_tape *const *scripts, uint32_t n);
/* Fails the case if one of its child processes has failed or returned, or does so within the time limit of a case.
 * Call it after one of the functions above, in the process that ran the case. */
void sonde_runner_await_children(struct sonde_runner *runner);
/* Stops the worker; sonde_runner_clear also frees the copies of the scripts. */
void sonde_runner_stop(struct sonde_runner *runner);
void sonde_runner_clear(struct sonde_runner *runner);

/* ---- Margins: larger limits while a failure is shrunk.
 *
 * An input that exhausts a resource is shrunk until it barely does. But the limit varies: the stack begins elsewhere in
 * each process, and the time of a loop differs. So candidates run with more stack, time, memory and descriptors than
 * the search had. A candidate that still fails then also fails without the margin. */

/* Raises all limits of the next worker by a share. Time varies most from run to run, so it gets four times the
 * share. */
void sonde_margin_add(struct sonde_case_limits *limits, double share);
/* Reduces the time limits: hangs are shrunk with a fraction of the time, and the result is run with all of it. */
void sonde_margin_shorten(struct sonde_case_limits *limits);
/* Returns whether this worker has ever exceeded its memory limit. Call it between cases. This is exact; the supervisor
 * only samples the memory. */
bool sonde_margin_is_over(const struct sonde_case_limits *limits);

#endif
