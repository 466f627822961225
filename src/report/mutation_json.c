/* A mutation run (--mutate) as JSON lines, and as SARIF. docs/output.md lists the fields; none is ever renamed.
 *
 * The first name of an object tells what it is about: "file", "mutant", "property", "check" or "run". Every field is
 * always present, null if there is no value. SARIF has one note for each statement with a survivor. SARIF leaves out
 * survivors without any effect, because most of them are equivalent mutants, which need no reader. */
#include "report/report.h"

#include "base/buffer.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/mem.h"
#include "program/mutants.h"
#include "report/mutation.h"
#include "report/shared.h"
#include "store/home.h"

#include <inttypes.h>
#include <string.h>

/* ---- JSON */

static const char *kind_word(unsigned kind)
{
    static const char *const words[] = {"relation", "logic",     "condition", "arithmetic", "bits",
                                        "shift",    "step",      "compound",  "constant",   "dropped",
                                        "no_call",  "no_assign", "no_break",  "no_continue"};
    _Static_assert(sizeof words / sizeof *words == SONDE_MUTANT_KINDS_, "each kind has a word");
    return kind < SONDE_MUTANT_KINDS_ ? words[kind] : NULL;
}

/* Writes a word for people as a value of JSON: "never reached" is "never_reached". */
static void put_word(struct sonde_json_out *to, const char *word)
{
    char text[64];
    snprintf(text, sizeof text, "%s", word);
    for (char *at = text; *at; at++)
        if (*at == ' ') *at = '_';
    sonde_json_put(to, "%s", text);
}

static void put_fates(struct sonde_json_out *to, const uint32_t *fates)
{
    sonde_json_put(to, "killed: %u, survived: %u, never_reached: %u, not_tried: %u, not_confirmed: %u, not_judged: %u",
                   fates[SONDE_FATE_KILLED], fates[SONDE_FATE_SURVIVED], fates[SONDE_FATE_NEVER_REACHED],
                   fates[SONDE_FATE_NOT_TRIED], fates[SONDE_FATE_NOT_CONFIRMED], fates[SONDE_FATE_NOT_JUDGED]);
}

static void put_file(struct sonde_json_out *to, const struct sonde_mutation_file *f)
{
    sonde_json_put(to, "{file: %s, mutants: %u", f->name, f->mutants);
    put_fates(to, f->fates);
    sonde_json_put(to, "}");
}

/* Writes the properties that killed the mutant. */
static void put_kills(struct sonde_json_out *to, const struct sonde_mutation *m, const struct sonde_mutant_result *r)
{
    sonde_json_put(to, "kills: [");
    for (uint32_t i = 0; r->fate == SONDE_FATE_KILLED && i < m->n_properties; i++) {
        const struct sonde_mutant_kill *kill = &r->kills[i];
        if (kill->kind == SONDE_KILL_NONE) continue;
        sonde_json_put(to, "{property: %s, kind: %s, check_file: %s, check_line:", m->properties[i].name,
                       sonde_kill_word(kill->kind), kill->check == UINT32_MAX ? NULL : m->checks[kill->check].file);
        if (kill->check == UINT32_MAX) sonde_json_put(to, "null}");
        else sonde_json_put(to, "%d}", m->checks[kill->check].line);
    }
    sonde_json_put(to, "]");
}

/* The position of a survivor in the report: its rank, from 1 (0: it has none), and whether it is on the first
 * screen. */
struct place {
    uint32_t rank;
    bool is_shown;
};

/* Writes the fields that matter for survivors only. */
static void put_survivor(struct sonde_json_out *to, const struct sonde_mutant_result *r, struct place place)
{
    bool has = r->fate == SONDE_FATE_SURVIVED;
    sonde_json_put(to, "rank:");
    if (place.rank) sonde_json_put(to, "%u", place.rank);
    else sonde_json_put(to, "null");
    sonde_json_put(to, "first_screen: %hhd", place.is_shown);
    sonde_json_put(to, "effect: %s, advice: %s, equivalent: %s", has ? sonde_effect_word(r->effect) : NULL,
                   has ? sonde_advice_text(r->advice) : NULL, r->excuse);
    sonde_json_put(to, "compared: %u, differed: %u, used: %u, far: %u, other_way: %u, observed: %u, leaked: %u",
                   r->compared, r->differed, r->used, r->far, r->other_way, r->observed, r->leaked);
}

