/* State that the processor and the C library keep per thread, and that fibers must not share. */
#ifndef SONDE_THREADS_STATE_H
#define SONDE_THREADS_STATE_H

#include "control.h"

#include <locale.h>
#include <signal.h>

/* The floating-point environment: modes, and which exceptions have happened. */
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

/* The state of one fiber. */
struct sonde_state {
    struct sonde_floats floats;
    locale_t locale;                               /* the locale that uselocale set */
    sigset_t mask;                                 /* valid only if a thread of this run has changed its mask */
    int cancel_state, cancel_type, resolver_error; /* resolver_error: h_errno */
};

/* Initialises the state of a new fiber, which inherits from the running one, its creator. */
SONDE_HIDDEN void sonde_state_begin(const struct sonde_fiber *f);
/* Saves the state of the OS thread for `from`, and loads the state of `to`. */
SONDE_HIDDEN void sonde_state_exchange(const struct sonde_fiber *from, const struct sonde_fiber *to);
/* Records a signal mask that a jump has restored as the mask of the running fiber. */
SONDE_HIDDEN void sonde_state_mask(const sigset_t *mask);

#endif
