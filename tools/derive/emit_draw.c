/* Writes the functions that draw values. Each record gets two: `fill` draws the fields of an existing object, `make`
 * also allocates it. A span is labelled with its type and a draw with its field. So guides and the shrinker can copy
 * and swap values of the same type anywhere. For `struct point { int x, y; }` the output is, without `make`:
 *
 *     static void point_fill_(sonde *t, struct point *it)
 *     {
 *         sonde_span(t, "point");
 *         it->x = sonde_int(t, "x", INT_MIN, INT_MAX);
 *         it->y = sonde_int(t, "y", INT_MIN, INT_MAX);
 *     } */
#include "emit.h"

#include <string.h>

/* The field for which code is written. */
struct drawing {
    struct emit *e;
    const struct scope *scope;
    const struct field *field;
    const char *label; /* label of the draw, with quotes */
    const char *n;     /* if this is an element of a list: the list's length, as an expression; else NULL */
};

static void draw_value(const struct drawing *d, const struct type *type, const char *expression, bool is_counted);
static void draw_fields(struct emit *e, const struct scope *scope);

/* ---- Recursion. A function for a recursive record has a parameter `left`, its budget. The budget is divided among the
 * parts that may contain the record again; at the end only the smallest values are drawn. */

/* Returns the number of recursive parts in a value of this type: n for an array of n trees. A union counts as 0,
 * since the number depends on the member. */
static unsigned recursing_parts(const struct type *type)
{
    unsigned n = 0;
    if (!type_recurs(type)) return 0;
    if (type->kind == TYPE_ARRAY && type->n > 0) return (unsigned)type->n * recursing_parts(type->of);
    if (type->kind != TYPE_RECORD || has_function(type->record)) return 1;
    for (uint32_t i = 0; !type->record->is_union && i < type->record->n; i++)
        n += recursing_parts(type->record->fields[i].type);
    return n;
}

static unsigned recursing_fields(const struct record *record)
{
    unsigned n = 0;
    for (uint32_t i = 0; !record->is_union && i < record->n; i++) n += recursing_parts(record->fields[i].type);
    return n;
}

static unsigned shares(const struct emit *e)
{
    return e->share > 1 ? e->share : 1;
}

/* Returns the last argument of a call that draws a recursive part: ", (left - 1) / 2". Dividing the budget by the
 * number of parts bounds the size of a whole tree, not only its depth. */
static const char *part(const struct drawing *d)
{
    if (d->n) return keep_format(", (left - 1) / (int)(%u * %s)", shares(d->e), d->n);
    return shares(d->e) > 1 ? keep_format(", (left - 1) / %u", shares(d->e)) : ", left - 1";
}

/* ---- Numbers */

enum { NOT_A_BIT_FIELD = -1 };

/* The function that draws an integer, and its limits. */
struct width {
    const char *draw, *lo, *hi;
};

/* Returns how to draw an integer. The limits of a bit-field follow from its width; it is drawn with 64 bits. */
static struct width width_of(const struct type *type, int bits)
{
    static const struct width widths[] = {{"sonde_i8", "INT8_MIN", "INT8_MAX"},    {"sonde_u8", "0", "UINT8_MAX"},
                                          {"sonde_i16", "INT16_MIN", "INT16_MAX"}, {"sonde_u16", "0", "UINT16_MAX"},
                                          {"sonde_int", "INT_MIN", "INT_MAX"},     {"sonde_u32", "0", "UINT32_MAX"},
                                          {"sonde_i64", "INT64_MIN", "INT64_MAX"}, {"sonde_u64", "0", "UINT64_MAX"}};
    unsigned at = type->bits <= 8 ? 0 : type->bits <= 16 ? 1 : type->bits <= 32 ? 2 : 3;
    struct width w = widths[2 * at + !type->is_signed];
    if (bits < 0) return w;
    w.draw = type->is_signed ? "sonde_i64" : "sonde_u64";
    unsigned long long most = type->is_signed ? (1ull << (bits - 1)) - 1 : bits < 64 ? (1ull << bits) - 1 : ~0ull;
    w.hi = keep_format(type->is_signed ? "%llu" : "%lluu", most);
    w.lo = type->is_signed ? keep_format("-%llu - 1", most) : "0";
    return w;
}

