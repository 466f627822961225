/* The exchange between jobs: tapes come out as they went in, in order; a reader that was overtaken knows; and whatever a
 * writer's death leaves behind can be read. */
#include "lib/mocka.h"

#include "base/heap.h"
#include "engine/search/exchange.h"
#include "lib/tapes.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A tape of n choices that differs from others, and can be checked. */
static void fill(struct tapes *b, uint32_t n, uint32_t number)
{
    tapes_begin(b);
    tapes_open(b, "list", SONDE_SPAN_LIST);
    for (uint32_t i = 0; i < n; i++) tapes_int(b, "x", 0, 1 << 30, number + i);
    tapes_close(b);
    sonde_tape_end(&b->tape);
}

static void put(struct sonde_outbox *box, uint32_t n, uint32_t number)
{
    struct tapes b;
    fill(&b, n, number);
    sonde_outbox_put(box, &b.tape);
    tapes_clear(&b);
}

static uint32_t number_of(const struct sonde_tape *tape)
{
    for (uint32_t i = 1; i < tape->n_choices; i++) assert_int_equal(tape->choices[i].index, tape->choices[0].index + i);
    return tape->n_choices ? (uint32_t)tape->choices[0].index : 0;
}

static void tapes_come_out_as_they_went_in(void **state)
{
    (void)state;
    struct sonde_outbox *box = sonde_outbox_create();
    struct sonde_inbox in = {.from = box};
    struct sonde_tape tape = {0};
    assert_false(sonde_inbox_take(&in, &tape));
    assert_true(sonde_inbox_is_empty(&in));
    struct tapes b;
    fill(&b, 5, 70);
    sonde_outbox_put(box, &b.tape);
    put(box, 0, 0);
    assert_true(sonde_inbox_take(&in, &tape));
    assert_int_equal(sonde_tape_compare(&tape, &b.tape), 0);
    assert_int_equal(tape.n_spans, b.tape.n_spans);
    assert_memory_equal(tape.spans, b.tape.spans, tape.n_spans * sizeof *tape.spans);
    assert_true(sonde_inbox_take(&in, &tape));
    assert_int_equal(tape.n_choices, 0);
    assert_false(sonde_inbox_take(&in, &tape));
    tapes_clear(&b);
    sonde_tape_clear(&tape);
    sonde_outbox_free(box);
}

static void a_ring_full_of_tapes_is_read_in_order(void **state)
{
    (void)state;
    struct sonde_outbox *box = sonde_outbox_create();
    struct sonde_inbox in = {.from = box};
    struct sonde_tape tape = {0};
    uint32_t next = 0;
    for (uint32_t number = 0; number < 20000; number++) { /* several times around */
        put(box, 1 + number * 7 % 20, number);
        if (number % 4) continue;
        while (sonde_inbox_take(&in, &tape)) assert_int_equal(number_of(&tape), next++);
    }
    assert_int_equal(next, 19997);
    assert_int_equal(in.missed, 0);
    sonde_tape_clear(&tape);
    sonde_outbox_free(box);
}

static void who_was_overtaken_goes_on_with_what_is_there(void **state)
{
    (void)state;
    struct sonde_outbox *box = sonde_outbox_create();
    struct sonde_inbox in = {.from = box};
    struct sonde_tape tape = {0};
    for (uint32_t number = 0; number < 20000; number++) put(box, 9, number);
    assert_false(sonde_inbox_take(&in, &tape));
    assert_int_equal(in.missed, 1);
    assert_true(sonde_inbox_take(&in, &tape));
    uint32_t first = number_of(&tape), n = 1;
    while (sonde_inbox_take(&in, &tape)) assert_int_equal(number_of(&tape), first + n++);
    assert_int_equal(first + n, 20000);
    assert_int_equal(in.missed, 1);
    sonde_inbox_rewind(&in);
    assert_true(sonde_inbox_take(&in, &tape));
    assert_int_equal(number_of(&tape), first);
    sonde_inbox_skip(&in);
    assert_false(sonde_inbox_take(&in, &tape));
    sonde_tape_clear(&tape);
    sonde_outbox_free(box);
}

