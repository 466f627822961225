/* The generators of the information-flow machines (bench/ifc) beside derived ones, for bench/derive/compare.
 *
 * Of the stack machine the types are its own, and what they do not say is here. The other two keep in one flat record
 * what is a choice between several, so the types that are derived from are written as such, and a function reads them
 * into the machine's. As by hand, the lists and numbers of a case are as large as its size says: limits are
 * expressions, and `size` is a variable. */
#include "derive/beside.h"
#include "ifc/eeni.h"
#include "ifc/register.h"
#include "ifc/stack.h"

#include <sonde/derive.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 6 };
#define MANY (size_t) size
#define NUMBER SONDE_RANGE(-size, size)

static int size; /* of the case that is drawn */

static int draw_size(sonde *t, const char *label)
{
    return size = sonde_int(t, label, 0, SIZE);
}

/* ---- The stack machine */

#define HAS_NUMBER (it->op == STACK_PUSH || it->op == STACK_BCALL)

SONDE_ABOUT(struct stack_instr, op,
            SONDE_ONE_OF(STACK_NOP, STACK_PUSH, STACK_BCALL, STACK_BRET, STACK_ADD, STACK_LOAD, STACK_STORE,
                         STACK_HALT));
SONDE_ABOUT(struct stack_instr, n, SONDE_RANGE(HAS_NUMBER ? -size : 0, HAS_NUMBER ? size : 0));
SONDE_ABOUT(struct stack_atom, value, NUMBER);
SONDE_ABOUT(struct stack_state, code, SONDE_COUNT(n_code, MANY, MANY));
SONDE_ABOUT(struct stack_state, memory, SONDE_COUNT(n_memory, MANY, MANY));
SONDE_ABOUT(struct stack_state, stack, SONDE_COUNT(n_stack, 0, MANY));

/* Both in one record, beside two that are drawn one after the other. */
struct stack_two {
    int size SONDE_BY(draw_size);
    struct stack_state a, b;
};
SONDE_DERIVE(struct stack_two, stack_two);

SONDE_DERIVE(struct stack_state, stack_state);

static struct stack_pair *stack_pair;
static const struct stack_state *stack_a, *stack_b;

static void stack_two_hand(sonde *t)
{
    stack_pair = sonde_new(t, struct stack_pair);
    stack_naive(t, stack_pair);
    stack_a = &stack_pair->a, stack_b = &stack_pair->b;
}

static void stack_record_derived(sonde *t)
{
    const struct stack_two *two = draw_stack_two(t, "two");
    stack_a = &two->a, stack_b = &two->b;
}

static void stack_two_derived(sonde *t)
{
    draw_size(t, "size");
    stack_a = draw_stack_state(t, "state");
    stack_b = draw_stack_state(t, "state");
}

static unsigned long stack_records(void)
{
    unsigned long n = 0;
    for (int i = 0; i < 2; i++) {
        const struct stack_state *s = i ? stack_b : stack_a;
        n += (unsigned long)(2 + s->n_code + s->n_memory + 2 * s->n_stack);
    }
    return n;
}

static void stack_check(sonde *t, unsigned fault)
{
    struct stack_table table = stack_table(fault);
    stack_check_ssni(t, &table, stack_a, stack_b);
}

/* ---- The register machine */

enum label { L = REG_L, M1 = REG_M1, M2 = REG_M2, H = REG_H };
enum kind { INTEGER, POINTER, LABEL };

struct atom {
    enum kind kind;
    union {
        int integer NUMBER;
        struct {
            int block NUMBER;
            enum label stamp;
            int offset NUMBER;
        } pointer;
        enum label label;
    } as SONDE_TAG(kind, INTEGER : integer, POINTER : pointer, LABEL : label);
    enum label label;
};

struct frame {
    enum label label;
    size_t n;
    struct atom *atoms SONDE_COUNT(n, MANY, MANY);
};

struct region {
    enum label stamp;
    size_t n;
    struct frame *frames SONDE_COUNT(n, MANY, MANY);
};

struct call {
    int back NUMBER;
    enum label back_label;
    size_t n;
    struct atom *saved SONDE_COUNT(n, MANY, MANY);
    int result NUMBER;
    enum label result_label;
};

