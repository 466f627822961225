/* See stack.h. The rules are data, so that coverage cannot see which labels are joined.
 *
 * With INTERPRETED, rules are evaluated and lists are walked as in the machine of the paper, which is a functional
 * program. Then coverage sees the labels that rules meet, and how far down a list an address leads. */
#include "ifc/stack.h"

enum part { CHECK, RESULT, PC };

struct fault {
    enum stack_opcode op;
    enum part part;
    unsigned becomes;
};

#define L1 STACK_L1
#define L2 STACK_L2
#define L3 STACK_L3
#define LPC STACK_LPC

static const struct stack_table right = {{
    [STACK_NOP] = {0, 0, 0, LPC},
    [STACK_PUSH] = {0, 0, 0, LPC},
    [STACK_BCALL] = {0, 0, LPC, L1 | LPC},
    [STACK_BRET] = {0, 0, L2 | LPC, L1},
    [STACK_ADD] = {0, 0, L1 | L2, LPC},
    [STACK_LOAD] = {0, 0, L1 | L2, LPC},
    [STACK_STORE] = {L1 | LPC, L3, LPC | L1 | L2, LPC},
    [STACK_HALT] = {0, 0, 0, LPC},
}};

static const struct fault faults[STACK_FAULTS] = {
    {STACK_BCALL, RESULT, 0},        /*  1 */
    {STACK_BCALL, PC, LPC},          /*  2 */
    {STACK_BCALL, PC, L1},           /*  3 */
    {STACK_BRET, RESULT, LPC},       /*  4 */
    {STACK_BRET, RESULT, L2},        /*  5 */
    {STACK_BRET, PC, 0},             /*  6 */
    {STACK_NOP, PC, 0},              /*  7 */
    {STACK_PUSH, PC, 0},             /*  8 */
    {STACK_ADD, RESULT, L2},         /*  9 */
    {STACK_ADD, RESULT, L1},         /* 10 */
    {STACK_ADD, PC, 0},              /* 11 */
    {STACK_LOAD, RESULT, L2},        /* 12 */
    {STACK_LOAD, RESULT, L1},        /* 13 */
    {STACK_LOAD, PC, 0},             /* 14 */
    {STACK_STORE, CHECK, LPC},       /* 15 */
    {STACK_STORE, CHECK, L1},        /* 16 */
    {STACK_STORE, RESULT, L1 | L2},  /* 17 */
    {STACK_STORE, RESULT, LPC | L2}, /* 18 */
    {STACK_STORE, RESULT, LPC | L1}, /* 19 */
    {STACK_STORE, PC, 0},            /* 20 */
};

struct stack_table stack_table(unsigned fault)
{
    struct stack_table table = right;
    if (fault == 0) return table;
    const struct fault *f = &faults[fault - 1];
    struct stack_rule *rule = &table.rules[f->op];
    if (f->part == CHECK) rule->check = f->becomes;
    else if (f->part == RESULT) rule->result = f->becomes;
    else rule->pc = f->becomes;
    return table;
}

/* ---- The machine */

/* The result of a rule for the labels at hand: bits of the variables that are high. */
struct advice {
    bool allowed, result, pc;
};

#ifdef INTERPRETED
const bool stack_is_interpreted = true;

static bool join(bool a, bool b)
{
    if (b) return true;
    return a ? true : false;
}

static bool flows(bool a, bool b)
{
    if (!a) return true;
    return b ? true : false;
}

static bool look_up(unsigned variable, unsigned high)
{
    switch (variable) {
    case L1: return (high & L1) != 0;
    case L2: return (high & L2) != 0;
    case L3: return (high & L3) != 0;
    default: return (high & LPC) != 0;
    }
}

/* Returns the join of a set of variables. */
static bool evaluate(unsigned set, unsigned high)
{
    if (!set) return false;
    unsigned first = set & (0 - set);
    if (set == first) return look_up(first, high);
    return join(look_up(first, high), evaluate(set & ~first, high));
}

static int walk(int n)
{
    return n > 0 ? 1 + walk(n - 1) : 0;
}
#else
const bool stack_is_interpreted = false;

/* Macros, so that they have no counters. */
#define flows(a, b) (!(a) || (b))
#define evaluate(set, high) ((set) & (high))
#define walk(n) (n)
#endif

