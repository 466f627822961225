/* The floating-point environment: the code under test may trap on exceptions, round otherwise, or flush small numbers to
 * zero (as all of a program does that was linked with -ffast-math). sonde's own arithmetic must not, so it has the
 * environment that programs start with, and the code under test has its own.
 *
 * Within a case, sonde_float_enter and sonde_float_leave stand around arithmetic of sonde's. To ask for the environment takes
 * as long as a whole draw (a store that the next load waits for), so it is asked once, and only where there is arithmetic. */
#ifndef SONDE_BASE_FLOAT_H
#define SONDE_BASE_FLOAT_H

#if defined(__SSE2__)
#include <xmmintrin.h>

/* MXCSR as the ABI starts it: all exceptions masked, round to nearest, no flushing. The flags are the
 * low six bits. */
enum { SONDE_FLOAT_PLAIN = 0x1f80, SONDE_FLOAT_FLAGS = 0x3f };
typedef unsigned sonde_float_env;

/* What is in force, without the exceptions that were raised so far. */
static inline sonde_float_env sonde_float_now(void)
{
    return _mm_getcsr() & ~(unsigned)SONDE_FLOAT_FLAGS;
}

static inline void sonde_float_set(sonde_float_env env)
{
    if (sonde_float_now() != env) _mm_setcsr(env);
}

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

/* FE_DFL_ENV need not point to anything that can be read: it is set, and read from the processor. */
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
