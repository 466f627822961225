/* The guide `seeded`, on properties whose coverage the test makes up: counters are hit by hand. */
#include "lib/counters.h"
#include "lib/searches.h"
#include "lib/short.h"

#include "guide/guides.h"

#include <stdlib.h>
#include <string.h>

struct outcome {
    uint64_t tests, valid, identity;
    uint64_t rounds, made, ran, added, seeds_cost, cost; /* as its numbers say */
    bool found;
};

static uint64_t number_of(const char *stats, const char *name)
{
    const char *at = strstr(stats, name);
    assert_non_null(at);
    return strtoull(at + strlen(name), NULL, 10);
}

static void read_stats(struct outcome *o, struct sonde_guide *guide)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    guide->ops->stats(guide, out);
    fclose(out);
    o->rounds = number_of(text, " rounds=");
    o->made = number_of(text, " made=");
    o->ran = number_of(text, " ran=");
    o->added = number_of(text, " added=");
    o->seeds_cost = number_of(text, " seeds_cost=");
    o->cost = number_of(text, " cost=");
    free(text);
}

struct asked {
    const char *guide, *guide_options;
    uint64_t seed, runs, seed_tests;
    double seed_seconds;
};

static struct outcome search(sonde_property_fn *run, struct asked asked)
{
    const sonde_property property = {.name = "property", .run = run};
    struct sonde_options options = searches_options(asked.guide ? asked.guide : "seeded", asked.seed, asked.runs);
    options.guide_options = asked.guide_options;
    options.seed_tests = asked.seed_tests;
    options.seed_seconds = asked.seed_seconds;
    struct sonde_search *s = searches_run(&property, &options);
    struct outcome o = {.tests = s->stats.tests, .valid = s->stats.valid, .found = s->n_found > 0};
    o.identity = sonde_tape_hash(&s->t->tape);
    if (!asked.guide) read_stats(&o, s->guide);
    searches_free(s);
    return o;
}

static const char *const filters[] = {"filter=generator",
                                      "filter=random",
                                      "filter=sequence",
                                      "filter=choices",
                                      "watch=0,filter=generator",
                                      "watch=0,filter=random",
                                      "make=rl-classic,mutate=zest-bytes,all=1,watch=0,filter=choices", /* the thesis */
                                      "make=rl-classic,mutate=zest-bytes,filter=sequence",
                                      "make=uniform,mutate=cgpt-classic,watch=0,filter=random",
                                      "make=random,mutate=cgpt,watch=0,all=1"};
enum { N_FILTERS = sizeof filters / sizeof *filters };

/* Eight numbers that must ascend: by chance one in 40,000 does. Then one counter for each that is right. */
static void stairs_behind_an_order(sonde *t)
{
    int x[8];
    for (int i = 0; i < 8; i++) {
        x[i] = sonde_int(t, "x", 0, 99);
        sonde_assume(t, i == 0 || x[i - 1] < x[i]);
    }
    int right = 0;
    while (right < 3 && x[right] % 8 == 3 * right % 8) counters[right++]++;
    sonde_check(t, right < 3);
}

static void seeds_carry_zest_over_what_rl_can_learn(void **state)
{
    (void)state;
    unsigned without = 0, with = 0;
    for (uint64_t seed = 1; seed <= seeds_of(4); seed++) {
        without += search(stairs_behind_an_order, (struct asked){.guide = "zest", .seed = seed, .runs = 60000}).found;
        with += search(stairs_behind_an_order, (struct asked){.seed = seed, .runs = 60000}).found;
    }
    assert_int_equal(without, 0);
    assert_true(4 * with >= 3 * seeds_of(4));
}

/* A range of ways: five digits, valid if they do not descend. */
static void digits(sonde *t)
{
    int last = 0;
    for (int i = 0; i < 5; i++) {
        int x = sonde_int(t, "digit", 0, 9);
        sonde_assume(t, last <= x);
        counters[10 + i] = (uint8_t)(1 + x);
        last = x;
    }
}

static void seeds_are_a_tenth_of_the_run(void **state)
{
    (void)state;
    for (int i = 0; i < N_FILTERS; i++) {
        struct outcome o = search(digits, (struct asked){.guide_options = filters[i], .seed = 1, .runs = 20000});
        assert_int_equal(o.tests, 20000);
        assert_in_range(o.made, 500, 2200);
        assert_true(o.seeds_cost * 20 >= o.cost - o.cost / 100); /* and never much less than a twentieth of the cost */
        assert_true(o.seeds_cost * 4 <= o.cost);                 /* running them again included */
    }
}

static void without_a_known_end_seeds_are_made_again_and_again(void **state)
{
    (void)state;
    /* As far as the guide can know there is no end: the bound is a failure. */
    struct sonde_guide_setup setup = {.seed = 1, .stream = 1, .memory = 1 << 24};
    struct sonde_guide *guide = sonde_guide_find("seeded")->create(&setup);
    struct sonde_tape tape;
    uint64_t making = 0, times = 0;
    bool was_making = false;
    sonde_tape_init(&tape);
    sonde_tape_begin(&tape);
    struct sonde_observation seen = {.verdict = SONDE_VALID, .cost = 3};
    struct sonde_run run = {.tape = &tape, .observation = &seen, .author = guide};
    for (int i = 0; i < 100000; i++) {
        struct outcome before = {0}, after = {0};
        read_stats(&before, guide);
        guide->ops->start(guide, &tape);
        read_stats(&after, guide);
        bool makes = after.made > before.made;
        times += makes && !was_making;
        making += makes;
        was_making = makes;
        sonde_tape_begin(&tape);
        guide->ops->learn(guide, &run);
    }
    assert_in_range(making, 5000, 10100);
    assert_in_range(times, 2, 8);
    guide->ops->destroy(guide);
    sonde_tape_clear(&tape);
}

