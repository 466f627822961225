/* The emitter of JSON (base/json.h): commas, escapes and numbers, read back by a JSON library. */
#include "lib/mocka.h"

#include "base/json.h"

#include <float.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct sonde_json_out to;
static char *text;
static size_t size;

static int begin(void **state)
{
    (void)state;
    to = (struct sonde_json_out){.out = open_memstream(&text, &size)};
    return to.out ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    fclose(to.out);
    free(text);
    return 0;
}

static const char *written(void)
{
    fflush(to.out);
    return text;
}

static void commas_stand_between_values_only(void **state)
{
    (void)state;
    const char *none = getenv("SONDE_NO_SUCH_VARIABLE");
    sonde_json_put(&to, "{a: [");
    sonde_json_put(&to, "], b: {}, c: [");
    for (int i = 0; i < 3; i++) sonde_json_put(&to, "%d", i);
    sonde_json_put(&to, "[] {x: null} true");
    sonde_json_put(&to, "] d: ");
    sonde_json_put(&to, "%s}", none);
    assert_string_equal(written(), "{\"a\": [], \"b\": {}, \"c\": [0, 1, 2, [], {\"x\": null}, true], \"d\": null}");
}

static void outermost_values_may_be_separated_otherwise(void **state)
{
    (void)state;
    to.between = "\n  ";
    sonde_json_put(&to, "a: 1, b: [2, 3], c: {d: 4, e: 5}");
    assert_string_equal(written(), "\"a\": 1\n  \"b\": [2, 3]\n  \"c\": {\"d\": 4, \"e\": 5}");
}

static void a_string_before_a_colon_is_a_name(void **state)
{
    (void)state;
    sonde_json_put(&to, "{%s: %d, %.*s: %s}", "a\"b", 1, 2, "cut", "x");
    assert_string_equal(written(), "{\"a\\\"b\": 1, \"cu\": \"x\"}");
}

static void each_type_has_its_limits(void **state)
{
    (void)state;
    bool yes = true, no = false;
    sonde_json_put(&to, "[%d, %u, %" PRId64 ", %" PRIu64 ", %zu, %lld, %hhd, %hhd]", -1, UINT32_MAX, INT64_MIN,
                   UINT64_MAX, SIZE_MAX, -2LL, yes, no);
    assert_string_equal(written(), "[-1, 4294967295, -9223372036854775808, 18446744073709551615, 18446744073709551615, "
                                   "-2, true, false]");
}

static void doubles_keep_all_digits_or_as_many_as_wanted(void **state)
{
    (void)state;
    sonde_json_put(&to, "[%g, %g, %g, %g, %g]", 0.1, 1.0 / 3, -0.0, DBL_MAX, 5e-324);
    sonde_json_put(&to, "[%.3f, %.0f, %.6g, %.1f]", 1234.5678, 2.5, 1e-7 / 3, 0.0);
    assert_string_equal(written(), "[0.1, 0.3333333333333333, -0, 1.7976931348623157e+308, 4.94065645841247e-324], "
                                   "[1234.568, 2, 3.33333e-08, 0.0]");
}

static void what_is_not_finite_is_a_string_or_null(void **state)
{
    (void)state;
    sonde_json_put(&to, "[%g, %g, %g, %.3f, %.6g]", INFINITY, -INFINITY, NAN, (double)INFINITY, (double)NAN);
    assert_string_equal(written(), "[\"inf\", \"-inf\", \"nan\", null, null]");
}

/* Each byte, alone and with the next one, in a value and in a name. */
static void any_bytes_make_a_string(void **state)
{
    (void)state;
    sonde_json_put(&to, "[");
    for (int c = 1; c < 256; c++) {
        char bytes[] = {(char)c, (char)(c == 255 ? 1 : c + 1), 0};
        sonde_json_put(&to, "{%s: %s}", bytes, bytes);
        sonde_json_string(&to, bytes, 1);
    }
    sonde_json_string(&to, "a\0b", 3);
    sonde_json_put(&to, "]");
    json_error_t error;
    json_t *json = json_loads(written(), JSON_ALLOW_NUL, &error);
    if (!json) fail_msg("%s at %d", error.text, error.position);
    assert_int_equal(json_array_size(json), 2 * 255 + 1);
    assert_string_equal(json_string_value(json_array_get(json, 2 * ('"' - 1) + 1)), "\"");
    assert_string_equal(json_string_value(json_array_get(json, 2 * (0xe9 - 1) + 1)), "\xef\xbf\xbd");
    assert_int_equal(json_string_length(json_array_get(json, 2 * 255)), 3);
    json_decref(json);
}

static void utf8_stays_and_what_deceives_is_escaped(void **state)
{
    (void)state;
    sonde_json_put(&to, "%s", "caf\xc3\xa9 \xf0\x9f\x98\x80 \xe2\x80\xae\x1b\n\t\x7f");
    assert_string_equal(written(), "\"caf\xc3\xa9 \xf0\x9f\x98\x80 \\u202e\\u001b\\n\\t\\u007f\"");
}

static void raw_json_is_one_more_value(void **state)
{
    (void)state;
    sonde_json_put(&to, "{a: [");
    sonde_json_raw(&to, "");
    sonde_json_raw(&to, "1, 2");
    sonde_json_put(&to, "3], b:");
    sonde_json_raw(&to, "{\"c\": 4}");
    sonde_json_put(&to, "d: 5}");
    assert_string_equal(written(), "{\"a\": [1, 2, 3], \"b\": {\"c\": 4}, \"d\": 5}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(commas_stand_between_values_only, begin, end),
        cmocka_unit_test_setup_teardown(outermost_values_may_be_separated_otherwise, begin, end),
        cmocka_unit_test_setup_teardown(a_string_before_a_colon_is_a_name, begin, end),
        cmocka_unit_test_setup_teardown(each_type_has_its_limits, begin, end),
        cmocka_unit_test_setup_teardown(doubles_keep_all_digits_or_as_many_as_wanted, begin, end),
        cmocka_unit_test_setup_teardown(what_is_not_finite_is_a_string_or_null, begin, end),
        cmocka_unit_test_setup_teardown(any_bytes_make_a_string, begin, end),
        cmocka_unit_test_setup_teardown(utf8_stays_and_what_deceives_is_escaped, begin, end),
        cmocka_unit_test_setup_teardown(raw_json_is_one_more_value, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
