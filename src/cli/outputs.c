#define _GNU_SOURCE /* strcasestr */
/* See outputs.h. */
#include "cli/outputs.h"

#include "base/descriptor.h"
#include "base/die.h"
#include "base/mem.h"
#include "cli/tool.h"
#include "report/page.h"
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Which reports, and where */

bool sonde_outputs_plan(struct sonde_output_plan *plan, const struct sonde_cli *cli, const char *program)
{
    struct sonde_report_request *requests = plan->requests;
    size_t n = cli->n_reports, on_stdout = 0;
    bool has_text = false;
    memcpy(requests, cli->reports, n * sizeof *requests);
    if (cli->json) requests[n++] = (struct sonde_report_request){SONDE_REPORT_JSON, "", 0, NULL};
    if (cli->plot_data)
        requests[n++] = (struct sonde_report_request){SONDE_REPORT_PLOT, cli->plot_data, strlen(cli->plot_data), NULL};
    if (cli->as_c) requests[n++] = (struct sonde_report_request){SONDE_REPORT_AS_C, "", 0, NULL};
    for (size_t i = 0; i < n; i++) {
        bool is_text = requests[i].kind == SONDE_REPORT_TERMINAL, goes_along = requests[i].kind == SONDE_REPORT_GITHUB;
        on_stdout += !is_text && !goes_along && !requests[i].file_length;
        has_text |= is_text;
    }
    if (!has_text && !on_stdout) requests[n++] = (struct sonde_report_request){SONDE_REPORT_TERMINAL, "", 0, NULL};
    plan->n = n;
    plan->is_taken = on_stdout > 0;
    /* No program could read two formats in one stream. */
    if (on_stdout > 1)
        sonde_complain("%s: --report: two reports cannot share standard output; give one a file, like json:FILE",
                       program);
    return on_stdout <= 1;
}

int sonde_output_standard(const struct sonde_output_plan *plan, enum sonde_report_kind kind)
{
    bool is_text = kind == SONDE_REPORT_TERMINAL || kind == SONDE_REPORT_GITHUB;
    return is_text && plan->is_taken ? STDERR_FILENO : STDOUT_FILENO;
}

FILE *sonde_output_create(const struct sonde_report_request *request, const char *program, char **file)
{
    *file = sonde_strndup(request->file, request->file_length);
    FILE *stream = sonde_descriptor_create(*file);
    if (stream) return stream;
    sonde_complain("%s: --%s: cannot write '%s': %s", program,
                   request->kind == SONDE_REPORT_PLOT ? "plot-data" : "report", *file, strerror(errno));
    sonde_free(*file);
    *file = NULL;
    return NULL;
}

/* ---- The reports of an ordinary run */

/* Opens a stream on a copy of a descriptor, or on /dev/null if the program was started with it closed. The copy is
 * hidden from workers: nothing that the code under test does to descriptor 1 may affect a report. */
static FILE *open_copy(int descriptor)
{
    int copy = sonde_descriptor_hide(dup(descriptor), false);
    FILE *stream = copy >= 0 ? fdopen(copy, "w") : fopen("/dev/null", "w");
    if (!stream) sonde_die(SONDE_INTERNAL, "cannot open the output: %s", strerror(errno));
    return stream;
}

/* Decides by the option, then by NO_COLOR (no-color.org) and TERM, then by whether the stream is a terminal. */
static bool wants_color(const struct sonde_cli *cli, FILE *stream)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (!strcmp(cli->color, "always")) return true;
    if (!strcmp(cli->color, "never") || (no_color && *no_color) || (term && !strcmp(term, "dumb"))) return false;
    return isatty(fileno(stream));
}

/* Returns whether the terminal can move its cursor, which the screen of --ui needs. */
static bool can_move_cursor(void)
{
    const char *term = getenv("TERM");
    return term && *term && strcmp(term, "dumb") != 0;
}

/* Returns whether the locale uses UTF-8. Reads the variables in the order of POSIX instead of calling setlocale,
 * because the locale of the process belongs to the code under test. */
static bool speaks_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *value = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !(value && *value); i++) value = getenv(names[i]);
    return value && (strcasestr(value, "utf-8") || strcasestr(value, "utf8"));
}

/* Returns a reporter of the kind that was asked for; NULL if it cannot begin. Only the terminal reporter depends on
 * the stream. */
