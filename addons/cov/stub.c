/* Empty definitions of the functions that instrumented code calls, for programs that do not use sonde.
 *
 * `sonde cc` links this into every program, because a build makes more programs than the tests. Examples are the
 * programs that a configure script compiles, a code generator, and a library's command-line tool. The functions are
 * weak, so in a test program those in libsonde replace them. They need nothing else, so they also fit into a program
 * without a C library. */
#include <stdint.h>

#define STUB(name, ...)                                                                                                \
    __attribute__((weak, visibility("default"))) void name(__VA_ARGS__);                                               \
    void name(__VA_ARGS__) {}

/* clang: inline-8bit-counters, pc-table */
STUB(__sanitizer_cov_8bit_counters_init, uint8_t *start __attribute__((unused)), uint8_t *stop __attribute__((unused)))
STUB(__sanitizer_cov_pcs_init, const uintptr_t *start __attribute__((unused)),
     const uintptr_t *stop __attribute__((unused)))
/* gcc: trace-pc */
STUB(__sanitizer_cov_trace_pc, void)
/* both: trace-cmp */
#define COMPARE(name, type) STUB(name, type a __attribute__((unused)), type b __attribute__((unused)))
COMPARE(__sanitizer_cov_trace_cmp1, uint8_t)
COMPARE(__sanitizer_cov_trace_cmp2, uint16_t)
COMPARE(__sanitizer_cov_trace_cmp4, uint32_t)
COMPARE(__sanitizer_cov_trace_cmp8, uint64_t)
COMPARE(__sanitizer_cov_trace_const_cmp1, uint8_t)
COMPARE(__sanitizer_cov_trace_const_cmp2, uint16_t)
COMPARE(__sanitizer_cov_trace_const_cmp4, uint32_t)
COMPARE(__sanitizer_cov_trace_const_cmp8, uint64_t)
COMPARE(__sanitizer_cov_trace_cmpf, float)
COMPARE(__sanitizer_cov_trace_cmpd, double)
STUB(__sanitizer_cov_trace_switch, uint64_t value __attribute__((unused)),
     const uint64_t *cases __attribute__((unused)))
