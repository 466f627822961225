/* The faults as targets of a fuzzer; the environment says which. */
#include "../faults.h"
#include "sonde_fuzz.h"

#include <stdlib.h>
#include <string.h>

#define RUN_FAULT(property)                                                                                            \
    if (strcmp(name, #property) == 0) property(t);

static void fault(sonde *t)
{
    const char *name = getenv("FAULT");
    if (!name) return;
    FAULTS(RUN_FAULT)
}

SONDE_FUZZ_TARGET(fault)