enum operation { ADD, MULTIPLY, JOIN, FLOWS_TO, EQUAL };
struct one {
    int a NUMBER;
};
struct two {
    int a NUMBER, b NUMBER;
};
struct three {
    int a NUMBER, b NUMBER, c NUMBER;
};

struct instruction {
    enum reg_opcode op;
    union {
        struct one one;
        struct two two;
        struct three three;
        struct {
            int n NUMBER;
            struct one one;
        } number;
        struct {
            enum label label;
            struct one one;
        } label;
        struct {
            enum operation operation;
            struct three three;
        } binary;
    } as SONDE_TAG(op, REG_NOP:, REG_PUT
                   : number, REG_MOV
                   : two, REG_LOAD
                   : two, REG_STORE
                   : two, REG_WRITE
                   : two, REG_BINOP
                   : binary, REG_JUMP
                   : one, REG_BNZ
                   : number, REG_BCALL
                   : three, REG_BRET:, REG_LAB_OF
                   : two, REG_PCLAB
                   : one, REG_PUTLAB
                   : label, REG_ALLOC
                   : three, REG_PGETOFF
                   : two, REG_PSETOFF
                   : three, REG_MSIZE
                   : two, REG_MLAB
                   : two, REG_HALT:);
};

struct state {
    size_t n_code, n_regions, n_calls, n_registers;
    struct instruction *code SONDE_COUNT(n_code, MANY, MANY);
    struct region *regions SONDE_COUNT(n_regions, MANY, MANY);
    struct call *calls SONDE_COUNT(n_calls, MANY, MANY);
    struct atom *registers SONDE_COUNT(n_registers, MANY, MANY);
    int pc NUMBER;
    enum label pc_label;
};

SONDE_DERIVE(struct state, state);

static struct reg_atom read_atom(const struct atom *from)
{
    struct reg_atom a = {.kind = (uint8_t)from->kind, .label = (uint8_t)from->label};
    if (from->kind == INTEGER) a.n = from->as.integer;
    else if (from->kind == LABEL) a.inner = (uint8_t)from->as.label;
    else {
        a.block = from->as.pointer.block;
        a.inner = (uint8_t)from->as.pointer.stamp;
        a.n = from->as.pointer.offset;
    }
    return a;
}

static struct reg_instr read_instruction(const struct instruction *from)
{
    static const char *const shapes = ".n2222b1n3.21l32322."; /* by opcode */
    struct reg_instr i = {.op = (uint8_t)from->op};
    struct three r = {0};
    switch (shapes[from->op]) {
    case '1': r.a = from->as.one.a; break;
    case '2': r.a = from->as.two.a, r.b = from->as.two.b; break;
    case '3': r = from->as.three; break;
    case 'n': i.n = from->as.number.n, r.a = from->as.number.one.a; break;
    case 'l': i.label = (uint8_t)from->as.label.label, r.a = from->as.label.one.a; break;
    case 'b': i.binop = (uint8_t)from->as.binary.operation, r = from->as.binary.three; break;
    default: break;
    }
    i.r[0] = r.a, i.r[1] = r.b, i.r[2] = r.c;
    return i;
}

static void read_regions(const struct state *from, struct reg_state *s)
{
    for (unsigned stamp = 0; stamp < REG_LABELS; stamp++) s->memory[stamp].n = 0;
    for (size_t i = 0; i < from->n_regions; i++) {
        const struct region *region = &from->regions[i];
        s->memory[region->stamp].n = (int)region->n;
        for (size_t k = 0; k < region->n; k++) {
            struct reg_frame *frame = &s->memory[region->stamp].frames[k];
            frame->label = region->frames[k].label;
            frame->n = (int)region->frames[k].n;
            for (int m = 0; m < frame->n; m++) frame->atoms[m] = read_atom(&region->frames[k].atoms[m]);
        }
    }
}

/* The top of the stack is drawn first and kept last. */
static void read_calls(const struct state *from, struct reg_state *s)
{
    s->n_calls = (int)from->n_calls;
    for (size_t i = 0; i < from->n_calls; i++) {
        const struct call *call = &from->calls[i];
        struct reg_call *to = &s->calls[from->n_calls - 1 - i];
        to->back = call->back, to->back_label = call->back_label;
        to->result = call->result, to->result_label = call->result_label;
        to->n_saved = (int)call->n;
        for (size_t k = 0; k < call->n; k++) to->saved[k] = read_atom(&call->saved[k]);
    }
}

