/* See register.h. */
#include "ifc/register.h"

#define L1 REG_V1
#define L2 REG_V2
#define L3 REG_V3
#define L4 REG_V4
#define LPC REG_VPC

static const struct reg_table right = {{
    [REG_NOP] = {0, 0, 0, LPC},
    [REG_PUT] = {0, 0, 0, LPC},
    [REG_MOV] = {0, 0, L1, LPC},
    [REG_LOAD] = {0, 0, L3, LPC | L1 | L2},
    [REG_STORE] = {L1 | LPC, L2, L3, LPC},
    [REG_WRITE] = {LPC | L1 | L3, L2 | L4, L4, LPC},
    [REG_BINOP] = {0, 0, L1 | L2, LPC},
    [REG_JUMP] = {0, 0, 0, LPC | L1},
    [REG_BNZ] = {0, 0, 0, LPC | L1},
    [REG_BCALL] = {0, 0, L2 | LPC, L1 | LPC},
    [REG_BRET] = {L1 | LPC, L2 | L3, L2, L3},
    [REG_LAB_OF] = {0, 0, 0, LPC},
    [REG_PCLAB] = {0, 0, 0, LPC},
    [REG_PUTLAB] = {0, 0, 0, LPC},
    [REG_ALLOC] = {0, 0, L1 | L2, LPC},
    [REG_PGETOFF] = {0, 0, L1, LPC},
    [REG_PSETOFF] = {0, 0, L1 | L2, LPC},
    [REG_MSIZE] = {0, 0, L2, LPC | L1},
    [REG_MLAB] = {0, 0, L1, LPC},
    [REG_HALT] = {0, 0, 0, LPC},
}};

/* A fault replaces the rule of one instruction. Where a label is missing from the pc, it is moved to the result. */
static const struct {
    enum reg_opcode op;
    struct reg_rule rule;
} faults[REG_FAULTS] = {
    {REG_MOV, {0, 0, 0, LPC}},                     /*  1 */
    {REG_LOAD, {0, 0, 0, LPC | L1 | L2}},          /*  2 */
    {REG_LOAD, {0, 0, L3 | L1, LPC | L2}},         /*  3 */
    {REG_LOAD, {0, 0, L3 | L2, LPC | L1}},         /*  4 */
    {REG_STORE, {LPC, L2, L3, LPC}},               /*  5 */
    {REG_STORE, {L1, L2, L3, LPC}},                /*  6 */
    {REG_STORE, {L1 | LPC, L2, 0, LPC}},           /*  7 */
    {REG_WRITE, {L1 | L3, L2 | L4, L4, LPC}},      /*  8 */
    {REG_WRITE, {LPC | L3, L2 | L4, L4, LPC}},     /*  9 */
    {REG_WRITE, {LPC | L1, L2 | L4, L4, LPC}},     /* 10 */
    {REG_WRITE, {LPC | L1 | L3, L2 | L4, 0, LPC}}, /* 11 */
    {REG_BINOP, {0, 0, L2, LPC}},                  /* 12 */
    {REG_BINOP, {0, 0, L1, LPC}},                  /* 13 */
    {REG_NOP, {0, 0, 0, 0}},                       /* 14 */
    {REG_JUMP, {0, 0, 0, L1}},                     /* 15 */
    {REG_JUMP, {0, 0, 0, LPC}},                    /* 16 */
    {REG_BNZ, {0, 0, 0, LPC}},                     /* 17 */
    {REG_BNZ, {0, 0, 0, L1}},                      /* 18 */
    {REG_BCALL, {0, 0, LPC, L1 | LPC}},            /* 19 */
    {REG_BCALL, {0, 0, L2, L1 | LPC}},             /* 20 */
    {REG_BCALL, {0, 0, L2 | LPC | L1, LPC}},       /* 21 */
    {REG_BRET, {LPC, L2 | L3, L2, L3}},            /* 22 */
    {REG_BRET, {L1, L2 | L3, L2, L3}},             /* 23 */
    {REG_BRET, {L1 | LPC, L2 | L3, 0, L3}},        /* 24 */
    {REG_BRET, {L1 | LPC, L2 | L3, L2 | L3, 0}},   /* 25 */
    {REG_ALLOC, {0, 0, L2, LPC}},                  /* 26 */
    {REG_ALLOC, {0, 0, L1, LPC}},                  /* 27 */
    {REG_PGETOFF, {0, 0, 0, LPC}},                 /* 28 */
    {REG_PSETOFF, {0, 0, L2, LPC}},                /* 29 */
    {REG_PSETOFF, {0, 0, L1, LPC}},                /* 30 */
    {REG_MSIZE, {0, 0, 0, LPC | L1}},              /* 31 */
    {REG_MSIZE, {0, 0, L2 | L1, LPC}},             /* 32 */
    {REG_MLAB, {0, 0, 0, LPC}},                    /* 33 */
};

