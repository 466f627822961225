/* Writes the frame of the derived code: prototypes, names of constants, the functions of each record (emit_*.c), and
 * five functions for the user. For `struct shape` the latter are:
 *
 *     draw_shape(t, label)    draws a value
 *     print_shape(out, what)  prints it
 *     order_shape(a, b)       compares two values; the result is below, equal to or above 0
 *     same_shape(a, b)        reports whether two values are equal
 *     sonde_check_shape_()    is called by sonde_check_same(t, shape, got, want)
 *
 * All are static, and the names of helpers begin with the stem of the requested type. So two files with derived code
 * can be included side by side. */
#include "emit.h"

#include <stdarg.h>
#include <string.h>

/* ---- Lines */

/* Writes the pending literal output as one fputs or fputc. Literals that follow each other are joined before. */
static void flush_text(struct emit *e)
{
    const char *text = e->pending ? e->pending : "";
    e->pending = NULL;
    if (*text)
        fprintf(e->out, text[1] ? "%*sfputs(\"%s\", out);\n" : "%*sfputc('%s', out);\n", 4 * e->indent, "", text);
}

static void indent(struct emit *e)
{
    flush_text(e);
    fprintf(e->out, "%*s", 4 * e->indent, "");
}

void line(struct emit *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    indent(e);
    vfprintf(e->out, format, args);
    va_end(args);
    fputc('\n', e->out);
}

void blank(struct emit *e)
{
    fputc('\n', e->out);
}

void open_block(struct emit *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    indent(e);
    vfprintf(e->out, format, args);
    va_end(args);
    fputs(e->indent ? " {\n" : "\n{\n", e->out);
    e->indent++;
}

void else_block(struct emit *e)
{
    flush_text(e);
    e->indent--;
    line(e, "} else {");
    e->indent++;
}

void close_block(struct emit *e)
{
    flush_text(e);
    e->indent--;
    line(e, "}");
}

/* ---- Names and expressions */

/* Ends names with an underscore, which names of the user should not have. */
const char *helper(const struct emit *e, const char *verb, const char *stem)
{
    return strcmp(stem, e->root) ? keep_format("%s_%s_%s_", e->root, verb, stem) : keep_format("%s_%s_", e->root, verb);
}

/* Numbers names only from the second one on: people read and edit derived code. */
const char *variable(struct emit *e, const char *name)
{
    return e->n_names++ ? keep_format("%s%u", name, e->n_names) : name;
}

/* Clang rejects a cast to an atomic type. A comma expression has the type of its value, without _Atomic. */
const char *cast_to(const struct type *type, const char *expression)
{
    if (type->is_atomic) return keep_format("(__typeof__(((void)0, %s)))", expression);
    return type->name ? keep_format("(%s)", type->name) : keep_format("(__typeof__(%s))", expression);
}

const char *as_void(const struct type *type, const char *expression)
{
    bool is_qualified = type->is_qualified || (type->of && type->of->is_qualified);
    return is_qualified ? keep_format("(void *)(uintptr_t)%s", expression) : expression;
}

const char *as_constant_void(const struct type *type, const char *expression)
{
    return type->is_volatile || (type->of && type->of->is_volatile) ? as_void(type, expression) : expression;
}

/* Simplifies &(*p) to p. */
const char *address_of(const struct type *type, const char *expression, bool is_constant)
{
    size_t n = strlen(expression);
    const char *address = expression[0] == '(' && expression[1] == '*' && expression[n - 1] == ')'
                              ? keep_format("%.*s", (int)n - 3, expression + 2)
                              : keep_format("&%s", expression);
    if (!type->is_qualified) return address;
    return keep_format("(%s%s *)(uintptr_t)%s", is_constant ? "const " : "", type->name, address);
}

/* A signed counter may be negative in a value that the user made; sonde_count_ then returns 0. */
const char *count_expression(const struct scope *scope, const struct notes *notes)
{
    const char *prefix;
    const struct field *counter = is_identifier(notes->count) ? scope_find(scope, notes->count, &prefix) : NULL;
    if (!counter) return keep_format("(size_t)(%s)", notes->count);
    if (counter->type->kind == TYPE_INT && counter->type->is_signed)
        return keep_format("sonde_count_(%s%s)", prefix, counter->name);
    return keep_format("(size_t)%s%s", prefix, counter->name);
}

