/* Reading dictionaries. */
#include "cli/dictionary.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char message[SONDE_CLI_MESSAGE];

/* Reads a file with this content. */
static int read_text(struct sonde_dictionary *dictionary, const char *text)
{
    char path[] = "dictionary_test.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    memset(dictionary, 0, sizeof *dictionary);
    int status = sonde_dictionary_read(dictionary, path, message);
    unlink(path);
    return status;
}

static void words_are_read_with_and_without_names(void **state)
{
    (void)state;
    struct sonde_dictionary d;
    assert_int_equal(read_text(&d, "# comment\n\nkeyword=\"if\"\n\"else\"\n  name@2 = \"a\\x41\\\\\\\"b\"\r\n"), 0);
    assert_int_equal(d.n, 3);
    assert_string_equal(d.words[0], "if");
    assert_string_equal(d.words[1], "else");
    assert_string_equal(d.words[2], "aA\\\"b");
    assert_null(d.words[3]);
    sonde_dictionary_clear(&d);
}

static void empty_dictionary_has_no_words(void **state)
{
    (void)state;
    struct sonde_dictionary d;
    assert_int_equal(read_text(&d, "# nothing\n"), 0);
    assert_null(d.words);
    sonde_dictionary_clear(&d);
}

static void wrong_lines_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } wrong[] = {{"\"a\"\nword\n", ":2: this line lacks a word in double quotes"},
                 {"a=\"\n", ":1: this line lacks a word in double quotes"},
                 {"a=\"\"\n", "is empty"},
                 {"a=\"\\q\"\n", "has a backslash"},
                 {"a=\"\\x4\"\n", "has a backslash"},
                 {"a=\"\\x00\"\n", "holds a zero byte"},
                 {"a\"b\"\n", "lacks = between"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct sonde_dictionary d;
        assert_int_equal(read_text(&d, wrong[i].text), -EINVAL);
        if (!strstr(message, wrong[i].said)) fail_msg("'%s' is not in '%s'", wrong[i].said, message);
        sonde_dictionary_clear(&d);
    }
}

static void unreadable_file_is_named(void **state)
{
    (void)state;
    struct sonde_dictionary d = {0};
    assert_int_equal(sonde_dictionary_read(&d, "no/such/file", message), -ENOENT);
    assert_non_null(strstr(message, "cannot read 'no/such/file': No such file"));
    assert_true(sonde_dictionary_read(&d, ".", message) < 0);
    sonde_dictionary_clear(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_read_with_and_without_names),
        cmocka_unit_test(empty_dictionary_has_no_words),
        cmocka_unit_test(wrong_lines_are_named),
        cmocka_unit_test(unreadable_file_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
