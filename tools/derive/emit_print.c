/* Writes the functions that print a value as a C initializer, with the names of fields and constants:
 *
 *     {.kind = CIRCLE, .center = {.x = 1, .y = 0}, .name = "a"}
 *
 * The same value gives the same output in every run, so addresses are not printed. A value that contains itself is
 * printed once. */
#include "emit.h"

#include <string.h>

/* The field for which code is written. */
struct printing {
    struct emit *e;
    const struct scope *scope;
    const struct field *field;
};

static void print_value(const struct printing *p, const struct type *type, const char *expression, bool is_counted);
static void print_fields(struct emit *e, const struct scope *scope);

/* Adds literal output, which is joined with what follows. */
static void text(struct emit *e, const char *literal)
{
    e->pending = e->pending ? keep_format("%s%s", e->pending, literal) : literal;
}

/* Writes an fprintf that prints the pending literal and an integer. */
static void print_integer(struct emit *e, const char *format, const char *type, const char *expression)
{
    const char *before = e->pending ? e->pending : "";
    e->pending = NULL;
    line(e, "fprintf(out, \"%s%s\", (%s)%s);", before, format, type, expression);
}

static void print_number(const struct printing *p, const struct type *type, const char *expression)
{
    struct emit *e = p->e;
    if (type->kind == TYPE_BOOL) line(e, "fputs(%s ? \"true\" : \"false\", out);", expression);
    else if (type->kind == TYPE_FLOAT)
        line(e, "sonde_write_%s_(out, %s);",
             type->bits == 32   ? "float"
             : type->bits == 64 ? "double"
                                : "long_double",
             expression);
    else if (type->kind == TYPE_ENUM)
        line(e, "sonde_write_named_(out, %s((long long)%s), (long long)%s);",
             helper(e, "name", type->enumeration->stem), expression, expression);
    else if (type->is_signed) print_integer(e, "%lld", "long long", expression);
    else print_integer(e, "%llu", "unsigned long long", expression);
}

/* Writes a loop that prints n elements in braces; bytes are printed as a string. */
static void print_several(const struct printing *p, const struct type *type, const char *expression, const char *n)
{
    const char *i = variable(p->e, "i");
    if (is_bytes(&p->field->notes, type->of) || type->of->kind == TYPE_VOID) {
        line(p->e, "sonde_write_bytes_(out, %s, %s);", as_constant_void(type, expression), n);
        return;
    }
    text(p->e, "{");
    open_block(p->e, "for (size_t %s = 0; %s < %s; %s++)", i, i, n, i);
    line(p->e, "if (%s > 0) fputs(\", \", out);", i);
    print_value(p, type->of, keep_format("%s[%s]", expression, i), true);
    close_block(p->e);
    text(p->e, "}");
}

static void print_array(const struct printing *p, const struct type *type, const char *expression, bool is_counted)
{
    const struct notes *n = &p->field->notes;
    if (n->text && type->of->is_char)
        line(p->e, "sonde_write_text_in_(out, %s, %lld);", as_constant_void(type, expression), type->n);
    else if (n->count && !is_counted) print_several(p, type, expression, count_expression(p->scope, n));
    else print_several(p, type, expression, keep_format("%lld", type->n));
}

/* Writes code that prints NULL, or what the pointer points to. */
static void print_pointer(const struct printing *p, const struct type *type, const char *expression, bool is_counted)
{
    const struct notes *n = &p->field->notes;
    if (n->text && type->of->is_char) {
        line(p->e, "sonde_write_text_(out, %s);", as_constant_void(type, expression));
        return;
    }
    open_block(p->e, "if (!%s)", expression);
    text(p->e, "NULL");
    else_block(p->e);
    if (n->count && !is_counted) print_several(p, type, expression, count_expression(p->scope, n));
    else print_value(p, type->of, keep_format("(*%s)", expression), true);
    close_block(p->e);
}

static void print_field(struct emit *e, const struct scope *scope, const struct field *field, const char *before);

