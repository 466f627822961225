/* Properties as targets of byte-level fuzzers. */
#include "lib/mocka.h"

#include "base/mem.h"
#include "tape/codec.h"

#include <string.h>
#include <unistd.h>

static struct {
    uint64_t values[64];
    size_t n;
    unsigned runs;
} drawn;

static void draw(uint64_t value)
{
    if (drawn.n < 64) drawn.values[drawn.n++] = value;
}

static void numbers(sonde *t)
{
    drawn.n = 0;
    drawn.runs++;
    draw((uint64_t)sonde_int(t, "small", 0, 9));
    draw(sonde_u64(t, "wide", 0, 65535));
    draw(sonde_u64(t, "any", 0, UINT64_MAX));
    sonde_list xs = sonde_list_of(t, "xs", 0, 8);
    while (sonde_more(&xs)) draw((uint64_t)sonde_int(t, "x", 0, 1000));
    draw(sonde_chance(t, "never", 0));
    draw(sonde_chance(t, "always", 1));
    sonde_check(t, drawn.values[0] != 7);
}

static const sonde_property property = {.name = "numbers", .run = numbers};

static void each_draw_takes_the_bytes_that_its_bound_needs(void **state)
{
    (void)state;
    static const uint8_t input[] = {3, 0x34, 0x12, 1, 2, 3, 4, 5, 6, 7, 8, 2, 5, 0, 6, 0, 255, 0};
    struct sonde_fuzz *f = sonde_fuzz_create(&property);
    assert_int_equal(sonde_fuzz_run(f, input, sizeof input), SONDE_VALID);
    assert_int_equal(drawn.n, 7);
    assert_int_equal(drawn.values[0], 3);
    assert_int_equal(drawn.values[1], 0x1234);
    assert_true(drawn.values[2] == UINT64_C(0x0807060504030201));
    assert_int_equal(drawn.values[3], 5);
    assert_int_equal(drawn.values[4], 6);
    sonde_fuzz_free(f);
}

static void what_is_missing_is_simplest_and_certain_chances_stay_certain(void **state)
{
    (void)state;
    struct sonde_fuzz *f = sonde_fuzz_create(&property);
    assert_int_equal(sonde_fuzz_run(f, (const uint8_t *)"", 0), SONDE_VALID);
    assert_int_equal(drawn.n, 5);
    for (int i = 0; i < 4; i++) assert_int_equal(drawn.values[i], 0);
    assert_int_equal(drawn.values[4], 1);
    sonde_fuzz_free(f);
}

static void a_claim_that_breaks_is_a_failure(void **state)
{
    (void)state;
    struct sonde_fuzz *f = sonde_fuzz_create(&property);
    assert_int_equal(sonde_fuzz_run(f, (const uint8_t *)"\7", 1), SONDE_FAILED);
    assert_int_equal(sonde_fuzz_run(f, (const uint8_t *)"\6", 1), SONDE_VALID);
    sonde_fuzz_free(f);
}

static void compares(sonde *t)
{
    int x = sonde_int(t, "x", 0, 9);
    sonde_check_eq(t, x + 1, 5);
}

static const sonde_property comparison = {.name = "comparison", .run = compares};

