/* See learn_model.h. One table holds the weights of all features, found by hash. Two features may share a weight now
 * and then, which does no harm. A feature is a row (a view of the state) and a column (a value). The weights of all
 * values in one view are adjacent.
 *
 * Steps shrink with the sum of squared gradients of a weight (Duchi et al., AdaGrad). Only +, -, *, / and sqrt are
 * used, which give the same bits everywhere; the logistic function is made of them too. */
#include "guide/rl/learn_model.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

/* Rows begin anywhere below LEARN_STARTS and have SONDE_LEARN_NARROW weights. The row of zeros after the
 * table makes an odd number of rows even (rl.c, add_up_rows). */
void sonde_learn_model_init(struct sonde_learn_model *m)
{
    m->weights = sonde_calloc(LEARN_TABLE + SONDE_LEARN_NARROW, sizeof *m->weights);
    m->gradients = sonde_calloc(LEARN_TABLE + SONDE_LEARN_NARROW, sizeof *m->gradients);
}

void sonde_learn_model_clear(struct sonde_learn_model *m)
{
    sonde_free(m->weights);
    sonde_free(m->gradients);
}

/* `by` is the derivative of the log-likelihood by the sum of weights, so it is the same for each of them. `rate` is the
 * size of steps; `start` keeps the first step finite. */
void sonde_learn_nudge(struct sonde_learn_model *m, const uint32_t *features, uint32_t n, float by)
{
    const float rate = 0.5f, start = 0.05f;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t f = features[i];
        m->gradients[f] += by * by;
        m->weights[f] += rate * by / sqrtf(m->gradients[f] + start);
    }
}

void sonde_learn_halve(struct sonde_learn_model *m, bool are_all)
{
    for (uint32_t i = 0; i < LEARN_TABLE; i++) {
        if (are_all || m->weights[i] < 0) m->weights[i] /= 2;
        /* Steps become larger again, so that weights can change. */
        m->gradients[i] /= 2;
    }
}

void sonde_learn_reopen(struct sonde_learn_model *m)
{
    memset(m->gradients, 0, LEARN_TABLE * sizeof *m->gradients);
}

void sonde_learn_forget(struct sonde_learn_model *m)
{
    memset(m->weights, 0, LEARN_TABLE * sizeof *m->weights);
    memset(m->gradients, 0, LEARN_TABLE * sizeof *m->gradients);
}

/* Most weights are 0: only the others are written, each with its index. */
void sonde_learn_model_save(const struct sonde_learn_model *m, struct sonde_bytes *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < LEARN_TABLE; i++) n += m->weights[i] != 0;
    sonde_bytes_add_u32(out, LEARN_TABLE);
    sonde_bytes_add_u32(out, n);
    for (uint32_t i = 0; i < LEARN_TABLE; i++) {
        if (m->weights[i] == 0) continue;
        sonde_bytes_add_u32(out, i);
        sonde_bytes_add_float(out, m->weights[i]);
        sonde_bytes_add_float(out, m->gradients[i]);
    }
}

/* Gradients are made positive, because a square root is taken of them, and indices are folded into the table. So a
 * damaged file can make the guide less effective but nothing worse. */
bool sonde_learn_model_load(struct sonde_learn_model *m, struct sonde_reader *from)
{
    enum { ENTRY = 12 }; /* size of a saved entry in bytes: index, weight, gradient */
    uint32_t table = sonde_read_u32(from), n = sonde_read_u32(from);
    if (table != LEARN_TABLE || n > LEARN_TABLE || from->n - from->at < (size_t)n * ENTRY) return false;
    sonde_learn_forget(m);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = sonde_read_u32(from) % LEARN_TABLE;
        m->weights[i] = sonde_read_float(from);
        m->gradients[i] = fabsf(sonde_read_float(from));
    }
    return true;
}
