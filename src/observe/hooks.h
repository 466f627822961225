/* The hooks of trace.c. The compiler's instrumentation calls them, and so do the sanitizers' memcmp and related
 * functions. Their names and types are prescribed. */
#ifndef SONDE_OBSERVE_HOOKS_H
#define SONDE_OBSERVE_HOOKS_H

#include <sonde.h>

#include <stddef.h>
#include <stdint.h>

SONDE_API void __sanitizer_cov_trace_pc(void);
SONDE_API void __sanitizer_cov_trace_cmp1(uint8_t a, uint8_t b);
SONDE_API void __sanitizer_cov_trace_cmp2(uint16_t a, uint16_t b);
SONDE_API void __sanitizer_cov_trace_cmp4(uint32_t a, uint32_t b);
SONDE_API void __sanitizer_cov_trace_cmp8(uint64_t a, uint64_t b);
SONDE_API void __sanitizer_cov_trace_const_cmp1(uint8_t a, uint8_t b);
SONDE_API void __sanitizer_cov_trace_const_cmp2(uint16_t a, uint16_t b);
SONDE_API void __sanitizer_cov_trace_const_cmp4(uint32_t a, uint32_t b);
SONDE_API void __sanitizer_cov_trace_const_cmp8(uint64_t a, uint64_t b);
SONDE_API void __sanitizer_cov_trace_cmpf(float a, float b);
SONDE_API void __sanitizer_cov_trace_cmpd(double a, double b);
SONDE_API void __sanitizer_cov_trace_switch(uint64_t value, void *cases); /* the type that gcc expects */

SONDE_API void __sanitizer_weak_hook_memcmp(void *pc, const void *a, const void *b, size_t n, int result);
SONDE_API void __sanitizer_weak_hook_strcmp(void *pc, const char *a, const char *b, int result);
SONDE_API void __sanitizer_weak_hook_strncmp(void *pc, const char *a, const char *b, size_t n, int result);
SONDE_API void __sanitizer_weak_hook_strcasecmp(void *pc, const char *a, const char *b, int result);
SONDE_API void __sanitizer_weak_hook_strncasecmp(void *pc, const char *a, const char *b, size_t n, int result);
SONDE_API void __sanitizer_weak_hook_strstr(void *pc, const char *a, const char *b, char *result);

#endif
