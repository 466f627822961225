/* State that a guide saved comes from a file: whatever numbers it holds, each draw stays in its domain. */
#include "lib/mocka.h"

#include "engine/search/loop.h"
#include "engine/search/search.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct sonde_options options;
static struct sonde_search search;

static void some_draws(sonde *t)
{
    size_t n;
    int a = sonde_int(t, "a", 0, 40), b = sonde_int(t, "b", -1000000, 1000000);
    double x = sonde_double(t, "x", -100, 100), y = sonde_double(t, "y", -DBL_MAX, DBL_MAX);
    sonde_bytes(t, "bytes", 2, 5, &n);
    sonde_check(t, a >= 0 && a <= 40 && b >= -1000000 && b <= 1000000 && n >= 2 && n <= 5);
    sonde_check(t, x >= -100 && x <= 100 && y >= -DBL_MAX && y <= DBL_MAX);
    sonde_assume(t, a < 20 && b > 0);
    sonde_assume(t, x < y);
}

static const sonde_property property = {.name = "property", .run = some_draws};

static void begin(const char *guide, uint64_t cases)
{
    sonde_options_default(&options);
    options.seed = 1;
    options.seconds = 0;
    options.max_discards = 0;
    options.tests = 0;
    options.runs = cases;
    options.guide = guide;
    sonde_search_init(&search, &property, &options, 0);
}

static void run_with(const char *guide, const uint8_t *data, size_t n)
{
    begin(guide, 300);
    search.guide->ops->load(search.guide, data, n); /* it may refuse */
    sonde_search_run(&search);
    assert_int_equal(search.n_found, 0);
    assert_int_equal(search.stats.tests, 300);
    sonde_search_clear(&search);
}

static struct sonde_bytes learned_by(const char *guide)
{
    struct sonde_bytes learned = {0};
    begin(guide, 2000);
    sonde_search_run(&search);
    search.guide->ops->save(search.guide, &learned);
    sonde_search_clear(&search);
    return learned;
}

/* Four bytes in each place of the file are replaced by a number that only an attacker or a broken disk writes. */
static void spoil(const char *guide, const struct sonde_bytes *learned, float value)
{
    for (uint32_t offset = 0; offset < 4; offset++) {
        uint8_t *copy = malloc(learned->n);
        assert_non_null(copy);
        memcpy(copy, learned->data, learned->n);
        /* The head stays: it would be refused. */
        for (uint32_t i = 20 + offset; i + 4 <= learned->n; i += 4)
            if (i % 3 == 0) memcpy(copy + i, &value, sizeof value);
        run_with(guide, copy, learned->n);
        free(copy);
    }
}

static const char *const guides[] = {"rl", "auto"}; /* others save nothing without instrumentation */
enum { GUIDES = sizeof guides / sizeof *guides };

static void numbers_of_any_kind_are_harmless(void **state)
{
    (void)state;
    static const float values[] = {NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, FLT_MIN / 4};
    for (size_t k = 0; k < GUIDES; k++) {
        struct sonde_bytes learned = learned_by(guides[k]);
        assert_true(learned.n > 100);
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) spoil(guides[k], &learned, values[i]);
        sonde_bytes_clear(&learned);
    }
}

/* In place of the average of successes, which a power is made of. */
static void a_success_that_is_no_number_is_none(void **state)
{
    (void)state;
    static const float values[] = {NAN, INFINITY, -INFINITY, -1, 2};
    struct sonde_bytes learned = learned_by("rl");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        memcpy(learned.data + 16, &values[i], sizeof values[i]);
        run_with("rl", learned.data, learned.n);
    }
    sonde_bytes_clear(&learned);
}

static void a_file_that_was_cut_is_harmless(void **state)
{
    (void)state;
    for (size_t k = 0; k < GUIDES; k++) {
        struct sonde_bytes learned = learned_by(guides[k]);
        for (uint32_t n = 0; n < 32 && n < learned.n; n++) run_with(guides[k], learned.data, n);
        sonde_bytes_clear(&learned);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_any_kind_are_harmless),
        cmocka_unit_test(a_success_that_is_no_number_is_none),
        cmocka_unit_test(a_file_that_was_cut_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
