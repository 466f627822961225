/* Worker processes: run a job in a child, watch it, and know how it ended.
 *
 * A worker shares its memory (base/heap.h) with the supervisor and owns it while it lives. The two meet only at a bell
 * (a futex in that memory), so nothing the code under test does to descriptors matters.
 *
 * The life of a worker, seen from the supervisor: start (fork, or execve for --spawn), then poll or wait in
 * turns, which also watch the heartbeat (the number of the case) and the limits; then either it has ended in
 * good order, or bury turns its death into a claim of the case that ran. Seen from the worker: handlers are
 * set (death.h), output is redirected, the job is run, which begins with the property's worker_setup and ends
 * with its worker_teardown, and a note is left that the end was meant. Between start and end the supervisor only reads what is atomic. */
#ifndef SONDE_EXEC_WORKER_H
#define SONDE_EXEC_WORKER_H

#include "exec/death.h"
#include "exec/spawn.h"
#include "observe/coverage.h"

#include <sys/types.h>

/* What one case may use. 0: no limit. */
struct sonde_case_limits {
    double cpu_seconds;
    double wall_seconds;
    double around_seconds; /* for worker_setup, and for worker_teardown */
    uint64_t memory;       /* bytes of the whole worker */
    double margin;         /* the worker may use this share more of stack and descriptors than the program may */
};

/* Where the output of the code under test goes: nowhere, to a descriptor, to where the run's messages go. */
enum sonde_output { SONDE_OUTPUT_DROP, SONDE_OUTPUT_KEEP, SONDE_OUTPUT_SHOW };

/* Of the supervisor. pid is not 0 exactly while there is a process to wait for. `t`, `death` and
 * `property` lie in shared memory. */
struct sonde_worker {
    pid_t pid; /* 0: none */
    int sent;  /* the signal that the last one sent to this process; 0: none, or there is one at work */
    struct sonde_death *death;
    const sonde *t; /* whose heartbeat is watched */
    struct sonde_case_limits limits;
    enum sonde_output output; /* of the cases of a search: DROP or SHOW */
    struct sonde_spawn
        *spawn; /* how it is spawned; NULL: forked. Then the property, in shared memory, is made its own */
    sonde_property *property;
    unsigned char fill; /* not 0: malloc fills what it hands out with the complement, if it can (M_PERTURB) */
    struct {            /* what it does, in case it must be started again */
        void (*job)(void *arg);
        void *arg;
        struct sonde_heap *heap; /* which it allocates from: the present one when it was first started */
        int capture;
        enum sonde_output output;
        unsigned tries;
    } task;
    /* The watch: when the current case was first seen, and what the worker had used then. */
    unsigned long long seen_case, first_case;
    enum sonde_stage seen_stage;
    struct sonde_case_origin origin; /* of the case, should it have to be repaired */
    double seen_wall, seen_cpu, looked, swept;
    double used_wall, used_cpu;       /* by the current case when it was last looked at */
    double longest_wall, longest_cpu; /* what cases that ended have used, about */
    unsigned hangs;                   /* that are known: such a case gets less time from then on */
};

/* Forks or spawns; the child runs job(arg) and ends. `capture` is the descriptor for SONDE_OUTPUT_KEEP. 0 or negative
 * errno. */
int sonde_worker_start(struct sonde_worker *worker, enum sonde_output output, int capture, void (*job)(void *arg),
                       void *arg);
/* The other end of it, at the start of sonde_main: does not return in a worker that this call has spawned; true in one that a
 * later call has spawned, so that this one must do nothing. */
bool sonde_worker_enter(char **argv, const sonde_property *properties, size_t n);
/* True if the worker has ended, with *status. Ends it if its case goes beyond a limit. */
bool sonde_worker_poll(struct sonde_worker *worker, int *status);
/* The same, but waits for that or for the bell to differ from `seen`, for as long as limits may go unwatched. */
bool sonde_worker_wait(struct sonde_worker *worker, unsigned bell_seen, int *status);
/* After a worker that did not end in good order: its case has failed, by the claim that the death amounts to. A worker
 * that came to no case died in the property's worker_setup, or was killed: then the answer is false, and the case says
 * MISUSE, with a sentence. */
