/* What single tapes reach: for the corpus tools (sonde min, merge, cov), which run the test program to learn it.
 *
 * A conversation by lines, which SONDE_MEASURE in the environment begins. The tool asks for it with SONDE_MEASURE_REQUEST,
 * so that the variable alone never ends a run of tests in good order without one; the program greets with
 * SONDE_MEASURE_GREETING; then come tokens on standard input, each with its answer on standard output:
 *
 *     VERDICT SIZE FEATURE...\tTOKEN    valid, discarded, failed or overrun; choices; 64-bit numbers in hexadecimal;
 *     unreadable                        what the run recorded
 *
 * A feature is a place in the code and how often, by powers of two, it was passed; comparisons are left out: nearly every
 * tape compares something new. Features are named by build and place, so they are the same in every run of the same
 * program. At the end of the
 * input come the places in the code that can be told apart, and how many of the tapes reached them:
 *
 *     place OFFSET TAPES MODULE
 *
 * A tape that ends the process ends the conversation; whoever asks starts it again behind that tape. */
#ifndef SONDE_ENGINE_MEASURE_H
#define SONDE_ENGINE_MEASURE_H

#include "engine/search/options.h"

#define SONDE_MEASURE_REQUEST "sonde measure, please: 1"
#define SONDE_MEASURE_GREETING "sonde measure 1"

/* SONDE_USAGE, after a sentence, if nobody asks. */
enum sonde_status sonde_measure(const sonde_property *property, const struct sonde_options *options);

#endif
