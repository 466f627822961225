/* Whether a history of calls that overlap is linearizable: whether there is an order of them, in which no call comes before one that had
 * returned when it began, and in which the model answers as the calls did.
 *
 * The search is that of Wing and Gong ("Testing and Verifying Concurrent Objects", 1993), which tries each call that may come next, with
 * Lowe's memory of what was tried ("Testing for Linearizability", 2017): the same calls in another order that led to the same model need
 * not be tried again. What does not come to an end soon so is helped by values: see linear.c. */
#ifndef SONDE_CASE_LINEAR_H
#define SONDE_CASE_LINEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SONDE_LINEAR_MAX = 64 };  /* calls */
#define SONDE_PENDING UINT64_MAX /* when a call that has not returned will */

struct sonde_linear_call {
    uint64_t began, ended; /* by a common clock */
    const void *call;
    bool (*agrees)(void *model,
                   const void *call); /* does to the model what the call did; false: the model answers otherwise */
    /* Whether the call, if it is pending, waits where the model is so. NULL: it may be anywhere. */
    bool (*waits)(const void *model, const void *call);
};

struct sonde_linear {
    const struct sonde_linear_call *calls;
    size_t n;          /* at most SONDE_LINEAR_MAX */
    const void *model; /* before the first of them; copied by its bytes */
    size_t size;
    /* Whose calls, those of one number, can be left out of an order that explains all, and it explains the others still. 0: a call that
     * stands alone. Asked of calls that have returned. NULL: nobody knows. */
    uint64_t (*value)(const void *call);
    uint64_t patience; /* how many states are looked at before values are. 0: the default */
};

enum sonde_linear_verdict {
    SONDE_LINEAR_FAILS,   /* no order explains the calls */
    SONDE_LINEAR_HOLDS,   /* one does */
    SONDE_LINEAR_MISTAKEN /* one does, but not without the calls of some value: .value is not what it must be */
};

/* A call that is pending may have happened, whatever it would have answered, or not; one that has `waits` has not, and waits at the end. Needs memory of its own while it runs. */
enum sonde_linear_verdict sonde_linear_judge(const struct sonde_linear *history);

#endif
