/* Comparisons in conditions (struct sonde_compared) as lines: by how much one side exceeds the other is often a sum of
 * choices, each times a number: v[i - 1] - v[i], start + length - end. Such a line is found from a few runs and believed until a
 * run contradicts it. What a comparison has to be is what it was in valid runs: less, equal, greater, or some of these.
 * So a predicate that is a function of the user's tells as much as an assume for each of its comparisons would.
 *
 * A comparison is known by its place in the program, the call that it belongs to, and how many of that place came before it in
 * that call. A path is the set of those that a run made: near that run others make them too.
 *
 * Example: is_sorted(v, n) compares v[i - 1] with v[i] at one place. Its second comparison in the first call was -3, -10 and
 * -2 in valid runs, and x[1] - x[2] in all: a candidate with x[1] 5 and x[2] 4 would have 1, which no valid run had. If x[1] is 5 and x[3]
 * is 9, x[2] may be 6 to 8. */
#ifndef SONDE_GUIDE_TARGET_PATHS_H
#define SONDE_GUIDE_TARGET_PATHS_H

#include <sonde/extend.h>

#include <stdbool.h>
#include <stdint.h>

enum { SONDE_PATH_SLOTS = 128 };

/* Which comparisons a run made. */
struct sonde_trail {
    uint64_t bits[SONDE_PATH_SLOTS / 64];
};

enum { SONDE_PATHS_RUNS = 48, SONDE_PATHS_CHOICES = 128, SONDE_PATHS_TERMS = 12 };

struct sonde_paths_slot {
    uint64_t place;
    uint32_t call, nth;
    uint32_t assume;       /* that it decides about; UINT32_MAX: none alone */
    uint8_t signs;         /* in valid runs: 1 less, 2 equal, 4 greater */
    bool is_exact;         /* the line is right in all runs that are remembered */
    uint32_t held;         /* valid runs */
    uint32_t seen, fit_at; /* runs; at how many of them a line is looked for */
    uint32_t wrongs;       /* lines that turned out wrong */
    double first;          /* what it was in the first run, */
    bool varies;           /* and it was something else since */
    uint32_t n;
    uint16_t choices[SONDE_PATHS_TERMS];
    double slopes[SONDE_PATHS_TERMS], constant;
};

/* by[i][j] belongs to values[i] and slots[j]; NaN: that run did not make it. Missing choices are 0 in values. */
struct sonde_paths {
    struct sonde_paths_slot slots[SONDE_PATH_SLOTS];
    uint32_t n_slots;
    uint32_t table[2 * SONDE_PATH_SLOTS]; /* open addressing: slot + 1 */
    double values[SONDE_PATHS_RUNS][SONDE_PATHS_CHOICES], by[SONDE_PATHS_RUNS][SONDE_PATH_SLOTS];
    uint64_t runs, valid;                        /* that are or were remembered; valid ones, of which one in four is */
    uint64_t *work;                              /* done so far, as that of a region (region.h), to which it belongs */
    bool matters[SONDE_PATHS_CHOICES], is_stale; /* the former is to be made anew */
};

/* What is known of a candidate. */
enum sonde_paths_answer { SONDE_PATHS_KEEPS, SONDE_PATHS_LEAVES };

/* A run: `values` are the first n choices of its tape, NaN for those that it lacks. Fills in its path. True if a line was wrong. */
bool sonde_paths_learn(struct sonde_paths *paths, const struct sonde_observation *observation, const double *values,
                       uint32_t n, struct sonde_trail *path);
/* Is every comparison of the path that is known as a line as in some valid run? `open`, if wanted: the assumes, as bits, with
 * comparisons that are no line; `told` those with any. */
enum sonde_paths_answer sonde_paths_judge(struct sonde_paths *paths, const struct sonde_trail *path, const double *x,
                                          uint64_t *told, uint64_t *open);
/* The same for all comparisons that were seen often and whose choices x has: of a shape that was not run yet. Counts those that are not. */
uint32_t sonde_paths_objections(struct sonde_paths *paths, const double *x);
/* Between which values choice c of x keeps the path, the others being what they are; NULL: any, as _objections counts them. false if no
 * comparison says anything about it. Where one has to be equal, lo is hi. */
bool sonde_paths_room(struct sonde_paths *paths, const struct sonde_trail *path, const double *x, uint32_t c,
                      double *lo, double *hi);
/* Another choice that an equality ties c to, and by how much it has to move for each step of c; UINT32_MAX: there is none. Which of them,
 * `any` decides. */
uint32_t sonde_paths_partner(struct sonde_paths *paths, const struct sonde_trail *path, const double *x, uint32_t c,
                             uint64_t any, double *ratio);
/* How many comparisons are known as lines. */
uint32_t sonde_paths_lines(const struct sonde_paths *paths);
/* Does any line depend on it? */
bool sonde_paths_matters(struct sonde_paths *paths, uint32_t choice);

#endif
