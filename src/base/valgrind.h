/* Requests to valgrind, without its headers. A request is a few rotations that have no effect on a real machine and
 * that valgrind recognises. Valgrind guarantees the sequences and numbers: its valgrind.h and memcheck.h are meant
 * to be copied. On machines other than the two below, every request returns 0, as without valgrind. */
#ifndef SONDE_BASE_VALGRIND_H
#define SONDE_BASE_VALGRIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SONDE_VALGRIND_IS_RUNNING = 0x1001,
    SONDE_VALGRIND_COUNT_ERRORS = 0x1201,
    SONDE_MEMCHECK_NO_ACCESS = 0x4d430000,
    SONDE_MEMCHECK_UNDEFINED,
    SONDE_MEMCHECK_DEFINED,
    SONDE_MEMCHECK_LEAK_CHECK = 0x4d430006,
    SONDE_MEMCHECK_COUNT_LEAKS,
    SONDE_MEMCHECK_GET_BITS
};

/* The arguments of a request. Valgrind takes five words; the fifth is never needed here. */
struct sonde_valgrind_arguments {
    uintptr_t first, second, third, fourth;
};

/* Sends a request; returns its result, 0 without valgrind. */
static inline uintptr_t sonde_valgrind(uintptr_t request, struct sonde_valgrind_arguments with)
{
    volatile uint64_t words[6] = {request, with.first, with.second, with.third, with.fourth, 0};
    uint64_t answer = 0;
#if defined(__x86_64__) && !defined(__ILP32__)
    __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
                     : "=d"(answer)
                     : "a"(&words[0]), "0"(answer)
                     : "cc", "memory");
#elif defined(__aarch64__)
    __asm__ volatile("mov x3, %1; mov x4, %2; ror x12, x12, #3; ror x12, x12, #13; ror x12, x12, #51; "
                     "ror x12, x12, #61; orr x10, x10, x10; mov %0, x3"
                     : "=r"(answer)
                     : "r"((uint64_t)0), "r"(&words[0])
                     : "cc", "memory", "x3", "x4");
#else
    (void)words;
#endif
    return (uintptr_t)answer;
}

/* Returns whether valgrind, with any of its tools, runs this process. */
static inline bool sonde_valgrind_is_running(void)
{
    return sonde_valgrind(SONDE_VALGRIND_IS_RUNNING, (struct sonde_valgrind_arguments){0}) != 0;
}

/* Returns whether valgrind runs its memory checker. Its other tools ignore this request, so a profiler sees the program
 * unchanged. */
static inline bool sonde_valgrind_is_memcheck(void)
{
    char byte = 0, bits;
    return sonde_valgrind(SONDE_MEMCHECK_GET_BITS,
                          (struct sonde_valgrind_arguments){(uintptr_t)&byte, (uintptr_t)&bits, 1, 0})
           != 0;
}

/* Marks memory as NO_ACCESS, UNDEFINED or DEFINED. */
static inline void sonde_valgrind_mark(uintptr_t request, const void *at, size_t n)
{
    sonde_valgrind(request, (struct sonde_valgrind_arguments){.first = (uintptr_t)at, .second = n});
}

#endif
