/* The mutator of sonde cc (tools/mutants.h): which mutants a source has, and the code that chooses among them. */
#include "mutants.h"

#include "base/mem.h"

#include "lib/mocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char source[8192], list[16384];
static struct rejected rejected;
static struct mutants_count count;

/* Mutates a preprocessed source; the caller frees the result. */
static char *mutated(const char *text, const struct words *globs)
{
    struct mutants_request request = {.source = "m.c", .text = text, .globs = globs, .rejected = &rejected};
    return mutants_write(&request, &count);
}

/* Returns what the rows of a table change, a line for each: `a < b` -> `a <= b`. Static. */
static const char *changes_of(const char *out)
{
    list[0] = 0;
    const char *row = out ? strstr(out, "sonde_table_[] = {\n") : NULL;
    for (row = row ? strchr(row, '\n') + 1 : ""; *row == '{'; row = strchr(row, '\n') + 1) {
        const char *end = strstr(row, "\"},\n"), *after = end;
        while (strncmp(after, "\",\"", 3) != 0) after--;
        const char *before = after - 1;
        while (strncmp(before, ",\"", 2) != 0) before--;
        size_t n = strlen(list);
        snprintf(list + n, sizeof list - n, "%.*s -> %.*s\n", (int)(after - before - 2), before + 2,
                 (int)(end - after - 3), after + 3);
    }
    return list;
}

/* Returns the changes of the mutants of a function body. */
static const char *changes(const char *body)
{
    snprintf(source, sizeof source, "# 1 \"m.c\"\nint f(int a, int b, int *p)\n{\n%s\n}\n", body);
    char *out = mutated(source, NULL);
    changes_of(out);
    sonde_free(out);
    return list;
}

static void relations_move_and_are_negated(void **state)
{
    (void)state;
    assert_string_equal(changes("while (a < b) ;"), "a < b -> a <= b\na < b -> a >= b\n");
    assert_string_equal(changes("while (a == b) ;"), "a == b -> a != b\n");
}

static void conditions_are_negated(void **state)
{
    (void)state;
    assert_string_equal(changes("while (a) ;"), "a -> !(a)\n");
    assert_string_equal(changes("while (a && b) ;"), "a && b -> !(a && b)\na && b -> a || b\n");
    assert_string_equal(changes("if (g(a)) ;"), "g(a) -> !(g(a))\n");
    assert_string_equal(changes("while (1) { } do { } while (0);"), "");
}

static void operators_and_constants_change(void **state)
{
    (void)state;
    assert_string_equal(changes("return a * 2 + b;"),
                        "a * 2 + b -> a * 2 - b\na * 2 -> a + 2\n2 -> 2 + 1\n2 -> 2 - 1\n");
    assert_string_equal(changes("return a << 1;"), "a << 1 -> a >> 1\n1 -> 1 + 1\n1 -> 1 - 1\n");
    assert_string_equal(changes("return a + 0;"), "0 -> 0 + 1\n"); /* a - 0 is the same */
    assert_string_equal(changes("return 0xff;"), "0xff -> 0xff + 1\n0xff -> 0xff - 1\n");
    assert_string_equal(changes("return 0x0uL;"), "0x0uL -> 0x0uL + 1\n");
    assert_string_equal(changes("return p[a] & 'x';"), "p[a] & 'x' -> p[a] | 'x'\n'x' -> 'x' + 1\n'x' -> 'x' - 1\n");
}

static void statements_are_dropped(void **state)
{
    (void)state;
    assert_string_equal(changes("a = b;"), "a = b -> \n");
    assert_string_equal(changes("g(a);"), "g(a) -> \n");
    assert_string_equal(changes("for (;;) { if (g(0)) break; }"), "g(0) -> !(g(0))\n0 -> 0 + 1\nbreak -> \n");
    assert_string_equal(changes("a += b;"), "a += b -> \na += b -> a -= b\n");
    assert_string_equal(changes("*p++ = a;"), "*p++ = a -> \np++ -> p--\n");
}

static void constant_expressions_stay(void **state)
{
    (void)state;
    assert_string_equal(changes("int c[5 + 1]; static int d = 7; enum { e = 3 };"), "");
    assert_string_equal(changes("switch (a) { case 1 + 1: ; default: ; }"), "");
    assert_string_equal(changes("int c[] = {1, 2}; struct s t = {3};"), "");
    assert_string_equal(changes("return sizeof(int[3]) + _Alignof(int);"),
                        "sizeof(int[3]) + _Alignof(int) -> sizeof(int[3]) - _Alignof(int)\n");
    assert_string_equal(changes("return __builtin_choose_expr(1, a, b);"), "");
    assert_string_equal(changes("__asm__ volatile(\"\" : : \"i\"(3)); __attribute__((fallthrough));"), "");
}

