/* A linear model of comparisons in conditions (struct sonde_compared). The difference of the two sides is often a
 * linear function of choices (a line): v[i - 1] - v[i], start + length - end. A line is found from a few cases and
 * believed until a case contradicts it. The results that a comparison had in valid cases (less, equal, greater) are
 * taken as required. So a predicate of the user shows as much as a separate assume for each of its comparisons would.
 *
 * A comparison is identified by its location in the program, its call, and its number among the comparisons at that
 * location in that call. A path is the set of comparisons that a case made; similar cases make the same comparisons.
 *
 * Example: is_sorted(v, n) compares v[i - 1] with v[i] at one location. Its second comparison in the first call was -3,
 * -10 and -2 in valid cases, and equal to x[1] - x[2] in all cases. A candidate with x[1] 5 and x[2] 4 would have 1, a
 * sign that no valid case had. If x[1] is 5 and x[3] is 9, x[2] may be 6 to 8.
 *
 * Rows that need it (bench/KNOBS.md, parts of target): sorted_function, heap, sum. */
#ifndef SONDE_GUIDE_TARGET_PATHS_H
#define SONDE_GUIDE_TARGET_PATHS_H

#include <sonde/extend.h>

#include <stdbool.h>
#include <stdint.h>

enum { SONDE_PATH_SLOTS = 128 }; /* maximum number of comparisons that are modelled */

/* The set of comparisons that a case made. */
struct sonde_trail {
    uint64_t bits[SONDE_PATH_SLOTS / 64];
};

enum {
    SONDE_PATHS_RUNS = 48,     /* number of cases that are remembered: few are enough to find a line */
    SONDE_PATHS_CHOICES = 128, /* number of choices that are modelled, as in region.h */
    SONDE_PATHS_TERMS = 12     /* maximum number of choices in a line */
};

/* One comparison, and its line if one is known. */
struct sonde_paths_slot {
    uint64_t place; /* the location; with call and nth it identifies the comparison */
    uint32_t call, nth;
    uint32_t assume; /* the assume that the comparison belongs to; UINT32_MAX: no single assume */
    uint8_t signs;   /* results in valid cases, as bits: 1 less, 2 equal, 4 greater */
    bool is_exact;   /* the line is right in all remembered cases */
    uint32_t held;   /* number of valid cases that made the comparison */
    /* seen: number of cases that made the comparison. fit_at: a line is searched for when `seen` has reached this
     * number. */
    uint32_t seen, fit_at;
    uint32_t wrongs; /* number of lines that turned out wrong */
    double first;    /* difference of the two sides in the first case that made the comparison */
    bool varies;     /* a later case had another difference */
    uint32_t n;      /* number of terms of the line */
    uint16_t choices[SONDE_PATHS_TERMS];
    double slopes[SONDE_PATHS_TERMS], constant;
};

/* The model. by[i][j] is the difference of the sides of slots[j] in the case values[i]. It is NaN if that case did not
 * make the comparison. Missing choices are 0 in `values`. */
struct sonde_paths {
    struct sonde_paths_slot slots[SONDE_PATH_SLOTS];
    uint32_t n_slots;
    uint32_t table[2 * SONDE_PATH_SLOTS]; /* hash table with open addressing: index of the slot + 1 */
    double values[SONDE_PATHS_RUNS][SONDE_PATHS_CHOICES], by[SONDE_PATHS_RUNS][SONDE_PATH_SLOTS];
    /* runs: number of cases ever remembered. valid: number of valid cases, of which one in four is remembered. */
    uint64_t runs, valid;
    uint64_t *work;                              /* the work counter of the region (region.h) that owns this model */
    bool matters[SONDE_PATHS_CHOICES], is_stale; /* is_stale: `matters` must be recomputed */
    /* The choices that have had more than one value, in ascending order; only these can be in a line. */
    uint32_t varying[SONDE_PATHS_CHOICES], n_varying;
    bool is_varying[SONDE_PATHS_CHOICES];
    double constants[SONDE_PATHS_CHOICES]; /* the first value of each choice */
    struct sonde_paths_pursuit *pursuit;   /* memory for the search for a line; NULL until it is needed */
};

/* Frees what the model owns, but not the struct. */
void sonde_paths_clear(struct sonde_paths *paths);

/* The verdict on a candidate: all its comparisons keep to signs of valid cases, or one does not. */
enum sonde_paths_answer { SONDE_PATHS_KEEPS, SONDE_PATHS_LEAVES };

/* Learns from a case and fills in its path; returns true if a line was wrong. `values` are the first n choices of its
 * tape, NaN for choices that it lacks. */
bool sonde_paths_learn(struct sonde_paths *paths, const struct sonde_observation *observation, const double *values,
                       uint32_t n, struct sonde_trail *path);
/* Reports whether every comparison of the path that has a line keeps a sign of a valid case. `open` and `compared` are
 * optional. `open` receives the assumes, as bits, with a comparison that is not a line; `compared` the assumes with any
 * comparison. */
enum sonde_paths_answer sonde_paths_judge(struct sonde_paths *paths, const struct sonde_trail *path, const double *x,
                                          uint64_t *compared, uint64_t *open);
/* Returns how many comparisons would have a sign that no valid case had, at values of a shape that was not run yet. A
 * comparison counts only if it was seen often and x has all of its choices. */
uint32_t sonde_paths_objections(struct sonde_paths *paths, const double *x);
/* Computes the range of values of choice c that keeps all comparisons of the path, with the other choices unchanged.
 * A path of NULL stands for the comparisons that sonde_paths_objections counts. Returns false if no comparison depends
 * on c. Under an equality lo equals hi. */
bool sonde_paths_room(struct sonde_paths *paths, const struct sonde_trail *path, const double *x, uint32_t c,
                      double *lo, double *hi);
/* Returns a choice that an equality ties to c, and in `ratio` how far it must move for each step of c. Returns
 * UINT32_MAX if there is none. `any` is a random number that selects one of several. */
uint32_t sonde_paths_partner(struct sonde_paths *paths, const struct sonde_trail *path, const double *x, uint32_t c,
                             uint64_t any, double *ratio);
/* Returns how many comparisons are known as lines. */
uint32_t sonde_paths_lines(const struct sonde_paths *paths);
/* Reports whether any line depends on this choice. */
bool sonde_paths_matters(struct sonde_paths *paths, uint32_t choice);

#endif
