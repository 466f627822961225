/* Code under test that attaches to its supervisor (ptrace) stops it: no limit is watched any more, and when the worker
 * ends, the stop stays. A worker therefore lets go of its supervisor before it ends. */
#ifndef SONDE_EXEC_TRACER_H
#define SONDE_EXEC_TRACER_H

/* Detaches from the parent process if this thread traces it. Safe in a signal handler. */
void sonde_tracer_release(void);

#endif
