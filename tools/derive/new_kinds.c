/* Writes the kinds of tests of `sonde new`, except model. Each test is short, and its comments say what it assumes,
 * since users are to read and correct it. From `int parse(const char *s)`, crash makes:
 *
 *     SONDE_PROPERTY(parse_does_not_crash, .crash_only = true)
 *     {
 *         const char *s = sonde_string(t, "s", 0, 100);
 *         (void)parse(s);
 *     } */
#include "new.h"

#include <string.h>

/* Maximum number of parameters of a function that can be called. */
enum { MOST_ARGUMENTS = 32 };

/* Writes the draws of all parameters. Returns false after a message. */
static bool draw_all(struct test *test, const struct prototype *p, const char **arguments)
{
    if (p->n > MOST_ARGUMENTS) return false;
    for (uint32_t i = 0; i < p->n; i++)
        if (!(arguments[i] = draw_argument(test, p, i))) return false;
    return true;
}

/* Reports whether the caller frees a returned string: by convention, if it is not const. */
static bool is_to_be_freed(const struct type *type)
{
    return is_text_pointer(type) && !type->of->is_qualified;
}

/* Begins a property. `settings` are its settings, each after a comma, or "". */
static void begin_with(struct test *test, const char *name, const char *settings)
{
    test->e.indent = 0;
    test->e.n_names = 0;
    open_block(&test->e, "SONDE_PROPERTY(%s%s)", name, settings);
}

static void begin(struct test *test, const char *name)
{
    begin_with(test, name, "");
}

/* Ends a property, after the calls that free its objects. Returns whether there was no error. */
static bool end(struct test *test)
{
    emit_closes(test);
    close_block(&test->e);
    return complaints() == 0;
}

/* ---- crash, oom */

/* Writes a property that calls a function with any arguments, for crash and oom. */
static bool write_call(struct test *test, const char *name, const char *property, bool fails_to_allocate)
{
    const char *arguments[MOST_ARGUMENTS];
    const struct prototype *p = find_prototype(name, test->header);
    if (!p) return false;
    begin_with(test, keep_format("%s_%s", name, property), ", .crash_only = true");
    if (!draw_all(test, p, arguments)) return false;
    if (fails_to_allocate) line(&test->e, "sonde_oom(t, \"fails\", 50); /* the n-th allocation from here on */");
    if (is_to_be_freed(p->result)) {
        line(&test->e, "%s = %s;", declared(p->result, "result"), call_of(p, arguments));
        line(&test->e, "free(result); /* if the caller owns it */");
    } else line(&test->e, "%s%s;", p->result->kind == TYPE_VOID ? "" : "(void)", call_of(p, arguments));
    return end(test);
}

bool new_crash(struct test *test, const char *const *names, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i) blank(&test->e);
        if (!write_call(test, names[i], "does_not_crash", false)) return false;
    }
    return true;
}

bool new_oom(struct test *test, const char *const *names, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i) blank(&test->e);
        if (!write_call(test, names[i], "survives_without_memory", true)) return false;
    }
    return true;
}

/* ---- differential */

/* Reports whether two functions have the same parameters and result. */
static bool have_one_type(const struct prototype *a, const struct prototype *b)
{
    bool same = a->n == b->n && a->result->kind == b->result->kind;
    for (uint32_t i = 0; same && i < a->n; i++) {
        const struct type *x = a->types[i], *y = b->types[i];
        same = x->kind == y->kind && (!x->name || !y->name || !strcmp(x->name, y->name));
    }
    return same;
}

/* Writes the check that two results are equal. */
static void emit_agreement(struct test *test, const struct type *type, const char *a, const char *b)
{
    if (type->kind == TYPE_VOID) return;
    if (type->kind == TYPE_RECORD && has_function(type->record))
        line(&test->e, "sonde_check_same(t, %s, &%s, &%s);", use_record(test, type->record), a, b);
    else if (type->kind == TYPE_POINTER && type->of->kind == TYPE_RECORD && has_function(type->of->record))
        line(&test->e, "sonde_check_same(t, %s, %s, %s);", use_record(test, type->of->record), a, b);
    else line(&test->e, "sonde_check_eq(t, %s, %s);", a, b);
}

/* Writes a second output buffer, for the second function, with the same content. Returns its name. */
static const char *second_output(struct test *test, const struct prototype *p, const char **arguments, uint32_t i)
{
    const char *name = keep_format("%s2", arguments[i]);
    line(&test->e, "%s = (%s)sonde_buffer(t, n_%s);", declared(p->types[i], name), p->types[i]->name, arguments[i]);
    line(&test->e, "memcpy(%s, %s, n_%s); /* bytes that neither writes are equal */", name, arguments[i], arguments[i]);
    return name;
}

