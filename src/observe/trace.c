/* See trace.h. The functions with names of the sanitizers are called by compilers' instrumentation; their types are
 * given by it. They allocate nothing and never wait: they run in the middle of the user's code. */
#include "observe/trace.h"

#include "base/hash.h"
#include "base/mem.h"
#include "observe/follow.h"

#include <sonde.h>
#include <string.h>

enum { FIRST_SITES = 1 << 12 };

static bool was_called;
static _Thread_local struct sonde_trace *watched __attribute__((tls_model("initial-exec")));

bool sonde_trace_was_called(void)
{
    return was_called;
}

static void make_table(struct sonde_trace *t, uint32_t cap)
{
    t->sites = sonde_calloc(cap, sizeof *t->sites);
    t->touched = sonde_calloc(cap, sizeof *t->touched);
    t->mask = cap - 1;
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
    if (watched == t) watched = NULL;
    sonde_free(t->sites);
    sonde_free(t->touched);
    sonde_free(t);
}

void sonde_trace_watch(struct sonde_trace *t)
{
    watched = t;
}

static uint32_t first_slot(const struct sonde_trace *t, uintptr_t pc)
{
    return (uint32_t)((uint64_t)pc * UINT64_C(0x9e3779b97f4a7c15) >> 40) & t->mask;
}

static void grow(struct sonde_trace *t)
{
    struct sonde_trace old = *t;
    make_table(t, (old.mask + 1) * 2);
    for (uint32_t i = 0; i <= old.mask; i++) {
        if (!old.sites[i].pc) continue;
        uint32_t slot = first_slot(t, old.sites[i].pc);
        while (t->sites[slot].pc) slot = (slot + 1) & t->mask;
        t->sites[slot] = old.sites[i];
    }
    sonde_free(old.sites);
    sonde_free(old.touched);
}

void sonde_trace_clear(struct sonde_trace *t)
{
    for (uint32_t i = 0; i < t->n_touched; i++) {
        struct sonde_site_calls *site = &t->sites[t->touched[i]];
        site->classes = site->a = site->b = 0;
        site->count = 0;
        site->is_touched = false;
    }
    t->n_touched = t->n_texts = 0;
    if (t->n > t->mask / 2) grow(t);
}

unsigned sonde_comparison_class(uint64_t a, uint64_t b)
{
    uint64_t apart = a > b ? a - b : b - a;
    if (apart <= 16) return (unsigned)apart;
    unsigned bits = 64 - (unsigned)__builtin_clzll(apart); /* 5..64 */
    return bits + 12 < 63 ? bits + 12 : 63;
}

/* The slot of a place; above the mask if the table is too full for another. */
static inline uint32_t slot_at(struct sonde_trace *t, uintptr_t pc)
{
    uint32_t slot = first_slot(t, pc);
    while (t->sites[slot].pc != pc) {
        if (!t->sites[slot].pc) {
            if (t->n > t->mask - t->mask / 8) return UINT32_MAX;
            t->sites[slot] = (struct sonde_site_calls){.pc = pc, .id = (uint32_t)SONDE_NO_ID};
            t->n++;
            break;
        }
        slot = (slot + 1) & t->mask;
    }
    return slot;
}

struct sonde_site_calls *sonde_trace_site(struct sonde_trace *t, uintptr_t pc)
{
    if (t->n > t->mask / 2) grow(t);
    return &t->sites[slot_at(t, pc)];
}

/* The entry of a place that was called; NULL if there is no room for it. */
static struct sonde_site_calls *site_at(struct sonde_trace *t, uintptr_t pc)
{
    uint32_t slot = slot_at(t, pc);
    if (slot == UINT32_MAX) return NULL;
    struct sonde_site_calls *site = &t->sites[slot];
    if (!site->is_touched) {
        site->is_touched = true;
        t->touched[t->n_touched++] = slot;
    }
    return site;
}

static struct sonde_trace *listening(void)
{
    if (!watched) was_called = true;
    return watched;
}

