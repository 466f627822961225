#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dying.h"
#include "sonde_cmocka.h"

static void the_host_goes_on(void **state)
{
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        sonde_cmocka_test_with(crashes, .seed = 1, .store = ""),
        sonde_cmocka_test_with(hangs, .seed = 1, .store = "", .timeout = 0.1),
        sonde_cmocka_test_with(exits, .seed = 1, .store = ""),
        cmocka_unit_test(the_host_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) == 3 ? 1 : 0;
}
