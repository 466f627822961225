/* A mutation run (--mutate) as an HTML page: counts per file, every survivor with its change, properties, checks, and a
 * table of all mutants. The page has no script and fetches nothing. Every string is the content of an element, so one
 * kind of escape suffices. */
#include "report/report.h"

#include "base/buffer.h"
#include "report/mutation.h"
#include "report/write.h"

#include <inttypes.h>
#include <string.h>

#define POLICY "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

#define LEFT "text-align:left;"
#define RIGHT "text-align:right"
#define NO_LINE "text-decoration:none"
/* Colours as on the page of a search (page/page.css). */
static const char style[] =
    ":root{color-scheme:light dark;--bg:#f5f6f8;--card:#fff;--ink:#14171f;--dim:#5d6572;--line:#e3e6eb;--soft:#f0f2f5;"
    "--good:#15803d;--bad:#c42b2b;--good-bg:#e7f6ec;--bad-bg:#fdecec}\n"
    "@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--card:#151b23;--ink:#e8ebf0;--dim:#98a2b0;--line:#262e39;"
    "--soft:#1c232d;--good:#4ade80;--bad:#ff7b72;--good-bg:#0f2a1a;--bad-bg:#331617}}\n"
    "*{box-sizing:border-box}body{margin:0 auto;max-width:1100px;padding:20px;background:var(--bg);color:var(--ink);"
    "font:15px/1.5 system-ui,sans-serif}\n"
    "section{background:var(--card);border:1px solid var(--line);border-radius:12px;"
    "padding:16px 20px;margin:0 0 16px}\n"
    "h1{font-size:24px;margin:0 0 12px}h2{font-size:17px;margin:0 0 8px}h3{font-size:15px;margin:0}"
    "code,pre{font:13px/1.5 ui-monospace,monospace}.dim{color:var(--dim)}p{margin:4px 0}\n"
    "table{border-collapse:collapse;width:100%}th,td{" LEFT "padding:4px 10px 4px 0;vertical-align:top;"
    "border-bottom:1px solid var(--line)}th{color:var(--dim);font-weight:600}td.n,th.n{" RIGHT "}"
    "td code{white-space:pre-wrap;overflow-wrap:anywhere}\n"
    "article{border-top:1px solid var(--line);padding:12px 0}pre{margin:6px 0;padding:8px 12px;border-radius:8px;"
    "background:var(--soft);white-space:pre-wrap;overflow-wrap:anywhere}\n"
    "del,ins{display:block;" NO_LINE "}del{color:var(--bad);background:var(--bad-bg)}"
    "ins{color:var(--good);background:var(--good-bg)}summary{cursor:pointer;font-weight:600}\n";

static void put(FILE *out, const char *text)
{
    if (text) sonde_write_xml(out, text, strlen(text));
}

static void put_cell(FILE *out, uint64_t n)
{
    char digits[SONDE_GROUPED];
    fprintf(out, "<td class=\"n\">%s</td>", sonde_grouped(n, digits));
}

/* ---- Counts */

static void put_counts(FILE *out, const char *name, uint32_t mutants, const uint32_t *fates)
{
    static const enum sonde_mutant_fate order[] = {SONDE_FATE_KILLED,        SONDE_FATE_SURVIVED,
                                                   SONDE_FATE_NEVER_REACHED, SONDE_FATE_NOT_TRIED,
                                                   SONDE_FATE_NOT_CONFIRMED, SONDE_FATE_NOT_JUDGED};
    uint64_t tried = (uint64_t)fates[SONDE_FATE_KILLED] + fates[SONDE_FATE_SURVIVED];
    fputs("<tr><td>", out);
    put(out, name);
    fputs("</td>", out);
    put_cell(out, mutants);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) put_cell(out, fates[order[i]]);
    if (tried)
        fprintf(out, "<td class=\"n\">%" PRIu64 " %%</td></tr>\n", fates[SONDE_FATE_KILLED] * UINT64_C(100) / tried);
    else fputs("<td></td></tr>\n", out);
}

static void put_files(FILE *out, const struct sonde_mutation *m)
{
    fputs(
        "<section><table><tr><th>file</th><th class=\"n\">mutants</th><th class=\"n\">killed</th><th "
        "class=\"n\">survived</th><th class=\"n\">never reached</th><th class=\"n\">not tried</th><th class=\"n\">not "
        "confirmed</th><th class=\"n\">not judged</th><th class=\"n\">killed of those tried</th></tr>\n",
        out);
    for (uint32_t i = 0; i < m->n_files; i++) put_counts(out, m->files[i].name, m->files[i].mutants, m->files[i].fates);
    if (m->n_files > 1) put_counts(out, "all", m->n_mutants, m->fates);
    fputs("</table>\n", out);
    if (m->end != SONDE_MUTATION_WHOLE)
        fprintf(out, "<p>Partial: %s. <code>--continue</code> judges the rest.</p>\n",
                m->end == SONDE_MUTATION_TIME ? "the time was up" : "interrupted");
    if (m->since) {
        fputs("<p>Only mutants on lines that changed since <code>", out);
        put(out, m->since);
        fputs("</code>.</p>\n", out);
    }
    fputs("<p class=\"dim\">A score is not a verdict: some survivors are equivalent to the original.</p></section>\n",
          out);
}

/* ---- Survivors */

/* Writes "ini.c:166 in parse, macro LIST". */
static void put_where(FILE *out, const struct sonde_mutant_ *mutant)
{
    put(out, mutant->file);
    fprintf(out, ":%" PRIu32 " in ", (uint32_t)mutant->line);
    put(out, mutant->function);
    if (!mutant->macro) return;
    fputs(", macro ", out);
    put(out, mutant->macro);
}