static void null_is_not_a_number(void **state)
{
    (void)state;
    assert_string_equal(changes("while (p == ((void *)0)) ;"), "p == ((void *)0) -> p != ((void *)0)\n");
    assert_string_equal(changes("return p ? 0 : 0;"), "p -> !(p)\n0 -> 0 + 1\n0 -> 0 + 1\n");
}

static void initial_values_that_are_overwritten_stay(void **state)
{
    (void)state;
    assert_string_equal(changes("int c = 0; c = a; return c;"), "c = a -> \n");
    assert_string_equal(changes("int c = 5; return c;"), "5 -> 5 + 1\n5 -> 5 - 1\n");
    assert_string_equal(changes("int c = 0; if (a) c = b; return c;"), "0 -> 0 + 1\na -> !(a)\nc = b -> \n");
}

static void lifetimes_stay(void **state)
{
    (void)state;
    assert_string_equal(changes("p = (int[]){1, 2};"), "");
    assert_string_equal(changes("a = ({ int c = 3; c; });"), "");
    assert_string_equal(changes("if (_setjmp(env) == 0) ;"), "");
}

static void logging_stays(void **state)
{
    (void)state;
    assert_string_equal(changes("perror(\"x\"); my_log(3); fprintf(stderr, \"%d\", a + 1); LOG_INFO(a);"), "");
    assert_string_equal(changes("if (a > 1) { perror(\"x\"); fputs(\"y\", stderr); }"), "");
    assert_string_equal(changes("if (a) { perror(\"x\"); return b; }"), "a -> !(a)\n");
    assert_string_equal(changes("a = catalog(3);"), "a = catalog(3) -> \n3 -> 3 + 1\n3 -> 3 - 1\n");
}

static void conditions_of_nothing_stay(void **state)
{
    (void)state;
    assert_string_equal(changes("if (a < b) ; if (a) { } else { ; } if (p[a]) do {} while (0); if (a) ((void)0);"), "");
    assert_string_equal(changes("if (a) { } else b = a;"), "a -> !(a)\nb = a -> \n");
    assert_string_equal(changes("if (g(a)) { }"), "g(a) -> !(g(a))\n");
    assert_string_equal(changes("if (a) do {} while (b);"), "a -> !(a)\nb -> !(b)\n");
}

/* gcc marks the code of such macros by the flag 3. */
static void macros_of_system_headers_stay(void **state)
{
    (void)state;
    assert_string_equal(changes("return\n# 4 \"m.c\" 3 4\n(tab()[a] & 8)\n# 4 \"m.c\"\n&& a != \n"
                                "# 4 \"m.c\" 3 4\n(-1)\n# 4 \"m.c\"\n;"),
                        "(tab()[a] & 8) && a != (-1) -> (tab()[a] & 8) || a != (-1)\na != (-1) -> a == (-1)\n");
    snprintf(source, sizeof source, "# 1 \"m.c\" 3 4\nint f(int a) { return a + 1; }\n");
    char *out = mutated(source, NULL);
    assert_string_equal(changes_of(out), "a + 1 -> a - 1\n1 -> 1 + 1\n1 -> 1 - 1\n");
    sonde_free(out);
}

/* A relation with a parenthesis after it is one site, although `>(` ends a template's arguments in C++. */
static void a_relation_is_not_a_call(void **state)
{
    (void)state;
    changes("while (a > (b - 1)) ;");
    assert_int_equal(count.mutants, 5);
    assert_int_equal(count.sites, 1);
}

static void casts_are_not_operands(void **state)
{
    (void)state;
    snprintf(source, sizeof source,
             "# 1 \"m.c\"\ntypedef long T;\nint f(T a, T *b)\n{\nT *c = b; return (T)-a + (T)*b;\n}\n");
    char *out = mutated(source, NULL);
    assert_string_equal(changes_of(out), "(T)-a + (T)*b -> (T)-a - (T)*b\n");
    sonde_free(out);
}

static void directives_stay_where_they_are(void **state)
{
    (void)state;
    assert_string_equal(changes("\n#pragma x\na = b;\nb = a;"), "b = a -> \n");
    char *out = mutated(source, NULL);
    assert_non_null(strstr(out, "\n#pragma x\na = b;\n"));
    sonde_free(out);
}

static void lines_stay_where_they_are(void **state)
{
    (void)state;
    snprintf(source, sizeof source,
             "# 1 \"m.c\"\nint f(int a)\n{\nif (a\n< 3)\nreturn 1;\nreturn g(\na);\n}\nint last;\n");
    char *out = mutated(source, NULL);
    uint32_t lines = 0;
    for (const char *s = out; s < strstr(out, "int last;"); s++) lines += *s == '\n';
    assert_int_equal(lines, 9); /* the marker's line counts */
    sonde_free(out);
}

