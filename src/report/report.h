/* Reporters: listeners on the engine's events that write for people or for programs.
 *
 * A reporter writes to a stream that it is given and does not own; whoever opened it closes it and looks for errors.
 * It must not be the code under test's standard output, which may be redirected while a property runs.
 *
 * Order of events: BEGIN once; for each property PROPERTY_BEGIN, any number of PROGRESS, FOUND, SHRINKING and
 * SETTLED, then PROPERTY_END with the report; END once, with the status. A property that a signal kept from
 * running has a PROPERTY_END alone. What an event points to is good until the listener returns.
 *
 * A new kind: a file with a create function, a declaration below, a word in sonde_report_kinds, a case in
 * main.c (create_reporter). Users have the same by sonde_reporter_register. */
#ifndef SONDE_REPORT_REPORT_H
#define SONDE_REPORT_REPORT_H

#include <sonde/extend.h>

/* Filled in by cli/main.c from options and from what the output is (isatty, locale). Copied by the
 * reporter. */
struct sonde_terminal_style {
    bool color;
    bool progress; /* a live line; only where `out` is a terminal */
    bool ui;       /* with progress: a live screen instead, where it has room */
    bool utf8;     /* the terminal shows more than ASCII */
    bool quiet;    /* failures only */
    bool stats;
    bool explain;
    bool all;     /* long tables and long inputs in full */
    bool several; /* the program has several properties: a replay command must say which */
    bool replay;  /* a given input is run, there is no search */
    bool hints;   /* at the end, what no property was tested for */
};

/* All of these: from the current heap, freed by ->destroy. Events come one at a time, from one thread
 * of the supervisor; what an event points to lives only during the call. */
struct sonde_reporter *sonde_terminal_create(FILE *out, const struct sonde_terminal_style *style);
/* --stats and --explain: fields of these names, with the text that a terminal would show. */
struct sonde_json_wishes {
    bool stats, explain;
};
/* Each writes to `out`, which it borrows, and is destroyed by its own `destroy`. JSON writes a line per
 * property when it has ended, TAP too, JUnit everything at the end. */
struct sonde_reporter *sonde_json_create(FILE *out, struct sonde_json_wishes wishes);
struct sonde_reporter *sonde_tap_create(FILE *out);
struct sonde_reporter *sonde_junit_create(FILE *out);
/* Annotations of GitHub Actions, for the log; its summary goes where GITHUB_STEP_SUMMARY says. */
struct sonde_reporter *sonde_github_create(FILE *out);
struct sonde_reporter *sonde_sarif_create(FILE *out);
/* Observations for Tyche. */
struct sonde_reporter *sonde_tyche_create(FILE *out);
/* The table of --plot-data, at the end of the property. */
struct sonde_reporter *sonde_plot_create(FILE *out);
/* A C program that includes `source`, the file of the properties (NULL: unknown), and fails as they do; borrows both. */
struct sonde_reporter *sonde_as_c_create(FILE *out, const char *source, const sonde_property *properties, size_t n);

/* One complete report as the terminal reporter prints it. */
void sonde_terminal_print(FILE *out, const struct sonde_terminal_style *style, const struct sonde_report *report);
/* The values of a tape as a tree, as a report has them. */
void sonde_report_values(FILE *out, const struct sonde_tape *tape, const struct sonde_labels *names);

/* ---- Kinds, for --report. */

/* Those that sonde has itself, ending with NULL; in the order of enum sonde_report_kind. */
extern const char *const sonde_report_kinds[];
/* The i-th that was registered (sonde/extend.h); NULL beyond the last. */
const struct sonde_reporter_ops *sonde_reporter_at(size_t i);
/* By the first n characters of a text, which must be its name; NULL if there is none. */
const struct sonde_reporter_ops *sonde_reporter_find(const char *name, size_t n);

/* Returns a zeroed struct of `size` bytes whose first member is a reporter that listens by `event` and is freed by its
 * destroy. One that owns more sets another destroy. */
void *sonde_reporter_new(size_t size, void (*event)(struct sonde_reporter *reporter, const struct sonde_event *event));

#endif
