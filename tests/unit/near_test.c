/* Neighbours of a tape (src/shrink/near.c). */
#include "lib/mocka.h"
#include "lib/tapes.h"

#include "shrink/near.h"

static void make(struct tapes *b)
{
    tapes_begin(b);
    tapes_int(b, "x", 0, 100, 7);
    tapes_int(b, "fixed", 3, 3, 3);
    tapes_int(b, "y", 0, 100, 50);
}

static void those_near_come_first_and_one_value_differs(void **state)
{
    struct tapes b;
    struct sonde_near near;
    struct sonde_tape script;
    uint32_t choice, n = 0, single = 0;
    uint64_t first[2] = {0};
    (void)state;
    make(&b);
    sonde_tape_init(&script);
    sonde_near_init(&near, &b.tape, 1);
    for (; sonde_near_next(&near, &script, &choice); n++) {
        uint32_t differing = 0;
        for (uint32_t i = 0; i < b.tape.n_choices; i++) {
            assert_true(script.choices[i].index <= script.choices[i].max);
            differing += script.choices[i].index != b.tape.choices[i].index;
        }
        if (n < 2) first[n] = script.choices[n == 0 ? 0 : 2].index;
        if (choice == SONDE_NEAR_SEVERAL) {
            assert_true(differing <= 2);
            continue;
        }
        assert_int_equal(differing, 1);
        assert_true(script.choices[choice].index != b.tape.choices[choice].index);
        assert_true(choice != 1);
        single++;
    }
    assert_int_equal(first[0], b.tape.choices[0].index + 1);
    assert_int_equal(first[1], b.tape.choices[2].index + 1);
    assert_true(single >= 10 && n > single);
    sonde_tape_clear(&script);
    tapes_clear(&b);
}

static void the_same_seed_gives_the_same(void **state)
{
    struct tapes b;
    struct sonde_near one, two;
    struct sonde_tape a, c;
    uint32_t i, k;
    (void)state;
    make(&b);
    sonde_tape_init(&a);
    sonde_tape_init(&c);
    sonde_near_init(&one, &b.tape, 5);
    sonde_near_init(&two, &b.tape, 5);
    while (sonde_near_next(&one, &a, &i)) {
        assert_true(sonde_near_next(&two, &c, &k));
        assert_int_equal(i, k);
        assert_int_equal(sonde_tape_compare(&a, &c), 0);
    }
    assert_false(sonde_near_next(&two, &c, &k));
    sonde_tape_clear(&a);
    sonde_tape_clear(&c);
    tapes_clear(&b);
}

static void an_empty_tape_has_none(void **state)
{
    struct sonde_tape empty, script;
    struct sonde_near near;
    uint32_t choice;
    (void)state;
    sonde_tape_init(&empty);
    sonde_tape_init(&script);
    sonde_near_init(&near, &empty, 1);
    assert_false(sonde_near_next(&near, &script, &choice));
    sonde_tape_clear(&empty);
    sonde_tape_clear(&script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_near_come_first_and_one_value_differs),
        cmocka_unit_test(the_same_seed_gives_the_same),
        cmocka_unit_test(an_empty_tape_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
