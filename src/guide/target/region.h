/* Where the assumes hold, learned from runs: for each assume a bound on how its distance can change with each choice.
 *
 * A run tells the distances of the assumes that it got to (0 or more holds). Two runs that differ in one choice show a
 * slope: how much the distance changed by how much the value did. The model keeps, for each assume and each choice, the
 * least and the greatest slope ever seen; both start at 0, that is, nothing matters until it is shown to matter. From
 * any remembered run p these slopes bound the distance at any other point x from both sides:
 *
 *     D(p) + sum of least changes  <=  D(x)  <=  D(p) + sum of greatest changes
 *
 * A point whose lower bound is 0 or more for every assume is taken to be valid, one with an upper bound below 0 not to
 * be. Linear conditions are known exactly after a few runs; monotone ones (products, max, mere truths) up to the hull of
 * what was seen; for the others (equalities, remainders) only the points that were seen count, and that is enough when
 * they are few. Arithmetic conditions of several choices are also fitted by a multilinear polynomial, which is believed
 * only as long as it is exact for everything remembered.
 *
 * Runs that contradict the bounds are what teaches: the two points in conflict are joined by a path that changes half
 * of the differing choices, that point is run, one of the halves is in conflict again, until a single choice is left.
 *
 * A choice is known by its site and by how many of that site came before it. Contents of strings are not modelled.
 *
 * Example: sonde_assume_that(t, a + b, <=, 10) has the distance 10 - a - b. The run (a 3, b 4) shows 3, the run
 * (a 5, b 4) shows 1: one choice differs, so the slope of a is -1, from both sides. One more pair gives b the
 * same. From then on the first run alone bounds every point exactly: (a 9, b 0) is at 3 - 6 + 4 = 1 and taken
 * to be valid without being run. If a third choice c turns out to matter, some run will contradict that; the
 * run in between, with half of the differing choices changed, tells which of them it was. */
#ifndef SONDE_GUIDE_TARGET_REGION_H
#define SONDE_GUIDE_TARGET_REGION_H

#include "base/check.h"
#include "guide/plain/number.h"
#include "guide/target/paths.h"

enum { SONDE_REGION_CHOICES = 128, SONDE_REGION_ASSUMES = 32, SONDE_REGION_POINTS = 512, SONDE_REGION_FIT = 5 };

/* values[i] belongs to choice i of the region, distances[k] to assume k; n <= SONDE_REGION_ASSUMES. */
struct sonde_region_point {
    uint64_t shape;                      /* of the tape: sites and domains */
    uint32_t n;                          /* distances */
    bool is_cut_short;                   /* the last distance is of an assume that failed */
    struct sonde_trail path;             /* comparisons that it made */
    double values[SONDE_REGION_CHOICES]; /* NaN: no such choice */
    double distances[SONDE_REGION_ASSUMES];
};

/* lo[c] <= hi[c]; both 0 unless c is in matters. is_fitted: fit is exact for every remembered point and
 * is asked instead of the bounds. */
struct sonde_region_assume {
    double lo[SONDE_REGION_CHOICES], hi[SONDE_REGION_CHOICES]; /* slopes */
    uint16_t matters[SONDE_REGION_CHOICES];                    /* choices with a slope */
    uint32_t n_matters;
    /* The same choices, first those n_sided whose slopes are all above 0 or all below: the others only widen a bound. */
    uint16_t judged[SONDE_REGION_CHOICES];
    uint32_t n_sided;
    bool is_graded; /* it showed another distance than 1 and -1 */
    /* The polynomial: one coefficient for each subset of the choices that matter. */
    bool is_fitted;
    bool is_broken; /* it showed a distance that is no whole number */
    uint32_t fit_tries, fit_matters;
    double fit[1 << SONDE_REGION_FIT];
    double middle[SONDE_REGION_FIT], width[SONDE_REGION_FIT]; /* the values it is made for, scaled to -1..1 */
};

enum sonde_region_answer { SONDE_REGION_OUT, SONDE_REGION_OPEN, SONDE_REGION_IN };

/* A choice is (site, how many of it came before): a list through `next` for each site, whose first
 * member is in slots. Choices are never removed, so their numbers stay good for all points. */
struct sonde_region {
    struct {
        uint32_t site;
        uint32_t next;   /* the same site again: choice + 1 */
        uint32_t cursor; /* while a tape is read */
        uint32_t read;   /* which tape that was */
    } choices[SONDE_REGION_CHOICES];
    uint32_t n_choices, reads;
    uint32_t slots[2 * SONDE_REGION_CHOICES]; /* open addressing by site: choice + 1 */
    struct sonde_region_assume *assumes;
    uint32_t n_assumes;
    struct sonde_paths *paths;
    uint64_t told; /* assumes, as bits, of which the paths knew everything in the last valid run */
    struct sonde_region_point *points;
    uint32_t n_points;
    uint64_t learned;
    uint64_t work; /* done so far, in nanoseconds or so */
    /* A contradiction being resolved. */
    bool is_torn, is_torn_across; /* across: the two points are of different shapes */
    uint32_t torn_assume, torn_blocked;
    struct sonde_region_point left, right;
    struct sonde_tape torn_tape; /* of the shape of the right one */
};

/* Takes less than 1 MB. No call fails; what there is no room for is not modelled. */
struct sonde_region *sonde_region_create(void);
void sonde_region_free(struct sonde_region *region);

/* Reads the values of a tape; where[i], if wanted, receives the index in the tape of choice i, UINT32_MAX for none. */
void sonde_region_read(struct sonde_region *region, const struct sonde_tape *tape, struct sonde_region_point *point,
                       uint32_t *where);
/* What a run showed. `point` is what _read made of its tape; receives the distances. `from` is what it was made from;
 * may be NULL. `answers`: it is the run that the last _ask made. */
void sonde_region_learn(struct sonde_region *region, const struct sonde_run *run, struct sonde_region_point *point,
                        const struct sonde_region_point *from, bool answers, struct sonde_rng *rng);
/* Only what it compared: where the model need not learn from it. */
void sonde_region_compare(struct sonde_region *region, const struct sonde_run *run, struct sonde_region_point *point);
/* Is every assume of the run at this point known by comparisons that are lines? */
bool sonde_region_is_told(struct sonde_region *region, const struct sonde_region_point *point);
/* Does the first n of the assumes hold at these values? `near` is a point that is tried first; may be NULL. */
enum sonde_region_answer sonde_region_judge(struct sonde_region *region, const double *values, uint32_t n,
                                            const struct sonde_region_point *near);
/* How much speaks against these values: 2 for each assume that is taken not to hold, 1 for each that may not. */
uint32_t sonde_region_objections(struct sonde_region *region, const double *values);
/* Does anything that is known exactly speak against these values? Costs little, and says nothing where all is uncertain. by_paths: also
 * comparisons whose outcome no valid run had. */
bool sonde_region_refuses(struct sonde_region *region, const double *values, bool by_paths);
/* Does a choice matter to any assume? */
bool sonde_region_matters(const struct sonde_region *region, uint32_t choice);
/* The choices that matter to an assume are a set, and those with a slope; slopes are in order; all is within its room. */
SONDE_CHECKER(sonde_region_check, struct sonde_region);
/* The run that would resolve a contradiction, as a script; false if there is none to resolve. */
bool sonde_region_ask(struct sonde_region *region, struct sonde_tape *script);

#endif
