/* The turn of a snapshot: it is asked for once, and what the worker has written down is read before it is asked for again. */
#include "lib/mocka.h"

#include "engine/snapshot.h"

static void the_turn_goes_round(void **state)
{
    (void)state;
    struct sonde_snapshot snapshot = {0};
    for (int i = 0; i < 2; i++) {
        assert_false(sonde_snapshot_is_asked(&snapshot));
        sonde_snapshot_ask(&snapshot);
        assert_true(sonde_snapshot_is_asked(&snapshot));
        sonde_snapshot_give(&snapshot);
        assert_true(sonde_snapshot_is_ready(&snapshot));
        sonde_snapshot_take_in(&snapshot);
        assert_false(sonde_snapshot_is_ready(&snapshot));
    }
}

/* The supervisor looks, sees nothing, and asks; meanwhile the worker, which it had asked before, has become ready. */
static void what_is_ready_is_not_asked_for_again(void **state)
{
    (void)state;
    struct sonde_snapshot snapshot = {0};
    sonde_snapshot_ask(&snapshot);
    bool saw_it = sonde_snapshot_is_ready(&snapshot);
    sonde_snapshot_give(&snapshot);
    if (!saw_it) sonde_snapshot_ask(&snapshot);
    assert_true(sonde_snapshot_is_ready(&snapshot));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_turn_goes_round),
        cmocka_unit_test(what_is_ready_is_not_asked_for_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
