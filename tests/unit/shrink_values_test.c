/* The minimal counterexamples of properties about strings and numbers, spelled out. */
#include "unit/shrinks_to.h"

#include <math.h>

/* ---- Strings */

static void two_characters(sonde *t)
{
    const char *s = sonde_string(t, "s", 0, 40);
    sonde_check(t, !strchr(s, 'q') || !strchr(s, 'F'));
}
SHRINKS(two_characters, "s=qF")

static void palindrome(sonde *t)
{
    const char *s = sonde_string(t, "s", 0, 40);
    for (size_t n = strlen(s), i = 0; i < n; i++) sonde_check(t, s[i] == s[n - 1 - i]);
}
SHRINKS(palindrome, "s=ab")

static void nested_brackets(sonde *t)
{
    const char *s = sonde_string_of(t, "s", "x()", 0, 30);
    int depth = 0, deepest = 0;
    for (; *s; s++) {
        depth += *s == '(' ? 1 : *s == ')' ? -1 : 0;
        if (depth > deepest) deepest = depth;
        sonde_assume(t, depth >= 0);
    }
    sonde_assume(t, depth == 0);
    sonde_check(t, deepest < 3);
}
SHRINKS(nested_brackets, "s=%28%28%28%29%29%29")

static void equal_bytes(sonde *t)
{
    size_t n;
    const uint8_t *b = sonde_bytes(t, "b", 0, 300, &n);
    for (size_t i = 0; i + 1 < n; i++) sonde_check(t, b[i] != b[i + 1] || b[i] < 5);
}
SHRINKS(equal_bytes, "b=0505")

static void length_prefix(sonde *t)
{
    size_t n;
    const uint8_t *b = sonde_bytes(t, "b", 0, 40, &n);
    sonde_check(t, n < 4 || b[0] != n - 1);
}
SHRINKS(length_prefix, "b=03000000")

static void equal_texts(sonde *t)
{
    const char *a = sonde_string_of(t, "a", "ab", 0, 6), *b = sonde_string_of(t, "b", "ab", 0, 6);
    sonde_check(t, strlen(a) < 3 || strcmp(a, b) != 0);
}
SHRINKS(equal_texts, "a=aaa b=aaa")

static void beyond_ascii(sonde *t)
{
    const char *s = sonde_utf8(t, "s", 0, 20);
    for (; *s; s++) sonde_check(t, (unsigned char)*s < 0xe0);
}
SHRINKS(beyond_ascii, "s=%e0%a0%80")

/* ---- Numbers */

static void sum_of_list(sonde *t)
{
    int sum = 0;
    sonde_list xs = sonde_list_of(t, "xs", 0, 50);
    while (sonde_more(&xs)) sum += sonde_int(t, "x", 0, 600);
    sonde_check(t, sum < 1000);
}
SHRINKS(sum_of_list, "xs[{x=400} {x=600}]")

static void square_of_double(sonde *t)
{
    double x = sonde_double(t, "x", -1e6, 1e6);
    sonde_check(t, x * x <= 2);
}
SHRINKS(square_of_double, "x=2")

static void fraction(sonde *t)
{
    double x = sonde_double(t, "x", -10, 10);
    sonde_check(t, x <= 3 || x >= 4);
}
SHRINKS(fraction, "x=3.5")

static void small_fraction(sonde *t)
{
    double x = sonde_double(t, "x", 0, 1);
    sonde_check(t, x <= 0.1 || x >= 0.2);
}
SHRINKS(small_fraction, "x=0.125")

static void absorbed(sonde *t)
{
    double x = sonde_any_double(t, "x");
    sonde_check(t, isnan(x) || isinf(x) || x + 1 != x);
}
SHRINKS(absorbed, "x=9007199254740992")

static void not_a_number(sonde *t)
{
    double x = sonde_any_double(t, "x");
    sonde_check(t, !isnan(x));
}
SHRINKS(not_a_number, "x=nan")

static void last_digit(sonde *t)
{
    int x = sonde_int(t, "x", 0, INT_MAX);
    sonde_check(t, x % 10 != 7 || x < 100);
}
SHRINKS(last_digit, "x=107")

