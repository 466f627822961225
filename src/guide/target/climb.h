/* Climbing: the loop of "Flexible and Automatic Targeted Property-Based Testing" (DeVoe, Lampropoulos), section 6.2.
 *
 * A pool of interesting tapes. The best is mutated; what comes out better than all before joins the pool. A tape has an
 * energy of 5,000 mutants; whenever one of them joins, the energy is filled up and doubled; when it is used up the tape
 * is exhausted and set aside. With no other tape left, fresh inputs and mutants of exhausted tapes take turns.
 *
 * Where we differ: there may be several utilities, and progress through the assumes is one more. A run is interesting
 * unless some tape of the pool is at least as good in every respect (Pareto), and each mutant climbs by one respect,
 * progress first as long as nothing was valid. Discarded runs count like any other: their utilities are as real, and a
 * search that ignores them cannot climb towards an assume. A run as good as its parent in every respect takes its
 * place, so that plateaus are walked rather than sat on. What no utility depends on is drawn anew in half of the mutants:
 * claims may depend on it. Mutants are structural (guide/mutate/mutate.h) or numeric: one or two
 * numbers move together by a power of two; a move that paid is made again, twice as far, and remembered for others.
 *
 * A run that changed the state of the user's own feedback (section 4 of the paper) joins as well. Such tapes have no
 * order; half of the mutants come from any of them. They are kept as they are, and as many as memory allows: those that the
 * pool has no place for wait beside it, and exhausted ones go first.
 *
 * Example: the utility is -|x - y|, and the best tape has x 10, y 90. The move (x by +16) joins the pool; it is
 * made again with +32, which joins, then +64, which does not. Both moves that paid are remembered by site, so
 * that other tapes of the pool can try them in any of seven sizes. */
#ifndef SONDE_GUIDE_TARGET_CLIMB_H
#define SONDE_GUIDE_TARGET_CLIMB_H

#include "guide/mutate/mutate.h"

enum { SONDE_CLIMB_POOL = 64, SONDE_CLIMB_LABELS = 16, SONDE_CLIMB_MOVES = 16, SONDE_CLIMB_SITE_BITS = 8 };
enum { SONDE_CLIMB_SITES = 1 << SONDE_CLIMB_SITE_BITS };

/* How far through the assumes. */
struct sonde_progress {
    uint32_t passed; /* UINT32_MAX: all of them */
    uint32_t held;
    double distance;
};

struct sonde_climb_score {
    struct sonde_progress progress;
    double labels[SONDE_CLIMB_LABELS]; /* -INFINITY: not told */
};

/* Numbers that move together; found again by site, so that a move can be made on other tapes. */
struct sonde_climb_move {
    uint32_t n;
    struct {
        uint32_t choice, site;
        double by;
    } parts[2];
};

/* What choices at a site do to the utilities. */
struct sonde_climb_site {
    uint32_t site;
    uint32_t tried, changed; /* mutants that differ from their parents there alone; those of other utility */
};

/* left <= energy; at 0 it is exhausted and stays in the pool for its score. order is unique. */
struct sonde_climber {
    struct sonde_kept *kept;
    struct sonde_climb_score score;
    uint64_t energy, left, order;
    bool is_state; /* it changed the state of the user's feedback */
};

/* `bytes` is the sum over the tapes of the pool and of `beside`; `limit` is enforced before a tape joins. score.labels[i]
 * belongs to labels[i]; those from n_labels on are -INFINITY. */
struct sonde_climb {
    struct sonde_rng *rng;
    struct sonde_mutate *mutate;
    struct sonde_corpus *corpus;              /* borrowed; the pool is a view of it */
    double start_energy, memory, least_share; /* knobs */
    struct sonde_climber *pool[SONDE_CLIMB_POOL];
    struct sonde_climber **beside; /* tapes with is_state that have left the pool */
    uint32_t n_beside, cap_beside;
    uint32_t n_pool, n_labels;
    uint32_t labels[SONDE_CLIMB_LABELS];
    uint64_t order; /* of the next one */
    size_t bytes, limit;
    struct sonde_climb_move paid[SONDE_CLIMB_MOVES];
    uint32_t n_paid;
    struct sonde_climb_site sites[SONDE_CLIMB_SITES]; /* open addressing */
    double steps_tried, steps_earned, mutants_tried, mutants_earned;
    bool fresh_turn;
    bool has_states; /* the user's own feedback called a run interesting */
    /* The case that is running. */
    bool is_mutant;
    struct sonde_climber *parent; /* of the mutant; NULL: it has been dropped meanwhile */
    struct sonde_climb_move move; /* n is 0 for a structural mutant */
    uint32_t used;
    /* The move that has just paid, on the tape that it made. */
    bool goes_on;
    struct sonde_climb_move next;
};

extern const struct sonde_knob sonde_climb_knobs[];

/* rng, mutate and the corpus are borrowed and must outlive it. */
void sonde_climb_init(struct sonde_climb *climb, const struct sonde_guide_setup *setup, struct sonde_rng *rng,
                      struct sonde_mutate *mutate, size_t limit);
void sonde_climb_clear(struct sonde_climb *climb);
/* The next case as a script; false: a fresh one is wanted. */
bool sonde_climb_next(struct sonde_climb *climb, struct sonde_tape *script);
/* Every run; `own` if it is the one that _next made. True if it joined the pool. */
bool sonde_climb_learn(struct sonde_climb *climb, const struct sonde_run *run, bool own);
void sonde_climb_stats(const struct sonde_climb *climb, FILE *out);

#endif
