/* Machines: which calls are made, what an assume takes back, what a script may ask for, how they shrink. */
#include "lib/cases.h"
#include "unit/shrinks_to.h"

#include "tape/text.h"

/* ---- A stack, which must not be popped while it is empty. */

struct stack {
    int items[100], n;
    int calls, looks; /* how often a rule was called, the invariant asked */
};

static struct stack seen; /* at the end of the last case */
static int starts, stops;

static bool is_filled(const void *world)
{
    return ((const struct stack *)world)->n > 0;
}

static void push(sonde *t, void *world)
{
    struct stack *s = world;
    int value = sonde_int(t, "value", 0, 9);
    s->items[s->n++] = value;
    s->calls++;
}

static void pop(sonde *t, void *world)
{
    struct stack *s = world;
    (void)t;
    assert_true(s->n > 0);
    s->n--;
    s->calls++;
}

/* Only even values are of interest. */
static void push_even(sonde *t, void *world)
{
    struct stack *s = world;
    int value = sonde_int(t, "value", 0, 9);
    sonde_assume(t, value % 2 == 0);
    s->items[s->n++] = value;
    s->calls++;
}

static void start(sonde *t, void *world)
{
    (void)t;
    (void)world;
    starts++;
}

static void look(sonde *t, void *world)
{
    struct stack *s = world;
    (void)t;
    assert_int_equal(s->looks++, s->calls); /* once before the first call, once after each */
}

static void stop(sonde *t, void *world)
{
    (void)t;
    seen = *(const struct stack *)world;
    stops++;
}

static const sonde_rule stack_rules[] = {SONDE_RULE(push), SONDE_RULE(pop, .when = is_filled), SONDE_RULE(push_even)};
static const sonde_machine stack = {
    .rules = stack_rules, .n_rules = 3, .size = sizeof(struct stack), .start = start, .always = look, .stop = stop};

static void drive_stack(sonde *t)
{
    sonde_drive(t, "calls", &stack);
}

/* Runs the property on the tape that a string describes; the guide chooses the rest. */
static enum sonde_verdict follow(sonde_property_fn *run, const char *text)
{
    struct sonde_tape script;
    sonde_tape_init(&script);
    assert_int_equal(sonde_tape_from_text(&script, &k.labels, text, strlen(text), NULL), 0);
    enum sonde_verdict verdict = cases_run(&k, run, &script);
    sonde_tape_clear(&script);
    return verdict;
}

static void assert_tape(const char *expected)
{
    char *text = sonde_tape_to_text(&k.t->tape, &k.labels);
    assert_string_equal(text, expected);
    sonde_free(text);
}

static void rules_are_called_only_where_they_apply(void **state)
{
    (void)state;
    int calls = 0;
    for (int i = 0; i < 500; i++) {
        starts = stops = 0;
        assert_int_equal(cases_run(&k, drive_stack, NULL), SONDE_VALID); /* nothing is discarded */
        assert_int_equal(starts, 1);
        assert_int_equal(stops, 1);
        calls += seen.calls;
    }
    assert_true(calls > 500 * 20);
}

static void a_call_that_became_impossible_is_left_out(void **state)
{
    (void)state;
    assert_int_equal(follow(drive_stack, "swarm=0 calls[{rule=1} {rule=0 value=3} {rule=1} {rule=1}]"), SONDE_VALID);
    assert_int_equal(seen.calls, 2);
    assert_tape("s1:swarm=0 calls[{rule=0-push value=3} {rule=1-pop}]");
}

/* The number decides: a token whose name is not a rule's still replays. */
static void the_name_of_a_rule_is_for_people(void **state)
{
    (void)state;
    const char *text = "swarm=0 calls[{rule=0-push value=3} {rule=0-no_such_rule value=4} {rule=1}]";
    assert_int_equal(follow(drive_stack, text), SONDE_VALID);
    assert_int_equal(seen.calls, 3);
    assert_tape("s1:swarm=0 calls[{rule=0-push value=3} {rule=0-push value=4} {rule=1-pop}]");
}

static void an_assume_takes_back_one_call(void **state)
{
    (void)state;
    const char *text = "swarm=0 calls[{rule=0 value=1} {rule=2 value=5} {rule=2 value=6}]";
    assert_int_equal(follow(drive_stack, text), SONDE_VALID);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(seen.items[1], 6);
    assert_tape("s1:swarm=0 calls[{rule=0-push value=1} {rule=2-push_even value=6}]");
}

/* Most calls are taken back, so that in many cases there are too many of them in a row. The first draw of the size is in such a
 * call, or in one that stays. */
