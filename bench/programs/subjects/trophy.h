/* A property of examples/trophies as a program: include this, then the trophy, then define program_property. */
#ifndef BENCH_PROGRAMS_SUBJECTS_TROPHY_H
#define BENCH_PROGRAMS_SUBJECTS_TROPHY_H

#include <sonde.h>

#undef SONDE_MAIN
#define SONDE_MAIN(...)                            /* mains/guided.c has main */
#pragma GCC diagnostic ignored "-Wunused-function" /* the other properties of the trophy */

void program_property(sonde *t);

#endif
