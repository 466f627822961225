/* The guide `auto`: what wakes each inner guide, which guide gets the turns, which cases each guide sees. */
#include "driver.h"

#include "base/bytes.h"
#include "engine/search/loop.h"

#include <string.h>

static const struct sonde_guide_setup setup = {.seed = 5, .stream = 1, .memory = 1 << 26};

static double share_of(const struct sonde_guide *guide, const char *name)
{
    struct sonde_share shares[16];
    size_t n = guide->ops->shares(guide, shares, 16);
    for (size_t i = 0; i < n; i++)
        if (strcmp(shares[i].name, name) == 0) return shares[i].cost;
    return 0;
}

static void two_wide_numbers(struct driver *d)
{
    draw_int(d, 1, 0, 1000000);
    draw_int(d, 2, 0, 1000000);
}

static void begins_like_random(void **state)
{
    (void)state;
    struct driver d, r;
    driver_init(&d, &sonde_guide_auto, &setup);
    driver_init(&r, &sonde_guide_random, &setup);
    for (int i = 0; i < 50; i++) {
        drive(&d, two_wide_numbers);
        drive(&r, two_wide_numbers);
        assert_int_equal(d.tape.choices[0].index, r.tape.choices[0].index);
        assert_int_equal(d.tape.choices[1].index, r.tape.choices[1].index);
    }
    driver_clear(&d);
    driver_clear(&r);
}

static void without_any_sign_only_the_plain_guides_work(void **state)
{
    (void)state;
    struct driver d;
    driver_init(&d, &sonde_guide_auto, &setup);
    uint32_t wants = d.guide->wants;
    for (int i = 0; i < 6000; i++) drive(&d, two_wide_numbers);
    assert_true(share_of(d.guide, "random") > 0.8);
    assert_true(share_of(d.guide, "enumerate") > 0);
    assert_true(share_of(d.guide, "random") + share_of(d.guide, "enumerate") > 0.999);
    assert_int_equal(d.guide->wants, wants);
    driver_clear(&d);
}

static void four_flags(struct driver *d)
{
    for (uint32_t i = 1; i <= 4; i++) draw(d, i, SONDE_KIND_BOOL, 1);
}

static void a_small_space_is_exhausted(void **state)
{
    (void)state;
    struct driver d;
    driver_init(&d, &sonde_guide_auto, &setup);
    while (d.cases < 100 && drive(&d, four_flags)) continue;
    assert_int_equal(d.cases, 16);
    driver_clear(&d);
}

/* ---- With scripts, which need a case that follows them: whole searches. */

static struct sonde_options options;
static struct sonde_search search;
static uint64_t hash;

/* One in 3^12 by chance. */
static void twelve_right_answers(sonde *t)
{
    int answers[12];
    for (int i = 0; i < 12; i++) {
        answers[i] = sonde_int(t, "answer", 0, 2);
        hash = (hash ^ (uint64_t)answers[i]) * UINT64_C(0x100000001b3);
    }
    sonde_int(t, "x", 0, 1000000);
    for (int i = 0; i < 12; i++) sonde_assume(t, answers[i] == i % 3);
}

static const sonde_property property = {.name = "property", .run = twelve_right_answers};

static void begin(void)
{
    sonde_options_default(&options);
    options.seed = 1;
    options.seconds = 0;
    options.max_discards = 0;
    options.tests = 0;
    options.guide = "auto";
    hash = 0;
}

/* Returns how many were valid. */
static uint64_t run_cases(uint64_t cases, const struct sonde_bytes *learned)
{
    options.runs = cases;
    sonde_search_init(&search, &property, &options, 0);
    if (learned) search.guide->ops->load(search.guide, learned->data, learned->n);
    sonde_search_run(&search);
    return search.stats.valid;
}

static void discards_wake_the_learners(void **state)
{
    (void)state;
    begin();
    assert_true(run_cases(20000, NULL) > 5000); /* 0.04 by chance */
    assert_true(search.guide->wants & SONDE_NEW_VALID);
    assert_true(share_of(search.guide, "rl") + share_of(search.guide, "target") > 0.3);
    assert_true(share_of(search.guide, "random") > 0.001);
    sonde_search_clear(&search);
}

static void doubled_letter(sonde *t)
{
    const char *text = sonde_string_of(t, "text", "abcdefgh", 2, 2);
    sonde_assume(t, text[0] == text[1]);
}

static void doubled_letter_and_number(sonde *t)
{
    sonde_int(t, "x", 0, 9);
    doubled_letter(t);
}

