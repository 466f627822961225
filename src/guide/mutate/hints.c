/* See hints.h. Rings overwrite their oldest entries: recent comparisons are those at which the search is stuck. Pairs
 * are found by their hash: a case that shows something new has dozens of pairs, nearly all known. */
#include "guide/mutate/hints.h"

#include "base/compared.h"
#include "base/hash.h"
#include "tape/numbers.h"
#include "tape/order.h"

#include <string.h>

/* Returns how many entries a ring holds, of those ever added. */
static uint32_t held(uint32_t ever, uint32_t room)
{
    return ever < room ? ever : room;
}

static uint16_t *chain_of(struct sonde_hints *h, const struct sonde_hint *hint)
{
    return &h->first_of[sonde_mix(hint->a + sonde_mix(hint->b + hint->id)) % SONDE_HINTS];
}

static bool knows_pair(struct sonde_hints *h, const struct sonde_hint *hint)
{
    for (uint32_t i = *chain_of(h, hint); i; i = h->chain_next[i - 1]) {
        const struct sonde_hint *p = &h->pairs[i - 1];
        if (p->id == hint->id && p->a == hint->a && p->b == hint->b) return true;
    }
    return false;
}

static bool knows_text(const struct sonde_hint_words *words, const struct sonde_hint_text *text)
{
    for (uint32_t i = 0; i < held(words->n, SONDE_HINT_TEXTS); i++)
        if (words->texts[i].n == text->n && memcmp(words->texts[i].text, text->text, text->n) == 0) return true;
    return false;
}

/* Adds a string, unless it is known. Empty strings say too little; strings longer than SONDE_HINT_TEXT cost too
 * much. */
static void add_text(struct sonde_hint_words *words, const struct sonde_hint_text *text)
{
    if (text->n == 0 || text->n > SONDE_HINT_TEXT || knows_text(words, text)) return;
    uint32_t at = words->n++ % SONDE_HINT_TEXTS;
    words->texts[at].n = (uint8_t)text->n;
    memcpy(words->texts[at].text, text->text, text->n);
}

/* ---- Is a string in the input? */

static bool matches_at(const struct sonde_blob *blob, uint32_t place, const struct sonde_hint_text *text)
{
    for (uint32_t i = 0; i < text->n; i++)
        if (sonde_alphabet_code(&blob->alphabet, sonde_blob_symbol(blob, place + i)) != (uint8_t)text->text[i])
            return false;
    return true;
}

/* Reports whether a blob of the tape contains the string. Compares bytes: a code point above 255 matches nothing. */
static bool is_in_tape(const struct sonde_tape *tape, const struct sonde_hint_text *text)
{
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        if (tape->choices[i].kind != SONDE_KIND_BLOB) continue;
        struct sonde_blob blob = sonde_choice_blob(tape, &tape->choices[i]);
        if (text->n == 0 && blob.len > 0) continue; /* an empty string counts only if it is a whole blob */
        for (uint32_t k = 0; k + text->n <= blob.len; k++)
            if (matches_at(&blob, k, text)) return true;
    }
    return false;
}

/* Adds the compared strings. If the input contains one side of a comparison, the other side is wanted there. */
static void learn_texts(struct sonde_hints *h, const struct sonde_coverage_view *view, const struct sonde_tape *tape)
{
    for (size_t i = 0; i + 1 < view->n_texts; i += 2) {
        const struct sonde_hint_text *a = &view->texts[i], *b = &view->texts[i + 1];
        bool has_a = is_in_tape(tape, a), has_b = is_in_tape(tape, b);
        if (has_a) add_text(&h->wanted, b);
        if (has_b) add_text(&h->wanted, a);
        if (has_a || has_b) continue;
        add_text(&h->others, a);
        add_text(&h->others, b);
    }
}

/* Removes a pair from its chain, before another pair overwrites it. */
static void unlink_pair(struct sonde_hints *h, uint32_t at)
{
    uint16_t *to = chain_of(h, &h->pairs[at]);
    while (*to != at + 1) to = &h->chain_next[*to - 1];
    *to = h->chain_next[at];
}

static void add_pair(struct sonde_hints *h, const struct sonde_hint *hint)
{
    if (knows_pair(h, hint)) return;
    uint32_t at = h->n_pairs % SONDE_HINTS;
    if (h->n_pairs++ >= SONDE_HINTS) unlink_pair(h, at);
    uint16_t *first = chain_of(h, hint);
    h->pairs[at] = *hint;
    h->chain_next[at] = *first;
    *first = (uint16_t)(at + 1);
}

/* Adds the compared numbers. A large program makes thousands of comparisons in a case, more than there is room for.
 * Then each case adds an even sample, and at most as many further pairs, of which one side is in the input. The offset
 * of the sample moves with each call, so that in the long run every comparison is sampled. */
static void learn_pairs(struct sonde_hints *h, const struct sonde_coverage_view *view, const struct sonde_tape *tape)
{
    enum { MOST = SONDE_HINTS / 4 };
    struct sonde_numbers numbers;
    size_t step = (view->n_hints + MOST - 1) / MOST, about = 0;
    for (size_t i = step ? h->lessons++ % step : 0; i < view->n_hints; i += step) add_pair(h, &view->hints[i]);
    if (step <= 1) return;
    sonde_numbers_of(&numbers, tape);
    for (size_t i = view->n_hints; i-- > 0 && about < MOST;) {
        if (!sonde_numbers_has_side(&numbers, &view->hints[i])) continue;
        add_pair(h, &view->hints[i]);
        about++;
    }
}

