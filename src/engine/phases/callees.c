/* See callees.h. */
#include "engine/phases/callees.h"

#include "base/strings.h"
#include "program/place.h"
#include "program/sites.h"

#include <stdio.h>
#include <string.h>

/* ---- Blind
 *
 * Of the functions whose counters were hit, those that call sonde belong to the test: the property, its generators. If
 * any other function was hit, the search sees some of the code under test, and is not blind. Otherwise the search does
 * not see the uninstrumented functions of the program that the test calls. */

enum { TESTS = 64 }; /* maximum number of functions of the test that are examined */

struct blind {
    const struct sonde_search *s;
    struct sonde_code *code;
    struct sonde_function tests[TESTS];
    size_t n_tests;
    bool sees_code;
    /* results for the function being examined */
    bool calls_sonde, is_instrumented;
    /* is_foreign: the function at `target` has a name that shows that it is foreign */
    uintptr_t target;
    bool is_foreign;
    char *out;
    size_t size, n_named;
};

static void look_for_sonde(const struct sonde_function *target, void *user)
{
    struct blind *b = user;
    b->calls_sonde |= sonde_starts(target->name, "sonde_") || sonde_starts(target->name, "_ZN8sondecpp");
    b->is_instrumented |= sonde_starts(target->name, "__sanitizer_cov_trace_pc");
}

/* sondecpp::property<f> may be separate from f, which always calls sonde. */
static bool is_test(struct blind *b, const struct sonde_function *f)
{
    b->calls_sonde = false;
    sonde_code_calls(b->code, f, look_for_sonde, b);
    return b->calls_sonde || sonde_starts(f->name, "_ZN8sondecpp");
}

static bool is_known(const struct blind *b, uintptr_t start)
{
    for (size_t i = 0; i < b->n_tests; i++)
        if (b->tests[i].start == start) return true;
    return false;
}

static void add_test(struct blind *b, const struct sonde_function *f)
{
    if (is_known(b, f->start)) return;
    /* too many to examine: pretend that the search sees code, so that there is no warning */
    if (b->n_tests == TESTS) b->sees_code = true;
    else b->tests[b->n_tests++] = *f;
}

static void visit_hit(void *user, const struct sonde_coverage_place *place)
{
    struct blind *b = user;
    const struct sonde_novelty *n = &b->s->judge.novelty;
    struct sonde_function f;
    bool is_hit = place->id < n->cap_all && n->all[place->id];
    if (b->sees_code || !is_hit) return;
    /* The location may be in a library, for instance: then the search sees code beyond the test. */
    if (!sonde_code_function(b->code, place->address - place->is_called, &f)) b->sees_code = true;
    else if (!is_known(b, f.start) && !is_test(b, &f)) b->sees_code = true;
    else add_test(b, &f);
}

/* clang only: whether a counter is inside the function. */
struct within {
    const struct sonde_function *f;
    bool has_any;
};

static void visit_within(void *user, const struct sonde_coverage_place *place)
{
    struct within *w = user;
    w->has_any |= place->address >= w->f->start && place->address < w->f->end;
}

static bool is_instrumented(struct blind *b, const struct sonde_function *f)
{
    struct within w = {.f = f};
    b->is_instrumented = false;
    sonde_code_calls(b->code, f, look_for_sonde, b);
    if (!b->is_instrumented) sonde_coverage_each_place(b->s->coverage, visit_within, &w);
    return b->is_instrumented || w.has_any;
}

static void note_target(const struct sonde_function *target, void *user)
{
    struct blind *b = user;
    struct sonde_symbol symbol;
    if (is_known(b, target->start) || strstr(b->out, target->name)) return;
    sonde_symbol_of((const void *)target->start, &symbol);
    static const char *const others[] = {"__", "sonde_", "_ZSt", "_ZNSt", "_ZNKSt"};
    bool is_ours = symbol.is_foreign;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) is_ours |= sonde_starts(target->name, others[i]);
    /* All names of a function come one after the other; if one is foreign, the function is. */
    if (target->start == b->target && b->is_foreign) return;
    b->target = target->start;
    b->is_foreign = is_ours;
    if (is_ours || is_test(b, target) || is_instrumented(b, target) || b->n_named == 3) return;
    size_t used = strlen(b->out);
    snprintf(b->out + used, b->size - used, "%s%.100s", used ? ", " : "", target->name);
    b->n_named++;
}

bool sonde_blind_find(const struct sonde_search *s, sonde_property_fn *run, char *out, size_t size)
{
    struct sonde_function property;
    struct blind b = {.s = s, .out = out, .size = size};
    *out = '\0';
    if (!sonde_coverage_size(s->coverage).counters) return false;
    b.code = sonde_code_open((const void *)(uintptr_t)run);
    if (!b.code) return false;
    if (sonde_code_function(b.code, (uintptr_t)run, &property)) add_test(&b, &property);
    else b.sees_code = true;
    sonde_coverage_each_place(s->coverage, visit_hit, &b);
    for (size_t i = 0; i < b.n_tests && !b.sees_code; i++) sonde_code_calls(b.code, &b.tests[i], note_target, &b);
    sonde_code_close(b.code);
    return !b.sees_code && b.n_named;
}

