/* Runs a case in this process; the only file of the library that calls the property. Leaving a case is a jump back
 * to here: out of the property, of the teardown, and of each deferred function. So a deferred function that fails
 * does not keep the others from running.
 *
 * exec.h lists the steps of sonde_exec_inline. Each check is made before code that would do harm if the check
 * failed.
 *
 * Functions that call the property are named sonde_exec_*: by that name, src/program recognises where a stack of
 * user code begins. */
#include "exec/exec.h"

#include "base/faults.h"
#include "base/float.h"
#include "base/oom.h"
#include "exec/against.h"
#include "exec/death.h"
#include "exec/family.h"
#include "exec/globals.h"
#include "exec/jumped.h"
#include "program/place.h"
#include "program/sanitizer.h"

/* noinline: a stack trace of the code under test ends at a function of one of these names. */
#define CALLS_USER_CODE __attribute__((noinline))

/* The floating-point environment that the program had set when it called sonde. Per process: the properties of one
 * program share what main has set. */
static sonde_float_env user_floats;
static bool has_floats;

static void write_place(const void *address, char *out, size_t size)
{
    struct sonde_place place;
    sonde_place_of((void *[]){(void *)(uintptr_t)address}, 1, &place);
    if (*place.file) snprintf(out, size, "%s:%d", place.file, place.line);
    else snprintf(out, size, "%s", place.function);
}

void sonde_exec_begin(void)
{
    sonde_case_locate = write_place;
    user_floats = sonde_float_now();
    has_floats = true;
    sonde_float_set(SONDE_FLOAT_PLAIN);
}

void sonde_exec_end(void)
{
    sonde_float_set(user_floats);
    has_floats = false;
}

static inline void give_floats(void)
{
    if (has_floats) sonde_float_set(user_floats);
}

static inline void take_floats(void)
{
    if (has_floats) sonde_float_set(SONDE_FLOAT_PLAIN);
}

static void restore_globals(sonde *t)
{
    const char *why_not = sonde_globals_restore();
    if (why_not) sonde_misuse_(t, "%s", why_not);
}

CALLS_USER_CODE static void sonde_exec_property(sonde *t)
{
    SONDE_JUMP_WATCH watch;
    t->stack_base = __builtin_frame_address(0);
    sonde_jumped_begin(&watch, t);
    /* _setjmp and not setjmp, because saving the signal mask would cost a system call per case. A property that
     * changes its mask and fails leaves it changed. */
    if (_setjmp(t->out) == 0) {
        if (t->property->reset == SONDE_GLOBALS) restore_globals(t);
        if (t->property->setup) t->property->setup(t);
        t->property->run(t);
    }
    /* This call also keeps the call of `run` from being a tail call, which would drop this function's name from the
     * stack. */
    sonde_jumped_end(&watch);
}

CALLS_USER_CODE static void sonde_exec_teardown(sonde *t)
{
    SONDE_JUMP_WATCH watch;
    t->stack_base = __builtin_frame_address(0);
    sonde_jumped_begin(&watch, t);
    if (_setjmp(t->out) == 0) t->property->teardown(t);
    sonde_jumped_end(&watch);
}

CALLS_USER_CODE static void sonde_exec_deferred(sonde *t)
{
    const struct sonde_deferred *d;
    SONDE_JUMP_WATCH watch;
    t->stack_base = __builtin_frame_address(0);
    sonde_jumped_begin(&watch, t);
    /* sonde_case_undo has removed the function before it is called, so one that jumps out is not called again. */
    (void)_setjmp(t->out); /* after a jump out of a deferred function, the loop continues here */
    while ((d = sonde_case_undo(t)) != NULL) d->undo(d->what);
    sonde_jumped_end(&watch);
}

CALLS_USER_CODE void sonde_exec_worker_setup(const sonde_property *property)
{
    sonde_death_at(SONDE_STAGE_SETUP);
    give_floats();
    if (property->worker_setup) property->worker_setup(property->context);
    take_floats();
    sonde_globals_forget();
    if (property->reset == SONDE_GLOBALS) sonde_globals_keep();
    sonde_warm_up(property);
    sonde_death_at(SONDE_STAGE_CASES);
    __asm__ volatile("");
}

