/* `sonde grammar to-c`: a grammar as plain C, one function per rule, with the draws that sonde_grammar makes. The code
 * is to be read and changed, so it is simpler in two points. A depth that counts down bounds recursion, and repetitions
 * without a limit stay short. */
#include "grammar.h"

#include "base/buffer.h"
#include "base/die.h"
#include "base/mem.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

enum { NESTED_MAX = 60 }; /* groups in groups: more would be too deep for a compiler, and for a reader */

struct writer {
    const struct sonde_syntax *g;
    FILE *out;
    int indent;
    bool is_too_deep;
    bool needs_bytes, needs_word, needs_wide; /* the code calls these helpers */
    uint32_t in_loop;                         /* number of lists around the present code: names its variable */
};

static void line(const struct writer *w, const char *format, ...) SONDE_PRINTF(2, 3);
static void line(const struct writer *w, const char *format, ...)
{
    va_list args;
    fprintf(w->out, "%*s", 4 * w->indent, "");
    va_start(args, format);
    vfprintf(w->out, format, args);
    va_end(args);
    fputc('\n', w->out);
}

/* Writes the name of a rule's function. Names that differ in punctuation or case only get their number. */
static const char *name_of(const struct writer *w, uint32_t rule, char out[300])
{
    const struct sonde_syntax *g = w->g;
    const char *name = sonde_syntax_name(g, rule);
    size_t n = 0;
    bool is_plain = true;
    for (; name[n] && n < 200; n++) {
        out[n] = (char)(isalnum((unsigned char)name[n]) ? name[n] : '_');
        is_plain &= out[n] == name[n] || name[n] == '-';
    }
    out[n] = '\0';
    if (!is_plain || name[n] || strchr(name, '_')) snprintf(out + n, 300 - n, "_%u", (unsigned)rule);
    return out;
}

/* Writes bytes as a string literal. `is_format`: for printf. */
static void write_string(const struct writer *w, const char *bytes, size_t n, bool is_format)
{
    bool was_hex = false;
    fputc('"', w->out);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];
        bool is_hex = c < ' ' || c >= 0x7f;
        /* A digit behind \x41 would belong to it; ?? may begin a trigraph. */
        if ((was_hex && isxdigit(c)) || (c == '?' && i && bytes[i - 1] == '?')) fputs("\" \"", w->out);
        if (is_hex) fprintf(w->out, "\\x%02x", c);
        else if (c == '"' || c == '\\') fprintf(w->out, "\\%c", c);
        else if (c == '%' && is_format) fputs("%%", w->out);
        else fputc(c, w->out);
        was_hex = is_hex;
    }
    fputc('"', w->out);
}

static const char *label_of(const struct writer *w, const struct sonde_syntax_node *x)
{
    return w->g->names + x->label;
}

static void write_literal(struct writer *w, const struct sonde_syntax_node *x)
{
    const char *bytes = w->g->bytes + x->first;
    if (!x->n) return;
    fprintf(w->out, "%*s", 4 * w->indent, "");
    if (x->kind == SONDE_SYNTAX_CASELESS) {
        w->needs_word = true;
        fputs("add_word(t, out, ", w->out);
        write_string(w, bytes, x->n, false);
    } else if (memchr(bytes, 0, x->n)) {
        w->needs_bytes = true;
        fputs("add_bytes(t, out, ", w->out);
        write_string(w, bytes, x->n, false);
        fprintf(w->out, ", %u", (unsigned)x->n);
    } else {
        fputs("sonde_put(t, out, ", w->out);
        write_string(w, bytes, x->n, true);
    }
    fputs(");\n", w->out);
}