static void a_full_inbox_has_lost_nothing_yet(void **state)
{
    (void)state;
    struct sonde_outbox *box = sonde_outbox_create();
    struct sonde_inbox in = {.from = box};
    struct sonde_tape tape = {0};
    for (uint32_t number = 0; number < 20000; number++) put(box, 9, number);
    assert_true(sonde_inbox_is_full(&in)); /* more than that */
    sonde_inbox_skip(&in);
    uint32_t n = 0, taken = 0;
    for (; !sonde_inbox_is_full(&in); n++) put(box, 1 + n * 7 % 20, n);
    while (sonde_inbox_take(&in, &tape)) assert_int_equal(number_of(&tape), taken++);
    assert_int_equal(taken, n);
    assert_int_equal(in.missed, 0);
    assert_false(sonde_inbox_is_full(&in));
    sonde_tape_clear(&tape);
    sonde_outbox_free(box);
}

static void a_huge_tape_is_left_out(void **state)
{
    (void)state;
    struct sonde_outbox *box = sonde_outbox_create();
    struct sonde_inbox in = {.from = box};
    struct sonde_tape tape = {0};
    put(box, 60000, 1);
    put(box, 3, 2);
    assert_true(sonde_inbox_take(&in, &tape));
    assert_int_equal(number_of(&tape), 2);
    sonde_tape_clear(&tape);
    sonde_outbox_free(box);
}

/* The beginning of an outbox, as the code under test could write over it. */
struct exposed {
    _Atomic uint64_t reserved, head, tail;
    unsigned char ring[];
};

static struct exposed *expose(struct sonde_outbox *box)
{
    return (struct exposed *)(void *)box;
}

static uint32_t size_at(const struct exposed *box, size_t at)
{
    uint32_t size;
    memcpy(&size, box->ring + at, sizeof size);
    return size;
}

static void a_damaged_tape_is_passed_over(void **state)
{
    (void)state;
    struct sonde_outbox *box = sonde_outbox_create();
    struct sonde_inbox in = {.from = box};
    struct sonde_tape tape = {0};
    for (uint32_t number = 1; number <= 3; number++) put(box, 5, 100 * number);
    expose(box)->ring[size_at(expose(box), 0) + 50] ^= 0x55;
    assert_true(sonde_inbox_take(&in, &tape));
    assert_int_equal(number_of(&tape), 100);
    assert_true(sonde_inbox_take(&in, &tape));
    assert_int_equal(number_of(&tape), 300);
    assert_int_equal(in.missed, 1);
    assert_true(sonde_inbox_is_empty(&in));
    sonde_tape_clear(&tape);
    sonde_outbox_free(box);
}

static void a_damaged_size_costs_what_is_there_and_nothing_later(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0, 1, 32, 33, 1 << 30, UINT32_MAX, UINT32_MAX - 31};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct sonde_outbox *box = sonde_outbox_create();
        struct sonde_inbox in = {.from = box};
        struct sonde_tape tape = {0};
        for (uint32_t number = 1; number <= 3; number++) put(box, 5, 100 * number);
        memcpy(expose(box)->ring + size_at(expose(box), 0), &sizes[i], sizeof sizes[i]);
        assert_true(sonde_inbox_take(&in, &tape));
        assert_false(sonde_inbox_take(&in, &tape));
        assert_true(sonde_inbox_is_empty(&in));
        put(box, 5, 400);
        assert_true(sonde_inbox_take(&in, &tape));
        assert_int_equal(number_of(&tape), 400);
        sonde_tape_clear(&tape);
        sonde_outbox_free(box);
    }
}

/* Whatever is written over it: each take ends, nothing wrong comes out, and the end is reached. In a heap with an inaccessible
 * end, and under AddressSanitizer, nothing beyond the ring is touched. */
