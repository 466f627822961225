/* See supervise.h. One thread, one loop: each round checks every worker, then reads the events from the searches.
 * Nothing here waits for one worker in particular, so a worker that hangs delays no other.
 *
 * Members that both sides use while a worker runs (asked, n_found, snapshot) are atomic. Everything else of a search
 * belongs to the worker while it runs, and to the supervisor when it has ended. */
#include "engine/workers/supervise.h"

#include "base/heap.h"
#include "base/mem.h"
#include "base/process.h"
#include "engine/search/loop.h"
#include "engine/workers/culprit.h"
#include "engine/workers/job.h"
#include "exec/interrupt.h"

#include <math.h>

enum {
    JOBS_MAX = 64, /* maximum number of searches side by side */
    /* maximum number of shares of a guide's parts; those shown are from the first search, which represents all */
    SHARES_MAX = 16
};

/* The state of the watch. */
enum stage { SEARCHING, ENDING, RUNNING_AGAIN, OVER };

struct sonde_watch {
    struct sonde_single *single;
    const struct sonde_outbox *post;
    struct sonde_job jobs[JOBS_MAX];
    unsigned n;
    enum stage stage;
    unsigned n_ended;            /* number of jobs whose end has been reported */
    double told, asked, glanced; /* when progress was last reported, a snapshot requested, notebooks read */
    unsigned n_asked;            /* snapshots requested */
    double interrupted;          /* when Ctrl-C was first seen; 0: not yet */
    unsigned bell;               /* value of the bell before the last round */
    bool may_wait;               /* no worker has ended in the last round */
    bool is_turn;                /* a round has been made whose event has not been reported yet */
    struct sonde_search *ready;  /* the search whose snapshot the caller is reading; NULL: none */
    struct sonde_stats stats;    /* this member and the following ones: the progress last reported to the caller */
    struct sonde_outlook outlook;
    struct sonde_share shares[SHARES_MAX];
    struct sonde_notebook *notebook;
};

/* Not in shared memory: the handler of a fault (engine.c: rescue_tape) reads it, and must not follow pointers of a
 * damaged heap. */
static struct sonde_search *last_checked;

struct sonde_search *sonde_supervise_last_checked(void)
{
    return last_checked;
}

void sonde_supervise_set_last_checked(struct sonde_search *search)
{
    last_checked = search;
}

size_t sonde_supervise_room(const struct sonde_options *o)
{
    /* The size is generous, because untouched pages cost nothing. It is the sum of three parts. Guides get four times
     * what they may use, because freed blocks are reused only for their own size class (base/heap.c). The longest cases
     * get `choice` bytes for each choice. A gigabyte is for everything else. */
    static const size_t rest = (size_t)1 << 30, choice = 8192;
    return (size_t)o->memory * 4 + rest + (size_t)o->max_choices * choice;
}

static struct sonde_search *first_of(const struct sonde_watch *w)
{
    return w->single->search;
}

/* ---- Requests, which a worker reads between two cases */

/* Asks all workers to stop, except those that were asked before. 0 means no request, so 1 is added to the reason. */
static void stop_all(const struct sonde_watch *w, enum sonde_stop why)
{
    for (unsigned i = 0; i < w->n; i++) {
        atomic_int *request = &w->jobs[i].search->asked.stop;
        if (!atomic_load_explicit(request, memory_order_relaxed))
            atomic_store_explicit(request, 1 + (int)why, memory_order_relaxed);
    }
}

/* Stops the other searches after one has ended by a failure, an error or an exhausted input space. Limits stop only the
 * search that reached them, because each search has separate limits. */
static void stop_others(const struct sonde_watch *w, enum sonde_stop why)
{
    if (why == SONDE_STOP_FOUND || why == SONDE_STOP_ERROR || why == SONDE_STOP_EXHAUSTED) stop_all(w, why);
}

/* Returns whether no search finds anything new. One that still does keeps the others running, because they share what
 * it finds. */
static bool all_flat(const struct sonde_watch *w)
{
    double now = sonde_clock_now();
    for (unsigned i = 0; i < w->n; i++)
        if (!sonde_search_is_flat(w->jobs[i].search, now)) return false;
    return true;
}