static void even(sonde *t)
{
    int64_t x = sonde_i64(t, "x", INT64_MIN, INT64_MAX);
    sonde_check(t, x % 2 != 0 || x > -50);
}
SHRINKS(even, "x=-50")

static void triangle(sonde *t)
{
    int a = sonde_int(t, "a", 0, 1000), b = sonde_int(t, "b", 0, 1000), c = sonde_int(t, "c", 0, 1000);
    sonde_assume(t, a < b && b < c);
    sonde_check(t, c - a < 50);
}
SHRINKS(triangle, "a=0 b=1 c=50")

static void date(sonde *t)
{
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int y = sonde_int(t, "year", 1970, 2100), m = sonde_int(t, "month", 1, 12), d = sonde_int(t, "day", 1, 31);
    bool leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
    sonde_assume(t, d <= days[m - 1] - (m == 2 && !leap));
    sonde_check(t, m != 2 || d != 29);
}
SHRINKS(date, "year=1972 month=2 day=29")

static void end_before_start(sonde *t)
{
    int64_t a = sonde_i64(t, "start", 0, INT64_C(1) << 40), n = sonde_i64(t, "length", 0, INT64_C(1) << 40);
    sonde_check(t, a + n < (INT64_C(1) << 40) + 12345);
}
SHRINKS(end_before_start, "start=12345 length=1099511627776")

/* ---- More strings */

static void three_strings(sonde *t)
{
    const char *w[64];
    size_t n = 0, d = 0;
    sonde_list xs = sonde_list_of(t, "xs", 0, 20);
    while (sonde_more(&xs)) {
        w[n] = sonde_string(t, "w", 0, 10);
        bool is_new = true;
        for (size_t i = 0; i < n; i++) is_new &= strcmp(w[i], w[n]) != 0;
        d += is_new;
        n++;
    }
    sonde_check(t, d < 3);
}
SHRINKS(three_strings, "xs[{w=} {w=a} {w=b}]")

static void ten_chars(sonde *t)
{
    sonde_check(t, strlen(sonde_string(t, "s", 0, 100)) < 10);
}
SHRINKS(ten_chars, "s=aaaaaaaaaa")

static void upper_and_digit(sonde *t)
{
    const char *s = sonde_string(t, "s", 0, 30);
    bool u = false, d = false;
    for (; *s; s++) {
        u |= *s >= 'A' && *s <= 'Z';
        d |= *s >= '0' && *s <= '9';
    }
    sonde_check(t, !u || !d);
}
SHRINKS(upper_and_digit, "s=A0")

static void prefix(sonde *t)
{
    const char *a = sonde_string_of(t, "a", "ab", 0, 8), *b = sonde_string_of(t, "b", "ab", 0, 8);
    sonde_check(t, strlen(a) < 2 || strlen(b) <= strlen(a) || strncmp(a, b, strlen(a)) != 0);
}
SHRINKS(prefix, "a=aa b=aaa")

static void substring(sonde *t)
{
    const char *a = sonde_string_of(t, "a", "abc", 0, 30), *b = sonde_string_of(t, "b", "abc", 0, 4);
    sonde_check(t, strlen(b) < 2 || b[0] == b[1] || !strstr(a, b));
}
SHRINKS(substring, "a=ab b=ab")

/* ---- More numbers */

static void average(sonde *t)
{
    double s = 0;
    size_t n = 0;
    sonde_list xs = sonde_list_of(t, "xs", 0, 20);
    while (sonde_more(&xs)) s += sonde_double(t, "x", -100, 100), n++;
    sonde_check(t, n < 2 || s / (double)n < 10);
}
SHRINKS(average, "xs[{x=0} {x=20}]")

static void double_sum(sonde *t)
{
    double a = sonde_double(t, "a", 0, 100), b = sonde_double(t, "b", 0, 100);
    sonde_check(t, a + b < 150.25);
}
SHRINKS(double_sum, "a=51 b=100")

static void two_doubles(sonde *t)
{
    double a = sonde_double(t, "a", 0, 100), b = sonde_double(t, "b", 0, 100);
    sonde_check(t, !(a < b && b < a + 1));
}
SHRINKS(two_doubles, "a=0 b=0.5")

