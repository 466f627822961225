/* Records what showed a failure, and decides whether another run could show it.
 *
 * A tape that passes proves nothing in a build without the tool that reported the failure. The same holds under a less
 * strict limit, or with other steps of threads. The head of a tape file keeps these facts as strings:
 *
 *     # shown by: AddressSanitizer                 a tool, a signal, a limit with its number, or `check`
 *     # build: gcc 12, optimised, AddressSanitizer
 *     # steps: fibers 3f1c9a04b7d25e68              for a schedule only
 *
 * This file alone writes these strings and interprets them. An unknown word comes from a later version: such a failure
 * cannot be judged. */
#ifndef SONDE_PROGRAM_WITNESS_H
#define SONDE_PROGRAM_WITNESS_H

#include "case/case.h"

/* Settings of a run that decide which failures it can notice. 0: no limit. */
struct sonde_conditions {
    double cpu_seconds, wall_seconds; /* time limits of a case */
    uint64_t memory;                  /* bytes that a worker may use */
    bool is_isolated;                 /* cases run in workers */
    bool guards;                      /* --guard */
    uint64_t other;                   /* hash of the program that --against compares with; 0: none */
    bool finds_leaks;                 /* the run checks for leaks, if a tool can find them */
};

/* The circumstances that showed a failure. Strings may be empty. */
struct sonde_witness {
    char shown[96], build[256], steps[48];
};

/* Fills `w` for a failure that this process has just shown by `claim`; `has_schedule`: its tape draws a schedule. */
void sonde_witness_of(const struct sonde_claim *claim, bool has_schedule, const struct sonde_conditions *run,
                      struct sonde_witness *w);

/* Writes what kind of build this program is, as in `build` above. */
void sonde_witness_build(char *out, size_t size);
/* Returns whether two such strings describe one kind of build; the version of the compiler does not matter. */
bool sonde_witness_is_same_build(const char *a, const char *b);

/* The facts of a tape file. Every string may be NULL. */
struct sonde_account {
    const char *kind, *message, *shown, *build, *steps;
    bool is_unconfirmed; /* the failure was flaky, or its run ended before the failure was confirmed */
};

enum sonde_sight {
    SONDE_SIGHT_CLEAR,    /* this run would show the failure: a pass means that the failure is fixed */
    SONDE_SIGHT_DOUBTFUL, /* this run may show the failure, but a pass proves nothing */
    SONDE_SIGHT_STEPS,    /* the schedule counts other steps of threads than this build; there is no other obstacle */
    SONDE_SIGHT_NONE      /* this run cannot show the failure */
};

/* Why a run cannot show a failure, for a message: "found" + how + what, or "needs" + what. */
struct sonde_obstacle {
    const char *how; /* "by", "in", "under" or "with"; static */
    char what[320];
};

/* Returns whether this run could show a failure; fills `why` unless the sight is clear. */
enum sonde_sight sonde_witness_judge(const struct sonde_account *tape, const struct sonde_conditions *run,
                                     struct sonde_obstacle *why);
/* Returns whether a new tape of a failure may replace an old one. Every run that could judge the new one must be able
 * to judge the old one as well. */
bool sonde_witness_replaces(const struct sonde_account *old, const struct sonde_account *new);

#endif
