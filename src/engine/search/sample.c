/* See sample.h. Bottom-k sampling by a hash of choices and seed: merging two samples gives the sample of the union. How
 * often or when an input came has no influence. */
#include "engine/search/sample.h"

#include "base/hash.h"
#include "base/mem.h"
#include "tape/tape.h"

#include <string.h>

/* Maximum number of bytes of all tapes in a sample. Inputs of a space that can be exhausted are small, so a larger
 * sample is not needed for a proof. */
static const size_t most_bytes = (size_t)16 << 20;
/* Maximum size in bytes of a buffer that is reused. Without it, each buffer would grow to the size of the largest
 * tape. */
static const size_t most_reused = 4096;

void sonde_sample_init(struct sonde_sample *sample)
{
    memset(sample, 0, sizeof *sample);
    sample->end = UINT64_MAX;
}

static void drop(struct sonde_sampled *input)
{
    sonde_tape_clear(&input->tape);
    sonde_free(input);
}

void sonde_sample_clear(struct sonde_sample *sample)
{
    for (uint32_t i = 0; i < sample->n; i++) drop(sample->inputs[i]);
    sonde_sample_abandon(sample);
}

void sonde_sample_abandon(struct sonde_sample *sample)
{
    memset(sample, 0, sizeof *sample);
}

uint64_t sonde_sample_key(uint64_t identity, uint64_t seed, bool is_valid)
{
    /* The top bit puts discarded inputs after all valid ones. */
    return sonde_mix(sonde_hash_add(seed, identity)) >> 1 | (is_valid ? 0 : UINT64_C(1) << 63);
}

/* Returns the index of a key, or where it would be inserted. */
static uint32_t place_of(const struct sonde_sample *sample, uint64_t key)
{
    uint32_t i = 0, end = sample->n;
    while (i < end) {
        uint32_t middle = i + (end - i) / 2;
        if (sample->inputs[middle]->key < key) i = middle + 1;
        else end = middle;
    }
    sonde_assert(i == 0 || sample->inputs[i - 1]->key < key);
    sonde_assert(i == sample->n || sample->inputs[i]->key >= key);
    return i;
}

/* Returns memory for one input. If the sample is full, reuses the memory of its last input, so that the first cases of
 * a search cause few allocations. */
static struct sonde_sampled *room_for_one(struct sonde_sample *sample)
{
    if (sample->n < SONDE_SAMPLE_MAX) {
        struct sonde_sampled *room = sonde_malloc(sizeof *room);
        sonde_tape_init(&room->tape);
        return room;
    }
    struct sonde_sampled *last = sample->inputs[--sample->n];
    sonde_assert(sample->bytes >= sonde_tape_bytes(&last->tape));
    sample->bytes -= sonde_tape_bytes(&last->tape);
    if (sonde_tape_bytes(&last->tape) > most_reused) sonde_tape_clear(&last->tape);
    return last;
}

static void drop_last(struct sonde_sample *sample)
{
    struct sonde_sampled *last = sample->inputs[--sample->n];
    sonde_assert(sample->bytes >= sonde_tape_bytes(&last->tape));
    sample->bytes -= sonde_tape_bytes(&last->tape);
    drop(last);
}

/* Drops the inputs with the largest keys until the rest has room. */
static void cut(struct sonde_sample *sample)
{
    while (sample->bytes > most_bytes) {
        sample->end = sample->inputs[sample->n - 1]->key;
        sample->is_cut = true;
        drop_last(sample);
    }
}

/* The inputs with the smallest keys stay, in ascending order, each key once. Keys are hashes, so these are a random
 * sample of all inputs, in whatever order they came. */
void sonde_sample_add(struct sonde_sample *sample, const struct sonde_sampled *input)
{
    if (input->key >= sample->end) return;
    uint32_t at = place_of(sample, input->key);
    if (at < sample->n && sample->inputs[at]->key == input->key) return;
    struct sonde_sampled *copy = room_for_one(sample);
    sonde_assert(at <= sample->n); /* a full sample takes only inputs that come before its last one */
    struct sonde_tape tape = copy->tape;
    sonde_tape_copy(&tape, &input->tape);
    *copy = *input;
    copy->tape = tape;
    memmove(&sample->inputs[at + 1], &sample->inputs[at], (sample->n - at) * sizeof *sample->inputs);
    sample->inputs[at] = copy;
    sample->n++;
    sample->bytes += sonde_tape_bytes(&copy->tape);
    if (sample->n == SONDE_SAMPLE_MAX) sample->end = sample->inputs[sample->n - 1]->key;
    cut(sample);
}

void sonde_sample_merge(struct sonde_sample *sample, const struct sonde_sample *other)
{
    sample->is_cut |= other->is_cut;
    for (uint32_t i = 0; i < other->n; i++) sonde_sample_add(sample, other->inputs[i]);
    /* The other sample lacks inputs beyond its end, so inputs of this one would be too many there. */
    if (other->end >= sample->end) return;
    sample->end = other->end;
    while (sample->n > 0 && sample->inputs[sample->n - 1]->key > sample->end) drop_last(sample);
}

/* Returns whether the search ran the inputs in the order of their keys, which happens by chance if they are few. The
 * rerun then runs them backwards, because it needs another order. */
static bool ran_in_key_order(const struct sonde_sample *sample)
{
    for (uint32_t i = 1; i < sample->n; i++)
        if (sample->inputs[i - 1]->test > sample->inputs[i]->test) return false;
    return true;
}

const struct sonde_sampled *sonde_sample_at(const struct sonde_sample *sample, uint32_t i)
{
    sonde_assert(i < sample->n);
    return sample->inputs[ran_in_key_order(sample) ? sample->n - 1 - i : i];
}
