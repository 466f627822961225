/* See mutate.h. The run as a whole: searches without a mutant, batches of mutants, progress, the state for --continue.
 * judge.c judges one mutant. One loop serves all jobs, and never waits for one of them in particular. */
#include "mutate/mutate.h"

#include "base/clock.h"
#include "base/die.h"
#include "base/digits.h"
#include "base/heap.h"
#include "base/mem.h"
#include "base/process.h"
#include "engine/workers/single.h"
#include "exec/exec.h"
#include "exec/interrupt.h"
#include "mutate/collect.h"
#include "mutate/inputs.h"
#include "mutate/judge.h"
#include "mutate/state.h"
#include "program/mutants.h"
#include "program/sanitizer.h"
#include "store/files.h"
#include "store/home.h"
#include "tape/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 200, /* mutants between two updates of what is learned from kills */
    ROUNDS = 2,  /* of long searches */
    JOBS_MAX = 64
};

struct run {
    const struct sonde_mutate_setup *setup;
    struct sonde_mutation *m;
    struct sonde_judging judging;
    struct sonde_judge_slot slots[JOBS_MAX];
    unsigned n_slots;
    struct sonde_heap *heap; /* holds the bell */
    double began, deadline, told;
    double saved;            /* when the state was written last */
    uint32_t n_saved;        /* judgements in that state */
    struct sonde_code *code; /* functions of the program; NULL: not known */
    char *folder;            /* of the state; NULL: there is no store */
    size_t named;
    uint64_t key;
    uint32_t round; /* of long searches */
};

/* ---- Progress and the state */

static void show_progress(struct run *run, bool is_last)
{
    FILE *out = run->setup->progress;
    double now = sonde_clock_now();
    if (!out || (!is_last && now - run->told < 0.1)) return;
    run->told = now;
    uint32_t fates[SONDE_FATES] = {0};
    for (uint32_t i = 0; i < run->m->n_mutants; i++) fates[run->m->mutants[i].fate]++;
    char a[SONDE_GROUPED], b[SONDE_GROUPED], c[SONDE_GROUPED], d[SONDE_GROUPED];
    if (is_last) fputs("\r\033[K", out);
    else
        fprintf(out, "\r\033[K%s of %s mutants judged, %s killed, %s survived",
                sonde_grouped(run->m->n_mutants - fates[SONDE_FATE_NOT_JUDGED], a), sonde_grouped(run->m->n_mutants, b),
                sonde_grouped(fates[SONDE_FATE_KILLED], c), sonde_grouped(fates[SONDE_FATE_SURVIVED], d));
    fflush(out);
}

static void show_search(const struct run *run, uint32_t property)
{
    FILE *out = run->setup->progress;
    if (!out) return;
    fprintf(out, "\r\033[Ksearching for inputs: property %" PRIu32 " of %" PRIu32, property + 1, run->m->n_properties);
    fflush(out);
}

/* Returns a hash of the program's file; 0 if it cannot be read. */
static uint64_t hash_program(const char *path)
{
    enum { MOST = 1 << 30 };
    char *bytes = NULL;
    size_t n = 0;
    uint64_t hash = sonde_read_file(path, MOST, true, &bytes, &n) ? 0 : sonde_hash_bytes(1, bytes, n);
    sonde_free(bytes);
    return hash;
}

/* Finds the files of the state. The key names everything that the result depends on. */
static void find_state(struct run *run)
{
    const struct sonde_options *o = run->setup->options;
    char *executable = sonde_home_executable(o->program);
    run->key = sonde_hash_add(sonde_hash_add(sonde_mutants_hash(), o->seed), run->judging.of[0].options.tests);
    run->key = sonde_hash_text(sonde_hash_add(run->key, run->setup->has_matrix), run->m->since ? run->m->since : "");
    for (uint32_t p = 0; p < run->m->n_properties; p++)
        run->key = sonde_hash_text(run->key, run->m->properties[p].name);
    if (!o->no_store) {
        struct sonde_home home;
        run->key = sonde_hash_add(run->key, hash_program(executable));
        sonde_home_find(&home, o->store, executable, o->source);
        if (home.store) {
            run->named = strlen(home.store);
            run->folder = sonde_path("%s/%s", home.store, home.program);
        }
        sonde_home_clear(&home);
    }
    sonde_free(executable);
}

