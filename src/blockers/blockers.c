/* See blockers.h. */
#include "blockers/blockers.h"

#include "base/map.h"
#include "base/mem.h"
#include "blockers/cause.h"
#include "exec/interrupt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLED = 300,      /* maximum number of inputs of the search that are run again */
    COMPARISONS = 2048, /* maximum number of comparisons that are examined */
    BLOCKERS = 32,      /* maximum number of blockers that are reported */
    RUNS = 50000        /* maximum number of runs for all branches */
};

struct blockers {
    struct sonde_prober prober;
    struct sonde_probed *sites;
    uint32_t n, cap;
    struct sonde_map index; /* id of a comparison to its index in `sites`, plus 1 */
    uint32_t n_sampled;     /* inputs of the search that were run again */
};

/* ---- Valid inputs */

static struct sonde_probed *site_of(struct blockers *x, const struct sonde_comparison *c, uint32_t sample)
{
    uint32_t *at = sonde_map_at(&x->index, c->id);
    if (!*at && x->n < COMPARISONS) {
        x->sites = sonde_grow(x->sites, &x->cap, (size_t)x->n + 1, sizeof *x->sites);
        x->sites[x->n] = (struct sonde_probed){.id = c->id,
                                               .first = {c->a, c->b},
                                               .is_same = {true, true},
                                               .bytes = c->bytes,
                                               .is_switch = c->kind == SONDE_COMPARISON_SWITCH,
                                               .nearest = SONDE_APPROACH_NONE,
                                               .other = sample};
        *at = ++x->n;
    }
    return *at ? &x->sites[*at - 1] : NULL;
}

static void add(struct blockers *x, const struct sonde_comparison *c, uint32_t sample)
{
    bool is_other = c->kind == SONDE_COMPARISON_ASSUME || c->kind == SONDE_COMPARISON_TEXT;
    struct sonde_probed *s = is_other ? NULL : site_of(x, c, sample);
    if (!s) return;
    s->n++;
    s->seen |= sonde_outcome_of(c);
    s->is_same[0] &= c->a == s->first[0];
    s->is_same[1] &= c->b == s->first[1];
    if (sonde_approach(s->nearest, c)) s->sample = sample;
}

static void run_sample(struct blockers *x)
{
    const struct sonde_sample *sample = &x->prober.single->search->rerun.sample;
    for (uint32_t i = 0; i < sample->n && x->n_sampled < SAMPLED; i++) {
        if (sample->inputs[i]->verdict != SONDE_VALID) continue;
        const struct sonde_coverage_view *view = sonde_probe_run(&x->prober, &sample->inputs[i]->tape, false);
        if (x->prober.single->search->t->verdict != SONDE_VALID) continue; /* not a function of its input */
        x->n_sampled += view != NULL;
        for (size_t k = 0; view && k < view->n_log; k++) add(x, &view->log[k], i);
    }
}

/* ---- The report */

/* Writes a side of a comparison: a number, or the characters that it consists of. */
static void write_side(char *out, size_t size, uint64_t side, uint8_t bytes, bool is_unsigned)
{
    char text[9];
    bool is_text = bytes >= 4;
    for (unsigned i = 0; i < bytes && i < 8; i++) {
        text[i] = (char)(side >> 8 * i);
        text[i + 1] = 0;
        is_text &= text[i] >= ' ' && text[i] <= '~' && text[i] != '"' && text[i] != '\\';
    }
    if (is_text) snprintf(out, size, "\"%s\"", text);
    else if (!bytes) snprintf(out, size, "%.17g", sonde_compared_double(side));
    else if (is_unsigned) snprintf(out, size, "%" PRIu64, sonde_compared_unsigned(side, bytes));
    else snprintf(out, size, "%" PRId64, (int64_t)side);
}

static char *join_movers(const struct blockers *x, const struct sonde_evidence *v)
{
    char text[512] = "";
    for (uint32_t i = 0; i < v->n_movers; i++) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%s%s", n ? ", " : "",
                 sonde_label_text(&x->prober.single->search->labels, v->movers[i]));
    }
    return sonde_strdup(text);
}

