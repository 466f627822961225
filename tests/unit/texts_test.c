/* Strings that programs read: a separate judge accepts each as well-formed, the simplest is spelled out, and cases that
 * programs get wrong are among them. */
#include "lib/mocka.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <jansson.h>
#include <sonde.h>
#include <string.h>
#include <time.h>

/* The request of one test, and what it saw. */
struct look {
    char *(*draw)(sonde *t);
    bool (*is_right)(const char *text);
    const char *contains; /* some string must */
    unsigned n_seen, n_right, n_containing;
    char last[4096], wrong[4096];
};

static void looking(sonde *t)
{
    struct look *look = sonde_context(t);
    const char *text = look->draw(t);
    bool is_right = look->is_right(text);
    look->n_seen++;
    look->n_right += is_right;
    if (look->contains && strstr(text, look->contains)) look->n_containing++;
    snprintf(look->last, sizeof look->last, "%s", text);
    if (!is_right && !look->wrong[0]) snprintf(look->wrong, sizeof look->wrong, "%s", text);
}

static void run(struct look *look, const char *guide, uint64_t tests)
{
    sonde_config config = {.seed = 5, .tests = tests, .seconds = 1000, .guide = guide, .context = look, .quiet = true};
    assert_int_equal(sonde_run(looking, &config), SONDE_PASSED);
}

/* Simplest first: `simplest` is the string whose draws all take their simplest value. */
static void judge(char *(*draw)(sonde *t), bool (*is_right)(const char *text), const char *simplest,
                  const char *const *contained)
{
    struct look first = {.draw = draw, .is_right = is_right};
    run(&first, "simplest", 1);
    assert_string_equal(first.last, simplest);
    for (size_t i = 0; contained[i]; i++) {
        struct look look = {.draw = draw, .is_right = is_right, .contains = contained[i]};
        run(&look, i % 2 ? "random" : "uniform", 3000);
        if (look.wrong[0]) fail_msg("not well-formed: %s", look.wrong);
        if (!look.n_containing) fail_msg("none of %u has \"%s\"", look.n_seen, contained[i]);
    }
}

#define JUDGE(name, expression, is_right, simplest, ...)                                                               \
    static char *draw_##name(sonde *t)                                                                                 \
    {                                                                                                                  \
        return expression;                                                                                             \
    }                                                                                                                  \
    static void name##_is_well_formed(void **state)                                                                    \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        judge(draw_##name, is_right, simplest, (const char *const[]){__VA_ARGS__, NULL});                              \
    }

/* ---- The judges */

static bool is_ipv4(const char *text)
{
    struct in_addr address;
    return inet_pton(AF_INET, text, &address) == 1;
}

static bool is_ipv6(const char *text)
{
    struct in6_addr address;
    return inet_pton(AF_INET6, text, &address) == 1;
}

/* A date that mktime does not have to mend. */
static bool is_date(const char *text)
{
    struct tm tm = {0};
    int year, month, day, n = 0;
    if (sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &n) != 3 || n != 10 || text[10]) return false;
    tm = (struct tm){.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = 12};
    struct tm mended = tm;
    timegm(&mended);
    return mended.tm_year == tm.tm_year && mended.tm_mon == tm.tm_mon && mended.tm_mday == tm.tm_mday;
}

static const char *after_time(const char *text)
{
    int hour, minute, second, n = 0;
    if (sscanf(text, "%2d:%2d:%2d%n", &hour, &minute, &second, &n) != 3 || n != 8) return NULL;
    if (hour > 23 || minute > 59 || second > (hour == 23 && minute == 59 ? 60 : 59)) return NULL;
    text += n;
    if (*text != '.') return text;
    size_t digits = strspn(text + 1, "0123456789");
    return digits ? text + 1 + digits : NULL;
}

static bool is_time(const char *text)
{
    const char *rest = after_time(text);
    return rest && !*rest;
}

static bool is_datetime(const char *text)
{
    char date[11];
    snprintf(date, sizeof date, "%s", text);
    if (!is_date(date) || (text[10] != 'T' && text[10] != 't')) return false;
    const char *rest = after_time(text + 11);
    if (!rest) return false;
    int hours, minutes, n = 0;
    if (!strcmp(rest, "Z")) return true;
    if (*rest != '+' && *rest != '-') return false;
    return sscanf(rest + 1, "%2d:%2d%n", &hours, &minutes, &n) == 2 && n == 5 && !rest[6] && hours < 24 && minutes < 60;
}

