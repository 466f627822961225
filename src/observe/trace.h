/* What instrumentation tells by calls: edges (gcc's trace-pc), comparisons of numbers (trace-cmp) and of texts (the hooks
 * that sanitizers call from memcmp and its like). The calls write into a table while a case is watched, and only from
 * the thread that runs it: what other threads do is not the doing of one input alone. */
#ifndef SONDE_OBSERVE_TRACE_H
#define SONDE_OBSERVE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SONDE_TRACE_PAIRS = 64, SONDE_TRACE_TEXT = 32, SONDE_NO_ID = -1, SONDE_ADDRESS_BITS = 48 };

/* Two texts that were compared and are not equal; of one that is longer than SONDE_TRACE_TEXT one more byte is kept. */
struct sonde_trace_pair {
    uint8_t n[2];
    char bytes[2][SONDE_TRACE_TEXT + 1];
};

/* A place in the code that called, and what it told in this case. Two fit into a cache line. */
struct sonde_site_calls {
    uint64_t pc;      /* 0: free; of a case of a switch, its number from 1 on stands in the upper bits */
    uint64_t classes; /* comparisons: a bit for each distance; edges: calls, at most 255; 0: not called in this case */
    uint64_t a, b;    /* comparisons: the last unequal sides; equal ones are of no use */
};

/* What does not change from case to case. */
struct sonde_site {
    uint32_t id;   /* of the feature; SONDE_NO_ID until it is first read */
    uint8_t bytes; /* comparisons: width of the sides; 0: not whole numbers */
    bool is_edge;
    uint8_t signs; /* comparisons, where somebody asks: SONDE_SIGN_*; of this case */
};

enum { SONDE_SIGN_LESS = 1, SONDE_SIGN_GREATER = 2 }; /* of the first side */

/* Invariants: calls, sites and touched have mask + 1 entries; n of them are used; touched[0..n_touched)
 * are distinct slots whose classes are not 0. The table lies in the heap of the search; addresses in it
 * are valid in every worker because all workers of a search have the same layout (sonde_image_layout). */
struct sonde_trace {
    struct sonde_site_calls *calls; /* open addressing by pc */
    struct sonde_site *sites;       /* the same slots */
    uint32_t *touched;              /* slots, in the order of their first call in this case */
    uint32_t n, mask, n_touched;
    uint32_t n_pairs; /* of texts, in this case */
    bool is_deaf;     /* to comparisons; set between cases */
    bool keeps_signs; /* which side of a comparison was the greater one; takes time */
    /* The newest, and of those that came before a sample: code that compares much else, before or after, hides nothing. */
    struct sonde_trace_pair newest[SONDE_TRACE_PAIRS], sample[SONDE_TRACE_PAIRS];
};

/* True once instrumented code has called. */
bool sonde_trace_was_called(void);
struct sonde_trace *sonde_trace_create(void);
void sonde_trace_free(struct sonde_trace *trace);
/* Calls of this thread go there from now on; NULL: nowhere. */
void sonde_trace_watch(struct sonde_trace *trace);
/* Forgets the calls of this case; makes room if the table is getting full. */
void sonde_trace_clear(struct sonde_trace *trace);

/* The address of a place, without the number of a case. */
static inline uintptr_t sonde_trace_address(uint64_t pc)
{
    return (uintptr_t)(pc & ((UINT64_C(1) << SONDE_ADDRESS_BITS) - 1));
}

/* The place, which is entered if it is not there; it does not count as called. */
struct sonde_site *sonde_trace_site(struct sonde_trace *trace, uint64_t pc);

/* The class of a comparison: 0 equal, exact up to 16 apart, then by bit length. */
static inline unsigned sonde_comparison_class(uint64_t a, uint64_t b)
{
    uint64_t apart = (int64_t)a > (int64_t)b ? a - b : b - a;
    if (apart <= 16) return (unsigned)apart;
    unsigned bits = 64 - (unsigned)__builtin_clzll(apart); /* 5..64 */
    return bits + 12 < 63 ? bits + 12 : 63;
}

#endif