/* Writes a file of the state. `text` is taken. */
static void save(struct run *run, const char *name, char *text)
{
    static unsigned turn;
    char *path = sonde_path("%s/%s", run->folder, name);
    int error = sonde_below_make(run->folder, run->named);
    if (!error) error = sonde_below_write(path, run->named, text, strlen(text), &turn, false);
    if (error) {
        sonde_warn("cannot write %s: %s; --continue will not work", path, strerror(-error));
        sonde_free(run->folder);
        run->folder = NULL;
    }
    sonde_free(path);
    sonde_free(text);
}

static void save_state(struct run *run)
{
    run->saved = sonde_clock_now();
    run->n_saved = run->judging.n_judged;
    if (run->folder) save(run, "mutation.state", sonde_state_write(run->m, run->key));
}

/* Writes the state from time to time, for a run that is killed: a batch of slow mutants may take minutes. */
static void save_sometimes(struct run *run)
{
    const double seconds = 2;
    if (run->judging.n_judged > run->n_saved && sonde_clock_now() - run->saved > seconds) save_state(run);
}

static void save_inputs(struct run *run)
{
    if (run->folder) save(run, "mutation.inputs", sonde_inputs_write(run->judging.of, run->m, run->key));
}

/* Reads a file of the state; returns NULL if there is none. The caller frees the string. */
static char *load(const struct run *run, const char *name)
{
    enum { MOST = 1 << 30 };
    char *text = NULL, *path = run->folder ? sonde_path("%s/%s", run->folder, name) : NULL;
    size_t n;
    if (path && sonde_below_read(path, run->named, MOST, &text, &n)) text = NULL;
    sonde_free(path);
    return text;
}

/* Loads what an earlier run has judged, before anything else: the report has it even if this run is interrupted in its
 * search. Returns whether the inputs are there as well. */
static bool load_state(struct run *run)
{
    if (!run->setup->continues) return false;
    char *state = load(run, "mutation.state"), *inputs = load(run, "mutation.inputs");
    bool is_other = state && sonde_state_read(run->m, run->key, state) < 0;
    bool has_inputs = inputs && !is_other && sonde_inputs_read(run->judging.of, run->m, run->key, inputs);
    if (!state && !has_inputs) sonde_warn("--continue: there is no earlier run to continue; all mutants are judged");
    if (is_other)
        sonde_warn(
            "--continue: %s/mutation.state is damaged, or from another build, --seed, --tests, --since, --matrix or "
            "choice of properties; all mutants are judged",
            run->folder);
    sonde_free(state);
    sonde_free(inputs);
    return has_inputs;
}

/* ---- Batches */

static struct sonde_mutant_result *nth(const struct run *run, uint32_t i)
{
    return &run->m->mutants[sonde_mutation_nth(run->m->n_mutants, i)];
}

/* Updates what later batches use, in the order in which mutants are judged. */
static void learn(struct run *run, uint32_t from, uint32_t to)
{
    for (uint32_t p = 0; p < run->m->n_properties; p++)
        run->judging.is_refused[p] = run->m->properties[p].refusal != NULL;
    if (run->judging.is_long) return;
    for (uint32_t i = from; i < to; i++) {
        const struct sonde_mutant_result *r = nth(run, i);
        if (r->fate != SONDE_FATE_KILLED || r->tape < 0) continue;
        struct sonde_bank *bank = &run->judging.of[r->killer].bank;
        if ((uint32_t)r->tape < bank->n) bank->inputs[r->tape].kills++;
    }
}

static bool must_stop(struct run *run)
{
    if (sonde_interrupted()) run->m->end = SONDE_MUTATION_INTERRUPTED;
    else if (run->deadline > 0 && sonde_clock_now() > run->deadline) run->m->end = SONDE_MUTATION_TIME;
    return run->m->end != SONDE_MUTATION_WHOLE;
}

/* Ends the running trials. Their mutants are judged by a later run. */
static void abandon(struct run *run)
{
    for (unsigned i = 0; i < run->n_slots; i++) {
        struct sonde_judge_slot *s = &run->slots[i];
        if (s->r) sonde_judge_stop(&run->judging, s);
    }
}

