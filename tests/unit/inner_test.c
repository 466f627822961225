/* Guides inside guides: separate streams, separate cases. */
#include "driver.h"

#include "guide/inner.h"

/* A guide that counts whose case it was, and always chooses the same value. */
struct witness {
    struct sonde_guide guide;
    struct sonde_rng rng;
    uint64_t own, others, nobodys;
};

static const struct sonde_guide_ops witness_ops;

static struct sonde_guide *witness_create(const struct sonde_guide_setup *setup)
{
    struct witness *w = test_calloc(1, sizeof *w);
    w->guide.ops = &witness_ops;
    sonde_rng_seed(&w->rng, setup->seed, setup->stream);
    return &w->guide;
}

static void witness_destroy(struct sonde_guide *guide)
{
    test_free(guide);
}

static enum sonde_plan witness_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    struct witness *w = (struct witness *)guide;
    guide->plain = &w->rng;
    return script ? SONDE_PLAN_SCRIPT : SONDE_PLAN_DONE;
}

static uint64_t witness_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    (void)guide;
    return view->point->kind == SONDE_KIND_BLOB ? 3 : view->point->max - 1;
}

static void witness_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct witness *w = (struct witness *)guide;
    if (!run->author) w->nobodys++;
    else if (run->author == guide) w->own++;
    else w->others++;
}

static const struct sonde_guide_ops witness_ops = {
    .name = "witness",
    .create = witness_create,
    .destroy = witness_destroy,
    .start = witness_start,
    .choose = witness_choose,
    .learn = witness_learn,
};

static struct sonde_guide_setup setup_of(uint64_t seed)
{
    return (struct sonde_guide_setup){.seed = seed, .stream = 1, .memory = 1 << 20};
}

static void every_part_has_a_stream_of_its_own_at_any_depth(void **state)
{
    (void)state;
    struct sonde_guide_setup top = setup_of(1);
    uint64_t streams[1 + 3 + 9];
    size_t n = 0;
    streams[n++] = top.stream;
    for (unsigned a = 1; a <= 3; a++) {
        struct sonde_guide_setup outer = sonde_guide_part(&top, a);
        streams[n++] = outer.stream;
        for (unsigned b = 1; b <= 3; b++) streams[n++] = sonde_guide_part(&outer, b).stream;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++) assert_true(streams[i] != streams[k]);
}

static void an_inner_guide_is_the_author_of_its_own_cases_only(void **state)
{
    (void)state;
    struct sonde_guide_setup setup = setup_of(1);
    struct sonde_inner a, b;
    sonde_inner_init(&a, &witness_ops, sonde_guide_part(&setup, 1));
    sonde_inner_init(&b, &witness_ops, sonde_guide_part(&setup, 2));
    struct sonde_guide outer = {.ops = &witness_ops};
    struct sonde_run run = {.author = &outer};
    for (int i = 0; i < 5; i++) sonde_inner_learn(&a, &run, i < 2), sonde_inner_learn(&b, &run, i >= 2);
    run.author = NULL;
    sonde_inner_learn(&a, &run, false);
    const struct witness *wa = (struct witness *)a.guide, *wb = (struct witness *)b.guide;
    assert_int_equal(wa->own, 2);
    assert_int_equal(wa->others, 3);
    assert_int_equal(wa->nobodys, 1);
    assert_int_equal(wb->own, 3);
    assert_ptr_equal(run.author, NULL);
    sonde_inner_clear(&a);
    sonde_inner_clear(&b);
}

static void a_start_hands_on_the_plan_and_the_plain_stream(void **state)
{
    (void)state;
    struct sonde_guide_setup setup = setup_of(1);
    struct sonde_inner inner, uniform;
    struct sonde_guide outer = {.ops = &witness_ops};
    struct sonde_tape script;
    sonde_tape_init(&script);
    sonde_inner_init(&inner, &witness_ops, sonde_guide_part(&setup, 1));
    sonde_inner_init(&uniform, &sonde_guide_uniform, sonde_guide_part(&setup, 2));
    assert_int_equal(sonde_inner_start(&inner, &outer, &script), SONDE_PLAN_SCRIPT);
    assert_ptr_equal(outer.plain, inner.guide->plain);
    assert_int_equal(sonde_inner_start(&inner, &outer, NULL), SONDE_PLAN_DONE);
    assert_int_equal(sonde_inner_start(&uniform, &outer, &script), SONDE_PLAN_FRESH); /* it has no start */
    assert_ptr_equal(outer.plain, uniform.guide->plain);
    sonde_inner_clear(&inner);
    sonde_inner_clear(&uniform);
}

static void a_guide_that_fills_no_blobs_is_asked_for_their_symbols(void **state)
{
    (void)state;
    struct sonde_guide_setup setup = setup_of(1);
    struct sonde_inner inner;
    struct sonde_alphabet alphabet = sonde_alphabet_make(SONDE_ALPHABET_CUSTOM, "acgt");
    struct sonde_choice point = {.kind = SONDE_KIND_BLOB, .max = 8};
    struct sonde_view view = {.point = &point, .alphabet = &alphabet};
    uint32_t symbols[16];
    sonde_inner_init(&inner, &witness_ops, sonde_guide_part(&setup, 1));
    assert_int_equal(sonde_inner_fill(&inner, &view, symbols, 2, 10), 5);
    for (int i = 0; i < 5; i++) assert_int_equal(symbols[i], 2);
    sonde_inner_clear(&inner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_has_a_stream_of_its_own_at_any_depth),
        cmocka_unit_test(an_inner_guide_is_the_author_of_its_own_cases_only),
        cmocka_unit_test(a_start_hands_on_the_plan_and_the_plain_stream),
        cmocka_unit_test(a_guide_that_fills_no_blobs_is_asked_for_their_symbols),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
