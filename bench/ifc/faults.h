/* The faults of a machine as properties for fuzzers, by name. Each is a function, since a fuzz target has no context. */
#ifndef BENCH_IFC_FAULTS_H
#define BENCH_IFC_FAULTS_H

#include <sonde.h>

#define FAULTS_1_TO_9(f, tens)                                                                                         \
    f(tens##1) f(tens##2) f(tens##3) f(tens##4) f(tens##5) f(tens##6) f(tens##7) f(tens##8) f(tens##9)
#define FAULTS_1_TO_20(f) FAULTS_1_TO_9(f, ) f(10) FAULTS_1_TO_9(f, 1) f(20)
#define FAULTS_1_TO_33(f) FAULTS_1_TO_20(f) FAULTS_1_TO_9(f, 2) f(30) f(31) f(32) f(33)

#define FAULT_FUNCTION(n)                                                                                              \
    static void fault_##n(sonde *t)                                                                                    \
    {                                                                                                                  \
        run_fault(t, n);                                                                                               \
    }
#define FAULT_ROW(n) {.name = #n, .run = fault_##n},

extern const sonde_property ifc_stack_properties[], ifc_register_properties[]; /* end without a name */

#endif
