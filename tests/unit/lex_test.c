/* The tokens of preprocessed C (tools/lex.h): where each ends, which line it is reported at, and partners of brackets. */
#include "../../tools/lex.c"

#include "lib/mocka.h"

static struct sonde_tokens tokens;

static bool lexes(const char *text)
{
    return sonde_lex(&tokens, text);
}

static int clear(void **state)
{
    (void)state;
    sonde_lex_clear(&tokens);
    return 0;
}

/* Compares the tokens with words that blanks separate. */
static void assert_tokens(const char *words)
{
    for (uint32_t i = 0; i < tokens.n; i++) {
        size_t n = strcspn(words, " ");
        assert_int_equal(tokens.all[i].n, n);
        assert_memory_equal(tokens.all[i].at, words, n);
        words += n + (words[n] == ' ');
    }
    assert_int_equal(*words, 0);
}

static void the_longest_operator_is_one_token(void **state)
{
    (void)state;
    assert_true(lexes("# 1 \"a.c\"\na<<=b->c+++d,0x1p-3+.5e+2f,1'000,L'x',u8\"a\\\"b\"_s"));
    assert_tokens("a <<= b -> c ++ + d , 0x1p-3 + .5e+2f , 1'000 , L'x' , u8\"a\\\"b\"_s");
}

static void raw_strings_end_with_their_mark(void **state)
{
    (void)state;
    assert_true(lexes("# 7 \"a.c\"\nR\"x(\")\"\n)x\" b"));
    assert_int_equal(tokens.n, 2);
    assert_int_equal(tokens.all[0].line, 7);
    assert_int_equal(tokens.all[1].line, 8); /* a line end inside counts */
}

static void markers_say_where_tokens_stand(void **state)
{
    (void)state;
    assert_true(lexes("# 12 \"a.c\"\na\nb\n# 3 \"b.h\" 1 3 4\nc\n#pragma x\nd\n# 14 \"a.c\" 2\ne\n"));
    static const uint32_t lines[] = {12, 13, 3, 5, 14}, markers[] = {0, 0, 1, 1, 0};
    assert_int_equal(tokens.n, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(tokens.all[i].line, lines[i]);
        assert_int_equal(tokens.all[i].marker, markers[i]);
        assert_int_equal(tokens.all[i].follows_directive, i == 3);
    }
    assert_string_equal(tokens.markers[0], "\"a.c\"");
    assert_string_equal(tokens.markers[1], "\"b.h\" 3 4");
}

static void brackets_know_their_partners(void **state)
{
    (void)state;
    assert_true(lexes("# 1 \"a.c\"\nf ( a [ 1 ] , { b } )"));
    static const uint32_t partners[] = {0, 10, 2, 5, 4, 3, 6, 9, 8, 7, 1};
    for (uint32_t i = 0; i < 11; i++) assert_int_equal(tokens.all[i].match, partners[i]);
}

static void a_file_whose_brackets_do_not_match_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"(", ")", "(]", "{(})", "(a <: 0 ] , b [ 0 :> )"}; /* the last is C: digraphs */
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[64];
        snprintf(text, sizeof text, "# 1 \"a.c\"\n%s\n", wrong[i]);
        assert_false(lexes(text));
        sonde_lex_clear(&tokens);
    }
}

static void a_text_without_markers_is_refused(void **state)
{
    (void)state;
    assert_false(lexes("int x;"));
}

static void words_of_cxx_are_operators(void **state)
{
    (void)state;
    assert_true(lexes("# 1 \"a.cc\"\na and not b"));
    assert_true(sonde_token_is(&tokens.all[1], "&&"));
    assert_true(sonde_token_is(&tokens.all[2], "!"));
    assert_false(sonde_token_is(&tokens.all[0], "&&"));
    assert_true(sonde_token_is_name(&tokens.all[3]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_longest_operator_is_one_token, clear),
        cmocka_unit_test_teardown(raw_strings_end_with_their_mark, clear),
        cmocka_unit_test_teardown(markers_say_where_tokens_stand, clear),
        cmocka_unit_test_teardown(brackets_know_their_partners, clear),
        cmocka_unit_test_teardown(a_file_whose_brackets_do_not_match_is_refused, clear),
        cmocka_unit_test_teardown(a_text_without_markers_is_refused, clear),
        cmocka_unit_test_teardown(words_of_cxx_are_operators, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
