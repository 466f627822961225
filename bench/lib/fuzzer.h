/* Fuzzers in the place of a guide, on the same properties:
 *
 *   libfuzzer         with the mutators of adapters/sonde_fuzz.h, which know what an input is made of
 *   libfuzzer-bytes   with its own mutators alone, on bytes that answer the draws one after the other
 *   afl               AFL++ on such bytes: what Crowbar does, and QcCrowbar (FuzzChick, section 2.2)
 *
 * libFuzzer has the same instrumented code as the guides, AFL++ the same code with its own instrumentation. A suite that has them
 * keeps its properties in a file properties.c, and the Makefile makes targets of them; they are not there where clang's libFuzzer
 * or AFL++ is not. */
#ifndef BENCH_LIB_FUZZER_H
#define BENCH_LIB_FUZZER_H

#include "lib/bench.h"

/* For `others` of a suite. */
extern const char *const bench_fuzzers[]; /* libFuzzer */
extern const char *const bench_afl[];

bool bench_is_fuzzer(const char *guide);
/* Runs one search, as bench_search does, but ignores --seconds; its time counts from the first test on. If `counts`, it
 * also counts different valid inputs and, as `edges`, the counters that were hit; both cost time. Returns false, after
 * an error message, if the target is not there or went wrong. */
bool bench_fuzz(const struct bench *b, struct bench_row *row, bool counts);
/* Runs one search by AFL++, from 1 KB of random bytes. The time is the sum over all of its processes. AFL++ reads clocks,
 * so a seed need not give the same search again. */
bool bench_run_afl(const struct bench *b, struct bench_row *row, const char *target);

#endif
