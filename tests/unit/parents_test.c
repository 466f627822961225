/* Tapes to mutate: pools and niches. */
#include "lib/mocka.h"

#include "corpus/parents.h"
#include "lib/tapes.h"

static struct sonde_rng rng;

/* A tape of n numbers, the first of which says which one it is. */
static void write_tape(struct tapes *b, int first, int n)
{
    tapes_begin(b);
    for (int i = 0; i < n; i++) tapes_int(b, "x", 0, 1000, i ? 0 : first);
    sonde_tape_end(&b->tape);
}

struct told {
    struct tapes tapes;
    struct sonde_feature features[4];
    struct sonde_coverage_view view;
    struct sonde_observation observation;
    struct sonde_run run;
};

static void tell(struct told *t, enum sonde_verdict verdict, uint64_t edges, int first, int n)
{
    write_tape(&t->tapes, first, n);
    t->features[0] = (struct sonde_feature){.id = 1, .value = 1, .mark = 1};
    t->features[1] = (struct sonde_feature){.id = 2, .value = 1, .mark = 1};
    t->view = (struct sonde_coverage_view){
        .features = t->features, .n_features = 2, .n_ids = 4, .n_edges = 2, .edges = edges};
    t->observation = (struct sonde_observation){.verdict = verdict,
                                                .identity = sonde_tape_hash(&t->tapes.tape),
                                                .coverage = &t->view};
    t->run = (struct sonde_run){.tape = &t->tapes.tape, .observation = &t->observation};
}

/* Offers the run and forgets it. */
static bool offer(struct sonde_parents *c, struct told *t)
{
    bool is_new = sonde_parents_offer(c, &t->run, &rng);
    tapes_clear(&t->tapes);
    return is_new;
}

/* Without counters. */
static bool offer_shape(struct sonde_parents *c, int first, int n)
{
    struct told t;
    tell(&t, SONDE_VALID, 0, first, n);
    t.observation.coverage = NULL;
    return offer(c, &t);
}

static void without_counters_a_shape_is_a_niche(void **state)
{
    (void)state;
    struct sonde_parents c;
    int picked = 0;
    sonde_parents_init(&c, NULL, 1 << 20);
    for (int i = 0; i < 100; i++) assert_int_equal(offer_shape(&c, i, 3), i == 0);
    assert_true(offer_shape(&c, 5, 4));
    assert_int_equal(c.n_niches, 2);
    for (int i = 0; i < 100; i++) picked += sonde_parents_pick_niche(&c, &rng, 4)->tape.n_choices == 4;
    assert_in_range(picked, 60, 100); /* the rare one comes first */
    sonde_parents_clear(&c);
}

static void what_is_kept_can_be_picked(void **state)
{
    (void)state;
    struct sonde_parents c;
    struct told t;
    sonde_parents_init(&c, NULL, 1 << 20);
    assert_null(sonde_parents_pick(&c, SONDE_POOL_VALID, &rng, 4));
    assert_null(sonde_parents_pick_niche(&c, &rng, 4));
    assert_null(sonde_parents_any(&c, &rng));
    tell(&t, SONDE_VALID, 7, 5, 3);
    sonde_parents_keep(&c, SONDE_POOL_VALID, &t.run);
    struct sonde_pooled *k = sonde_parents_pick(&c, SONDE_POOL_VALID, &rng, 4);
    assert_int_equal(sonde_tape_compare(&k->kept->tape, &t.tapes.tape), 0);
    assert_int_equal(k->picks, 1);
    assert_ptr_equal(sonde_parents_newest(&c, SONDE_POOL_VALID, 0), k);
    assert_null(sonde_parents_newest(&c, SONDE_POOL_VALID, 1));
    assert_null(sonde_parents_pick(&c, SONDE_POOL_DISCARDED, &rng, 4));
    assert_ptr_equal(sonde_parents_pick(&c, SONDE_POOL_VALID, &rng, 0), k); /* no rivals: any one */
    tapes_clear(&t.tapes);
    sonde_parents_clear(&c);
}

