/* Describes the behaviour outside the models of threads and disks that cases met, one line for each kind.
 * docs/models.md has the table. */
#include "base/schedule.h"
#include "case/case.h"

#include <stdio.h>
#include <string.h>

static const struct {
    enum sonde_unseen kind;
    const char *description;
} blind_spots[] = {
    {SONDE_UNSEEN_ORDERS,
     "atomic operations with an order weaker than memory_order_seq_cst ran as if they had that order (sonde cc "
     "--sanitize=thread checks orders)"},
    {SONDE_UNSEEN_LATE, "thread switches beyond the step count of the warm-up, in cases that took more than twice as "
                        "many steps"},
    {SONDE_UNSEEN_RACES,
     "plain accesses to the same memory without synchronization (a data race) ran in program order; hardware may "
     "reorder them (sonde_find_races makes them a failure)"},
    {SONDE_UNSEEN_OTHERS, "threads ran that sonde_threads did not start: the operating system chose their schedule"},
};

/* Adds the unmodelled calls of this case to the list for all cases so far. */
void sonde_threads_note_unmodelled(sonde *t)
{
    const char *name = t->schedule.unmodelled;
    for (size_t n; *name; name += n + (name[n] == ' ')) {
        char one[sizeof t->unmodelled];
        n = strcspn(name, " ");
        snprintf(one, sizeof one, "%.*s", (int)n, name);
        size_t used = strlen(t->unmodelled);
        if (strstr(t->unmodelled, one) || used + n + 2 > sizeof t->unmodelled) continue;
        snprintf(t->unmodelled + used, sizeof t->unmodelled - used, "%s%s", used ? " " : "", one);
    }
}

bool sonde_threads_unseen(const sonde *t, char *out, size_t size)
{
    unsigned kinds = t->unseen | t->schedule.unseen; /* schedule.unseen has the bits of a case that crashed */
    size_t n = 0;
    *out = '\0';
    for (size_t i = 0; i < sizeof blind_spots / sizeof *blind_spots && n < size; i++)
        if (kinds & blind_spots[i].kind)
            n += (size_t)snprintf(out + n, size - n, "%s%s", n ? "\n" : "", blind_spots[i].description);
    if (t->uninstrumented[0] && n < size)
        n += (size_t)snprintf(out + n, size - n,
                              "%sno thread was interrupted in %s, which was not compiled by sonde cc --threads",
                              n ? "\n" : "", t->uninstrumented);
    const char *unmodelled = t->unmodelled[0] ? t->unmodelled : t->schedule.unmodelled;
    if (*unmodelled && n < size)
        n +=
            (size_t)snprintf(out + n, size - n, "%scalls that the model of threads does not cover: %s (docs/models.md)",
                             n ? "\n" : "", unmodelled);
    if (atomic_load_explicit(&t->has_foreign_calls, memory_order_relaxed) && n < size)
        n += (size_t)snprintf(out + n, size - n,
                              "%snot followed: calls of threads and processes that sonde did not start", n ? "\n" : "");
    if (t->not_followed[0] && n < size) snprintf(out + n, size - n, "%s%s", n ? "\n" : "", t->not_followed);
    return *out != '\0';
}
