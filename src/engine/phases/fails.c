/* See fails.h. From the functions with a sonde_fail upwards: who calls them directly, and who calls those. If the property is among
 * them, it may come to one. If one of them has no direct caller, it is called by a pointer, as rules of machines are, and the property may
 * be the one that does; unless it is another property, or main. */
#include "engine/phases/fails.h"

#include "program/calls.h"
#include "program/sites.h"

#include <string.h>

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
    bool is_unclear; /* too many, or in another module */
    bool is_grown;
    const struct sonde_function *caller; /* that is looked at */
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

/* Compilers move unlikely code of f to `f.cold`, to which f jumps. Where several functions are called f, each may be the one. */
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

/* Called by none of the functions: it is another property's, or starts the program. */
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
