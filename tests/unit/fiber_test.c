/* Stacks of fibers, switches between them, and frames that have returned. */
#include "lib/mocka.h"

#include "../../addons/threads/fiber.h"

#include <errno.h>
#include <unistd.h>

struct sonde_control sonde_control; /* of control.c, which takes the place of much more */

enum { STACK = 1 << 16, FIBERS = 3 };

static struct sonde_fiber fibers[FIBERS];
static void *home;
static char order[16];
static size_t n_steps;

static void step(char name)
{
    order[n_steps++] = name;
}

/* Where it runs is known by its frame, since a sanitizer may keep variables elsewhere. */
static bool is_here(const struct sonde_fiber *f)
{
    return (uintptr_t)__builtin_frame_address(0) - (uintptr_t)f->stack < f->stack_size;
}

static void second(void)
{
    step(is_here(&fibers[2]) ? '2' : '?');
    sonde_fiber_switch(&fibers[2].sp, fibers[1].sp);
    step(is_here(&fibers[2]) ? '2' : '?');
    sonde_fiber_switch(&fibers[2].sp, home);
}

static void first(void)
{
    double kept = (double)n_steps + 0.5; /* what a function has before a switch it has behind it */
    step(is_here(&fibers[1]) ? '1' : '?');
    sonde_fiber_switch(&fibers[1].sp, fibers[2].sp);
    step(is_here(&fibers[1]) && kept == 0.5 ? '1' : '?');
    sonde_fiber_switch(&fibers[1].sp, fibers[2].sp);
}

static int set_up(void **state)
{
    (void)state;
    n_steps = 0;
    for (uint32_t i = 0; i < FIBERS; i++) {
        fibers[i] = (struct sonde_fiber){.id = i, .stack = sonde_stack_create(STACK), .stack_size = STACK};
        if (!fibers[i].stack) return -1;
    }
    sonde_control = (struct sonde_control){.running = &fibers[0], .fibers = fibers, .n_fibers = FIBERS};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < FIBERS; i++) sonde_stack_free(fibers[i].stack, STACK);
    return 0;
}

static void a_switch_continues_where_the_other_stack_was_left(void **state)
{
    (void)state;
    fibers[1].sp = sonde_fiber_prepare(fibers[1].stack, STACK, first);
    fibers[2].sp = sonde_fiber_prepare(fibers[2].stack, STACK, second);
    sonde_fiber_switch(&home, fibers[1].sp);
    order[n_steps] = '\0';
    assert_string_equal(order, "1212");
}

#ifdef __x86_64__

static void spoil_registers(void)
{
    __asm__ volatile("xor %%ebx, %%ebx\n\txor %%r12d, %%r12d\n\txor %%r13d, %%r13d\n\t"
                     "xor %%r14d, %%r14d\n\txor %%r15d, %%r15d"
                     :
                     :
                     : "rbx", "r12", "r13", "r14", "r15");
    sonde_fiber_switch(&fibers[1].sp, home);
}

