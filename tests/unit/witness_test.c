/* Which run can judge a failure, by what its file says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "program/build.h"
#include "program/witness.h"

#include <stdio.h>
#include <string.h>

static const struct sonde_conditions usual = {
    .cpu_seconds = 1, .wall_seconds = 10, .memory = 1000, .is_isolated = true, .finds_leaks = true};

static enum sonde_sight judge(struct sonde_account tape)
{
    struct sonde_obstacle why;
    return sonde_witness_judge(&tape, &usual, &why);
}

/* The lines of a failure of this kind, as this process would write them. */
static struct sonde_witness shown_here(enum sonde_claim_kind kind)
{
    struct sonde_claim claim = {.kind = kind};
    struct sonde_witness w;
    sonde_witness_of(&claim, false, &usual, &w);
    return w;
}

static void what_this_process_shows_it_can_judge(void **state)
{
    (void)state;
    static const enum sonde_claim_kind kinds[] = {SONDE_CLAIM_CHECK, SONDE_CLAIM_EXPECT,         SONDE_CLAIM_FAIL,
                                                  SONDE_CLAIM_CRASH, SONDE_CLAIM_STACK_OVERFLOW, SONDE_CLAIM_EXIT,
                                                  SONDE_CLAIM_HANG,  SONDE_CLAIM_MEMORY,         SONDE_CLAIM_FORK};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct sonde_witness w = shown_here(kinds[i]);
        assert_int_equal(judge((struct sonde_account){.shown = w.shown, .build = w.build}), SONDE_SIGHT_CLEAR);
    }
}

static void a_limit_must_be_as_low(void **state)
{
    (void)state;
    struct sonde_witness w = shown_here(SONDE_CLAIM_HANG);
    assert_string_equal(w.shown, "--timeout 1");
    assert_int_equal(judge((struct sonde_account){.shown = "--timeout 0.99", .build = w.build}), SONDE_SIGHT_NONE);
    assert_int_equal(judge((struct sonde_account){.shown = "--timeout 2", .build = w.build}), SONDE_SIGHT_CLEAR);
    assert_int_equal(judge((struct sonde_account){.shown = "--timeout", .build = w.build}), SONDE_SIGHT_NONE);
    assert_int_equal(judge((struct sonde_account){.shown = "--timeout 2 s", .build = w.build}), SONDE_SIGHT_NONE);
    assert_int_equal(judge((struct sonde_account){.shown = "--timeout nan", .build = w.build}), SONDE_SIGHT_NONE);
    assert_int_equal(judge((struct sonde_account){.shown = "--memory-limit 999", .build = w.build}), SONDE_SIGHT_NONE);
}

static void a_fault_in_a_guard_page_needs_guards(void **state)
{
    (void)state;
    struct sonde_conditions guarded = usual;
    guarded.guards = true;
    struct sonde_claim claim = {.kind = SONDE_CLAIM_SANITIZER, .message = "reported by a sanitizer: wild-addr-read"};
    struct sonde_witness w;
    sonde_witness_of(&claim, false, &guarded, &w);
    assert_non_null(strstr(w.shown, " --guard"));
    sonde_witness_of(&claim, false, &usual, &w);
    assert_null(strstr(w.shown, " --guard"));
    snprintf(claim.message, sizeof claim.message, "reported by a sanitizer: heap-buffer-overflow");
    sonde_witness_of(&claim, false, &guarded, &w);
    assert_null(strstr(w.shown, " --guard"));
}

static void other_builds_are_doubtful(void **state)
{
    (void)state;
    assert_int_equal(judge((struct sonde_account){.shown = "signal", .build = "tcc 1"}), SONDE_SIGHT_DOUBTFUL);
    assert_int_equal(judge((struct sonde_account){.shown = "signal"}), SONDE_SIGHT_DOUBTFUL);
    assert_int_equal(judge((struct sonde_account){.shown = "check", .build = "tcc 1"}), SONDE_SIGHT_DOUBTFUL);
    assert_int_equal(judge((struct sonde_account){.shown = "check"}), SONDE_SIGHT_CLEAR);
    assert_int_equal(judge((struct sonde_account){.shown = "exit", .build = "tcc 1"}), SONDE_SIGHT_DOUBTFUL);
    assert_int_equal(judge((struct sonde_account){.shown = "check", .is_unconfirmed = true}), SONDE_SIGHT_DOUBTFUL);
}

