/* See leaks.h. */
#include "engine/leaks.h"

#include "case/case.h"
#include "exec/sanitizer.h"

/* The first batch is checked soon, and is small enough for the ring of remembered tapes to have all of it. Later ones are larger
 * than the ring, and a hit there only makes the next one small. Each look walks through all memory that is allocated, so as long
 * as there was no hit, batches grow, and a run has a few dozen looks however long it is. */
enum { SMALL = SONDE_CASE_RING - 2, LARGE = 32 * SONDE_CASE_RING, LARGEST = 64 * LARGE, MOST_DOUBLED = 8 };

void sonde_leak_watch_init(struct sonde_leak_watch *w, enum sonde_isolation isolation)
{
    *w = (struct sonde_leak_watch){.is_possible = sonde_leaks_can_be_found(),
                                   .is_replaceable = isolation == SONDE_ISOLATE_WORKER};
    w->is_each = w->is_possible && isolation == SONDE_ISOLATE_CASE;
    if (!w->is_possible || w->is_each) return;
    if (!w->is_replaceable) sonde_leaks_grew(); /* what the program lost before */
    w->every = w->left = SMALL;
}

bool sonde_leak_watch_has_leaked(const struct sonde_leak_watch *w)
{
    return w->is_replaceable ? sonde_leaks_are_there() : sonde_leaks_grew();
}

bool sonde_leak_watch_look(struct sonde_leak_watch *w)
{
    if (w->left-- > 0) return false;
    bool has_leaked = sonde_leak_watch_has_leaked(w);
    w->was_hit |= has_leaked;
    if (w->every == SMALL) w->every = LARGE;
    else if (w->was_hit) w->every = SMALL;
    else if (w->every < LARGEST) w->every *= 2;
    w->left = w->every << (w->false_alarms < MOST_DOUBLED ? w->false_alarms : MOST_DOUBLED);
    return has_leaked;
}

void sonde_leak_watch_answer(struct sonde_leak_watch *w, bool is_found)
{
    if (is_found) w->every = 0;
    else w->false_alarms++;
}
