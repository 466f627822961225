/* Dates and times as strings: ISO 8601 in the form of RFC 3339. Ends of months and years, leap days and leap seconds
 * are drawn more often than they occur in a calendar.
 *
 * Every generator of this directory uses only the public draws (sonde.h, `text.h`). So its value is a function of the
 * tape, shrinks by the tape's order and needs no code in guide or shrink. In each generator, the first alternative, the
 * value 0 and "no" give the form that a person would write first. */
#include "gen/text.h"

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    _Static_assert(sizeof days / sizeof *days == 12, "every month");
    bool leaps = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leaps);
}

/* Writes a date. Years count from 2000, so that 2000 is the simplest year. */
static void put_date(struct sonde_gen_text *text)
{
    /* In order: leap by the rule of 400, not leap by the rule of 100, the epoch, the last year before 2000. Then an
     * ordinary leap year, the end of 32-bit time, the next exception by the rule of 100, and a recent leap year. */
    static const int notable[] = {2000, 1900, 1970, 1999, 2004, 2038, 2100, 2024};
    sonde *t = text->t;
    int year =
        sonde_chance(t, "any_year", 0.6) ? 2000 + sonde_int(t, "years", -100, 199) : sonde_element(t, "year", notable);
    int month = sonde_int(t, "month", 1, 12), last = days_in(year, month);
    int day = sonde_chance(t, "last_day", 0.15) ? last : sonde_int(t, "day", 1, last);
    sonde_gen_print(text, "%04d-%02d-%02d", year, month, day);
}

static void put_time(struct sonde_gen_text *text)
{
    sonde *t = text->t;
    int hour = sonde_int(t, "hour", 0, 23), minute = sonde_int(t, "minute", 0, 59);
    /* A leap second is inserted at the end of a day only. RFC 3339, section 5.7 allows :60 there. */
    int second = sonde_int(t, "second", 0, hour == 23 && minute == 59 ? 60 : 59);
    sonde_gen_print(text, "%02d:%02d:%02d", hour, minute, second);
    if (!sonde_chance(t, "has_fraction", 0.2)) return;
    sonde_gen_put(text, ".", 1);
    /* Up to 12 digits are more than nanoseconds have; parsers that scale by a table get these wrong. */
    sonde_list digits = sonde_list_of(t, "fraction", 1, 12);
    while (sonde_more(&digits)) sonde_gen_print(text, "%d", sonde_int(t, "digit", 0, 9));
}

char *sonde_date(sonde *t, const char *label)
{
    struct sonde_gen_text text;
    sonde_gen_begin(&text, t, label);
    put_date(&text);
    return sonde_gen_end(&text);
}

char *sonde_time(sonde *t, const char *label)
{
    struct sonde_gen_text text;
    sonde_gen_begin(&text, t, label);
    put_time(&text);
    return sonde_gen_end(&text);
}

char *sonde_datetime(sonde *t, const char *label)
{
    struct sonde_gen_text text;
    sonde_gen_begin(&text, t, label);
    put_date(&text);
    sonde_gen_put(&text, sonde_chance(t, "lower_case", 0.05) ? "t" : "T", 1);
    put_time(&text);
    if (!sonde_chance(t, "has_offset", 0.4)) {
        sonde_gen_put(&text, "Z", 1);
    } else {
        const char *sign = sonde_bool(t, "is_west") ? "-" : "+";
        /* RFC 3339 limits offsets to 23:59; real offsets end at 14:00. */
        int hours = sonde_int(t, "offset_hours", 0, 23), minutes = sonde_int(t, "offset_minutes", 0, 59);
        sonde_gen_print(&text, "%s%02d:%02d", sign, hours, minutes);
    }
    return sonde_gen_end(&text);
}
