/* The reports of a mutation run: terminal, json, sarif and html. Their files are opened before the run, so that a wrong
 * path is noticed at once, and written after it. */
#ifndef SONDE_CLI_MUTATE_OUTPUT_H
#define SONDE_CLI_MUTATE_OUTPUT_H

#include "cli/options.h"

struct sonde_mutation;

struct sonde_mutation_outputs {
    struct {
        enum sonde_report_kind kind;
        FILE *stream; /* stdout or stderr, or a file that is closed after it is written */
        char *file;   /* NULL: a standard stream */
    } all[SONDE_REPORT_REQUESTS_MAX + 4];
    size_t n;
};

/* Opens the reports that the options ask for. Returns false after an error message; then nothing is open. */
bool sonde_mutation_outputs_open(struct sonde_mutation_outputs *outputs, const struct sonde_cli *cli,
                                 const char *program);
/* Writes the reports and closes their files. Returns false after an error message if one could not be written. */
bool sonde_mutation_outputs_write(struct sonde_mutation_outputs *outputs, const struct sonde_cli *cli,
                                  const struct sonde_mutation *mutation);

#endif
