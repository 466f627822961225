/* Writes the test `sonde new model`: random calls of functions that share an object, in a loop around a switch. The
 * user adds a model, and a check of each result against it, where comments mark the lines. */
#include "new.h"

#include <string.h>

/* Maximum number of functions of one model, and of parameters of each. */
enum { MOST_ARGUMENTS = 32 };

/* Reports whether the first parameter of a function is the object. */
static bool takes_object(const struct prototype *p, const struct type *object)
{
    return p->n > 0 && p->types[0]->kind == TYPE_POINTER && p->types[0]->of->name && object->of->name
           && !strcmp(p->types[0]->of->name, object->of->name);
}

/* Writes the `case` of the switch that calls one function. Returns false after a message. */
static bool write_case(struct test *test, const struct prototype *p, uint32_t i)
{
    const char *arguments[MOST_ARGUMENTS] = {"object"};
    open_block(&test->e, "case %u:", i);
    if (p->n > MOST_ARGUMENTS) return false;
    for (uint32_t k = 1; k < p->n; k++)
        if (!(arguments[k] = draw_argument(test, p, k))) return false;
    const char *call = call_of(p, arguments);
    if (p->result->kind == TYPE_VOID || !p->result->name)
        line(&test->e, "%s%s;", p->result->kind == TYPE_VOID ? "" : "(void)", call);
    else {
        line(&test->e, "%s = %s;", declared(p->result, "got"), call);
        line(&test->e, "(void)got; /* sonde_check_eq(t, got, the model's result); */");
    }
    line(&test->e, "sonde_note(t, \"%s\");", p->name);
    line(&test->e, "break;");
    close_block(&test->e);
    return true;
}

bool new_model(struct test *test, const char *const *names, uint32_t n)
{
    const struct prototype *all[MOST_ARGUMENTS], *first = n ? find_prototype(names[0], test->header) : NULL;
    if (n > MOST_ARGUMENTS || !first) return false;
    const struct type *object = first->n ? first->types[0] : NULL;
    if (!object || object->kind != TYPE_POINTER) {
        complain(first->place, "model calls functions whose first parameter is the object; %s has none", first->name);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        all[i] = find_prototype(names[i], test->header);
        if (all[i] && !takes_object(all[i], object))
            complain(all[i]->place, "the first parameter of %s is not %s", names[i], object->name);
        if (complaints()) return false;
    }
    open_block(&test->e, "SONDE_PROPERTY(%s_behaves_like_its_model)", names[0]);
    struct prototype makes = *first; /* a copy with one parameter, which is called "object" */
    const char *name = "object";
    makes.names = &name, makes.n = 1;
    if (!draw_argument(test, &makes, 0)) return false;
    line(&test->e, "/* The model goes here: the simplest code that gives the same results, such as an array. */");
    line(&test->e, "sonde_list calls = sonde_list_of(t, \"calls\", 0, 30);");
    open_block(&test->e, "while (sonde_more(&calls))");
    open_block(&test->e, "switch (sonde_pick(t, \"call\", %u))", n);
    for (uint32_t i = 0; i < n; i++)
        if (!write_case(test, all[i], i)) return false;
    close_block(&test->e);
    close_block(&test->e);
    emit_closes(test);
    close_block(&test->e);
    return complaints() == 0;
}
