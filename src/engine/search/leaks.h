/* Decides when to run a leak checker, and for which cases. A check by LeakSanitizer takes milliseconds, so one check is
 * for many cases. The tapes of the cases that ended well since the last check are kept. When something has leaked, the
 * kept cases are halved until the leaking one is found (culprit.c). Each half runs in a fresh worker if there are
 * workers. Cases that an assume ended are not kept: memory that they had allocated is lost by design.
 *
 * Example: 512 cases have ended well since the last check, and something has leaked. All 512 run again in a fresh
 * worker, which leaks. Then the first 256 run, which do not leak; then the last 256, which do; and so on. After about
 * twenty checks the case is known. If neither half leaks alone, the leak needs cases of both, and the last cases
 * together are the finding. */
#ifndef SONDE_ENGINE_LEAKS_H
#define SONDE_ENGINE_LEAKS_H

#include "engine/search/exchange.h"

/* The state of the checks for leaks of one search. */
struct sonde_leak_watch {
    bool is_possible; /* a leak checker is available */
    bool is_each;     /* each case has its own process, which checks for leaks itself */
    /* A worker that leaks is replaced by another. If false, leaked memory stays, so only growth counts as a
     * leak. */
    bool is_replaceable;
    bool has_unkept;       /* a tape since the last check was too large to be kept */
    uint32_t every, left;  /* number of valid cases between two leak checks (0: no checks), and before the next one */
    uint32_t n_left_early; /* number of cases since the last check that ended before the property returned */
    struct sonde_outbox *log; /* tapes of valid cases */
    struct sonde_inbox batch; /* reads the tapes in `log` since the last check */
};

/* Sets up the watch before the first case, in the process that runs cases or starts those that do. If variables are
 * restored between cases (`resets`), memory to which only such a variable points is lost by design. LeakSanitizer
 * ignores such memory (exec/globals.c), but valgrind does not, so it is not asked. */
void sonde_leak_watch_init(struct sonde_leak_watch *watch, enum sonde_isolation isolation, bool resets);
/* Frees the tapes that are kept. */
void sonde_leak_watch_clear(struct sonde_leak_watch *watch);
/* Asks the leak checker and returns whether there is a new leak. */
bool sonde_leak_watch_has_leaked(const struct sonde_leak_watch *watch);
/* Records a case; called after each one if `every` is not 0. Returns true if a check was due and found a new leak. */
bool sonde_leak_watch_look(struct sonde_leak_watch *watch, const sonde *t);
/* Ends a batch. If the leaking case was found, no more checks are made, as one is enough to report; otherwise the next
 * batch begins. */
void sonde_leak_watch_end_batch(struct sonde_leak_watch *watch, bool is_found);

#endif
