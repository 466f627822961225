/* 17: generators from types. Values of a configuration file are written and read back; and dates of the C library.
 *
 * Look for: no generator, printer or comparison is written by hand. SONDE_DERIVE makes all three from the struct. Four
 * annotations, which are empty for the compiler, add lengths, the member in use, and whether a pointer is a string.
 * `sonde cc` derives while it compiles. The counterexample has a path to the difference: `.as.text`. The second
 * property draws a type of a system header, annotated from outside. */
#define _GNU_SOURCE /* timegm */
#include <sonde.h>
#include <sonde/derive.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- The code under test. It has a bug. */

enum kind { NUMBER, TEXT, LIST };

struct value {
    enum kind kind;
    union {
        long number;
        char *text SONDE_TEXT(0, 20);
        struct {
            size_t n;
            struct value *items SONDE_COUNT(n, 0, 5);
        } list;
    } as SONDE_TAG(kind, NUMBER : number, TEXT : text, LIST : list);
};

static void write_value(FILE *out, const struct value *v)
{
    if (v->kind == NUMBER) fprintf(out, "%ld", v->as.number);
    if (v->kind == TEXT) {
        fputc('"', out);
        for (const char *c = v->as.text; *c; c++) fprintf(out, *c == '"' ? "\\%c" : "%c", *c); /* and a backslash? */
        fputc('"', out);
    }
    if (v->kind == LIST) {
        fputc('[', out);
        for (size_t i = 0; i < v->as.list.n; i++) write_value(out, &v->as.list.items[i]), fputc(' ', out);
        fputc(']', out);
    }
}

static void read_value(const char **at, struct value *v);

static void read_text(const char **at, struct value *v)
{
    char *to = v->as.text = malloc(strlen(*at) + 1);
    for (++*at; **at && **at != '"'; ++*at) *to++ = **at == '\\' && (*at)[1] ? *++*at : **at;
    *to = 0;
    if (**at) ++*at;
}

static void read_list(const char **at, struct value *v)
{
    for (++*at; **at && **at != ']'; *at += **at == ' ') {
        v->as.list.items = realloc(v->as.list.items, (v->as.list.n + 1) * sizeof *v);
        memset(&v->as.list.items[v->as.list.n], 0, sizeof *v);
        read_value(at, &v->as.list.items[v->as.list.n++]);
    }
    if (**at) ++*at;
}

static void read_value(const char **at, struct value *v)
{
    v->kind = **at == '"' ? TEXT : **at == '[' ? LIST : NUMBER;
    if (v->kind == NUMBER) {
        char *end;
        v->as.number = strtol(*at, &end, 10);
        *at = end > *at ? end : end + (*end != 0);
    } else if (v->kind == TEXT) read_text(at, v);
    else read_list(at, v);
}

static void free_value(void *what)
{
    struct value *v = what;
    for (size_t i = 0; v->kind == LIST && i < v->as.list.n; i++) free_value(&v->as.list.items[i]);
    if (v->kind == TEXT) free(v->as.text);
    if (v->kind == LIST) free(v->as.list.items);
}

static time_t seconds_of(const struct tm *tm) /* since 1970, in UTC; has a bug */
{
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    int year = tm->tm_year + 1900, years = tm->tm_mon < 2 ? year - 1 : year;
    long days = 365L * (year - 1970) + years / 4 - 492 + before[tm->tm_mon] + tm->tm_mday - 1; /* every fourth year? */
    return ((days * 24 + tm->tm_hour) * 60 + tm->tm_min) * 60 + tm->tm_sec;
}

/* ---- The properties, and all that they need. */

SONDE_DERIVE(struct value, value);

SONDE_PROPERTY(values_survive_being_written)
{
    static char text[1 << 16];
    struct value *v = draw_value(t, "v"), *back = sonde_new(t, struct value);
    FILE *out = fmemopen(text, sizeof text, "w");
    write_value(out, v);
    fclose(out);
    const char *at = text;
    sonde_defer(t, free_value, back);
    read_value(&at, back);
    sonde_check_same(t, value, back, v);
}

SONDE_ABOUT(struct tm, tm_year, SONDE_RANGE(70, 300));
SONDE_ABOUT(struct tm, tm_mon, SONDE_RANGE(0, 11));
SONDE_ABOUT(struct tm, tm_mday, SONDE_RANGE(1, 28));
SONDE_ABOUT(struct tm, tm_hour, SONDE_RANGE(0, 23));
SONDE_ABOUT(struct tm, tm_min, SONDE_RANGE(0, 59));
SONDE_ABOUT(struct tm, tm_sec, SONDE_RANGE(0, 59));
SONDE_ABOUT(struct tm, tm_wday, SONDE_IS(0));
SONDE_ABOUT(struct tm, tm_yday, SONDE_IS(0));
SONDE_ABOUT(struct tm, tm_isdst, SONDE_IS(0));
SONDE_ABOUT(struct tm, tm_gmtoff, SONDE_IS(0));
SONDE_ABOUT(struct tm, tm_zone, SONDE_IS(NULL));
SONDE_DERIVE(struct tm, date);

SONDE_PROPERTY(seconds_are_those_of_the_c_library)
{
    struct tm *date = draw_date(t, "date"), copy = *date; /* timegm writes to it */
    sonde_check_eq(t, seconds_of(date), timegm(&copy));
}

SONDE_MAIN()
