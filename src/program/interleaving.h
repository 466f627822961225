/* How the threads of a case took turns (sonde_threads), for people. */
#ifndef SONDE_PROGRAM_INTERLEAVING_H
#define SONDE_PROGRAM_INTERLEAVING_H

#include "case/case.h"

/* Lines: a column for each thread, what each did from top to bottom, with file and line; "" if the case had no threads. Starts processes.
 * The caller frees it. */
char *sonde_interleaving(const sonde *t);

#endif
