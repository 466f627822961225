/* Detects machine rules that are never called. A rule whose condition is never true tests nothing. A machine without
 * any applicable rule passes whatever the code under test does. Such a property passes, so only these counts show that.
 *
 * Only cases without a script count: a script does not show what can be drawn. */
#ifndef SONDE_CASE_WATCH_H
#define SONDE_CASE_WATCH_H

#include "tape/label.h"

#include <sonde.h>

enum {
    SONDE_RULES_MAX = 256,
    SONDE_MACHINES = 4, /* number of machines watched: the first ones met; later ones are not reported */
    SONDE_COMPLAINT = 512
};

/* A machine, identified by its address (never dereferenced: it may be gone), its label and the number of its rules.
 * Invariant: `n_missing` rules have not returned from a call; rare rules are not among them. */
struct sonde_watched {
    const sonde_machine *machine;
    uint32_t label;
    uint32_t n_rules; /* 0: no case of this machine has been seen yet */
    uint32_t n_missing;
    uint64_t cases, calls;
    bool is_judged;
    struct {
        uint32_t label;
        uint32_t left; /* calls that an assume took back */
        bool applied;  /* the rule's .when was true */
        bool returned; /* a call of the rule returned, or the rule is rare and need not be called */
    } rules[SONDE_RULES_MAX];
};

/* Returns the entry of the machine, a new one if necessary; NULL if there is no room for another. */
struct sonde_watched *sonde_watch_find(struct sonde_watched all[SONDE_MACHINES], const sonde_machine *machine,
                                       uint32_t label);
/* Marks the rule as called: one of its calls has returned. */
void sonde_watch_returned(struct sonde_watched *w, uint32_t rule);
/* Counts a call of the rule that an assume took back. */
void sonde_watch_left(struct sonde_watched *w, uint32_t rule);
/* Counts a case of a machine. Returns false if one of its rules is never called; then `text` has a message that begins
 * with the label of the machine. */
bool sonde_watch_case(struct sonde_watched *w, const struct sonde_labels *labels, char text[SONDE_COMPLAINT]);

enum sonde_watch_end {
    SONDE_WATCH_GOOD,
    SONDE_WATCH_RULE,   /* one rule was never called */
    SONDE_WATCH_MACHINE /* no rule was ever called */
};
/* Judges all machines after a run without failures. Writes a message to `text` unless the result is
 * SONDE_WATCH_GOOD. */
enum sonde_watch_end sonde_watch_end(const struct sonde_watched all[SONDE_MACHINES], const struct sonde_labels *labels,
                                     bool is_exhausted, char text[SONDE_COMPLAINT]);
/* Adds the counts of another job that ran the same machines. */
void sonde_watch_merge(struct sonde_watched all[SONDE_MACHINES], const struct sonde_watched others[SONDE_MACHINES]);

#endif
