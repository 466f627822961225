/* Repair of discarded inputs: slopes of numbers, which need no case; whole searches whose preconditions compare a drawn
 * value with a computed one. */
#include "feedback/unique.h"
#include "guide/goal/repair.h"
#include "guide/goal/slope.h"
#include "lib/mocka.h"
#include "lib/searches.h"

#include <string.h>

static struct sonde_rng rng;

static int set_up(void **state)
{
    (void)state;
    sonde_rng_seed(&rng, 7, 0);
    return 0;
}

/* ---- Slopes */

/* The difference of the sides as a function of one number. */
typedef uint64_t difference_fn(uint64_t x);

static enum sonde_slope_state fit(difference_fn *difference, uint64_t at, uint64_t max, uint8_t bytes,
                                  struct sonde_slope *out)
{
    struct sonde_slope_probe probes[SONDE_SLOPE_PROBES];
    enum sonde_slope_state state = SONDE_SLOPE_MORE;
    for (uint32_t n = 0; state == SONDE_SLOPE_MORE && n < SONDE_SLOPE_PROBES; n++) {
        uint64_t x = (at + 1 + (max < 16 ? n : 7 * n * n)) % (max + 1);
        probes[n] = (struct sonde_slope_probe){.step = x - at, .apart = difference(x)};
        state = sonde_slope_fit(probes, n + 1, max, difference(at), bytes, out);
    }
    return state;
}

static uint64_t crc_minus(uint64_t x)
{
    return 227 - x;
}

static uint64_t high_byte(uint64_t x)
{
    return (x << 8) + 5;
}

static uint64_t digit(uint64_t x)
{
    return (x + 7) % 10;
}

static uint64_t word_wraps(uint64_t x)
{
    return (uint64_t)(int32_t)(uint32_t)(0x7ffffff0 + x);
}

static uint64_t unrelated(uint64_t x)
{
    return x * x * 2654435761u % 251;
}

static uint64_t constant(uint64_t x)
{
    (void)x;
    return 9;
}

static void a_number_that_stands_on_a_side_has_a_slope(void **state)
{
    (void)state;
    struct sonde_slope s;
    assert_int_equal(fit(crc_minus, 3, 255, 8, &s), SONDE_SLOPE_FOUND);
    assert_true(s.is_negative && s.shift == 0 && s.modulus == 0);
    assert_int_equal(fit(high_byte, 3, 255, 4, &s), SONDE_SLOPE_FOUND);
    assert_true(!s.is_negative && s.shift == 8 && s.modulus == 0);
    assert_int_equal(fit(word_wraps, 3, UINT32_MAX, 4, &s), SONDE_SLOPE_FOUND);
    assert_true(!s.is_negative && s.shift == 0 && s.modulus == 0);
}

static void a_remainder_has_a_modulus(void **state)
{
    (void)state;
    struct sonde_slope s;
    assert_int_equal(fit(digit, 4, 9, 4, &s), SONDE_SLOPE_FOUND);
    assert_true(!s.is_negative && s.shift == 0);
    assert_int_equal(s.modulus, 10);
}

static void a_number_of_another_kind_has_no_slope(void **state)
{
    (void)state;
    struct sonde_slope s;
    assert_int_equal(fit(unrelated, 3, 255, 8, &s), SONDE_SLOPE_NONE);
    assert_int_equal(fit(constant, 3, 255, 8, &s), SONDE_SLOPE_NONE);
}

static void bytes_together_reach_a_word(void **state)
{
    (void)state;
    struct sonde_slope_part bytes[4];
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (struct sonde_slope_part){.at = 1,
                                             .max = 255,
                                             .slope = {.shift = (uint8_t)(24 - 8 * i), .is_negative = true}};
    assert_true(sonde_slope_solve(bytes, 4, 0xfedcba98u - 0x01010101u, 4, &rng));
    assert_int_equal(bytes[0].at, 0xfe);
    assert_int_equal(bytes[1].at, 0xdc);
    assert_int_equal(bytes[2].at, 0xba);
    assert_int_equal(bytes[3].at, 0x98);
    assert_true(sonde_slope_solve(bytes, 4, (uint64_t)(int64_t)(int32_t)(0x00000001u - 0xfedcba98u), 4, &rng));
    assert_int_equal(bytes[0].at, 0);
    assert_int_equal(bytes[3].at, 1);
}

static void a_value_out_of_range_is_no_solution(void **state)
{
    (void)state;
    struct sonde_slope_part part = {.at = 10, .max = 255, .slope = {.is_negative = true}};
    assert_false(sonde_slope_solve(&part, 1, 300, 8, &rng));
    assert_int_equal(part.at, 10);
    assert_true(sonde_slope_solve(&part, 1, (uint64_t)-10, 8, &rng));
    assert_int_equal(part.at, 0);
}

