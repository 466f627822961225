/* See supervise.h. A search and all it knows live in a heap shared with its worker; when the worker dies, the failure
 * is read off that heap and a new worker goes on where the old one fell.
 *
 * Runs in the supervisor, except search_job, which is all that a worker executes. crew.c owns processes
 * and waiting; this file says what a search wants of each step. What both sides write (asked, n_found,
 * snapshot) is atomic; everything else of a search is the worker's while it runs and the supervisor's
 * when it has ended. */
#include "engine/workers/supervise.h"

#include "base/mem.h"
#include "base/process.h"
#include "engine/search/account.h"
#include "engine/search/loop.h"
#include "engine/search/search.h"
#include "engine/workers/crew.h"
#include "engine/workers/culprit.h"
#include "exec/exec.h"
#include "exec/family.h"
#include "exec/interrupt.h"
#include "program/sanitizer.h"

#include <math.h>

/* Not in shared memory. Read by the handler of a fault (engine.c: rescue_tape), which must not follow
 * pointers of a damaged heap. */
static struct {
    struct sonde_search *search;
    struct sonde_heap *heap;
} tended;

struct sonde_search *sonde_supervise_tended(struct sonde_heap **heap)
{
    *heap = tended.heap;
    return tended.search;
}

void sonde_supervise_tend(struct sonde_search *search)
{
    tended.search = search;
    tended.heap = sonde_heap_current();
}

size_t sonde_supervise_room(const struct sonde_options *o)
{
    /* Generous, because untouched pages cost nothing: four times what guides may use (freed blocks serve only their own class,
     * base/heap.c), a gigabyte for the rest, and what cases may record at their longest. */
    static const size_t rest = (size_t)1 << 30, choice = 8192;
    return (size_t)o->memory * 4 + rest + (size_t)o->max_choices * choice;
}

/* The owner of the crew. */
struct watch {
    struct sonde_single *single;
    const struct sonde_watchers *watchers;
    double told, asked, glanced; /* when progress was told, a snapshot asked for, notebooks looked at */
    unsigned n_asked;            /* snapshots */
    bool asks;                   /* in this round */
    double interrupted;          /* since when; 0: it is not */
};

static struct watch *watch_of(const struct sonde_crew *crew)
{
    return crew->user;
}

static struct sonde_search *search_of(const struct sonde_job *job)
{
    return job->of;
}

/* ---- Each case in a process of its own: the worker of the search is the supervisor of a worker that runs one case.
 *
 *     supervisor  --starts-->  worker of the search  --starts-->  a worker for each case
 *                              guides, corpus, counts             the property, then its end
 *
 * The case is in memory that all three share. A guide is asked in the process of the case, whose answers are
 * seen by the worker of the search because the guide lies in shared memory, too.
 *
 * Three processes: the supervisor, the worker of the search, and a worker for each case,
 * which is forked from the second (or spawned) and dies with its case. The middle one does for a case
 * what the supervisor does for a worker: wait, bury, claim. */

/* What a process is to run. */
struct errand {
    struct sonde_search *search;
    struct sonde_guide *guide;
    const struct sonde_tape *script;
};

/* A process that runs one case knows which one leaks. It runs it twice, for the reason that exec/worker.c gives. */
static void check_for_leak(struct sonde_search *s)
{
    struct sonde_tape again;
    if (!s->leaks.is_each || s->t->verdict != SONDE_VALID) return;
    sonde_tape_init(&again);
    sonde_tape_end(&s->t->tape);
    sonde_tape_copy(&again, &s->t->tape);
    sonde_exec_inline(s->t, s->property, s->simplest, &again);
    if (s->t->verdict == SONDE_VALID && sonde_leaks_are_there()) sonde_case_leaks(s->t);
    sonde_tape_clear(&again);
}

/* A forked case inherits what worker_setup did. */
static void case_job(void *arg)
{
    const double patience = 1; /* with children that may come back */
    struct errand *e = arg;
    const struct sonde_spawn *spawn = e->search->case_worker->spawn;
    bool is_alone = spawn && !spawn->is_off;
    struct sonde_threads threads;
    /* A spawned process has inherited nothing, so it must set up for itself. */
    if (is_alone) sonde_exec_worker_setup(e->search->property);
    sonde_threads_begin(&threads);
    sonde_search_execute(e->search, e->guide, e->script); /* what was covered is left in shared memory */
    sonde_exec_await_children(e->search->t, patience);
    check_for_leak(e->search);
    if (sonde_threads_ran(&threads)) e->search->has_threads = true;
    if (is_alone) sonde_exec_worker_teardown(e->search->property);
}

