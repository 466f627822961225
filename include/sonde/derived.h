/* sonde/derived.h - helpers for the C code that `sonde derive` writes. Not for direct use.
 *
 * One function per type compares values and returns their order. At the first difference it writes what differs, and
 * each caller then prepends its part of the path. So equality, order and the path of a difference cannot disagree. */
#ifndef SONDE_DERIVED_H
#define SONDE_DERIVED_H

#include <sonde.h>
#include <sonde/derive.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Draw. Returns how many records a value may contain before its recursion ends as soon as it can. Each record
 * divides the rest of this budget equally among the records that it contains, so that no part depends on another. */
static inline int sonde_budget_(sonde *t)
{
    return 20 + sonde_size(t);
}

/* Copies a string into an array that is zeroed and large enough. */
static inline void sonde_fill_text_(void *array, const char *text)
{
    memcpy(array, text, strlen(text) + 1);
}

static inline void sonde_fill_bytes_(sonde *t, const char *label, void *array, size_t n)
{
    size_t length;
    memcpy(array, sonde_bytes(t, label, n, n, &length), n);
}

/* Ends the run as misuse if a narrow field could not hold the number of drawn elements. */
static inline void sonde_counted_(sonde *t, const char *field, size_t has, size_t n)
{
    if (has != n)
        sonde_misuse_(t, "the field \"%s\" cannot hold the count %zu; give SONDE_COUNT a lower limit", field, n);
}

/* Returns n zeroed elements, freed when the case ends. */
static inline void *sonde_array_(sonde *t, size_t n, size_t size)
{
    return sonde_alloc(t, n * size);
}

/* Draws a long double: a double, then the extra bits of a long double, as a fraction of the distance to the next
 * double. */
static inline long double sonde_any_long_double_(sonde *t, const char *label)
{
    double high = sonde_any_double(t, label);
    uint64_t low = sonde_u64(t, label, 0, (UINT64_C(1) << 60) - 1);
    double next = __builtin_nextafter(high, high < 0 ? -__builtin_inf() : __builtin_inf());
    if (!low || __builtin_isnan(high) || __builtin_isinf(next)) return high;
    return high + ((long double)next - (long double)high) * ((long double)low / (long double)(UINT64_C(1) << 60));
}

/* Draws a long double in [lo, hi], in the same way. */
static inline long double sonde_long_double_(sonde *t, const char *label, double lo, double hi)
{
    double high = sonde_double(t, label, lo, hi);
    uint64_t low = sonde_u64(t, label, 0, (UINT64_C(1) << 60) - 1);
    double next = __builtin_nextafter(high, hi);
    if (!low || __builtin_isinf(next)) return high;
    return high + ((long double)next - (long double)high) * ((long double)low / (long double)(UINT64_C(1) << 60));
}

/* Assigns to a bit-field: gcc warns about every assignment that it cannot prove to fit. */
#define SONDE_BITS_(assignment)                                                                                        \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wconversion\"") assignment;                      \
    _Pragma("GCC diagnostic pop")

/* ---- Cycles: values that the code under test returns may contain themselves, or contain one part many times. */

/* A record that is being printed: the records around it, and how many were printed so far. */
typedef struct sonde_seen_ {
    const void *it;
    const char *type;
    const struct sonde_seen_ *up;
    unsigned depth, *n;
} sonde_seen_;

/* Returns whether to print the record. If not, has printed in its place that it contains itself, or "..." for a value
 * too large for a reader or too deep for the stack. */
static inline bool sonde_may_write_(FILE *out, const sonde_seen_ *here)
{
    const unsigned most = 10000, deepest = 1000;
    const sonde_seen_ *seen = here->up;
    while (seen && (seen->it != here->it || seen->type != here->type)) seen = seen->up;
    if (seen) fputs("(contains itself)", out);
    else if (++*here->n > most || here->depth > deepest) fputs("...", out);
    else return true;
    return false;
}

/* A pair of records that a comparison has reached. All recorded pairs are equal, or the comparison has ended. */
typedef struct sonde_pair_ {
    const void *a, *b;
    const char *type;
} sonde_pair_;

typedef struct sonde_pairs_ {
    sonde_pair_ *all; /* a hash table, at most half full */
    size_t n, cap;
    unsigned depth;
} sonde_pairs_;

static inline void sonde_pairs_clear_(sonde_pairs_ *pairs)
{
    free(pairs->all);
    pairs->all = (sonde_pair_ *)SONDE_NOTHING_;
    pairs->n = pairs->cap = 0;
}

/* Ends the case. `depth`: the value is nested too deeply; otherwise memory ran out. */
static inline void sonde_pairs_misuse_(sonde_pairs_ *pairs, const char *type, bool depth)
{
    const char *why = depth ? "nests more than 10,000 deep" : "has more parts than there is memory for";
    sonde_pairs_clear_(pairs);
    if (sonde_current())
        sonde_misuse_(
            sonde_current(),
            "cannot compare a %s that %s; compare it in a loop, or make the field that points to the rest of the value "
            "the last field",
            type, why);
    fprintf(stderr, "sonde: cannot compare a %s that %s\n", type, why);
    abort();
}

