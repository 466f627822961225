/* The part of sonde.h that the subjects of bench/run first use, over callbacks: Hypothesis makes the draws. The subjects
 * are therefore the same C as for sonde. A callback that fails leaves the case. */
#ifndef BENCH_FIRST_STUB_SONDE_H
#define BENCH_FIRST_STUB_SONDE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum first_verdict { FIRST_PASSED, FIRST_FAILED, FIRST_DISCARDED, FIRST_LEFT };
enum first_draw { FIRST_INT, FIRST_BOOL, FIRST_PICK, FIRST_LIST, FIRST_MORE };
enum { FIRST_ARENA = 1 << 16 };

#define FIRST_ASCII " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"

typedef struct sonde {
    int64_t (*draw)(int what, int64_t lo, int64_t hi);                          /* INT64_MIN: leave */
    size_t (*fill)(uint8_t *out, const char *alphabet, size_t min, size_t max); /* SIZE_MAX: leave; NULL: bytes */
    jmp_buf out;
    size_t used;
    _Alignas(16) char arena[FIRST_ARENA];
} sonde;

static inline int64_t first_draw(sonde *t, int what, int64_t lo, int64_t hi)
{
    int64_t x = t->draw(what, lo, hi);
    if (x == INT64_MIN) longjmp(t->out, FIRST_LEFT);
    return x;
}

static inline void *first_alloc(sonde *t, size_t n)
{
    n = (n + 15) & ~(size_t)15;
    if (t->used + n > FIRST_ARENA) __builtin_trap();
    void *p = t->arena + t->used;
    t->used += n;
    return memset(p, 0, n);
}

static inline void *first_fill(sonde *t, const char *alphabet, size_t min, size_t max, size_t *n)
{
    uint8_t *out = first_alloc(t, max + 1);
    *n = t->fill(out, alphabet, min, max);
    if (*n == SIZE_MAX) longjmp(t->out, FIRST_LEFT);
    return out;
}

static inline char *first_string(sonde *t, const char *alphabet, size_t min, size_t max)
{
    size_t n;
    return first_fill(t, alphabet, min, max, &n);
}

typedef struct {
    sonde *t;
    int64_t number;
} sonde_list;

#define sonde_int(t, label, lo, hi) ((int)first_draw((t), FIRST_INT, (lo), (hi)))
#define sonde_bool(t, label) (first_draw((t), FIRST_BOOL, 0, 1) != 0)
#define sonde_pick(t, label, n) ((size_t)first_draw((t), FIRST_PICK, 0, (int64_t)(n)-1))
#define sonde_list_of(t, label, min, max) ((sonde_list){(t), first_draw((t), FIRST_LIST, (min), (max))})
#define sonde_more(list) (first_draw((list)->t, FIRST_MORE, (list)->number, 0) != 0)
#define sonde_string_of(t, label, alphabet, min, max) first_string((t), (alphabet), (min), (max))
#define sonde_string(t, label, min, max) sonde_string_of(t, label, FIRST_ASCII, min, max)
#define sonde_bytes(t, label, min, max, n) ((uint8_t *)first_fill((t), NULL, (min), (max), (n)))
#define sonde_new(t, type) ((type *)first_alloc((t), sizeof(type)))
#define sonde_span(t, label) (void)0
#define sonde_assume(t, ...) ((__VA_ARGS__) ? (void)0 : longjmp((t)->out, FIRST_DISCARDED))
#define sonde_check(t, ...) ((__VA_ARGS__) ? (void)0 : longjmp((t)->out, FIRST_FAILED))
#define sonde_check_eq(t, got, want) sonde_check((t), (got) == (want))
#define sonde_check_mem_eq(t, got, want, n) sonde_check((t), memcmp((got), (want), (n)) == 0)

#endif