static void run_errand(struct sonde_search *s, struct errand *errand)
{
    struct sonde_worker *w = s->case_worker;
    sonde_case_renew(s->t);
    int status = 0;
    /* No process to be had (a limit of the user's, for instance): the case runs here rather than not at
     * all. */
    if (sonde_worker_start(w, w->output, -1, case_job, errand) < 0) {
        sonde_search_execute(s, errand->guide, errand->script);
        return;
    }
    /* The value of the bell is read before the wait, so that a ring in between is not missed (futex). */
    while (!sonde_worker_wait(w, atomic_load(w->death->bell), &status)) continue;
    if (!w->death->asked) sonde_worker_bury(w, s->t, status);
}

/* A hang that had less time than it may take, and is not known, is run again with all of it. */
static void run_errand_in_full(struct sonde_search *s, struct errand *errand)
{
    struct sonde_worker *w = s->case_worker;
    /* The more hangs there were, the less time a case gets; 0 gives this one all of it. */
    unsigned hangs = w->hangs;
    struct sonde_tape script = {0};
    sonde_tape_end(&s->t->tape);
    sonde_tape_copy(&script, &s->t->tape);
    errand->script = &script;
    errand->guide = s->simplest;
    w->hangs = 0;
    run_errand(s, errand);
    w->hangs = hangs;
    sonde_tape_clear(&script);
}

static void execute_forked(struct sonde_search *s, struct sonde_guide *guide, const struct sonde_tape *script)
{
    struct errand *errand = sonde_malloc(sizeof *errand); /* in shared memory */
    *errand = (struct errand){.search = s, .guide = guide, .script = script};
    run_errand(s, errand);
    if (sonde_search_has_hung(s) && s->case_worker->death->is_cut && !sonde_search_knows_hang(s))
        run_errand_in_full(s, errand);
    if (sonde_search_has_hung(s)) s->case_worker->hangs++;
    sonde_free(errand);
}

/* From now on the cases of the search are run so. In the heap of the search, before its worker is started. */
static void run_cases_apart(struct sonde_search *s)
{
    s->case_worker = sonde_calloc(1, sizeof *s->case_worker);
    *s->case_worker = sonde_search_worker(s);
    s->case_worker->death = sonde_calloc(1, sizeof *s->case_worker->death);
    s->case_worker->death->bell = sonde_calloc(1, sizeof *s->case_worker->death->bell);
    s->execute = execute_forked;
}

/* ---- Workers */

/* In the worker. Adopts children only where each case has a process of its own: those must be waited
 * for here. */
static void search_job(void *arg)
{
    struct sonde_search *s = arg;
    if (s->case_worker) sonde_bell_on_child(s->case_worker->death->bell);
    sonde_exec_worker_setup(s->property);
    if (s->case_worker) sonde_family_adopt(); /* not what worker_setup has started */
    sonde_search_run(s);
    if (s->case_worker) sonde_family_release();
    sonde_exec_worker_teardown(s->property);
}

static void prepare(struct sonde_crew *crew, struct sonde_job *job)
{
    struct sonde_search *s = search_of(job);
    (void)crew;
    job->worker = sonde_search_worker(s);
    if (s->options->isolation != SONDE_ISOLATE_CASE) return;
    run_cases_apart(s);
    double around = job->worker.limits.around_seconds;
    job->worker.limits = (struct sonde_case_limits){.around_seconds = around}; /* it watches cases itself */
}

/* A wish of ours, which the worker looks at between two cases. */
static void ask(atomic_bool *wish, bool value)
{
    atomic_store_explicit(wish, value, memory_order_relaxed);
}

static void begin(struct sonde_crew *crew, struct sonde_job *job)
{
    struct sonde_search *s = search_of(job);
    (void)crew;
    ask(&s->asked.sender, false);
    s->left.is_worn = false;
    s->left.child_of = 0;
    sonde_case_renew(s->t);
}

/* After a hang. One that had less time than it may take, and is not known, is run again with all of it. */
static void judge_hang(struct sonde_job *job, struct sonde_death *death)
{
    struct sonde_search *s = search_of(job);
    if (job->worker.death->is_cut && !sonde_search_knows_hang(s)) sonde_culprit_run_again(s, death);
    if (sonde_search_has_hung(s)) job->worker.hangs++;
}

