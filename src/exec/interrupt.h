/* Signals that come to the supervisor: INT (Ctrl-C), TERM and HUP ask for an orderly end, a second one ends at once.
 *
 * One that the code under test sent (to its parent, or to everybody) is no request but a failure of the case that sent
 * it: the supervisor knows its workers, each in a process group of its own, and looks at who the sender is.
 *
 *     INT, TERM, HUP    from anybody else: an orderly end, the second time at once; HUP is left alone under nohup
 *     QUIT, USR1, USR2, ALRM    from anybody else: what they always do
 *     TSTP (Ctrl-Z)     workers stop with the supervisor, and go on with it
 *     any of these from a worker    noted for it, and its case fails (engine/workers/culprit.h) */
#ifndef SONDE_EXEC_INTERRUPT_H
#define SONDE_EXEC_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* For programs that sonde owns (sonde_main); an embedded run leaves the signals alone. HUP stays ignored where it was,
 * as under nohup. */
void sonde_interrupt_watch(void);
/* In a worker that was forked: signals are as they were before. */
void sonde_interrupt_leave(void);

/* From any place and as often as wanted: it reads one variable, which a handler sets. */
bool sonde_interrupted(void);
/* The exit status of a run that was interrupted, 128 and the signal; 0: it was not. */
int sonde_interrupt_status(void);
/* The run will end with this status or a worse one: 1, 2 or 99, which win over a signal. A second signal ends it with
 * that, too. Others are of no interest. */
void sonde_interrupt_worst(int status);
/* Ends the process by the signal that interrupted it, so that a shell knows: it goes on with its script otherwise. */
void sonde_interrupt_die(void);

/* Stops all workers where they are, or lets them go on. */
void sonde_interrupt_hold(bool holds);

/* A worker has begun, with a process group of its own; or it has ended. The end answers which signal the worker sent to
 * this process meanwhile; 0: none. */
void sonde_interrupt_begin(pid_t worker);
int sonde_interrupt_end(pid_t worker);
/* The signal that the worker sent to this process; 0: none. */
int sonde_interrupt_sent(pid_t worker);
/* In a signal handler: a worker of this process has sent it. */
bool sonde_interrupt_is_workers(const siginfo_t *info);

#endif
