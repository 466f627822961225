/* The line table of a running program, read without a library. */
#include "lib/mocka.h"

#include "base/mem.h"
#include "base/strings.h"
#include "program/place.h"

enum { FIRST = __LINE__ + 3 };
static __attribute__((noinline)) int subject(int x)
{
    if (x > 3) x *= 7;
    return x + (int)(uintptr_t)__builtin_return_address(0);
}
enum { LAST = __LINE__ - 1 };

static bool has_row(const struct sonde_line_table *t, uint32_t line, uintptr_t from, uintptr_t to)
{
    for (uint32_t i = 0; i < t->n_rows; i++) {
        const struct sonde_line *row = &t->rows[i];
        bool is_file = row->file < t->n_files && sonde_ends(t->files[row->file], "lines_test.c");
        if (is_file && row->line == line && row->address >= from && row->address < to) return true;
    }
    return false;
}

static void a_function_has_its_lines(void **state)
{
    (void)state;
    struct sonde_line_table t;
    struct sonde_function f;
    const void *code = (const void *)(uintptr_t)subject;
    assert_true(subject(1) || true);
    assert_null(sonde_line_table_read(&t, code));
    struct sonde_code *all = sonde_code_open(code);
    assert_non_null(all);
    assert_true(sonde_code_function(all, (uintptr_t)code, &f));
    assert_true(has_row(&t, FIRST, f.start, f.end));
    assert_true(has_row(&t, FIRST + 1, f.start, f.end));
    assert_true(has_row(&t, LAST - 1, f.start, f.end));
    assert_false(has_row(&t, LAST + 10, f.start, f.end));
    for (uint32_t i = 1; i < t.n_rows; i++) assert_true(t.rows[i - 1].address <= t.rows[i].address);
    assert_true(f.start >= t.code && f.end <= t.code_end);
    sonde_code_close(all);
    sonde_line_table_clear(&t);
    assert_int_equal(t.n_rows, 0);
}

static void files_are_known_without_debug_information(void **state)
{
    (void)state;
    const void *code = (const void *)(uintptr_t)subject;
    assert_true(sonde_module_has_file(code, "lines_test.c"));
    assert_false(sonde_module_has_file(code, "lines_test"));
    assert_false(sonde_module_has_file(code, "nothing.c"));
}

static void an_address_without_a_module_has_a_reason(void **state)
{
    (void)state;
    struct sonde_line_table t;
    assert_string_equal(sonde_line_table_read(&t, &t), "its file cannot be read");
    sonde_line_table_clear(&t);
    assert_false(sonde_module_has_file(&t, "lines_test.c"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_has_its_lines),
        cmocka_unit_test(files_are_known_without_debug_information),
        cmocka_unit_test(an_address_without_a_module_has_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
