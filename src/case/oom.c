#define _GNU_SOURCE /* RTLD_DEFAULT */
/* sonde_oom: the number of the allocation that fails is a draw, so it is guided, recorded and shrunk like any other.
 *
 * The counter is thread-local and counts down in addons/oom. A case arms the counter with a drawn number, and disarms
 * it when the case ends. 0 means that no allocation fails. Without the library that makes allocations fail, sonde_oom
 * is a misuse, and the message names the library to link. */
#include "base/oom.h"

#include "case/case.h"

#include <dlfcn.h>
#include <string.h>

_Thread_local uint64_t *sonde_oom_counter __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* addons/oom defines this function, if the program was linked with libsonde_oom. If libsonde_oom was preloaded and
 * libsonde is part of the program, only the loader knows the symbol. */
extern uint64_t *sonde_oom_counter_(void) __attribute__((weak, visibility("default")));

static uint64_t *find_counter(void)
{
    uint64_t *(*find)(void) = sonde_oom_counter_;
    if (!find) {
        void *symbol = dlsym(RTLD_DEFAULT, "sonde_oom_counter_");
        memcpy(&find, &symbol, sizeof find);
    }
    return find ? find() : NULL;
}

uint64_t sonde_oom(sonde *t, const char *label, uint64_t max)
{
    if (!t) sonde_case_misplaced(t, "sonde_oom", label);
    /* The number is drawn before the counter is armed: the draw allocates, and must not fail. */
    sonde_oom_end(t); /* a second call in a case restarts the count */
    uint64_t n = sonde_u64(t, label, 0, max);
    uint64_t *counter = find_counter();
    if (!counter)
        sonde_misuse_(t,
                      "sonde_oom(\"%s\"): this program cannot make allocations fail; link with `pkg-config --libs "
                      "sonde-oom`, or run with LD_PRELOAD=libsonde_oom.so",
                      label);
    *counter = t->reached.oom_drawn = n;
    sonde_oom_counter = counter;
    t->reached.failing[SONDE_FAILING_MEMORY].armed += n > 0;
    return n;
}

void sonde_oom_end(sonde *t)
{
    /* Every allocation lowers the counter, so a changed counter shows that there was one. */
    if (sonde_oom_counter && t->reached.oom_drawn && *sonde_oom_counter != t->reached.oom_drawn)
        t->reached.failing[SONDE_FAILING_MEMORY].met++;
    sonde_oom_disarm();
}