/* Returns whether a mutant is to be judged now. */
static bool is_due(const struct run *run, const struct sonde_mutant_result *r)
{
    if (!run->judging.is_long) return r->fate == SONDE_FATE_NOT_JUDGED;
    return r->fate == SONDE_FATE_SURVIVED && r->long_cases && r->searches == run->round;
}

/* Gives idle slots the next mutants. Returns whether a slot is busy. */
static bool fill_slots(struct run *run, uint32_t *next, uint32_t end_of_batch)
{
    bool is_busy = false;
    for (unsigned i = 0; i < run->n_slots; i++) {
        struct sonde_judge_slot *s = &run->slots[i];
        while (!s->r && *next < end_of_batch) {
            struct sonde_mutant_result *r = nth(run, (*next)++);
            if (is_due(run, r)) sonde_judge_begin(&run->judging, s, r);
        }
        is_busy |= s->r != NULL;
    }
    return is_busy;
}

static bool poll_slots(struct run *run)
{
    bool has_ended = false;
    for (unsigned i = 0; i < run->n_slots; i++) {
        struct sonde_judge_slot *s = &run->slots[i];
        if (s->r) has_ended |= sonde_judge_poll(&run->judging, s);
    }
    return has_ended;
}

static void judge_batch(struct run *run, uint32_t from, uint32_t to)
{
    uint32_t next = from;
    while (!must_stop(run) && fill_slots(run, &next, to)) {
        unsigned seen = atomic_load(run->judging.bell);
        if (!poll_slots(run)) sonde_bell_wait(run->judging.bell, seen, 0.02);
        save_sometimes(run);
        show_progress(run, false);
    }
    abandon(run);
}

/* Returns whether a property is left that passes without a mutant. Without one nothing can be judged. */
static bool has_judge(const struct run *run)
{
    bool has_one = false;
    for (uint32_t p = 0; p < run->m->n_properties; p++) has_one |= !run->judging.is_refused[p];
    return has_one;
}

static void judge_all(struct run *run)
{
    uint32_t n = run->m->n_mutants;
    for (uint32_t from = 0; from < n && has_judge(run) && !must_stop(run); from += BATCH) {
        uint32_t to = n - from < BATCH ? n : from + BATCH;
        judge_batch(run, from, to);
        learn(run, from, to);
        if (run->judging.n_judged > run->n_saved) save_state(run);
    }
}

/* ---- Long searches of survivors */

static int by_effect(const void *a, const void *b)
{
    const struct sonde_mutant_result *x = *(struct sonde_mutant_result *const *)a,
                                     *y = *(struct sonde_mutant_result *const *)b;
    return x->effect != y->effect ? (x->effect < y->effect ? -1 : 1) : (x > y) - (x < y);
}

static uint32_t count_judges(const struct run *run, const struct sonde_mutant_result *r)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < run->m->n_properties; p++) n += sonde_judge_can(&run->judging, p, r->number);
    return n;
}

/* Returns whether a mutant was still alive before a round of long searches. */
static bool had_survived(const struct sonde_mutant_result *r, uint32_t round)
{
    bool has_round = r->searches > round || (r->fate == SONDE_FATE_SURVIVED && r->searches == round);
    return has_round && !r->excuse;
}

/* Deals out a budget of cases to the survivors. Returns the rest. */
static uint64_t deal_cases(struct run *run, uint32_t round, uint64_t ordinary, uint64_t budget)
{
    enum { LEAST = 500 }; /* cases of a search; fewer find too little */
    struct sonde_mutation *m = run->m;
    struct sonde_mutant_result **all = sonde_calloc(m->n_mutants + 1u, sizeof(struct sonde_mutant_result *));
    uint64_t pairs = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n_mutants; i++) {
        m->mutants[i].long_cases = 0;
        if (!had_survived(&m->mutants[i], round)) continue;
        all[n++] = &m->mutants[i];
        pairs += count_judges(run, &m->mutants[i]);
    }
    qsort(all, n, sizeof(struct sonde_mutant_result *), by_effect);
    uint64_t part = pairs ? budget / pairs : 0;
    if (round == 0) part = part > ordinary ? ordinary : part < LEAST ? LEAST : part;
    else if (part < 2 * ordinary) n = 0;
    for (uint32_t i = 0; i < n && budget >= part * count_judges(run, all[i]); i++) {
        all[i]->long_cases = (uint32_t)part;
        budget -= part * count_judges(run, all[i]);
    }
    sonde_free(all);
    return budget;
}