static struct advice consult(const struct stack_table *table, enum stack_opcode op, unsigned high)
{
    const struct stack_rule *rule = &table->rules[op];
    return (struct advice){.allowed = flows(evaluate(rule->check, high), evaluate(rule->bound, high)),
                           .result = evaluate(rule->result, high) != 0,
                           .pc = evaluate(rule->pc, high) != 0};
}

static unsigned labels(bool l1, bool l2, bool l3, bool lpc)
{
    return (l1 ? L1 : 0) | (l2 ? L2 : 0) | (l3 ? L3 : 0) | (lpc ? LPC : 0);
}

static bool has_data(const struct stack_state *s, int n)
{
    if (s->n_stack < n) return false;
    for (int i = 0; i < n; i++)
        if (s->stack[s->n_stack - 1 - i].is_return) return false;
    return true;
}

/* The atom that lies so deep, 0 being the top. */
static struct stack_atom *at(struct stack_state *s, int depth)
{
    return &s->stack[s->n_stack - 1 - depth].atom;
}

static void go_on(struct stack_state *s, bool high)
{
    s->pc.value++;
    s->pc.high = high;
}

static bool is_address(const struct stack_state *s, int x)
{
    return x >= 0 && x < s->n_memory;
}

static bool step_push(const struct stack_table *table, struct stack_state *s, int n)
{
    struct advice a = consult(table, STACK_PUSH, labels(false, false, false, s->pc.high));
    s->stack[s->n_stack++] = (struct stack_entry){.atom = {n, a.result}};
    go_on(s, a.pc);
    return true;
}

static bool step_add(const struct stack_table *table, struct stack_state *s)
{
    if (!has_data(s, 2)) return false;
    struct stack_atom x = *at(s, 0), y = *at(s, 1);
    struct advice a = consult(table, STACK_ADD, labels(x.high, y.high, false, s->pc.high));
    s->n_stack--;
    *at(s, 0) = (struct stack_atom){x.value + y.value, a.result};
    go_on(s, a.pc);
    return true;
}

static bool step_load(const struct stack_table *table, struct stack_state *s)
{
    if (!has_data(s, 1)) return false;
    struct stack_atom x = *at(s, 0);
    if (!is_address(s, x.value)) return false;
    struct stack_atom cell = s->memory[walk(x.value)];
    struct advice a = consult(table, STACK_LOAD, labels(cell.high, x.high, false, s->pc.high));
    *at(s, 0) = (struct stack_atom){cell.value, a.result};
    go_on(s, a.pc);
    return true;
}

static bool step_store(const struct stack_table *table, struct stack_state *s)
{
    if (!has_data(s, 2)) return false;
    struct stack_atom x = *at(s, 0), v = *at(s, 1);
    if (!is_address(s, x.value)) return false;
    struct advice a = consult(table, STACK_STORE, labels(x.high, v.high, s->memory[x.value].high, s->pc.high));
    if (!a.allowed) return false;
    s->memory[walk(x.value)] = (struct stack_atom){v.value, a.result};
    s->n_stack -= 2;
    go_on(s, a.pc);
    return true;
}

/* The arguments stay on top; the return entry goes below them. */
static bool step_bcall(const struct stack_table *table, struct stack_state *s, int n)
{
    if (n < 0 || !has_data(s, n + 1)) return false;
    struct stack_atom target = *at(s, 0);
    struct advice a = consult(table, STACK_BCALL, labels(target.high, false, false, s->pc.high));
    int place = s->n_stack - 1 - n;
    for (int i = s->n_stack - 1; i > place; i--) s->stack[i] = s->stack[i - 1];
    s->stack[place] = (struct stack_entry){.is_return = true, .atom = {s->pc.value + 1, a.result}};
    s->pc = (struct stack_atom){target.value, a.pc};
    return true;
}

static bool step_bret(const struct stack_table *table, struct stack_state *s)
{
    if (!has_data(s, 1)) return false;
    struct stack_atom value = *at(s, 0);
    int place = s->n_stack - 1;
    while (place >= 0 && !s->stack[place].is_return) place--;
    if (place < 0) return false;
    struct stack_atom back = s->stack[place].atom;
    struct advice a = consult(table, STACK_BRET, labels(back.high, value.high, false, s->pc.high));
    s->stack[place] = (struct stack_entry){.atom = {value.value, a.result}};
    s->n_stack = place + 1;
    s->pc = (struct stack_atom){back.value, a.pc};
    return true;
}

