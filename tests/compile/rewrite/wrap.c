/* Unsigned wrap, mixed signs, all widths, the ends of their ranges. */
#include <sonde.h>

#include <stddef.h>

static void wrap(sonde *t)
{
    int8_t a = (int8_t)sonde_int(t, "a", INT8_MIN, INT8_MAX);
    uint8_t b = (uint8_t)sonde_int(t, "b", 0, UINT8_MAX);
    int16_t c = (int16_t)sonde_int(t, "c", INT16_MIN, INT16_MAX);
    uint32_t d = (uint32_t)sonde_i64(t, "d", 0, UINT32_MAX);
    int64_t e = sonde_i64(t, "e", INT64_MIN, INT64_MAX);
    uint64_t f = sonde_u64(t, "f", 0, UINT64_MAX);
    size_t n = (size_t)sonde_int(t, "n", 0, 9);
    sonde_assume(t, n - 5 < 100 || n == 0);
    sonde_assume(t, a - b < 100 && (uint8_t)(a - b) > 3);
    sonde_assume(t, d - 1u >= 5 && d + 5 > 4);
    sonde_assume(t, (int)d != INT_MIN && e != INT64_MIN);
    sonde_assume(t, c < d || a < 0);
    sonde_assume(t, e < (int64_t)d || e > -5 || f > (uint64_t)e);
    sonde_assume(t, f - 10 < f && ~f != 3);
    sonde_assume(t, -1 > 0u && -1 < 0L && sizeof(int) > -1 == 0);
    sonde_check(t, (a & 0x7f) != 99);
}

SONDE_MAIN(wrap)
