/* See state.h. Each question is a run in a new process: the earlier cases, then something is restored, then the failing
 * input. If that run is like the one of the input alone, what was restored mattered.
 *
 * Only what was changed is tried: all variables together, then halves, down to the fewest that suffice; and each other
 * kind of state by itself. A finding is named only if it comes back in two more runs, and if the input still fails
 * when nothing is restored. */
#include "engine/state.h"

#include "base/mem.h"
#include "exec/exec.h"
#include "exec/interrupt.h"
#include "tape/agree.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { VARIABLES_MAX = 1024, RUNS_MAX = 400, TEXT = 8192, AGAIN = 2 };

/* A set of variables by their numbers. */
struct set {
    uint32_t n, at[VARIABLES_MAX];
};

/* The search for one failure. */
struct finder {
    struct sonde_engine *e;
    const struct sonde_tape *tapes[SONDE_RUNNER_SCRIPTS]; /* the earlier cases, then the failing one */
    uint32_t n;
    uint64_t brief; /* identity of the failure */
    struct sonde_state_order *order;
    struct sonde_variable *variables; /* those that the earlier cases have changed */
    uint32_t n_variables, n_unnamed;  /* n_unnamed: changed bytes without a symbol */
    uint32_t kinds;                   /* kinds of state that have changed */
    uint8_t *block_of;
    size_t block_size;
    unsigned runs;
    /* the input alone, in a new process */
    enum sonde_verdict verdict;
    struct sonde_tape drawn;
    struct sonde_observed observed;
    char text[TEXT];
    size_t n_text;
};

SONDE_PRINTF(2, 3) static void add(struct finder *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(f->text + f->n_text, sizeof f->text - f->n_text, format, args);
    va_end(args);
    f->n_text += n > 0 ? (size_t)n : 0;
    if (f->n_text >= sizeof f->text) f->n_text = sizeof f->text - 1;
}

/* ---- Runs */

/* Runs the last n tapes in a new process. Returns whether the last one fails as the failure does. */
static bool run(struct finder *f, uint32_t n)
{
    struct sonde_engine *e = f->e;
    f->runs++;
    f->order->is_done = false;
    e->search->t->observes = true;
    bool fails = sonde_single_fails(e->single, f->tapes + (f->n - n), n, true, f->brief);
    return fails;
}

static void restore_nothing(struct finder *f)
{
    f->order->restored = 0;
    f->order->n_variables = 0;
}

static void restore_variables(struct finder *f, const struct set *set)
{
    f->order->n_variables = set->n;
    for (uint32_t i = 0; i < set->n; i++) {
        const struct sonde_variable *v = &f->variables[set->at[i]];
        f->order->variables[i] = (struct sonde_state_bytes){v->at, v->size};
    }
}

/* Returns whether the last run was like the run of the input alone: verdict, draws and observed values. */
static bool is_as_alone(const struct finder *f)
{
    const sonde *t = f->e->search->t;
    char text[256];
    bool is_cut = t->verdict != SONDE_VALID;
    struct sonde_disagreement where;
    return t->verdict == f->verdict && f->order->is_done
           && sonde_tape_agrees((struct sonde_agreed){&f->drawn, is_cut}, (struct sonde_agreed){&t->tape, is_cut},
                                t->labels, &where)
           && !sonde_observed_differ(&t->observed, &f->observed, text, sizeof text);
}

/* Runs all tapes with what the order restores. Returns whether the last one does what it does alone. */
static bool mends(struct finder *f)
{
    if (f->runs >= RUNS_MAX || sonde_interrupted()) return false;
    run(f, f->n);
    return is_as_alone(f);
}

static bool mends_set(struct finder *f, const struct set *set)
{
    restore_nothing(f);
    restore_variables(f, set);
    return set->n > 0 && mends(f);
}

