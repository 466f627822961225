/* See near.h. Each turn changes every choice once, so that a caller that stops early has seen changes of all
 * choices. */
#include "shrink/near.h"

#include "base/mem.h"

enum {
    TURNS = 8,      /* number of ways in which each choice is changed */
    CHOICES = 48,   /* maximum number of choices changed in each turn; of a longer tape, a random sample is changed */
    PAIRS = 96,     /* number of neighbours that differ in two values */
    SYMBOLS = 4096, /* a blob with more symbols is not changed */
};

void sonde_near_init(struct sonde_near *near, const struct sonde_tape *of, uint64_t seed)
{
    *near = (struct sonde_near){.of = of};
    sonde_rng_seed(&near->rng, seed, 0);
}

/* Reports whether changing a choice can teach anything. The size of a case cannot: it only bounds other draws. */
static bool can_change(const struct sonde_choice *c)
{
    bool is_fixed = c->kind != SONDE_KIND_BLOB && c->max == 0;
    return !is_fixed && !(c->flags & SONDE_CHOICE_FORCED) && c->kind != SONDE_KIND_SIZE;
}

/* Returns the index of another choice with the same kind and range: many bugs depend on whether two values are
 * equal. */
static uint64_t like_another(struct sonde_near *near, uint32_t i)
{
    const struct sonde_tape *t = near->of;
    uint32_t from = (uint32_t)sonde_rng_upto(&near->rng, t->n_choices - 1);
    for (uint32_t k = 0; k < t->n_choices; k++) {
        uint32_t at = (from + k) % t->n_choices;
        const struct sonde_choice *c = &t->choices[at];
        if (at != i && c->kind == t->choices[i].kind && c->max == t->choices[i].max) return c->index;
    }
    return t->choices[i].index;
}

/* Returns the index that choice i gets in a turn; it may be the present one. */
static uint64_t another_index(struct sonde_near *near, uint32_t i, uint32_t turn)
{
    const struct sonde_choice *c = &near->of->choices[i];
    uint64_t far = c->index < c->max / 2 ? 2 * c->index + 16 : c->max, step = turn < 2 ? 1 : 2;
    switch (turn) {
    case 0:
    case 2: return c->max - c->index >= step ? c->index + step : c->index;
    case 1:
    case 3: return c->index >= step ? c->index - step : c->index;
    case 4: return like_another(near, i);
    case 5: return sonde_rng_upto(&near->rng, far < c->max ? far : c->max);
    case 6: return c->index ? 0 : c->max;
    default: return sonde_rng_upto(&near->rng, c->max);
    }
}

/* Adds, removes or replaces one symbol, or swaps two. Returns false if nothing changed. */
static bool change_symbols(struct sonde_near *near, uint32_t *symbols, uint32_t *n, const struct sonde_blob *blob,
                           uint32_t turn)
{
    uint32_t at = *n ? (uint32_t)sonde_rng_upto(&near->rng, *n - 1) : 0, before = *n ? symbols[at] : 0;
    uint32_t any = (uint32_t)sonde_rng_upto(&near->rng, blob->alphabet.size - 1), other;
    switch (turn % 4) {
    case 0:
        if (*n == 0) return false;
        symbols[at] = turn < 4 ? (before + 1) % blob->alphabet.size : any;
        return symbols[at] != before;
    case 1:
        if (*n <= blob->min || *n == 0) return false;
        for (uint32_t i = at; i + 1 < *n; i++) symbols[i] = symbols[i + 1];
        --*n;
        return true;
    case 2:
        if (*n >= blob->max || *n >= SYMBOLS) return false;
        for (uint32_t i = (*n)++; i > at; i--) symbols[i] = symbols[i - 1];
        symbols[at] = turn < 4 && *n > 1 ? symbols[*n - 1] : any;
        return true;
    default:
        if (*n < 2) return false;
        other = (at + 1) % *n;
        symbols[at] = symbols[other];
        symbols[other] = before;
        return symbols[at] != before;
    }
}

static bool change_blob(struct sonde_near *near, struct sonde_tape *script, uint32_t i, uint32_t turn)
{
    struct sonde_blob blob = sonde_choice_blob(near->of, &near->of->choices[i]);
    uint32_t n = blob.len;
    if (n > SYMBOLS || blob.alphabet.size == 0) return false;
    uint32_t *symbols = sonde_malloc(((size_t)n + 1) * sizeof *symbols);
    sonde_blob_read(&blob, symbols, n);
    bool changed = change_symbols(near, symbols, &n, &blob, turn);
    if (changed) {
        struct sonde_choice *c = &script->choices[i];
        c->base = sonde_tape_add_blob(script, &blob, symbols, n);
        c->index = n - blob.min;
    }
    sonde_free(symbols);
    return changed;
}

static bool change(struct sonde_near *near, struct sonde_tape *script, uint32_t i, uint32_t turn)
{
    const struct sonde_choice *c = &near->of->choices[i];
    if (!can_change(c)) return false;
    if (c->kind == SONDE_KIND_BLOB) return change_blob(near, script, i, turn);
    uint64_t index = another_index(near, i, turn);
    if (index == c->index) return false;
    script->choices[i].index = index;
    return true;
}

static bool change_any(struct sonde_near *near, struct sonde_tape *script)
{
    uint32_t i = (uint32_t)sonde_rng_upto(&near->rng, near->of->n_choices - 1);
    return change(near, script, i, (uint32_t)sonde_rng_upto(&near->rng, TURNS - 1));
}

bool sonde_near_next(struct sonde_near *near, struct sonde_tape *script, uint32_t *choice)
{
    uint32_t n = near->of->n_choices;
    sonde_tape_copy(script, near->of);
    if (n == 0) return false;
    for (; near->turn < TURNS; near->turn++, near->choice = 0) {
        while (near->choice < n && near->choice < CHOICES) {
            uint32_t i = near->choice++;
            if (n > CHOICES) i = (uint32_t)sonde_rng_upto(&near->rng, n - 1);
            *choice = i;
            if (change(near, script, i, near->turn)) return true;
        }
    }
    *choice = SONDE_NEAR_SEVERAL;
    while (near->n_pairs++ < PAIRS) {
        bool one = change_any(near, script), two = change_any(near, script);
        if (one || two) return true;
    }
    return false;
}
