#include "dying.h"
#include "sonde_check.h"

SONDE_CHECK_TEST_WITH(crash, crashes, .seed = 1, .store = "")
SONDE_CHECK_TEST_WITH(hang, hangs, .seed = 1, .store = "", .timeout = 0.1)
SONDE_CHECK_TEST_WITH(end, exits, .seed = 1, .store = "")

START_TEST(the_host_goes_on)
{
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dying");
    TCase *tcase = tcase_create("properties");
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, crash);
    tcase_add_test(tcase, hang);
    tcase_add_test(tcase, end);
    tcase_add_test(tcase, the_host_goes_on);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_VERBOSE);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 3 ? 1 : 0;
}
