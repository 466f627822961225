/* Adapter for fuzzers: makes a property a fuzz target.
 *
 *     #include "sonde_fuzz.h"
 *     SONDE_FUZZ_TARGET(decoding_survives)
 *
 *     clang -g -fsanitize=fuzzer,address target.c $(pkg-config --cflags --libs sonde-static) -o target
 *     ./target corpus/
 *     afl-clang-fast -g target.c $(pkg-config --cflags --libs sonde-static) -o target
 *     afl-fuzz -i in -o out -- ./target
 *
 * For libFuzzer, and for others that run its targets (honggfuzz, OSS-Fuzz, ClusterFuzz), it defines the functions
 * that they call. Its mutator and crossover work on the structure of the input and never run the property. Under
 * AFL++ it is a program in persistent mode that reads from shared memory; the mutator is a separate library
 * (afl_mutator.c). With -DSONDE_FUZZ_MAIN it is a program that runs the files it is given.
 *
 * Link the static library. A failed check is printed, with the token that replays it, and ends in abort(), which
 * every fuzzer reports as a crash. `sonde convert --with=./target @crash-file` prints the token of any input. */
#ifndef SONDE_FUZZ_H
#define SONDE_FUZZ_H

#ifdef __cplusplus
#include <sonde.hpp>
#else
#include <sonde.h>
#endif
#include <sonde/extend.h>

#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the target, one per program; creates it at the first input. */
static inline struct sonde_fuzz *sonde_fuzz_target_(sonde_property_fn *run, const char *name)
{
    static struct sonde_fuzz *fuzz;
    static sonde_property property;
    if (fuzz) return fuzz;
    property.run = run;
    property.name = name;
    return fuzz = sonde_fuzz_create(&property);
}

static inline void sonde_fuzz_input_(struct sonde_fuzz *fuzz, const uint8_t *data, size_t n)
{
    if (sonde_fuzz_run(fuzz, data, n) == SONDE_FAILED) abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t n_a, const uint8_t *b, size_t n_b, uint8_t *out, size_t max,
                                 unsigned int seed);
#if defined(__GNUC__) || defined(__clang__)
__attribute__((weak))
#endif
size_t
LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max);

/* Adds -len_control=0: tapes contain their labels, so starting with inputs of a few bytes is useless. */
static inline void sonde_fuzz_flags_(int *argc, char ***argv)
{
    static char flag[] = "-len_control=0";
    for (int i = 1; i < *argc; i++) /* sonde looks for leaks too */
        if (strcmp((*argv)[i], "-detect_leaks=0") == 0) setenv("SONDE_FUZZ_NO_LEAKS", "1", 1);
    char **words = (char **)malloc(((size_t)*argc + 2) * sizeof *words);
    if (!words) return;
    memcpy(words, *argv, (size_t)*argc * sizeof *words);
    /* put first, so that the user's flag takes precedence */
    memmove(words + 2, words + 1, ((size_t)*argc - 1) * sizeof *words);
    words[1] = flag;
    words[++*argc] = NULL;
    *argv = words;
}

/* Mutates by structure; one time in eight, or if there is no structure, by bytes. */
static inline size_t sonde_fuzz_mutate_(struct sonde_fuzz *fuzz, uint8_t *data, size_t n, size_t max, unsigned int seed)
{
    size_t changed = seed % 8 ? sonde_fuzz_mutate(fuzz, data, n, max, seed) : 0;
    if (changed) return changed;
    return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, n, max) : n;
}

/* In C++ cases are left by an exception, so that destructors run. An exception that escapes the property is a
 * failure. */
#ifdef __cplusplus
#define SONDE_FUZZ_FUNCTION_(function) (&sondecpp::property<function>)
#else
#define SONDE_FUZZ_FUNCTION_(function) (function)
#endif

#define SONDE_FUZZ_TARGET(function)                                                                                    \
    int LLVMFuzzerInitialize(int *argc, char ***argv)                                                                  \
    {                                                                                                                  \
        if (*argc > 0) sonde_fuzz_flags_(argc, argv);                                                                  \
        return 0;                                                                                                      \
    }                                                                                                                  \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)                                                          \
    {                                                                                                                  \
        sonde_fuzz_input_(sonde_fuzz_target_(SONDE_FUZZ_FUNCTION_(function), #function), data, n);                     \
        return 0;                                                                                                      \
    }                                                                                                                  \
    size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned int seed)                             \
    {                                                                                                                  \
        return sonde_fuzz_mutate_(sonde_fuzz_target_(SONDE_FUZZ_FUNCTION_(function), #function), data, n, max, seed);  \
    }                                                                                                                  \
    size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t n_a, const uint8_t *b, size_t n_b, uint8_t *out,         \
                                     size_t max, unsigned int seed)                                                    \
    {                                                                                                                  \
        return sonde_fuzz_cross(sonde_fuzz_target_(SONDE_FUZZ_FUNCTION_(function), #function), a, n_a, b, n_b, out,    \
                                max, seed);                                                                            \
    }                                                                                                                  \
    SONDE_FUZZ_MAIN_

/* ---- Programs with main(): for AFL++, and the runner of files. */
#if defined(__AFL_COMPILER) || defined(SONDE_FUZZ_MAIN)
#include <stdio.h>
#include <unistd.h>

/* Runs the input in a file, or from standard input if NULL. Returns the exit status. */
static inline int sonde_fuzz_file_(const char *path)
{
    FILE *in = path ? fopen(path, "rb") : stdin;
    uint8_t *data = NULL;
    size_t n = 0, cap = 0;
    if (!in) {
        fprintf(stderr, "cannot read %s\n", path);
        return 2;
    }
    do {
        if (n == cap) data = (uint8_t *)realloc(data, cap = cap ? 2 * cap : 4096);
        if (!data) abort();
        n += fread(data + n, 1, cap - n, in);
    } while (!feof(in) && !ferror(in));
    if (path) fclose(in);
    LLVMFuzzerTestOneInput(data, n);
    free(data);
    return 0;
}

static inline int sonde_fuzz_files_(int argc, char **argv)
{
    int status = argc < 2 ? sonde_fuzz_file_(NULL) : 0;
    for (int i = 1; i < argc && !status; i++) status = sonde_fuzz_file_(argv[i]);
    return status;
}
#endif

#if defined(__AFL_COMPILER)
__AFL_FUZZ_INIT();
#define SONDE_FUZZ_MAIN_                                                                                               \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        if (argc > 1) return sonde_fuzz_files_(argc, argv);                                                            \
        __AFL_INIT();                                                                                                  \
        const uint8_t *data = __AFL_FUZZ_TESTCASE_BUF;                                                                 \
        while (__AFL_LOOP(10000)) LLVMFuzzerTestOneInput(data, (size_t)__AFL_FUZZ_TESTCASE_LEN);                       \
        return 0;                                                                                                      \
    }
#elif defined(SONDE_FUZZ_MAIN)
#define SONDE_FUZZ_MAIN_                                                                                               \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        return sonde_fuzz_files_(argc, argv);                                                                          \
    }
#else
#define SONDE_FUZZ_MAIN_
#endif

#ifdef __cplusplus
}
#endif
#endif
