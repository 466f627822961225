/* Prints the explanation of a failure (--explain=lines), in words and as JSON. The wording for each kind of suspect is
 * in this file only. */
#include "report/explanation.h"

#include "report/values.h"
#include "report/write.h"

#include "base/json.h"

#include <inttypes.h>
#include <string.h>

enum {
    EXACT = 16, /* distances up to here are recorded exactly; a larger number is a lower bound */
    VALUES = 40 /* maximum number of lines of values; more would push the rest of the report off the screen */
};

/* Describes what distinguishes failing inputs at a location. */
static void describe(const struct sonde_suspect *s, char *out, size_t size)
{
    switch (s->what) {
    case SONDE_SUSPECT_DECIDED: snprintf(out, size, "a comparison comes out this way"); break;
    case SONDE_SUSPECT_REACHED: snprintf(out, size, "reached"); break;
    case SONDE_SUSPECT_OFTEN: snprintf(out, size, "reached at least %" PRIu64 " times", s->n); break;
    case SONDE_SUSPECT_MISSED: snprintf(out, size, "not reached"); break;
    case SONDE_SUSPECT_COMPARED:
        if (s->n == 0) snprintf(out, size, "compares two equal values");
        else if (s->n <= EXACT) snprintf(out, size, "compares values that are %" PRIu64 " apart", s->n);
        else snprintf(out, size, "compares values that are %" PRIu64 " or more apart", s->n);
        break;
    }
}

void sonde_explanation_lines(FILE *out, const struct sonde_explanation *x, unsigned indent)
{
    const char *reason = NULL;
    char words[96];
    if (!x->is_instrumented)
        reason = "Lines are not known: the code under test is not instrumented. Compile it with "
                 "sonde cc.";
    else if (!x->n_passing) reason = "No similar input passes, so there is nothing to compare the failing inputs with.";
    else if (!x->n_suspects)
        reason = "Nothing: inputs that fail take the same paths through the code as inputs that "
                 "pass.";
    if (reason) fprintf(out, "%*s%s\n", (int)indent, "", reason);
    for (size_t i = 0; i < x->n_suspects; i++) {
        const struct sonde_suspect *s = &x->suspects[i];
        fprintf(out, "%*s", (int)indent, "");
        if (s->file) {
            sonde_write_line(out, s->file);
            fprintf(out, ":%d", s->line);
            if (s->last_line > s->line) fprintf(out, "-%d", s->last_line);
            fputs(": ", out);
        }
        sonde_write_line(out, s->function);
        describe(s, words, sizeof words);
        fprintf(out, ": %s (%" PRIu32 " of %" PRIu32 " that fail, %" PRIu32 " of %" PRIu32 " that pass)\n", words,
                s->failing, x->n_failing, s->passing, x->n_passing);
    }
}

/* ---- Values */

/* State while the values of a failure are printed. */
struct values {
    FILE *out;
    const struct sonde_failure *failure;
    unsigned indent, n;
    struct sonde_json_out *json; /* receives the values as JSON; NULL: print lines to `out` */
};

/* Prints one value if others were tried in its place. Returns false after VALUES lines. */
static bool put_value(void *to, const struct sonde_leaf *leaf)
{
    struct values *v = to;
    const struct sonde_explanation *x = v->failure->explanation;
    if (!leaf->choice) return true;
    size_t i = (size_t)(leaf->choice - v->failure->tape->choices);
    unsigned tried = x->tried[i], failed = x->failed[i];
    if (!tried) return true;
    if (v->json) {
        sonde_json_put(v->json, "{path: %s, tried: %u, failed: %u}", leaf->path, tried, failed);
        return true;
    }
    if (++v->n > VALUES) return false;
    fprintf(v->out, "%*s", (int)v->indent, "");
    sonde_write_line(v->out, leaf->path);
    if (failed == tried) fprintf(v->out, ": may vary, %u of %u other values fail as well\n", failed, tried);
    else if (!failed) fprintf(v->out, ": matters, none of %u other values fails\n", tried);
    else fprintf(v->out, ": matters, %u of %u other values fail as well\n", failed, tried);
    return true;
}

static void put_values(struct values *v, const struct sonde_labels *names)
{
    const struct sonde_failure *f = v->failure;
    if (f->tape) sonde_values_each(&(struct sonde_values){f->tape, names, NULL, 0, NULL}, put_value, v);
}

void sonde_explanation_values(FILE *out, const struct sonde_failure *failure, const struct sonde_labels *names,
                              unsigned indent)
{
    struct values v = {.out = out, .failure = failure, .indent = indent};
    put_values(&v, names);
    if (!v.n) fprintf(out, "%*sThere is no value that could be different.\n", (int)indent, "");
    else if (v.n > VALUES) fprintf(out, "%*s... and more\n", (int)indent, "");
}

/* ---- JSON */

static const char *what_word(const struct sonde_suspect *s)
{
    static const char *const words[] = {[SONDE_SUSPECT_COMPARED] = "compared",
                                        [SONDE_SUSPECT_DECIDED] = "decided",
                                        [SONDE_SUSPECT_REACHED] = "reached",
                                        [SONDE_SUSPECT_OFTEN] = "often",
                                        [SONDE_SUSPECT_MISSED] = "missed"};
    return words[s->what];
}

void sonde_explanation_json(struct sonde_json_out *to, const struct sonde_failure *failure,
                            const struct sonde_labels *names)
{
    const struct sonde_explanation *x = failure->explanation;
    sonde_json_put(to, "explanation: {failing: %" PRIu32 ", passing: %" PRIu32 ", instrumented: %hhd, lines: [",
                   x->n_failing, x->n_passing, x->is_instrumented);
    for (size_t i = 0; i < x->n_suspects; i++) {
        const struct sonde_suspect *s = &x->suspects[i];
        sonde_json_put(to, "{file: %s, line: %d, last_line: %d, function: %s", s->file, s->line, s->last_line,
                       s->function);
        sonde_json_put(to, "what: %s, n: %" PRIu64 ", failing: %" PRIu32 ", passing: %" PRIu32 ", score: %g}",
                       what_word(s), s->n, s->failing, s->passing, s->score);
    }
    sonde_json_put(to, "], values: [");
    put_values(&(struct values){.failure = failure, .json = to}, names);
    sonde_json_put(to, "]}");
}