/* Stops all searches after Ctrl-C: running cases get some time to end, then their workers are killed. */
static void stop_on_interrupt(struct sonde_watch *w)
{
    const double grace = 0.5; /* seconds */
    if (w->interrupted == 0) w->interrupted = sonde_clock_now();
    stop_all(w, SONDE_STOP_INTERRUPTED);
    for (unsigned i = 0; i < w->n && sonde_clock_now() - w->interrupted > grace; i++) {
        struct sonde_search *s = w->jobs[i].search;
        if (w->jobs[i].over) continue;
        sonde_job_stop(&w->jobs[i]);
        /* the worker was killed in sonde's own code, so data to be kept may be half written */
        if (!s->t->owner) s->is_torn = true;
        s->stopped = SONDE_STOP_INTERRUPTED;
    }
}

/* Requests a snapshot of what is worth keeping, now and then. The worker writes it between two cases. */
static void ask_for_snapshots(struct sonde_watch *w)
{
    double seconds = 5; /* seconds between snapshots of a long search: the most that a kill can lose */
    /* the first snapshots come sooner, because other runs wait for them */
    if (w->post && w->n_asked < (unsigned)seconds) seconds = 1 + w->n_asked;
    if (sonde_clock_now() - w->asked <= seconds) return;
    w->asked = sonde_clock_now();
    w->n_asked++;
    for (unsigned i = 0; i < w->n; i++) {
        struct sonde_job *job = &w->jobs[i];
        if (!job->over && !job->paused && !job->search->is_torn) sonde_snapshot_ask(&job->search->snapshot);
    }
}

/* Asks workers to read the clock if their last reading is long ago. A search may come to inputs that take 1,000 times
 * as long as those before. */
static void ask_for_looks(const struct sonde_watch *w)
{
    const double long_ago = 0.1;
    double now = sonde_clock_now();
    for (unsigned i = 0; i < w->n; i++) {
        struct sonde_search *s = w->jobs[i].search;
        if (w->jobs[i].over || w->jobs[i].paused || now - s->pace.clock_last < long_ago) continue;
        atomic_store_explicit(&s->asked.look, true, memory_order_relaxed);
    }
}

/* ---- Failures that are handled while the search runs. Single cases run in the memory of the first search, so its
 * worker must have left the loop; the other searches continue. */

/* Returns the next failure that is due, and its search in *search; NULL: none is. */
static struct sonde_found *next_due(const struct sonde_watch *w, struct sonde_search **search)
{
    for (unsigned i = 0; i < w->n; i++) {
        *search = w->jobs[i].search;
        for (uint32_t k = 0, n = sonde_damage_count(*search); k < n; k++) {
            struct sonde_found *f = sonde_damage_at(*search, k);
            if (!f->is_due || f->is_handled) continue;
            sonde_damage_check_found(f, false);
            return f;
        }
    }
    return NULL;
}

/* Asks the first search to pause when a failure is due. */
static void ask_for_pause(const struct sonde_watch *w)
{
    struct sonde_search *s = first_of(w), *due;
    if (w->jobs[0].paused || w->jobs[0].over) return;
    bool is_ending = sonde_interrupted() || atomic_load_explicit(&s->asked.stop, memory_order_relaxed);
    /* failures that are due at the end of the search are handled anyway */
    bool pauses = !is_ending && next_due(w, &due);
    atomic_store_explicit(&s->asked.pause, pauses, memory_order_relaxed);
}

/* Starts the first search again after a pause. Stops the worker of single cases before, because the worker of the
 * search will use the same memory. */
static void start_first(struct sonde_watch *w)
{
    struct sonde_search *s = first_of(w);
    sonde_runner_stop(&w->single->runner);
    atomic_store_explicit(&s->asked.pause, false, memory_order_relaxed);
    /* Shrinking took time in which nothing new could be found. */
    s->news_at = sonde_clock_now();
    w->jobs[0].paused = false;
    struct sonde_heap *before = sonde_single_enter(s);
    sonde_job_start(&w->jobs[0]);
    sonde_single_leave(before);
}

/* ---- A round */

static bool all_over(const struct sonde_watch *w)
{
    for (unsigned i = 0; i < w->n; i++)
        if (!w->jobs[i].over) return false;
    return true;
}

/* Checks one worker; returns true if it had ended. */
static bool check_worker(struct sonde_watch *w, struct sonde_job *job)
{
    int status;
    last_checked = job->search;
    bool has_ended = sonde_worker_poll(&job->worker, &status);
    if (has_ended) {
        struct sonde_heap *before = sonde_single_enter(job->search);
        sonde_job_ended(job, w->single->death, status);
        sonde_single_leave(before);
    }
    if (job->worker.pid && sonde_interrupt_sent(job->worker.pid))
        atomic_store_explicit(&job->search->asked.sender, true, memory_order_relaxed);
    if (job->over) stop_others(w, job->search->stopped);
    return has_ended;
}

