/* exec: the only place that calls user code. */
#ifndef SONDE_EXEC_EXEC_H
#define SONDE_EXEC_EXEC_H

#include "case/case.h"

/* Runs one case here, in this thread. The script may be NULL. What happened is in the case. */
void sonde_exec_inline(sonde *t, const sonde_property *property, struct sonde_guide *guide,
                       const struct sonde_tape *script);

/* The call of the property itself; where a stack trace of the code under test ends. */
void sonde_exec_property(sonde *t);

#endif
