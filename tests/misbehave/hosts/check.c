/* The faults as tests of Check. */
#include "../faults.h"
#include "quiet.h"
#include "sonde_check.h"

#include <string.h>

#define DEFINE_TEST(property)                                                                                          \
    SONDE_CHECK_TEST_WITH(property##_test, property, .seed = 1, .tests = 60, .timeout = 0.3, .seconds = 600,           \
                          .store = "")
FAULTS(DEFINE_TEST)

#define ADD_TEST(property)                                                                                             \
    if (argc > 1 && strcmp(argv[1], #property) == 0) tcase_add_test(tcase, property##_test);

int main(int argc, char **argv)
{
    Suite *suite = suite_create("faults");
    TCase *tcase = tcase_create("faults");
    tcase_set_timeout(tcase, 600);
    FAULTS(ADD_TEST)
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
