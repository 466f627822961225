#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

extern "C" {
#include <cmocka.h>
}

#include "sonde_cmocka.h"

#undef fail
#include "objects.hpp"

static void the_same(sonde *t)
{
    throws(t);
}

static void none_is_left(void **state)
{
    (void)state;
    assert_int_equal(alive, 0);
}

int main()
{
    const CMUnitTest tests[] = {
        sonde_cmocka_test_with(objects_die, config.isolate = SONDE_ISOLATE_NONE; config.store = ""),
        cmocka_unit_test(none_is_left),
        sonde_cmocka_test_with(throws, config.seed = 1; config.store = ""),
        sonde_cmocka_test_with(sondecpp::property<the_same>, config.seed = 1; config.store = ""),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr) == 2 ? 1 : 0;
}