static void read_state(const struct state *from, struct reg_state *s)
{
    s->n_code = (int)from->n_code, s->n_registers = (int)from->n_registers;
    for (size_t i = 0; i < from->n_code; i++) s->code[i] = read_instruction(&from->code[i]);
    read_regions(from, s);
    read_calls(from, s);
    for (size_t i = 0; i < from->n_registers; i++) s->registers[i] = read_atom(&from->registers[i]);
    s->pc = from->pc, s->pc_label = from->pc_label;
}

static struct reg_input reg_input;            /* large, and overwritten by every case */
static const struct state *state_a, *state_b; /* to be read into it */

static void reg_two_hand(sonde *t)
{
    state_a = NULL;
    reg_naive(t, &reg_input);
}

static void reg_two_derived(sonde *t)
{
    draw_size(t, "size");
    reg_input.observer = (unsigned)sonde_pick(t, "observer", REG_LABELS);
    state_a = draw_state(t, "state");
    state_b = draw_state(t, "state");
}

static void reg_read(void)
{
    if (!state_a) return;
    read_state(state_a, &reg_input.a);
    read_state(state_b, &reg_input.b);
    state_a = NULL;
}

static void reg_check(sonde *t, unsigned fault)
{
    struct reg_table table = reg_table(fault);
    reg_read();
    reg_check_ssni(t, &table, &reg_input);
}

/* As many as a case of this size has: frames that were replaced were drawn too. */
static unsigned long reg_records(void)
{
    reg_read();
    unsigned long n = (unsigned long)reg_input.a.n_code;
    return 2 * (2 + n * (1 + 1 + n * (1 + n) + 1 + n + 1));
}

/* ---- The first stack machine: programs of short sequences. An alternative that is ten times as likely as others has ten
 * values of its tag; addresses are taken modulo what there is. */

enum { NUMBERS = 10 };

/* The value that the other run has instead of a secret. */
struct secret {
    uint8_t as;
    union {
        int any SONDE_RANGE(-NUMBERS, NUMBERS);
        int alike SONDE_RANGE(0, EENI_CODE - 1);
    } is SONDE_TAG(as, 0
                   : alike, 1
                   : alike, 2
                   : alike, 3
                   : alike, 4
                   : alike, 5
                   : alike, 6
                   : alike, 7
                   : alike, 8
                   : alike, 9
                   : alike, 10
                   : any);
};

struct push {
    uint8_t of;
    union {
        int any SONDE_RANGE(-NUMBERS, NUMBERS);
        int data SONDE_RANGE(0, EENI_MEMORY);
        int code SONDE_RANGE(0, EENI_CODE);
    } is SONDE_TAG(of, 0 : any, 1 : data, 2 : code);
    struct secret *secret SONDE_NULLABLE;
};

struct push_data {
    int address SONDE_RANGE(0, EENI_MEMORY - 1);
    struct secret *secret SONDE_NULLABLE;
};

struct push_code {
    int address SONDE_RANGE(0, EENI_CODE - 1);
    struct secret *secret SONDE_NULLABLE;
};

struct plain {
    uint8_t which;
    union {
        struct push push;
    } is SONDE_TAG(which, 0
                   : push, 1
                   : push, 2
                   : push, 3
                   : push, 4
                   : push, 5
                   : push, 6
                   : push, 7
                   : push, 8
                   : push, 9
                   : push, 10
                   :, 11
                   :, 12
                   :, 13
                   :, 14
                   :, 15
                   :, 16
                   :, 17
                   :, 18
                   :);
};

struct sequence {
    uint8_t kind;
    union {
        struct plain plain;
        struct {
            struct push a, b;
        } add;
        struct push_data load;
        struct {
            struct push value;
            struct push_data to;
        } store;
        struct push_code jump;
        struct {
            struct push_code to;
            int args SONDE_RANGE(0, 2);
            bool returns;
            size_t n;
            struct sequence *body SONDE_COUNT(n, 0, 12);
            bool at_end;
        } call;
    } is SONDE_TAG(kind, 0
                   : plain, 1
                   : plain, 2
                   : plain, 3
                   : plain, 4
                   : plain, 5
                   : plain, 6
                   : plain, 7
                   : plain, 8
                   : plain, 9
                   : plain, 10
                   : add, 11
                   : load, 12
                   : store, 13
                   : jump, 14
                   : call);
};