static inline sonde_pair_ *sonde_pairs_find_(const sonde_pairs_ *pairs, sonde_pair_ of)
{
    uint64_t hash = ((uint64_t)(uintptr_t)of.a * 31 + (uint64_t)(uintptr_t)of.b) * 31 + (uint64_t)(uintptr_t)of.type;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (size_t)(hash >> 20) & (pairs->cap - 1);
    while (pairs->all[i].type && (pairs->all[i].a != of.a || pairs->all[i].b != of.b || pairs->all[i].type != of.type))
        i = (i + 1) & (pairs->cap - 1);
    return &pairs->all[i];
}

static inline void sonde_pairs_grow_(sonde_pairs_ *pairs, const char *type)
{
    sonde_pairs_ larger = *pairs;
    larger.cap = pairs->cap ? 2 * pairs->cap : 64;
    larger.all = (sonde_pair_ *)calloc(larger.cap, sizeof *larger.all);
    if (!larger.all) sonde_pairs_misuse_(pairs, type, false);
    for (size_t i = 0; i < pairs->cap; i++)
        if (pairs->all[i].type) *sonde_pairs_find_(&larger, pairs->all[i]) = pairs->all[i];
    free(pairs->all);
    *pairs = larger;
}

/* Returns whether this pair is new. Remembers each pair at which a function begins, and every 16th along a list: a
 * second walk along the list then ends within 16 steps. */
static inline bool sonde_pairs_add_(sonde_pairs_ *pairs, const void *a, const void *b, const char *type, size_t n_steps)
{
    const unsigned deepest = 10000; /* frames of a few hundred bytes fit a stack of 8 MiB, with a sanitizer too */
    sonde_pair_ pair;
    pair.a = a, pair.b = b, pair.type = type;
    if (pairs->depth > deepest) sonde_pairs_misuse_(pairs, type, true);
    if (2 * pairs->n >= pairs->cap) sonde_pairs_grow_(pairs, type);
    sonde_pair_ *at = sonde_pairs_find_(pairs, pair);
    if (at->type) return false;
    if (n_steps % 16 != 0) return true;
    *at = pair;
    pairs->n++;
    return true;
}

/* Returns a count that the code under test may have set, at least 0. */
static inline size_t sonde_count_(long long n)
{
    return n > 0 ? (size_t)n : 0;
}

/* ---- Print. */
static inline void sonde_write_double_(FILE *out, double value)
{
    fprintf(out, "%.17g", value);
}

static inline void sonde_write_float_(FILE *out, float value)
{
    fprintf(out, "%.9g", (double)value);
}

static inline void sonde_write_long_double_(FILE *out, long double value)
{
    fprintf(out, "%.21Lg", value);
}

/* Writes one byte of a quoted string; returns the number of characters, at most 4. */
static inline int sonde_escape_(char *to, unsigned char byte)
{
    if (byte == '"' || byte == '\\') return snprintf(to, 5, "\\%c", byte);
    return snprintf(to, 5, byte >= ' ' && byte < 127 ? "%c" : "\\%03o", byte);
}

static inline void sonde_write_bytes_(FILE *out, const void *bytes, size_t n)
{
    const unsigned char *at = (const unsigned char *)bytes;
    char text[5];
    fputc('"', out);
    for (size_t i = 0; i < n; i++) {
        sonde_escape_(text, at[i]);
        fputs(text, out);
    }
    fputc('"', out);
}

static inline void sonde_write_text_(FILE *out, const void *text)
{
    if (text) sonde_write_bytes_(out, text, strlen((const char *)text));
    else fputs("NULL", out);
}

/* Writes the string in an array of n bytes, which the code under test may have filled without a NUL. */
static inline void sonde_write_text_in_(FILE *out, const void *array, size_t n)
{
    const void *end = memchr(array, 0, n);
    sonde_write_bytes_(out, array, end ? (size_t)((const char *)end - (const char *)array) : n);
}

/* Writes no address: it would differ from run to run. */
static inline void sonde_write_pointer_(FILE *out, bool is_null)
{
    fputs(is_null ? "NULL" : "(pointer)", out);
}

static inline void sonde_write_named_(FILE *out, const char *name, long long value)
{
    if (name) fputs(name, out);
    else fprintf(out, "%lld", value);
}

/* ---- Compare. */
typedef struct sonde_difference_ {
    char path[512];
    char got[256], want[256];
} sonde_difference_;

/* Prepends a part to the path, and cuts off the end if it does not fit. Returns `order`. */
static inline int sonde_at_(sonde_difference_ *at, int order, const char *where)
{
    size_t n = strlen(where), has = at ? strlen(at->path) : 0;
    if (!at) return order;
    if (n >= sizeof at->path) n = sizeof at->path - 1;
    if (has > sizeof at->path - 1 - n) has = sizeof at->path - 1 - n;
    memmove(at->path + n, at->path, has);
    memcpy(at->path, where, n);
    at->path[n + has] = 0;
    return order;
}

