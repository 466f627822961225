/* The corpus: tapes are kept once, for as long as someone holds them. */
#include "lib/mocka.h"

#include "corpus/corpus.h"
#include "corpus/harvest.h"
#include "corpus/parents.h"
#include "lib/tapes.h"

struct told {
    struct tapes tapes;
    struct sonde_hint hint;
    struct sonde_coverage_view view;
    struct sonde_observation observation;
    struct sonde_run run;
};

/* A valid run of two numbers. */
static void tell(struct told *t, int first, int second)
{
    *t = (struct told){0};
    tapes_begin(&t->tapes);
    tapes_int(&t->tapes, "x", 0, 1000000, first);
    tapes_int(&t->tapes, "y", 0, 1000000, second);
    sonde_tape_end(&t->tapes.tape);
    t->observation =
        (struct sonde_observation){.verdict = SONDE_VALID, .identity = sonde_tape_hash(&t->tapes.tape), .cost = 2};
    t->run = (struct sonde_run){.tape = &t->tapes.tape, .observation = &t->observation};
}

static struct sonde_kept *keep(struct sonde_corpus *c, int first, int second)
{
    struct told t;
    tell(&t, first, second);
    struct sonde_kept *kept = sonde_corpus_keep(c, &t.run);
    assert_int_equal(sonde_tape_compare(&kept->tape, t.run.tape), 0);
    tapes_clear(&t.tapes);
    return kept;
}

static void an_input_is_kept_once(void **state)
{
    (void)state;
    struct sonde_corpus c;
    sonde_corpus_init(&c);
    struct sonde_kept *a = keep(&c, 1, 2);
    size_t bytes = c.bytes;
    assert_true(bytes > 0);
    assert_ptr_equal(keep(&c, 1, 2), a);
    assert_int_equal(c.bytes, bytes);
    struct sonde_kept *b = keep(&c, 1, 3);
    assert_ptr_not_equal(a, b);
    sonde_corpus_drop(&c, a);
    assert_int_equal(c.bytes, 2 * bytes); /* it is still held once */
    sonde_corpus_drop(&c, a);
    assert_int_equal(c.bytes, bytes);
    sonde_corpus_drop(&c, b);
    assert_int_equal(c.bytes, 0);
    sonde_corpus_clear(&c);
}

/* As where the identity of an input is its trace, or a value that the user gave. */
static void different_inputs_of_one_identity_stay_different(void **state)
{
    (void)state;
    struct sonde_corpus c;
    struct told s, t;
    sonde_corpus_init(&c);
    tell(&s, 1, 2);
    tell(&t, 1, 3);
    s.observation.identity = t.observation.identity = 7;
    struct sonde_kept *a = sonde_corpus_keep(&c, &s.run), *b = sonde_corpus_keep(&c, &t.run);
    assert_ptr_not_equal(a, b);
    assert_ptr_equal(sonde_corpus_keep(&c, &t.run), b); /* the last that had it is found */
    assert_int_equal(a->tape.choices[1].index, 2);
    t.observation.verdict = SONDE_DISCARDED; /* a property that is not deterministic */
    struct sonde_kept *d = sonde_corpus_keep(&c, &t.run);
    assert_ptr_not_equal(b, d);
    assert_true(b->is_valid && !d->is_valid);
    sonde_corpus_drop(&c, a);
    sonde_corpus_drop(&c, b);
    sonde_corpus_drop(&c, b);
    sonde_corpus_drop(&c, d);
    tapes_clear(&s.tapes);
    tapes_clear(&t.tapes);
    sonde_corpus_clear(&c);
}

static void what_is_known_is_that_of_the_newest_run(void **state)
{
    (void)state;
    struct sonde_corpus c;
    struct told t;
    sonde_corpus_init(&c);
    tell(&t, 1, 2);
    struct sonde_kept *a = sonde_corpus_keep(&c, &t.run);
    assert_int_equal(a->n_hints, 0);
    t.hint = (struct sonde_hint){.a = 5, .b = 6, .bytes = 4};
    t.view = (struct sonde_coverage_view){.hints = &t.hint, .n_hints = 1, .n_edges = 3};
    t.observation.coverage = &t.view;
    sonde_corpus_keep(&c, &t.run);
    assert_int_equal(a->n_hints, 1);
    assert_int_equal(a->hints[0].b, 6);
    t.view.n_hints = 0; /* comparisons were not watched: what is known stays */
    t.view.n_edges = 4;
    sonde_corpus_keep(&c, &t.run);
    assert_int_equal(a->n_hints, 1);
    assert_int_equal(a->n_edges, 4);
    for (int i = 0; i < 3; i++) sonde_corpus_drop(&c, a);
    tapes_clear(&t.tapes);
    tell(&t, 1, 4); /* may be given the same memory */
    a = sonde_corpus_keep(&c, &t.run);
    assert_int_equal(a->n_hints, 0);
    assert_int_equal(a->n_edges, 0);
    sonde_corpus_drop(&c, a);
    tapes_clear(&t.tapes);
    sonde_corpus_clear(&c);
}

