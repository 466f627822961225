/* Writes the creation of objects, and the functions that free them; declared in arguments.h. An object is freed by
 * sonde_defer, so that a case that is left early leaks nothing. */
#include "arguments.h"

#include "base/strings.h"

#include <string.h>

/* Returns the function that an option names, or NULL. */
static const struct prototype *named(const char *name)
{
    struct prototype *all;
    uint32_t n = name ? read_prototypes(&all) : 0;
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(all[i].name, name)) return &all[i];
    return NULL;
}

const struct prototype *closer_in(struct test *test, const struct type *type, const char *maker)
{
    const struct prototype *p = named(test->stop);
    if (!p || !can_free(type, p)) {
        p = closer_for(type, maker);
        return p || maker_of(type).making == MAKES_INPLACE ? p : general_closer(false);
    }
    test->is_stopped = true;
    return p;
}

const char *use_closer(struct test *test, const struct type *pointer, const char *maker)
{
    const struct prototype *closer = closer_in(test, pointer, maker);
    if (!closer) return NULL;
    const struct type *type = closer->types[0];
    bool by_address = type->of->kind == TYPE_POINTER;
    const char *name = keep_format("undo_by_%s", closer->name);
    const char *text = by_address
                           ? keep_format("static void %s(void *object)\n{\n    %s = object;\n    %s(&it);\n}\n", name,
                                         declared(type->of, "it"), closer->name)
                           : keep_format("static void %s(void *object)\n{\n    %s(object);\n}\n", name, closer->name);
    add_helper(test, text);
    return name;
}

/* Returns a pointer type's name as it is without const on what it points to. */
static const char *object_type(const struct type *type)
{
    return strchr(type->name, '*') ? keep_format("%s *", type->of->name) : type->name;
}

/* Draws the arguments of a maker. Another object of the same type is its parent, which may be NULL. */
static bool draw_maker(struct test *test, struct call *call, const char *key)
{
    const struct prototype *p = call->roles.p;
    for (uint32_t i = 0; i < p->n; i++) {
        const char *other = object_key(p->types[i]);
        if (call->arguments[i] || !other || strcmp(other, key) != 0) continue;
        call->arguments[i] = "NULL";
    }
    bool was_wild = test->is_wild, was_making = test->is_making;
    test->is_wild = false, test->is_making = true;
    bool ok = draw_rest(test, call);
    test->is_wild = was_wild, test->is_making = was_making;
    return ok;
}

/* Makers may need objects that need objects; deeper nesting is refused, which also ends cycles. */
enum { MOST_NESTED = 3 };
static int nested;

/* Writes the call of the maker. `object` is a variable or a member that exists. */
static bool call_maker(struct test *test, const struct maker *maker, const struct type *type, const char *object)
{
    struct call call;
    const struct type *result = maker->p->result;
    if (!begin_call(&call, maker->p)) return false;
    if (maker->making == MAKES_OUT) call.arguments[maker->at] = keep_format("&%s", object);
    if (maker->making == MAKES_INPLACE) call.arguments[maker->at] = object;
    nested++;
    bool ok = nested <= MOST_NESTED && draw_maker(test, &call, object_key(type));
    nested--;
    if (!ok) return false;
    const char *made = call_of(&call), *condition = success_of(test, result, made);
    if (maker->making == MAKES_RESULT) line(&test->e, "%s = %s;", object, made);
    else if (maker->making == MAKES_INPLACE && condition)
        line(&test->e, "sonde_assume(t, %s);%s", condition, result->kind == TYPE_INT ? GUESSED_SUCCESS : "");
    else line(&test->e, "%s%s;", result->kind == TYPE_VOID ? "" : "(void)", made);
    if (maker->making != MAKES_INPLACE) line(&test->e, "sonde_assume(t, %s != NULL);", object);
    return true;
}

/* Returns the function that opens a number as a handle, such as db_open(..., DB_HANDLE *handle), and in *at the
 * parameter. NULL if the type is one that any number has. */
static const struct prototype *handle_opener(const struct type *type, uint32_t *at)
{
    struct prototype *all;
    uint32_t n = read_prototypes(&all);
    bool is_named =
        type->kind == TYPE_INT && type->name && !strchr(type->name, ' ') && strcmp(type->name, type->key) != 0;
    if (!is_named || sonde_ends(type->name, "_t")) return NULL;
    for (uint32_t i = 0; i < n; i++)
        for (*at = 0; *at < all[i].n && is_named_maker(&all[i]); ++*at) {
            const struct type *to = all[i].types[*at];
            bool is_out = to->kind == TYPE_POINTER && !to->of->is_qualified && to->of->name;
            if (is_out && !strcmp(to->of->name, type->name)) return &all[i];
        }
    return NULL;
}

