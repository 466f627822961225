/* The first information-flow stack machine ("Testing noninterference, quickly"), with its fourteen named bugs, and
 * end-to-end noninterference: two runs that differ only in secrets, if both halt in public, leave memories that look the
 * same. This is what the paper on targeted testing measures in its tables 1 and 2.
 *
 * Secrets enter only through high constants of PUSH. The machine is in eeni_machine.c, to be instrumented alone. */
#ifndef BENCH_IFC_EENI_H
#define BENCH_IFC_EENI_H

#include <sonde.h>

enum { EENI_CODE = 64, EENI_MEMORY = 10, EENI_STEPS = 50, EENI_STACK = EENI_STEPS + 2 };

enum eeni_opcode {
    EENI_NOOP,
    EENI_PUSH,
    EENI_POP,
    EENI_ADD,
    EENI_LOAD,
    EENI_STORE,
    EENI_JUMP,
    EENI_CALL,
    EENI_RETURN,
    EENI_HALT,
    EENI_OPCODES
};

struct eeni_atom {
    int value;
    bool high;
};

struct eeni_instr {
    enum eeni_opcode op;
    struct eeni_atom atom; /* of PUSH */
    int args;              /* of CALL */
    bool returns;          /* of CALL; of RETURN, where the right machine ignores it */
};

struct eeni_entry {
    bool is_return;
    bool returns; /* of a return entry: a value is expected */
    struct eeni_atom atom;
};

struct eeni_state {
    struct eeni_instr code[EENI_CODE];
    struct eeni_atom memory[EENI_MEMORY];
    struct eeni_entry stack[EENI_STACK]; /* the top is the last */
    int n_code, n_memory, n_stack;
    struct eeni_atom pc;
    double utility; /* of its run, as the paper on targeted testing has it */
};

enum eeni_bug {
    EENI_RIGHT,
    EENI_ADD_NO_TAINT,
    EENI_PUSH_NO_TAINT,
    EENI_LOAD_NO_TAINT,
    EENI_STORE_NO_POINTER_TAINT,
    EENI_STORE_DOWN_BY_POINTER,
    EENI_STORE_NO_VALUE_TAINT,
    EENI_JUMP_NO_RAISE,
    EENI_JUMP_LOWERS,
    EENI_STORE_NO_PC_TAINT,
    EENI_STORE_DOWN_BY_PC,
    EENI_CALL_LOWERS,
    EENI_CALL_NO_RAISE,
    EENI_RETURN_NO_TAINT,
    EENI_RETURN_DECIDES,
    EENI_POP_RETURNS,
    EENI_BUGS
};
/* As the paper calls it: "ADD*", "STORE*A", ... */
const char *eeni_name(enum eeni_bug bug);

struct eeni_pair {
    struct eeni_state a, b;
};

/* Runs until the machine stops, 50 steps at most; true if it halted under a low pc. */
bool eeni_run(enum eeni_bug bug, struct eeni_state *s);
bool eeni_alike(const struct eeni_state *a, const struct eeni_state *b);
/* Two assumes and a check. Changes the states. */
void eeni_check(sonde *t, enum eeni_bug bug, struct eeni_pair *pair);

/* A program by weights and short sequences, with numbers that are often addresses; and its variation. */
void eeni_draw(sonde *t, struct eeni_pair *pair);

#endif