static void a_number_of_seeding_tests_is_kept_to(void **state)
{
    (void)state;
    for (int i = 0; i < N_FILTERS; i++) {
        struct asked asked = {.guide_options = filters[i], .seed = 1, .runs = 5000, .seed_tests = 123};
        struct outcome o = search(digits, asked);
        assert_int_equal(o.made, 123);
        assert_int_equal(o.rounds, 1);
    }
}

static void a_time_for_seeding_ends_it(void **state)
{
    (void)state;
    struct outcome o = search(digits, (struct asked){.seed = 1, .runs = 100000, .seed_seconds = 1e-9});
    assert_true(o.made < 1000);
    assert_int_equal(o.rounds, 1);
}

static void selected_seeds_are_run_once_and_no_more_than_asked_for(void **state)
{
    (void)state;
    const char *const options[] = {"filter=random,size=20", "filter=sequence,size=20", "size=20,filter=choices"};
    for (int i = 0; i < 3; i++) {
        struct outcome o =
            search(digits, (struct asked){.guide_options = options[i], .seed = 1, .runs = 3000, .seed_tests = 1000});
        assert_int_equal(o.ran, 20);
    }
    struct outcome o = search(digits, (struct asked){.seed = 1, .runs = 3000, .seed_tests = 1000});
    assert_int_equal(o.ran, 0); /* what they cover was seen when they were made */
    o = search(digits, (struct asked){.guide_options = "watch=0", .seed = 1, .runs = 3000, .seed_tests = 1000});
    assert_int_equal(o.ran, 0);
    assert_true(o.added > 0);
}

static void the_same_seed_gives_the_same_search(void **state)
{
    (void)state;
    for (int i = 0; i < N_FILTERS; i++) {
        struct asked asked = {.guide_options = filters[i], .seed = 7, .runs = 6000};
        struct outcome a = search(digits, asked), b = search(digits, asked);
        assert_int_equal(a.valid, b.valid);
        assert_int_equal(a.added, b.added);
        assert_int_equal(a.cost, b.cost);
        assert_true(a.identity == b.identity);
    }
}

static void every_kind_of_draw_is_answered(void **state)
{
    (void)state;
    for (int i = 0; i < N_FILTERS; i++) {
        struct outcome o = search(everything, (struct asked){.guide_options = filters[i], .seed = 3, .runs = 5000});
        assert_false(o.found);
        assert_int_equal(o.tests, 5000);
    }
}

/* Without instrumentation zest has nothing to go by; seeds are still mutated. */
static void sorted_only(sonde *t)
{
    int last = 0;
    for (int i = 0; i < 6; i++) {
        int x = sonde_int(t, "x", 0, 99);
        sonde_assume(t, last <= x);
        last = x;
    }
}

static void mutants_of_valid_seeds_are_valid_more_often(void **state)
{
    (void)state;
    struct outcome zest = search(sorted_only, (struct asked){.guide = "zest", .seed = 1, .runs = 10000});
    struct outcome seeded = search(sorted_only, (struct asked){.seed = 1, .runs = 10000});
    assert_true(seeded.valid > 5 * zest.valid);
}

/* Nearly nothing that uniform makes is valid here: what is selected are discarded inputs, or none. */
static void all_inputs_are_filtered_if_asked(void **state)
{
    (void)state;
    struct asked asked = {.seed = 1, .runs = 2000, .seed_tests = 1000};
    asked.guide_options = "make=uniform,mutate=zest-bytes,watch=0,filter=random,size=20,all=1";
    assert_int_equal(search(stairs_behind_an_order, asked).ran, 20);
    asked.guide_options = "make=uniform,mutate=zest-bytes,watch=0,filter=random,size=20";
    assert_true(search(stairs_behind_an_order, asked).ran < 20);
}

/* The thesis: RLCheck finds what is valid, one input in 216, and Zest on bytes continues from there. */
static void opens_and_climbs(sonde *t)
{
    bool opens = true;
    for (size_t i = 0; i < 3; i++) opens &= sonde_pick(t, "key", 6) == i;
    sonde_assume(t, opens);
    counters[20]++;
    for (int i = 0; i < 4; i++) {
        if (sonde_int(t, "x", 0, 9999) != 7) return; /* too wide for a learner */
        counters[i]++;
    }
    sonde_check(t, !"reached the top");
}

static void rlcheck_makes_seeds_for_zest_on_bytes(void **state)
{
    (void)state;
    struct asked asked = {.seed = 1, .runs = 40000, .seed_tests = 20000};
    asked.guide_options = "make=rl-classic,mutate=zest-bytes,all=1,watch=0,filter=choices";
    struct outcome thesis = search(opens_and_climbs, asked);
    assert_true(thesis.added > 0);
    assert_true(thesis.valid > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutants_of_valid_seeds_are_valid_more_often),
        cmocka_unit_test_setup(seeds_carry_zest_over_what_rl_can_learn, counters_register),
        cmocka_unit_test(seeds_are_a_tenth_of_the_run),
        cmocka_unit_test(without_a_known_end_seeds_are_made_again_and_again),
        cmocka_unit_test(a_number_of_seeding_tests_is_kept_to),
        cmocka_unit_test(a_time_for_seeding_ends_it),
        cmocka_unit_test(selected_seeds_are_run_once_and_no_more_than_asked_for),
        cmocka_unit_test(the_same_seed_gives_the_same_search),
        cmocka_unit_test(every_kind_of_draw_is_answered),
        cmocka_unit_test(all_inputs_are_filtered_if_asked),
        cmocka_unit_test(rlcheck_makes_seeds_for_zest_on_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
