/* Checks longjmp in threads under control. A jump to the stack of another thread is undefined. Unchecked, it would
 * lead to a crash somewhere else, if at all. */
/* With _FORTIFY_SOURCE, <setjmp.h> would give all functions below the name __longjmp_chk. */
#undef _FORTIFY_SOURCE
#include "state.h"

#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GLIBC__)

/* Returns the stack pointer that a jump restores. glibc stores it mangled: XORed with a secret of the process,
 * then rotated left. */
static uintptr_t stack_pointer_of(const struct __jmp_buf_tag *target)
{
    enum {
        STACK_POINTER = 6, /* index of the stack pointer in the buffer */
        TURN = 17          /* number of bits of the rotation */
    };
    uintptr_t secret, mixed = (uintptr_t)target->__jmpbuf[STACK_POINTER];
    __asm__("mov %%fs:0x30, %0" : "=r"(secret));
    return (mixed >> TURN | mixed << (64 - TURN)) ^ secret;
}

/* Records the signal mask that the jump restores, if the buffer has one. */
static void restore_mask(const struct __jmp_buf_tag *target)
{
    if (!target->__mask_was_saved) return;
    sigset_t mask;
    memcpy(&mask, &target->__saved_mask, sizeof mask);
    sonde_state_mask(&mask);
}

/* Ends the run if the target is on the stack of another thread. */
static void check(const struct __jmp_buf_tag *target, const void *site)
{
    if (!sonde_running()) return;
    uintptr_t sp = stack_pointer_of(target);
    for (uint32_t i = 0; i < sonde_control.n_fibers; i++) {
        const struct sonde_fiber *f = &sonde_control.fibers[i];
        uintptr_t stack = (uintptr_t)f->stack;
        if (f == sonde_control.running || !stack || sp < stack || sp >= stack + f->stack_size) continue;
        sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u jumps to the stack of thread %u (longjmp)",
                      sonde_control.running->id, f->id);
    }
    restore_mask(target);
}

void longjmp(struct __jmp_buf_tag target[1], int value)
{
    check(target, SONDE_CALLER);
    SONDE_REAL(longjmp)(target, value);
    __builtin_unreachable();
}

void _longjmp(struct __jmp_buf_tag target[1], int value)
{
    check(target, SONDE_CALLER);
    SONDE_REAL(_longjmp)(target, value);
    __builtin_unreachable();
}

void siglongjmp(struct __jmp_buf_tag target[1], int value)
{
    check(target, SONDE_CALLER);
    SONDE_REAL(siglongjmp)(target, value);
    __builtin_unreachable();
}

/* Code that is compiled with _FORTIFY_SOURCE calls this function in place of all three. */
void __longjmp_chk(struct __jmp_buf_tag target[1], int value) __attribute__((noreturn));
void __longjmp_chk(struct __jmp_buf_tag target[1], int value)
{
    check(target, SONDE_CALLER);
    SONDE_REAL(__longjmp_chk)(target, value);
    __builtin_unreachable();
}

#endif
