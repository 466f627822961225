/* Invariants as code. In the checked builds (hostile and sanitizers, which define SONDE_CHECKED) an assertion that does
 * not hold ends the process with its condition and its place. In every other build it costs nothing: the condition is
 * compiled, so that it cannot rot, and never evaluated.
 *
 * A data structure has one function x_check, which asserts all that its comments promise. It is called at the seams:
 * where a caller hands the structure on, and where the structure rearranges itself. Most checks look at everything, so a
 * structure that grows is checked at milestones, which costs a constant factor and not a square.
 *
 * A comment that says what always holds belongs into x_check, if it can be computed. A check that fails is an error
 * of sonde's, never of the code under test: what that may have done is not asserted, but looked at and reported. */
#ifndef SONDE_BASE_CHECK_H
#define SONDE_BASE_CHECK_H

#include "base/die.h"

#ifdef SONDE_CHECKED
#define sonde_assert(...)                                                                                              \
    ((__VA_ARGS__) ? (void)0                                                                                           \
                   : sonde_die(SONDE_INTERNAL, "%s:%d: assertion failed: %s; this is a defect of sonde", __FILE__,     \
                               __LINE__, #__VA_ARGS__))
/* Declares the check of a structure; where nothing is checked, an empty one. */
#define SONDE_CHECKER(name, type) void name(type const *checked)
#else
#define sonde_assert(...) ((void)(0 && (__VA_ARGS__)))
#define SONDE_CHECKER(name, type)                                                                                      \
    static inline void name(type const *checked)                                                                       \
    {                                                                                                                  \
        (void)checked;                                                                                                 \
    }                                                                                                                  \
    struct sonde_checker_
#endif

/* Is it time for a check that looks at everything, now that the structure has grown to n? True for small n and for
 * powers of two. */
static inline bool sonde_is_milestone(uint64_t n)
{
    return n < 16 || (n & (n - 1)) == 0;
}

#endif
