/* From a failing input to a smaller one that fails every time.
 *
 * A failure that comes of a limit (stack, time, memory, descriptors) is shrunk with a margin (exec/margin.h): a candidate
 * counts only if it fails although it may use more. What comes out is run three times as the search would run it. If it holds
 * once, the smallest of the inputs on the way there that fails three times of three is taken, in the end the one that was
 * found. */
#ifndef SONDE_ENGINE_FIRM_H
#define SONDE_ENGINE_FIRM_H

#include "engine/phases/sequence.h"

enum { SONDE_HISTORY_MAX = 64 };

/* The inputs that a shrink went through, largest first; thinned out where there are many. */
struct sonde_history {
    struct sonde_tape tapes[SONDE_HISTORY_MAX];
    uint32_t n;
    uint64_t seen, every; /* improvements so far; one in `every` is kept */
};

void sonde_history_init(struct sonde_history *history);
void sonde_history_clear(struct sonde_history *history);
void sonde_history_add(struct sonde_history *history, const struct sonde_tape *tape);

/* Sets the limits that single cases run with; the next one has a new worker, which knows them. */
void sonde_firm_limit(struct sonde_sequence *q, struct sonde_case_limits limits);
/* A quarter more of everything, twice as much time (exec/margin.h). */
#define SONDE_MARGIN 0.25
/* Whether the sequence fails with so much more room than `limits` have; that is then the limit. */
bool sonde_firm_with(struct sonde_sequence *q, struct sonde_case_limits limits, double share);
/* Whether it fails each time, and with the whole margin; limits stay. */
bool sonde_firm_is_ample(struct sonde_sequence *q);
/* Sets the largest margin with which the sequence still fails, and returns it; 0 and `limits` if there is none. */
double sonde_firm_margin(struct sonde_sequence *q, struct sonde_case_limits limits);
/* Makes found->tape, which is the sequence's last, one that fails each time: itself, or the smallest of the history that does.
 * False if none does; found->tape is then the largest. */
bool sonde_firm_settle(struct sonde_sequence *q, const struct sonde_history *history);

#endif
