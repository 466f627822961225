/* Histories of a register, written out, and drawn ones of six structures that are compared with every order of their calls. */
#include "case/linear.h"
#include "lib/mocka.h"
#include "lib/short.h"

#include <sonde/extend.h>
#include <string.h>

/* ---- A register: a call writes a value, or has read one. */

struct access {
    bool writes;
    int value;
};

static bool accesses(void *model, const void *call)
{
    int *value = model;
    const struct access *a = call;
    if (a->writes) *value = a->value;
    return *value == a->value;
}

static const struct access write_1 = {true, 1}, write_2 = {true, 2}, read_0 = {false, 0}, read_1 = {false, 1},
                           read_2 = {false, 2};

static bool holds(const struct sonde_linear_call *calls, size_t n)
{
    int zero = 0;
    return sonde_linear_judge(&(struct sonde_linear){.calls = calls, .n = n, .model = &zero, .size = sizeof zero})
           == SONDE_LINEAR_HOLDS;
}
#define HOLDS(...)                                                                                                     \
    holds((const struct sonde_linear_call[]){__VA_ARGS__},                                                             \
          sizeof(const struct sonde_linear_call[]){__VA_ARGS__} / sizeof(struct sonde_linear_call))
#define CALL(from, to, what)                                                                                           \
    {                                                                                                                  \
        from, to, &(what), accesses, NULL                                                                              \
    }

static void calls_that_overlap_may_have_either_order(void **state)
{
    (void)state;
    assert_true(HOLDS(CALL(0, 3, write_1), CALL(1, 2, read_0)));
    assert_true(HOLDS(CALL(0, 3, write_1), CALL(1, 2, read_1)));
    assert_false(HOLDS(CALL(0, 3, write_1), CALL(1, 2, read_2)));
}

static void one_that_has_returned_comes_first(void **state)
{
    (void)state;
    assert_false(HOLDS(CALL(0, 1, write_1), CALL(2, 3, read_0)));
    assert_true(HOLDS(CALL(0, 1, write_1), CALL(2, 3, read_1)));
}

/* After the write the set of calls is 1 and the model 3, after the read 2 and 0: 1 ^ 3 is 2 ^ 0. */
static void a_state_is_known_by_its_calls_and_its_model(void **state)
{
    static const struct access write_3 = {true, 3};
    (void)state;
    assert_true(HOLDS(CALL(0, 3, read_0), CALL(1, 2, write_3)));
}

static void two_readers_agree_on_the_order_of_writes(void **state)
{
    (void)state;
    assert_true(HOLDS(CALL(0, 9, write_1), CALL(1, 8, write_2), CALL(2, 3, read_1), CALL(4, 5, read_2)));
    assert_false(
        HOLDS(CALL(0, 9, write_1), CALL(1, 8, write_2), CALL(2, 3, read_1), CALL(4, 5, read_2), CALL(6, 7, read_1)));
}

/* Returns false: the result of the call is not known. */
static bool raises(void *model, const void *call)
{
    (void)call;
    ++*(int *)model;
    return false;
}

static bool waits_at_0(const void *model, const void *call)
{
    (void)call;
    return *(const int *)model == 0;
}

static void a_call_that_is_left_waits_in_the_model_too(void **state)
{
    (void)state;
    assert_true(HOLDS({0, SONDE_PENDING, &read_1, accesses, waits_at_0}, CALL(1, 2, read_0)));
    assert_false(HOLDS({0, SONDE_PENDING, &read_1, accesses, waits_at_0}, CALL(1, 2, write_1)));
    assert_true(HOLDS({0, SONDE_PENDING, &read_1, accesses, NULL}, CALL(1, 2, write_1)));
}

static void a_pending_call_may_have_happened_or_not(void **state)
{
    (void)state;
    assert_true(HOLDS(CALL(0, SONDE_PENDING, write_1), CALL(1, 2, read_0)));
    assert_true(HOLDS(CALL(0, SONDE_PENDING, write_1), CALL(1, 2, read_1)));
    assert_true(HOLDS(CALL(0, SONDE_PENDING, write_1)));
    assert_false(HOLDS(CALL(0, SONDE_PENDING, write_1), CALL(1, 2, read_1), CALL(3, 4, read_0)));
    assert_true(
        HOLDS({0, SONDE_PENDING, NULL, raises, NULL}, CALL(1, 2, read_1))); /* whatever it would have answered */
}

