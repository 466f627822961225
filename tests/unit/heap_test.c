/* The heaps that processes share: memory goes back to where it came from, whichever heap is in use. */
#include "lib/mocka.h"

#include "base/heap.h"
#include "base/mem.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_goes_back_to_its_own_heap),
        cmocka_unit_test(memory_grows_in_its_own_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