/* A worker has ended before its search had. One that was killed before it came to a case is just replaced. */
static void bury(struct sonde_job *job, struct sonde_death *death, int status)
{
    enum { PATIENCE = 10 };
    struct sonde_search *s = search_of(job);
    /* No owner: no case was running, so sonde itself was at work. */
    bool torn = s->t->owner == NULL;
    if (sonde_interrupted() && sonde_death_was_asked_for(job->worker.death)) { /* as was the run: `pkill NAME` */
        s->is_torn |= torn;
        return;
    }
    bool began = sonde_worker_bury(&job->worker, s->t, status);
    if (job->worker.death->kind == SONDE_DEATH_OVERWRITTEN) s->worker_began = atomic_load(&s->t->started) - 1;
    job->stillborn = began ? 0 : job->stillborn + 1;
    if (!began && job->worker.death->kind == SONDE_DEATH_KILLED && job->stillborn < PATIENCE) return;
    if (began && !torn && job->worker.death->kind == SONDE_DEATH_HANG) judge_hang(job, death);
    sonde_search_death(s, began && torn);
}

/* A worker has ended after its search had, but not well: worker_teardown is to blame, unless it was killed. */
static void bury_late(struct sonde_job *job, int status)
{
    struct sonde_claim claim;
    sonde_death_decide(job->worker.death, status);
    if (job->worker.death->kind == SONDE_DEATH_KILLED || search_of(job)->misuse[0]) return;
    sonde_death_claim(job->worker.death, &claim);
    snprintf(search_of(job)->misuse, sizeof search_of(job)->misuse, "worker_teardown failed: %.900s", claim.message);
}

/* The worker has left the loop because it was asked to. Only a worker that ended in good order has
 * paused: one that died meanwhile is buried first. */
static bool has_paused(const struct sonde_job *job)
{
    return atomic_load_explicit(&search_of(job)->asked.pause, memory_order_relaxed) && job->worker.death->asked
           && !search_of(job)->left.leak_suspected && !search_of(job)->left.finished;
}

/* Why it has ended, in the order in which one hides the other: what the worker has stopped for is known only if it ended in good
 * order. */
static enum sonde_job_next ended(struct sonde_crew *crew, struct sonde_job *job, int status)
{
    struct sonde_search *s = search_of(job);
    struct sonde_death *single = watch_of(crew)->single->death;
    const struct sonde_death *death = job->worker.death;
    bool pauses = false;
    if (job->worker.sent && death->asked) sonde_culprit_sent(s, single, job->worker.sent);
    else if (s->left.child_of && death->asked) sonde_culprit_forked(s, single);
    else if (has_paused(job)) pauses = true;
    else if (s->left.leak_suspected) sonde_culprit_leaks(s, single);
    else if (s->left.is_worn && death->asked) job->stillborn = 0;
    else if (!s->left.finished || death->kind == SONDE_DEATH_OWN) bury(job, single, status);
    else if (!death->asked) bury_late(job, status);
    if (s->left.finished || sonde_search_is_over(s)) return SONDE_JOB_IS_OVER;
    return pauses ? SONDE_JOB_PAUSES : SONDE_JOB_GOES_ON;
}

/* ---- Failures that are dealt with as they come. Single cases run in the memory of the first search, so its worker must
 * have left the loop; the others go on. */

static struct sonde_found *next_unsettled(const struct sonde_crew *crew, const struct sonde_job *job)
{
    const struct sonde_watchers *to = watch_of(crew)->watchers;
    struct sonde_search *s = search_of(job);
    uint32_t n = sonde_damage_count(s);
    for (uint32_t i = 0; i < n; i++) {
        struct sonde_found *f = sonde_damage_at(s, i);
        if (!f->told || f->settled) continue;
        sonde_damage_check_found(f, false);
        if (!to->may_settle || to->may_settle(to->user, f)) return f;
    }
    return NULL;
}

static bool has_unsettled(const struct sonde_crew *crew)
{
    for (unsigned i = 0; i < crew->n; i++)
        if (next_unsettled(crew, &crew->jobs[i])) return true;
    return false;
}

/* The worker of single cases is stopped at the end, because the search's own worker will use the same
 * memory. */
static void settle_failures(struct sonde_crew *crew)
{
    const struct watch *w = watch_of(crew);
    struct sonde_found *found;
    for (unsigned i = 0; i < crew->n; i++) {
        while (!sonde_interrupted() && (found = next_unsettled(crew, &crew->jobs[i])) != NULL) {
            found->settled = true;
            w->watchers->settle(w->watchers->user, search_of(&crew->jobs[i]), found);
        }
    }
    sonde_runner_stop(&w->single->runner);
}

