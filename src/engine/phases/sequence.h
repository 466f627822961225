/* A sequence: tapes that run one after the other in one process, of which the last one shows the failure to be
 * examined.
 *
 * Usually a sequence is one tape. If the code under test keeps state from case to case, earlier cases are needed too.
 * The shortest sequence that still fails is the finding:
 *
 *     x=51 ; x=51 ; x=0        the third case fails because the two before it have raised a counter
 *
 * The case remembers its last SONDE_CASE_RING tapes. If these do not bring the failure back, they are repeated,
 * together with inputs that the search has kept, until it comes back. */
#ifndef SONDE_ENGINE_SEQUENCE_H
#define SONDE_ENGINE_SEQUENCE_H

#include "engine/phases/phases.h"

/* Maximum number of tapes of a sequence: as many as a runner takes at once. A descriptor lost in each case shows after
 * a thousand cases. */
enum { SONDE_SEQUENCE_MAX = SONDE_RUNNER_SCRIPTS };

/* The sequence for one failure. tapes[0..n) are borrowed from found->earlier, found->tape or, while shrinking, the
 * candidate. The last tape fails. */
struct sonde_sequence {
    struct sonde_engine *engine;
    struct sonde_found *found;
    const struct sonde_tape *tapes[SONDE_SEQUENCE_MAX];
    uint32_t n;
    uint64_t brief; /* identity of the failure, from sonde_claim_brief */
};

/* Initializes a sequence to the failing tape alone. */
void sonde_sequence_init(struct sonde_sequence *q, struct sonde_engine *e, struct sonde_found *found);
/* Sets the sequence to that tape alone, which is borrowed. */
void sonde_sequence_set(struct sonde_sequence *q, const struct sonde_tape *tape);
/* Runs the sequence and returns whether its last case shows the same failure. `fresh`: in a new process. */
bool sonde_sequence_fails(struct sonde_sequence *q, bool fresh);
/* Runs the sequence `times` times, each in a new process, and returns how often it fails. With `all`, stops at the
 * first run that does not fail. */
unsigned sonde_sequence_count(struct sonde_sequence *q, unsigned times, bool all);
/* Returns whether the failure is of a kind that takes long to show, such as a hang. */
bool sonde_sequence_is_slow(const struct sonde_sequence *q);
/* Returns whether the sequence fails each time: in three runs, or in one run for a hang and other slow kinds of
 * failure. */
bool sonde_sequence_is_firm(struct sonde_sequence *q);
/* Finds earlier cases after which the tape fails, and leaves the fewest that suffice in found->earlier. If there are
 * none, returns false, and the sequence is the failing tape alone. */
bool sonde_sequence_find(struct sonde_sequence *q);
/* Replaces the tape `from` by `to` wherever it occurs in the sequence. */
void sonde_sequence_replace(struct sonde_sequence *q, const struct sonde_tape *from, const struct sonde_tape *to);
/* Makes found->earlier the earlier tapes of the sequence, in their order. */
void sonde_sequence_keep(struct sonde_sequence *q);
/* Returns the tapes of the sequence separated by " ; ", as --replay reads them; heap-allocated. */
char *sonde_sequence_text(const struct sonde_sequence *q);

/* Finds, among the tapes of a shrink, the smallest that fails every time.
 *
 * A failure that comes from a limit (stack, time, memory, descriptors) is shrunk with a margin (exec/worker.h). A
 * candidate counts only if it fails even with higher limits. The result runs three times under the limits of the
 * search. If it passes once, the smallest earlier candidate that fails three times of three is taken. If there is
 * none, that is the input as it was found. */

enum { SONDE_HISTORY_MAX = 64 };

/* The failing inputs of a shrink, from the largest to the smallest. If there are many, only some are kept. */
struct sonde_history {
    struct sonde_tape tapes[SONDE_HISTORY_MAX];
    uint32_t n;
    uint64_t seen, every; /* number of smaller inputs so far; one in `every` of them is kept */
};

/* Initialises an empty history. */
void sonde_history_init(struct sonde_history *history);
/* Frees the tapes. */
void sonde_history_clear(struct sonde_history *history);
/* Adds a copy of a failing tape, and drops the tapes that are not larger. A hang may be shrunk twice, and the second
 * shrink begins with a larger tape again. When the history is full, drops every second tape. */
void sonde_history_add(struct sonde_history *history, const struct sonde_tape *tape);

/* Sets the limits of single cases; the next case runs in a new worker with these limits. */
void sonde_firm_limit(struct sonde_sequence *q, struct sonde_case_limits limits);
/* The full margin: a quarter is added to every limit, but the time is doubled (exec/worker.h). */
#define SONDE_MARGIN 0.25
/* Sets `limits` raised by the margin `share`, and returns whether the sequence still fails. */
bool sonde_firm_with(struct sonde_sequence *q, struct sonde_case_limits limits, double share);
/* Returns whether the sequence fails each time, also with the full margin; restores the limits. */
bool sonde_firm_is_ample(struct sonde_sequence *q);
/* Sets the largest margin with which the sequence still fails, and returns it; 0 and `limits` if there is none. */
double sonde_firm_margin(struct sonde_sequence *q, struct sonde_case_limits limits);
/* Makes found->tape, the last of the sequence, a tape that fails each time. That is found->tape itself, or else the
 * smallest such tape of the history. Returns false if there is none; found->tape is then the largest of the history. */
bool sonde_firm_choose(struct sonde_sequence *q, const struct sonde_history *history);

#endif
