/* sonde_int: draw an integer.
 * Also: sonde_i64 sonde_u64 sonde_u8 sonde_u16 sonde_u32 sonde_size_t sonde_i8 sonde_i16 sonde_i32
 * See also: sonde_bool sonde_double sonde_pick sonde_check_eq */
#include <sonde.h>

static void shifting_back_is_the_same(sonde *t)
{
    uint32_t x = sonde_u32(t, "x", 0, UINT32_MAX);
    int by = sonde_int(t, "by", 0, 31);
    sonde_check_eq(t, (uint64_t)x << by >> by, x);
}

SONDE_MAIN(shifting_back_is_the_same)
