/* A failure under examination: the tapes to run one after the other in one process, of which the last one fails.
 *
 * Usually that is one tape. If the code under test keeps state from case to case, the cases before it are needed too.
 * The smallest number of them that suffices is the finding:
 *
 *     x=51 ; x=51 ; x=0        the third case fails because the two before it have raised a counter
 *
 * The case remembers its last SONDE_CASE_RING tapes. If these are not enough, inputs that the search has kept and those
 * tapes run again and again until the failure comes back. */
#ifndef SONDE_ENGINE_SEQUENCE_H
#define SONDE_ENGINE_SEQUENCE_H

#include "engine/phases/phases.h"

/* As many as a runner takes at once: a descriptor lost in each case shows after a thousand of them. */
enum { SONDE_SEQUENCE_MAX = SONDE_RUNNER_SCRIPTS };

/* tapes[0..n) are borrowed: from found->earlier, found->tape or, while shrinking, the candidate. The last one fails. */
struct sonde_sequence {
    struct sonde_engine *engine;
    struct sonde_found *found;
    const struct sonde_tape *tapes[SONDE_SEQUENCE_MAX];
    uint32_t n;
    uint64_t brief; /* identity of the failure, from sonde_claim_brief */
};

/* Initializes it to the failing tape alone. */
void sonde_sequence_init(struct sonde_sequence *q, struct sonde_engine *e, struct sonde_found *found);
/* Sets it to that tape alone, which is borrowed. */
void sonde_sequence_set(struct sonde_sequence *q, const struct sonde_tape *tape);
/* Runs it and returns whether its last case fails as the failure did. `fresh`: in a new process. */
bool sonde_sequence_fails(struct sonde_sequence *q, bool fresh);
/* Returns how often it fails in that number of runs, each in a new process. With `all`, stops at the first run that
 * does not fail. */
unsigned sonde_sequence_count(struct sonde_sequence *q, unsigned times, bool all);
/* Returns whether a run of it takes long, by the kind of its failure. */
bool sonde_sequence_is_slow(const struct sonde_sequence *q);
/* Returns whether it fails each time, in as many runs as are affordable: three, or one for a hang and other slow
 * kinds. */
bool sonde_sequence_is_firm(struct sonde_sequence *q);
/* Finds earlier cases that make it fail, and leaves the fewest that were found, in found->earlier. Returns false, and
 * leaves the failing tape alone, if there are none. */
bool sonde_sequence_find(struct sonde_sequence *q);
/* Replaces `from` by `to` wherever it occurs. */
void sonde_sequence_replace(struct sonde_sequence *q, const struct sonde_tape *from, const struct sonde_tape *to);
/* Returns its tapes separated by " ; ", as --replay reads them; heap-allocated. */
char *sonde_sequence_text(const struct sonde_sequence *q);

/* From a failing input to a smaller one that fails every time.
 *
 * A failure that comes from a limit (stack, time, memory, descriptors) is shrunk with a margin (exec/worker.h). A
 * candidate counts only if it fails although it may use more. The result runs three times as the search would run it.
 * If it passes once, the smallest of the inputs on the way there that fails three times of three is taken. In the last
 * resort that is the one that was found. */

enum { SONDE_HISTORY_MAX = 64 };

/* The inputs that a shrink went through, largest first; thinned out if there are many. */
struct sonde_history {
    struct sonde_tape tapes[SONDE_HISTORY_MAX];
    uint32_t n;
    uint64_t seen, every; /* improvements seen; one in `every` is kept */
};

void sonde_history_init(struct sonde_history *history);
void sonde_history_clear(struct sonde_history *history);
void sonde_history_add(struct sonde_history *history, const struct sonde_tape *tape);

/* Sets the limits of single cases; the next one gets a new worker with them. */
void sonde_firm_limit(struct sonde_sequence *q, struct sonde_case_limits limits);
/* A quarter more of everything, twice as much time (exec/worker.h). */
#define SONDE_MARGIN 0.25
/* Sets `limits` with that share added, and returns whether the sequence still fails. */
bool sonde_firm_with(struct sonde_sequence *q, struct sonde_case_limits limits, double share);
/* Returns whether it fails each time, and with the whole margin; restores the limits. */
bool sonde_firm_is_ample(struct sonde_sequence *q);
/* Sets the largest margin with which the sequence still fails, and returns it; 0 and `limits` if there is none. */
double sonde_firm_margin(struct sonde_sequence *q, struct sonde_case_limits limits);
/* Makes found->tape, the last of the sequence, one that fails each time: itself, or the smallest of the history that
 * does. Returns false if none does; found->tape is then the largest. */
bool sonde_firm_choose(struct sonde_sequence *q, const struct sonde_history *history);

#endif
