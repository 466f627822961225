#define _GNU_SOURCE /* sigaltstack */
/* Implements fault.h. A handler may do little, so a copy of the process, made by a plain fork, stores the input. If
 * the copy crashes or waits for a lock, only the input is lost. */
#include "exec/fault.h"

#include "base/die.h"
#include "base/process.h"
#include "exec/family.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { N = sizeof deadly / sizeof *deadly };

static struct sigaction before[N];
static stack_t stack_before;
static pid_t watching; /* pid of the process that watches; 0: none */
static const char *property;
static char seed_text[24];
static void (*store)(void);
static volatile sig_atomic_t has_stored;

extern __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

static void say(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* a failed write cannot be reported anywhere */
}

static void let_faults_kill(void)
{
    sigset_t none;
    for (int i = 0; i < N; i++) signal(deadly[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Stores the input in a copy of this process. Uses SYS_fork and not fork(): handlers of pthread_atfork may take
 * locks that the interrupted thread holds. Called from a signal handler or, when memory runs out, from sonde_die. */
static void store_in_child(void)
{
    enum { SECONDS = 10 }; /* after which the copy is ended: it may wait for a lock */
    if (has_stored || !store || getpid() != watching) return;
    has_stored = 1;
    /* Workers may still write to the shared memory that the child is about to read. */
    sonde_family_kill_all();
#ifdef SYS_fork
    pid_t child = (pid_t)syscall(SYS_fork);
#else /* for machines that have clone instead of fork: aarch64, riscv */
    pid_t child = (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
#endif
    if (child == 0) {
        let_faults_kill();
        signal(SIGALRM, SIG_DFL);
        /* A lock that was held at the moment of the fault stays locked in the copy forever. */
        alarm(SECONDS);
        store();
        _exit(0);
    }
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0) continue;
    /* The copy crashed too: the tape is in the damaged memory. */
    if (WIFSIGNALED(status)) say("sonde: the input of the last case cannot be read any more\n");
}

SONDE_NORETURN static void end(const char *why)
{
    /* True in a worker that has not yet installed its handlers. */
    if (getpid() != watching) _exit(SONDE_INTERNAL);
    say("sonde: ");
    say(property ? property : "a property");
    say(": sonde itself failed (");
    say(why);
    say("): the code under test has most likely overwritten its memory. Look for a stray write with a sanitizer, or in "
        "a debugger with --isolate=none --seed ");
    say(seed_text);
    say("\n");
    store_in_child();
    sonde_process_exit(SONDE_INTERNAL);
}

/* Reports damage that a check noticed before the damage caused a fault. */
static void on_overwritten(void)
{
    end("a number or pointer is out of its bounds");
}

static void on_fault(int signal)
{
    const char *name = signal == SIGSEGV   ? "SIGSEGV"
                       : signal == SIGBUS  ? "SIGBUS"
                       : signal == SIGFPE  ? "SIGFPE"
                       : signal == SIGILL  ? "SIGILL"
                       : signal == SIGABRT ? "SIGABRT"
                                           : "a signal";
    end(name);
}

void sonde_fault_watch(void)
{
    static char stack[64 * 1024] __attribute__((aligned(16)));
    if (watching || __sanitizer_set_death_callback) return;
    watching = getpid();
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, &stack_before);
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = (int)(SA_ONSTACK | SA_RESETHAND)};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < N; i++) sigaction(deadly[i], &action, &before[i]);
    sonde_die_set_last_act(store_in_child);
    sonde_die_set_overwritten(on_overwritten);
}

void sonde_fault_leave(void)
{
    if (!watching) return;
    sonde_die_set_last_act(NULL);
    sonde_die_set_overwritten(NULL);
    for (int i = 0; i < N; i++) sigaction(deadly[i], &before[i], NULL);
    sigaltstack(&stack_before, NULL);
    watching = 0;
}

void sonde_fault_expect(const char *name, uint64_t seed, void (*how)(void))
{
    property = name;
    store = how;
    snprintf(seed_text, sizeof seed_text, "%" PRIu64, seed);
    has_stored = 0;
}
