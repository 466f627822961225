/* See leaks.h. This file only decides when to check for leaks: program/sanitizer.h asks the leak checker, and culprit.c
 * finds the case. The tapes of a batch are kept in an outbox of exchange.h. Its one reader never misses any, because a
 * batch ends before the ring is full. */
#include "engine/search/leaks.h"

#include "base/valgrind.h"
#include "case/case.h"
#include "program/sanitizer.h"

/* Each check scans all allocated memory, so batches grow, and even a long run has few checks. */
enum {
    FIRST = 1 << 8,   /* number of valid cases in the first batch: it ends soon, because most leaks are in every case */
    GROWS = 8,        /* each batch is this many times as large as the previous one */
    LARGEST = 1 << 16 /* number of valid cases in the largest batch */
};

static void begin_batch(struct sonde_leak_watch *w)
{
    w->left = w->every;
    w->n_left_early = 0;
    w->has_unkept = false;
    sonde_inbox_skip(&w->batch);
}

static void begin_larger_batch(struct sonde_leak_watch *w)
{
    if (w->every < LARGEST) w->every *= GROWS;
    begin_batch(w);
}

void sonde_leak_watch_init(struct sonde_leak_watch *w, enum sonde_isolation isolation, bool resets)
{
    *w =
        (struct sonde_leak_watch){.is_possible = sonde_leaks_can_be_found() && !(resets && sonde_valgrind_is_running()),
                                  .is_replaceable = isolation == SONDE_ISOLATE_WORKER};
    w->is_each = w->is_possible && isolation == SONDE_ISOLATE_CASE;
    if (w->is_possible) sonde_leaks_begin();
    if (!w->is_possible || w->is_each) return;
    w->batch.from = w->log = sonde_outbox_create();
    w->every = FIRST;
    begin_batch(w);
}

void sonde_leak_watch_clear(struct sonde_leak_watch *w)
{
    sonde_outbox_free(w->log);
}

/* A worker that can be replaced asks "is there any leak?"; a process that is not replaced asks "are there more than
 * before?". */
bool sonde_leak_watch_has_leaked(const struct sonde_leak_watch *w)
{
    return w->is_replaceable ? sonde_leaks_are_there() : sonde_leaks_grew();
}

bool sonde_leak_watch_look(struct sonde_leak_watch *w, const sonde *t)
{
    if (t->verdict != SONDE_VALID) {
        w->n_left_early++;
        return false;
    }
    if (!sonde_outbox_put(w->log, &t->tape)) w->has_unkept = true;
    bool is_due = --w->left == 0 || w->has_unkept || sonde_inbox_is_full(&w->batch);
    if (!is_due) return false;
    if (sonde_leak_watch_has_leaked(w)) return true;
    begin_larger_batch(w);
    return false;
}

/* After the first leak no more checks are made: the tool would report it again and again. */
void sonde_leak_watch_end_batch(struct sonde_leak_watch *w, bool is_found)
{
    if (is_found) w->every = 0;
    else begin_larger_batch(w);
}