static void remainders_are_solved_for_either_sign(void **state)
{
    (void)state;
    for (uint64_t at = 0; at < 26; at++) {
        for (unsigned negative = 0; negative < 2; negative++) {
            for (int64_t apart = -9; apart <= 9; apart++) {
                struct sonde_slope_part part = {.at = at,
                                                .max = 25,
                                                .slope = {.modulus = 10, .is_negative = negative != 0}};
                assert_true(sonde_slope_solve(&part, 1, (uint64_t)apart, 4, &rng));
                assert_true(part.at <= 25);
                int64_t moved = (int64_t)part.at - (int64_t)at;
                assert_int_equal((apart + (negative ? -moved : moved)) % 10, 0);
            }
        }
    }
}

/* ---- Single cases */

static void a_number(sonde *t)
{
    sonde_u32(t, "x", 0, UINT32_MAX);
}

/* Shows a case that compares 3 with 5 in its first assume, and is discarded there or continues. */
static void show(struct sonde_repair *repair, const struct sonde_tape *tape, bool is_discarded)
{
    static struct sonde_guide author;
    const struct sonde_compared compared = {.place = 77, .by = -2, .a = 3, .b = 5, .bytes = 4};
    const struct sonde_observation seen = {.verdict = is_discarded ? SONDE_DISCARDED : SONDE_VALID,
                                           .assumes_passed = !is_discarded,
                                           .compared = &compared,
                                           .n_compared = 1};
    const struct sonde_run run = {.tape = tape, .observation = &seen, .author = &author};
    sonde_repair_learn(repair, &run, false);
}

/* Returns whether a location that discards ten cases is probed. */
static bool is_probed(bool goes_on_first)
{
    static struct sonde_repair repair;
    const sonde_property property = {.name = "property", .run = a_number};
    const struct sonde_options options = searches_options("random", 1, 1);
    struct sonde_search *s = searches_run(&property, &options);
    sonde_repair_init(&repair, 1, 0);
    show(&repair, &s->t->tape, true);
    if (goes_on_first) show(&repair, &s->t->tape, false);
    for (int i = 0; i < 9 && !sonde_repair_is_due(&repair); i++) show(&repair, &s->t->tape, true);
    bool is_due = sonde_repair_is_due(&repair);
    sonde_repair_clear(&repair);
    searches_free(s);
    return is_due;
}

static void an_order_is_not_repaired(void **state)
{
    (void)state;
    assert_true(is_probed(false));
    assert_false(is_probed(true)); /* a case continued with unequal sides */
}

/* ---- Searches */

/* Returns how many of a hundred cases are valid and new. */
static uint64_t valid_of(sonde_property_fn *run, const char *guide_options)
{
    enum { RUNS = 4000 };
    struct sonde_unique inputs;
    sonde_unique_init(&inputs);
    const sonde_property property = {.name = "property", .run = run, .context = &inputs};
    struct sonde_options options = searches_options("auto", 3, RUNS);
    options.memory =
        UINT64_C(64) << 20; /* as usual: the parents that fit into the 64 kB of the hostile build are too few */
    options.guide_options = guide_options;
    struct sonde_search *s = searches_run(&property, &options);
    bool estimated;
    uint64_t n = sonde_unique_count(&inputs, &estimated);
    assert_int_equal(s->n_found, 0);
    searches_free(s);
    sonde_unique_clear(&inputs);
    return n * 100 / RUNS;
}

static uint32_t fnv(const uint8_t *v, size_t n)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < n; i++) hash = (hash ^ v[i]) * 16777619u;
    return hash;
}

static uint64_t fnv64(const uint8_t *v, size_t n)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < n; i++) hash = (hash ^ v[i]) * UINT64_C(1099511628211);
    return hash;
}

/* A valid case; checks of it are a function of the bytes. */
static void count(sonde *t, const uint8_t *bytes, size_t n)
{
    sonde_unique_add(sonde_context(t), fnv64(bytes, n) * UINT64_C(0xd6e8feb86659fd93));
}

static void hash_of_numbers(sonde *t)
{
    uint8_t v[4];
    for (size_t i = 0; i < 4; i++) v[i] = (uint8_t)sonde_int(t, "byte", 0, UINT8_MAX);
    uint32_t check = sonde_u32(t, "check", 0, UINT32_MAX);
    sonde_assume_that(t, fnv(v, 4), ==, check);
    count(t, v, 4);
}

static void a_hash_of_drawn_numbers_is_repaired(void **state)
{
    (void)state;
    assert_in_range(valid_of(hash_of_numbers, NULL), 40, 100);
    assert_in_range(valid_of(hash_of_numbers, "repair=0"), 0, 5);
}

static void wide_hash(sonde *t)
{
    size_t n;
    uint64_t check = sonde_u64(t, "check", 0, UINT64_MAX);
    const uint8_t *v = sonde_bytes(t, "payload", 1, 32, &n);
    sonde_assume_that(t, check, ==, fnv64(v, n));
    count(t, v, n);
}

static void a_hash_of_64_bits_is_repaired(void **state)
{
    (void)state;
    assert_in_range(valid_of(wide_hash, NULL), 40, 100);
}

