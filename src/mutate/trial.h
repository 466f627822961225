/* A trial: cases of one property in a worker, with a mutant or without one, and what came of them.
 *
 * Each trial has a fresh process and a fresh heap, forked from a supervisor that holds no guide. So it starts quickly,
 * and a mutant that writes to wild addresses harms no other trial. The worker is watched as any worker of sonde is
 * (exec/worker.h): limits of time and memory, exits, signals, processes that it starts. Files may grow to 64 MB. */
#ifndef SONDE_MUTATE_TRIAL_H
#define SONDE_MUTATE_TRIAL_H

#include "base/map.h"
#include "engine/search/search.h"
#include "mutate/bank.h"
#include "mutate/result.h"
#include "mutate/traces.h"

/* A property with the inputs to judge mutants by. */
struct sonde_judge_of {
    const sonde_property *property;
    struct sonde_options options; /* with the limits of a case in a trial */
    unsigned char fill; /* what malloc fills new memory with, as in exec/worker.h: uninitialised memory is the same */
    struct sonde_labels labels;
    struct sonde_bank bank;
    struct sonde_map known;        /* the counters that its search reached, by hashes of their names */
    const struct sonde_code *code; /* functions of the program; NULL: not known */
};

enum sonde_trial_kind {
    SONDE_TRIAL_BASE,  /* all inputs, without a mutant: which are still valid? */
    SONDE_TRIAL_KILL,  /* inputs that reach the mutant, then a search, until a check fails */
    SONDE_TRIAL_ONE,   /* one input, to confirm a kill */
    SONDE_TRIAL_EFFECT /* inputs with and without the mutant: what differs? */
};

enum { SONDE_TRIAL_DIFFERENCE = 200 };

struct sonde_trial_order {
    enum sonde_trial_kind kind;
    const struct sonde_judge_of *of;
    uint32_t mutant;
    bool is_plain;                   /* KILL and ONE: the mutant is off; nothing must fail then */
    const struct sonde_tape *script; /* the input of ONE */
    uint32_t inputs;                 /* maximum number of inputs of KILL and EFFECT */
    uint32_t cases;                  /* number of cases of the search of KILL */
};

/* The result, in memory of the supervisor. */
struct sonde_trial_result {
    enum sonde_kill_kind kill;
    struct sonde_claim claim; /* if there was a kill */
    int32_t input;            /* index in the bank of the input that ran last; -1: of the search */
    struct sonde_tape tape;   /* the tape of the case that was killed, if `has_tape` */
    bool has_tape;
    uint32_t runs, valid, discarded; /* cases; of these, valid ones that reached the mutant; discarded ones */
    uint32_t compared, differed, other_way, observed, used, leaked, far; /* of EFFECT, as in result.h */
    int32_t shows;                           /* of EFFECT: the input with the most telling effect; -1: none */
    char difference[SONDE_TRIAL_DIFFERENCE]; /* of EFFECT: the first value that the property saw differ; or "" */
    unsigned char *is_bad;                   /* of BASE: by input; the caller frees it with sonde_free */
    double slowest;                          /* processor time of the slowest case, in seconds */
    bool sees_code;                          /* of EFFECT: there are counters */
};

/* A slot: one trial at a time. All zeros at first. */
struct sonde_trial_slot {
    struct sonde_heap *heap; /* NULL: no trial */
    struct sonde_worker worker;
    struct sonde_trial *trial;
    const struct sonde_judge_of *of; /* copies of the order, which the worker cannot change */
    enum sonde_trial_kind kind;
};

/* Starts a trial; `bell` is in shared memory, and is rung when a child ends. Returns 0 or a negative errno. */
int sonde_trial_start(struct sonde_trial_slot *slot, const struct sonde_trial_order *order, atomic_uint *bell);
/* Returns whether the trial has ended; fills in the result, which the caller clears. Enforces limits, so call it
 * often. */
bool sonde_trial_poll(struct sonde_trial_slot *slot, struct sonde_trial_result *result);
/* Ends a trial without a result. */
void sonde_trial_stop(struct sonde_trial_slot *slot);
/* Frees what a result owns. */
void sonde_trial_result_clear(struct sonde_trial_result *result);

#endif
