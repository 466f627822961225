/* Memory that the supervisor reads and the code under test can write to: each count, index and pointer that was written over ends with a
 * message and status 99, never with a fault, a hang or a result. */
#include "lib/dying.h"

#include "base/heap.h"
#include "base/mem.h"
#include "case/case.h"
#include "engine/search/search.h"
#include "engine/search/loop.h"

static struct sonde_options options;
static struct sonde_search *search;
static struct sonde_heap *heap;

static void fails(sonde *t)
{
    size_t n;
    int x = sonde_int(t, "x", 0, 1000);
    sonde_double(t, "d", 0, 1);
    sonde_bytes(t, "bytes", 2, 5, &n);
    sonde_string_of(t, "text", "abc", 1, 4);
    sonde_check(t, x < 37);
}

static const sonde_property property = {.name = "property", .run = fails};

/* A search in a shared heap that has found a failure, with cases before it. */
static int set_up(void **state)
{
    (void)state;
    heap = sonde_heap_create((size_t)1 << 30);
    sonde_heap_use(heap);
    sonde_options_default(&options);
    options.seed = 3;
    options.seconds = 0;
    options.runs = 200;
    search = sonde_malloc(sizeof *search);
    sonde_search_init(search, &property, &options, 0);
    sonde_search_run(search);
    sonde_snapshot_ask(&search->snapshot);
    sonde_snapshot_take(&search->snapshot, &search->saved, &search->labels, search->guide, false);
    sonde_heap_use(NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sonde_heap_destroy(heap);
    return 0;
}

static struct sonde_found *first(void)
{
    return search->found[0];
}

/* ---- Damage: numbers and pointers that no check may follow. */
static void n_found(void)
{
    search->n_found = 0x7fffffff;
}
static void found_pointer(void)
{
    search->found[0] = (void *)(uintptr_t)0x10;
}
static void n_choices(void)
{
    first()->tape.n_choices = UINT32_MAX;
}
static void n_spans(void)
{
    first()->tape.n_spans = UINT32_MAX;
}
static void n_bytes(void)
{
    first()->tape.n_bytes = UINT32_MAX;
}
static void all_of_choices(void)
{
    first()->tape.n_choices = first()->tape.cap_choices = UINT32_MAX;
}
static void choices_pointer(void)
{
    first()->tape.choices = (void *)&options;
}
static void spans_pointer(void)
{
    first()->tape.spans = NULL;
}
static void bytes_pointer(void)
{
    first()->tape.bytes = (uint8_t *)heap - 4096;
}
static void span_of_choice(void)
{
    first()->tape.choices[0].span = 0x10000000;
}
static void kind_of_choice(void)
{
    first()->tape.choices[0].kind = 77;
}
static void parent_of_span(void)
{
    first()->tape.spans[first()->tape.n_spans - 1].parent = 0x7fffffff;
}
static void next_of_span(void)
{
    first()->tape.spans[0].next = 0;
}
static void bounds_of_double(void)
{
    first()->tape.choices[1].base = 0x7fffffff;
}
static void n_earlier(void)
{
    first()->n_earlier = UINT32_MAX;
}
static void earlier_pointer(void)
{
    first()->earlier = (void *)(uintptr_t)8, first()->n_earlier = 3;
}
static void smaller_tape(void)
{
    first()->smaller = first()->tape, first()->smaller.n_choices = UINT32_MAX;
}
static void message_without_end(void)
{
    memset(&first()->claim.message, 'x', sizeof first()->claim.message);
}
static void n_way(void)
{
    first()->claim.n_way = 4000000;
}
static void n_frames(void)
{
    first()->claim.n_frames = -5;
}

/* The length of the first blob, and which alphabet it has. */
static void blob_bytes(unsigned at)
{
    const struct sonde_tape *tape = &first()->tape;
    const uint32_t huge = 0x7ffffff0;
    for (uint32_t i = 0; i < tape->n_choices; i++)
        if (tape->choices[i].kind == SONDE_KIND_BLOB)
            memcpy(tape->bytes + tape->choices[i].base + at, &huge, sizeof huge);
}

static void blob_length(void)
{
    blob_bytes(0);
}
static void blob_alphabet(void)
{
    blob_bytes(12);
}

static void snapshot_length(void)
{
    search->snapshot.tapes.n = UINT32_MAX;
}
static void snapshot_pointer(void)
{
    search->snapshot.learned = (struct sonde_bytes){.data = (void *)&options, .n = 9, .cap = 9};
}
static void snapshot_keys(void)
{
    search->snapshot.known.n = search->snapshot.known.cap = UINT32_MAX;
}

/* The head of the heap and of its blocks. The layout is a secret of heap.c, so all of the head is written over. */
static void heap_head(void)
{
    memset(heap, 0x41, 512);
}
static void block_head(void)
{
    memset((char *)first() - 16, 0x41, 16);
}

/* Reads all that the supervisor reads, and takes and gives back memory. */
static void read_all(void)
{
    sonde_damage_check(search);
    sonde_snapshot_tapes(&search->snapshot);
    sonde_heap_use(heap);
    for (size_t n = 1; n < 100000; n *= 2) sonde_free(sonde_malloc(n));
    sonde_found_free(first());
}

static void (*damage)(void);

static void read_after_damage(void)
{
    alarm(60);
    sonde_heap_detach(heap);
    if (damage) damage();
    read_all();
}

static void without_damage_all_is_read(void **state)
{
    (void)state;
    assert_int_equal(search->n_found, 1);
    assert_true(first()->n_earlier > 0);
    damage = NULL;
    assert_int_equal(watch_death(read_after_damage).status, -2);
}

static void damage_ends_with_a_message(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void (*act)(void);
    } all[] = {
#define DAMAGE(act) {#act, act}
        DAMAGE(n_found),         DAMAGE(found_pointer),
        DAMAGE(n_choices),       DAMAGE(n_spans),
        DAMAGE(n_bytes),         DAMAGE(all_of_choices),
        DAMAGE(choices_pointer), DAMAGE(spans_pointer),
        DAMAGE(bytes_pointer),   DAMAGE(span_of_choice),
        DAMAGE(kind_of_choice),  DAMAGE(parent_of_span),
        DAMAGE(next_of_span),    DAMAGE(bounds_of_double),
        DAMAGE(n_earlier),       DAMAGE(earlier_pointer),
        DAMAGE(smaller_tape),    DAMAGE(n_way),
        DAMAGE(n_frames),        DAMAGE(message_without_end),
        DAMAGE(blob_length),     DAMAGE(blob_alphabet),
        DAMAGE(snapshot_length), DAMAGE(snapshot_pointer),
        DAMAGE(snapshot_keys),   DAMAGE(heap_head),
        DAMAGE(block_head),
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        damage = all[i].act;
        struct death death = watch_death(read_after_damage);
        if (death.status != SONDE_INTERNAL || !strstr(death.words, "wrote over sonde's memory"))
            fail_msg("%s: status %d, \"%s\"", all[i].name, death.status, death.words);
    }
}

/* Damage to the case itself is only reported here, since the case can be repaired. */
static void a_damaged_case_is_seen(void **state)
{
    (void)state;
    sonde *t = search->t;
    sonde before = *t;
    assert_true(sonde_case_is_whole(t));
    t->n_hits = UINT32_MAX;
    assert_false(sonde_case_is_whole(t));
    *t = before;
    t->n_shown = UINT32_MAX;
    assert_false(sonde_case_is_whole(t));
    *t = before;
    t->ring_at = 99;
    assert_false(sonde_case_is_whole(t));
    *t = before;
    t->tape.n_choices = UINT32_MAX;
    assert_false(sonde_case_is_whole(t));
    *t = before;
    t->tape.choices[0].span = 0x7fffffff;
    assert_false(sonde_case_is_whole(t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_damage_all_is_read),
        cmocka_unit_test(damage_ends_with_a_message),
        cmocka_unit_test(a_damaged_case_is_seen),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
