/* sonde_grammar: what is drawn is in the language, what was drawn is parsed again, and every mistake has its message. */
#include "lib/cases.h"

#include "case/aim.h"
#include "grammar/parse.h"

#include <stdlib.h>

/* ---- Mistakes */

static struct sonde_syntax *read_string(const char *grammar, char error[SONDE_SYNTAX_ERROR])
{
    return sonde_syntax_read(&(struct sonde_syntax_source){.text = grammar, .n = strlen(grammar)}, error);
}

/* Each beginning of a grammar, without a byte behind it: AddressSanitizer sees whatever is read beyond. */
static void a_grammar_may_end_anywhere(void **state)
{
    (void)state;
    static const char *const grammars[] = {
        "a = 1*3\"b\" / %x41-5A / %d13.10 / <prose> / [ %s\"c\" ] ; end\r\nc =/ a\r\n",
        "[1] a ::= 'b'* | [^x-z#x41-#x5A\xc3\xa4]{2,3} /* end */\nc ::= (a | \"d\")? [e-]\n"};
    for (size_t i = 0; i < sizeof grammars / sizeof *grammars; i++)
        for (size_t n = 0; n < strlen(grammars[i]); n++) {
            char error[SONDE_SYNTAX_ERROR], *exact = malloc(n ? n : 1);
            assert_non_null(exact);
            memcpy(exact, grammars[i], n);
            struct sonde_syntax *g = sonde_syntax_read(&(struct sonde_syntax_source){.text = exact, .n = n}, error);
            assert_true(g ? !*error : *error != 0);
            sonde_syntax_free(g);
            free(exact);
        }
}

