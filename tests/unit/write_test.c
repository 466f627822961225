/* Words for a shell: a shell turns them into the same string again, and a terminal shows all of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/write.h"

#include <stdlib.h>
#include <string.h>

static void assert_word(const char *text, const char *want)
{
    char *word = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&word, &size);
    sonde_write_shell(out, text);
    fclose(out);
    assert_string_equal(word, want);
    free(word);
}

static void plain_words_are_written_as_they_are(void **state)
{
    (void)state;
    assert_word("--seed=7", "--seed=7");
    assert_word("a/b.c", "a/b.c");
}

static void other_words_are_quoted(void **state)
{
    (void)state;
    assert_word("", "''");
    assert_word("a b", "'a b'");
    assert_word("it's $HOME", "'it'\\''s $HOME'");
    assert_word("caf\xc3\xa9 \\", "'caf\xc3\xa9 \\'");
}

static void what_commands_a_terminal_is_escaped(void **state)
{
    (void)state;
    assert_word("\x1b[31m1", "\"$(printf '\\033[31m1')\"");
    assert_word("a\nb's 5% \\", "\"$(printf 'a\\012b\\047s 5%% \\\\')\"");
    assert_word("\xff", "\"$(printf '\\377')\"");
    assert_word("\xe2\x80\xae", "\"$(printf '\\342\\200\\256')\"");
    assert_word("a\n", "$'a\\012'"); /* which "$(...)" would lose */
}

/* Whatever sh is. */
static void a_shell_reads_the_text_back(void **state)
{
    (void)state;
    char text[256], *word = NULL, got[256];
    size_t size = 0;
    for (int i = 0; i < 255; i++) text[i] = (char)(i + 1);
    text[255] = '\0';
    FILE *out = open_memstream(&word, &size);
    fputs("printf %s ", out);
    sonde_write_shell(out, text);
    fclose(out);
    FILE *shell = popen(word, "r");
    assert_non_null(shell);
    got[fread(got, 1, sizeof got - 1, shell)] = '\0';
    assert_int_equal(pclose(shell), 0);
    assert_string_equal(got, text);
    free(word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_words_are_written_as_they_are),
        cmocka_unit_test(other_words_are_quoted),
        cmocka_unit_test(what_commands_a_terminal_is_escaped),
        cmocka_unit_test(a_shell_reads_the_text_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
