/* See watch.h. */
#include "case/watch.h"

#include "base/check.h"
#include "base/digits.h"

#include <stdio.h>

enum {
    WATCH_CASES = 1000,  /* rules are judged after at least this many cases */
    WATCH_CALLS = 10000, /* and after at least this many calls, when a missing rule is no longer chance */
    TAKEN_BACK = 1000,   /* a rule that applied is reported only after assumes have taken back this many of its calls */
    IDLE_CASES = 20,     /* a machine is judged after this many cases without any call: that is not chance */
    FEW_CASES = 100      /* a run with fewer cases is not judged, unless it ran all inputs */
};

struct sonde_watched *sonde_watch_find(struct sonde_watched all[SONDE_MACHINES], const sonde_machine *machine,
                                       uint32_t label)
{
    for (struct sonde_watched *w = all; w < all + SONDE_MACHINES; w++) {
        if (!w->machine) {
            w->machine = machine;
            w->label = label;
            return w;
        }
        if (w->machine == machine && w->label == label && (!w->n_rules || w->n_rules == machine->n_rules)) return w;
    }
    return NULL;
}

void sonde_watch_returned(struct sonde_watched *w, uint32_t rule)
{
    sonde_assert(rule < w->n_rules);
    if (w->rules[rule].returned) return;
    sonde_assert(w->n_missing > 0);
    w->rules[rule].returned = true;
    w->n_missing--;
}

void sonde_watch_left(struct sonde_watched *w, uint32_t rule)
{
    sonde_assert(rule < w->n_rules);
    if (w->rules[rule].left < UINT32_MAX) w->rules[rule].left++;
}

/* ---- Sentences */

static void complain_of_machine(const struct sonde_watched *w, const struct sonde_labels *labels,
                                char text[SONDE_COMPLAINT])
{
    char cases[SONDE_GROUPED];
    snprintf(text, SONDE_COMPLAINT,
             "sonde_drive(\"%s\"): no rule ever applies: every .when was false when %s cases began, so nothing was "
             "called; correct them, or let .start create what they require",
             sonde_label_text(labels, w->label), sonde_grouped(w->cases, cases));
}

static void complain_of_rule(const struct sonde_watched *w, uint32_t i, const struct sonde_labels *labels,
                             char text[SONDE_COMPLAINT])
{
    char calls[SONDE_GROUPED], cases[SONDE_GROUPED];
    const char *machine = sonde_label_text(labels, w->label), *rule = sonde_label_text(labels, w->rules[i].label);
    sonde_grouped(w->cases, cases);
    if (w->rules[i].applied)
        snprintf(
            text, SONDE_COMPLAINT,
            "sonde_drive(\"%s\"): the rule \"%s\" never does anything: an assume took back each of its %s calls in %s "
            "cases; draw arguments that meet it, give the rule a .when, or set .rare = true if that is intended",
            machine, rule, sonde_grouped(w->rules[i].left, calls), cases);
    else
        snprintf(text, SONDE_COMPLAINT,
                 "sonde_drive(\"%s\"): the rule \"%s\" never applies: its .when was false before each of %s calls in "
                 "%s cases; correct it, raise .steps, or set .rare = true if that is intended",
                 machine, rule, sonde_grouped(w->calls, calls), cases);
}

/* Returns the first rule that was never called, and not only because of a small weight; n_rules if there is none. A
 * rule that applied counts only if at least `left` of its calls were taken back. */
static uint32_t find_missing(const struct sonde_watched *w, uint32_t left)
{
    uint32_t i = 0;
    while (i < w->n_rules && (w->rules[i].returned || (w->rules[i].applied && w->rules[i].left < left))) i++;
    return i;
}

/* ---- When */

/* Judges rules once, after WATCH_CASES cases, or after a multiple of that if there were too few calls before. */
bool sonde_watch_case(struct sonde_watched *w, const struct sonde_labels *labels, char text[SONDE_COMPLAINT])
{
    w->cases++;
    if (w->cases == IDLE_CASES && !w->calls && w->n_missing) {
        complain_of_machine(w, labels, text);
        return false;
    }
    if (w->is_judged || w->cases % WATCH_CASES || w->calls < WATCH_CALLS) return true;
    w->is_judged = true;
    uint32_t missing = find_missing(w, TAKEN_BACK);
    if (missing == w->n_rules) return true;
    complain_of_rule(w, missing, labels, text);
    return false;
}

enum sonde_watch_end sonde_watch_end(const struct sonde_watched all[SONDE_MACHINES], const struct sonde_labels *labels,
                                     bool is_exhausted, char text[SONDE_COMPLAINT])
{
    for (const struct sonde_watched *w = all; w < all + SONDE_MACHINES && w->machine; w++) {
        if (!w->cases || !w->n_missing || (!is_exhausted && w->cases < FEW_CASES)) continue;
        if (!w->calls) {
            complain_of_machine(w, labels, text);
            return SONDE_WATCH_MACHINE;
        }
        uint32_t missing = find_missing(w, 1);
        if (missing == w->n_rules) continue;
        complain_of_rule(w, missing, labels, text);
        return SONDE_WATCH_RULE;
    }
    return SONDE_WATCH_GOOD;
}

/* Machines that only the other job met are not reported. */
void sonde_watch_merge(struct sonde_watched all[SONDE_MACHINES], const struct sonde_watched others[SONDE_MACHINES])
{
    for (const struct sonde_watched *other = others; other < others + SONDE_MACHINES && other->machine; other++) {
        struct sonde_watched *w = all;
        while (w < all + SONDE_MACHINES
               && (w->machine != other->machine || w->label != other->label || w->n_rules != other->n_rules))
            w++;
        if (w == all + SONDE_MACHINES) continue;
        w->cases += other->cases;
        w->calls += other->calls;
        for (uint32_t i = 0; i < w->n_rules; i++) {
            w->rules[i].applied |= other->rules[i].applied;
            w->rules[i].left += other->rules[i].left;
            if (other->rules[i].returned) sonde_watch_returned(w, i);
        }
    }
}
