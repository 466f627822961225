/* Memory: nothing that is asked for is ever missing, and the arena is aligned, bounded and emptied. */
#include "lib/dying.h"
#include "lib/sanitizers.h"

#include "base/mem.h"

#include "base/limit.h"

#include <signal.h>
#include <stdalign.h>
#include <sys/wait.h>
#include <unistd.h>

static void nothing_can_be_asked_for(void **state)
{
    (void)state;
    void *a = sonde_malloc(0), *b = sonde_calloc(0, 8);
    assert_non_null(a);
    assert_non_null(b);
    sonde_free(a);
    sonde_free(b);
    sonde_free(NULL);
}

static void calloc_gives_zeros(void **state)
{
    (void)state;
    unsigned char *p = sonde_calloc(100, 7);
    for (size_t i = 0; i < 700; i++) assert_int_equal(p[i], 0);
    sonde_free(p);
}

static void strdup_copies_the_whole_text(void **state)
{
    (void)state;
    char text[] = "a text";
    char *copy = sonde_strdup(text);
    text[0] = 'x';
    assert_string_equal(copy, "a text");
    sonde_free(copy);
}

static void ask_too_much(void)
{
    volatile size_t half = SIZE_MAX / 2;
    void *p = sonde_malloc(half);
    sonde_free(p);
}

static void overflow(void)
{
    volatile size_t half = SIZE_MAX / 2;
    void *p = sonde_calloc(half, 4);
    sonde_free(p);
}

static void lack_of_memory_ends_with_a_sentence(void **state)
{
    (void)state;
    if (HAS_ADDRESS_SANITIZER) skip(); /* its allocator ends the process itself */
    assert_dies(ask_too_much, 99, "bytes of memory wanted, which is more than this machine has");
    assert_dies(overflow, 99, "bytes of memory wanted, which is more than this machine has");
}

static void grow_keeps_what_was_there(void **state)
{
    (void)state;
    uint32_t cap = 0, *numbers = NULL;
    for (uint32_t i = 0; i < 10000; i++) {
        numbers = sonde_grow(numbers, &cap, (size_t)i + 1, sizeof *numbers);
        assert_true(cap > i);
        numbers[i] = i;
    }
    for (uint32_t i = 0; i < 10000; i++) assert_int_equal(numbers[i], i);
    uint32_t *same = sonde_grow(numbers, &cap, 5, sizeof *numbers);
    assert_ptr_equal(same, numbers);
    sonde_free(numbers);
}

static void a_table_beyond_32_bits_is_refused(void)
{
    uint32_t cap = 0;
    sonde_grow(NULL, &cap, (size_t)UINT32_MAX + 1, 1);
}

static void grow_stops_at_32_bits(void **state)
{
    (void)state;
    assert_dies(a_table_beyond_32_bits_is_refused, 99, "outgrew 2^32 entries");
}

/* ---- Arena */

static void arena_memory_is_aligned(void **state)
{
    (void)state;
    struct sonde_arena arena;
    sonde_arena_init(&arena, 1 << 22, false);
    for (int round = 0; round < 3; round++) {
        for (size_t size = 0; size < 3000; size += 7) {
            unsigned char *p = sonde_arena_alloc(&arena, size);
            assert_non_null(p);
            assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
            memset(p, 0xa5, size); /* all of it can be written */
        }
        sonde_arena_empty(&arena);
    }
    sonde_arena_clear(&arena);
}

static void arena_pieces_do_not_overlap(void **state)
{
    (void)state;
    enum { N = 500 };
    struct sonde_arena arena;
    unsigned char *piece[N];
    sonde_arena_init(&arena, 1 << 24, false);
    for (size_t i = 0; i < N; i++) {
        piece[i] = sonde_arena_alloc(&arena, 1 + i * 61);
        memset(piece[i], (int)(i % 251), 1 + i * 61);
    }
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(piece[i][0], i % 251);
        assert_int_equal(piece[i][i * 61], i % 251);
    }
    sonde_arena_clear(&arena);
}

static void a_guarded_block_ends_at_a_page_and_is_aligned_by_its_size(void **state)
{
    (void)state;
    struct sonde_arena arena;
    sonde_arena_init(&arena, 1 << 26, true);
    for (int round = 0; round < 3; round++) {
        for (size_t size = 0; size < 300000; size += 1 + size * 7 / 3) {
            unsigned char *p = sonde_arena_alloc(&arena, size);
            assert_non_null(p);
            if (SONDE_LIMIT(true, false)) assert_int_equal((uintptr_t)(p + size) % 4096, 0);
            memset(p, 0x5a, size);
        }
        sonde_arena_empty(&arena);
    }
    unsigned char *first = sonde_arena_alloc(&arena, 24), *second = sonde_arena_alloc(&arena, 24);
    assert_int_equal((uintptr_t)first % 8, 0);
    assert_ptr_not_equal(first, second);
    sonde_arena_clear(&arena);
}

static unsigned char *last_byte;

static void go_beyond(void)
{
    signal(SIGSEGV, SIG_DFL); /* the test library and sanitizers have their own handlers */
    last_byte[1] = 1;
}

static void beyond_a_guarded_block_is_nothing(void **state)
{
    (void)state;
    struct sonde_arena arena;
    sonde_arena_init(&arena, 1 << 20, true);
    for (size_t size = 1; size < 10000; size = size * 3 + 1) {
        last_byte = (unsigned char *)sonde_arena_alloc(&arena, size) + size - 1;
        *last_byte = 1;
        pid_t child = fork();
        if (child == 0) {
            go_beyond();
            _exit(0);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
        sonde_arena_empty(&arena); /* so that the slot is used again */
    }
    sonde_arena_clear(&arena);
}

static void arena_answers_null_beyond_its_limit(void **state)
{
    (void)state;
    struct sonde_arena arena;
    sonde_arena_init(&arena, 1000, false);
    assert_null(sonde_arena_alloc(&arena, 1001));
    assert_null(sonde_arena_alloc(&arena, SIZE_MAX));
    assert_non_null(sonde_arena_alloc(&arena, 900));
    assert_null(sonde_arena_alloc(&arena, 200));
    sonde_arena_empty(&arena);
    assert_non_null(sonde_arena_alloc(&arena, 1000));
    sonde_arena_clear(&arena);
}

static void a_cleared_arena_can_be_used_again(void **state)
{
    (void)state;
    struct sonde_arena arena;
    sonde_arena_init(&arena, 1 << 20, false);
    assert_non_null(sonde_arena_alloc(&arena, 1 << 19));
    sonde_arena_clear(&arena);
    assert_int_equal(arena.used, 0);
    assert_non_null(sonde_arena_alloc(&arena, 1 << 19));
    sonde_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_can_be_asked_for),
        cmocka_unit_test(calloc_gives_zeros),
        cmocka_unit_test(strdup_copies_the_whole_text),
        cmocka_unit_test(lack_of_memory_ends_with_a_sentence),
        cmocka_unit_test(grow_keeps_what_was_there),
        cmocka_unit_test(grow_stops_at_32_bits),
        cmocka_unit_test(arena_memory_is_aligned),
        cmocka_unit_test(arena_pieces_do_not_overlap),
        cmocka_unit_test(a_guarded_block_ends_at_a_page_and_is_aligned_by_its_size),
        cmocka_unit_test(beyond_a_guarded_block_is_nothing),
        cmocka_unit_test(arena_answers_null_beyond_its_limit),
        cmocka_unit_test(a_cleared_arena_can_be_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
