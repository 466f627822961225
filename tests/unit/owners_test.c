/* Owners: which input is responsible for which feature. */
#include "lib/mocka.h"

#include "corpus/owners.h"

static void the_first_to_show_a_thing_owns_it_until_a_valid_one_does(void **state)
{
    (void)state;
    struct sonde_owners o = {0};
    struct sonde_owner discarded, valid;
    sonde_owners_grow(&o, 3);
    sonde_owners_join(&o, &discarded, false);
    sonde_owners_join(&o, &valid, true);
    assert_true(sonde_owners_may_take(&o, 0, false));
    assert_null(sonde_owners_take(&o, 0, &discarded));
    assert_null(sonde_owners_take(&o, 1, &discarded));
    assert_false(sonde_owners_may_take(&o, 0, false));
    assert_true(sonde_owners_may_take(&o, 0, true));
    assert_null(sonde_owners_take(&o, 0, &valid)); /* the other one still has a thing */
    assert_null(sonde_owners_take(&o, 0, &valid)); /* it is its own */
    sonde_owners_check(&o);
    assert_false(sonde_owners_may_take(&o, 0, true));
    assert_int_equal(discarded.owns, 1);
    assert_int_equal(valid.owns, 1);
    assert_ptr_equal(sonde_owners_take(&o, 1, &valid), &discarded);
    assert_int_equal(discarded.owns, 0);
    assert_int_equal(valid.owns, 2);
    assert_ptr_equal(sonde_owners_of(&o, 1), &valid);
    assert_null(sonde_owners_of(&o, 2));
    sonde_owners_clear(&o);
}

static void what_an_entry_that_leaves_had_is_free(void **state)
{
    (void)state;
    struct sonde_owners o = {0};
    struct sonde_owner a, b, c;
    sonde_owners_grow(&o, 4);
    sonde_owners_join(&o, &a, true);
    sonde_owners_join(&o, &b, true);
    for (uint32_t i = 0; i < 4; i++) sonde_owners_take(&o, i, i % 2 ? &a : &b);
    sonde_owners_leave(&o, &a);
    assert_int_equal(a.owns, 0);
    assert_true(sonde_owners_may_take(&o, 1, false));
    assert_false(sonde_owners_may_take(&o, 2, false));
    sonde_owners_join(&o, &c, false); /* may get the place of the first: it owns nothing of that one's */
    assert_int_equal(c.owns, 0);
    assert_null(sonde_owners_of(&o, 3));
    sonde_owners_take(&o, 3, &c);
    assert_ptr_equal(sonde_owners_of(&o, 3), &c);
    assert_ptr_equal(sonde_owners_of(&o, 2), &b);
    sonde_owners_check(&o);
    sonde_owners_clear(&o);
}

static void things_may_become_more(void **state)
{
    (void)state;
    struct sonde_owners o = {0};
    struct sonde_owner a;
    sonde_owners_join(&o, &a, true);
    for (uint32_t n = 1; n < 100; n++) {
        sonde_owners_grow(&o, n);
        assert_true(sonde_owners_may_take(&o, n - 1, false));
        sonde_owners_take(&o, n - 1, &a);
    }
    assert_int_equal(a.owns, 99);
    sonde_owners_check(&o);
    sonde_owners_leave(&o, &a);
    sonde_owners_check(&o);
    sonde_owners_clear(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_to_show_a_thing_owns_it_until_a_valid_one_does),
        cmocka_unit_test(what_an_entry_that_leaves_had_is_free),
        cmocka_unit_test(things_may_become_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
