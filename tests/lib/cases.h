/* A case to run small properties in, one execution at a time, without an engine. */
#ifndef SONDE_TESTS_CASES_H
#define SONDE_TESTS_CASES_H

#include "lib/mocka.h"

#include "exec/exec.h"
#include "guide/guides.h"

#include <string.h>

struct cases {
    struct sonde_labels labels;
    struct sonde_guide_setup setup;
    struct sonde_guide *guide;
    sonde *t;
    sonde_property property;
};

static inline void cases_init(struct cases *k, const struct sonde_guide_ops *ops, uint64_t seed)
{
    memset(k, 0, sizeof *k);
    sonde_labels_init(&k->labels);
    k->setup = (struct sonde_guide_setup){.seed = seed, .stream = 1};
    k->guide = ops->create(&k->setup);
    k->t =
        sonde_case_create(&k->labels,
                          (struct sonde_limits){.choices = 4096, .spans = 4096, .bytes = 1 << 16, .memory = 1 << 20});
    k->property = (sonde_property){.name = "property"};
}

static inline void cases_clear(struct cases *k)
{
    sonde_case_free(k->t);
    k->guide->ops->destroy(k->guide);
    sonde_labels_clear(&k->labels);
}

/* One execution; the script may be NULL. */
static inline enum sonde_verdict cases_run(struct cases *k, sonde_property_fn *run, const struct sonde_tape *script)
{
    k->property.run = run;
    sonde_exec_inline(k->t, &k->property, k->guide, script);
    sonde_tape_end(&k->t->tape);
    return k->t->verdict;
}

/* A property that misuses sonde: the verdict, and the sentence. */
static inline void assert_misuse(sonde_property_fn *run, const char *sentence)
{
    struct cases own;
    cases_init(&own, &sonde_guide_uniform, 1);
    enum sonde_verdict verdict = cases_run(&own, run, NULL);
    if (verdict == SONDE_MISUSE) assert_string_equal(own.t->claim.message, sentence);
    assert_int_equal(verdict, SONDE_MISUSE);
    cases_clear(&own);
}

/* The one that the tests of a program share, made again for each of them. */
static struct cases k;

static inline int cases_setup(void **state)
{
    (void)state;
    cases_init(&k, &sonde_guide_uniform, 1);
    return 0;
}

static inline int cases_teardown(void **state)
{
    (void)state;
    cases_clear(&k);
    return 0;
}

#define case_test(test) cmocka_unit_test_setup_teardown(test, cases_setup, cases_teardown)

#endif
