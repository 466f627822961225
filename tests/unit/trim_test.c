/* Of a tool's report the lines that matter stay: what happened, and the frames of the code under test. */
#include "lib/mocka.h"

#include "base/mem.h"
#include "report/trim.h"

#include <string.h>

static void assert_trimmed(const char *output, const char *expected)
{
    char *text = sonde_trim_tools(output);
    assert_non_null(text);
    assert_string_equal(text, expected);
    sonde_free(text);
}

static void what_no_tool_said_is_left_alone(void **state)
{
    (void)state;
    assert_null(sonde_trim_tools(""));
    assert_null(sonde_trim_tools("====================\n    #0 0x1 in sonde_exec_property\nSUMMARY: mine\n"));
}

static void one_line_is_not_lines(void **state)
{
    (void)state;
    assert_trimmed(
        "==12==ERROR: AddressSanitizer: SEGV\n    #0 0x55 in parse a.c:7\n    #1 0x57 in sonde_exec_property src/exec/inline.c:17\n",
        "==12==ERROR: AddressSanitizer: SEGV\n    #0 0x55 in parse a.c:7\n"
        "(1 line of the tool is left out; -v shows it)\n");
}

static void a_report_of_asan_keeps_the_code_under_test(void **state)
{
    (void)state;
    assert_trimmed("said before\n"
                   "=================================================================\n"
                   "==12==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x6\n"
                   "READ of size 1 at 0x6 thread T0\n"
                   "    #0 0x55 in parse cJSON.c:777:9\n"
                   "    #1 0x56 in property test.c:5\n"
                   "    #2 0x57 in sonde_exec_property src/exec/inline.c:17\n"
                   "    #3 0x58 in main test.c:9\n"
                   "\n"
                   "0x6 is located 0 bytes to the right of 39-byte region\n"
                   "allocated by thread T0 here:\n"
                   "    #0 0x59 in malloc\n"
                   "    #1 0x5a in sonde_own_malloc src/base/mem.c:42\n"
                   "\n"
                   "SUMMARY: AddressSanitizer: heap-buffer-overflow cJSON.c:777:9 in parse\n"
                   "Shadow bytes around the buggy address:\n"
                   "  0x0c08: fa fa\n"
                   "=>0x0c09: fa[07]\n"
                   "Shadow byte legend (one shadow byte represents 8 application bytes):\n"
                   "  Addressable:           00\n"
                   "==12==ABORTING\n",
                   "said before\n"
                   "==12==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x6\n"
                   "READ of size 1 at 0x6 thread T0\n"
                   "    #0 0x55 in parse cJSON.c:777:9\n"
                   "    #1 0x56 in property test.c:5\n"
                   "\n"
                   "0x6 is located 0 bytes to the right of 39-byte region\n"
                   "allocated by thread T0 here:\n"
                   "    #0 0x59 in malloc\n"
                   "(11 lines of the tool are left out; -v shows them)\n");
}

static void a_report_of_tsan_keeps_both_sides(void **state)
{
    (void)state;
    assert_trimmed("==================\n"
                   "WARNING: ThreadSanitizer: data race (pid=1)\n"
                   "  Write of size 4 at 0x1 by thread T2:\n"
                   "    #0 count_up test.c:66 (faults+0x1)\n"
                   "\n"
                   "  Previous write of size 4 at 0x1 by thread T1:\n"
                   "    #0 count_up test.c:66 (faults+0x1)\n"
                   "\n"
                   "  Thread T1 created by main thread at:\n"
                   "    #0 pthread_create <null> (faults+0x2)\n"
                   "    #1 race test.c:77 (faults+0x3)\n"
                   "    #2 sonde_exec_property src/exec/inline.c:17 (faults+0x4)\n"
                   "    #3 main test.c:99 (faults+0x5)\n"
                   "\n"
                   "SUMMARY: ThreadSanitizer: data race test.c:66 in count_up\n"
                   "==================\n",
                   "WARNING: ThreadSanitizer: data race (pid=1)\n"
                   "  Write of size 4 at 0x1 by thread T2:\n"
                   "    #0 count_up test.c:66 (faults+0x1)\n"
                   "\n"
                   "  Previous write of size 4 at 0x1 by thread T1:\n"
                   "    #0 count_up test.c:66 (faults+0x1)\n"
                   "\n"
                   "  Thread T1 created by main thread at:\n"
                   "    #0 pthread_create <null> (faults+0x2)\n"
                   "    #1 race test.c:77 (faults+0x3)\n"
                   "(5 lines of the tool are left out; -v shows them)\n");
}

static void repeated_reports_of_ubsan_are_left_out(void **state)
{
    (void)state;
    assert_trimmed("mdb.c:10:3: runtime error: member access within misaligned address 0x7f01 for type 'A'\n"
                   "0x7f01: note: pointer points here\n"
                   " 00 00\n"
                   "              ^ \n"
                   "mdb.c:99:3: runtime error: member access within misaligned address 0x7fa2 for type 'A'\n"
                   "0x7fa2: note: pointer points here\n"
                   " 00 00\n"
                   "              ^ \n"
                   "said by the program\n"
                   "mdb.c:99:3: runtime error: member access within misaligned address 0x7fa2 for type 'B'\n",
                   "mdb.c:10:3: runtime error: member access within misaligned address 0x7f01 for type 'A'\n"
                   "0x7f01: note: pointer points here\n"
                   " 00 00\n"
                   "              ^ \n"
                   "said by the program\n"
                   "mdb.c:99:3: runtime error: member access within misaligned address 0x7fa2 for type 'B'\n"
                   "(the same also at mdb.c:99:3)\n"
                   "(4 lines of the tool are left out; -v shows them)\n");
}

/* One mistake has few locations; two mistakes of a kind must not look like one. */
static void locations_of_repeats_are_named(void **state)
{
    (void)state;
    static const char *const more[] = {"", "a.c:2: runtime error: signed integer overflow: 5 + 6\n",
                                       "a.c:3: runtime error: signed integer overflow: 7 + 8\n",
                                       "b.c:4: runtime error: signed integer overflow: 9 + 0\n",
                                       "b.c:5: runtime error: signed integer overflow: 9 + 1\n"};
    char output[1000] = "a.c:1: runtime error: signed integer overflow: 1 + 2\n"
                        "a.c:1: runtime error: signed integer overflow: 3 + 4\n";
    assert_trimmed(output, "a.c:1: runtime error: signed integer overflow: 1 + 2\n"
                           "(1 line of the tool is left out; -v shows it)\n");
    for (int round = 0; round < 2; round++)
        for (size_t i = 1; i < sizeof more / sizeof *more; i++) strcat(output, more[i]);
    assert_trimmed(output, "a.c:1: runtime error: signed integer overflow: 1 + 2\n"
                           "(the same also at a.c:2, a.c:3, b.c:4 and more locations)\n"
                           "(9 lines of the tool are left out; -v shows them)\n");
}

static void a_line_of_ubsan_stays(void **state)
{
    (void)state;
    assert_trimmed("a.c:3:5: runtime error: division by zero\n", "a.c:3:5: runtime error: division by zero\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_no_tool_said_is_left_alone),
        cmocka_unit_test(a_report_of_asan_keeps_the_code_under_test),
        cmocka_unit_test(one_line_is_not_lines),
        cmocka_unit_test(a_report_of_tsan_keeps_both_sides),
        cmocka_unit_test(repeated_reports_of_ubsan_are_left_out),
        cmocka_unit_test(locations_of_repeats_are_named),
        cmocka_unit_test(a_line_of_ubsan_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
