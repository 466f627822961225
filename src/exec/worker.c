#define _GNU_SOURCE
/* Implements worker.h, except the runner, which is in runner.c. The supervisor watches a worker by clock and /proc,
 * so the code under test cannot turn the watch off. */
#include "exec/worker.h"

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/die.h"
#include "base/heap.h"
#include "base/process.h"
#include "case/case.h"
#include "exec/exec.h"
#include "exec/family.h"
#include "exec/interrupt.h"
#include "program/sanitizer.h"
#include "exec/death.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double cpu_of(pid_t pid)
{
    clockid_t clock;
    return clock_getcpuclockid(pid, &clock) == 0 ? sonde_clock_read(clock) : 0;
}

/* Interval between two checks of the limits, and the longest wait for a bell. */
static const double watch_seconds = 0.02;
/* How long orphaned processes may stay zombies. */
static const double sweep_seconds = 1;

/* ---- Margins. Soft limits are raised, at most to the hard limits. If both are equal, nothing changes; then a failure
 * may not repeat, and a caller has to run it several times. */

void sonde_margin_add(struct sonde_case_limits *limits, double share)
{
    const double of_time = 4; /* see worker.h */
    limits->cpu_seconds *= 1 + of_time * share;
    limits->wall_seconds *= 1 + of_time * share;
    limits->memory += (uint64_t)((double)limits->memory * share);
    limits->margin = share;
}

void sonde_margin_shorten(struct sonde_case_limits *limits)
{
    /* 50 ms of CPU time: more than any ordinary case takes, and a twentieth of the usual limit. */
    const double least = 0.05;
    if (limits->cpu_seconds > least) limits->cpu_seconds = least;
    if (limits->wall_seconds > 10 * least) limits->wall_seconds = 10 * least;
}

#ifdef __GLIBC__
typedef __rlimit_resource_t limit_kind; /* an enumeration, to which compilers warn of conversions */
#else
typedef int limit_kind; /* as POSIX has it */
#endif

/* Raises the limits of a worker. A stack grows up to the limit in force at that moment, so a forked process can get
 * more. */
static void widen_limits(const struct sonde_case_limits *limits)
{
    static const limit_kind kinds[] = {RLIMIT_STACK, RLIMIT_NOFILE, RLIMIT_AS, RLIMIT_DATA};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && limits->margin > 0; i++) {
        struct rlimit r;
        if (getrlimit(kinds[i], &r) != 0 || r.rlim_cur == RLIM_INFINITY) continue;
        rlim_t more = r.rlim_cur + (rlim_t)((double)r.rlim_cur * limits->margin);
        r.rlim_cur = r.rlim_max != RLIM_INFINITY && more > r.rlim_max ? r.rlim_max : more;
        setrlimit(kinds[i], &r);
    }
}

static void fill_memory(unsigned char fill)
{
#ifdef M_PERTURB
    mallopt(M_PERTURB, fill);
#else
    (void)fill;
#endif
}

bool sonde_margin_is_over(const struct sonde_case_limits *limits)
{
    struct rusage used;
    return limits->memory && getrusage(RUSAGE_SELF, &used) == 0 && (uint64_t)used.ru_maxrss * 1024 > limits->memory;
}

/* ---- Starting */

/* Redirects output. Standard input becomes empty: code that reads it sees the end, and does not take what the user
 * types. */
static void redirect(const struct sonde_worker *w)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, STDIN_FILENO);
    int to = w->task.output == SONDE_OUTPUT_SHOW                           ? STDERR_FILENO
             : w->task.output == SONDE_OUTPUT_KEEP && w->task.capture >= 0 ? w->task.capture
                                                                           : nowhere;
    if (to >= 0) {
        dup2(to, STDOUT_FILENO);
        dup2(to, STDERR_FILENO);
    }
    if (nowhere > STDERR_FILENO) close(nowhere);
    sonde_descriptor_close_for_worker();
}

/* Detaches a worker from its supervisor: drops the supervisor's handlers, and dies with the supervisor. A separate
 * process group keeps the signals that the code under test sends to its group. That group is a background group of the
 * terminal, so signals that would stop it for using the terminal are ignored. */