/* Waits for news, then checks all workers. Reads the bell before anything is checked, so that a later ring ends the
 * wait before the next round at once. */
static void make_round(struct sonde_watch *w)
{
    /* Time limits are checked at least this often, even if no worker rings. */
    const double longest_wait = 0.02;
    if (w->may_wait) sonde_bell_wait(w->single->bell, w->bell, longest_wait);
    w->bell = atomic_load(w->single->bell);
    w->may_wait = w->is_turn = true;
    if (w->jobs[0].paused) start_first(w); /* the failure that was due has been handled */
    ask_for_snapshots(w);
    ask_for_looks(w);
    if (sonde_interrupted()) stop_on_interrupt(w);
    else if (all_flat(w)) stop_all(w, SONDE_STOP_FLAT);
    for (unsigned i = 0; i < w->n; i++) {
        struct sonde_job *job = &w->jobs[i];
        if (!job->over && !job->paused && check_worker(w, job)) w->may_wait = false;
    }
    ask_for_pause(w);
}

/* ---- Events */

static bool all_have_read(const struct sonde_watch *w)
{
    for (unsigned i = 0; i < w->n; i++)
        if (!w->jobs[i].over && !sonde_sharing_has_read(&w->jobs[i].search->sharing, w->post)) return false;
    return true;
}

