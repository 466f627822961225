/* A property as a fuzz target:
 *
 *     #include "sonde_fuzz.h"
 *     SONDE_FUZZ_TARGET(decoding_survives)
 *
 *     clang -g -fsanitize=fuzzer,address target.c $(pkg-config --cflags --libs sonde-static) -o target && ./target corpus/
 *     afl-clang-fast -g target.c $(pkg-config --cflags --libs sonde-static) -o target && afl-fuzz -i in -o out -- ./target
 *
 * For libFuzzer, and all that run its targets (honggfuzz, OSS-Fuzz, ClusterFuzz), it defines what they call, with a
 * mutator and a crossover that work on the structure of the input and never run the property. Under AFL++ it is a program in persistent mode that
 * reads from shared memory; the mutator is a library of its own (afl_mutator.c). With -DSONDE_FUZZ_MAIN it is a program
 * that runs the files it is given.
 *
 * Link the static library. A claim that does not hold is printed, with the token that replays it, and ends in abort(),
 * which every fuzzer takes for a crash. `sonde convert --with=./target @crash-file` gives the token of any input. */
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

/* One for the program, made at the first input. */
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

/* A tape has its labels in it, so inputs have no use for starting out as a few bytes. */
static inline void sonde_fuzz_flags_(int *argc, char ***argv)
{
    static char flag[] = "-len_control=0";
    for (int i = 1; i < *argc; i++) /* the library asks for leaks, too */
        if (strcmp((*argv)[i], "-detect_leaks=0") == 0) setenv("SONDE_FUZZ_NO_LEAKS", "1", 1);
    char **words = (char **)malloc(((size_t)*argc + 2) * sizeof *words);
    if (!words) return;
    memcpy(words, *argv, (size_t)*argc * sizeof *words);
    memmove(words + 2, words + 1, ((size_t)*argc - 1) * sizeof *words); /* first, so that the user's own wins */
    words[1] = flag;
    words[++*argc] = NULL;
    *argv = words;
}

/* Mostly by structure; sometimes, and where there is none to hold on to, by bytes. */
static inline size_t sonde_fuzz_mutate_(struct sonde_fuzz *fuzz, uint8_t *data, size_t n, size_t max, unsigned int seed)
{
    size_t changed = seed % 8 ? sonde_fuzz_mutate(fuzz, data, n, max, seed) : 0;
    if (changed) return changed;
    return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, n, max) : n;
}

/* In C++ cases are left by an exception, so destructors run; and one that comes out of the property is a failure. */
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

/* ---- Programs of their own: AFL++, and the runner of files. */
#if defined(__AFL_COMPILER) || defined(SONDE_FUZZ_MAIN)
#include <stdio.h>
#include <unistd.h>

/* Runs a file; NULL: standard input. */
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
