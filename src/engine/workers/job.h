/* A job: one search and the worker that runs it. This knows what the end of a worker means for its search; what several jobs mean for
 * each other, supervise.c knows.
 *
 * A search and all it knows live in a heap shared with its worker, which belongs to the worker while there is one and else to this
 * process. When the worker dies, the failure is read off that heap, and a new worker continues with the next case. So all of these but
 * sonde_job_stop are called inside the heap (single.h), when it has no worker. */
#ifndef SONDE_ENGINE_JOB_H
#define SONDE_ENGINE_JOB_H

#include "engine/workers/single.h"

struct sonde_job {
    struct sonde_search *search;
    struct sonde_worker worker;
    bool over;
    bool paused;            /* it has no worker, but will continue */
    unsigned failed_starts; /* workers in a row that did not come to a case */
};

/* Before its first worker: fills in how it is watched. All that its workers do rings the bell. */
void sonde_job_prepare(struct sonde_job *job, atomic_uint *bell);
/* Starts a worker. Where none can be started, the search is run here, and the job is over. */
void sonde_job_start(struct sonde_job *job);
/* The worker has ended with that status. Starts another one, unless the job is paused or over. `single` is used for workers that
 * run cases again. */
void sonde_job_ended(struct sonde_job *job, struct sonde_death *single, int status);
/* Ends a job, with the worker that it may have. */
void sonde_job_stop(struct sonde_job *job);

#endif
