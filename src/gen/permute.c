/* Implements sonde_shuffle, sonde_subset and sonde_unique.
 *
 * None of these functions draws a value and throws it away. A shuffle is Fisher-Yates from the front, one pick per
 * position, so draws correspond one to one with permutations. A selection is a list in which each element draws k and
 * takes the k-th value that is still free, simplest first. It shrinks like any list, and every draw is valid.
 *
 * Taking the k-th free value needs no array of the whole range: the taken ranks are kept sorted. So memory is needed
 * only for drawn values, and subsets are in ascending order without sorting. */
#include <sonde.h>

#include <inttypes.h>
#include <string.h>

/* ---- Shuffle ------------------------------------------------------------------------------------------------------*/

/* A permutation, to be printed. */
struct order {
    const size_t *at; /* at[i] is the index that the element now at i had before */
    size_t n;
};

static void print_order(FILE *out, const void *value)
{
    const struct order *order = value;
    fputs("order", out);
    for (size_t i = 0; i < order->n; i++) fprintf(out, " %zu", order->at[i]);
}

/* Swaps two elements in pieces of 64 bytes: elements may have any size, and no memory of the case is needed. */
static void swap_bytes(unsigned char *a, unsigned char *b, size_t size)
{
    unsigned char hold[64];
    while (size > 0) {
        size_t n = size < sizeof hold ? size : sizeof hold;
        memcpy(hold, a, n);
        memcpy(a, b, n);
        memcpy(b, hold, n);
        a += n;
        b += n;
        size -= n;
    }
}

void sonde_shuffle(sonde *t, const char *label, void *array, size_t n, size_t size)
{
    sonde_open(t, label);
    if (n > 0 && !array) sonde_misuse_(t, "sonde_shuffle(\"%s\"): the array is NULL; give one of n elements", label);
    if (n > 0 && size == 0) sonde_misuse_(t, "sonde_shuffle(\"%s\"): elements of 0 bytes; pass sizeof *array", label);

    /* If n is too large, no arena can provide the memory, and the case ends as an overrun. */
    size_t *at = sonde_alloc(t, n > SIZE_MAX / sizeof *at ? SIZE_MAX : n * sizeof *at);
    for (size_t i = 0; i < n; i++) at[i] = i;
    for (size_t i = 0; i + 1 < n; i++) {
        /* The pick 0 leaves the element at its index, so the simplest shuffle is the identity. */
        size_t j = i + sonde_pick(t, "swap", n - i);
        if (j == i) continue;
        swap_bytes((unsigned char *)array + i * size, (unsigned char *)array + j * size, size);
        size_t old = at[i];
        at[i] = at[j];
        at[j] = old;
    }
    sonde_show(t, print_order, &(struct order){at, n});
    sonde_close(t, label);
}

/* ---- Selections ---------------------------------------------------------------------------------------------------*/

/* Ranks taken so far, ascending. */
struct taken {
    uint64_t *ranks;
    size_t n;
};

/* Takes the k-th free rank and returns it. If c taken ranks lie below the result, the result is k + c. Taken rank i
 * lies below the result exactly if ranks[i] - i <= k. ranks[i] - i does not decrease as i grows, so a binary search
 * finds c. */
static uint64_t take(struct taken *taken, uint64_t k)
{
    size_t c = 0, end = taken->n;
    while (c < end) {
        size_t middle = c + (end - c) / 2;
        if (taken->ranks[middle] - middle <= k) c = middle + 1;
        else end = middle;
    }
    memmove(taken->ranks + c + 1, taken->ranks + c, (taken->n - c) * sizeof *taken->ranks);
    taken->ranks[c] = k + c;
    taken->n++;
    return k + c;
}

/* Opens the list of a selection from the ranks [0, last]. */
static sonde_list members(sonde *t, uint64_t last, size_t min, size_t max, struct taken *taken)
{
    /* There are only last + 1 values. The comparison avoids last + 1, which may overflow. */
    if (max > 0 && max - 1 > last) max = (size_t)last + 1;
    sonde_list xs = sonde_list_of(t, "members", min, max);
    /* A size that overflows becomes a size that no arena can provide: the case ends as an overrun instead of
     * corrupting memory. */
    taken->ranks = sonde_alloc(t, xs.n > SIZE_MAX / sizeof(uint64_t) ? SIZE_MAX : xs.n * sizeof(uint64_t));
    taken->n = 0;
    return xs;
}