/* For comparisons. That texts were compared does not say that code is instrumented: AddressSanitizer tells of that, too. */
static struct sonde_trace *hearing(void)
{
    return watched && !watched->is_deaf ? watched : NULL;
}

static void note_sides(uintptr_t pc, uint64_t a, uint64_t b, uint8_t bytes)
{
    struct sonde_trace *t = listening() ? hearing() : NULL;
    struct sonde_site_calls *site = t ? site_at(t, pc) : NULL;
    if (!site) return;
    site->classes |= UINT64_C(1) << sonde_comparison_class(a, b);
    site->bytes = bytes;
    if (a != b) site->a = a, site->b = b;
}

static void compare(uintptr_t pc, uint64_t a, uint64_t b, uint8_t bytes)
{
    if (sonde_following.is_on) sonde_follow_numbers(a, b);
    note_sides(pc, a, b, bytes);
}

/* ---- Numbers and edges */

#define PC ((uintptr_t)__builtin_return_address(0))

SONDE_API void __sanitizer_cov_trace_pc(void);
SONDE_API void __sanitizer_cov_trace_cmp1(uint8_t a, uint8_t b);
SONDE_API void __sanitizer_cov_trace_cmp2(uint16_t a, uint16_t b);
SONDE_API void __sanitizer_cov_trace_cmp4(uint32_t a, uint32_t b);
SONDE_API void __sanitizer_cov_trace_cmp8(uint64_t a, uint64_t b);
SONDE_API void __sanitizer_cov_trace_const_cmp1(uint8_t a, uint8_t b);
SONDE_API void __sanitizer_cov_trace_const_cmp2(uint16_t a, uint16_t b);
SONDE_API void __sanitizer_cov_trace_const_cmp4(uint32_t a, uint32_t b);
SONDE_API void __sanitizer_cov_trace_const_cmp8(uint64_t a, uint64_t b);
SONDE_API void __sanitizer_cov_trace_cmpf(float a, float b);
SONDE_API void __sanitizer_cov_trace_cmpd(double a, double b);
SONDE_API void __sanitizer_cov_trace_switch(uint64_t value, void *cases); /* gcc knows it so */

void __sanitizer_cov_trace_pc(void)
{
    struct sonde_trace *t = listening();
    struct sonde_site_calls *site = t ? site_at(t, PC) : NULL;
    if (site && site->count < 255) site->count++;
}

/* Sides are widened with their sign, so that -1 and 1 are near each other at every width. */
void __sanitizer_cov_trace_cmp1(uint8_t a, uint8_t b)
{
    compare(PC, (uint64_t)(int8_t)a, (uint64_t)(int8_t)b, 1);
}

void __sanitizer_cov_trace_cmp2(uint16_t a, uint16_t b)
{
    compare(PC, (uint64_t)(int16_t)a, (uint64_t)(int16_t)b, 2);
}

void __sanitizer_cov_trace_cmp4(uint32_t a, uint32_t b)
{
    compare(PC, (uint64_t)(int32_t)a, (uint64_t)(int32_t)b, 4);
}

void __sanitizer_cov_trace_cmp8(uint64_t a, uint64_t b)
{
    compare(PC, a, b, 8);
}

void __sanitizer_cov_trace_const_cmp1(uint8_t a, uint8_t b)
{
    compare(PC, (uint64_t)(int8_t)a, (uint64_t)(int8_t)b, 1);
}

void __sanitizer_cov_trace_const_cmp2(uint16_t a, uint16_t b)
{
    compare(PC, (uint64_t)(int16_t)a, (uint64_t)(int16_t)b, 2);
}

void __sanitizer_cov_trace_const_cmp4(uint32_t a, uint32_t b)
{
    compare(PC, (uint64_t)(int32_t)a, (uint64_t)(int32_t)b, 4);
}

void __sanitizer_cov_trace_const_cmp8(uint64_t a, uint64_t b)
{
    compare(PC, a, b, 8);
}

