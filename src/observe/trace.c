/* See trace.h. The compiler's instrumentation calls the functions with sanitizer names, and prescribes their types.
 * They allocate nothing and never wait: they run in the middle of the user's code, even in its signal handlers.
 *
 * An unwanted comparison costs one load and one branch (sonde_listeners). A wanted one usually finds its location at
 * the first slot and writes three words. Everything else is out of line. The table grows only between cases
 * (sonde_trace_clear), so a case in which very many new locations call loses the last calls. */
#include "observe/trace.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/mem.h"
#include "observe/address.h"
#include "observe/follow.h"
#include "observe/hooks.h"
#include "observe/readable.h"

#include <sonde.h>
#include <string.h>

enum { FIRST_SITES = 1 << 12 }; /* slots of a new table */

/* Whether instrumented code has called a hook in this process. Any thread sets it without a lock; none clears it. */
static bool was_called;
static _Thread_local struct sonde_trace *watched __attribute__((tls_model("initial-exec")));

bool sonde_trace_was_called(void)
{
    return was_called;
}

static void make_table(struct sonde_trace *t, uint32_t cap)
{
    t->calls = sonde_calloc(cap, sizeof *t->calls);
    t->sites = sonde_calloc(cap, sizeof *t->sites);
    t->touched = sonde_calloc(cap, sizeof *t->touched);
    t->mask = cap - 1;
}

static void free_table(struct sonde_trace *t)
{
    sonde_free(t->calls);
    sonde_free(t->sites);
    sonde_free(t->touched);
}

struct sonde_trace *sonde_trace_create(void)
{
    struct sonde_trace *t = sonde_calloc(1, sizeof *t);
    make_table(t, FIRST_SITES);
    return t;
}

void sonde_trace_free(struct sonde_trace *t)
{
    if (!t) return;
    if (watched == t) sonde_trace_watch(NULL);
    free_table(t);
    sonde_free(t->log);
    sonde_free(t);
}

void sonde_trace_watch(struct sonde_trace *t)
{
    watched = t;
    sonde_listeners &= SONDE_LISTENER_FOLLOW;
    if (t && !t->ignores_comparisons) sonde_listeners |= SONDE_LISTENER_TRACE;
    if (t && !t->ignores_comparisons && t->keeps_signs) sonde_listeners |= SONDE_LISTENER_SIGNS;
    if (t && !t->ignores_comparisons && t->keeps_log) sonde_listeners |= SONDE_LISTENER_LOG;
    if (!t && !was_called) sonde_listeners |= SONDE_LISTENER_FIRST;
    if (t) sonde_addresses_find();
}

/* ---- The table */

/* Returns the preferred slot, by Fibonacci hashing: the bits from 40 on of the product depend on the whole address. */
static inline uint32_t first_slot(const struct sonde_trace *t, uint64_t pc)
{
    return (uint32_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 40) & t->mask;
}

static uint32_t slot_of(const struct sonde_trace *t, uint64_t pc)
{
    sonde_assert(t->n <= t->mask); /* the loop below ends at a free slot */
    uint32_t slot = first_slot(t, pc);
    while (t->calls[slot].pc && t->calls[slot].pc != pc) slot = (slot + 1) & t->mask;
    return slot;
}

/* Returns whether the table must grow: at a quarter, because most locations should be found at their first slot. The
 * table costs 44 bytes per slot. */
static bool is_getting_full(const struct sonde_trace *t)
{
    return t->n > t->mask / 4;
}

static void grow(struct sonde_trace *t)
{
    struct sonde_trace old = *t;
    make_table(t, (old.mask + 1) * 2);
    for (uint32_t i = 0; i <= old.mask; i++) {
        if (!old.calls[i].pc) continue;
        uint32_t slot = slot_of(t, old.calls[i].pc);
        t->calls[slot] = old.calls[i];
        t->sites[slot] = old.sites[i];
    }
    free_table(&old);
}

void sonde_trace_clear(struct sonde_trace *t)
{
    for (uint32_t i = 0; i < t->n_touched; i++) {
        struct sonde_site_calls *calls = &t->calls[t->touched[i]];
        calls->classes = calls->a = calls->b = 0;
        t->sites[t->touched[i]].signs = t->sites[t->touched[i]].n_log = 0;
    }
    t->n_touched = t->n_pairs = t->n_log = 0;
    if (is_getting_full(t)) grow(t);
}