/* Writes a switch that prints the member in use. */
static void print_union(const struct printing *p, const struct type *type, const char *expression)
{
    const struct notes *n = tag_notes(&p->field->notes, type);
    const char *tag = tag_expression(p->scope, n);
    struct scope inner = {type->record, *p->field->name ? keep_format("%s.", expression) : p->scope->prefix, p->scope};
    text(p->e, "{");
    if (tag) open_block(p->e, "switch (%s)", tag);
    for (uint32_t i = 0; i < n->n_choices && (tag || i < 1); i++) {
        const struct field *member = find_field(type->record, n->choices[i].member);
        if (tag) open_block(p->e, "case %s:", n->choices[i].constant);
        if (member) print_field(p->e, &inner, member, "");
        if (tag) line(p->e, "break;"), close_block(p->e);
    }
    if (tag) line(p->e, "default: break;"), close_block(p->e);
    text(p->e, "}");
}

static void print_record(const struct printing *p, const struct type *type, const char *expression)
{
    const struct record *r = type->record;
    struct scope inner = {r, *p->field->name ? keep_format("%s.", expression) : p->scope->prefix, p->scope};
    if (r->is_union) print_union(p, type, expression);
    else if (has_function(r))
        line(p->e, "%s(out, %s%s);", helper(p->e, "write", r->stem), address_of(type, expression, true),
             r->recurs ? ", seen" : "");
    else print_fields(p->e, &inner);
}

static void print_value(const struct printing *p, const struct type *type, const char *expression, bool is_counted)
{
    switch (type->kind) {
    case TYPE_POINTER: print_pointer(p, type, expression, is_counted); break;
    case TYPE_ARRAY: print_array(p, type, expression, is_counted); break;
    case TYPE_RECORD: print_record(p, type, expression); break;
    default: print_number(p, type, expression);
    }
}

/* Writes code that prints ".name = value". For a pointer given by SONDE_IS or SONDE_BY, the code prints only
 * whether it is NULL. */
static void print_field(struct emit *e, const struct scope *scope, const struct field *field, const char *before)
{
    const char *expression = keep_format("%s%s", scope->prefix, field->name);
    struct printing p = {e, scope, field};
    text(e, *field->name ? keep_format("%s.%s = ", before, field->name) : before);
    if (is_address(field)) line(e, "sonde_write_pointer_(out, !%s);", expression);
    else print_value(&p, field->type, expression, false);
}

static void print_fields(struct emit *e, const struct scope *scope)
{
    bool is_first = true;
    text(e, "{");
    for (uint32_t i = 0; i < scope->record->n; i++) {
        const struct field *f = &scope->record->fields[i];
        if (is_left_alone(f)) continue;
        print_field(e, scope, f, is_first ? "" : ", ");
        is_first = false;
    }
    text(e, "}");
}

void emit_write(struct emit *e, const struct record *record)
{
    struct scope scope = {record, "it->", NULL};
    struct type type = {.kind = TYPE_RECORD, .record = (struct record *)(uintptr_t)record};
    struct field whole = {.name = "", .type = &type, .width = -1};
    struct printing p = {e, &scope, &whole};
    e->n_names = 0;
    open_block(e, "static void %s(FILE *out, const %s *it%s)", helper(e, "write", record->stem), record->name,
               record->recurs ? ", const sonde_seen_ *up" : "");
    if (record->recurs) {
        line(e, "unsigned first = 0;");
        line(e, "static const char name[] = \"%s\";", record->name);
        line(e, "const sonde_seen_ here = {it, name, up, up ? up->depth + 1 : 0, up ? up->n : &first}, *seen = &here;");
        line(e, "if (!sonde_may_write_(out, seen)) return;");
    }
    if (!record->recurs) line(e, "(void)it;");
    else line(e, "(void)seen;");
    if (record->is_union) print_union(&p, &type, "(*it)");
    else print_fields(e, &scope);
    close_block(e);
    blank(e);
}