static void write_class(struct writer *w, const struct sonde_syntax_node *x)
{
    const struct sonde_syntax_class *class = &w->g->classes[x->first];
    const char *label = label_of(w, x);
    bool has_both = class->n_small && class->n_rest;
    if (has_both) line(w, "if (sonde_chance(t, \"wide\", 1.0 / 16)) {");
    w->indent += has_both;
    if (class->n_rest) {
        line(w, "static const uint32_t ranges[][2] = {");
        for (uint32_t i = class->first_range; i < class->first_range + class->n_ranges; i++)
            line(w, "    {0x%x, 0x%x},", (unsigned)w->g->ranges[i].lo, (unsigned)w->g->ranges[i].hi);
        line(w, "};");
        w->needs_wide = true;
        line(w, "add_wide(t, out, ranges, sonde_pick(t, \"%s\", %u));", label, (unsigned)class->n_rest);
    }
    w->indent -= has_both;
    if (has_both) line(w, "} else {");
    w->indent += has_both;
    if (class->n_small) {
        fprintf(w->out, "%*ssonde_put(t, out, \"%%c\", ", 4 * w->indent, "");
        write_string(w, w->g->bytes + class->first_small, class->n_small, false);
        fprintf(w->out, "[%s%s%s", class->n_small > 1 ? "sonde_pick(t, \"" : "0", class->n_small > 1 ? label : "",
                class->n_small > 1 ? "\", " : "");
        if (class->n_small > 1) fprintf(w->out, "%u)", (unsigned)class->n_small);
        fputs("]);\n", w->out);
    }
    w->indent -= has_both;
    if (has_both) line(w, "}");
}

static void write_node(struct writer *w, uint32_t node);

static void write_choice(struct writer *w, uint32_t node, const struct sonde_syntax_node *x)
{
    const struct sonde_syntax_rule *rule = &w->g->rules[x->rule];
    bool is_weighted = rule->body == node && rule->n_weights, is_bounded = x->is_recursive && x->n_leaves < x->n;
    char n[64];
    snprintf(n, sizeof n, is_bounded ? "depth > 0 ? %u : %u" : "%u", (unsigned)x->n, (unsigned)x->n_leaves);
    if (is_weighted) {
        line(w, "static const unsigned weights[] = {");
        for (uint32_t i = 0; i < x->n; i++) line(w, "    %u,", w->g->weights[rule->weights + i]);
        line(w, "};");
        line(w, "switch (sonde_weighted(t, \"%s\", weights, %s)) {", label_of(w, x), n);
    } else line(w, "switch (sonde_pick(t, \"%s\", %s)) {", label_of(w, x), n);
    for (uint32_t i = 0; i < x->n; i++) {
        if (i + 1 < x->n) line(w, "case %u: {", (unsigned)i);
        else line(w, "default: {");
        w->indent++;
        write_node(w, w->g->kids[x->first + i]);
        line(w, "break;");
        w->indent--;
        line(w, "}");
    }
    line(w, "}");
}

static void write_series(struct writer *w, const struct sonde_syntax_node *series, const struct sonde_syntax_node *x);

static void write_repeat(struct writer *w, const struct sonde_syntax_node *x)
{
    uint32_t max = x->min + sonde_syntax_chunk(w->g, x);
    const char *bound = x->is_recursive ? "depth > 0 && " : "";
    if (max == 0) return;
    if (x->is_series) {
        write_series(w, x, &w->g->nodes[x->first]);
        return;
    }
    if (x->is_blob) {
        const struct sonde_syntax_node *kid = &w->g->nodes[sonde_syntax_resolve(w->g, x->first)];
        const struct sonde_syntax_class *class = &w->g->classes[kid->first];
        fprintf(w->out, "%*ssonde_put(t, out, \"%%s\", sonde_string_of(t, \"%s\", ", 4 * w->indent, "", label_of(w, x));
        write_string(w, w->g->bytes + class->first_small, class->n_small, false);
        fprintf(w->out, ", %u, %u));\n", (unsigned)x->min, (unsigned)max);
        return;
    }
    uint32_t loop = w->in_loop++;
    if (x->min == x->max) line(w, "for (int i%u = 0; i%u < %u; i%u++) {", loop, loop, (unsigned)x->min, loop);
    else if (x->max == 1) line(w, "if (%ssonde_bool(t, \"%s\")) {", bound, label_of(w, x));
    else {
        char most[64];
        snprintf(most, sizeof most, x->is_recursive ? "depth > 0 ? %u : %u" : "%u", (unsigned)max, (unsigned)x->min);
        line(w, "for (sonde_list list%u = sonde_list_of(t, \"%s\", %u, %s); sonde_more(&list%u);) {", loop,
             label_of(w, x), (unsigned)x->min, most, loop);
    }
    w->indent++;
    write_node(w, x->first);
    w->indent--;
    line(w, "}");
    w->in_loop--;
}