/* Writes an assignment. SONDE_BITS_ silences compilers' warnings about bit-fields; const is cast away. */
static void assign(const struct drawing *d, const struct type *type, const char *expression, const char *value)
{
    const char *to = type->is_qualified && d->field->width < 0 && type->name
                         ? keep_format("*(%s *)(uintptr_t)&%s", type->name, expression)
                         : expression;
    if (d->field->width >= 0) line(d->e, "SONDE_BITS_(%s = %s)", to, value);
    else line(d->e, "%s = %s;", to, value);
}

/* Writes one sonde_bool for each flag of SONDE_FLAGS. */
static void draw_flags(const struct drawing *d, const struct type *type, const char *expression)
{
    const char *flags[64], *bits = variable(d->e, "flags");
    uint32_t n = split_list(d->field->notes.flags, flags, 64);
    line(d->e, "uint64_t %s = 0;", bits);
    for (uint32_t i = 0; i < n; i++)
        line(d->e, "if (sonde_bool(t, \"%s\")) %s |= (uint64_t)(%s);", flags[i], bits, flags[i]);
    assign(d, type, expression, keep_format("%s%s", cast_to(type, expression), bits));
}

/* Reports whether a bit-field of `width` bits can hold a constant. One that does not fit would become another value. */
static bool fits_bits(const struct enumeration *e, long long value, int width)
{
    if (width < 0 || width >= 64) return true;
    if (width == 0) return false;
    if (!e->is_signed) return value >= 0 && value >> width == 0;
    return value >= -(1ll << (width - 1)) && value < 1ll << (width - 1);
}

/* Returns the constants that the field can hold, as a list with commas. */
static const char *constants_of(const struct field *field, const struct enumeration *e)
{
    const char *list = "";
    for (uint32_t i = 0; i < e->n; i++) {
        if (fits_bits(e, e->values[i], field->width))
            list = keep_format("%s%s%s", list, *list ? ", " : "", e->names[i]);
    }
    return list;
}

/* Writes the draw of an element of a table. The record prints constants by name, so this draw need not. */
static void draw_constant(const struct drawing *d, const struct type *type, const char *expression, const char *table)
{
    assign(d, type, expression, keep_format("%ssonde_element(t, %s, %s)", cast_to(type, expression), d->label, table));
}

static void draw_enum(const struct drawing *d, const struct type *type, const char *expression, const char *constants)
{
    const char *table = variable(d->e, "constants");
    const char *of = type->enumeration->is_wide ? "long long" : type->name ? type->name : "int";
    line(d->e, "static const %s %s[] = {%s};", of, table, constants);
    draw_constant(d, type, expression, table);
}

/* Writes the draw of one of the user's constants. `storage` is "static const" if they are constant expressions in C. */
static void draw_one_of(const struct drawing *d, const struct type *type, const char *expression, const char *storage,
                        const char *constants)
{
    uint32_t most = (uint32_t)strlen(constants) / 2 + 1;
    const char **all = keep(most * sizeof *all), *list = "", *table = variable(d->e, "constants");
    uint32_t n = split_list(constants, all, most);
    for (uint32_t i = 0; i < n; i++)
        list = keep_format(is_identifier(all[i]) ? "%s%s(int)%s" : "%s%s(int)(%s)", list, i ? ", " : "", all[i]);
    line(d->e, "%s int %s[] = {%s};", storage, table, list);
    draw_constant(d, type, expression, table);
}

/* Writes the draw of an integer, within SONDE_RANGE if the field has one. */
static void draw_integer(const struct drawing *d, const struct type *type, const char *expression)
{
    const struct notes *n = &d->field->notes;
    struct width w = width_of(type, d->field->width);
    bool is_int = !strcmp(w.draw, "sonde_int") && type->name && !strcmp(type->name, "int");
    if (n->lo && type->kind == TYPE_ENUM) w.draw = "sonde_i64";
    const char *value = keep_format("%s%s(t, %s, %s, %s)", is_int ? "" : cast_to(type, expression), w.draw, d->label,
                                    n->lo ? n->lo : w.lo, n->lo ? n->hi : w.hi);
    assign(d, type, expression, value);
}

