/* See pool.h. */
#include "exec/pool.h"

#include "base/die.h"
#include "base/mem.h"

#include <string.h>

void sonde_pool_add(struct sonde_pool *pool, struct sonde_heap *heap, void *(*make)(struct sonde_pool *pool))
{
    struct sonde_heap *before = sonde_heap_use(heap);
    pool->jobs[pool->n] = (struct sonde_job){.heap = heap};
    pool->jobs[pool->n].of = make(pool);
    pool->n++;
    sonde_heap_use(before);
}

void sonde_pool_each(struct sonde_pool *pool, void (*what)(struct sonde_pool *pool, struct sonde_job *job))
{
    for (unsigned i = 0; i < pool->n; i++) {
        struct sonde_heap *before = sonde_heap_use(pool->jobs[i].heap);
        what(pool, &pool->jobs[i]);
        sonde_heap_use(before);
    }
}

void sonde_pool_stop(struct sonde_job *job)
{
    sonde_worker_stop(&job->worker);
    job->paused = false;
    job->over = true;
}

/* Inside its heap. */
static void start(struct sonde_pool *pool, struct sonde_job *job)
{
    pool->ops->begin(pool, job);
    int status = sonde_worker_start(&job->worker, SONDE_OUTPUT_DROP, -1, pool->ops->work, job->of);
    if (status == 0) return;
    sonde_warn("no worker process could be started (%s); the property runs without isolation", strerror(-status));
    pool->ops->work(job->of);
    job->over = true;
}

static void prepare(struct sonde_pool *pool, struct sonde_job *job)
{
    pool->ops->prepare(pool, job);
    sonde_heap_check(job->heap);
    job->worker.death = sonde_calloc(1, sizeof *job->worker.death);
    job->worker.death->bell = pool->bell;
    start(pool, job);
}

/* The worker has ended; inside its heap. */
static void go_on(struct sonde_pool *pool, struct sonde_job *job, int status)
{
    if (job->worker.death->asked) sonde_heap_check(job->heap);
    enum sonde_job_next next = pool->ops->ended(pool, job, status);
    job->over = next == SONDE_JOB_IS_OVER;
    job->paused = next == SONDE_JOB_PAUSES;
    if (next == SONDE_JOB_GOES_ON) start(pool, job);
}

static void idle(struct sonde_pool *pool, struct sonde_job *job)
{
    if (!job->over && !job->paused) return;
    bool goes_on = pool->ops->idle(pool, job);
    if (!job->paused || !goes_on) return;
    job->paused = false;
    start(pool, job);
}

static bool all_over(const struct sonde_pool *pool)
{
    for (unsigned i = 0; i < pool->n; i++)
        if (!pool->jobs[i].over) return false;
    return true;
}

/* True if a worker had ended. */
static bool tend_all(struct sonde_pool *pool)
{
    bool ended = false;
    for (unsigned i = 0; i < pool->n; i++) {
        struct sonde_job *job = &pool->jobs[i];
        int status;
        if (job->over || job->paused) continue;
        pool->ops->tend(pool, job);
        if (sonde_worker_poll(&job->worker, &status)) {
            ended = true;
            struct sonde_heap *before = sonde_heap_use(job->heap);
            go_on(pool, job, status);
            sonde_heap_use(before);
        }
        pool->ops->look(pool, job);
    }
    return ended;
}

void sonde_pool_run(struct sonde_pool *pool)
{
    const double longest_wait = 0.02;
    struct sonde_heap *before = sonde_heap_use(NULL); /* the heaps are the workers' */
    sonde_pool_each(pool, prepare);
    while (!all_over(pool)) {
        unsigned seen = atomic_load(pool->bell);
        pool->ops->round(pool);
        bool ended = tend_all(pool);
        sonde_pool_each(pool, idle);
        if (!ended) sonde_bell_wait(pool->bell, seen, longest_wait);
    }
    sonde_heap_use(before);
}
