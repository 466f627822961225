/* The notebook of a search, for displays: how the search went (series), what it tried, and which input reached which
 * code first (feedback/insight.h). It exists only if insight was requested (options.h). For most cases the notebook
 * only compares a counter. Each time the number of cases doubles, a few hundred more are recorded in full.
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

/* How a search went: a bounded number of points in the order of time, however long the search takes. Points are taken
 * at even intervals; when the array is full, every second point is dropped and the interval doubles.
 *
 * The worker adds points while the supervisor may read them, for --serve and --plot-data. `turn` is odd while the
 * worker writes. A reader that finds an odd `turn`, or one that has changed after reading, reads again
 * (sonde_series_copy). */

enum { SONDE_SERIES_MAX = SONDE_LIMIT(240, 12) }; /* maximum number of points */

/* The points of a series; see above. */
struct sonde_series {
    atomic_uint turn;
    uint32_t n;
    /* every: seconds between two points; next: seconds since the search began when the next point is due */
    double every, next;
    /* cpu_began: processor time of this process at its start; cpu_before: processor time of all earlier processes of
     * the search */
    double cpu_began, cpu_before;
    struct sonde_series_point all[SONDE_SERIES_MAX];
};

/* Prepares a zeroed series, or one that another process began. Processor time of this process counts from this
 * call. */
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
/* Merges the series of two parallel searches. Adds their counts; of the two numbers of reached locations, takes the
 * larger. */
void sonde_series_merge(struct sonde_series *series, const struct sonde_series *other);
/* Adds the last point, with exact numbers, and limits the numbers of all earlier points to these. */
void sonde_series_end(struct sonde_series *series, const struct sonde_stats *stats, const char *guide);

/* A tape from the saved corpus of any job, for display. */
struct sonde_notebook_input {
    struct sonde_shown_input shown; /* owns its token */
    uint64_t order;
};

/* The notebook of one search. */
struct sonde_notebook {
    struct sonde_series series;
    struct sonde_draws draws;
    struct sonde_firsts firsts;
    struct sonde_notebook_input *kept;
    uint32_t n_kept, cap_kept, kept_left_out;

    /* The members below are the view that readers get. */
    struct sonde_insight view;
    struct sonde_share shares[SONDE_INSIGHT_SHARES];
    struct sonde_tried *tried;
    struct sonde_shown_input *inputs;
    struct sonde_reached *reached;
    struct sonde_code_module *modules; /* own their paths */
    uint32_t n_reached, cap_reached, n_modules, cap_modules;
};

/* Returns an empty notebook in the current heap; free it with sonde_notebook_free. */
struct sonde_notebook *sonde_notebook_create(void);
void sonde_notebook_free(struct sonde_notebook *notebook);
/* Recovers after a worker died while it may have been writing: parts that may be damaged are abandoned, not freed, and
 * start empty. */
void sonde_notebook_recover(struct sonde_notebook *notebook);

/* Adds the values that the case drew to the histograms. Called by sonde_notebook_case. */
void sonde_notebook_sample(struct sonde_notebook *notebook, const sonde *t);
/* Records the case as the first input at each location that no case reached before. Called by sonde_notebook_case. */
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

/* Adds series and draws of a search that may be running to `notebook`, which the caller owns. Returns the sum of all
 * notebooks added so far, valid until the next call. Labels may come from any of the searches. */
const struct sonde_insight *sonde_notebook_glance(struct sonde_notebook *notebook, const struct sonde_notebook *other,
                                                  const struct sonde_labels *labels);
/* Returns the whole contents, after the last writer has ended; valid until the notebook is freed. Call sonde_series_end
 * first. */
const struct sonde_insight *sonde_notebook_open(struct sonde_notebook *notebook, const struct sonde_coverage *coverage,
                                                const struct sonde_labels *labels, struct sonde_guide *guide);

#endif
