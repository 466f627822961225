/* How a case of the suite reports what got through. */
#ifndef BENCH_ASSUME_ACCEPT_H
#define BENCH_ASSUME_ACCEPT_H

#include "assume/cases.h"

uint64_t assume_mix(uint64_t hash, int64_t x);
/* These values are the tuple and the variables. */
void assume_accept(sonde *t, const int64_t *values, size_t n);
#define ASSUME_ACCEPT(t, ...)                                                                                          \
    assume_accept((t), (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* The automatic form: the conditions as a user writes them, which `sonde cc` gives distances. */
#ifdef ASSUME_PLAIN
#undef sonde_assume_that
#undef sonde_rel
#undef sonde_all
#undef sonde_any
#define ASSUME_PICK_(a, b, c, name, ...) name
#define ASSUME_RELATION_(t, a, op, b) sonde_assume(t, (a)op(b))
#define ASSUME_CONDITION_(t, condition) sonde_assume(t, condition)
#define sonde_assume_that(t, ...)                                                                                      \
    ASSUME_PICK_(__VA_ARGS__, ASSUME_RELATION_, none, ASSUME_CONDITION_, none)(t, __VA_ARGS__)
#define ASSUME_ANY_2_(a, b) ((a) || (b))
#define ASSUME_ANY_3_(a, b, c) ((a) || (b) || (c))
#define sonde_rel(a, op, b) (a) op(b)
#define sonde_any(...) ASSUME_PICK_(__VA_ARGS__, ASSUME_ANY_3_, ASSUME_ANY_2_, none)(__VA_ARGS__)
#define sonde_all(a, b) ((a) && (b))
#endif

#endif