static void push_seldom(sonde *t, void *world)
{
    struct stack *s = world;
    sonde_span(t, "argument");
    int size = sonde_size(t), value = sonde_int(t, "value", 0, 9);
    sonde_assume(t, value == 2);
    s->items[s->n++] = size;
    s->calls++;
}

static void drive_seldom(sonde *t)
{
    static const sonde_rule rules[] = {SONDE_RULE(push_seldom)};
    static const sonde_machine machine = {
        .rules = rules, .n_rules = 1, .size = sizeof(struct stack), .always = look, .stop = stop};
    sonde_drive(t, "calls", &machine);
}

static void drive_seldom_but_twice(sonde *t)
{
    static const sonde_rule rules[] = {SONDE_RULE(push_seldom)};
    static const sonde_machine machine = {
        .rules = rules, .n_rules = 1, .size = sizeof(struct stack), .stop = stop, .steps = {2, 9}};
    sonde_drive(t, "calls", &machine);
}

/* The tape of a case leads to the same case again, whether calls were taken back or not. */
static void run_again(sonde_property_fn *run)
{
    for (int i = 0; i < 200; i++) {
        struct sonde_tape tape, again;
        memset(&seen, 0, sizeof seen);
        if (cases_run(&k, run, NULL) == SONDE_DISCARDED) continue;
        assert_int_equal(k.t->verdict, SONDE_VALID);
        struct stack first = seen;
        sonde_tape_init(&tape);
        sonde_tape_init(&again);
        sonde_tape_copy(&tape, &k.t->tape);
        cases_run(&k, run, &tape); /* what was taken back is left out now */
        assert_memory_equal(&seen, &first, sizeof seen);
        uint64_t hash = sonde_case_hash(k.t);
        sonde_tape_copy(&again, &k.t->tape);
        cases_run(&k, run, &again);
        assert_memory_equal(&seen, &first, sizeof seen);
        assert_int_equal(sonde_tape_compare(&k.t->tape, &again), 0);
        assert_int_equal(sonde_case_hash(k.t), hash);
        sonde_tape_clear(&tape);
        sonde_tape_clear(&again);
    }
}

static void a_case_with_calls_taken_back_replays(void **state)
{
    (void)state;
    run_again(drive_stack);
    run_again(drive_seldom);
    run_again(drive_seldom_but_twice);
}

static void a_script_has_no_fewer_calls_than_the_machine(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        if (follow(drive_seldom_but_twice, "calls[{rule=0 argument{#size=3 value=2}} {rule=0 argument{value=7}}]")
            == SONDE_VALID)
            assert_int_equal(seen.calls, 2);
    }
}

static void push_and_fail(sonde *t, void *world)
{
    push(t, world);
    sonde_fail(t, "no");
}

static void drive_to_failure(sonde *t)
{
    static const sonde_rule rules[] = {SONDE_RULE(push_and_fail)};
    static const sonde_machine machine = {
        .rules = rules, .n_rules = 1, .size = sizeof(struct stack), .stop = stop, .steps = {1, 9}};
    sonde_drive(t, "calls", &machine);
}

static void a_machine_is_stopped_once_however_the_case_ends(void **state)
{
    (void)state;
    stops = 0;
    assert_int_equal(cases_run(&k, drive_to_failure, NULL), SONDE_FAILED);
    assert_int_equal(stops, 1);
    assert_int_equal(seen.calls, 1);
}

static void stop_without_failure(sonde *t, void *world)
{
    sonde_assume(t, ((struct stack *)world)->n == 0);
}

static void assume_behind_a_failure(sonde *t)
{
    static const sonde_rule rules[] = {SONDE_RULE(push_and_fail)};
    static const sonde_machine machine = {
        .rules = rules, .n_rules = 1, .size = sizeof(struct stack), .stop = stop_without_failure, .steps = {1, 9}};
    sonde_drive(t, "calls", &machine);
}

static void an_assume_of_cleaning_up_takes_back_no_call(void **state)
{
    (void)state;
    assert_int_equal(cases_run(&k, assume_behind_a_failure, NULL), SONDE_FAILED);
}

static void expect_no_world(sonde *t, void *world)
{
    (void)t;
    assert_null(world);
}

static void drive_without_world(sonde *t)
{
    static const sonde_rule rules[] = {SONDE_RULE(expect_no_world)};
    static const sonde_machine machine = {.rules = rules, .n_rules = 1, .start = expect_no_world, .steps = {1, 9}};
    sonde_drive(t, "calls", &machine);
}

static void a_world_without_a_size_is_null(void **state)
{
    (void)state;
    assert_int_equal(cases_run(&k, drive_without_world, NULL), SONDE_VALID);
}