static void put_mutant(struct sonde_json_out *to, const struct sonde_mutation *m, const struct sonde_mutant_result *r,
                       struct place place)
{
    const struct sonde_mutant_ *mutant = r->mutant;
    sonde_json_put(to, "{mutant: %u, file: %s, line: %u, column: %u, function: %s, macro: %s, kind: %s", r->number,
                   mutant->file, mutant->line, mutant->column, mutant->function, mutant->macro,
                   kind_word(mutant->kind));
    sonde_json_put(to, "before: %s, after: %s, fate:", mutant->before, mutant->after);
    put_word(to, sonde_fate_word(r->fate));
    put_kills(to, m, r);
    put_survivor(to, r, place);
    sonde_json_put(to, "message: %s, property: %s, token: %s", r->message,
                   r->token ? m->properties[r->shown_by].name : NULL, r->token);
    sonde_json_put(to, "in_series: %hhd, reached: %" PRIu64 ", runs: %u, discarded: %u, searches: %u}", r->in_series,
                   r->reached, r->runs, r->discarded, r->searches);
}

/* Writes a count that is known only with --matrix. */
static void put_alone(struct sonde_json_out *to, const struct sonde_mutation *m, uint32_t alone)
{
    if (m->has_matrix) sonde_json_put(to, "alone: %u}", alone);
    else sonde_json_put(to, "alone: null}");
}

static void put_run(struct sonde_json_out *to, const struct sonde_mutation *m)
{
    static const char *const ends[] = {"whole", "time", "interrupted"};
    sonde_json_put(to, "{run: %s, mutants: %u, all: %u", ends[m->end], m->n_mutants, m->n_all);
    put_fates(to, m->fates);
    sonde_json_put(to, "equivalent: %u, effects: {", m->n_excused);
    for (int i = 0; i < SONDE_EFFECTS; i++)
        sonde_json_put(to, "%s: %u", sonde_effect_word((enum sonde_mutant_effect)i), m->effects[i]);
    sonde_json_put(to, "}, kills: {");
    for (int i = SONDE_KILL_CHECK; i < SONDE_KILLS; i++)
        sonde_json_put(to, "%s: %u", sonde_kill_word((enum sonde_kill_kind)i), m->kills[i]);
    sonde_json_put(to, "}, matrix: %hhd, since: %s, program: %s, seed: %" PRIu64 ", seconds: %.3f}", m->has_matrix,
                   m->since, m->program, m->seed, m->seconds);
}

void sonde_mutation_json(FILE *out, const struct sonde_mutation *m)
{
    struct sonde_json_out to = {.out = out, .between = "\n"};
    struct place *places = sonde_calloc((size_t)m->n_mutants + 1, sizeof *places);
    for (uint32_t i = 0; i < m->n_ranked; i++) places[m->ranked[i]].rank = i + 1;
    for (uint32_t i = 0; i < m->n_first_screen; i++) places[m->ranked[m->first_screen[i]]].is_shown = true;
    for (uint32_t i = 0; i < m->n_files; i++) put_file(&to, &m->files[i]);
    for (uint32_t i = 0; i < m->n_mutants; i++) put_mutant(&to, m, &m->mutants[i], places[i]);
    for (uint32_t i = 0; i < m->n_properties; i++) {
        const struct sonde_mutation_property *p = &m->properties[i];
        sonde_json_put(&to, "{property: %s, refused: %s, token: %s, cases: %" PRIu64 ", valid: %" PRIu64, p->name,
                       p->refusal, p->token, p->cases, p->valid);
        sonde_json_put(&to, "inputs: %u, kills: %u", p->tapes, p->kills);
        put_alone(&to, m, p->alone);
    }
    for (uint32_t i = 0; i < m->n_checks; i++) {
        const struct sonde_mutation_check *c = &m->checks[i];
        sonde_json_put(&to, "{check: %s, file: %s, line: %d, kills: %u", c->text, c->file, c->line, c->kills);
        put_alone(&to, m, c->alone);
    }
    put_run(&to, m);
    fputc('\n', out);
    sonde_free(places);
}