static void no_calls_hold(void **state)
{
    (void)state;
    assert_int_equal(sonde_linear_judge(&(struct sonde_linear){.n = 0}), SONDE_LINEAR_HOLDS);
}

/* Fifty writes of one value and a read of another that all overlap: without a memory, fifty factorial orders. */
static void what_was_tried_is_remembered(void **state)
{
    struct sonde_linear_call calls[51];
    (void)state;
    for (uint64_t i = 0; i < 50; i++)
        calls[i] =
            (struct sonde_linear_call){i < 16 ? i : 100 + i, i < 16 ? 50 + i : 200 + i, &write_1, accesses, NULL};
    for (uint64_t i = 16; i < 50; i++) calls[i].began = 1000 + 2 * i, calls[i].ended = calls[i].began + 1;
    calls[50] = (struct sonde_linear_call){0, 2000, &read_2, accesses, NULL};
    assert_false(holds(calls, 51));
    calls[50].call = &read_1;
    assert_true(holds(calls, 51));
}

/* ---- Drawn histories of six structures */

enum { CALLS = 10, NOTHING = -1 };

struct box {
    int n, items[CALLS];
};

enum { PUT, TAKE, LOOK, N_OPS };
struct deed {
    int op, key, value, answer;
};

static int do_register(struct box *m, const struct deed *c)
{
    if (c->op == PUT) m->items[0] = c->value;
    return m->items[0];
}

static int do_counter(struct box *m, const struct deed *c)
{
    return m->items[0] += c->op == LOOK ? 0 : c->key;
}

static int do_queue(struct box *m, const struct deed *c)
{
    if (c->op == PUT) return m->items[m->n++] = c->value;
    if (!m->n) return NOTHING;
    int first = m->items[0];
    if (c->op == LOOK) return first;
    memmove(m->items, m->items + 1, (size_t)--m->n * sizeof *m->items);
    m->items[m->n] = 0;
    return first;
}

static int do_stack(struct box *m, const struct deed *c)
{
    if (c->op == PUT) return m->items[m->n++] = c->value;
    if (!m->n) return NOTHING;
    int last = m->items[m->n - 1];
    if (c->op == TAKE) m->items[--m->n] = 0;
    return last;
}

static int do_set(struct box *m, const struct deed *c)
{
    int had = m->items[c->key];
    if (c->op != LOOK) m->items[c->key] = c->op == PUT;
    return had;
}

static int do_map(struct box *m, const struct deed *c)
{
    if (c->op == PUT) m->items[c->key] = c->value;
    return m->items[c->key];
}

#define AGREES(name)                                                                                                   \
    static bool name##_agrees(void *model, const void *call)                                                           \
    {                                                                                                                  \
        return do_##name(model, call) == ((const struct deed *)call)->answer;                                          \
    }
AGREES(register)
AGREES(counter)
AGREES(queue)
AGREES(stack)
AGREES(set)
AGREES(map)

static bool waits_for_items(const void *model, const void *call)
{
    return ((const struct deed *)call)->op == TAKE && ((const struct box *)model)->n == 0;
}

static uint64_t item_of(const void *call)
{
    int answer = ((const struct deed *)call)->answer;
    return answer == NOTHING ? 0 : (uint64_t)answer + 1;
}

static uint64_t key_of(const void *call)
{
    return (uint64_t)((const struct deed *)call)->key + 1;
}

static uint64_t entry_of(const void *call)
{
    return key_of(call) << 32 | (uint32_t)((const struct deed *)call)->answer;
}

static const struct kind {
    int (*act)(struct box *m, const struct deed *c);
    bool (*agrees)(void *model, const void *call);
    bool (*waits)(const void *model, const void *call);
    uint64_t (*value)(const void *call);
} kinds[] = {{do_register, register_agrees, NULL, item_of},
             {do_counter, counter_agrees, NULL, NULL},
             {do_queue, queue_agrees, waits_for_items, item_of},
             {do_stack, stack_agrees, waits_for_items, item_of},
             {do_set, set_agrees, NULL, key_of},
             {do_map, map_agrees, NULL, entry_of}};

struct drawn {
    struct deed deeds[CALLS];
    struct sonde_linear_call calls[CALLS];
    struct box model;
    size_t n;
};