bool type_recurs(const struct type *type)
{
    while (type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY) type = type->of;
    if (type->kind != TYPE_RECORD) return false;
    if (has_function(type->record)) return type->record->recurs;
    for (uint32_t i = 0; i < type->record->n; i++)
        if (type_recurs(type->record->fields[i].type)) return true;
    return false;
}

bool is_bytes(const struct notes *notes, const struct type *element)
{
    bool is_plain = !notes->lo && !notes->one_of && !notes->flags && !notes->text;
    return (element->kind == TYPE_VOID || (element->kind == TYPE_INT && element->bits == 8)) && is_plain;
}

const char *tag_expression(const struct scope *scope, const struct notes *notes)
{
    const char *prefix;
    const struct field *tag = is_identifier(notes->tag) ? scope_find(scope, notes->tag, &prefix) : NULL;
    if (!tag) return NULL;
    return keep_format("%s%s%s", tag->type->kind == TYPE_BOOL ? "(int)" : "", prefix, tag->name);
}

bool is_done(const struct emit *e, const char *expression)
{
    for (uint32_t i = 0; i < e->n_done; i++)
        if (!strcmp(e->done[i], expression)) return true;
    return false;
}

/* Beyond MOST_DONE a tag might be drawn twice. The second draw overwrites the first; the value is still valid. */
void set_done(struct emit *e, const char *expression)
{
    if (e->n_done < MOST_DONE) e->done[e->n_done++] = expression;
}

/* ---- Constants */

/* Collects the enumerations of a record's fields, and of records that are written in line. */
static void add_enumerations(const struct record *record, struct enumeration **all, uint32_t *n, uint32_t max)
{
    for (uint32_t i = 0; i < record->n; i++) {
        const struct type *type = record->fields[i].type;
        if (is_left_alone(&record->fields[i]) || is_address(&record->fields[i])) continue;
        while (type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY) type = type->of;
        if (type->kind == TYPE_RECORD && !has_function(type->record)) add_enumerations(type->record, all, n, max);
        bool is_new = type->kind == TYPE_ENUM;
        for (uint32_t k = 0; k < *n && is_new; k++) is_new = all[k] != type->enumeration;
        if (is_new && *n < max) all[(*n)++] = type->enumeration;
    }
}

/* Writes the function that returns the name of a constant. */
static void emit_names(struct emit *e, const struct enumeration *x)
{
    open_block(e, "__attribute__((unused)) static const char *%s(long long value)", helper(e, "name", x->stem));
    for (uint32_t i = 0; i < x->n; i++) line(e, "if (value == (long long)%s) return \"%s\";", x->names[i], x->names[i]);
    line(e, "return SONDE_NOTHING_;");
    close_block(e);
    blank(e);
}

/* ---- Functions for the user */

/* Writes draw_STEM and print_STEM. */
static void emit_draw(struct emit *e, const struct record *r, const char *stem)
{
    bool recurs = r->recurs;
    open_block(e, "static %s *draw_%s(sonde *t, const char *label)", r->name, stem);
    line(e, "sonde_span(t, label);");
    line(e, "%s *it = %s(t%s);", r->name, helper(e, "make", r->stem), recurs ? ", sonde_budget_(t)" : "");
    line(e, "sonde_show(t, print_%s, it);", stem);
    line(e, "return it;");
    close_block(e);
    blank(e);
    open_block(e, "static void print_%s(FILE *out, const void *what)", stem);
    line(e, "%s(out, (const %s *)what%s);", helper(e, "write", r->stem), r->name, recurs ? ", SONDE_NOTHING_" : "");
    close_block(e);
    blank(e);
}

/* Writes a call of the comparing function, whose result is in `order`. A record that recurs needs a table of the pairs
 * compared already. */
static void call_compare(struct emit *e, const struct record *r, const char *arguments)
{
    const char *compare = helper(e, "compare", r->stem);
    if (r->recurs) line(e, "sonde_pairs_ pairs;");
    if (r->recurs) line(e, "memset(&pairs, 0, sizeof pairs);");
    line(e, "int order = %s(%s%s);", compare, arguments, r->recurs ? ", &pairs" : "");
    if (r->recurs) line(e, "sonde_pairs_clear_(&pairs);");
}