static void no_damage_makes_a_reader_or_a_writer_go_astray(void **state)
{
    (void)state;
    struct sonde_rng rng;
    sonde_rng_seed(&rng, 33, 8);
    for (unsigned round = 0; round < 300; round++) {
        struct sonde_outbox *box = sonde_outbox_create();
        struct sonde_inbox in = {.from = box, .at = round % 3 ? 0 : sonde_rng_next(&rng) >> (round % 64)};
        struct sonde_tape tape = {0};
        uint64_t *numbers[] = {(uint64_t *)(void *)&expose(box)->reserved, (uint64_t *)(void *)&expose(box)->head,
                               (uint64_t *)(void *)&expose(box)->tail};
        for (uint32_t number = 0; number < 40 + round; number++) put(box, 1 + number % 9, number);
        for (unsigned k = 0; k < 1 + round % 4; k++) {
            if (round % 2) *numbers[sonde_rng_upto(&rng, 2)] ^= sonde_rng_next(&rng) >> sonde_rng_upto(&rng, 63);
            else expose(box)->ring[sonde_rng_upto(&rng, 4000)] ^= (unsigned char)(1 + sonde_rng_upto(&rng, 254));
        }
        if (round % 5 == 0) sonde_inbox_rewind(&in);
        unsigned taken = 0;
        for (unsigned k = 0; k < 2000; k++) taken += sonde_inbox_take(&in, &tape) && number_of(&tape) < 1000;
        assert_true(taken <= 2 * (40 + round)); /* not the same ones again and again */
        for (uint32_t number = 0; number < 5; number++) put(box, 3, number);
        while (!sonde_inbox_is_empty(&in)) sonde_inbox_take(&in, &tape);
        put(box, 3, 7);
        assert_true(sonde_inbox_take(&in, &tape));
        assert_int_equal(number_of(&tape), 7);
        sonde_tape_clear(&tape);
        sonde_outbox_free(box);
    }
}

/* One process writes, another reads meanwhile, the writer is killed at some moment, and another writer continues. */
static void a_killed_writer_leaves_what_it_had_finished(void **state)
{
    (void)state;
    struct sonde_heap *heap = sonde_heap_create((size_t)64 << 20);
    assert_non_null(heap);
    struct sonde_heap *before = sonde_heap_use(heap);
    struct sonde_outbox *box = sonde_outbox_create();
    sonde_heap_use(before);
    struct sonde_inbox in = {.from = box};
    struct sonde_tape tape = {0};
    uint64_t taken = 0;
    for (unsigned round = 0; round < 20; round++) {
        pid_t writer = fork();
        if (writer == 0)
            for (uint32_t number = 0;; number++) put(box, 1 + number * 7 % 20, number);
        for (uint64_t wanted = taken + 1000 + round * 37; taken < wanted;)
            if (sonde_inbox_take(&in, &tape)) number_of(&tape), taken++;
        kill(writer, SIGKILL);
        waitpid(writer, NULL, 0);
    }
    sonde_inbox_rewind(&in);
    uint64_t missed = in.missed;
    while (sonde_inbox_take(&in, &tape)) number_of(&tape);
    assert_int_equal(in.missed, missed);
    sonde_tape_clear(&tape);
    sonde_heap_destroy(heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tapes_come_out_as_they_went_in),
        cmocka_unit_test(a_ring_full_of_tapes_is_read_in_order),
        cmocka_unit_test(who_was_overtaken_goes_on_with_what_is_there),
        cmocka_unit_test(a_full_inbox_has_lost_nothing_yet),
        cmocka_unit_test(a_huge_tape_is_left_out),
        cmocka_unit_test(a_damaged_tape_is_passed_over),
        cmocka_unit_test(a_damaged_size_costs_what_is_there_and_nothing_later),
        cmocka_unit_test(no_damage_makes_a_reader_or_a_writer_go_astray),
        cmocka_unit_test(a_killed_writer_leaves_what_it_had_finished),
    };
    return cmocka_run_group_tests_name("exchange", tests, NULL, NULL);
}
