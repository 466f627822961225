/* A walk over the valid inputs: from a valid tape by a local move (moves.h) to the next. For preconditions that no model of
 * theirs explains (region.h): permutations, brackets, sums, check sums, trees.
 *
 * A move succeeds if what it makes is valid *and new*; a walk that only has to stay valid stands still. How often moves of a
 * kind succeeded lately is remembered for each key of a plan, and of a dozen plans one is taken by the fourth power of that. The
 * fewer of them succeed, the more cases explore: any plan, or one that changes the shape (a structural one, or a number that was seen to decide about it). Those do not count in the rate
 * that decides about exploring, or exploring would be a reason to explore. Where nearly all succeed, several moves are made at once.
 *
 * Parents are chosen by the news that their shape (number of choices, lengths of strings) brought lately, rare shapes first: by rarity
 * alone the walk would return to small shapes, which are used up. A child takes its parent's place, so that chains go on.
 *
 * New payload is no reason to do without new shapes: a share of all cases (_urge) starts from the shape of which that was tried least and changes
 * it; half of them let a number make up for the change. It falls while no new shape comes, and is 0 where all runs have one.
 *
 * What was run before is not run again, nor what the model (region.h) knows exactly to be invalid. A case that failed by a whole
 * distance is repaired once: another number moves by it. */
#ifndef SONDE_GUIDE_TARGET_WANDER_H
#define SONDE_GUIDE_TARGET_WANDER_H

#include "guide/seen.h"
#include "guide/target/moves.h"
#include "guide/target/region.h"

enum {
    SONDE_WANDER_SEEDS = 256,
    SONDE_WANDER_KEYS = 1024,
    SONDE_WANDER_SHAPES = 256,
    SONDE_WANDER_KNOWN = 4096,
    SONDE_WANDER_MOVES = 8,
    SONDE_WANDER_SHAPERS = 64
};

struct sonde_wander_rate {
    double tried, won;
    uint32_t key;
};

struct sonde_wander {
    struct sonde_rng *rng;
    struct sonde_region *region;
    struct sonde_corpus *corpus; /* borrowed; the seeds are a view of it */
    struct sonde_moves moves;
    struct sonde_seen seen;
    struct sonde_wander_seed {
        struct sonde_kept *kept;
        uint64_t shape;
        uint32_t bucket; /* of shapes */
    } seeds[SONDE_WANDER_SEEDS];
    uint32_t n_seeds, max_seeds;
    size_t bytes, limit;
    double worth[SONDE_WANDER_SHAPES]; /* of a bucket: share of its children that were news, lately */
    uint32_t n_of[SONDE_WANDER_SHAPES];
    uint32_t reshaped[SONDE_WANDER_SHAPES]; /* cases that started from one of the bucket, to find other shapes */
    uint32_t known[SONDE_WANDER_KNOWN];     /* shapes that were valid, by hash; of two at one place the later stays */
    uint32_t in_vain;                       /* cases for a new shape since the last one */
    uint32_t n_choices;                     /* of the first run */
    bool varies;                            /* ... and another had not as many: there are shapes to look for */
    struct sonde_wander_rate keys[SONDE_WANDER_KEYS], kinds[SONDE_MOVE_COUNT];
    uint64_t all_tried[SONDE_MOVE_COUNT], all_won[SONDE_MOVE_COUNT]; /* for the statistics */
    double rate;                                                     /* of cases that did not explore: news, lately */
    uint32_t
        shapers[SONDE_WANDER_SHAPERS]; /* sites of numbers that decided about a shape, by their low bits; 0: none */
    double stray, again;               /* knobs */
    /* The case that is running. */
    uint32_t parent; /* a seed; UINT32_MAX: none */
    struct sonde_move_plan made[SONDE_WANDER_MOVES];
    uint32_t n_made;
    uint32_t used; /* mutators */
    uint32_t site; /* of the first move */
    bool explores, repairs;
    bool reshapes; /* it is to have a new shape; set by the caller of _next */
    /* One that failed by a whole distance. */
    bool is_broken;
    double broken_by;
    struct sonde_tape broken;
    struct sonde_move_plan broke;
    uint32_t broken_parent, broken_site;
    struct sonde_region_point point; /* scratch */
};

extern const struct sonde_knob sonde_wander_knobs[];

void sonde_wander_init(struct sonde_wander *wander, const struct sonde_guide_setup *setup, struct sonde_rng *rng,
                       struct sonde_region *region, struct sonde_mutate *mutate, size_t limit);
void sonde_wander_clear(struct sonde_wander *wander);
/* The next case as a script; false if there is no seed yet. */
bool sonde_wander_next(struct sonde_wander *wander, struct sonde_tape *script);
/* The share of all cases that should look for new shapes (`reshapes`). */
double sonde_wander_urge(const struct sonde_wander *wander);
/* Every run; `own` if it is the one that _next made. */
void sonde_wander_learn(struct sonde_wander *wander, const struct sonde_run *run, bool own);
void sonde_wander_stats(const struct sonde_wander *wander, FILE *out);

#endif