/* The hash is the last four bytes, high byte first. */
static void trailer(sonde *t)
{
    size_t n;
    const uint8_t *v = sonde_bytes(t, "packet", 5, 40, &n), *end = v + n - 4;
    uint32_t check = (uint32_t)end[0] << 24 | (uint32_t)end[1] << 16 | (uint32_t)end[2] << 8 | end[3];
    sonde_assume_that(t, fnv(v, n - 4), ==, check);
    count(t, v, n);
}

/* The hash is the first four bytes, low byte first. */
static void header(sonde *t)
{
    size_t n;
    const uint8_t *v = sonde_bytes(t, "packet", 5, 40, &n);
    uint32_t check = v[0] | (uint32_t)v[1] << 8 | (uint32_t)v[2] << 16 | (uint32_t)v[3] << 24;
    sonde_assume_that(t, fnv(v + 4, n - 4), ==, check);
    count(t, v, n);
}

static void bytes_of_a_string_are_repaired_from_either_end(void **state)
{
    (void)state;
    assert_in_range(valid_of(trailer, NULL), 40, 100);
    assert_in_range(valid_of(header, NULL), 40, 100);
}

static void remainder_alone(sonde *t)
{
    uint8_t v[12];
    unsigned sum = 0;
    for (size_t i = 0; i < 12; i++) v[i] = (uint8_t)sonde_int(t, "digit", 0, 9);
    for (size_t i = 0; i < 12; i++) sum += i % 2 ? v[i] : v[i] * 2u / 10 + v[i] * 2u % 10;
    sonde_assume_that(t, sum % 10, ==, 0);
    count(t, v, 12);
}

static void a_check_digit_is_repaired(void **state)
{
    (void)state;
    assert_in_range(valid_of(remainder_alone, NULL), 45, 100);
}

/* The hash is computed from the length, too: both must be repaired, in this order. */
static void length_and_hash(sonde *t)
{
    size_t n;
    uint8_t all[40];
    all[0] = (uint8_t)sonde_int(t, "length", 0, UINT8_MAX);
    const uint8_t *v = sonde_bytes(t, "payload", 0, 32, &n);
    uint32_t check = sonde_u32(t, "check", 0, UINT32_MAX);
    memcpy(all + 1, v, n);
    sonde_assume_that(t, all[0], ==, n);
    sonde_assume_that(t, fnv(all, n + 1), ==, check);
    count(t, all, n + 1);
}

static void checks_after_each_other_are_repaired_in_order(void **state)
{
    (void)state;
    assert_in_range(valid_of(length_and_hash, NULL), 30, 100);
}

/* Each record has a hash; one line compares all of them. */
static void records(sonde *t)
{
    uint8_t v[3];
    size_t n = 0;
    sonde_list list = sonde_list_of(t, "records", 2, 3);
    while (sonde_more(&list)) {
        v[n] = (uint8_t)sonde_int(t, "value", 0, UINT8_MAX);
        uint32_t check = sonde_u32(t, "check", 0, UINT32_MAX);
        sonde_assume_that(t, fnv(&v[n], 1), ==, check);
        n++;
    }
    count(t, v, n);
}

static void elements_of_a_list_are_repaired_one_by_one(void **state)
{
    (void)state;
    assert_in_range(valid_of(records, NULL), 25, 100);
}

/* Neither side is drawn. */
static void two_hashes(sonde *t)
{
    uint8_t a[4], b[4];
    for (size_t i = 0; i < 4; i++) a[i] = (uint8_t)sonde_int(t, "a", 0, UINT8_MAX);
    for (size_t i = 0; i < 4; i++) b[i] = (uint8_t)sonde_int(t, "b", 0, UINT8_MAX);
    sonde_assume_that(t, fnv(a, 4) & 0xff, ==, fnv(b, 4) & 0xfe);
    count(t, a, 4);
}

static void what_cannot_be_repaired_costs_little(void **state)
{
    (void)state;
    assert_in_range(valid_of(two_hashes, NULL), valid_of(two_hashes, "repair=0") * 3 / 4, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_number_that_stands_on_a_side_has_a_slope, set_up),
        cmocka_unit_test_setup(a_remainder_has_a_modulus, set_up),
        cmocka_unit_test_setup(a_number_of_another_kind_has_no_slope, set_up),
        cmocka_unit_test_setup(bytes_together_reach_a_word, set_up),
        cmocka_unit_test_setup(a_value_out_of_range_is_no_solution, set_up),
        cmocka_unit_test_setup(remainders_are_solved_for_either_sign, set_up),
        cmocka_unit_test(a_hash_of_drawn_numbers_is_repaired),
        cmocka_unit_test(a_hash_of_64_bits_is_repaired),
        cmocka_unit_test(bytes_of_a_string_are_repaired_from_either_end),
        cmocka_unit_test(a_check_digit_is_repaired),
        cmocka_unit_test(checks_after_each_other_are_repaired_in_order),
        cmocka_unit_test(elements_of_a_list_are_repaired_one_by_one),
        cmocka_unit_test(an_order_is_not_repaired),
        cmocka_unit_test(what_cannot_be_repaired_costs_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
