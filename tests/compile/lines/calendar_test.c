#include "calendar.h"

#include <time.h>

/* The C library's calendar. */
static void like_timegm(sonde *t)
{
    int year = (int)sonde_int(t, "year", 1890, 2105), month = (int)sonde_int(t, "month", 0, 13);
    int day = (int)sonde_int(t, "day", 0, 32);
    struct tm tm = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = 12}, copy = tm;
    long seconds = (long)timegm(&copy);
    bool same = copy.tm_year == tm.tm_year && copy.tm_mon == tm.tm_mon && copy.tm_mday == tm.tm_mday;
    bool exists = year >= 1900 && same;
    sonde_check(t, is_date(year, month, day) == exists);
    if (!exists) return;
    long since_1900 = (seconds + 2208988800L) / 86400 + 1;
    sonde_check(t, day_number(year, month, day) == since_1900);
    sonde_check(t, weekday(year, month, day) == since_1900 % 7);
}
SONDE_MAIN(like_timegm)
