#define _GNU_SOURCE /* RTLD_DEFAULT */
/* Fault injection: sonde_faults, sonde_crash, sonde_power_cut. Whether a call of the C library fails, or is the last of
 * its process, is a draw. It is made when the call is made, in the span that the call belongs to. So a fault keeps its
 * position when other calls are removed, and 0, the simplest value, is a call that works.
 *
 * Threads of sonde_threads draw as the first thread does: one of them runs at a time, in an order that is on the tape.
 * Calls of any other thread never fail, and the verdict reports that there were some. */
#include "base/faults.h"

#include "base/oom.h"
#include "base/schedule.h"
#include "case/case.h"
#include "case/disk/disk.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

_Thread_local struct sonde_fault_hook *sonde_faults_armed
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* addons/faults defines this function, if the program was linked with libsonde_faults or if that library was
 * preloaded. */
extern struct sonde_fault_hook *sonde_fault_hook_(void) __attribute__((weak, visibility("default")));

void (*sonde_case_locate)(const void *address, char *out, size_t size);

/* Returns the hook, or NULL. The weak symbol comes first, then the loader: a preloaded library is unknown to the
 * linker. memcpy, because C has no cast from object to function pointers. */
static struct sonde_fault_hook *find_hook(void)
{
    struct sonde_fault_hook *(*find)(void) = sonde_fault_hook_;
    if (!find) {
        void *symbol = dlsym(RTLD_DEFAULT, "sonde_fault_hook_");
        memcpy(&find, &symbol, sizeof find);
    }
    struct sonde_fault_hook *hook = find ? find() : NULL;
    return hook && hook->size == sizeof *hook ? hook : NULL;
}

/* Bit i of a set of fault kinds is entry i of kind_names. CRASH is an extra bit above the kinds that users can name. */
enum { KINDS = 9, CRASH = SONDE_FAULT_ALL + 1 };
static const char *const kind_names[KINDS] = {"is short",      "fails: EINTR",      "fails: EAGAIN",
                                              "fails: ENOSPC", "fails: EMFILE",     "fails: EIO",
                                              "fails: EIO",    "fails: ECONNRESET", "is not reached: a crash"};

/* Number of calls that work for each call that fails in a given way. Rare faults let a case get far. Frequent faults
 * cause errors while another error is being handled. */
enum { NEVER, RARELY, OFTEN };
static const unsigned working[] = {[NEVER] = 0, [RARELY] = 60, [OFTEN] = 12};
static const unsigned rate_weights[] = {2, 1, 1};

/* The jump out of run() at a simulated crash (sonde_crash, sonde_power_cut). */
struct sonde_crash {
    unsigned n_calls; /* number of calls so far at which the code could have died */
    bool is_outside;  /* sonde_threads runs inside run(): a crash ends all threads */
    bool is_due;      /* a thread has died, which ends all threads */
    jmp_buf out;
};

static void note_fault(sonde *t, const struct sonde_fault_call *call, unsigned kind)
{
    char place[640] = "";
    if (!t->shows) return;
    if (sonde_case_locate && call->caller) sonde_case_locate(call->caller, place, sizeof place);
    sonde_note(t, "%s() %s%s%s", call->name, kind_names[kind], *place ? ", at " : "", place);
}

/* The process that armed the hook. A child that it forks draws nothing. */
static pid_t armed_in;

/* Returns whether the calling thread may draw. Any thread may call this, so a call by another thread only sets a
 * flag. */
static bool is_ours(const struct sonde_fault_hook *hook)
{
    if (hook->t->owner == sonde_this_thread() && getpid() == armed_in) return true;
    atomic_store_explicit(&hook->t->has_foreign_calls, true, memory_order_relaxed);
    return false;
}

/* Notes that the property forked: file operations of a child are not seen, and its memory may be private. So the parent
 * records the fork. */
static void note_process(const struct sonde_fault_hook *hook)
{
    atomic_store_explicit(&hook->t->has_foreign_calls, true, memory_order_relaxed);
}

/* Returns whether this thread may die. A thread other than the first can die only together with all threads. */
static bool may_crash(const sonde *t)
{
    return t->crash && (!t->schedule.is_elsewhere || t->crash->is_outside);
}

void sonde_crash_after_threads(sonde *t)
{
    if (!t->crash || !t->crash->is_due) return;
    t->threads = NULL;
    _longjmp(t->crash->out, 1);
}

static SONDE_NORETURN void die_here(sonde *t)
{
    t->crash->is_due = true;
    if (t->threads && t->crash->is_outside) t->threads->leave();
    _longjmp(t->crash->out, 1);
}

/* Returns the number of calls that work for each call that fails in a given way. A crash becomes rarer with each call
 * without one: 1 in n at call n. So long runs die early and late about equally often. */
