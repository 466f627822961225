/* The climber: the part of `target` that raises utilities, by mutating a pool of the best tapes. It is the loop of
 * "Flexible and Automatic Targeted Property-Based Testing" (DeVoe, Lampropoulos), section 6.2.
 *
 * The best tape of the pool is mutated; a mutant better than all before joins the pool. A tape has an energy of 5,000
 * mutants. Whenever one of its mutants joins, the energy is restored and doubled. When the energy is used up, the tape
 * is exhausted and set aside. With no other tape left, fresh inputs and mutants of exhausted tapes take turns.
 *
 * Rows that need it (bench/KNOBS.md, parts of target): sorted_strictly. By `target` alone, sorted_long, sorted_function
 * and chain have no valid input without it.
 *
 * We differ from the paper:
 * - There may be several utilities, and progress through the assumes is one more. A case is interesting unless some
 *   tape of the pool is at least as good in every respect (Pareto). Each mutant climbs by one respect, progress first
 *   as long as nothing was valid.
 * - Discarded cases count as well. Their utilities are real, and a search that ignores them cannot climb towards an
 *   assume.
 * - A case as good as its parent in every respect replaces it, so that the search moves on plateaus.
 * - Choices on which no utility depends are drawn again in half of the mutants, because checks may depend on them.
 * - Mutants are structural (guide/mutate/mutate.h) or numeric. A numeric move changes one or two numbers together by a
 *   power of two. A move that paid is repeated twice as far, and remembered for other tapes.
 *
 * A case that changed the state of the user's feedback (section 4 of the paper) joins as well. Such tapes have no
 * order; half of the mutants come from any of them. They are never replaced, and as many are kept as memory allows. If
 * the pool has no room for such a tape, the tape waits in `beside`. Exhausted tapes are dropped first.
 *
 * Example: the utility is -|x - y|, and the best tape has x 10, y 90. The move (x by +16) joins the pool. The move is
 * repeated with +32, which joins, then with +64, which does not. Both moves that paid are remembered by site, so
 * that other tapes of the pool can try them in any of seven sizes. */
#ifndef SONDE_GUIDE_TARGET_CLIMB_H
#define SONDE_GUIDE_TARGET_CLIMB_H

#include "guide/mutate/mutate.h"

enum {
    SONDE_CLIMB_POOL = 64,    /* maximum number of tapes in the pool; few, because some searches in it are quadratic */
    SONDE_CLIMB_LABELS = 16,  /* maximum number of utilities that are raised; further ones are ignored */
    SONDE_CLIMB_MOVES = 16,   /* number of moves that paid and are remembered, to be tried on other tapes */
    SONDE_CLIMB_SITE_BITS = 8 /* log2 of the size of the table of sites */
};
enum { SONDE_CLIMB_SITES = 1 << SONDE_CLIMB_SITE_BITS };

/* Progress through the assumes. */
struct sonde_progress {
    uint32_t passed; /* number of assumes passed; UINT32_MAX: all assumes */
    uint32_t held;   /* number of parts of the failing condition that held */
    double distance; /* distance of the failing condition */
};

/* The score of a case: progress, and a value for each utility. */
struct sonde_climb_score {
    struct sonde_progress progress;
    double labels[SONDE_CLIMB_LABELS]; /* values of the utilities; -INFINITY: not reported */
};

/* A numeric move: one or two numbers that change together. Each has a site, so that the move can be made on other
 * tapes. */
struct sonde_climb_move {
    uint32_t n;
    struct {
        uint32_t choice, site;
        double by;
    } parts[2];
};

/* The effect of choices at a site on the utilities. */
struct sonde_climb_site {
    uint32_t site;
    /* tried: number of mutants that differ from their parents only at this site. changed: how many of these changed a
     * utility. */
    uint32_t tried, changed;
};

/* A tape of the pool. left <= energy; with left 0 the tape is exhausted and stays in the pool for its score. `order` is
 * unique and grows with time. */
struct sonde_climber {
    struct sonde_kept *kept;
    struct sonde_climb_score score;
    uint64_t energy, left, order;
    bool is_state; /* the case changed the state of the user's feedback */
};

/* The climber. `bytes` is the memory of all tapes in the pool and in `beside`; `limit` is enforced before a tape joins.
 * score.labels[i] belongs to labels[i]; entries from n_labels on are -INFINITY. */
struct sonde_climb {
    struct sonde_rng *rng;
    struct sonde_mutate *mutate;
    struct sonde_corpus *corpus; /* borrowed; the pool holds references to it */
    struct sonde_climber *pool[SONDE_CLIMB_POOL];
    struct sonde_climber **beside; /* tapes with is_state that have left the pool */
    uint32_t n_beside, cap_beside;
    uint32_t n_pool, n_labels;
    uint32_t labels[SONDE_CLIMB_LABELS];
    uint64_t order; /* the `order` of the last tape that joined */
    size_t bytes, limit;
    struct sonde_climb_move paid[SONDE_CLIMB_MOVES];
    uint32_t n_paid;
    struct sonde_climb_site sites[SONDE_CLIMB_SITES]; /* open addressing */
    uint64_t start_energy;                            /* energy of a new tape; tests lower it */
    double steps_tried, steps_earned, mutants_tried, mutants_earned;
    bool fresh_turn;
    bool has_states; /* the user's feedback has reported a changed state */
    /* The running case. */
    bool is_mutant;
    struct sonde_climber *parent; /* the mutant's parent; NULL after it was dropped */
    struct sonde_climb_move move; /* the numeric move that made the mutant; n is 0 for a structural mutant */
    uint32_t used;                /* mutators that made the mutant, as bits */
    /* The last case was a move that paid: repeat it as `next`, twice as far. */
    bool repeats_move;
    struct sonde_climb_move next;
};

/* Initialises the climber; free it with sonde_climb_clear. Borrows rng, mutate and the corpus of the setup, which must
 * outlive it. `limit` is in bytes. */
void sonde_climb_init(struct sonde_climb *climb, const struct sonde_guide_setup *setup, struct sonde_rng *rng,
                      struct sonde_mutate *mutate, size_t limit);
void sonde_climb_clear(struct sonde_climb *climb);
/* Writes the next case as a script; returns false if a fresh case is wanted. */
bool sonde_climb_next(struct sonde_climb *climb, struct sonde_tape *script);
/* Learns from a case, which may come from any guide; returns true if it joined the pool. `own`: sonde_climb_next made
 * this case. */
bool sonde_climb_learn(struct sonde_climb *climb, const struct sonde_run *run, bool own);
void sonde_climb_stats(const struct sonde_climb *climb, FILE *out);

#endif