static void draw_float(const struct drawing *d, const struct type *type, const char *expression)
{
    const struct notes *n = &d->field->notes;
    const char *draw = type->bits == 32 ? "float" : "double";
    if (type->bits > 64) {
        assign(d, type, expression,
               n->lo ? keep_format("sonde_long_double_(t, %s, (double)(%s), (double)(%s))", d->label, n->lo, n->hi)
                     : keep_format("sonde_any_long_double_(t, %s)", d->label));
        return;
    }
    if (n->lo) assign(d, type, expression, keep_format("sonde_%s(t, %s, %s, %s)", draw, d->label, n->lo, n->hi));
    else assign(d, type, expression, keep_format("sonde_any_%s(t, %s)", draw, d->label));
}

/* Writes the draw of a number; annotations decide before the type. */
static void draw_number(const struct drawing *d, const struct type *type, const char *expression)
{
    const struct notes *n = &d->field->notes;
    if (n->flags) draw_flags(d, type, expression);
    else if (n->one_of && type->kind != TYPE_FLOAT) draw_one_of(d, type, expression, "const", n->one_of);
    else if (type->kind == TYPE_BOOL) assign(d, type, expression, keep_format("sonde_bool(t, %s)", d->label));
    else if (type->kind == TYPE_FLOAT) draw_float(d, type, expression);
    else if (type->kind == TYPE_ENUM && !n->lo && type->enumeration->n)
        draw_enum(d, type, expression, constants_of(d->field, type->enumeration));
    else draw_integer(d, type, expression);
}

const char *draw_expression(const struct type *type, const char *label)
{
    struct width w = width_of(type, NOT_A_BIT_FIELD);
    bool is_int = type->name && !strcmp(type->name, "int");
    struct field none = {.width = NOT_A_BIT_FIELD};
    if (type->kind == TYPE_BOOL) return keep_format("sonde_bool(t, \"%s\")", label);
    if (type->kind == TYPE_FLOAT)
        return keep_format("sonde_any_%s(t, \"%s\")", type->bits == 32 ? "float" : "double", label);
    const char *cast = is_int || !type->name ? "" : keep_format("(%s)", type->name);
    if (type->kind == TYPE_ENUM && !type->enumeration->is_wide)
        return keep_format("%ssonde_enum(t, \"%s\", %s)", cast, label, constants_of(&none, type->enumeration));
    return keep_format("%s%s(t, \"%s\", %s, %s)", cast, w.draw, label, w.lo, w.hi);
}

/* ---- Strings */

/* Returns the expression that draws a string. */
static const char *text_draw(const struct drawing *d)
{
    const struct notes *n = &d->field->notes;
    if (n->text == TEXT_REGEX) return keep_format("sonde_regex(t, %s, %s)", d->label, n->regex);
    return keep_format("sonde_%s(t, %s, %s, %s)", n->text == TEXT_UTF8 ? "utf8" : "string", d->label, n->text_min,
                       n->text_max);
}

/* Writes the assignment of the counter of a list or string. Does so once: two arrays may share a counter, and the first
 * sets it. For a narrow counter also writes a check that it can hold the number. */
static void set_count(const struct drawing *d, const char *count)
{
    const struct notes *n = &d->field->notes;
    const char *prefix;
    const struct field *counter = scope_find(d->scope, n->count, &prefix);
    const char *expression = counter ? keep_format("%s%s", prefix, counter->name) : NULL;
    if (!counter || is_done(d->e, expression)) return;
    set_done(d->e, expression);
    struct drawing as_counter = {d->e, d->scope, counter, d->label, NULL};
    assign(&as_counter, counter->type, expression, keep_format("%s%s", cast_to(counter->type, expression), count));
    if (counter->width >= 0 || counter->type->bits < 32)
        line(d->e, "sonde_counted_(t, \"%s\", (size_t)%s, (size_t)%s);", counter->name, expression, count);
}

