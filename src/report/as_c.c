/* --as-c: prints the counterexamples as a C program that fails. The program includes the source file of the
 * properties and replays each counterexample. Tokens are broken into lines, one for each call or element.
 *
 * Calls are collected in memory and written at END, because the program is written only if there is a
 * counterexample. If the run ends without END, destroy writes the calls collected so far.
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

/* The reporter. `base` is first, so that a struct sonde_reporter * can be cast to this. */
struct c_reporter {
    struct sonde_reporter base;
    FILE *out;
    const char *source; /* may be NULL */
    const sonde_property *properties;
    size_t n_properties;
    uint32_t mutant;           /* 0: none */
    struct sonde_buffer calls; /* the body of main; closed when it has been written */
    unsigned n;                /* number of counterexamples */
};

/* Writes a string inside a comment; a blank breaks up every end mark in it. */
static void put_comment(FILE *out, const char *text)
{
    for (; *text; text++) {
        fputc(*text, out);
        if (*text == '*' && text[1] == '/') fputc(' ', out);
    }
}

/* Writes the values inside a comment, as the terminal shows them: the token alone is hard to read. */
static void put_values(FILE *out, const struct sonde_values *values)
{
    struct sonde_buffer tree;
    sonde_values_tree(sonde_buffer_open(&tree), values, 5, 0);
    put_comment(out, sonde_buffer_close(&tree));
    sonde_buffer_clear(&tree);
}

/* Writes a character of a string literal. Escapes are octal with three digits; a hexadecimal one would include
 * digits that follow it. */
static void put_char(FILE *out, char c)
{
    if (c && strchr("\"\\?", c)) fprintf(out, "\\%c", c); /* ? because of trigraphs */
    else if (c >= ' ' && c <= '~') fputc(c, out);
    else fprintf(out, "\\%03o", (unsigned)(unsigned char)c);
}

/* Writes a token as adjacent string literals, with a line break after each element of an outermost list. Brackets
 * within values are escaped in tokens, so counting brackets is enough. */
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

/* Writes the name of a property's function; the property may have another name, like "a + b == b + a". */
static void put_function(const struct c_reporter *r, const char *name)
{
    struct sonde_symbol symbol;
    const void *address;
    for (size_t i = 0; i < r->n_properties; i++) {
        if (!r->properties[i].name || strcmp(r->properties[i].name, name) != 0) continue;
        memcpy(&address, &r->properties[i].run, sizeof address); /* C has no cast from a function pointer to void * */
        sonde_symbol_of(address, &symbol);
        if (is_identifier(symbol.name) && strncmp(symbol.name, "_Z", 2) != 0) name = symbol.name;
        break;
    }
    fputs(name, r->calls.out);
}

/* Adds a failure that is not about one input. A missed sonde_cover is repeated by the same search. The program cannot
 * repeat any other failure without a tape, so it only counts such a failure. */
static void add_search(struct c_reporter *r, const struct sonde_report *report, const struct sonde_failure *f)
{
    fputs("    /* ", r->calls.out);
    put_comment(r->calls.out, f->message ? f->message : "");
    r->n++;
    if (!f->kind || strcmp(f->kind, "cover") != 0) {
        fputs(" */\n    failed++; /* no single input shows it: run the test itself */\n", r->calls.out);
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

/* Adds a call that replays a failure, with its message and values in a comment. */
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

/* Adds the failures of a property. If there are none, writes its outcome, an error for example, as a comment. */
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

/* Writes the program, unless there is no counterexample, and frees the calls. */
static void write_program(struct c_reporter *r)
{
    const char *calls = sonde_buffer_close(&r->calls);
    if (r->n) {
        fputs("/* Counterexamples of sonde. Compile this file where the test was compiled, with the same "
              "options; it ends\n"
              " * with status 1 as long as one of them fails. */\n",
              r->out);
        /* The test's source defines main, too; rename it. */
        if (r->source)
            fprintf(r->out, "#define main sonde_main_of_the_test\n#include \"%s\"\n#undef main\n", r->source);
        if (r->mutant) fputs("#include <sonde/mutants.h> /* compile the code under test with --mutants */\n", r->out);
        fputs("\nint main(void)\n{\n    int failed = 0;\n", r->out);
        if (r->mutant) fprintf(r->out, "    sonde_mutants_choose_(%" PRIu32 ");\n", r->mutant);
        fprintf(r->out, "%s    return failed > 0;\n}\n", calls);
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

struct sonde_reporter *sonde_as_c_create(FILE *out, const char *source, const sonde_property *properties, size_t n,
                                         uint32_t mutant)
{
    struct c_reporter *r = sonde_reporter_new(sizeof *r, c_event);
    r->base.destroy = c_destroy;
    r->out = out;
    r->source = source;
    r->properties = properties;
    r->n_properties = n;
    r->mutant = mutant;
    sonde_buffer_open(&r->calls);
    return &r->base;
}
