/* The walk: the part of `target` that steps from one valid tape to the next by local moves (moves.h). It serves
 * preconditions that the model (region.h) cannot explain: permutations, brackets, sums, checksums, trees.
 *
 * A move succeeds if its result is valid *and new*: if valid alone counted, the walk would not leave its starting
 * point. Recent success is remembered for each key of a plan. A dozen plans are made and one of them is drawn,
 * weighted by the fourth power of its success. The fewer plans succeed, the more cases explore. They take any plan, or
 * one that changes the shape: a structural move, or a number that once changed the shape. Exploring cases do not count
 * in the rate that decides about exploring, or exploring would cause more exploring. Where nearly all plans succeed,
 * several moves are made at once.
 *
 * A shape here is the number of choices and the lengths of blobs. Parents are chosen by how many new inputs their shape
 * gave recently, rare shapes first. By rarity alone the walk would return to small shapes, which are used up. A child
 * replaces its parent, so that chains continue.
 *
 * New values do not replace new shapes. So a share of all cases (sonde_wander_reshape_share) changes the shape that was
 * changed least. In half of them a number then compensates for the change. The share falls while no new shape is found,
 * and is 0 if all cases have the same shape.
 *
 * A case that was run before is not run again, nor one that the model knows exactly to be invalid. If an assume failed
 * by a distance that is a whole number, the case is repaired once: another number moves by that distance.
 *
 * Rows that need it (bench/KNOBS.md, parts of target): repair_length, checked_bytes, repair_xor, repair_sum. */
#ifndef SONDE_GUIDE_TARGET_WANDER_H
#define SONDE_GUIDE_TARGET_WANDER_H

#include "guide/seen.h"
#include "guide/target/moves.h"
#include "guide/target/region.h"

enum {
    SONDE_WANDER_SEEDS = 256,  /* seeds at most */
    SONDE_WANDER_KEYS = 1024,  /* number of keys of plans whose success is remembered; a collision resets an entry */
    SONDE_WANDER_SHAPES = 256, /* buckets of shapes */
    SONDE_WANDER_KNOWN = 4096, /* number of entries in the table of valid shapes */
    SONDE_WANDER_MOVES = 8,    /* maximum number of moves in one case */
    SONDE_WANDER_SHAPERS = 64  /* number of entries in the table of sites that change shapes */
};

/* The recent success of a kind of plan. */
struct sonde_wander_rate {
    double tried, won;
    uint32_t key;
};

/* The walk. */
struct sonde_wander {
    struct sonde_rng *rng;
    struct sonde_region *region;
    struct sonde_corpus *corpus; /* borrowed; the seeds hold references to it */
    struct sonde_moves moves;
    struct sonde_seen seen;
    struct sonde_wander_seed {
        struct sonde_kept *kept;
        uint64_t shape;
        uint32_t bucket; /* the bucket of the seed's shape */
    } seeds[SONDE_WANDER_SEEDS];
    uint32_t n_seeds, max_seeds;
    size_t bytes, limit;
    double worth[SONDE_WANDER_SHAPES];      /* share of the bucket's recent children that were new and valid */
    uint32_t n_of[SONDE_WANDER_SHAPES];     /* number of seeds in the bucket */
    uint32_t reshaped[SONDE_WANDER_SHAPES]; /* number of cases that changed the shape of a seed of the bucket */
    uint32_t known[SONDE_WANDER_KNOWN];     /* valid shapes, by hash; a later shape overwrites an earlier one */
    uint32_t since_new_shape;               /* number of cases that searched for a new shape since one was last found */
    uint32_t n_choices;                     /* number of choices of the first case */
    bool varies;                            /* a later case had another number of choices: there are several shapes */
    struct sonde_wander_rate keys[SONDE_WANDER_KEYS], kinds[SONDE_MOVE_COUNT];
    uint64_t all_tried[SONDE_MOVE_COUNT], all_won[SONDE_MOVE_COUNT]; /* for the statistics */
    double rate; /* share of new and valid cases among recent cases that did not explore */
    /* sites of numbers that changed a shape, indexed by their low bits; 0: the entry is free */
    uint32_t shapers[SONDE_WANDER_SHAPERS];
    /* The running case. */
    uint32_t parent; /* index of the seed that the case was made from; UINT32_MAX: none */
    struct sonde_move_plan made[SONDE_WANDER_MOVES];
    uint32_t n_made;
    uint32_t used; /* mutators that made the case, as bits */
    uint32_t site; /* the site of the first move */
    bool explores, repairs;
    bool reshapes; /* the case shall have a new shape; set by the caller of sonde_wander_next */
    /* A case to be repaired: an assume failed in it, by a distance that is a whole number. */
    bool is_broken;
    double broken_by;
    struct sonde_tape broken;
    struct sonde_move_plan broke;
    uint32_t broken_parent, broken_site;
    struct sonde_region_point point; /* scratch */
};

/* Initialises the walk; free it with sonde_wander_clear. Borrows rng, region, mutate and the corpus of the setup.
 * `limit` is in bytes. */
void sonde_wander_init(struct sonde_wander *wander, const struct sonde_guide_setup *setup, struct sonde_rng *rng,
                       struct sonde_region *region, struct sonde_mutate *mutate, size_t limit);
void sonde_wander_clear(struct sonde_wander *wander);
/* Writes the next case as a script; returns false if there is no seed yet. */
bool sonde_wander_next(struct sonde_wander *wander, struct sonde_tape *script);
/* Returns the share of all cases that should search for new shapes (`reshapes`). */
double sonde_wander_reshape_share(const struct sonde_wander *wander);
/* Learns from a case of any guide. `own`: sonde_wander_next made this case. */
void sonde_wander_learn(struct sonde_wander *wander, const struct sonde_run *run, bool own);
void sonde_wander_stats(const struct sonde_wander *wander, FILE *out);

#endif