struct reg_table reg_table(unsigned fault)
{
    struct reg_table table = right;
    if (fault) table.rules[faults[fault - 1].op] = faults[fault - 1].rule;
    return table;
}

/* ---- Labels of a step */

struct advice {
    bool allowed;
    unsigned result, pc;
};

/* The labels l1..l4 that a rule speaks of. */
struct labels {
    unsigned l[REG_VARIABLES - 1];
};

static unsigned join(unsigned set, const unsigned *values)
{
    unsigned label = REG_L;
    for (unsigned i = 0; i < REG_VARIABLES; i++)
        if (set >> i & 1) label |= values[i];
    return label;
}

static struct advice consult(const struct reg_table *table, const struct reg_state *s, enum reg_opcode op,
                             struct labels known)
{
    const struct reg_rule *rule = &table->rules[op];
    const unsigned values[REG_VARIABLES] = {known.l[0], known.l[1], known.l[2], known.l[3], s->pc_label};
    return (struct advice){.allowed = reg_flows(join(rule->check, values), join(rule->bound, values)),
                           .result = join(rule->result, values),
                           .pc = join(rule->pc, values)};
}

/* ---- Parts of a state; NULL where there is none */

static struct reg_atom *register_at(struct reg_state *s, int64_t r)
{
    return r >= 0 && r < s->n_registers ? &s->registers[r] : NULL;
}

static struct reg_atom *register_of(struct reg_state *s, int64_t r, enum reg_kind kind)
{
    struct reg_atom *a = register_at(s, r);
    return a && a->kind == kind ? a : NULL;
}

static struct reg_frame *frame_of(struct reg_state *s, const struct reg_atom *p)
{
    struct reg_region *region = &s->memory[p->inner];
    return p->block >= 0 && p->block < region->n ? &region->frames[p->block] : NULL;
}

static struct reg_atom *cell_of(struct reg_state *s, const struct reg_atom *p)
{
    struct reg_frame *frame = frame_of(s, p);
    return frame && p->n >= 0 && p->n < frame->n ? &frame->atoms[p->n] : NULL;
}

/* ---- The end of a step */

static bool go_to(struct reg_state *s, int64_t pc, unsigned label)
{
    s->pc = pc;
    s->pc_label = label;
    return true;
}

/* Puts a value into its destination and continues with the next instruction. */
static bool put(struct reg_state *s, int64_t rd, struct reg_atom value, struct advice a)
{
    struct reg_atom *to = register_at(s, rd);
    if (!to || !a.allowed) return false;
    *to = value;
    to->label = (uint8_t)a.result;
    return go_to(s, s->pc + 1, a.pc);
}

static struct reg_atom an_int(int64_t n)
{
    return (struct reg_atom){.kind = REG_INT, .n = n};
}

static struct reg_atom a_label(unsigned label)
{
    return (struct reg_atom){.kind = REG_LAB, .inner = (uint8_t)label};
}

/* ---- Instructions, in groups */

static bool step_load(const struct reg_table *table, struct reg_state *s, const struct reg_instr *i)
{
    struct reg_atom *p = register_of(s, i->r[0], REG_PTR), *cell = p ? cell_of(s, p) : NULL;
    if (!cell) return false;
    struct labels known = {{p->label, frame_of(s, p)->label, cell->label}};
    return put(s, i->r[1], *cell, consult(table, s, REG_LOAD, known));
}