static void dependent(sonde *t)
{
    int hi = sonde_int(t, "hi", 10, 1000);
    int x = sonde_int(t, "x", 0, hi);
    sonde_check(t, x < hi - 5 || x < 50);
}
SHRINKS(dependent, "hi=50 x=50")

static void dependent2(sonde *t)
{
    int lo = sonde_int(t, "lo", 0, 1000);
    int x = sonde_int(t, "x", lo, lo + 1000);
    sonde_check(t, x - lo < 100 || lo < 5);
}
SHRINKS(dependent2, "lo=5 x=105")

static void many_fields(sonde *t)
{
    int v[12];
    char label[8];
    for (int i = 0; i < 12; i++) {
        snprintf(label, sizeof label, "f%d", i);
        v[i] = sonde_int(t, label, 0, 1000);
    }
    sonde_check(t, v[3] + v[8] < 1500);
}
SHRINKS(many_fields, "f0=0 f1=0 f2=0 f3=500 f4=0 f5=0 f6=0 f7=0 f8=1000 f9=0 f10=0 f11=0")

static void product(sonde *t)
{
    int a = sonde_int(t, "a", 0, 10000), b = sonde_int(t, "b", 0, 10000);
    sonde_check(t, (int64_t)a * b < 1000000);
}
SHRINKS(product, "a=100 b=10000")

/* Three numbers that go down together until the second may go no further; the other two can. */
static void equal_by_chance(sonde *t)
{
    int a = sonde_int(t, "a", 0, 7), v = sonde_int(t, "v", 0, 9), b = sonde_int(t, "b", 0, 7);
    sonde_check(t, a != b || v == 0 || (a != v && a != 0));
}
SHRINKS(equal_by_chance, "a=0 v=1 b=0")

/* ---- Flags, and a remainder above a threshold, in domains that do not end at a power of two */

static void two_flags(sonde *t)
{
    uint64_t x = sonde_u64(t, "x", 1, 10000);
    sonde_check(t, !(x & 8 && x & 2048));
}
SHRINKS(two_flags, "x=2056")

static void upper_half(sonde *t)
{
    int x = sonde_int(t, "x", 0, 20000);
    sonde_check(t, x % 64 < 32 || x < 575);
}
SHRINKS(upper_half, "x=608")

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_characters_shrinks),
        cmocka_unit_test(palindrome_shrinks),
        cmocka_unit_test(nested_brackets_shrinks),
        cmocka_unit_test(equal_bytes_shrinks),
        cmocka_unit_test(length_prefix_shrinks),
        cmocka_unit_test(equal_texts_shrinks),
        cmocka_unit_test(beyond_ascii_shrinks),
        cmocka_unit_test(sum_of_list_shrinks),
        cmocka_unit_test(square_of_double_shrinks),
        cmocka_unit_test(fraction_shrinks),
        cmocka_unit_test(small_fraction_shrinks),
        cmocka_unit_test(absorbed_shrinks),
        cmocka_unit_test(not_a_number_shrinks),
        cmocka_unit_test(last_digit_shrinks),
        cmocka_unit_test(even_shrinks),
        cmocka_unit_test(triangle_shrinks),
        cmocka_unit_test(date_shrinks),
        cmocka_unit_test(end_before_start_shrinks),
        cmocka_unit_test(three_strings_shrinks),
        cmocka_unit_test(ten_chars_shrinks),
        cmocka_unit_test(upper_and_digit_shrinks),
        cmocka_unit_test(prefix_shrinks),
        cmocka_unit_test(substring_shrinks),
        cmocka_unit_test(average_shrinks),
        cmocka_unit_test(double_sum_shrinks),
        cmocka_unit_test(two_doubles_shrinks),
        cmocka_unit_test(dependent_shrinks),
        cmocka_unit_test(dependent2_shrinks),
        cmocka_unit_test(many_fields_shrinks),
        cmocka_unit_test(product_shrinks),
        cmocka_unit_test(equal_by_chance_shrinks),
        cmocka_unit_test(two_flags_shrinks),
        cmocka_unit_test(upper_half_shrinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
