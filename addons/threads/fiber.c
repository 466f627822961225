#define _GNU_SOURCE /* MAP_ANONYMOUS */
/* Stacks of fibers, and the switch between them. A switch pushes the callee-saved registers, exchanges the stack
 * pointer, and pops the registers of the other fiber. swapcontext does the same, but calls the kernel for the
 * signal mask, which state.c handles. control.c lists what else is exchanged with the turn. */
#include "fiber.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct sonde_range sonde_stacks = SONDE_NOTHING;

void sonde_stack_known(const char *stack, size_t size)
{
    sonde_range_add(&sonde_stacks, stack, size);
}

char *sonde_stack_create(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *all =
        mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (all == MAP_FAILED || mprotect(all, page, PROT_NONE) != 0) return NULL;
    sonde_stack_known(all + page, size);
    return all + page;
}

void sonde_stack_free(char *stack, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (stack) munmap(stack - page, size + page);
}

/* Returns whether the frame at an address of this fiber's stack has returned. If the fiber waits for its turn,
 * everything below its stack pointer has; if it has ended, everything has. */
static bool has_returned(const struct sonde_fiber *f, uintptr_t at)
{
    enum { RED_ZONE = 128 }; /* bytes that a function may use below its stack pointer on x86-64 */
    return f->state == SONDE_HAS_ENDED || at + RED_ZONE < (uintptr_t)f->sp;
}

static bool is_on_stack(const struct sonde_fiber *f, uintptr_t at)
{
    return f->stack && at - (uintptr_t)f->stack < f->stack_size;
}

/* Leaves out the running thread: its stack pointer is not known here, and a later call may have reused the memory. */
const struct sonde_fiber *sonde_frame_gone(const void *p)
{
    uintptr_t at = (uintptr_t)p;
    if (!sonde_is_in(&sonde_stacks, p) || is_on_stack(sonde_control.running, at)) return NULL;
    for (uint32_t i = 0; i < sonde_control.n_fibers; i++) {
        const struct sonde_fiber *f = &sonde_control.fibers[i];
        if (is_on_stack(f, at)) return has_returned(f, at) ? f : NULL;
    }
    return NULL;
}

#if defined(__x86_64__)

__asm__(".text\n"
        ".globl sonde_fiber_switch\n"
        ".type sonde_fiber_switch, @function\n"
        "sonde_fiber_switch:\n"
        "    push %rbp\n"
        "    push %rbx\n"
        "    push %r12\n"
        "    push %r13\n"
        "    push %r14\n"
        "    push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov %rsi, %rsp\n"
        "    pop %r15\n"
        "    pop %r14\n"
        "    pop %r13\n"
        "    pop %r12\n"
        "    pop %rbx\n"
        "    pop %rbp\n"
        "    ret\n"
        ".size sonde_fiber_switch, . - sonde_fiber_switch\n");

void *sonde_fiber_prepare(char *stack, size_t size, void (*begin)(void))
{
    enum { REGISTERS = 6 }; /* number of registers that the switch pops before it returns to `begin` */
    void **sp = (void **)(stack + size - 64);
    *--sp = NULL; /* return address of `begin`: stack traces end here */
    memcpy(--sp, &begin, sizeof begin);
    for (int i = 0; i < REGISTERS; i++) *--sp = NULL;
    return sp;
}

#elif defined(__aarch64__)

__asm__(".text\n"
        ".globl sonde_fiber_switch\n"
        ".type sonde_fiber_switch, %function\n"
        "sonde_fiber_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size sonde_fiber_switch, . - sonde_fiber_switch\n");

void *sonde_fiber_prepare(char *stack, size_t size, void (*begin)(void))
{
    enum {
        SAVED = 160, /* number of bytes that the switch loads */
        RETURN = 88  /* offset of x30, the return address, in these bytes */
    };
    char *sp = stack + size - 64 - SAVED;
    memset(sp, 0, SAVED);
    memcpy(sp + RETURN, &begin, sizeof begin);
    return sp;
}

#else

#include <ucontext.h>

/* On other machines the C library switches. The context of a new fiber is at the top of its stack. A fiber that is
 * not running has its context in the frame of sonde_fiber_switch. */
void *sonde_fiber_prepare(char *stack, size_t size, void (*begin)(void))
{
    ucontext_t *context = (ucontext_t *)(void *)(stack + size - sizeof *context - 64);
    getcontext(context);
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = size - sizeof *context - 128;
    context->uc_link = NULL;
    makecontext(context, begin, 0);
    return context;
}

void sonde_fiber_switch(void **from, void *to)
{
    ucontext_t own;
    *from = &own;
    swapcontext(&own, to);
}

#endif
