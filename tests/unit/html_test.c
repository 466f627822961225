/* The lines that `sonde html` marks (tools/html.c), from line tables and functions that the test makes up. */
#include "../../tools/html.c"
#include "../../tools/places.c"

#include "lib/mocka.h"

/* ---- In place of lines.c and flow.c: the tables of one program, and no jumps */

static struct sonde_row rows[16];
static struct sonde_function functions[4];
static char *files[] = {"a.c", "/usr/include/string.h", "/opt/include/sonde/extend.h"};
static struct sonde_lines table = {.rows = rows, .files = files, .n_files = 3, .functions = functions};

const char *sonde_lines_read(struct sonde_lines *lines, const char *path)
{
    *lines = table;
    return strcmp(path, "gone") == 0 ? "it is not there" : NULL;
}

void sonde_lines_clear(struct sonde_lines *lines)
{
    (void)lines;
}

const struct sonde_function *sonde_lines_function(const struct sonde_lines *lines, uint64_t address)
{
    for (uint32_t i = 0; i < lines->n_functions; i++)
        if (lines->functions[i].start <= address && address < lines->functions[i].end) return &lines->functions[i];
    return NULL;
}

bool sonde_flow_read(struct sonde_flow *flow, const char *path, const struct sonde_lines *lines,
                     const struct sonde_ran *counters, uint32_t n)
{
    (void)flow, (void)path, (void)lines, (void)counters, (void)n;
    return false;
}

void sonde_flow_clear(struct sonde_flow *flow)
{
    (void)flow;
}

void sonde_ran_add(struct sonde_ran *to, const struct sonde_ran *from)
{
    to->by |= from->by;
    if (to->property < 0) to->property = from->property, to->input = from->input;
}

/* ---- A program: f is at 0x10 to 0x40, g at 0x40 to 0x60 */

static struct result found;

static int set_up(void **state)
{
    (void)state;
    memset(rows, 0, sizeof rows);
    table.n_rows = table.n_functions = table.n_calls = 0;
    table.build = 7;
    functions[table.n_functions++] = (struct sonde_function){0x10, 0x40};
    functions[table.n_functions++] = (struct sonde_function){0x40, 0x60};
    found = (struct result){0};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    clear_result(&found);
    return 0;
}

static void add_row(uint64_t address, uint32_t file, uint32_t line)
{
    rows[table.n_rows++] = (struct sonde_row){.address = address, .file = file, .line = line};
}

/* Reads a program with the given counters, and divides them into source lines. */
static void read_program(const char *path, const char *places)
{
    char block[512];
    struct sonde_page_modules modules;
    snprintf(block, sizeof block, "property 0\nmodule 0 7 %s\n%s", path, places);
    sonde_page_modules_read(&modules, block);
    for (uint32_t i = 0; i < modules.n; i++) add_module(&found, &modules.modules[i]);
    merge_lines(&found);
    sonde_page_modules_clear(&modules);
}

static void assert_line(uint32_t i, uint32_t line, uint32_t by, int input)
{
    assert_true(i < found.n_lines);
    assert_int_equal(found.lines[i].line, line);
    assert_int_equal(found.lines[i].by, by);
    assert_int_equal(found.lines[i].input, input);
}

static void a_block_reaches_to_the_next_counter_of_its_function(void **state)
{
    (void)state;
    add_row(0x10, 0, 1);
    add_row(0x18, 0, 2);
    add_row(0x20, 0, 3);
    add_row(0x30, 0, 4);
    read_program("program", "0 10 1 3\n0 20 0 0\n");
    assert_int_equal(found.n_lines, 4);
    assert_line(0, 1, 1, 2);
    assert_line(1, 2, 1, 2); /* the block of 0x10 */
    assert_line(2, 3, 0, -1);
    assert_line(3, 4, 0, -1); /* the block of 0x20 */
}

