#define _GNU_SOURCE /* REG_RSP, strsignal */
/* Implements death.h, in two halves for two processes.
 *
 * The worker's half runs in signal handlers and in callbacks of sanitizers, in a process where anything may be
 * damaged. It calls only async-signal-safe functions, with two exceptions. backtrace is safe because
 * sonde_death_prepare has loaded the unwinder. snprintf is called only in a sanitizer's callback, which is not a
 * signal handler. This half writes to *my_death in shared memory and ends the process; the first cause counts
 * (sonde_take_frames).
 *
 * The supervisor's half is ordinary code. sonde_death_decide decides which facts are used. sonde_death_claim turns
 * them into a claim, with an identity that is the same in every run of the same bug. */
#include "exec/death.h"

#include "base/die.h"
#include "base/frames.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/process.h"
#include "base/schedule.h"
#include "exec/family.h"
#include "exec/interrupt.h"
#include "program/sanitizer.h"
#include "program/place.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- In the worker. Static variables, because signal handlers have no other access to their data. */

/* Record of this worker's death; NULL: this process is not a worker. */
static struct sonde_death *my_death;
static pid_t my_pid;
static bool is_silent; /* the output of this process is dropped */

#define OVERWRITTEN "the code under test wrote over sonde's memory (the sonde * that it was given, or close to it)"
#define UNNAMED "error" /* the description of an error that a sanitizer did not name */
#if defined(__GNUC__)
#define WEAK __attribute__((weak))
extern WEAK void __sanitizer_set_death_callback(void (*callback)(void));
extern WEAK const char *__asan_get_report_description(void);
extern WEAK int __asan_report_present(void);
extern WEAK void __asan_init(void);
extern WEAK void __msan_init(void);
#endif

/* Records the kind of death and the return addresses on the stack. The sonde_ prefix of these static functions marks
 * the end of the user's part of a stack trace. */
static void sonde_take_frames(enum sonde_death_kind kind)
{
    sonde_schedule_die();
    if (my_death->kind != SONDE_DEATH_NONE) return; /* only the first cause counts */
    my_death->kind = kind;
    if (sonde_at_death) sonde_at_death();
    my_death->n_frames = sonde_backtrace(my_death->frames, SONDE_DEATH_FRAMES);
}

/* Returns the stack pointer; 0 on unknown machines, where no fault is called a stack overflow. */
static uintptr_t stack_pointer(const void *context)
{
#if defined(__x86_64__)
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.sp;
#else
    (void)context;
    return 0;
#endif
}

static uintptr_t program_counter(const void *context)
{
#if defined(__x86_64__)
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.pc;
#else
    (void)context;
    return 0;
#endif
}

/* Changes the context to the context of the caller, in the middle of its call instruction. The return address is on top
 * of the stack (x86-64) or in the link register. The - 1 points inside the call, so that the unwinder's tables find the
 * caller and not the function after it. */
static void go_to_caller(ucontext_t *context)
{
#if defined(__x86_64__)
    greg_t *registers = context->uc_mcontext.gregs;
    registers[REG_RIP] = *(const greg_t *)registers[REG_RSP] - 1;
    registers[REG_RSP] += (greg_t)sizeof(greg_t);
#elif defined(__aarch64__)
    context->uc_mcontext.pc = context->uc_mcontext.regs[30] - 1;
#else
    (void)context;
#endif
}

/* Returns whether the fault is close to the stack pointer. */
static bool is_stack_overflow(int signal, const siginfo_t *info, const void *context)
{
    /* 64 kB: a frame with large locals faults some pages below the stack pointer. That is more than a guard page,
     * and less than the distance to anything else. */
    const uintptr_t near = 64 * 1024;
    if (signal != SIGSEGV && signal != SIGBUS) return false;
    uintptr_t sp = stack_pointer(context), at = (uintptr_t)info->si_addr;
    return sp != 0 && at + near > sp && at < sp + near;
}

/* Ends this process by the signal, as its parent may expect. The process is not a worker: the property has forked
 * it. */
