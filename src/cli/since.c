/* See since.h. touched.c has the changed functions; here are those that lead to them, their counters, and the
 * properties. */
#include "cli/since.h"

#include "cli/touched.h"

#include "base/mem.h"
#include "store/home.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Functions that lead to changed ones */

struct walk {
    struct sonde_touched *f;
    const struct sonde_touched_module *module;
    enum sonde_nearness least; /* of the functions that are looked for */
    bool calls_one, is_grown;
};

static void look_at_target(const struct sonde_function *target, void *user)
{
    struct walk *w = user;
    for (uint32_t i = 0; i < w->f->n_functions && !w->calls_one; i++)
        w->calls_one = w->f->functions[i].function.from == target->start && w->f->nearness[i] >= w->least;
}

static bool look_at_caller(const struct sonde_function *caller, void *user)
{
    struct walk *w = user;
    struct sonde_touched *f = w->f;
    uint32_t before = f->n_functions;
    w->calls_one = false;
    sonde_code_calls(w->module->code, caller, look_at_target, w);
    if (w->calls_one)
        sonde_touched_mark(f, w->module, (struct sonde_code_range){caller->start, caller->end},
                           w->least == SONDE_NEAR_LEADS ? SONDE_NEAR_LEADS : SONDE_NEAR_CALLER);
    w->is_grown |= f->n_functions > before;
    return true;
}

/* Adds the direct callers, and then all functions from which direct calls lead to one, module by module. */
static void close_upwards(struct sonde_touched *f)
{
    for (uint32_t i = 0; i < f->n_modules; i++) {
        struct walk w = {.f = f, .module = &f->modules[i], .least = SONDE_NEAR_FUNCTION};
        if (!w.module->code || !f->n_functions) continue;
        sonde_code_each(w.module->code, look_at_caller, &w);
        w.least = SONDE_NEAR_LEADS;
        do {
            w.is_grown = false;
            sonde_code_each(w.module->code, look_at_caller, &w);
        } while (w.is_grown);
    }
}

/* ---- Counters */

static int by_address(const void *a, const void *b)
{
    const struct sonde_changed_counter *x = a, *y = b;
    return x->at.from < y->at.from ? -1 : x->at.from > y->at.from;
}

static void take_counters(struct sonde_touched *f)
{
    struct sonde_changed_code *c = f->result;
    for (uint32_t i = 0; i < f->counters.n; i++) {
        uint32_t k = 0;
        struct sonde_code_range at = f->counters.all[i];
        while (k < f->n_functions
               && (at.from < f->functions[k].function.from || at.from >= f->functions[k].function.to))
            k++;
        if (k == f->n_functions) continue;
        enum sonde_nearness nearness = f->nearness[k] == SONDE_NEAR_LINE ? SONDE_NEAR_FUNCTION : f->nearness[k];
        c->counters = sonde_grow(c->counters, &c->cap_counters, (size_t)c->n_counters + 1, sizeof *c->counters);
        c->counters[c->n_counters++] = (struct sonde_changed_counter){at, nearness};
    }
    if (c->n_counters) qsort(c->counters, c->n_counters, sizeof *c->counters, by_address);
    /* A counter that is a call is known by the address after it, where the next one may begin. */
    for (uint32_t i = 0; i + 1 < c->n_counters; i++)
        if (c->counters[i].at.to > c->counters[i + 1].at.from + 1)
            c->counters[i].at.to = c->counters[i + 1].at.from + 1;
    c->by = sonde_calloc((size_t)c->n_counters + 1, 1);
}

/* Returns the number of counters that begin before an address. */
static uint32_t counters_before(const struct sonde_changed_code *c, uintptr_t address)
{
    uint32_t low = 0, high = c->n_counters;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->counters[middle].at.from < address) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Finds the counters of each part. A block of code extends from its counter to the next one. */
static void connect_parts(struct sonde_changed_code *c)
{
    for (uint32_t i = 0; i < c->n_parts; i++) {
        struct sonde_changed_part *p = &c->parts[i];
        p->first = counters_before(c, p->function.from);
        p->end = counters_before(c, p->function.to);
        uint32_t own = counters_before(c, p->code.from + 1);
        for (uint32_t k = own > p->first ? own - 1 : p->first; k < p->end; k++) {
            if (k >= own && c->counters[k].at.from >= p->code.to) break;
            c->counters[k].nearness = SONDE_NEAR_LINE;
        }
    }
}

