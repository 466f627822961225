#define _GNU_SOURCE /* RTLD_NEXT */
/* libsonde_faults.so: for programs that are run with LD_PRELOAD. It also sees the calls that libraries make. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define DEFINE(type, name, parameters)                                                                                 \
    __attribute__((visibility("default"))) type name parameters;                                                       \
    type name parameters
/* The function is looked up at each call: while the program starts there may be no memory to store it in. */
#define REAL(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))

/* Does nothing here: libsonde_threads has already seen the calls of controlled threads. */
#define SEEN(p, n, writes) (void)0

#include "calls.h"