static void die_of(int number)
{
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    signal(number, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    raise(number);
    _exit(128 + number);
}

/* Returns whether a timer or another process sent the signal: then the location of the worker at that moment is
 * random. */
static bool comes_from_outside(int signal, const siginfo_t *info)
{
    /* A code <= 0 means that a process sent the signal (kill, sigqueue, tgkill), and not the kernel. */
    if (info->si_code <= 0) return info->si_pid != getpid();
    return signal != SIGSEGV && signal != SIGBUS && signal != SIGFPE && signal != SIGILL && signal != SIGTRAP
           && signal != SIGSYS && signal != SIGXFSZ;
}

/* Adds one to the address of the fault among the frames, because all other frames are return addresses. Otherwise the
 * first instruction of a function would be attributed to the function before it. */
static void sonde_mark_fault(const void *context)
{
    uintptr_t pc = program_counter(context);
    for (int i = 0; i < my_death->n_frames; i++)
        if (pc && (uintptr_t)my_death->frames[i] == pc) my_death->frames[i] = (void *)(pc + 1);
}

/* Takes the frames at a fault. If the code jumped to something that is not a function, no unwind table covers it. But
 * the code there has done nothing yet, so the caller's context is intact. */
static void sonde_take_fault(enum sonde_death_kind kind, const siginfo_t *info, ucontext_t *context)
{
    ucontext_t before = *context;
    bool is_first = my_death->kind == SONDE_DEATH_NONE;
    bool is_fault = info->si_signo == SIGSEGV || info->si_signo == SIGBUS;
    if (is_fault && info->si_code > 0 && program_counter(context) == (uintptr_t)info->si_addr) go_to_caller(context);
    if (is_first) {
        /* The unwinder may fault too, if its memory was overwritten: then at least the facts recorded so far are
         * known. */
        my_death->frames[0] = (void *)(program_counter(context) + 1);
        my_death->n_frames = program_counter(context) != 0;
    }
    sonde_take_frames(kind);
    if (is_first) sonde_mark_fault(context);
    /* The context is restored: the handler may return to the faulting instruction, so that a sanitizer's handler sees
     * the true registers. */
    context->uc_mcontext = before.uc_mcontext;
}

static struct sigaction tools[NSIG]; /* AddressSanitizer's handlers, which sonde's handlers replace */

static bool is_tools(int signal)
{
    return signal < NSIG && tools[signal].sa_flags & SA_SIGINFO && tools[signal].sa_sigaction;
}

/* Finds AddressSanitizer's handlers before main, which may replace them: cmocka and other frameworks do. */
__attribute__((constructor)) static void find_tools(void)
{
    const int faults[] = {SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGSEGV, SIGBUS};
    for (size_t i = 0; __asan_init && i < sizeof faults / sizeof *faults; i++)
        sigaction(faults[i], NULL, &tools[faults[i]]);
}

static void sonde_on_signal(int signal, siginfo_t *info, void *context)
{
    if (getpid() != my_pid) die_of(signal); /* the signal may arrive before sonde_forked recognises the fork */
    bool is_first = my_death->kind == SONDE_DEATH_NONE;
    if (is_first) {
        my_death->signal = signal;
        my_death->to_parent = sonde_interrupt_is_workers(info); /* false unless each case has a separate process */
        my_death->is_anywhere = comes_from_outside(signal, info);
        my_death->address = (uintptr_t)info->si_addr;
    }
    /* The supervisor sends SIGXCPU to end a case that hangs. */
    enum sonde_death_kind kind = signal == SIGXCPU                          ? SONDE_DEATH_HANG
                                 : is_stack_overflow(signal, info, context) ? SONDE_DEATH_STACK_OVERFLOW
                                                                            : SONDE_DEATH_SIGNAL;
    sonde_take_fault(kind, info, context);
    if (!is_silent && is_tools(signal)) { /* the tool prints a report when the instruction is retried */
        /* Returning repeats the faulting instruction, which then reaches the tool. */
        sigaction(signal, &tools[signal], NULL);
        return;
    }
    sonde_tracer_release();
    sonde_heap_exit(1); /* everything is recorded; dying of the signal would only cause a core dump */
}

/* Forwards the signal if another OS thread is scheduled (sonde cc --threads=os), because the stack of that thread is
 * wanted. Returns whether the signal was forwarded. */
static bool is_for_another(int signal, const siginfo_t *info)
{
    siginfo_t same = *info;
    int runs_in = sonde_running_case ? sonde_running_case->schedule.runs_in : 0;
    if (!runs_in || runs_in == (int)syscall(SYS_gettid)) return false;
    same.si_code = SI_QUEUE; /* other codes are reserved for the kernel */
    return syscall(SYS_rt_tgsigqueueinfo, my_pid, runs_in, signal, &same) == 0;
}

/* Samples the stack of a case that takes long, at the supervisor's request. A loop is identified by the part that all
 * samples share, not by the innermost function. */
static void sonde_on_question(int signal, siginfo_t *info, void *context)
{
    /* static, because a handler's stack has only 64 kB; a process handles one request at a time */
    static void *frames[SONDE_DEATH_FRAMES];
    if (getpid() == my_pid && is_for_another(signal, info)) return;
    bool is_asked = info->si_code <= 0 && info->si_pid == getppid() && !my_death->is_ending;
    if (!is_asked || getpid() != my_pid) sonde_on_signal(signal, info, context);
    bool was_controlled = sonde_schedule_control(false);
    int saved = errno, at = my_death->n_samples;
    int n = at < SONDE_DEATH_SAMPLES ? sonde_backtrace(frames, SONDE_DEATH_FRAMES) : 0;
    /* Keep the outermost frames: the path from the property inwards is what samples have in common. */
    int kept = n < SONDE_SAMPLE_FRAMES ? n : SONDE_SAMPLE_FRAMES;
    if (kept) {
        memcpy(my_death->samples[at].frames, frames + n - kept, (size_t)kept * sizeof *frames);
        my_death->samples[at].n = kept;
        my_death->n_samples = at + 1;
    }
    sonde_schedule_control(was_controlled);
    errno = saved;
}

static void handle_question(void)
{
    struct sigaction action = {.sa_sigaction = sonde_on_question, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sonde_tools_sigaction(SIGXCPU, &action, NULL);
}

/* Handles INT, TERM and HUP. Either the code under test sent the signal, to itself, its group or its parent. Or the
 * user wants the run to end, which the supervisor handles. A sender that no longer exists was a child of the code
 * under test. */
static void sonde_on_request(int signal, siginfo_t *info, void *context)
{
    /* Every worker leads a separate process group, so the sender's group tells whether it belongs to the code under
     * test. */
    pid_t group = info->si_code <= 0 && info->si_pid > 0 ? getpgid(info->si_pid) : 0;
    bool is_own = group == -1 || group == getpgrp() || sonde_interrupt_is_workers(info);
    if (is_own || getpid() != my_pid) sonde_on_signal(signal, info, context);
}

/* Names an error for which the sanitizer gives no description. MemorySanitizer has one kind. UBSan in trap mode and
 * LeakSanitizer have no name. */
static const char *unnamed(void)
{
    return __msan_init ? "use-of-uninitialized-value" : UNNAMED;
}

static void sonde_on_sanitizer(void)
{
    if (sonde_forked_is_child()) return;
    const char *text = NULL;
    if (__asan_report_present && __asan_report_present() && __asan_get_report_description)
        text = __asan_get_report_description();
    bool overflowed = text && strcmp(text, "stack-overflow") == 0;
    if (my_death->kind == SONDE_DEATH_NONE && !overflowed)
        snprintf(my_death->text, sizeof my_death->text, "%s", text ? text : unnamed());
    sonde_take_frames(overflowed ? SONDE_DEATH_STACK_OVERFLOW : SONDE_DEATH_SANITIZER);
}

void __asan_on_error(void);

/* Skips AddressSanitizer's report if its output is dropped. ASan calls this first; the report takes a fifth of a
 * second, because it looks up every line. */
__attribute__((visibility("default"))) void __asan_on_error(void)
{
    if (!my_death || !is_silent) return;
    if (!sonde_forked_is_child()) sonde_on_sanitizer();
    _exit(1);
}

/* Records an exit and skips the exit handlers that were registered before the worker began. They belong to the
 * program around the property, and may clean up things that are not the worker's. */
static void sonde_on_exit(int status, void *unused)
{
    (void)unused;
    if (sonde_forked_is_child()) return;
    sonde_take_frames(SONDE_DEATH_EXIT);
    fflush(NULL);
    sonde_tracer_release();
    sonde_heap_exit(status);
}

#ifndef __GLIBC__
/* Calls sonde_on_exit with a guess: musl does not pass the status to a handler. */
static void sonde_on_exit_untold(void)
{
    sonde_on_exit(EXIT_FAILURE, NULL);
}
#endif

static void sonde_on_quick_exit(void)
{
    if (!sonde_forked_is_child()) sonde_take_frames(SONDE_DEATH_EXIT);
}

/* Records sonde's own fatal message (misuse, out of memory), which the supervisor will print. */
static void sonde_on_die(enum sonde_status status, const char *words)
{
    if (sonde_forked_is_child()) return;
    snprintf(my_death->text, sizeof my_death->text, "%s", words);
    my_death->exit_status = (int)status;
    my_death->kind = SONDE_DEATH_OWN;
}

static void handle(int signal)
{
    struct sigaction action = {.sa_sigaction = sonde_on_signal};
    /* With RESETHAND and NODEFER, a second fault inside the handler ends the process at once instead of looping. */
    action.sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

/* Returns whether a signal has its default action. */
static bool is_default(int signal, bool or_ignored)
{
    struct sigaction now;
    if (sigaction(signal, NULL, &now) != 0 || now.sa_flags & SA_SIGINFO) return false;
    return now.sa_handler == SIG_DFL || (or_ignored && now.sa_handler == SIG_IGN);
}

/* Handles the signals that end a process but are not faults of an instruction. A signal that main handles or ignores
 * keeps its action. INT, TERM and HUP are handled even if ignored: that may only be due to how the program was
 * started. Real-time signals are included, because they end the process by default too. */
static void handle_others(void)
{
    static const int requests[] = {SIGINT, SIGTERM, SIGHUP};
    static const int others[] = {SIGQUIT,   SIGPIPE, SIGALRM,   SIGUSR1, SIGUSR2, SIGPROF,
                                 SIGVTALRM, SIGPOLL, SIGSTKFLT, SIGPWR,  SIGXFSZ};
    struct sigaction action = {.sa_sigaction = sonde_on_request};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        if (is_default(requests[i], true)) sigaction(requests[i], &action, NULL);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (is_default(others[i], false)) handle(others[i]);
    for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
        if (is_default(i, false)) handle(i);
}

void sonde_death_prepare(void)
{
    void *warm_up[4];
    sonde_backtrace(warm_up, 4); /* the first call loads the unwinder, which a handler must not do */
}

/* Installs the handlers last: everything that a handler uses must exist before. */
void sonde_death_watch(struct sonde_death *death, bool silent)
{
    static char stack[64 * 1024] __attribute__((aligned(16)));
    my_pid = getpid();
    my_death = death;
    is_silent = silent;
    struct rlimit no_core = {0, 0};
    /* A search may crash thousands of times. Core files would fill the disk, and writing one takes longer than a
     * case. */
    setrlimit(RLIMIT_CORE, &no_core);
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    sonde_rseq_leave();
    handle_question();
#ifdef __GLIBC__
    on_exit(sonde_on_exit, NULL);
#else
    (void)atexit(sonde_on_exit_untold);
#endif
    (void)at_quick_exit(sonde_on_quick_exit);
    sonde_die_set_receiver(sonde_on_die);
    sonde_die_set_overwritten(sonde_death_overwritten);
    sonde_forked_watch();
    handle_others();
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(sonde_on_sanitizer);
    const int deadly[] = {SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGSEGV, SIGBUS};
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
        int signal = deadly[i];
        /* AddressSanitizer's own handlers describe SIGSEGV and SIGBUS better than sonde's; for the others they only
         * print "signal". The host's handler must not run: it may jump back into the host, in the worker. */
        if ((signal == SIGSEGV || signal == SIGBUS) && is_tools(signal)) sigaction(signal, &tools[signal], NULL);
        else handle(signal);
    }
}

void sonde_death_at(enum sonde_stage stage)
{
    if (my_death && !sonde_forked_is_child()) my_death->stage = stage;
}

void sonde_death_restart_limit(void)
{
    if (my_death) my_death->restarts_limit = true;
}

SONDE_NORETURN void sonde_death_overwritten(void)
{
    /* If this is not a worker, no supervisor would report the death. */
    if (!my_death) sonde_die(SONDE_INTERNAL, OVERWRITTEN);
    if (!sonde_forked_is_child()) my_death->kind = SONDE_DEATH_OVERWRITTEN;
    sonde_tracer_release();
    sonde_heap_exit(1);
}

SONDE_NORETURN void sonde_death_exceeded(void)
{
    my_death->kind = SONDE_DEATH_MEMORY;
    sonde_heap_exit(1);
}

/* ---- In the supervisor */

/* Returns the set of signals that a process catches, as the kernel shows it: bit (number - 1) for each signal. 0 if
 * unknown. */
static unsigned long long caught_by(pid_t pid)
{
    char text[8192];
    unsigned long long caught = 0;
    sonde_process_read(pid, "status", text, sizeof text);
    const char *line = strstr(text, "\nSigCgt:");
    if (line) sscanf(line, "\nSigCgt: %llx", &caught);
    return caught;
}

/* The C library catches signals 32 and 33 once there are threads. Without threads, or if another handler of sonde is
 * gone, the code under test has changed the handler of SIGSEGV. Then a stack overflow is only one possible cause. */
void sonde_death_inspect(struct sonde_death *death, pid_t pid)
{
    const unsigned long long of_threads = UINT64_C(3) << 31, of_sonde = UINT64_C(1) << (SIGBUS - 1);
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != pid) return;
    if (info.si_code == CLD_EXITED || info.si_status != SIGSEGV) return;
    unsigned long long caught = caught_by(pid);
    death->may_be_threads = !caught || (caught & of_threads && caught & of_sonde);
}

/* Keeps what the supervisor itself decided: it killed the worker, so the status is only SIGKILL. Otherwise the worker's
 * record counts, unless another process killed the worker. Without a record, only the status is known. */
void sonde_death_decide(struct sonde_death *death, int status)
{
    if (death->kind == SONDE_DEATH_HANG || death->kind == SONDE_DEATH_MEMORY) return;
    if (death->kind == SONDE_DEATH_OVERWRITTEN) { /* then the exit status does not matter */
        death->signal = 0;
        death->n_frames = 0;
        death->text[0] = '\0';
        return;
    }
    /* If memory ran out in this worker, it would run out in the next one. */
    if (death->kind == SONDE_DEATH_OWN && death->exit_status == SONDE_INTERNAL)
        sonde_die(SONDE_INTERNAL, "%s", death->text);
    if (death->kind == SONDE_DEATH_OWN) return;
    if (WIFEXITED(status)) {
        death->exit_status = WEXITSTATUS(status);
        /* Without a record the process has called _exit, which runs no exit handler. */
        if (death->kind == SONDE_DEATH_NONE) death->kind = SONDE_DEATH_EXIT;
        return;
    }
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (death->kind != SONDE_DEATH_NONE && signal != SIGKILL) return;
    death->signal = signal;
    death->kind = signal == SIGKILL ? SONDE_DEATH_KILLED : SONDE_DEATH_SIGNAL;
    death->is_unhandled = signal == SIGSEGV;
    /* The handler had no alternate stack. Threads that the code under test starts have none. */
    if (death->is_unhandled && death->may_be_threads) death->kind = SONDE_DEATH_STACK_OVERFLOW;
}

bool sonde_death_was_asked_for(const struct sonde_death *death)
{
    bool is_request = death->signal == SIGINT || death->signal == SIGTERM || death->signal == SIGHUP;
    return death->kind == SONDE_DEATH_SIGNAL && is_request && death->is_anywhere && !death->to_parent;
}

enum { FUNCTIONS = 3 }; /* functions by which a crash is identified; deeper ones vary with the input */

static bool is_known(char names[FUNCTIONS][128], int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* Returns whether this is a function of sonde that the code under test calls, directly or through a call that the
 * compiler inserted. */
static bool is_sondes(const char *name)
{
    return strncmp(name, "sonde_", 6) == 0 || strncmp(name, "__sanitizer_cov_", 16) == 0;
}

/* Stores the innermost functions of the code under test, each once even if it recurses; returns their number. Frames
 * below a sonde function that the property called do not count. */
static int functions_of(const struct sonde_death *death, char names[FUNCTIONS][128])
{
    int n = 0;
    struct sonde_symbol s;
    for (int i = 0; i < death->n_frames; i++) {
        sonde_symbol_of((const char *)death->frames[i] - 1, &s);
        if (s.is_base) break;
        /* This frame belongs to sonde. It called the frames counted so far (a printer, a deferred function), so these
         * do not count. */
        if (s.is_foreign && is_sondes(s.name)) n = 0;
        if (s.is_foreign || n == FUNCTIONS || is_known(names, n, s.name)) continue;
        memcpy(names[n++], s.name, sizeof s.name);
    }
    return n;
}

/* Writes "SIGUSR1 (User defined signal 1)". */
static void name_signal(int signal, char *out, size_t size)
{
    /* sigabbrev_np would do, but needs glibc 2.32. */
    static const char *const names[] = {
        [SIGHUP] = "SIGHUP",       [SIGINT] = "SIGINT",       [SIGQUIT] = "SIGQUIT", [SIGKILL] = "SIGKILL",
        [SIGUSR1] = "SIGUSR1",     [SIGUSR2] = "SIGUSR2",     [SIGPIPE] = "SIGPIPE", [SIGALRM] = "SIGALRM",
        [SIGTERM] = "SIGTERM",     [SIGSTKFLT] = "SIGSTKFLT", [SIGXCPU] = "SIGXCPU", [SIGXFSZ] = "SIGXFSZ",
        [SIGVTALRM] = "SIGVTALRM", [SIGPROF] = "SIGPROF",     [SIGPOLL] = "SIGPOLL", [SIGPWR] = "SIGPWR",
    };
    const char *name = signal > 0 && (size_t)signal < sizeof names / sizeof *names ? names[signal] : NULL;
    const char *text = strsignal(signal);
    if (name) snprintf(out, size, "%s (%s)", name, text);
    else snprintf(out, size, "signal %d (%s)", signal, text);
}

const char *sonde_fault_name(int signal)
{
    switch (signal) {
    case SIGSEGV: return "SIGSEGV (invalid memory access)";
    case SIGBUS: return "SIGBUS (misaligned access, or beyond the end of a mapped file)";
    case SIGFPE: return "SIGFPE (division by zero, or integer overflow)";
    case SIGILL: return "SIGILL (invalid instruction)";
    case SIGABRT: return "SIGABRT (abort, or a failed assert)";
    case SIGTRAP: return "SIGTRAP";
    case SIGSYS: return "SIGSYS (forbidden system call)";
    default: return NULL;
    }
}

static int describe_signal(const struct sonde_death *d, char *out, size_t size)
{
    char name[128];
    const char *fault = sonde_fault_name(d->signal);
    if (!fault) name_signal(d->signal, name, sizeof name);
    int n =
        snprintf(out, size, "%s%s", fault ? fault : name, d->to_parent ? ", which it sent to its parent process" : "");
    if (d->is_unhandled)
        n += snprintf(out + n, size - (size_t)n,
                      "; the code under test has changed how signals are handled, so the location is unknown; --gdb "
                      "shows where");
    else if (d->signal == SIGSEGV || d->signal == SIGBUS)
        n += snprintf(out + n, size - (size_t)n, " at address %#lx", (unsigned long)d->address);
    return n;
}

static enum sonde_claim_kind claim_kind(enum sonde_death_kind kind)
{
    switch (kind) {
    case SONDE_DEATH_STACK_OVERFLOW: return SONDE_CLAIM_STACK_OVERFLOW;
    case SONDE_DEATH_SANITIZER: return SONDE_CLAIM_SANITIZER;
    case SONDE_DEATH_EXIT: return SONDE_CLAIM_EXIT;
    case SONDE_DEATH_HANG: return SONDE_CLAIM_HANG;
    case SONDE_DEATH_MEMORY: return SONDE_CLAIM_MEMORY;
    case SONDE_DEATH_KILLED: return SONDE_CLAIM_KILLED;
    case SONDE_DEATH_FORK: return SONDE_CLAIM_FORK;
    case SONDE_DEATH_JUMP: return SONDE_CLAIM_JUMP;
    case SONDE_DEATH_OWN: return SONDE_CLAIM_NONE;
    case SONDE_DEATH_OVERWRITTEN:
    case SONDE_DEATH_NONE:
    case SONDE_DEATH_SIGNAL: break;
    }
    return SONDE_CLAIM_CRASH;
}

static int describe(const struct sonde_death *d, char *out, size_t size)
{
    enum sonde_death_kind kind = d->kind;
    switch (kind) {
    case SONDE_DEATH_STACK_OVERFLOW:
        if (d->is_unhandled)
            return snprintf(
                out, size,
                "SIGSEGV where no handler could run: the stack of a thread overflowed (endless recursion, or a huge "
                "local array), or the code under test changed the handler or memory that it needs; --gdb shows where");
        return snprintf(out, size, "the stack overflowed (endless recursion, or a huge local array)");
    case SONDE_DEATH_SANITIZER: return snprintf(out, size, "reported by a sanitizer: %s", d->text);
    case SONDE_DEATH_EXIT:
        return snprintf(out, size, "the code under test ended the process with status %d (exit or _exit)%s",
                        d->exit_status, d->n_frames ? "" : "; by _exit, so the location is unknown");
    case SONDE_DEATH_HANG:
        if (d->stage != SONDE_STAGE_CASES)
            return snprintf(out, size, "did not end within --wall-timeout, or --time if that is shorter");
        return snprintf(out, size,
                        !d->is_waiting ? "the case did not end within its processor time limit (--timeout)"
                        : d->has_computed
                            ? "the case did not end within its time limit (--wall-timeout)"
                            : "the case did not end within its time limit (--wall-timeout): it was waiting");
    case SONDE_DEATH_MEMORY: return snprintf(out, size, "the process took more memory than allowed (--memory-limit)");
    case SONDE_DEATH_KILLED:
        return snprintf(
            out, size,
            "the process was killed by SIGKILL: by the code under test, by another program, or by the kernel because "
            "memory ran out");
    case SONDE_DEATH_FORK:
        return snprintf(out, size,
                        "the property called fork, and the child process returned from it; end the child with _exit");
    case SONDE_DEATH_JUMP: return snprintf(out, size, "the property was left by %s", d->text);
    case SONDE_DEATH_OWN: return snprintf(out, size, "%s", d->text);
    case SONDE_DEATH_OVERWRITTEN: return snprintf(out, size, OVERWRITTEN);
    case SONDE_DEATH_NONE:
    case SONDE_DEATH_SIGNAL: break;
    }
    return describe_signal(d, out, size);
}

/* ---- Hangs. Which function a loop calls at the moment it is stopped is random. So a hang is identified by the path
 * from the property to the loop: the functions that all samples have in common, from the outside. */

enum { WAY = sizeof((struct sonde_claim *)0)->way / sizeof(uint64_t) };

/* Stores the functions of the code under test on one stack, outermost first, each once; returns their number. */
static int way_of(void *const *frames, int n, char names[WAY][128])
{
    struct sonde_symbol s;
    int base = 0, found = 0;
    for (; base < n; base++) {
        sonde_symbol_of((const char *)frames[base] - 1, &s);
        if (s.is_base) break;
    }
    for (int i = base; i-- > 0 && found < WAY;) {
        sonde_symbol_of((const char *)frames[i] - 1, &s);
        if (s.is_foreign && is_sondes(s.name)) break; /* inner frames belong to sonde */
        bool is_new = !s.is_foreign;
        for (int k = 0; k < found; k++) is_new &= strcmp(names[k], s.name) != 0;
        if (is_new) memcpy(names[found++], s.name, sizeof s.name);
    }
    return found;
}

static int common_way(const struct sonde_death *death, char names[WAY][128])
{
    char other[WAY][128];
    int n = death->n_frames ? way_of(death->frames, death->n_frames, names) : -1;
    for (int i = 0; i < death->n_samples && i < SONDE_DEATH_SAMPLES; i++) {
        const struct sonde_death_sample *s = &death->samples[i];
        int m = way_of(s->frames, s->n, n < 0 ? names : other), same = 0;
        while (n >= 0 && same < n && same < m && strcmp(names[same], other[same]) == 0) same++;
        n = n < 0 ? m : same;
    }
    return n < 0 ? 0 : n;
}

static void claim_way(const struct sonde_death *death, struct sonde_claim *claim)
{
    char names[WAY][128];
    int n = common_way(death, names);
    /* For a hang, `innermost` is the kind alone: shrinking compares paths by sonde_claim_same instead. */
    uint64_t hash = claim->innermost = sonde_mix((uint64_t)claim->kind);
    for (int i = 0; i < n; i++) claim->way[i] = hash = sonde_hash_text(hash, names[i]);
    claim->n_way = (uint32_t)n;
    claim->is_waiting = death->is_waiting;
    /* For a case that exceeded its memory limit there is at most one sample, taken at a random point of the path. Only
     * the kind is the same in each run. */
    claim->functions = claim->kind == SONDE_CLAIM_MEMORY ? claim->innermost : sonde_mix(hash);
    int used = describe(death, claim->message, sizeof claim->message);
    for (int i = n - 1; i >= 0 && i >= n - FUNCTIONS; i--)
        used += snprintf(claim->message + used, sizeof claim->message - (size_t)used,
                         i < n - 1 ? ", called from %.100s" : ", in %.100s", names[i]);
}

/* ---- Stack overflows. Which of several mutually recursive functions reaches the end of the stack is random. */

enum { RECURSIVE = 32 }; /* functions that are counted; further ones are ignored */

struct calls {
    char name[128];
    int n;
};

/* Counts the frames of each function of the code under test; returns how many functions there are. */
static int count_calls(const struct sonde_death *death, struct calls *calls)
{
    int n = 0;
    struct sonde_symbol s;
    for (int i = 0; i < death->n_frames; i++) {
        sonde_symbol_of((const char *)death->frames[i] - 1, &s);
        if (s.is_base) break;
        if (s.is_foreign) continue;
        int k = 0;
        while (k < n && strcmp(calls[k].name, s.name) != 0) k++;
        if (k == RECURSIVE) continue;
        if (k == n) calls[n++] = (struct calls){.n = 0}, memcpy(calls[k].name, s.name, sizeof s.name);
        calls[k].n++;
    }
    return n;
}

/* Names a recursion: the alphabetically first of the functions that are called about as often as the most frequent.
 * Without a recursion `name` stays the innermost function. */
static void name_recursion(const struct sonde_death *death, char name[128])
{
    struct calls calls[RECURSIVE];
    const struct calls *best = NULL;
    int n = count_calls(death, calls), most = 2;
    for (int i = 0; i < n; i++)
        if (calls[i].n > most) most = calls[i].n;
    for (int i = 0; i < n; i++)
        if (2 * calls[i].n >= most && calls[i].n > 1 && (!best || strcmp(calls[i].name, best->name) < 0))
            best = &calls[i];
    if (best) memcpy(name, best->name, sizeof best->name);
}

/* Computes two identities. One uses up to three functions, to tell failures apart in a report. The other uses the
 * innermost alone, for shrinking: a smaller input may reach it by a shorter path. */
void sonde_death_claim(const struct sonde_death *death, struct sonde_claim *claim)
{
    char names[FUNCTIONS][128];
    /* A case that sent a signal to sonde has continued since, so its frames mean nothing. */
    int n = death->to_parent ? 0 : functions_of(death, names);
    memset(claim, 0, sizeof *claim);
    claim->kind = claim_kind(death->kind);
    if (claim->kind == SONDE_CLAIM_HANG || claim->kind == SONDE_CLAIM_MEMORY) {
        claim_way(death, claim);
        return;
    }
    uint64_t hash = sonde_hash_add((uint64_t)claim->kind, (uint64_t)death->signal + (death->to_parent ? 256 : 0));
    hash = sonde_hash_text(hash, death->text);
    char *first = names[0], recursion[128];
    if (n && death->kind == SONDE_DEATH_STACK_OVERFLOW) {
        memcpy(recursion, names[0], sizeof recursion);
        name_recursion(death, recursion);
        first = recursion;
    }
    int n_identifying = death->is_anywhere && death->kind == SONDE_DEATH_SIGNAL ? 0 : n;
    claim->innermost = n_identifying ? sonde_hash_text(hash, first) : sonde_mix(hash);
    for (int i = 0; i < n_identifying; i++) hash = sonde_hash_text(hash, names[i]);
    /* Exits, overflows and kills are identified by the innermost function only: the path to it varies with the
     * input. */
    bool by_one =
        claim->kind != SONDE_CLAIM_CRASH && claim->kind != SONDE_CLAIM_SANITIZER && claim->kind != SONDE_CLAIM_JUMP;
    claim->functions = by_one ? claim->innermost : sonde_mix(hash);
    /* At a jump the innermost functions belong to the test framework, whichever assertion failed. */
    if (claim->kind == SONDE_CLAIM_JUMP) claim->innermost = claim->functions;
    if (n && !death->is_anywhere && death->kind != SONDE_DEATH_STACK_OVERFLOW) {
        claim->n_frames = death->n_frames < SONDE_FRAMES ? death->n_frames : SONDE_FRAMES;
        memcpy(claim->frames, death->frames, (size_t)claim->n_frames * sizeof *claim->frames);
    }
    int used = describe(death, claim->message, sizeof claim->message);
    for (int i = 0; i < n; i++)
        used += snprintf(claim->message + used, sizeof claim->message - (size_t)used,
                         i ? ", called from %.100s" : ", in %.100s", names[i]);
}

void sonde_death_blame_sender(struct sonde_death *death, int signal, sonde *t)
{
    *death = (struct sonde_death){.kind = SONDE_DEATH_SIGNAL, .signal = signal, .to_parent = true, .bell = death->bell};
    if (t->verdict == SONDE_FAILED || t->verdict == SONDE_MISUSE) return; /* only the first failure counts */
    sonde_death_claim(death, &t->claim);
    t->verdict = SONDE_FAILED;
}

/* Returns whether a tool has already described the cause of this death, and better. UBSan may end the process without a
 * message, or let it continue until it crashes. */
static bool is_explained(const struct sonde_death *death, sonde *t)
{
    bool is_wordless = death->kind == SONDE_DEATH_SANITIZER ? strcmp(death->text, UNNAMED) == 0
                                                            : death->kind == SONDE_DEATH_EXIT && !death->n_frames;
    bool is_crash = death->kind == SONDE_DEATH_SIGNAL || death->kind == SONDE_DEATH_SANITIZER;
    if (is_wordless && atomic_load(&t->has_unexpected) && t->claim.kind == SONDE_CLAIM_UNDEFINED) return true;
    return is_crash && sonde_case_explains_crash(t);
}

/* Returns whether a thread under control waits where sonde cannot see it. sonde sees controlled threads that wait
 * for each other, so this one blocks in an uncontrolled call, and no other thread can run. That is a mistake of the
 * test. */
static bool waits_unseen(const struct sonde_death *death, const sonde *t)
{
    return death->kind == SONDE_DEATH_HANG && death->is_waiting && !death->is_cut && t->threads;
}

static void end_unseen(const struct sonde_death *death, sonde *t)
{
    uint32_t thread = t->schedule.running;
    int n = death->n_frames < SONDE_FRAMES ? death->n_frames : SONDE_FRAMES;
    sonde_case_died(t);
    t->verdict = SONDE_MISUSE;
    t->claim.kind = SONDE_CLAIM_MISUSE;
    t->claim.n_frames = n;
    memcpy(t->claim.frames, death->frames, (size_t)n * sizeof *t->claim.frames);
    snprintf(t->claim.message, sizeof t->claim.message,
             "thread %u of sonde_threads waited until --wall-timeout in a library or system call that sonde does not "
             "control, so no other thread could run; do not make that call in sonde_threads, or make sure that it need "
             "not wait",
             thread);
}

/* Keeps the claim of a tool that reported before the death, if that claim explains the death (is_explained): claims of
 * tools have file and line. */
void sonde_death_end_case(const struct sonde_death *death, sonde *t)
{
    if (waits_unseen(death, t)) {
        end_unseen(death, t);
        return;
    }
    bool is_own = death->kind == SONDE_DEATH_OWN;
    bool has_better_claim = !is_own && (is_explained(death, t) || sonde_tools_claim_race(t));
    struct sonde_claim before = t->claim;
    sonde_case_died(t);
    if (!has_better_claim) sonde_death_claim(death, &t->claim);
    if (!is_own) return;
    t->verdict = SONDE_MISUSE;
    t->claim.kind = SONDE_CLAIM_MISUSE;
    t->claim.n_frames = before.kind == SONDE_CLAIM_MISUSE ? before.n_frames : 0;
    memcpy(t->claim.frames, before.frames, sizeof before.frames);
}
