/* See eeni.h. A failing check stops the machine, and it has not halted then. */
#include "ifc/eeni.h"

const char *eeni_name(enum eeni_bug bug)
{
    static const char *const names[EENI_BUGS] = {
        [EENI_RIGHT] = "right",
        [EENI_ADD_NO_TAINT] = "ADD*",
        [EENI_PUSH_NO_TAINT] = "PUSH*",
        [EENI_LOAD_NO_TAINT] = "LOAD*",
        [EENI_STORE_NO_POINTER_TAINT] = "STORE*A",
        [EENI_STORE_DOWN_BY_POINTER] = "STORE*B",
        [EENI_STORE_NO_VALUE_TAINT] = "STORE*C",
        [EENI_JUMP_NO_RAISE] = "JUMP*A",
        [EENI_JUMP_LOWERS] = "JUMP*B",
        [EENI_STORE_NO_PC_TAINT] = "STORE*D",
        [EENI_STORE_DOWN_BY_PC] = "STORE*E",
        [EENI_CALL_LOWERS] = "CALL*A-1",
        [EENI_CALL_NO_RAISE] = "CALL*A-2",
        [EENI_RETURN_NO_TAINT] = "RETURN*A",
        [EENI_RETURN_DECIDES] = "RETURN*B",
        [EENI_POP_RETURNS] = "POP*",
    };
    return names[bug];
}

static bool has_data(const struct eeni_state *s, int n)
{
    if (s->n_stack < n) return false;
    for (int i = 1; i <= n; i++)
        if (s->stack[s->n_stack - i].is_return) return false;
    return true;
}

static struct eeni_atom pop(struct eeni_state *s)
{
    return s->stack[--s->n_stack].atom;
}

static void push(struct eeni_state *s, int value, bool high)
{
    s->stack[s->n_stack++] = (struct eeni_entry){.atom = {value, high}};
}

static bool go_on(struct eeni_state *s)
{
    s->pc.value++;
    return true;
}

static bool is_address(const struct eeni_state *s, int x)
{
    return x >= 0 && x < s->n_memory;
}

static bool step_push(enum eeni_bug bug, struct eeni_state *s, struct eeni_atom a)
{
    push(s, a.value, a.high && bug != EENI_PUSH_NO_TAINT);
    return go_on(s);
}

static bool step_pop(enum eeni_bug bug, struct eeni_state *s)
{
    if (s->n_stack == 0 || (!has_data(s, 1) && bug != EENI_POP_RETURNS)) return false;
    pop(s);
    return go_on(s);
}

static bool step_add(enum eeni_bug bug, struct eeni_state *s)
{
    if (!has_data(s, 2)) return false;
    struct eeni_atom x = pop(s), y = pop(s);
    push(s, x.value + y.value, (x.high || y.high) && bug != EENI_ADD_NO_TAINT);
    return go_on(s);
}

static bool step_load(enum eeni_bug bug, struct eeni_state *s)
{
    if (!has_data(s, 1)) return false;
    struct eeni_atom p = pop(s);
    if (!is_address(s, p.value)) return false;
    struct eeni_atom cell = s->memory[p.value];
    push(s, cell.value, cell.high || (p.high && bug != EENI_LOAD_NO_TAINT));
    return go_on(s);
}

static bool step_store(enum eeni_bug bug, struct eeni_state *s)
{
    if (!has_data(s, 2)) return false;
    struct eeni_atom p = pop(s), v = pop(s);
    if (!is_address(s, p.value)) return false;
    struct eeni_atom *cell = &s->memory[p.value];
    if (p.high && !cell->high && bug != EENI_STORE_DOWN_BY_POINTER) return false;
    if (s->pc.high && !cell->high && bug != EENI_STORE_DOWN_BY_PC) return false;
    bool high =
        v.high || (p.high && bug != EENI_STORE_NO_POINTER_TAINT) || (s->pc.high && bug != EENI_STORE_NO_PC_TAINT);
    *cell = (struct eeni_atom){v.value, high && bug != EENI_STORE_NO_VALUE_TAINT};
    return go_on(s);
}

/* The label under which the machine continues after a jump or a call to p. */
static bool raised(bool lpc, bool lp, bool lowers, bool no_raise)
{
    if (lowers) return lp;
    return no_raise ? lpc : lpc || lp;
}

