/* The faults of the register machine for fuzzers: pairs of naive states, as QcCrowbar makes them. */
#include "ifc/faults.h"
#include "ifc/register.h"

static void run_fault(sonde *t, unsigned fault)
{
    static struct reg_input in; /* large, and overwritten by every case */
    struct reg_table table = reg_table(fault);
    reg_naive(t, &in);
    reg_check_ssni(t, &table, &in);
}

FAULTS_1_TO_33(FAULT_FUNCTION)

const sonde_property ifc_register_properties[] = {FAULTS_1_TO_33(FAULT_ROW){.name = NULL}};
