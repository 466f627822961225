/* Compares a case with and without a mutant: which locations ran more or less often, and which compared other values.
 *
 * The form of the mutated code changes some counters, too. The null mutant of the site shows which of them
 * (sonde/mutants.h). */
#ifndef SONDE_MUTATE_TRACES_H
#define SONDE_MUTATE_TRACES_H

#include "base/map.h"
#include "observe/coverage.h"
#include "program/place.h"

#include <stdbool.h>
#include <stdint.h>

/* One case. All zeros at first; by id of the feature. */
struct sonde_mutant_trace {
    uint8_t *counts;
    uint64_t *sides; /* hash of the compared values; 0: none */
    uint32_t n, n_sides;
};

/* Fills in the trace of the case that was seen; NULL: no code is instrumented. */
void sonde_mutant_trace_take(struct sonde_mutant_trace *trace, const struct sonde_coverage_view *seen);

enum { SONDE_OWN_FUNCTIONS = 8 };

/* Differences that are not the mutant's doing, and the functions that hold its site. */
struct sonde_mutant_own {
    const struct sonde_coverage *coverage;
    const struct sonde_map *known; /* counters that inputs reach without a mutant, by hashes of their names */
    const struct sonde_code *code; /* NULL: functions are not known */
    uint8_t *is_own;               /* by id */
    uint32_t n;
    uint64_t functions[SONDE_OWN_FUNCTIONS]; /* hashes of names; later ones are left out */
    uint32_t n_functions;
};

/* Adds the differences of two cases without the mutant. */
void sonde_mutant_own_add(struct sonde_mutant_own *own, const struct sonde_mutant_trace *a,
                          const struct sonde_mutant_trace *b);
/* Adds the differences between the original and the null mutant: these are in the functions that hold the site. */
void sonde_mutant_own_add_null(struct sonde_mutant_own *own, const struct sonde_mutant_trace *plain,
                               const struct sonde_mutant_trace *null);
/* Adds a function that holds the site, by its name. */
void sonde_mutant_own_function(struct sonde_mutant_own *own, const char *name);

/* The effect of a mutant on one case. */
struct sonde_mutant_difference {
    bool is_way;  /* a location ran more or less often */
    bool is_used; /* a comparison had other sides */
    bool is_far;  /* one of both happened outside of the functions that hold the site, or these are not known */
};
struct sonde_mutant_difference sonde_mutant_difference_of(const struct sonde_mutant_own *own,
                                                          const struct sonde_mutant_trace *plain,
                                                          const struct sonde_mutant_trace *other);

/* Returns a name of a counter that is the same in all processes of a build; 0: it has none. */
uint64_t sonde_counter_name(const struct sonde_coverage *coverage, uint32_t id);

#endif