bool make_handle(struct test *test, const struct prototype *user, const struct type *type, const char *name)
{
    struct call call;
    uint32_t at;
    const struct prototype *p = handle_opener(type, &at);
    if (!p || p == user || nested > 0 || !begin_call(&call, p)) return false;
    call.arguments[at] = keep_format("&%s", name);
    for (uint32_t i = 0; i < p->n; i++) /* with the object of the user */
        for (uint32_t k = 0; k < test->n_drawn && object_key(p->types[i]); k++)
            if (!strcmp(test->drawn[k].key, p->types[i]->key)) call.arguments[i] = test->drawn[k].expression;
    line(&test->e, "%s = 0;", declared(type, name));
    nested++;
    bool ok = draw_maker(test, &call, "");
    nested--;
    const char *text = call_of(&call), *condition = ok ? success_of(test, p->result, text) : NULL;
    if (condition) line(&test->e, "sonde_assume(t, %s);%s", condition, GUESSED_SUCCESS);
    else line(&test->e, "%s%s;", p->result->kind == TYPE_VOID ? "" : "(void)", text);
    return true;
}

static bool refuse_object(const struct prototype *p, const struct type *type)
{
    complain(p->place,
             "%s: no function here creates a %s from numbers and strings; write that draw yourself, or choose another "
             "function",
             p->name, type->name ? type->name : "parameter");
    return false;
}

struct maker maker_in(const struct test *test, const struct type *type, const char *user)
{
    const struct prototype *p = named(test->start);
    struct maker maker = p ? maker_by(type, p) : (struct maker){MAKES_NOTHING, NULL, 0};
    return maker.making == MAKES_NOTHING ? maker_for(type, user) : maker;
}

/* Calls the function of --start on a new object, unless that function created it or does not take its type. */
static bool call_starter(struct test *test, const struct maker *maker, const struct type *type, const char *object)
{
    *PUSH(test->made, test->n_made, test->cap_made) = type;
    const struct prototype *p = named(test->start);
    struct call call;
    if (p && p == maker->p) test->is_started = true;
    if (!p || p == maker->p || !is_user(type, p)) return true;
    if (!begin_call(&call, p)) return false;
    call.arguments[0] = object;
    if (!draw_maker(test, &call, object_key(type))) return false;
    const char *text = call_of(&call), *condition = success_of(test, p->result, text);
    if (condition)
        line(&test->e, "sonde_assume(t, %s);%s", condition, p->result->kind == TYPE_INT ? GUESSED_SUCCESS : "");
    else line(&test->e, "%s;", text);
    return test->is_started = true;
}

bool make_object_into(struct test *test, const struct prototype *p, const struct type *type, const char *to)
{
    struct maker maker = maker_in(test, type, p->name);
    if (maker.making == MAKES_NOTHING) return refuse_object(p, type);
    if (maker.making == MAKES_INPLACE) line(&test->e, "%s = sonde_new(t, %s);", to, type->of->name);
    if (!call_maker(test, &maker, type, to)) return complaints() ? false : refuse_object(p, type);
    return call_starter(test, &maker, type, to);
}

const char *make_object(struct test *test, const struct prototype *p, const struct type *type, const char *name)
{
    struct maker maker = maker_in(test, type, p->name);
    if (maker.making == MAKES_NOTHING) return refuse_object(p, type), NULL;
    const char *of = object_type(type), *object = local(test, name), *space = of[strlen(of) - 1] == '*' ? "" : " ";
    if (maker.making == MAKES_INPLACE) line(&test->e, "%s%s%s = sonde_new(t, %s);", of, space, object, type->of->name);
    else line(&test->e, "%s%s%s = NULL;", of, space, object);
    if (!call_maker(test, &maker, type, object)) return complaints() ? NULL : (refuse_object(p, type), NULL);
    bool is_used_up = p == closer_in(test, type, maker.p->name)
                      || (is_replacing(p) && !strcmp(object_key(p->types[0]), object_key(type)));
    const char *undo = is_used_up ? NULL : use_closer(test, type, maker.p->name);
    if (undo && !test->keeps_objects) line(&test->e, "sonde_defer(t, %s, %s);", undo, object);
    return call_starter(test, &maker, type, object) ? object : NULL;
}
