/* How far a predicate got. While the condition of an assume calls a function (sonde cc marks where), the comparisons that
 * instrumented code makes are counted: the more of them were made before it said no, the further it got (the approach
 * level of search-based testing), and the sides of the last one tell how near it was to getting further (the branch
 * distance). Which relation was asked for is not known, nor whether the last comparison was the one that decided, so
 * this is a hint; the truth is what the function said.
 *
 * Example: the condition calls is_palindrome, which compares symbols from both ends and says no at the first
 * difference. Which sides a comparison had is kept with the case (case.h), for guides that find out what they depend on. For "abca" it makes two comparisons, the last with a distance of 1; for "axca" two with a larger
 * one; for "zbca" one. So a guide can climb from "zbca" over "axca" to "abca" and on. */
#ifndef SONDE_OBSERVE_FOLLOW_H
#define SONDE_OBSERVE_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who in this thread wants to hear of comparisons; code under test makes many, so that asking has to be one load. */
enum sonde_listener {
    SONDE_LISTENER_TRACE = 1,  /* a table (trace.h) */
    SONDE_LISTENER_FOLLOW = 2, /* a predicate is followed */
    SONDE_LISTENER_FIRST = 4,  /* nobody knows yet that code is instrumented */
    SONDE_LISTENER_SIGNS = 8   /* with TRACE: which side was the greater one, too */
};
extern _Thread_local uint8_t sonde_listeners __attribute__((tls_model("initial-exec"), visibility("hidden")));

struct sonde_follow {
    uint32_t n;    /* comparisons */
    double apart;  /* sides of the last one */
    uint32_t call; /* what the case calls it */
};

extern _Thread_local struct sonde_follow sonde_following
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Only while it is on. */
void sonde_follow_numbers(uintptr_t place, uint64_t a, uint64_t b);
void sonde_follow_doubles(uintptr_t place, double a, double b);
void sonde_follow_switch(uint64_t value, const uint64_t *cases, uint64_t n);
void sonde_follow_texts(const char *a, size_t n_a, const char *b, size_t n_b);

#endif