static void draw_text(const struct drawing *d, const struct type *type, const char *expression)
{
    const struct notes *n = &d->field->notes;
    if (type->kind == TYPE_ARRAY) line(d->e, "sonde_fill_text_(%s, %s);", as_void(type, expression), text_draw(d));
    else assign(d, type, expression, keep_format("%s%s", cast_to(type, expression), text_draw(d)));
    if (n->count) set_count(d, keep_format("strlen((const char *)%s)", expression));
}

/* ---- Several values */

/* Sets the least and most number of elements, as expressions. They are equal if the counter is set already or is a
 * constant. Without a limit the maximum is 20. */
static void limits(const struct drawing *d, const struct type *type, const char **min, const char **max)
{
    const struct notes *n = &d->field->notes;
    const char *prefix;
    const struct field *counter = is_identifier(n->count) ? scope_find(d->scope, n->count, &prefix) : NULL;
    *min = n->count_min ? n->count_min : "0";
    *max = n->count_max ? n->count_max : type->kind == TYPE_ARRAY && type->n > 0 ? keep_format("%lld", type->n) : "20";
    if (!counter) {
        *min = *max = n->count;
        return;
    }
    if (is_done(d->e, keep_format("%s%s", prefix, counter->name))) *min = *max = count_expression(d->scope, n);
}

/* Writes one draw for all bytes: a thousand single ones would be a thousand choices. */
static void draw_bytes(const struct drawing *d, const struct type *type, const char *expression)
{
    const char *min, *max, *n = variable(d->e, "n"), *bytes = variable(d->e, "bytes");
    limits(d, type, &min, &max);
    line(d->e, "size_t %s;", n);
    if (type->kind == TYPE_POINTER)
        assign(d, type, expression,
               keep_format("%ssonde_bytes(t, %s, %s, %s, &%s)", cast_to(type, expression), d->label, min, max, n));
    else {
        line(d->e, "const uint8_t *%s = sonde_bytes(t, %s, %s, %s, &%s);", bytes, d->label, min, max, n);
        line(d->e, "memcpy(%s, %s, %s);", as_void(type, expression), bytes, n);
    }
    set_count(d, n);
}

/* Writes the loop that draws the elements. `list` is a sonde_list; or, if `n` is not NULL, an index that runs to n. */
static void draw_elements(const struct drawing *d, const struct type *type, const char *expression, const char *list,
                          const char *n)
{
    struct drawing element = *d;
    element.n = n ? n : keep_format("%s.n", list);
    if (n) open_block(d->e, "for (size_t %s = 0; %s < %s; %s++)", list, list, n, list);
    else open_block(d->e, "while (sonde_more(&%s))", list);
    draw_value(&element, type->of, keep_format(n ? "%s[%s]" : "%s[%s.i]", expression, list), true);
    close_block(d->e);
}

/* Writes the draw of a list, its counter and its elements. If the length is fixed, a plain loop replaces the list. */
static void draw_list(const struct drawing *d, const struct type *type, const char *expression)
{
    const char *min, *max, *n = NULL;
    if (is_bytes(&d->field->notes, type->of)) {
        draw_bytes(d, type, expression);
        return;
    }
    limits(d, type, &min, &max);
    bool is_fixed = !strcmp(min, max);
    const char *list = variable(d->e, is_fixed ? "i" : "list");
    if (type_recurs(type->of)) max = keep_format("left > %u ? %s : %s", shares(d->e), max, min);
    if (is_fixed) line(d->e, "size_t %s = (size_t)(%s);", n = variable(d->e, "n"), min);
    else line(d->e, "sonde_list %s = sonde_list_of(t, %s, %s, %s);", list, d->label, min, max);
    const char *count = is_fixed ? n : keep_format("%s.n", list);
    if (type->kind == TYPE_POINTER)
        assign(d, type, expression,
               keep_format("%ssonde_array_(t, %s, sizeof *%s)", cast_to(type, expression), count, expression));
    set_count(d, count);
    draw_elements(d, type, expression, list, n);
}

