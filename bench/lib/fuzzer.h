/* libFuzzer in the place of a guide, on the same properties and the same instrumented code:
 *
 *   libfuzzer         with the mutators of adapters/sonde_fuzz.h, which know what an input is made of
 *   libfuzzer-bytes   with its own mutators alone, on bytes that answer the draws one after the other
 *
 * A suite that has them keeps its properties in bench/SUITE/properties.c, and the Makefile makes targets of them; they are
 * not there where clang's libFuzzer is not. */
#ifndef BENCH_LIB_FUZZER_H
#define BENCH_LIB_FUZZER_H

#include "lib/bench.h"

/* For `others` of a suite. */
extern const char *const bench_fuzzers[];

bool bench_is_fuzzer(const char *guide);
/* Runs one search, as bench_search does, but ignores --seconds; its time counts from the first test on. If `counts`, it
 * also counts different valid inputs and, as `edges`, the counters that were hit; both cost time. Returns false, after
 * an error message, if the target is not there or went wrong. */
bool bench_fuzz(const struct bench *b, struct bench_row *row, bool counts);

#endif
