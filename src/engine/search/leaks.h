/* Decides when to ask a leak checker whether something has leaked, and about which cases. LeakSanitizer takes
 * milliseconds, so it is asked about many cases at once. The tapes of cases that ended well since it was last asked are
 * kept. When something has leaked, halving them finds the case that did it, each half in a fresh worker if there are
 * workers (culprit.c). Cases that an assume ended are not kept: what they had allocated is lost by design.
 *
 * Example: 512 cases have ended well since the last check, and something has leaked. All 512 run again in a fresh
 * worker, which leaks. Then the first 256, which do not; then the last 256, which do; and so on. After about twenty
 * questions the case is known. If neither half leaks alone, it takes cases of both, and the last ones together are the
 * finding. */
#ifndef SONDE_ENGINE_LEAKS_H
#define SONDE_ENGINE_LEAKS_H

#include "engine/search/exchange.h"

struct sonde_leak_watch {
    bool is_possible; /* a leak checker is available */
    bool is_each;     /* each case has its own process, which checks for leaks itself */
    /* A worker that leaks is replaced by another. If false, leaked memory stays, so only growth counts as a
     * leak. */
    bool is_replaceable;
    bool has_unkept;          /* a tape since the last check was too large to be kept */
    uint32_t every, left;     /* valid cases between checks; 0: no checks */
    uint32_t n_left_early;    /* since the last check: cases that ended before the property returned */
    struct sonde_outbox *log; /* tapes of valid cases */
    struct sonde_inbox batch; /* those since the last check */
};

/* Sets up the watch before the first case, in the process that runs cases or starts those that do. If variables are
 * restored between cases (`resets`), what a case has left in one of them is lost by design. LeakSanitizer knows that
 * (exec/globals.c), but valgrind does not, and is not asked. */
void sonde_leak_watch_init(struct sonde_leak_watch *watch, enum sonde_isolation isolation, bool resets);
void sonde_leak_watch_clear(struct sonde_leak_watch *watch);
/* Returns whether something has leaked that had not before. */
bool sonde_leak_watch_has_leaked(const struct sonde_leak_watch *watch);
/* Records a case; called after each one if `every` is not 0. Returns true if a check was due and found a new leak. */
bool sonde_leak_watch_look(struct sonde_leak_watch *watch, const sonde *t);
/* Ends a batch. If the leaking case was found, no more checks are made, as one is enough to report; otherwise the next
 * batch begins. */
void sonde_leak_watch_end_batch(struct sonde_leak_watch *watch, bool is_found);

#endif
