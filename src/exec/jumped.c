#define _GNU_SOURCE /* struct _pthread_cleanup_buffer */
/* Implements jumped.h: turns a jump or an exception out of a property into a failure of the case. */
#include "exec/jumped.h"

#include "base/frames.h"
#include "exec/death.h"
#include "exec/exec.h"

#include <string.h>

/* Describes a jump; set around a run by the adapter of a test framework. NULL: only the functions on the stack are
 * known. */
static sonde_jump_fn_ *describe;

sonde_jump_fn_ *sonde_on_jump_(sonde_jump_fn_ *new)
{
    sonde_jump_fn_ *before = describe;
    describe = new;
    return before;
}

bool sonde_exec_has_adapter(void)
{
    return describe != NULL;
}

/* Fails the case. Its identity is derived from the innermost functions on the stack. */
static void fail_by_jump(sonde *t, const char *how)
{
    static struct sonde_death death; /* static, because it is large; only one thread of a process runs properties */
    struct sonde_claim claim;
    death.kind = SONDE_DEATH_JUMP;
    snprintf(death.text, sizeof death.text, "%s", how);
    death.n_frames = sonde_backtrace(death.frames, SONDE_DEATH_FRAMES);
    sonde_death_claim(&death, &claim);
    sonde_case_fail_by(t, &claim);
}

/* Abandons the exception where it is; its object leaks. */
void sonde_jumped_unwound(struct sonde_jump_watch *watch)
{
    sonde *t = watch->t;
    if (!t) return;
    t->leave = NULL; /* do not leave the case by another exception */
    fail_by_jump(t, "an exception, or by pthread_exit; in C++ give the property as sondecpp::property (sonde.hpp)");
}

#ifdef __GLIBC__

/* These functions implemented pthread_cleanup_push before compilers had exceptions. Weak, because a later glibc may
 * drop them. */
extern __attribute__((weak)) void _pthread_cleanup_push(struct _pthread_cleanup_buffer *buffer, void (*routine)(void *),
                                                        void *arg);
extern __attribute__((weak)) void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *buffer, int execute);

/* Fails the case. longjmp and pthread_exit call this before they leave the frame. Does not return: the case is left
 * instead. */
static void sonde_on_jump(void *arg)
{
    sonde *t = arg;
    sonde_jump_ jump;
    memset(&jump, 0, sizeof jump);
    if (describe) describe(&jump);
    if (jump.text[0]) sonde_fail_(t, jump.file, jump.line, "%s", jump.text);
    fail_by_jump(t, "a jump past sonde (longjmp, as assertions of test frameworks make, or pthread_exit)");
}

void sonde_jumped_begin(struct sonde_jump_watch *watch, sonde *t)
{
    watch->t = t;
    if (_pthread_cleanup_push) _pthread_cleanup_push(&watch->buffer, sonde_on_jump, t);
}

void sonde_jumped_end(struct sonde_jump_watch *watch)
{
    watch->t = NULL;
    if (_pthread_cleanup_push) _pthread_cleanup_pop(&watch->buffer, 0);
}

#else

void sonde_jumped_begin(struct sonde_jump_watch *watch, sonde *t)
{
    watch->t = t;
}

void sonde_jumped_end(struct sonde_jump_watch *watch)
{
    watch->t = NULL;
}

#endif