static unsigned weight_of_working(const sonde *t, unsigned kinds)
{
    unsigned rate = working[t->fault_rate], n = kinds & CRASH && t->crash ? t->crash->n_calls : 0;
    return n > rate ? n : rate;
}

/* Fills `kinds` with the ways in which this call may fail here, from index 1 on. Index 0 means that the call works.
 * Returns the number of ways to fail. */
static unsigned list_kinds(sonde *t, const struct sonde_fault_call *call, unsigned weights[], unsigned kinds[])
{
    unsigned n = 0, possible = call->kinds & t->fault_kinds;
    if (!may_crash(t)) possible &= ~(unsigned)CRASH;
    for (unsigned i = 0; i < KINDS; i++) {
        if (!(possible & 1u << i)) continue;
        kinds[++n] = i;
        weights[n] = 1;
    }
    if (possible & CRASH) t->crash->n_calls++;
    /* The weight of "works" grows with the number of kinds, so that a call with more ways to fail does not fail more
     * often. */
    weights[0] = weight_of_working(t, possible) * n;
    return n;
}

/* Draws whether and how this call fails, among the kinds that are possible here and that sonde_faults asked for. The
 * replaced function of the C library calls it, in the middle of the code under test. While it draws, `ask` is NULL, so
 * that sonde's own calls do not fail. */
static unsigned decide(sonde *t, const struct sonde_fault_call *call)
{
    unsigned weights[KINDS + 1], kinds[KINDS + 1];
    struct sonde_fault_hook *hook = t->fault_hook;
    if (!is_ours(hook)) return 0;
    unsigned n = list_kinds(t, call, weights, kinds);
    if (call->kinds & t->fault_kinds & SONDE_FAULT_ALL) t->reached.failing[SONDE_FAILING_CALLS].met++;
    if (call->kinds & t->fault_kinds & CRASH) t->reached.failing[SONDE_FAILING_PROCESS].met++;
    if (n == 0) return 0;
    bool is_elsewhere = t->schedule.is_elsewhere;
    void (*disk)(struct sonde_fault_hook *, struct sonde_disk_event *) = hook->disk;
    hook->ask = NULL;
    hook->disk = NULL;
    bool is_controlled = sonde_schedule_control(false); /* calls that sonde makes here are not steps */
    t->schedule.is_elsewhere = false;                   /* sonde makes this draw, not the controlled thread */
    size_t at = sonde_weighted(t, call->name, weights, n + 1);
    t->tape.choices[t->tape.n_choices - 1].flags |= SONDE_CHOICE_RULE; /* a note describes this choice */
    if (at) note_fault(t, call, kinds[at]);
    t->schedule.is_elsewhere = is_elsewhere;
    sonde_schedule_control(is_controlled);
    if (at && 1u << kinds[at] == CRASH) die_here(t);
    hook->disk = disk;
    hook->ask = decide;
    return at ? 1u << kinds[at] : 0;
}

static struct sonde_fault_hook *need_hook(sonde *t, const char *function, const char *label)
{
    struct sonde_fault_hook *hook = find_hook();
    if (hook) return hook;
    sonde_misuse_(t,
                  "%s(\"%s\"): this program cannot make calls fail; link with `pkg-config --libs sonde-faults`, or run "
                  "with LD_PRELOAD=libsonde_faults.so",
                  function, label);
}

static void arm(sonde *t, struct sonde_fault_hook *hook, unsigned kinds)
{
    t->fault_kinds = kinds;
    hook->t = t;
    t->fault_hook = hook;
    hook->is_ours = is_ours;
    hook->on_process = note_process;
    hook->ask = decide;
    armed_in = getpid();
    sonde_faults_armed = hook;
}

void sonde_case_not_followed(sonde *t, const char *what)
{
    size_t n = strlen(t->not_followed);
    char line[200];
    snprintf(line, sizeof line, "not followed: %s", what);
    if (strstr(t->not_followed, line) || n + strlen(line) + 2 > sizeof t->not_followed) return;
    snprintf(t->not_followed + n, sizeof t->not_followed - n, "%s%s", n ? "\n" : "", line);
}

void sonde_faults(sonde *t, const char *label, unsigned kinds)
{
    sonde_faults_disarm(); /* a second call in a case replaces the first */
    t->fault_rate = (unsigned)sonde_weighted(t, label, rate_weights, sizeof rate_weights / sizeof *rate_weights);
    if (!(kinds & SONDE_FAULT_ALL) || kinds & ~(unsigned)SONDE_FAULT_ALL)
        sonde_misuse_(t, "sonde_faults(\"%s\"): %#x is not a set of faults; give SONDE_FAULT_ALL or some of its bits",
                      label, kinds);
    struct sonde_fault_hook *hook = need_hook(t, "sonde_faults", label);
    if (!t->fault_rate) return;
    t->reached.failing[SONDE_FAILING_CALLS].armed++;
    arm(t, hook, kinds);
}