/* Writes x *("," x) as one list. `series` is the sequence, or the repetition by which it may be left out. */
static void write_series(struct writer *w, const struct sonde_syntax_node *series, const struct sonde_syntax_node *x)
{
    const struct sonde_syntax_node *rest = &w->g->nodes[w->g->kids[x->first + 1]];
    uint32_t loop = w->in_loop++, max = rest->min + sonde_syntax_chunk(w->g, rest) + 1;
    uint32_t min = series == x ? rest->min + 1 : 0;
    char most[64];
    snprintf(most, sizeof most, series->is_recursive ? "depth > 0 ? %u : %u" : "%u", (unsigned)max, (unsigned)min);
    line(w, "for (sonde_list list%u = sonde_list_of(t, \"%s\", %u, %s); sonde_more(&list%u);) {", loop,
         label_of(w, series), (unsigned)min, most, loop);
    w->indent++;
    line(w, "if (list%u.i == 0) {", loop);
    w->indent++;
    write_node(w, w->g->kids[x->first]);
    w->indent--;
    line(w, "} else {");
    w->indent++;
    write_node(w, rest->first);
    w->indent--;
    line(w, "}");
    w->indent--;
    line(w, "}");
    w->in_loop--;
}

static void write_node(struct writer *w, uint32_t node)
{
    const struct sonde_syntax_node *x = &w->g->nodes[node];
    char name[300];
    if (w->indent > NESTED_MAX) {
        w->is_too_deep = true;
        return;
    }
    switch ((enum sonde_syntax_kind)x->kind) {
    case SONDE_SYNTAX_LITERAL:
    case SONDE_SYNTAX_CASELESS: write_literal(w, x); return;
    case SONDE_SYNTAX_CLASS: write_class(w, x); return;
    case SONDE_SYNTAX_CHOICE: write_choice(w, node, x); return;
    case SONDE_SYNTAX_REPEAT: write_repeat(w, x); return;
    case SONDE_SYNTAX_SEQUENCE:
        if (x->is_series) {
            write_series(w, x, x);
            return;
        }
        for (uint32_t i = 0; i < x->n; i++) write_node(w, w->g->kids[x->first + i]);
        return;
    case SONDE_SYNTAX_RULE:
        line(w, "put_%s(t, out, %s);", name_of(w, x->first, name), x->is_recursive ? "depth - 1" : "depth");
        return;
    case SONDE_SYNTAX_PROSE: return; /* such a grammar is not sound without a C function */
    }
}

static void write_rule(struct writer *w, uint32_t rule)
{
    char name[300];
    const struct sonde_syntax_rule *r = &w->g->rules[rule];
    line(w, "\nstatic void put_%s(sonde *t, sonde_text *out, int depth)\n{", name_of(w, rule, name));
    w->indent = 1;
    line(w, "(void)t, (void)out, (void)depth;");
    if (r->is_span) line(w, "sonde_open(t, \"%s\");", sonde_syntax_name(w->g, rule));
    write_node(w, r->body);
    if (r->is_span) line(w, "sonde_close(t, \"%s\");", sonde_syntax_name(w->g, rule));
    w->indent = 0;
    line(w, "}");
}

/* Functions that the code may need. No rule's function has such a name. */
static const char bytes_helper[] = "\n/* Puts bytes, any of which may be 0. */\n"
                                   "static void add_bytes(sonde *t, sonde_text *out, const char *bytes, size_t n)\n{\n"
                                   "    for (size_t i = 0; i < n; i++) sonde_put(t, out, \"%c\", bytes[i]);\n}\n";
static const char word_helper[] =
    "\n/* Puts a word whose letters may be of either case. */\n"
    "static void add_word(sonde *t, sonde_text *out, const char *word)\n{\n"
    "    bool is_odd = sonde_chance(t, \"case\", 1.0 / 8);\n"
    "    for (; *word; word++) {\n"
    "        bool is_letter = (*word >= 'a' && *word <= 'z') || (*word >= 'A' && *word <= 'Z');\n"
    "        bool is_other = is_odd && is_letter && sonde_bool(t, \"other_case\");\n"
    "        sonde_put(t, out, \"%c\", is_other ? *word ^ 0x20 : *word);\n    }\n}\n";
