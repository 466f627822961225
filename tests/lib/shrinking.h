/* Finding a failure of a property with the guide `uniform` and shrinking it, for tests that spell out the result. */
#ifndef TESTS_SHRINKING_H
#define TESTS_SHRINKING_H

#include "exec/exec.h"
#include "shrink/shrink.h"

struct shrinking {
    sonde *t;
    struct sonde_labels labels;
    struct sonde_guide *simplest;
    sonde_property property;
    int line;                      /* of the claim that failed first: the failure's identity */
    struct sonde_tape tape;        /* the first failure, then the smallest */
    uint64_t start;                /* size of the first failure */
    struct sonde_shrink_test test; /* may be changed before shrinking_run */
    struct sonde_shrink_result result;
    char *text; /* of the tape, without the version */
};

void shrinking_init(struct shrinking *s, sonde_property_fn *property);
void shrinking_clear(struct shrinking *s);
/* The first failure of at least `least` choices; false if there is none in a million cases. */
bool shrinking_find(struct shrinking *s, uint64_t seed, uint32_t least);
/* Runs the failure that a tape in text form describes; returns false if it does not fail. */
bool shrinking_start(struct shrinking *s, const char *text);
/* Shrinks that failure; returns `text` of s. */
const char *shrinking_run(struct shrinking *s);
/* The test's `fails`, with a struct shrinking as user. */
bool shrinking_fails(void *user, const struct sonde_tape *script, struct sonde_tape *actual);

#endif
