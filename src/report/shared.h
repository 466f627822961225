/* Functions that several reporters use: fields of JSON, words for outcomes, summaries, and source locations. */
#ifndef SONDE_REPORT_SHARED_H
#define SONDE_REPORT_SHARED_H

#include <sonde/extend.h>

/* Returns whether the property passed: the search reached its end and found no failure. */
bool sonde_report_holds(const struct sonde_report *report);
/* Returns whether the property was not searched, because a change does not concern it. Nothing failed, so it counts as
 * one that holds, without a proof. */
bool sonde_report_is_skipped(const struct sonde_report *report);
/* Returns the lines that the guide prints: what it learned if `explains` is set, else its numbers; "" if there are
 * none. The caller frees them with sonde_free. */
char *sonde_report_guide(const struct sonde_report *report, bool explains);

struct sonde_json_out;
/* Writes the fields of the JSON object of a report, or only those that TAP has as diagnostics. Every JSON value is
 * also a YAML value. */
void sonde_json_fields(struct sonde_json_out *to, const struct sonde_report *report, bool diagnostics_only);
/* Writes the value of a choice. */
void sonde_json_choice(struct sonde_json_out *to, const struct sonde_tape *tape, const struct sonde_choice *choice);
/* Writes an array of the lines of a string, which may be NULL. */
void sonde_json_lines(struct sonde_json_out *to, const char *text);
/* Writes the field physicalLocation of SARIF. `file` is a path from the root of the repository, or absolute. A line of
 * 0 is left out. */
void sonde_sarif_location(struct sonde_json_out *to, const char *file, int line);
/* Returns the word for an outcome. */
const char *sonde_outcome_word(enum sonde_outcome outcome);
/* Returns the word for what is known of a failure in the base. */
const char *sonde_in_base_word(enum sonde_in_base in_base);
/* Writes whether a failure is in the base, too, without a full stop; "" without --known-in. */
void sonde_report_in_base(const struct sonde_report *report, const struct sonde_failure *failure, char *out,
                          size_t size);
/* Returns the word for the reason why a search stopped. */
const char *sonde_stop_word(enum sonde_stop stop);
/* Returns the word for whether a label was as frequent as sonde_cover requires. */
const char *sonde_cover_word(const struct sonde_label_count *label);
/* Writes how many stored failures (part 0) or regressions (part 1) could not be judged, and why, without a full stop.
 * Returns false if all could be judged. */
bool sonde_report_unjudged(const struct sonde_report *report, int part, char *out, size_t size);
/* Writes one line about the outcome to `out`, without the name of the property. */
void sonde_report_summary(const struct sonde_report *report, char *out, size_t size);
/* Writes one line about the changed lines and what reached them, as reports show it. Long lists are cut. */
void sonde_report_changed(const struct sonde_changed *changed, char *out, size_t size);
struct sonde_json_out;
/* Writes the object about the changed lines: {"lines": ..., "valid": ..., ...}. */
void sonde_json_changed(struct sonde_json_out *to, const struct sonde_changed *changed);
/* Prints the terminal report without colours, as the content of an element of XML or HTML. */
void sonde_terminal_xml(FILE *out, const struct sonde_report *report);

/* A source location for services that show reports beside the source: a path from the root of the repository, and
 * a line. __FILE__ is the path that the compiler was given, which is absolute or relative to a build directory.
 * Code scanning, annotations and merge requests know only paths from the root. */
struct sonde_spot {
    char *file; /* NULL: not known */
    int line;   /* 0: not known */
};

/* Returns the location of a failure's check. Without a failure (NULL), returns the assume that discarded most
 * cases if the property gave up. Clear the result with sonde_spot_clear. */
struct sonde_spot sonde_spot_find(const struct sonde_report *report, const struct sonde_failure *failure);
/* Frees the path of a location. */
void sonde_spot_clear(struct sonde_spot *spot);

#endif
