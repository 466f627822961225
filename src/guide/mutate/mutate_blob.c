/* Mutation of blobs. A blob is one choice, so it has separate mutators, the same as in byte fuzzers. They work on
 * symbols and know the alphabet and the allowed lengths.
 *
 * As in AFL: bits, neighbours, ends of the range, insertions, deletions, repetitions, words, splices.
 * Values that a fuzzer finds by counting come from hints here, that is, from values that the code compared. */
#include "base/mem.h"
#include "guide/mutate/mutate.h"

#include <string.h>

/* The content of a blob while it is changed. `at` has room for `max` symbols: the limit of the blob, or GROWTH more
 * than its length. */
struct content {
    uint32_t *at;
    uint32_t n, min, max;
    const struct sonde_alphabet *alphabet;
};

/* Returns a random position; 0 for an empty content, which callers that need a symbol must exclude. */
static uint32_t any_place(struct sonde_rng *rng, uint32_t n)
{
    return n ? (uint32_t)sonde_rng_upto(rng, n - 1) : 0;
}

/* Returns a short length, rarely a long one: geometric, one more two times out of three, so the mean is about three. */
static uint32_t any_run(struct sonde_rng *rng, uint32_t most)
{
    uint32_t n = 1;
    while (n < most && sonde_rng_upto(rng, 2) != 0) n++;
    return n < most ? n : most;
}

/* Changes one symbol. A flipped bit is a bit of the symbol's number, which for bytes is the byte. */
static void change_symbol(struct sonde_mutate *m, struct content *c)
{
    if (c->n == 0) return;
    uint32_t *s = &c->at[any_place(m->rng, c->n)], size = c->alphabet->size;
    switch (sonde_rng_upto(m->rng, 4)) {
    case 0: *s = (*s + 1) % size; break;
    case 1: *s = (*s + size - 1) % size; break;
    case 2: *s = sonde_rng_upto(m->rng, 1) ? 0 : size - 1; break;
    case 3: *s = (*s ^ 1u << sonde_rng_upto(m->rng, 7)) % size; break;
    default: *s = sonde_special_symbol(m->rng, c->alphabet); break;
    }
}

/* Makes room for n symbols at a position, or for fewer if the maximal length is reached; returns how many. */
static uint32_t open_gap(struct content *c, uint32_t place, uint32_t n)
{
    if (n > c->max - c->n) n = c->max - c->n;
    memmove(c->at + place + n, c->at + place, (c->n - place) * sizeof *c->at);
    c->n += n;
    return n;
}

static void insert_symbols(struct sonde_mutate *m, struct content *c)
{
    uint32_t place = any_place(m->rng, c->n + 1), n = open_gap(c, place, any_run(m->rng, 16));
    for (uint32_t i = 0; i < n; i++) c->at[place + i] = sonde_special_symbol(m->rng, c->alphabet);
}

static void delete_symbols(struct sonde_mutate *m, struct content *c)
{
    if (c->n == c->min) return;
    uint32_t n = any_run(m->rng, c->n - c->min), place = any_place(m->rng, c->n - n + 1);
    memmove(c->at + place, c->at + place + n, (c->n - place - n) * sizeof *c->at);
    c->n -= n;
}

/* Repeats a run of symbols right after it. */
static void repeat_symbols(struct sonde_mutate *m, struct content *c)
{
    if (c->n == 0) return;
    uint32_t place = any_place(m->rng, c->n), n = any_run(m->rng, c->n - place);
    uint32_t room = open_gap(c, place + n, n); /* may be less than n, near the maximal length */
    memcpy(c->at + place + n, c->at + place, room * sizeof *c->at);
}

/* Converts bytes to symbols. Returns false if the alphabet lacks a byte: then the comparison was not about this
 * blob. */
static bool as_symbols(const struct content *c, const uint8_t *bytes, uint32_t n, uint32_t *symbols)
{
    for (uint32_t i = 0; i < n; i++) {
        symbols[i] = sonde_alphabet_symbol(c->alphabet, bytes[i]);
        if (symbols[i] == UINT32_MAX) return false;
    }
    return true;
}

/* Inserts a word, or overwrites symbols with it. */
static void put_word(struct sonde_mutate *m, struct content *c, const char *word, size_t length)
{
    uint32_t symbols[SONDE_HINT_TEXT], n = length < SONDE_HINT_TEXT ? (uint32_t)length : SONDE_HINT_TEXT;
    if (!as_symbols(c, (const uint8_t *)word, n, symbols)) return;
    bool inside = sonde_rng_upto(m->rng, 1);
    uint32_t place = sonde_rng_upto(m->rng, 1) ? 0 : any_place(m->rng, c->n + 1);
    if (inside) n = open_gap(c, place, n);
    else if (place + n > c->n) open_gap(c, c->n, place + n - c->n);
    if (place + n > c->n) n = c->n - place;
    memcpy(c->at + place, symbols, n * sizeof *symbols);
}

