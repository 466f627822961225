/* See insight.h: the first input at each location. Runs only for cases with something new, so nothing here is
 * optimised. */
#include "feedback/insight.h"

#include "base/mem.h"
#include "tape/text.h"

#include <string.h>

void sonde_firsts_clear(struct sonde_firsts *f)
{
    for (uint32_t i = 0; i < f->n; i++) sonde_free(f->all[i].token);
    sonde_free(f->all);
    sonde_free(f->by);
    sonde_free(f->first);
    memset(f, 0, sizeof *f);
}

/* A long token is truncated at the start of a character, never inside one. */
char *sonde_firsts_token(const struct sonde_tape *tape, const struct sonde_labels *labels, bool *is_cut)
{
    char *token = sonde_tape_to_text(tape, labels);
    *is_cut = strlen(token) > SONDE_FIRSTS_TOKEN;
    if (!*is_cut) return token;
    size_t end = SONDE_FIRSTS_TOKEN / 8; /* this much is enough to recognise the input */
    while (end && ((unsigned char)token[end] & 0xc0) == 0x80) end--;
    memcpy(token + end, "...", 4);
    return token;
}

static void make_room(struct sonde_firsts *f, uint32_t n)
{
    f->by = sonde_grow_zeroed(f->by, &f->cap_by, n, sizeof *f->by);
    f->first = sonde_grow_zeroed(f->first, &f->cap_first, n, sizeof *f->first);
}

static uint8_t bit_of(enum sonde_verdict verdict)
{
    if (verdict == SONDE_VALID) return SONDE_REACHED_VALID;
    return verdict == SONDE_FAILED ? SONDE_REACHED_FAILING : SONDE_REACHED_INVALID;
}

/* Returns whether an input becomes the first of a location: the location is new, or no valid input has reached it
 * yet. */
static bool is_first(uint8_t by, uint8_t bit)
{
    return !by || (bit == SONDE_REACHED_VALID && !(by & SONDE_REACHED_VALID));
}

/* Keeps an input and returns its index + 1; 0 if there is no room for it. */
static uint32_t keep(struct sonde_firsts *f, struct sonde_first input)
{
    size_t bytes = strlen(input.token) + 1;
    if (f->n == SONDE_FIRSTS_MAX || f->bytes + bytes > SONDE_FIRSTS_BYTES) {
        sonde_free(input.token);
        f->left_out++;
        return 0;
    }
    f->all = sonde_grow(f->all, &f->cap, (size_t)f->n + 1, sizeof *f->all);
    f->bytes += bytes;
    f->all[f->n++] = input;
    return f->n;
}

static uint32_t keep_case(struct sonde_firsts *f, const sonde *t, uint64_t test)
{
    struct sonde_first input = {.test = test, .n_choices = t->tape.n_choices, .is_valid = t->verdict == SONDE_VALID};
    struct sonde_tape tape;
    sonde_tape_init(&tape);
    sonde_tape_copy(&tape, &t->tape);
    sonde_tape_end(&tape);
    input.token = sonde_firsts_token(&tape, t->labels, &input.is_cut);
    sonde_tape_clear(&tape);
    return keep(f, input);
}

static void own(struct sonde_firsts *f, uint32_t id, uint32_t input)
{
    uint32_t before = f->first[id];
    if (before) f->all[before - 1].owns--;
    f->first[id] = input;
    if (input) f->all[input - 1].owns++;
}

void sonde_firsts_add(struct sonde_firsts *f, const sonde *t, const struct sonde_coverage_view *seen, uint64_t test)
{
    uint8_t bit = bit_of(t->verdict);
    uint32_t input = 0;
    bool was_tried = false;
    if (bit == SONDE_REACHED_FAILING && f->n_failing++ >= SONDE_FIRSTS_FAILING) return;
    make_room(f, seen->n_ids);
    for (size_t i = 0; i < seen->n_features; i++) {
        if (seen->features[i].kind != SONDE_FEATURE_COUNTER) continue;
        uint32_t id = seen->features[i].id;
        if (is_first(f->by[id], bit)) {
            if (!was_tried) input = keep_case(f, t, test);
            was_tried = true;
            if (input || !f->first[id]) own(f, id, input);
        }
        f->by[id] |= bit;
    }
}

static struct sonde_first copy_of(const struct sonde_first *theirs)
{
    struct sonde_first ours = *theirs;
    ours.token = sonde_strdup(theirs->token);
    ours.owns = 0;
    return ours;
}

void sonde_firsts_merge(struct sonde_firsts *f, const struct sonde_firsts *other, const uint32_t *ids)
{
    uint32_t *ours = sonde_calloc((size_t)other->n + 1, sizeof *ours); /* for each input of `other`, its index in f */
    f->left_out += other->left_out;
    for (uint32_t i = 0; i < other->cap_by && i < other->cap_first; i++) {
        if (!other->by[i]) continue;
        make_room(f, ids[i] + 1);
        uint32_t theirs = other->first[i];
        bool takes = !f->by[ids[i]] || (other->by[i] & SONDE_REACHED_VALID && !(f->by[ids[i]] & SONDE_REACHED_VALID));
        if (takes && theirs) {
            if (!ours[theirs]) ours[theirs] = keep(f, copy_of(&other->all[theirs - 1]));
            if (ours[theirs]) own(f, ids[i], ours[theirs]);
        }
        f->by[ids[i]] |= other->by[i];
    }
    sonde_free(ours);
}
