/* See blind.h. Of the functions whose counters were hit, those that call sonde are the test's: the property, its generators. If any other
 * was hit, the search sees something of the code under test, and is not blind. Otherwise what these functions call in the program,
 * without being instrumented, is what it does not see. */
#include "engine/phases/blind.h"

#include "program/calls.h"
#include "program/symbol.h"

#include <stdio.h>
#include <string.h>

enum { TESTS = 64 }; /* functions of the test that are looked at */

struct blind {
    const struct sonde_search *s;
    struct sonde_code *code;
    struct sonde_function tests[TESTS];
    size_t n_tests;
    bool sees_code;
    /* of one function that is looked at */
    bool calls_sonde, is_instrumented;
    /* of a target: the function at `target` has a name that says what it is */
    uintptr_t target;
    bool is_foreign;
    char *out;
    size_t size, n_named;
};

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static void look_for_sonde(const struct sonde_function *target, void *user)
{
    struct blind *b = user;
    b->calls_sonde |= starts_with(target->name, "sonde_") || starts_with(target->name, "_ZN8sondecpp");
    b->is_instrumented |= starts_with(target->name, "__sanitizer_cov_trace_pc");
}

/* sondecpp::property<f> may be apart from f, which always calls sonde. */
static bool is_test(struct blind *b, const struct sonde_function *f)
{
    b->calls_sonde = false;
    sonde_code_calls(b->code, f, look_for_sonde, b);
    return b->calls_sonde || starts_with(f->name, "_ZN8sondecpp");
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
    if (b->n_tests == TESTS) b->sees_code = true; /* more than can be told: no warning */
    else b->tests[b->n_tests++] = *f;
}

static void visit_hit(void *user, const struct sonde_coverage_place *place)
{
    struct blind *b = user;
    const struct sonde_novelty *n = &b->s->judge.novelty;
    struct sonde_function f;
    bool is_hit = place->id < n->cap_all && n->all[place->id];
    if (b->sees_code || !is_hit) return;
    /* In a library, say. */
    if (!sonde_code_function(b->code, place->address - place->is_called, &f)) b->sees_code = true;
    else if (!is_known(b, f.start) && !is_test(b, &f)) b->sees_code = true;
    else add_test(b, &f);
}

/* clang: some counter is in it. */
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
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) is_ours |= starts_with(target->name, others[i]);
    /* All names of a function come one after the other; one that is foreign speaks for all. */
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
