/* Writes the functions that compare two values: below, equal or above, field by field in the order of the declaration.
 * memcmp is never used on anything with padding. The innermost comparison records the first difference. Each function
 * adds its part of the path as it returns, so that a report can name `.points[2].y`. */
#include "emit.h"

#include <string.h>

/* A part of the path to a value: ".points", the index of an element, or ".y". Linked from the innermost outwards. */
struct step {
    const char *text;
    bool is_index; /* `text` is the name of a variable that holds the index */
    const struct step *up;
};

/* The position in the two values for which code is written. */
struct comparing {
    struct emit *e;
    const struct scope *a, *b; /* the same record in the two values */
    const struct field *field;
    const struct step *step;
    const char *tail; /* path of the last pointer, which a loop follows: ".next"; NULL: there is none */
};

/* The same part of the two values that are compared. */
struct two {
    const char *a, *b; /* expressions */
};

static void compare_value(const struct comparing *c, const struct type *type, struct two x, bool is_counted);
static void compare_fields(const struct comparing *around, const struct scope *a, const struct scope *b);

/* Writes a comparison, and the return that follows if it finds a difference: `if ((order = COMPARISON) != 0) return
 * sonde_at_(at, order, ".y");`. */
static void leave(const struct comparing *c, const char *comparison)
{
    const char *result = "order";
    for (const struct step *s = c->step; s; s = s->up)
        result = s->is_index ? keep_format("sonde_at_index_(at, %s, %s)", result, s->text)
                             : keep_format("sonde_at_(at, %s, \"%s\")", result, s->text);
    if (c->tail) result = keep_format("sonde_at_times_(at, %s, \"%s\", n_steps)", result, c->tail);
    line(c->e, "if ((order = %s) != 0) return %s;", comparison, result);
}

static void compare_number(const struct comparing *c, const struct type *type, struct two x)
{
    if (type->kind == TYPE_FLOAT) leave(c, keep_format("sonde_compare_double_(%s, %s, at)", x.a, x.b));
    else if (type->kind == TYPE_ENUM) {
        const char *name = helper(c->e, "name", type->enumeration->stem);
        leave(c, keep_format(
                     "sonde_compare_named_((long long)%s, (long long)%s, %s((long long)%s), %s((long long)%s), at)",
                     x.a, x.b, name, x.a, name, x.b));
    } else if (type->is_signed) leave(c, keep_format("sonde_compare_i64_(%s, %s, at)", x.a, x.b));
    else leave(c, keep_format("sonde_compare_u64_(%s, %s, at)", x.a, x.b));
}

/* Writes the comparison of n elements of either value; bytes are compared by one call. */
static void compare_several(const struct comparing *c, const struct type *type, struct two x, const char *n)
{
    const char *i = variable(c->e, "i");
    if (is_bytes(&c->field->notes, type->of) || type->of->kind == TYPE_VOID) {
        leave(c, keep_format("sonde_compare_bytes_(%s, %s, %s, %s, at)", as_constant_void(type, x.a), n,
                             as_constant_void(type, x.b), n));
        return;
    }
    struct step element = {i, true, c->step};
    struct comparing inner = *c;
    inner.step = &element;
    open_block(c->e, "for (size_t %s = 0; %s < %s; %s++)", i, i, n, i);
    compare_value(&inner, type->of, (struct two){keep_format("%s[%s]", x.a, i), keep_format("%s[%s]", x.b, i)}, true);
    close_block(c->e);
}

/* Writes the comparison of the lengths, and returns the length as an expression. If the counter is a field, a
 * difference is reported as one of that field. */
static const char *compare_counts(const struct comparing *c)
{
    const char *a = count_expression(c->a, &c->field->notes), *b = count_expression(c->b, &c->field->notes);
    if (!strcmp(a, b)) return a;
    struct step count = {keep_format(".%s", c->field->notes.count), false, c->step->up};
    struct comparing counts = *c;
    counts.step = &count;
    leave(&counts, keep_format("sonde_compare_u64_(%s, %s, at)", a, b));
    return a;
}

