/* How a search went: moments in the order of time, a bounded number of them however long it takes. They are taken at
 * even distances; when there is no more room, every second one goes and the distance doubles.
 *
 * The worker takes moments while the supervisor may read them, for --serve and --plot-data. The turn is odd while
 * something moves; a reader that finds it odd, or changed afterwards, reads again (sonde_series_copy). */
#ifndef SONDE_ENGINE_SERIES_H
#define SONDE_ENGINE_SERIES_H

#include "base/limit.h"

#include <sonde/extend.h>
#include <stdatomic.h>

enum { SONDE_SERIES_MAX = SONDE_LIMIT(240, 12) };

struct sonde_series {
    atomic_uint turn;
    uint32_t n;
    double every, next;           /* seconds between two of them; when the next one is due, since the search began */
    double cpu_began, cpu_before; /* of this process when it began, and of those before it */
    struct sonde_series_point all[SONDE_SERIES_MAX];
};

/* To be set to zeros first. Another process goes on with it: its processor time counts from here. */
void sonde_series_begin(struct sonde_series *series);
/* Whether it is time for another moment. */
static inline bool sonde_series_is_due(const struct sonde_series *series, double seconds)
{
    return seconds >= series->next;
}
/* Adds a moment, whose cpu_s is filled in. */
void sonde_series_add(struct sonde_series *series, struct sonde_series_point moment);
/* What it is by now, while another process may be writing it; false if it cannot be read, because that one died at it. */
bool sonde_series_copy(const struct sonde_series *from, struct sonde_series *to);
/* Two searches side by side as one: counts are added, code is what either has reached. */
void sonde_series_merge(struct sonde_series *series, const struct sonde_series *other);
/* The last moment, with exact numbers; no moment before it has more than it. */
void sonde_series_end(struct sonde_series *series, const struct sonde_stats *stats, const char *guide);

#endif