static bool is_file_name(const char *text)
{
    size_t n = strlen(text);
    return n > 0 && n <= 255 && !strchr(text, '/') && strcmp(text, ".") != 0 && strcmp(text, "..") != 0;
}

static bool is_path(const char *text)
{
    return *text != '\0';
}

static bool is_uuid(const char *text)
{
    static const char shape[] = "xxxxxxxx-xxxx-vxxx-nxxx-xxxxxxxxxxxx";
    if (strlen(text) != sizeof shape - 1) return false;
    for (size_t i = 0; shape[i]; i++) {
        char c = (char)tolower((unsigned char)text[i]);
        if (shape[i] == '-' && c != '-') return false;
        if (shape[i] == 'x' && !isxdigit((unsigned char)c)) return false;
        if (shape[i] == 'v' && (c < '1' || c > '8')) return false;
        if (shape[i] == 'n' && !strchr("89ab", c)) return false;
    }
    return true;
}

/* Only characters of RFC 3986, escapes whole, one authority. */
static bool is_url(const char *text)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=%";
    if (!strstr(text, "://") || text[strspn(text, allowed)]) return false;
    for (const char *c = text; (c = strchr(c, '%')) != NULL; c++)
        if (!isxdigit((unsigned char)c[1]) || !isxdigit((unsigned char)c[2])) return false;
    const char *fragment = strchr(text, '#');
    return !fragment || !strchr(fragment + 1, '#');
}

/* One @ outside of quotes, something on both sides, no dot at an end or beside another. */
static bool is_email(const char *text)
{
    const char *at = strrchr(text, '@');
    if (!at || at == text || !at[1]) return false;
    bool is_quoted = text[0] == '"';
    for (const char *c = text; c < at && !is_quoted; c++)
        if (*c == '@' || (*c == '.' && (c == text || c + 1 == at || c[1] == '.'))) return false;
    if (is_quoted && at[-1] != '"') return false;
    return at[1] == '[' || (at[1] != '.' && !strstr(at, "..") && at[strlen(at) - 1] != '.' && !strstr(at, "-."));
}

/* Whole but for what jansson refuses of well-formed strings: escaped surrogates alone, \u0000, numbers that
 * overflow. */
static bool is_json(const char *text)
{
    json_error_t error;
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    json_decref(value);
    return value || strstr(error.text, "Unicode") || strstr(error.text, "overflow") || strstr(error.text, "too big")
           || strstr(error.text, "too small") || strstr(error.text, "NUL");
}

static bool is_utf8(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        size_t n = *c < 0x80                 ? 1
                   : *c >= 0xc2 && *c < 0xe0 ? 2
                   : *c >= 0xe0 && *c < 0xf0 ? 3
                   : *c >= 0xf0 && *c < 0xf5 ? 4
                                             : 0;
        if (!n) return false;
        for (size_t i = 1; i < n; i++)
            if ((c[i] & 0xc0) != 0x80) return false;
        if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf0 && c[1] < 0x90)
            || (c[0] == 0xf4 && c[1] > 0x8f))
            return false;
        c += n;
    }
    return true;
}

static bool is_anything(const char *text)
{
    return text != NULL;
}

/* ---- The tests */