/* Store and write: the one goes by the label of the frame, the other also by the label of the atom it replaces. */
static bool step_store(const struct reg_table *table, struct reg_state *s, const struct reg_instr *i)
{
    struct reg_atom *p = register_of(s, i->r[0], REG_PTR), *value = register_at(s, i->r[1]);
    struct reg_atom *cell = p ? cell_of(s, p) : NULL;
    if (!cell || !value) return false;
    struct labels known = {{p->label, frame_of(s, p)->label, value->label, cell->label}};
    struct advice a = consult(table, s, (enum reg_opcode)i->op, known);
    if (!a.allowed) return false;
    *cell = *value;
    cell->label = (uint8_t)a.result;
    return go_to(s, s->pc + 1, a.pc);
}

bool reg_equal(const struct reg_atom *a, const struct reg_atom *b)
{
    if (a->kind != b->kind) return false;
    if (a->kind == REG_INT) return a->n == b->n;
    return a->inner == b->inner && (a->kind == REG_LAB || (a->block == b->block && a->n == b->n));
}

static bool compute(enum reg_binop op, const struct reg_atom *a, const struct reg_atom *b, struct reg_atom *out)
{
    enum reg_kind wanted = op == REG_ADD || op == REG_MULT ? REG_INT : REG_LAB;
    if (op == REG_EQ) {
        *out = an_int(reg_equal(a, b));
        return true;
    }
    if (a->kind != wanted || b->kind != wanted) return false;
    if (op == REG_ADD) *out = an_int((int64_t)((uint64_t)a->n + (uint64_t)b->n));
    else if (op == REG_MULT) *out = an_int((int64_t)((uint64_t)a->n * (uint64_t)b->n));
    else if (op == REG_JOIN) *out = a_label(a->inner | b->inner);
    else *out = an_int(reg_flows(a->inner, b->inner));
    return true;
}

static bool step_binop(const struct reg_table *table, struct reg_state *s, const struct reg_instr *i)
{
    struct reg_atom *a = register_at(s, i->r[0]), *b = register_at(s, i->r[1]), value;
    if (!a || !b || !compute((enum reg_binop)i->binop, a, b, &value)) return false;
    return put(s, i->r[2], value, consult(table, s, REG_BINOP, (struct labels){{a->label, b->label}}));
}

static bool step_jump(const struct reg_table *table, struct reg_state *s, const struct reg_instr *i)
{
    struct reg_atom *x = register_of(s, i->r[0], REG_INT);
    if (!x) return false;
    struct advice a = consult(table, s, (enum reg_opcode)i->op, (struct labels){{x->label}});
    if (i->op == REG_JUMP) return go_to(s, x->n, a.pc);
    return go_to(s, x->n == 0 ? s->pc + 1 : s->pc + i->n, a.pc);
}

static bool step_bcall(const struct reg_table *table, struct reg_state *s, const struct reg_instr *i)
{
    struct reg_atom *target = register_of(s, i->r[0], REG_INT), *bound = register_of(s, i->r[1], REG_LAB);
    if (!target || !bound || s->n_calls == REG_CALLS) return false;
    struct advice a = consult(table, s, REG_BCALL, (struct labels){{target->label, bound->label}});
    struct reg_call *call = &s->calls[s->n_calls++];
    *call = (struct reg_call){.back = s->pc + 1,
                              .back_label = a.result,
                              .result = i->r[2],
                              .result_label = bound->inner,
                              .n_saved = s->n_registers};
    for (int r = 0; r < s->n_registers; r++) call->saved[r] = s->registers[r];
    return go_to(s, target->n, a.pc);
}

static bool step_bret(const struct reg_table *table, struct reg_state *s)
{
    if (s->n_calls == 0) return false;
    const struct reg_call *call = &s->calls[s->n_calls - 1];
    const struct reg_atom *returned = register_at(s, call->result);
    if (!returned || call->result >= call->n_saved) return false;
    struct advice a =
        consult(table, s, REG_BRET, (struct labels){{returned->label, call->result_label, call->back_label}});
    if (!a.allowed) return false;
    struct reg_atom value = *returned;
    value.label = (uint8_t)a.result;
    s->n_registers = call->n_saved;
    for (int r = 0; r < s->n_registers; r++) s->registers[r] = call->saved[r];
    s->registers[call->result] = value;
    s->n_calls--;
    return go_to(s, call->back, a.pc);
}