static bool find_turn(struct sonde_watch *w, struct sonde_happening *h)
{
    if (!w->is_turn) return false;
    w->is_turn = false;
    *h = (struct sonde_happening){.kind = SONDE_HAPPENED_TURN, .has_read = all_have_read(w)};
    return true;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Reads the notebooks of all jobs, about once a second. */
static void glance(struct sonde_watch *w)
{
    const struct sonde_search *first = first_of(w);
    if (!first->notebook || sonde_clock_now() - w->glanced < 1) return;
    w->glanced = sonde_clock_now();
    w->notebook = sonde_notebook_create();
    for (unsigned i = 0; i < w->n; i++)
        w->outlook.insight = sonde_notebook_glance(w->notebook, w->jobs[i].search->notebook, &first->labels);
}

/* Reads counters while workers write them: each is one word, and a sum that is a few cases old does no harm. */
static void add_up(struct sonde_watch *w, double now)
{
    struct sonde_stats sum = {0};
    struct sonde_outlook outlook = {.quiet_seconds = INFINITY, .shares = w->shares};
    for (unsigned i = 0; i < w->n; i++) {
        const struct sonde_search *s = w->jobs[i].search;
        sum.tests += s->stats.tests;
        sum.valid += s->stats.valid;
        sum.discarded += s->stats.discarded;
        sum.overruns += s->stats.overruns;
        sum.rerun += s->stats.rerun;
        sum.choices += s->stats.choices;
        /* Several jobs may count the same input; at the end the sets are merged. */
        sum.unique_valid += sonde_unique_about(&s->judge.unique);
        sum.unique_estimated |= w->n > 1 || s->judge.unique.registers || s->judge.unique.lost > 0;
        outlook.places = larger(outlook.places, sonde_search_places(s, false));
        outlook.valid_places = larger(outlook.valid_places, sonde_search_places(s, true));
        outlook.corpus += s->saved.n;
        if (now - s->news_at < outlook.quiet_seconds) outlook.quiet_seconds = now - s->news_at;
    }
    if (sum.unique_valid > sum.valid) sum.unique_valid = sum.valid;
    const struct sonde_search *first = first_of(w);
    const struct sonde_guide_ops *ops = first->guide->ops;
    outlook.guide = ops->name;
    outlook.next_is_new = sonde_species_chance_of_new(&first->judge.traces);
    if (ops->shares) outlook.n_shares = ops->shares(first->guide, w->shares, SHARES_MAX);
    sum.seconds = now - first->started;
    w->stats = sum;
    w->outlook = outlook;
}

static bool find_progress(struct sonde_watch *w, struct sonde_happening *h)
{
    const double seconds = 0.1; /* between two events: a display need not change more often */
    double now = sonde_clock_now();
    if (now - w->told < seconds) return false;
    w->told = now;
    add_up(w, now);
    glance(w);
    *h = (struct sonde_happening){.kind = SONDE_HAPPENED_PROGRESS, .stats = &w->stats, .outlook = &w->outlook};
    return true;
}

/* Makes an event of the next failure that was not told yet; returns false if there is none. The acquire in
 * sonde_damage_count pairs with the worker's release of n_found: all entries below that number are complete. */
static bool find_failure(const struct sonde_watch *w, struct sonde_happening *h)
{
    for (unsigned i = 0; i < w->n; i++) {
        struct sonde_search *s = w->jobs[i].search;
        for (uint32_t k = 0, n = sonde_damage_count(s); k < n; k++) {
            struct sonde_found *f = sonde_damage_at(s, k);
            if (f->told) continue;
            sonde_damage_check_found(f, false);
            f->told = true;
            *h = (struct sonde_happening){.kind = SONDE_HAPPENED_FOUND, .search = s, .found = f};
            return true;
        }
    }
    return false;
}

static bool find_snapshot(struct sonde_watch *w, struct sonde_happening *h)
{
    for (unsigned i = 0; i < w->n; i++) {
        struct sonde_search *s = w->jobs[i].search;
        if (s->is_torn || !sonde_snapshot_is_ready(&s->snapshot)) continue;
        w->ready = s;
        *h = (struct sonde_happening){.kind = SONDE_HAPPENED_SNAPSHOT, .search = s};
        return true;
    }
    return false;
}

/* Makes an event of a failure that is due, once the first search has paused. Another job has a separate table of
 * labels; ids are hashes, so they agree. */
static bool find_due(const struct sonde_watch *w, struct sonde_happening *h)
{
    struct sonde_search *s;
    bool is_idle = w->jobs[0].paused || w->jobs[0].over;
    struct sonde_found *f = is_idle && !sonde_interrupted() ? next_due(w, &s) : NULL;
    if (!f) return false;
    sonde_assert(!w->jobs[0].worker.pid); /* single cases run in the memory of job 0, so it must not have a worker */
    f->is_handled = true;
    struct sonde_heap *before = sonde_single_enter(first_of(w));
    sonde_labels_take(&first_of(w)->labels, &s->labels);
    sonde_single_leave(before);
    *h = (struct sonde_happening){.kind = SONDE_HAPPENED_DUE, .search = s, .found = f};
    return true;
}

static bool find_end(struct sonde_watch *w, struct sonde_happening *h)
{
    if (w->n_ended == w->n) return false;
    struct sonde_search *s = w->jobs[w->n_ended++].search;
    sonde_assert(!w->jobs[w->n_ended - 1].worker.pid);
    struct sonde_heap *before = sonde_single_enter(s);
    if (s->notebook && !s->is_torn) sonde_search_note_saved(s);
    sonde_single_leave(before);
    *h = (struct sonde_happening){.kind = SONDE_HAPPENED_END, .search = s};
    return true;
}

static bool find_event(struct sonde_watch *w, struct sonde_happening *h)
{
    switch (w->stage) {
    case SEARCHING:
    case RUNNING_AGAIN:
        return w->single->isolated
               && (find_turn(w, h) || find_progress(w, h) || find_failure(w, h) || find_snapshot(w, h)
                   || find_due(w, h));
    case ENDING: return find_end(w, h);
    case OVER: break;
    }
    return false;
}

/* Releases what the last event gave to the caller, which has handled the event. */
static void release_event(struct sonde_watch *w)
{
    if (w->ready) sonde_snapshot_release(&w->ready->snapshot);
    w->ready = NULL;
    sonde_notebook_free(w->notebook);
    w->notebook = NULL;
}

/* ---- Starting and ending the searches */

/* Adds a further search, in its own heap, with the options of the first. */
static void add_search(struct sonde_watch *w, struct sonde_heap *heap)
{
    const struct sonde_search *first = first_of(w);
    const sonde_property *property = first->spawn ? sonde_spawn_property(first->spawn) : first->property;
    struct sonde_heap *before = sonde_single_enter(heap);
    struct sonde_search *s = sonde_malloc(sizeof *s);
    sonde_search_init(s, property, first->options, w->n);
    if (first->legacy) sonde_search_inherit(s, first->legacy);
    s->spawn = first->spawn;
    sonde_single_leave(before);
    w->jobs[w->n++].search = s;
}

static void add_searches(struct sonde_watch *w)
{
    const struct sonde_search *first = first_of(w);
    unsigned wanted = sonde_search_jobs(first->options);
    size_t room = sonde_supervise_room(first->options);
    while (w->n < wanted && w->n < JOBS_MAX) {
        struct sonde_heap *heap = first->spawn ? sonde_spawn_heap(first->spawn, room) : sonde_heap_create(room);
        if (!heap) return;
        add_search(w, heap);
    }
}

/* Connects the searches and starts their workers. Each job's table of the others is in the heap of that job. */
static void start_jobs(struct sonde_watch *w)
{
    struct sonde_sharing *all[JOBS_MAX];
    for (unsigned i = 0; i < w->n; i++) all[i] = &w->jobs[i].search->sharing;
    for (unsigned i = 0; i < w->n; i++) {
        struct sonde_search *s = w->jobs[i].search;
        struct sonde_heap *before = sonde_single_enter(s);
        sonde_sharing_connect(&s->sharing, all, w->n);
        if (w->post) sonde_sharing_listen(&s->sharing, w->post);
        sonde_job_prepare(&w->jobs[i], w->single->bell);
        sonde_job_start(&w->jobs[i]);
        sonde_single_leave(before);
    }
}

struct sonde_watch *sonde_supervise_begin(struct sonde_single *single, const struct sonde_outbox *post)
{
    struct sonde_watch *w = sonde_calloc(1, sizeof *w);
    w->single = single;
    w->post = post;
    w->jobs[w->n++].search = last_checked = single->search;
    w->told = w->asked = sonde_clock_now();
    if (!single->isolated) return w;
    add_searches(w);
    start_jobs(w);
    return w;
}

static void search_here(const struct sonde_watch *w)
{
    struct sonde_search *s = first_of(w);
    sonde_search_run(s);
    while (s->left.leak_suspected || (s->left.child_of && !sonde_search_is_over(s))) {
        if (s->left.child_of) sonde_culprit_forked_here(w->single);
        else sonde_culprit_leaks_here(w->single);
        sonde_search_run(s);
    }
    if (s->left.child_of) sonde_culprit_forked_here(w->single); /* a child of the last cases may have returned */
}

/* Merges all searches into the first one. */
static void merge_all(struct sonde_watch *w)
{
    struct sonde_search *first = first_of(w);
    last_checked = first;
    for (unsigned i = 1; i < w->n; i++) {
        struct sonde_search *s = w->jobs[i].search;
        sonde_assert(w->jobs[i].over && !w->jobs[i].worker.pid && w->n_ended == w->n);
        sonde_damage_check(s);
        struct sonde_heap *before = sonde_single_enter(first);
        sonde_search_merge(first, s);
        sonde_single_leave(before);
        sonde_heap_destroy(sonde_heap_of(s));
    }
    w->n = 1;
    if (first->spawn) first->spawn->n_heaps = 1;
}

/* Runs the inputs again, in a worker that has run none of them, before the report states that all inputs hold. One job
 * only: that statement needs one order of the inputs. If the rerun shows that the property is not deterministic, the
 * worker continues the search. */
static enum stage run_again(struct sonde_watch *w)
{
    struct sonde_search *s = first_of(w);
    struct sonde_sharing *alone = &s->sharing;
    if (!sonde_search_rerun(s)) return OVER;
    if (!w->single->isolated) {
        sonde_search_run(s);
        return OVER;
    }
    w->jobs[0] = (struct sonde_job){.search = s};
    struct sonde_heap *before = sonde_single_enter(s);
    sonde_job_prepare(&w->jobs[0], w->single->bell);
    sonde_sharing_connect(&s->sharing, &alone, 1); /* the other jobs are gone, and the search may continue */
    sonde_single_leave(before);
    start_first(w);
    return RUNNING_AGAIN;
}

static void advance(struct sonde_watch *w)
{
    switch (w->stage) {
    case SEARCHING:
        if (!w->single->isolated) search_here(w);
        if (!w->single->isolated || all_over(w)) w->stage = ENDING;
        else make_round(w);
        break;
    case ENDING:
        merge_all(w);
        w->stage = run_again(w);
        break;
    case RUNNING_AGAIN:
        if (all_over(w)) w->stage = OVER;
        else make_round(w);
        break;
    case OVER: break;
    }
}

bool sonde_supervise_next(struct sonde_watch *w, struct sonde_happening *h)
{
    sonde_assert(!sonde_heap_current()); /* while workers run, only they may use the heaps */
    release_event(w);
    while (!find_event(w, h)) {
        if (w->stage == OVER) return false;
        advance(w);
    }
    return true;
}

void sonde_supervise_end(struct sonde_watch *w)
{
    sonde_free(w);
}

void sonde_supervise_take_snapshot(struct sonde_search *s)
{
    struct sonde_heap *before = sonde_single_enter(s);
    sonde_search_take_snapshot(s);
    sonde_single_leave(before);
}