/* Every order, without any memory. */
static bool has_an_order(const struct drawn *d, unsigned done, const struct box *model)
{
    bool is_over = true;
    uint64_t first_end = SONDE_PENDING;
    for (size_t i = 0; i < d->n; i++)
        if (!(done >> i & 1) && d->calls[i].ended < first_end) first_end = d->calls[i].ended;
    for (size_t i = 0; i < d->n; i++) {
        const struct sonde_linear_call *c = &d->calls[i];
        if (done >> i & 1) continue;
        is_over &= first_end == SONDE_PENDING && (!c->waits || c->waits(model, c->call));
        if (c->began > first_end || (c->ended == SONDE_PENDING && c->waits)) continue;
        struct box next = *model;
        bool agrees = c->agrees(&next, c->call);
        if ((agrees || c->ended == SONDE_PENDING) && has_an_order(d, done | 1U << i, &next)) return true;
    }
    return is_over;
}

static struct deed draw_deed(struct sonde_rng *rng, bool is_distinct, uint64_t clock)
{
    return (struct deed){.op = (int)sonde_rng_upto(rng, N_OPS - 1),
                         .key = (int)sonde_rng_upto(rng, 2),
                         .value = is_distinct ? (int)clock : 1 + (int)sonde_rng_upto(rng, 2)};
}

/* Each call acts at a moment between its beginning and its end; the last of a thread may be pending, having acted or not. */
static void draw_history(struct drawn *d, const struct kind *kind, struct sonde_rng *rng)
{
    enum { IDLE, BEGUN, DONE, STUCK } state[4] = {IDLE};
    size_t current[4] = {0}, threads = 1 + sonde_rng_upto(rng, 3), n = sonde_rng_upto(rng, threads > 3 ? 7 : CALLS);
    bool is_distinct = sonde_rng_upto(rng, 1), may_wait = kind->waits && sonde_rng_upto(rng, 1),
         may_stick = !may_wait && sonde_rng_upto(rng, 3) == 0;
    struct box model;
    *d = (struct drawn){.n = 0};
    for (uint64_t i = sonde_rng_upto(rng, 2); i-- > 0;) kind->act(&d->model, &(struct deed){.value = 50 + (int)i});
    model = d->model;
    for (uint64_t clock = 1; clock < 200; clock++) {
        size_t i = sonde_rng_upto(rng, threads - 1);
        struct deed *c = &d->deeds[current[i]];
        if (may_stick && (state[i] == BEGUN || state[i] == DONE) && sonde_rng_upto(rng, 9) == 0) state[i] = STUCK;
        else if (state[i] == IDLE && d->n < n) {
            current[i] = d->n++;
            d->deeds[current[i]] = draw_deed(rng, is_distinct, clock);
            d->calls[current[i]] = (struct sonde_linear_call){.began = clock,
                                                              .ended = SONDE_PENDING,
                                                              .call = &d->deeds[current[i]],
                                                              .agrees = kind->agrees,
                                                              .waits = may_wait ? kind->waits : NULL};
            state[i] = BEGUN;
        } else if (state[i] == BEGUN && !(may_wait && waits_for_items(&model, c))) {
            c->answer = kind->act(&model, c);
            state[i] = DONE;
        } else if (state[i] == DONE) {
            d->calls[current[i]].ended = clock;
            state[i] = IDLE;
        }
    }
}

/* Another answer for some calls, often one that another call had; or a call that is pending for no reason. */
static void damage(struct drawn *d, struct sonde_rng *rng)
{
    if (d->n && sonde_rng_upto(rng, 7) == 0) d->calls[sonde_rng_upto(rng, d->n - 1)].ended = SONDE_PENDING;
    else if (d->n) {
        struct deed *c = &d->deeds[sonde_rng_upto(rng, d->n - 1)];
        c->answer =
            sonde_rng_upto(rng, 3) ? d->deeds[sonde_rng_upto(rng, d->n - 1)].answer : (int)sonde_rng_upto(rng, 4) - 1;
    }
    if (sonde_rng_upto(rng, 3) == 0) damage(d, rng);
}

static void check_drawn(const struct drawn *d, const struct kind *kind, bool wanted)
{
    struct sonde_linear h = {.calls = d->calls, .n = d->n, .model = &d->model, .size = sizeof d->model, .patience = 1};
    enum sonde_linear_verdict verdict = wanted ? SONDE_LINEAR_HOLDS : SONDE_LINEAR_FAILS;
    assert_int_equal(sonde_linear_judge(&h), verdict);
    h.patience = 0;
    assert_int_equal(sonde_linear_judge(&h), verdict);
    if (d->model.n == 0) h.value = kind->value; /* what was there before is taken by calls that cannot be left out */
    assert_int_equal(sonde_linear_judge(&h), verdict);
    h.patience = 1;
    assert_int_equal(sonde_linear_judge(&h), verdict);
}

