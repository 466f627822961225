/* Mending: a number that no longer fits what was taken out. Instrumented code that checks a stored length, total or checksum
 * compares it with the right one: so the run that such a check ended shows both, and what was stored gives way to what was
 * computed. Where nothing is instrumented there are no comparisons, and nothing is mended.
 *
 * Depth: a mended run may fail at the next check (length, then checksum), whose comparison mends it
 * further, up to DEEPEST. s->mends_left ends it all when nothing is ever mended: then comparisons are
 * not about stored numbers. */
#include "shrink/pass.h"

#include <string.h>

enum { MAX_HINTS = 16, DEEPEST = 3, PER_RUN = 3 };

/* Copies of the run and its hints: trying a candidate overwrites both. */
struct mending {
    struct sonde_tape ran; /* the run that is to be mended */
    struct sonde_hint hints[MAX_HINTS];
    size_t n_hints;
    unsigned depth, tries;
};

static bool mend(struct sonde_shrinker *s, unsigned depth);

/* The hint says how many bytes the comparison had; above them there may be anything. */
static uint64_t low_bytes(uint64_t value, uint32_t bytes)
{
    return bytes >= 8 ? value : value & ((UINT64_C(1) << 8 * bytes) - 1);
}

/* Nobody says whether the code took it for signed. */
static sonde_wide with_sign(uint64_t value, uint32_t bytes)
{
    unsigned unused = bytes >= 8 ? 0 : 64 - 8 * bytes;
    return (int64_t)(value << unused) >> unused;
}

/* With the run as s->script has it by now. sonde_try_once, or mending would call itself without the
 * limit of depth. */
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

/* First as a signed number, then as an unsigned one, whichever lies in the domain. */
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

/* The least width of an integer that holds both. */
static uint32_t width_of(uint64_t a, uint64_t b)
{
    uint64_t all = a | b;
    return all <= UINT8_MAX ? 1 : all <= UINT16_MAX ? 2 : all <= UINT32_MAX ? 4 : 8;
}

/* Byte k of a number as it stands in memory, in either order. */
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

/* As bytes of a blob, in either order, from the end. */
static bool mend_bytes(struct sonde_shrinker *s, struct mending *m, uint32_t i, const struct sonde_hint *h)
{
    const struct sonde_choice *c = &m->ran.choices[i];
    struct sonde_blob blob = sonde_choice_blob(&m->ran, c);
    uint64_t from = low_bytes(h->a, h->bytes), to = low_bytes(h->b, h->bytes);
    uint32_t width = width_of(from, to);
    if (blob.alphabet.kind != SONDE_ALPHABET_BYTES || blob.len < width) return false;
    /* From the end: checksums stand there, and a value that occurs by chance is more likely further in
     * front. */
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

/* From the end, because what was computed last is compared last. */
static bool mend_by(struct sonde_shrinker *s, struct mending *m, const struct sonde_hint *h)
{
    for (uint32_t i = m->ran.n_choices; i-- > 0 && !is_over(s, m);)
        if (m->ran.choices[i].kind == SONDE_KIND_BLOB ? mend_bytes(s, m, i, h) : mend_number(s, m, i, h)) return true;
    return false;
}

/* The last comparisons first: the one that ended the run is among them. */
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

/* What it tried must not count as the pass's own failures. */
bool sonde_mend(struct sonde_shrinker *s)
{
    uint32_t vain = s->vain, length = s->tried_length;
    if (mend(s, 0)) return true;
    s->vain = vain;
    s->tried_length = length;
    return false;
}
