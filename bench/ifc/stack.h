/* The stack machine with information-flow labels of FuzzChick (section 4.1), and its single-step noninterference.
 *
 * A table of rules says what each instruction does with labels, so a bug is a table with one label dropped somewhere:
 * twenty of them, numbered as in the paper's figure 8. The machine is the code under test and lies in a separate file
 * (stack_machine.c), to be instrumented alone; the generators are in stack_gen.c. */
#ifndef BENCH_IFC_STACK_H
#define BENCH_IFC_STACK_H

#include <sonde.h>

enum { STACK_SIZE_MAX = 6, STACK_CELLS = 8, STACK_ENTRIES = 16, STACK_FAULTS = 20 };

enum stack_opcode {
    STACK_NOP,
    STACK_PUSH,
    STACK_BCALL,
    STACK_BRET,
    STACK_ADD,
    STACK_LOAD,
    STACK_STORE,
    STACK_HALT,
    STACK_OPCODES
};

struct stack_instr {
    enum stack_opcode op;
    int n; /* of PUSH and BCALL; 0 otherwise */
};

struct stack_atom {
    int value;
    bool high;
};

struct stack_entry {
    bool is_return;
    struct stack_atom atom;
};

struct stack_state {
    struct stack_instr code[STACK_CELLS];
    struct stack_atom memory[STACK_CELLS];
    struct stack_entry stack[STACK_ENTRIES]; /* the top is the last */
    int n_code, n_memory, n_stack;
    struct stack_atom pc;
};

/* A rule over labels: sets of variables, each standing for the join of its members; the empty set is low. The check
 * is that `check` flows to `bound`. */
enum stack_variable { STACK_L1 = 1, STACK_L2 = 2, STACK_L3 = 4, STACK_LPC = 8 };

struct stack_rule {
    unsigned check, bound, result, pc;
};

struct stack_table {
    struct stack_rule rules[STACK_OPCODES];
};

/* Whether rules are evaluated step by step, so that coverage sees labels: how stack_machine.c was compiled. */
extern const bool stack_is_interpreted;

/* The table with a fault, 1..20; 0: the right one. */
struct stack_table stack_table(unsigned fault);

/* One step in place; false if the machine is stuck, and then the state is as it was. */
bool stack_step(const struct stack_table *table, struct stack_state *s);
bool stack_alike(const struct stack_state *a, const struct stack_state *b);
/* Instructions may differ: the mistake of an older version, for a test of the suite itself. */
bool stack_alike_but_code(const struct stack_state *a, const struct stack_state *b);

enum stack_outcome { STACK_DISCARD, STACK_PASS, STACK_FAIL };
enum stack_outcome stack_ssni(const struct stack_table *table, const struct stack_state *a,
                              const struct stack_state *b);
/* The same as assumes and a check. */
void stack_check_ssni(sonde *t, const struct stack_table *table, const struct stack_state *a,
                      const struct stack_state *b);

struct stack_pair {
    struct stack_state a, b;
};
/* naive: two derived states of one size 0..6. copy: one of them, twice. medium: the second varies the first. smart:
 * written by hand for single steps. */
typedef void stack_generator(sonde *t, struct stack_pair *pair);
stack_generator stack_naive, stack_copy, stack_medium, stack_smart;

#endif
