/* sonde_check_eq: compare two values, and print both on failure.
 * Also: sonde_check_ne sonde_check_lt sonde_check_le sonde_check_gt sonde_check_ge sonde_check_mem_eq sonde_check_near
 * See also: sonde_check sonde_show */
#include <sonde.h>
#include <string.h>

static void printing_and_reading_agree(sonde *t)
{
    int x = sonde_int(t, "x", INT_MIN, INT_MAX), back = 0;
    char digits[16];
    int n = snprintf(digits, sizeof digits, "%d", x);
    sonde_check_gt(t, n, 0);
    sonde_check_eq(t, sscanf(digits, "%d", &back), 1);
    sonde_check_eq(t, back, x);

    char copy[16];
    memcpy(copy, digits, sizeof digits);
    sonde_check_eq(t, copy, digits); /* as strings */
    sonde_check_mem_eq(t, copy, digits, sizeof digits);
}

SONDE_MAIN(printing_and_reading_agree)
