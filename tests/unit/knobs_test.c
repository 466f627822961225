/* Knobs of guides: every declared one is read, within its range only, and what is wrong is refused with the range. */
#include "lib/mocka.h"

#include "engine/engine.h"
#include "guide/guides.h"

#include <errno.h>
#include <string.h>

struct things {
    double a, share, word;
};

static const char *const words[] = {"red", "green", "blue"};
static const struct sonde_knob table[] = {
    SONDE_KNOB(struct things, a, "a", 3, -5, 5, "a", "none yet"),
    SONDE_KNOB(struct things, share, "share", 0.5, 0, 1, "a share", "none yet"),
    {"word", offsetof(struct things, word), 1, 0, 2, "a word", "none yet", words},
    {0},
};

static struct things read_things(const char *options)
{
    struct things x;
    memset(&x, 0xff, sizeof x);
    sonde_knobs_read(table, options, &x);
    return x;
}

static void knobs_are_read_by_name(void **state)
{
    (void)state;
    assert_true(read_things(NULL).a == 3);
    assert_true(read_things("share=0,a=2.5").a == 2.5);
    assert_true(read_things("a=-4").a == -4);
    assert_true(read_things("aa=1").a == 3);
    assert_true(read_things("a=").a == 3);
    assert_true(read_things("a=1,a=2").a == 2);
    assert_true(read_things("word=blue").word == 2);
    assert_true(read_things("word=bl").word == 1);
    assert_true(read_things("a=6").a == 3); /* out of its range */
}

static void assert_wrong(const char *options, const char *expected)
{
    char message[512] = "";
    assert_int_equal(sonde_knobs_check(options, message, sizeof message), -EINVAL);
    if (!strstr(message, expected)) fail_msg("'%s' is not in '%s'", expected, message);
}

static void what_is_wrong_is_refused_with_its_range(void **state)
{
    (void)state;
    assert_wrong("hott=1", "no guide has a knob 'hott'");
    assert_wrong("hot", "hot='' is not allowed; give a number from 0 to 1");
    assert_wrong("hot=0.5,back=1", "back='1' is not allowed; give a number from 0 to 0.99");
    assert_wrong("twin=-1", "twin='-1' is not allowed; give a number from 0 to 1000");
    assert_wrong("mean=-1", "a number from 1 to 1e+06");
    assert_wrong("patience=1e300", "a number from 1 to 1e+09");
    assert_wrong("energy=nan", "energy='nan'");
    assert_wrong("energy=inf", "energy='inf'");
    assert_wrong("epsilon=0x1", "epsilon='0x1'");
    assert_wrong("epsilon=0.1x", "epsilon='0.1x'");
    assert_wrong("filter=best", "filter='best' is not allowed; give one of random, sequence, choices, generator");
    assert_wrong("hot=0.5,,cold=1", "''");
    char message[512];
    assert_int_equal(sonde_knobs_check("epsilon=0.1,unique=20,valid=0,invalid=-1,window=4", message, 512), 0);
    assert_int_equal(sonde_knobs_check("rl=0,filter=random,twin=3,hot=1e-1", message, 512), 0);
    assert_int_equal(sonde_knobs_check(NULL, message, 512), 0);
}

/* Two edges of the range, the default, and one step beyond each end. */
static void check_one(void *count, const char *guides, const struct sonde_knob *s)
{
    char options[128], message[512];
    ++*(int *)count;
    for (const char *name = guides; *name; name += strspn(name, ", ")) {
        char guide[64];
        snprintf(guide, sizeof guide, "%.*s", (int)strcspn(name, ","), name);
        if (!sonde_guide_find(guide)) fail_msg("%s is a knob of '%s', which is no guide", s->name, guide);
        name += strlen(guide);
    }
    assert_true(s->min <= s->preset && s->preset <= s->max && strlen(s->meaning) > 10);
    if (strcmp(s->evidence, "none yet") && !strchr(s->evidence, ','))
        fail_msg("%s: where in %s?", s->name, s->evidence);
    if (s->words) return;
    const double good[] = {s->min, s->preset, s->max}, bad[] = {s->min - 1, s->max * 2 + 1};
    for (size_t i = 0; i < 3; i++) {
        snprintf(options, sizeof options, "%s=%.17g", s->name, good[i]);
        if (sonde_knobs_check(options, message, sizeof message)) fail_msg("%s: %s", options, message);
    }
    for (size_t i = 0; i < 2; i++) {
        snprintf(options, sizeof options, "%s=%.17g", s->name, bad[i]);
        if (!sonde_knobs_check(options, message, sizeof message)) fail_msg("%s is accepted", options);
    }
}

static void every_knob_has_a_range_a_meaning_and_its_evidence(void **state)
{
    (void)state;
    int count = 0;
    sonde_knobs_each(check_one, &count);
    assert_in_range(count, 50, 60); /* 40 of the guides, the rest of the classic library */
}

struct all_options {
    char text[8192];
    size_t n;
    bool is_max;
};

/* The guides of all knobs, made with every knob at one end of its range: none hangs or converts what does not fit. */
static void set_to(void *to, const char *guides, const struct sonde_knob *s)
{
    (void)guides;
    struct all_options *all = to;
    double value = all->is_max ? s->max : s->min;
    all->n += (size_t)snprintf(all->text + all->n, sizeof all->text - all->n, "%s%s=", all->n ? "," : "", s->name);
    all->n += s->words ? (size_t)snprintf(all->text + all->n, sizeof all->text - all->n, "%s", s->words[(int)value])
                       : (size_t)snprintf(all->text + all->n, sizeof all->text - all->n, "%.17g", value);
}

static void three(sonde *t)
{
    for (int i = 0; i < 3; i++) {
        sonde_span(t, "pair");
        int a = sonde_int(t, "a", 0, 1000);
        sonde_assume(t, a != 7);
        sonde_string(t, "s", 0, 5);
    }
}

static void guides_run_at_the_ends_of_their_ranges(void **state)
{
    (void)state;
    static const char *const names[] = {"auto", "cgpt", "target", "seeded", "rl", "zest", "rl-classic"};
    for (int is_max = 0; is_max <= 1; is_max++) {
        struct all_options all = {.is_max = is_max};
        sonde_knobs_each(set_to, &all);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            struct sonde_options options;
            sonde_options_default(&options);
            options.guide = names[i];
            options.guide_given = options.seed_given = options.tests_given = options.no_store = true;
            options.guide_options = all.text;
            options.seed = 1;
            options.runs = 2000;
            options.tests = 0;
            sonde_result result;
            sonde_property property = {.name = "three", .run = three};
            assert_int_equal(sonde_engine_run(&property, &options, NULL, 0, &result), SONDE_PASSED);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knobs_are_read_by_name),
        cmocka_unit_test(what_is_wrong_is_refused_with_its_range),
        cmocka_unit_test(every_knob_has_a_range_a_meaning_and_its_evidence),
        cmocka_unit_test(guides_run_at_the_ends_of_their_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
