/* The phases of one property: examples and replay, search, shrink, confirm, report.
 *
 * sonde_engine_run is the whole life cycle. It creates a heap, options, store and search; examine runs the property;
 * fill_report collects the results; listeners get them; everything is freed. It runs in the supervisor, or in the only
 * process if there is no isolation. The part that workers see is in the heap (struct sonde_common). All else is in the
 * C library's memory, which is readable when that heap is damaged. */
#include "engine/engine.h"

#include "base/die.h"
#include "base/digits.h"
#include "base/heap.h"
#include "blockers/blockers.h"
#include "engine/against.h"
#include "engine/phases/fleet.h"
#include "engine/phases/phases.h"
#include "engine/state.h"
#include "engine/workers/supervise.h"
#include "exec/exec.h"
#include "exec/fault.h"
#include "exec/family.h"
#include "exec/interrupt.h"
#include "program/sanitizer.h"
#include "store/home.h"
#include "tape/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Progress */

/* Counts the reached locations, without those that have unstable counters. */
static void count_edges(struct sonde_search *s, struct sonde_stats *stats)
{
    stats->unstable = sonde_coverage_size(s->coverage).unstable;
    if (stats->unstable) sonde_search_count_places(s); /* counts unstable locations of all jobs together */
    stats->edges = sonde_search_places(s, false);
    stats->valid_edges = sonde_search_places(s, true);
}

/* The counts are estimates. They are corrected so that shapes <= skeletons <= valid inputs, and traces <= valid
 * inputs. */
static void count_levels(const struct sonde_levels *levels, struct sonde_stats *stats)
{
    stats->shapes = sonde_levels_count(levels, SONDE_LEVEL_SHAPE);
    stats->skeletons = sonde_levels_count(levels, SONDE_LEVEL_SKELETON);
    stats->traces = sonde_levels_count(levels, SONDE_LEVEL_TRACE);
    if (stats->shapes > stats->valid) stats->shapes = stats->valid;
    if (stats->skeletons > stats->valid) stats->skeletons = stats->valid;
    if (stats->skeletons < stats->shapes) stats->skeletons = stats->shapes;
    if (stats->traces > stats->valid) stats->traces = stats->valid;
}

/* Completes the counts of a search at its end. While the search runs, workers count, and the supervisor adds up their
 * counts. */
static void update_stats(struct sonde_search *s)
{
    struct sonde_stats *n = &s->stats;
    n->seconds = sonde_clock_now() - s->started;
    n->cpu_s = sonde_clock_cpu() - s->cpu_started;
    n->unique_valid = sonde_unique_count(&s->judge.unique, &n->unique_estimated);
    /* unique_valid may be an estimate, and an estimate may be too high */
    if (n->unique_valid > n->valid) n->unique_valid = n->valid;
    n->repeats = n->valid - n->unique_valid;
    count_levels(&s->judge.levels, n);
    count_edges(s, n);
}

static void tell_progress(struct sonde_engine *e, const struct sonde_stats *stats, const struct sonde_outlook *outlook)
{
    struct sonde_outlook all = *outlook;
    all.failures = e->n_told;
    all.fleet = sonde_fleet_roster(e);
    sonde_fleet_progress(e, stats, outlook);
    sonde_engine_tell(e, (struct sonde_event){.kind = SONDE_EVENT_PROGRESS, .stats = stats, .outlook = &all});
}

/* ---- Report */

static void fill_arrival(const struct sonde_arrivals *a, struct sonde_arrival *out)
{
    *out = (struct sonde_arrival){.goal = a->at.name,
                                  .valid = a->valid,
                                  .failed = a->failed,
                                  .discarded = a->discarded,
                                  .test = a->test,
                                  .token = a->token ? a->token : ""};
}

/* Adds what the cases of this property reached of changed code to what those before it reached. */
static void fill_changed(const struct sonde_vicinity *a, struct sonde_changed_code *code, struct sonde_changed *out)
{
    for (uint32_t i = 0; i < a->n; i++) code->by[i] |= a->by[i];
    sonde_changed_measure(code, a->by, out);
}

/* Returns whether all failures are in the base, too. If the record of failures is full, later ones were dropped, and
 * nothing is known of them. */
