/* Structural mutator as a library for AFL++:
 *
 *     cc -O2 -fPIC -shared afl_mutator.c $(pkg-config --cflags --libs sonde-static) -o afl_mutator.so
 *     AFL_CUSTOM_MUTATOR_LIBRARY=$PWD/afl_mutator.so afl-fuzz -i in -o out -- ./target
 *
 * It runs inside afl-fuzz, where there is no property. So it needs inputs that are tapes: put a few into `in`
 * (`sonde convert --to=bytes TOKEN in/1`). AFL++ continues to use its own mutators as well. */
#include <sonde/extend.h>

#include <stdlib.h>
#include <string.h>

struct mutator {
    struct sonde_fuzz *fuzz;
    struct sonde_rng rng;
    uint8_t *out;
    size_t cap;
};

void *afl_custom_init(void *afl, unsigned int seed);
size_t afl_custom_fuzz(void *data, uint8_t *in, size_t n, uint8_t **out, uint8_t *other, size_t n_other, size_t max);
void afl_custom_deinit(void *data);

void *afl_custom_init(void *afl, unsigned int seed)
{
    (void)afl;
    struct mutator *m = (struct mutator *)calloc(1, sizeof *m);
    if (!m) return NULL;
    m->fuzz = sonde_fuzz_create(NULL);
    sonde_rng_seed(&m->rng, seed, 0);
    return m;
}

size_t afl_custom_fuzz(void *data, uint8_t *in, size_t n, uint8_t **out, uint8_t *other, size_t n_other, size_t max)
{
    struct mutator *m = (struct mutator *)data;
    size_t changed = 0;
    if (m->cap < max) {
        uint8_t *more = (uint8_t *)realloc(m->out, max);
        if (!more) return 0;
        m->out = more;
        m->cap = max;
    }
    *out = m->out;
    uint64_t seed = sonde_rng_next(&m->rng);
    if (other && seed % 4 == 0) changed = sonde_fuzz_cross(m->fuzz, in, n, other, n_other, m->out, max, seed);
    if (changed) return changed;
    if (n > max) n = max;
    memcpy(m->out, in, n);
    changed = sonde_fuzz_mutate(m->fuzz, m->out, n, max, seed);
    if (changed) return changed;
    memcpy(m->out, in, n);
    return n;
}

void afl_custom_deinit(void *data)
{
    struct mutator *m = (struct mutator *)data;
    sonde_fuzz_free(m->fuzz);
    free(m->out);
    free(m);
}
