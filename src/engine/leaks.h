/* When to ask a tool whether something has leaked. Asking LeakSanitizer costs milliseconds, so it is asked about many cases at once;
 * which of them leaks is found out by running them again, one by one, in fresh workers if there are any (supervise.c). */
#ifndef SONDE_ENGINE_LEAKS_H
#define SONDE_ENGINE_LEAKS_H

#include <sonde/extend.h>

struct sonde_leak_watch {
    bool is_possible; /* there is a tool that can */
    bool is_each;     /* each case has a process of its own, which asks for itself */
    bool
        is_replaceable; /* the worker that leaks is replaced by another; else what was lost stays, and more must come */
    bool was_hit;       /* some look found a leak */
    uint32_t every, left;  /* valid cases between looks; 0: there are none */
    uint32_t false_alarms; /* in vain: it was a case that an assume had ended */
};

/* Before the first case, in the process that runs cases or makes those that do. */
void sonde_leak_watch_init(struct sonde_leak_watch *watch, enum sonde_isolation isolation);
/* Whether something has leaked that had not before. */
bool sonde_leak_watch_has_leaked(const struct sonde_leak_watch *watch);
/* After a valid case, where `every` is not 0: true if it was time to look and one of the last cases leaks. */
bool sonde_leak_watch_look(struct sonde_leak_watch *watch);
/* Which case it was is known, or none of them did it again. One leak is enough to report. */
void sonde_leak_watch_answer(struct sonde_leak_watch *watch, bool is_found);

#endif
