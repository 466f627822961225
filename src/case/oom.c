#define _GNU_SOURCE /* RTLD_DEFAULT */
/* sonde_oom: which allocation fails is a draw like any other, so it is guided, recorded and shrunk.
 *
 * The counter is of the thread, and counts down in oom/; a case arms it with a drawn number and disarms
 * it at its end. 0 means that nothing fails. Without the library that fails, sonde_oom is a misuse with
 * a sentence that says what to link. */
#include "base/oom.h"

#include "case/case.h"

#include <dlfcn.h>
#include <string.h>

_Thread_local uint64_t *sonde_oom_counter __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Of oom/: there if the program was linked with libsonde_oom. If it was preloaded, and this library is part of the
 * program, only the loader knows it. */
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
    /* The draw comes first: it allocates, and must not fail. */
    sonde_oom_end(t); /* a second call in a case starts counting again */
    uint64_t n = sonde_u64(t, label, 0, max);
    uint64_t *counter = find_counter();
    if (!counter)
        sonde_misuse_(t,
                      "sonde_oom(\"%s\"): nothing here can make an allocation fail; link with `pkg-config --libs "
                      "sonde-oom`, or run with LD_PRELOAD=libsonde_oom.so",
                      label);
    *counter = t->reached.oom_drawn = n;
    sonde_oom_counter = counter;
    t->reached.failing[SONDE_FAILING_MEMORY].armed += n > 0;
    return n;
}

void sonde_oom_end(sonde *t)
{
    /* It counts down with each allocation, the first included. */
    if (sonde_oom_counter && t->reached.oom_drawn && *sonde_oom_counter != t->reached.oom_drawn)
        t->reached.failing[SONDE_FAILING_MEMORY].met++;
    sonde_oom_disarm();
}
