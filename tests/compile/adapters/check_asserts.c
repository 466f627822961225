/* Check's own assertions inside of properties; tests/compile/asserts.sh says what is expected. */
#include "sonde_check.h"

#include <unistd.h>

static void asserts(sonde *t)
{
    int n = sonde_int(t, "n", 0, 1000);
    ck_assert_int_lt(n, 500);
}

static void asserts_with_words(sonde *t)
{
    int n = sonde_int(t, "n", 0, 1000);
    ck_assert_msg(n < 500, "words of %s", "the test");
}

static void asserts_plainly(sonde *t)
{
    int n = sonde_int(t, "n", 0, 1000);
    ck_assert(n < 500);
}

SONDE_CHECK_TEST_WITH(asserting, asserts, .seed = 1)
SONDE_CHECK_TEST_WITH(with_words, asserts_with_words, .seed = 1)
SONDE_CHECK_TEST_WITH(plainly, asserts_plainly, .seed = 1)

START_TEST(the_host_goes_on)
{
    ck_assert_int_eq(write(STDOUT_FILENO, "the host goes on\n", 17), 17);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("asserts");
    TCase *tcase = tcase_create("properties");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, asserting);
    tcase_add_test(tcase, with_words);
    tcase_add_test(tcase, plainly);
    tcase_add_test(tcase, the_host_goes_on);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed;
}
