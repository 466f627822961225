/* --report tyche: writes observations as JSON lines for Tyche (https://github.com/tyche-pbt). There is a line for
 * each input of a sample, for each failure, and for the outcome.
 *
 * At a million cases a second, a line for each case would be useless and slow the search down. So the inputs are
 * the sample that the engine keeps anyway (engine/search/sample.h). It holds all different inputs up to a
 * thousand; of more, a thousand that are equally likely. */
#include "report/report.h"
#include "report/shared.h"

#include "base/buffer.h"
#include "base/json.h"
#include "report/values.h"

#include <inttypes.h>
#include <time.h>

struct tyche {
    struct sonde_reporter base;
    FILE *out;
    double began; /* seconds since 1970; identifies the run */
};

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

struct arguments {
    struct sonde_json_out *to;
    const struct sonde_tape *tape;
};

static bool put_argument(void *context, const struct sonde_leaf *leaf)
{
    struct arguments *a = context;
    sonde_json_put(a->to, "%s:", leaf->path);
    if (leaf->choice) sonde_json_choice(a->to, a->tape, leaf->choice);
    else sonde_json_put(a->to, "%s", or_empty(leaf->shown));
    return true;
}

static void put_input(struct sonde_json_out *to, const struct sonde_report *r, const struct sonde_tape *tape)
{
    struct sonde_values values = {.tape = tape, .names = r->names};
    struct sonde_buffer tree;
    sonde_values_tree(sonde_buffer_open(&tree), &values, 0, 0);
    sonde_json_put(to, "representation: %s, arguments: {", sonde_buffer_close(&tree));
    sonde_buffer_clear(&tree);
    sonde_values_each(&values, put_argument, &(struct arguments){to, tape});
    sonde_json_put(to, "}, features: {choices: %" PRIu32 "}", tape->n_choices);
}

static void put_case(const struct tyche *t, const struct sonde_report *r, const struct sonde_tape *tape,
                     const char *status, const char *reason, uint64_t test)
{
    struct sonde_json_out to = {.out = t->out};
    sonde_json_put(&to, "{type: %s, run_start: %.3f, property: %s, status: %s, status_reason: %s", "test_case",
                   t->began, or_empty(r->property), status, or_empty(reason));
    put_input(&to, r, tape);
    sonde_json_put(&to, "how_generated: %s, coverage: null, timing: {}, metadata: {test: %" PRIu64 "}}",
                   or_empty(r->guide), test);
    fputc('\n', t->out);
}

/* Writes the sample, the failures and the outcome of a property. A failing input is written in its shrunk form,
 * with its message. */
static void put_property(const struct tyche *t, const struct sonde_report *r)
{
    char summary[1024];
    for (size_t i = 0; i < r->n_sample; i++) {
        const struct sonde_sampled_case *c = &r->sample[i];
        if (c->verdict == SONDE_VALID) put_case(t, r, c->tape, "passed", "", c->test);
        else if (c->verdict == SONDE_DISCARDED) put_case(t, r, c->tape, "gave_up", "an assume did not hold", c->test);
    }
    for (size_t i = 0; i < r->n_failures; i++)
        if (r->failures[i].tape)
            put_case(t, r, r->failures[i].tape, "failed", r->failures[i].message, r->failures[i].tests_to_failure);
    bool holds = sonde_report_holds(r);
    sonde_report_summary(r, summary, sizeof summary);
    struct sonde_json_out to = {.out = t->out};
    sonde_json_put(&to, "{type: %s, run_start: %.3f, property: %s, title: %s, content: %s}", holds ? "info" : "alert",
                   t->began, or_empty(r->property), sonde_outcome_word(r->outcome), summary);
    fputc('\n', t->out);
    fflush(t->out);
}

static void tyche_event(struct sonde_reporter *reporter, const struct sonde_event *event)
{
    struct tyche *t = (struct tyche *)reporter;
    if (event->kind == SONDE_EVENT_PROPERTY_END) put_property(t, event->report);
}

struct sonde_reporter *sonde_tyche_create(FILE *out)
{
    struct tyche *t = sonde_reporter_new(sizeof *t, tyche_event);
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    t->out = out;
    t->began = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
    return &t->base;
}