static void enter(struct sonde_trace *t, uint32_t slot, uint64_t pc)
{
    t->calls[slot] = (struct sonde_site_calls){.pc = pc};
    t->sites[slot] = (struct sonde_site){.id = (uint32_t)SONDE_NO_ID};
    t->n++;
}

struct sonde_site *sonde_trace_site(struct sonde_trace *t, uint64_t pc)
{
    if (is_getting_full(t)) grow(t);
    uint32_t slot = slot_of(t, pc);
    if (!t->calls[slot].pc) enter(t, slot, pc);
    return &t->sites[slot];
}

/* Handles a location that is not at its first slot, or that calls for the first time in this case. Returns NULL if the
 * table has no room. */
static __attribute__((noinline)) struct sonde_site_calls *touch(struct sonde_trace *t, uint64_t pc, uint8_t bytes,
                                                                bool is_edge)
{
    uint32_t slot = slot_of(t, pc);
    if (!t->calls[slot].pc) {
        /* Within a case the table cannot grow; it is filled up to seven eighths, so that slot_of always ends. */
        if (t->n > t->mask - t->mask / 8) return NULL;
        enter(t, slot, pc);
    }
    if (!t->calls[slot].classes) {
        t->sites[slot].bytes = bytes;
        t->sites[slot].is_edge = is_edge;
        sonde_assert(t->n_touched < t->n); /* each location is entered once per case */
        t->touched[t->n_touched++] = slot;
    }
    return &t->calls[slot];
}

static inline struct sonde_site_calls *calls_at(struct sonde_trace *t, uint64_t pc, uint8_t bytes, bool is_edge)
{
    struct sonde_site_calls *calls = &t->calls[first_slot(t, pc)];
    return __builtin_expect(calls->pc == pc && calls->classes, 1) ? calls : touch(t, pc, bytes, is_edge);
}

/* ---- Recording */

/* Marks a compared value as initialised. Otherwise MemorySanitizer would report the value here, in sonde's code, and
 * only in runs that record comparisons. Shrinking would take that for a different failure. The branch on the value
 * is reported as usual. */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
void __msan_unpoison(const volatile void *at, size_t n);
#define INITIALISED(at, n) __msan_unpoison(at, n)
#endif
#endif
#ifndef INITIALISED
#define INITIALISED(at, n) ((void)0)
#endif

/* Keeps the last unequal pair: loops compare many equal symbols before the first difference. */
static inline void note_at(struct sonde_site_calls *calls, uint64_t a, uint64_t b)
{
    if (a == b) calls->classes |= 1; /* class 0 */
    else calls->classes |= UINT64_C(1) << sonde_comparison_class(a, b), calls->a = a, calls->b = b;
}

static __attribute__((noinline)) void note_touched(uint64_t pc, uint64_t a, uint64_t b, uint8_t bytes)
{
    struct sonde_site_calls *calls = touch(watched, pc, bytes, false);
    if (calls) note_at(calls, a, b);
}

/* The other function is called last, so that this one needs no stack frame. */
static inline void note_sides(uint64_t pc, uint64_t a, uint64_t b, uint8_t bytes)
{
    struct sonde_site_calls *calls = &watched->calls[first_slot(watched, pc)];
    if (__builtin_expect(calls->pc == pc && calls->classes, 1)) note_at(calls, a, b);
    else note_touched(pc, a, b, bytes);
}

static bool is_recording(void)
{
    return sonde_listeners & SONDE_LISTENER_TRACE;
}

/* Records which side is greater. Called after note_sides; does nothing if there was no room for the location. */
static void note_sign(uintptr_t pc, uint64_t a, uint64_t b)
{
    uint32_t slot = slot_of(watched, pc);
    if (!watched->calls[slot].pc || a == b) return;
    watched->sites[slot].signs |= (int64_t)a < (int64_t)b ? SONDE_SIGN_LESS : SONDE_SIGN_GREATER;
}

/* Appends a comparison to the log. Called after note_sides, like note_sign. */
static void note_order(uint64_t pc, uint64_t a, uint64_t b, enum sonde_comparison_kind kind)
{
    uint32_t slot = slot_of(watched, pc);
    struct sonde_site *site = &watched->sites[slot];
    if (!watched->calls[slot].pc || watched->n_log == SONDE_TRACE_LOG || site->n_log == SONDE_TRACE_LOG_SITE) return;
    if (sonde_listeners & SONDE_LISTENER_FOLLOW) kind = SONDE_COMPARISON_ASSUME;
    watched->log[watched->n_log++] = (struct sonde_comparison){
        .a = a, .b = b, .id = slot, .nth = site->n_log++, .bytes = site->bytes, .kind = (uint8_t)kind};
}

