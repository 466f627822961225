/* The reports of a run, and where each of them goes.
 *
 * Standard output belongs to the reports. They write to a copy of its descriptor, because output of the code under
 * test is redirected while it runs. At most one report writes there: the terminal report by default, JSON or TAP
 * on request. */
#ifndef SONDE_CLI_OUTPUTS_H
#define SONDE_CLI_OUTPUTS_H

#include "cli/options.h"

/* The reports to write: one for each --report, and up to four more: --json, --as-c, --plot-data and the default one. */
struct sonde_output_plan {
    struct sonde_report_request requests[SONDE_REPORT_REQUESTS_MAX + 4];
    size_t n;
    bool is_taken; /* a report in a format for programs goes to standard output */
};

/* Chooses the reports that are written. The terminal report goes to standard output. If another report goes there, the
 * terminal report is written only on request, to standard error. Annotations for GitHub are lines of a log, so they may
 * be mixed with any other report. Returns false, after an error message, if two reports would share standard output. */
bool sonde_outputs_plan(struct sonde_output_plan *plan, const struct sonde_cli *cli, const char *program);
/* Returns the descriptor of the standard stream that a report without a file goes to. */
int sonde_output_standard(const struct sonde_output_plan *plan, enum sonde_report_kind kind);
/* Opens the file of a report and sets *file to its name, which the caller frees. Returns NULL after an error message.
 * Called before the run: an error here should not come after an hour of testing. */
FILE *sonde_output_create(const struct sonde_report_request *request, const char *program, char **file);

/* One report and its stream. The stream is owned here and closed after the reporter is destroyed. */
struct sonde_open_report {
    FILE *stream;
    char *file; /* NULL: a standard stream */
    struct sonde_reporter *reporter;
    const struct sonde_reporter_ops *own; /* the reporter's kind if the program registered it; else NULL */
    bool is_page;                         /* the report is from --report html */
};

/* All reports of a run. sonde_tell takes an array of reporters, so reporters[i] repeats all[i].reporter. The reporters
 * of --strict and --serve come last in reporters[]. */
struct sonde_outputs {
    struct sonde_open_report all[SONDE_REPORT_REQUESTS_MAX + 4];
    struct sonde_reporter *reporters[SONDE_REPORT_REQUESTS_MAX + 6];
    size_t n, n_reporters;
    const sonde_property *properties; /* every property of the program */
    size_t n_properties;
    const char *program; /* its name, for messages */
};

/* Opens the reports of the plan. Returns false after an error message. */
bool sonde_outputs_open(struct sonde_outputs *outputs, const struct sonde_cli *cli);
/* Prints the custom reporters that failed, and why. Returns false if none did. */
bool sonde_outputs_have_failed(const struct sonde_outputs *outputs);
/* Closes all reports. Returns false, after a warning, if one could not be written: a full disk must not look like
 * success. */
bool sonde_outputs_close(struct sonde_outputs *outputs);

#endif
