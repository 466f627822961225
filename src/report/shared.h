/* What reporters have in common. */
#ifndef SONDE_REPORT_SHARED_H
#define SONDE_REPORT_SHARED_H

#include <sonde/extend.h>

/* Whether no failure was found by a search that came to its end. */
bool sonde_report_holds(const struct sonde_report *report);
/* Returns what the guide says of what it learned, or of its numbers, "" if nothing. The caller frees it by sonde_free. */
char *sonde_report_guide(const struct sonde_report *report, bool explains);

struct sonde_json_out;
/* Writes the fields of the JSON object of a report. TAP's diagnostics are a part of them, since a JSON value is a YAML
 * value. */
void sonde_json_fields(struct sonde_json_out *to, const struct sonde_report *report, bool diagnostics_only);
/* Writes the value of a choice. */
void sonde_json_choice(struct sonde_json_out *to, const struct sonde_tape *tape, const struct sonde_choice *choice);
/* Writes an array of the lines of a text, which may be NULL. */
void sonde_json_lines(struct sonde_json_out *to, const char *text);
/* The words for outcomes, reasons to stop, and whether a label is frequent enough. */
const char *sonde_outcome_word(enum sonde_outcome outcome);
const char *sonde_stop_word(enum sonde_stop stop);
const char *sonde_cover_word(const struct sonde_label_count *label);
/* Writes how many stored failures (part 0) or regressions (part 1) could not be judged, and why, without a full stop; false if
 * all could. */
bool sonde_report_unjudged(const struct sonde_report *report, int part, char *out, size_t size);
/* One line on what came out, into `out`. */
void sonde_report_summary(const struct sonde_report *report, char *out, size_t size);
/* The report for people (terminal.c) without colours, as the text of an element of XML or HTML. */
void sonde_terminal_xml(FILE *out, const struct sonde_report *report);

/* Where a report points to, as programs that show it beside the source want it: by the path from the root of the repository.
 *
 * __FILE__ is what the compiler was given: absolute, or relative to a build folder. Code scanning, annotations and merge
 * requests know only paths from the root. */
struct sonde_spot {
    char *file; /* NULL: not known */
    int line;   /* 0: not known */
};

/* The claim of a failure; without one (NULL), the assume that rejected most where the property gave up. Clear it. */
struct sonde_spot sonde_spot_find(const struct sonde_report *report, const struct sonde_failure *failure);
void sonde_spot_clear(struct sonde_spot *spot);

#endif
