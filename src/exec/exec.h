/* exec: the only module that calls user code.
 *
 * The steps of one case (sonde_exec_inline):
 * 1. The case begins, and the user's floating-point environment is installed.
 * 2. The property runs, and returns or is left by a jump.
 * 3. Faults and failing allocations are switched off.
 * 4. Deferred functions run, last first. Then the property's teardown runs, and functions that it deferred.
 * 5. sonde's floating-point environment is restored. Children and tools are asked for findings. The case ends. After
 * each call of user code, sonde checks that this process is still the worker and that the case was not overwritten. */
#ifndef SONDE_EXEC_EXEC_H
#define SONDE_EXEC_EXEC_H

#include "case/case.h"

#include <stdatomic.h>

/* Runs one case in this thread. The script may be NULL. The results are in the case. */
void sonde_exec_inline(sonde *t, const sonde_property *property, struct sonde_guide *guide,
                       const struct sonde_tape *script);

/* Waits up to `seconds` after a case that ended well. Fails the case if one of its child processes returns from the
 * property. For workers. */
void sonde_exec_await_children(sonde *t, double seconds);

/* Calls the property's function that runs before, or after, all cases of a process. */
void sonde_exec_worker_setup(const sonde_property *property);
void sonde_exec_worker_teardown(const sonde_property *property);

/* Returns whether the adapter of a test framework is active, whose assertions fail the case. */
bool sonde_exec_has_adapter(void);

/* Begins or ends a run. In between, user code gets the floating-point environment that was in force at the beginning,
 * and sonde a plain one. */
void sonde_exec_begin(void);
void sonde_exec_end(void);

/* ---- Warm-up: uncounted cases before the first case of a worker whose property runs threads under control
 * (sonde_threads). They learn which locations of the code touch memory that threads share, and how many steps a run
 * has. Then these results are frozen.
 *
 * They always draw the same random numbers, so the result depends on the program alone, not on later cases. A tape
 * therefore means the same in every worker. They run in a separate process, where they may crash, and print nothing. */

/* Sets the shared memory (initially 0) where workers tell each other which case of the warm-up hangs; NULL: none.
 * Returns the previous memory. A spawned worker gets the address with its order. */
atomic_uint *sonde_warm_up_share(atomic_uint *shared);
/* Returns the memory that sonde_warm_up_share has set; NULL: none. */
atomic_uint *sonde_warm_up_shared(void);
/* Runs the warm-up, once per process and property. Does nothing if the program has no threads under control. */
void sonde_warm_up(const sonde_property *property);

/* ---- Another program as the oracle (--against).
 *
 * The other program is a build of an older version of the code under test, with the same property. Each worker of the
 * run has a server: the other program, executed with SONDE_AGAINST_VARIABLE in its environment. It runs every tape that
 * the worker ran. So both have run the same cases before, and state that cases leave behind is the same on both sides.
 * A process of the run, the broker, executes servers. So none is a child of a process with code under test.
 *
 * After each case the worker compares the values of sonde_observe, and how the case ended. If they differ, the case
 * fails (SONDE_CLAIM_DIFFERENCE). If the other program drew other values, the inputs are not the same: then only values
 * that were observed before are compared. */

#define SONDE_AGAINST_VARIABLE "SONDE_COMPARED"

/* A comparison to be started. All strings are borrowed while the comparison is open. */
struct sonde_against_setup {
    const char *program;  /* file path of the other program */
    const char *accepted; /* file with the differences that are intended; NULL: none are */
    const sonde_property *property;
    double cpu_seconds, wall_seconds; /* time limits of a case; 0: none */
    uint64_t memory, max_choices;
    bool guards;
};

/* Counts of a comparison, over all workers. */
struct sonde_against_counts {
    uint64_t compared;     /* number of cases that were compared */
    uint64_t draws_differ; /* number of cases in which the other program drew other values */
    uint64_t lost;         /* number of cases for which the other program did not answer */
    uint64_t values;       /* number of observed values that were compared */
    bool varies;           /* two cases showed different values */
    bool is_copy;          /* the other program is this one, byte for byte */
    char draws[256];       /* describes the first case with other draws; "" if there was none */
    char build[256];       /* kind of build of the other program (program/build.h) */
};

/* Starts comparing in this process and its workers: reads the accepted differences, starts the broker, and tries a
 * server. Returns false, with a message for the user, if that fails. */
bool sonde_against_open(const struct sonde_against_setup *setup, char *message, size_t size);
/* Stops comparing and ends the broker. */
void sonde_against_close(void);
/* Reads the counts; returns false if nothing is compared. */
bool sonde_against_count(struct sonde_against_counts *counts);
/* Returns the i-th accepted difference of the property that no case showed; NULL: there are no more. */
const char *sonde_against_unseen(size_t i);
/* Returns a hash of the other program's file; 0 if nothing is compared. */
uint64_t sonde_against_identity(void);
/* Returns whether the server of this worker has lost the state that earlier cases left, because one of them ended its
 * process. */
bool sonde_against_is_out_of_step(void);
/* Runs tapes in a row in a new server, and writes how the last one ended there: "holds". Returns false if that is not
 * known. */
bool sonde_against_describe(const struct sonde_tape *const *tapes, uint32_t n, const sonde *t, char *out, size_t size);

/* ---- The program that serves (engine/serve.c), which speaks over a socket. */

/* Waits for the run to name a property. Returns false if the other side is not a run with --against. */
bool sonde_against_greet(int fd, char *property, size_t size);
/* Tells the run that cases can come; or, with `error`, why not. */
void sonde_against_welcome(int fd, const char *error);
/* Waits for the next tape, and reads it into *script in the current heap. *is_cut: its case ended before it could draw
 * everything. Returns false if the run has ended. */
bool sonde_against_next(int fd, struct sonde_tape *script, struct sonde_labels *labels, bool *is_cut);
/* Sends what the script led to in this program. Returns false if the run has ended. */
bool sonde_against_reply(int fd, sonde *t, const struct sonde_tape *script, bool is_cut);

#endif
