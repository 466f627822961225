#define _GNU_SOURCE /* SIGEV_THREAD_ID, gettid */
/* See fault.h. One set of handlers for the process, as signals have it; whose words are written is the thread's affair.
 *
 * Hangs: two timers, of the thread's computing time and of the clock, that signal this thread each time a limit has passed. A
 * case that was running at the last signal and still is has had more than its limit. So a case costs nothing, and code that
 * waits is disturbed once in ten seconds. The signal is SIGXCPU, which no host has a use for but one with limits of its
 * own: what does not come from our timers is handed on. */
#include "base/process.h"
#include "exec/fault.h"

#include "base/faults.h"
#include "base/schedule.h"
#include "exec/death.h"
#include "program/sanitizer.h"
#include "tape/literal.h"
#include "tape/text.h"
#include "tape/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { FATAL = 8, ROOM = 1 << 18, STACK = 64 * 1024 };
static const int fatal[FATAL] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGXCPU};

/* The timers of a thread, and what they saw at their last signal. `seen` is the number of the case that
 * ran at the last tick. Thread-local, and the address of the timer's data, so is_ours can compare
 * pointers. */
struct watch {
    timer_t timer;
    bool is_set;
    unsigned long long seen;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for arming; handlers do not take it */
static unsigned n_armed;
static struct sigaction before[FATAL];
static pid_t my_pid;
static struct sonde_last_words *latest; /* for a thread that the property started */
static _Thread_local struct sonde_last_words *armed __attribute__((tls_model("initial-exec")));
static _Thread_local struct watch by_cpu __attribute__((tls_model("initial-exec")));
static _Thread_local struct watch by_clock __attribute__((tls_model("initial-exec")));
static _Thread_local void *own_stack __attribute__((tls_model("initial-exec")));

extern __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

/* ---- The words */

static void put_indent(struct sonde_sink *sink, unsigned depth)
{
    sonde_put_text(sink, "      ");
    for (unsigned i = 0; i < depth; i++) sonde_put_text(sink, "  ");
}

/* Control characters of a label would change the terminal. */
static void put_label(struct sonde_sink *sink, const char *label)
{
    for (; *label; label++) sonde_put_char(sink, (unsigned char)*label < 32 ? '?' : *label);
}

/* A line for each value, below its spans; a list's length can be seen. */
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

/* write is async-signal-safe, stdio is not. */
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

/* The words of the case that runs in this thread, or else in the one that was armed last; NULL if there is none, or if this
 * process was forked by the property. A case that has no owner is not running: then nobody's input is
 * to blame. */
static struct sonde_last_words *whose(void)
{
    struct sonde_last_words *w = armed ? armed : latest;
    return w && w->t->owner && getpid() == my_pid ? w : NULL;
}

/* In a signal handler: nothing is allocated, and the text is made in room of its own before any of it is written. */
static void say(const struct sonde_last_words *w, const char *what)
{
    sonde_schedule_control(false);
    /* Static: 256 kB fit on no handler's stack. Two threads that crash at once may mix their words. */
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
    w->t->tape.spans[0].flags |= SONDE_SPAN_FREE; /* it did not return */
    sonde_put_tape(&sink, &w->t->tape, w->t->labels);
    sonde_put_char(&sink, '\n');
    bool is_cut = sink.n > sizeof room;
    write_all(room, is_cut ? sizeof room : sink.n);
    if (is_cut) write_all("... (cut)\n", 10);
}

/* ---- Handlers */

/* timer_settime is async-signal-safe, timer_delete is not: in a handler the timer is only silenced. */
static void stop_watch(struct watch *w)
{
    if (w->is_set) timer_settime(w->timer, 0, &(struct itimerspec){0}, NULL);
}

/* The timers' signal must come into a loop that calls nobody; of the others ThreadSanitizer may know. */
static int act_on(int number, const struct sigaction *action, struct sigaction *old)
{
    return number == SIGXCPU ? sonde_tools_sigaction(number, action, old) : sigaction(number, action, old);
}

static void put_back(void)
{
    for (int i = 0; i < FATAL; i++) act_on(fatal[i], &before[i], NULL);
}

/* The host has the signals back: it may leave by a jump, and never come here again. */
static void step_back(void)
{
    stop_watch(&by_cpu);
    stop_watch(&by_clock);
    armed = latest = NULL;
    put_back();
}

/* With the host's handler back in its place, an instruction that faults does so again; what was sent is sent again. */
static void on_fatal(int number, siginfo_t *info, void *context)
{
    sonde_faults_disarm();
    (void)context;
    int saved = errno;
    const struct sonde_last_words *w = whose();
    const char *name = sonde_fault_name(number);
    if (w) say(w, name ? name : "SIGXCPU (limit of processor time)");
    step_back();
    /* A signal that was sent does not repeat itself as a faulting instruction does. */
    if (info->si_code <= 0) raise(number);
    errno = saved;
}

static bool is_ours(const siginfo_t *info)
{
    return info->si_code == SI_TIMER && (info->si_value.sival_ptr == &by_cpu || info->si_value.sival_ptr == &by_clock);
}

static void on_tick(int number, siginfo_t *info, void *context)
{
    if (!is_ours(info)) {
        on_fatal(number, info, context);
        return;
    }
    int saved = errno;
    const struct sonde_last_words *w = whose();
    struct watch *watch = info->si_value.sival_ptr;
    unsigned long long now = w ? atomic_load(&w->t->started) : 0;
    /* The same case at two ticks in a row: it has taken between one and two times its limit. */
    if (w && now == watch->seen) {
        say(w, watch == &by_cpu ? "the case did not end within its processor time limit (--timeout)"
                                : "the case did not end within its time limit (--wall-timeout)");
        step_back();
        raise(SIGABRT);
    }
    watch->seen = now;
    errno = saved;
}

/* Between two cases: worker_setup or worker_teardown. The run has no verdict then, which must not look
 * like a good one. 0 would look as if all properties had passed. */
static bool ends_without_verdict(int status)
{
    return status == 0 && armed && getpid() == my_pid;
}

static void on_exit_of_property(int status, void *unused)
{
    (void)unused;
    const struct sonde_last_words *w = whose();
    if (w) say(w, "the code under test ended the process (exit)");
    else if (ends_without_verdict(status))
        sonde_say("worker_setup or worker_teardown of %s ended the process (exit); let it return", armed->property);
    else return;
    fflush(NULL);
    _exit(status ? status : w ? SONDE_FALSIFIED : SONDE_USAGE);
}

#ifndef __GLIBC__
/* musl does not tell a handler the status. */
static void on_exit_untold(void)
{
    on_exit_of_property(EXIT_FAILURE, NULL);
}
#endif

/* The status is not known here. */
static void sonde_on_quick_exit_of_property(void)
{
    const struct sonde_last_words *w = whose();
    if (!w) return;
    say(w, "the code under test ended the process (quick_exit)");
    _exit(SONDE_FALSIFIED);
}

/* What a tool reports between two cases is not about an input. A tool may report several times on its
 * way out. */
static void say_once(const char *what)
{
    const struct sonde_last_words *w = whose();
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
    /* The thread that runs the property, and no other one of the program: SIGEV_SIGNAL would go to any. */
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

/* A stack that overflowed cannot hold a handler. One that the host has is as good. */
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

/* Only the stack that was raised here; one of the host's stays. */
static void lower_stack(void)
{
    if (!own_stack) return;
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    munmap(own_stack, STACK);
    own_stack = NULL;
}

/* on_exit and at_quick_exit cannot be taken back, so they are registered once and look at `armed` each
 * time. */
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

/* Threads of the case are the kernel's (sonde cc --threads=os): what they compute counts. */
static bool runs_elsewhere(void)
{
    return sonde_schedule_hook_ && sonde_schedule_hook_()->is_os;
}

void sonde_last_words_arm(struct sonde_last_words *words)
{
    pthread_mutex_lock(&lock);
    /* Signals are of the process, arming is of threads: the first one installs, the last one puts back. */
    if (n_armed++ == 0) install();
    words->outer = armed;
    latest = words;
    pthread_mutex_unlock(&lock);
    armed = words;
    if (words->outer) return; /* its watch goes on */
    raise_stack();
    bool watches = !sonde_process_tracer(getpid());
    start_watch(&by_cpu, runs_elsewhere() ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID,
                watches ? words->cpu_seconds : 0);
    start_watch(&by_clock, CLOCK_MONOTONIC, watches ? words->wall_seconds : 0);
}

void sonde_last_words_disarm(struct sonde_last_words *words)
{
    if (!words->outer) {
        end_watch(&by_cpu);
        end_watch(&by_clock);
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
