/* See life.h. The object is the result of the first function, or what it stores through a pointer. Or it is there
 * before: a struct of the caller, an object that a third function created, or the library itself. The second function
 * takes the object or its address, and perhaps more: x_free(pool, object), x_final(object, digest). */
#include "life.h"

#include <string.h>

enum origin { NO_ORIGIN, IS_RESULT, IS_STORED, IS_BEGUN, IS_OPENED, IS_GLOBAL };

/* Where the object of two functions comes from, and goes to. */
struct life {
    enum origin origin;
    uint32_t from, to; /* parameters of the first function, unless it is the result, and of the second one */
    bool by_address;   /* the second function takes the address of the pointer */
    const struct type *type;
};

/* Reports whether a type is void *, which some libraries use for objects: void *x_init(void), x_exit(void *). */
static bool is_plain_handle(const struct type *type)
{
    return type->kind == TYPE_POINTER && type->of->kind == TYPE_VOID && !type->of->is_qualified && type->name;
}

static bool is_same_object(const struct type *type, const struct type *other)
{
    if (is_plain_handle(other) && !object_key(other)) return is_plain_handle(type);
    const char *key = object_key(type), *of = object_key(other);
    return key && of && !strcmp(key, of);
}

/* Reports whether a function ends the life of an object of this type, by its name. One with more parameters may delete
 * a part: it does not if another function takes only the object. */
static bool is_end(const struct prototype *q, const struct type *type, const struct prototype *p)
{
    static const char *const words[] = {"final", "finalise", "stop", "shutdown", "disconnect", "quit", "clear", NULL};
    const struct prototype *closer = object_key(type) ? closer_for(type, p->name) : NULL;
    if (closer == q) return true;
    bool is_named = is_closer(q) || has_word(q->name, words);
    return is_named && (!closer || q->n == 1);
}

/* Reports whether a function begins a struct in memory of the caller, or opens an object that another one created. */
static enum origin origin_of_first(const struct prototype *p, const struct prototype *q, const struct type *type)
{
    if (maker_by(type, p).making == MAKES_INPLACE && p->types[0]->of == type->of) return IS_BEGUN;
    struct maker maker = maker_for(type, p->name);
    if (!is_named_maker(p) || maker.p == q || maker.p == p || type->of->is_qualified) return NO_ORIGIN;
    if (maker.making != MAKES_NOTHING) return IS_OPENED;
    return type->of->kind == TYPE_RECORD && type->name && type->of->name ? IS_BEGUN : NO_ORIGIN;
}

/* Finds where the first function has the object that is parameter `to` of the second one. */
static bool find_origin(const struct prototype *p, const struct prototype *q, struct life *life)
{
    const struct type *type = life->type;
    bool is_getter = p->n && is_same_object(p->types[0], type);
    if (is_same_object(p->result, type) && !p->result->of->is_qualified && !is_getter)
        return life->origin = IS_RESULT, true;
    for (life->from = 0; life->from < p->n; life->from++) {
        const struct type *of = p->types[life->from]->kind == TYPE_POINTER ? p->types[life->from]->of : NULL;
        if (of && of->name && !of->is_qualified && of->kind == TYPE_POINTER && is_same_object(of, type) && !is_getter)
            return life->origin = IS_STORED, true;
    }
    if (life->by_address || !object_key(type)) return false;
    for (life->from = 0; life->from < p->n; life->from++) {
        const struct type *of = p->types[life->from];
        if (!is_same_object(of, type) || of->of->is_qualified) continue;
        life->origin = origin_of_first(p, q, of);
        life->type = of;
        return life->origin != NO_ORIGIN;
    }
    return false;
}

/* Reports whether two functions begin and end the whole library: x_init(flags) and x_cleanup(). */
static bool is_global(const struct prototype *p, const struct prototype *q)
{
    static const char *const words[] = {"init", "initialize", "initialise", "startup", "setup", "start", NULL};
    for (uint32_t i = 0; i < p->n; i++)
        if (p->types[i]->kind > TYPE_ENUM) return false;
    return !q->n && p->result->kind != TYPE_POINTER && has_word(p->name, words) && is_closer(q);
}

static bool find_life(const struct prototype *p, const struct prototype *q, struct life *life)
{
    *life = (struct life){IS_GLOBAL, 0, 0, false, NULL};
    if (is_global(p, q)) return true;
    for (uint32_t i = 0; i < q->n; i++) {
        const struct type *type = q->types[i], *of = type->kind == TYPE_POINTER ? type->of : NULL;
        if (!of || of->is_qualified) continue;
        bool by_address = of->kind == TYPE_POINTER && object_key(of);
        bool is_handle = is_plain_handle(type) && !object_key(type);
        if ((is_handle && (q->n > 1 || !is_closer(q))) || (!is_handle && !by_address && !object_key(type))) continue;
        *life = (struct life){NO_ORIGIN, 0, i, by_address, by_address ? of : type};
        if (is_end(q, life->type, p) && find_origin(p, q, life)) return true;
    }
    return false;
}

