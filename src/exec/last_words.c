#define _GNU_SOURCE /* SIGEV_THREAD_ID, gettid, RTLD_NEXT */
/* Implements the last words of fault.h. The process has one set of signal handlers; each thread has its own words.
 *
 * Hangs: two timers, of the thread's CPU time and of the clock, signal this thread each time a limit has passed. A case
 * that was running at the last signal, and still is, has exceeded its limit. So sonde need not set a timer for each
 * case, and interrupts a waiting system call only once in ten seconds. The signal is SIGXCPU, which only hosts with CPU
 * limits use. A SIGXCPU that is not from our timers is passed on. */
#include "base/process.h"
#include "exec/fault.h"

#include "base/faults.h"
#include "base/schedule.h"
#include "exec/death.h"
#include "program/sanitizer.h"
#include "tape/literal.h"
#include "tape/text.h"
#include "tape/walk.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* Number of fatal signals; bytes of the buffer for the words; bytes of the alternate stack. */
enum { FATAL = 8, ROOM = 1 << 18, STACK = 64 * 1024 };
static const double memory_seconds = 0.05; /* how often a debugged process looks at its memory */
static const int fatal[FATAL] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGXCPU};

/* A timer of a thread. `seen` is the number of the case that ran at its last tick. Each thread has separate watches,
 * and the address of a watch is its timer's data, so is_ours can compare pointers. */
