/* Implements params.h. */
#include "params.h"

static const double two_to_32 = 4294967296.0;

/* ---- Bytes */

/* Returns the number of bytes that a draw takes. */
static unsigned width_of(const struct sonde_choice *c)
{
    if (c->kind == SONDE_KIND_SIZE) return 0; /* a size is not random: it is always the largest */
    if (c->kind == SONDE_KIND_CHANCE || c->kind == SONDE_KIND_WEIGHTED) return c->max ? 4 : 0;
    if (c->kind == SONDE_KIND_DOUBLE || c->flags & SONDE_CHOICE_OPEN) return c->max ? 8 : 0;
    return c->max == 0 ? 0 : c->max <= UINT32_MAX ? 4 : 8;
}

enum { SYMBOL_WIDTH = 4 };

static void put(struct classic_params *p, uint64_t word, unsigned width)
{
    p->bytes = classic_grow(p->bytes, &p->cap, p->n + width, 1);
    for (unsigned i = 0; i < width; i++) p->bytes[p->n++] = (uint8_t)(word >> (8 * i));
}

/* Takes a word from the bytes; returns false if too few are left. */
static bool take(struct classic_params *p, unsigned width, uint64_t *word)
{
    *word = 0;
    if (p->n - p->at < width) {
        p->at = p->n;
        return false;
    }
    for (unsigned i = 0; i < width; i++) *word |= (uint64_t)p->bytes[p->at++] << (8 * i);
    return true;
}

void classic_params_clear(struct classic_params *p)
{
    for (uint32_t i = 0; i < CLASSIC_WEIGHTS; i++) sonde_free(p->seen[i].weights);
    sonde_free(p->bytes);
}

/* ---- Weights, by choice point */

static struct classic_weights *weights_at(struct classic_params *p, const struct sonde_choice *c)
{
    uint64_t key = ((uint64_t)c->site << 32 | (uint32_t)c->max) + 1;
    uint32_t i = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 54);
    while (p->seen[i].key && p->seen[i].key != key) i = (i + 1) % CLASSIC_WEIGHTS;
    if (!p->seen[i].key && p->n_seen < CLASSIC_WEIGHTS / 2) {
        p->seen[i].key = key;
        p->n_seen++;
    }
    return p->seen[i].key ? &p->seen[i] : NULL;
}

static void remember_weights(struct classic_params *p, const struct sonde_view *view)
{
    struct classic_weights *w = weights_at(p, view->point);
    size_t size = ((size_t)view->point->max + 1) * sizeof *w->weights;
    if (!w) return;
    w->weights = sonde_realloc(w->weights, size);
    memcpy(w->weights, view->weights, size);
    w->sum = view->weight_sum;
}

static uint64_t weighted(const unsigned *weights, uint64_t sum, uint64_t max, uint64_t word)
{
    uint64_t low, left = sonde_multiply(word << 32, sum, &low), i = 0;
    while (i < max && left >= weights[i]) left -= weights[i++];
    return i;
}

/* Returns a word that gives this alternative: the smallest, or slightly more, because quotients are rounded. */
static uint64_t word_of_weighted(struct classic_params *p, const struct sonde_choice *c)
{
    const struct classic_weights *w = weights_at(p, c);
    uint64_t before = 0, word;
    if (!w || !w->weights || w->sum == 0) return (uint64_t)((double)c->index / ((double)c->max + 1) * two_to_32);
    for (uint64_t i = 0; i < c->index; i++) before += w->weights[i];
    word = (uint64_t)((double)before / (double)w->sum * two_to_32);
    if (word > 0) word--;
    while (word < UINT32_MAX && weighted(w->weights, w->sum, c->max, word) < c->index) word++;
    return word;
}

/* ---- Open lengths: geometric, one more with probability 8/9, as in `uniform` */

static uint64_t shorter(uint64_t share)
{
    return share / 9 * 8;
}

static uint64_t geometric(uint64_t word, uint64_t max)
{
    uint64_t n = 0;
    for (uint64_t share = shorter(UINT64_MAX); n < max && word < share; share = shorter(share)) n++;
    return n;
}

static uint64_t word_of_geometric(uint64_t n)
{
    uint64_t share = UINT64_MAX;
    for (; n > 0 && shorter(share); n--) share = shorter(share);
    return shorter(share);
}

/* ---- One draw */

static uint64_t index_of(struct classic_params *p, const struct sonde_view *view, uint64_t word)
{
    const struct sonde_choice *c = view->point;
    double chance;
    switch (c->kind) {
    case SONDE_KIND_CHANCE: memcpy(&chance, &c->base, sizeof chance); return (double)word < chance * two_to_32;
    case SONDE_KIND_WEIGHTED: remember_weights(p, view); return weighted(view->weights, view->weight_sum, c->max, word);
    case SONDE_KIND_DOUBLE: return sonde_guide_double(view, word);
    default: break;
    }
    if (c->flags & SONDE_CHOICE_OPEN) return geometric(word, c->max);
    return c->max == UINT64_MAX ? word : word % (c->max + 1);
}

static uint64_t word_of(struct classic_params *p, const struct sonde_tape *tape, const struct sonde_choice *c)
{
    switch (c->kind) {
    case SONDE_KIND_CHANCE: return c->index ? 0 : UINT32_MAX;
    case SONDE_KIND_WEIGHTED: return word_of_weighted(p, c);
    case SONDE_KIND_DOUBLE: return sonde_guide_double_bits(tape, c);
    default: return c->flags & SONDE_CHOICE_OPEN ? word_of_geometric(c->index) : c->index;
    }
}

/* ---- Operations for guides */

void classic_params_of(struct classic_params *p, const struct sonde_tape *tape)
{
    p->n = p->at = 0;
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        const struct sonde_choice *c = &tape->choices[i];
        put(p, word_of(p, tape, c), width_of(c));
        if (c->kind != SONDE_KIND_BLOB) continue;
        struct sonde_blob blob = sonde_choice_blob(tape, c);
        for (uint32_t k = 0; k < blob.len; k++) put(p, sonde_blob_symbol(&blob, k), SYMBOL_WIDTH);
    }
}

uint64_t classic_params_choose(struct classic_params *p, struct sonde_guide *fresh, const struct sonde_view *view)
{
    uint64_t word;
    unsigned width = width_of(view->point);
    if (width && take(p, width, &word)) return index_of(p, view, word);
    if (view->point->kind == SONDE_KIND_WEIGHTED) remember_weights(p, view);
    return fresh->ops->choose(fresh, view);
}

/* Fills a string: its length comes first, then its symbols. */
size_t classic_params_fill(struct classic_params *p, struct sonde_guide *fresh, const struct sonde_view *view,
                           uint32_t *symbols, size_t min)
{
    uint32_t size = view->alphabet->size;
    size_t n = min + (view->point->max ? (size_t)classic_params_choose(p, fresh, view) : 0), i = 0;
    uint64_t word;
    for (; i < n && take(p, SYMBOL_WIDTH, &word); i++) symbols[i] = (uint32_t)(word % size);
    for (; i < n; i++) {
        struct sonde_choice point = {.kind = SONDE_KIND_PICK, .max = size - 1, .site = view->point->site};
        struct sonde_view symbol = *view;
        symbol.point = &point;
        symbols[i] = (uint32_t)(size > 1 ? fresh->ops->choose(fresh, &symbol) : 0);
    }
    return n;
}