static void compare_array(const struct comparing *c, const struct type *type, struct two x, bool is_counted)
{
    const struct notes *n = &c->field->notes;
    if (n->text && type->of->is_char)
        leave(c, keep_format("sonde_compare_text_in_(%s, %s, %lld, at)", as_constant_void(type, x.a),
                             as_constant_void(type, x.b), type->n));
    else if (n->count && !is_counted) compare_several(c, type, x, compare_counts(c));
    else compare_several(c, type, x, keep_format("%lld", type->n));
}

static void compare_pointer(const struct comparing *c, const struct type *type, struct two x, bool is_counted)
{
    const struct notes *n = &c->field->notes;
    if (n->text && type->of->is_char) {
        leave(c,
              keep_format("sonde_compare_text_(%s, %s, at)", as_constant_void(type, x.a), as_constant_void(type, x.b)));
        return;
    }
    bool is_list = n->count && !is_counted;
    const char *length = is_list ? compare_counts(c) : NULL;
    if (is_list) open_block(c->e, "if (%s > 0)", length); /* an empty list may be NULL or not */
    leave(c, keep_format("sonde_compare_presence_(%s != SONDE_NOTHING_, %s != SONDE_NOTHING_, at)", x.a, x.b));
    open_block(c->e, "if (%s)", x.a);
    if (is_list) compare_several(c, type, x, length);
    else compare_value(c, type->of, (struct two){keep_format("(*%s)", x.a), keep_format("(*%s)", x.b)}, true);
    close_block(c->e);
    if (is_list) close_block(c->e);
}

static void compare_field(const struct comparing *around, const struct scope *a, const struct scope *b,
                          const struct field *field);

/* Writes the comparison of the tags, then of the member that the tag selects. */
static void compare_union(const struct comparing *c, const struct type *type, struct two x)
{
    const struct notes *n = tag_notes(&c->field->notes, type);
    const char *tag = tag_expression(c->a, n), *tag_b = tag_expression(c->b, n);
    bool has_name = *c->field->name;
    struct scope a = {type->record, has_name ? keep_format("%s.", x.a) : c->a->prefix, c->a};
    struct scope b = {type->record, has_name ? keep_format("%s.", x.b) : c->b->prefix, c->b};
    if (tag) {
        struct step at_tag = {keep_format(".%s", n->tag), false, has_name && c->step ? c->step->up : c->step};
        struct comparing tags = *c;
        tags.step = &at_tag;
        leave(&tags, keep_format("sonde_compare_i64_((int64_t)%s, (int64_t)%s, at)", tag, tag_b));
        open_block(c->e, "switch (%s)", tag);
    }
    for (uint32_t i = 0; i < n->n_choices && (tag || i < 1); i++) {
        const struct field *member = find_field(type->record, n->choices[i].member);
        if (tag) open_block(c->e, "case %s:", n->choices[i].constant);
        if (member) compare_field(c, &a, &b, member);
        if (tag) line(c->e, "break;"), close_block(c->e);
    }
    if (tag) line(c->e, "default: break;"), close_block(c->e);
}

static void compare_record(const struct comparing *c, const struct type *type, struct two x)
{
    const struct record *r = type->record;
    bool has_name = *c->field->name;
    struct scope a = {r, has_name ? keep_format("%s.", x.a) : c->a->prefix, c->a};
    struct scope b = {r, has_name ? keep_format("%s.", x.b) : c->b->prefix, c->b};
    if (r->is_union) compare_union(c, type, x);
    else if (has_function(r))
        leave(c, keep_format("%s(%s, %s, at%s)", helper(c->e, "compare", r->stem), address_of(type, x.a, true),
                             address_of(type, x.b, true), r->recurs ? ", pairs" : ""));
    else compare_fields(c, &a, &b);
}

static void compare_value(const struct comparing *c, const struct type *type, struct two x, bool is_counted)
{
    switch (type->kind) {
    case TYPE_POINTER: compare_pointer(c, type, x, is_counted); break;
    case TYPE_ARRAY: compare_array(c, type, x, is_counted); break;
    case TYPE_RECORD: compare_record(c, type, x); break;
    default: compare_number(c, type, x);
    }
}

