/* Which machines are complained about, and when: by rules that never apply, that are always taken back, and by rules that are only rare. */
#include "case/watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { RULES = 3, MANY = 5000, CALLS = 20 };

struct fixture {
    struct sonde_labels labels;
    struct sonde_watched all[SONDE_MACHINES], *w;
    char text[SONDE_COMPLAINT];
};

static const sonde_machine machine = {.n_rules = RULES};

static void begin(struct fixture *f)
{
    static const char *const names[RULES] = {"put", "get", "drop"};
    memset(f, 0, sizeof *f);
    sonde_labels_init(&f->labels);
    f->w = sonde_watch_find(f->all, &machine, sonde_label_id(&f->labels, "calls"));
    f->w->n_rules = f->w->n_missing = RULES;
    for (unsigned i = 0; i < RULES; i++) f->w->rules[i].label = sonde_label_id(&f->labels, names[i]);
}

/* The same for another one. */
static void begin_anew(struct fixture *f)
{
    sonde_labels_clear(&f->labels);
    begin(f);
}

/* Cases until the first complaint, at most MANY; 0: there was none. Each makes so many calls. */
static unsigned complains_after(struct fixture *f, unsigned calls)
{
    for (unsigned i = 1; i <= MANY; i++) {
        f->w->calls += calls;
        if (!sonde_watch_case(f->w, &f->labels, f->text)) return i;
    }
    return 0;
}

static void call(struct sonde_watched *w, unsigned rule)
{
    w->rules[rule].applied = true;
    sonde_watch_returned(w, rule);
}

static void machines_are_known_again(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    static const sonde_machine others[SONDE_MACHINES];
    assert_ptr_equal(sonde_watch_find(f.all, &machine, f.w->label), f.w);
    for (unsigned i = 1; i < SONDE_MACHINES; i++) assert_ptr_equal(sonde_watch_find(f.all, &others[i], 1), &f.all[i]);
    assert_null(sonde_watch_find(f.all, &others[0], 1));
    sonde_labels_clear(&f.labels);
}

static void a_machine_that_calls_nothing(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    assert_int_equal(complains_after(&f, 0), 20);
    assert_non_null(strstr(f.text, "no rule ever applies"));
    begin_anew(&f);
    f.w->cases = 4;
    assert_int_equal(sonde_watch_end(f.all, &f.labels, false, f.text), SONDE_WATCH_GOOD); /* too few to tell */
    assert_int_equal(sonde_watch_end(f.all, &f.labels, true, f.text), SONDE_WATCH_MACHINE);
    sonde_labels_clear(&f.labels);
}

static void a_rule_that_never_applies(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    call(f.w, 0), call(f.w, 2);
    assert_int_equal(complains_after(&f, CALLS), 1000);
    assert_non_null(strstr(f.text, "the rule \"get\" never applies: its .when was false before each of 20,000 calls"));
    begin_anew(&f);
    call(f.w, 0), call(f.w, 2);
    assert_int_equal(complains_after(&f, 5), 2000); /* with few calls only later */
    sonde_labels_clear(&f.labels);
}

static void a_rule_that_is_always_taken_back(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    call(f.w, 0), call(f.w, 1);
    f.w->rules[2].applied = true;
    assert_int_equal(complains_after(&f, CALLS), 0); /* it was not drawn */
    begin_anew(&f);
    call(f.w, 0), call(f.w, 1);
    f.w->rules[2].applied = true;
    for (unsigned i = 0; i < 1000; i++) sonde_watch_left(f.w, 2);
    assert_int_equal(complains_after(&f, CALLS), 1000);
    assert_non_null(strstr(f.text, "took back each of its 1,000 calls"));
    sonde_watch_returned(f.w, 2);
    assert_int_equal(sonde_watch_end(f.all, &f.labels, true, f.text), SONDE_WATCH_GOOD);
    sonde_labels_clear(&f.labels);
}

static void jobs_are_judged_together(void **state)
{
    struct fixture f, other;
    (void)state;
    begin(&f), begin(&other);
    call(f.w, 0), call(other.w, 1);
    f.w->cases = other.w->cases = 60, f.w->calls = other.w->calls = 600;
    sonde_watch_merge(f.all, other.all);
    assert_int_equal(sonde_watch_end(f.all, &f.labels, false, f.text), SONDE_WATCH_RULE);
    assert_non_null(
        strstr(f.text, "\"drop\" never applies: its .when was false before each of 1,200 calls in 120 cases"));
    call(other.w, 2);
    sonde_watch_merge(f.all, other.all);
    assert_int_equal(sonde_watch_end(f.all, &f.labels, false, f.text), SONDE_WATCH_GOOD);
    sonde_labels_clear(&f.labels);
    sonde_labels_clear(&other.labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machines_are_known_again),  cmocka_unit_test(a_machine_that_calls_nothing),
        cmocka_unit_test(a_rule_that_never_applies), cmocka_unit_test(a_rule_that_is_always_taken_back),
        cmocka_unit_test(jobs_are_judged_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
