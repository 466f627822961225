/* See blockers.h. The wording for each cause is in this file only. */
#include "report/blockers.h"

#include "base/buffer.h"
#include "base/digits.h"
#include "report/write.h"

#include <inttypes.h>
#include <string.h>

static const char *cause_word(enum sonde_blocker_cause cause)
{
    static const char *const words[] = {[SONDE_BLOCKER_RANGE] = "range",
                                        [SONDE_BLOCKER_CONSTANT] = "constant",
                                        [SONDE_BLOCKER_ASSUME] = "assume",
                                        [SONDE_BLOCKER_OPEN] = "open",
                                        [SONDE_BLOCKER_MISSED] = "missed"};
    return words[cause];
}

static void print_cause(FILE *out, const struct sonde_blocker *b)
{
    bool is_one = !strchr(b->draws, ',');
    switch (b->cause) {
    case SONDE_BLOCKER_RANGE:
        fputs("it depends on ", out);
        sonde_write_line(out, b->draws);
        fprintf(out, "; the ends of %s give no value nearer than %s", is_one ? "that range" : "these ranges",
                b->reached);
        break;
    case SONDE_BLOCKER_CONSTANT:
        fprintf(out, "no draw influences it: the value is the same in %" PRIu64 " changed inputs", b->tried);
        break;
    case SONDE_BLOCKER_ASSUME:
        fputs("an input that takes the branch is discarded by the assume at ", out);
        sonde_write_line(out, b->assume_file);
        fprintf(out, ":%d", b->assume_line);
        break;
    case SONDE_BLOCKER_OPEN:
        if (*b->draws) fputs("it depends on ", out);
        sonde_write_line(out, b->draws);
        fprintf(out, "%snone of %" PRIu64 " changed inputs takes the branch", *b->draws ? "; " : "", b->tried);
        if (b->discarded) fprintf(out, " (%" PRIu64 " of them were discarded)", b->discarded);
        break;
    case SONDE_BLOCKER_MISSED:
        fputs("an input that the search did not try takes the branch: --replay '", out);
        sonde_write_line(out, b->token);
        fputc('\'', out);
        break;
    }
}

void sonde_blockers_print(FILE *out, const struct sonde_report *report, unsigned indent)
{
    if (!report->stats.edges && report->stats.valid)
        fprintf(out, "%*sNot known: the code under test is not instrumented. Compile it with sonde cc.\n", (int)indent,
                "");
    else if (report->blockers_unknown)
        fprintf(out, "%*sNot known: the search kept no valid input to run again.\n", (int)indent, "");
    else if (!report->n_blockers && !report->n_more_blockers) fprintf(out, "%*sNone.\n", (int)indent, "");
    for (size_t i = 0; i < report->n_blockers; i++) {
        const struct sonde_blocker *b = &report->blockers[i];
        fprintf(out, "%*s", (int)indent, "");
        sonde_write_line(out, b->file);
        fprintf(out, ":%d: ", b->line);
        sonde_write_line(out, b->function);
        char met[SONDE_GROUPED];
        sonde_grouped(b->met, met);
        fprintf(out, ": needs a value %s; the nearest of %s compared was %s (no valid case reaches line %d)\n%*s",
                b->needs, met, b->nearest, b->behind, (int)indent + 4, "");
        print_cause(out, b);
        fputc('\n', out);
    }
    if (report->n_more_blockers)
        fprintf(out,
                report->n_blockers ? "%*sand %zu more that were not examined\n" : "%*s%zu that were not examined\n",
                (int)indent, "", report->n_more_blockers);
}

void sonde_blockers_json(struct sonde_json_out *to, const struct sonde_report *report)
{
    sonde_json_put(to, "blockers: [");
    for (size_t i = 0; i < report->n_blockers; i++) {
        const struct sonde_blocker *b = &report->blockers[i];
        struct sonde_buffer why;
        print_cause(sonde_buffer_open(&why), b);
        sonde_buffer_close(&why);
        sonde_json_put(to, "{file: %s, line: %d, function: %s, not_reached: %d", b->file, b->line, b->function,
                       b->behind);
        sonde_json_put(to, "cause: %s, text: %s, compared: %" PRIu64, cause_word(b->cause), why.text, b->met);
        sonde_json_put(to, "needs: %s, nearest: %s, reached: %s, draws: %s", b->needs, b->nearest, b->reached,
                       b->draws);
        sonde_json_put(to, "tried: %" PRIu64 ", discarded: %" PRIu64 ", assume_file: %s, assume_line: %d, token: %s}",
                       b->tried, b->discarded, b->assume_file, b->assume_line, b->token);
        sonde_buffer_clear(&why);
    }
    sonde_json_put(to, "], blockers_not_examined: %zu", report->n_more_blockers);
    if (report->blockers_unknown) sonde_json_put(to, "blockers_unknown: %hhd", report->blockers_unknown);
}
