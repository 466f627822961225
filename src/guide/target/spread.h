/* Valid inputs, many and different: made inside the region where the assumes are known to hold (see region.h).
 *
 * A candidate is drawn evenly from the whole domain and judged by the model, without a run; the first that is taken to
 * be valid is the next case. So inputs are spread as those of rejection sampling are, only that rejecting costs
 * nothing. Where that finds none, a seed (a valid tape) is walked instead: one choice after another is drawn anew, or
 * the choices of one assume are taken from another seed, and each change that the model allows is kept. Where the model
 * allows none, sums and differences of seeds (r + q - p keeps every linear equation), structural mutants and candidates
 * that the model knows nothing about are tried, by what each has earned.
 *
 * What is not certain costs invalid runs. There is a budget for them: a few at the start, then two in a hundred cases.
 * Choices that do not matter to any assume are left to the guide that makes fresh inputs. */
#ifndef SONDE_GUIDE_TARGET_SPREAD_H
#define SONDE_GUIDE_TARGET_SPREAD_H

#include "guide/mutate/mutate.h"
#include "guide/target/region.h"

enum { SONDE_SPREAD_SHAPES = 64, SONDE_SPREAD_SEEDS = 128 };

enum sonde_spread_way {
    SONDE_WAY_INSIDE,     /* even, taken to be valid */
    SONDE_WAY_WALK,       /* from a seed, taken to be valid */
    SONDE_WAY_OPEN,       /* even, nothing known */
    SONDE_WAY_STEP,       /* from a seed, nothing known */
    SONDE_WAY_DIFFERENCE, /* r + q - p */
    SONDE_WAY_BALANCE,    /* two choices of one assume, each by the slope of the other: keeps an equality */
    SONDE_WAY_MUTANT,     /* structural, then walked until the model allows it */
    SONDE_WAY_DOUBT,      /* even, whatever the model says */
    SONDE_WAY_ASK,        /* resolves a contradiction */
    SONDE_WAY_COUNT
};

/* seeds[0..n_seeds) are valid tapes with their points. max_seeds falls once to what fits into `limit`
 * and then stays. ways[w] fades (tried, valid are halved at `memory`); all_* never do. */
struct sonde_spread {
    struct sonde_rng *rng;
    struct sonde_region *region;
    struct sonde_mutate *mutate;
    struct sonde_corpus *corpus; /* borrowed; the seeds are a view of it */
    struct sonde_seed {
        struct sonde_kept *kept;
        struct sonde_region_point point;
        double worth; /* share of its children that were new, lately */
    } * seeds[SONDE_SPREAD_SEEDS];
    uint32_t n_seeds, max_seeds;
    uint32_t n_of[SONDE_SPREAD_SHAPES]; /* seeds by their shape, hashed */
    size_t bytes, limit;
    struct {
        double tried, valid;
        uint64_t all_tried, all_valid; /* for the statistics */
    } ways[SONDE_WAY_COUNT];
    uint64_t cases, lost;           /* made here; of these uncertain and invalid */
    double misled;                  /* share of cases taken to be valid that were not, lately */
    double inside;                  /* share of even candidates that were taken to be valid */
    double blobs_kept, blobs_fresh; /* what became of cases whose strings were kept, and drawn anew */
    double case_cost, judgement;    /* what a case costs, and a judgement, lately */
    double budget, explore, strange, structured, doubt, work; /* knobs */
    /* The case that is running. */
    enum sonde_spread_way way;
    uint32_t used; /* mutators */
    struct sonde_seed *parent;
    const struct sonde_tape *tape; /* that the candidates are made from: the parent's, or a mutant of it */
    bool is_told;                  /* all assumes of the parent are known by comparisons */
    bool has_fresh_blobs;
    bool is_cautious; /* changes one choice only, so that there is no doubt what it did */
    /* Scratch. */
    uint32_t where[SONDE_REGION_CHOICES];
    double x[SONDE_REGION_CHOICES];
    uint32_t matters[SONDE_REGION_CHOICES];
    uint32_t n_matters;
    struct sonde_region_point scratch;
};

extern const struct sonde_knob sonde_spread_knobs[];

void sonde_spread_init(struct sonde_spread *spread, const struct sonde_guide_setup *setup, struct sonde_rng *rng,
                       struct sonde_region *region, struct sonde_mutate *mutate, size_t limit);
void sonde_spread_clear(struct sonde_spread *spread);
/* The next case as a script; false if there is no seed yet. is_known: the one that it made just now was run before. */
bool sonde_spread_next(struct sonde_spread *spread, struct sonde_tape *script, bool is_known);
/* Every run; `own` if it is the one that _next made. The point has its distances. */
void sonde_spread_learn(struct sonde_spread *spread, const struct sonde_run *run,
                        const struct sonde_region_point *point, bool own);
void sonde_spread_stats(const struct sonde_spread *spread, FILE *out);

#endif
