/* Estimates how close a predicate came to holding. `sonde cc` marks each function call in the condition of an assume.
 * While such a call runs, sonde counts the comparisons made by instrumented code. More comparisons before it returned
 * false mean that it got further (the approach level of search-based testing). The sides of the last comparison tell
 * how near the call was to getting further (the branch distance). It is unknown which relation was tested, and whether
 * the last comparison decided. So the estimate is only a hint: whether the assume holds depends on the result of the
 * function.
 *
 * Example: the condition calls is_palindrome, which compares symbols from both ends and stops at the first
 * difference. For "abca" it makes two comparisons, the last with a distance of 1; for "axca" two with a larger
 * distance; for "zbca" one. So a guide can climb from "zbca" by "axca" to "abca" and beyond. The sides of a
 * comparison are kept with the case (case.h), for guides that determine on which choices the sides depend. */
#ifndef SONDE_OBSERVE_FOLLOW_H
#define SONDE_OBSERVE_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The parts of sonde that want the comparisons of this thread, as bits of one word. Code under test makes many
 * comparisons, so finding that no part wants them must take a single load. */
enum sonde_listener {
    SONDE_LISTENER_TRACE = 1,  /* the table of hook calls (trace.h) wants them */
    SONDE_LISTENER_FOLLOW = 2, /* a predicate is followed, so its comparisons are counted */
    SONDE_LISTENER_FIRST = 4,  /* no code has called a hook yet; the first call shows that code is instrumented */
    SONDE_LISTENER_SIGNS = 8,  /* with TRACE: the table also records which side was greater */
    SONDE_LISTENER_LOG = 16    /* with TRACE: comparisons are also recorded one by one */
};
/* Holds the bits of enum sonde_listener for this thread. */
extern _Thread_local uint8_t sonde_listeners __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* A predicate that is followed. */
struct sonde_follow {
    uint32_t n;    /* number of comparisons so far */
    double apart;  /* distance between the sides of the last comparison */
    uint32_t call; /* the case's number for this call of the predicate */
};

/* Holds the predicate that this thread follows; valid while SONDE_LISTENER_FOLLOW is set. */
extern _Thread_local struct sonde_follow sonde_following
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Counts a comparison, with the address of its code; call these only while a predicate is followed. */
void sonde_follow_numbers(uintptr_t place, uint64_t a, uint64_t b, uint8_t bytes);
void sonde_follow_doubles(uintptr_t place, double a, double b);
void sonde_follow_switch(uint64_t value, const uint64_t *cases, uint64_t n);
void sonde_follow_texts(const char *a, size_t n_a, const char *b, size_t n_b);

#endif
