/* sonde_span_again: a part that begins as the one before it, and can be taken apart. */
#include "lib/cases.h"
#include "lib/searches.h"

struct thing {
    int64_t x;
    double d;
    char text[16];
    bool flag;
    size_t n;
    int list[8];
};

static struct thing a, b;

static void draw_thing(sonde *t, struct thing *to)
{
    to->flag = sonde_bool(t, "flag");
    if (to->flag) to->x = sonde_i64(t, "x", INT64_MIN, INT64_MAX);
    to->d = sonde_double(t, "d", 0, 1);
    strcpy(to->text, sonde_string(t, "text", 0, 3));
    sonde_list xs = sonde_list_of(t, "xs", 0, 8);
    for (to->n = 0; sonde_more(&xs); to->n++) to->list[to->n] = sonde_int(t, "x", 0, 1000);
}

static void draw_pair(sonde *t)
{
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    sonde_open(t, "thing");
    draw_thing(t, &a);
    sonde_close(t, "thing");
    sonde_span_again(t, "thing");
    draw_thing(t, &b);
}

static void assert_equal_things(void)
{
    assert_int_equal(a.flag, b.flag);
    assert_int_equal(a.x, b.x);
    assert_true(!(a.d < b.d) && !(a.d > b.d));
    assert_string_equal(a.text, b.text);
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.list, b.list, sizeof a.list);
}

static void a_fresh_pair_is_of_equals(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        assert_int_equal(cases_run(&k, draw_pair, NULL), SONDE_VALID);
        assert_equal_things();
        assert_int_equal(k.t->tape.n_choices % 2, 0); /* both are on the tape */
    }
}

/* The flag of the second one is turned: what it then draws is new, all else stays, and the first one is as it was. */
static void a_script_can_change_one_alone(void **state)
{
    (void)state;
    struct sonde_tape script;
    sonde_tape_init(&script);
    for (int i = 0; i < 50; i++) {
        cases_run(&k, draw_pair, NULL);
        struct thing before = a;
        sonde_tape_copy(&script, &k.t->tape);
        script.choices[script.n_choices / 2].index ^= 1;
        cases_run(&k, draw_pair, &script);
        assert_memory_equal(&a, &before, sizeof a);
        assert_int_equal(b.flag, !a.flag);
        assert_string_equal(b.text, a.text);
    }
    sonde_tape_clear(&script);
}

/* A script that ends before the second one, as the shrinker may make it. */
static void what_a_script_lacks_is_copied(void **state)
{
    (void)state;
    struct sonde_tape script;
    uint32_t second = 0;
    sonde_tape_init(&script);
    for (int i = 0; i < 50; i++) {
        cases_run(&k, draw_pair, NULL);
        struct thing before = a;
        second = k.t->tape.spans[1].next;
        sonde_script_without(&script, &k.t->tape, &second, 1);
        cases_run(&k, draw_pair, &script);
        assert_memory_equal(&a, &before, sizeof a);
        assert_equal_things();
    }
    sonde_tape_clear(&script);
}

/* ---- Where there is nothing to begin as, or it is left in an odd way */

static int drawn[4];

static void first_of_its_label(sonde *t)
{
    sonde_open_again(t, "other");
    drawn[0] = sonde_int(t, "x", 0, 1000000);
    sonde_close(t, "other");
    drawn[1] = sonde_int(t, "x", 0, 1000000);
}

static void more_in_the_second(sonde *t)
{
    for (int i = 0; i < 2; i++) {
        if (i) sonde_open_again(t, "one");
        else sonde_open(t, "one");
        for (int n = 0; n <= i; n++) drawn[i + n] = sonde_int(t, "x", 0, 1000000);
        sonde_close(t, "one");
    }
    drawn[3] = sonde_int(t, "x", 0, 1000000);
}

static void leaves_within(sonde *t)
{
    sonde_open(t, "one");
    sonde_int(t, "x", 0, 1000000);
    sonde_close(t, "one");
    sonde_span_again(t, "one");
    sonde_assume(t, sonde_int(t, "x", 0, 1000000) > 1000000);
}

static void what_is_missing_is_drawn(void **state)
{
    (void)state;
    assert_int_equal(cases_run(&k, first_of_its_label, NULL), SONDE_VALID);
    assert_int_not_equal(drawn[0], drawn[1]);
    assert_int_equal(cases_run(&k, more_in_the_second, NULL), SONDE_VALID);
    assert_int_equal(drawn[0], drawn[1]);
    assert_int_not_equal(drawn[1], drawn[2]);
    assert_int_not_equal(drawn[3], drawn[0]); /* behind it draws are the guide's again */
    assert_int_equal(cases_run(&k, leaves_within, NULL), SONDE_DISCARDED);
    assert_int_equal(cases_run(&k, first_of_its_label, NULL), SONDE_VALID);
    assert_int_not_equal(drawn[0], drawn[1]);
}

static void never_closed(sonde *t)
{
    sonde_open(t, "one");
    sonde_close(t, "one");
    sonde_open_again(t, "one");
}

static void misuse_has_its_sentence(void **state)
{
    (void)state;
    assert_misuse(
        never_closed,
        "sonde_open(\"one\"): the span was not closed; call sonde_close(t, \"one\") on every path that leaves it, or "
        "use sonde_span, which closes itself");
}

/* ---- Searches: none takes a pair of equals for all there is, none stops before its end */

static void pair_of_bits(sonde *t)
{
    sonde_open(t, "bits");
    int x = sonde_int(t, "x", 0, 3);
    sonde_close(t, "bits");
    sonde_span_again(t, "bits");
    int y = sonde_int(t, "x", 0, 3);
    sonde_check(t, x != 1 || y != 2 || !sonde_context(t));
}

static void no_guide_proves_too_much(void **state)
{
    (void)state;
    static const char *const guides[] = {"auto", "random", "uniform", "enumerate", "rl", "cgpt", "zest", "target"};
    for (size_t i = 0; i < sizeof guides / sizeof *guides; i++) {
        const sonde_property property = {.name = "pair", .run = pair_of_bits};
        const struct sonde_options options = searches_options(guides[i], 1, 2000);
        struct sonde_search *s = searches_run(&property, &options);
        if (s->exhausted && s->stats.unique_valid < 16) fail_msg("%s claims that 4 pairs of 16 are all", guides[i]);
        searches_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        case_test(a_fresh_pair_is_of_equals),     case_test(a_script_can_change_one_alone),
        case_test(what_a_script_lacks_is_copied), case_test(what_is_missing_is_drawn),
        case_test(misuse_has_its_sentence),       cmocka_unit_test(no_guide_proves_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
