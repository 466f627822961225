/* Records the calls of instrumented code: edges (gcc's trace-pc), comparisons of numbers (trace-cmp) and of strings.
 * (Sanitizers call hooks for strings from memcmp and related functions.) The calls write into a table while a case is
 * watched. Only the thread that runs the case counts: other threads do not depend on one input alone. */
#ifndef SONDE_OBSERVE_TRACE_H
#define SONDE_OBSERVE_TRACE_H

#include <sonde/extend.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SONDE_TRACE_PAIRS = 64, SONDE_TRACE_TEXT = 32, SONDE_NO_ID = -1, SONDE_ADDRESS_BITS = 48 };
enum {
    SONDE_TRACE_LOG = 1024,   /* comparisons in a log */
    SONDE_TRACE_LOG_SITE = 64 /* comparisons of one location in a log: a loop must not fill it */
};

/* Two strings that were compared and differ. Only SONDE_TRACE_TEXT + 1 bytes of a longer string are kept. */
struct sonde_trace_pair {
    uint8_t n[2];
    char bytes[2][SONDE_TRACE_TEXT + 1];
};

/* A location in instrumented code that called a hook, and the reports of this case. Two fit into a cache line. */
struct sonde_site_calls {
    uint64_t pc; /* address of the code; 0: free; for a case of a switch, the upper bits hold its number, from 1 on */
    uint64_t classes; /* comparisons: a bit per class; edges: number of calls, up to 255; 0: not called in this case */
    uint64_t a, b;    /* comparisons: the last sides that were unequal; equal sides are of no use */
};

/* A location in instrumented code: facts that hold in every case, and two records of the running case that few
 * searches need. */
struct sonde_site {
    uint32_t id;   /* id of the feature; SONDE_NO_ID until the location is first read */
    uint8_t bytes; /* comparisons: width of the sides; 0: not integers */
    bool is_edge : 1, is_text : 1;
    uint8_t signs; /* comparisons, if requested: SONDE_SIGN_* bits of this case */
    uint8_t n_log; /* comparisons in the log of this case */
};

enum { SONDE_SIGN_LESS = 1, SONDE_SIGN_GREATER = 2 }; /* the first side was less, or greater */

/* The table of one search. calls, sites and touched have mask + 1 entries; n of them are used. touched[0..n_touched)
 * are distinct slots whose classes are not 0. The table lies in the heap of the search. Addresses in it are valid in
 * every worker, because all workers of a search have the same layout (sonde_image_layout). */
struct sonde_trace {
    struct sonde_site_calls *calls; /* hash table by pc, open addressing */
    struct sonde_site *sites;       /* sites[i] belongs to the same location as calls[i] */
    uint32_t *touched;              /* slots, in the order of their first call in this case */
    uint32_t n, mask, n_touched;
    uint32_t n_pairs;         /* number of pairs of strings in this case */
    bool ignores_comparisons; /* set between cases */
    bool keeps_signs;         /* records which side of a comparison was greater; takes time */
    bool keeps_log;           /* records comparisons one by one; takes time */
    uint32_t n_log;
    struct sonde_comparison *log; /* of this case; `id` is the slot until the case is read. NULL until one is wanted */
    /* The newest pairs, and a sample of the earlier ones: however many strings the code compares, some early and some
     * late pairs are kept. */
    struct sonde_trace_pair newest[SONDE_TRACE_PAIRS], sample[SONDE_TRACE_PAIRS];
};

/* Returns whether instrumented code has ever called a hook. */
bool sonde_trace_was_called(void);
/* Creates an empty table. */
struct sonde_trace *sonde_trace_create(void);
/* Frees a table; NULL is allowed. */
void sonde_trace_free(struct sonde_trace *trace);
/* Directs the hook calls of this thread to a table; NULL: drops them. */
void sonde_trace_watch(struct sonde_trace *trace);
/* Clears the calls of this case; grows the table if it is getting full. */
void sonde_trace_clear(struct sonde_trace *trace);

/* Returns the address of a location, without the number of a case. */
static inline uintptr_t sonde_trace_address(uint64_t pc)
{
    return (uintptr_t)(pc & ((UINT64_C(1) << SONDE_ADDRESS_BITS) - 1));
}

/* Returns a location, which is entered if it is new; it does not count as called. */
struct sonde_site *sonde_trace_site(struct sonde_trace *trace, uint64_t pc);

/* Returns the class of a comparison: the distance of its sides up to 16, then a class for each bit length. */
static inline unsigned sonde_comparison_class(uint64_t a, uint64_t b)
{
    uint64_t apart = (int64_t)a > (int64_t)b ? a - b : b - a;
    if (apart <= 16) return (unsigned)apart;
    unsigned bits = 64 - (unsigned)__builtin_clzll(apart); /* 5..64 */
    return bits + 12 < 63 ? bits + 12 : 63;
}

#endif
