/* See collect.h. The search is an ordinary one, in one worker, whose cases pass through run_and_keep. */
#include "mutate/collect.h"

#include "base/die.h"
#include "base/heap.h"
#include "base/mem.h"
#include "base/process.h"
#include "engine/search/loop.h"
#include "engine/workers/supervise.h"
#include "exec/exec.h"
#include "exec/interrupt.h"
#include "program/mutants.h"
#include "program/sites.h"
#include "tape/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The search, in the heap of its worker. `search` is first, so that run_and_keep finds the rest. */
struct collecting {
    struct sonde_search search;
    struct sonde_options options;
    struct sonde_legacy legacy;
    struct sonde_bank bank;
    uint64_t *sites;    /* of the last case */
    uint32_t n_reached; /* number of sites of the last case; 0: it is not of interest */
    uint64_t n_seen;    /* how much code was known before the last case */
    uint32_t n_inherited;
    atomic_uint bell;
};

/* ---- In the worker */

/* Offers the last case, which has been judged by now. */
static void offer_last(struct collecting *c)
{
    uint64_t seen = c->search.judge.novelty.n_valid;
    if (c->n_reached) sonde_bank_offer(&c->bank, &c->search.t->tape, c->sites, c->n_reached, seen > c->n_seen);
    c->n_seen = seen;
    c->n_reached = 0;
}

/* Cases without an author that were not inherited are repetitions, which check that the property is deterministic. */
static void run_and_keep(struct sonde_search *s, struct sonde_guide *guide, const struct sonde_tape *script)
{
    struct collecting *c = (struct collecting *)(void *)s;
    offer_last(c);
    sonde_mutants_forget_reached();
    sonde_search_execute(s, guide, script);
    bool is_inherited = s->n_inherited != c->n_inherited;
    c->n_inherited = s->n_inherited;
    if (s->t->verdict == SONDE_VALID && (s->author || is_inherited)) c->n_reached = sonde_mutants_reached(c->sites);
}

static void work(void *arg)
{
    struct collecting *c = arg;
    sonde_exec_worker_setup(c->search.property);
    sonde_search_run(&c->search);
    offer_last(c);
    sonde_exec_worker_teardown(c->search.property);
}

/* ---- In the supervisor */

/* The store, and where its tapes go. */
struct inheriting {
    struct sonde_store *store;
    struct collecting *c;
};

static bool inherit(void *context, const struct sonde_stored *found)
{
    enum { MOST = 4096 };
    struct inheriting *h = context;
    struct sonde_legacy *l = &h->c->legacy;
    struct sonde_tape script;
    sonde_tape_init(&script);
    if (sonde_store_script(h->store, found, &script, &h->c->search.labels) < 0) return true;
    l->tapes = sonde_grow(l->tapes, &l->cap, (size_t)l->n + 1, sizeof *l->tapes);
    l->tapes[l->n++] = script;
    return l->n < MOST;
}

/* Creates the search in the current heap. */
static struct collecting *create(const struct sonde_judge_of *of, struct sonde_store *store)
{
    enum { BANK_BYTES = 64 << 20 };
    struct collecting *c = sonde_calloc(1, sizeof *c);
    c->options = of->options;
    sonde_search_init(&c->search, of->property, &c->options, 0);
    c->search.execute = run_and_keep;
    c->search.leaks.every = 0; /* leaks are asked for in the trials, which compare with and without a mutant */
    c->sites = sonde_calloc(sonde_mutants_words(), sizeof *c->sites);
    sonde_bank_init(&c->bank, sonde_mutants_sites(), BANK_BYTES);
    if (!c->options.fresh) sonde_store_each_corpus(store, of->property->name, inherit, &(struct inheriting){store, c});
    sonde_search_inherit(&c->search, &c->legacy);
    return c;
}

static void refuse(struct sonde_mutation_property *out, const struct sonde_claim *claim, const struct sonde_tape *tape,
                   const struct sonde_labels *labels)
{
    char text[1024];
    out->refusal = sonde_strdup(sonde_claim_describe(claim, text, sizeof text));
    if (tape) out->token = sonde_tape_to_text(tape, labels);
}

/* Waits for the search, and ends it if the run was interrupted. Returns false then. */
static bool await(struct collecting *c, struct sonde_worker *w, struct sonde_mutation_property *out)
{
    int status = 0;
    while (!sonde_worker_wait(w, atomic_load(&c->bell), &status)) {
        if (!sonde_interrupted()) continue;
        sonde_worker_stop(w);
        return false;
    }
    const struct sonde_search *s = &c->search;
    if (!w->death->finished) {
        sonde_worker_on_death(w, s->t, status);
        if (s->t->verdict == SONDE_MISUSE) out->refusal = sonde_strdup(s->t->claim.message);
        else refuse(out, &s->t->claim, &s->t->tape, &s->labels);
    } else if (sonde_damage_count(s)) {
        const struct sonde_found *found = sonde_damage_at(s, 0);
        refuse(out, &found->claim, &found->tape, &s->labels);
    } else if (s->misuse[0]) {
        out->refusal = sonde_strdup(s->misuse);
    }
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct sonde_site_ *x = *(const struct sonde_site_ *const *)a, *y = *(const struct sonde_site_ *const *)b;
    int order = strcmp(x->file, y->file);
    return order ? order : x->line - y->line;
}

