/* The baseline generator of the first paper on this machine: instructions by weight, mixed with short sequences that
 * belong together, and numbers of which two thirds are addresses. The variation of a secret is drawn with the
 * instruction that holds it. */
#include "ifc/eeni.h"

enum { SHORTEST = 20, LONGEST = 50, NUMBER = 10 };

struct maker {
    sonde *t;
    struct eeni_pair *pair;
    int n_code; /* wanted */
};

static int smart_int(const struct maker *m)
{
    switch (sonde_pick(m->t, "of", 3)) {
    case 0: return sonde_int(m->t, "value", -NUMBER, NUMBER);
    case 1: return sonde_int(m->t, "value", 0, m->pair->a.n_memory);
    default: return sonde_int(m->t, "value", 0, m->n_code);
    }
}

static int memory_address(const struct maker *m)
{
    return m->pair->a.n_memory ? sonde_int(m->t, "value", 0, m->pair->a.n_memory - 1) : smart_int(m);
}

static int code_address(const struct maker *m)
{
    return sonde_int(m->t, "value", 0, m->n_code - 1);
}

/* Another secret, of the same use as far as one can tell. */
static int vary(const struct maker *m, int value)
{
    bool is_data = value >= 0 && value < m->pair->a.n_memory, is_code = value >= 0 && value < m->n_code;
    const unsigned weights[] = {1, is_data ? 10 : 0, is_code ? 10 : 0};
    switch (sonde_weighted(m->t, "as", weights, 3)) {
    case 0: return sonde_int(m->t, "other", -NUMBER, NUMBER);
    case 1: return sonde_int(m->t, "other", 0, m->pair->a.n_memory - 1);
    default: return sonde_int(m->t, "other", 0, m->n_code - 1);
    }
}

static void emit(struct maker *m, struct eeni_instr i)
{
    struct eeni_state *a = &m->pair->a, *b = &m->pair->b;
    if (a->n_code == m->n_code) return;
    a->code[a->n_code++] = i;
    if (i.op == EENI_PUSH && i.atom.high) i.atom.value = vary(m, i.atom.value);
    b->code[b->n_code++] = i;
}

static void emit_push(struct maker *m, int (*number)(const struct maker *))
{
    sonde_span(m->t, "instr");
    struct eeni_instr i = {.op = EENI_PUSH};
    i.atom.value = number(m);
    i.atom.high = sonde_bool(m->t, "high");
    emit(m, i);
}

static void emit_plain(struct maker *m, enum eeni_opcode op)
{
    sonde_span(m->t, "instr");
    struct eeni_instr i = {.op = op};
    if (op == EENI_CALL) i.args = sonde_int(m->t, "args", 0, 2);
    if (op == EENI_CALL || op == EENI_RETURN) i.returns = sonde_bool(m->t, "returns");
    emit(m, i);
}

static void emit_weighted(struct maker *m)
{
    static const unsigned weights[EENI_OPCODES] = {
        [EENI_NOOP] = 40, [EENI_PUSH] = 400, [EENI_POP] = 40,  [EENI_ADD] = 40,
        [EENI_LOAD] = 40, [EENI_STORE] = 40, [EENI_JUMP] = 40, [EENI_HALT] = 120};
    enum eeni_opcode op = (enum eeni_opcode)sonde_weighted(m->t, "op", weights, EENI_OPCODES);
    if (op == EENI_PUSH) emit_push(m, smart_int);
    else emit_plain(m, op);
}

static void emit_block(struct maker *m, int length);

/* A routine that is called, and its end. */
static void emit_call(struct maker *m)
{
    emit_push(m, code_address);
    emit_plain(m, EENI_CALL);
    int half = (m->n_code - m->pair->a.n_code) / 2;
    emit_block(m, half > 0 ? sonde_int(m->t, "length", 0, half) : 0);
    emit_plain(m, EENI_RETURN);
}

static void emit_some(struct maker *m)
{
    static const unsigned weights[] = {10, 1, 1, 1, 1, 1};
    sonde_span(m->t, "sequence");
    switch (sonde_weighted(m->t, "sequence", weights, 6)) {
    case 0: emit_weighted(m); return;
    case 1:
        emit_push(m, smart_int);
        emit_push(m, smart_int);
        emit_plain(m, EENI_ADD);
        return;
    case 2:
        emit_push(m, memory_address);
        emit_plain(m, EENI_LOAD);
        return;
    case 3:
        emit_push(m, smart_int);
        emit_push(m, memory_address);
        emit_plain(m, EENI_STORE);
        return;
    case 4:
        emit_push(m, code_address);
        emit_plain(m, EENI_JUMP);
        return;
    default: emit_call(m);
    }
}

static void emit_block(struct maker *m, int length)
{
    int end = m->pair->a.n_code + length;
    while (m->pair->a.n_code < end && m->pair->a.n_code < m->n_code) emit_some(m);
}

void eeni_draw(sonde *t, struct eeni_pair *pair)
{
    struct eeni_state *a = &pair->a, *b = &pair->b;
    struct maker m = {.t = t, .pair = pair, .n_code = sonde_int(t, "length", SHORTEST, LONGEST)};
    a->n_memory = b->n_memory = sonde_int(t, "memory", 0, EENI_MEMORY);
    for (int i = 0; i < a->n_memory; i++) a->memory[i] = b->memory[i] = (struct eeni_atom){0, false};
    a->n_code = b->n_code = a->n_stack = b->n_stack = 0;
    a->pc = b->pc = (struct eeni_atom){0, false};
    emit_block(&m, m.n_code);
}