static void a_line_was_reached_if_any_of_its_code_was(void **state)
{
    (void)state;
    add_row(0x10, 0, 5);
    add_row(0x20, 0, 6);
    add_row(0x30, 0, 5);
    read_program("program", "0 10 0 0\n0 20 0 0\n0 30 1 1\n");
    assert_int_equal(found.n_lines, 2);
    assert_line(0, 5, 1, 0);
    assert_line(1, 6, 0, -1);
}

static void functions_without_counters_are_not_shown(void **state)
{
    (void)state;
    add_row(0x10, 0, 1);
    add_row(0x40, 0, 9);
    read_program("program", "0 10 1 1\n");
    assert_int_equal(found.n_lines, 1);
    assert_line(0, 1, 1, 0);
}

static void code_of_headers_that_are_not_under_test_is_left_out(void **state)
{
    (void)state;
    add_row(0x10, 0, 1);
    add_row(0x18, 1, 100);
    add_row(0x20, 2, 200);
    read_program("program", "0 10 1 1\n");
    assert_int_equal(found.n_lines, 1);
    assert_int_equal(found.n_files, 1);
    assert_string_equal(found.files[0], "a.c");
}

/* gcc reports the address after the call, which is five bytes long; calls that nothing reached are counters, too. */
static void calls_count_from_where_they_begin(void **state)
{
    (void)state;
    static uint64_t calls[] = {0x15, 0x25};
    add_row(0x10, 0, 1);
    add_row(0x20, 0, 2);
    table.calls = calls;
    table.n_calls = 2;
    read_program("program", "called 0\n0 15 1 1\n");
    assert_int_equal(found.n_lines, 2);
    assert_line(0, 1, 1, 0);
    assert_line(1, 2, 0, -1);
}

static void a_program_that_was_built_again_is_not_marked(void **state)
{
    (void)state;
    add_row(0x10, 0, 1);
    table.build = 8;
    read_program("program", "0 10 1 1\n");
    assert_int_equal(found.n_lines, 0);
    assert_int_equal(found.n_missing, 1);
    assert_non_null(strstr(found.missing[0], "program: it was "));
}

static void a_program_that_cannot_be_read_is_named(void **state)
{
    (void)state;
    read_program("gone", "0 10 1 1\n");
    assert_int_equal(found.n_missing, 1);
    assert_string_equal(found.missing[0], "gone: it is not there");
}

static void a_block_is_replaced_and_made_safe(void **state)
{
    (void)state;
    char *page = sonde_strdup("<script id=\"a\">old</script><script id=\"b\">kept</script>");
    page = with_block(page, "a", "</script>&");
    assert_string_equal(page, "<script id=\"a\">\\u003c/script\\u003e\\u0026</script><script id=\"b\">kept</script>");
    page = with_block(page, "none", "x");
    assert_non_null(strstr(page, "kept"));
    assert_null(strstr(page, "x</script>"));
    sonde_free(page);
}

static void a_file_that_is_not_a_page_is_left_alone(void **state)
{
    (void)state;
    char path[] = "html_test.XXXXXX", name[] = "html", now[16] = "";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "<p>mine</p>", 11), 11);
    char *words[] = {name, path, NULL};
    assert_int_equal(sonde_tool_html(2, words), SONDE_USAGE);
    assert_int_equal(sonde_tool_html(1, words), SONDE_USAGE);
    assert_int_equal(pread(file, now, sizeof now - 1, 0), 11);
    assert_string_equal(now, "<p>mine</p>");
    close(file);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_block_reaches_to_the_next_counter_of_its_function, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_line_was_reached_if_any_of_its_code_was, set_up, tear_down),
        cmocka_unit_test_setup_teardown(functions_without_counters_are_not_shown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(code_of_headers_that_are_not_under_test_is_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(calls_count_from_where_they_begin, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_program_that_was_built_again_is_not_marked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_program_that_cannot_be_read_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_block_is_replaced_and_made_safe, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_is_not_a_page_is_left_alone, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
