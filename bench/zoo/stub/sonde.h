/* The part of sonde.h that subjects of the zoo use, over plain uniform numbers, for calibration: millions of cases per second, and
 * nothing of it follows the library's own streams. Draws are distributed as the library's guide `uniform` draws. */
#ifndef BENCH_ZOO_STUB_SONDE_H
#define BENCH_ZOO_STUB_SONDE_H

#include "source.h"

typedef struct zoo_source sonde;

static inline uint32_t zoo_random(sonde *t)
{
    uint64_t x = t->stream += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(x >> 32);
}

/* An index in [0, max]. */
static inline uint64_t zoo_index(sonde *t, uint64_t max)
{
    unsigned at = t->at++;
    if (t->answers == ZOO_RANDOM) return (zoo_random(t) * (max + 1)) >> 32;
    if (t->answers == ZOO_SIMPLE) return at != t->where ? 0 : t->step < max ? t->step : max;
    if (at >= ZOO_GIVEN_MAX) t->is_overrun = true;
    return at >= ZOO_GIVEN_MAX ? 0 : (t->given[at] * (max + 1)) >> 32;
}

static inline int sonde_int(sonde *t, const char *label, int lo, int hi)
{
    (void)label;
    int i = (int)zoo_index(t, (uint64_t)(hi - lo));
    if (t->answers != ZOO_SIMPLE) return lo + i;
    return lo >= 0 ? lo + i : hi <= 0 ? hi - i : i <= hi ? i : hi; /* from the end nearest to zero */
}

#define sonde_bool(t, label) (zoo_index((t), 1) != 0)
#define sonde_pick(t, label, n) ((size_t)zoo_index((t), (uint64_t)(n)-1))
#define sonde_span(t, label) (void)0

static inline void *zoo_alloc(sonde *t, size_t n)
{
    n = (n + 15) & ~(size_t)15;
    if (t->used + n > ZOO_ARENA) __builtin_trap();
    void *p = t->arena + t->used;
    t->used += n;
    return __builtin_memset(p, 0, n);
}
#define sonde_new(t, type) ((type *)zoo_alloc((t), sizeof(type)))

typedef struct {
    size_t left;
} sonde_list;
#define sonde_list_of(t, label, min, max) ((sonde_list){(min) + zoo_index((t), (uint64_t)((max) - (min)))})
#define sonde_more(list) ((list)->left > 0 && (list)->left-- > 0)

static inline char *zoo_string(sonde *t, const char *alphabet, size_t min, size_t max)
{
    size_t n = min + zoo_index(t, max - min), size = __builtin_strlen(alphabet);
    char *s = zoo_alloc(t, n + 1);
    for (size_t i = 0; i < n; i++) s[i] = alphabet[zoo_index(t, size - 1)];
    return s;
}
#define sonde_string_of(t, label, alphabet, min, max) zoo_string((t), (alphabet), (min), (max))

static inline uint8_t *zoo_bytes(sonde *t, size_t min, size_t max, size_t *len)
{
    size_t n = min + zoo_index(t, max - min);
    uint8_t *bytes = zoo_alloc(t, n + 1);
    for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)zoo_index(t, 255);
    *len = n;
    return bytes;
}
#define sonde_bytes(t, label, min, max, len) zoo_bytes((t), (min), (max), (len))

/* Subjects assume in the property itself, so that it is enough to return. */
#define sonde_assume(t, ...)                                                                                           \
    do {                                                                                                               \
        if (!(__VA_ARGS__)) return;                                                                                    \
    } while (0)

#define zoo_passed(t) ((t)->passed++, (t)->reached = 0)
#define zoo_reached(t, i, n) ((t)->reached = (n) > 0 ? 999 * (i) / (n) : 0)
#define zoo_holds(t, k, condition)                                                                                     \
    do {                                                                                                               \
        if ((t)->wanted >> (k)&1) (t)->holds |= (uint32_t) !!(condition) << (k);                                       \
    } while (0)
#define zoo_valid(t) ((t)->is_valid = true)

#endif
