/* The engine through its outcomes: what a run of one property tells, whatever the property does. */
#include "lib/mocka.h"

#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A listener that keeps what it must */

struct listener {
    struct sonde_reporter base;
    enum sonde_outcome outcome;
    enum sonde_stop stopped;
    char message[1024], warning[1024];
    char failure[8192], kind[16], token[4096], notes[1024];
    uint64_t original_size, size, shrink_calls, tests_to_failure;
    size_t n_failures;
    unsigned begun, ended, found;
    bool flaky;
};

static void keep(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", text ? text : "");
}

static void listen(struct sonde_reporter *reporter, const struct sonde_event *event)
{
    struct listener *l = (struct listener *)reporter;
    l->begun += event->kind == SONDE_EVENT_PROPERTY_BEGIN;
    l->found += event->kind == SONDE_EVENT_FOUND;
    if (event->kind != SONDE_EVENT_PROPERTY_END) return;
    const struct sonde_report *r = event->report;
    l->ended++;
    l->outcome = r->outcome;
    l->stopped = r->stopped;
    l->n_failures = r->n_failures;
    keep(l->message, sizeof l->message, r->message);
    keep(l->warning, sizeof l->warning, r->warning);
    if (!r->n_failures) return;
    const struct sonde_failure *f = &r->failures[0];
    keep(l->failure, sizeof l->failure, f->message);
    keep(l->kind, sizeof l->kind, f->kind);
    keep(l->token, sizeof l->token, f->token);
    keep(l->notes, sizeof l->notes, f->notes);
    l->original_size = f->original_size;
    l->size = f->tape ? f->tape->n_choices : 0;
    l->shrink_calls = f->shrink_calls;
    l->tests_to_failure = f->tests_to_failure;
    l->flaky = f->flaky;
}

static struct listener heard;
static struct sonde_options options;
static sonde_property property;
static sonde_result result;

static int init(void **state)
{
    (void)state;
    sonde_options_default(&options);
    options.seed = 1;
    options.seed_given = true;
    options.tests = 1000;
    options.tests_given = true;
    options.isolation = SONDE_ISOLATE_NONE;
    options.no_store = true;
    property = (sonde_property){.name = "property"};
    return 0;
}

static enum sonde_status run(sonde_property_fn *body)
{
    struct sonde_reporter *reporter = &heard.base;
    memset(&heard, 0, sizeof heard);
    heard.base.event = listen;
    property.run = body;
    enum sonde_status status = sonde_engine_run(&property, &options, &reporter, 1, &result);
    assert_int_equal(heard.begun, 1);
    assert_int_equal(heard.ended, 1);
    assert_int_equal(result.status, status);
    return status;
}

/* ---- Outcomes */

static void pass(sonde *t)
{
    sonde_int(t, "x", 0, 1000000);
}

static void a_property_that_holds_passes(void **state)
{
    (void)state;
    assert_int_equal(run(pass), SONDE_PASSED);
    assert_int_equal(heard.outcome, SONDE_OUTCOME_PASSED);
    assert_int_equal(result.valid, 1000);
    assert_string_equal(result.message, "");
    assert_string_equal(result.token, "");
}

static void small(sonde *t)
{
    sonde_int(t, "a", 0, 10);
    sonde_int(t, "b", 0, 10);
    sonde_int(t, "c", 0, 10);
}

static void all_inputs_tried_is_a_proof(void **state)
{
    (void)state;
    options.guide = "enumerate";
    options.tests = 10000;
    assert_int_equal(run(small), SONDE_PASSED);
    assert_int_equal(heard.outcome, SONDE_OUTCOME_EXHAUSTED);
    assert_true(result.exhausted);
    assert_int_equal(result.tests, 1331);
}

static void large_sum(sonde *t)
{
    int sum = 0;
    sonde_list xs = sonde_list_of(t, "xs", 0, 50);
    while (sonde_more(&xs)) sum += sonde_int(t, "x", 0, 100);
    sonde_note(t, "the sum is %d", sum);
    sonde_check(t, sum < 150);
}

static void a_failure_is_shrunk_and_told(void **state)
{
    (void)state;
    assert_int_equal(run(large_sum), SONDE_FALSIFIED);
    assert_int_equal(heard.outcome, SONDE_OUTCOME_FALSIFIED);
    assert_int_equal(heard.found, 1);
    assert_string_equal(heard.kind, "check");
    assert_string_equal(heard.failure, "sum < 150 does not hold");
    assert_string_equal(heard.token, "s1:xs[{x=50} {x=100}] ?");
    assert_string_equal(result.token, heard.token);
    assert_string_equal(heard.notes, "the sum is 150\n");
    assert_int_equal(heard.size, 3);
    assert_true(heard.original_size > heard.size);
    assert_true(heard.shrink_calls > 0);
}

