/* From what a search found to what is reported: is it firm, what does it need, how small is it, how often did it come? */
#include "lib/mocka.h"
#include "lib/searches.h"

#include "engine/engine.h"
#include "engine/phases/sequence.h"

#include <stdio.h>
#include <string.h>

/* The parts of a report that the tests look at. */
struct kept {
    char token[256], message[256];
    uint64_t hits;
    uint32_t earlier;
    bool flaky;
};

static struct {
    struct sonde_reporter base;
    enum sonde_outcome outcome;
    struct kept failures[4];
    size_t n;
    unsigned settled, found;
} heard;

static struct sonde_options options;

static void listen(struct sonde_reporter *reporter, const struct sonde_event *event)
{
    (void)reporter;
    heard.settled += event->kind == SONDE_EVENT_SETTLED;
    heard.found += event->kind == SONDE_EVENT_FOUND;
    if (event->kind != SONDE_EVENT_PROPERTY_END) return;
    heard.outcome = event->report->outcome;
    heard.n = event->report->n_failures;
    for (size_t i = 0; i < heard.n && i < 4; i++) {
        const struct sonde_failure *f = &event->report->failures[i];
        heard.failures[i] = (struct kept){.hits = f->hits, .earlier = (uint32_t)f->earlier, .flaky = f->flaky};
        snprintf(heard.failures[i].token, sizeof heard.failures[i].token, "%s", f->token);
        snprintf(heard.failures[i].message, sizeof heard.failures[i].message, "%s", f->message);
    }
}

static int init(void **state)
{
    (void)state;
    options = searches_options("uniform", 1, 3000);
    options.seed_given = options.tests_given = true;
    options.fail_fast = false;
    options.keep_going = true;
    options.no_store = true;
    options.isolation = SONDE_ISOLATE_WORKER;
    memset(&heard, 0, sizeof heard);
    heard.base.event = listen;
    return 0;
}

static void run(sonde_property_fn *body)
{
    sonde_property property = {.name = "property", .run = body};
    struct sonde_reporter *reporters[] = {&heard.base};
    sonde_engine_run(&property, &options, reporters, 1, NULL);
}

static const struct kept *failure_with(const char *text)
{
    for (size_t i = 0; i < heard.n; i++)
        if (strstr(heard.failures[i].message, text)) return &heard.failures[i];
    fail_msg("no failure is about '%s'", text);
    return NULL;
}

static void often_and_rarely(sonde *t)
{
    int x = sonde_int(t, "x", 0, 999);
    if (x >= 990) sonde_fail(t, "rarely");
    if (x >= 500) sonde_fail(t, "often");
}

static void a_failure_is_shrunk_and_firm(void **state)
{
    (void)state;
    run(often_and_rarely);
    assert_int_equal(heard.n, 2);
    assert_int_equal(heard.outcome, SONDE_OUTCOME_FALSIFIED);
    assert_string_equal(failure_with("often")->token, "s1:x=500 ?");
    assert_string_equal(failure_with("rarely")->token, "s1:x=990 ?");
    assert_false(failure_with("often")->flaky || failure_with("rarely")->flaky);
    assert_int_equal(failure_with("often")->earlier, 0);
}

/* The hits that a run without --fuzz reports are the hits of the search. */
static void hits_belong_to_their_failure_whenever_it_was_settled(void **state)
{
    (void)state;
    run(often_and_rarely);
    uint64_t often = failure_with("often")->hits, rarely = failure_with("rarely")->hits;
    assert_true(often > 20 * rarely && rarely > 1);
    init(NULL);
    options.fuzz = true;
    run(often_and_rarely);
    assert_int_equal(heard.n, 2); /* each once, on the way or at the end */
    assert_int_equal(heard.found, 2);
    assert_int_equal(failure_with("often")->hits, often);
    assert_int_equal(failure_with("rarely")->hits, rarely);
}

/* Nothing that a case does can be seen by the next, except in this process. */
static int count;

static void third_of_a_row(sonde *t)
{
    int x = sonde_int(t, "x", 0, 9);
    count += x > 0;
    sonde_check(t, count < 3);
}

static void cases_before_it_are_kept_where_a_failure_needs_them(void **state)
{
    (void)state;
    options.runs = 20;
    count = 0;
    run(third_of_a_row);
    assert_int_equal(heard.outcome, SONDE_OUTCOME_FALSIFIED);
    assert_int_equal(heard.failures[0].earlier, 2);
    assert_string_equal(heard.failures[0].token, "s1:x=1 ; s1:x=1 ; s1:x=1 ?");
}

/* Fails once in the life of the machine, so to speak: what it counts is kept in a file that all workers share. */
static FILE *shared;

static void once(sonde *t)
{
    int x = sonde_int(t, "x", 0, 9);
    char seen = 0;
    rewind(shared);
    bool has_failed = fread(&seen, 1, 1, shared) == 1;
    if (x < 5 || has_failed) return;
    fputc('x', shared);
    fflush(shared);
    sonde_fail(t, "once");
}

static void a_failure_that_does_not_come_back_is_flaky_and_as_it_was_found(void **state)
{
    (void)state;
    options.runs = 50;
    shared = tmpfile();
    assert_non_null(shared);
    run(once);
    fclose(shared);
    assert_int_equal(heard.outcome, SONDE_OUTCOME_FLAKY);
    assert_true(heard.failures[0].flaky);
    assert_int_equal(heard.failures[0].earlier, 0);
    assert_int_equal(heard.failures[0].hits, 1);
    assert_true(heard.failures[0].token[5] >= '5'); /* nothing smaller was taken */
}

/* ---- The history of a shrink */

static void add_tape(struct sonde_history *h, uint64_t index)
{
    struct sonde_tape tape;
    sonde_tape_init(&tape);
    sonde_tape_begin(&tape);
    sonde_tape_add(&tape, &(struct sonde_choice){.kind = SONDE_KIND_UINT, .max = 1000, .index = index});
    sonde_tape_end(&tape);
    sonde_history_add(h, &tape);
    sonde_tape_clear(&tape);
}

/* A second shrink of a hang begins with a larger tape than the first ended with. */
static void a_history_stays_in_order_when_a_shrink_is_repeated(void **state)
{
    (void)state;
    static struct sonde_history h;
    sonde_history_init(&h);
    for (uint64_t i = 900; i > 700; i--) add_tape(&h, i);
    for (uint64_t i = 850; i > 600; i -= 7) add_tape(&h, i);
    assert_true(h.n > 10 && h.n <= SONDE_HISTORY_MAX);
    assert_int_equal(h.tapes[0].choices[0].index, 900);
    for (uint32_t i = 1; i < h.n; i++) assert_true(sonde_tape_compare(&h.tapes[i], &h.tapes[i - 1]) < 0);
    sonde_history_clear(&h);
}

#define TEST(f) cmocka_unit_test_setup(f, init)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_failure_is_shrunk_and_firm),
        TEST(hits_belong_to_their_failure_whenever_it_was_settled),
        TEST(cases_before_it_are_kept_where_a_failure_needs_them),
        TEST(a_failure_that_does_not_come_back_is_flaky_and_as_it_was_found),
        cmocka_unit_test(a_history_stays_in_order_when_a_shrink_is_repeated),
    };
    return cmocka_run_group_tests_name("confirm", tests, NULL, NULL);
}
