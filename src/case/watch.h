/* Whether the rules of a machine are ever called. A rule whose condition is never true tests nothing, and a machine none of whose rules
 * applies holds whatever the code under test does; neither is seen in the verdict, so both are looked for.
 *
 * Only cases that follow no script count: what a script asks for says nothing about what can be drawn. */
#ifndef SONDE_CASE_WATCH_H
#define SONDE_CASE_WATCH_H

#include "tape/label.h"

#include <sonde.h>

enum {
    SONDE_RULES_MAX = 256,
    SONDE_MACHINES = 4, /* are watched, the first that come; the others are not complained about */
    SONDE_COMPLAINT = 512
};

/* A machine, known by its address (which is never followed: it may be gone), its label and the number of its rules. Invariant: `n_missing`
 * rules have not returned from a call; rare rules are not among them. */
struct sonde_watched {
    const sonde_machine *machine;
    uint32_t label;
    uint32_t n_rules; /* 0: nothing is known of it yet */
    uint32_t n_missing;
    uint64_t cases, calls;
    bool is_judged;
    struct {
        uint32_t label;
        uint32_t left; /* calls that an assume took back */
        bool applied;  /* its .when was true */
        bool returned; /* from a call; or it is rare, and need not */
    } rules[SONDE_RULES_MAX];
};

/* NULL if there is no room for another. */
struct sonde_watched *sonde_watch_find(struct sonde_watched all[SONDE_MACHINES], const sonde_machine *machine,
                                       uint32_t label);
void sonde_watch_returned(struct sonde_watched *w, uint32_t rule);
void sonde_watch_left(struct sonde_watched *w, uint32_t rule);
/* Behind each case of a machine. False if it is at fault: then `text` has a sentence, which begins with its label. */
bool sonde_watch_case(struct sonde_watched *w, const struct sonde_labels *labels, char text[SONDE_COMPLAINT]);

enum sonde_watch_end {
    SONDE_WATCH_GOOD,
    SONDE_WATCH_RULE,   /* one was never called */
    SONDE_WATCH_MACHINE /* none was */
};
/* Of all machines of a run that is over, and in which nothing failed. */
enum sonde_watch_end sonde_watch_end(const struct sonde_watched all[SONDE_MACHINES], const struct sonde_labels *labels,
                                     bool is_exhausted, char text[SONDE_COMPLAINT]);
/* Of another job, which ran the same machines. */
void sonde_watch_merge(struct sonde_watched all[SONDE_MACHINES], const struct sonde_watched others[SONDE_MACHINES]);

#endif