void sonde_faults_end(sonde *t)
{
    if (!t || t->owner != sonde_this_thread()) sonde_case_misplaced(t, "sonde_faults_end", "");
    sonde_faults_disarm();
}

/* Returns the state to restore if a call of a machine arms faults, or an allocation failure, and is then taken back. */
struct sonde_failing sonde_failing_now(const sonde *t)
{
    return (struct sonde_failing){.faults = sonde_faults_armed,
                                  .disk = sonde_faults_armed ? sonde_faults_armed->disk : NULL,
                                  .fault_kinds = t->fault_kinds,
                                  .fault_rate = t->fault_rate,
                                  .crash = t->crash,
                                  .oom = sonde_oom_counter,
                                  .oom_left = sonde_oom_counter ? *sonde_oom_counter : 0};
}

void sonde_failing_restore(sonde *t, const struct sonde_failing *before)
{
    if (sonde_faults_armed) sonde_faults_armed->follows_files = before->crash;
    sonde_faults_disarm();
    t->crash = before->crash;
    t->fault_rate = before->fault_rate;
    if (before->faults) arm(t, before->faults, before->fault_kinds);
    if (before->faults) before->faults->disk = before->disk;
    sonde_oom_disarm();
    sonde_oom_counter = before->oom;
    if (before->oom) *before->oom = before->oom_left;
}

/* ---- Crashes */

/* Runs run() until it returns or the code dies; returns whether it died. Not inlined, so that none of its variables is
 * in a register that the jump would restore. */
static __attribute__((noinline)) bool run_until_crash(sonde *t, struct sonde_crash *crash, void (*run)(void *what),
                                                      void *what)
{
    t->crash = crash;
    if (_setjmp(crash->out)) return true;
    run(what);
    return false;
}

/* How run() ends. */
enum end { PROCESS_DIES, POWER_FAILS };

static bool run_to_its_end(sonde *t, struct sonde_fault_hook *hook, enum end end, void (*run)(void *what), void *what)
{
    struct sonde_crash crash = {.is_outside = !t->threads};
    struct sonde_driver_ *driver = t->driver;
    uint32_t depth = t->view.depth;
    uint64_t state = t->view.state;
    /* The hook collects the descriptors that the code opens; a crash closes them as the kernel would. */
    hook->begin(hook);
    hook->follows_files = true;
    if (end == POWER_FAILS) sonde_disk_begin(t, hook);
    bool has_crashed = run_until_crash(t, &crash, run, what);
    sonde_faults_disarm();
    t->crash = NULL;
    hook->follows_files = false;
    if (has_crashed || end == POWER_FAILS) hook->die(hook);
    if (has_crashed) {
        t->driver = driver; /* machines that ran inside run() have ended */
        sonde_case_state(t, state);
        sonde_case_close_to(t, depth); /* closes the spans that run() left open */
    }
    if (end == POWER_FAILS) sonde_disk_cut(t, hook);
    return has_crashed || end == POWER_FAILS;
}

static bool run_and_end(sonde *t, const char *label, enum end end, void (*run)(void *what), void *what)
{
    const char *function = end == POWER_FAILS ? "sonde_power_cut" : "sonde_crash";
    bool ends = sonde_bool(t, label);
    if (!run) sonde_misuse_(t, "%s(\"%s\"): the function is NULL; give one", function, label);
    if (t->crash)
        sonde_misuse_(t, "%s(\"%s\"): called inside another sonde_crash or sonde_power_cut; call only one", function,
                      label);
    struct sonde_fault_hook *hook = need_hook(t, function, label), *armed = sonde_faults_armed;
    unsigned kinds = armed ? t->fault_kinds : 0, rate = t->fault_rate;
    /* `ends` is drawn first, so that the simplest case has no crash. */
    if (!ends) return run(what), false;
    if (!armed) t->fault_rate = OFTEN;
    t->reached.failing[SONDE_FAILING_PROCESS].armed++;
    arm(t, hook, kinds | CRASH);
    bool has_ended = run_to_its_end(t, hook, end, run, what);
    t->fault_rate = rate;
    if (armed) arm(t, hook, kinds);
    return has_ended;
}

bool sonde_crash(sonde *t, const char *label, void (*run)(void *what), void *what)
{
    return run_and_end(t, label, PROCESS_DIES, run, what);
}

bool sonde_power_cut(sonde *t, const char *label, void (*run)(void *what), void *what)
{
    return run_and_end(t, label, POWER_FAILS, run, what);
}
