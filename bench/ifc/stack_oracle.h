/* Measured facts about the stack machine: how many of 10^7 tests fail with each table and generator. */
#ifndef BENCH_IFC_STACK_ORACLE_H
#define BENCH_IFC_STACK_ORACLE_H

#include "ifc/stack.h"

/* Counts of one generator over all tables at once: [0] is the right one. */
struct stack_census {
    uint64_t tests, accepted;
    uint64_t failed[STACK_FAULTS + 1];
    uint64_t false_alarms; /* of the right table, where the comparison forgets the code */
};
struct stack_census stack_count(stack_generator *generator, uint64_t tests, uint64_t seed);

/* Prints measured and known numbers with the tolerance; true if all agree. */
bool stack_conforms(uint64_t tests, uint64_t seed, FILE *out);

#endif