bool new_differential(struct test *test, const char *const *names, uint32_t n)
{
    const char *first[MOST_ARGUMENTS], *second[MOST_ARGUMENTS];
    const struct prototype *a = n == 2 ? find_prototype(names[0], test->header) : NULL;
    const struct prototype *b = a ? find_prototype(names[1], test->header) : NULL;
    if (n != 2) complain((struct place){NULL, 0}, "differential compares two functions; name both");
    else if (a && b && !have_one_type(a, b))
        complain(b->place, "%s and %s have different types; differential needs two functions of the same type", a->name,
                 b->name);
    if (!a || !b || complaints()) return false;
    begin(test, keep_format("%s_agrees_with_%s", a->name, b->name));
    if (!draw_all(test, a, first)) return false;
    memcpy(second, first, sizeof second);
    for (uint32_t i = 0; i < a->n; i++) {
        bool is_buffer = a->types[i]->kind == TYPE_POINTER && !a->types[i]->of->is_qualified && i + 1 < a->n
                         && is_size_of_last(a, i + 1);
        if (is_buffer) second[i] = second_output(test, a, first, i);
    }
    if (a->result->kind == TYPE_VOID) {
        line(&test->e, "%s;", call_of(a, first));
        line(&test->e, "%s;", call_of(b, second));
    } else {
        line(&test->e, "%s = %s;", declared(a->result, "one"), call_of(a, first));
        line(&test->e, "%s = %s;", declared(b->result, "other"), call_of(b, second));
    }
    emit_agreement(test, a->result, "one", "other");
    for (uint32_t i = 0; i < a->n; i++)
        if (second[i] != first[i])
            line(&test->e, "sonde_check_mem_eq(t, %s, %s, n_%s);", first[i], second[i], first[i]);
    return end(test);
}

/* ---- roundtrip. A value is passed to the first function, its output to the second, and that output must equal the
 * value. Parameters that are not part of this path are drawn. */

/* One of the two calls. */
struct leg {
    struct conversion conversion;
    const char *arguments[MOST_ARGUMENTS];
    const char *output; /* expression of its output */
    const char *length; /* expression of the number of bytes, if the output is bytes */
};

/* Reports whether a parameter is part of the path. */
static bool is_of_conversion(const struct conversion *w, uint32_t i)
{
    int at = (int)i;
    return at == w->in_at || at == w->in_size || at == w->out_at || at == w->out_size;
}

/* Writes the draws of the parameters outside of the path. Returns false after a message. */
static bool draw_others(struct test *test, struct leg *leg)
{
    const struct prototype *p = leg->conversion.p;
    if (p->n > MOST_ARGUMENTS) return false;
    for (uint32_t i = 0; i < p->n; i++)
        if (!is_of_conversion(&leg->conversion, i) && !(leg->arguments[i] = draw_argument(test, p, i))) return false;
    return true;
}

/* Writes the declaration of an output buffer with `room` bytes, if the function does not return its output. */
static void declare_output(struct test *test, struct leg *leg, const char *name, const char *room)
{
    const struct conversion *w = &leg->conversion;
    const struct type *type = w->out_at >= 0 ? w->p->types[w->out_at] : NULL;
    leg->output = name;
    leg->length = keep_format("n_%s", name);
    if (w->out_at == RESULT) return;
    if (w->out == CARRIES_RECORD) {
        line(&test->e, "%s *%s = sonde_new(t, %s);", type->of->record->name, name, type->of->record->name);
        use_record(test, type->of->record);
    } else {
        const struct type *size = w->out_size >= 0 ? w->p->types[w->out_size] : NULL;
        const char *of = !size ? "size_t" : w->size_is_pointer ? size->of->name : size->name;
        line(&test->e, "%s n_%s = (%s)(%s); /* a guess: the most that the output needs */", of, name, of, room);
        line(&test->e, "%s = (%s)sonde_buffer(t, (size_t)n_%s);", declared(type, name), type->name, name);
        if (size) leg->arguments[w->out_size] = keep_format(w->size_is_pointer ? "&n_%s" : "n_%s", name);
    }
    leg->arguments[w->out_at] = name;
}

/* Writes the call, and sets leg->output and leg->length to its output. */
static void write_leg(struct test *test, struct leg *leg)
{
    const struct prototype *p = leg->conversion.p;
    const char *call = call_of(p, leg->arguments);
    bool gives_length = leg->conversion.out == CARRIES_BYTES && leg->conversion.out_at >= 0
                        && !leg->conversion.size_is_pointer && p->result->kind == TYPE_INT;
    if (leg->conversion.out_at == RESULT) {
        line(&test->e, "%s = %s;", declared(p->result, leg->output), call);
        if (p->result->kind == TYPE_POINTER) line(&test->e, "sonde_check(t, %s != NULL);", leg->output);
        if (is_to_be_freed(p->result))
            *PUSH(test->closes, test->n_closes, test->cap_closes) = keep_format("free(%s)", leg->output);
    } else if (gives_length) {
        line(&test->e, "%s = %s;", declared(p->result, keep_format("used_%s", leg->output)), call);
        leg->length = keep_format("used_%s", leg->output);
    } else
        line(&test->e, "%s%s; /* check the result too, if it reports errors */",
             p->result->kind == TYPE_VOID ? "" : "(void)", call);
}