static void a_case_whose_machine_can_do_nothing_ends(sonde *t)
{
    static const sonde_rule rules[] = {SONDE_RULE(pop, .when = is_filled, .rare = true)};
    static const sonde_machine machine = {.rules = rules, .n_rules = 1, .size = sizeof(struct stack)};
    sonde_drive(t, "calls", &machine);
}

static void where_no_rule_applies_the_calls_end(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++)
        assert_int_equal(cases_run(&k, a_case_whose_machine_can_do_nothing_ends, NULL), SONDE_VALID);
}

/* A call that drives a separate machine: an assume in there takes back the inner call. */
static void drive_inner(sonde *t, void *world)
{
    ((struct stack *)world)->calls++;
    sonde_drive(t, "inner", &stack);
}

static void drive_nested(sonde *t)
{
    static const sonde_rule rules[] = {SONDE_RULE(drive_inner)};
    static const sonde_machine machine = {
        .rules = rules, .n_rules = 1, .size = sizeof(struct stack), .steps = {2, 2}, .always = look};
    sonde_drive(t, "outer", &machine);
}

static void machines_nest(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        stops = 0;
        assert_int_equal(cases_run(&k, drive_nested, NULL), SONDE_VALID);
        assert_int_equal(stops, 2);
    }
}

static void learners_see_which_calls_came_before(void **state)
{
    (void)state;
    follow(drive_stack, "swarm=0 calls[{rule=0 value=1} {rule=0 value=1} {rule=0 value=1} {rule=1} {rule=0 value=1}]");
    const struct sonde_choice *c = k.t->tape.choices; /* swarm, length, then rule and value of each call */
    assert_int_equal(c[0].state, 0);
    assert_int_not_equal(c[2].state, c[4].state);
    assert_int_not_equal(c[4].state, c[6].state);
    assert_int_equal(c[6].state, c[7].state);
    assert_int_equal(c[6].state, c[8].state); /* two pushes before each */
    assert_int_not_equal(c[8].state, c[9].state);
}

/* ---- Pools */

static void use_pool(sonde *t)
{
    static int a, b, c;
    sonde_pool pool = {0};
    sonde_pool_add(t, &pool, &a);
    sonde_pool_add(t, &pool, &b);
    sonde_pool_add(t, &pool, &c);
    assert_ptr_equal(sonde_pool_pick(t, "newest", &pool), &c);
    assert_ptr_equal(sonde_pool_pick(t, "oldest", &pool), &a);
    assert_ptr_equal(sonde_pool_take(t, "middle", &pool), &b);
    assert_int_equal(pool.n, 2);
    assert_ptr_equal(sonde_pool_pick(t, "oldest", &pool), &a);
    assert_true(sonde_pool_remove(&pool, &a));
    assert_false(sonde_pool_remove(&pool, &a));
    assert_ptr_equal(pool.items[0], &c);
}

static void pools_are_picked_by_age(void **state)
{
    (void)state;
    assert_int_equal(follow(use_pool, "newest=0 oldest=2 middle=1 oldest=1"), SONDE_VALID);
}

/* ---- Misuse */

static void without_rules(sonde *t)
{
    sonde_drive(t, "calls", &(sonde_machine){.size = 1});
}

static void below_zero(sonde *t)
{
    sonde_drive(t, "calls", &(sonde_machine){.rules = stack_rules, .n_rules = 3, .steps = {-1, 5}});
}

static void backwards(sonde *t)
{
    sonde_drive(t, "calls", &(sonde_machine){.rules = stack_rules, .n_rules = 3, .steps = {6, 5}});
}

static void without_function(sonde *t)
{
    static const sonde_rule rules[] = {{.name = "push"}};
    sonde_drive(t, "calls", &(sonde_machine){.rules = rules, .n_rules = 1});
}

static void without_name(sonde *t)
{
    static const sonde_rule rules[] = {{.call = push}};
    sonde_drive(t, "calls", &(sonde_machine){.rules = rules, .n_rules = 1});
}

static void pick_from_nothing(sonde *t)
{
    sonde_pool pool = {0};
    sonde_pool_pick(t, "handle", &pool);
}

static void misuse_has_its_sentence(void **state)
{
    (void)state;
    assert_misuse(without_rules,
                  "sonde_drive(\"calls\"): the machine has no rules; give at least one, and set n_rules");
    assert_misuse(below_zero, "sonde_drive(\"calls\"): the range -1..5 of steps is below zero; give one from 0 on");
    assert_misuse(backwards, "sonde_drive(\"calls\"): the range 6..5 of steps is empty; min must not exceed max");
    assert_misuse(without_function, "sonde_drive(\"calls\"): rule \"push\" has no function to call; give one");
    assert_misuse(without_name,
                  "sonde_drive(\"calls\"): rule 0 has no name; give it the name of the call, or lower n_rules");
    assert_misuse(pick_from_nothing, "sonde_pool_pick(\"handle\"): the pool is empty; give the rule a .when that is "
                                     "false while the pool is empty");
}