/* Writes order_STEM, same_STEM and sonde_check_STEM_. */
static void emit_comparisons(struct emit *e, const struct record *r, const char *stem)
{
    open_block(e, "static int order_%s(const %s *a, const %s *b)", stem, r->name, r->name);
    call_compare(e, r, "a, b, SONDE_NOTHING_");
    line(e, "return order;");
    close_block(e);
    blank(e);
    open_block(e, "static bool same_%s(const %s *a, const %s *b)", stem, r->name, r->name);
    line(e, "return order_%s(a, b) == 0;", stem);
    close_block(e);
    blank(e);
    open_block(e, "static void sonde_check_%s_(sonde *t, const %s *got, const %s *want, sonde_where_ where)", stem,
               r->name, r->name);
    line(e, "sonde_difference_ at;");
    line(e, "at.path[0] = 0;");
    call_compare(e, r, "got, want, &at");
    line(e, "if (order != 0) sonde_differ_at_(t, &at, where);");
    close_block(e);
}

/* ---- All */

/* Declares the functions of all records, since records may contain each other. */
static void emit_prototypes(struct emit *e, const struct judgement *j)
{
    for (uint32_t i = 0; i < j->n_records; i++) {
        const struct record *r = j->records[i];
        const char *left = r->recurs ? ", int left" : "", *up = r->recurs ? ", const sonde_seen_ *up" : "";
        const char *pairs = r->recurs ? ", sonde_pairs_ *pairs" : "";
        if (!flexible_field(r))
            line(e, "static void %s(sonde *t, %s *it%s);", helper(e, "fill", r->stem), r->name, left);
        line(e, "static %s *%s(sonde *t%s);", r->name, helper(e, "make", r->stem), left);
        line(e, "static void %s(FILE *out, const %s *it%s);", helper(e, "write", r->stem), r->name, up);
        line(e, "static int %s(const %s *a, const %s *b, sonde_difference_ *at%s);", helper(e, "compare", r->stem),
             r->name, r->name, pairs);
    }
    blank(e);
}

/* Gives the second of two types with the same stem another stem. */
static void make_stems_differ(struct judgement *j)
{
    for (uint32_t i = 1; i < j->n_records; i++)
        for (uint32_t k = 0; k < i; k++)
            if (!strcmp(j->records[i]->stem, j->records[k]->stem))
                j->records[i]->stem = keep_format("%s_%u", j->records[i]->stem, i);
}

/* Maximum number of enumerations in one type. */
enum { MOST_ENUMERATIONS = 1024 };

/* Writes everything for one type. Judges it again, because judgements are not stored; it has no problems by now. */
static void emit_one(struct emit *e, struct record *record, const char *stem)
{
    static struct enumeration *enumerations[MOST_ENUMERATIONS];
    uint32_t n = 0;
    struct judgement j = judge(record);
    make_stems_differ(&j);
    e->root = stem;
    line(e, "/* ---- %s */", record->name);
    blank(e);
    emit_prototypes(e, &j);
    for (uint32_t i = 0; i < j.n_records; i++) add_enumerations(j.records[i], enumerations, &n, MOST_ENUMERATIONS);
    for (uint32_t i = 0; i < n; i++) emit_names(e, enumerations[i]);
    for (uint32_t i = 0; i < j.n_records; i++) {
        emit_fill(e, j.records[i]);
        emit_write(e, j.records[i]);
        emit_compare(e, j.records[i]);
    }
    emit_draw(e, record, stem);
    emit_comparisons(e, record, stem);
}

void emit_all(FILE *out, const char *file, const struct wanted *wanted, uint32_t n)
{
    struct emit e = {.out = out};
    fprintf(out,
            "/* " DERIVED_MARK " from %s. Values of its types: drawn, printed, compared. May be edited\n"
            " * and committed; it needs nothing but sonde's headers. */\n",
            file ? file : "the file above");
    if (file) fprintf(out, "#include \"%s\"\n\n", file);
    fputs("#include <sonde/derived.h>\n\n", out);
    for (uint32_t i = 0; file && i < n; i++)
        fprintf(out, "SONDE_DERIVED_(%s, %s);\n", wanted[i].record->name, wanted[i].stem);
    for (uint32_t i = 0; i < n; i++) {
        fputc('\n', out);
        emit_one(&e, wanted[i].record, wanted[i].stem);
    }
}
