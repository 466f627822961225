/* --as-c: the counterexamples as a C program that compiles alone and fails: it includes the file of the property and replays
 * what was found, a line for each call or element. It is complete only at the end, when every property is known.
 *
 * Calls are collected in memory and written at END, because the file begins with what
 * only the end knows: whether there is any counterexample. If the run ends without END (destroy), what
 * there is so far is written.
 *
 *     #define main sonde_main_of_the_test
 *     #include "examples/02_lists.c"
 *     #undef main
 *
 *     int main(void)
 *     {
 *         int failed = 0;
 *         failed += sonde_replay(equal_keys_keep_their_order, "s1:records[{key=0} {key=0}] ?") != SONDE_PASSED;
 *         return failed > 0;
 *     } */
#include "report/report.h"
#include "report/shared.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "program/place.h"
#include "report/values.h"

#include <inttypes.h>
#include <string.h>

/* base is first, so that a struct sonde_reporter * is one of these. */
struct c_reporter {
    struct sonde_reporter base;
    FILE *out;
    const char *source; /* may be NULL */
    const sonde_property *properties;
    size_t n_properties;
    struct sonde_buffer calls; /* of main; closed when they have been written */
    unsigned n;                /* counterexamples */
};

/* Comments end at their first end mark, whatever a value holds. */
static void put_comment(FILE *out, const char *text)
{
    for (; *text; text++) {
        fputc(*text, out);
        if (*text == '*' && text[1] == '/') fputc(' ', out);
    }
}

/* As on the terminal, in a comment: the token alone says little to a reader. */
static void put_values(FILE *out, const struct sonde_values *values)
{
    struct sonde_buffer tree;
    sonde_values_tree(sonde_buffer_open(&tree), values, 5, 0);
    put_comment(out, sonde_buffer_close(&tree));
    sonde_buffer_clear(&tree);
}

/* Octal with three digits: hexadecimal escapes would swallow digits that follow. */
static void put_char(FILE *out, char c)
{
    if (c && strchr("\"\\?", c)) fprintf(out, "\\%c", c); /* ? because of trigraphs */
    else if (c >= ' ' && c <= '~') fputc(c, out);
    else fprintf(out, "\\%03o", (unsigned)(unsigned char)c);
}

/* Breaks behind the elements of an outermost list. Brackets within values are escaped in tokens. A long
 * string literal is broken into adjacent ones, which C joins. */
static void put_token(FILE *out, const char *token)
{
    unsigned depth = 0;
    fputs("        \"", out);
    for (; *token; token++) {
        depth += *token == '[' || *token == '{';
        depth -= *token == ']' || *token == '}';
        put_char(out, *token);
        if (depth == 1 && (*token == '[' || *token == '}')) fputs("\"\n        \"", out);
    }
    fputs("\"", out);
}

static bool is_identifier(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return *text && !strchr("0123456789", *text) && !text[strspn(text, letters)];
}

/* The function of a property, which may go by another name: "a + b == b + a". */
static void put_function(const struct c_reporter *r, const char *name)
{
    struct sonde_symbol symbol;
    const void *address;
    for (size_t i = 0; i < r->n_properties; i++) {
        if (!r->properties[i].name || strcmp(r->properties[i].name, name) != 0) continue;
        memcpy(&address, &r->properties[i].run, sizeof address); /* C knows no conversion */
        sonde_symbol_of(address, &symbol);
        if (is_identifier(symbol.name) && strncmp(symbol.name, "_Z", 2) != 0) name = symbol.name;
        break;
    }
    fputs(name, r->calls.out);
}

/* A missed claim of cover is about many inputs: the same search shows it again. What else has no tape cannot be shown by a program
 * that knows only the function. */
static void add_search(struct c_reporter *r, const struct sonde_report *report, const struct sonde_failure *f)
{
    fputs("    /* ", r->calls.out);
    put_comment(r->calls.out, f->message ? f->message : "");
    r->n++;
    if (!f->kind || strcmp(f->kind, "cover") != 0) {
        fputs(" */\n    failed++; /* not about one input: run the test itself */\n", r->calls.out);
        return;
    }
    fprintf(r->calls.out, " */\n    {\n        static sonde_config search;\n        search.seed = %" PRIu64 "u;\n",
            report->seed);
    fprintf(r->calls.out,
            "        search.tests = %" PRIu64 "u;\n        search.guide = \"%s\";\n        search.store = \"\";\n",
            report->wanted, report->guide ? report->guide : "auto");
    fputs("        failed += sonde_run(", r->calls.out);
    put_function(r, report->property);
    fputs(", &search) != SONDE_PASSED;\n    }\n", r->calls.out);
}

static void add_failure(struct c_reporter *r, const struct sonde_report *report, const struct sonde_failure *f)
{
    struct sonde_values values = {.tape = f->tape, .names = report->names, .shown = f->shown, .n_shown = f->n_shown};
    if (!f->token || !f->tape) {
        add_search(r, report, f);
        return;
    }
    fputs("    /* ", r->calls.out);
    put_comment(r->calls.out, f->message ? f->message : "");
    fputs("\n", r->calls.out);
    put_values(r->calls.out, &values);
    fputs("     */\n    failed += sonde_replay(", r->calls.out);
    put_function(r, report->property);
    fputs(",\n", r->calls.out);
    put_token(r->calls.out, f->token);
    fputs(") != SONDE_PASSED;\n", r->calls.out);
    r->n++;
}

/* Of a property that did not fail, what came out: an error, say. */
static void add_property(struct c_reporter *r, const struct sonde_report *report)
{
    char summary[1024];
    for (size_t i = 0; i < report->n_failures; i++) add_failure(r, report, &report->failures[i]);
    if (report->n_failures) return;
    sonde_report_summary(report, summary, sizeof summary);
    fprintf(r->out, "/* %s: ", report->property);
    put_comment(r->out, summary);
    fputs(" */\n", r->out);
}

static void write_program(struct c_reporter *r)
{
    const char *calls = sonde_buffer_close(&r->calls);
    if (r->n) {
        fputs(
            "/* Counterexamples of sonde. Compile this file where the test was compiled, with the same options; it ends\n"
            " * with status 1 as long as one of them fails. */\n",
            r->out);
        /* The file of the test has a main of its own, which must not clash. */
        if (r->source)
            fprintf(r->out, "#define main sonde_main_of_the_test\n#include \"%s\"\n#undef main\n", r->source);
        fprintf(r->out, "\nint main(void)\n{\n    int failed = 0;\n%s    return failed > 0;\n}\n", calls);
    }
    fflush(r->out);
    sonde_buffer_clear(&r->calls);
}

static void c_event(struct sonde_reporter *reporter, const struct sonde_event *event)
{
    struct c_reporter *r = (struct c_reporter *)reporter;
    if (event->kind == SONDE_EVENT_PROPERTY_END && r->calls.out) add_property(r, event->report);
    if (event->kind == SONDE_EVENT_END && r->calls.out) write_program(r);
}

static void c_destroy(struct sonde_reporter *reporter)
{
    struct c_reporter *r = (struct c_reporter *)reporter;
    if (r->calls.out) write_program(r);
    sonde_free(r);
}

struct sonde_reporter *sonde_as_c_create(FILE *out, const char *source, const sonde_property *properties, size_t n)
{
    struct c_reporter *r = sonde_reporter_new(sizeof *r, c_event);
    r->base.destroy = c_destroy;
    r->out = out;
    r->source = source;
    r->properties = properties;
    r->n_properties = n;
    sonde_buffer_open(&r->calls);
    return &r->base;
}