/* Notes that code is instrumented. Only comparisons of numbers show this: comparisons of strings are reported by
 * AddressSanitizer, too. */
static void note_first(void)
{
    was_called = true;
    sonde_listeners &= (uint8_t)~SONDE_LISTENER_FIRST;
}

static __attribute__((noinline)) void record_slowly(uintptr_t pc, uint64_t a, uint64_t b, uint8_t bytes)
{
    if (sonde_listeners & SONDE_LISTENER_FIRST) note_first();
    if (sonde_listeners & SONDE_LISTENER_FOLLOW) sonde_follow_numbers(pc, a, b, bytes);
    if (is_recording()) note_sides(pc, a, b, bytes);
    if (sonde_listeners & SONDE_LISTENER_SIGNS) note_sign(pc, a, b);
    if (sonde_listeners & SONDE_LISTENER_LOG) note_order(pc, a, b, SONDE_COMPARISON_BRANCH);
}

/* Records a comparison for all that want it. Out of line, so that an unwanted comparison need not save registers: most
 * cases record no comparisons. */
static __attribute__((noinline)) void record(uintptr_t pc, uint64_t a, uint64_t b, uint8_t bytes)
{
    if (sonde_listeners == SONDE_LISTENER_TRACE) note_sides(pc, a, b, bytes);
    else record_slowly(pc, a, b, bytes);
}

/* Records a comparison of numbers that may be addresses. */
static __attribute__((noinline)) void record_long(uintptr_t pc, uint64_t a, uint64_t b)
{
    sonde_addresses_hide(&a, &b);
    record(pc, a, b, sizeof a);
}

/* Location of the code under test that called a hook. */
#define PC ((uintptr_t)__builtin_return_address(0))

/* Handles a comparison; a part of each hook. Reads the location only if the comparison is wanted. */
static inline __attribute__((always_inline)) void compare(uint64_t a, uint64_t b, uint8_t bytes)
{
    if (!sonde_listeners) return;
    INITIALISED(&a, sizeof a);
    INITIALISED(&b, sizeof b);
    if (bytes == sizeof(uint64_t)) record_long(PC, a, b);
    else record(PC, a, b, bytes);
}

/* ---- Numbers and edges */

void __sanitizer_cov_trace_pc(void)
{
    if (!watched) {
        was_called = true;
        return;
    }
    struct sonde_site_calls *calls = calls_at(watched, PC, 0, true);
    /* The count saturates, while clang's 8-bit counters wrap around. */
    if (calls && calls->classes < 255) calls->classes++;
}

/* Sides are sign-extended, so that -1 and 1 are near each other at every width. */
void __sanitizer_cov_trace_cmp1(uint8_t a, uint8_t b)
{
    compare((uint64_t)(int8_t)a, (uint64_t)(int8_t)b, 1);
}

void __sanitizer_cov_trace_cmp2(uint16_t a, uint16_t b)
{
    compare((uint64_t)(int16_t)a, (uint64_t)(int16_t)b, 2);
}

void __sanitizer_cov_trace_cmp4(uint32_t a, uint32_t b)
{
    compare((uint64_t)(int32_t)a, (uint64_t)(int32_t)b, 4);
}

void __sanitizer_cov_trace_cmp8(uint64_t a, uint64_t b)
{
    compare(a, b, 8);
}

void __sanitizer_cov_trace_const_cmp1(uint8_t a, uint8_t b)
{
    compare((uint64_t)(int8_t)a, (uint64_t)(int8_t)b, 1);
}

void __sanitizer_cov_trace_const_cmp2(uint16_t a, uint16_t b)
{
    compare((uint64_t)(int16_t)a, (uint64_t)(int16_t)b, 2);
}

void __sanitizer_cov_trace_const_cmp4(uint32_t a, uint32_t b)
{
    compare((uint64_t)(int32_t)a, (uint64_t)(int32_t)b, 4);
}

void __sanitizer_cov_trace_const_cmp8(uint64_t a, uint64_t b)
{
    compare(a, b, 8);
}

/* Returns the bits of a double, changed so that their order is the order of the numbers. */
static uint64_t ordered_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static void compare_doubles(uintptr_t pc, double a, double b)
{
    INITIALISED(&a, sizeof a);
    INITIALISED(&b, sizeof b);
    if (sonde_listeners & SONDE_LISTENER_FIRST) note_first();
    if (sonde_listeners & SONDE_LISTENER_FOLLOW) sonde_follow_doubles(pc, a, b);
    if (is_recording()) note_sides(pc, ordered_bits(a), ordered_bits(b), 0);
    if (sonde_listeners & SONDE_LISTENER_SIGNS) note_sign(pc, ordered_bits(a), ordered_bits(b));
    if (sonde_listeners & SONDE_LISTENER_LOG) note_order(pc, ordered_bits(a), ordered_bits(b), SONDE_COMPARISON_BRANCH);
}

