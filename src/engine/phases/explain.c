/* See explain.h. Runs are counted as they happen: for each predicate, in how many failing and passing runs it was
 * true. Only two kinds matter: predicates that are true of the minimal input, and the absence of code that it does not
 * reach. */
#include "engine/phases/explain.h"

#include "base/map.h"
#include "base/mem.h"
#include "program/place.h"
#include "shrink/near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUNS = 600, /* maximum number of neighbours that are run; a long tape has more */
    /* maximum number of valid inputs of the search that are run; these differ more from the minimal input */
    SAMPLED = 100,
    LOOKED_UP = 192, /* maximum number of predicates whose lines are looked up, which starts a process */
    SHOWN = 8        /* maximum number of locations in the result */
};

/* Marks of a predicate besides the marks of comparisons. */
enum { REACHED = SONDE_MARK_GREATER + 1, OFTEN };

struct predicate {
    uint32_t id;
    uint8_t mark;
    uint8_t least; /* for OFTEN: how often the minimal input reaches the location */
    bool is_minimal;
    uint32_t order; /* position of the location in the order in which the minimal input reached locations, if known */
    uint32_t failing, passing;
    double score;
    bool is_absence;
};

struct explain {
    const struct sonde_explain_setup *setup;
    struct sonde_explanation *result;
    uint16_t *tried, *failed;
    struct predicate *all;
    uint32_t n, cap;
    struct sonde_map index; /* maps id and mark to an index in `all`, plus 1 */
    bool is_first;
};

static struct predicate *predicate_of(struct explain *x, uint32_t id, uint8_t mark)
{
    uint32_t *at = sonde_map_at(&x->index, (uint64_t)id << 8 | mark);
    if (!*at) {
        x->all = sonde_grow(x->all, &x->cap, (size_t)x->n + 1, sizeof *x->all);
        x->all[x->n] = (struct predicate){.id = id, .mark = mark, .order = x->n};
        *at = ++x->n;
    }
    return &x->all[*at - 1];
}

static void count(struct explain *x, struct predicate *p, bool fails)
{
    p->is_minimal |= x->is_first;
    p->failing += fails;
    p->passing += !fails;
}

static void count_feature(struct explain *x, const struct sonde_feature *f, bool fails)
{
    if (f->kind == SONDE_FEATURE_COMPARISON) {
        count(x, predicate_of(x, f->id, f->mark), fails);
        return;
    }
    count(x, predicate_of(x, f->id, REACHED), fails);
    struct predicate *often = predicate_of(x, f->id, OFTEN);
    if (x->is_first) often->least = (uint8_t)(f->value < 255 ? f->value : 255);
    if (often->least > 1 && f->value >= often->least) count(x, often, fails);
}

/* Runs one script and counts its result, unless it was discarded or failed in another way. Returns 1: it failed, 0: it
 * passed, -1: not counted. */
static int run(struct explain *x, const struct sonde_tape *script, struct sonde_tape *actual)
{
    const struct sonde_shrink_test *test = x->setup->test;
    actual->n_choices = actual->n_spans = actual->n_bytes = 0;
    bool fails = test->fails(test->user, script, actual);
    if (!fails && x->setup->search->t->verdict != SONDE_VALID) return -1;
    const struct sonde_coverage_view *seen = sonde_coverage_last(x->setup->coverage);
    for (size_t i = 0; seen && i < seen->n_features; i++) count_feature(x, &seen->features[i], fails);
    x->result->is_instrumented |= seen && seen->n_features;
    x->result->n_failing += fails;
    x->result->n_passing += !fails;
    return fails;
}

static bool is_enough(const struct explain *x)
{
    const struct sonde_shrink_test *test = x->setup->test;
    return test->enough && test->enough(test->user);
}

/* Returns whether a run drew another value for a choice than its script has. An alternative of weight 0 cannot
 * be drawn, so trying it shows nothing. */
static bool is_replaced(const struct sonde_tape *script, const struct sonde_tape *ran, uint32_t choice)
{
    if (choice >= ran->n_choices || script->choices[choice].kind == SONDE_KIND_BLOB) return false;
    return ran->choices[choice].index != script->choices[choice].index;
}

