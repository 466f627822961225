/* See crew.h. One thread, one loop: read the bell, look at every worker, let the owner act, sleep until
 * the bell rings. Nothing here waits for a worker in particular, so one that hangs delays nobody. */
#include "engine/workers/crew.h"

#include "base/die.h"
#include "base/mem.h"
#include "base/process.h"

#include <string.h>

void sonde_crew_add(struct sonde_crew *crew, struct sonde_heap *heap, void *(*make)(struct sonde_crew *crew))
{
    sonde_assert(crew->n < SONDE_CREW_MAX);
    struct sonde_heap *before = sonde_heap_use(heap);
    crew->jobs[crew->n] = (struct sonde_job){.heap = heap};
    crew->jobs[crew->n].of = make(crew);
    crew->n++;
    sonde_heap_use(before);
}

void sonde_crew_each(struct sonde_crew *crew, void (*what)(struct sonde_crew *crew, struct sonde_job *job))
{
    for (unsigned i = 0; i < crew->n; i++) {
        struct sonde_heap *before = sonde_heap_use(crew->jobs[i].heap);
        what(crew, &crew->jobs[i]);
        sonde_heap_use(before);
    }
}

void sonde_crew_stop(struct sonde_job *job)
{
    sonde_worker_stop(&job->worker);
    job->paused = false;
    job->over = true;
}

/* Inside its heap. */
static void start(struct sonde_crew *crew, struct sonde_job *job)
{
    sonde_assert(sonde_heap_current() == job->heap && !job->over && !job->paused);
    crew->ops->begin(crew, job);
    /* What the code under test prints during a search is dropped unless the user wants to see it; a
     * failure is run again to show its output. */
    int status = sonde_worker_start(&job->worker, job->worker.output, -1, crew->ops->work, job->of);
    if (status == 0) return;
    sonde_warn("no worker process could be started (%s); the property runs without isolation", strerror(-status));
    /* In this process: a crash then ends the run, which is better than no run, and the warning has said
     * so. */
    crew->ops->work(job->of);
    job->over = true;
}

static void prepare(struct sonde_crew *crew, struct sonde_job *job)
{
    crew->ops->prepare(crew, job);
    sonde_heap_check(job->heap);
    job->worker.death = sonde_calloc(1, sizeof *job->worker.death);
    job->worker.death->bell = crew->bell;
    start(crew, job);
}

/* The worker has ended; inside its heap. */
static void go_on(struct sonde_crew *crew, struct sonde_job *job, int status)
{
    /* Only after an orderly end: a worker that died may have left the heap half written by the code
     * under test, and the check would blame sonde. */
    if (job->worker.death->asked) sonde_heap_check(job->heap);
    enum sonde_job_next next = crew->ops->ended(crew, job, status);
    job->over = next == SONDE_JOB_IS_OVER;
    job->paused = next == SONDE_JOB_PAUSES;
    if (next == SONDE_JOB_GOES_ON) start(crew, job);
}

static void idle(struct sonde_crew *crew, struct sonde_job *job)
{
    if (!job->over && !job->paused) return;
    bool goes_on = crew->ops->idle(crew, job);
    if (!job->paused || !goes_on) return;
    job->paused = false;
    start(crew, job);
}

static bool all_over(const struct sonde_crew *crew)
{
    for (unsigned i = 0; i < crew->n; i++)
        if (!crew->jobs[i].over) return false;
    return true;
}

/* True if a worker had ended. */
static bool tend_all(struct sonde_crew *crew)
{
    bool ended = false;
    for (unsigned i = 0; i < crew->n; i++) {
        struct sonde_job *job = &crew->jobs[i];
        int status;
        if (job->over || job->paused) continue;
        crew->ops->tend(crew, job);
        if (sonde_worker_poll(&job->worker, &status)) {
            ended = true;
            struct sonde_heap *before = sonde_heap_use(job->heap);
            go_on(crew, job, status);
            sonde_heap_use(before);
        }
        crew->ops->look(crew, job);
    }
    return ended;
}

/* The bell is read before anybody is looked at: what rings it afterwards ends the wait at once. */
void sonde_crew_run(struct sonde_crew *crew)
{
    /* Limits of time are looked at as often as this, also when nobody rings. */
    const double longest_wait = 0.02;
    struct sonde_heap *before = sonde_heap_use(NULL); /* the heaps are the workers' */
    sonde_crew_each(crew, prepare);
    while (!all_over(crew)) {
        unsigned seen = atomic_load(crew->bell);
        crew->ops->round(crew);
        bool ended = tend_all(crew);
        sonde_crew_each(crew, idle);
        if (!ended) sonde_bell_wait(crew->bell, seen, longest_wait);
    }
    sonde_heap_use(before);
}