static bool is_in_code(const struct stack_state *s)
{
    return s->pc.value >= 0 && s->pc.value < s->n_code;
}

bool stack_step(const struct stack_table *table, struct stack_state *s)
{
    if (!is_in_code(s)) return false;
    struct stack_instr instr = s->code[walk(s->pc.value)];
    switch (instr.op) {
    case STACK_NOP: go_on(s, consult(table, STACK_NOP, labels(false, false, false, s->pc.high)).pc); return true;
    case STACK_PUSH: return step_push(table, s, instr.n);
    case STACK_ADD: return step_add(table, s);
    case STACK_LOAD: return step_load(table, s);
    case STACK_STORE: return step_store(table, s);
    case STACK_BCALL: return step_bcall(table, s, instr.n);
    case STACK_BRET: return step_bret(table, s);
    default: return false;
    }
}

/* ---- Indistinguishability */

static bool atoms_alike(struct stack_atom a, struct stack_atom b)
{
    return a.high == b.high && (a.high || a.value == b.value);
}

static bool memories_alike(const struct stack_state *a, const struct stack_state *b)
{
    if (a->n_memory != b->n_memory) return false;
    for (int i = 0; i < a->n_memory; i++)
        if (!atoms_alike(a->memory[i], b->memory[i])) return false;
    return true;
}

static bool codes_equal(const struct stack_state *a, const struct stack_state *b)
{
    if (a->n_code != b->n_code) return false;
    for (int i = 0; i < a->n_code; i++)
        if (a->code[i].op != b->code[i].op || a->code[i].n != b->code[i].n) return false;
    return true;
}

/* How much of a stack an observer sees: under a high pc, only what lies below the first low return entry, itself
 * included. */
static int visible(const struct stack_state *s, bool high)
{
    int n = s->n_stack;
    while (high && n > 0 && (!s->stack[n - 1].is_return || s->stack[n - 1].atom.high)) n--;
    return n;
}

static bool stacks_alike(const struct stack_state *a, const struct stack_state *b)
{
    int n = visible(a, a->pc.high);
    if (n != visible(b, a->pc.high)) return false;
    for (int i = n - 1; i >= 0; i--) {
        if (a->stack[i].is_return != b->stack[i].is_return) return false;
        if (!atoms_alike(a->stack[i].atom, b->stack[i].atom)) return false;
    }
    return true;
}

bool stack_alike_but_code(const struct stack_state *a, const struct stack_state *b)
{
    return memories_alike(a, b) && atoms_alike(a->pc, b->pc) && stacks_alike(a, b);
}

bool stack_alike(const struct stack_state *a, const struct stack_state *b)
{
    return memories_alike(a, b) && codes_equal(a, b) && atoms_alike(a->pc, b->pc) && stacks_alike(a, b);
}

/* ---- Single-step noninterference */

/* The claim, once both have stepped: to a2 and b2. */
static bool claim(const struct stack_state *a, const struct stack_state *a2, const struct stack_state *b,
                  const struct stack_state *b2)
{
    if (!a->pc.high) return stack_alike(a2, b2);
    if (!a2->pc.high && !b2->pc.high) return stack_alike(a2, b2);
    if (!a2->pc.high) return stack_alike(b, b2);
    return stack_alike(a, a2);
}

enum stack_outcome stack_ssni(const struct stack_table *table, const struct stack_state *a, const struct stack_state *b)
{
    if (!is_in_code(a) || !stack_alike(a, b)) return STACK_DISCARD;
    struct stack_state a2 = *a, b2 = *b;
    if (!stack_step(table, &a2) || !stack_step(table, &b2)) return STACK_DISCARD;
    return claim(a, &a2, b, &b2) ? STACK_PASS : STACK_FAIL;
}

void stack_check_ssni(sonde *t, const struct stack_table *table, const struct stack_state *a,
                      const struct stack_state *b)
{
    sonde_assume(t, is_in_code(a));
    sonde_assume(t, stack_alike(a, b));
    struct stack_state a2 = *a, b2 = *b;
    sonde_assume(t, stack_step(table, &a2));
    sonde_assume(t, stack_step(table, &b2));
    sonde_check(t, claim(a, &a2, b, &b2));
}
