/* Signals to the supervisor: INT (Ctrl-C), TERM and HUP ask for an orderly end; a second signal ends the run at once.
 *
 * A signal from the code under test (to its parent, or to all processes) is not a request. It fails the case that
 * sent it. The supervisor knows its workers, each in a separate process group, and looks up the sender of a signal.
 *
 *     INT, TERM, HUP    from other processes: an orderly end, the second time at once; HUP stays ignored under nohup
 *     QUIT, USR1, USR2, ALRM    from other processes: the usual effect
 *     TSTP (Ctrl-Z)     workers stop and continue with the supervisor
 *     any of these from a worker    recorded for that worker, and its case fails (engine/workers/culprit.h) */
#ifndef SONDE_EXEC_INTERRUPT_H
#define SONDE_EXEC_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Installs the handlers, for programs that sonde owns (sonde_main). An embedded run does not touch signals. HUP
 * stays ignored if it was, as under nohup. */
void sonde_interrupt_watch(void);
/* Restores the previous handlers. Called in a forked worker. */
void sonde_interrupt_leave(void);

/* Returns whether a signal has asked for the end of the run. Cheap: reads one variable that a handler sets. */
bool sonde_interrupted(void);
/* Returns the exit status of an interrupted run, 128 + signal; 0: not interrupted. */
int sonde_interrupt_status(void);
/* Sets the status that the run will end with (1, 2 or 99), unless a worse status follows. Such a status takes
 * precedence over a signal, and over a second signal. Other statuses are ignored. */
void sonde_interrupt_worst(int status);
/* Ends the process by the signal that interrupted it, so that a shell stops its script instead of continuing. */
void sonde_interrupt_die(void);

/* Stops all workers, or lets them continue. */
void sonde_interrupt_hold(bool holds);

/* Registers a worker that has begun, in a separate process group; unregisters one that has ended. The latter returns
 * the signal that the worker sent to this process meanwhile; 0: none. */
void sonde_interrupt_begin(pid_t worker);
int sonde_interrupt_end(pid_t worker);
/* Returns the signal that the worker sent to this process; 0: none. */
int sonde_interrupt_sent(pid_t worker);
/* Returns, in a signal handler, whether a worker of this process sent the signal. */
bool sonde_interrupt_is_workers(const siginfo_t *info);

#endif
