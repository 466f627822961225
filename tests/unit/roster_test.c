/* The roster of a fleet: numbers add up, silent workers are not at work, and untrusted input stays a string. */
#include "lib/mocka.h"

#include "base/json.h"
#include "share/roster.h"

#include <stdlib.h>
#include <string.h>

static struct sonde_roster roster;
static struct sonde_json_out list;
static char *text;
static size_t n;

static int init(void **state)
{
    (void)state;
    list = (struct sonde_json_out){.out = open_memstream(&text, &n)};
    roster = (struct sonde_roster){.list = &list};
    return list.out ? 0 : -1;
}

static int clear(void **state)
{
    (void)state;
    fclose(list.out);
    free(text);
    return 0;
}

static const char *listed(void)
{
    fflush(list.out);
    return text;
}

static void workers_add_up(void **state)
{
    (void)state;
    sonde_roster_add(&roster, "{\"worker\": \"a\", \"seconds\": 10, \"cases\": 100, \"places\": 7}", 1);
    sonde_roster_add(&roster, "{\"worker\": \"b\", \"seconds\": 5, \"cases\": 100}", 2);
    sonde_roster_add(&roster, "{\"worker\": \"gone\", \"seconds\": 5, \"cases\": 1000}", 31);
    assert_int_equal(roster.n_workers, 2);
    assert_int_equal(roster.n_ended, 1);
    assert_int_equal(roster.cases, 1200);
    assert_int_equal((int)roster.rate, 30);
    assert_string_equal(listed(),
                        "{\"worker\": \"a\", \"age\": 1, \"cases\": 100, \"places\": 7, \"failures\": 0, \"sent\": 0, "
                        "\"fetched\": 0, \"rate\": 10.0}, {\"worker\": \"b\", \"age\": 2, \"cases\": 100, "
                        "\"places\": 0, \"failures\": 0, \"sent\": 0, \"fetched\": 0, \"rate\": 20.0}");
}

static void only_some_are_listed(void **state)
{
    (void)state;
    roster.most = 1;
    sonde_roster_add(&roster, "{\"worker\": \"a\"}", 0);
    sonde_roster_add(&roster, "{\"worker\": \"b\"}", 0);
    assert_int_equal(roster.n_workers, 2);
    assert_null(strstr(listed(), "\"b\""));
}

static void a_stranger_writes_a_name_and_no_more(void **state)
{
    (void)state;
    sonde_roster_add(&roster, "{\"worker\": \"</script>\\\x01\xff\", \"cases\": nan, \"places\": -5, \"sent\": 1e300",
                     0);
    sonde_roster_add(&roster, "", 0);
    assert_non_null(
        strstr(listed(), "{\"worker\": \"</script>\\\\\\u0001\xef\xbf\xbd\", \"age\": 0, \"cases\": 0, \"places\": 0, "
                         "\"failures\": 0, \"sent\": 0,")); /* the page escapes < wherever it stands */
    assert_int_equal(roster.n_workers, 1);                  /* a string that is not a report is not a worker */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(workers_add_up, init, clear),
        cmocka_unit_test_setup_teardown(only_some_are_listed, init, clear),
        cmocka_unit_test_setup_teardown(a_stranger_writes_a_name_and_no_more, init, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