bool sonde_worker_bury(struct sonde_worker *worker, sonde *t, int status);
/* Lets the limits of the case that is about to run count from now on. */
void sonde_worker_watch_anew(struct sonde_worker *worker);
/* Ends it now. */
void sonde_worker_stop(struct sonde_worker *worker);

/* SCRIPTS: enough for a case that loses a descriptor each time to use up the usual 1,024. */
enum { SONDE_RUNNER_SCRIPTS = 2048, SONDE_RUNNER_HINTS = 16 };

/* ---- A runner: a worker that runs one case at a time on demand, for shrinking, confirming and replaying. */
struct sonde_runner {
    struct sonde_worker worker;
    sonde *t;
    const sonde_property *property;
    struct sonde_guide *guide;
    /* The order, in shared memory with this struct, and its answer, in the case. Hand-over: the supervisor writes the order, then
     * stores `wanted` with release; the worker loads that with acquire, reads the order, runs it, and stores `done` with
     * release after the last write to the case, which the supervisor loads with acquire before it reads there. So each side
     * sees all that the other wrote before its turn, on machines that reorder, too. In between, the numbers are different, and
     * the memory is the worker's; one that ends then has not answered, and the supervisor has the turn by its end. */
    struct sonde_tape scripts[SONDE_RUNNER_SCRIPTS]; /* run one after the other; the last one counts */
    uint32_t n_scripts;
    bool stops_at_failure;           /* the first script whose case fails is the last one that is run */
    uint32_t n_ran;                  /* scripts, of the last order */
    atomic_int wanted, done;         /* numbers of orders */
    uint32_t n_after;                /* cases run after the last script, to make sure that it leaks */
    bool checks_leaks;               /* a case that ends well and leaks has failed */
    bool awaits_children;            /* and one whose child comes back after its end */
    int capture;                     /* descriptor; -1: output is dropped */
    struct sonde_coverage *coverage; /* to see what the last script's case compares; NULL: nobody asks */
    struct sonde_hint hints[SONDE_RUNNER_HINTS];
    uint32_t n_hints;
    uint64_t deaths;
};

/* What `worker` says of limits stays; everything else is made anew. The case, the property and the
 * guide are borrowed. */
void sonde_runner_init(struct sonde_runner *runner, sonde *t, const sonde_property *property,
                       struct sonde_guide *guide);
/* Runs the scripts (at most SONDE_RUNNER_SCRIPTS; copied to the heap that is current, which the worker shares) in a row in the worker (a new one if `fresh`, or if the last one died); what the last one showed is
 * in the case, a death included: verdict FAILED and its claim. */
void sonde_runner_run(struct sonde_runner *runner, const struct sonde_tape *const *scripts, uint32_t n, bool fresh);
/* The same in this process, whatever that does to it. */
void sonde_runner_run_here(struct sonde_runner *runner, const struct sonde_tape *const *scripts, uint32_t n);
/* After one of these, in the process that ran the case: fails the case if a child of it fails or comes back by now, or within the
 * time that a case may take. */
void sonde_runner_await_children(struct sonde_runner *runner);
void sonde_runner_stop(struct sonde_runner *runner);
/* The same, for good: frees the copies of the scripts, too. */
void sonde_runner_clear(struct sonde_runner *runner);

/* ---- More room than the program has, while a failure is shrunk.
 *
 * What exhausts a resource is shrunk to the very edge of it, and the edge moves: the stack begins elsewhere in each process, a
 * loop takes a little longer or shorter. So candidates run with more stack, time, memory and descriptors than the search had,
 * and what still fails then also fails without the margin. */

/* Adds a share to all limits; time varies most from run to run, and gets four times as much. The next worker has them. */
void sonde_margin_add(struct sonde_case_limits *limits, double share);
/* Takes time off instead: hangs are shrunk with a fraction of it, and what comes out is run with all of it. */
void sonde_margin_hurry(struct sonde_case_limits *limits);
/* In a worker, between cases: whether it has ever taken more memory than it may. Exact, where the supervisor only looks now
 * and then. */
bool sonde_margin_is_over(const struct sonde_case_limits *limits);

#endif