struct program {
    int n_memory SONDE_RANGE(0, EENI_MEMORY);
    size_t n;
    struct sequence *sequences SONDE_COUNT(n, 13, 33);
};
SONDE_DERIVE(struct program, program);

enum { CODE = 50 }; /* at most */
static struct eeni_pair eeni_pair;
static const struct program *program;
static int n_code;

static int length_of(const struct sequence *s)
{
    static const uint8_t lengths[] = {3, 2, 3, 2, 3};
    int n = s->kind < 10 ? 1 : lengths[s->kind - 10];
    for (size_t i = 0; s->kind == 14 && i < s->is.call.n; i++) n += length_of(&s->is.call.body[i]);
    return n;
}

static int vary(const struct secret *secret, int value)
{
    int n_memory = eeni_pair.a.n_memory, alike = secret->is.alike;
    bool is_data = value >= 0 && value < n_memory, is_code = value >= 0 && value < n_code;
    if (secret->as == 10) return secret->is.any;
    if (is_data && (!is_code || alike % 2)) return alike / 2 % n_memory;
    return is_code ? alike % n_code : alike % (2 * NUMBERS + 1) - NUMBERS;
}

static void emit(struct eeni_instr i, const struct secret *secret)
{
    struct eeni_state *a = &eeni_pair.a, *b = &eeni_pair.b;
    if (a->n_code == n_code) return;
    a->code[a->n_code++] = i;
    if (secret) i.atom.value = vary(secret, i.atom.value);
    b->code[b->n_code++] = i;
}

static void emit_value(int value, const struct secret *secret)
{
    emit((struct eeni_instr){.op = EENI_PUSH, .atom = {value, secret != NULL}}, secret);
}

static void emit_op(enum eeni_opcode op)
{
    emit((struct eeni_instr){.op = op}, NULL);
}

static void emit_push(const struct push *p)
{
    int n_memory = eeni_pair.a.n_memory;
    emit_value(p->of == 0   ? p->is.any
               : p->of == 1 ? p->is.data % (n_memory + 1)
                            : p->is.code % (n_code + 1),
               p->secret);
}

static void emit_data(const struct push_data *p)
{
    emit_value(eeni_pair.a.n_memory ? p->address % eeni_pair.a.n_memory : p->address, p->secret);
}

static void emit_code(const struct push_code *p)
{
    emit_value(p->address % n_code, p->secret);
}

static void emit_plain(const struct plain *p)
{
    static const enum eeni_opcode ops[] = {EENI_NOOP, EENI_POP,  EENI_ADD,  EENI_LOAD, EENI_STORE,
                                           EENI_JUMP, EENI_HALT, EENI_HALT, EENI_HALT};
    if (p->which < 10) emit_push(&p->is.push);
    else emit_op(ops[p->which - 10]);
}

static void emit_sequence(const struct sequence *s)
{
    switch (s->kind) {
    case 10: emit_push(&s->is.add.a), emit_push(&s->is.add.b), emit_op(EENI_ADD); return;
    case 11: emit_data(&s->is.load), emit_op(EENI_LOAD); return;
    case 12: emit_push(&s->is.store.value), emit_data(&s->is.store.to), emit_op(EENI_STORE); return;
    case 13: emit_code(&s->is.jump), emit_op(EENI_JUMP); return;
    case 14: break;
    default: emit_plain(&s->is.plain); return;
    }
    emit_code(&s->is.call.to);
    emit((struct eeni_instr){.op = EENI_CALL, .args = s->is.call.args, .returns = s->is.call.returns}, NULL);
    for (size_t i = 0; i < s->is.call.n; i++) emit_sequence(&s->is.call.body[i]);
    emit((struct eeni_instr){.op = EENI_RETURN, .returns = s->is.call.at_end}, NULL);
}

static void eeni_hand(sonde *t)
{
    program = NULL;
    eeni_draw(t, &eeni_pair);
}

static void eeni_derived(sonde *t)
{
    program = draw_program(t, "program");
}

