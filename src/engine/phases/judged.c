/* See judged.h. The search near a schedule is bounded by a number of cases and uses fixed random numbers. So its
 * verdict does not depend on the load of the machine. */
#include "engine/phases/judged.h"

#include "exec/exec.h"
#include "exec/interrupt.h"

#include <string.h>

/* How many schedules of one input are tried. A bug that needs two switches in 64 steps is shown by about one schedule
 * in a hundred. */
enum { NEAR = 2000 };

static struct sonde_conditions conditions_of(const struct sonde_engine *e)
{
    const struct sonde_options *o = &e->options;
    return (struct sonde_conditions){.cpu_seconds = o->timeout_cpu,
                                     .wall_seconds = o->timeout_wall,
                                     .memory = o->memory_limit,
                                     .is_isolated = e->single->isolated,
                                     .guards = o->guard,
                                     .other = sonde_against_identity(),
                                     .finds_leaks = e->search->leaks.is_possible};
}

static struct sonde_account account_of(const struct sonde_stored *file)
{
    return (struct sonde_account){.kind = file->kind,
                                  .message = file->message,
                                  .shown = file->shown,
                                  .build = file->build,
                                  .steps = file->steps,
                                  .is_unconfirmed = file->confirmed && strcmp(file->confirmed, "yes") != 0};
}

void sonde_engine_witness(struct sonde_engine *e, const struct sonde_claim *claim, const struct sonde_tape *tape,
                          struct sonde_witness *w)
{
    struct sonde_conditions run = conditions_of(e);
    sonde_witness_of(claim, sonde_threads_are_in(tape, &e->search->labels), &run, w);
}

bool sonde_engine_counts_steps(const struct sonde_engine *e)
{
    const sonde *t = e->search->t;
    return sonde_threads_next_switch(&t->tape, t->labels, 0) < t->tape.n_choices;
}

enum sonde_sight sonde_engine_sight(struct sonde_engine *e, const struct sonde_stored *found,
                                    struct sonde_obstacle *why)
{
    struct sonde_conditions run = conditions_of(e);
    struct sonde_account tape = account_of(found);
    /* The file has no such line: earlier versions did not store by which steps a schedule was counted. */
    if (!tape.steps && sonde_engine_counts_steps(e)) tape.steps = "unknown";
    if (tape.steps && sonde_schedule_hook_ && !sonde_engine_counts_steps(e)) tape.steps = NULL;
    return sonde_witness_judge(&tape, &run, why);
}

bool sonde_engine_may_replace(const struct sonde_stored *old, const struct sonde_stored *new)
{
    struct sonde_account before = account_of(old), after = account_of(new);
    return sonde_witness_replaces(&before, &after);
}

/* ---- Trying schedules near a schedule of another build */

/* Moves a switch: near its old position, since the code around it is mostly the same, or anywhere. */
static void move_switch(struct sonde_choice *at, struct sonde_rng *rng)
{
    enum { CLOSE = 16 }; /* steps to both sides of the old position */
    uint64_t low = at->index > CLOSE ? at->index - CLOSE : 0;
    uint64_t high = at->max - at->index > CLOSE ? at->index + CLOSE : at->max;
    at->index = sonde_rng_upto(rng, 1) ? low + sonde_rng_upto(rng, high - low) : sonde_rng_upto(rng, at->max);
}

/* Makes the i-th schedule near `base`. A single switch tries all positions, if they are few enough. */
static void vary(const struct sonde_engine *e, const struct sonde_tape *base, uint32_t i, struct sonde_tape *out)
{
    const struct sonde_labels *labels = e->search->t->labels;
    struct sonde_rng rng;
    sonde_rng_seed(&rng, NEAR, i);
    sonde_tape_copy(out, base);
    uint32_t at = sonde_threads_next_switch(out, labels, 0);
    bool is_single = sonde_threads_next_switch(out, labels, at + 1) == out->n_choices;
    if (is_single && i <= out->choices[at].max && i < NEAR / 2) {
        out->choices[at].index = i;
        return;
    }
    for (; at < out->n_choices; at = sonde_threads_next_switch(out, labels, at + 1)) {
        move_switch(&out->choices[at], &rng);
        bool has_whom = at + 1 < out->n_choices && out->choices[at + 1].kind == SONDE_KIND_PICK;
        if (has_whom && sonde_rng_upto(&rng, 3) == 0)
            out->choices[at + 1].index = sonde_rng_upto(&rng, out->choices[at + 1].max);
    }
}

bool sonde_engine_search_near(struct sonde_engine *e, const struct sonde_tape *const *scripts, uint32_t n)
{
    const struct sonde_tape *all[SONDE_CASE_RING];
    const sonde *t = e->search->t;
    struct sonde_tape base, script;
    bool fails = false, can_vary = sonde_engine_counts_steps(e);
    sonde_tape_init(&base);
    sonde_tape_init(&script);
    sonde_tape_copy(&base, &t->tape);
    sonde_tape_end(&base);
    memcpy(all, scripts, n * sizeof *all);
    all[n - 1] = &script;
    for (uint32_t i = 0; i < NEAR && can_vary && !fails && !sonde_interrupted(); i++) {
        vary(e, &base, i, &script);
        fails = sonde_single_fails(e->single, all, n, n > 1, 0);
    }
    sonde_tape_clear(&base);
    sonde_tape_clear(&script);
    return fails;
}

/* ---- Counts */

/* Adds each reason once, separated by semicolons. */
static void add_reason(char *all, size_t size, const char *reason)
{
    size_t n = strlen(all);
    if (strstr(all, reason) || n + strlen(reason) + 3 > size) return;
    snprintf(all + n, size - n, "%s%s", n ? "; " : "", reason);
}

void sonde_engine_count_unjudged(struct sonde_engine *e, const struct sonde_obstacle *why)
{
    char reason[sizeof why->what + 32];
    snprintf(reason, sizeof reason, "found %s %s", why->how, why->what);
    add_reason(e->unjudged, sizeof e->unjudged, reason);
    e->report.n_unjudged++;
    e->report.unjudged = e->unjudged;
}

void sonde_engine_count_unjudged_regression(struct sonde_engine *e, const struct sonde_obstacle *why)
{
    char reason[sizeof why->what + 32];
    snprintf(reason, sizeof reason, "needs %s", why->what);
    add_reason(e->unjudged_regressions, sizeof e->unjudged_regressions, reason);
    e->report.n_unjudged_regressions++;
    e->report.unjudged_regressions = e->unjudged_regressions;
}
