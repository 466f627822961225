/* A job: one search and the worker that runs it. job.c handles the end of a worker; supervise.c coordinates several
 * jobs.
 *
 * A search and all that it knows are in a heap shared with its worker. While there is a worker, only the worker may
 * use the heap; otherwise only this process may. When the worker dies, the failure is read from that heap, and a new
 * worker continues with the next case. So all of these functions except sonde_job_stop are called inside the heap
 * (single.h), while it has no worker. */
#ifndef SONDE_ENGINE_JOB_H
#define SONDE_ENGINE_JOB_H

#include "engine/workers/single.h"

/* A search with its worker. */
struct sonde_job {
    struct sonde_search *search;
    struct sonde_worker worker;
    bool over;
    bool paused;            /* the job has no worker now, but will get one again */
    unsigned failed_starts; /* number of workers in a row that died before their first case */
};

/* Fills in the settings of the job's workers; called before the first one starts. The end of a worker rings the
 * bell. */
void sonde_job_prepare(struct sonde_job *job, atomic_uint *bell);
/* Starts a worker. If no worker can be started, runs the search in this process; then the job is over. */
void sonde_job_start(struct sonde_job *job);
/* Handles the end of the worker, which had that wait status. Starts another one, unless the job is paused or over.
 * `single` records how workers that run cases again have died. */
void sonde_job_ended(struct sonde_job *job, struct sonde_death *single, int status);
/* Ends a job, and its worker if it has one. */
void sonde_job_stop(struct sonde_job *job);

#endif
