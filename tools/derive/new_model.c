/* Writes the tests of `sonde new` for functions that work on one object. `model` makes random calls in a loop,
 * `machine` makes them by rules (docs/machines.md). How the results should behave is not in a header. So the tests have
 * a line for a model and, in comments, the check of each result against it. As written they compile and run, and find
 * crashes. */
#include "new.h"

#include <string.h>

/* The functions of one object. */
struct users {
    const struct prototype **all;
    uint32_t n, cap;
    const struct type *object; /* type of their first parameter */
};

/* Finds the functions by their names. Returns false after a message. */
static bool find_users(struct users *u, const struct test *test, const char *kind, const char *const *names, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct prototype *p = find_prototype(names[i], test->header);
        if (!p) return false;
        const char *key = p->n ? object_key(p->types[0]) : NULL;
        if (!key && !i) {
            complain(p->place, "%s calls functions whose first parameter is the object; %s has none", kind, p->name);
            return false;
        }
        if (!i) u->object = p->types[0];
        if (!key || strcmp(key, object_key(u->object)) != 0) {
            complain(p->place, "the first parameter of %s is not %s, the object of %s", p->name, u->object->name,
                     names[0]);
            return false;
        }
        *PUSH(u->all, u->n, u->cap) = p;
    }
    return true;
}

/* Writes the draws of all arguments but the first, and the call. Returns false after a message. */
static bool write_user(struct test *test, const struct prototype *p, const char *object)
{
    struct call call;
    if (!begin_call(&call, p)) return false;
    call.arguments[0] = object;
    if (!draw_rest(test, &call)) return false;
    const char *text = call_of(&call);
    if (p->result->kind == TYPE_VOID || !p->result->name)
        line(&test->e, "%s%s;", p->result->kind == TYPE_VOID ? "" : "(void)", text);
    else {
        if (is_replacing(p)) { /* the object may have moved */
            line(&test->e, "%s = %s;", object, text);
            emit_closes(test);
            return complaints() == 0;
        }
        const char *got = local(test, "got");
        line(&test->e, "%s = %s;", declared(p->result, got), text);
        line(&test->e, "(void)%s; /* sonde_check_eq(t, %s, the model's result); */", got, got);
        free_result(test, p, got);
        if (is_copier(p))
            line(&test->e, "sonde_defer(t, %s, %s); /* a guess: the caller owns it */",
                 use_closer(test, p->result, p->name), got);
    }
    emit_closes(test);
    return complaints() == 0;
}

/* ---- model */

bool new_model(struct test *test, const char *const *names, uint32_t n)
{
    struct users u = {NULL, 0, 0, NULL};
    struct call first;
    if (!find_users(&u, test, "model", names, n) || !begin_call(&first, u.all[0])) return false;
    begin_property(test, keep_format("%s_behaves_like_its_model", names[0]), "");
    if (!draw_argument(test, &first, 0)) return false;
    const char *object = first.arguments[0];
    line(&test->e, "/* The model goes here: the simplest code that gives the same results, such as an array. */");
    line(&test->e, "sonde_list calls = sonde_list_of(t, \"calls\", 0, 30);");
    uint32_t n_locals = test->n_locals;
    open_block(&test->e, "while (sonde_more(&calls))");
    open_block(&test->e, "switch (sonde_pick(t, \"call\", %u))", n);
    for (uint32_t i = 0; i < n; i++) {
        open_block(&test->e, "case %u:", i);
        test->n_locals = n_locals, test->n_drawn = 0; /* each case has its own variables */
        if (!write_user(test, u.all[i], object)) return false;
        line(&test->e, "sonde_note(t, \"%s\");", u.all[i]->name);
        line(&test->e, "break;");
        close_block(&test->e);
    }
    close_block(&test->e);
    close_block(&test->e);
    return end_property(test);
}

/* ---- machine */

/* Begins a function `static void NAME(sonde *t, void *world)`, with the world in w. */
static void begin_world(struct test *test, const char *world, const char *name)
{
    begin_function(test);
    open_block(&test->e, "static void %s(sonde *t, void *world)", name);
    line(&test->e, "struct %s *w = world;", world);
}

/* Writes the world, and the functions that begin and end it. */
static bool write_world(struct test *test, const struct users *u, const char *world, bool *stops)
{
    const struct type *object = u->object;
    struct maker maker = maker_in(test, object, u->all[0]->name);
    const struct prototype *closer = closer_in(test, object, maker.p ? maker.p->name : NULL);
    const char *type =
        strchr(object->name, '*') ? keep_format("%s *", object->of->name) : keep_format("%s ", object->name);
    line(&test->e, "struct %s {", world);
    test->e.indent++;
    line(&test->e, "%sobject;", type);
    line(&test->e, "/* The model goes here: the simplest data that gives the same results, such as an array. */");
    test->e.indent--;
    line(&test->e, "};");
    blank(&test->e);
    begin_world(test, world, keep_format("%s_start", world));
    if (object->of->kind == TYPE_RECORD && maker_of(object).making == MAKES_NOTHING) {
        struct call first;
        if (!begin_call(&first, u->all[0]) || !draw_argument(test, &first, 0)) return false;
        line(&test->e, "w->object = %s;", first.arguments[0]);
    } else if (!make_object_into(test, u->all[0], object, "w->object")) return false;
    emit_closes(test);
    close_block(&test->e);
    blank(&test->e);
    *stops = closer != NULL;
    if (!closer) return true;
    begin_world(test, world, keep_format("%s_stop", world));
    bool by_address = closer->types[0]->of->kind == TYPE_POINTER;
    line(&test->e, "(void)t;");
    line(&test->e, "if (w->object) %s(%sw->object);", closer->name, by_address ? "&" : "");
    close_block(&test->e);
    blank(&test->e);
    return true;
}

bool new_machine(struct test *test, const char *const *names, uint32_t n)
{
    struct users u = {NULL, 0, 0, NULL};
    bool stops;
    if (!find_users(&u, test, "machine", names, n)) return false;
    const char *world = keep_format("%s_world", names[0]);
    test->e.indent = 0;
    if (!write_world(test, &u, world, &stops)) return false;
    for (uint32_t i = 0; i < n; i++) {
        begin_world(test, world, keep_format("call_%s", names[i]));
        line(&test->e, "(void)t;");
        if (!write_user(test, u.all[i], "w->object")) return false;
        close_block(&test->e);
        blank(&test->e);
    }
    line(&test->e, "static const sonde_rule %s_rules[] = {", world);
    for (uint32_t i = 0; i < n; i++) line(&test->e, "    {.name = \"%s\", .call = call_%s},", names[i], names[i]);
    line(&test->e, "};");
    line(&test->e, "static const sonde_machine %s_machine = {SONDE_RULES(%s_rules), .size = sizeof(struct %s),", world,
         world, world);
    line(&test->e, "    .start = %s_start%s%s};", world, stops ? ", .stop = " : "",
         stops ? keep_format("%s_stop", world) : "");
    blank(&test->e);
    begin_property(test, keep_format("%s_and_others_act_like_the_model", names[0]), ", .crash_only = true");
    line(&test->e, "/* As long as no rule checks anything, only crashes are found: then remove .crash_only. */");
    line(&test->e, "sonde_drive(t, \"calls\", &%s_machine);", world);
    return end_property(test);
}
