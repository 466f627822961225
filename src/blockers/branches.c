/* See branches.h. */
#include "blockers/branches.h"

#include "base/mem.h"
#include "base/strings.h"
#include "program/sites.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCKS_MAX = 4096, /* maximum number of blocks of the functions that are examined */
    CALL_MAX = 8, /* a call instruction is at most this long, so a block's address is at most this far from the call */
    FAR = 30      /* lines; a comparison further above a block does not decide about it */
};

struct block {
    uintptr_t address;
    bool is_called; /* known by a call at `address`; its counter has the address after the call */
};

struct finding {
    const struct sonde_search *s;
    struct sonde_function function; /* that is examined */
    struct block *blocks;           /* not reached by valid cases */
    uint32_t n, cap;
};

/* ---- Blocks that no valid case reached */

static bool is_valid_place(const struct sonde_search *s, uint32_t id)
{
    const struct sonde_novelty *n = &s->judge.novelty;
    return id < n->cap_valid && n->valid[id] != 0;
}

struct lookup {
    const struct finding *f;
    uintptr_t from, to;
    bool is_reached;
};

static void look_up(void *user, const struct sonde_coverage_place *place)
{
    struct lookup *l = user;
    bool is_it = place->address >= l->from && place->address <= l->to;
    l->is_reached |= is_it && is_valid_place(l->f->s, place->id);
}

static void add_block(struct finding *f, struct block block)
{
    if (f->n == BLOCKS_MAX) return;
    f->blocks = sonde_grow(f->blocks, &f->cap, (size_t)f->n + 1, sizeof *f->blocks);
    f->blocks[f->n++] = block;
}

static void visit_table(void *user, const struct sonde_coverage_place *place)
{
    struct finding *f = user;
    bool is_inside = place->address >= f->function.start && place->address < f->function.end;
    if (place->is_called || !is_inside || is_valid_place(f->s, place->id)) return;
    add_block(f, (struct block){place->address, false});
}

void __sanitizer_cov_trace_pc(void);

/* gcc has no table: every block begins with a call of the hook. */
static void scan_calls(struct finding *f)
{
    uintptr_t hook = (uintptr_t)__sanitizer_cov_trace_pc;
    for (uintptr_t at = f->function.start; at < f->function.end; at++) {
        if (sonde_call_target((const unsigned char *)at, (const unsigned char *)f->function.end) != hook) continue;
        struct lookup l = {.f = f, .from = at, .to = at + CALL_MAX};
        sonde_coverage_each_place(f->s->coverage, look_up, &l);
        if (!l.is_reached) add_block(f, (struct block){at, true});
    }
}

/* ---- Comparisons and blocks */

struct site_lookup {
    const struct sonde_place *place;
    bool is_there;
};

static void look_at_site(const struct sonde_declared *site, void *user)
{
    struct site_lookup *l = user;
    l->is_there |= site->line == l->place->line && sonde_ends(l->place->file, site->file);
}

/* Returns whether a location is a check or an assume: one that always holds is not a blocker. */
static bool is_condition(const struct sonde_place *place)
{
    struct site_lookup l = {.place = place};
    sonde_sites_each(look_at_site, &l);
    return l.is_there;
}

/* Returns the comparison that decides about a block, or UINT32_MAX. */
static uint32_t decider_of(const struct sonde_met *met, uint32_t n_met, const struct sonde_place *block)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < n_met; i++) {
        const struct sonde_place *p = &met[i].place;
        bool is_before = p->line <= block->line && p->line + FAR > block->line;
        if (met[i].is_complete || !is_before || strcmp(p->file, block->file) != 0) continue;
        if (strcmp(p->function, block->function) != 0) continue;
        if (best != UINT32_MAX && p->line < met[best].place.line) continue;
        /* The cases of a switch are recorded when they are near; the one recorded most often is always near. */
        bool is_rarer =
            best != UINT32_MAX && p->line == met[best].place.line && met[i].is_switch && met[i].n < met[best].n;
        if (!is_rarer) best = i;
    }
    return best;
}