/* The stamp does not go through the table. */
static bool step_alloc(const struct reg_table *table, struct reg_state *s, const struct reg_instr *i)
{
    struct reg_atom *size = register_of(s, i->r[0], REG_INT), *label = register_of(s, i->r[1], REG_LAB);
    if (!size || !label || size->n < 0 || size->n > REG_ATOMS) return false;
    unsigned stamp = size->label | label->label | s->pc_label;
    struct reg_region *region = &s->memory[stamp];
    if (region->n == REG_FRAMES) return false;
    struct advice a = consult(table, s, REG_ALLOC, (struct labels){{size->label, label->label, label->inner}});
    struct reg_frame *frame = &region->frames[region->n];
    frame->label = label->inner;
    frame->n = (int)size->n;
    for (int k = 0; k < frame->n; k++) frame->atoms[k] = an_int(0);
    struct reg_atom pointer = {.kind = REG_PTR, .inner = (uint8_t)stamp, .block = region->n++};
    return put(s, i->r[2], pointer, a);
}

/* Queries about a pointer. */
static bool step_ask(const struct reg_table *table, struct reg_state *s, const struct reg_instr *i)
{
    struct reg_atom *p = register_of(s, i->r[0], REG_PTR);
    struct reg_frame *frame = p ? frame_of(s, p) : NULL;
    if (!p || (!frame && i->op != REG_PGETOFF)) return false;
    struct advice a =
        consult(table, s, (enum reg_opcode)i->op, (struct labels){{p->label, frame ? frame->label : REG_L}});
    if (i->op == REG_PGETOFF) return put(s, i->r[1], an_int(p->n), a);
    if (i->op == REG_MSIZE) return put(s, i->r[1], an_int(frame->n), a);
    return put(s, i->r[1], a_label(frame->label), a);
}

static bool step_psetoff(const struct reg_table *table, struct reg_state *s, const struct reg_instr *i)
{
    struct reg_atom *p = register_of(s, i->r[0], REG_PTR), *n = register_of(s, i->r[1], REG_INT);
    if (!p || !n) return false;
    struct reg_atom moved = *p;
    moved.n = n->n;
    return put(s, i->r[2], moved, consult(table, s, REG_PSETOFF, (struct labels){{p->label, n->label}}));
}

/* Those that only fill a register. */
static bool step_set(const struct reg_table *table, struct reg_state *s, const struct reg_instr *i)
{
    struct advice a = consult(table, s, (enum reg_opcode)i->op, (struct labels){{0}});
    const struct reg_atom *from = register_at(s, i->r[0]);
    switch (i->op) {
    case REG_PUT: return put(s, i->r[0], an_int(i->n), a);
    case REG_PCLAB: return put(s, i->r[0], a_label(s->pc_label), a);
    case REG_PUTLAB: return put(s, i->r[0], a_label(i->label), a);
    case REG_LAB_OF: return from && put(s, i->r[1], a_label(from->label), a);
    default: /* REG_MOV */
        if (!from) return false;
        return put(s, i->r[1], *from, consult(table, s, REG_MOV, (struct labels){{from->label}}));
    }
}

bool reg_step(const struct reg_table *table, struct reg_state *s)
{
    if (s->pc < 0 || s->pc >= s->n_code) return false;
    const struct reg_instr *i = &s->code[s->pc];
    switch (i->op) {
    case REG_NOP: return go_to(s, s->pc + 1, consult(table, s, REG_NOP, (struct labels){{0}}).pc);
    case REG_LOAD: return step_load(table, s, i);
    case REG_STORE:
    case REG_WRITE: return step_store(table, s, i);
    case REG_BINOP: return step_binop(table, s, i);
    case REG_JUMP:
    case REG_BNZ: return step_jump(table, s, i);
    case REG_BCALL: return step_bcall(table, s, i);
    case REG_BRET: return step_bret(table, s);
    case REG_ALLOC: return step_alloc(table, s, i);
    case REG_PGETOFF:
    case REG_MSIZE:
    case REG_MLAB: return step_ask(table, s, i);
    case REG_PSETOFF: return step_psetoff(table, s, i);
    case REG_HALT: return false;
    default: return step_set(table, s, i);
    }
}
