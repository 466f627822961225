/* Generators for the register machine. Derived: every list has as many elements as the size says, every number and
 * register lies within it (so half of the registers do not exist), every constructor is as likely as any other. */
#include "ifc/register.h"

static unsigned draw_label(sonde *t, const char *name)
{
    return (unsigned)sonde_pick(t, name, REG_LABELS);
}

static struct reg_atom draw_atom(sonde *t, int size)
{
    sonde_span(t, "atom");
    struct reg_atom a = {.kind = (uint8_t)sonde_pick(t, "kind", REG_KINDS)};
    if (a.kind == REG_PTR) a.block = sonde_int(t, "block", -size, size);
    if (a.kind != REG_INT) a.inner = (uint8_t)draw_label(t, "inner");
    if (a.kind != REG_LAB) a.n = sonde_int(t, "n", -size, size);
    a.label = (uint8_t)draw_label(t, "label");
    return a;
}

/* How many registers an instruction names. */
static int operands(enum reg_opcode op)
{
    static const uint8_t n[REG_OPCODES] = {
        [REG_PUT] = 1,   [REG_MOV] = 2,     [REG_LOAD] = 2,    [REG_STORE] = 2,  [REG_WRITE] = 2, [REG_BINOP] = 3,
        [REG_JUMP] = 1,  [REG_BNZ] = 1,     [REG_BCALL] = 3,   [REG_LAB_OF] = 2, [REG_PCLAB] = 1, [REG_PUTLAB] = 1,
        [REG_ALLOC] = 3, [REG_PGETOFF] = 2, [REG_PSETOFF] = 3, [REG_MSIZE] = 2,  [REG_MLAB] = 2};
    return n[op];
}

static struct reg_instr draw_instr(sonde *t, int size)
{
    sonde_span(t, "instr");
    struct reg_instr i = {.op = (uint8_t)sonde_pick(t, "op", REG_OPCODES)};
    if (i.op == REG_PUT || i.op == REG_BNZ) i.n = sonde_int(t, "n", -size, size);
    if (i.op == REG_BINOP) i.binop = (uint8_t)sonde_pick(t, "binop", REG_BINOPS);
    if (i.op == REG_PUTLAB) i.label = (uint8_t)draw_label(t, "label");
    for (int k = 0; k < operands((enum reg_opcode)i.op); k++) i.r[k] = sonde_int(t, "register", -size, size);
    return i;
}

static void draw_call(sonde *t, int size, struct reg_call *call)
{
    sonde_span(t, "call");
    call->back = sonde_int(t, "back", -size, size);
    call->back_label = draw_label(t, "back label");
    call->n_saved = size;
    for (int i = 0; i < size; i++) call->saved[i] = draw_atom(t, size);
    call->result = sonde_int(t, "register", -size, size);
    call->result_label = draw_label(t, "result label");
}

/* As long as the size says. FuzzChick's mutators, which know lists, make frames shorter and longer, and one fault
 * cannot show otherwise; so that ours can as well, a frame has a separately drawn length once in a million. */
static int draw_length(sonde *t, int size)
{
    return sonde_chance(t, "other length", 1e-6) ? sonde_int(t, "length", 0, size) : size;
}

static void draw_frame(sonde *t, int size, struct reg_frame *frame)
{
    sonde_span(t, "frame");
    frame->label = draw_label(t, "label");
    frame->n = draw_length(t, size);
    for (int i = 0; i < frame->n; i++) frame->atoms[i] = draw_atom(t, size);
}

/* Pairs of a stamp and its frames; a later one replaces an earlier one with the same stamp. */
static void draw_memory(sonde *t, int size, struct reg_state *s)
{
    for (unsigned stamp = 0; stamp < REG_LABELS; stamp++) s->memory[stamp].n = 0;
    for (int i = 0; i < size; i++) {
        sonde_span(t, "region");
        struct reg_region *region = &s->memory[draw_label(t, "stamp")];
        region->n = size;
        for (int k = 0; k < size; k++) draw_frame(t, size, &region->frames[k]);
    }
}

