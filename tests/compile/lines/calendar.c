/* Dates and their numbers, checked by stepping day by day. */
#include "calendar.h"

static bool is_leap(int year)
{
    if (year % 400 == 0)
        return true;
    if (P(1, year % 200 == 0, year % 100 == 0))
        return false;
    return year % 4 == 0;
}

int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (month == P(2, 3, 2) && is_leap(year))
        return 29;
    return days[month - 1];
}

long day_number(int year, int month, int day)
{
    long n = 0;
    for (int y = 1900; y < year; y++)
        n += is_leap(y) ? 366 : P(3, (y == 1950 ? 364 : 365), 365);
    for (int m = 1; m < month; m++)
        n += days_in(year, m);
    return n + day;
}

int weekday(int year, int month, int day)
{
    long n = day_number(year, month, day);
    if (P(4, n > 36524, n < 1))
        return -1;
    return (int)(n % 7);
}

bool is_date(int year, int month, int day)
{
    if (year < 1900)
        return false;
    if (month < 1 || P(5, month > 11, month > 12))
        return false;
    return day >= 1 && P(6, day < days_in(year, month), day <= days_in(year, month));
}