/* The bits of a double, turned so that their order is the numbers' order. */
static uint64_t ordered_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

void __sanitizer_cov_trace_cmpf(float a, float b)
{
    if (sonde_following.is_on) sonde_follow_doubles((double)a, (double)b);
    note_sides(PC, ordered_bits((double)a), ordered_bits((double)b), 0);
}

void __sanitizer_cov_trace_cmpd(double a, double b)
{
    if (sonde_following.is_on) sonde_follow_doubles(a, b);
    note_sides(PC, ordered_bits(a), ordered_bits(b), 0);
}

/* cases: how many, width in bits, then the values in order. Each near one is a comparison of its own. */
void __sanitizer_cov_trace_switch(uint64_t value, void *table)
{
    const uint64_t *cases = table;
    uint64_t n = cases[0], bits = cases[1];
    if (sonde_following.is_on) sonde_follow_switch(value, cases + 2, n);
    if (!listening() || !hearing()) return;
    for (uint64_t i = 0; i < n && i < 32; i++) note_sides(PC + (uintptr_t)i, value, cases[2 + i], (uint8_t)(bits / 8));
}

/* ---- Texts. The sanitizers' own memcmp and its like call these. */

static void note_text(const void *text, size_t n)
{
    struct sonde_trace *t = hearing();
    if (!t || n == 0 || n > SONDE_TRACE_TEXT) return;
    uint32_t at = t->n_texts++ % SONDE_TRACE_TEXTS;
    t->texts[at].n = (uint8_t)n;
    memcpy(t->texts[at].bytes, text, n);
}

static void compare_texts(const char *a, const char *b, size_t n, int result)
{
    if (sonde_following.is_on) sonde_follow_texts(a, strnlen(a, n), b, strnlen(b, n));
    if (result == 0 || !hearing()) return;
    note_text(a, strnlen(a, n));
    note_text(b, strnlen(b, n));
}

SONDE_API void __sanitizer_weak_hook_memcmp(void *pc, const void *a, const void *b, size_t n, int result);
SONDE_API void __sanitizer_weak_hook_strcmp(void *pc, const char *a, const char *b, int result);
SONDE_API void __sanitizer_weak_hook_strncmp(void *pc, const char *a, const char *b, size_t n, int result);
SONDE_API void __sanitizer_weak_hook_strcasecmp(void *pc, const char *a, const char *b, int result);
SONDE_API void __sanitizer_weak_hook_strncasecmp(void *pc, const char *a, const char *b, size_t n, int result);
SONDE_API void __sanitizer_weak_hook_strstr(void *pc, const char *a, const char *b, char *result);

void __sanitizer_weak_hook_memcmp(void *pc, const void *a, const void *b, size_t n, int result)
{
    (void)pc;
    if (sonde_following.is_on) sonde_follow_texts(a, n, b, n);
    if (result == 0) return;
    note_text(a, n);
    note_text(b, n);
}

void __sanitizer_weak_hook_strcmp(void *pc, const char *a, const char *b, int result)
{
    (void)pc;
    compare_texts(a, b, SONDE_TRACE_TEXT + 1, result);
}

void __sanitizer_weak_hook_strncmp(void *pc, const char *a, const char *b, size_t n, int result)
{
    (void)pc;
    compare_texts(a, b, n, result);
}

void __sanitizer_weak_hook_strcasecmp(void *pc, const char *a, const char *b, int result)
{
    (void)pc;
    compare_texts(a, b, SONDE_TRACE_TEXT + 1, result);
}

void __sanitizer_weak_hook_strncasecmp(void *pc, const char *a, const char *b, size_t n, int result)
{
    (void)pc;
    compare_texts(a, b, n, result);
}

void __sanitizer_weak_hook_strstr(void *pc, const char *a, const char *b, char *result)
{
    (void)pc, (void)a;
    if (!result) note_text(b, strnlen(b, SONDE_TRACE_TEXT + 1));
}