/* Fills `text` with the output on standard error when an input is run. */
static void printed_for(const sonde_property *p, const char *input, char *text, size_t size)
{
    FILE *file = tmpfile();
    int before = dup(STDERR_FILENO);
    assert_true(file && before >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    struct sonde_fuzz *f = sonde_fuzz_create(p);
    enum sonde_verdict verdict = sonde_fuzz_run(f, (const uint8_t *)input, strlen(input));
    sonde_fuzz_free(f);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    assert_int_equal(verdict, SONDE_FAILED);
}

static void the_claim_that_broke_is_printed_with_its_place(void **state)
{
    (void)state;
    char text[2048];
    printed_for(&property, "\7", text, sizeof text);
    assert_non_null(strstr(text, "sonde: numbers: falsified: "));
    assert_non_null(strstr(text, "fuzz_test.c:"));
    assert_non_null(strstr(text, ": drawn.values[0] != 7 does not hold\n"));
    printed_for(&comparison, "\7", text, sizeof text);
    assert_non_null(strstr(text, ": x + 1 == 5 does not hold: got 8, want 5\n"));
    assert_non_null(strstr(text, "--replay 's1:x=7 ?'"));
}

/* From raw bytes over many generations: mutants are tapes, fit, and mean the same whenever they run. */
static void mutants_are_tapes_that_mean_the_same_twice(void **state)
{
    (void)state;
    struct sonde_fuzz *f = sonde_fuzz_create(&property);
    uint8_t data[600] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 6, 1, 0, 2, 0, 3, 0, 4, 0};
    size_t n = 20, different = 0;
    sonde_fuzz_run(f, data, n);
    for (uint64_t seed = 0; seed < 500; seed++) {
        uint8_t before[600];
        memcpy(before, data, n);
        size_t size = sonde_fuzz_mutate(f, data, n, sizeof data, seed);
        assert_in_range(size, 6, sizeof data);
        assert_memory_equal(data, "sond", 4);
        different += size != n || memcmp(before, data, n) != 0;
        n = size;
        sonde_fuzz_run(f, data, n);
        size_t n_first = drawn.n;
        uint64_t first[64];
        memcpy(first, drawn.values, sizeof first);
        sonde_fuzz_run(f, data, n);
        assert_int_equal(drawn.n, n_first);
        assert_memory_equal(drawn.values, first, n_first * sizeof *first);
    }
    assert_in_range(different, 490, 500);
    sonde_fuzz_free(f);
}

static void a_mutant_that_has_no_room_is_none(void **state)
{
    (void)state;
    struct sonde_fuzz *f = sonde_fuzz_create(&property);
    uint8_t data[8] = {1, 2, 3};
    sonde_fuzz_run(f, data, 3);
    assert_int_equal(sonde_fuzz_mutate(f, data, 3, sizeof data, 1), 0);
    assert_int_equal(data[2], 3);
    sonde_fuzz_free(f);
}

static void crossing_takes_a_span_of_the_other(void **state)
{
    (void)state;
    struct sonde_fuzz *f = sonde_fuzz_create(&property);
    static const uint8_t a[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 5, 0, 6, 0};
    static const uint8_t b[] = {9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 77, 0, 78, 0};
    uint8_t out[600];
    sonde_fuzz_run(f, a, sizeof a);
    sonde_fuzz_run(f, b, sizeof b);
    size_t n = sonde_fuzz_cross(f, a, sizeof a, b, sizeof b, out, sizeof out, 1);
    assert_true(n > 0);
    assert_int_equal(sonde_fuzz_run(f, out, n), SONDE_VALID);
    bool has_other = false;
    for (size_t i = 3; i < drawn.n; i++) has_other = has_other || drawn.values[i] == 77 || drawn.values[i] == 78;
    assert_true(has_other);
    assert_int_equal(drawn.values[0], 0);
    sonde_fuzz_free(f);
}

/* The fuzzer would count neither such a run nor what it reached, or take it for its next input's. */
static void mutating_and_crossing_run_nothing(void **state)
{
    (void)state;
    struct sonde_fuzz *f = sonde_fuzz_create(&property);
    uint8_t tape[600] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 6, 1, 0, 2, 0, 3, 0, 4, 0}, out[600],
            unknown[600] = {9, 8, 7};
    sonde_fuzz_run(f, tape, 20);
    size_t n = sonde_fuzz_mutate(f, tape, 20, sizeof tape, 1); /* made of what ran; has not run itself */
    drawn.runs = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        uint8_t copy[600];
        memcpy(copy, tape, n);
        assert_true(sonde_fuzz_mutate(f, copy, n, sizeof copy, seed) > 0);
        assert_int_equal(sonde_fuzz_mutate(f, unknown, 3, sizeof unknown, seed), 0);
        sonde_fuzz_cross(f, tape, n, copy, n, out, sizeof out, seed);
        sonde_fuzz_cross(f, unknown, 3, tape, n, out, sizeof out, seed);
    }
    assert_int_equal(drawn.runs, 0);
    sonde_fuzz_free(f);
}