static void find_near(struct sonde_touched *f)
{
    struct sonde_changed_code *c = f->result;
    for (uint32_t i = 0; i < f->n_functions; i++) {
        if (f->nearness[i] < SONDE_NEAR_CALLER) continue;
        c->near = sonde_grow(c->near, &c->cap_near, (size_t)c->n_near + 1, sizeof *c->near);
        c->near[c->n_near++] = f->functions[i].function;
    }
}

/* ---- Properties */

static bool leads_there(const struct sonde_touched *f, sonde_property_fn *run)
{
    for (uint32_t i = 0; i < f->n_functions; i++)
        if (f->functions[i].function.from == (uintptr_t)run) return true;
    return false;
}

/* If direct calls lead from no property to the change, it is called by a pointer, from anywhere. */
static void judge_properties(struct sonde_since *since, const struct sonde_touched *f, const sonde_property *properties,
                             size_t n)
{
    bool has_any = false;
    since->has_code = f->n_functions || f->everywhere[0];
    for (size_t i = 0; i < n; i++) {
        bool leads = f->everywhere[0] || leads_there(f, properties[i].run);
        since->concerns[i] = leads ? SONDE_CONCERN_FULL : SONDE_CONCERN_PROBE;
        has_any |= leads;
    }
    for (size_t i = 0; i < n && !has_any; i++)
        since->concerns[i] = since->has_code ? SONDE_CONCERN_FULL : SONDE_CONCERN_NONE;
}

static void write_note(struct sonde_since *s, const struct sonde_touched *f)
{
    if (f->everywhere[0]) snprintf(s->note, sizeof s->note, "%.480s, so every property is searched", f->everywhere);
    else if (!s->has_code)
        snprintf(s->note, sizeof s->note,
                 "no code of this program has changed since %.100s%s%s%s, so only stored inputs are run", s->code.since,
                 f->n_other ? " (other files changed: " : "", f->other,
                 !f->n_other ? ""
                 : f->is_cut ? " ...)"
                             : ")");
}

/* ---- All of it */

static bool explain(struct sonde_since *since, const char *why)
{
    snprintf(since->note, sizeof since->note, "%.500s; every property is searched as usual", why);
    return false;
}

static bool find(struct sonde_since *since, struct sonde_touched *f, const sonde_property *properties, size_t n)
{
    sonde_counters_find(&f->counters, properties[0].run);
    if (!f->counters.n) return explain(since, "no code of this program is instrumented; compile it with sonde cc");
    const char *missing = sonde_touched_find(f);
    if (missing) {
        char text[300];
        snprintf(text, sizeof text, "the lines of this program are not known: %s; compile it with -g", missing);
        return explain(since, text);
    }
    if (f->newer[0]) {
        char text[300];
        snprintf(text, sizeof text, "%s is newer than this program: build it again", f->newer);
        return explain(since, text);
    }
    close_upwards(f);
    take_counters(f);
    connect_parts(f->result);
    find_near(f);
    judge_properties(since, f, properties, n);
    write_note(since, f);
    return true;
}

bool sonde_since_find(struct sonde_since *since, const struct sonde_cli *cli, const sonde_property *properties,
                      size_t n)
{
    char *executable = sonde_home_executable(cli->engine.program);
    char *root = sonde_home_root(executable, cli->engine.source);
    struct sonde_touched *f = sonde_calloc(1, sizeof *f);
    *since = (struct sonde_since){.code.since = cli->since, .concerns = sonde_calloc(n + 1, sizeof *since->concerns)};
    f->result = &since->code;
    char *error = sonde_diff_since(&f->diff, root, cli->since);
    bool is_known = error ? explain(since, error) : find(since, f, properties, n);
    since->code.files = f->diff.files; /* the result has their numbers */
    since->code.n_files = f->diff.n_files;
    f->diff.files = NULL;
    f->diff.n_files = 0;
    sonde_touched_clear(f);
    sonde_free(f);
    sonde_free(error);
    sonde_free(root);
    sonde_free(executable);
    return is_known;
}

void sonde_since_clear(struct sonde_since *since)
{
    struct sonde_changed_code *c = &since->code;
    for (uint32_t i = 0; i < c->n_files; i++) sonde_free(c->files[i]);
    sonde_free(c->files);
    sonde_free(c->counters);
    sonde_free(c->by);
    sonde_free(c->near);
    sonde_free(c->lines);
    sonde_free(c->parts);
    sonde_free(since->concerns);
    *since = (struct sonde_since){.concerns = NULL};
}
