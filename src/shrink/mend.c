/* Mending: correcting a stored length, total or checksum that no longer fits after other parts were removed.
 * Instrumented code that checks a stored number compares it with the right one, so a run that ended there shows both.
 * The stored number is then replaced by the computed one. Without instrumentation there are no comparisons, and
 * nothing is mended.
 *
 * Depth: a mended run may fail at the next check (length, then checksum), whose comparison mends it further, up to
 * DEEPEST. s->mends_left ends all mending if it never succeeds: then comparisons are not about stored numbers. */
#include "shrink/pass.h"

#include <string.h>

enum {
    MAX_HINTS = 16, /* number of comparisons that are used: the last ones of a run */
    DEEPEST = 3,    /* maximum number of comparisons that are mended one after the other, each by another run */
    PER_RUN = 3,    /* maximum number of candidates tried for each run */
};

/* A run that is being mended. The run and its hints are copies: trying a candidate overwrites both. */
struct mending {
    struct sonde_tape ran; /* the tape of the run */
    struct sonde_hint hints[MAX_HINTS];
    size_t n_hints;
    unsigned depth, tries;
};

static bool mend(struct sonde_shrinker *s, unsigned depth);

/* Returns the bytes that a comparison of this width used; the higher bytes may hold anything. */
static uint64_t low_bytes(uint64_t value, uint32_t bytes)
{
    return bytes >= 8 ? value : value & ((UINT64_C(1) << 8 * bytes) - 1);
}

/* Extends the sign. The hint does not say whether the code compared signed numbers. */
static sonde_wide with_sign(uint64_t value, uint32_t bytes)
{
    unsigned unused = bytes >= 8 ? 0 : 64 - 8 * bytes;
    return (int64_t)(value << unused) >> unused;
}

/* Tries s->script, a mended copy of the run; if that does not help, mends the new run. Calls sonde_try_once, because
 * sonde_try would mend without the limit of depth. */
static bool try_mended(struct sonde_shrinker *s, struct mending *m)
{
    sonde_assert(s->mends_left > 0 && m->depth < DEEPEST);
    m->tries++;
    bool mended = sonde_try_once(s, &s->script);
    if (s->was_run && !mended) s->mends_left--;
    if (mended) s->mends_left = SONDE_MENDS;
    return mended || (s->was_run && mend(s, m->depth + 1));
}

static bool is_over(const struct sonde_shrinker *s, const struct mending *m)
{
    return s->stopped || s->mends_left == 0 || m->tries >= PER_RUN;
}

/* Tries h->b for choice i if that has the value h->a. Reads h->b as a signed number if the domain has it, else as an
 * unsigned one. */
static bool mend_number(struct sonde_shrinker *s, struct mending *m, uint32_t i, const struct sonde_hint *h)
{
    sonde_wide v;
    uint64_t index;
    if (!sonde_number(&m->ran, i, &v) || low_bytes((uint64_t)v, h->bytes) != low_bytes(h->a, h->bytes)) return false;
    if (!sonde_number_index(&m->ran, i, with_sign(h->b, h->bytes), &index)
        && !sonde_number_index(&m->ran, i, (sonde_wide)low_bytes(h->b, h->bytes), &index))
        return false;
    sonde_tape_copy(&s->script, &m->ran);
    s->script.choices[i].index = index;
    return try_mended(s, m);
}

/* Returns the width in bytes of the smallest integer that holds both numbers. */
static uint32_t width_of(uint64_t a, uint64_t b)
{
    uint64_t all = a | b;
    return all <= UINT8_MAX ? 1 : all <= UINT16_MAX ? 2 : all <= UINT32_MAX ? 4 : 8;
}

/* Returns byte k of a number as it is in memory, in either byte order. */
static uint32_t byte_of(uint64_t value, uint32_t width, uint32_t k, bool is_big)
{
    return (uint32_t)(value >> 8 * (is_big ? width - 1 - k : k) & 0xff);
}

static bool stands_at(const struct sonde_blob *blob, uint32_t at, uint64_t value, uint32_t width, bool is_big)
{
    for (uint32_t k = 0; k < width; k++)
        if (sonde_blob_symbol(blob, at + k) != byte_of(value, width, k, is_big)) return false;
    return true;
}

/* If a byte blob contains the number h->a, in either byte order, tries h->b there. */
static bool mend_bytes(struct sonde_shrinker *s, struct mending *m, uint32_t i, const struct sonde_hint *h)
{
    const struct sonde_choice *c = &m->ran.choices[i];
    struct sonde_blob blob = sonde_choice_blob(&m->ran, c);
    uint64_t from = low_bytes(h->a, h->bytes), to = low_bytes(h->b, h->bytes);
    uint32_t width = width_of(from, to);
    if (blob.alphabet.kind != SONDE_ALPHABET_BYTES || blob.len < width) return false;
    /* The search begins at the end of the blob: checksums are there, and chance occurrences rarely are. */
    for (uint32_t at = blob.len - width + 1; at-- > 0;)
        for (int is_big = 0; is_big < (width > 1 ? 2 : 1); is_big++) {
            if (is_over(s, m) || !stands_at(&blob, at, from, width, is_big)) continue;
            sonde_tape_copy(&s->script, &m->ran);
            for (uint32_t k = 0; k < width; k++)
                sonde_tape_set_symbol(&s->script, &s->script.choices[i], at + k, byte_of(to, width, k, is_big));
            if (try_mended(s, m)) return true;
        }
    return false;
}

/* Tries one hint on all choices, the last choice first, because numbers that were computed last are compared last. */
static bool mend_by(struct sonde_shrinker *s, struct mending *m, const struct sonde_hint *h)
{
    for (uint32_t i = m->ran.n_choices; i-- > 0 && !is_over(s, m);)
        if (m->ran.choices[i].kind == SONDE_KIND_BLOB ? mend_bytes(s, m, i, h) : mend_number(s, m, i, h)) return true;
    return false;
}

/* Mends the last run; returns whether that became the best. Last comparisons come first: one of them ended the run. */
static bool mend(struct sonde_shrinker *s, unsigned depth)
{
    struct mending m = {.depth = depth};
    const struct sonde_hint *hints;
    if (depth >= DEEPEST || !s->test->compared || s->actual.n_choices == 0 || s->mends_left == 0) return false;
    size_t n = s->test->compared(s->test->user, &hints);
    m.n_hints = n < MAX_HINTS ? n : MAX_HINTS;
    if (m.n_hints == 0) return false;
    memcpy(m.hints, hints + (n - m.n_hints), m.n_hints * sizeof *hints);
    sonde_tape_copy(&m.ran, &s->actual);
    bool mended = false;
    for (size_t i = m.n_hints; i-- > 0 && !mended;) {
        struct sonde_hint other = m.hints[i];
        other.a = m.hints[i].b;
        other.b = m.hints[i].a;
        mended = mend_by(s, &m, &m.hints[i]) || mend_by(s, &m, &other);
    }
    sonde_tape_clear(&m.ran);
    return mended;
}

/* The calls of mending must not count as failures of the pass. */
bool sonde_mend(struct sonde_shrinker *s)
{
    uint32_t vain = s->vain, length = s->tried_length;
    if (mend(s, 0)) return true;
    s->vain = vain;
    s->tried_length = length;
    return false;
}
