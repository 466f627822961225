/* See mutate_output.h. */
#include "cli/mutate_output.h"

#include "base/descriptor.h"
#include "base/die.h"
#include "base/mem.h"
#include "cli/outputs.h"
#include "mutate/result.h"
#include "report/report.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Closes a file; returns false if it could not be written. */
static bool close_file(FILE *stream)
{
    sonde_descriptor_forget(fileno(stream));
    return fclose(stream) == 0;
}

/* Closes the files without writing anything. */
static void close_all(struct sonde_mutation_outputs *outputs)
{
    for (size_t i = 0; i < outputs->n; i++) {
        if (outputs->all[i].file) close_file(outputs->all[i].stream);
        sonde_free(outputs->all[i].file);
    }
    outputs->n = 0;
}

static bool is_possible(enum sonde_report_kind kind)
{
    return kind == SONDE_REPORT_TERMINAL || kind == SONDE_REPORT_JSON || kind == SONDE_REPORT_SARIF
           || kind == SONDE_REPORT_HTML || kind == SONDE_REPORT_GITHUB;
}

bool sonde_mutation_outputs_open(struct sonde_mutation_outputs *outputs, const struct sonde_cli *cli,
                                 const char *program)
{
    struct sonde_output_plan plan;
    outputs->n = 0;
    for (size_t i = 0; i < cli->n_reports; i++) {
        if (is_possible(cli->reports[i].kind)) continue;
        sonde_complain("%s: --report: with --mutate only terminal, json, sarif and html are possible", program);
        return false;
    }
    if (!sonde_outputs_plan(&plan, cli, program)) return false;
    for (size_t i = 0; i < plan.n; i++) {
        const struct sonde_report_request *request = &plan.requests[i];
        if (request->kind == SONDE_REPORT_GITHUB) continue; /* profile ci adds it to every run */
        bool is_diverted = sonde_output_standard(&plan, request->kind) == STDERR_FILENO;
        char *file = NULL;
        FILE *stream = request->file_length ? sonde_output_create(request, program, &file)
                       : is_diverted        ? stderr
                                            : stdout;
        if (!stream) {
            close_all(outputs);
            return false;
        }
        outputs->all[outputs->n].kind = request->kind;
        outputs->all[outputs->n].stream = stream;
        outputs->all[outputs->n++].file = file;
    }
    return true;
}

bool sonde_mutation_outputs_write(struct sonde_mutation_outputs *outputs, const struct sonde_cli *cli,
                                  const struct sonde_mutation *mutation)
{
    bool is_whole = true;
    for (size_t i = 0; i < outputs->n; i++) {
        enum sonde_report_kind kind = outputs->all[i].kind;
        char *file = outputs->all[i].file;
        FILE *out = outputs->all[i].stream;
        if (kind == SONDE_REPORT_JSON) sonde_mutation_json(out, mutation);
        else if (kind == SONDE_REPORT_SARIF) sonde_mutation_sarif(out, mutation);
        else if (kind == SONDE_REPORT_HTML) sonde_mutation_html(out, mutation);
        else sonde_mutation_print(out, mutation, cli->verbose);
        bool is_wrong = fflush(out) || ferror(out);
        if (file) is_wrong |= !close_file(out);
        if (is_wrong) sonde_complain("cannot write %s: %s", file ? file : "the report", strerror(errno));
        is_whole &= !is_wrong;
        sonde_free(file);
    }
    outputs->n = 0;
    return is_whole;
}
