/* The turn of a snapshot: it is asked for once, and what the worker has written down is read before it is asked for again. */
#include "lib/mocka.h"

#include "engine/search/snapshot.h"

#include <string.h>

static void the_turn_goes_round(void **state)
{
    (void)state;
    struct sonde_snapshot snapshot = {0};
    for (int i = 0; i < 2; i++) {
        assert_false(sonde_snapshot_is_asked(&snapshot));
        sonde_snapshot_ask(&snapshot);
        assert_true(sonde_snapshot_is_asked(&snapshot));
        sonde_snapshot_publish(&snapshot);
        assert_true(sonde_snapshot_is_ready(&snapshot));
        sonde_snapshot_release(&snapshot);
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
    sonde_snapshot_publish(&snapshot);
    if (!saw_it) sonde_snapshot_ask(&snapshot);
    assert_true(sonde_snapshot_is_ready(&snapshot));
}

static struct sonde_snapshot holding(const void *bytes, size_t n)
{
    struct sonde_snapshot snapshot = {0};
    sonde_bytes_add(&snapshot.tapes, bytes, n);
    return snapshot;
}

static uint32_t count_tapes(const void *bytes, size_t n)
{
    struct sonde_snapshot snapshot = holding(bytes, n);
    struct sonde_reader from = sonde_snapshot_tapes(&snapshot);
    struct sonde_snapshot_tape tape;
    uint32_t count = 0;
    while (sonde_snapshot_next(&from, &tape)) count++;
    sonde_snapshot_clear(&snapshot);
    return count;
}

/* The bytes lie in memory that the code under test can write to. */
static void a_damaged_snapshot_ends_the_reading(void **state)
{
    (void)state;
    static const uint8_t good[] = {0, 7, 0, 0, 0, 1, 1, 2, 3, 4, 's', '1', ':', 0};
    uint8_t bad[sizeof good];
    assert_int_equal(count_tapes(good, sizeof good), 1);
    for (size_t n = 0; n < sizeof good; n++) assert_int_equal(count_tapes(good, n), 0);
    for (size_t i = 0; i < sizeof good; i++) {
        memcpy(bad, good, sizeof good);
        bad[i] = 255;
        assert_true(count_tapes(bad, sizeof bad) <= 1);
    }
    memcpy(bad, good, sizeof good);
    bad[0] = 4; /* a reason that there is not */
    assert_int_equal(count_tapes(bad, sizeof bad), 0);
    uint8_t many[6 + 4 * 255 + 1] = {0, 0, 0, 0, 0, 255}; /* more keys than a tape has, all of them there */
    assert_int_equal(count_tapes(many, sizeof many), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_turn_goes_round),
        cmocka_unit_test(what_is_ready_is_not_asked_for_again),
        cmocka_unit_test(a_damaged_snapshot_ends_the_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