void __sanitizer_cov_trace_cmpf(float a, float b)
{
    compare_doubles(PC, (double)a, (double)b);
}

void __sanitizer_cov_trace_cmpd(double a, double b)
{
    compare_doubles(PC, a, b);
}

/* Returns the index of the first case, in ascending order, that is not below the value. */
static uint64_t first_from(const uint64_t *cases, uint64_t n, uint64_t value)
{
    uint64_t lo = 0, hi = n;
    while (lo < hi) {
        uint64_t middle = lo + (hi - lo) / 2;
        if (cases[middle] < value) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

/* Records each case of a switch as a separate comparison, at a separate location: code addresses have no upper bits.
 * For a new value, the cases around it are recorded, as hints. Later only the cases next to the value are recorded:
 * it can come nearer only to those. */
static void note_switch(uintptr_t pc, uint64_t value, const uint64_t *cases, uint64_t n, uint8_t bytes)
{
    enum { AROUND = 16 }; /* cases to each side of a new value */
    const uint64_t most = (UINT64_C(1) << (64 - SONDE_ADDRESS_BITS)) - 1;
    if (n > most) n = most;
    if (n == 0) return;
    uint64_t above = first_from(cases, n, value), beside = above ? above - 1 : 0;
    bool is_new = !watched->calls[slot_of(watched, pc | (beside + 1) << SONDE_ADDRESS_BITS)].pc;
    uint64_t from = !is_new ? beside : above > AROUND ? above - AROUND : 0, to = above + (is_new ? AROUND : 1);
    for (uint64_t i = from; i < to && i < n; i++) {
        uint64_t place = pc | (i + 1) << SONDE_ADDRESS_BITS;
        note_sides(place, value, cases[i], bytes);
        if (sonde_listeners & SONDE_LISTENER_LOG) note_order(place, value, cases[i], SONDE_COMPARISON_SWITCH);
    }
}

/* Out of line, like record: an unwanted switch saved and restored six registers. */
static __attribute__((noinline)) void record_switch(uintptr_t pc, uint64_t value, const uint64_t *cases)
{
    uint64_t n = cases[0], bits = cases[1];
    if (sonde_listeners & SONDE_LISTENER_FIRST) note_first();
    if (bits == 64 && sonde_is_address(value)) return;
    if (sonde_listeners & SONDE_LISTENER_FOLLOW) sonde_follow_switch(value, cases + 2, n);
    if (is_recording()) note_switch(pc, value, cases + 2, n, (uint8_t)(bits / 8));
}

/* `table` is the number of cases, their width in bits, then the values in ascending order. */
void __sanitizer_cov_trace_switch(uint64_t value, void *table)
{
    if (!sonde_listeners) return;
    INITIALISED(&value, sizeof value);
    record_switch(PC, value, table);
}

/* ---- Strings. The sanitizers' memcmp and related functions call these. */

static void copy_text(struct sonde_trace_pair *pair, unsigned side, const void *text, size_t n)
{
    size_t most = sizeof pair->bytes[side];
    pair->n[side] = (uint8_t)(n < most ? n : most);
    memcpy(pair->bytes[side], text, pair->n[side]);
    INITIALISED(pair->bytes[side], pair->n[side]);
}

/* Keeps each older pair with equal probability (Vitter's algorithm R, with a hash as its random source). */
static void keep_some(struct sonde_trace *t, const struct sonde_trace_pair *pair)
{
    uint64_t before = t->n_pairs - SONDE_TRACE_PAIRS;
    uint64_t at = before < SONDE_TRACE_PAIRS ? before : sonde_mix(before) % (before + 1);
    if (at < SONDE_TRACE_PAIRS) t->sample[at] = *pair;
}

static void note_texts(const void *a, size_t n_a, const void *b, size_t n_b)
{
    struct sonde_trace *t = watched;
    if (!is_recording() || (n_a == 0 && n_b == 0)) return;
    struct sonde_trace_pair *pair = &t->newest[t->n_pairs % SONDE_TRACE_PAIRS];
    if (t->n_pairs >= SONDE_TRACE_PAIRS) keep_some(t, pair);
    t->n_pairs++;
    copy_text(pair, 0, a, n_a);
    copy_text(pair, 1, b, n_b);
}

/* Returns a character of a compared string, in lower case if the comparison ignores case. MemorySanitizer may take it
 * for uninitialised: code that is not instrumented can have written it. */
static unsigned char character(const char *text, size_t at, bool folds)
{
    unsigned char c = (unsigned char)text[at];
    INITIALISED(&c, sizeof c);
    return folds && c >= 'A' && c <= 'Z' ? (unsigned char)(c - 'A' + 'a') : c;
}

/* Returns up to eight bytes of a string as a number. The first byte is the highest, so numbers have the order of the
 * strings. */
static uint64_t word_of(const char *text, size_t n, size_t at, bool folds)
{
    uint64_t word = 0;
    for (size_t i = at; i < at + sizeof word; i++) word = word << 8 | (i < n ? character(text, i, folds) : 0);
    return word;
}

/* Records a comparison of strings as comparisons of numbers of eight bytes, up to the first that differ. So a search
 * that solves for numbers solves for words, too. Each number has a separate location, like the cases of a switch. */
static void log_texts(uintptr_t pc, const char *a, size_t n_a, const char *b, size_t n_b, bool folds)
{
    enum { WORDS = 8 }; /* words of eight bytes: longer strings are compared by their beginning */
    size_t n = n_a > n_b ? n_a : n_b;
    for (size_t i = 0; i < WORDS && i * sizeof(uint64_t) < n; i++) {
        uint64_t x = word_of(a, n_a, i * sizeof x, folds), y = word_of(b, n_b, i * sizeof y, folds);
        uint64_t place = pc | (uint64_t)(i + 1) << SONDE_ADDRESS_BITS;
        struct sonde_site_calls *calls = calls_at(watched, place, sizeof x, false);
        if (!calls) return;
        calls->classes = 1;
        watched->sites[slot_of(watched, place)].is_text = true;
        note_order(place, x, y, SONDE_COMPARISON_TEXT);
        if (x != y) return;
    }
}

static void compare_texts(void *pc, const char *a, const char *b, size_t n, int result, bool folds)
{
    size_t same = 0;
    if (!sonde_listeners) return;
    for (unsigned char c; same < n && (c = character(a, same, folds)); same++)
        if (c != character(b, same, folds)) break;
    size_t known = same < n ? same + 1 : n, n_a = sonde_readable_length(a, known, n),
           n_b = sonde_readable_length(b, known, n);
    if (sonde_listeners & SONDE_LISTENER_LOG) log_texts((uintptr_t)pc, a, n_a, b, n_b, folds);
    if (sonde_listeners & SONDE_LISTENER_FOLLOW) sonde_follow_texts(a, n_a, b, n_b);
    if (result != 0) note_texts(a, n_a, b, n_b);
}

/* AddressSanitizer and addons/cov call these hooks after the comparison, with its result. Only unequal strings are
 * kept: equal strings hold nothing that an input lacks. */
void __sanitizer_weak_hook_memcmp(void *pc, const void *a, const void *b, size_t n, int result)
{
    if (sonde_listeners & SONDE_LISTENER_LOG) log_texts((uintptr_t)pc, a, n, b, n, false);
    if (sonde_listeners & SONDE_LISTENER_FOLLOW) sonde_follow_texts(a, n, b, n);
    if (result != 0) note_texts(a, n, b, n);
}

void __sanitizer_weak_hook_strcmp(void *pc, const char *a, const char *b, int result)
{
    compare_texts(pc, a, b, SONDE_TRACE_TEXT + 1, result, false);
}

void __sanitizer_weak_hook_strncmp(void *pc, const char *a, const char *b, size_t n, int result)
{
    compare_texts(pc, a, b, n, result, false);
}

void __sanitizer_weak_hook_strcasecmp(void *pc, const char *a, const char *b, int result)
{
    compare_texts(pc, a, b, SONDE_TRACE_TEXT + 1, result, true);
}

void __sanitizer_weak_hook_strncasecmp(void *pc, const char *a, const char *b, size_t n, int result)
{
    compare_texts(pc, a, b, n, result, true);
}

/* If the needle was not found, it is a string that the input lacks. */
void __sanitizer_weak_hook_strstr(void *pc, const char *a, const char *b, char *result)
{
    (void)pc;
    if (!result) note_texts(a, strnlen(a, SONDE_TRACE_TEXT + 1), b, strnlen(b, SONDE_TRACE_TEXT + 1));
}
