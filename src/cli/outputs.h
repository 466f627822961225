/* The reports of a run, and where each of them goes.
 *
 * Standard output belongs to the reports. They write to a copy of its descriptor, because output of the code under
 * test is redirected while it runs. At most one report writes there: the terminal report by default, JSON or TAP
 * on request. */
#ifndef SONDE_CLI_OUTPUTS_H
#define SONDE_CLI_OUTPUTS_H

#include "cli/options.h"

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

/* Opens the reports that the options ask for. The terminal report goes to standard output. If another report goes
 * there, the terminal report is written only on request, to standard error. Annotations for GitHub are lines of a log,
 * so they may be mixed with any other report. Returns false after an error message. */
bool sonde_outputs_open(struct sonde_outputs *outputs, const struct sonde_cli *cli);
/* Prints which custom reporters failed, and why. Returns false if none did. */
bool sonde_outputs_have_failed(const struct sonde_outputs *outputs);
/* Closes all reports. Returns false, after a warning, if one could not be written: a full disk must not look like
 * success. */
bool sonde_outputs_close(struct sonde_outputs *outputs);

#endif