static bool are_known(const struct sonde_engine *e)
{
    if (e->search->n_found >= SONDE_FOUND_MAX) return false;
    for (uint32_t i = 0; i < e->n_failures; i++)
        if (e->failures[i].in_base != SONDE_IN_BASE_KNOWN) return false;
    return e->n_failures > 0;
}

/* Fills the report, which borrows from the search; so the search must live until the report has been sent. `readable`
 * is false if the input to replay could not be read: then the report has a message and no verdict. */
static void fill_report(struct sonde_engine *e, bool readable)
{
    struct sonde_search *s = e->search;
    struct sonde_report *r = &e->report;
    bool is_deterministic = !s->warning[0];
    sonde_verdict_judge_machines(e);
    r->outcome = readable ? sonde_verdict_outcome(e) : SONDE_OUTCOME_ERROR;
    r->stopped = readable ? s->stopped : SONDE_STOP_ERROR;
    if (s->misuse[0]) snprintf(e->message, sizeof e->message, "%.1000s", s->misuse);
    else if (r->outcome == SONDE_OUTCOME_GAVE_UP) sonde_verdict_explain_giving_up(e);
    r->message = e->message[0] ? e->message : NULL;
    if (!is_deterministic) r->warning_kind = "not_deterministic";
    if (r->outcome == SONDE_OUTCOME_PASSED) sonde_verdict_warn_of_few(e);
    r->stats = s->stats;
    sonde_worth_judge(e);
    r->assumes = s->tally.assumes;
    r->n_assumes = s->tally.n_assumes;
    r->labels = s->tally.labels;
    r->n_labels = s->tally.n_labels;
    r->targets = s->judge.bests.targets;
    r->n_targets = s->judge.bests.n;
    r->base = e->options.known_in;
    r->is_excused = e->options.only_new && r->outcome == SONDE_OUTCOME_FALSIFIED && are_known(e);
    r->failures = e->failures;
    r->n_failures = e->n_failures;
    r->names = &s->labels;
    r->searcher = s->guide;
    r->ignores_leaks = !s->leaks.is_possible;
    r->ignores_memory = !sonde_tools_watch_memory() && !e->options.guard;
    r->threads = sonde_threads_kind(s->t);
    if (s->has_threads) s->t->unseen |= SONDE_UNSEEN_OTHERS;
    if (sonde_threads_unseen(s->t, e->unseen, sizeof e->unseen)) r->unseen = e->unseen;
    if (s->notebook) r->insight = sonde_search_open_notebook(s);
    if (s->arrivals) fill_arrival(s->arrivals, &r->arrival);
    if (s->vicinity) fill_changed(s->vicinity, e->options.change, &r->changed);
    const struct sonde_sample *sample = &s->rerun.sample;
    struct sonde_sampled_case *cases = sonde_calloc(sample->n + 1u, sizeof *cases);
    for (uint32_t i = 0; i < sample->n; i++)
        cases[i] =
            (struct sonde_sampled_case){&sample->inputs[i]->tape, sample->inputs[i]->verdict, sample->inputs[i]->test};
    r->sample = cases;
    r->n_sample = sample->n;
}

static void copy_result(const struct sonde_report *r, enum sonde_status status, sonde_result *out)
{
    *out = (sonde_result){.status = status,
                          .exhausted = r->outcome == SONDE_OUTCOME_EXHAUSTED,
                          .tests = r->stats.tests,
                          .valid = r->stats.valid,
                          .discarded = r->stats.discarded,
                          .unique_valid = r->stats.unique_valid,
                          .failures = (unsigned)r->n_failures,
                          .seed = r->seed};
    const char *message = r->n_failures ? r->failures[0].message : r->message;
    if (message) snprintf(out->message, sizeof out->message, "%s", message);
    const char *token = r->n_failures ? r->failures[0].token : NULL;
    /* A token that does not fit is left out: half a token would replay another input. */
    if (token && strlen(token) < sizeof out->token) memcpy(out->token, token, strlen(token) + 1);
}

/* Returns the options of the run that a finding may depend on; NULL: none. */
static const char *replay_options(struct sonde_engine *e)
{
    const struct sonde_options *o = &e->options;
    char mutant[40] = "", against[sizeof e->replay_options - 100];
    if (o->mutant) snprintf(mutant, sizeof mutant, " --mutant %" PRIu64, o->mutant);
    sonde_engine_comparison(o, against, sizeof against);
    snprintf(e->replay_options, sizeof e->replay_options, "%s%s%s%s", o->spawn ? " --spawn" : "",
             o->guard ? " --guard" : "", mutant, against);
    return e->replay_options[0] ? e->replay_options + 1 : NULL;
}

