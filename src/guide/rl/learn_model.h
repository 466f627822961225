/* The model of `rl`: weights of features. The probability (sigma) that an answer to a draw is right is the logistic
 * function of the sum of its weights.
 *
 * An input is taken to be valid if the answer to every draw is right: P(valid) is a product. So an answer that is known
 * to be wrong explains a failure, and the others are hardly blamed.
 *
 * Example of blame: three draws with sigmas 0.99, 0.99 and 0.5 made an invalid input. P is 0.49, its odds are 0.96, and
 * the steps are -0.96 times 0.01, 0.01 and 0.5. The doubtful draw takes nearly all of the blame. If all three sigmas
 * had been 0.99, each would have had a third of it. */
#ifndef SONDE_GUIDE_RL_LEARN_MODEL_H
#define SONDE_GUIDE_RL_LEARN_MODEL_H

#include "base/bytes.h"
#include "guide/rl/learn_trie.h"

#include <string.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

enum {
    LEARN_BITS = 16,                                /* number of bits of the index at which a row begins */
    LEARN_STARTS = 1 << LEARN_BITS,                 /* number of positions at which a row may begin */
    LEARN_TABLE = LEARN_STARTS + SONDE_LEARN_NARROW /* number of weights; a row of zeros follows */
};

/* The table of weights. */
struct sonde_learn_model {
    float *weights;   /* LEARN_TABLE weights, so that a row may begin at the last position; then a row of zeros */
    float *gradients; /* sums of squared gradients, for the size of steps */
};

/* Allocates a model with all weights 0; sonde_learn_model_clear frees it. */
void sonde_learn_model_init(struct sonde_learn_model *m);
void sonde_learn_model_clear(struct sonde_learn_model *m);

/* Operations on four numbers at a time. */
typedef float sonde_four __attribute__((vector_size(16)));
typedef int32_t sonde_four_bits __attribute__((vector_size(16)));

static inline sonde_four sonde_four_load(const float *from)
{
    sonde_four x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline void sonde_four_store(float *to, sonde_four x)
{
    memcpy(to, &x, sizeof x);
}

static inline sonde_four sonde_four_of(float x)
{
    return (sonde_four){x, x, x, x};
}

/* Returns `yes` in lanes where all bits of the mask are set, `no` in lanes where none is. */
static inline sonde_four sonde_four_if(sonde_four_bits mask, sonde_four yes, sonde_four no)
{
    return (sonde_four)((mask & (sonde_four_bits)yes) | (~mask & (sonde_four_bits)no));
}

static inline sonde_four sonde_four_max(sonde_four a, sonde_four b)
{
#ifdef __SSE__
    /* one instruction, with the same result as the line below */
    return (sonde_four)_mm_max_ps((__m128)a, (__m128)b);
#else
    return sonde_four_if((sonde_four_bits)(a > b), a, b);
#endif
}

/* Returns 1 / (1 + e^-x), to five digits, for x clipped to [-12, 12]. 2^f for 0 <= f < 1 is a polynomial; the whole
 * part goes into the exponent bits of the float. A NaN counts as -12. */
static inline sonde_four sonde_learn_logistic(sonde_four x)
{
    const sonde_four end = sonde_four_of(12), up = sonde_four_of(32), one = sonde_four_of(1);
    x = sonde_four_max(x, -end);
    x = -sonde_four_max(-x, -end) * 1.44269504f; /* x times log2(e): now the result is 1 / (1 + 2^-x) */
    sonde_four_bits whole =
        __builtin_convertvector(up - x, sonde_four_bits); /* rounds down, since the value is not negative */
    sonde_four f = up - x - __builtin_convertvector(whole, sonde_four);
    sonde_four fraction = one + f + f * (one - f) * (f * (f * -0.0136894552f - 0.0654555105f) - 0.306995119f);
    return one / (one + (sonde_four)((sonde_four_bits)fraction + ((whole - 32) << 23)));
}

/* Moves the n weights of `features`, up if `by` is positive. The step of a weight shrinks the more it was moved
 * before. */
void sonde_learn_nudge(struct sonde_learn_model *m, const uint32_t *features, uint32_t n, float by);
/* Returns how uncertain a weight is: the square of AdaGrad's next step. */
static inline float sonde_learn_doubt(const struct sonde_learn_model *m, uint32_t feature)
{
    return 0.25f / (m->gradients[feature] + 0.05f);
}
/* Resets the size of steps, so that the next ones are as large as the first; keeps the weights. */
void sonde_learn_reopen(struct sonde_learn_model *m);
/* Sets all weights and gradients to 0, as after init. */
void sonde_learn_forget(struct sonde_learn_model *m);
/* Appends the weights to `out`, for the next run. Rows are found by hashes of labels, so weights keep their meaning
 * from run to run. */
void sonde_learn_model_save(const struct sonde_learn_model *m, struct sonde_bytes *out);
/* Reads what sonde_learn_model_save wrote. Returns false, with nothing changed, if it has another layout. */
bool sonde_learn_model_load(struct sonde_learn_model *m, struct sonde_reader *from);
/* Halves all negative weights, or all weights. */
void sonde_learn_halve(struct sonde_learn_model *m, bool are_all);

#endif