/* Draws a member. The domain shrinks with each value that was taken, so every draw is a free rank. */
static uint64_t take_member(sonde *t, uint64_t last, struct taken *taken)
{
    return take(taken, sonde_u64(t, "member", 0, last - taken->n));
}

struct indices {
    const size_t *at;
    size_t n;
};

static void print_indices(FILE *out, const void *value)
{
    const struct indices *indices = value;
    fputc('{', out);
    for (size_t i = 0; i < indices->n; i++) fprintf(out, "%s%zu", i ? ", " : "", indices->at[i]);
    fputc('}', out);
}

size_t sonde_subset(sonde *t, const char *label, size_t n, size_t min, size_t max, size_t *out)
{
    sonde_open(t, label);
    if (min > max) sonde_misuse_(t, "sonde_subset(\"%s\"): min %zu is more than max %zu", label, min, max);
    if (min > n)
        sonde_misuse_(t, "sonde_subset(\"%s\"): min %zu is more than n, %zu; lower min or raise n", label, min, n);
    if (max > 0 && n > 0 && !out)
        sonde_misuse_(t, "sonde_subset(\"%s\"): out is NULL; give an array of max elements", label);

    struct taken taken = {NULL, 0};
    if (n > 0) {
        sonde_list xs = members(t, n - 1, min, max, &taken);
        while (sonde_more(&xs)) take_member(t, n - 1, &taken);
    }
    for (size_t i = 0; i < taken.n; i++) out[i] = (size_t)taken.ranks[i];
    sonde_show(t, print_indices, &(struct indices){out, taken.n});
    sonde_close(t, label);
    return taken.n;
}

/* Returns the value of a rank in [lo, hi], simplest first: from the end nearest to zero, or 0, 1, -1, 2, -2, ...
 * When the shorter side is used up, the longer one continues. Computed in uint64_t, where the full range does not
 * overflow. */
static int64_t value_of_rank(int64_t lo, int64_t hi, uint64_t rank)
{
    if (lo >= 0) return (int64_t)((uint64_t)lo + rank);
    if (hi <= 0) return (int64_t)((uint64_t)hi - rank);
    uint64_t above = (uint64_t)hi, below = 0 - (uint64_t)lo;
    uint64_t shorter = above < below ? above : below;
    if (rank <= 2 * shorter) return (int64_t)(rank % 2 ? rank / 2 + 1 : 0 - rank / 2);
    return (int64_t)(above > below ? rank - shorter : shorter - rank);
}

struct values {
    const int64_t *at;
    size_t n;
};

static void print_values(FILE *out, const void *value)
{
    const struct values *values = value;
    fputc('[', out);
    for (size_t i = 0; i < values->n; i++) fprintf(out, "%s%" PRId64, i ? ", " : "", values->at[i]);
    fputc(']', out);
}

size_t sonde_unique(sonde *t, const char *label, int64_t lo, int64_t hi, size_t min, size_t max, int64_t *out)
{
    sonde_open(t, label);
    if (lo > hi) {
        sonde_misuse_(t, "sonde_unique(\"%s\"): the range %" PRId64 "..%" PRId64 " is empty; lo must not exceed hi",
                      label, lo, hi);
    }
    if (min > max) sonde_misuse_(t, "sonde_unique(\"%s\"): min %zu is more than max %zu", label, min, max);
    uint64_t last = (uint64_t)hi - (uint64_t)lo;
    if (min > 0 && min - 1 > last) {
        sonde_misuse_(t,
                      "sonde_unique(\"%s\"): min %zu is more than the %" PRIu64 " values in [%" PRId64 ", %" PRId64
                      "]; lower min or widen the range",
                      label, min, last + 1, lo, hi);
    }
    if (max > 0 && !out) sonde_misuse_(t, "sonde_unique(\"%s\"): out is NULL; give an array of max elements", label);

    struct taken taken;
    sonde_list xs = members(t, last, min, max, &taken);
    while (sonde_more(&xs)) {
        /* i is read before take_member raises taken.n. Values in `out` are in the order in which they were drawn. */
        size_t i = taken.n;
        out[i] = value_of_rank(lo, hi, take_member(t, last, &taken));
    }
    sonde_show(t, print_values, &(struct values){out, taken.n});
    sonde_close(t, label);
    return taken.n;
}