/* Creates the part that workers share, in their heap. */
static void create_common(struct sonde_engine *e, struct sonde_heap *heap, const struct sonde_spawn *spawn)
{
    struct sonde_heap *before = sonde_single_enter(heap);
    struct sonde_common *c = e->common = sonde_calloc(1, sizeof *c);
    e->search = &c->search;
    e->single = &c->single;
    e->legacy = &c->legacy;
    c->options = e->options;
    sonde_search_init(e->search, e->property, &c->options, 0);
    if (e->options.spawn) c->spawn = *spawn;
    if (e->options.spawn) e->search->spawn = &c->spawn;
    sonde_single_init(e->single, e->search);
    if (e->options.share) e->post = sonde_outbox_create();
    sonde_single_leave(before);
}

static void start(struct sonde_engine *e)
{
    /* From here on the handler of a fault in the supervisor can find the case that ran. */
    sonde_supervise_set_last_checked(e->search);
    e->report = (struct sonde_report){.property = e->property->name ? e->property->name : "property",
                                      .program = e->options.embedded ? NULL : e->options.program,
                                      .replay_options = replay_options(e),
                                      .seed = e->options.seed,
                                      .guide = e->options.guide,
                                      .wanted = e->options.tests,
                                      .names = &e->search->labels};
    char *executable = sonde_home_executable(e->options.program);
    e->store = sonde_store_open(&(struct sonde_store_setup){.directory = e->options.store,
                                                            .program = executable,
                                                            .source = e->options.source,
                                                            .is_off = e->options.no_store,
                                                            .may_replace = sonde_engine_may_replace});
    sonde_free(executable);
    e->report.store = sonde_store_path(e->store);
}

/* Failures borrow tapes from the search, so the search is freed last. */
static void clear(struct sonde_engine *e)
{
    sonde_against_close();
    sonde_engine_free_failures(e);
    sonde_free((void *)(uintptr_t)e->report.sample);
    sonde_blockers_free(&e->report);
    sonde_changed_clear(&e->report.changed);
    sonde_engine_free_legacy(e);
    sonde_store_close(e->store);
    sonde_outbox_free(e->post);
    sonde_single_clear(e->single);
    sonde_search_clear(e->search);
    sonde_free(e->common);
}

/* ---- While the searches run */

/* Another job may have reported the same failure: found->told is for one search, e->told for the whole run. */
static bool was_told(const struct sonde_engine *e, uint64_t identity)
{
    for (uint32_t i = 0; i < e->n_told; i++)
        if (e->told[i] == identity) return true;
    return false;
}

/* With --fuzz, a failure is handled as it is found, as soon as the fleet has decided which worker shrinks it. */
static void release_failures(struct sonde_engine *e)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n_waiting; i++) {
        e->waiting[i]->is_due = sonde_fleet_has_decided(e, e->waiting[i]->identity);
        if (!e->waiting[i]->is_due) e->waiting[n++] = e->waiting[i];
    }
    e->n_waiting = n;
}

static void take_failure(struct sonde_engine *e, const struct sonde_search *search, struct sonde_found *found)
{
    if (was_told(e, found->identity)) return;
    bool has_room = e->n_told < SONDE_FOUND_MAX;
    if (has_room) e->told[e->n_told++] = found->identity;
    sonde_engine_found(e, search, found);
    if (has_room && e->options.fuzz) e->waiting[e->n_waiting++] = found;
    release_failures(e);
}

/* Saves the last data of a search that has ended; while it ran, snapshots were saved. */
static void take_last(struct sonde_engine *e, struct sonde_search *search)
{
    e->n_waiting = 0; /* other failures are handled at the end */
    sonde_engine_write_saved(e, search);
    sonde_engine_keep_all(e, search);
}

static void handle_event(struct sonde_engine *e, const struct sonde_happening *h)
{
    switch (h->kind) {
    case SONDE_HAPPENED_TURN:
        sonde_fleet_turn(e, h->has_read);
        release_failures(e);
        break;
    case SONDE_HAPPENED_PROGRESS: tell_progress(e, h->stats, h->outlook); break;
    case SONDE_HAPPENED_FOUND: take_failure(e, h->search, h->found); break;
    case SONDE_HAPPENED_SNAPSHOT: sonde_engine_keep(e, h->search); break;
    case SONDE_HAPPENED_DUE: sonde_engine_handle_due(e, h->found); break;
    case SONDE_HAPPENED_END: take_last(e, h->search); break;
    }
}

