/* Keeps sonde's arithmetic apart from the floating-point environment of the code under test. That code may trap on
 * exceptions, change the rounding, or flush small numbers to zero, as a program linked with -ffast-math does. sonde
 * computes in the environment that programs start with.
 *
 * Within a case, sonde_float_enter and sonde_float_leave enclose sonde's arithmetic. Reading the environment takes
 * as long as a whole draw, because the next load waits for a store. So it is read once, and only around arithmetic. */
#ifndef SONDE_BASE_FLOAT_H
#define SONDE_BASE_FLOAT_H

#if defined(__SSE2__)
#include <xmmintrin.h>

/* MXCSR as the ABI starts it: all exceptions masked, round to nearest, no flushing. The flags are the low six bits. */
enum { SONDE_FLOAT_PLAIN = 0x1f80, SONDE_FLOAT_FLAGS = 0x3f };
typedef unsigned sonde_float_env;

/* Returns the environment in force, without the exception flags. */
static inline sonde_float_env sonde_float_now(void)
{
    return _mm_getcsr() & ~(unsigned)SONDE_FLOAT_FLAGS;
}

/* Sets the environment, unless it is in force already: writing the register is slow. */
static inline void sonde_float_set(sonde_float_env env)
{
    if (sonde_float_now() != env) _mm_setcsr(env);
}

/* Switches to sonde's environment and returns the previous one, for sonde_float_leave. */
static inline sonde_float_env sonde_float_enter(void)
{
    sonde_float_env users = sonde_float_now();
    if (__builtin_expect(users != SONDE_FLOAT_PLAIN, 0)) _mm_setcsr(SONDE_FLOAT_PLAIN);
    return users;
}

static inline void sonde_float_leave(sonde_float_env users)
{
    if (__builtin_expect(users != SONDE_FLOAT_PLAIN, 0)) _mm_setcsr(users);
}
#else
#include <fenv.h>

#define SONDE_FLOAT_PLAIN sonde_float_plain()
typedef fenv_t sonde_float_env;

/* FE_DFL_ENV need not point to readable memory, so it is set and then read from the processor. */
static inline sonde_float_env sonde_float_plain(void)
{
    fenv_t now, plain;
    fegetenv(&now);
    fesetenv(FE_DFL_ENV);
    fegetenv(&plain);
    fesetenv(&now);
    return plain;
}

static inline sonde_float_env sonde_float_now(void)
{
    fenv_t env;
    fegetenv(&env);
    return env;
}

static inline void sonde_float_set(sonde_float_env env)
{
    fesetenv(&env);
}

static inline sonde_float_env sonde_float_enter(void)
{
    fenv_t users;
    fegetenv(&users);
    fesetenv(FE_DFL_ENV);
    return users;
}

static inline void sonde_float_leave(sonde_float_env users)
{
    fesetenv(&users);
}
#endif

#endif