static void every_mistake_has_its_message(void **state)
{
    (void)state;
    static const struct {
        const char *grammar, *message;
    } rows[] = {
        {"", "line 1, column 1: there is no rule; write name = elements (ABNF) or name ::= elements (EBNF)"},
        {"a = \"b\" )", "line 1, column 9: ')' closes nothing"},
        {"a = (\"b\"\nc = \"d\"", "line 1, column 5: this group is not closed; ')' is missing"},
        {"a = [\"b\")", "line 1, column 9: expected ']' for the group that was opened before it"},
        {"a = \"b\nc = \"d\"", "line 1, column 5: this string is not closed on its line; write a quote as %x22"},
        {"a = \"b\" /\n", "line 2, column 1: this alternative is empty; write [ ] around what may be left out, or \"\" "
                          "for the empty string"},
        {"a =", "line 1, column 4: the rule 'a' is empty; expected an element"},
        {"a = 3", "line 1, column 5: a repetition without an element; write the element behind it"},
        {"a = 3*2\"b\"", "line 1, column 5: in n*m, n must not exceed m"},
        {"a = %x5A-41", "line 1, column 6: this range runs backwards"},
        {"a = %y41", "line 1, column 6: expected x, d, b, s\" or i\" after %, found 'y'"},
        {"a = %x110000", "line 1, column 7: this number is too large; 1114111 is the limit"},
        {"a = \"b\" | \"c\"", "line 1, column 9: alternatives are separated by / in ABNF, not by |"},
        {"a = 1#\"b\"", "line 1, column 6: the list operator # is not part of RFC 5234; write 1#x as x *(\",\" x)"},
        {"a = b / c\nb = \"x\"", "line 1, column 9: this rule is not defined: c"},
        {"a = b c", "line 1, column 5: these rules are not defined: b, c"},
        {"a = \"x\"\nA = \"y\"",
         "line 2, column 1: the rule 'a' has been defined before; write =/ to add alternatives"},
        {"a =/ \"x\"", "line 1, column 1: =/ adds to the rule 'a', which is not defined before it"},
        {"a = \"x\" a", "line 1, column 1: this rule never ends: a; give it an alternative without itself"},
        {"s = \"x\" / a\na = b\nb = a \"y\"",
         "line 2, column 1: these rules never end: a, b; give one of them an alternative without the others"},
        {"a = <any word>", "line 1, column 1: the rule 'a' has words for people, <any word>; write what they mean, or "
                           "have a C function draw the rule"},
        {"a = 2000000\"x\"", "line 1, column 5: this number is too large; 1048576 is the limit"},
        {"a = 1048576b\nb = 1048576\"x\"",
         "line 1, column 1: the shortest string of 'a' has more than 1048576 characters"},
        {"\xef\xbb\xbf"
         "a = ?",
         "line 1, column 5: expected an element: a rule name, \"string\", %x41, ( or [, found '?'"},
        {"a = \"x\" / \"yy\" ;@ weights 1", "line 1, column 1: the rule 'a' has 1 weights for 2 alternatives"},
        {"a = \"x\" / \"yy\" ;@ weights 0 0", "line 1, column 1: all weights of the rule 'a' are 0"},
        {"a = \"x\" ;@ wieghts 1", "line 1, column 12: expected weights, ordered, repeat, depth, bytes or unicode"},
        {"a = %xD800 %x100", "line 1, column 1: the rule 'a' has the surrogate %xD800, which is not a character"},
        {"a ::= 'x' |", "line 1, column 12: this alternative is empty; write ( )? around what may be left out, or \"\" "
                        "for the empty string"},
        {"a ::= 'x' - 'y'", "line 1, column 11: exceptions (A - B) are not supported; write what remains, such as a "
                            "class [^...]"},
        {"a ::= *", "line 1, column 8: there is nothing to repeat before this"},
        {"a ::= [z-a]", "line 1, column 8: this range runs backwards"},
        {"a ::= []", "line 1, column 7: this class is empty"},
        {"a ::= 'x' /* no end", "line 1, column 11: this comment is not closed"},
        {"a ::= 'x'{2,1}", "line 1, column 10: in {n,m}, n must not exceed m"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char error[SONDE_SYNTAX_ERROR];
        struct sonde_syntax *g = read_string(rows[i].grammar, error);
        assert_string_equal(error, rows[i].message);
        assert_null(g);
    }
}

/* A chain of rules, and brackets in brackets, are longer than any stack. */
static void no_grammar_is_too_deep(void **state)
{
    (void)state;
    enum { DEEP = 200000 };
    char error[SONDE_SYNTAX_ERROR], *text = malloc((size_t)32 * DEEP + 64);
    size_t n = (size_t)sprintf(text, "a = ");
    for (int i = 0; i < DEEP; i++) text[n++] = '(';
    n += (size_t)sprintf(text + n, "\"x\"");
    for (int i = 0; i < DEEP; i++) text[n++] = ')';
    text[n] = '\0';
    struct sonde_syntax *g = read_string(text, error);
    assert_non_null(g);
    sonde_syntax_free(g);
    text[n - 1] = '\0';
    assert_null(read_string(text, error));
    assert_string_equal(error, "line 1, column 5: this group is not closed; ')' is missing");
    n = 0;
    for (int i = 0; i < DEEP / 10; i++) n += (size_t)sprintf(text + n, "r%d = r%d / \"x\" r%d\n", i, i + 1, i + 1);
    sprintf(text + n, "r%d = \"y\"", DEEP / 10);
    g = read_string(text, error);
    assert_non_null(g);
    sonde_syntax_free(g);
    free(text);
}

/* ---- Strings */

static sonde_language language;
static char last[1 << 16];
static size_t n_last;

static void draws(sonde *t)
{
    sonde_text text = sonde_grammar(t, "text", &language);
    assert_int_equal(text.at[text.n], 0);
    assert_true(text.n < sizeof last);
    memcpy(last, text.at, text.n);
    n_last = text.n;
}

/* Draws by this guide until a case is valid. */
static void draw_by(struct cases *own, const char *grammar)
{
    language = (sonde_language){.grammar = grammar};
    for (int i = 0; i < 10; i++)
        if (cases_run(own, draws, NULL) == SONDE_VALID) return;
    fail_msg("no valid case");
}

static void the_simplest_has_the_fewest_draws(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"a = \"long\" / \"x\" / a a", "long"},
        {"a = 1*DIGIT / %s\"word\" / %s\"w\"", "word"},
        {"a = 1*DIGIT / %s\"word\" / %s\"w\" ;@ ordered", "0"},
        {"a = a \"y\" / %s\"b\" / %s\"word\" ;@ ordered", "b"},
        {"a = b / \"x\"\nb = \"(\" a \")\"", "x"},
        {"v = n / \"[\" [v] \"]\" / %s\"null\" / %x22 *ALPHA %x22\nn = [\"-\"] 1*DIGIT [\".\" 1*DIGIT]", "null"},
        {"a = *\"x\" 2*3\"y\" [\"z\"]", "yy"},
        {"e = e \"+\" t / t\nt = \"(\" e \")\" / 1*DIGIT", "0"},
        {"a = %x66.6F %s\"Bar\" %d33", "foBar!"},
        {"a = ALPHA / DIGIT", "a"},
        {"\xef\xbb\xbf"
         "a = ALPHA",
         "a"},
        {"\xef\xbb\xbf"
         "a ::= 'b'\r\n",
         "b"},
        {"a ::= [^a-z]", "A"},
        {"a ::= #xE9 [#x20AC-#x20AD]", "\xc3\xa9\xe2\x82\xac"},
        {";@ bytes\na = %xE9 / %x41.42", "\xe9"},
        {"a ::= ('x' | 'yy')+ 'z'?", "x"},
        {"  a = <b>\n  <b> = \"p\"\n  b =/ \"\"", ""},
        {"a = \"1\"\n\n\nX  Standards Track   [Page 9]\n\f\nRFC 1234   Title   May 2001\n\n  b\nb = \"2\"", "12"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cases own;
        cases_init(&own, &sonde_guide_simplest, 1);
        draw_by(&own, rows[i][0]);
        assert_int_equal(n_last, strlen(rows[i][1]));
        assert_memory_equal(last, rows[i][1], n_last);
        cases_clear(&own);
    }
}