static void draw_parts(sonde *t, int size, struct reg_state *s)
{
    s->n_code = s->n_calls = s->n_registers = size;
    for (int i = 0; i < size; i++) s->code[i] = draw_instr(t, size);
    draw_memory(t, size, s);
    for (int i = size - 1; i >= 0; i--) draw_call(t, size, &s->calls[i]);
    for (int i = 0; i < size; i++) s->registers[i] = draw_atom(t, size);
    s->pc = sonde_int(t, "pc", -size, size);
    s->pc_label = draw_label(t, "pc label");
}

static void draw_state(sonde *t, int size, struct reg_state *s)
{
    sonde_span(t, "state");
    draw_parts(t, size, s);
}

void reg_naive(sonde *t, struct reg_input *in)
{
    int size = sonde_int(t, "size", 0, REG_SIZE_MAX);
    in->observer = draw_label(t, "observer");
    draw_state(t, size, &in->a);
    draw_state(t, size, &in->b);
}

/* As stack_copy: two equal states that mutators can take apart. */
void reg_copy(sonde *t, struct reg_input *in)
{
    int size = sonde_int(t, "size", 0, REG_SIZE_MAX);
    in->observer = draw_label(t, "observer");
    draw_state(t, size, &in->a);
    sonde_span_again(t, "state");
    draw_parts(t, size, &in->b);
}

void reg_copy3(sonde *t, struct reg_input *in)
{
    in->observer = draw_label(t, "observer");
    draw_state(t, 3, &in->a);
    in->b = in->a;
}

/* ---- By hand: two frames of two atoms in the lowest region, ten registers, one instruction that suits them */

enum { HAND_FRAMES = 2, HAND_ATOMS = 2, HAND_CODE = 2, HAND_NUMBER = 3 };

static struct reg_atom hand_value(sonde *t, enum reg_kind kind, unsigned label)
{
    static const unsigned ints[] = {10, 1, 10}; /* any, zero, an address of code */
    struct reg_atom a = {.kind = (uint8_t)kind, .label = (uint8_t)label};
    if (kind == REG_PTR) {
        a.block = sonde_int(t, "block", 0, HAND_FRAMES - 1);
        a.n = sonde_int(t, "offset", 0, HAND_ATOMS - 1);
    } else if (kind == REG_LAB) {
        a.inner = (uint8_t)draw_label(t, "inner");
    } else {
        size_t which = sonde_weighted(t, "which", ints, 3);
        if (which != 1)
            a.n = which == 0 ? sonde_int(t, "n", -HAND_NUMBER, HAND_NUMBER) : sonde_int(t, "n", 0, HAND_CODE - 1);
    }
    return a;
}

static struct reg_atom hand_atom(sonde *t)
{
    sonde_span(t, "atom");
    enum reg_kind kind = (enum reg_kind)sonde_pick(t, "kind", REG_KINDS);
    return hand_value(t, kind, draw_label(t, "label"));
}

static void hand_call(sonde *t, struct reg_call *call, unsigned back_label)
{
    sonde_span(t, "call");
    call->back = sonde_int(t, "back", 0, HAND_CODE - 1);
    call->back_label = back_label;
    call->n_saved = REG_REGISTERS;
    for (int i = 0; i < REG_REGISTERS; i++) call->saved[i] = hand_atom(t);
    call->result = sonde_int(t, "register", 0, REG_REGISTERS - 1);
    call->result_label = draw_label(t, "result label");
}

/* The registers that hold a kind of value; `address`: an int that is one. */
struct group {
    int n;
    int64_t r[REG_REGISTERS];
};

struct groups {
    struct group pointers, addresses, ints, labels, all;
};

static void join_group(struct group *group, int64_t r)
{
    group->r[group->n++] = r;
}

