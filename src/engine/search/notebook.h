/* What a search writes down for those who look at it: how it went (series), what it tried and which input
 * reached which code first (feedback/insight.h). It is there only where somebody asked for insight (options.h); then a case
 * costs a look at a counter, and a few hundred cases per doubling are looked at in full.
 *
 * Lies in the heap of the search. Its worker writes; series and draws may be read meanwhile (sonde_notebook_glance), the
 * rest when it has ended (sonde_notebook_open). */
#ifndef SONDE_ENGINE_NOTEBOOK_H
#define SONDE_ENGINE_NOTEBOOK_H

#include "base/limit.h"
#include "corpus/harvest.h"
#include "feedback/insight.h"
#include "observe/coverage.h"

#include <sonde/extend.h>
#include <stdatomic.h>

/* How a search went: moments in the order of time, a bounded number of them however long it takes. They are taken at
 * even distances; when there is no more room, every second one goes and the distance doubles.
 *
 * The worker takes moments while the supervisor may read them, for --serve and --plot-data. The turn is odd while
 * something moves; a reader that finds it odd, or changed afterwards, reads again (sonde_series_copy). */

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

/* Kept tapes, for the reader: those of the harvests of all jobs. */
struct sonde_notebook_input {
    struct sonde_shown_input shown; /* owns its token */
    uint64_t order;
};

struct sonde_notebook {
    struct sonde_series series;
    struct sonde_draws draws;
    struct sonde_firsts firsts;
    struct sonde_notebook_input *kept;
    uint32_t n_kept, cap_kept, kept_left_out;

    /* What the reader is given. */
    struct sonde_insight view;
    struct sonde_share shares[SONDE_INSIGHT_SHARES];
    struct sonde_tried *tried;
    struct sonde_shown_input *inputs;
    struct sonde_reached *reached;
    struct sonde_code_module *modules; /* own their paths */
    uint32_t n_reached, cap_reached, n_modules, cap_modules;
};

struct sonde_notebook *sonde_notebook_create(void);
void sonde_notebook_free(struct sonde_notebook *notebook);
/* A worker died while it may have been writing: what may be damaged is left where it is, and begun anew. */
void sonde_notebook_recover(struct sonde_notebook *notebook);

void sonde_notebook_sample(struct sonde_notebook *notebook, const sonde *t);
void sonde_notebook_first(struct sonde_notebook *notebook, const sonde *t, const struct sonde_coverage_view *seen,
                          uint64_t test);
/* A case has ended; `reasons` are those of its interest. Inline: of most cases nothing is written down. */
static inline void sonde_notebook_case(struct sonde_notebook *notebook, const sonde *t,
                                       const struct sonde_coverage_view *seen, uint32_t reasons, uint64_t test)
{
    if (sonde_draws_wants(&notebook->draws)) sonde_notebook_sample(notebook, t);
    if (seen && (reasons & SONDE_NEW_PLACE || t->verdict == SONDE_FAILED))
        sonde_notebook_first(notebook, t, seen, test);
}
/* Writes down the tapes of a harvest. */
void sonde_notebook_keep(struct sonde_notebook *notebook, const struct sonde_harvest *harvest,
                         const struct sonde_labels *labels);
/* Adds another search's, whose features are called ids[their id] here. */
void sonde_notebook_merge(struct sonde_notebook *notebook, const struct sonde_notebook *other, const uint32_t *ids);

/* Series and draws of a search that may be going on, added to what `notebook`, the caller's own, has of others: both together, good
 * until the next call. Labels are those of any of them. */
const struct sonde_insight *sonde_notebook_glance(struct sonde_notebook *notebook, const struct sonde_notebook *other,
                                                  const struct sonde_labels *labels);
/* All of it, when nobody writes any more; good until the notebook is freed. Series must have been ended. */
const struct sonde_insight *sonde_notebook_open(struct sonde_notebook *notebook, const struct sonde_coverage *coverage,
                                                const struct sonde_labels *labels, struct sonde_guide *guide);

#endif