static void without_shrinking_the_input_is_told_as_found(void **state)
{
    (void)state;
    options.shrink = false;
    options.fail_fast = true;
    assert_int_equal(run(large_sum), SONDE_FALSIFIED);
    assert_int_equal(heard.size, heard.original_size);
    assert_int_equal(heard.shrink_calls, 0);
}

static void a_token_replays_its_failure(void **state)
{
    (void)state;
    options.replay = "s1:xs[{x=50} {x=100}]";
    assert_int_equal(run(large_sum), SONDE_FALSIFIED);
    assert_int_equal(result.tests, 1);
    options.replay = "s1:xs[{x=99} {x=98}] ?";
    assert_int_equal(run(large_sum), SONDE_FALSIFIED);
    assert_string_equal(heard.token, options.replay); /* what was asked for, not something simpler */
    options.replay = "s1:xs[{x=50} {x=99}]";
    assert_int_equal(run(large_sum), SONDE_PASSED);
    assert_int_equal(result.tests, 1);
}

static void a_bad_token_is_misuse(void **state)
{
    (void)state;
    options.replay = "s1:xs[{x=50}";
    assert_int_equal(run(large_sum), SONDE_USAGE);
    assert_int_equal(heard.outcome, SONDE_OUTCOME_ERROR);
    assert_non_null(strstr(heard.message, "the replay token cannot be read"));
    assert_non_null(strstr(heard.message, "Paste it whole, in single quotes"));
    options.replay = "@no/such/file";
    assert_int_equal(run(large_sum), SONDE_USAGE);
    assert_non_null(strstr(heard.message, "'no/such/file' cannot be read: No such file or directory"));
    options.replay = "@.";
    assert_int_equal(run(large_sum), SONDE_USAGE);
    assert_non_null(strstr(heard.message, "'.' cannot be read: it is a directory"));
}

static void examples_run_first(void **state)
{
    (void)state;
    static const char *const examples[] = {"xs[]", "xs[{x=100} {x=100} {x=3}]", NULL};
    property.examples = examples;
    assert_int_equal(run(large_sum), SONDE_FALSIFIED);
    assert_int_equal(heard.tests_to_failure, 2);
}

static void a_bad_example_is_misuse(void **state)
{
    (void)state;
    static const char *const examples[] = {"xs[", NULL};
    property.examples = examples;
    assert_int_equal(run(large_sum), SONDE_USAGE);
}

static void discard_all(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000000);
    sonde_assume(t, x >= 0);
    sonde_assume(t, x < 0);
}

static void giving_up_names_the_assumption(void **state)
{
    (void)state;
    options.max_discards = 1;
    assert_int_equal(run(discard_all), SONDE_GAVE_UP);
    assert_non_null(strstr(heard.message, "none of 1,001 inputs was valid."));
    assert_non_null(strstr(heard.message, "engine_test.c:"));
    assert_non_null(strstr(heard.message, "the precondition x < 0 discarded 1,001; draw values that meet it"));
}

static void too_many(sonde *t)
{
    sonde_list xs = sonde_list_of(t, "xs", 1000000000, 1000000000);
    while (sonde_more(&xs)) sonde_bool(t, "x");
}

static void too_much(sonde *t)
{
    for (;;) sonde_alloc(t, 1 << 28);
}

static void giving_up_names_what_there_was_too_much_of(void **state)
{
    (void)state;
    options.max_discards = 1;
    options.tests = 10;
    options.max_choices = 100;
    assert_int_equal(run(too_many), SONDE_GAVE_UP);
    assert_non_null(strstr(heard.message, "needed more spans than a case may use"));
    assert_non_null(strstr(heard.message, "raise --max-choices (now 100)"));
    options.tests = 1;
    options.timeout_cpu = options.timeout_wall = 0; /* much memory takes a sanitizer or a busy machine much time */
    assert_int_equal(run(too_much), SONDE_GAVE_UP);
    assert_non_null(strstr(heard.message, "needed more memory than a case may use"));
    assert_null(strstr(heard.message, "--max-choices"));
}

static void misuse(sonde *t)
{
    sonde_close(t, "tree");
}

static void misuse_is_told_in_its_words(void **state)
{
    (void)state;
    assert_int_equal(run(misuse), SONDE_USAGE);
    assert_int_equal(heard.outcome, SONDE_OUTCOME_ERROR);
    assert_non_null(strstr(heard.message, "sonde_close(\"tree\"): no span is open; call sonde_open first"));
    assert_non_null(strstr(result.message, "no span is open"));
}

/* ---- Doubtful properties */

static int calls;

static void fail_every_other_time(sonde *t)
{
    sonde_int(t, "x", 0, 9);
    sonde_check(t, ++calls % 2);
}

static void a_failure_that_does_not_come_back_is_flaky(void **state)
{
    (void)state;
    calls = 0;
    options.fail_fast = true;
    assert_int_equal(run(fail_every_other_time), SONDE_FALSIFIED);
    assert_int_equal(heard.outcome, SONDE_OUTCOME_FLAKY);
    assert_true(heard.flaky);
}

