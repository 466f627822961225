/* See hints.h. */
#include "guide/hints.h"

#include <string.h>

static uint32_t held(uint32_t ever, uint32_t room)
{
    return ever < room ? ever : room;
}

static bool knows_pair(const struct sonde_hints *h, const struct sonde_hint *hint)
{
    for (uint32_t i = 0; i < held(h->n_pairs, SONDE_HINTS); i++)
        if (h->pairs[i].id == hint->id && h->pairs[i].a == hint->a && h->pairs[i].b == hint->b) return true;
    return false;
}

static bool knows_text(const struct sonde_hints *h, const struct sonde_hint_text *text)
{
    for (uint32_t i = 0; i < held(h->n_texts, SONDE_HINT_TEXTS); i++)
        if (h->texts[i].n == text->n && memcmp(h->texts[i].text, text->text, text->n) == 0) return true;
    return false;
}

void sonde_hints_learn(struct sonde_hints *h, const struct sonde_coverage_view *view)
{
    for (size_t i = 0; i < view->n_hints; i++)
        if (!knows_pair(h, &view->hints[i])) h->pairs[h->n_pairs++ % SONDE_HINTS] = view->hints[i];
    for (size_t i = 0; i < view->n_texts; i++) {
        const struct sonde_hint_text *text = &view->texts[i];
        if (text->n > SONDE_HINT_TEXT || knows_text(h, text)) continue;
        uint32_t at = h->n_texts++ % SONDE_HINT_TEXTS;
        h->texts[at].n = (uint8_t)text->n;
        memcpy(h->texts[at].text, text->text, text->n);
    }
}

bool sonde_hints_number(const struct sonde_hints *h, struct sonde_rng *rng, uint64_t value, uint64_t *other)
{
    uint32_t n = held(h->n_pairs, SONDE_HINTS);
    if (n == 0) return false;
    uint32_t start = (uint32_t)sonde_rng_upto(rng, n - 1);
    for (uint32_t k = 0; k < n; k++) {
        const struct sonde_hint *p = &h->pairs[(start + k) % n];
        if (p->a != value && p->b != value) continue;
        *other = p->a == value ? p->b : p->a;
        return true;
    }
    uint64_t x = sonde_rng_next(rng);
    *other = (x & 1 ? h->pairs[start].a : h->pairs[start].b) + ((x >> 8 & 0xff) * 3 >> 8) - 1;
    return true;
}

size_t sonde_hints_text(const struct sonde_hints *h, struct sonde_rng *rng, char *out)
{
    uint32_t pairs = held(h->n_pairs, SONDE_HINTS), texts = held(h->n_texts, SONDE_HINT_TEXTS);
    if (texts && (pairs == 0 || sonde_rng_upto(rng, 1))) {
        uint32_t i = (uint32_t)sonde_rng_upto(rng, texts - 1);
        memcpy(out, h->texts[i].text, h->texts[i].n);
        return h->texts[i].n;
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
