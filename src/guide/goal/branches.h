/* Repairs inputs that fail a computed equality in a branch of the code under test: a length, a checksum, a hash.
 *
 * Other guides mutate inputs, and nearly every mutant breaks such an equality, so the code behind it stays untested.
 * The case has computed the side that it lacked. A number or bytes of the input that hold the other side are set to it,
 * and the input is run again. Preconditions are repaired by repair.h, which also learns sides that need arithmetic.
 *
 * Only equalities are tried that rarely hold and whose sides both vary: a constant is found by other means. A location
 * is left alone if copies do not make its sides equal, and it is repaired more rarely once repairs show nothing new. */
#ifndef SONDE_GUIDE_GOAL_BRANCHES_H
#define SONDE_GUIDE_GOAL_BRANCHES_H

#include <sonde/extend.h>

enum { SONDE_BRANCHES = 128 };

/* A comparison of the code under test. */
struct sonde_goal_branch {
    uint32_t id;             /* of its feature, plus 1; 0: free */
    uint64_t a, b;           /* sides of the first case */
    bool varies[2];          /* the side had another value */
    uint32_t unequal, equal; /* cases of other guides, by how the sides were last */
    uint32_t tries, hits;    /* repairs, and those after which the sides were equal */
    uint32_t since;          /* repairs since one showed something new */
};

struct sonde_branches {
    struct sonde_goal_branch table[SONDE_BRANCHES]; /* by id; one that was repaired with success is not replaced */
    struct sonde_rng rng;
    struct sonde_tape tape;       /* of the input to repair */
    struct sonde_goal_branch *at; /* that is being repaired */
    uint64_t cases, hits, news;   /* for --stats */
};

/* Initialises an empty table; sonde_branches_clear frees it. */
void sonde_branches_init(struct sonde_branches *branches, uint64_t seed, uint64_t stream);
void sonde_branches_clear(struct sonde_branches *branches);
/* Looks at a case of another guide. Writes the repaired input and returns true if one is to be run. */
bool sonde_branches_consider(struct sonde_branches *branches, const struct sonde_run *run, struct sonde_tape *script);
/* Learns from the repaired input. */
void sonde_branches_learn(struct sonde_branches *branches, const struct sonde_run *run);

#endif