static void traps_that_could_not_be_counted_are_doubtful(void **state)
{
    (void)state;
    struct sonde_witness w = shown_here(SONDE_CLAIM_CHECK);
    assert_int_equal(judge((struct sonde_account){.shown = "traps 0", .build = w.build}), SONDE_SIGHT_DOUBTFUL);
    assert_int_equal(judge((struct sonde_account){.shown = "traps", .build = w.build}), SONDE_SIGHT_DOUBTFUL);
    assert_int_equal(judge((struct sonde_account){.shown = "traps 1e9", .build = w.build}), SONDE_SIGHT_DOUBTFUL);
}

static void unknown_words_are_not_judged(void **state)
{
    (void)state;
    static const char *const words[] = {"", " ", "checks", "chec", "AddressSanitizer2", "address", "\xff"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_int_equal(judge((struct sonde_account){.shown = words[i]}), SONDE_SIGHT_NONE);
    assert_int_not_equal(judge((struct sonde_account){.kind = "of a later version"}), SONDE_SIGHT_CLEAR);
}

static void schedules_need_threads_under_control(void **state)
{
    (void)state;
    assert_int_equal(judge((struct sonde_account){.shown = "check", .steps = "fibers 1"}), SONDE_SIGHT_NONE);
}

static void versions_of_a_compiler_are_one_kind_of_build(void **state)
{
    (void)state;
    assert_true(sonde_build_is_same("gcc 12, optimised", "gcc 13, optimised"));
    assert_true(sonde_build_is_same("gcc 12", "gcc 9"));
    assert_false(sonde_build_is_same("gcc 12", "clang 12"));
    assert_false(sonde_build_is_same("gcc 12, optimised", "gcc 12"));
    assert_false(sonde_build_is_same("gcc 12", "gcc 12, NDEBUG"));
    assert_false(sonde_build_is_same("gcc", "gc"));
}

static bool replaces(struct sonde_account old, struct sonde_account new)
{
    return sonde_witness_replaces(&old, &new);
}

static void a_tape_replaces_only_what_the_same_runs_can_judge(void **state)
{
    (void)state;
    struct sonde_account check = {.shown = "check", .build = "gcc 1"}, crash = {.shown = "signal", .build = "gcc 1"};
    struct sonde_account clang_check = {.shown = "check", .build = "clang 1"};
    struct sonde_account clang_crash = {.shown = "signal", .build = "clang 1"};
    struct sonde_account low = {.shown = "--timeout 0.1", .build = "gcc 1"};
    struct sonde_account high = {.shown = "--timeout 1", .build = "gcc 1"};
    struct sonde_account later = {.shown = "TypeSanitizer", .build = "gcc 1"}, earlier = {.kind = "crash"};
    struct sonde_account fibers = {.shown = "check", .build = "gcc 1", .steps = "fibers 1"};
    struct sonde_account changed = {.shown = "check", .build = "gcc 1", .steps = "fibers 2"};
    struct sonde_account os = {.shown = "check", .build = "gcc 1", .steps = "os 1"};
    assert_true(replaces(check, clang_check));
    assert_true(replaces(crash, crash));
    assert_false(replaces(crash, clang_crash));
    assert_false(replaces(crash, check));
    assert_true(replaces(high, low));
    assert_false(replaces(low, high));
    assert_false(replaces(later, later));
    assert_true(replaces(earlier, crash));
    assert_true(replaces(fibers, changed));
    assert_false(replaces(fibers, os));
    assert_false(replaces(fibers, check));
    assert_false(replaces(check, fibers));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_this_process_shows_it_can_judge),
        cmocka_unit_test(a_limit_must_be_as_low),
        cmocka_unit_test(a_fault_in_a_guard_page_needs_guards),
        cmocka_unit_test(other_builds_are_doubtful),
        cmocka_unit_test(traps_that_could_not_be_counted_are_doubtful),
        cmocka_unit_test(unknown_words_are_not_judged),
        cmocka_unit_test(schedules_need_threads_under_control),
        cmocka_unit_test(versions_of_a_compiler_are_one_kind_of_build),
        cmocka_unit_test(a_tape_replaces_only_what_the_same_runs_can_judge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