/* However many ran since, and however little memory there is for what they meant. */
static void what_ran_last_is_known_by_its_structure(void **state)
{
    (void)state;
    struct sonde_fuzz *f = sonde_fuzz_create(&property);
    for (unsigned i = 0; i < 40000; i++) {
        uint8_t data[600] = {(uint8_t)(i % 7), (uint8_t)i, (uint8_t)(i >> 8), 1, 0, 0, 0, 0, 0, 0, 0, 8, 1, 0};
        sonde_fuzz_run(f, data, 14);
        if (i % 1000 == 0) assert_true(sonde_fuzz_mutate(f, data, 14, sizeof data, i) > 0);
    }
    sonde_fuzz_free(f);
}

/* As inside of AFL++: no property, tapes only. */
static void without_a_property_tapes_are_mutated_and_bytes_are_not(void **state)
{
    (void)state;
    struct sonde_fuzz *with = sonde_fuzz_create(&property), *f = sonde_fuzz_create(NULL);
    uint8_t data[600] = {1, 2, 3};
    assert_int_equal(sonde_fuzz_mutate(f, data, 3, sizeof data, 1), 0);
    sonde_fuzz_run(with, data, 3);
    size_t n = sonde_fuzz_mutate(with, data, 3, sizeof data, 1), mutated = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        size_t size = sonde_fuzz_mutate(f, data, n, sizeof data, seed);
        mutated += size != 0;
        if (size) n = size;
        assert_memory_equal(data, "sond", 4);
        sonde_fuzz_run(with, data, n);
    }
    assert_in_range(mutated, 50, 100);
    sonde_fuzz_free(f);
    sonde_fuzz_free(with);
}

static void any_bytes_run(void **state)
{
    (void)state;
    struct sonde_fuzz *f = sonde_fuzz_create(&property);
    struct sonde_rng rng;
    uint8_t data[200];
    sonde_rng_seed(&rng, 1, 2);
    for (int i = 0; i < 2000; i++) {
        size_t n = (size_t)sonde_rng_upto(&rng, sizeof data);
        for (size_t k = 0; k < n; k++) data[k] = (uint8_t)sonde_rng_next(&rng);
        if (i % 2 && n > 5) memcpy(data, "sond\1", 5);
        if (sonde_fuzz_run(f, data, n) == SONDE_VALID) assert_int_not_equal(drawn.values[0], 7);
        size_t size = sonde_fuzz_mutate(f, data, n, sizeof data, (uint64_t)i);
        assert_in_range(size, 0, sizeof data);
    }
    sonde_fuzz_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_draw_takes_the_bytes_that_its_bound_needs),
        cmocka_unit_test(what_is_missing_is_simplest_and_certain_chances_stay_certain),
        cmocka_unit_test(a_claim_that_breaks_is_a_failure),
        cmocka_unit_test(the_claim_that_broke_is_printed_with_its_place),
        cmocka_unit_test(mutants_are_tapes_that_mean_the_same_twice),
        cmocka_unit_test(a_mutant_that_has_no_room_is_none),
        cmocka_unit_test(crossing_takes_a_span_of_the_other),
        cmocka_unit_test(mutating_and_crossing_run_nothing),
        cmocka_unit_test(what_ran_last_is_known_by_its_structure),
        cmocka_unit_test(without_a_property_tapes_are_mutated_and_bytes_are_not),
        cmocka_unit_test(any_bytes_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
