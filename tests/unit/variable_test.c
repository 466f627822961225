/* The variable that an address belongs to is found by name, with its size and its file. */
#include "lib/mocka.h"

#include "program/place.h"

#include <stdlib.h>
#include <string.h>

extern __attribute__((weak)) void __asan_init(void);

static int static_array[10] = {1};
int variable_test_global = 2;
static _Thread_local long thread_local_number = 3;

static void variables_are_found_by_any_of_their_bytes(void **state)
{
    (void)state;
    static char in_function[7] = "abc";
    struct sonde_variable v;
    sonde_variable_of(&static_array[9], &v);
    assert_string_equal(v.name, "static_array");
    /* With AddressSanitizer, clang counts the bytes that it puts behind a variable, too. */
    if (__asan_init) assert_true(v.size >= sizeof static_array);
    else assert_int_equal(v.size, sizeof static_array);
    assert_ptr_equal(v.at, static_array);
    assert_string_equal(v.file, "variable_test.c");
    sonde_variable_of(&variable_test_global, &v);
    assert_string_equal(v.name, "variable_test_global");
    sonde_variable_of(&thread_local_number, &v);
    assert_string_equal(v.name, "thread_local_number");
    assert_ptr_equal(v.at, &thread_local_number);
    sonde_variable_of(in_function + 3, &v);
    assert_non_null(strstr(v.name, "in_function"));
}

static void an_address_of_no_variable_has_no_name(void **state)
{
    (void)state;
    int local = 0;
    void *block = malloc(10);
    struct sonde_variable v;
    sonde_variable_of(&local, &v);
    assert_string_equal(v.name, "");
    assert_ptr_equal(v.at, &local);
    sonde_variable_of(block, &v);
    assert_string_equal(v.name, "");
    sonde_variable_of(NULL, &v);
    assert_string_equal(v.name, "");
    free(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_are_found_by_any_of_their_bytes),
        cmocka_unit_test(an_address_of_no_variable_has_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