static void search(struct sonde_engine *e)
{
    struct sonde_happening happening;
    sonde_fleet_begin(e);
    struct sonde_watch *watch = sonde_supervise_begin(e->single, e->fleet ? e->post : NULL);
    while (sonde_supervise_next(watch, &happening)) handle_event(e, &happening);
    sonde_supervise_end(watch);
    sonde_engine_report_inputs(e);
    sonde_engine_write_sample(e);
    sonde_engine_prune(e);
}

/* ---- Running a property */

/* With --fail-fast, a stored failure that still fails makes a search unnecessary. */
static bool knows_enough(struct sonde_engine *e)
{
    if (!e->options.fail_fast || !e->n_remembered) return false;
    e->search->stopped = SONDE_STOP_FOUND;
    return true;
}

/* Creates the heap that workers share; NULL if none is available. *spawns becomes false if workers must be forked
 * although the options ask for spawned ones. *spawn receives how workers are spawned. */
static struct sonde_heap *create_heap(const struct sonde_options *o, bool *spawns, struct sonde_spawn *spawn)
{
    size_t room = sonde_supervise_room(o);
    *spawns = o->spawn;
    if (!o->spawn) return sonde_heap_create(room);
    sonde_spawn_init(spawn, o->property);
    struct sonde_heap *heap = sonde_spawn_heap(spawn, room);
    if (heap) return heap;
    sonde_warn("--spawn: no shared memory is available at a fixed address; workers are forked instead");
    *spawns = false;
    return sonde_heap_create(room);
}

/* ---- When the memory shared with workers is damaged beyond use (exec/fault.h) */

/* The current run. It is not in the memory shared with workers. It is also the root by which leak checkers in a worker
 * find what this process has allocated. */
static struct sonde_engine *at_risk;

/* Returns the token of the case that ran, in the C library's memory; NULL if there is none. */
static char *rescue_tape(void)
{
    struct sonde_search *s = sonde_supervise_last_checked();
    if (!s) return NULL;
    /* Repairing may allocate, and must do so in the damaged heap, where the case is; the token below is allocated with
     * the C library. */
    sonde_single_enter(s);
    uint32_t most = (uint32_t)at_risk->options.max_choices;
    struct sonde_case_origin like = {.labels = &s->labels, .limits = {.choices = most, .spans = most}};
    if (!sonde_case_is_intact(s->t)) sonde_case_repair(s->t, &like);
    sonde_single_leave(NULL);
    if (!atomic_load(&s->t->started)) return NULL;
    if (!s->t->tape.n_choices) sonde_die(SONDE_INTERNAL, "the input of the last case cannot be read any more");
    sonde_tape_end(&s->t->tape);
    return sonde_tape_to_text(&s->t->tape, &s->labels);
}

/* Runs in the handler of a fault, in the supervisor, with nothing to lose. It may allocate, since otherwise there would
 * be no message at all. The store is opened again: the fault may have happened inside of it. */
static void store_rescued(void)
{
    const struct sonde_options *o = &at_risk->options;
    const char *name = at_risk->property->name ? at_risk->property->name : "property";
    char *path = NULL, *token = rescue_tape();
    if (!token) return;
    struct sonde_store *store = sonde_store_open(
        &(struct sonde_store_setup){.directory = o->store, .program = o->program, .is_off = o->no_store});
    struct sonde_stored what = {.kind = "crash", .message = "sonde itself failed after this input", .token = token};
    what.place = what.found = "";
    if (store) sonde_store_save_failure(store, name, "damaged", &what, &path);
    if (path) sonde_say("%s: the input of the last case is stored in %s", name, path);
    else sonde_say("%s: the input of the last case: --replay '%s'", name, token);
}

/* Without a shared heap a crash ends the run, but that is better than no run. */
static void do_without_isolation(struct sonde_engine *e, int reason)
{
    sonde_warn("no shared memory is available (%s%s); the property runs without isolation", strerror(reason),
               reason == EFBIG ? ": see ulimit -f" : "");
    e->options.isolation = SONDE_ISOLATE_NONE;
}