CALLS_USER_CODE void sonde_exec_worker_teardown(const sonde_property *property)
{
    sonde_death_at(SONDE_STAGE_TEARDOWN);
    /* Undoes changes of the setup, so that the next property begins in the same state. */
    if (property->reset == SONDE_GLOBALS) sonde_globals_restore();
    sonde_globals_forget();
    give_floats();
    if (property->worker_teardown) property->worker_teardown(property->context);
    sonde_death_at(SONDE_STAGE_CASES);
    __asm__ volatile("");
}

/* Fails the case because of a child process, unless the case itself has failed. */
static void fail_by_child(sonde *t)
{
    const struct sonde_claim *claim = sonde_forked_claim();
    if (!sonde_case_may_fail(t) || atomic_load(&t->has_unexpected)) return;
    sonde_failing_(); /* for --gdb, which does not follow the child */
    t->verdict = SONDE_FAILED;
    atomic_store(&t->claim_taken, 1);
    if (claim) t->claim = *claim;
    else sonde_death_claim(&(struct sonde_death){.kind = SONDE_DEATH_FORK}, &t->claim);
}

/* Waits 50 ms for children that return from the property: most do so about now. Called only if something forked
 * (sonde_forked_has_news), so other cases cost nothing. */
static void check_children(sonde *t)
{
    const double soon = 0.05; /* seconds */
    unsigned long long which = sonde_forked_take(soon);
    sonde_forked_adopt_checks(t);
    if (which == sonde_forked_case) fail_by_child(t);
    else if (which) sonde_forked_late = which;
}

void sonde_exec_await_children(sonde *t, double seconds)
{
    unsigned long long which = 0;
    if (!sonde_case_may_fail(t)) return;
    do which = sonde_forked_take(seconds);
    while (which && which != sonde_forked_case); /* the child belonged to another case */
    if (which) fail_by_child(t);
}

sonde *sonde_current(void)
{
    sonde *t = sonde_running_case ? sonde_running_case : sonde_last_case;
    return t && (t->owner || sonde_forked_is_child()) ? t : NULL;
}

void sonde_exec_inline(sonde *t, const sonde_property *property, struct sonde_guide *guide,
                       const struct sonde_tape *script)
{
    /* Reports of tools and other frameworks use the case of this thread. In threads that the property starts they use
     * the last case. The old values are saved, because a property may run other properties. */
    sonde *before = sonde_running_case, *last_before = sonde_last_case;
    sonde_running_case = sonde_last_case = t;
    if (__builtin_expect(sonde_against_is_open, 0)) t->observes = true;
    sonde_case_begin(t, property, guide, script);
    if (__builtin_expect(sonde_tools_spoke, 0)) sonde_tools_begin();
    sonde_forked_case = atomic_load_explicit(&t->started, memory_order_relaxed);
    give_floats();
    sonde_exec_property(t);
    if (sonde_forked_is_child()) sonde_forked_exit();
    if (__builtin_expect(!sonde_case_is_intact(t), 0)) sonde_death_overwritten();
    sonde_faults_disarm();
    sonde_oom_end(t); /* allocations must not fail in clean-up functions */
    if (t->n_deferred) sonde_exec_deferred(t);
    if (property->teardown) sonde_exec_teardown(t);
    if (t->n_deferred) sonde_exec_deferred(t); /* runs the functions that the teardown deferred */
    take_floats();
    if (sonde_forked_is_child()) sonde_forked_exit();
    if (__builtin_expect(!sonde_case_is_intact(t), 0)) sonde_death_overwritten();
    if (__builtin_expect(sonde_forked_has_news(), 0)) check_children(t);
    if (__builtin_expect(sonde_tools_spoke, 0)) sonde_tools_end(t);
    if (t->disk) sonde_disk_forget(t); /* forgets the files of a sonde_power_cut whose run() did not return */
    sonde_case_end(t);
    if (__builtin_expect(sonde_against_is_open, 0) && !before) sonde_against_case(t);
    sonde_running_case = before;
    sonde_last_case = last_before;
}
