/* See follow.h. Everything is thread-local, because the condition of an assume runs in the thread of the case. Other
 * threads of the code under test must not disturb the counts. */
#include "observe/follow.h"

#include "case/case.h"

#include <math.h>
#include <sonde.h>

/* A predicate that holds ranks above every predicate that does not hold, however many comparisons the latter made. */
enum { HELD = 1 << 16 };

_Thread_local struct sonde_follow sonde_following;
_Thread_local uint8_t sonde_listeners = SONDE_LISTENER_FIRST;

static void count(double apart)
{
    sonde_following.n++;
    sonde_following.apart = apart;
}

/* Compares as signed numbers, since sides are sign-extended (trace.c): -1 is near 0. */
static double between(uint64_t a, uint64_t b)
{
    int64_t x = (int64_t)a, y = (int64_t)b;
    return (double)(x > y ? a - b : b - a);
}

void sonde_follow_numbers(uintptr_t place, uint64_t a, uint64_t b, uint8_t bytes)
{
    double by = (int64_t)a >= (int64_t)b ? (double)(a - b) : -(double)(b - a);
    sonde_case_compared((struct sonde_compared){.place = place, .by = by, .a = a, .b = b, .bytes = bytes});
    count(between(a, b));
}

void sonde_follow_doubles(uintptr_t place, double a, double b)
{
    double apart = fabs(a - b);
    if (isfinite(a - b)) sonde_case_compared((struct sonde_compared){.place = place, .by = a - b});
    /* NaN also gives 1e300, because the comparison is then false. */
    count(apart <= 1e300 ? apart : 1e300);
}

void sonde_follow_switch(uint64_t value, const uint64_t *cases, uint64_t n)
{
    double least = n ? between(value, cases[0]) : 0;
    for (uint64_t i = 1; i < n; i++) least = fmin(least, between(value, cases[i]));
    count(least);
}

/* Each equal symbol counts as a comparison, as if a loop had made it. */
void sonde_follow_texts(const char *a, size_t n_a, const char *b, size_t n_b)
{
    size_t i = 0;
    for (; i < n_a && i < n_b && a[i] == b[i]; i++) sonde_following.n++;
    bool is_end = i == n_a || i == n_b;
    count(is_end ? fabs((double)n_a - (double)n_b) : fabs((double)(unsigned char)a[i] - (double)(unsigned char)b[i]));
}

/* ---- For the code that `sonde cc` generates for conditions */

/* Generated code calls sonde_follow_, evaluates the condition, and calls sonde_follow_stop_. Then it calls
 * sonde_followed_ with the result of the condition. */
void sonde_follow_(void)
{
    sonde_following = (struct sonde_follow){.call = sonde_case_calls()};
    sonde_listeners |= SONDE_LISTENER_FOLLOW;
}

void sonde_follow_stop_(void)
{
    sonde_listeners &= (uint8_t)~SONDE_LISTENER_FOLLOW;
}

sonde_truth sonde_followed_(sonde_boxed_ value, bool holds)
{
    const struct sonde_follow *f = &sonde_following;
    /* If nothing was compared (the function is not instrumented), only the result of the predicate is known. */
    if (holds || f->n == 0) {
        sonde_truth x = sonde_truth_number_(value, holds);
        if (holds) x.held = HELD;
        x.call_ = f->call;
        return x;
    }
    return (sonde_truth){.distance = -1 - f->apart, .held = f->n < HELD - 1 ? f->n : HELD - 1, .call_ = f->call};
}