void sonde_hints_learn(struct sonde_hints *h, const struct sonde_coverage_view *view, const struct sonde_tape *tape)
{
    learn_pairs(h, view, tape);
    learn_texts(h, view, tape);
}

/* Reports whether a value is this side, signed or unsigned: the type in the code is not known. */
static bool is_side(uint64_t value, uint64_t side, uint32_t bytes)
{
    return value == side || value == sonde_compared_unsigned(side, (uint8_t)bytes);
}

/* Returns a comparison with the value on one side; NULL if there is none. */
static const struct sonde_hint *compared_with(const struct sonde_hint *pairs, uint32_t n, uint32_t start,
                                              uint64_t value)
{
    for (uint32_t k = 0; k < n; k++) {
        const struct sonde_hint *p = &pairs[(start + k) % n];
        if (is_side(value, p->a, p->bytes) || is_side(value, p->b, p->bytes)) return p;
    }
    return NULL;
}

/* Pairs of the parent come first: they are about values that the input contains now. */
bool sonde_hints_number(const struct sonde_hints *h, struct sonde_rng *rng, uint64_t value,
                        struct sonde_hint_number *other)
{
    uint32_t n = held(h->n_pairs, SONDE_HINTS);
    if (n == 0) return false;
    uint32_t start = (uint32_t)sonde_rng_upto(rng, n - 1);
    const struct sonde_hint *p = compared_with(h->own, h->n_own, start, value);
    if (!p) p = compared_with(h->pairs, n, start, value);
    uint64_t side, x = sonde_rng_next(rng);
    if (p) side = is_side(value, p->a, p->bytes) ? p->b : p->a;
    else {
        p = &h->pairs[start];
        /* Tries a side itself, one less or one more, because comparisons are often wrong by one. */
        side = (x & 1 ? p->a : p->b) + ((x >> 8 & 0xff) * 3 >> 8) - 1;
    }
    *other = (struct sonde_hint_number){side, sonde_compared_unsigned(side, (uint8_t)p->bytes)};
    return true;
}

/* Strings that were compared with parts of an input are preferred. Numbers are written as bytes, in either order. */
size_t sonde_hints_text(const struct sonde_hints *h, struct sonde_rng *rng, char *out)
{
    uint32_t pairs = held(h->n_pairs, SONDE_HINTS);
    const struct sonde_hint_words *words =
        h->wanted.n && (h->others.n == 0 || sonde_rng_upto(rng, 3)) ? &h->wanted : &h->others;
    if (words->n && (pairs == 0 || sonde_rng_upto(rng, 1))) {
        uint32_t i = (uint32_t)sonde_rng_upto(rng, held(words->n, SONDE_HINT_TEXTS) - 1);
        memcpy(out, words->texts[i].text, words->texts[i].n);
        return words->texts[i].n;
    }
    if (pairs == 0) return 0;
    const struct sonde_hint *p = &h->pairs[sonde_rng_upto(rng, pairs - 1)];
    uint64_t x = sonde_rng_next(rng), number = x & 1 ? p->a : p->b;
    for (uint32_t i = 0; i < p->bytes; i++) { /* either byte order */
        uint32_t shift = 8 * (x & 2 ? i : p->bytes - 1 - i);
        out[i] = (char)(number >> shift);
    }
    return p->bytes;
}

/* Reports whether a side fits into this many bytes, as an unsigned or as a negative number. */
static bool fits(uint64_t side, uint32_t bytes)
{
    return sonde_compared_unsigned(side, (uint8_t)bytes) == side || side >= UINT64_MAX << (8 * bytes - 1);
}

static void write_bytes(uint8_t *out, uint64_t number, uint32_t n, bool highest_first)
{
    for (uint32_t i = 0; i < n; i++) out[i] = (uint8_t)(number >> 8 * (highest_first ? n - 1 - i : i));
}

/* A number in a file is often narrower than its comparison: a 64-bit comparison may be about a two-byte field. So the
 * width is halved at random while both sides fit. */
bool sonde_hints_swap(const struct sonde_hints *h, struct sonde_rng *rng, struct sonde_hint_swap *swap)
{
    uint32_t n = held(h->n_pairs, SONDE_HINTS);
    if (n == 0) return false;
    bool from_own = h->n_own && sonde_rng_upto(rng, 3);
    const struct sonde_hint *p =
        from_own ? &h->own[sonde_rng_upto(rng, h->n_own - 1)] : &h->pairs[sonde_rng_upto(rng, n - 1)];
    uint64_t x = sonde_rng_next(rng);
    bool turned = x & 1, highest_first = x & 2;
    swap->n = p->bytes;
    for (x >>= 8; x & 3 && swap->n > 1 && fits(p->a, swap->n / 2) && fits(p->b, swap->n / 2); x >>= 2) swap->n /= 2;
    write_bytes(swap->from, turned ? p->b : p->a, swap->n, highest_first);
    write_bytes(swap->to, turned ? p->a : p->b, swap->n, highest_first);
    return true;
}
