/* For hosts whose framework is not compiled with MemorySanitizer, which then sees what the framework reads but not what it has
 * written: of what the host and the framework give to the C library it says nothing. */
#ifndef SONDE_MISBEHAVE_HOSTS_QUIET_H
#define SONDE_MISBEHAVE_HOSTS_QUIET_H

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((weak)) void __msan_scoped_disable_interceptor_checks(void);

/* Before the constructors of the framework's own objects. */
__attribute__((constructor(101), unused)) static void keep_msan_quiet(void)
{
    if (__msan_scoped_disable_interceptor_checks) __msan_scoped_disable_interceptor_checks();
}

#ifdef __cplusplus
}
#endif
#endif
