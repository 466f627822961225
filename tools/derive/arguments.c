/* See arguments.h. The rules are conventions that most C code follows: a const pointer is input, any other is output.
 * An integer after a pointer to bytes is their length. An object that one function of the header returns is what
 * another takes. A wrong guess makes a test that a person corrects. */
#include "arguments.h"

#include <ctype.h>
#include <string.h>

/* ---- Kinds of values */

bool is_text_pointer(const struct type *type)
{
    return type->kind == TYPE_POINTER && type->of->kind == TYPE_INT && type->of->is_char && type->of->name
           && !strcmp(type->of->name, "char");
}

static bool is_byte_pointer(const struct type *type)
{
    return type->kind == TYPE_POINTER
           && (type->of->kind == TYPE_VOID || (type->of->kind == TYPE_INT && type->of->bits == 8));
}

enum carrier carrier_of(const struct type *type)
{
    if (type->kind <= TYPE_ENUM) return CARRIES_NUMBER;
    if (type->kind == TYPE_RECORD) return CARRIES_RECORD;
    if (is_text_pointer(type)) return CARRIES_TEXT;
    if (is_byte_pointer(type)) return CARRIES_BYTES;
    if (type->kind == TYPE_POINTER && type->of->kind == TYPE_RECORD) return CARRIES_RECORD;
    return CARRIES_NOTHING;
}

const char *parameter(const struct prototype *p, uint32_t i)
{
    return *p->names[i] ? p->names[i] : keep_format("argument%u", i + 1);
}

/* Reports whether a type is an integer that can be a length. */
static bool is_whole(const struct type *type)
{
    return type->kind == TYPE_INT && !type->is_char && type->bits >= 16;
}

/* Reports whether a name means a length in most libraries: "len", "buf_size", "n". */
static bool is_called_size(const char *name)
{
    static const char *const words[] = {"len", "Len", "size", "Size", "count", "max", "cap", "bytes"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i])) return true;
    return name[0] == 'n' && (!name[1] || name[1] == '_');
}

/* A pointer to an integer counts too: it passes the size of the buffer, and on return the number of bytes used. */
bool is_size_of_last(const struct prototype *p, uint32_t i)
{
    const struct type *type = i ? p->types[i] : NULL, *number = type && type->kind == TYPE_POINTER ? type->of : type;
    if (!type || !is_byte_pointer(p->types[i - 1]) || !is_whole(number) || (number != type && number->is_qualified))
        return false;
    bool is_size_t = number->name && !strcmp(number->name, "size_t"), has_name = *p->names[i];
    return is_called_size(p->names[i]) || is_size_t || (!has_name && !is_text_pointer(p->types[i - 1]));
}

/* Takes the first input and the first output; further ones are drawn as plain arguments. A pointer to a record that is
 * not const is output. It is input, though, if the function returns a pointer and has no input before. */
struct conversion conversion_of(const struct prototype *p)
{
    struct conversion w = {
        .p = p, .in_at = NOT_THERE, .in_size = NOT_THERE, .out_at = NOT_THERE, .out_size = NOT_THERE};
    for (uint32_t i = 0; i < p->n; i++) {
        const struct type *type = p->types[i];
        bool has_size = i + 1 < p->n && is_size_of_last(p, i + 1);
        enum carrier carries = carrier_of(type);
        bool is_output = type->kind == TYPE_POINTER && !type->of->is_qualified
                         && !(carries == CARRIES_RECORD && w.in_at == NOT_THERE && p->result->kind == TYPE_POINTER);
        if (carries == CARRIES_TEXT && (has_size || is_output)) carries = CARRIES_BYTES;
        if (carries == CARRIES_NOTHING || (i && is_size_of_last(p, i))) continue;
        if (is_output && w.out_at == NOT_THERE) {
            w.out = carries, w.out_at = (int)i, w.out_size = has_size ? (int)i + 1 : NOT_THERE;
            w.size_is_pointer = has_size && p->types[i + 1]->kind == TYPE_POINTER;
        } else if (!is_output && w.in_at == NOT_THERE) {
            w.in = carries, w.in_at = (int)i, w.in_size = has_size ? (int)i + 1 : NOT_THERE;
        }
    }
    if (w.out_at == NOT_THERE) w.out = carrier_of(p->result), w.out_at = RESULT;
    return w;
}

