/* See mutate_output.h. As in an ordinary run, the terminal report goes to standard output unless another one does. */
#include "cli/mutate_output.h"

#include "base/descriptor.h"
#include "base/die.h"
#include "base/mem.h"
#include "mutate/result.h"
#include "report/report.h"

#include <errno.h>
#include <string.h>

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

/* Adds a report. Returns false after an error message. */
static bool add(struct sonde_mutation_outputs *outputs, const struct sonde_report_request *request, const char *program)
{
    char *file = request->file_length ? sonde_strndup(request->file, request->file_length) : NULL;
    FILE *stream = file ? sonde_descriptor_create(file) : stdout;
    if (!stream) {
        sonde_complain("%s: --report: cannot write '%s': %s", program, file, strerror(errno));
        sonde_free(file);
        return false;
    }
    outputs->all[outputs->n].kind = request->kind;
    outputs->all[outputs->n].stream = stream;
    outputs->all[outputs->n++].file = file;
    return true;
}

static bool is_possible(enum sonde_report_kind kind)
{
    return kind == SONDE_REPORT_TERMINAL || kind == SONDE_REPORT_JSON || kind == SONDE_REPORT_SARIF
           || kind == SONDE_REPORT_HTML;
}

bool sonde_mutation_outputs_open(struct sonde_mutation_outputs *outputs, const struct sonde_cli *cli,
                                 const char *program)
{
    size_t on_stdout = 0;
    bool has_text = false;
    outputs->n = 0;
    for (size_t i = 0; i < cli->n_reports; i++) {
        const struct sonde_report_request *request = &cli->reports[i];
        if (request->kind == SONDE_REPORT_GITHUB) continue; /* profile ci adds it to every run */
        if (!is_possible(request->kind)) {
            sonde_complain("%s: --report: with --mutate only terminal, json, sarif and html are possible", program);
            close_all(outputs);
            return false;
        }
        if (!add(outputs, request, program)) {
            close_all(outputs);
            return false;
        }
        has_text |= request->kind == SONDE_REPORT_TERMINAL;
        on_stdout += request->kind != SONDE_REPORT_TERMINAL && !request->file_length;
    }
    on_stdout += cli->json;
    if (cli->json) add(outputs, &(struct sonde_report_request){.kind = SONDE_REPORT_JSON}, program);
    if (!has_text && !on_stdout) add(outputs, &(struct sonde_report_request){.kind = SONDE_REPORT_TERMINAL}, program);
    if (on_stdout <= 1) return true;
    sonde_complain("%s: --report: two reports cannot share standard output; give one a file, like json:FILE", program);
    close_all(outputs);
    return false;
}

bool sonde_mutation_outputs_write(struct sonde_mutation_outputs *outputs, const struct sonde_cli *cli,
                                  const struct sonde_mutation *mutation)
{
    bool is_whole = true, is_taken = false;
    for (size_t i = 0; i < outputs->n; i++)
        is_taken |= !outputs->all[i].file && outputs->all[i].kind != SONDE_REPORT_TERMINAL;
    for (size_t i = 0; i < outputs->n; i++) {
        enum sonde_report_kind kind = outputs->all[i].kind;
        char *file = outputs->all[i].file;
        FILE *out = !file && kind == SONDE_REPORT_TERMINAL && is_taken ? stderr : outputs->all[i].stream;
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