static void compare_field(const struct comparing *around, const struct scope *a, const struct scope *b,
                          const struct field *field)
{
    struct step step = {keep_format(".%s", field->name), false, around->step};
    struct comparing c = {around->e, a, b, field, *field->name ? &step : around->step, around->tail};
    struct two x = {keep_format("%s%s", a->prefix, field->name), keep_format("%s%s", b->prefix, field->name)};
    if (is_address(field)) leave(&c, keep_format("sonde_compare_address_((uintptr_t)%s, (uintptr_t)%s, at)", x.a, x.b));
    else compare_value(&c, field->type, x, false);
}

static void compare_fields(const struct comparing *around, const struct scope *a, const struct scope *b)
{
    for (uint32_t i = 0; i < a->record->n; i++)
        if (!is_left_alone(&a->record->fields[i])) compare_field(around, a, b, &a->record->fields[i]);
}

/* Returns the last compared field if it points to a record of the same type, as `next` does in a linked list; else
 * NULL. */
static const struct field *tail_of(const struct record *r)
{
    const struct field *last = NULL;
    for (uint32_t i = 0; !r->is_union && i < r->n; i++)
        if (!is_left_alone(&r->fields[i])) last = &r->fields[i];
    bool is_one = last && *last->name && !is_address(last) && last->type->kind == TYPE_POINTER && !last->notes.count
                  && !last->notes.text && last->type->of->kind == TYPE_RECORD && last->type->of->record == r;
    return is_one && r->recurs ? last : NULL;
}

/* Writes a loop that compares all fields but the last, and advances along the last one. Recursion would overflow the
 * stack on a long list. */
static void compare_along(struct comparing *c, const struct field *tail)
{
    struct step step = {keep_format(".%s", tail->name), false, NULL};
    struct comparing at_tail = *c;
    c->tail = at_tail.tail = step.text;
    at_tail.step = &step;
    line(c->e, "size_t n_steps = 0;");
    open_block(c->e, "for (; sonde_pairs_add_(pairs, a, b, name, n_steps); n_steps++)");
    for (uint32_t i = 0; i < c->a->record->n; i++) {
        const struct field *f = &c->a->record->fields[i];
        if (!is_left_alone(f) && f != tail) compare_field(c, c->a, c->b, f);
    }
    leave(&at_tail, keep_format("sonde_compare_presence_(a->%s != SONDE_NOTHING_, b->%s != SONDE_NOTHING_, at)",
                                tail->name, tail->name));
    line(c->e, "if (!a->%s) break;", tail->name);
    line(c->e, "a = a->%s;", tail->name);
    line(c->e, "b = b->%s;", tail->name);
    close_block(c->e);
}

/* Writes the body for a record that may contain another of its type. sonde_pairs_add_ ends the comparison of a pair
 * that was met before, so that cycles end. */
static void compare_recursing(struct comparing *c, const struct type *type)
{
    const struct record *r = c->a->record;
    const struct field *tail = tail_of(r);
    line(c->e, "static const char name[] = \"%s\";", r->name);
    line(c->e, "pairs->depth++;");
    if (tail) compare_along(c, tail);
    else {
        open_block(c->e, "if (sonde_pairs_add_(pairs, a, b, name, 0))");
        if (r->is_union) compare_union(c, type, (struct two){"(*a)", "(*b)"});
        else compare_fields(c, c->a, c->b);
        close_block(c->e);
    }
    line(c->e, "pairs->depth--;");
}

void emit_compare(struct emit *e, const struct record *record)
{
    struct scope a = {record, "a->", NULL}, b = {record, "b->", NULL};
    struct type type = {.kind = TYPE_RECORD, .record = (struct record *)(uintptr_t)record};
    struct field whole = {.name = "", .type = &type, .width = -1};
    struct comparing c = {e, &a, &b, &whole, NULL, NULL};
    e->n_names = 0;
    open_block(e, "static int %s(const %s *a, const %s *b, sonde_difference_ *at%s)",
               helper(e, "compare", record->stem), record->name, record->name,
               record->recurs ? ", sonde_pairs_ *pairs" : "");
    line(e, "int order = 0;");
    if (record->recurs) compare_recursing(&c, &type);
    else {
        line(e, "(void)a, (void)b, (void)at;");
        if (record->is_union) compare_union(&c, &type, (struct two){"(*a)", "(*b)"});
        else compare_fields(&c, &a, &b);
    }
    line(e, "return order;");
    close_block(e);
    blank(e);
}
