/* The work of a program under test in a row of the suite `programs`, counted by one module for every tool that drives
 * it: executions, valid and different valid inputs, and the edges of semantic files.
 *
 * The counters are the ones that the compiler put into the program (clang, inline-8bit-counters). They are read after
 * the program has run and before the tool that drives it looks at them, and left as they are. The counts lie in a file
 * that is mapped: it outlives a crash of the program, continues in the next process, and the bench reads it from
 * outside. */
#ifndef BENCH_PROGRAMS_MEASURE_H
#define BENCH_PROGRAMS_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MEASURE_EDGES = 1 << 18, /* counters of a program */
    MEASURE_SET = 1 << 22,   /* slots for the hashes of different inputs, and of their traces */
    MEASURE_SERIES = 128     /* points over time */
};

/* One point over time, and at the end the row. */
struct measure_counts {
    double cpu; /* seconds */
    uint64_t runs, valid, unique_valid, diverse_valid;
    uint64_t sem_all, sem_valid; /* edges in semantic files, by all inputs and by valid ones */
};

enum { MEASURE_MAGIC = 0x53504d31 };

struct measure {
    uint32_t magic;
    bool is_watched; /* the bench ends it when the time is over; else this process ends itself */
    double budget;   /* CPU seconds */
    bool is_over;
    bool is_running; /* the program is: still set in a new process, it has crashed or was ended */
    uint64_t crashes;
    uint32_t n_edges, n_sem, n_unstable;
    struct measure_counts now;
    struct measure_counts series[MEASURE_SERIES];
    uint32_t n_series;
    bool has_seeds;              /* the last seed has been run: */
    struct measure_counts seeds; /* the counts at that time */
    uint64_t syn_all, syn_valid; /* edges of the other files */
    uint8_t seen[MEASURE_EDGES]; /* bit 0: by any input, 1: by a valid one, 2: it is semantic */
    uint64_t inputs[MEASURE_SET], traces[MEASURE_SET];
};

/* The file, made if it is not there and `make` is set; NULL if it cannot be had. */
struct measure *measure_map(const char *path, bool make);
void measure_unmap(struct measure *m);

/* Counts what another search of the same program did as if one search had done both; there is one point then, the end. False if a file
 * cannot be had. */
bool measure_merge(const char *into, const char *from);

/* In the program. Settings come from the environment, as the tools that drive it have their own options:
 *   PROGRAMS_STATE     the file; without it nothing is counted
 *   PROGRAMS_SECONDS   CPU seconds until the end
 *   PROGRAMS_SPENT     CPU seconds that were spent before, on making seeds; they count
 *   PROGRAMS_RUNS      runs until the end
 *   PROGRAMS_RANGES    file with the addresses of the semantic code, a line of two hexadecimal numbers for each part
 *   PROGRAMS_UNSTABLE  file with the numbers of counters that differ between equal runs; see measure_calibrate
 *   PROGRAMS_KEEP      directory that gets a copy of each different valid input
 *   PROGRAMS_FOLLOW    file of an earlier search: this one is the same search, in instrumented code. It ends with as many runs, and its
 *                      points are taken where the other's were, at the other's time
 *   PROGRAMS_LIGHT     runs are counted, edges are not
 * Call it before the process forks. */
void measure_start(void);
/* Runs one input and counts it; true if it is valid. */
bool measure_run(const char *text, size_t n, bool (*run)(const char *text, size_t n));
/* Counts a case that runs no input by measure_run, and looks at the clock. */
void measure_tick(void);
/* Notes that all seeds have been run; only the first call has an effect. */
void measure_end_seeds(void);
bool measure_is_over(void);
/* Runs one input again and notes the counters that differ; measure_calibrated writes their numbers to a file. */
void measure_calibrate(const char *text, size_t n, bool (*run)(const char *text, size_t n));
bool measure_calibrated(const char *path);
uint64_t measure_hash(const char *text, size_t n);

#endif