static bool step_jump(enum eeni_bug bug, struct eeni_state *s)
{
    if (!has_data(s, 1)) return false;
    struct eeni_atom p = pop(s);
    s->pc.high = raised(s->pc.high, p.high, bug == EENI_JUMP_LOWERS, bug == EENI_JUMP_NO_RAISE);
    s->pc.value = p.value;
    return true;
}

static bool step_call(enum eeni_bug bug, struct eeni_state *s, const struct eeni_instr *i)
{
    if (!has_data(s, i->args + 1)) return false;
    struct eeni_atom p = pop(s);
    int place = s->n_stack - i->args;
    for (int k = s->n_stack; k > place; k--) s->stack[k] = s->stack[k - 1];
    s->stack[place] =
        (struct eeni_entry){.is_return = true, .returns = i->returns, .atom = {s->pc.value + 1, s->pc.high}};
    s->n_stack++;
    s->pc.high = raised(s->pc.high, p.high, bug == EENI_CALL_LOWERS, bug == EENI_CALL_NO_RAISE);
    s->pc.value = p.value;
    return true;
}

static bool step_return(enum eeni_bug bug, struct eeni_state *s, const struct eeni_instr *i)
{
    int place = s->n_stack - 1;
    while (place >= 0 && !s->stack[place].is_return) place--;
    if (place < 0) return false;
    struct eeni_entry back = s->stack[place];
    bool returns = bug == EENI_RETURN_DECIDES ? i->returns : back.returns;
    if (returns && !has_data(s, 1)) return false;
    struct eeni_atom value = s->stack[s->n_stack - 1].atom;
    s->n_stack = place;
    if (returns) push(s, value.value, value.high || (s->pc.high && bug != EENI_RETURN_NO_TAINT));
    s->pc = back.atom;
    return true;
}

/* False if the machine has stopped, on HALT too. */
static bool step(enum eeni_bug bug, struct eeni_state *s)
{
    if (s->pc.value < 0 || s->pc.value >= s->n_code) return false;
    const struct eeni_instr *i = &s->code[s->pc.value];
    switch (i->op) {
    case EENI_NOOP: return go_on(s);
    case EENI_PUSH: return step_push(bug, s, i->atom);
    case EENI_POP: return step_pop(bug, s);
    case EENI_ADD: return step_add(bug, s);
    case EENI_LOAD: return step_load(bug, s);
    case EENI_STORE: return step_store(bug, s);
    case EENI_JUMP: return step_jump(bug, s);
    case EENI_CALL: return step_call(bug, s, i);
    case EENI_RETURN: return step_return(bug, s, i);
    default: return false;
    }
}

/* Each instruction counts half as much as the time before. */
static double worth(const struct eeni_state *s, double *left)
{
    if (s->pc.value < 0 || s->pc.value >= s->n_code) return 0;
    double *w = &left[s->code[s->pc.value].op], now = *w;
    *w /= 2;
    return now;
}

bool eeni_run(enum eeni_bug bug, struct eeni_state *s)
{
    double left[EENI_OPCODES] = {[EENI_PUSH] = 1,    [EENI_CALL] = 5, [EENI_ADD] = 1, [EENI_LOAD] = 1,
                                 [EENI_STORE] = 1.5, [EENI_JUMP] = 1, [EENI_POP] = 1};
    s->utility = 0;
    for (int k = 0; k < EENI_STEPS; k++) {
        double gain = worth(s, left);
        if (!step(bug, s)) break;
        s->utility += gain;
    }
    bool in_code = s->pc.value >= 0 && s->pc.value < s->n_code;
    return in_code && s->code[s->pc.value].op == EENI_HALT && !s->pc.high;
}

bool eeni_alike(const struct eeni_state *a, const struct eeni_state *b)
{
    if (a->n_memory != b->n_memory) return false;
    for (int i = 0; i < a->n_memory; i++) {
        if (a->memory[i].high != b->memory[i].high) return false;
        if (!a->memory[i].high && a->memory[i].value != b->memory[i].value) return false;
    }
    return true;
}

void eeni_check(sonde *t, enum eeni_bug bug, struct eeni_pair *pair)
{
    bool halted = eeni_run(bug, &pair->a);
    sonde_target(t, "executed", pair->a.utility);
    sonde_assume(t, halted);
    sonde_assume(t, eeni_run(bug, &pair->b));
    sonde_check(t, eeni_alike(&pair->a, &pair->b));
}
