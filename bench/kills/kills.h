/* Macros of the subjects of bench/run kills. A subject is one property, `agrees`: a library, in which one mutant is
 * compiled, does what the library without it does, whose functions have `original_` before their names. */
#ifndef KILLS_H
#define KILLS_H

#include <sonde.h>

#include <string.h>

/* The same function of the library without a mutant. */
#define ORIGINAL(function) extern __typeof__(function) original_##function

#if defined(KILLS_STRUCTURE)
#include "sonde_fuzz.h"
#define KILLS_MAIN SONDE_FUZZ_TARGET(agrees)
#elif defined(KILLS_BYTES) /* libFuzzer's own mutators: bytes answer the draws one after the other */
#include "sonde_fuzz.h"
#define KILLS_MAIN                                                                                                     \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)                                                          \
    {                                                                                                                  \
        sonde_fuzz_input_(sonde_fuzz_target_(agrees, "agrees"), data, n);                                              \
        return 0;                                                                                                      \
    }
#elif defined(KILLS_FUNCTION) /* for bench/run first, which has a main() */
#define KILLS_MAIN                                                                                                     \
    void KILLS_FUNCTION(sonde *t);                                                                                     \
    void KILLS_FUNCTION(sonde *t)                                                                                      \
    {                                                                                                                  \
        agrees(t);                                                                                                     \
    }
#else
#define KILLS_MAIN SONDE_MAIN(agrees)
#endif

#endif
