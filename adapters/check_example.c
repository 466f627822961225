/* Properties as tests of the Check framework: one holds, one is falsified, one finds no valid input. */
#include "sonde_check.h"
#include "subject.h"

SONDE_CHECK_TEST(holding, midpoint_lies_between)
SONDE_CHECK_TEST_WITH(careless, careless_midpoint_lies_between, .tests = 500, .seed = 7)
SONDE_CHECK_TEST_WITH(unknown, nothing_is_known, .seconds = 0.2)

int main(void)
{
    Suite *suite = suite_create("midpoint");
    TCase *tcase = tcase_create("properties");
    tcase_add_test(tcase, holding);
    tcase_add_test(tcase, careless);
    tcase_add_test(tcase, unknown);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
