/* How a worker died, and what that says about the code under test.
 *
 * The worker's half writes into shared memory from signal handlers and sanitizer callbacks; the supervisor's half turns
 * that and the wait status into a kind, a sentence for people, and an identity: the kind with the innermost functions
 * of the code under test.
 *
 * The way of a crash: the handler, on a stack of its own, writes signal, address and return addresses into the
 * struct in shared memory, and lets the process die; the supervisor is woken by the end of its child, reads the
 * wait status, and decides the kind; functions are looked up by name only then, in a process that is whole; the
 * claim of the case is filled in, and from there on it is a failure like any other. */
#ifndef SONDE_EXEC_DEATH_H
#define SONDE_EXEC_DEATH_H

#include "case/case.h"

#include <sys/types.h>

enum sonde_death_kind {
    SONDE_DEATH_NONE,
    SONDE_DEATH_SIGNAL,
    SONDE_DEATH_STACK_OVERFLOW,
    SONDE_DEATH_SANITIZER, /* address, leak, undefined behaviour that ends the process */
    SONDE_DEATH_EXIT,
    SONDE_DEATH_HANG,
    SONDE_DEATH_MEMORY,
    SONDE_DEATH_KILLED,      /* from outside */
    SONDE_DEATH_FORK,        /* a child of the property came back from it */
    SONDE_DEATH_JUMP,        /* the code under test jumped out of the property, past sonde */
    SONDE_DEATH_OVERWRITTEN, /* the code under test wrote over the case */
    SONDE_DEATH_OWN          /* sonde ended it and said why: misuse outside of a case, or no memory */
};

/* They are used in signal handlers. */
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_BOOL_LOCK_FREE == 2, "flags in shared memory take no lock");

enum { SONDE_DEATH_FRAMES = 1024, SONDE_DEATH_SAMPLES = 16, SONDE_SAMPLE_FRAMES = 64 };
_Static_assert(SONDE_SAMPLE_FRAMES <= SONDE_DEATH_FRAMES, "a sample is cut out of a whole stack");

/* Where a case that takes long was at some moment: its outermost frames. */
struct sonde_death_sample {
    int n;
    void *frames[SONDE_SAMPLE_FRAMES];
};

/* What a worker is at. */
enum sonde_stage { SONDE_STAGE_CASES, SONDE_STAGE_SETUP, SONDE_STAGE_TEARDOWN };

/* Lies in shared memory; written by the worker while it dies, or by the supervisor that kills it.
 *
 * Hand-over: nearly all of it is read after the worker has ended and the kernel has said so, which comes after everything that
 * the worker wrote. What either side reads while the other runs is atomic and stands for itself: `stage` and `is_ending` are
 * single words; `n_samples` is stored after the sample that it counts, and those are looked at after the end. A worker that is
 * killed may have written half of the rest: the wait status, which no worker can write, decides what is believed. */
struct sonde_death {
    _Atomic enum sonde_stage stage;
    atomic_bool goes_on; /* sonde_death_goes_on; the supervisor takes it back */
    _Atomic enum sonde_death_kind kind;
    int signal;
    bool to_parent;   /* it sent that signal to sonde */
    bool is_anywhere; /* the signal came from a timer or another process: no function is to blame */
    int exit_status;
    uintptr_t address; /* of the fault */
    char text[1024];   /* what a sanitizer called it; sonde's last words */
    void *frames[SONDE_DEATH_FRAMES];
    atomic_int n_frames;
    atomic_bool asked;   /* the worker has ended in good order */
    atomic_bool arrived; /* the worker has come so far as to begin its job */
    bool is_unhandled;   /* SIGSEGV ended it, and sonde's handler did not run */
    bool may_be_threads; /* then: the stack of a thread may have overflowed; set by sonde_death_look */
    bool is_waiting;     /* a hang that does not compute */
    bool is_cut;         /* it had less time than a case may take, because such hangs are known */
    /* Taken while a case computes, each time the supervisor asks; `is_ending`: it asks for the last time. */
    struct sonde_death_sample samples[SONDE_DEATH_SAMPLES];
    atomic_int n_samples;
    atomic_bool is_ending;
    atomic_uint *bell; /* in shared memory: rung when there is something to see; both sides wait on it */
};

/* ---- In the worker: from now on, dying leaves its traces in *death. Also raises an alternate stack, turns core dumps
 * off, and watches forks. `unheard`: what it prints is dropped, so it need not say much. */
void sonde_death_watch(struct sonde_death *death, bool unheard);
/* Which of the user's functions is about to run, so that a death there is not blamed on a case. */
void sonde_death_at(enum sonde_stage stage);
/* What runs around the cases has a limit of its own, and is not over time: the supervisor's begins anew. */
void sonde_death_goes_on(void);
/* Once, before the first fork: what each worker would otherwise do again. */
void sonde_death_prepare(void);
/* In the worker, after code under test: what sonde has of the case cannot be trusted, so the process ends here. */
SONDE_NORETURN void sonde_death_overwritten(void);
/* The same after a case that took more memory than it may, which the supervisor need not have seen. */
SONDE_NORETURN void sonde_death_exceeded(void);

/* ---- In the supervisor. */
/* Before a dead worker is waited for: looks at what the kernel still knows of its signal handlers. */
void sonde_death_look(struct sonde_death *death, pid_t pid);
/* Completes *death from the wait status of a worker that did not finish. Where sonde ended it for a reason of its own
 * (no memory), the supervisor ends too, with the same words. */
void sonde_death_decide(struct sonde_death *death, int wait_status);
/* Somebody asked it to end: not the property, as far as one can know. */
bool sonde_death_was_asked_for(const struct sonde_death *death);
/* Ends the case that the worker died in: it failed, by the claim that the death amounts to; or it misused sonde. */
void sonde_death_end_case(const struct sonde_death *death, sonde *t);
/* A case that came to its end has sent a signal to the supervisor: it failed, unless it had already. */
void sonde_death_blame_sender(struct sonde_death *death, int signal, sonde *t);
/* That claim: kind, message, functions. */
void sonde_death_claim(const struct sonde_death *death, struct sonde_claim *claim);
/* "SIGSEGV (invalid memory access)"; NULL for a signal that no fault raises. For signal handlers, too. */
const char *sonde_fault_name(int signal);

/* ---- Restartable sequences. The C library gives the kernel an address in the memory of each thread, where a program may write
 * which few instructions must not be interrupted. What the kernel cannot make sense of there ends the process, and no handler
 * is called: so a worker whose code under test overruns a block into that memory would die without a place. */

/* For this thread: the kernel looks there no longer, and a stray write is a fault like any other. Code that uses such
 * sequences sees that there are none and takes its slower way. */
void sonde_rseq_leave(void);

/* ---- Code under test that attaches to its supervisor (ptrace) stops it: no limit is watched any more, and when the worker
 * ends, the stop stays. A worker therefore lets go of its supervisor before it ends. */

/* Detaches from the parent process if this thread traces it. Safe in a signal handler. */
void sonde_tracer_release(void);

#endif