/* Adds the checks that counted in a case, by location: the table of sites is ordered by address. */
static void add_checks(struct sonde_mutation *m, const struct sonde_reach *reach)
{
    const struct sonde_site_ *sites[SONDE_SITES];
    size_t n = 0;
    for (size_t i = 0; i < SONDE_SITES; i++) {
        const struct sonde_reached_site *r = &reach->sites[i];
        const struct sonde_site_ *site = atomic_load(&r->site);
        if (site && r->kind == SONDE_SITE_CHECK_ && r->counted && sonde_sites_is_loaded(site)) sites[n++] = site;
    }
    qsort(sites, n, sizeof *sites, by_place);
    for (size_t i = 0; i < n; i++) sonde_mutation_check_at(m, sites[i]->file, sites[i]->line, sites[i]->text);
}

static void add_known(struct sonde_judge_of *of, const struct sonde_search *s)
{
    const struct sonde_novelty *n = &s->judge.novelty;
    for (uint32_t id = 0; id < n->cap_places && id < n->cap_all; id++) {
        if (!n->is_place[id] || !n->all[id]) continue;
        uint64_t name = sonde_counter_name(s->coverage, id);
        if (name) *sonde_map_at(&of->known, name) = 1;
    }
}

/* Copies the results of the search from its heap. */
static void take(struct sonde_judge_of *of, const struct collecting *c, struct sonde_mutation *m,
                 struct sonde_mutation_property *out)
{
    sonde_labels_take(&of->labels, &c->search.labels);
    sonde_bank_clear(&of->bank);
    sonde_bank_copy(&of->bank, &c->bank);
    add_known(of, &c->search);
    if (!out->refusal) add_checks(m, &c->search.t->reached);
    out->cases = c->search.stats.tests;
    out->valid = c->search.stats.valid;
}

/* ---- The base: the kept inputs in a fresh process */

/* Sets the limits of a case with a mutant: twenty times the slowest case without one, and at least 50 ms. Hangs take
 * most of the time of a run. Waiting gets longer, since the machine may be busy. */
static void set_limits(struct sonde_options *o, double slowest)
{
    const double least = 0.05, times = 20, least_wall = 2;
    if (!o->timeout_cpu_given) o->timeout_cpu = times * slowest > least ? times * slowest : least;
    if (!o->timeout_wall_given) o->timeout_wall = o->timeout_cpu * 10 > least_wall ? o->timeout_cpu * 10 : least_wall;
}

/* Runs the base; returns false if it was interrupted. */
static bool run_base(const struct sonde_judge_of *of, struct sonde_trial_result *r)
{
    static atomic_uint bell;
    struct sonde_trial_order order = {.kind = SONDE_TRIAL_BASE, .of = of};
    struct sonde_trial_slot slot = {0};
    sonde_bell_on_child(&bell);
    int error = sonde_trial_start(&slot, &order, &bell);
    if (error < 0) sonde_die(SONDE_INTERNAL, "cannot start a process: %s", strerror(-error));
    for (;;) {
        unsigned seen = atomic_load(&bell);
        if (sonde_trial_poll(&slot, r)) break;
        if (sonde_interrupted()) {
            sonde_trial_stop(&slot);
            return false;
        }
        sonde_bell_wait(&bell, seen, 0.02);
    }
    sonde_bell_on_child(NULL);
    return true;
}

/* Checks the inputs with filled memory. A property that fails only then reads uninitialised memory; it is used without
 * filling. */
static bool check_base(struct sonde_judge_of *of, struct sonde_mutation_property *out)
{
    struct sonde_trial_result r;
    of->fill = SONDE_MUTANT_FILL;
    if (!run_base(of, &r)) return false;
    if (r.kill != SONDE_KILL_NONE) {
        sonde_trial_result_clear(&r);
        of->fill = 0;
        if (!run_base(of, &r)) return false;
    }
    if (r.kill != SONDE_KILL_NONE) refuse(out, &r.claim, r.has_tape ? &r.tape : NULL, &of->labels);
    else sonde_bank_remove(&of->bank, r.is_bad);
    out->tapes = of->bank.n;
    set_limits(&of->options, r.slowest);
    sonde_trial_result_clear(&r);
    return true;
}

bool sonde_collect(struct sonde_judge_of *of, struct sonde_store *store, struct sonde_mutation *m,
                   struct sonde_mutation_property *out)
{
    struct sonde_heap *heap = sonde_heap_create(sonde_supervise_room(&of->options));
    if (!heap) sonde_die(SONDE_INTERNAL, "no shared memory is available: %s", strerror(errno));
    struct sonde_heap *before = sonde_single_enter(heap);
    struct collecting *c = create(of, store);
    struct sonde_worker w = sonde_search_worker(&c->search);
    w.death = sonde_calloc(1, sizeof *w.death);
    w.death->bell = &c->bell;
    sonde_bell_on_child(&c->bell);
    int error = sonde_worker_start(&w, w.output, -1, work, c);
    sonde_single_leave(before);
    if (error < 0) sonde_die(SONDE_INTERNAL, "cannot start a process: %s", strerror(-error));
    bool is_whole = await(c, &w, out);
    if (is_whole) take(of, c, m, out);
    sonde_bell_on_child(NULL);
    sonde_heap_destroy(heap);
    if (!is_whole || out->refusal) return is_whole;
    return check_base(of, out);
}

void sonde_judge_of_clear(struct sonde_judge_of *of)
{
    sonde_bank_clear(&of->bank);
    sonde_map_clear(&of->known);
    sonde_labels_clear(&of->labels);
}