/* A counter can wrap to 0 while it is read. */
static void a_feature_without_a_value_is_no_deed(void **state)
{
    (void)state;
    struct sonde_parents c;
    sonde_parents_init(&c, NULL, 1 << 20);
    for (uint8_t value = 0; value < 3; value++) {
        struct told t;
        tell(&t, SONDE_VALID, 7, value, 2);
        t.features[0] = (struct sonde_feature){.id = 0, .value = value};
        offer(&c, &t);
    }
    sonde_parents_clear(&c);
}

static void those_picked_least_come_first(void **state)
{
    (void)state;
    struct sonde_parents c;
    sonde_parents_init(&c, NULL, 1 << 20);
    for (int i = 0; i < 4; i++) {
        struct told t;
        tell(&t, SONDE_VALID, 7, i, 2);
        sonde_parents_keep(&c, SONDE_POOL_VALID, &t.run)->spent = i == 2 ? 0 : 100000;
        tapes_clear(&t.tapes);
    }
    for (int i = 0; i < 50; i++) sonde_parents_pick(&c, SONDE_POOL_VALID, &rng, 64);
    assert_int_equal(c.pools[SONDE_POOL_VALID].tapes[2]->picks, 50);
    sonde_parents_clear(&c);
}

static void large_tapes_are_picked_less_often_than_small_ones(void **state)
{
    (void)state;
    struct sonde_parents c;
    sonde_parents_init(&c, NULL, 1 << 22);
    for (int i = 0; i < 2; i++) {
        struct told t;
        tell(&t, SONDE_VALID, 7, i, i ? 1000 : 10);
        sonde_parents_keep(&c, SONDE_POOL_VALID, &t.run);
        tapes_clear(&t.tapes);
    }
    for (int i = 0; i < 1000; i++) sonde_parents_pick(&c, SONDE_POOL_VALID, &rng, 8);
    assert_in_range(c.pools[SONDE_POOL_VALID].tapes[1]->picks, 40, 100);
    sonde_parents_clear(&c);
}

/* The index of the first choice in each of many picks. */
static uint64_t picks_of(struct sonde_parents *c, uint64_t first)
{
    uint64_t n = 0;
    for (int i = 0; i < 1000; i++) n += sonde_parents_pick_niche(c, &rng, 8)->tape.choices[0].index == first;
    return n;
}

/* Of a hundred runs one did what the others did not. */
static void rare_behaviour_is_picked_as_often_as_all_that_is_common(void **state)
{
    (void)state;
    struct sonde_parents c;
    sonde_parents_init(&c, NULL, 1 << 22);
    for (int i = 0; i < 100; i++) {
        struct told t;
        tell(&t, SONDE_VALID, 7, i, 2);
        if (i == 50) t.features[1].id = 3;
        offer(&c, &t);
    }
    assert_in_range(picks_of(&c, 50), 300, 700);
    sonde_parents_clear(&c);
}

/* The same counters, but one of them twice. */
static void how_often_a_counter_was_hit_makes_a_niche(void **state)
{
    (void)state;
    struct sonde_parents c;
    sonde_parents_init(&c, NULL, 1 << 22);
    for (int i = 0; i < 100; i++) {
        struct told t;
        tell(&t, SONDE_VALID, 7, i, 2);
        if (i == 50) t.features[1].value = 2;
        offer(&c, &t);
    }
    assert_int_equal(c.n_niches, 3);
    assert_in_range(picks_of(&c, 50), 300, 700);
    sonde_parents_clear(&c);
}

static void long_tapes_are_not_replaced_by_short_ones(void **state)
{
    (void)state;
    struct sonde_parents c;
    sonde_parents_init(&c, NULL, 1 << 22);
    for (int i = 0; i < 1000; i++) {
        struct told t;
        tell(&t, SONDE_VALID, 7, i, i == 0 ? 100 : 4);
        offer(&c, &t);
    }
    assert_in_range(picks_of(&c, 0), 100, 900);
    sonde_parents_clear(&c);
}

