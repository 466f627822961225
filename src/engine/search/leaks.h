/* When to ask a tool whether something has leaked, and about which cases. Asking LeakSanitizer costs milliseconds, so it is asked
 * about many cases at once. The tapes of those that ended well since it was asked last are kept; when something has leaked,
 * halving them, each half in a fresh worker if there are any, finds the one that did it (culprit.c). Cases that an assume
 * ended are not among them: what they had allocated is lost by design.
 *
 * Example: 512 cases have ended well since the last look, and something has leaked. The 512 are run again in a
 * fresh worker, which leaks; then the first 256, which do not; then the last 256, which do; and so on: after some
 * twenty questions the case is known. If neither half leaks alone, it takes cases of both, and the last ones
 * together are the finding. */
#ifndef SONDE_ENGINE_LEAKS_H
#define SONDE_ENGINE_LEAKS_H

#include "engine/search/exchange.h"

struct sonde_leak_watch {
    bool is_possible; /* there is a tool that can */
    bool is_each;     /* each case has a process of its own, which asks for itself */
    bool
        is_replaceable; /* the worker that leaks is replaced by another; else what was lost stays, and more must come */
    bool has_unkept;    /* a tape since the last look was too large to be kept */
    uint32_t every, left;     /* valid cases between looks; 0: there are none */
    uint32_t n_left_early;    /* since the last look: cases that ended before the property returned */
    struct sonde_outbox *log; /* tapes of valid cases */
    struct sonde_inbox batch; /* those since the last look */
};

/* Before the first case, in the process that runs cases or makes those that do. Where variables are restored between cases (`resets`), what
 * a case has left in one of them is lost by design; LeakSanitizer knows that (exec/globals.c), valgrind does not, and is not asked. */
void sonde_leak_watch_init(struct sonde_leak_watch *watch, enum sonde_isolation isolation, bool resets);
void sonde_leak_watch_clear(struct sonde_leak_watch *watch);
/* Whether something has leaked that had not before. */
bool sonde_leak_watch_has_leaked(const struct sonde_leak_watch *watch);
/* After each case, where `every` is not 0: true if it was time to look and something has leaked since the last time. */
bool sonde_leak_watch_look(struct sonde_leak_watch *watch, const sonde *t);
/* The case that leaks is known, which is enough to report; or none is to blame, and the next batch begins. */
void sonde_leak_watch_answer(struct sonde_leak_watch *watch, bool is_found);

#endif