/* Runs the phases before the search, in the heap of the search. Returns whether a search is to follow. */
static bool prepare(struct sonde_engine *e, bool *readable)
{
    struct sonde_heap *before = sonde_single_enter(e->search);
    *readable = sonde_engine_check_inputs(e) && sonde_engine_check_imports(e) && sonde_engine_replay(e);
    bool searches = *readable && !sonde_interrupted() && !e->options.replay && !knows_enough(e);
    if (sonde_interrupted()) e->search->stopped = SONDE_STOP_INTERRUPTED;
    if (searches) {
        sonde_engine_take_inputs(e);
        sonde_engine_import(e);
        sonde_engine_recall(e);
    }
    sonde_single_leave(before);
    return searches;
}

/* Runs all phases that run the property. Returns false if the input to replay cannot be read. */
static bool examine(struct sonde_engine *e)
{
    bool is_isolated = e->options.isolation != SONDE_ISOLATE_NONE;
    struct sonde_worker missing = sonde_search_worker(e->search);
    struct sonde_last_words words;
    atomic_uint *before = sonde_warm_up_share(&e->common->warm_up);
    if (!is_isolated) sonde_last_words_arm(&words, &missing);
    bool watches = !is_isolated && sonde_forked_begin();
    if (!is_isolated) sonde_exec_worker_setup(e->property);
    bool readable = sonde_engine_compare(e), searches = readable && prepare(e, &readable);
    if (searches) search(e);
    /* Before failures are confirmed: a changed input may show one. */
    if (searches && e->options.finds_blockers) sonde_blockers_find(e->single, &e->report);
    sonde_engine_confirm(e);
    sonde_engine_compare_failures(e);
    if (e->options.finds_state) sonde_engine_find_state(e);
    sonde_engine_report_compared(e);
    update_stats(e->search);
    sonde_fleet_end(e);
    sonde_verdict_judge_unique(e);
    if (!is_isolated) sonde_exec_worker_teardown(e->property);
    if (watches) sonde_forked_end();
    if (!is_isolated) sonde_last_words_disarm(&words);
    sonde_warm_up_share(before);
    return readable;
}

/* Returns the exit status. A run that was to write inputs, and could not, has not passed. */
static enum sonde_status status_of(const struct sonde_engine *e)
{
    enum sonde_status status = e->report.is_excused ? SONDE_PASSED : sonde_verdict_status(e->report.outcome);
    return status == SONDE_PASSED && e->has_refused ? SONDE_INTERNAL : status;
}

/* Everything that workers share is in one heap, which is destroyed as a whole at the end. The outcome is copied
 * before. */
enum sonde_status sonde_engine_run(const sonde_property *property, const struct sonde_options *options,
                                   struct sonde_reporter *const *reporters, size_t n_reporters, sonde_result *result)
{
    bool isolated = options->isolation != SONDE_ISOLATE_NONE;
    bool spawns = false;
    struct sonde_spawn spawn;
    sonde_exec_begin();
    struct sonde_heap *heap = isolated ? create_heap(options, &spawns, &spawn) : NULL;
    /* Read errno before another call can change it; it explains why there is no heap. */
    int reason = errno;
    struct sonde_engine *e = at_risk = sonde_calloc(1, sizeof *e);
    e->property = property;
    e->reporters = reporters;
    e->n_reporters = n_reporters;
    sonde_options_merge(&e->options, property, options);
    sonde_fault_expect(property->name, e->options.seed, isolated ? store_rescued : NULL);
    e->options.spawn = spawns;
    if (isolated && !heap) do_without_isolation(e, reason);
    create_common(e, heap, &spawn);
    start(e);
    sonde_engine_tell(e, (struct sonde_event){.kind = SONDE_EVENT_PROPERTY_BEGIN});
    bool readable = examine(e);
    fill_report(e, readable);
    enum sonde_status status = status_of(e);
    sonde_engine_tell(e, (struct sonde_event){.kind = SONDE_EVENT_PROPERTY_END, .report = &e->report});
    if (result) copy_result(&e->report, status, result);
    clear(e);
    sonde_fault_expect(NULL, 0, NULL);
    at_risk = NULL;
    sonde_free(e);
    sonde_heap_destroy(heap);
    sonde_exec_end();
    return status;
}
