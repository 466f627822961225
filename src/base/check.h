/* Assertions on sonde's own data structures. In checked builds (hostile and sanitizers, which define SONDE_CHECKED)
 * a failed assertion ends the process and prints its condition and location. In other builds the condition is
 * compiled, so that it stays valid C, but never evaluated.
 *
 * Each data structure has one function x_check, which asserts everything that its comments promise. x_check is called
 * where a caller hands the structure over, and where the structure rearranges itself. Most checks visit every element.
 * A structure that grows is therefore checked at milestones only, which costs a constant factor instead of quadratic
 * time.
 *
 * A comment about what always holds belongs in x_check, if it can be computed. A failed assertion is always a defect
 * of sonde. Damage that the code under test can do is not asserted; it is detected and reported. */
#ifndef SONDE_BASE_CHECK_H
#define SONDE_BASE_CHECK_H

#include "base/die.h"

#ifdef SONDE_CHECKED
#define sonde_assert(...)                                                                                              \
    ((__VA_ARGS__) ? (void)0                                                                                           \
                   : sonde_die(SONDE_INTERNAL, "%s:%d: assertion failed: %s; this is a bug in sonde", __FILE__,        \
                               __LINE__, #__VA_ARGS__))
/* Declares the check function of a structure; without SONDE_CHECKED, defines it empty. */
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

/* Returns whether a structure that has grown to n elements is due for a check of all elements. True for small n and
 * for powers of two. */
static inline bool sonde_is_milestone(uint64_t n)
{
    return n < 16 || (n & (n - 1)) == 0;
}

#endif