/* ---- Can the property reach a sonde_fail?
 *
 * From the functions with a sonde_fail upwards: their direct callers, and the callers of those. If the property is
 * among them, it may reach one. A function without a direct caller is called by a pointer, as rules of machines are.
 * Then the property may be the caller, unless that function is another property, or main. */

enum { MARKED = 256 };

struct fails {
    struct sonde_code *code;
    struct {
        uintptr_t start;
        const char *name;
        bool has_caller;
    } marked[MARKED]; /* functions from which a sonde_fail can be reached by direct calls */
    size_t n;
    bool has_any;
    bool is_unclear; /* there are too many functions, or some are in another module */
    bool is_grown;
    const struct sonde_function *caller; /* the function being examined */
    bool calls_marked;
};

static bool mark(struct fails *f, const struct sonde_function *function)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->marked[i].start == function->start) return false;
    if (f->n == MARKED) {
        f->is_unclear = true;
        return false;
    }
    f->marked[f->n].start = function->start;
    f->marked[f->n].name = function->name;
    f->marked[f->n++].has_caller = false;
    return true;
}

struct named {
    struct fails *f;
    const char *name;
    size_t n;
};

static bool mark_if_named(const struct sonde_function *function, void *user)
{
    struct named *w = user;
    if (strncmp(function->name, w->name, w->n) == 0 && !function->name[w->n]) mark(w->f, function);
    return true;
}

/* Compilers move unlikely code of f to `f.cold`, to which f jumps. If several functions are called f, any of them may
 * jump there. */
static void mark_whole(struct fails *f, const struct sonde_function *function)
{
    size_t before = f->n, n = strcspn(function->name, ".");
    struct named w = {.f = f, .name = function->name, .n = n};
    if (function->name[n]) sonde_code_each(f->code, mark_if_named, &w);
    if (f->n == before) mark(f, function);
}

bool sonde_fails_is_never(const char *text)
{
    static const char *const starts[] = {"!\"", "false &&", "false&&", "0 &&", "0&&"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (!strncmp(text, starts[i], strlen(starts[i])) && !strstr(text, "||")) return true;
    return !strcmp(text, "false") || !strcmp(text, "0") || !strcmp(text, "NULL");
}

static bool is_fail(const struct sonde_declared *site)
{
    return site->kind == SONDE_SITE_FAIL_ || (site->kind == SONDE_SITE_CHECK_ && sonde_fails_is_never(site->text));
}

static void take_site(const struct sonde_declared *site, void *user)
{
    struct fails *f = user;
    struct sonde_function function;
    f->has_any |= is_fail(site);
    if (!is_fail(site)) return;
    if (!f->code || !sonde_code_function(f->code, (uintptr_t)site->code, &function)) f->is_unclear = true;
    else mark_whole(f, &function);
}

static void look_at_call(const struct sonde_function *target, void *user)
{
    struct fails *f = user;
    for (size_t i = 0; i < f->n; i++) {
        if (f->marked[i].start != target->start || target->start == f->caller->start) continue;
        f->marked[i].has_caller = f->calls_marked = true;
    }
}

static bool look_at_caller(const struct sonde_function *caller, void *user)
{
    struct fails *f = user;
    f->caller = caller;
    f->calls_marked = false;
    sonde_code_calls(f->code, caller, look_at_call, f);
    size_t before = f->n;
    if (f->calls_marked) mark_whole(f, caller);
    f->is_grown |= f->n > before;
    return !f->is_unclear;
}

/* Returns whether a function without callers belongs to another property, or starts the program. */
static bool is_another_root(const struct sonde_options *o, uintptr_t start, const char *name, sonde_property_fn *run)
{
    for (size_t i = 0; i < o->n_all; i++)
        if ((uintptr_t)o->all[i].run == start && o->all[i].run != run) return true;
    return !strcmp(name, "main");
}

static bool may_run(const struct fails *f, const struct sonde_options *o, sonde_property_fn *run)
{
    for (size_t i = 0; i < f->n; i++) {
        if (f->marked[i].start == (uintptr_t)run) return true;
        if (!f->marked[i].has_caller && !is_another_root(o, f->marked[i].start, f->marked[i].name, run)) return true;
    }
    return false;
}

bool sonde_fails_may_run(const struct sonde_options *o, sonde_property_fn *run)
{
    struct fails f = {.code = sonde_code_open((const void *)(uintptr_t)run)};
    sonde_sites_each(take_site, &f);
    do {
        f.is_grown = false;
        if (f.n && !f.is_unclear) sonde_code_each(f.code, look_at_caller, &f);
    } while (f.is_grown && !f.is_unclear);
    bool result = f.has_any && (f.is_unclear || may_run(&f, o, run));
    sonde_code_close(f.code);
    return result;
}