/* Makes the output of one call the input of the other. */
static void connect_legs(const struct leg *from, struct leg *to)
{
    const struct conversion *w = &to->conversion;
    const struct type *type = w->p->types[w->in_at];
    bool by_value = type->kind == TYPE_RECORD,
         is_value = from->conversion.out_at == RESULT && from->conversion.p->result->kind == TYPE_RECORD;
    const char *star = by_value && !is_value ? "*" : !by_value && is_value ? "&" : "";
    to->arguments[w->in_at] =
        keep_format("%s%s%s",
                    type->kind == TYPE_POINTER && w->in == CARRIES_BYTES ? keep_format("(%s)", type->name) : "", star,
                    from->output);
    if (w->in_size >= 0)
        to->arguments[w->in_size] =
            keep_format("(%s)%s", w->p->types[w->in_size]->name,
                        from->conversion.out == CARRIES_TEXT ? keep_format("strlen(%s)", from->output) : from->length);
}

/* Writes the check that the value came back. */
static void emit_return(struct test *test, const struct leg *there, const struct leg *back)
{
    const struct prototype *p = there->conversion.p;
    const struct type *type = p->types[there->conversion.in_at];
    const char *in = there->arguments[there->conversion.in_at];
    struct record *record = type->kind == TYPE_RECORD                                     ? type->record
                            : type->kind == TYPE_POINTER && type->of->kind == TYPE_RECORD ? type->of->record
                                                                                          : NULL;
    bool is_value = back->conversion.out_at == RESULT && back->conversion.p->result->kind == TYPE_RECORD;
    if (record)
        line(&test->e, "sonde_check_same(t, %s, %s%s, %s%s);", use_record(test, record), is_value ? "&" : "",
             back->output, type->kind == TYPE_RECORD ? "&" : "", in);
    else if (there->conversion.in == CARRIES_BYTES) {
        if (back->length && back->conversion.out == CARRIES_BYTES)
            line(&test->e, "sonde_check_eq(t, %s, n_%s);", back->length, in);
        line(&test->e, "sonde_check_mem_eq(t, %s, %s, n_%s);", back->output, in, in);
    } else line(&test->e, "sonde_check_eq(t, %s, %s);", back->output, in);
}

/* Reports whether an output of one kind can be an input of another. Strings and bytes are interchangeable. */
static bool fit(enum carrier given, enum carrier taken)
{
    bool are_bytes =
        (given == CARRIES_BYTES || given == CARRIES_TEXT) && (taken == CARRIES_BYTES || taken == CARRIES_TEXT);
    return given == taken || are_bytes;
}

bool new_roundtrip(struct test *test, const char *const *names, uint32_t n)
{
    struct leg there = {0}, back = {0};
    if (n != 2) complain((struct place){NULL, 0}, "roundtrip needs two functions, there and back; name both");
    const struct prototype *a = n == 2 ? find_prototype(names[0], test->header) : NULL;
    const struct prototype *b = a ? find_prototype(names[1], test->header) : NULL;
    if (!a || !b) return false;
    there.conversion = conversion_of(a), back.conversion = conversion_of(b);
    if (there.conversion.in_at < 0 || back.conversion.in_at < 0 || !fit(there.conversion.out, back.conversion.in)
        || !fit(back.conversion.out, there.conversion.in)) {
        complain(b->place,
                 "%s does not undo %s, by their types; write that test by hand (see docs/writing-properties.md)",
                 b->name, a->name);
        return false;
    }
    begin(test, keep_format("%s_and_back_by_%s", a->name, b->name));
    uint32_t in = (uint32_t)there.conversion.in_at;
    if (!(there.arguments[in] = draw_argument(test, a, in))) return false;
    if (there.conversion.in_size >= 0) there.arguments[there.conversion.in_size] = draw_argument(test, a, in + 1);
    bool is_sized = there.conversion.in == CARRIES_BYTES;
    const char *size = is_sized ? keep_format("n_%s", there.arguments[in]) : "4096";
    if (!draw_others(test, &there)) return false;
    declare_output(test, &there, "there", is_sized ? keep_format("2 * %s + 100", size) : size);
    write_leg(test, &there);
    connect_legs(&there, &back);
    if (!draw_others(test, &back)) return false;
    declare_output(test, &back, "back", size);
    write_leg(test, &back);
    emit_return(test, &there, &back);
    return end(test);
}