static void draw_array(const struct drawing *d, const struct type *type, const char *expression, bool is_counted)
{
    const struct notes *n = &d->field->notes;
    const char *i = variable(d->e, "i");
    if (n->text && type->of->is_char) draw_text(d, type, expression);
    else if (n->count && !is_counted) draw_list(d, type, expression);
    else if (is_bytes(n, type->of))
        line(d->e, "sonde_fill_bytes_(t, %s, %s, %lld);", d->label, as_void(type, expression), type->n);
    else {
        open_block(d->e, "for (size_t %s = 0; %s < %lld; %s++)", i, i, type->n, i);
        draw_value(d, type->of, keep_format("%s[%s]", expression, i), true);
        close_block(d->e);
    }
}

/* ---- Pointers and records */

/* Writes the allocation and draw of one value that a pointer points to. */
static void draw_one(const struct drawing *d, const struct type *type, const char *expression)
{
    const struct type *of = type->of;
    if (of->kind == TYPE_RECORD && has_function(of->record)) {
        assign(d, type, expression,
               keep_format("%s(t%s)", helper(d->e, "make", of->record->stem), of->record->recurs ? part(d) : ""));
        return;
    }
    assign(d, type, expression, keep_format("%ssonde_array_(t, 1, sizeof *%s)", cast_to(type, expression), expression));
    draw_value(d, of, keep_format("(*%s)", expression), true);
}

/* Writes the draw of a pointer. One that may be NULL first draws a sonde_bool, which is skipped when the budget is used
 * up. */
static void draw_pointer(const struct drawing *d, const struct type *type, const char *expression, bool is_counted)
{
    const struct notes *n = &d->field->notes;
    bool is_text = n->text && type->of->is_char, is_record = type->of->kind == TYPE_RECORD;
    bool asks = n->nullable && !(n->count && !is_counted && !is_text);
    if (asks) {
        const char *label = is_record ? d->label : keep_format("\"has_%.*s", (int)strlen(d->label) - 1, d->label + 1);
        const char *gate = type_recurs(type->of) ? keep_format("left > %u && ", shares(d->e)) : "";
        open_block(d->e, "if (%ssonde_bool(t, %s))", gate, label);
    }
    if (is_text) draw_text(d, type, expression);
    else if (n->count && !is_counted) draw_list(d, type, expression);
    else draw_one(d, type, expression);
    if (asks) close_block(d->e);
}

/* Returns the constants of a union's choices, as a list with commas. With `shortest`, only those whose member ends
 * soonest: the ones that remain when the budget is used up. Sets *differ if not all end equally soon. */
static const char *choice_list(const struct notes *n, const struct record *members, bool shortest, bool *differ)
{
    const char *list = "";
    unsigned least = NO_END, *heights = keep(n->n_choices * sizeof *heights);
    for (uint32_t i = 0; i < n->n_choices; i++) {
        const struct field *member = find_field(members, n->choices[i].member);
        heights[i] = member && type_recurs(member->type) ? member_height(member) : 0;
        if (heights[i] < least) least = heights[i];
    }
    for (uint32_t i = 0; i < n->n_choices; i++) {
        *differ |= heights[i] > least;
        if (!shortest || heights[i] == least)
            list = keep_format("%s%s%s", list, *list ? ", " : "", n->choices[i].constant);
    }
    return list;
}

/* Writes the draw of a union's tag, unless it is drawn already. */
static void draw_tag(const struct drawing *d, const struct notes *n, const struct record *members)
{
    const char *prefix;
    const struct field *tag = scope_find(d->scope, n->tag, &prefix);
    bool differ = false;
    const char *expression = tag ? keep_format("%s%s", prefix, tag->name) : NULL;
    if (!tag || is_done(d->e, expression)) return;
    set_done(d->e, expression);
    const char *all = choice_list(n, members, false, &differ), *few = choice_list(n, members, true, &differ);
    const char *label = tag->notes.was ? tag->notes.was : keep_format("\"%s\"", tag->name);
    struct drawing as_tag = {d->e, d->scope, tag, label, NULL};
    if (differ) open_block(d->e, "if (left > 1)");
    draw_one_of(&as_tag, tag->type, expression, "static const", all);
    if (!differ) return;
    else_block(d->e);
    if (strchr(few, ',')) draw_one_of(&as_tag, tag->type, expression, "static const", few);
    else assign(&as_tag, tag->type, expression, keep_format("%s%s", cast_to(tag->type, expression), few));
    close_block(d->e);
}

