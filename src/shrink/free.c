/* Which values of a minimal tape do not matter. Each choice is given a few other values, all else being equal; if the
 * property fails in the same way on all of them, and the runs draw as before, the report may say "or any other value". */
#include "shrink/pass.h"

enum { MAX_TRIES = 4 };

/* Other indices worth trying: the neighbours of simple, the middle, the end. */
static unsigned others(const struct sonde_choice *c, uint64_t out[MAX_TRIES])
{
    const uint64_t wanted[] = {0, c->max, c->max / 2, c->max / 3 + 1, 1};
    unsigned n = 0;
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted && n < MAX_TRIES; i++) {
        bool is_new = wanted[i] <= c->max && wanted[i] != c->index;
        for (unsigned k = 0; k < n; k++) is_new &= out[k] != wanted[i];
        if (is_new) out[n++] = wanted[i];
    }
    return n;
}

static bool may_be_free(const struct sonde_choice *c)
{
    return c->max > 0 && c->kind != SONDE_KIND_BLOB && c->kind != SONDE_KIND_LENGTH && c->kind != SONDE_KIND_SIZE;
}

struct asked {
    const struct sonde_shrink_test *test;
    uint64_t calls;
};

static bool fails_with(struct asked *asked, const struct sonde_tape *script, struct sonde_tape *actual)
{
    const struct sonde_shrink_test *t = asked->test;
    if (t->max_calls && asked->calls >= t->max_calls) return false;
    if (t->enough && t->enough(t->user)) return false;
    asked->calls++;
    actual->n_choices = actual->n_spans = actual->n_bytes = 0;
    return t->fails(t->user, script, actual) && actual->n_choices == script->n_choices;
}

size_t sonde_shrink_free_choices(const struct sonde_tape *best, const struct sonde_shrink_test *test, uint8_t *is_free)
{
    struct sonde_tape script, actual;
    struct asked asked = {.test = test};
    size_t n_free = 0;
    sonde_tape_init(&script);
    sonde_tape_init(&actual);
    sonde_tape_copy(&script, best);
    for (uint32_t i = 0; i < best->n_choices; i++) {
        uint64_t tries[MAX_TRIES] = {0};
        unsigned n = may_be_free(&best->choices[i]) ? others(&best->choices[i], tries) : 0;
        is_free[i] = n > 0;
        for (unsigned k = 0; k < n && is_free[i]; k++) {
            script.choices[i].index = tries[k];
            is_free[i] = fails_with(&asked, &script, &actual);
        }
        script.choices[i].index = best->choices[i].index;
        n_free += is_free[i];
    }
    sonde_tape_clear(&script);
    sonde_tape_clear(&actual);
    return n_free;
}
