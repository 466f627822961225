/* Determines how a worker died, and turns that into a failure of the code under test.
 *
 * The worker's half writes into shared memory, from signal handlers and sanitizer callbacks. The supervisor's half
 * turns that and the wait status into a kind, a message, and an identity. The identity is the kind with the
 * innermost functions of the code under test.
 *
 * The path of a crash:
 * 1. The handler, on an alternate stack, writes signal, address and return addresses into shared memory. Then the
 * process dies.
 * 2. The kernel wakes the supervisor, which reads the wait status and decides the kind.
 * 3. Only now are function names looked up, in a process that is intact.
 * 4. The claim of the case is filled in. From there on the crash is a failure like any other. */
#ifndef SONDE_EXEC_DEATH_H
#define SONDE_EXEC_DEATH_H

#include "case/case.h"

#include <sys/types.h>

/* Kinds of deaths. */
enum sonde_death_kind {
    SONDE_DEATH_NONE,
    SONDE_DEATH_SIGNAL,
    SONDE_DEATH_STACK_OVERFLOW,
    SONDE_DEATH_SANITIZER, /* a sanitizer reported a bad address, a leak, or fatal undefined behaviour */
    SONDE_DEATH_EXIT,
    SONDE_DEATH_HANG,
    SONDE_DEATH_MEMORY,
    SONDE_DEATH_KILLED,      /* killed by another process */
    SONDE_DEATH_FORK,        /* a child process that the property forked returned from the property */
    SONDE_DEATH_JUMP,        /* the code under test jumped out of the property, past sonde */
    SONDE_DEATH_OVERWRITTEN, /* the code under test overwrote the case (struct sonde) */
    SONDE_DEATH_OWN /* sonde ended the worker with an error message: misuse outside of a case, or out of memory */
};

/* Signal handlers use atomic flags, which must not take a lock. */
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_BOOL_LOCK_FREE == 2, "atomic flags in shared memory are lock-free");

/* Frames of a stack that are recorded; samples of a case that hangs; outermost frames that a sample keeps. */
enum { SONDE_DEATH_FRAMES = 1024, SONDE_DEATH_SAMPLES = 16, SONDE_SAMPLE_FRAMES = 64 };
_Static_assert(SONDE_SAMPLE_FRAMES <= SONDE_DEATH_FRAMES, "a sample is part of a recorded stack");

/* The outermost frames of a stack, sampled while a case takes long. */
struct sonde_death_sample {
    int n;
    void *frames[SONDE_SAMPLE_FRAMES];
};

/* The user function that a worker runs. */
enum sonde_stage { SONDE_STAGE_CASES, SONDE_STAGE_SETUP, SONDE_STAGE_TEARDOWN };

/* Facts about a dying worker, in shared memory. Written by the worker while it dies, or by the supervisor that kills
 * it.
 *
 * Synchronisation: nearly all fields are read after the worker has ended and the supervisor has waited for it, so
 * after all of its writes. Fields that one side reads while the other runs are atomic and independent. `stage` and
 * `is_ending` are single words. `n_samples` is stored after the sample that it counts, and samples are read only
 * after the end. A worker that is killed may have left the other fields half written. The wait status, which no
 * worker can forge, decides which are used. */
