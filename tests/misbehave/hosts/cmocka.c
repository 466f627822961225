/* The faults as tests of cmocka. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../faults.h"
#include "sonde_cmocka.h"

#define TEST_FAULT(property) sonde_cmocka_test_with(property, .seed = 1, .tests = 60, .timeout = 0.3, .store = ""),

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {FAULTS(TEST_FAULT)};
    cmocka_set_test_filter(argc > 1 ? argv[1] : "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
