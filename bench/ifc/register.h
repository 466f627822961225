/* The register machine with information-flow labels of FuzzChick (section 4.2): four labels, memory in frames reached
 * by pointers, a call stack, twenty instructions; and its single-step noninterference for an observer.
 *
 * As on the stack machine, what happens to labels is a table of rules and a bug is a table with one label dropped:
 * thirty-three of them, numbered as in the paper's figure 9. The machine is in register_machine.c, what an observer can
 * tell apart and the claim in register_ssni.c, both to be instrumented; generators are in register_gen.c.
 *
 * Deviation from the source, where numbers and frames have no bound: numbers are 64 bits and wrap, and an allocation of
 * more than REG_ATOMS atoms is stuck. No generator makes a number that large. */
#ifndef BENCH_IFC_REGISTER_H
#define BENCH_IFC_REGISTER_H

#include <sonde.h>

enum {
    REG_SIZE_MAX = 6,
    REG_CODE = 8,
    REG_REGISTERS = 10,
    REG_CALLS = 8,
    REG_FRAMES = 8, /* per region */
    REG_ATOMS = 16, /* per frame */
    REG_FAULTS = 33
};

/* Labels are sets: L below M1 and M2, both below H. Join is union, "flows to" is inclusion. */
enum reg_label { REG_L = 0, REG_M1 = 1, REG_M2 = 2, REG_H = 3, REG_LABELS = 4 };

static inline bool reg_flows(unsigned a, unsigned b)
{
    return (a & ~b) == 0;
}

enum reg_kind { REG_INT, REG_PTR, REG_LAB, REG_KINDS };

struct reg_atom {
    uint8_t kind;  /* enum reg_kind */
    uint8_t label; /* of the atom */
    uint8_t inner; /* the label that a LAB is, or the stamp of the block that a PTR points to */
    int32_t block; /* of a PTR: which frame of its region */
    int64_t n;     /* of an INT; of a PTR: the offset */
};

struct reg_frame {
    unsigned label;
    int n;
    struct reg_atom atoms[REG_ATOMS];
};

struct reg_region {
    int n;
    struct reg_frame frames[REG_FRAMES];
};

struct reg_call {
    int64_t back; /* return address */
    unsigned back_label;
    int64_t result; /* register */
    unsigned result_label;
    int n_saved;
    struct reg_atom saved[REG_REGISTERS];
};

enum reg_opcode {
    REG_NOP,
    REG_PUT,
    REG_MOV,
    REG_LOAD,
    REG_STORE,
    REG_WRITE,
    REG_BINOP,
    REG_JUMP,
    REG_BNZ,
    REG_BCALL,
    REG_BRET,
    REG_LAB_OF,
    REG_PCLAB,
    REG_PUTLAB,
    REG_ALLOC,
    REG_PGETOFF,
    REG_PSETOFF,
    REG_MSIZE,
    REG_MLAB,
    REG_HALT,
    REG_OPCODES
};

enum reg_binop { REG_ADD, REG_MULT, REG_JOIN, REG_FLOWSTO, REG_EQ, REG_BINOPS };

struct reg_instr {
    uint8_t op, binop, label; /* of PUTLAB */
    int64_t n;                /* of PUT and BNZ */
    int64_t r[3];             /* registers, in the order of the source: operands, then the destination */
};

struct reg_state {
    struct reg_instr code[REG_CODE];
    struct reg_region memory[REG_LABELS]; /* by stamp */
    struct reg_call calls[REG_CALLS];     /* the top is the last */
    struct reg_atom registers[REG_REGISTERS];
    int n_code, n_calls, n_registers;
    int64_t pc;
    unsigned pc_label;
};

enum reg_variable { REG_V1 = 1, REG_V2 = 2, REG_V3 = 4, REG_V4 = 8, REG_VPC = 16, REG_VARIABLES = 5 };

/* Sets of variables, each standing for the join of its members. The check is that `check` flows to `bound`. */
struct reg_rule {
    unsigned check, bound, result, pc;
};

struct reg_table {
    struct reg_rule rules[REG_OPCODES];
};

/* The table with a fault, 1..33; 0: the right one. */
struct reg_table reg_table(unsigned fault);

/* One step in place; false if the machine is stuck. Then the state may be half changed. */
bool reg_step(const struct reg_table *table, struct reg_state *s);

/* Of the values, whatever their labels. */
bool reg_equal(const struct reg_atom *a, const struct reg_atom *b);

/* Whether an observer takes the two for the same. */
bool reg_alike(unsigned observer, const struct reg_state *a, const struct reg_state *b);
/* Whether no observer can reach a block that was allocated where it cannot see. */
bool reg_well_formed(const struct reg_state *s);

struct reg_input {
    unsigned observer;
    struct reg_state a, b;
};

enum reg_outcome { REG_DISCARD, REG_PASS, REG_FAIL };
enum reg_outcome reg_ssni(const struct reg_table *table, const struct reg_input *in);
/* The same as assumes and a check. */
void reg_check_ssni(sonde *t, const struct reg_table *table, const struct reg_input *in);

/* naive: two derived states of one size 0..6. copy: one of them, twice. smart: written by hand for single steps. */
typedef void reg_generator(sonde *t, struct reg_input *in);
reg_generator reg_naive, reg_copy, reg_copy3, reg_smart;

/* Prints measured and known rates; true if they agree. */
bool reg_conforms(uint64_t tests, uint64_t seed, FILE *out);

#endif