static void forgetful(sonde *t)
{
    if (++calls % 2) sonde_int(t, "x", 0, 9);
    else sonde_bool(t, "y");
}

static void no_proof_for_a_property_that_is_not_deterministic(void **state)
{
    (void)state;
    calls = 0;
    options.guide = "enumerate";
    assert_int_equal(run(forgetful), SONDE_PASSED);
    assert_int_equal(heard.outcome, SONDE_OUTCOME_PASSED);
    assert_non_null(strstr(heard.warning, "the property is not deterministic"));
}

/* ---- Cover */

static void cover_little(sonde *t)
{
    sonde_cover(t, 50, sonde_int(t, "x", 0, 9) == 0, "zero");
}

static void cover_enough(sonde *t)
{
    sonde_cover(t, 30, sonde_bool(t, "x"), "yes");
    sonde_int(t, "y", 0, 1000000);
}

static void a_missed_cover_claim_falsifies(void **state)
{
    (void)state;
    options.tests = 5000;
    options.guide = "uniform";
    assert_int_equal(run(cover_little), SONDE_FALSIFIED);
    assert_string_equal(heard.kind, "cover");
    assert_non_null(strstr(heard.failure, "\"zero\" is wanted in at least 50 %"));
    assert_int_equal(run(cover_enough), SONDE_PASSED);
    options.guide = "random";
    assert_int_equal(run(cover_enough), SONDE_PASSED);
}

/* ---- Settings */

static int set_ups, tear_downs;

static void count_set_up(void *context)
{
    set_ups += *(int *)context;
}

static void count_tear_down(void *context)
{
    tear_downs += *(int *)context;
}

static void a_worker_is_set_up_and_torn_down_once(void **state)
{
    (void)state;
    int one = 1;
    set_ups = tear_downs = 0;
    property.context = &one;
    property.worker_setup = count_set_up;
    property.worker_teardown = count_tear_down;
    run(large_sum);
    assert_int_equal(set_ups, 1);
    assert_int_equal(tear_downs, 1);
}

static void the_property_has_settings_of_its_own(void **state)
{
    (void)state;
    options.tests_given = false;
    property.tests = 123;
    property.guide = "uniform";
    run(pass);
    assert_int_equal(result.valid, 123);
    options.tests_given = true;
    run(pass);
    assert_int_equal(result.valid, 1000); /* the command line wins */
}

/* A condition can be as long as its source text. */
static void say_condition(sonde *t)
{
    static char condition[20000];
    memset(condition, 'c', sizeof condition - 1);
    sonde_compare_(t, sonde_box_int_(1), SONDE_EQ_, sonde_box_int_(2), sonde_where_at_("long.c", 1, condition));
}

static void a_long_condition_is_told_as_far_as_there_is_room(void **state)
{
    (void)state;
    options.fail_fast = true;
    assert_int_equal(run(say_condition), SONDE_FALSIFIED);
    assert_true(strlen(heard.failure) > 1000);
}

static void assume_condition(sonde *t)
{
    static char condition[20000];
    memset(condition, 'c', sizeof condition - 1);
    sonde_discard_(t, "long.c", 1, condition);
}

static void a_long_assumption_too(void **state)
{
    (void)state;
    options.max_discards = 1;
    assert_int_equal(run(assume_condition), SONDE_GAVE_UP);
}

static void draw_nothing(sonde *t)
{
    (void)t;
}

static void a_property_without_draws_is_one_test(void **state)
{
    (void)state;
    options.guide = "enumerate";
    assert_int_equal(run(draw_nothing), SONDE_PASSED);
    assert_int_equal(heard.outcome, SONDE_OUTCOME_EXHAUSTED);
    assert_int_equal(result.tests, 1);
}

#define engine_test(test) cmocka_unit_test_setup(test, init)

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_test(a_property_that_holds_passes),
        engine_test(all_inputs_tried_is_a_proof),
        engine_test(a_failure_is_shrunk_and_told),
        engine_test(without_shrinking_the_input_is_told_as_found),
        engine_test(a_token_replays_its_failure),
        engine_test(a_bad_token_is_misuse),
        engine_test(examples_run_first),
        engine_test(a_bad_example_is_misuse),
        engine_test(giving_up_names_the_assumption),
        engine_test(giving_up_names_what_there_was_too_much_of),
        engine_test(misuse_is_told_in_its_words),
        engine_test(a_failure_that_does_not_come_back_is_flaky),
        engine_test(no_proof_for_a_property_that_is_not_deterministic),
        engine_test(a_missed_cover_claim_falsifies),
        engine_test(a_worker_is_set_up_and_torn_down_once),
        engine_test(the_property_has_settings_of_its_own),
        engine_test(a_long_condition_is_told_as_far_as_there_is_room),
        engine_test(a_long_assumption_too),
        engine_test(a_property_without_draws_is_one_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
