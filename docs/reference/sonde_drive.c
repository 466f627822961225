/* sonde_drive: test code with state, by calls in a drawn order.
 * Also: SONDE_RULE SONDE_RULES
 * See also: sonde_pool_add sonde_together */
#include <sonde.h>

struct world {
    int stack[10], n; /* the code under test */
    int sum;          /* the model: what the elements add up to */
};

static bool has_room(const void *world)
{
    return ((const struct world *)world)->n < 10;
}

static bool is_filled(const void *world)
{
    return ((const struct world *)world)->n > 0;
}

static void push(sonde *t, void *world)
{
    struct world *w = world;
    w->stack[w->n++] = sonde_int(t, "x", 0, 9);
    w->sum += w->stack[w->n - 1];
}

static void pop(sonde *t, void *world)
{
    (void)t;
    struct world *w = world;
    w->sum -= w->stack[--w->n];
}

static void agrees(sonde *t, void *world)
{
    struct world *w = world;
    int sum = 0;
    for (int i = 0; i < w->n; i++) sum += w->stack[i];
    sonde_check_eq(t, sum, w->sum);
}

static const sonde_rule rules[] = {SONDE_RULE(push, .when = has_room, .weight = 2), SONDE_RULE(pop, .when = is_filled)};
static const sonde_machine stack = {SONDE_RULES(rules), .size = sizeof(struct world), .always = agrees};

static void stack_adds_up(sonde *t)
{
    sonde_drive(t, "calls", &stack);
}

SONDE_MAIN(stack_adds_up)