/* The first search pauses when there is something to do. */
static void ask_for_pause(struct sonde_crew *crew)
{
    const struct sonde_job *first = &crew->jobs[0];
    struct sonde_search *s = search_of(first);
    if (!watch_of(crew)->watchers->settle || first->paused || first->over) return;
    bool is_ending = sonde_interrupted() || atomic_load_explicit(&s->asked.stop, memory_order_relaxed);
    ask(&s->asked.pause, !is_ending && has_unsettled(crew)); /* if it is, the rest is left for the end */
}

/* And goes on when it is done. */
static bool idle(struct sonde_crew *crew, struct sonde_job *job)
{
    struct sonde_search *s = search_of(job);
    if (!watch_of(crew)->watchers->settle || job != &crew->jobs[0]) return true;
    if (has_unsettled(crew)) settle_failures(crew);
    ask(&s->asked.pause, false);
    /* Shrinking took time in which nothing new could come. */
    s->news_at = sonde_clock_now();
    return true;
}

/* ---- While workers run */

/* Failures that are new since the last look. Only what a worker has finished writing counts. The
 * acquire in sonde_damage_count pairs with the worker's release of n_found: everything below n is complete. */
static void look_for_failures(const struct sonde_watchers *to, struct sonde_search *s)
{
    uint32_t n = sonde_damage_count(s);
    for (uint32_t i = 0; i < n && to->found; i++) {
        struct sonde_found *f = sonde_damage_at(s, i);
        if (f->told) continue;
        sonde_damage_check_found(f, false);
        to->found(to->user, s, f);
    }
}

/* Now and then, what is worth keeping: asked for here, written down by the worker between two cases. */
static void look_for_snapshot(const struct sonde_watchers *to, struct sonde_search *s, bool asks)
{
    if (!to->keep || s->is_torn) return;
    if (sonde_snapshot_is_ready(&s->snapshot)) {
        to->keep(to->user, s, false);
        sonde_snapshot_take_in(&s->snapshot);
    } else if (asks) {
        sonde_snapshot_ask(&s->snapshot);
    }
}

/* The first wish counts; 0 means none, therefore the 1 that is added. */
static void stop_all(const struct sonde_crew *crew, enum sonde_stop why)
{
    for (unsigned i = 0; i < crew->n; i++) {
        atomic_int *wish = &search_of(&crew->jobs[i])->asked.stop;
        if (!atomic_load_explicit(wish, memory_order_relaxed))
            atomic_store_explicit(wish, 1 + (int)why, memory_order_relaxed);
    }
}

/* Limits are each search's own; what was found, or found out, is everybody's. */
static void stop_others(const struct sonde_crew *crew, enum sonde_stop why)
{
    if (why == SONDE_STOP_FOUND || why == SONDE_STOP_ERROR || why == SONDE_STOP_EXHAUSTED) stop_all(crew, why);
}

/* One job that still finds something keeps the others going: they share what it finds. */
static bool all_flat(const struct sonde_crew *crew)
{
    double now = sonde_clock_now();
    for (unsigned i = 0; i < crew->n; i++)
        if (!sonde_search_is_flat(search_of(&crew->jobs[i]), now)) return false;
    return true;
}