/* ---- SARIF */

/* Writes the first line of code, cut to the length that a reader wants. */
static void put_code(FILE *out, const char *code)
{
    enum { SHOWN = 60 }; /* characters */
    size_t n = strcspn(code, "\n");
    bool is_cut = code[n] || n > SHOWN;
    if (!*code) fputs("(nothing)", out);
    else fprintf(out, "`%.*s%s`", (int)(n > SHOWN ? SHOWN : n), code, is_cut ? "..." : "");
}

/* Returns the sentences of a note; the caller frees them. */
static char *describe_note(const struct sonde_mutation *m, const struct sonde_mutant_result *r)
{
    struct sonde_buffer text;
    FILE *out = sonde_buffer_open(&text);
    fputs("No check notices the change of ", out);
    put_code(out, r->mutant->before);
    fputs(" to ", out);
    put_code(out, r->mutant->after);
    fprintf(out, " in %s (", r->mutant->function);
    sonde_mutation_effect(out, r);
    fprintf(out, "). Advice: %s. Command: ", sonde_advice_text(r->advice));
    sonde_mutation_command(out, m, r);
    char *note = sonde_strdup(sonde_buffer_close(&text));
    sonde_buffer_clear(&text);
    return note;
}

/* Writes the note about a survivor. Its fingerprint has no line number, so that a service recognises a survivor after
 * lines have moved. */
static void put_note(struct sonde_json_out *to, const struct sonde_mutation *m, const struct sonde_mutant_result *r)
{
    const struct sonde_mutant_ *mutant = r->mutant;
    char *file = sonde_home_source(mutant->file, m->program ? m->program : "", (int)mutant->line),
         *note = describe_note(m, r), print[24];
    uint64_t hash = sonde_hash_text(sonde_hash_text(0, file), mutant->function);
    hash = sonde_hash_text(sonde_hash_text(hash, mutant->before), mutant->after);
    snprintf(print, sizeof print, "%016" PRIx64, hash);
    sonde_json_put(to, "{ruleId: %s, level: %s, message: {text: %s}, locations: [{", "survivor", "note", note);
    sonde_sarif_location(to, file, (int)mutant->line);
    sonde_json_put(to, "logicalLocations: [{kind: %s, name: %s}]}]", "function", mutant->function);
    sonde_json_put(to, "partialFingerprints: {sondeMutant/v1: %s}, properties: {mutant: %u, effect: %s, token: %s}}",
                   print, r->number, sonde_effect_word(r->effect), r->token);
    sonde_free(file);
    sonde_free(note);
}

/* Returns whether an earlier rank has a survivor of the same statement. */
static bool is_repeated(const struct sonde_mutation *m, uint32_t rank)
{
    uint64_t statement = sonde_mutants_statement_of(m->mutants[m->ranked[rank]].number);
    for (uint32_t i = 0; i < rank; i++)
        if (sonde_mutants_statement_of(m->mutants[m->ranked[i]].number) == statement) return true;
    return false;
}

void sonde_mutation_sarif(FILE *out, const struct sonde_mutation *m)
{
    struct sonde_json_out to = {.out = out, .between = ",\n    "};
    fputs("{\"version\": \"2.1.0\", \"runs\": [{\n  \"results\": [\n    ", out);
    for (uint32_t i = 0; i < m->n_ranked; i++) {
        const struct sonde_mutant_result *r = &m->mutants[m->ranked[i]];
        if (r->effect < SONDE_EFFECT_LOST && !is_repeated(m, i)) put_note(&to, m, r);
    }
    struct sonde_json_out rest = {.out = out, .between = ",\n  ", .has_value = true};
    bool is_whole = m->end != SONDE_MUTATION_INTERRUPTED;
    fputs("\n  ]", out);
    sonde_json_put(&rest, "invocations: [{executionSuccessful: %hhd}]", is_whole);
    sonde_json_put(&rest, "columnKind: %s", "unicodeCodePoints");
    sonde_json_put(&rest, "tool: {driver: {name: %s, version: %s, rules: [{id: %s, shortDescription: {text: %s}}]}}",
                   "sonde", SONDE_VERSION, "survivor", "A small change of this code is not noticed by any property.");
    fputs("\n}]}\n", out);
}
