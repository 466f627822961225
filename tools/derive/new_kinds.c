/* Writes the kinds of tests of `sonde new` that call one function, or two of one type: crash, oom, differential. Each
 * test is short, and its comments say what it assumes, since users are to read and correct it. From
 * `int parse(const char *s)`, crash makes:
 *
 *     SONDE_PROPERTY(parse_does_not_crash, .crash_only = true)
 *     {
 *         const char *s = sonde_string(t, "s", 0, 100);
 *         (void)parse(s);
 *     } */
#include "new.h"

#include <string.h>

void begin_property(struct test *test, const char *name, const char *settings)
{
    test->e.indent = 0;
    begin_function(test);
    open_block(&test->e, "SONDE_PROPERTY(%s%s)", name, settings);
}

bool end_property(struct test *test)
{
    emit_closes(test);
    close_block(&test->e);
    return complaints() == 0;
}

/* ---- crash, oom */

/* Reports whether a function takes an object with this key: then it returns a part of it, or the object itself. */
static bool takes_object(const struct prototype *p, const char *key)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (object_key(p->types[i]) && !strcmp(object_key(p->types[i]), key)) return true;
    return false;
}

/* Writes a property that calls a function with any arguments, for crash and oom. */
static bool write_call(struct test *test, const char *name, const char *property, bool fails_to_allocate)
{
    struct call call;
    const struct prototype *p = find_prototype(name, test->header);
    if (!p || !begin_call(&call, p)) return false;
    test->is_wild = !test->is_narrow;
    begin_property(test, keep_format("%s_%s", name, property), ", .crash_only = true");
    if (!draw_rest(test, &call)) return false;
    if (fails_to_allocate) line(&test->e, "sonde_oom(t, \"fails\", 50); /* the n-th allocation from here on */");
    bool is_object = p->result->kind == TYPE_POINTER && object_key(p->result) && !p->result->of->is_qualified
                     && closer_of(p->result) && (is_replacing(p) || !takes_object(p, object_key(p->result)));
    bool is_bytes = is_byte_pointer(p->result) && !p->result->of->is_qualified && p->result->name;
    if (is_object || is_bytes) {
        const char *result = local(test, "result");
        line(&test->e, "%s = %s;", declared(p->result, result), call_of(&call));
        if (is_object) line(&test->e, "if (%s) %s(%s);", result, use_closer(test, p->result, p->name), result);
        else free_result(test, p, result);
        line(&test->e, "(void)%s;", result);
    } else line(&test->e, "%s%s;", p->result->kind == TYPE_VOID ? "" : "(void)", call_of(&call));
    return end_property(test);
}

static bool write_calls(struct test *test, const char *const *names, uint32_t n, const char *property, bool fails)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i) blank(&test->e);
        if (!write_call(test, names[i], property, fails)) return false;
    }
    return true;
}

bool new_crash(struct test *test, const char *const *names, uint32_t n)
{
    return write_calls(test, names, n, "does_not_crash", false);
}

bool new_oom(struct test *test, const char *const *names, uint32_t n)
{
    return write_calls(test, names, n, "survives_without_memory", true);
}

/* ---- differential */

bool have_one_type(const struct prototype *a, const struct prototype *b)
{
    bool same = a->n == b->n && a->is_variadic == b->is_variadic && !strcmp(a->result->key, b->result->key);
    for (uint32_t i = 0; same && i < a->n; i++) same = !strcmp(a->types[i]->key, b->types[i]->key);
    return same;
}

