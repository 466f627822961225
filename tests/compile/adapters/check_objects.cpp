#include "objects.hpp"
#include "sonde_check.h"

static void the_same(sonde *t)
{
    throws(t);
}

SONDE_CHECK_TEST_WITH(dying, objects_die, config.isolate = SONDE_ISOLATE_NONE; config.store = "")
SONDE_CHECK_TEST_WITH(throwing, throws, config.seed = 1; config.store = "")
SONDE_CHECK_TEST_WITH(wrapped, sondecpp::property<the_same>, config.seed = 1; config.store = "")

int main()
{
    Suite *suite = suite_create("objects");
    TCase *tcase = tcase_create("properties");
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, dying);
    tcase_add_test(tcase, throwing);
    tcase_add_test(tcase, wrapped);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_VERBOSE);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 2 ? 1 : 0;
}