static void drawn_histories_are_judged_as_by_every_order(void **state)
{
    struct sonde_rng rng;
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t n = is_short() ? 200 : 4000, n_held = 0;
        sonde_rng_seed(&rng, 1, k);
        for (size_t i = 0; i < n; i++) {
            struct drawn d;
            draw_history(&d, &kinds[k], &rng);
            if (i % 3) damage(&d, &rng);
            bool wanted = has_an_order(&d, 0, &d.model);
            if (i % 3 == 0) assert_true(wanted);
            n_held += wanted;
            check_drawn(&d, &kinds[k], wanted);
        }
        assert_in_range(n_held, n / 3 + n / 10, n - n / 10); /* both verdicts were asked for */
    }
}

/* The number of items is about all values. */
static uint64_t op_of(const void *call)
{
    return (uint64_t)((const struct deed *)call)->op + 1;
}

static void a_value_that_cannot_be_left_out_is_a_mistake(void **state)
{
    static const struct deed deeds[] = {{PUT, 0, 7, 7}, {TAKE, 0, 0, 7}};
    struct sonde_linear_call calls[] = {{0, 1, &deeds[0], queue_agrees, NULL}, {2, 3, &deeds[1], queue_agrees, NULL}};
    struct box empty = {.n = 0};
    struct sonde_linear h = {.calls = calls, .n = 2, .model = &empty, .size = sizeof empty, .value = item_of};
    (void)state;
    assert_int_equal(sonde_linear_judge(&h), SONDE_LINEAR_HOLDS);
    h.value = op_of;
    assert_int_equal(sonde_linear_judge(&h), SONDE_LINEAR_MISTAKEN);
    calls[1].ended = SONDE_PENDING; /* it is not known what the call took */
    assert_int_equal(sonde_linear_judge(&h), SONDE_LINEAR_HOLDS);
}

/* Ten puts that overlap, then ten takes in the order of their ends, the last of which took a value that no call has
 * put. Without the help of values each order of the puts is another queue. */
static void values_tell_at_once_what_orders_tell_late(void **state)
{
    struct deed deeds[2 * CALLS];
    struct sonde_linear_call calls[2 * CALLS];
    struct box empty = {.n = 0};
    struct sonde_linear h = {.calls = calls, .n = 2 * CALLS, .model = &empty, .size = sizeof empty, .value = item_of};
    (void)state;
    for (int i = 0; i < 2 * CALLS; i++) {
        bool puts = i < CALLS;
        uint64_t time = (uint64_t)i;
        deeds[i] = (struct deed){.op = puts ? PUT : TAKE, .value = 20 - i, .answer = puts ? 20 - i : i + 1};
        calls[i] = (struct sonde_linear_call){puts ? time : 100 + 2 * time, puts ? 50 + time : 101 + 2 * time,
                                              &deeds[i], queue_agrees, NULL};
    }
    assert_int_equal(sonde_linear_judge(&h), SONDE_LINEAR_HOLDS);
    deeds[2 * CALLS - 1].answer = 30;
    assert_int_equal(sonde_linear_judge(&h), SONDE_LINEAR_FAILS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_that_overlap_may_have_either_order),
        cmocka_unit_test(one_that_has_returned_comes_first),
        cmocka_unit_test(a_state_is_known_by_its_calls_and_its_model),
        cmocka_unit_test(two_readers_agree_on_the_order_of_writes),
        cmocka_unit_test(a_pending_call_may_have_happened_or_not),
        cmocka_unit_test(a_call_that_is_left_waits_in_the_model_too),
        cmocka_unit_test(no_calls_hold),
        cmocka_unit_test(what_was_tried_is_remembered),
        cmocka_unit_test(drawn_histories_are_judged_as_by_every_order),
        cmocka_unit_test(a_value_that_cannot_be_left_out_is_a_mistake),
        cmocka_unit_test(values_tell_at_once_what_orders_tell_late),
    };
    return cmocka_run_group_tests_name("linear", tests, NULL, NULL);
}
