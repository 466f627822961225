/* A crew: jobs that workers do side by side, each in a heap of its own. It knows jobs and deaths: it starts the workers, waits for
 * what they do, and calls its owner when one has ended. What a job is about, the owner alone knows.
 *
 * A heap belongs to the worker while there is one, and else to this process. So the calls of the owner that may touch what the job
 * owns are made inside its heap (sonde_malloc takes from there), when it has no worker; all others are made outside of every shared
 * heap, where what is allocated is the C library's. */
#ifndef SONDE_EXEC_CREW_H
#define SONDE_EXEC_CREW_H

#include "base/heap.h"
#include "exec/worker.h"

enum { SONDE_CREW_MAX = 64 };

struct sonde_job {
    struct sonde_heap *heap; /* what it owns lies there */
    void *of;                /* what it is about: the owner's, in that heap */
    struct sonde_worker worker;
    bool over;
    bool paused;        /* it has no worker, but will go on */
    unsigned stillborn; /* workers in a row that did not come to a case; counted by the owner */
};

/* What becomes of a job whose worker has ended. */
enum sonde_job_next { SONDE_JOB_GOES_ON, SONDE_JOB_PAUSES, SONDE_JOB_IS_OVER };

struct sonde_crew;
struct sonde_crew_ops {
    /* ---- Inside the job's heap. */
    /* Once, before its first worker: fills in how it is watched. */
    void (*prepare)(struct sonde_crew *crew, struct sonde_job *job);
    /* Before each worker. */
    void (*begin)(struct sonde_crew *crew, struct sonde_job *job);
    /* The worker has ended, with that status. */
    enum sonde_job_next (*ended)(struct sonde_crew *crew, struct sonde_job *job, int status);
    /* Once a round, for a job that pauses or is over: true if one that pauses is to go on. */
    bool (*idle)(struct sonde_crew *crew, struct sonde_job *job);
    /* ---- Outside of every heap. */
    /* In the worker, inside the heap of the job; or here in the same way, if no worker can be started. */
    void (*work)(void *of);
    /* Once a round, before workers are looked at; */
    void (*round)(struct sonde_crew *crew);
    /* and for each job, before its worker is polled, and after it (whether it is still at work or not). */
    void (*tend)(struct sonde_crew *crew, struct sonde_job *job);
    void (*look)(struct sonde_crew *crew, struct sonde_job *job);
};

struct sonde_crew {
    const struct sonde_crew_ops *ops;
    struct sonde_job jobs[SONDE_CREW_MAX];
    unsigned n;
    atomic_uint *bell; /* rung by everything that a worker does */
    void *user;
};

/* A further job, about what `make` makes inside the heap. */
void sonde_crew_add(struct sonde_crew *crew, struct sonde_heap *heap, void *(*make)(struct sonde_crew *crew));
/* Calls `what` for each job, inside its heap; no worker may be at work. */
void sonde_crew_each(struct sonde_crew *crew, void (*what)(struct sonde_crew *crew, struct sonde_job *job));
/* Until all are over. */
void sonde_crew_run(struct sonde_crew *crew);
/* Ends a job, with the worker that it may have. */
void sonde_crew_stop(struct sonde_job *job);

#endif