/* Returns whether a finding comes back, and the failure does without it. */
static bool is_firm(struct finder *f, uint32_t kinds, const struct set *set)
{
    for (int i = 0; i < AGAIN; i++) {
        restore_nothing(f);
        if (set) restore_variables(f, set);
        f->order->restored = kinds;
        if (!mends(f)) return false;
        restore_nothing(f);
        if (!run(f, f->n)) return false;
    }
    return true;
}

/* ---- The beginning: the input alone, and what the earlier cases change */

/* Runs the input alone, twice. Returns whether it holds, in the same way each time. */
static bool run_alone(struct finder *f)
{
    restore_nothing(f);
    if (run(f, 1) || f->e->search->t->verdict == SONDE_FAILED) return false;
    const sonde *t = f->e->search->t;
    f->verdict = t->verdict;
    sonde_tape_copy(&f->drawn, &t->tape);
    sonde_observed_copy(&f->observed, &t->observed);
    return !run(f, 1) && is_as_alone(f);
}

static bool has_variable(const struct finder *f, const uint8_t *at)
{
    for (uint32_t i = 0; i < f->n_variables; i++)
        if (at >= f->variables[i].at && at < f->variables[i].at + f->variables[i].size) return true;
    return false;
}

/* Adds the variables that a run of changed bytes belongs to. */
static void add_variables(struct finder *f, struct sonde_state_bytes bytes)
{
    for (uint8_t *at = bytes.at; at < bytes.at + bytes.n && f->n_variables < VARIABLES_MAX;) {
        struct sonde_variable v;
        if (has_variable(f, at)) {
            at++;
            continue;
        }
        sonde_variable_of(at, &v);
        if (!*v.name) v.size = (size_t)(bytes.at + bytes.n - at);
        if (!*v.name) f->n_unnamed++;
        f->variables[f->n_variables++] = v;
        at = v.at + v.size;
    }
}

/* Runs all tapes, twice, and lists what the earlier ones have changed. Returns whether the last one fails each time. */
static bool run_control(struct finder *f)
{
    restore_nothing(f);
    if (!run(f, f->n) || !f->order->is_done || !run(f, f->n)) return false;
    const struct sonde_state_order *o = f->order;
    for (uint32_t i = 0; i < o->n_changed && i < SONDE_STATE_RUNS; i++) add_variables(f, o->changed[i]);
    f->kinds = o->changed_kinds;
    f->block_of = o->block_of;
    f->block_size = o->block_size;
    return true;
}

/* ---- Variables */

/* Leaves out of the set whatever is not needed, in parts of halving size. */
static void reduce(struct finder *f, struct set *set)
{
    for (uint32_t size = set->n / 2; size > 0; size /= 2) {
        for (uint32_t from = 0; from < set->n && set->n > 1;) {
            struct set less = {.n = 0};
            for (uint32_t i = 0; i < set->n; i++)
                if (i < from || i >= from + size) less.at[less.n++] = set->at[i];
            if (mends_set(f, &less)) *set = less;
            else from += size;
        }
    }
}

/* Returns a path without the working directory in front. */
static const char *from_here(const char *path)
{
    char here[PATH_MAX];
    size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
    return n > 1 && !strncmp(path, here, n) && path[n] == '/' ? path + n + 1 : path;
}

/* Describes a variable: "cache.c:14: last (4 bytes)". */
static void put_variable(struct finder *f, struct sonde_variable v)
{
    sonde_variable_locate(&v);
    char *suffix = strrchr(v.name, '.');
    /* Compilers number the static variables of functions: `n.0`. */
    if (suffix && suffix[1] && strspn(suffix + 1, "0123456789") == strlen(suffix + 1)) *suffix = '\0';
    if (*v.file && v.line) add(f, "%s:%d: ", from_here(v.file), v.line);
    else if (*v.file) add(f, "%s: ", v.file);
    if (*v.name) add(f, "%s", v.name);
    else add(f, "a variable without a name, at %p", (void *)v.at);
    add(f, " (%zu byte%s)", v.size, v.size == 1 ? "" : "s");
}