/* `rl` learns nothing of the contents of strings and bytes. */
static double share_of_rl(sonde_property_fn *run)
{
    const sonde_property of_text = {.name = "text", .run = run};
    begin();
    options.runs = 2000;
    sonde_search_init(&search, &of_text, &options, 0);
    sonde_search_run(&search);
    double share = share_of(search.guide, "rl");
    sonde_search_clear(&search);
    return share;
}

static void discards_of_texts_do_not_wake_rl(void **state)
{
    (void)state;
    assert_true(share_of_rl(doubled_letter) == 0);
    assert_true(share_of_rl(doubled_letter_and_number) > 0);
}

static void the_same_seed_gives_the_same_cases(void **state)
{
    (void)state;
    begin();
    run_cases(5000, NULL);
    sonde_search_clear(&search);
    uint64_t first = hash;
    begin();
    run_cases(5000, NULL);
    sonde_search_clear(&search);
    assert_int_equal(hash, first);
    begin();
    options.seed = 2;
    run_cases(5000, NULL);
    sonde_search_clear(&search);
    assert_int_not_equal(hash, first);
}

static struct sonde_bytes learned_in(uint64_t cases)
{
    struct sonde_bytes bytes = {0};
    begin();
    run_cases(cases, NULL);
    search.guide->ops->save(search.guide, &bytes);
    sonde_search_clear(&search);
    return bytes;
}

static void what_was_learned_can_be_saved(void **state)
{
    (void)state;
    struct sonde_bytes bytes = learned_in(20000);
    assert_true(bytes.n > 100);
    begin();
    uint64_t without = run_cases(1000, NULL);
    sonde_search_clear(&search);
    begin();
    uint64_t with = run_cases(1000, &bytes);
    sonde_search_clear(&search);
    sonde_bytes_clear(&bytes);
    assert_true(with > 300);
    assert_true(2 * (1000 - with) < 1000 - without); /* of those that are discarded, less than half */
}

static void what_was_saved_by_another_is_refused(void **state)
{
    (void)state;
    struct driver d;
    uint8_t noise[256] = {7, 0, 0, 0, 9};
    driver_init(&d, &sonde_guide_auto, &setup);
    assert_false(d.guide->ops->load(d.guide, noise, sizeof noise));
    assert_false(d.guide->ops->load(d.guide, noise, 0));
    drive(&d, two_wide_numbers);
    driver_clear(&d);
}

static void cut_short_it_does_no_harm(void **state)
{
    (void)state;
    struct sonde_bytes bytes = learned_in(3000);
    for (uint32_t n = 0; n < bytes.n; n += 1 + bytes.n / 61) {
        struct sonde_bytes part = {.data = bytes.data, .n = n};
        begin();
        run_cases(300, &part);
        assert_int_equal(search.stats.tests, 300);
        sonde_search_clear(&search);
    }
    sonde_bytes_clear(&bytes);
}

static void an_arm_can_be_left_out(void **state)
{
    (void)state;
    begin();
    options.guide_options = "rl=0";
    run_cases(2000, NULL);
    assert_true(share_of(search.guide, "rl") == 0);
    assert_true(share_of(search.guide, "cgpt") > 0);
    sonde_search_clear(&search);
}

/* The searches are the same until `cgpt` would have used an input of another guide. */
static void mutators_can_be_kept_to_their_own_inputs(void **state)
{
    (void)state;
    begin();
    run_cases(10000, NULL);
    sonde_search_clear(&search);
    uint64_t with = hash;
    begin();
    options.guide_options = "seeds=0";
    run_cases(10000, NULL);
    assert_true(share_of(search.guide, "cgpt") > 0);
    assert_int_not_equal(hash, with);
    sonde_search_clear(&search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begins_like_random),
        cmocka_unit_test(without_any_sign_only_the_plain_guides_work),
        cmocka_unit_test(a_small_space_is_exhausted),
        cmocka_unit_test(discards_wake_the_learners),
        cmocka_unit_test(discards_of_texts_do_not_wake_rl),
        cmocka_unit_test(the_same_seed_gives_the_same_cases),
        cmocka_unit_test(what_was_learned_can_be_saved),
        cmocka_unit_test(what_was_saved_by_another_is_refused),
        cmocka_unit_test(cut_short_it_does_no_harm),
        cmocka_unit_test(an_arm_can_be_left_out),
        cmocka_unit_test(mutators_can_be_kept_to_their_own_inputs),
    };
    return cmocka_run_group_tests_name("auto", tests, NULL, NULL);
}