static void draw_field(struct emit *e, const struct scope *scope, const struct field *field);

/* Writes the draw of the tag, and a switch that draws the member. */
static void draw_union(const struct drawing *d, const struct type *type, const char *expression)
{
    const struct notes *n = tag_notes(&d->field->notes, type);
    const char *tag = tag_expression(d->scope, n);
    struct scope inner = {type->record, keep_format("%s.", expression), d->scope};
    if (!*d->field->name) inner.prefix = d->scope->prefix;
    draw_tag(d, n, type->record);
    if (tag) open_block(d->e, "switch (%s)", tag);
    uint32_t n_done = d->e->n_done;
    unsigned share = d->e->share;
    for (uint32_t i = 0; i < n->n_choices && (tag || i < 1); i++) {
        d->e->n_done = n_done; /* counters set in one `case` of the switch are not set in the next */
        const struct field *member = find_field(type->record, n->choices[i].member);
        d->e->share = share + (member ? recursing_parts(member->type) : 0);
        if (tag) open_block(d->e, "case %s:", n->choices[i].constant);
        if (member) draw_field(d->e, &inner, member);
        if (tag) line(d->e, "break;"), close_block(d->e);
    }
    d->e->share = share;
    if (tag) line(d->e, "default: break;"), close_block(d->e);
}

static void draw_record(const struct drawing *d, const struct type *type, const char *expression)
{
    const struct record *r = type->record;
    struct scope inner = {r, *d->field->name ? keep_format("%s.", expression) : d->scope->prefix, d->scope};
    if (r->is_union) draw_union(d, type, expression);
    else if (has_function(r))
        line(d->e, "%s(t, %s%s);", helper(d->e, "fill", r->stem), address_of(type, expression, false),
             r->recurs ? part(d) : "");
    else draw_fields(d->e, &inner);
}

static void draw_value(const struct drawing *d, const struct type *type, const char *expression, bool is_counted)
{
    switch (type->kind) {
    case TYPE_POINTER: draw_pointer(d, type, expression, is_counted); break;
    case TYPE_ARRAY: draw_array(d, type, expression, is_counted); break;
    case TYPE_RECORD: draw_record(d, type, expression); break;
    default: draw_number(d, type, expression);
    }
}

/* ---- Fields */

/* Writes a sonde_assume for each SONDE_SUCH_THAT. */
static void draw_conditions(struct emit *e, const struct notes *n)
{
    for (uint32_t i = 0; i < n->n_such_that; i++) line(e, "sonde_assume(t, %s);", n->such_that[i]);
}

/* Writes the draw of one field, by the user's function (SONDE_BY) if it has one. */
static void draw_field(struct emit *e, const struct scope *scope, const struct field *field)
{
    const char *expression = keep_format("%s%s", scope->prefix, field->name);
    struct drawing d = {e, scope, field, field->notes.was ? field->notes.was : keep_format("\"%s\"", field->name),
                        NULL};
    const char *cast = field->type->kind == TYPE_RECORD ? "" : cast_to(field->type, expression);
    if (field->notes.by && field->type->kind == TYPE_ARRAY)
        line(e, "%s(t, %s, %s);", field->notes.by, d.label, expression);
    else if (field->notes.by)
        assign(&d, field->type, expression, keep_format("%s%s(t, %s)", cast, field->notes.by, d.label));
    else draw_value(&d, field->type, expression, false);
    draw_conditions(e, &field->notes);
}

