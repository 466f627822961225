/* The table from keys to numbers. */
#include "lib/mocka.h"

#include "base/map.h"

static void a_number_is_found_by_its_key(void **state)
{
    (void)state;
    struct sonde_map map = {0};
    assert_int_equal(sonde_map_get(&map, 7), 0);
    for (uint32_t i = 0; i < 5000; i++) *sonde_map_at(&map, i * UINT64_C(0x100000001)) = i + 1;
    for (uint32_t i = 0; i < 5000; i++) assert_int_equal(sonde_map_get(&map, i * UINT64_C(0x100000001)), i + 1);
    assert_int_equal(map.n, 5000);
    assert_int_equal(sonde_map_get(&map, 3), 0);
    sonde_map_check(&map);
    sonde_map_clear(&map);
}

static void every_key_is_a_key(void **state)
{
    (void)state;
    struct sonde_map map = {0};
    ++*sonde_map_at(&map, 0);
    ++*sonde_map_at(&map, UINT64_MAX);
    ++*sonde_map_at(&map, 0);
    assert_int_equal(sonde_map_get(&map, 0), 2);
    assert_int_equal(sonde_map_get(&map, UINT64_MAX), 1);
    assert_int_equal(map.n, 2);
    sonde_map_clear(&map);
}

static void emptied_it_has_forgotten_all(void **state)
{
    (void)state;
    struct sonde_map map = {0};
    for (int round = 0; round < 3; round++) {
        for (uint64_t i = 0; i < 100; i++) assert_int_equal(++*sonde_map_at(&map, i), 1);
        sonde_map_empty(&map);
        assert_int_equal(sonde_map_get(&map, 5), 0);
    }
    sonde_map_clear(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_found_by_its_key),
        cmocka_unit_test(every_key_is_a_key),
        cmocka_unit_test(emptied_it_has_forgotten_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
