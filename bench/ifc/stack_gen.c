/* Generators of pairs of states. The derived ones know only the types: every list has exactly as many elements as the
 * size says, every number lies within it, every constructor is as likely as any other. */
#include "ifc/stack.h"

static struct stack_atom draw_atom(sonde *t, int lo, int hi)
{
    sonde_span(t, "atom");
    struct stack_atom a;
    a.value = sonde_int(t, "value", lo, hi);
    a.high = sonde_bool(t, "high");
    return a;
}

static struct stack_instr draw_instr(sonde *t, int size)
{
    sonde_span(t, "instr");
    struct stack_instr i = {.op = (enum stack_opcode)sonde_pick(t, "op", STACK_OPCODES)};
    if (i.op == STACK_PUSH || i.op == STACK_BCALL) i.n = sonde_int(t, "n", -size, size);
    return i;
}

static void reverse(struct stack_entry *entries, int n)
{
    for (int i = 0; i < n / 2; i++) {
        struct stack_entry e = entries[i];
        entries[i] = entries[n - 1 - i];
        entries[n - 1 - i] = e;
    }
}

/* From the top down, until an entry says that it is none. */
static void draw_stack(sonde *t, struct stack_state *s, int size)
{
    for (s->n_stack = 0; s->n_stack < size; s->n_stack++) {
        sonde_span(t, "entry");
        size_t kind = sonde_pick(t, "kind", 3);
        if (kind == 0) break;
        s->stack[s->n_stack] = (struct stack_entry){.is_return = kind == 2, .atom = draw_atom(t, -size, size)};
    }
    reverse(s->stack, s->n_stack);
}

static void draw_parts(sonde *t, int size, struct stack_state *s)
{
    s->n_code = s->n_memory = size;
    for (int i = 0; i < size; i++) s->code[i] = draw_instr(t, size);
    for (int i = 0; i < size; i++) s->memory[i] = draw_atom(t, -size, size);
    draw_stack(t, s, size);
    s->pc = draw_atom(t, -size, size);
}

static void draw_state(sonde *t, int size, struct stack_state *s)
{
    sonde_span(t, "state");
    draw_parts(t, size, s);
}

static int draw_size(sonde *t)
{
    return sonde_int(t, "size", 0, STACK_SIZE_MAX);
}

void stack_naive(sonde *t, struct stack_pair *pair)
{
    int size = draw_size(t);
    draw_state(t, size, &pair->a);
    draw_state(t, size, &pair->b);
}

/* `st <- arbitrary;; ret (st, st)` (FuzzChick, section 5.1): two equal states, and both are part of the input. */
void stack_copy(sonde *t, struct stack_pair *pair)
{
    int size = draw_size(t);
    draw_state(t, size, &pair->a);
    sonde_span_again(t, "state");
    draw_parts(t, size, &pair->b);
}

/* ---- Variation: another state that an observer cannot tell from the first */

static struct stack_atom vary_atom(sonde *t, struct stack_atom a)
{
    if (a.high) a.value = sonde_int(t, "value", 0, 1);
    return a;
}

static void vary(sonde *t, const struct stack_state *a, struct stack_state *b)
{
    sonde_span(t, "variation");
    *b = *a;
    for (int i = 0; i < b->n_memory; i++) b->memory[i] = vary_atom(t, b->memory[i]);
    b->pc = vary_atom(t, b->pc);
    bool low = !a->pc.high;
    for (int i = b->n_stack - 1; i >= 0; i--) {
        struct stack_entry *e = &b->stack[i];
        if (e->is_return && !e->atom.high) low = true;
        else if (e->is_return || low) e->atom = vary_atom(t, e->atom);
        else e->atom = draw_atom(t, 0, 1);
    }
    if (a->pc.high && sonde_bool(t, "extra")) b->stack[b->n_stack++] = (struct stack_entry){.atom = draw_atom(t, 0, 1)};
}

void stack_medium(sonde *t, struct stack_pair *pair)
{
    draw_state(t, draw_size(t), &pair->a);
    vary(t, &pair->a, &pair->b);
}

/* ---- By hand: one instruction that suits the stack */

static struct stack_instr draw_fitting(sonde *t, const struct stack_state *s)
{
    int data = 0, returns = 0;
    for (int i = s->n_stack - 1; i >= 0; i--) {
        returns += s->stack[i].is_return;
        data += returns == 0;
    }
    const unsigned weights[STACK_OPCODES] = {[STACK_NOP] = 1,
                                             [STACK_PUSH] = 10,
                                             [STACK_BCALL] = 10,
                                             [STACK_BRET] = returns ? 10 : 0,
                                             [STACK_ADD] = data >= 2 ? 10 : 0,
                                             [STACK_LOAD] = data >= 1 ? 10 : 0,
                                             [STACK_STORE] = data >= 2 ? 10 : 0};
    struct stack_instr i = {.op = (enum stack_opcode)sonde_weighted(t, "op", weights, STACK_OPCODES)};
    if (i.op == STACK_PUSH) i.n = sonde_int(t, "n", 0, 1);
    if (i.op == STACK_BCALL) i.n = sonde_int(t, "n", 0, data > 1 ? data - 1 : 0);
    return i;
}

void stack_smart(sonde *t, struct stack_pair *pair)
{
    static const unsigned kinds[2] = {10, 4};
    struct stack_state *s = &pair->a;
    s->n_code = s->n_memory = 2;
    s->n_stack = 4;
    s->pc = draw_atom(t, 0, 1);
    for (int i = 0; i < 2; i++) s->memory[i] = draw_atom(t, 0, 1);
    for (int i = 3; i >= 0; i--) {
        bool is_return = sonde_weighted(t, "kind", kinds, 2) == 1;
        s->stack[i] = (struct stack_entry){.is_return = is_return, .atom = draw_atom(t, 0, 1)};
    }
    s->code[0] = s->code[1] = draw_fitting(t, s);
    vary(t, s, &pair->b);
}