static struct sonde_reporter *create_reporter(const struct sonde_outputs *outputs, const struct sonde_cli *cli,
                                              const struct sonde_report_request *request, FILE *stream)
{
    switch (request->kind) {
    case SONDE_REPORT_OWN: return request->own->create(stream);
    case SONDE_REPORT_JSON: return sonde_json_create(stream, (struct sonde_json_extras){cli->stats, cli->explain});
    case SONDE_REPORT_TAP: return sonde_tap_create(stream);
    case SONDE_REPORT_JUNIT: return sonde_junit_create(stream);
    case SONDE_REPORT_GITHUB: return sonde_github_create(stream);
    case SONDE_REPORT_SARIF: return sonde_sarif_create(stream);
    case SONDE_REPORT_HTML: return sonde_html_create(stream, cli->baseline);
    case SONDE_REPORT_AS_C:
        return sonde_as_c_create(stream, cli->engine.source, outputs->properties, outputs->n_properties,
                                 (uint32_t)cli->engine.mutant);
    case SONDE_REPORT_TYCHE: return sonde_tyche_create(stream);
    case SONDE_REPORT_PLOT: return sonde_plot_create(stream);
    case SONDE_REPORT_TERMINAL: break;
    }
    return sonde_terminal_create(stream, &(struct sonde_terminal_style){
                                             .color = wants_color(cli, stream),
                                             .progress = cli->progress && !cli->quiet && isatty(fileno(stream)),
                                             .ui = cli->ui && can_move_cursor(),
                                             .utf8 = speaks_utf8(),
                                             .quiet = cli->quiet,
                                             .stats = cli->stats || cli->verbose,
                                             .explain = cli->explain || cli->verbose,
                                             .all = cli->verbose,
                                             .several = outputs->n_properties > 1,
                                             .replay = cli->engine.replay != NULL,
                                             .hints = true,
                                         });
}

/* Opens one report and adds it. Returns false, after an error message, if its file cannot be opened. */
static bool add_output(struct sonde_outputs *outputs, const struct sonde_cli *cli, const struct sonde_output_plan *plan,
                       size_t i)
{
    const struct sonde_report_request *request = &plan->requests[i];
    struct sonde_open_report *o = &outputs->all[outputs->n];
    memset(o, 0, sizeof *o);
    o->stream = request->file_length ? sonde_output_create(request, outputs->program, &o->file)
                                     : open_copy(sonde_output_standard(plan, request->kind));
    if (!o->stream) return false;
    o->own = request->own;
    o->is_page = request->kind == SONDE_REPORT_HTML;
    o->reporter = create_reporter(outputs, cli, request, o->stream);
    if (!o->reporter) {
        sonde_complain("%s: --report: the reporter '%s' could not be created", outputs->program,
                       request->own ? request->own->name : "html");
        fclose(o->stream);
        sonde_free(o->file);
        return false;
    }
    outputs->reporters[outputs->n_reporters++] = o->reporter;
    outputs->n++;
    return true;
}

bool sonde_outputs_open(struct sonde_outputs *outputs, const struct sonde_cli *cli)
{
    struct sonde_output_plan plan;
    bool has_numbers = false;
    if (!sonde_outputs_plan(&plan, cli, outputs->program)) return false;
    for (size_t i = 0; i < plan.n; i++)
        has_numbers |= plan.requests[i].kind == SONDE_REPORT_TERMINAL || plan.requests[i].kind == SONDE_REPORT_JSON;
    if (!has_numbers && (cli->stats || cli->explain || cli->engine.explains_lines))
        sonde_warn("--%s has no effect on this kind of report; add --report terminal or --report json:FILE",
                   cli->stats ? "stats" : "explain");
    for (size_t i = 0; i < plan.n; i++)
        if (!add_output(outputs, cli, &plan, i)) return false;
    return true;
}

bool sonde_outputs_have_failed(const struct sonde_outputs *outputs)
{
    bool failed = false;
    for (size_t i = 0; i < outputs->n; i++) {
        const struct sonde_open_report *o = &outputs->all[i];
        if (!o->reporter->failure) continue;
        sonde_complain("%s: --report: the reporter '%s' failed: %s", outputs->program, o->own ? o->own->name : "",
                       o->reporter->failure);
        failed = true;
    }
    return failed;
}

/* Adds source lines to a page by running the `sonde` command, which can find them. If it is not installed, the
 * page itself describes how to add them. */
static void add_source(const char *file)
{
    char path[4096], name[] = "sonde", command[] = "html", quiet[] = "--quiet", *page = sonde_strdup(file);
    char *const argv[] = {name, command, quiet, page, NULL};
    if (sonde_tool_find(path, sizeof path) && sonde_tool_run(path, argv) != 0)
        sonde_warn("%s html could not add the source code to %s; the rest of the page is complete", path, file);
    sonde_free(page);
}

bool sonde_outputs_close(struct sonde_outputs *outputs)
{
    bool all_written = true;
    for (size_t i = 0; i < outputs->n; i++) {
        struct sonde_open_report *o = &outputs->all[i];
        bool has_places = o->is_page && o->file && sonde_html_has_places(o->reporter);
        o->reporter->destroy(o->reporter);
        bool failed = ferror(o->stream); /* errno is not used: it may have been overwritten since the error */
        sonde_descriptor_forget(fileno(o->stream));
        errno = 0;
        if (fclose(o->stream) || failed) {
            sonde_warn("the report could not be written to %s: %s", o->file ? o->file : "the output",
                       errno ? strerror(errno) : "a write failed; is the disk full?");
            all_written = false;
        } else if (has_places) {
            add_source(o->file);
        }
        sonde_free(o->file);
    }
    return all_written;
}