static void run_neighbours(struct explain *x, const struct sonde_tape *minimal)
{
    struct sonde_near near;
    struct sonde_tape script, actual;
    uint32_t choice;
    sonde_tape_init(&script);
    sonde_tape_init(&actual);
    x->is_first = true;
    bool fails = run(x, minimal, &actual) == 1;
    x->is_first = false;
    sonde_near_init(&near, minimal, 1);
    for (unsigned i = 0; fails && i < RUNS && !is_enough(x) && sonde_near_next(&near, &script, &choice); i++) {
        int became = run(x, &script, &actual);
        if (choice == SONDE_NEAR_SEVERAL || is_replaced(&script, &actual, choice)) continue;
        x->tried[choice]++;
        if (became == 1) x->failed[choice]++;
    }
    const struct sonde_sample *sample = &x->setup->search->rerun.sample;
    for (uint32_t i = 0; fails && i < sample->n && i < SAMPLED && !is_enough(x); i++)
        if (sample->inputs[i]->verdict == SONDE_VALID) run(x, &sample->inputs[i]->tape, &actual);
    sonde_tape_clear(&script);
    sonde_tape_clear(&actual);
}

/* ---- Judging */

/* Weight of an absence: most of what a run does not do has nothing to do with the failure. */
static const double ABSENCE = 0.6;
/* Weight of a distance above 1: a wrong bound is usually met exactly or missed by one. */
static const double DISTANCE = 0.8;

/* Returns Ochiai's coefficient: the cosine between two sets of runs, those for which the predicate is true and those
 * that fail. */
static double cosine(double failing, double passing, double n_failing)
{
    return failing > 0 ? failing / sqrt(n_failing * (failing + passing)) : 0;
}

static void judge(const struct explain *x, struct predicate *p)
{
    const struct sonde_explanation *r = x->result;
    p->is_absence = !p->is_minimal && p->mark >= SONDE_MARK_LESS && p->mark <= REACHED;
    if (p->is_absence) {
        p->failing = r->n_failing - p->failing;
        p->passing = r->n_passing - p->passing;
    }
    bool says_nothing = p->passing == r->n_passing || (!p->is_minimal && !p->is_absence);
    p->score = says_nothing ? 0 : cosine(p->failing, p->passing, r->n_failing);
    if (p->is_absence) p->score *= ABSENCE;
    if (p->mark > 1 && p->mark < SONDE_MARK_LESS) p->score *= DISTANCE;
}

/* Orders predicates by score. Among equal scores, comparisons come first, since they are exact. Then comes the
 * location reached first, since later ones may follow from it. */
static int by_suspicion(const void *a, const void *b)
{
    const struct predicate *p = a, *q = b;
    if (p->score != q->score) return p->score < q->score ? 1 : -1;
    int kind_p = p->is_absence ? 3 : p->mark == OFTEN ? 2 : p->mark == REACHED;
    int kind_q = q->is_absence ? 3 : q->mark == OFTEN ? 2 : q->mark == REACHED;
    if (kind_p != kind_q) return kind_p - kind_q;
    return (p->order > q->order) - (p->order < q->order);
}

/* Returns the minimum distance of a class of comparisons; see sonde_comparison_class. */
static uint64_t distance_of(uint8_t mark)
{
    return mark <= 16 ? mark : mark >= 63 ? UINT64_C(1) << 50 : UINT64_C(1) << (mark - 13);
}

static struct sonde_suspect suspect_of(const struct predicate *p, const struct sonde_place *place)
{
    struct sonde_suspect s = {.line = place->line, .failing = p->failing, .passing = p->passing, .score = p->score};
    s.file = place->file[0] ? sonde_strdup(place->file) : NULL;
    s.function = sonde_strdup(place->function);
    bool is_sign = p->mark == SONDE_MARK_LESS || p->mark == SONDE_MARK_GREATER;
    s.what = is_sign              ? SONDE_SUSPECT_DECIDED
             : p->is_absence      ? SONDE_SUSPECT_MISSED
             : p->mark == REACHED ? SONDE_SUSPECT_REACHED
             : p->mark == OFTEN   ? SONDE_SUSPECT_OFTEN
                                  : SONDE_SUSPECT_COMPARED;
    s.n = p->mark == OFTEN ? p->least : s.what == SONDE_SUSPECT_COMPARED ? distance_of(p->mark) : 0;
    return s;
}

static bool is_listed(const struct sonde_suspect *suspects, size_t n, const struct sonde_place *place)
{
    for (size_t i = 0; i < n; i++) {
        bool same_file =
            place->file[0] ? suspects[i].file && !strcmp(suspects[i].file, place->file) : !suspects[i].file;
        if (same_file && suspects[i].line == place->line
            && (place->line || !strcmp(suspects[i].function, place->function)))
            return true;
    }
    return false;
}

/* Returns whether a location is in the property, or is the failed check. The property states what is wrong, and is
 * rarely wrong itself, so its lines are left out unless they are the only ones. */
