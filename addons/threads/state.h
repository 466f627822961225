/* State that the processor and the C library keep per thread, which fibers must not share. */
#ifndef SONDE_THREADS_STATE_H
#define SONDE_THREADS_STATE_H

#include "control.h"

#include <locale.h>
#include <signal.h>

#if defined(__x86_64__)
struct sonde_floats {
    uint32_t sse;
    uint16_t x87, x87_status;
};
#elif defined(__aarch64__)
struct sonde_floats {
    uint64_t control, status;
};
#else
#include <fenv.h>
struct sonde_floats {
    fenv_t environment;
};
#endif

struct sonde_state {
    struct sonde_floats floats;
    locale_t locale;
    sigset_t mask; /* meaningful if a thread of this run has changed its own */
    int cancel_state, cancel_type, resolver_error;
};

/* A fiber was created: the running one is its creator. */
SONDE_HIDDEN void sonde_state_begin(const struct sonde_fiber *f);
/* Saves the state of the OS thread as that of `from`, and loads the one of `to`. */
SONDE_HIDDEN void sonde_state_exchange(const struct sonde_fiber *from, const struct sonde_fiber *to);
/* The running fiber has this signal mask from now on: a jump has restored it. */
SONDE_HIDDEN void sonde_state_mask(const sigset_t *mask);

#endif
