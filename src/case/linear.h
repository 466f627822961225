/* Decides whether a history of overlapping calls is linearizable: whether some order of the calls explains it. In such
 * an order, a call that returned before another began comes before it. The model, called in that order, returns the
 * results of the calls.
 *
 * The search tries each call that may come next (Wing and Gong, "Testing and Verifying Concurrent Objects", 1993). It
 * has the cache of Lowe ("Testing for Linearizability", 2017). If two orders of the same calls lead to the same model,
 * the search continues from only one of them. If this does not end soon, the search uses values: see linear.c. */
#ifndef SONDE_CASE_LINEAR_H
#define SONDE_CASE_LINEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SONDE_LINEAR_MAX = 64 };  /* maximum number of calls in a history */
#define SONDE_PENDING UINT64_MAX /* the value of `ended` for a call that has not returned */

/* A call of the history. */
struct sonde_linear_call {
    uint64_t began, ended; /* times by a common clock */
    const void *call;
    /* Applies the call to the model. Returns false if the model's result differs. */
    bool (*agrees)(void *model, const void *call);
    /* Returns whether a pending call waits in this state of the model. NULL: the call may be pending in any state. */
    bool (*waits)(const void *model, const void *call);
};

/* A history, and the model to compare it with. */
struct sonde_linear {
    const struct sonde_linear_call *calls;
    size_t n;          /* at most SONDE_LINEAR_MAX */
    const void *model; /* the model's memory before the first call; copied bytewise */
    size_t size;
    /* Returns the value that a call is about; 0: none. Removing all calls of one value from an order that explains the
     * history must leave an order that explains the others. Only used for calls that have returned. NULL: unknown. */
    uint64_t (*value)(const void *call);
    uint64_t patience; /* states that the search visits before it uses values; 0: the default */
};

enum sonde_linear_verdict {
    SONDE_LINEAR_FAILS,   /* no order explains the calls */
    SONDE_LINEAR_HOLDS,   /* some order explains the calls */
    SONDE_LINEAR_MISTAKEN /* some order explains the calls, but not without the calls of one value: .value is wrong */
};

/* Judges a history. A pending call may have happened, with any result, or not. A pending call with `waits` has not
 * happened, and must be waiting at the end. Allocates memory while it runs. */
enum sonde_linear_verdict sonde_linear_judge(const struct sonde_linear *history);

#endif
