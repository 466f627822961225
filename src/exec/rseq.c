#define _GNU_SOURCE /* syscall */
/* Implements sonde_rseq_leave of death.h. Only glibc, from version 2.35 on, registers an address for restartable
 * sequences, and publishes where it is. Without this, a worker whose code under test overruns a block into that memory
 * dies by SIGSEGV, and no handler is called. */
#include "exec/death.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Distance of the registered address from the thread pointer. */
extern __attribute__((weak)) const ptrdiff_t __rseq_offset;

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
    char *pointer; /* gcc 10 has no builtin that returns the thread pointer */
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