/* Like sonde_at_, n times, for a path along a list. */
static inline int sonde_at_times_(sonde_difference_ *at, int order, const char *where, size_t n)
{
    if (n > sizeof at->path) n = sizeof at->path; /* more parts do not fit */
    for (size_t i = 0; at && i < n; i++) sonde_at_(at, order, where);
    return order;
}

static inline int sonde_at_index_(sonde_difference_ *at, int order, size_t i)
{
    char text[32];
    snprintf(text, sizeof text, "[%zu]", i);
    return sonde_at_(at, order, text);
}

#define SONDE_DIFFER_(at, order, format, a, b)                                                                         \
    do {                                                                                                               \
        if ((order) && (at)) {                                                                                         \
            snprintf((at)->got, sizeof(at)->got, format, a);                                                           \
            snprintf((at)->want, sizeof(at)->want, format, b);                                                         \
        }                                                                                                              \
    } while (0)

static inline int sonde_compare_i64_(int64_t a, int64_t b, sonde_difference_ *at)
{
    int order = (a > b) - (a < b);
    SONDE_DIFFER_(at, order, "%lld", (long long)a, (long long)b);
    return order;
}

static inline int sonde_compare_u64_(uint64_t a, uint64_t b, sonde_difference_ *at)
{
    int order = (a > b) - (a < b);
    SONDE_DIFFER_(at, order, "%llu", (unsigned long long)a, (unsigned long long)b);
    return order;
}

static inline const char *sonde_name_or_(const char *name, long long value, char *buffer, size_t size)
{
    if (name) return name;
    snprintf(buffer, size, "%lld", value);
    return buffer;
}

static inline int sonde_compare_named_(long long a, long long b, const char *name_a, const char *name_b,
                                       sonde_difference_ *at)
{
    char text_a[32], text_b[32];
    int order = (a > b) - (a < b);
    SONDE_DIFFER_(at, order, "%s", sonde_name_or_(name_a, a, text_a, sizeof text_a),
                  sonde_name_or_(name_b, b, text_b, sizeof text_b));
    return order;
}

/* Compares by a total order: NaN is the greatest and equals any other NaN; 0.0 equals -0.0. */
static inline int sonde_compare_double_(long double a, long double b, sonde_difference_ *at)
{
    bool nan_a = __builtin_isnan(a), nan_b = __builtin_isnan(b);
    int order = nan_a || nan_b ? nan_a - nan_b : (a > b) - (a < b);
    SONDE_DIFFER_(at, order, "%.21Lg", a, b);
    return order;
}

static inline void sonde_quote_(char *to, size_t size, const void *bytes, size_t n)
{
    const unsigned char *at = (const unsigned char *)bytes;
    size_t length = (size_t)snprintf(to, size, bytes ? "\"" : "NULL");
    for (size_t i = 0; bytes && i < n && length + 6 < size; i++) length += (size_t)sonde_escape_(to + length, at[i]);
    if (bytes) snprintf(to + length, size - length, "\"");
}

/* Compares like memcmp; a prefix comes before the longer string, and NULL before all strings. */
static inline int sonde_compare_bytes_(const void *a, size_t n_a, const void *b, size_t n_b, sonde_difference_ *at)
{
    size_t n = n_a < n_b ? n_a : n_b;
    int order = a && b && n ? memcmp(a, b, n) : 0;
    if (!a || !b) order = (a != SONDE_NOTHING_) - (b != SONDE_NOTHING_);
    else if (!order) order = (n_a > n_b) - (n_a < n_b);
    if (order && at) {
        sonde_quote_(at->got, sizeof at->got, a, n_a);
        sonde_quote_(at->want, sizeof at->want, b, n_b);
    }
    return (order > 0) - (order < 0);
}

static inline int sonde_compare_text_(const void *a, const void *b, sonde_difference_ *at)
{
    return sonde_compare_bytes_(a, a ? strlen((const char *)a) : 0, b, b ? strlen((const char *)b) : 0, at);
}

static inline size_t sonde_text_length_(const void *array, size_t n)
{
    const void *end = memchr(array, 0, n);
    return end ? (size_t)((const char *)end - (const char *)array) : n;
}

static inline int sonde_compare_text_in_(const void *a, const void *b, size_t n, sonde_difference_ *at)
{
    return sonde_compare_bytes_(a, sonde_text_length_(a, n), b, sonde_text_length_(b, n), at);
}

/* Compares whether pointers are NULL: returns 0 if both are or neither is. */
static inline int sonde_compare_presence_(bool a, bool b, sonde_difference_ *at)
{
    int order = a - b;
    SONDE_DIFFER_(at, order, "%s", a ? "(a value)" : "NULL", b ? "(a value)" : "NULL");
    return order;
}

/* Compares pointers to unknown types by address. */
static inline int sonde_compare_address_(uintptr_t a, uintptr_t b, sonde_difference_ *at)
{
    int order = (a > b) - (a < b);
    SONDE_DIFFER_(at, order, "%#llx", (unsigned long long)a, (unsigned long long)b);
    return order;
}

static inline void sonde_differ_at_(sonde *t, const sonde_difference_ *at, sonde_where_ where)
{
    sonde_note(t, "%s: %s is not %s", at->path, at->got, at->want);
    sonde_differ_(t, at->got, at->want, where);
}

#endif