/* Writes the draws of all fields. Fields with SONDE_IS come last: their expressions may use the other fields. */
static void draw_fields(struct emit *e, const struct scope *scope)
{
    for (uint32_t i = 0; i < scope->record->n; i++) {
        const struct field *f = &scope->record->fields[i];
        if (!f->is_counter && !f->is_tag && !f->notes.is && f != flexible_field(scope->record)) draw_field(e, scope, f);
    }
    for (uint32_t i = 0; i < scope->record->n; i++) {
        const struct field *f = &scope->record->fields[i];
        struct drawing d = {e, scope, f, "", NULL};
        if (f->notes.is && !is_left_alone(f))
            assign(&d, f->type, keep_format("%s%s", scope->prefix, f->name), f->notes.is);
        if (f->notes.is) draw_conditions(e, &f->notes);
    }
}

/* ---- Functions */

static const char *label_of(const struct record *record)
{
    return record->notes.was ? record->notes.was : keep_format("\"%s\"", record->stem);
}

/* Writes the body of a record: its fields or, for a union, its member; then its conditions. */
static void draw_whole(struct emit *e, const struct record *record)
{
    struct scope scope = {record, "it->", NULL};
    struct type type = {.kind = TYPE_RECORD, .record = (struct record *)(uintptr_t)record};
    struct field whole = {.name = "", .type = &type, .width = -1};
    struct drawing d = {e, &scope, &whole, "", NULL};
    if (record->is_union) draw_union(&d, &type, "(*it)");
    else draw_fields(e, &scope);
    draw_conditions(e, &record->notes);
}

/* Writes the allocation of a struct that ends with a flexible array. The number of elements is drawn first, since the
 * size of the struct depends on it. */
static void emit_make_flexible(struct emit *e, const struct record *record, const struct field *last)
{
    struct scope scope = {record, "it->", NULL};
    struct drawing d = {e, &scope, last, last->notes.was ? last->notes.was : keep_format("\"%s\"", last->name), NULL};
    const char *min, *max, *list = variable(e, "list"), *n = keep_format("%s.n", list),
                           *element = keep_format("sizeof((%s *)0)->%s[0]", record->name, last->name);
    bool bytes = is_bytes(&last->notes, last->type->of);
    limits(&d, last->type, &min, &max);
    if (type_recurs(last->type->of)) max = keep_format("left > %u ? %s : %s", shares(e), max, min);
    if (bytes) {
        n = "n_last";
        line(e, "size_t n_last;");
        line(e, "const uint8_t *last = sonde_bytes(t, %s, %s, %s, &n_last);", d.label, min, max);
    } else line(e, "sonde_list %s = sonde_list_of(t, %s, %s, %s);", list, d.label, min, max);
    line(e, "%s *it = (%s *)sonde_alloc(t, sizeof *it + %s * %s);", record->name, record->name, n, element);
    set_count(&d, n);
    if (bytes) line(e, "memcpy(it->%s, last, n_last);", last->name);
    else draw_elements(&d, last->type, keep_format("it->%s", last->name), list, NULL);
}

void emit_fill(struct emit *e, const struct record *record)
{
    const struct field *last = flexible_field(record);
    const char *left = record->recurs ? ", int left" : "";
    e->n_names = e->n_done = 0;
    e->share = recursing_fields(record);
    if (last) open_block(e, "static %s *%s(sonde *t%s)", record->name, helper(e, "make", record->stem), left);
    else open_block(e, "static void %s(sonde *t, %s *it%s)", helper(e, "fill", record->stem), record->name, left);
    line(e, "sonde_span(t, %s);", label_of(record));
    if (last) emit_make_flexible(e, record, last);
    else if (!record->n) line(e, "(void)it;");
    draw_whole(e, record);
    if (last) line(e, "return it;");
    close_block(e);
    blank(e);
    if (last) return;
    open_block(e, "__attribute__((unused)) static %s *%s(sonde *t%s)", record->name, helper(e, "make", record->stem),
               left);
    line(e, "%s *it = sonde_new(t, %s);", record->name, record->name);
    line(e, "%s(t, it%s);", helper(e, "fill", record->stem), record->recurs ? ", left" : "");
    line(e, "return it;");
    close_block(e);
    blank(e);
}