static void registers_that_calls_keep_are_kept(void **state)
{
    register uint64_t b __asm__("rbx") = 1;
    register uint64_t c __asm__("r12") = 2;
    register uint64_t d __asm__("r13") = 3;
    register uint64_t e __asm__("r14") = 4;
    register uint64_t f __asm__("r15") = 5;
    (void)state;
    fibers[1].sp = sonde_fiber_prepare(fibers[1].stack, STACK, spoil_registers);
    __asm__ volatile("" : "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    sonde_fiber_switch(&home, fibers[1].sp);
    __asm__ volatile("" : "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    uint64_t all = b | c << 4 | d << 8 | e << 12 | f << 16;
    assert_int_equal(all, 0x54321);
}

#endif

/* The kernel says whether a byte is there. */
static bool is_readable(const char *p)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    bool is_there = write(ends[1], p, 1) == 1;
    if (!is_there) assert_int_equal(errno, EFAULT);
    close(ends[0]);
    close(ends[1]);
    return is_there;
}

static void a_stack_ends_at_a_page_that_is_not_there(void **state)
{
    (void)state;
    char *stack = fibers[1].stack;
    stack[0] = stack[STACK - 1] = 1;
    assert_true(is_readable(stack) && is_readable(stack + STACK - 1));
    assert_false(is_readable(stack - 1));
    assert_int_equal((uintptr_t)stack % (uintptr_t)sysconf(_SC_PAGESIZE), 0);
}

static void a_stack_that_cannot_be_had_is_null(void **state)
{
    (void)state;
    assert_null(sonde_stack_create(SIZE_MAX / 2));
    sonde_stack_free(NULL, STACK);
}

static void frames_below_the_stack_pointer_are_gone(void **state)
{
    (void)state;
    char *top = fibers[1].stack + STACK / 2;
    fibers[1].sp = top;
    assert_ptr_equal(sonde_frame_gone(top - 129), &fibers[1]);
    assert_ptr_equal(sonde_frame_gone(fibers[1].stack), &fibers[1]);
    assert_null(sonde_frame_gone(top - 128)); /* a function may use so much below it */
    assert_null(sonde_frame_gone(top));
    assert_null(sonde_frame_gone(fibers[1].stack + STACK - 1));
}

static void all_frames_of_a_thread_that_has_ended_are_gone(void **state)
{
    (void)state;
    fibers[2].state = SONDE_HAS_ENDED;
    assert_ptr_equal(sonde_frame_gone(fibers[2].stack + STACK - 1), &fibers[2]);
}

/* The running thread's own pointer is an old one. */
static void frames_of_the_running_thread_are_there(void **state)
{
    (void)state;
    fibers[0].sp = fibers[0].stack + STACK;
    assert_null(sonde_frame_gone(fibers[0].stack));
}

static void other_memory_is_no_frame(void **state)
{
    static char data;
    char own = 0;
    (void)state;
    assert_null(sonde_frame_gone(&data));
    assert_null(sonde_frame_gone(&own));
    assert_null(sonde_frame_gone(NULL));
    fibers[2].state = SONDE_HAS_ENDED;
    sonde_control.n_fibers = 2; /* a stack of an earlier run */
    assert_null(sonde_frame_gone(fibers[2].stack));
}

static void a_range_has_what_was_added_and_all_between(void **state)
{
    static char bytes[40];
    struct sonde_range r = SONDE_NOTHING;
    (void)state;
    assert_false(sonde_is_in(&r, bytes));
    sonde_range_add(&r, bytes + 20, 10);
    assert_true(sonde_is_in(&r, bytes + 20) && sonde_is_in(&r, bytes + 29));
    assert_false(sonde_is_in(&r, bytes + 19) || sonde_is_in(&r, bytes + 30));
    sonde_range_add(&r, bytes + 10, 2);
    assert_true(sonde_is_in(&r, bytes + 10) && sonde_is_in(&r, bytes + 15) && sonde_is_in(&r, bytes + 29));
    assert_false(sonde_is_in(&r, bytes + 9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_switch_continues_where_the_other_stack_was_left, set_up, tear_down),
#ifdef __x86_64__
        cmocka_unit_test_setup_teardown(registers_that_calls_keep_are_kept, set_up, tear_down),
#endif
        cmocka_unit_test_setup_teardown(a_stack_ends_at_a_page_that_is_not_there, set_up, tear_down),
        cmocka_unit_test(a_stack_that_cannot_be_had_is_null),
        cmocka_unit_test_setup_teardown(frames_below_the_stack_pointer_are_gone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_frames_of_a_thread_that_has_ended_are_gone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(frames_of_the_running_thread_are_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_memory_is_no_frame, set_up, tear_down),
        cmocka_unit_test(a_range_has_what_was_added_and_all_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