/* Sets how long the survivors are searched for. A short search misses rare inputs, which an ordinary run with that bug
 * would find. So in the first round each survivor gets the cases of an ordinary search, by each property that
 * reaches it. If the budget is too small for that, all get equal parts, and those without an effect are left out first.
 * In the second round the survivors of the first share the rest, if that is worth another search. The plan depends on
 * earlier judgements only, so that a continued run has the same. */
static void plan_long_searches(struct run *run, uint32_t round)
{
    enum { BUDGET = 20 }; /* in ordinary searches, over all survivors */
    uint64_t ordinary = 0;
    for (uint32_t p = 0; p < run->m->n_properties; p++) ordinary += run->m->properties[p].cases;
    ordinary /= run->m->n_properties;
    uint64_t left = BUDGET * ordinary;
    for (uint32_t i = 0; i <= round; i++) left = deal_cases(run, i, ordinary, left);
    run->round = round;
}

/* ---- Setting up */

static void count_reached(struct run *run)
{
    for (uint32_t i = 0; i < run->m->n_mutants; i++) {
        struct sonde_mutant_result *r = &run->m->mutants[i];
        uint32_t site = sonde_mutants_site_of(r->number);
        r->reached = 0;
        for (uint32_t p = 0; p < run->m->n_properties; p++)
            if (!run->judging.is_refused[p] && run->judging.of[p].bank.n_sites)
                r->reached += run->judging.of[p].bank.reached[site];
    }
}

static void set_up_mutants(struct run *run)
{
    struct sonde_mutation *m = run->m;
    m->n_all = sonde_mutants_count();
    m->mutants = sonde_calloc(m->n_all + 1u, sizeof *m->mutants);
    for (uint32_t number = 1; number <= m->n_all; number++) {
        if (run->setup->is_chosen && !run->setup->is_chosen[number]) continue;
        struct sonde_mutant_result *r = &m->mutants[m->n_mutants++];
        *r = (struct sonde_mutant_result){.number = number, .mutant = sonde_mutants_at(number), .killer = UINT32_MAX};
        r->tape = -1;
        r->excuse = run->setup->equivalents ? sonde_equivalents_reason(run->setup->equivalents, number) : NULL;
        r->kills = sonde_calloc(m->n_properties + 1u, sizeof *r->kills);
        for (uint32_t p = 0; p < m->n_properties; p++) r->kills[p].check = UINT32_MAX;
    }
}

/* Returns the path that the plain build of this program has: the name without "-mutants" at its end. The caller frees
 * it. */
static char *plain_program(const char *program)
{
    static const char end[] = "-mutants";
    char *path = sonde_home_executable(program);
    size_t n = strlen(path);
    if (n > sizeof end && !strcmp(path + n - (sizeof end - 1), end)) path[n - (sizeof end - 1)] = '\0';
    return path;
}

/* Sets how long a property is searched: as in an ordinary run, and at most a quarter of --time for all of them. */
static void set_budget(struct run *run, struct sonde_options *o)
{
    enum { CASES_OF_SEARCH = 10000 };
    const struct sonde_options *given = run->setup->options;
    const double seconds = 10;
    if (!o->tests) o->tests = CASES_OF_SEARCH;
    o->seconds = given->tests_given && given->tests ? 0 : seconds;
    double share = given->seconds / 4 / run->m->n_properties;
    if (given->seconds > 0 && (o->seconds <= 0 || share < o->seconds)) o->seconds = share;
    o->spawn = o->fuzz = o->watched = o->insight = false;
    o->flat_seconds = 0;
    o->jobs = 1;
}

static bool collect_all(struct run *run)
{
    const struct sonde_options *o = run->setup->options;
    char *program = plain_program(o->program);
    struct sonde_store *store = sonde_store_open(&(struct sonde_store_setup){
        .directory = o->store, .program = program, .source = o->source, .is_off = o->no_store});
    bool is_whole = true;
    for (uint32_t p = 0; p < run->m->n_properties && is_whole; p++) {
        show_search(run, p);
        is_whole = sonde_collect(&run->judging.of[p], store, run->m, &run->m->properties[p]);
        run->judging.is_refused[p] = run->m->properties[p].refusal != NULL;
    }
    sonde_store_close(store);
    sonde_free(program);
    return is_whole;
}

