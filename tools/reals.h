/* Part of sonde cc, for clang: makes comparisons of floats and doubles report their sides. Clang's trace-cmp reports
 * only integers; gcc's reports both. */
#ifndef SONDE_TOOLS_REALS_H
#define SONDE_TOOLS_REALS_H

/* Returns LLVM's intermediate code with a call before each comparison of two floats or two doubles, to be freed. The
 * functions are those that gcc calls: __sanitizer_cov_trace_cmpf and __sanitizer_cov_trace_cmpd. Three kinds of
 * comparisons get no call: other types, a value with itself, and functions with no_sanitize("coverage"). */
char *reals_trace(const char *code);

#endif
