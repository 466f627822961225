/* A custom reporter: sonde sends it events, and it writes a report in another format. This one writes a row of a
 * Markdown table for each property, for a page that a build makes.
 *
 *     16_own_reporter --report markdown               to standard output
 *     16_own_reporter --report terminal,markdown:tests.md
 *
 * All pointers in an event are borrowed for the call. A reporter that cannot continue sets `failure` to the reason; the
 * program then prints it and exits with status 2. */
#include <sonde/extend.h>

#include <stdlib.h>
#include <string.h>

struct markdown {
    struct sonde_reporter reporter; /* the first member, so that a pointer to it can be cast to the whole struct */
    FILE *out;                      /* owned by sonde, which closes it and checks for errors */
};

static const char *in_a_word(enum sonde_outcome outcome)
{
    switch (outcome) {
    case SONDE_OUTCOME_PASSED:
    case SONDE_OUTCOME_EXHAUSTED: return "holds";
    case SONDE_OUTCOME_FALSIFIED: return "**does not hold**";
    default: return "not known";
    }
}

static void markdown_event(struct sonde_reporter *reporter, const struct sonde_event *event)
{
    struct markdown *m = (struct markdown *)reporter;
    const struct sonde_report *r = event->report;
    if (event->kind == SONDE_EVENT_BEGIN)
        fputs("| property | outcome | cases | smallest input |\n|---|---|---|---|\n", m->out);
    if (event->kind != SONDE_EVENT_PROPERTY_END) return;
    if (strpbrk(r->property, "|\n")) {
        m->reporter.failure = "the name of a property would break the table";
        return;
    }
    fprintf(m->out, "| %s | %s | %llu | %s |\n", r->property, in_a_word(r->outcome), (unsigned long long)r->stats.tests,
            r->n_failures && r->failures[0].token ? r->failures[0].token : "");
}

static void markdown_destroy(struct sonde_reporter *reporter)
{
    free(reporter);
}

static struct sonde_reporter *markdown_create(FILE *out)
{
    struct markdown *m = calloc(1, sizeof *m);
    if (!m) return NULL; /* out of memory */
    m->reporter.event = markdown_event;
    m->reporter.destroy = markdown_destroy;
    m->out = out;
    return &m->reporter;
}

static const struct sonde_reporter_ops markdown = {"markdown", "a table for a page", markdown_create};

__attribute__((constructor)) static void register_markdown(void)
{
    sonde_reporter_register(&markdown);
}

/* ---- Properties to report */

static int middle(int low, int high)
{
    return (low + high) / 2;
}

SONDE_PROPERTY(the_middle_of_small_numbers_lies_between)
{
    int low = (int)sonde_int(t, "low", 0, 1000), high = (int)sonde_int(t, "high", low, 2000);
    sonde_check(t, low <= middle(low, high) && middle(low, high) <= high);
}

SONDE_PROPERTY(half_of_an_even_number_is_exact)
{
    int x = (int)sonde_int(t, "x", 0, 100);
    sonde_check_eq(t, x / 2 * 2, x); /* does not hold for 1 */
}

SONDE_MAIN()
