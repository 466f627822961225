/* The heaps that processes share: memory goes back to where it came from, whichever heap is in use. */
#include "lib/mocka.h"

#include "base/heap.h"
#include "base/mem.h"

#include <string.h>

enum { SIZE = 1 << 20 };

static void memory_goes_back_to_its_own_heap(void **state)
{
    (void)state;
    struct sonde_heap *a = sonde_heap_create(SIZE), *b = sonde_heap_create(SIZE);
    assert_true(a && b);
    sonde_heap_use(a);
    char *text = sonde_strdup("from a");
    sonde_heap_use(b);
    sonde_free(text);
    char *of_b = sonde_malloc(7);
    assert_true(sonde_heap_has(b, of_b));
    sonde_heap_use(a);
    assert_ptr_equal(sonde_malloc(7), text); /* the block that was freed */
    sonde_heap_use(NULL);
    sonde_free(of_b);
    sonde_heap_destroy(a);
    sonde_heap_destroy(b);
}

static void memory_grows_in_its_own_heap(void **state)
{
    (void)state;
    struct sonde_heap *a = sonde_heap_create(SIZE), *b = sonde_heap_create(SIZE);
    sonde_heap_use(a);
    char *text = sonde_strdup("from a");
    sonde_heap_use(b);
    text = sonde_realloc(text, 5000);
    assert_true(sonde_heap_has(a, text));
    assert_string_equal(text, "from a");
    sonde_heap_use(NULL);
    char *of_libc = sonde_strdup("from libc");
    sonde_heap_use(a);
    of_libc = sonde_realloc(of_libc, 5000);
    assert_null(sonde_heap_of(of_libc));
    assert_string_equal(of_libc, "from libc");
    sonde_free(of_libc);
    sonde_heap_use(NULL);
    sonde_heap_destroy(b);
    assert_ptr_equal(sonde_heap_of(text), a);
    sonde_heap_destroy(a);
    assert_null(sonde_heap_of(text));
}

/* Whatever is done to it, in an order that a seed decides; the check looks at all of it, in builds that are checked. */
static void a_heap_stays_whole(void **state)
{
    (void)state;
    enum { BLOCKS = 64, STEPS = 3000 };
    struct sonde_heap *heap = sonde_heap_create(SIZE);
    char *blocks[BLOCKS] = {0};
    uint64_t seed = 1;
    for (unsigned i = 0; i < STEPS; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        char **block = &blocks[seed >> 33 & (BLOCKS - 1)];
        size_t size = (seed >> 40 & 0xff) + 1;
        if (*block && seed >> 60 & 1) {
            sonde_heap_free(heap, *block);
            *block = NULL;
        } else {
            *block = sonde_heap_resize(heap, *block, size);
            assert_non_null(*block);
            memset(*block, 0xff, size);
        }
        if (sonde_is_milestone(i)) sonde_heap_check(heap);
    }
    sonde_heap_check(heap);
    sonde_heap_destroy(heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_goes_back_to_its_own_heap),
        cmocka_unit_test(memory_grows_in_its_own_heap),
        cmocka_unit_test(a_heap_stays_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
