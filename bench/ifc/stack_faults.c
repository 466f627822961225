/* The faults of the stack machine for fuzzers: pairs of naive states, as QcCrowbar makes them. */
#include "ifc/faults.h"
#include "ifc/stack.h"

static void run_fault(sonde *t, unsigned fault)
{
    struct stack_table table = stack_table(fault);
    struct stack_pair *pair = sonde_new(t, struct stack_pair);
    stack_naive(t, pair);
    stack_check_ssni(t, &table, &pair->a, &pair->b);
}

FAULTS_1_TO_20(FAULT_FUNCTION)

const sonde_property ifc_stack_properties[] = {FAULTS_1_TO_20(FAULT_ROW){.name = NULL}};
