/* Finds values of a minimal tape that may not matter. Each choice gets other values, all else being equal: all of them
 * if there are few, else some. If all of them fail in the same way, with as many draws as before, the report says how
 * many were tried.
 *
 * This runs after the shrinker, on its result, with the same predicate. The report marks such values as "any of these
 * fails". */
#include "shrink/pass.h"

enum {
    ALL_TRIED = 16, /* a choice with more other values than this gets only some of them */
    SOME_TRIED = 4, /* number of values that such a choice gets */
    MAX_TRIES = ALL_TRIED,
};

/* Fills `out` with other indices worth trying, and returns their number. These are all other indices, or only 0, the
 * end of the domain, its middle and so on. */
static unsigned others(const struct sonde_choice *c, uint64_t out[MAX_TRIES])
{
    const uint64_t wanted[] = {0, c->max, c->max / 2, c->max / 3 + 1, 1};
    unsigned n = 0;
    for (uint64_t i = 0; c->max <= ALL_TRIED && i <= c->max; i++)
        if (i != c->index) out[n++] = i;
    if (c->max <= ALL_TRIED) return n;
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted && n < SOME_TRIED; i++) {
        bool is_new = wanted[i] <= c->max && wanted[i] != c->index;
        for (unsigned k = 0; k < n; k++) is_new &= out[k] != wanted[i];
        if (is_new) out[n++] = wanted[i];
    }
    return n;
}

/* Reports whether a choice is worth trying. Lengths and the size change which draws follow, and a blob has too many
 * other values. */
static bool may_be_free(const struct sonde_choice *c)
{
    return c->max > 0 && c->kind != SONDE_KIND_BLOB && c->kind != SONDE_KIND_LENGTH && c->kind != SONDE_KIND_SIZE;
}

/* The predicate with a count of calls. The bound applies to this file alone: calls of the shrinker do not count. */
struct asked {
    const struct sonde_shrink_test *test;
    uint64_t calls;
};

/* Reports whether the property fails on a script and makes as many draws as the script has. Returns false also when a
 * bound of the test is reached. */
static bool fails_with(struct asked *asked, const struct sonde_tape *script, struct sonde_tape *actual)
{
    const struct sonde_shrink_test *t = asked->test;
    if (t->max_calls && asked->calls >= t->max_calls) return false;
    if (t->enough && t->enough(t->user)) return false;
    asked->calls++;
    actual->n_choices = actual->n_spans = actual->n_bytes = 0;
    /* A run with another number of draws took a different path, which shows nothing about this value. */
    return t->fails(t->user, script, actual) && actual->n_choices == script->n_choices;
}

/* Returns how many other values of choice i were drawn, if all of them fail; else 0. A value that cannot be drawn (an
 * alternative of weight 0) leads to another one, and shows nothing. */
static uint8_t count_failing(struct asked *asked, struct sonde_tape *script, uint32_t i, struct sonde_tape *actual)
{
    uint64_t tries[MAX_TRIES] = {0}, index = script->choices[i].index;
    unsigned n = may_be_free(&script->choices[i]) ? others(&script->choices[i], tries) : 0, tried = 0, drawn = 0;
    for (; tried < n; tried++) {
        script->choices[i].index = tries[tried];
        if (!fails_with(asked, script, actual)) break;
        drawn += actual->choices[i].index == tries[tried];
    }
    script->choices[i].index = index;
    return tried == n ? (uint8_t)drawn : 0;
}

size_t sonde_shrink_free_choices(const struct sonde_tape *best, const struct sonde_shrink_test *test, uint8_t *failing)
{
    struct sonde_tape script, actual;
    struct asked asked = {.test = test};
    size_t n_free = 0;
    sonde_tape_init(&script);
    sonde_tape_init(&actual);
    sonde_tape_copy(&script, best);
    for (uint32_t i = 0; i < best->n_choices; i++) {
        failing[i] = count_failing(&asked, &script, i, &actual);
        n_free += failing[i] > 0;
    }
    sonde_tape_clear(&script);
    sonde_tape_clear(&actual);
    return n_free;
}