static bool is_of_property(const struct explain *x, const struct sonde_place *place)
{
    const struct sonde_explain_setup *s = x->setup;
    struct sonde_symbol symbol;
    const void *run_it;
    memcpy(&run_it, &s->search->property->run, sizeof run_it); /* C has no cast from a function pointer to void * */
    sonde_symbol_of(run_it, &symbol);
    bool is_claim = s->file && s->line == place->line && strstr(place->file, s->file);
    return is_claim || !strcmp(symbol.name, place->function);
}

/* Finds the last line of a block, since a block is reached as a whole. Samples its code in steps, up to the next block
 * or a fixed distance, while the lines are consecutive. */
static void find_ends(const struct explain *x, struct sonde_suspect *suspects, const void *const *code, size_t n)
{
    /* samples of a block, bytes between two of them, and lines that a block may span */
    enum { STEPS = 24, STEP = 4, MOST_LINES = 4 };
    for (size_t i = 0; i < n; i++) {
        struct sonde_suspect *s = &suspects[i];
        const void *inside[STEPS];
        struct sonde_place places[STEPS];
        bool is_block = s->what == SONDE_SUSPECT_REACHED || s->what == SONDE_SUSPECT_OFTEN;
        const char *end = sonde_coverage_next(x->setup->coverage, code[i]);
        size_t n_inside = 0;
        s->last_line = s->line;
        if (!is_block || !s->file) continue;
        for (const char *p = code[i]; n_inside < STEPS && (!end || p < end); p += STEP) inside[n_inside++] = p;
        sonde_places_of_code(inside, n_inside, places);
        for (size_t k = 0; k < n_inside && !strcmp(places[k].file, s->file); k++)
            if (places[k].line > s->last_line && places[k].line < s->line + MOST_LINES) s->last_line = places[k].line;
    }
}

static void list_suspects(struct explain *x)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->n; i++) judge(x, &x->all[i]);
    if (x->n) qsort(x->all, x->n, sizeof *x->all, by_suspicion);
    while (n < x->n && n < LOOKED_UP && x->all[n].score > 0) n++;
    const void **code = sonde_calloc(n + 1u, sizeof *code);
    struct sonde_place *places = sonde_calloc(n + 1u, sizeof *places);
    struct sonde_suspect *suspects = sonde_calloc(SHOWN, sizeof *suspects);
    for (uint32_t i = 0; i < n; i++) code[i] = sonde_coverage_code(x->setup->coverage, x->all[i].id);
    sonde_places_of_code(code, n, places);
    size_t *n_listed = &x->result->n_suspects;
    for (int of_property = 0; of_property < 2 && !*n_listed; of_property++)
        for (uint32_t i = 0; i < n && *n_listed < SHOWN; i++)
            if (code[i] && is_of_property(x, &places[i]) == of_property
                && !is_listed(suspects, *n_listed, &places[i])) {
                code[*n_listed] = code[i]; /* the overwritten entry has been read before */
                suspects[(*n_listed)++] = suspect_of(&x->all[i], &places[i]);
            }
    find_ends(x, suspects, code, *n_listed);
    x->result->suspects = suspects;
    sonde_free(code);
    sonde_free(places);
}

struct sonde_explanation *sonde_explain(const struct sonde_explain_setup *setup, const struct sonde_tape *minimal)
{
    struct explain x = {.setup = setup, .result = sonde_calloc(1, sizeof *x.result)};
    x.tried = sonde_calloc(minimal->n_choices + 1u, sizeof *x.tried);
    x.failed = sonde_calloc(minimal->n_choices + 1u, sizeof *x.failed);
    x.result->tried = x.tried;
    x.result->failed = x.failed;
    sonde_coverage_keep(setup->coverage, true);
    run_neighbours(&x, minimal);
    if (x.result->n_passing && x.result->n_failing) list_suspects(&x);
    sonde_free(x.all);
    sonde_map_clear(&x.index);
    return x.result;
}

/* The struct is const for readers. The caller of sonde_explain owns it, hence the casts. */
void sonde_explanation_free(const struct sonde_explanation *explanation)
{
    if (!explanation) return;
    for (size_t i = 0; i < explanation->n_suspects; i++) {
        sonde_free((void *)(uintptr_t)explanation->suspects[i].file);
        sonde_free((void *)(uintptr_t)explanation->suspects[i].function);
    }
    sonde_free((void *)(uintptr_t)explanation->suspects);
    sonde_free((void *)(uintptr_t)explanation->tried);
    sonde_free((void *)(uintptr_t)explanation->failed);
    sonde_free((void *)(uintptr_t)explanation);
}