static void eeni_read(void)
{
    if (!program) return;
    struct eeni_state *a = &eeni_pair.a, *b = &eeni_pair.b;
    n_code = 0;
    for (size_t i = 0; i < program->n; i++) n_code += length_of(&program->sequences[i]);
    if (n_code > CODE) n_code = CODE;
    a->n_memory = b->n_memory = program->n_memory;
    for (int i = 0; i < a->n_memory; i++) a->memory[i] = b->memory[i] = (struct eeni_atom){0, false};
    a->n_code = b->n_code = a->n_stack = b->n_stack = 0;
    a->pc = b->pc = (struct eeni_atom){0, false};
    for (size_t i = 0; i < program->n; i++) emit_sequence(&program->sequences[i]);
    program = NULL;
}

static void eeni_find(sonde *t, unsigned fault)
{
    eeni_read();
    eeni_check(t, (enum eeni_bug)fault, &eeni_pair);
}

static unsigned long eeni_records(void)
{
    eeni_read();
    return (unsigned long)eeni_pair.a.n_code;
}

/* ---- The comparison */

struct subject {
    const char *name;
    struct beside_draw hand, derived;
    void (*check)(sonde *t, unsigned fault);
    unsigned last; /* of its faults */
};
static const struct subject subjects[] = {
    {.name = "stack",
     .hand = {stack_two_hand, stack_records},
     .derived = {stack_two_derived, stack_records},
     .check = stack_check,
     .last = STACK_FAULTS},
    {.name = "stack-record",
     .hand = {stack_two_hand, stack_records},
     .derived = {stack_record_derived, stack_records},
     .check = stack_check,
     .last = STACK_FAULTS},
    {.name = "register",
     .hand = {reg_two_hand, reg_records},
     .derived = {reg_two_derived, reg_records},
     .check = reg_check,
     .last = REG_FAULTS},
    {.name = "eeni",
     .hand = {eeni_hand, eeni_records},
     .derived = {eeni_derived, eeni_records},
     .check = eeni_find,
     .last = EENI_BUGS - 1},
};

struct run {
    const struct subject *subject;
    void (*draw)(sonde *t);
    unsigned fault;
};

static void find(sonde *t)
{
    const struct run *run = sonde_context(t);
    run->draw(t);
    run->subject->check(t, run->fault);
}

static void find_fault(struct beside *b, const struct subject *subject, unsigned fault)
{
    char name[16];
    snprintf(name, sizeof name, "%u", fault);
    struct run by_hand = {subject, subject->hand.draw, fault}, by_derived = {subject, subject->derived.draw, fault};
    sonde_property hand = {.name = "hand", .run = find, .context = &by_hand},
                   derived = {.name = "derived", .run = find, .context = &by_derived};
    beside_fault(b, name, &hand, &derived);
}

/* "1,5,7"; all without one. */
static bool is_wanted(const char *faults, unsigned fault)
{
    if (!faults) return true;
    for (const char *at = faults; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strtoul(at, NULL, 10) == fault) return true;
    return false;
}

int main(int argc, char **argv)
{
    static bool draws, has_faults;
    static const char *which, *faults;
    static const struct bench_flag flags[] = {{"--draw", &draws, "only draw, by hand or derived", &which},
                                              {"--faults", &has_faults, "their numbers, comma-separated", &faults},
                                              {NULL, NULL, NULL, NULL}};
    static const char *const columns[] = {NULL};
    static struct bench bench = {.suite = "derive",
                                 .columns = columns,
                                 .flags = flags,
                                 .guides = "cgpt,auto",
                                 .tests = 100000,
                                 .first_seed = 1,
                                 .last_seed = 10};
    static struct beside b = {.bench = &bench};
    bench_start(&bench, argc, argv);
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        const struct subject *s = &subjects[i];
        if (!bench_wants(&bench, s->name)) continue;
        b.subject = s->name;
        if (which) beside_draw(&bench, strcmp(which, "hand") ? &s->derived : &s->hand);
        for (unsigned g = 0; !which && (b.guide = bench_guide(&bench, g)) != NULL; g++) {
            for (unsigned fault = 1; fault <= s->last; fault++)
                if (is_wanted(faults, fault)) find_fault(&b, s, fault);
            beside_end(&b);
        }
    }
    return bench_end(&bench);
}