static void put_survivor(FILE *out, const struct sonde_mutation *m, const struct sonde_mutant_result *r)
{
    char digits[SONDE_GROUPED];
    struct sonde_buffer command;
    fprintf(out, "<article id=\"m%" PRIu32 "\"><h3>#%" PRIu32 " ", r->number, r->number);
    put_where(out, r->mutant);
    fputs("</h3>\n<pre><del>- ", out);
    put(out, r->mutant->before);
    fputs("</del><ins>+ ", out);
    put(out, *r->mutant->after ? r->mutant->after : "(nothing)");
    fputs("</ins></pre>\n<p>Effect: ", out);
    sonde_mutation_effect(out, r);
    fprintf(out, ". Reached in %s valid case%s. <b>", sonde_grouped(r->reached, digits), sonde_plural(r->reached));
    put(out, sonde_advice_text(r->advice));
    fputs("</b></p>\n", out);
    if (r->excuse) {
        fputs("<p>Judged equivalent: ", out);
        put(out, r->excuse);
        fputs("</p>\n", out);
    }
    sonde_mutation_command(sonde_buffer_open(&command), m, r);
    fputs("<pre>", out);
    put(out, sonde_buffer_close(&command));
    fputs("</pre></article>\n", out);
    sonde_buffer_clear(&command);
}

static void put_survivors(FILE *out, const struct sonde_mutation *m)
{
    if (!m->n_ranked && !m->n_excused) return;
    fputs("<section><h2>Survivors, the likeliest gaps in the properties first</h2>\n", out);
    for (uint32_t i = 0; i < m->n_ranked; i++) put_survivor(out, m, &m->mutants[m->ranked[i]]);
    fputs("</section>\n", out);
    if (!m->n_excused) return;
    fputs("<section><details><summary>Survivors that a person has judged equivalent</summary>\n", out);
    for (uint32_t i = 0; i < m->n_mutants; i++)
        if (m->mutants[i].fate == SONDE_FATE_SURVIVED && m->mutants[i].excuse) put_survivor(out, m, &m->mutants[i]);
    fputs("</details></section>\n", out);
}

/* ---- Properties, checks, and all mutants */

static void put_properties(FILE *out, const struct sonde_mutation *m)
{
    fprintf(out,
            "<section><h2>Properties</h2><table><tr><th>property</th><th class=\"n\">%s</th>%s<th class=\"n\">valid "
            "inputs</th></tr>\n",
            m->has_matrix ? "killed" : "first to kill",
            m->has_matrix ? "<th class=\"n\">that no other killed</th>" : "");
    for (uint32_t i = 0; i < m->n_properties; i++) {
        const struct sonde_mutation_property *p = &m->properties[i];
        fputs("<tr><td>", out);
        put(out, p->name);
        if (p->refusal) fputs("<br>refused, it fails without a mutant: ", out);
        put(out, p->refusal);
        fputs("</td>", out);
        put_cell(out, p->kills);
        if (m->has_matrix) put_cell(out, p->alone);
        put_cell(out, p->valid);
        fputs("</tr>\n", out);
    }
    fputs("</table></section>\n", out);
}

static void put_checks(FILE *out, const struct sonde_mutation *m)
{
    if (!m->n_checks) return;
    fprintf(out,
            "<section><h2>Checks</h2><table><tr><th>check</th><th></th><th class=\"n\">first to notice</th>%s</tr>\n",
            m->has_matrix ? "<th class=\"n\">that nothing else noticed</th>" : "");
    for (uint32_t i = 0; i < m->n_checks; i++) {
        const struct sonde_mutation_check *c = &m->checks[i];
        fputs("<tr><td>", out);
        put(out, c->file);
        fprintf(out, ":%d</td><td><code>", c->line);
        put(out, c->text);
        fputs("</code></td>", out);
        put_cell(out, c->kills);
        if (m->has_matrix) put_cell(out, c->alone);
        fputs("</tr>\n", out);
    }
    fputs("</table></section>\n", out);
}

static void put_all(FILE *out, const struct sonde_mutation *m)
{
    fputs("<section><details><summary>All mutants</summary><table><tr><th class=\"n\">#</th><th>location</th>"
          "<th>change</th><th>fate</th></tr>\n",
          out);
    for (uint32_t i = 0; i < m->n_mutants; i++) {
        const struct sonde_mutant_result *r = &m->mutants[i];
        fputs("<tr>", out);
        put_cell(out, r->number);
        fputs("<td>", out);
        put_where(out, r->mutant);
        fputs("</td><td><code>", out);
        put(out, r->mutant->before);
        fputs("</code> to <code>", out);
        put(out, *r->mutant->after ? r->mutant->after : "(nothing)");
        fprintf(out, "</code></td><td>%s", sonde_fate_word(r->fate));
        if (r->message) fputs(": ", out);
        put(out, r->message);
        fputs("</td></tr>\n", out);
    }
    fputs("</table></details></section>\n", out);
}

void sonde_mutation_html(FILE *out, const struct sonde_mutation *m)
{
    char took[SONDE_GROUPED];
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"" POLICY "\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"generator\" content=\"sonde " SONDE_VERSION "\">\n<title>sonde: mutants</title>\n<style>",
          out);
    fprintf(out, "%s</style>\n</head>\n<body>\n<h1>Would the properties notice a bug?</h1>\n", style);
    put_files(out, m);
    put_survivors(out, m);
    put_properties(out, m);
    put_checks(out, m);
    put_all(out, m);
    fputs("<p class=\"dim\">", out);
    put(out, m->program);
    fprintf(out, ", %s, seed %" PRIu64 "</p>\n</body>\n</html>\n", sonde_duration(m->seconds, took), m->seed);
}