/* Ctrl-C: the cases that run may end, but not hang. */
static void wind_up(struct sonde_crew *crew, double *since)
{
    const double grace = 0.5;
    if (*since == 0) *since = sonde_clock_now();
    stop_all(crew, SONDE_STOP_INTERRUPTED);
    for (unsigned i = 0; i < crew->n && sonde_clock_now() - *since > grace; i++) {
        struct sonde_search *s = search_of(&crew->jobs[i]);
        if (crew->jobs[i].over) continue;
        sonde_crew_stop(&crew->jobs[i]);
        if (!s->t->owner) s->is_torn = true; /* it was at work on what is to be kept */
        s->stopped = SONDE_STOP_INTERRUPTED;
    }
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* What the guides' parts got: of the first search, which stands for all. */
enum { SHARES_MAX = 16 };

/* What the notebooks of all jobs say by now; about once a second, NULL in between. To be freed. */
static struct sonde_notebook *glance(const struct sonde_crew *crew, struct sonde_outlook *outlook)
{
    double *glanced = &watch_of(crew)->glanced;
    const struct sonde_search *first = search_of(&crew->jobs[0]);
    if (!first->notebook || sonde_clock_now() - *glanced < 1) return NULL;
    *glanced = sonde_clock_now();
    struct sonde_notebook *all = sonde_notebook_create();
    for (unsigned i = 0; i < crew->n; i++)
        outlook->insight = sonde_notebook_glance(all, search_of(&crew->jobs[i])->notebook, &first->labels);
    return all;
}

/* Reads counters that workers are writing: each is a word, and a sum that is a few cases behind does no harm. */
static void tell_progress(const struct sonde_crew *crew, const struct sonde_watchers *to)
{
    struct sonde_stats sum = {0};
    struct sonde_outlook outlook = {.next_is_new = -1, .quiet_seconds = INFINITY};
    struct sonde_share shares[SHARES_MAX];
    double now = sonde_clock_now();
    if (!to->progress) return;
    for (unsigned i = 0; i < crew->n; i++) {
        const struct sonde_search *s = search_of(&crew->jobs[i]);
        sum.tests += s->stats.tests;
        sum.valid += s->stats.valid;
        sum.discarded += s->stats.discarded;
        sum.overruns += s->stats.overruns;
        sum.choices += s->stats.choices;
        /* Several jobs may count the same input; at the end they are merged. */
        sum.unique_valid += sonde_unique_about(&s->judge.unique);
        outlook.places = larger(outlook.places, sonde_search_places(s, false));
        outlook.valid_places = larger(outlook.valid_places, sonde_search_places(s, true));
        outlook.corpus += s->harvest.n;
        if (now - s->news_at < outlook.quiet_seconds) outlook.quiet_seconds = now - s->news_at;
    }
    const struct sonde_search *first = search_of(&crew->jobs[0]);
    const struct sonde_guide_ops *ops = first->guide->ops;
    outlook.guide = ops->name;
    outlook.next_is_new = sonde_species_chance_of_new(&first->judge.traces);
    outlook.shares = shares;
    if (ops->shares) outlook.n_shares = ops->shares(first->guide, shares, SHARES_MAX);
    sum.seconds = now - first->started;
    struct sonde_notebook *notebook = glance(crew, &outlook);
    to->progress(to->user, &sum, &outlook);
    sonde_notebook_free(notebook);
}

static void tell_now_and_then(const struct sonde_crew *crew)
{
    const double seconds = 0.1;
    struct watch *w = watch_of(crew);
    if (sonde_clock_now() - w->told < seconds) return;
    w->told = sonde_clock_now();
    tell_progress(crew, w->watchers);
}

static bool all_have_read(const struct sonde_crew *crew, const struct sonde_outbox *post)
{
    for (unsigned i = 0; i < crew->n; i++)
        if (!crew->jobs[i].over && !sonde_sharing_has_read(&search_of(&crew->jobs[i])->sharing, post)) return false;
    return true;
}

static void begin_round(struct sonde_crew *crew)
{
    double keep_seconds = 5; /* how often a long search is written down: a kill costs no more than that */
    struct watch *w = watch_of(crew);
    tell_now_and_then(crew);
    if (w->watchers->post && w->n_asked < (unsigned)keep_seconds)
        keep_seconds = 1 + w->n_asked; /* others wait for it */
    w->asks = sonde_clock_now() - w->asked > keep_seconds;
    if (w->asks) w->asked = sonde_clock_now(), w->n_asked++;
    if (w->watchers->round) w->watchers->round(w->watchers->user, all_have_read(crew, w->watchers->post));
    if (sonde_interrupted()) wind_up(crew, &w->interrupted);
    else if (all_flat(crew)) stop_all(crew, SONDE_STOP_FLAT);
}

/* For the handler of a fault: whose memory is being looked at. */
static void tend(struct sonde_crew *crew, struct sonde_job *job)
{
    (void)crew;
    tended.search = search_of(job);
    tended.heap = job->heap;
}

static void look(struct sonde_crew *crew, struct sonde_job *job)
{
    const struct watch *w = watch_of(crew);
    struct sonde_search *s = search_of(job);
    if (job->worker.pid && sonde_interrupt_sent(job->worker.pid)) ask(&s->asked.sender, true);
    look_for_failures(w->watchers, s);
    look_for_snapshot(w->watchers, s, w->asks);
    if (job->over) stop_others(crew, s->stopped);
    ask_for_pause(crew);
}

/* ---- From the beginning to the end */

static const struct sonde_crew_ops ops = {.prepare = prepare,
                                          .begin = begin,
                                          .ended = ended,
                                          .idle = idle,
                                          .work = search_job,
                                          .round = begin_round,
                                          .tend = tend,
                                          .look = look};

/* With the search of `single` as its first job, in the present heap. */
static void init_crew(struct sonde_crew *crew, struct watch *w)
{
    struct sonde_search *first = w->single->search;
    *crew = (struct sonde_crew){.ops = &ops, .n = 1, .bell = w->single->bell, .user = w};
    crew->jobs[0] = (struct sonde_job){.heap = sonde_heap_current(), .of = first};
    tend(crew, &crew->jobs[0]);
    w->told = w->asked = sonde_clock_now();
}

static void run_crew(struct sonde_crew *crew)
{
    sonde_crew_run(crew);
    tell_now_and_then(crew);
    tend(crew, &crew->jobs[0]);
}

/* A further search, in a heap of its own. Its options are those of the first. */
static void *make_search(struct sonde_crew *crew)
{
    const struct sonde_search *first = search_of(&crew->jobs[0]);
    struct sonde_search *s = sonde_malloc(sizeof *s);
    const sonde_property *property = first->spawn ? sonde_spawn_property(first->spawn) : first->property;
    sonde_search_init(s, property, first->options, crew->n);
    if (first->legacy) sonde_search_inherit(s, first->legacy);
    s->spawn = first->spawn;
    return s;
}

static void add_searches(struct sonde_crew *crew, struct sonde_spawn *spawn, const struct sonde_options *options)
{
    unsigned wanted = sonde_search_jobs(options);
    size_t room = sonde_supervise_room(options);
    while (crew->n < wanted && crew->n < SONDE_CREW_MAX) {
        struct sonde_heap *heap = spawn ? sonde_spawn_heap(spawn, room) : sonde_heap_create(room);
        if (!heap) return;
        sonde_crew_add(crew, heap, make_search);
    }
}

/* In each job's own heap, so that each has its own table of the others. */
static void connect_job(struct sonde_crew *crew, struct sonde_job *job)
{
    struct sonde_sharing *all[SONDE_CREW_MAX];
    for (unsigned i = 0; i < crew->n; i++) all[i] = &search_of(&crew->jobs[i])->sharing;
    sonde_sharing_connect(&search_of(job)->sharing, all, crew->n);
    const struct sonde_outbox *post = watch_of(crew)->watchers->post;
    if (post) sonde_sharing_listen(&search_of(job)->sharing, post);
}

static void keep(struct sonde_crew *crew, struct sonde_job *job)
{
    const struct sonde_watchers *to = watch_of(crew)->watchers;
    if (to->keep) to->keep(to->user, search_of(job), true);
}

static void search_in_workers(struct watch *w)
{
    struct sonde_crew crew;
    struct sonde_search *first = w->single->search;
    init_crew(&crew, w);
    add_searches(&crew, first->spawn, first->options);
    sonde_crew_each(&crew, connect_job);
    run_crew(&crew);
    sonde_crew_each(&crew, keep);
    for (unsigned i = 1; i < crew.n; i++) {
        /* Here is the heap of the first search current; the other one goes right after. */
        sonde_damage_check(search_of(&crew.jobs[i]));
        sonde_search_merge(first, search_of(&crew.jobs[i]));
        sonde_heap_destroy(crew.jobs[i].heap);
    }
    if (first->spawn) first->spawn->n_heaps = 1;
}

static void search_here(struct watch *w)
{
    struct sonde_search *s = w->single->search;
    sonde_search_run(s);
    while (s->left.leak_suspected || (s->left.child_of && !sonde_search_is_over(s))) {
        if (s->left.child_of) sonde_culprit_forked_here(w->single);
        else sonde_culprit_leaks_here(w->single);
        sonde_search_run(s);
    }
    if (s->left.child_of) sonde_culprit_forked_here(w->single); /* of the last cases */
    if (w->watchers->keep) w->watchers->keep(w->watchers->user, s, true);
}

/* Before every input is claimed to hold, in a worker that has run none of them. One job: the claim that
 * all inputs were tried needs one order of them. */
static void rerun_all(struct watch *w)
{
    struct sonde_crew crew;
    struct sonde_search *s = w->single->search;
    if (!sonde_search_rerun(s)) return;
    if (!w->single->isolated) {
        sonde_search_run(s);
        return;
    }
    init_crew(&crew, w);
    run_crew(&crew);
}

void sonde_supervise(struct sonde_single *single, const struct sonde_watchers *watchers)
{
    struct watch w = {.single = single, .watchers = watchers};
    if (single->isolated) search_in_workers(&w);
    else search_here(&w);
    rerun_all(&w);
}
