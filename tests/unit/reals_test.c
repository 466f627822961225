/* The calls that sonde cc adds to clang's intermediate code before comparisons of floats and doubles (tools/reals.h). */
#include "../../tools/reals.c"
#include "../../tools/text.c"

#include "lib/mocka.h"

static void is_traced(const char *line, const char *call)
{
    char code[512], want[1024];
    snprintf(code, sizeof code, "define i32 @f(double %%0) #1 {\n%s\n}\nattributes #1 = { nounwind }\n", line);
    snprintf(want, sizeof want, "define i32 @f(double %%0) #1 {\n%s%s%s\n}\n", call ? call : "", call ? "\n" : "",
             line);
    char *got = reals_trace(code);
    got[strlen(want)] = 0; /* leaves out attributes and declarations */
    assert_string_equal(got, want);
    sonde_free(got);
}

static void doubles_and_floats_are_traced(void **state)
{
    (void)state;
    is_traced("  %4 = fcmp olt double %2, 1.500000e+00, !dbg !12",
              "  call void @__sanitizer_cov_trace_cmpd(double %2, double 1.500000e+00), !dbg !12");
    is_traced("  %cmp.i = fcmp une float %x, 0x3FF8000000000000",
              "  call void @__sanitizer_cov_trace_cmpf(float %x, float 0x3FF8000000000000)");
    is_traced("  %7 = fcmp nnan ninf ogt double %5, %6, !dbg !3, !prof !9",
              "  call void @__sanitizer_cov_trace_cmpd(double %5, double %6), !dbg !3");
}

static void others_stay_as_they_are(void **state)
{
    (void)state;
    is_traced("  %4 = fcmp une double %2, %2, !dbg !12", NULL); /* NaN? */
    is_traced("  %4 = fcmp oeq x86_fp80 %2, 0xK4000C000000000000000", NULL);
    is_traced("  %4 = fcmp oeq <2 x double> %2, %3", NULL);
    is_traced("  %4 = fcmp oeq double bitcast (i64 ptrtoint (i8* @x to i64) to double), %3", NULL);
    is_traced("  %4 = icmp slt i32 %2, 5", NULL);
    is_traced("  store double %2, double* %3 ; = fcmp olt double %2, %3", NULL);
}

static void functions_without_instrumentation_are_left_out(void **state)
{
    (void)state;
    static const char code[] = "define i32 @f(double %0) #1 {\n  %2 = fcmp olt double %0, 1.0\n}\n"
                               "define i32 @g(double %0) #12 {\n  %2 = fcmp olt double %0, 2.0\n}\n"
                               "attributes #1 = { nosanitize_coverage nounwind }\nattributes #12 = { nounwind }\n";
    char *got = reals_trace(code);
    assert_true(!strstr(got, "cmpd(double %0, double 1.0)"));
    assert_true(strstr(got, "cmpd(double %0, double 2.0)") != NULL);
    sonde_free(got);
}

static void functions_are_declared_once(void **state)
{
    (void)state;
    char *got = reals_trace("declare void @__sanitizer_cov_trace_cmpd(double, double) #2\n");
    const char *first = strstr(got, "@__sanitizer_cov_trace_cmpd");
    assert_true(first && !strstr(first + 1, "@__sanitizer_cov_trace_cmpd"));
    assert_true(strstr(got, "declare void @__sanitizer_cov_trace_cmpf(float, float)\n") != NULL);
    sonde_free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_and_floats_are_traced),
        cmocka_unit_test(others_stay_as_they_are),
        cmocka_unit_test(functions_without_instrumentation_are_left_out),
        cmocka_unit_test(functions_are_declared_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