struct watch {
    timer_t timer;
    bool is_set;
    unsigned long long seen;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held while arming and disarming, never by handlers */
static unsigned n_armed;
static struct sigaction before[FATAL];
static pid_t my_pid;
static struct sonde_last_words *latest; /* the words armed last; used by threads that the property started */
static _Thread_local struct sonde_last_words *armed __attribute__((tls_model("initial-exec")));
static _Thread_local struct watch by_cpu __attribute__((tls_model("initial-exec")));
static _Thread_local struct watch by_clock __attribute__((tls_model("initial-exec")));
static _Thread_local struct watch by_memory __attribute__((tls_model("initial-exec"))); /* in a debugger only */
/* 1 while an exit has to stop in the debugger. gdb reads it in the condition of its breakpoint (cli/debug.c). A
 * sanitizer's _exit may hide the one below. */
volatile int sonde_exits_unseen_;
static bool is_debugged; /* --gdb: limits stop in the debugger instead of ending the process */
static _Thread_local void *own_stack __attribute__((tls_model("initial-exec")));

extern __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

/* ---- The words */

static void put_indent(struct sonde_sink *sink, unsigned depth)
{
    sonde_put_text(sink, "      ");
    for (unsigned i = 0; i < depth; i++) sonde_put_text(sink, "  ");
}

/* Replaces control characters, which could change the terminal. */
static void put_label(struct sonde_sink *sink, const char *label)
{
    for (; *label; label++) sonde_put_char(sink, (unsigned char)*label < 32 ? '?' : *label);
}

/* Prints a line for each value, indented below its spans. List lengths are left out, because the elements show them. */
static void put_values(struct sonde_sink *sink, const sonde *t)
{
    struct sonde_walk walk = sonde_walk_start(&t->tape);
    unsigned depth = 0;
    for (enum sonde_step step; (step = sonde_walk_next(&walk)) != SONDE_STEP_END;) {
        if (step == SONDE_STEP_CLOSE) {
            depth--;
            continue;
        }
        const struct sonde_choice *c = &t->tape.choices[walk.choice];
        if (step == SONDE_STEP_CHOICE && c->kind == SONDE_KIND_LENGTH) continue;
        uint32_t label = step == SONDE_STEP_OPEN ? t->tape.spans[walk.span].label : c->label;
        put_indent(sink, depth);
        put_label(sink, sonde_label_text(t->labels, label));
        if (step == SONDE_STEP_CHOICE) {
            sonde_put_text(sink, " = ");
            sonde_put_shown(sink, &t->tape, c);
        }
        sonde_put_char(sink, '\n');
        depth += step == SONDE_STEP_OPEN;
    }
}

/* Uses write, which is async-signal-safe; stdio is not. */
static void write_all(const char *text, size_t n)
{
    while (n) {
        ssize_t done = write(STDERR_FILENO, text, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return;
        text += done;
        n -= (size_t)done;
    }
}

/* Returns the words of the case that runs in this thread, or else in the thread that was armed last. Returns NULL if
 * there is none, or if the property forked this process. A case without an owner is not running: then no input is to
 * blame. */
static struct sonde_last_words *current_words(void)
{
    struct sonde_last_words *w = armed ? armed : latest;
    return w && w->t->owner && getpid() == my_pid ? w : NULL;
}

/* Prints the words in a signal handler: allocates nothing, and formats everything into a buffer before it writes. */
static void say(const struct sonde_last_words *w, const char *what)
{
    sonde_schedule_control(false);
    /* Static: 256 kB do not fit on a handler's stack. Two threads that crash at once may mix their words. */
    static char room[ROOM];
    struct sonde_sink sink = {.out = room, .size = sizeof room, .in_handler = true};
    sonde_put_text(&sink, "\nFAIL ");
    put_label(&sink, w->property);
    sonde_put_text(&sink, ": ");
    sonde_put_text(&sink, what);
    sonde_put_text(&sink, "\n\n  For these values:\n");
    put_values(&sink, w->t);
    sonde_put_text(&sink, "\n  They are not shrunk, because the property runs without isolation. Seed ");
    sonde_put_uint(&sink, w->seed);
    sonde_put_text(&sink, ", case ");
    sonde_put_uint(&sink, atomic_load(&w->t->started));
    sonde_put_text(&sink, ". Their token:\n      ");
    w->t->tape.spans[0].flags |= SONDE_SPAN_FREE; /* marks the tape as incomplete: the property did not return */
    sonde_put_tape(&sink, &w->t->tape, w->t->labels);
    sonde_put_char(&sink, '\n');
    bool is_cut = sink.n > sizeof room;
    write_all(room, is_cut ? sizeof room : sink.n);
    if (is_cut) write_all("... (cut)\n", 10);
    sonde_exits_unseen_ = 0;
    sonde_failing_(); /* --gdb stops here, and shows what the property was doing */
}

/* ---- Handlers */

/* Silences the timer. timer_settime is async-signal-safe, timer_delete is not. */
static void stop_watch(struct watch *w)
{
    if (w->is_set) timer_settime(w->timer, 0, &(struct itimerspec){0}, NULL);
}

/* Installs a signal handler. The timers' signal must interrupt even a loop without calls, so ThreadSanitizer must not
 * defer it. */
static int act_on(int number, const struct sigaction *action, struct sigaction *old)
{
    return number == SIGXCPU ? sonde_tools_sigaction(number, action, old) : sigaction(number, action, old);
}

static void put_back(void)
{
    for (int i = 0; i < FATAL; i++) act_on(fatal[i], &before[i], NULL);
}

/* Restores the host's handlers, which may jump away and never return here. */
static void step_back(void)
{
    stop_watch(&by_cpu);
    stop_watch(&by_clock);
    stop_watch(&by_memory);
    armed = latest = NULL;
    put_back();
}

/* Prints the words and restores the host's handler. A faulting instruction then faults again; a signal that was sent
 * is raised again. */
static void on_fatal(int number, siginfo_t *info, void *context)
{
    sonde_faults_disarm();
    (void)context;
    int saved = errno;
    const struct sonde_last_words *w = current_words();
    const char *name = sonde_fault_name(number);
    if (w) say(w, name ? name : "SIGXCPU (limit of processor time)");
    step_back();
    if (w) sonde_fault_leave(); /* the property caused the fault, so it is not reported as a fault of sonde */
    /* A faulting instruction raises its signal again when it is repeated; a signal that was sent must be raised
     * again. */
    if (info->si_code <= 0) raise(number);
    errno = saved;
}

static bool is_ours(const siginfo_t *info)
{
    const void *watch = info->si_value.sival_ptr;
    return info->si_code == SI_TIMER && (watch == &by_cpu || watch == &by_clock || watch == &by_memory);
}

/* Prints the words of a case that exceeds a limit. In a debugger (--gdb) the case then continues without limits;
 * otherwise the process ends. */
static void exceeded(const struct sonde_last_words *w, const char *what)
{
    say(w, what);
    if (is_debugged) {
        stop_watch(&by_cpu);
        stop_watch(&by_clock);
        stop_watch(&by_memory);
        return;
    }
    step_back();
    sonde_fault_leave();
    raise(SIGABRT);
}

static bool takes_too_much_memory(const struct sonde_last_words *w)
{
    struct rusage used;
    return w->memory && getrusage(RUSAGE_SELF, &used) == 0 && (uint64_t)used.ru_maxrss * 1024 > w->memory;
}

static void on_tick(int number, siginfo_t *info, void *context)
{
    if (!is_ours(info)) {
        on_fatal(number, info, context);
        return;
    }
    int saved = errno;
    const struct sonde_last_words *w = current_words();
    struct watch *watch = info->si_value.sival_ptr;
    unsigned long long now = w ? atomic_load(&w->t->started) : 0;
    if (watch == &by_memory) {
        if (w && takes_too_much_memory(w)) exceeded(w, "the process took more memory than allowed (--memory-limit)");
    } else if (w && (now == watch->seen || is_debugged)) {
        /* The same case at two ticks in a row has taken between one and two times its limit. In a debugger there is one
         * case, and a tick may end the call that waits. */
        exceeded(w, watch == &by_cpu ? "the case did not end within its processor time limit (--timeout)"
                                     : "the case did not end within its time limit (--wall-timeout)");
    }
    watch->seen = now;
    errno = saved;
}

/* Returns whether the process exits with 0 between two cases, in worker_setup or worker_teardown. The run has no
 * verdict then, and 0 would look as if all properties had passed. */
static bool ends_without_verdict(int status)
{
    return status == 0 && armed && getpid() == my_pid;
}

/* Reports the end of the process by `how`. Returns the status to end with: never 0 if the run has no verdict. */
static int end_of_property(int status, const char *how)
{
    const struct sonde_last_words *w = current_words();
    bool has_no_verdict = ends_without_verdict(status);
    if (!w && !has_no_verdict) return status;
    char what[64] = "the code under test ended the process (";
    if (w) say(w, strcat(strcat(what, how), ")"));
    else sonde_say("worker_setup or worker_teardown of %s ended the process (%s); let it return", armed->property, how);
    armed = latest = NULL; /* reports it only once: exit and quick_exit end in _exit */
    return status ? status : w ? SONDE_FALSIFIED : SONDE_USAGE;
}

static void on_exit_of_property(int status, void *unused)
{
    (void)unused;
    if (!current_words() && !ends_without_verdict(status)) return;
    status = end_of_property(status, "exit");
    fflush(NULL);
    _exit(status);
}

#ifndef __GLIBC__
/* Calls on_exit_of_property with a guessed status, because musl passes no status to a handler. */
static void on_exit_untold(void)
{
    on_exit_of_property(EXIT_FAILURE, NULL);
}
#endif

/* Handles quick_exit, which does not pass the status. */
static void sonde_on_quick_exit_of_property(void)
{
    if (current_words()) _exit(end_of_property(0, "quick_exit"));
}

/* The next definition of _exit: the C library's, or a sanitizer's, which has work to do before the end. NULL: none is
 * found, in a program without shared libraries. */
static void (*next_exit)(int status);

/* Called at the start: _exit may be called where dlsym must not be, in a signal handler or after vfork. */
__attribute__((constructor)) static void find_next_exit(void)
{
    void *symbol = dlsym(RTLD_NEXT, "_exit");
    memcpy(&next_exit, &symbol, sizeof next_exit);
}

/* These two replace the C library's functions, which call no handler. Without isolation, _exit(0) of the code under
 * test would end the program as if all properties held. Weak, because a program may define its own. */
SONDE_API __attribute__((weak)) void _exit(int status)
{
    status = end_of_property(status, "_exit");
    if (next_exit) next_exit(status);
    sonde_process_exit(status);
}

SONDE_API __attribute__((weak)) void _Exit(int status)
{
    _exit(status);
}

/* Prints the words unless no case runs: then the tool's report is not about an input. Only once, because a tool may
 * report several times on its way out. */
static void say_once(const char *what)
{
    const struct sonde_last_words *w = current_words();
    if (w) say(w, what);
    armed = latest = NULL;
}

static void on_sanitizer(void)
{
    say_once("a sanitizer ended the process");
}

/* ---- Arming */

static void start_watch(struct watch *w, clockid_t clock, double seconds)
{
    *w = (struct watch){.is_set = false};
    if (seconds <= 0) return;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGXCPU, .sigev_value.sival_ptr = w};
    /* The timer signals only the thread that runs the property: SIGEV_SIGNAL could signal any thread. */
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    w->is_set = timer_create(clock, &event, &w->timer) == 0;
    struct timespec each = {.tv_sec = (time_t)seconds};
    each.tv_nsec = (long)((seconds - (double)each.tv_sec) * 1e9);
    if (w->is_set) timer_settime(w->timer, 0, &(struct itimerspec){.it_interval = each, .it_value = each}, NULL);
}

static void end_watch(struct watch *w)
{
    if (w->is_set) timer_delete(w->timer);
    w->is_set = false;
}

/* Installs an alternate stack, because an overflowed stack cannot hold a handler. If the host has installed one, it is
 * kept. */
static void raise_stack(void)
{
    stack_t now;
    own_stack = NULL;
    if (sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;
    void *memory = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    own_stack = memory;
    sigaltstack(&(stack_t){.ss_sp = memory, .ss_size = STACK}, NULL);
}

/* Removes the alternate stack, if raise_stack installed it. */
static void lower_stack(void)
{
    if (!own_stack) return;
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    munmap(own_stack, STACK);
    own_stack = NULL;
}

/* Installs the handlers. on_exit and at_quick_exit cannot be undone, so they are registered once and read `armed`
 * each time. */
static void install(void)
{
    static bool is_registered;
#ifdef __GLIBC__
    if (!is_registered) on_exit(on_exit_of_property, NULL);
#else
    if (!is_registered) (void)atexit(on_exit_untold);
#endif
    if (!is_registered) (void)at_quick_exit(sonde_on_quick_exit_of_property);
    is_registered = true;
    my_pid = getpid();
    for (int i = 0; i < FATAL; i++) {
        struct sigaction action = {.sa_sigaction = fatal[i] == SIGXCPU ? on_tick : on_fatal};
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
        sigemptyset(&action.sa_mask);
        act_on(fatal[i], &action, &before[i]);
    }
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(on_sanitizer);
    sonde_tools_at_the_end = say_once;
}

/* Returns whether the threads of a case are OS threads (sonde cc --threads=os): then their CPU time counts too. */
static bool runs_elsewhere(void)
{
    return sonde_schedule_hook_ && sonde_schedule_hook_()->is_os;
}

void sonde_last_words_arm(struct sonde_last_words *words, const struct sonde_worker *missing)
{
    const char *name = missing->property->name;
    *words = (struct sonde_last_words){.t = missing->t,
                                       .property = name ? name : "property",
                                       .seed = missing->seed,
                                       .memory = missing->limits.memory};
    pthread_mutex_lock(&lock);
    /* Handlers belong to the process, armed words to threads: the first call installs the handlers, the last one
     * restores them. */
    if (n_armed++ == 0) install();
    words->outer = armed;
    latest = words;
    pthread_mutex_unlock(&lock);
    armed = words;
    if (words->outer) return; /* the timers of the outer words continue */
    raise_stack();
    /* Timers would interrupt a person who debugs the program in another way. */
    bool watches = is_debugged || !sonde_process_tracer(getpid());
    start_watch(&by_cpu, runs_elsewhere() ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID,
                watches ? missing->limits.cpu_seconds : 0);
    start_watch(&by_clock, CLOCK_MONOTONIC, watches ? missing->limits.wall_seconds : 0);
    /* By processor time: a process that takes memory uses it, and one that waits is not interrupted. */
    start_watch(&by_memory, CLOCK_THREAD_CPUTIME_ID, is_debugged ? memory_seconds : 0);
}

void sonde_last_words_debug(bool begins)
{
    is_debugged = begins;
    sonde_exits_unseen_ = begins;
}

void sonde_last_words_disarm(struct sonde_last_words *words)
{
    if (!words->outer) {
        end_watch(&by_cpu);
        end_watch(&by_clock);
        end_watch(&by_memory);
        lower_stack();
    }
    armed = words->outer;
    pthread_mutex_lock(&lock);
    latest = words->outer;
    if (--n_armed == 0) {
        put_back();
        if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(NULL);
        sonde_tools_at_the_end = NULL;
    }
    pthread_mutex_unlock(&lock);
}
