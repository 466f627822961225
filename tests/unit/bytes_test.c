/* Numbers into bytes and back. */
#include "lib/mocka.h"

#include "base/bytes.h"

#include <math.h>

static void what_is_written_is_read(void **state)
{
    (void)state;
    struct sonde_bytes b = {0};
    sonde_bytes_add_u32(&b, UINT32_C(0x01020304));
    sonde_bytes_add_u64(&b, UINT64_MAX - 1);
    sonde_bytes_add_float(&b, -1.5f);
    sonde_bytes_add_double(&b, 1e300);
    sonde_bytes_add(&b, "abc", 3);
    assert_int_equal(b.data[0], 4); /* little-endian */
    struct sonde_reader r = sonde_reader(b.data, b.n);
    assert_int_equal(sonde_read_u32(&r), UINT32_C(0x01020304));
    assert_true(sonde_read_u64(&r) == UINT64_MAX - 1);
    assert_true(sonde_read_float(&r) == -1.5f);
    assert_true(sonde_read_double(&r) == 1e300);
    assert_memory_equal(sonde_read_bytes(&r, 3), "abc", 3);
    assert_true(!r.is_short && r.at == r.n);
    sonde_bytes_clear(&b);
}

static void a_reader_at_the_end_answers_zeros(void **state)
{
    (void)state;
    struct sonde_reader r = sonde_reader("\1\2\3\4\5", 5);
    assert_int_equal(sonde_read_u64(&r), 0);
    assert_int_equal(sonde_read_u32(&r), 0); /* though there would be enough for it */
    assert_null(sonde_read_bytes(&r, 1));
    assert_true(r.is_short);
}

static void what_is_not_finite_is_read_as_zero(void **state)
{
    (void)state;
    struct sonde_bytes b = {0};
    sonde_bytes_add_float(&b, NAN);
    sonde_bytes_add_double(&b, -INFINITY);
    struct sonde_reader r = sonde_reader(b.data, b.n);
    assert_true(sonde_read_float(&r) == 0);
    assert_true(sonde_read_double(&r) == 0);
    assert_true(!r.is_short && r.at == r.n);
    sonde_bytes_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_reader_at_the_end_answers_zeros),
        cmocka_unit_test(what_is_not_finite_is_read_as_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