/* A tape that several niches hold is there once, and lives as long as one of them holds it. */
static void niches_share_tapes(void **state)
{
    (void)state;
    struct sonde_parents c;
    struct told t;
    sonde_parents_init(&c, NULL, 1 << 20);
    tell(&t, SONDE_VALID, 7, 5, 3);
    assert_true(sonde_parents_offer(&c, &t.run, &rng));
    assert_int_equal(c.n_niches, 2);
    assert_ptr_equal(c.niches[0].tapes[0], c.niches[1].tapes[0]);
    assert_int_equal(c.niches[0].tapes[0]->homes, 2);
    tapes_clear(&t.tapes);
    sonde_parents_clear(&c);
}

/* The first ones kept are of the input, however early in the run; the others are the last ones. */
static void a_kept_tape_knows_the_comparisons_of_its_input_and_the_last(void **state)
{
    (void)state;
    struct sonde_parents c;
    struct told t;
    struct sonde_hint hints[20];
    sonde_parents_init(&c, NULL, 1 << 20);
    for (int i = 0; i < 20; i++) hints[i] = (struct sonde_hint){.a = 1000 + (uint64_t)i, .b = 99, .bytes = 4};
    hints[1].b = 5; /* the first number of the input */
    tell(&t, SONDE_VALID, 7, 5, 3);
    t.view.hints = hints;
    t.view.n_hints = 20;
    struct sonde_pooled *k = sonde_parents_keep(&c, SONDE_POOL_VALID, &t.run);
    assert_int_equal(k->kept->n_hints, SONDE_KEPT_HINTS);
    assert_int_equal(k->kept->hints[0].a, 1001);
    assert_int_equal(k->kept->hints[1].a, 1019);
    assert_int_equal(k->kept->hints[SONDE_KEPT_HINTS - 1].a, 1019 - (SONDE_KEPT_HINTS - 2));
    tapes_clear(&t.tapes);
    sonde_parents_clear(&c);
}

static void a_niche_holds_a_few_different_tapes(void **state)
{
    (void)state;
    struct sonde_parents c;
    sonde_parents_init(&c, NULL, 1 << 20);
    for (int i = 0; i < 100; i++) {
        struct told t;
        tell(&t, SONDE_VALID, 7, i % 20, 2);
        assert_int_equal(offer(&c, &t), i == 0);
    }
    assert_int_equal(c.n_niches, 2); /* one for each counter */
    assert_int_equal(c.niches[0].n, SONDE_NICHE_TAPES);
    for (uint32_t i = 0; i < c.niches[0].n; i++)
        for (uint32_t k = 0; k < i; k++)
            assert_int_not_equal(sonde_tape_compare(&c.niches[0].tapes[i]->kept->tape,
                                                    &c.niches[0].tapes[k]->kept->tape),
                                 0);
    sonde_parents_clear(&c);
}

/* Offered are lengths 8 to 58, all of one class: 33 on average. */
static void niches_drift_towards_small_tapes(void **state)
{
    (void)state;
    enum { ROUNDS = 2000 };
    struct sonde_parents c;
    sonde_parents_init(&c, NULL, 1 << 20);
    uint32_t sum = 0;
    for (int i = 0; i < 2 * ROUNDS; i++) {
        struct told t;
        tell(&t, SONDE_VALID, 7, i % 500, 8 + (int)sonde_rng_upto(&rng, 50));
        offer(&c, &t);
        for (uint32_t k = 0; i >= ROUNDS && k < SONDE_NICHE_TAPES; k++)
            sum += c.niches[0].tapes[k]->kept->tape.n_choices;
    }
    assert_in_range(sum / ROUNDS, 8 * SONDE_NICHE_TAPES, 22 * SONDE_NICHE_TAPES);
    sonde_parents_clear(&c);
}

