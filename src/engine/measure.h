/* Reports what single tapes reach, for the corpus tools: sonde min, merge and cov run the test program for this.
 *
 * The variable SONDE_MEASURE in the environment starts a protocol of lines. The tool then sends SONDE_MEASURE_REQUEST,
 * so the variable alone never makes a run of tests succeed without running them. The program greets with
 * SONDE_MEASURE_GREETING. Then come tokens on standard input, each with its reply on standard output:
 *
 *     VERDICT SIZE FEATURE...\tTOKEN    valid, discarded, failed or overrun; choices; 64-bit numbers in hexadecimal;
 *     unreadable                        what the run recorded
 *
 * A feature is a location in the code with its hit count, in powers of two. Comparisons are left out: nearly every
 * tape compares something new. Features are named by build and location, so they are the same in every run of the same
 * program. At the end of the input, the program prints each distinguishable location in the code, and how many of the
 * tapes reached it:
 *
 *     place OFFSET TAPES MODULE
 *
 * A tape that ends the process ends the conversation; the tool starts it again after that tape. */
#ifndef SONDE_ENGINE_MEASURE_H
#define SONDE_ENGINE_MEASURE_H

#include "engine/search/options.h"

#define SONDE_MEASURE_REQUEST "sonde measure, please: 1"
#define SONDE_MEASURE_GREETING "sonde measure 1"

/* Runs the conversation and returns the exit status. If no tool asks, prints an error and returns SONDE_USAGE. */
enum sonde_status sonde_measure(const sonde_property *property, const struct sonde_options *options);

#endif
