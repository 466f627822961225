/* A pass for numbers that are flags, or must keep a remainder: they have no threshold, so bisection ends at an
 * arbitrary value. It subtracts each power of two, which clears bits and keeps remainders modulo 2, 4, 8, and so on.
 * For a byte in a short string it tries every lower value. A number costs at most 64 calls without success, a byte 255.
 * Each value of a site is tried once. */
#include "shrink/pass.h"

enum {
    SHORT = 4,      /* in a blob with more symbols, no symbol is lowered here */
    BYTE = 255,     /* for symbols up to this one, every lower value is tried */
    PATIENCE = 256, /* the pass gives up after this many calls without an improvement on one tape */
};

/* Reports whether a number may be flags, or may have to keep a remainder. */
static bool may_be_flags(const struct sonde_shrinker *s, uint32_t i)
{
    const struct sonde_choice *c = &s->best.choices[i];
    bool is_number = c->kind == SONDE_KIND_INT || c->kind == SONDE_KIND_UINT;
    return is_number && c->index > 2;
}

/* Subtracts a power of two from a number, the largest first; returns true if that helped. At the end of the domain only
 * set bits are cleared: a number that other passes moved there rarely has a remainder to keep. */
static bool lower_number(struct sonde_shrinker *s, uint32_t i)
{
    sonde_wide v, lo, hi;
    if (i >= s->best.n_choices || !sonde_number(&s->best, i, &v)) return false;
    sonde_number_range(&s->best, i, &lo, &hi);
    sonde_wide simplest = lo > 0 ? lo : hi < 0 ? hi : 0, far = v < simplest ? simplest - v : v - simplest;
    bool is_last = s->best.choices[i].index == s->best.choices[i].max;
    bool is_bounded = s->is_thorough && s->test->max_calls; /* then calls may be spent on unlikely candidates, too */
    const struct sonde_seen_bits *e = sonde_evidence_of(s, i);
    uint64_t size = (uint64_t)(v < 0 ? -v : v);
    for (int k = 63; k >= 0 && !sonde_is_tired(s, PATIENCE); k--) {
        sonde_wide power = (sonde_wide)1 << k;
        if (is_last && !(far & power)) continue;
        if (e && !is_bounded && power < far && sonde_is_unlikely(e, size, size - (uint64_t)power)) continue;
        if (power < far && sonde_try_number(s, i, v < simplest ? v + power : v - power)) return true;
    }
    return false;
}

static bool set_symbol(struct sonde_shrinker *s, uint32_t i, uint32_t at, uint32_t symbol)
{
    sonde_edit_begin(s);
    sonde_tape_set_symbol(&s->script, &s->script.choices[i], at, symbol);
    /* not sonde_try, which mends: mending each of 255 values would cost more than it finds */
    return sonde_try_once(s, &s->script);
}

/* Subtracts a power of two from a symbol of a blob, then tries every lower value; returns true if that helped. */
static bool lower_symbol(struct sonde_shrinker *s, uint32_t i, uint32_t at)
{
    if (i >= s->best.n_choices || s->best.choices[i].kind != SONDE_KIND_BLOB) return false;
    struct sonde_blob blob = sonde_choice_blob(&s->best, &s->best.choices[i]);
    if (at >= blob.len) return false;
    uint32_t symbol = sonde_blob_symbol(&blob, at);
    for (uint32_t power = UINT32_C(1) << 31; power > 0 && !sonde_is_tired(s, PATIENCE); power /= 2)
        if (power < symbol && set_symbol(s, i, at, symbol - power)) return true;
    for (uint32_t lower = 1; lower < symbol && symbol <= BYTE && !sonde_is_tired(s, PATIENCE); lower++)
        if (set_symbol(s, i, at, lower)) return true;
    return false;
}

static void lower_symbols(struct sonde_shrinker *s, uint32_t i)
{
    for (uint32_t at = 0; at < SHORT && i < s->best.n_choices && !s->stopped; at++) {
        struct sonde_blob blob = {0};
        if (s->best.choices[i].kind == SONDE_KIND_BLOB) blob = sonde_choice_blob(&s->best, &s->best.choices[i]);
        if (blob.len > SHORT || blob.alphabet.kind != SONDE_ALPHABET_BYTES) return;
        while (lower_symbol(s, i, at)) continue;
    }
}

void sonde_pass_lower_bits(struct sonde_shrinker *s)
{
    for (uint32_t i = 0; i < s->best.n_choices && !sonde_is_tired(s, PATIENCE); i++) {
        if (s->best.choices[i].kind == SONDE_KIND_BLOB) lower_symbols(s, i);
        else if (may_be_flags(s, i) && !sonde_is_marked(s, i, SONDE_MARK_BITS)) {
            while (lower_number(s, i)) continue;
            sonde_mark(s, i, SONDE_MARK_BITS);
        }
    }
}
