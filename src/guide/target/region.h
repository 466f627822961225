/* The region: a model, learned from cases, of where the assumes hold. It lets `target` judge an input without running
 * it.
 *
 * A point is an input as numbers, one per choice. A case shows the distance of each assume that it reached; the assume
 * holds if the distance is 0 or more. Two cases that differ in one choice show a slope: the change of the distance
 * divided by the change of the value. For each assume and each choice the model keeps the least and the greatest slope
 * ever seen. Both start at 0: no choice matters until a case shows that it does. From any remembered case p these
 * slopes bound the distance at any other point x from both sides:
 *
 *     D(p) + sum of least changes  <=  D(x)  <=  D(p) + sum of greatest changes
 *
 * A point whose lower bound is 0 or more for every assume is taken to be valid. A point with an upper bound below 0 is
 * taken to be invalid. How good the bounds are depends on the condition:
 * - Linear conditions are known exactly after a few cases.
 * - Monotone conditions (products, max, conditions that only show true or false) are known within the hull of the
 *   points seen.
 * - For others (equalities, remainders) only the points seen count, which is enough if there are few.
 * Arithmetic conditions of several choices are also fitted by a multilinear polynomial. It is believed only as long as
 * it is exact for all remembered points.
 *
 * The model learns from contradictions. If a case contradicts the bounds from another point, a point between the two is
 * run, with half of the differing choices changed. One of the halves is in conflict again, and so on until a single
 * choice is left, whose slope is widened.
 *
 * A choice is identified by its site and its number among the choices of that site. Contents of blobs are not modelled.
 *
 * Rows that need it (bench/KNOBS.md, parts of target): sorted, dnnlowp_acc16. The polynomial: heap_loop. The linear
 * fit: box_in_box. Questions: sorted_strictly. Blame: instructions.
 *
 * Example: sonde_assume_that(t, a + b, <=, 10) has the distance 10 - a - b. The case (a 3, b 4) shows 3, the case
 * (a 5, b 4) shows 1. One choice differs, so both slopes of a are -1. Another pair shows the same for b. From then on
 * the first case alone bounds every point exactly. The point (a 9, b 0) has 3 - 6 + 4 = 1 and is taken to be valid
 * without being run. If a third choice c matters, some case will contradict the bounds, and the points between will
 * show that it was c. */
#ifndef SONDE_GUIDE_TARGET_REGION_H
#define SONDE_GUIDE_TARGET_REGION_H

#include "base/check.h"
#include "guide/plain/number.h"
#include "guide/target/paths.h"

enum {
    /* maximum number of choices modelled; further ones are left to the guide of fresh inputs */
    SONDE_REGION_CHOICES = 128,
    SONDE_REGION_ASSUMES = 32, /* assumes modelled */
    SONDE_REGION_POINTS = 512, /* number of points remembered: a judgement may look at all of them */
    SONDE_REGION_FIT = 5       /* maximum number of choices in a polynomial, which then has 2^5 coefficients */
};

/* A point: values[i] belongs to choice i of the region, distances[k] to assume k; n <= SONDE_REGION_ASSUMES. */
struct sonde_region_point {
    uint64_t shape;                      /* hash of the sites and domains of the tape */
    uint32_t n;                          /* number of distances */
    bool is_cut_short;                   /* the last distance belongs to an assume that failed */
    struct sonde_trail path;             /* comparisons that the case made */
    double values[SONDE_REGION_CHOICES]; /* values of the choices; NaN: the tape has no such choice */
    double distances[SONDE_REGION_ASSUMES];
};

/* The slopes of one choice: the least, the greatest, and the least again. So the pair that bounds a change from below
 * and above is side by side, whether the value rises or falls. */
struct sonde_region_slope {
    double sides[3];
    uint32_t choice;
};

/* The model of one assume. lo[c] <= hi[c]; both are 0 unless c is in `matters`. is_fitted: `fit` is exact for every
 * remembered point and is used instead of the bounds. */