static void find_blocks(struct finding *f, const struct sonde_met *met, uint32_t n_met)
{
    uintptr_t *done = sonde_calloc(n_met + 1u, sizeof *done);
    const void *run_it;
    memcpy(&run_it, &f->s->property->run, sizeof run_it); /* C has no cast from a function pointer to void * */
    struct sonde_code *code = sonde_code_open(run_it);
    for (uint32_t i = 0, k; code && i < n_met; i++) {
        if (!sonde_code_function(code, (uintptr_t)met[i].code, &f->function)) continue;
        for (k = 0; k < i && done[k] != f->function.start; k++) continue;
        done[i] = f->function.start;
        if (k < i) continue;
        sonde_coverage_each_place(f->s->coverage, visit_table, f);
        scan_calls(f);
    }
    if (code) sonde_code_close(code);
    sonde_free(done);
}

static int by_location(const void *a, const void *b)
{
    const struct sonde_branch *x = a, *y = b;
    int order = strcmp(x->place.file, y->place.file);
    if (order) return order;
    if (x->place.line != y->place.line) return x->place.line < y->place.line ? -1 : 1;
    return (x->behind > y->behind) - (x->behind < y->behind);
}

uint32_t sonde_branches_find(const struct sonde_search *search, const struct sonde_coverage *coverage,
                             struct sonde_met *met, uint32_t n_met, struct sonde_branch **branches)
{
    struct finding f = {.s = search};
    const void **code = sonde_calloc(n_met + 1u, sizeof *code);
    struct sonde_place *places = sonde_calloc(n_met + 1u, sizeof *places);
    for (uint32_t i = 0; i < n_met; i++) code[i] = met[i].code = sonde_coverage_code(coverage, met[i].id);
    sonde_places_of_code(code, n_met, places);
    for (uint32_t i = 0; i < n_met; i++) met[i].place = places[i];
    sonde_free(code);
    sonde_free(places);
    find_blocks(&f, met, n_met);
    code = sonde_calloc(f.n + 1u, sizeof *code);
    places = sonde_calloc(f.n + 1u, sizeof *places);
    *branches = sonde_calloc(f.n + 1u, sizeof **branches);
    for (uint32_t i = 0; i < f.n; i++) code[i] = (const void *)f.blocks[i].address;
    sonde_places_of_code(code, f.n, places);
    uint32_t n = 0, kept = 0;
    for (uint32_t i = 0; i < f.n; i++) {
        bool is_code = places[i].line && !is_condition(&places[i]);
        uint32_t decider = is_code ? decider_of(met, n_met, &places[i]) : UINT32_MAX;
        if (decider != UINT32_MAX)
            (*branches)[n++] = (struct sonde_branch){decider, f.blocks[i].address, f.blocks[i].is_called, places[i]};
    }
    qsort(*branches, n, sizeof **branches, by_location);
    for (uint32_t i = 0; i < n; i++) {
        const struct sonde_branch *b = &(*branches)[i], *last = kept ? &(*branches)[kept - 1] : NULL;
        bool is_same = last && last->met == b->met && (!met[b->met].is_switch || last->place.line == b->place.line);
        if (!is_same) (*branches)[kept++] = *b;
    }
    sonde_free(f.blocks);
    sonde_free(code);
    sonde_free(places);
    return kept;
}

bool sonde_branch_is_taken(const struct sonde_branch *branch, const struct sonde_coverage *coverage,
                           const struct sonde_coverage_view *view)
{
    for (size_t i = 0; view && i < view->n_features; i++) {
        if (view->features[i].kind == SONDE_FEATURE_COMPARISON) continue;
        uintptr_t code = (uintptr_t)sonde_coverage_code(coverage, view->features[i].id);
        if (code >= branch->behind && code <= branch->behind + (branch->is_called ? CALL_MAX : 0)) return true;
    }
    return false;
}
