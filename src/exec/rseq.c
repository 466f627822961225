#define _GNU_SOURCE /* syscall */
/* Implements sonde_rseq_leave of death.h. Only glibc registers such an address, from version 2.35 on, and publishes
 * where it is. Found in practice: a worker died by SIGSEGV without a handler. The code under test had overrun a
 * block at the end of the thread's memory. */
#include "exec/death.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

extern __attribute__((weak)) const ptrdiff_t __rseq_offset; /* offset from the thread pointer */

/* Length and signature must be as in the registration, or the kernel ignores the call. */
enum { LENGTH = 32, UNREGISTER = 1 };
#if defined(__x86_64__)
#define SIGNATURE 0x53053053u
#elif defined(__aarch64__)
#define SIGNATURE 0xd428bc00u
#endif

#if defined(SYS_rseq) && defined(SIGNATURE)
static char *thread_pointer(void)
{
#if defined(__x86_64__)
    char *pointer; /* gcc 10 has no builtin for the thread pointer */
    __asm__("mov %%fs:0, %0" : "=r"(pointer));
    return pointer;
#else
    return __builtin_thread_pointer();
#endif
}

void sonde_rseq_leave(void)
{
    if (&__rseq_offset) syscall(SYS_rseq, thread_pointer() + __rseq_offset, LENGTH, UNREGISTER, SIGNATURE);
}
#else
void sonde_rseq_leave(void) {}
#endif