struct sonde_region_assume {
    double lo[SONDE_REGION_CHOICES], hi[SONDE_REGION_CHOICES]; /* slopes */
    uint16_t matters[SONDE_REGION_CHOICES];                    /* indices of the choices with a slope */
    uint32_t n_matters;
    /* The choices of `matters` in another order, with their slopes. The first n_sided have slopes that are all above 0
     * or all below; the other choices only widen a bound. */
    struct sonde_region_slope judged[SONDE_REGION_CHOICES];
    uint32_t n_sided;
    bool is_graded; /* some distance was neither 1 nor -1, which stand for true and false */
    /* The polynomial: one coefficient for each subset of the choices that matter. */
    bool is_fitted;
    bool is_broken; /* some distance was not a whole number */
    uint32_t fit_tries, fit_matters;
    double fit[1 << SONDE_REGION_FIT];
    double middle[SONDE_REGION_FIT], width[SONDE_REGION_FIT]; /* they map the values seen to -1..1 */
};

enum sonde_region_answer { SONDE_REGION_OUT, SONDE_REGION_OPEN, SONDE_REGION_IN };

/* The region. The choices of each site are a list through `next`, whose first member is in `slots`. Choices are never
 * removed, so their numbers stay valid for all points. */
struct sonde_region {
    struct {
        uint32_t site;
        uint32_t next;   /* the next choice of the same site, + 1 */
        uint32_t cursor; /* the last choice of this site in the tape that is being read */
        uint32_t read;   /* the value of `reads` for that tape */
    } choices[SONDE_REGION_CHOICES];
    uint32_t n_choices, reads;
    uint32_t slots[2 * SONDE_REGION_CHOICES]; /* hash table by site with open addressing: index of the choice + 1 */
    struct sonde_region_assume *assumes;
    uint32_t n_assumes;
    struct sonde_paths *paths;
    uint64_t explained; /* assumes, as bits, whose comparisons were all known as lines in the last valid case */
    struct sonde_region_point *points;
    uint32_t n_points;
    uint64_t learned;
    uint64_t work; /* work done so far, in units of about a nanosecond */
    /* A contradiction between two points that is being resolved. */
    bool has_conflict, is_across_shapes; /* is_across_shapes: the two points have different shapes */
    uint32_t conflict_assume, conflict_blocked;
    struct sonde_region_point left, right;
    struct sonde_tape conflict_tape; /* a tape with the shape of `right` */
};

/* Creates an empty region of less than 1 MB; free it with sonde_region_free. No call fails: choices and assumes beyond
 * the limits are not modelled. */
struct sonde_region *sonde_region_create(void);
void sonde_region_free(struct sonde_region *region);

/* Reads the values of a tape. `where` may be NULL; where[i] receives the index in the tape of choice i, or
 * UINT32_MAX. */
void sonde_region_read(struct sonde_region *region, const struct sonde_tape *tape, struct sonde_region_point *point,
                       uint32_t *where);
/* Learns from a case. `point` comes from sonde_region_read and receives the distances. `from` is the point that the
 * case was made from, or NULL. `is_asked`: the last sonde_region_ask made this case. */
void sonde_region_learn(struct sonde_region *region, const struct sonde_run *run, struct sonde_region_point *point,
                        const struct sonde_region_point *from, bool is_asked, struct sonde_rng *rng);
/* Learns only from the comparisons of a case. Use it if the model need not learn from the distances. */
void sonde_region_compare(struct sonde_region *region, const struct sonde_run *run, struct sonde_region_point *point);
/* Reports whether each assume that this case reached is explained: all its comparisons are known as lines. */
bool sonde_region_is_explained(struct sonde_region *region, const struct sonde_region_point *point);
/* Judges whether the first n assumes hold at these values. Bounds from `near` are tried first; `near` may be NULL. */
enum sonde_region_answer sonde_region_judge(struct sonde_region *region, const double *values, uint32_t n,
                                            const struct sonde_region_point *near);
/* Returns a penalty for these values: 2 for each assume that is taken not to hold, 1 for each that may not hold. */
uint32_t sonde_region_objections(struct sonde_region *region, const double *values);
/* Reports whether an assume that is known exactly fails at these values. Costs little; returns false if no assume is
 * known exactly. by_paths: also reports comparisons with a sign that no valid case had. */
bool sonde_region_refuses(struct sonde_region *region, const double *values, bool by_paths);
/* Reports whether a choice matters to any assume. */
bool sonde_region_matters(const struct sonde_region *region, uint32_t choice);
/* Asserts the invariants: the choices that matter to an assume are a set, and only they have slopes. Least slopes are
 * not above greatest ones. All counts are within their arrays. */
SONDE_CHECKER(sonde_region_check, struct sonde_region);
/* Writes the case that would help resolve a contradiction, as a script; returns false if there is no contradiction. */
bool sonde_region_ask(struct sonde_region *region, struct sonde_tape *script);

#endif