struct sonde_death {
    _Atomic enum sonde_stage stage;
    atomic_bool restarts_limit; /* set by sonde_death_restart_limit, cleared by the supervisor */
    _Atomic enum sonde_death_kind kind;
    int signal;
    bool to_parent;   /* the worker sent the signal to sonde */
    bool is_anywhere; /* the signal came from a timer or another process: no function is to blame */
    int exit_status;
    uintptr_t address; /* address that the faulting instruction accessed */
    char text[1024];   /* a sanitizer's description, or sonde's last message */
    void *frames[SONDE_DEATH_FRAMES];
    atomic_int n_frames;
    atomic_bool finished; /* the worker has ended as intended */
    atomic_bool arrived;  /* the worker has begun its job */
    bool is_unhandled;    /* SIGSEGV ended the worker, and sonde's handler did not run */
    bool may_be_threads;  /* if is_unhandled: the stack of a thread may have overflowed; set by sonde_death_inspect */
    bool is_waiting;      /* for a hang: the wall-clock limit ended the case */
    bool has_computed;    /* if is_waiting: the case used CPU time, so it may not have waited: the machine was busy */
    bool is_cut;          /* the case got less time than the limit allows, because earlier cases have hung */
    /* Stack samples of a case that computes, one for each request of the supervisor. `is_ending` marks the last
     * request. */
    struct sonde_death_sample samples[SONDE_DEATH_SAMPLES];
    atomic_int n_samples;
    atomic_bool is_ending;
    atomic_uint *bell; /* a futex in shared memory, on which worker and supervisor wait for news */
};

/* ---- In the worker. */
/* Records deaths of this process in *death from now on. Also installs an alternate stack, disables core dumps, and
 * watches forks. `silent`: output is dropped, so messages can be short. */
void sonde_death_watch(struct sonde_death *death, bool silent);
/* Sets the user function that runs next, so that its death is not blamed on a case. */
void sonde_death_at(enum sonde_stage stage);
/* Restarts the supervisor's time limit: code that runs around the cases has a separate limit. */
void sonde_death_restart_limit(void);
/* Prepares, once before the first fork, work that each worker would otherwise repeat. */
void sonde_death_prepare(void);
/* Ends the worker after the code under test has run, because it overwrote sonde's data about the case. */
SONDE_NORETURN void sonde_death_overwritten(void);
/* Ends the worker after a case that exceeded its memory limit, in case the supervisor did not notice. */
SONDE_NORETURN void sonde_death_exceeded(void);

/* ---- In the supervisor. */
/* Reads what the kernel still knows about the signal handlers of a dead worker. Call it before waiting for the
 * worker. */
void sonde_death_inspect(struct sonde_death *death, pid_t pid);
/* Completes *death from the wait status of a worker that did not finish. If sonde itself ended the worker (out of
 * memory), the supervisor ends too, with the same message. */
void sonde_death_decide(struct sonde_death *death, int wait_status);
/* Returns whether another process asked the worker to end. As far as sonde can tell, the property did not cause
 * that. */
bool sonde_death_was_asked_for(const struct sonde_death *death);
/* Ends the case in which the worker died: as failed, with a claim made of the death, or as misuse of sonde. */
void sonde_death_end_case(const struct sonde_death *death, sonde *t);
/* Fails a case that has ended, unless it failed already. The reason is a signal that the case sent to the
 * supervisor. */
void sonde_death_blame_sender(struct sonde_death *death, int signal, sonde *t);
/* Fills in the claim for a death: kind, message, functions. */
void sonde_death_claim(const struct sonde_death *death, struct sonde_claim *claim);
/* Returns "SIGSEGV (invalid memory access)", or NULL for a signal that no fault raises. Async-signal-safe. */
const char *sonde_fault_name(int signal);

/* ---- Restartable sequences. The C library registers an address in the memory of each thread with the kernel. A
 * program may store there which few instructions must not be interrupted. If the kernel cannot interpret that memory,
 * it ends the process without calling a handler. So if the code under test overruns a block into that memory, the
 * worker dies without a known location. */

/* Unregisters the address for this thread, so that a stray write is an ordinary fault. Code that uses restartable
 * sequences falls back to its slower path. */
void sonde_rseq_leave(void);

/* ---- Code under test that attaches to its supervisor (ptrace) stops the supervisor. Then no limit is watched, and the
 * stop outlasts the worker. So a worker detaches from its supervisor before it ends. */

/* Detaches from the parent process if this thread traces it. Async-signal-safe. */
void sonde_tracer_release(void);

#endif