/* Grammars that are ambiguous, left-recursive, nullable, counted, wide or bytes. */
static const char *const grammars[] = {
    "e = e \"+\" e / e \"*\" e / \"(\" e \")\" / 1*DIGIT",
    "a = a \"x\" / \"\"",
    "a = \"x\" a / \"\"",
    "s = *[a] *(a / b) [a]\na = \"x\" / \"xx\"\nb = [a] \"y\" / \"\"",
    "s = 2*5(\"a\" / \"b\" c) 3c *4DIGIT\nc = %x30-32 / c c",
    "s = *word\nword = \"select\" / %s\"From\" / *2\"x\" \";\"",
    "s ::= ([a-z] | [#x100-#x10FFFF])* '\xe2\x82\xac'{2,} [^<&]+ | s s",
    "s = 1*line\nline = *%x01-FF %x0D.0A",
    "s = *(\"[\" s \"]\")",
    "s = *s\ns =/ \"x\"",
    "s = x *(\",\" x) [x *3(\";\" x)] \".\" x 2*4(x)\nx = DIGIT / \"(\" [x *(x)] \")\"",
    "s ::= n ':' n (' ' n ':' n)* 'n' (n (',' n){2,3})? | (n (',' n){2})? (n n ('x' n n)*)?\nn ::= [a-c] | 'dd' | '(' s ')'",
    "s = [a *(\"+\" a) *(\"-\" a)]\na = [b *([\",\"] b)]\nb = \"x\" / \"<\" s \">\"",
    "value = \"[\" [ value *( \",\" value ) ] \"]\" / 1*DIGIT / %x22 *( %x20-21 / %x5C %x22 ) %x22 ;@ weights 3 1 1 depth 3",
};

/* Draws a string, parses it, and draws by the derivation. */
static void check_round(struct cases *own, struct cases *by, const char *grammar)
{
    static char wanted[sizeof last];
    struct sonde_aim *aim = sonde_calloc(1, sizeof *aim);
    do draw_by(own, grammar);
    while (n_last > 200); /* an ambiguous grammar takes time with the cube of the length */
    memcpy(wanted, last, n_last);
    aim->text = wanted;
    aim->n = (uint32_t)n_last;
    by->t->aim = aim;
    assert_int_equal(cases_run(by, draws, NULL), SONDE_DISCARDED); /* meets the grammar */
    assert_non_null(aim->parse);
    aim->parse(aim);
    assert_true(aim->derivation.is_whole);
    if (cases_run(by, draws, NULL) != SONDE_VALID)
        fail_msg("%s does not draw '%.*s' again: %u bytes are the same", grammar, (int)aim->n, wanted,
                 (unsigned)aim->at);
    assert_int_equal(n_last, aim->n);
    assert_memory_equal(last, wanted, n_last);
    by->t->aim = NULL;
    sonde_free(aim->marks);
    sonde_free(aim->derivation.decisions);
    sonde_free(aim);
}

static void what_was_drawn_is_parsed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof grammars / sizeof *grammars; i++) {
        struct cases own, by;
        cases_init(&own, &sonde_guide_random, i + 1);
        cases_init(&by, &sonde_guide_uniform, i + 1);
        for (int round = 0; round < 60; round++) {
            if (sonde_guide_random.start(own.guide, &(struct sonde_tape){.n_choices = 0}) == SONDE_PLAN_DONE) break;
            check_round(&own, &by, grammars[i]);
        }
        cases_clear(&own);
        cases_clear(&by);
    }
}

/* Lists with separators: the first element is dropped like any other. */
static void a_series_is_one_list(void **state)
{
    (void)state;
    static const char *const rows[] = {"s = x *(\",\" x)\nx = %x61-7A", "s = [x *(\",\" x)]\nx = %x61-7A"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char error[SONDE_SYNTAX_ERROR];
        struct sonde_syntax *g = read_string(rows[i], error);
        assert_non_null(g);
        const struct sonde_syntax_node *body = &g->nodes[g->rules[g->start].body];
        assert_true(body->is_series);
        assert_string_equal(g->names + body->label, "xs");
        sonde_syntax_free(g);
    }
}

