#define _GNU_SOURCE /* O_TMPFILE */
/* libsonde_faults.a: for programs that are linked with -Wl,--wrap=read and so on (the list is in sonde-faults.pc). Only calls
 * from what is linked together are seen. Works under sanitizers. */
#include <stdbool.h>

#define DEFINE(type, name, parameters)                                                                                 \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters
#define REAL(name) __real_##name

#include "calls.h"
