/* The cheapest guess of an attack: one side is a drawn value, as it is. So the value is replaced by the other side. */
#include "guide/goal/attack_parts.h"

#include <string.h>

enum { WORD = SONDE_SPLICE_MOST };

/* Finds some place in a blob where these codes are. */
static bool find(const struct sonde_blob *b, const uint32_t *codes, uint32_t n, struct sonde_rng *rng, uint32_t *at)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i + n <= b->len; i++) {
        uint32_t k = 0;
        while (k < n && sonde_alphabet_code(&b->alphabet, sonde_blob_symbol(b, i + k)) == codes[k]) k++;
        if (k == n && sonde_rng_upto(rng, found++) == 0) *at = i;
    }
    return found > 0;
}

/* Writes n codes into a blob instead of n_old symbols from `at` on. */
static bool put_codes(struct sonde_tape *script, uint32_t choice, struct sonde_splice splice, const uint32_t *codes)
{
    struct sonde_blob b = sonde_choice_blob(script, &script->choices[choice]);
    for (uint32_t i = 0; i < splice.n; i++) splice.symbols[i] = sonde_alphabet_symbol(&b.alphabet, codes[i]);
    return sonde_numbers_splice(script, choice, &splice);
}

/* A number that equals one side, or bytes that hold it. */
struct copy {
    struct sonde_number number;
    uint64_t to; /* the new distance of the number from its least value */
    bool is_bytes;
    uint32_t choice, at, n; /* of the bytes */
    uint32_t codes[WORD];
    uint32_t n_found;
};

/* Splits a number into bytes, the highest first or last. */
static void split(uint64_t x, uint32_t n, bool is_big, uint32_t *codes)
{
    for (uint32_t i = 0; i < n; i++) codes[i] = (uint32_t)(x >> 8 * (is_big ? n - 1 - i : i)) & UINT8_MAX;
}

static void find_bytes(const struct sonde_tape *tape, uint64_t from, uint64_t to, struct sonde_rng *rng,
                       struct copy *copy)
{
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        if (tape->choices[i].kind != SONDE_KIND_BLOB) continue;
        struct sonde_blob b = sonde_choice_blob(tape, &tape->choices[i]);
        for (uint32_t n = 2; n <= WORD && b.alphabet.kind == SONDE_ALPHABET_BYTES; n *= 2)
            for (int is_big = 0; is_big < 2; is_big++) {
                uint32_t codes[WORD], at = 0;
                split(from, n, is_big, codes);
                bool fits = n == WORD || (from >> 8 * n == 0 && to >> 8 * n == 0);
                if (!fits || from <= UINT8_MAX || !find(&b, codes, n, rng, &at)) continue;
                if (sonde_rng_upto(rng, copy->n_found++) != 0) continue;
                copy->is_bytes = true;
                copy->choice = i, copy->at = at, copy->n = n;
                split(to, n, is_big, copy->codes);
            }
    }
}

static void find_numbers(const struct sonde_tape *tape, const struct sonde_comparison *c, struct sonde_rng *rng,
                         struct copy *copy)
{
    struct sonde_number numbers[SONDE_ATTACK_NUMBERS];
    uint32_t count = sonde_numbers_read(tape, numbers, SONDE_ATTACK_NUMBERS);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = sonde_compared_unsigned(numbers[i].base + numbers[i].at, c->bytes);
        bool is_first = value == sonde_compared_unsigned(c->a, c->bytes);
        bool is_side = is_first || value == sonde_compared_unsigned(c->b, c->bytes);
        if (numbers[i].part == SONDE_NUMBER_REAL || !is_side) continue;
        if (sonde_rng_upto(rng, copy->n_found++) != 0) continue;
        uint64_t other = is_first ? c->b : c->a;
        copy->is_bytes = false;
        copy->number = numbers[i];
        copy->to = ((int64_t)numbers[i].base < 0 ? other : sonde_compared_unsigned(other, c->bytes)) - numbers[i].base;
    }
}

bool sonde_attack_copy_number(const struct sonde_tape *tape, const struct sonde_comparison *c, struct sonde_rng *rng,
                              struct sonde_tape *script)
{
    struct copy copy = {.n_found = 0};
    uint64_t left = sonde_compared_unsigned(c->a, c->bytes), right = sonde_compared_unsigned(c->b, c->bytes);
    find_numbers(tape, c, rng, &copy);
    find_bytes(tape, left, right, rng, &copy);
    find_bytes(tape, right, left, rng, &copy);
    sonde_tape_copy(script, tape);
    if (copy.n_found == 0) return false;
    if (!copy.is_bytes) return sonde_number_put(script, &copy.number, copy.to);
    return put_codes(script, copy.choice, (struct sonde_splice){.at = copy.at, .n_old = copy.n, .n = copy.n},
                     copy.codes);
}

/* Writes the bytes of a side; returns how many come before the zeros at the end. */
static uint32_t bytes_of(uint64_t side, uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < WORD; i++) {
        out[i] = (uint32_t)(side >> (8 * (WORD - 1 - i))) & UINT8_MAX;
        if (out[i]) n = i + 1;
    }
    return n;
}

/* The side may be a string that ends, or part of a longer one; so what follows it is moved, overwritten, or removed. */
static bool copy_text(const struct sonde_tape *tape, const struct sonde_comparison *c, struct sonde_rng *rng,
                      struct sonde_tape *script)
{
    uint32_t from[WORD], to[WORD], n = 0, choice = 0;
    bool is_first = sonde_rng_next(rng) >> 63;
    uint32_t n_from = bytes_of(is_first ? c->a : c->b, from), n_to = bytes_of(is_first ? c->b : c->a, to);
    struct sonde_splice splice = {.n = n_to};
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        uint32_t at = 0;
        if (tape->choices[i].kind != SONDE_KIND_BLOB) continue;
        struct sonde_blob b = sonde_choice_blob(tape, &tape->choices[i]);
        if (find(&b, from, n_from, rng, &at) && sonde_rng_upto(rng, n++) == 0)
            choice = i, splice.at = n_from ? at : b.len;
    }
    enum { MOVED, OVERWRITTEN, REMOVED, WAYS };
    uint64_t way = sonde_rng_upto(rng, WAYS - 1);
    splice.n_old = way == MOVED ? n_from : way == OVERWRITTEN ? n_to : UINT32_MAX;
    sonde_tape_copy(script, tape);
    return n > 0 && put_codes(script, choice, splice, to);
}

bool sonde_attack_copy_goal(const struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script)
{
    const struct sonde_comparison *c = &a->rows[0];
    if (c->kind == SONDE_COMPARISON_TEXT) return copy_text(&a->tape, c, rng, script);
    return c->bytes && sonde_attack_copy_number(&a->tape, c, rng, script);
}

bool sonde_attack_plan_copy(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script)
{
    enum { TRIES = 8, COPIES = 3 };
    for (; a->tries < TRIES && a->at < COPIES; a->tries++) {
        if (!sonde_attack_copy_goal(a, rng, script)) continue;
        a->at++;
        a->tries++;
        return true;
    }
    sonde_attack_enter(a, SONDE_ATTACK_PROBE);
    return false;
}