/* Against a plain array of what is held. */
static void many_come_and_go(void **state)
{
    (void)state;
    enum { KINDS = 300, STEPS = 20000 };
    struct sonde_kept *held[KINDS] = {NULL};
    uint32_t times[KINDS] = {0}, distinct = 0;
    struct sonde_corpus c;
    struct sonde_rng rng;
    sonde_corpus_init(&c);
    sonde_rng_seed(&rng, 1, 1);
    for (int i = 0; i < STEPS; i++) {
        int kind = (int)sonde_rng_upto(&rng, KINDS - 1);
        if (times[kind] && sonde_rng_upto(&rng, 2)) {
            sonde_corpus_drop(&c, held[kind]);
            if (--times[kind] == 0) held[kind] = NULL, distinct--;
            continue;
        }
        struct sonde_kept *kept = keep(&c, kind, 5);
        if (held[kind]) assert_ptr_equal(kept, held[kind]);
        distinct += held[kind] == NULL;
        held[kind] = kept;
        times[kind]++;
        assert_int_equal(c.bytes, distinct * sonde_kept_bytes(&kept->tape));
    }
    for (int i = 0; i < KINDS; i++)
        for (; times[i]; times[i]--) sonde_corpus_drop(&c, held[i]);
    assert_int_equal(c.bytes, 0);
    assert_in_range(c.by_identity.n, 0, 2 * KINDS + 64); /* it forgets what is gone */
    sonde_corpus_clear(&c);
}

static void views_hold_the_same_tape(void **state)
{
    (void)state;
    struct sonde_corpus c;
    struct sonde_parents first, second;
    struct sonde_saved saved;
    struct told t;
    sonde_corpus_init(&c);
    sonde_parents_init(&first, &c, 1 << 20);
    sonde_parents_init(&second, &c, 1 << 20);
    sonde_saved_init(&saved, &c, 1 << 20);
    tell(&t, 1, 2);
    t.run.interest.reasons = SONDE_NEW_STATE;
    const struct sonde_kept *kept = sonde_parents_keep(&first, SONDE_POOL_VALID, &t.run)->kept;
    assert_ptr_equal(sonde_parents_keep(&second, SONDE_POOL_VALID, &t.run)->kept, kept);
    sonde_saved_offer(&saved, &t.run);
    assert_ptr_equal(saved.slots[0]->kept, kept);
    assert_int_equal(kept->refs, 3);
    assert_int_equal(c.bytes, sonde_kept_bytes(&kept->tape));
    assert_int_equal(second.bytes, c.bytes);
    sonde_parents_clear(&first);
    sonde_parents_clear(&second);
    assert_int_equal(saved.slots[0]->kept->tape.choices[1].index, 2);
    sonde_saved_clear(&saved);
    assert_int_equal(c.bytes, 0);
    tapes_clear(&t.tapes);
    sonde_corpus_clear(&c);
}

/* After a crash that may have damaged it: what still holds tapes of it can give them back. */
static void an_abandoned_corpus_begins_anew(void **state)
{
    (void)state;
    struct sonde_corpus c;
    sonde_corpus_init(&c);
    struct sonde_kept *old = keep(&c, 1, 2);
    struct sonde_corpus before = c; /* so that its arrays are freed here, and no tool calls them lost */
    sonde_corpus_abandon(&c);
    struct sonde_kept *new = keep(&c, 1, 2);
    assert_ptr_not_equal(old, new);
    size_t bytes = c.bytes;
    sonde_corpus_drop(&c, old);
    assert_int_equal(c.bytes, bytes);
    sonde_corpus_drop(&c, new);
    sonde_corpus_clear(&c);
    sonde_free(before.slots);
    sonde_map_clear(&before.by_identity);
}

static void without_a_corpus_a_tape_is_the_callers_alone(void **state)
{
    (void)state;
    struct sonde_kept *a = keep(NULL, 1, 2), *b = keep(NULL, 1, 2);
    assert_ptr_not_equal(a, b);
    sonde_corpus_drop(NULL, a);
    sonde_corpus_drop(NULL, b);
}

/* Of forty comparisons the first is about the input, by its second side and without its sign. */
static void comparisons_about_the_input_are_kept(void **state)
{
    (void)state;
    enum { MANY = 40 };
    struct sonde_hint hints[MANY];
    struct sonde_corpus c;
    struct told t;
    sonde_corpus_init(&c);
    tell(&t, 200, 70001);
    for (uint32_t i = 0; i < MANY; i++)
        hints[i] = (struct sonde_hint){.a = 5000000 + i, .b = 6000000 + i, .bytes = 4, .id = i};
    hints[0].a = 77, hints[0].b = (uint64_t)-56, hints[0].bytes = 1; /* 200 as a byte */
    hints[1].a = 70001;
    t.view = (struct sonde_coverage_view){.hints = hints, .n_hints = MANY};
    t.observation.coverage = &t.view;
    struct sonde_kept *a = sonde_corpus_keep(&c, &t.run);
    assert_int_equal(a->n_hints, SONDE_KEPT_HINTS);
    unsigned found = 0;
    for (uint32_t i = 0; i < a->n_hints; i++) found += a->hints[i].id < 2;
    assert_int_equal(found, 2);
    sonde_corpus_drop(&c, a);
    tapes_clear(&t.tapes);
    sonde_corpus_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_input_is_kept_once),
        cmocka_unit_test(different_inputs_of_one_identity_stay_different),
        cmocka_unit_test(what_is_known_is_that_of_the_newest_run),
        cmocka_unit_test(many_come_and_go),
        cmocka_unit_test(views_hold_the_same_tape),
        cmocka_unit_test(an_abandoned_corpus_begins_anew),
        cmocka_unit_test(without_a_corpus_a_tape_is_the_callers_alone),
        cmocka_unit_test(comparisons_about_the_input_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