static void runs_that_hit_other_counters_are_another_niche(void **state)
{
    (void)state;
    struct sonde_parents c;
    sonde_parents_init(&c, NULL, 1 << 22);
    for (uint32_t i = 0; i < 500; i++) {
        struct told t;
        tell(&t, SONDE_VALID, i, (int)i, 2);
        t.features[1].id = 2 + i;
        t.view.n_ids = 3 + i;
        assert_true(offer(&c, &t));
    }
    assert_int_equal(c.n_niches, 501);
    for (int i = 0; i < 100; i++) assert_non_null(sonde_parents_pick_niche(&c, &rng, 6));
    sonde_parents_clear(&c);
}

static void memory_is_bounded(void **state)
{
    (void)state;
    struct sonde_parents c;
    sonde_parents_init(&c, NULL, 200000);
    for (uint64_t i = 0; i < 3000; i++) {
        struct told t;
        tell(&t, i % 3 ? SONDE_VALID : SONDE_DISCARDED, i, (int)(i % 900), 20);
        t.features[1].id = 2 + (uint32_t)(i % 300);
        t.view.n_ids = 302;
        sonde_parents_keep(&c, i % 3 ? SONDE_POOL_VALID : SONDE_POOL_DISCARDED, &t.run);
        if (i % 3) sonde_parents_offer(&c, &t.run, &rng);
        tapes_clear(&t.tapes);
        assert_true(c.bytes <= 200000 + 4096);
        if (i % 2) sonde_parents_pick(&c, SONDE_POOL_VALID, &rng, 4);
    }
    assert_true(c.pools[SONDE_POOL_VALID].n > 0 && c.n_niches > 0);
    sonde_parents_clear(&c);
}

static void a_valid_tape_takes_over_from_a_discarded_one(void **state)
{
    (void)state;
    struct sonde_parents c;
    struct told discarded, valid, later;
    sonde_parents_init(&c, NULL, 1 << 20);
    tell(&discarded, SONDE_DISCARDED, 7, 1, 2);
    tell(&valid, SONDE_VALID, 7, 2, 2);
    tell(&later, SONDE_VALID, 7, 3, 2);
    struct sonde_pooled *a = sonde_parents_keep(&c, SONDE_POOL_DISCARDED, &discarded.run);
    assert_int_equal(sonde_parents_claim(&c, a, &discarded.view), 2);
    struct sonde_pooled *b = sonde_parents_keep(&c, SONDE_POOL_VALID, &valid.run);
    assert_int_equal(sonde_parents_claim(&c, b, &valid.view), 2);
    assert_int_equal(a->owner.owns, 0);
    struct sonde_pooled *d = sonde_parents_keep(&c, SONDE_POOL_VALID, &later.run);
    assert_int_equal(sonde_parents_claim(&c, d, &later.view), 0);
    assert_int_equal(b->owner.owns, 2);
    tapes_clear(&discarded.tapes);
    tapes_clear(&valid.tapes);
    tapes_clear(&later.tapes);
    sonde_parents_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_counters_a_shape_is_a_niche),
        cmocka_unit_test(what_is_kept_can_be_picked),
        cmocka_unit_test(a_feature_without_a_value_is_no_deed),
        cmocka_unit_test(those_picked_least_come_first),
        cmocka_unit_test(large_tapes_are_picked_less_often_than_small_ones),
        cmocka_unit_test(rare_behaviour_is_picked_as_often_as_all_that_is_common),
        cmocka_unit_test(how_often_a_counter_was_hit_makes_a_niche),
        cmocka_unit_test(long_tapes_are_not_replaced_by_short_ones),
        cmocka_unit_test(niches_share_tapes),
        cmocka_unit_test(a_kept_tape_knows_the_comparisons_of_its_input_and_the_last),
        cmocka_unit_test(a_niche_holds_a_few_different_tapes),
        cmocka_unit_test(niches_drift_towards_small_tapes),
        cmocka_unit_test(runs_that_hit_other_counters_are_another_niche),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(a_valid_tape_takes_over_from_a_discarded_one),
    };
    sonde_rng_seed(&rng, 1, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