static struct groups sort_registers(const struct reg_state *s)
{
    struct groups g = {.pointers.n = 0};
    for (int r = 0; r < s->n_registers; r++) {
        const struct reg_atom *a = &s->registers[r];
        join_group(&g.all, r);
        if (a->kind == REG_PTR) join_group(&g.pointers, r);
        if (a->kind == REG_LAB) join_group(&g.labels, r);
        if (a->kind == REG_INT) join_group(&g.ints, r);
        if (a->kind == REG_INT && a->n >= 0 && a->n < HAND_CODE) join_group(&g.addresses, r);
    }
    return g;
}

static int64_t pick_from(sonde *t, const struct group *group)
{
    return group->r[sonde_pick(t, "register", (size_t)group->n)];
}

static enum reg_opcode hand_opcode(sonde *t, const struct reg_state *s, const struct groups *g)
{
    unsigned pointer = g->pointers.n ? 10 : 0, address = g->addresses.n ? 10 : 0, number = g->ints.n ? 10 : 0;
    const unsigned weights[REG_OPCODES] = {[REG_NOP] = 1,
                                           [REG_PCLAB] = 10,
                                           [REG_LAB_OF] = 10,
                                           [REG_PUTLAB] = 10,
                                           [REG_PUT] = 10,
                                           [REG_MOV] = 10,
                                           [REG_MLAB] = pointer,
                                           [REG_LOAD] = pointer,
                                           [REG_MSIZE] = pointer,
                                           [REG_PGETOFF] = pointer,
                                           [REG_STORE] = 10 * pointer,
                                           [REG_WRITE] = 10 * pointer,
                                           [REG_BCALL] = g->labels.n ? address : 0,
                                           [REG_JUMP] = address,
                                           [REG_BNZ] = number,
                                           [REG_PSETOFF] = pointer && number ? 10 : 0,
                                           [REG_BINOP] = number,
                                           [REG_ALLOC] = number && g->labels.n ? 200 : 0,
                                           [REG_BRET] = s->n_calls ? 50 : 0};
    return (enum reg_opcode)sonde_weighted(t, "op", weights, REG_OPCODES);
}

/* From which registers the operands come, for each instruction; what is missing is taken from all. */
static const struct group *operand_group(const struct groups *g, enum reg_opcode op, int k)
{
    switch (op) {
    case REG_LOAD:
    case REG_STORE:
    case REG_WRITE:
    case REG_PGETOFF:
    case REG_MSIZE:
    case REG_MLAB: return k == 0 ? &g->pointers : &g->all;
    case REG_PSETOFF: return k == 0 ? &g->pointers : k == 1 ? &g->ints : &g->all;
    case REG_BINOP: return k < 2 ? &g->ints : &g->all;
    case REG_ALLOC: return k == 0 ? &g->ints : k == 1 ? &g->labels : &g->all;
    case REG_BCALL: return k == 0 ? &g->addresses : k == 1 ? &g->labels : &g->all;
    case REG_JUMP: return &g->addresses;
    case REG_BNZ: return &g->ints;
    default: return &g->all;
    }
}

static struct reg_instr hand_instr(sonde *t, const struct reg_state *s)
{
    sonde_span(t, "instr");
    struct groups g = sort_registers(s);
    struct reg_instr i = {.op = (uint8_t)hand_opcode(t, s, &g)};
    if (i.op == REG_PUT) i.n = sonde_int(t, "n", -HAND_NUMBER, HAND_NUMBER);
    if (i.op == REG_BNZ) i.n = sonde_int(t, "n", -1, 2);
    if (i.op == REG_BINOP) {
        static const uint8_t on_ints[] = {REG_ADD, REG_MULT, REG_EQ};
        i.binop = sonde_element(t, "binop", on_ints);
    }
    if (i.op == REG_PUTLAB) i.label = (uint8_t)draw_label(t, "label");
    for (int k = 0; k < operands((enum reg_opcode)i.op); k++)
        i.r[k] = pick_from(t, operand_group(&g, (enum reg_opcode)i.op, k));
    return i;
}