/* Replaces one side of a comparison by the other: the right checksum, the right length. Returns false if no side was
 * found. Reservoir sampling over the occurrences makes each equally likely in one pass. */
static bool swap_compared(struct sonde_mutate *m, struct content *c)
{
    enum { TRIES = 16 }; /* number of comparisons that are searched for in the content */
    struct sonde_hint_swap swap;
    for (int i = 0; i < TRIES && sonde_hints_swap(m->hints, m->rng, &swap); i++) {
        uint32_t from[8] = {0}, to[8] = {0}, found = UINT32_MAX, n_found = 0;
        if (!as_symbols(c, swap.from, swap.n, from) || !as_symbols(c, swap.to, swap.n, to)) continue;
        for (uint32_t k = 0; k + swap.n <= c->n; k++)
            if (c->at[k] == from[0] && memcmp(c->at + k, from, swap.n * sizeof *from) == 0
                && any_place(m->rng, ++n_found) == 0)
                found = k;
        if (found == UINT32_MAX) continue;
        memcpy(c->at + found, to, swap.n * sizeof *to);
        return true;
    }
    return false;
}

/* Applies a hint: a comparison first, a word of the code second, a word of the user third. */
static void put_hint(struct sonde_mutate *m, struct content *c)
{
    if (sonde_rng_upto(m->rng, 1) && swap_compared(m, c)) return;
    char text[SONDE_HINT_TEXT];
    size_t n = sonde_hints_text(m->hints, m->rng, text);
    if (n) put_word(m, c, text, n);
    else if (m->special.n_words) {
        const char *word = m->special.words[sonde_rng_upto(m->rng, m->special.n_words - 1)];
        put_word(m, c, word, strlen(word));
    } else change_symbol(m, c);
}

/* Joins the beginning of this blob and the end of another: the first blob of the same label in another tape of the
 * corpus. */
static void cross(struct sonde_mutate *m, struct content *c, uint32_t label)
{
    const struct sonde_kept *kept = sonde_parents_any(m->parents, m->rng);
    if (!kept) return;
    for (uint32_t i = 0; i < kept->tape.n_choices; i++) {
        const struct sonde_choice *o = &kept->tape.choices[i];
        if (o->label != label || o->kind != SONDE_KIND_BLOB) continue;
        struct sonde_blob blob = sonde_choice_blob(&kept->tape, o);
        uint32_t mine = any_place(m->rng, c->n + 1), from = any_place(m->rng, blob.len + 1), n = mine;
        while (from < blob.len && n < c->max) c->at[n++] = sonde_blob_symbol(&blob, from++) % c->alphabet->size;
        if (n >= c->min) c->n = n;
        return;
    }
}

bool sonde_mutate_blob(struct sonde_mutate *m, struct sonde_tape *script, uint32_t choice)
{
    /* A mutant stays near its parent: even a blob of a megabyte grows by a few symbols only. */
    enum { GROWTH = 64 };
    struct sonde_choice *c = &script->choices[choice];
    struct sonde_blob blob = sonde_choice_blob(script, c);
    uint32_t longest = blob.max - blob.len < GROWTH ? blob.max : blob.len + GROWTH;
    m->symbols = sonde_grow(m->symbols, &m->cap_symbols, (size_t)longest + 1, sizeof *m->symbols);
    sonde_blob_read(&blob, m->symbols, blob.len);
    struct content x = {.at = m->symbols, .n = blob.len, .min = blob.min, .max = longest, .alphabet = &blob.alphabet};
    bool has_hints = m->hints->n_pairs || m->hints->wanted.n || m->hints->others.n;
    switch (sonde_rng_upto(m->rng, has_hints ? 9 : 7)) {
    case 0: insert_symbols(m, &x); break;
    case 1: delete_symbols(m, &x); break;
    case 2: repeat_symbols(m, &x); break;
    case 3:
    case 8:
    case 9: put_hint(m, &x); break;
    case 4: cross(m, &x, c->label); break;
    default: change_symbol(m, &x); break;
    }
    /* The choice has a content now, so it is not a hole. */
    c->flags &= (uint8_t)~SONDE_CHOICE_HOLE;
    c->base = sonde_tape_add_blob(script, &blob, m->symbols, x.n);
    c->index = x.n - blob.min;
    return true;
}