static const char wide_helper[] =
    "\n/* Puts character i of some ranges, as UTF-8. */\n"
    "static void add_wide(sonde *t, sonde_text *out, const uint32_t ranges[][2], size_t i)\n{\n"
    "    while (i > (*ranges)[1] - (*ranges)[0]) i -= (*ranges)[1] - (*ranges)[0] + 1, ranges++;\n"
    "    unsigned c = (unsigned)((*ranges)[0] + i);\n"
    "    if (c < 0x800) sonde_put(t, out, \"%c%c\", 0xc0 | c >> 6, 0x80 | (c & 0x3f));\n"
    "    else if (c < 0x10000)\n"
    "        sonde_put(t, out, \"%c%c%c\", 0xe0 | c >> 12, 0x80 | (c >> 6 & 0x3f), 0x80 | (c & 0x3f));\n"
    "    else\n"
    "        sonde_put(t, out, \"%c%c%c%c\", 0xf0 | c >> 18, 0x80 | (c >> 12 & 0x3f), 0x80 | (c >> 6 & 0x3f),\n"
    "                  0x80 | (c & 0x3f));\n}\n";

/* Returns which rules have code, freed by the caller: those that the start rule still refers to. A choice of characters
 * that became a class refers to none. */
static bool *find_written(const struct sonde_syntax *g)
{
    bool *is_written = sonde_calloc(g->n_rules, sizeof *is_written);
    uint32_t *todo = sonde_malloc(((size_t)g->n_nodes + 1) * sizeof *todo), n = 0;
    is_written[g->start] = true;
    todo[n++] = g->rules[g->start].body;
    while (n) {
        const struct sonde_syntax_node *x = &g->nodes[todo[--n]];
        if (x->kind == SONDE_SYNTAX_REPEAT && !x->is_blob) todo[n++] = x->first;
        if (x->kind == SONDE_SYNTAX_SEQUENCE || x->kind == SONDE_SYNTAX_CHOICE)
            for (uint32_t i = 0; i < x->n; i++) todo[n++] = g->kids[x->first + i];
        if (x->kind != SONDE_SYNTAX_RULE || is_written[x->first]) continue;
        is_written[x->first] = true;
        todo[n++] = g->rules[x->first].body;
    }
    sonde_free(todo);
    return is_written;
}

/* Writes the functions of all rules, and the one that users call. */
static void write_rules(struct writer *w, const bool *is_written)
{
    char name[300];
    const struct sonde_syntax *g = w->g;
    fputc('\n', w->out);
    for (uint32_t i = 0; i < g->n_rules; i++)
        if (is_written[i]) line(w, "static void put_%s(sonde *t, sonde_text *out, int depth);", name_of(w, i, name));
    for (uint32_t i = 0; i < g->n_rules; i++)
        if (is_written[i]) write_rule(w, i);
    line(w, "\nsonde_text draw_%s(sonde *t, const char *label);", name_of(w, g->start, name));
    line(w, "sonde_text draw_%s(sonde *t, const char *label)\n{", name);
    line(w, "    sonde_text out = {0};\n    sonde_put(t, &out, \"%%s\", \"\");\n    sonde_open(t, label);");
    line(w, "    put_%s(t, &out, DEPTH);\n    sonde_close(t, label);\n    return out;\n}", name);
}

bool tool_grammar_as_c(const struct sonde_syntax *g, const char *file, FILE *out)
{
    struct sonde_buffer rules = {0};
    struct writer w = {.g = g, .out = sonde_buffer_open(&rules)};
    bool *is_written = find_written(g);
    write_rules(&w, is_written);
    sonde_free(is_written);
    w.out = out;
    line(&w, "/* Draws sentences of a grammar. Made by sonde grammar to-c from %s. */",
         strstr(file, "*/") ? "a file" : file);
    line(&w, "#include <sonde.h>\n\n/* How deep rules may nest in themselves. */\nenum { DEPTH = 5 };");
    if (w.needs_bytes) fputs(bytes_helper, out);
    if (w.needs_word) fputs(word_helper, out);
    if (w.needs_wide) fputs(wide_helper, out);
    fputs(sonde_buffer_close(&rules), out);
    sonde_buffer_clear(&rules);
    if (w.is_too_deep)
        sonde_complain("sonde grammar: %s: groups are nested deeper than %d levels; give some of them a rule", file,
                       NESTED_MAX);
    return !w.is_too_deep;
}
