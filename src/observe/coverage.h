/* Observes the code under test: counters of every instrumented module, and the comparisons it made.
 *
 * The compiler puts counters into the program (clang: inline-8bit-counters, pc-table) or calls sonde at every edge
 * (gcc: trace-pc) and at every comparison (both: trace-cmp). Registered counters and the tables that calls write to
 * belong to the process. Their meaning, the ids of features, belongs to one run of a property, and lives in memory
 * that outlasts a crashed worker. The library itself is never instrumented.
 *
 * Order of calls: create once for each search, reset when a worker begins, begin before and end after each case. The
 * view that end returns is valid until the next end. */
#ifndef SONDE_OBSERVE_COVERAGE_H
#define SONDE_OBSERVE_COVERAGE_H

#include <sonde/extend.h>

struct sonde_coverage;

/* Addresses of code, the last one exclusive. */
struct sonde_code_range {
    uintptr_t from, to;
};

/* Creates the coverage of a search. Never NULL, even if nothing is instrumented yet: modules may be loaded later. */
struct sonde_coverage *sonde_coverage_create(void);
/* Frees the coverage; NULL is allowed. */
void sonde_coverage_free(struct sonde_coverage *coverage);

/* Begins a case: calls from the compiler's instrumentation in this thread count from here on. Counters must be zero,
 * as `end` leaves them. `compares`: also record comparisons, which takes time. */
void sonde_coverage_begin(struct sonde_coverage *coverage, bool compares);
/* Sets whether the next cases record the log of comparisons; with `compares` only. */
void sonde_coverage_log(struct sonde_coverage *coverage, bool wants);
/* Marks comparisons of these ranges in logs (sonde_comparison.is_near). Borrows them. */
void sonde_coverage_near(struct sonde_coverage *coverage, const struct sonde_code_range *ranges, uint32_t n);
/* Ends a case: reads and clears what was hit. Returns a view, valid until the next `end`, or NULL while no code is
 * known to be instrumented. */
const struct sonde_coverage_view *sonde_coverage_end(struct sonde_coverage *coverage);
/* Clears the counts of code that ran outside of cases. */
void sonde_coverage_reset(struct sonde_coverage *coverage);

/* Values of a comparison's feature besides distances: the first side was less, or greater. Recorded only after
 * sonde_coverage_keep. */
enum { SONDE_MARK_LESS = 64, SONDE_MARK_GREATER = 65 };

/* ---- Cases that end their process. Counters are memory of that process, and are lost with it unless they are
 * saved. */

/* Saves the counters of cases from now on. sonde_at_death copies them when the process ends. `signs`: also notes the
 * signs of comparisons. */
void sonde_coverage_keep(struct sonde_coverage *coverage, bool signs);
/* Returns, in another process, the view of the last case, whether or not the case ended; NULL if unknown. */
const struct sonde_coverage_view *sonde_coverage_last(struct sonde_coverage *coverage);

/* Compares two runs of the same tape: a copy of the features of the first run, and the run just read. Features that
 * differ are set aside from now on; comparisons only if both runs recorded them. Returns the number of features set
 * aside. */
uint32_t sonde_coverage_compare(struct sonde_coverage *coverage, const struct sonde_feature *first, size_t n,
                                bool compared);

/* Returns whether the feature was set aside, because it does not depend on the input alone. */
bool sonde_coverage_is_unstable(const struct sonde_coverage *coverage, uint32_t id);

/* A name for a feature that other processes understand: which build of which module, and where in it. */
struct sonde_feature_name {
    uint64_t module; /* hash of the build id */
    uint64_t offset; /* offset of the code (of the counter if the code is unknown) from the load address */
};
/* Fills in the name of a feature; returns false if there is no such feature. */
bool sonde_coverage_name(const struct sonde_coverage *coverage, uint32_t id, struct sonde_feature_name *name);

/* A location in the code. */
struct sonde_coverage_place {
    uint32_t id;     /* id of the feature; UINT32_MAX: no run has reached it, and the search does not know its module */
    uint64_t module; /* hash of the build id, as in struct sonde_feature_name */
    uint64_t offset; /* offset of the code from the load address; if is_called, of the instruction after the call */
    uintptr_t address; /* address of the code in this process */
    bool is_called;    /* known because its code called a hook, not from a table; unknown before the first call */
};
/* Calls `visit` for every location with a known address: all locations in tables, and the locations whose
 * instrumentation called a hook. */
void sonde_coverage_each_place(const struct sonde_coverage *coverage,
                               void (*visit)(void *user, const struct sonde_coverage_place *place), void *user);
/* Returns where the code of a feature lies in this process, for its line table; NULL if unknown. */
const void *sonde_coverage_code(const struct sonde_coverage *coverage, uint32_t id);
/* Returns the next counted location after `code`: the block of `code` ends there at the latest. NULL if none is
 * known. */
const void *sonde_coverage_next(const struct sonde_coverage *coverage, const void *code);

/* Returns, for each id of another run of the same program, the id that means the same here; new ones are created.
 * The caller frees the array with sonde_free. */
uint32_t *sonde_coverage_translate(struct sonde_coverage *coverage, const struct sonde_coverage *other);

/* Sets aside the features that another run has set aside; feature i of that run is ids[i] here. */
void sonde_coverage_merge(struct sonde_coverage *coverage, const struct sonde_coverage *other, const uint32_t *ids);

/* The size of the instrumented code. */
struct sonde_coverage_size {
    uint32_t modules, counters, comparisons, unstable;
};
/* Returns the current size, which grows when modules are loaded later. */
struct sonde_coverage_size sonde_coverage_size(const struct sonde_coverage *coverage);

#endif
