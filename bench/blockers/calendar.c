/* Dates. */
#include "blockers.h"

#include <sonde.h>

int calendar_zone = HELD(0, 60);

APART int day_of_year(int y, int m, int d)
{
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    int is_leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
    if (y < 1583) passed("calendar-julian");          /* blocked: range y */
    if (y > 9999) passed("calendar-five-digits");     /* blocked: range y */
    if (d == 31) passed("calendar-last");             /* blocked: assume common */
    if (m == 2) passed("calendar-february");          /* blocked: assume regular */
    if (calendar_zone >= 60) passed("calendar-zone"); /* blocked: constant */
    return before[m - 1] + d + (is_leap && m > 2);
}

SONDE_PROPERTY(calendar)
{
    int y = sonde_int(t, "y", HELD(1900, 1), HELD(2100, 20000));
    int m = sonde_int(t, "m", 1, 12), d = sonde_int(t, "d", 1, 31);
#ifndef UNBLOCKED
    sonde_assume(t, d <= 28); /* assume: common */
    sonde_assume(t, m != 2);  /* assume: regular */
#endif
    sonde_check(t, day_of_year(y, m, d) <= 366);
}