/* Writes the check that two results are equal. */
static void check_agreement(struct test *test, const struct type *type, const char *a, const char *b)
{
    if (type->kind == TYPE_VOID) return;
    if (type->kind == TYPE_RECORD && has_function(type->record))
        line(&test->e, "sonde_check_same(t, %s, &%s, &%s);", use_record(test, type->record), a, b);
    else if (type->kind == TYPE_POINTER && type->of->kind == TYPE_RECORD && has_function(type->of->record)
             && !object_key(type))
        line(&test->e, "sonde_check_same(t, %s, %s, %s);", use_record(test, type->of->record), a, b);
    else if (type->kind == TYPE_POINTER && !is_text_pointer(type)) /* two objects that cannot be compared */
        line(&test->e, "sonde_check(t, (%s == NULL) == (%s == NULL));", a, b);
    else line(&test->e, "sonde_check_eq(t, %s, %s);", a, b);
}

/* Writes what the second call writes to: a second buffer with the same content, or a second number. */
static void write_second(struct test *test, const struct call *first, struct call *second, uint32_t i)
{
    const struct type *type = first->roles.p->types[i];
    const char *name = first->arguments[i], *n = first->length[i];
    if (first->roles.kind[i] == ROLE_OUT) {
        const char *copy = local(test, keep_format("%s2", name)),
                   *of = type->of->kind == TYPE_VOID ? "void" : type->of->name;
        const char *size = is_byte_pointer(type) ? n : keep_format("%s * sizeof(%s)", n, of);
        line(&test->e, "%s *%s = (%s *)sonde_buffer(t, %s);", of, copy, of, size);
        line(&test->e, "memcpy(%s, %s, %s); /* bytes that neither writes are equal */", copy, name, size);
        second->arguments[i] = copy;
    } else if (*name == '&') {
        const char *copy = local(test, keep_format("%s2", name + 1));
        line(&test->e, "%s = %s;", declared(type->of, copy), name + 1);
        second->arguments[i] = keep_format("&%s", copy);
    }
}

static void check_second(struct test *test, const struct call *first, const struct call *second, uint32_t i)
{
    const struct type *type = first->roles.p->types[i];
    const char *a = first->arguments[i], *b = second->arguments[i];
    if (a == b) return;
    if (*a == '&' && type->of->kind <= TYPE_ENUM) line(&test->e, "sonde_check_eq(t, %s, %s);", a + 1, b + 1);
    else if (*a != '&' && is_byte_pointer(type))
        line(&test->e, "sonde_check_mem_eq(t, %s, %s, %s);", a, b, first->length[i]);
    else if (*a != '&') line(&test->e, "sonde_check_mem_eq(t, %s, %s, %s * sizeof *%s);", a, b, first->length[i], a);
}

bool new_differential(struct test *test, const char *const *names, uint32_t n)
{
    struct call first, second;
    const struct prototype *a = n == 2 ? find_prototype(names[0], test->header) : NULL;
    const struct prototype *b = a ? find_prototype(names[1], test->header) : NULL;
    if (n != 2) complain((struct place){NULL, 0}, "differential compares two functions; name both");
    else if (a && b && !have_one_type(a, b))
        complain(b->place, "%s and %s have different types; differential needs two functions of the same type", a->name,
                 b->name);
    if (!a || !b || complaints() || !begin_call(&first, a) || !begin_call(&second, b)) return false;
    begin_property(test, keep_format("%s_agrees_with_%s", a->name, b->name), "");
    if (!draw_rest(test, &first)) return false;
    memcpy(second.arguments, first.arguments, sizeof first.arguments);
    for (uint32_t i = 0; i < a->n; i++) write_second(test, &first, &second, i);
    if (a->result->kind == TYPE_VOID) {
        line(&test->e, "%s;", call_of(&first));
        line(&test->e, "%s;", call_of(&second));
    } else {
        const char *one = local(test, "one"), *other = local(test, "other");
        line(&test->e, "%s = %s;", declared(a->result, one), call_of(&first));
        line(&test->e, "%s = %s;", declared(b->result, other), call_of(&second));
        free_result(test, a, one);
        free_result(test, b, other);
        check_agreement(test, a->result, one, other);
    }
    for (uint32_t i = 0; i < a->n; i++) check_second(test, &first, &second, i);
    return end_property(test);
}