static void a_site_chooses_among_its_mutants(void **state)
{
    (void)state;
    changes("return a < b;");
    char *out = mutated(source, NULL);
    assert_non_null(
        strstr(out, "return (sonde_mutant_hit_[1] = 1, __builtin_expect(sonde_mutant_now_.site == 1u, 0) ? "
                    "(__extension__({ __auto_type sonde_m_ = sonde_mutant_now_.mutant == 1u ? ( (( a) <= ( b))) : "
                    "sonde_mutant_now_.mutant == 2u ? ( (( a) >= ( b))) : ( a < b); if (sonde_mutant_now_.watch) { "
                    "__auto_type sonde_p_ = ( a < b); sonde_mutant_same_(sonde_m_ == sonde_p_); } sonde_m_; })) : "
                    "(a < b));\n"));
    sonde_free(out);
}

static void a_dropped_statement_is_below_an_if(void **state)
{
    (void)state;
    changes("g(a);");
    char *out = mutated(source, NULL);
    assert_non_null(strstr(out,
                           "{ sonde_mutant_hit_[1] = 1; if (__builtin_expect(sonde_mutant_now_.site == 1u, 0)) { if "
                           "(sonde_mutant_now_.mutant == 1u) {  } else {  g ( a ) ; } } else g(a); }\n"));
    sonde_free(out);
}

static void rejected_mutants_are_left_out(void **state)
{
    (void)state;
    static bool second[] = {false, false, true};
    rejected = (struct rejected){.mutants = second, .cap_mutants = 3};
    assert_string_equal(changes("return a < b;"), "a < b -> a <= b\n");
    assert_int_equal(count.mutants, 1);
    rejected = (struct rejected){.sites = second, .cap_sites = 3};
    assert_string_equal(changes("a = b; return -a;"), "a = b -> \n");
    rejected = (struct rejected){0};
}

static void markers_name_the_parts(void **state)
{
    (void)state;
    changes("return a < b;");
    struct mutants_request request = {.source = "m.c", .text = source, .rejected = &rejected, .is_marked = true};
    char *out = mutants_write(&request, &count);
    assert_non_null(strstr(out, "\n# 2 \"sonde-mutant\"\n( (( a) >= ( b)))\n# 1 \"sonde-site\"\n"));
    assert_non_null(strstr(out, "\n# 1 \"sonde-watch\"\n"));
    assert_non_null(strstr(out, "(\n# 3 \"m.c\"\na < b))"));
    sonde_free(out);
}

static void only_chosen_files_are_mutated(void **state)
{
    (void)state;
    static const char text[] =
        "# 1 \"d/h.h\"\nstatic int g(int a) { return a < 1; }\n# 1 \"m.c\"\nint f(int a) { return a; }\n";
    char headers[] = "*.h", library[] = "lib/*.c", *all[] = {headers, NULL};
    struct words globs = {.all = all, .n = 1};
    assert_null(mutated(text, NULL));
    sonde_free(mutated(text, &globs));
    assert_int_equal(count.mutants, 4);
    assert_true(mutants_is_match(&globs, "a/b.h"));
    assert_false(mutants_is_match(&globs, "a/b.c"));
    all[0] = library;
    assert_true(mutants_is_match(&globs, "lib/x.c"));
    assert_true(mutants_is_match(&globs, "/home/u/lib/x.c"));
    assert_false(mutants_is_match(&globs, "glib/x.c"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relations_move_and_are_negated),
        cmocka_unit_test(conditions_are_negated),
        cmocka_unit_test(operators_and_constants_change),
        cmocka_unit_test(statements_are_dropped),
        cmocka_unit_test(constant_expressions_stay),
        cmocka_unit_test(null_is_not_a_number),
        cmocka_unit_test(initial_values_that_are_overwritten_stay),
        cmocka_unit_test(lifetimes_stay),
        cmocka_unit_test(logging_stays),
        cmocka_unit_test(conditions_of_nothing_stay),
        cmocka_unit_test(macros_of_system_headers_stay),
        cmocka_unit_test(a_relation_is_not_a_call),
        cmocka_unit_test(casts_are_not_operands),
        cmocka_unit_test(directives_stay_where_they_are),
        cmocka_unit_test(lines_stay_where_they_are),
        cmocka_unit_test(a_site_chooses_among_its_mutants),
        cmocka_unit_test(a_dropped_statement_is_below_an_if),
        cmocka_unit_test(rejected_mutants_are_left_out),
        cmocka_unit_test(markers_name_the_parts),
        cmocka_unit_test(only_chosen_files_are_mutated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