static bool never(const void *world)
{
    (void)world;
    return false;
}

static void drive_with_idle_rule(sonde *t)
{
    static const sonde_rule rules[] = {SONDE_RULE(push), SONDE_RULE(pop, .when = never),
                                       SONDE_RULE(push_even, .when = never, .rare = true)};
    static const sonde_machine machine = {.rules = rules, .n_rules = 3, .size = sizeof(struct stack)};
    sonde_drive(t, "calls", &machine);
}

static void a_rule_that_never_applies_is_reported(void **state)
{
    (void)state;
    int cases = 1;
    while (cases_run(&k, drive_with_idle_rule, NULL) == SONDE_VALID && cases < 2000) cases++;
    assert_int_equal(cases, 1000);
    assert_int_equal(k.t->verdict, SONDE_MISUSE);
    assert_non_null(
        strstr(k.t->claim.message, "sonde_drive(\"calls\"): the rule \"pop\" never applies: its .when was"));
}

/* ---- Shrinking: the calls that matter, and the simplest arguments. */

static void pop_seventh(sonde *t, void *world)
{
    struct stack *s = world;
    sonde_check_ne(t, s->items[s->n - 1], 7);
    s->n--;
}

static void seven_is_popped(sonde *t)
{
    static const sonde_rule rules[] = {SONDE_RULE(push), SONDE_RULE(pop_seventh, .when = is_filled),
                                       SONDE_RULE(push_even)};
    static const sonde_machine machine = {.rules = rules, .n_rules = 3, .size = sizeof(struct stack)};
    sonde_drive(t, "calls", &machine);
}
SHRINKS(seven_is_popped, "swarm=0 calls[{rule=0-push value=7} {rule=1-pop_seventh}]")

/* Handles: one that was written and closed is used again. */
struct files {
    sonde_pool open, closed;
};

static bool has_open(const void *world)
{
    return ((const struct files *)world)->open.n > 0;
}

static bool has_closed(const void *world)
{
    return ((const struct files *)world)->closed.n > 0;
}

static void open_file(sonde *t, void *world)
{
    sonde_pool_add(t, &((struct files *)world)->open, sonde_new(t, int));
}

static void write_file(sonde *t, void *world)
{
    int *written = sonde_pool_pick(t, "file", &((struct files *)world)->open);
    *written = 1;
}

static void close_file(sonde *t, void *world)
{
    struct files *f = world;
    sonde_pool_add(t, &f->closed, sonde_pool_take(t, "file", &f->open));
}

static void use_closed(sonde *t, void *world)
{
    const int *written = sonde_pool_pick(t, "file", &((struct files *)world)->closed);
    sonde_check(t, !*written);
}

static void written_file_is_used(sonde *t)
{
    static const sonde_rule rules[] = {SONDE_RULE(open_file), SONDE_RULE(write_file, .when = has_open),
                                       SONDE_RULE(close_file, .when = has_open),
                                       SONDE_RULE(use_closed, .when = has_closed)};
    static const sonde_machine machine = {.rules = rules, .n_rules = 4, .size = sizeof(struct files)};
    sonde_drive(t, "calls", &machine);
}
SHRINKS(written_file_is_used, "swarm=0 calls[{rule=0-open_file} {rule=1-write_file file=0} {rule=2-close_file file=0} "
                              "{rule=3-use_closed file=0}]")

int main(void)
{
    const struct CMUnitTest tests[] = {
        case_test(rules_are_called_only_where_they_apply),
        case_test(a_call_that_became_impossible_is_left_out),
        case_test(the_name_of_a_rule_is_for_people),
        case_test(an_assume_takes_back_one_call),
        case_test(a_case_with_calls_taken_back_replays),
        case_test(a_script_has_no_fewer_calls_than_the_machine),
        case_test(a_machine_is_stopped_once_however_the_case_ends),
        case_test(an_assume_of_cleaning_up_takes_back_no_call),
        case_test(a_world_without_a_size_is_null),
        case_test(where_no_rule_applies_the_calls_end),
        case_test(machines_nest),
        case_test(learners_see_which_calls_came_before),
        case_test(pools_are_picked_by_age),
        case_test(misuse_has_its_sentence),
        case_test(a_rule_that_never_applies_is_reported),
        cmocka_unit_test(seven_is_popped_shrinks),
        cmocka_unit_test(written_file_is_used_shrinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