static void set_up(struct run *run)
{
    struct sonde_mutation *m = run->m;
    const struct sonde_mutate_setup *setup = run->setup;
    *m = (struct sonde_mutation){.program = setup->options->program,
                                 .seed = setup->options->seed,
                                 .since = setup->since,
                                 .has_matrix = setup->has_matrix,
                                 .n_properties = (uint32_t)setup->n_properties};
    m->properties = sonde_calloc(m->n_properties + 1u, sizeof *m->properties);
    for (uint32_t p = 0; p < m->n_properties; p++) m->properties[p].name = setup->properties[p]->name;
    run->judging.of = sonde_calloc(m->n_properties + 1u, sizeof *run->judging.of);
    run->judging.is_refused = sonde_calloc(m->n_properties + 1u, sizeof *run->judging.is_refused);
    if (sonde_mutants_count()) run->code = sonde_code_open(sonde_mutants_at(1));
    for (uint32_t p = 0; p < m->n_properties; p++) {
        struct sonde_judge_of *of = &run->judging.of[p];
        sonde_labels_init(&of->labels);
        of->property = setup->properties[p];
        of->code = run->code;
        sonde_options_merge(&of->options, of->property, setup->options);
        set_budget(run, &of->options);
    }
    run->n_slots = setup->options->jobs < JOBS_MAX ? (unsigned)setup->options->jobs : JOBS_MAX;
    run->began = run->saved = sonde_clock_now();
    if (setup->options->seconds > 0) run->deadline = run->began + setup->options->seconds;
    run->heap = sonde_heap_create(1 << 16);
    if (!run->heap) sonde_die(SONDE_INTERNAL, "no shared memory is available: %s", strerror(errno));
    struct sonde_heap *before = sonde_single_enter(run->heap);
    run->judging.bell = sonde_calloc(1, sizeof *run->judging.bell);
    sonde_single_leave(before);
    set_up_mutants(run);
}

static void clear(struct run *run)
{
    for (uint32_t p = 0; p < run->m->n_properties; p++) sonde_judge_of_clear(&run->judging.of[p]);
    sonde_free(run->judging.of);
    sonde_free(run->judging.is_refused);
    sonde_code_close(run->code);
    sonde_free(run->folder);
    sonde_heap_destroy(run->heap);
}

enum sonde_status sonde_mutation_run(const struct sonde_mutate_setup *setup, struct sonde_mutation *result)
{
    struct run *run = sonde_calloc(1, sizeof *run);
    enum sonde_status status = SONDE_PASSED;
    run->setup = setup;
    run->m = run->judging.m = result;
    run->judging.has_matrix = setup->has_matrix;
    sonde_exec_begin();
    sonde_death_prepare();
    set_up(run);
    find_state(run);
    bool has_inputs = load_state(run), is_new = !has_inputs && collect_all(run);
    if (is_new) save_inputs(run);
    if (is_new || has_inputs) {
        learn(run, 0, result->n_mutants);
        count_reached(run);
        sonde_bell_on_child(run->judging.bell);
        judge_all(run);
        run->judging.is_long = true;
        for (uint32_t round = 0; round < ROUNDS && !must_stop(run); round++) {
            plan_long_searches(run, round);
            judge_all(run);
        }
        sonde_bell_on_child(NULL);
    } else {
        result->end = SONDE_MUTATION_INTERRUPTED;
    }
    show_progress(run, true);
    result->seconds = sonde_clock_now() - run->began;
    for (uint32_t p = 0; p < result->n_properties; p++)
        if (result->properties[p].refusal) status = SONDE_FALSIFIED;
    if (status == SONDE_PASSED && sonde_interrupt_status()) status = (enum sonde_status)sonde_interrupt_status();
    result->is_sanitized = sonde_tools_watch_memory();
    sonde_mutation_sum_up(result);
    clear(run);
    sonde_free(run);
    sonde_exec_end();
    return status;
}
