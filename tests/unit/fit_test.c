#include "lib/cases.h"

#include "tape/fit.h"
#include "tape/text.h"

/* Every kind of draw. */
static void many(sonde *t)
{
    size_t n;
    sonde_int(t, "x", -5, 100);
    sonde_u64(t, "u", 10, 20);
    sonde_bool(t, "b");
    sonde_double(t, "d", 0, 1);
    sonde_pick(t, "p", 3);
    sonde_bytes(t, "raw", 0, 4, &n);
    sonde_string_of(t, "s", "abc", 1, 4);
    for (sonde_list xs = sonde_list_of(t, "xs", 0, 3); sonde_more(&xs);) {
        sonde_span(t, "point");
        sonde_int(t, "x", 0, 9);
    }
    sonde_int(t, "forced", 7, 7);
    {
        sonde_span(t, "empty");
    }
    {
        sonde_span(t, "last");
        sonde_int(t, "y", 0, 9);
        sonde_int(t, "z", 0, 9);
    }
}

#define X "x=3 u=11 b=yes d=0.5 p=2 "
#define TEXTS "raw=00ff s=abc "
#define LIST "xs[{point{x=1}} {point{x=2}}] "
#define LAST "last{y=1 z=2}"

static void left_early(sonde *t)
{
    sonde_int(t, "x", 0, 9);
    sonde_assume(t, false);
    sonde_int(t, "y", 0, 9);
}

static struct sonde_fit judge(sonde_property_fn *run, const char *token)
{
    struct sonde_tape script;
    struct sonde_fit fit;
    sonde_tape_init(&script);
    assert_int_equal(sonde_tape_from_text(&script, &k.labels, token, strlen(token), NULL), 0);
    cases_run(&k, run, &script);
    sonde_fit_judge(&fit, &script, &k.t->tape, &k.labels, "token");
    sonde_tape_clear(&script);
    return fit;
}

static void assert_fits(sonde_property_fn *run, const char *token)
{
    struct sonde_fit fit = judge(run, token);
    assert_string_equal(fit.text, "");
    assert_true(sonde_fit_is_whole(&fit));
}

static void assert_says(const char *token, const char *text)
{
    struct sonde_fit fit = judge(many, token);
    assert_string_equal(fit.text, text);
    assert_false(sonde_fit_is_whole(&fit));
}

static void a_whole_token_fits(void **state)
{
    (void)state;
    assert_fits(many, X TEXTS LIST LAST);
    assert_fits(many, X TEXTS LIST "forced=7 empty{} " LAST);
    assert_fits(many, "b=1 u=0xb x=+3 p=2 d=5e-1 s=abc raw=00FF " LAST " " LIST); /* order and spelling do not count */
}

static void what_a_run_records_fits_it(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        cases_run(&k, i % 2 ? many : left_early, NULL);
        char *text = sonde_tape_to_text(&k.t->tape, &k.labels);
        assert_fits(i % 2 ? many : left_early, text);
        sonde_free(text);
    }
}

static void what_is_not_drawn_is_named(void **state)
{
    (void)state;
    assert_says(X TEXTS LIST LAST " w=60", "w=60 was not drawn");
    assert_says(X TEXTS LIST "last{y=1 z=2 y=5}", "last.y=5 was not drawn");
    assert_says(X TEXTS "xs[{point{x=1 w=2}}] " LAST, "xs[0].point.w=2 was not drawn");
    assert_says(X TEXTS LIST LAST " more{a=1 b=2} no[{c=1}]", "more{...}, no[...] were not drawn");
    assert_says(X TEXTS LIST LAST " a=1 b2=2 c=3 e=4 f=5", "a=1, b2=2, c=3, and 2 more were not drawn");
}

static void what_the_token_lacks_is_named(void **state)
{
    (void)state;
    assert_says("u=11 b=yes d=0.5 p=2 " TEXTS LIST LAST, "x was not in the token");
    assert_says(X TEXTS "xs[{point{x=1}} {point{}}] " LAST, "xs[1].point.x was not in the token");
    assert_says(X TEXTS LIST, "last was not in the token");
    assert_says("w=1 u=11 b=yes d=0.5 p=2 " TEXTS LIST LAST, "w=1 was not drawn; x was not in the token");
}

static void what_does_not_fit_is_named(void **state)
{
    (void)state;
    struct sonde_fit fit = judge(many, "x=5000 u=11 b=yes d=0.5 p=2 " TEXTS LIST LAST);
    assert_non_null(strstr(fit.text, "x=5000 does not fit -5..100 ("));
    assert_non_null(strstr(fit.text, " was drawn)"));
    assert_int_equal(fit.n_changed, 1);
    assert_int_equal(fit.n_missing + fit.n_unused, 0);
    assert_non_null(strstr(judge(many, "x=2x7").text, "x=2x7 is not a number ("));
    assert_non_null(strstr(judge(many, "u=9").text, "u=9 does not fit 10..20 ("));
    assert_non_null(strstr(judge(many, "b=maybe").text, "b=maybe is neither yes nor no ("));
    assert_non_null(strstr(judge(many, "b=2").text, "b=2 is neither yes nor no ("));
    assert_non_null(strstr(judge(many, "d=1.5").text, "d=1.5 does not fit 0..1 ("));
    assert_non_null(strstr(judge(many, "p=3").text, "p=3 does not fit 0..2 ("));
    assert_non_null(strstr(judge(many, "raw=0001020304").text, "raw=0001020304 has characters that the draw does "
                                                               "not allow, or a length outside 0..4 ("));
    assert_non_null(strstr(judge(many, "s=abd").text, "s=abd has characters that the draw does not allow"));
    assert_non_null(strstr(judge(many, "s=").text, "s= has characters that the draw does not allow, or a "
                                                   "length outside 1..4 ("));
    assert_non_null(strstr(judge(many, "xs[#=4]").text, "xs.length=4 does not fit 0..3 ("));
    assert_non_null(strstr(judge(many, "forced=8").text, "forced=8 does not fit 7..7 (7 was drawn)"));
}

static void what_is_said_to_be_free_is_excused(void **state)
{
    (void)state;
    assert_fits(many, "?");
    assert_fits(many, "x=3 ?");
    assert_fits(many, X TEXTS "xs[?] last{y=1 ?}");
    assert_fits(many, X TEXTS "xs[?] last{?}");
    assert_fits(many, "x=? u=? b=? d=? p=? raw=? s=? " LIST "last{y=? z=?}");
}

/* A ? is about the rest: a draw that came to the generator later, before the last one that is named, is reported. */
static void only_the_rest_is_free(void **state)
{
    (void)state;
    assert_says("x=3 b=yes ?", "u was not in the token");
    assert_says(X TEXTS LIST "last{z=1 ?}", "last.y was not in the token");
    assert_says("x=3 w=1 ?", "w=1 was not drawn");
}

static void a_run_that_was_left_early_did_not_come_to_the_rest(void **state)
{
    (void)state;
    assert_fits(left_early, "x=1 y=2");
    assert_non_null(strstr(judge(left_early, "x=10 y=2").text, "x=10 does not fit 0..9 ("));
    struct sonde_fit fit = judge(left_early, "y=2");
    assert_string_equal(fit.text, "x was not in the token");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        case_test(a_whole_token_fits),         case_test(what_a_run_records_fits_it),
        case_test(what_is_not_drawn_is_named), case_test(what_the_token_lacks_is_named),
        case_test(what_does_not_fit_is_named), case_test(what_is_said_to_be_free_is_excused),
        case_test(only_the_rest_is_free),      case_test(a_run_that_was_left_early_did_not_come_to_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