/* A rule that is nested too deep takes any alternative that needs no further nesting. */
static void leaves_may_lead_back_by_what_is_optional(void **state)
{
    (void)state;
    static const struct {
        const char *grammar;
        uint32_t n_leaves;
    } rows[] = {
        {"e ::= '<a>' in '</a>' | '<bb>' in '</bb>' | '<ccc>' in '</ccc>'\nin ::= e*", 3},
        {"e ::= 'x' | 'yy' | '(' e ')' | f\nf ::= 'sin(' e ')'", 2},
        {"e ::= 'x' | '[' (e (',' e)*)? ']' | '(' e ')'", 2},
        {"e ::= '' | 'x' e | 'yy' | e 'z'", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char error[SONDE_SYNTAX_ERROR];
        struct sonde_syntax *g = read_string(rows[i].grammar, error);
        assert_non_null(g);
        assert_int_equal(g->nodes[g->rules[g->start].body].n_leaves, rows[i].n_leaves);
        sonde_syntax_free(g);
    }
}

/* A string that is not in the language: the message says where, and names the characters that might follow. */
static void what_is_not_in_the_language_says_where(void **state)
{
    (void)state;
    static const struct {
        const char *grammar, *text, *expected;
        uint32_t parsed;
    } rows[] = {
        {"s = \"a\" *DIGIT \";\"", "a12,", "DIGIT, \";\"", 3},
        {"s = \"let\" SP name \"=\"\nname = 1*ALPHA", "let x", "ALPHA, \"=\"", 5},
        {"s = \"x\"", "y", "\"x\"", 0},
        {"e = e \"+\" t / t\nt = DIGIT / \"(\" e \")\"", "1+(2+3", "\")\", \"+\"", 6},
        {"s = 2*3\"a\"", "aaaa", "", 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char error[SONDE_SYNTAX_ERROR];
        struct sonde_syntax *g = read_string(rows[i].grammar, error);
        struct sonde_aim aim = {.text = rows[i].text, .n = (uint32_t)strlen(rows[i].text), .grammar = g};
        assert_non_null(g);
        sonde_grammar_parse(&aim);
        assert_false(aim.derivation.is_whole);
        assert_int_equal(aim.derivation.parsed, rows[i].parsed);
        if (*rows[i].expected) assert_string_equal(aim.derivation.expected, rows[i].expected);
        sonde_free(aim.derivation.decisions);
        sonde_syntax_free(g);
    }
}

/* ---- C functions */

static void put_name(sonde *t, sonde_text *out)
{
    sonde_put(t, out, "v%d", sonde_int(t, "number", 0, 99));
}

static void functions_draw_rules(void **state)
{
    (void)state;
    static const sonde_drawn_rule drawn[] = {{"name", put_name}};
    struct cases own;
    cases_init(&own, &sonde_guide_simplest, 1);
    language = (sonde_language){.grammar = "s = 2(name \";\")\nname = <a name in scope>", .drawn = drawn, .n_drawn = 1};
    assert_int_equal(cases_run(&own, draws, NULL), SONDE_VALID);
    assert_memory_equal(last, "v0;v0;", 6);
    cases_clear(&own);
}

static const sonde_language broken = {.grammar = "a = \"x\" a"}, empty = {.start = "a"},
                            both = {.grammar = "", .file = ""};
static void draws_broken(sonde *t)
{
    sonde_grammar(t, "x", &broken);
}
static void draws_nothing(sonde *t)
{
    sonde_grammar(t, "x", NULL);
}
static void draws_empty(sonde *t)
{
    sonde_grammar(t, "x", &empty);
}
static void draws_both(sonde *t)
{
    sonde_grammar(t, "x", &both);
}

static void wrong_languages_are_misuse(void **state)
{
    (void)state;
    assert_misuse(draws_broken,
                  "sonde_grammar(\"x\"): line 1, column 1: this rule never ends: a; give it an alternative "
                  "without itself");
    assert_misuse(draws_nothing, "sonde_grammar(\"x\"): the language is NULL; give one");
    assert_misuse(draws_empty, "sonde_grammar(\"x\"): give .grammar or .file, one of them");
    assert_misuse(draws_both, "sonde_grammar(\"x\"): give .grammar or .file, one of them");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grammar_may_end_anywhere), cmocka_unit_test(every_mistake_has_its_message),
        cmocka_unit_test(no_grammar_is_too_deep),     cmocka_unit_test(the_simplest_has_the_fewest_draws),
        cmocka_unit_test(what_was_drawn_is_parsed),   cmocka_unit_test(what_is_not_in_the_language_says_where),
        cmocka_unit_test(a_series_is_one_list),       cmocka_unit_test(leaves_may_lead_back_by_what_is_optional),
        cmocka_unit_test(functions_draw_rules),       cmocka_unit_test(wrong_languages_are_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
