/* 10: inside a test program you already have. sonde_run runs one property and returns the result. It takes no options
 * and never exits, so it fits into a plain main() and into any test framework.
 *
 * Look for: three asserts. The first runs a property. The second keeps an old counterexample as a separate test, by its
 * token. The third reads the result of a failing run without printing it. */
#undef NDEBUG /* the asserts are the test */
#include <assert.h>
#include <sonde.h>

/* ---- The code under test: the size of the block to allocate for n bytes, a power of two. */

static uint32_t block_size(uint32_t n)
{
    if (n <= 1) return 1;
    n--;
    for (unsigned shift = 1; shift < 32; shift *= 2) n |= n >> shift;
    return n + 1;
}

/* The previous version, which had a bug. */
static uint32_t old_block_size(uint32_t n)
{
    uint32_t size = 1;
    while (size <= n) size *= 2;
    return size;
}

/* ---- The property, for either version. */

typedef uint32_t rounding(uint32_t n);

static void is_the_smallest_power_of_two(sonde *t, rounding *round)
{
    uint32_t n = (uint32_t)sonde_u64(t, "n", 1, 1u << 30);
    uint32_t size = round(n);
    sonde_check_eq(t, size & (size - 1), 0);
    sonde_check_ge(t, size, n);
    sonde_check_lt(t, size / 2, n);
}

static void block_size_is_right(sonde *t)
{
    is_the_smallest_power_of_two(t, block_size);
}

static void old_block_size_was_right(sonde *t)
{
    is_the_smallest_power_of_two(t, old_block_size);
}

int main(void)
{
    assert(sonde_run(block_size_is_right, &(sonde_config){.name = "block_size_is_right", .tests = 2000})
           == SONDE_PASSED);

    assert(sonde_replay(block_size_is_right, "n=1024") == SONDE_PASSED);

    sonde_result result;
    sonde_config quietly = {.quiet = true, .seed = 1, .store = "", .result = &result}; /* stores nothing */
    assert(sonde_run(old_block_size_was_right, &quietly) == SONDE_FALSIFIED);
    printf("the old one was wrong, as test %llu showed:\n%s\nits token: %s\n", (unsigned long long)result.tests,
           result.message, result.token);
    return 0;
}
