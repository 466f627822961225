/* Comparing cases with another program (exec.h): the worker's side. */
#ifndef SONDE_EXEC_AGAINST_H
#define SONDE_EXEC_AGAINST_H

#include "case/case.h"

/* Holds whether cases are compared. A variable and not a function, because it is read for each case. */
extern bool sonde_against_is_open __attribute__((visibility("hidden")));

/* Runs the tape of a case that has ended in the other program, and fails the case if it did something else there. */
void sonde_against_case(sonde *t);
/* Leaves cases of this process alone: they only warm up. */
void sonde_against_pause(void);

#endif
