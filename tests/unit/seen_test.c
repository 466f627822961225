/* The set of known inputs: in both of its forms it returns what an array of all slots would. */
#include "lib/mocka.h"

#include "base/hash.h"
#include "guide/seen.h"

#include <stdlib.h>

enum { SLOTS = 1 << 16 };

/* Enters n hashes, some of them again, and compares each result with the array. */
static void enter_many(uint64_t n, uint64_t different)
{
    uint32_t *tags = calloc(SLOTS, sizeof *tags);
    struct sonde_seen seen;
    assert_non_null(tags);
    sonde_seen_init(&seen);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t hash = sonde_mix(1 + sonde_mix(i) % different);
        uint32_t *tag = &tags[hash >> 48], own = (uint32_t)hash | 1;
        assert_int_equal(sonde_seen_enter(&seen, hash), *tag != own);
        *tag = own;
    }
    sonde_seen_clear(&seen);
    free(tags);
}

static void does_what_an_array_of_all_slots_would(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 192, 193, 5000, 12288, 12289, 30000, 200000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) enter_many(3 * sizes[i], sizes[i]);
}

static void a_set_of_few_inputs_takes_little_memory(void **state)
{
    (void)state;
    struct sonde_seen seen;
    sonde_seen_init(&seen);
    for (uint64_t i = 0; i < 1000; i++) sonde_seen_enter(&seen, sonde_mix(i));
    assert_null(seen.tags);
    assert_true(seen.cap <= 2048);
    sonde_seen_clear(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_what_an_array_of_all_slots_would),
        cmocka_unit_test(a_set_of_few_inputs_takes_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