static bool name_set(struct finder *f, const struct set *set)
{
    if (!is_firm(f, 0, set)) return false;
    for (uint32_t i = 0; i < set->n; i++) {
        add(f, i ? " and " : "");
        put_variable(f, f->variables[set->at[i]]);
    }
    add(f, "%s left changed; with %s restored, the input does what it does alone\n", set->n == 1 ? " is" : " are",
        set->n == 1 ? "it" : "them");
    return true;
}

/* Returns whether variables are named. Each set that suffices is left out of the search for the next one. */
static bool find_variables(struct finder *f)
{
    enum { MOST = 4 }; /* sets that are named: each suffices by itself */
    struct set left = {.n = 0};
    bool is_named = false;
    for (uint32_t i = 0; i < f->n_variables; i++) left.at[left.n++] = i;
    for (int i = 0; i < MOST && mends_set(f, &left); i++) {
        struct set set = left;
        reduce(f, &set);
        if (!name_set(f, &set)) break;
        is_named = true;
        uint32_t n = 0;
        for (uint32_t k = 0; k < left.n; k++) {
            bool is_in = false;
            for (uint32_t j = 0; j < set.n; j++) is_in |= set.at[j] == left.at[k];
            if (!is_in) left.at[n++] = left.at[k];
        }
        left.n = n;
    }
    return is_named;
}

/* ---- Other state */

static const char *const words[SONDE_STATE_KINDS] = {
    [SONDE_STATE_ERRNO] = "errno is left changed",
    [SONDE_STATE_LOCALE] = "the locale is left changed (setlocale)",
    [SONDE_STATE_DIRECTORY] = "the working directory is left changed (chdir)",
    [SONDE_STATE_UMASK] = "the umask is left changed",
    [SONDE_STATE_MASK] = "the signal mask is left changed (sigprocmask)",
    [SONDE_STATE_HANDLERS] = "a signal handler is left changed (sigaction)",
    [SONDE_STATE_TIMER] = "a timer is left running (setitimer, alarm)",
    [SONDE_STATE_DESCRIPTORS] = "the file descriptors are left changed: opened, closed, or at another offset",
    [SONDE_STATE_ENVIRONMENT] = "the environment is left changed (setenv)",
    [SONDE_STATE_RANDOM] = "the random numbers of the C library continue where earlier cases left them (rand, random)",
    [SONDE_STATE_STACK] = "memory of the stack is read before it is written: it has what earlier cases left there",
};

static void name_kind(struct finder *f, enum sonde_state_kind kind)
{
    if (kind == SONDE_STATE_HEAP) {
        struct sonde_variable v;
        sonde_variable_of(f->block_of, &v);
        add(f, "heap: the block of %zu bytes that ", f->block_size);
        put_variable(f, v);
        add(f, " leads to, or another one, is left changed");
    } else add(f, "%s", words[kind]);
    add(f, "; with %s restored, the input does what it does alone\n", kind == SONDE_STATE_HEAP ? "the heap" : "this");
}

static bool find_kinds(struct finder *f)
{
    bool is_named = false;
    for (uint32_t kind = 0; kind < SONDE_STATE_KINDS; kind++) {
        if (!(f->kinds >> kind & 1)) continue;
        restore_nothing(f);
        f->order->restored = 1U << kind;
        if (!mends(f) || !is_firm(f, 1U << kind, NULL)) continue;
        name_kind(f, (enum sonde_state_kind)kind);
        is_named = true;
    }
    return is_named;
}

/* Runs the input alone, with new memory of malloc filled in two ways. If that decides whether it fails, the code reads
 * memory that it has not written. */