static void leave_supervisor(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sonde_family_mark();
    sonde_family_leave();
    if (getppid() != parent) _exit(0);
    sonde_interrupt_leave();
    signal(SIGTTIN, SIG_IGN);
    signal(SIGTTOU, SIG_IGN);
    sonde_bell_on_child(NULL);
    signal(SIGCHLD, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Runs the job, and ends the process. Does not call exit, because exit handlers of the host would run a second time. */
SONDE_NORETURN static void work(const struct sonde_spawn_order *order)
{
    sonde_heap_adopt(order->heap);
    if (order->keeps_output) setvbuf(stdout, NULL, _IONBF, 0); /* a crash must not lose what was printed */
    sonde_death_watch(order->death, !order->keeps_output);
    order->death->arrived = true;
    order->job(order->arg);
    order->death->finished = true; /* tells the supervisor that the end was intended */
    fflush(NULL);
    sonde_tracer_release();
    sonde_heap_exit(0);
}

bool sonde_worker_enter(char **argv, const sonde_property *properties, size_t n)
{
    struct sonde_spawn_order order;
    enum sonde_spawn_part part = sonde_spawn_enter(argv, properties, n, &order);
    if (part != SONDE_SPAWN_WORKER) return part == SONDE_SPAWN_PASSING;
    sonde_heap_adopt(order.heap);
    sonde_warm_up_share(order.warm_up);
    leave_supervisor(order.parent);
    sonde_leaks_begin();
    sonde_exec_begin();
    sonde_death_prepare();
    work(&order);
}

/* Forks or spawns the worker; returns 0 or a negative errno. All signals are blocked around the fork. A signal
 * meanwhile would find a child with the supervisor's handlers, or a parent that does not know its worker yet. w->pid
 * need not be 0. With --isolate=case, the process of a case may have ended its parent, which then could not reset
 * w->pid. */
static int start(struct sonde_worker *w)
{
    struct sonde_spawn_order order = {.job = w->task.job,
                                      .arg = w->task.arg,
                                      .death = w->death,
                                      .property = w->property,
                                      .keeps_output = w->task.output != SONDE_OUTPUT_DROP,
                                      .heap = w->task.heap,
                                      .warm_up = sonde_warm_up_shared()};
    struct sonde_spawn_plan *plan = w->spawn && !w->spawn->is_off ? sonde_spawn_plan(w->spawn, &order) : NULL;
    fflush(NULL); /* buffered output must not be written twice */
    pid_t parent = getpid();
    *w->death = (struct sonde_death){.bell = w->death->bell};
    if (w->spawn) *w->property = *sonde_spawn_property(w->spawn);
    w->task.tries++;
    sonde_family_expect();
    sigset_t all, as_before;
    sigfillset(&all);
    /* Signals stay blocked until the parent has registered the child, and until the child has dropped its handlers. */
    sigprocmask(SIG_BLOCK, &all, &as_before);
    pid_t pid = sonde_fork();
    int status = pid < 0 ? -errno : 0;
    if (pid == 0) {
        leave_supervisor(parent);
        widen_limits(&w->limits);
        if (w->fill) fill_memory(w->fill);
        redirect(w);
        if (plan) {
            sonde_spawn_execute(plan);
            _exit(SONDE_INTERNAL);
        }
        work(&order);
    }
    if (status == 0) {
        sonde_family_add(pid);
        sonde_interrupt_begin(pid);
    }
    sigprocmask(SIG_SETMASK, &as_before, NULL);
    sonde_spawn_plan_free(plan);
    if (status < 0) return status;
    w->pid = pid;
    w->sent = 0;
    w->seen_wall = w->looked = w->swept = sonde_clock_now();
    w->seen_cpu = w->used_wall = w->used_cpu = 0; /* usage of the previous worker does not count */
    return 0;
}

int sonde_worker_start(struct sonde_worker *w, enum sonde_output output, int capture, void (*job)(void *arg), void *arg)
{
    w->seen_case = w->first_case = atomic_load(&w->t->started);
    w->origin = (struct sonde_case_origin){.labels = w->t->labels, .limits = w->t->limits, .started = w->first_case};
    w->task.job = job;
    w->task.arg = arg;
    w->task.heap = sonde_heap_current();
    w->task.capture = capture;
    w->task.output = output;
    w->task.tries = 0;
    return start(w);
}

/* Replaces a spawned worker that ended before it reached its job. If it was not killed, spawning does not work on this
 * system. Returns whether there is a new worker. */
static bool start_again(struct sonde_worker *w, int status)
{
    enum { TRIES = 4 }; /* workers that may be killed in a row before forking takes over */
    if (!w->spawn || w->death->arrived || w->spawn->is_off) return false;
    bool was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (!was_killed || w->task.tries >= TRIES) {
        w->spawn->is_off = true;
        sonde_warn("--spawn: the program, executed again, did not reach sonde_main, or was loaded at other addresses; "
                   "workers are forked instead");
    }
    return start(w) == 0;
}

/* ---- Watching */

/* Returns the resident memory of a process. Its virtual memory would be no measure, because sanitizers reserve
 * terabytes. */
static uint64_t memory_of(pid_t pid)
{
    char text[128];
    unsigned long long pages, resident;
    sonde_process_read(pid, "statm", text, sizeof text);
    if (sscanf(text, "%llu %llu", &pages, &resident) != 2) return 0;
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Returns whether the process has ended. WNOWAIT leaves it a zombie, so that its id is not reused meanwhile. */
static bool is_dead(pid_t pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

/* Asks the worker for its stack, then ends it, with or without a reply. */
static void end_worker(struct sonde_worker *w, enum sonde_death_kind kind)
{
    sonde_assert(w->pid > 1); /* kill with pid 0 would signal this process's group */
    w->death->is_ending = true;
    kill(w->pid, SIGXCPU); /* the worker's handler records the stack and exits */
    /* A worker that has stopped itself would not see the signal. */
    kill(w->pid, SIGCONT);
    for (int i = 0; i < 1000 && !is_dead(w->pid); i++) usleep(500);
    w->death->kind = kind;
    kill(w->pid, SIGKILL);
}

/* Returns whether the worker still runs the case that is watched. */
static bool runs_watched(const struct sonde_worker *w)
{
    return w->t->owner && atomic_load(&w->t->started) == w->seen_case && !is_dead(w->pid);
}

/* Asks for all stack samples of a case that computes. enforce_limits runs too rarely to take them within a short limit,
 * above all on a busy machine. With few samples, one loop would be named after functions that it calls, and count as
 * several failures. Between two samples the worker must compute, or both would show the same function. */
static void take_samples(struct sonde_worker *w)
{
    const double apart = 0.0005; /* seconds of CPU time */
    double last = cpu_of(w->pid);
    for (int i = 0; i < 400 && w->death->n_samples < SONDE_DEATH_SAMPLES && runs_watched(w); i++) {
        usleep(500);
        double now = cpu_of(w->pid);
        if (now - last < apart) continue;
        last = now;
        kill(w->pid, SIGXCPU);
    }
}

/* Returns the time limit of a case. After known hangs the limit is lower, so that further hangs do not use up the time
 * of the run. A case then gets ten times as long as the longest case that ended, and at most `limit`. It gets at least
 * `least`, which is lowered as the number of hangs grows. Hangs that were not known are run again with the full
 * limit. */
static double cut(const struct sonde_worker *w, double limit, double longest, double least)
{
    const double margin = 10;
    if (!w->hangs || limit <= 0) return limit;
    least /= 1 + w->hangs / 8;
    double some = margin * longest > least ? margin * longest : least;
    return some < limit ? some : limit;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Starts the watch for the next case, even if no case is running. */
static void watch_next(struct sonde_worker *w, unsigned long long at, double wall, double cpu)
{
    if (at != w->seen_case) {
        w->longest_wall = larger(w->longest_wall, w->used_wall + watch_seconds);
        w->longest_cpu = larger(w->longest_cpu, w->used_cpu + watch_seconds);
    }
    w->seen_case = at;
    w->seen_wall = wall;
    w->seen_cpu = cpu;
    w->death->n_samples = 0;
}

/* Watches worker_setup or worker_teardown: they have no limit of CPU time, but must end. */
static void watch_around(struct sonde_worker *w, double wall)
{
    if (w->seen_stage != w->death->stage || atomic_exchange(&w->death->restarts_limit, false)) w->seen_wall = wall;
    w->seen_stage = w->death->stage;
    if (w->limits.around_seconds > 0 && wall - w->seen_wall > w->limits.around_seconds) end_worker(w, SONDE_DEATH_HANG);
}

/* Checks the limits, at most once in half a watch interval, however often the bell rings. Computing and waiting have
 * separate limits. Memory comes last, because it costs the read of a file. */
static void enforce_limits(struct sonde_worker *w)
{
    unsigned long long at = atomic_load(&w->t->started);
    double wall = sonde_clock_now();
    if (wall - w->looked < watch_seconds / 2) return;
    /* If this process was stopped for over a second (Ctrl-Z), so was the worker: do not count that time as a hang. */
    const double held_up = 1;
    if (wall - w->looked > held_up) w->seen_wall += wall - w->looked;
    w->looked = wall;
    if (wall - w->swept > sweep_seconds) {
        w->swept = wall;
        sonde_family_sweep();
    }
    if (w->death->stage != SONDE_STAGE_CASES) {
        watch_around(w, wall);
        return;
    }
    w->seen_stage = SONDE_STAGE_CASES;
    double cpu = cpu_of(w->pid);
    if (at != w->seen_case || !w->t->owner) watch_next(w, at, wall, cpu);
    const struct sonde_case_limits *l = &w->limits;
    double most_cpu = cut(w, l->cpu_seconds, w->longest_cpu, 0.1);
    double most_wall = cut(w, l->wall_seconds, w->longest_wall, 1);
    w->used_cpu = cpu - w->seen_cpu;
    w->used_wall = wall - w->seen_wall;
    bool computes = most_cpu > 0 && w->used_cpu > most_cpu;
    bool waits = !computes && most_wall > 0 && w->used_wall > most_wall;
    w->death->is_waiting = waits;
    w->death->has_computed = w->used_cpu > w->used_wall / 50;
    w->death->is_cut = most_cpu < l->cpu_seconds || most_wall < l->wall_seconds;
    if (computes) take_samples(w);
    if (computes && !runs_watched(w)) return; /* the case has ended after all */
    if (computes || waits) end_worker(w, SONDE_DEATH_HANG);
    else if (most_cpu > 0 && w->used_cpu > most_cpu / 2) kill(w->pid, SIGXCPU); /* ask for a stack sample */
    else if (l->memory && memory_of(w->pid) > l->memory) end_worker(w, SONDE_DEATH_MEMORY);
}

static void unregister(struct sonde_worker *w)
{
    w->sent = sonde_interrupt_end(w->pid);
    sonde_family_remove(w->pid);
    w->pid = 0;
}

/* Waits for a worker that has ended or was killed, and ends the processes that it started. */
static void reap(struct sonde_worker *w, int *status)
{
    pid_t got;
    sonde_assert(w->pid > 1);
    sonde_death_inspect(w->death, w->pid);
    /* This comes before waitpid: until then the id of the group cannot be reused. */
    sonde_family_kill(w->pid);
    do {
        got = waitpid(w->pid, status, 0);
    } while (got < 0 && errno == EINTR);
    if (got < 0) *status = 0; /* unknown: another part of the program has waited for the worker */
    unregister(w);
    if (w->spawn) *w->property = *sonde_spawn_property(w->spawn); /* replaces the worker's version of the property */
}

static bool has_ended(struct sonde_worker *w, int *status)
{
    if (!is_dead(w->pid)) return false;
    reap(w, status);
    return !start_again(w, *status);
}

bool sonde_worker_poll(struct sonde_worker *w, int *status)
{
    if (has_ended(w, status)) return true;
    enforce_limits(w);
    return false;
}

bool sonde_worker_wait(struct sonde_worker *w, unsigned bell_seen, int *status)
{
    if (sonde_worker_poll(w, status)) return true;
    sonde_bell_wait(w->death->bell, bell_seen, watch_seconds);
    return has_ended(w, status);
}

bool sonde_worker_on_death(struct sonde_worker *w, sonde *t, int status)
{
    /* If no case has begun, the worker died in worker_setup, and there is no tape yet. */
    bool has_begun = atomic_load(&t->started) != w->first_case;
    if (!(has_begun ? sonde_case_is_whole(t) : sonde_case_is_intact(t))) {
        w->death->kind = SONDE_DEATH_OVERWRITTEN;
        sonde_case_repair(t, &w->origin);
    }
    sonde_death_decide(w->death, status);
    if (has_begun) {
        sonde_death_end_case(w->death, t);
        return true;
    }
    struct sonde_claim claim;
    sonde_death_claim(w->death, &claim);
    snprintf(t->claim.message, sizeof t->claim.message, "worker_setup failed: %.900s", claim.message);
    t->claim.kind = SONDE_CLAIM_NONE;
    t->verdict = SONDE_MISUSE;
    return false;
}

void sonde_worker_stop(struct sonde_worker *w)
{
    int status;
    if (!w->pid) return;
    kill(w->pid, SIGKILL);
    reap(w, &status);
}

void sonde_worker_restart_limits(struct sonde_worker *w)
{
    w->seen_wall = sonde_clock_now();
    w->seen_cpu = cpu_of(w->pid);
}
