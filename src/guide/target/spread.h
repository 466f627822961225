/* The spreader: the part of `target` that makes many different valid inputs, inside the region where the assumes are
 * known to hold (region.h).
 *
 * An even candidate is drawn evenly from the whole domain and judged by the model, without running it. The first
 * candidate that is taken to be valid is the next case. So inputs are distributed as in rejection sampling, but
 * rejecting costs no cases. If that finds none, a seed (a valid tape) is changed step by step. A step draws one choice
 * again, or takes the choices of one assume from another seed. Each change that the model allows is kept. If the model
 * allows none, other ways are tried, by what each has earned. These are sums and differences of seeds (r + q - p keeps
 * every linear equation), structural mutants, and candidates about which the model knows nothing.
 *
 * Uncertain candidates cost invalid cases. There is a budget for these: a few at the start, then two in a hundred
 * cases. Choices that do not matter to any assume are left to the guide that makes fresh inputs.
 *
 * Rows that need it (bench/KNOBS.md, parts of target): dnnlowp_conv, dnnlowp_acc16, quantized_max_pool2d. */
#ifndef SONDE_GUIDE_TARGET_SPREAD_H
#define SONDE_GUIDE_TARGET_SPREAD_H

#include "guide/mutate/mutate.h"
#include "guide/target/region.h"

enum {
    SONDE_SPREAD_SHAPES = 64, /* number of buckets in which seeds are counted by shape */
    SONDE_SPREAD_SEEDS = 128  /* seeds at most */
};

/* How a case is made. */
enum sonde_spread_way {
    SONDE_WAY_INSIDE,     /* an even candidate that the model takes to be valid */
    SONDE_WAY_WALK,       /* a changed seed that the model takes to be valid */
    SONDE_WAY_OPEN,       /* an even candidate that the model cannot judge */
    SONDE_WAY_STEP,       /* a changed seed that the model cannot judge */
    SONDE_WAY_DIFFERENCE, /* the sum r + q - p of three seeds */
    SONDE_WAY_BALANCE,    /* two choices of one assume, each moved by the slope of the other: keeps an equality */
    SONDE_WAY_MUTANT,     /* a structural mutant, changed until the model allows it */
    SONDE_WAY_DOUBT,      /* an even candidate that is not judged */
    SONDE_WAY_ASK,        /* a case that resolves a contradiction of the model */
    SONDE_WAY_COUNT
};

/* The spreader. seeds[0..n_seeds) are valid tapes with their points. max_seeds falls once to what fits into `limit` and
 * then stays. In ways[w], tried and valid fade (they are halved at MEMORY); all_* never fade. */
struct sonde_spread {
    struct sonde_rng *rng;
    struct sonde_region *region;
    struct sonde_mutate *mutate;
    struct sonde_corpus *corpus; /* borrowed; the seeds hold references to it */
    struct sonde_seed {
        struct sonde_kept *kept;
        struct sonde_region_point point;
        double worth; /* share of the seed's recent children that were new */
    } * seeds[SONDE_SPREAD_SEEDS];
    uint32_t n_seeds, max_seeds;
    uint32_t n_of[SONDE_SPREAD_SHAPES]; /* number of seeds in each bucket of shapes */
    size_t bytes, limit;
    struct {
        double tried, valid;
        uint64_t all_tried, all_valid; /* for the statistics */
    } ways[SONDE_WAY_COUNT];
    uint64_t cases, lost; /* number of cases made here; how many of these were uncertain and turned out invalid */
    double misled;        /* share of the recent cases taken to be valid that were not valid */
    double inside;        /* share of even candidates that were taken to be valid */
    double blobs_kept, blobs_fresh; /* recent share of valid cases, with blobs kept and with blobs drawn again */
    double case_cost, judgement;    /* recent cost of a case, and of a judgement */
    double explore;                 /* knob */
    /* The running case. */
    enum sonde_spread_way way;
    uint32_t used; /* mutators that made the case, as bits */
    struct sonde_seed *parent;
    const struct sonde_tape *tape; /* the tape that candidates are made from: the parent's, or a mutant of it */
    bool is_explained;             /* all comparisons in the assumes of the parent are known as lines */
    bool has_fresh_blobs;
    bool is_cautious; /* changes only one choice, so that the effect of the change is certain */
    /* Scratch. */
    uint32_t where[SONDE_REGION_CHOICES];
    double x[SONDE_REGION_CHOICES];
    uint32_t matters[SONDE_REGION_CHOICES];
    uint32_t n_matters;
    struct sonde_region_point scratch;
};

extern const struct sonde_knob sonde_spread_knobs[];

/* Initialises the spreader; free it with sonde_spread_clear. Borrows rng, region, mutate and the corpus of the setup.
 * `limit` is in bytes. */
void sonde_spread_init(struct sonde_spread *spread, const struct sonde_guide_setup *setup, struct sonde_rng *rng,
                       struct sonde_region *region, struct sonde_mutate *mutate, size_t limit);
void sonde_spread_clear(struct sonde_spread *spread);
/* Writes the next case as a script; returns false if there is no seed yet. is_known: the case that the last call made
 * was run before, so an uncertain case is wanted. */
bool sonde_spread_next(struct sonde_spread *spread, struct sonde_tape *script, bool is_known);
/* Learns from a case of any guide. `own`: sonde_spread_next made this case. The point holds the distances. */
void sonde_spread_learn(struct sonde_spread *spread, const struct sonde_run *run,
                        const struct sonde_region_point *point, bool own);
void sonde_spread_stats(const struct sonde_spread *spread, FILE *out);

#endif