static bool find_unwritten(struct finder *f)
{
    struct sonde_worker *worker = &f->e->single->runner.worker;
    static const unsigned char fills[] = {0xff, 0x01}; /* malloc fills with the complement */
    unsigned n[2] = {0, 0};
    restore_nothing(f);
    for (int i = 0; i < 2 * AGAIN && !sonde_interrupted(); i++) {
        worker->fill = fills[i % 2];
        n[i % 2] += run(f, 1);
    }
    worker->fill = 0;
    bool differs = (n[0] == AGAIN && n[1] == 0) || (n[1] == AGAIN && n[0] == 0);
    if (differs)
        add(f, "memory of malloc is read before it is written: with new blocks filled with one value, the input alone "
               "fails each time, and with another value never\n");
    return differs;
}

/* ---- All of it */

static void explain_nothing(struct finder *f)
{
    add(f, "not found: ");
    if (!f->n_variables) add(f, "no variable of instrumented code is left changed (compile all code with sonde cc)");
    else
        add(f, "restoring the %" PRIu32 " changed variable%s of instrumented code", f->n_variables,
            f->n_variables == 1 ? "" : "s");
    add(f, f->n_variables ? ", the heap that they lead to, errno, locale, directory, umask, signals, descriptors and "
                            "environment is not enough. "
                          : ", and the rest that is restored is not enough. ");
    add(f, "Left are variables of other code, files, and other processes\n");
}

static void find(struct finder *f, bool is_flaky)
{
    if (is_flaky || f->n < 2) {
        if (!find_unwritten(f)) add(f, "not found: the input does not fail each time, with or without earlier cases\n");
        return;
    }
    if (!run_alone(f)) {
        if (!find_unwritten(f)) add(f, "not found: the input alone does not do the same each time\n");
        return;
    }
    if (!run_control(f)) {
        if (!find_unwritten(f)) add(f, "not found: the input does not fail each time after the earlier cases\n");
        return;
    }
    bool is_named = find_variables(f);
    is_named |= find_kinds(f);
    is_named |= find_unwritten(f);
    if (!is_named) explain_nothing(f);
}

/* Finds the state of one failure. The order is in the heap that workers share. */
static void explain(struct sonde_engine *e, struct sonde_failure *failure, const struct sonde_found *found)
{
    struct finder *f = sonde_calloc(1, sizeof *f);
    f->e = e;
    f->n = failure->earlier + 1;
    f->brief = sonde_claim_brief(&found->claim);
    for (uint32_t i = 0; i < failure->earlier; i++) f->tapes[i] = &found->earlier[i];
    f->tapes[f->n - 1] = &found->tape;
    f->variables = sonde_calloc(VARIABLES_MAX, sizeof *f->variables);
    sonde_tape_init(&f->drawn);
    struct sonde_heap *before = sonde_single_enter(e->search);
    f->order = sonde_calloc(1, sizeof *f->order);
    sonde_single_leave(before);
    e->single->runner.state = f->order;
    find(f, failure->flaky);
    e->single->runner.state = NULL;
    sonde_runner_stop(&e->single->runner);
    while (f->n_text && f->text[f->n_text - 1] == '\n') f->text[--f->n_text] = '\0';
    failure->state = sonde_strdup(f->text);
    before = sonde_single_enter(e->search);
    sonde_free(f->order);
    sonde_single_leave(before);
    sonde_observed_clear(&f->observed);
    sonde_tape_clear(&f->drawn);
    sonde_free(f->variables);
    sonde_free(f);
}

void sonde_engine_find_state(struct sonde_engine *e)
{
    bool observed = e->search->t->observes;
    for (uint32_t i = 0; i < e->n_failures && e->single->isolated; i++) {
        struct sonde_failure *f = &e->failures[i];
        char id[sizeof f->id];
        for (uint32_t k = 0; k < e->n_ours && !f->state && (f->earlier || f->flaky); k++) {
            snprintf(id, sizeof id, "%016" PRIx64, e->ours[k]->identity);
            if (!strcmp(id, f->id) && f->earlier <= e->ours[k]->n_earlier) explain(e, f, e->ours[k]);
        }
    }
    e->search->t->observes = observed;
}