bool is_life(const struct prototype *creates, const struct prototype *frees)
{
    struct life life;
    return creates != frees && find_life(creates, frees, &life);
}

/* ---- Writing */

/* Draws the other arguments of both calls, before the first one: a case that ends in between would leak. The second
 * function gets the objects that the first one got. */
static bool draw_others(struct test *test, struct call *a, struct call *b)
{
    const struct prototype *p = a->roles.p, *q = b->roles.p;
    test->is_making = true;
    bool ok = draw_rest(test, a);
    for (uint32_t i = 0; i < q->n && ok; i++)
        for (uint32_t k = 0; k < p->n && object_key(q->types[i]) && !b->arguments[i]; k++)
            if (a->roles.kind[k] == ROLE_OBJECT && is_same_object(p->types[k], q->types[i]))
                b->arguments[i] = a->arguments[k];
    ok = ok && draw_rest(test, b);
    test->is_making = false;
    return ok;
}

/* Reports whether a function reads what was drawn: then it may fail, as opening a file of random bytes does. */
static bool reads_input(const struct call *call)
{
    for (uint32_t i = 0; i < call->roles.p->n; i++) {
        enum role_kind kind = call->roles.kind[i];
        if (kind == ROLE_TEXT || kind == ROLE_IN || kind == ROLE_FILE || is_descriptor(call->roles.p, i)) return true;
    }
    return false;
}

static const char *statement(const struct call *call)
{
    return keep_format("%s%s;", call->roles.p->result->kind == TYPE_VOID ? "" : "(void)", call_of(call));
}

#define FREED " /* a sanitizer reports what it does not free */"

/* Writes the life of an object that the first function gives. */
static bool write_given(struct test *test, struct call *a, struct call *b, const struct life *life)
{
    const struct prototype *p = a->roles.p;
    bool is_stored = life->origin == IS_STORED;
    const struct type *type = is_stored ? p->types[life->from]->of : p->result;
    const char *name = local(test, is_stored ? parameter(p, life->from) : "made");
    b->arguments[life->to] = keep_format("%s%s", life->by_address ? "&" : "", name);
    if (is_stored) a->arguments[life->from] = keep_format("&%s", name);
    if (!draw_others(test, a, b)) return false;
    if (is_stored) line(&test->e, "%s = NULL;", declared(type, name));
    if (is_stored) line(&test->e, "%s", statement(a));
    else line(&test->e, "%s = %s;", declared(type, name), call_of(a));
    line(&test->e, "if (%s) %s" FREED, name, statement(b));
    return true;
}

/* Writes the life of an object that is there before the first function is called. */
static bool write_begun(struct test *test, struct call *a, struct call *b, const struct life *life)
{
    const struct prototype *p = a->roles.p;
    const char *name = parameter(p, life->from), *of = life->type->of->name, *condition;
    bool is_freed = true;
    if (life->origin == IS_OPENED) {
        struct maker maker = maker_in(test, life->type, p->name);
        is_freed = closer_in(test, life->type, maker.p->name) == b->roles.p;
        test->keeps_objects = is_freed;
        name = make_object(test, p, life->type, name);
        test->keeps_objects = false;
        if (!name) return false;
    } else {
        name = local(test, name);
        line(&test->e, "%s *%s = sonde_new(t, %s);", of, name, of);
    }
    a->arguments[life->from] = b->arguments[life->to] = name;
    if (!draw_others(test, a, b)) return false;
    condition = success_of(test, p->result, call_of(a));
    const char *guess = p->result->kind == TYPE_INT ? GUESSED_SUCCESS : "";
    if (life->origin == IS_OPENED && is_freed) condition = NULL; /* it is to be freed, opened or not */
    if (!condition) line(&test->e, "%s", statement(a));
    else if (!reads_input(a)) line(&test->e, "sonde_assume(t, %s);%s", condition, guess);
    else {
        line(&test->e, "if (%s)%s", condition, guess);
        line(&test->e, "    %s" FREED, statement(b));
        return true;
    }
    line(&test->e, "%s" FREED, statement(b));
    return true;
}

static bool write_global(struct test *test, struct call *a, struct call *b)
{
    if (!draw_rest(test, a)) return false;
    line(&test->e, "%s", statement(a));
    line(&test->e, "%s" FREED, statement(b));
    return true;
}

bool write_life(struct test *test, struct call *creates, struct call *frees)
{
    struct life life;
    if (!find_life(creates->roles.p, frees->roles.p, &life)) return false;
    line(&test->e, "(void)t;");
    bool is_given = life.origin == IS_RESULT || life.origin == IS_STORED;
    if (life.origin == IS_GLOBAL) return write_global(test, creates, frees);
    return is_given ? write_given(test, creates, frees, &life) : write_begun(test, creates, frees, &life);
}