static void hand_state(sonde *t, struct reg_state *s)
{
    sonde_span(t, "state");
    struct reg_region *region = &s->memory[REG_L];
    for (unsigned stamp = 0; stamp < REG_LABELS; stamp++) s->memory[stamp].n = 0;
    region->n = HAND_FRAMES;
    for (int i = 0; i < HAND_FRAMES; i++) {
        region->frames[i].label = draw_label(t, "label");
        region->frames[i].n = HAND_ATOMS;
        for (int k = 0; k < HAND_ATOMS; k++) region->frames[i].atoms[k] = hand_atom(t);
    }
    s->n_registers = REG_REGISTERS;
    for (int i = 0; i < REG_REGISTERS; i++) s->registers[i] = hand_atom(t);
    s->n_calls = sonde_pick(t, "has call", 10) != 0;
    if (s->n_calls) hand_call(t, &s->calls[0], draw_label(t, "back label"));
    s->pc = sonde_int(t, "pc", 0, HAND_CODE - 1);
    s->pc_label = draw_label(t, "pc label");
    s->n_code = HAND_CODE;
    s->code[0] = s->code[1] = hand_instr(t, s);
}

/* ---- Variation */

static unsigned draw_high(sonde *t, unsigned observer)
{
    unsigned high[REG_LABELS];
    size_t n = 0;
    for (unsigned label = 0; label < REG_LABELS; label++)
        if (!reg_flows(label, observer)) high[n++] = label;
    return high[sonde_pick(t, "high label", n)];
}

static struct reg_atom vary_atom(sonde *t, unsigned observer, struct reg_atom a)
{
    sonde_span(t, "atom");
    if (reg_flows(a.label, observer)) return a;
    enum reg_kind kind = (enum reg_kind)a.kind;
    if (sonde_pick(t, "any kind", 10) == 9) kind = (enum reg_kind)sonde_pick(t, "kind", REG_KINDS);
    return hand_value(t, kind, a.label);
}

static void vary_frame(sonde *t, unsigned observer, struct reg_frame *frame)
{
    if (reg_flows(frame->label, observer)) {
        for (int k = 0; k < frame->n; k++) frame->atoms[k] = vary_atom(t, observer, frame->atoms[k]);
        return;
    }
    frame->n += sonde_bool(t, "longer");
    for (int k = 0; k < frame->n; k++) frame->atoms[k] = hand_atom(t);
}

static void vary_call(sonde *t, unsigned observer, struct reg_call *call)
{
    if (!reg_flows(call->back_label, observer)) {
        hand_call(t, call, draw_high(t, observer));
        return;
    }
    for (int r = 0; r < call->n_saved; r++) call->saved[r] = vary_atom(t, observer, call->saved[r]);
}

static void vary_state(sonde *t, unsigned observer, struct reg_state *s)
{
    sonde_span(t, "variation");
    for (int i = 0; i < HAND_FRAMES; i++) vary_frame(t, observer, &s->memory[REG_L].frames[i]);
    for (int i = 0; i < s->n_calls; i++) vary_call(t, observer, &s->calls[i]);
    if (reg_flows(s->pc_label, observer)) {
        for (int r = 0; r < s->n_registers; r++) s->registers[r] = vary_atom(t, observer, s->registers[r]);
        return;
    }
    s->pc = sonde_int(t, "pc", 0, HAND_CODE - 1);
    s->pc_label = draw_high(t, observer);
    for (int r = 0; r < s->n_registers; r++) s->registers[r] = hand_atom(t);
}

void reg_smart(sonde *t, struct reg_input *in)
{
    in->observer = draw_label(t, "observer");
    hand_state(t, &in->a);
    in->b = in->a;
    vary_state(t, in->observer, &in->b);
}