JUDGE(ipv4, sonde_ipv4(t, "x"), is_ipv4, "0.0.0.0", "255", ".0")
JUDGE(ipv6, sonde_ipv6(t, "x"), is_ipv6, "::", "::", ".", "A", ":0")
JUDGE(date, sonde_date(t, "x"), is_date, "2000-01-01", "-02-29", "1900-", "-12-31", "2038")
JUDGE(time, sonde_time(t, "x"), is_time, "00:00:00", "23:59", ".", "59")
JUDGE(datetime, sonde_datetime(t, "x"), is_datetime, "2000-01-01T00:00:00Z", "t", "Z", "+", "-02-29T")
JUDGE(file_name, sonde_file_name(t, "x"), is_file_name, "a", " ", "\n", "\xc3\xa9", "..",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaa", "\\")
JUDGE(file_path, sonde_file_path(t, "x"), is_path, "a", "/../", "//", "/./", "../..")
JUDGE(url, sonde_url(t, "x"), is_url, "http://a", "?", "#", "@", "://[", "%", "ftp")
JUDGE(email, sonde_email(t, "x"), is_email, "a@a", "\"", "@[", "+", ".")
JUDGE(uuid, sonde_uuid(t, "x"), is_uuid, "00000000-0000-4000-8000-000000000000", "-1", "-7", "F")
JUDGE(json, sonde_json(t, "x", 4), is_json, "0", "{", "[]", "\\u", "e+", "null", "\t", "\\\"", ":[")
JUDGE(broken_utf8, sonde_utf8_broken(t, "x", 0, 10), is_anything, "", "\xed\xa0", "\xc0\x80", "\xf4\x90", "\xff", "z")

static void broken_utf8_is_broken_and_whole(void **state)
{
    (void)state;
    struct look look = {.draw = draw_broken_utf8, .is_right = is_utf8};
    run(&look, "uniform", 2000);
    assert_true(look.n_right > 200 && look.n_right < 1800);
}

/* ---- Numbers and names */

enum color { RED = 3, GREEN = 5, BLUE = -1 };

static void colors(sonde *t)
{
    enum color c = (enum color)sonde_enum(t, "color", RED, GREEN, BLUE);
    sonde_check(t, c == RED || c == GREEN || c == BLUE);
    sonde_check(t, c != GREEN);
}

static void constants_are_drawn_from_their_list(void **state)
{
    (void)state;
    sonde_result result;
    assert_int_equal(sonde_run(colors, &(sonde_config){.seed = 1, .quiet = true, .result = &result}), SONDE_FALSIFIED);
    assert_string_equal(result.token, "s1:color{constant=1} ?");
}

static void widths(sonde *t)
{
    uint8_t a = sonde_u8(t, "a", 3, UINT8_MAX);
    int8_t b = sonde_i8(t, "b", INT8_MIN, 5);
    uint16_t c = sonde_u16(t, "c", 7, UINT16_MAX);
    int16_t d = sonde_i16(t, "d", INT16_MIN, -9);
    uint32_t e = sonde_u32(t, "e", 11, UINT32_MAX);
    int32_t f = sonde_i32(t, "f", INT32_MIN, INT32_MAX);
    size_t g = sonde_size_t(t, "g", 13, SIZE_MAX);
    sonde_check(t, a >= 3 && b <= 5 && c >= 7 && d <= -9 && e >= 11 && g >= 13);
    sonde_classify(t, f < 0, "negative");
}

static void integers_of_every_width_keep_to_their_bounds(void **state)
{
    (void)state;
    assert_int_equal(sonde_run(widths, &(sonde_config){.seed = 1, .quiet = true}), SONDE_PASSED);
}

static void floats(sonde *t)
{
    float x = sonde_float(t, "x", -2.5f, 1e10f), y = sonde_any_float(t, "y");
    sonde_check(t, x >= -2.5f && x <= 1e10f);
    sonde_classify(t, y != y, "NaN");
    sonde_check(t, !(x > 0.1f && x < 0.3f));
}

static void a_float_is_printed_as_one(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        sonde_result result;
        sonde_config config = {.seed = seed, .quiet = true, .result = &result, .guide = "random"};
        assert_int_equal(sonde_run(floats, &config), SONDE_FALSIFIED);
        float x = strtof(strstr(result.token, "x=") + 2, NULL);
        assert_true(x == 0.25f);
    }
    assert_int_equal(sonde_replay(floats, "x=0.25 y=0.0"), SONDE_FALSIFIED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ipv4_is_well_formed),
        cmocka_unit_test(ipv6_is_well_formed),
        cmocka_unit_test(date_is_well_formed),
        cmocka_unit_test(time_is_well_formed),
        cmocka_unit_test(datetime_is_well_formed),
        cmocka_unit_test(file_name_is_well_formed),
        cmocka_unit_test(file_path_is_well_formed),
        cmocka_unit_test(url_is_well_formed),
        cmocka_unit_test(email_is_well_formed),
        cmocka_unit_test(uuid_is_well_formed),
        cmocka_unit_test(json_is_well_formed),
        cmocka_unit_test(broken_utf8_is_well_formed),
        cmocka_unit_test(broken_utf8_is_broken_and_whole),
        cmocka_unit_test(constants_are_drawn_from_their_list),
        cmocka_unit_test(integers_of_every_width_keep_to_their_bounds),
        cmocka_unit_test(a_float_is_printed_as_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
