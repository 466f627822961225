/* See reals.h. LLVM's intermediate code, printed, has one instruction on each line. A comparison of numbers is
 *
 *     %4 = fcmp olt double %2, 1.500000e+00, !dbg !12
 *
 * and becomes
 *
 *     call void @__sanitizer_cov_trace_cmpd(double %2, double 1.500000e+00), !dbg !12
 *     %4 = fcmp olt double %2, 1.500000e+00, !dbg !12
 *
 * A call without a result takes no number, so all other lines stay as they are. The call is added before optimisation:
 * the optimiser then neither drops the comparison nor merges the conditions around it. */
#include "reals.h"

#include "base/mem.h"
#include "text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A comparison: ranges of its line. */
struct comparison {
    const char *type, *a, *b, *location; /* "double", the sides, and ", !dbg !12" or nothing */
    int n_type, n_a, n_b, n_location;
};

enum { LONGEST = 256 }; /* bytes of both sides: clang numbers its values, so they are short */

/* Returns the length of a word, which ends at a blank, a comma or the end of the line. */
static int word_length(const char *s)
{
    return (int)strcspn(s, " ,\n");
}

/* Reads a line of code. Returns false if it is not a comparison of two different floats or doubles. */
static bool read_comparison(const char *line, struct comparison *c)
{
    static const char instruction[] = " = fcmp ";
    const char *end = line + strcspn(line, "\n"), *at = strchr(line, '=');
    if (strncmp(line, "  %", 3) != 0 || !at || at > end || strncmp(at - 1, instruction, strlen(instruction)) != 0)
        return false;
    for (at += strlen(instruction) - 1;; at += word_length(at) + 1) { /* flags and the relation come before the type */
        c->n_type = word_length(at);
        if (at + c->n_type >= end || at[c->n_type] != ' ') return false;
        if (!strncmp(at, "double ", 7) || !strncmp(at, "float ", 6)) break;
        if (strspn(at, "abcdefghijklmnopqrstuvwxyz") != (size_t)c->n_type) return false; /* <2 x double>, x86_fp80 */
    }
    c->type = at;
    c->a = at + c->n_type + 1;
    c->n_a = word_length(c->a);
    if (c->a[c->n_a] != ',') return false; /* a constant expression */
    c->b = c->a + c->n_a + 2;
    c->n_b = word_length(c->b);
    if (c->b[c->n_b] == ' ' || (c->n_a == c->n_b && !strncmp(c->a, c->b, (size_t)c->n_a))) return false;
    const char *location = strstr(c->b, ", !dbg !");
    c->location = location && location < end ? location : end;
    c->n_location = c->location < end ? 2 + (int)strcspn(c->location + 2, ",\n") : 0;
    return c->n_a + c->n_b < LONGEST;
}

static const char *function_of(const struct comparison *c)
{
    return c->type[0] == 'd' ? "__sanitizer_cov_trace_cmpd" : "__sanitizer_cov_trace_cmpf";
}

static void put_call(struct text *out, const struct comparison *c)
{
    text_put(out, "  call void @%s(%.*s %.*s, %.*s %.*s)%.*s\n", function_of(c), c->n_type, c->type, c->n_a, c->a,
             c->n_type, c->type, c->n_b, c->b, c->n_location, c->location);
}

/* Declares the functions, unless the source does so itself. */
static void put_declarations(struct text *out, const char *code)
{
    static const char *const functions[] = {"__sanitizer_cov_trace_cmpd(double", "__sanitizer_cov_trace_cmpf(float"};
    for (int i = 0; i < 2; i++) {
        char declared[64];
        snprintf(declared, sizeof declared, "void @%s", functions[i]);
        if (!strstr(code, declared)) text_put(out, "declare %s, %s)\n", declared, strchr(declared, '(') + 1);
    }
}

/* Reports whether a function asks for no instrumentation: no_sanitize("coverage"). Its attributes are elsewhere in the
 * code, by their number: `define i32 @f(double %0) #3 {` and `attributes #3 = { nosanitize_coverage ... }`. */
static bool is_exempt(const char *code, const char *define)
{
    const char *end = define + strcspn(define, "\n"), *number = end;
    while (number > define && *number != '#') number--;
    char group[64];
    snprintf(group, sizeof group, "\nattributes %.*s = {", (int)strcspn(number, " "), number);
    const char *attributes = *number == '#' ? strstr(code, group) : NULL;
    const char *found = attributes ? strstr(attributes, " nosanitize_coverage ") : NULL;
    return found && found < attributes + 1 + strcspn(attributes + 1, "\n");
}

char *reals_trace(const char *code)
{
    struct text out = {0};
    bool is_skipped = false;
    for (const char *line = code; *line;) {
        struct comparison c;
        size_t n = strcspn(line, "\n");
        if (!strncmp(line, "define ", 7)) is_skipped = is_exempt(code, line);
        if (!is_skipped && read_comparison(line, &c)) put_call(&out, &c);
        text_put_n(&out, line, n + (line[n] == '\n'));
        line += n + (line[n] == '\n');
    }
    put_declarations(&out, code);
    return out.all;
}
