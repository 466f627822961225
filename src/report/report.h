/* Reporters: they receive the engine's events and write them for people or for programs.
 *
 * A reporter writes to a stream that it borrows; the caller that opened the stream closes it and checks it for
 * errors. The stream must not be standard output itself, which may be redirected while a property runs.
 *
 * Events come in this order. BEGIN comes once. Each property has PROPERTY_BEGIN, any number of PROGRESS, FOUND,
 * SHRINKING and SETTLED, then PROPERTY_END with the report. END comes once, with the status. A property that was not
 * run because of a signal has only a PROPERTY_END. Pointers in an event are valid until the reporter returns.
 *
 * To add a kind, write a file with a create function and declare it below. Then add its name to sonde_report_kinds
 * and a case to create_reporter in main.c. A user's program registers its kinds with sonde_reporter_register. */
#ifndef SONDE_REPORT_REPORT_H
#define SONDE_REPORT_REPORT_H

#include <sonde/extend.h>

/* The style of the terminal report. cli/outputs.c derives it from options, isatty and the locale; the reporter copies
 * it. */
struct sonde_terminal_style {
    bool color;
    bool progress; /* show a live line; only if `out` is a terminal */
    bool ui;       /* with `progress`: show a live screen instead of the line if the window is large enough */
    bool utf8;     /* the terminal shows more than ASCII */
    bool quiet;    /* print failures only */
    bool stats;
    bool explain;
    bool all;     /* print long tables and long inputs in full */
    bool several; /* the program has several properties: a replay command must say which */
    bool replay;  /* the run replays a given input; there is no search */
    bool
        hints; /* print what to do after a failure, and at the end the seed and which errors this build cannot detect */
};

/* ---- The reporters. Each borrows `out` and is allocated from the current heap; its `destroy` frees it. Events come
 * one at a time, from one thread of the supervisor. */

/* Creates the reporter for people (terminal.c). */
struct sonde_reporter *sonde_terminal_create(FILE *out, const struct sonde_terminal_style *style);
/* Optional fields of JSON: with --stats and --explain, strings that the terminal would show. */
struct sonde_json_extras {
    bool stats, explain;
};
/* Creates a reporter that writes a JSON object on one line when a property ends. */
struct sonde_reporter *sonde_json_create(FILE *out, struct sonde_json_extras extras);
/* Creates a reporter that writes TAP 13, for each property when it ends. */
struct sonde_reporter *sonde_tap_create(FILE *out);
/* Creates a reporter that writes JUnit XML at the end of the run. */
struct sonde_reporter *sonde_junit_create(FILE *out);
/* Creates a reporter that writes annotations of GitHub Actions, and a summary to the file that GITHUB_STEP_SUMMARY
 * names. */
struct sonde_reporter *sonde_github_create(FILE *out);
/* Creates a reporter that writes SARIF 2.1.0. */
struct sonde_reporter *sonde_sarif_create(FILE *out);
/* Creates a reporter that writes observations for Tyche. */
struct sonde_reporter *sonde_tyche_create(FILE *out);
/* Creates a reporter that writes the table of --plot-data at the end of the property. */
struct sonde_reporter *sonde_plot_create(FILE *out);
/* Creates a reporter that writes a C program. The program includes `source`, the file of the properties (NULL:
 * unknown), and fails as they do. `source` and `properties` are borrowed. If `mutant` is not 0, the program switches
 * that mutant on. */
struct sonde_reporter *sonde_as_c_create(FILE *out, const char *source, const sonde_property *properties, size_t n,
                                         uint32_t mutant);

/* Prints one complete report as the terminal reporter does. */
void sonde_terminal_print(FILE *out, const struct sonde_terminal_style *style, const struct sonde_report *report);
/* Prints the values of a tape as a tree, as a report shows them. */
void sonde_report_values(FILE *out, const struct sonde_tape *tape, const struct sonde_labels *names);

struct sonde_mutation;
/* Prints the result of a mutation run (--mutate); `all`: every survivor, and which mutants each check killed. */
void sonde_mutation_print(FILE *out, const struct sonde_mutation *mutation, bool all);
/* Writes the result as JSON lines: an object for each file, mutant, property and check, and one for the run. */
void sonde_mutation_json(FILE *out, const struct sonde_mutation *mutation);
/* Writes the result as SARIF 2.1.0: a note on each statement with a survivor that had an effect. */
void sonde_mutation_sarif(FILE *out, const struct sonde_mutation *mutation);
/* Writes the result as an HTML page without scripts. */
void sonde_mutation_html(FILE *out, const struct sonde_mutation *mutation);

/* ---- Kinds of reports, for --report */

/* The built-in kinds, ending with NULL, in the order of enum sonde_report_kind. */
extern const char *const sonde_report_kinds[];
/* Returns the i-th registered kind (sonde/extend.h); NULL beyond the last. */
const struct sonde_reporter_ops *sonde_reporter_at(size_t i);
/* Returns the registered kind whose name is the first n characters of `name`; NULL if there is none. */
const struct sonde_reporter_ops *sonde_reporter_find(const char *name, size_t n);

/* Returns a zeroed struct of `size` bytes, whose first member is a reporter with this `event` function. Its
 * `destroy` frees the struct; a reporter that owns more sets another one. */
void *sonde_reporter_new(size_t size, void (*event)(struct sonde_reporter *reporter, const struct sonde_event *event));

#endif
