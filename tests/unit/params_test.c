/* Bytes as the random numbers of a generator: zest-bytes and crowbar. Points are drawn by hand. */
#include "driver.h"

#include "../../addons/classic/params.h"

#include <string.h>

static struct classic_params params;
static const struct sonde_guide_setup setup = {.seed = 1, .memory = 1 << 22};

/* A guide of parameters alone, so that driver.h can draw from it. */
static struct sonde_guide *fresh;

static uint64_t choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    (void)guide;
    return classic_params_choose(&params, fresh, view);
}

static size_t fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min, size_t max)
{
    (void)guide;
    (void)max;
    return classic_params_fill(&params, fresh, view, symbols, min);
}

static struct sonde_guide *create(const struct sonde_guide_setup *with)
{
    static struct sonde_guide guide;
    (void)with;
    return &guide;
}

static void destroy(struct sonde_guide *guide)
{
    (void)guide;
}

static const struct sonde_guide_ops by_params = {
    .name = "params", .summary = "bytes", .create = create, .destroy = destroy, .choose = choose, .fill = fill};

static struct driver d;

static int begin(void **state)
{
    (void)state;
    memset(&params, 0, sizeof params);
    fresh = sonde_guide_uniform.create(&setup);
    driver_init(&d, &by_params, &setup);
    d.guide->ops = &by_params;
    return 0;
}

static int finish(void **state)
{
    (void)state;
    driver_clear(&d);
    classic_params_clear(&params);
    fresh->ops->destroy(fresh);
    return 0;
}

static void give(const uint8_t *bytes, uint32_t n)
{
    params.bytes = classic_grow(params.bytes, &params.cap, n, 1);
    memcpy(params.bytes, bytes, n);
    params.n = n;
    params.at = 0;
}

static void give_random(uint32_t n, uint64_t seed)
{
    static uint8_t bytes[1 << 16];
    struct sonde_rng rng;
    sonde_rng_seed(&rng, seed, 7);
    for (uint32_t i = 0; i < n; i++) bytes[i] = (uint8_t)sonde_rng_next(&rng);
    give(bytes, n);
}

/* ---- Zest, section 3.1: sigma_1 gives a length of 3 and 'f', ..., False; sigma_2 'W' instead of 'f'. Each function takes the bytes
 * of an int here; "they can consume different numbers of parameters". */

static void parameters_are_what_the_functions_make_of_them(void **state)
{
    (void)state;
    const uint8_t sigma_1[] = {2, 0, 0, 0, 'f', 0, 0, 0, 0, 0, 0, 0},
                  sigma_2[] = {2, 0, 0, 0, 'W', 0, 0, 0, 0, 0, 0, 0};
    give(sigma_1, sizeof sigma_1);
    assert_int_equal(draw_int(&d, 1, 1, 10), 3);
    assert_int_equal(draw(&d, 2, SONDE_KIND_UINT, 255), 'f');
    assert_int_equal(draw(&d, 3, SONDE_KIND_BOOL, 1), false);
    assert_int_equal(params.at, params.n);
    give(sigma_2, sizeof sigma_2);
    assert_int_equal(draw_int(&d, 1, 1, 10), 3);
    assert_int_equal(draw(&d, 2, SONDE_KIND_UINT, 255), 'W');
}

/* sigma_4: what is missing is made up, and what is too much is not looked at. */
static void too_few_are_made_up(void **state)
{
    (void)state;
    const uint8_t few[] = {1, 0, 0, 0, 9, 9};
    give(few, sizeof few);
    assert_int_equal(draw(&d, 1, SONDE_KIND_BOOL, 1), true);
    draw(&d, 2, SONDE_KIND_UINT, UINT32_MAX);
    assert_int_equal(params.at, params.n);
}

/* ---- The generator's own distribution */

static uint64_t draw_chance(double p)
{
    struct sonde_choice point = {.site = 1, .kind = SONDE_KIND_CHANCE, .max = 1};
    memcpy(&point.base, &p, sizeof p);
    return draw_point(&d, point);
}

static uint64_t draw_open_length(void)
{
    return draw_point(
        &d, (struct sonde_choice){.site = 1, .kind = SONDE_KIND_LENGTH, .max = 1 << 20, .flags = SONDE_CHOICE_OPEN});
}

static void random_bytes_give_the_generators_distribution(void **state)
{
    (void)state;
    const unsigned weights[] = {97, 1, 1, 1};
    uint64_t rare = 0, first = 0, length = 0;
    for (uint64_t i = 0; i < 10000; i++) {
        sonde_tape_begin(&d.tape);
        give_random(16, i);
        rare += draw_chance(0.02);
        first += draw_weighted(&d, 2, weights, 4) == 0;
        length += draw_open_length();
        assert_int_equal(params.at, 16);
    }
    assert_in_range(rare, 130, 270);       /* 200 */
    assert_in_range(first, 9600, 9790);    /* 9,700 */
    assert_in_range(length, 76000, 84000); /* 8 on average */
}

/* ---- The way back: bytes that make the same tape */

static void draw_everything(struct driver *by)
{
    static const unsigned weights[] = {5, 0, 90, 3, 2};
    char text[4 * 40 + 1];
    draw_int(by, 1, -1000, 1000000);
    draw(by, 2, SONDE_KIND_UINT, UINT64_MAX);
    draw_chance(0.3);
    draw_weighted(by, 3, weights, 5);
    draw_open_length();
    draw_double(by, 4, -1, 1);
    draw_text(by, 5, "abc", 0, 9, text);
    draw_text(by, 6, NULL, 5, 40, text);
    draw(by, 7, SONDE_KIND_BOOL, 1);
}

static void a_tape_is_made_again_by_its_bytes(void **state)
{
    (void)state;
    struct sonde_tape first;
    sonde_tape_init(&first);
    draw_everything(&d); /* the weights are known from here on */
    for (uint64_t i = 0; i < 500; i++) {
        sonde_tape_begin(&d.tape);
        give_random(400, i);
        draw_everything(&d);
        sonde_tape_copy(&first, &d.tape);
        classic_params_of(&params, &first);
        sonde_tape_begin(&d.tape);
        draw_everything(&d);
        assert_int_equal(params.at, params.n);
        assert_int_equal(first.n_choices, d.tape.n_choices);
        for (uint32_t k = 0; k < first.n_choices; k++)
            if (first.choices[k].kind != SONDE_KIND_DOUBLE)
                assert_int_equal(first.choices[k].index, d.tape.choices[k].index);
        assert_memory_equal(first.bytes + 16, d.tape.bytes + 16, first.n_bytes - 16);
    }
    sonde_tape_clear(&first);
}

#define params_test(test) cmocka_unit_test_setup_teardown(test, begin, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        params_test(parameters_are_what_the_functions_make_of_them),
        params_test(too_few_are_made_up),
        params_test(random_bytes_give_the_generators_distribution),
        params_test(a_tape_is_made_again_by_its_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