static struct sonde_blocker describe(struct blockers *x, struct sonde_evidence *v, const struct sonde_met *met)
{
    const struct sonde_probed *s = v->site;
    char needs[200], side[64], other[64];
    bool has_constant = s->is_same[0] || s->is_same[1];
    struct sonde_blocker_need need = sonde_blocker_need(v, s->is_same[0]);
    unsigned varies = s->is_same[0], view = need.is_unsigned;
    write_side(side, sizeof side, s->first[!varies], s->bytes, view);
    int n = snprintf(needs, sizeof needs, "%s %s", need.relation, has_constant ? side : "the other side");
    if (need.other) {
        write_side(side, sizeof side, s->first[!varies], s->bytes, !view);
        snprintf(needs + n, sizeof needs - (size_t)n, ", or %s %s as %s numbers", need.other,
                 has_constant ? side : "the other side", view ? "signed" : "unsigned");
    }
    if (s->is_switch) snprintf(needs, sizeof needs, "of another case");
    write_side(other, sizeof other, s->nearest[view].sides[varies], s->bytes, view);
    struct sonde_blocker b = {.line = met->place.line,
                              .behind = v->branch->place.line,
                              .cause = sonde_blocker_cause(v),
                              .met = s->n,
                              .tried = v->n_probes,
                              .discarded = v->n_discarded};
    b.file = sonde_strdup(met->place.file);
    b.function = sonde_strdup(met->place.function);
    b.needs = sonde_strdup(needs);
    b.nearest = sonde_strdup(other);
    b.draws = join_movers(x, v);
    write_side(other, sizeof other, v->nearest[view].sides[varies], s->bytes, view);
    b.reached = sonde_strdup(other);
    if (b.cause == SONDE_BLOCKER_MISSED) b.token = v->token;
    else sonde_free(v->token);
    if (b.cause == SONDE_BLOCKER_ASSUME) b.assume_file = v->guard.file, b.assume_line = v->guard.line;
    return b;
}

static void judge_branches(struct blockers *x, struct sonde_report *report)
{
    struct sonde_branch *branches;
    struct sonde_met *met = sonde_calloc(x->n + 1u, sizeof *met);
    for (uint32_t i = 0; i < x->n; i++)
        met[i] = (struct sonde_met){.id = x->sites[i].id,
                                    .is_complete = sonde_blocker_is_complete(&x->sites[i]),
                                    .is_switch = x->sites[i].is_switch,
                                    .n = x->sites[i].n};
    uint32_t n = sonde_branches_find(x->prober.single->search, x->prober.coverage, met, x->n, &branches);
    struct sonde_blocker *blockers = sonde_calloc(BLOCKERS, sizeof *blockers);
    uint32_t n_blockers = 0;
    for (uint32_t i = 0; i < n && n_blockers < BLOCKERS && x->prober.n_runs < RUNS && !sonde_interrupted(); i++) {
        const struct sonde_probed *site = &x->sites[branches[i].met];
        struct sonde_evidence v = {.site = site,
                                   .branch = &branches[i],
                                   .seen = site->seen,
                                   .is_copied = true,
                                   .nearest = SONDE_APPROACH_NONE};
        sonde_probe_branch(&x->prober, &v);
        if (v.n_probes) blockers[n_blockers++] = describe(x, &v, &met[branches[i].met]);
    }
    report->blockers = blockers;
    report->n_blockers = n_blockers;
    report->n_more_blockers = n - n_blockers;
    sonde_free(branches);
    sonde_free(met);
}

void sonde_blockers_find(struct sonde_single *single, struct sonde_report *report)
{
    struct blockers x = {.prober = {.single = single}};
    sonde_single_compare(single, true);
    x.prober.coverage = single->runner.coverage;
    sonde_coverage_keep(x.prober.coverage, true);
    sonde_coverage_log(x.prober.coverage, true);
    run_sample(&x);
    judge_branches(&x, report);
    report->blockers_unknown = x.n_sampled == 0;
    sonde_single_compare(single, false);
    sonde_free(x.sites);
    sonde_map_clear(&x.index);
}

/* The members are const for readers; the report owns them, hence the casts. */
void sonde_blockers_free(struct sonde_report *r)
{
    for (size_t i = 0; i < r->n_blockers; i++) {
        const struct sonde_blocker *b = &r->blockers[i];
        const char *const owned[] = {b->file, b->function, b->needs, b->nearest, b->reached, b->draws, b->token};
        for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) sonde_free((void *)(uintptr_t)owned[k]);
    }
    sonde_free((void *)(uintptr_t)r->blockers);
}
