/* The notebook of a search, for displays: how the search went (series), what it tried, and which input reached which
 * code first (feedback/insight.h). It exists only if insight was requested (options.h). Then a case costs a check of a
 * counter, and a few hundred cases per doubling are recorded in full.
 *
 * It is in the heap of the search, and the worker writes it. Series and draws may be read meanwhile
 * (sonde_notebook_glance), the rest after the worker has ended (sonde_notebook_open). */
#ifndef SONDE_ENGINE_NOTEBOOK_H
#define SONDE_ENGINE_NOTEBOOK_H

#include "base/limit.h"
#include "corpus/harvest.h"
#include "feedback/insight.h"
#include "observe/coverage.h"

#include <sonde/extend.h>
#include <stdatomic.h>

/* How a search went: points in the order of time, a bounded number of them however long it takes. They are taken at
 * even distances; when the array is full, every second one is dropped and the distance doubles.
 *
 * The worker adds points while the supervisor may read them, for --serve and --plot-data. `turn` is odd while something
 * moves; a reader that finds it odd, or changed afterwards, reads again (sonde_series_copy). */

enum { SONDE_SERIES_MAX = SONDE_LIMIT(240, 12) };

struct sonde_series {
    atomic_uint turn;
    uint32_t n;
    double every, next;           /* seconds between two points; when the next one is due, since the search began */
    double cpu_began, cpu_before; /* processor time of this process when it began, and total of those before it */
    struct sonde_series_point all[SONDE_SERIES_MAX];
};

/* Prepares a series that is zero, or one that another process began: processor time counts from here. */
void sonde_series_begin(struct sonde_series *series);
/* Returns whether another point is due. */
static inline bool sonde_series_is_due(const struct sonde_series *series, double seconds)
{
    return seconds >= series->next;
}
/* Adds a point, and fills in its cpu_s. */
void sonde_series_add(struct sonde_series *series, struct sonde_series_point moment);
/* Copies the series while another process may be writing it. Returns false if it cannot be read, because that process
 * died while writing. */
bool sonde_series_copy(const struct sonde_series *from, struct sonde_series *to);
/* Merges two parallel searches: counts are added, code is what either has reached. */
void sonde_series_merge(struct sonde_series *series, const struct sonde_series *other);
/* Adds the last point, with exact numbers, and limits all earlier points to them. */
void sonde_series_end(struct sonde_series *series, const struct sonde_stats *stats, const char *guide);

/* A kept tape, for display; from the saved corpus of any job. */
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

    /* The view for the reader. */
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
/* Recovers after a worker died while it may have been writing: what may be damaged is abandoned, not freed, and starts
 * empty. */
void sonde_notebook_recover(struct sonde_notebook *notebook);

void sonde_notebook_sample(struct sonde_notebook *notebook, const sonde *t);
void sonde_notebook_first(struct sonde_notebook *notebook, const sonde *t, const struct sonde_coverage_view *seen,
                          uint64_t test);
/* Records a case that has ended; `reasons` say why it is of interest. Inline: for most cases nothing is written. */
static inline void sonde_notebook_case(struct sonde_notebook *notebook, const sonde *t,
                                       const struct sonde_coverage_view *seen, uint32_t reasons, uint64_t test)
{
    if (sonde_draws_wants(&notebook->draws)) sonde_notebook_sample(notebook, t);
    if (seen && (reasons & SONDE_NEW_PLACE || t->verdict == SONDE_FAILED))
        sonde_notebook_first(notebook, t, seen, test);
}
/* Adds the tapes of a saved corpus. */
void sonde_notebook_keep(struct sonde_notebook *notebook, const struct sonde_saved *saved,
                         const struct sonde_labels *labels);
/* Adds the notebook of another search; ids[] translates its feature ids to ours. */
void sonde_notebook_merge(struct sonde_notebook *notebook, const struct sonde_notebook *other, const uint32_t *ids);

/* Adds series and draws of a search that may be running to `notebook`, which is the caller's. Returns the sum of all
 * added, valid until the next call. Labels may come from any of the searches. */
const struct sonde_insight *sonde_notebook_glance(struct sonde_notebook *notebook, const struct sonde_notebook *other,
                                                  const struct sonde_labels *labels);
/* Returns all of it, after the last writer has ended; valid until the notebook is freed. The series must have been
 * ended. */
const struct sonde_insight *sonde_notebook_open(struct sonde_notebook *notebook, const struct sonde_coverage *coverage,
                                                const struct sonde_labels *labels, struct sonde_guide *guide);

#endif