/* ---- Functions of the header */

const struct prototype *find_prototype(const char *name, const char *header)
{
    struct prototype *all;
    uint32_t n = read_prototypes(&all);
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(all[i].name, name)) return &all[i];
    complain((struct place){header, 1}, "there is no function '%s' here", name);
    return NULL;
}

static bool is_same_pointer(const struct type *a, const struct type *b)
{
    return a->kind == TYPE_POINTER && b->kind == TYPE_POINTER && a->of->name && b->of->name
           && !strcmp(a->of->name, b->of->name);
}

static bool is_plain(const struct type *type)
{
    return type->kind <= TYPE_ENUM || is_text_pointer(type);
}

/* Considers only functions of numbers and strings: any other would need another object first. */
const struct prototype *maker_of(const struct type *pointer)
{
    struct prototype *all;
    uint32_t n = read_prototypes(&all);
    for (uint32_t i = 0; i < n; i++) {
        bool fits = is_same_pointer(all[i].result, pointer) && !all[i].result->of->is_qualified;
        for (uint32_t k = 0; k < all[i].n; k++) fits = fits && is_plain(all[i].types[k]);
        if (fits) return &all[i];
    }
    return NULL;
}

/* Decides by the function's name, because nothing else in C marks a function that frees. */
const struct prototype *closer_of(const struct type *pointer)
{
    static const char *const words[] = {"free", "destroy", "close", "delete", "release", "unref", "decref"};
    struct prototype *all;
    uint32_t n = read_prototypes(&all);
    for (uint32_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (all[i].n == 1 && is_same_pointer(all[i].types[0], pointer) && strstr(all[i].name, words[k]))
                return &all[i];
    return NULL;
}

const char *call_of(const struct prototype *p, const char *const *arguments)
{
    const char *text = keep_format("%s(", p->name);
    for (uint32_t i = 0; i < p->n; i++) text = keep_format("%s%s%s", text, i ? ", " : "", arguments[i]);
    return keep_format("%s)", text);
}

/* ---- Drawing */

const char *declared(const struct type *type, const char *name)
{
    bool is_starred = type->name[strlen(type->name) - 1] == '*';
    return keep_format("%s%s%s", type->name, is_starred ? "" : " ", name);
}

const char *use_record(struct test *test, struct record *record)
{
    bool is_known = false;
    for (uint32_t i = 0; i < test->n_derived; i++) is_known |= test->derived[i] == record;
    if (!is_known) *PUSH(test->derived, test->n_derived, test->cap_derived) = record;
    return record->stem;
}

/* Writes the creation of an object whose type only the header's functions know, and schedules the call that frees it.
 * Returns its name; NULL after a message. */
static const char *make_object(struct test *test, const struct prototype *p, uint32_t i)
{
    const struct type *type = p->types[i];
    const struct prototype *maker = maker_of(type), *closer = closer_of(type);
    const char *name = parameter(p, i), *arguments[16];
    if (!maker || maker->n > 16) {
        complain(p->place,
                 "%s: parameter %u is %s, which is not defined here, and no function creates one from numbers and "
                 "strings; write the draw yourself, or choose another function",
                 p->name, i + 1, type->name ? type->name : "a pointer");
        return NULL;
    }
    for (uint32_t k = 0; k < maker->n; k++)
        if (!(arguments[k] = draw_argument(test, maker, k))) return NULL;
    line(&test->e, "%s = %s;", declared(type, name), call_of(maker, arguments));
    /* A function that creates may return NULL; then there is nothing to test. */
    line(&test->e, "sonde_assume(t, %s);", name);
    if (closer) *PUSH(test->closes, test->n_closes, test->cap_closes) = keep_format("%s(%s)", closer->name, name);
    return name;
}

/* Writes the draw of a buffer and of its length, n_NAME. A buffer for output has 4096 bytes if no parameter says
 * more. */
static const char *draw_bytes_argument(struct test *test, const struct prototype *p, uint32_t i)
{
    const struct type *type = p->types[i];
    const char *name = parameter(p, i);
    bool has_size = i + 1 < p->n && is_size_of_last(p, i + 1);
    if (!type->of->is_qualified) { /* an output buffer */
        line(&test->e, "size_t n_%s = %s;", name,
             has_size ? keep_format("sonde_size_t(t, \"n_%s\", 0, 1000)", name) : "4096");
        line(&test->e, "%s = (%s)sonde_buffer(t, n_%s);", declared(type, name), type->name, name);
    } else {
        line(&test->e, "size_t n_%s;", name);
        line(&test->e, "%s = (%s)sonde_bytes(t, \"%s\", 0, 1000, &n_%s);", declared(type, name), type->name, name,
             name);
    }
    return name;
}

/* Writes the draw of a pointer. Pointers to functions and to void become NULL: the user has to complete these. */
static const char *draw_pointer_argument(struct test *test, const struct prototype *p, uint32_t i)
{
    const struct type *type = p->types[i], *of = type->of;
    const char *name = parameter(p, i);
    bool has_size = i + 1 < p->n && is_size_of_last(p, i + 1);
    if (of->kind == TYPE_FUNCTION || (of->kind == TYPE_VOID && !has_size)) return "NULL";
    if (is_text_pointer(type) && !has_size) {
        line(&test->e, "%s = sonde_string(t, \"%s\", 0, 100);", declared(type, name), name);
        return name;
    }
    if (is_byte_pointer(type)) return draw_bytes_argument(test, p, i);
    if (of->kind == TYPE_RECORD && !of->record->is_union && of->record->name && !maker_of(type)) {
        line(&test->e, "%s *%s = draw_%s(t, \"%s\");", of->record->name, name, use_record(test, of->record), name);
        return name;
    }
    if (of->kind == TYPE_OPAQUE || of->kind == TYPE_RECORD) return make_object(test, p, i);
    if (!of->name) return "NULL";
    line(&test->e, "%s *%s = sonde_new(t, %s);", of->name, name, of->name);
    if (of->kind <= TYPE_ENUM) line(&test->e, "*%s = %s;", name, draw_expression(of, name));
    return name;
}

const char *draw_argument(struct test *test, const struct prototype *p, uint32_t i)
{
    const struct type *type = p->types[i];
    const char *name = parameter(p, i);
    if (i && is_size_of_last(p, i)) {
        const char *size = keep_format("n_%s", parameter(p, i - 1));
        if (type->kind != TYPE_POINTER) return keep_format("(%s)%s", type->name, size);
        line(&test->e, "%s = sonde_new(t, %s);", declared(type, name), type->of->name);
        line(&test->e, "*%s = (%s)%s;", name, type->of->name, size);
        return name;
    }
    if (type->kind == TYPE_POINTER) return draw_pointer_argument(test, p, i);
    if (type->kind <= TYPE_ENUM) {
        line(&test->e, "%s = %s;", declared(type, name), draw_expression(type, name));
        return name;
    }
    if (type->kind == TYPE_RECORD && has_function(type->record)) {
        line(&test->e, "%s %s = *draw_%s(t, \"%s\");", type->record->name, name, use_record(test, type->record), name);
        return name;
    }
    complain(p->place, "%s: parameter %u cannot be drawn; choose another function", p->name, i + 1);
    return NULL;
}

/* Frees objects in the reverse order of their creation. */
void emit_closes(struct test *test)
{
    for (uint32_t i = test->n_closes; i-- > 0;) line(&test->e, "%s;", test->closes[i]);
    test->n_closes = 0;
}
