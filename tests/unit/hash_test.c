/* Hashes are written to disk as ids of labels: their values may not change, and bytes must count wherever they are. */
#include "lib/mocka.h"

#include "base/hash.h"

#include <string.h>

static void the_values_are_those_of_format_one(void **state)
{
    (void)state;
    assert_int_equal(sonde_mix(1), UINT64_C(0x4179b061e0c0e0d0));
    assert_int_equal(sonde_hash_add(1, 2), UINT64_C(0xdaa66d2aa8ec1d5c));
    assert_int_equal(sonde_hash_text(0, ""), UINT64_C(0));
    assert_int_equal(sonde_hash_text(0, "x"), UINT64_C(0xdfb3c59ce786acbf));
    assert_int_equal(sonde_hash_text(0, "a label of twenty-six bytes"), UINT64_C(0x75a09404e38b915e));
    assert_int_equal(sonde_fold32(sonde_hash_text(0, "value")), 0x596fe737);
}

static void text_and_bytes_agree(void **state)
{
    (void)state;
    assert_int_equal(sonde_hash_text(7, "hello, world"), sonde_hash_bytes(7, "hello, world", 12));
}

static void every_byte_counts(void **state)
{
    (void)state;
    unsigned char data[40] = {0};
    uint64_t plain = sonde_hash_bytes(0, data, sizeof data);
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = 1;
        assert_int_not_equal(sonde_hash_bytes(0, data, sizeof data), plain);
        data[i] = 0;
    }
}

static void the_length_counts(void **state)
{
    (void)state;
    const unsigned char zeros[32] = {0};
    for (size_t n = 1; n <= sizeof zeros; n++)
        assert_int_not_equal(sonde_hash_bytes(0, zeros, n), sonde_hash_bytes(0, zeros, n - 1));
}

static void the_order_counts(void **state)
{
    (void)state;
    assert_int_not_equal(sonde_hash_add(sonde_hash_add(0, 1), 2), sonde_hash_add(sonde_hash_add(0, 2), 1));
    assert_int_not_equal(sonde_hash_text(0, "ab"), sonde_hash_text(0, "ba"));
}

static void alignment_does_not_count(void **state)
{
    (void)state;
    char buffer[64];
    for (size_t at = 0; at < 16; at++) {
        memcpy(buffer + at, "the same nineteen by", 20);
        assert_int_equal(sonde_hash_bytes(3, buffer + at, 20), sonde_hash_bytes(3, "the same nineteen by", 20));
    }
}

static void mixing_spreads_one_bit_over_all(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        int flipped = 0;
        for (uint64_t x = 1; x <= 64; x++) {
            uint64_t seed = x * UINT64_C(0x9e3779b97f4a7c15);
            flipped += __builtin_popcountll(sonde_mix(seed) ^ sonde_mix(seed ^ (UINT64_C(1) << bit)));
        }
        assert_in_range(flipped, 64 * 24, 64 * 40); /* 32 on average */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_values_are_those_of_format_one),
        cmocka_unit_test(text_and_bytes_agree),
        cmocka_unit_test(every_byte_counts),
        cmocka_unit_test(the_length_counts),
        cmocka_unit_test(the_order_counts),
        cmocka_unit_test(alignment_does_not_count),
        cmocka_unit_test(mixing_spreads_one_bit_over_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
