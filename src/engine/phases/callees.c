#define _GNU_SOURCE /* RTLD_DEFAULT */
/* See callees.h. */
#include "engine/phases/callees.h"

#include "base/strings.h"
#include "program/place.h"
#include "program/sanitizer.h"
#include "program/sites.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* ---- Outside
 *
 * A function whose counters were hit belongs to the test if it calls sonde: the property, its generators. Functions
 * that the test calls are the code under test, or lead to it. Functions of a library that is only linked have no
 * instrumentation and no sanitizer. If no function beyond the test was hit, the search is blind. */

enum { TESTS = 64 }; /* maximum number of functions of the test that are examined */

/* A list of names, for a message. */
struct list {
    char *out;
    size_t size, n;
};

struct blind {
    const struct sonde_search *s;
    struct sonde_code *code;
    struct sonde_function tests[TESTS];
    size_t n_tests;
    bool sees_code;
    bool has_counters, has_address_sanitizer; /* properties of the program */
    /* results for the function being examined */
    bool calls_sonde, is_instrumented, is_sanitized;
    /* is_foreign: the function at `target` has a name that shows that it is foreign */
    uintptr_t target;
    bool is_foreign;
    struct list unseen, unwatched;
};

static void look_at_name(struct blind *b, const char *name)
{
    b->calls_sonde |= sonde_starts(name, "sonde_") || sonde_starts(name, "_ZN8sondecpp");
    b->is_instrumented |= sonde_starts(name, "__sanitizer_cov_trace_pc");
    b->is_sanitized |= sonde_starts(name, "__asan_") || sonde_starts(name, "__hwasan_");
}

static void look_at_target(const struct sonde_function *target, void *user)
{
    look_at_name(user, target->name);
}

static void look_at_import(const char *name, void *user)
{
    look_at_name(user, name);
}

/* Finds out what a function calls. sonde and the sanitizers may be in the program, or libraries. */
static void examine(struct blind *b, const struct sonde_function *f)
{
    b->calls_sonde = b->is_instrumented = b->is_sanitized = false;
    sonde_code_calls(b->code, f, look_at_target, b);
    sonde_code_imports(b->code, f, look_at_import, b);
}

/* Returns whether a function belongs to the test: it calls sonde. sondecpp::property<f> may be separate from f, which
 * always calls sonde. */
static bool is_test(struct blind *b, const struct sonde_function *f)
{
    examine(b, f);
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
    /* too many to examine: as if the search saw code, so that there is no warning */
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

static bool has_counter(const struct blind *b, const struct sonde_function *f)
{
    struct within w = {.f = f};
    sonde_coverage_each_place(b->s->coverage, visit_within, &w);
    return w.has_any;
}

/* Adds a function, in `library` unless that is NULL, if the list is not full and does not have it. */
static void add_name(struct list *list, const char *name, const char *library)
{
    enum { NAMES = 3 }; /* names in one list of a message */
    char entry[200];
    if (list->n == NAMES) return;
    snprintf(entry, sizeof entry, library ? "%.60s (%.40s)" : "%.100s", name, library);
    if (strstr(list->out, entry)) return;
    size_t used = strlen(list->out);
    snprintf(list->out + used, list->size - used, "%s%s", used ? ", " : "", entry);
    list->n++;
}

static bool is_foreign_name(const char *name)
{
    static const char *const others[] = {"__", "sonde_", "_ZSt", "_ZNSt", "_ZNKSt"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (sonde_starts(name, others[i])) return true;
    return false;
}

static void note_target(const struct sonde_function *target, void *user)
{
    struct blind *b = user;
    struct sonde_symbol symbol;
    if (!b->has_counters || is_known(b, target->start)) return;
    sonde_symbol_of((const void *)target->start, &symbol);
    bool is_foreign = symbol.is_foreign || is_foreign_name(target->name);
    /* All names of a function come one after the other; if one is foreign, the function is. */
    if (target->start == b->target && b->is_foreign) return;
    b->target = target->start;
    b->is_foreign = is_foreign;
    if (is_foreign || is_test(b, target) || b->is_instrumented || has_counter(b, target)) return;
    add_name(&b->unseen, target->name, NULL);
    /* A function that calls no check has no access to memory, or was compiled without. */
    if (b->has_address_sanitizer && !b->is_sanitized) add_name(&b->unwatched, target->name, NULL);
}

/* Returns whether a library belongs to the compiler, the system or a test framework, beside those that
 * sonde_symbol_of calls foreign. */
static bool is_support(const char *library)
{
    static const char *const names[] = {"libdl.",   "librt.",  "libresolv.", "libutil.", "libc++",     "libatomic.",
                                        "libgomp.", "libomp.", "libgtest",   "libgmock", "libcmocka.", "libcheck."};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (sonde_starts(library, names[i])) return true;
    return false;
}

static void note_import(const char *name, void *user)
{
    struct blind *b = user;
    struct sonde_symbol symbol;
    struct sonde_function own;
    if (is_foreign_name(name)) return;
    const void *address = dlsym(RTLD_DEFAULT, name);
    if (!address || sonde_code_function(b->code, (uintptr_t)address, &own)) return;
    sonde_symbol_of(address, &symbol);
    const char *library = sonde_last_part(symbol.module);
    if (symbol.is_foreign || !*library || is_support(library)) return;
    if (b->has_counters && !sonde_module_imports(address, "__sanitizer_cov_")) add_name(&b->unseen, name, library);
    bool is_sanitized = sonde_module_imports(address, "__asan_") || sonde_module_imports(address, "__hwasan_");
    if (b->has_address_sanitizer && !is_sanitized) add_name(&b->unwatched, name, library);
}

void sonde_outside_find(const struct sonde_search *s, sonde_property_fn *run, struct sonde_outside *outside)
{
    struct sonde_function property;
    *outside = (struct sonde_outside){.is_blind = false};
    struct blind b = {.s = s,
                      .has_counters = sonde_coverage_size(s->coverage).counters,
                      .has_address_sanitizer = sonde_tools_has_address(),
                      .unseen = {.out = outside->unseen, .size = sizeof outside->unseen},
                      .unwatched = {.out = outside->unwatched, .size = sizeof outside->unwatched}};
    if (!b.has_counters && !b.has_address_sanitizer) return;
    b.code = sonde_code_open((const void *)(uintptr_t)run);
    if (!b.code) return;
    if (sonde_code_function(b.code, (uintptr_t)run, &property)) add_test(&b, &property);
    else b.sees_code = true;
    sonde_coverage_each_place(s->coverage, visit_hit, &b);
    for (size_t i = 0; i < b.n_tests; i++) {
        sonde_code_calls(b.code, &b.tests[i], note_target, &b);
        sonde_code_imports(b.code, &b.tests[i], note_import, &b);
    }
    sonde_code_close(b.code);
    outside->is_blind = !b.sees_code && b.unseen.n;
}

/* ---- Can the property reach a sonde_fail?
 *
 * From the functions with a sonde_fail upwards: their direct callers, and the callers of those. If the property is
 * among them, it may reach one. A function without a direct caller is called by a pointer, as rules of machines are.
 * Then the property may be the caller, unless that function is another property, or main. */

enum { MARKED = 256 }; /* with more functions the result is unclear, and the property may reach a sonde_fail */

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

/* Marks a function, or for a part `f.cold` the function f: compilers move unlikely code of f there, and f jumps to it.
 * If several functions have the name f, marks them all, because any of them may jump there. */
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
