#define _GNU_SOURCE /* RTLD_DEFAULT */
/* Implements the warm-up; see exec.h. It has a separate case, labels and guide, so nothing of the search is
 * touched. The shared heap is replaced by a private copy before the first case. The results are in memory that
 * addons/threads/ shares with its parent.
 *
 * A case that crashes ends the process. The next process continues after it, since n_begun was raised before the case
 * ran. A case that hangs ends the warm-up, in every worker alike. The results so far depend on when that case was
 * stopped. So they are all forgotten, and only the cases before it are run again. Later workers know the number of that
 * case, so that only one worker waits for it. */

#include "base/heap.h"
#include "base/process.h"
#include "base/schedule.h"
#include "exec/against.h"
#include "exec/death.h"
#include "exec/exec.h"
#include "exec/fault.h"
#include "observe/coverage.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CASES = 300,         /* maximum number of cases */
    IDLE = 20,           /* after this many cases without threads, the property counts as having none */
    CRASHES = 10,        /* the warm-up stops after this many crashes */
    CHOICES = 1 << 16,   /* limit on choices, spans and bytes of a case */
    STEPS = 2000 * 1000, /* the warm-up ends after this many steps in all cases together */
    SECONDS = 2,         /* CPU seconds after which a case counts as hanging */
    PAUSE_US = 1000,     /* microseconds between two checks of a case's progress */
    IDLE_LOOKS = 2000    /* a case that sleeps without using CPU time during this many checks counts as hanging */
};

static const uint64_t seed = UINT64_C(0x5eed0f7482ead5);

/* ---- A guide that draws random numbers only */

struct plain_guide {
    struct sonde_guide guide;
    struct sonde_rng rng;
};

/* Chooses at random. Respects weights, because a generator may rely on unlikely alternatives being rare. */
static uint64_t choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct plain_guide *g = (struct plain_guide *)guide;
    if (!view->weights) return sonde_rng_upto(&g->rng, view->point->max);
    uint64_t left = sonde_rng_upto(&g->rng, view->weight_sum - 1), i = 0;
    while (i < view->point->max && left >= view->weights[i]) left -= view->weights[i++];
    return i;
}

static const struct sonde_guide_ops ops = {.name = "warm-up", .choose = choose};

/* ---- The process of the warm-up */

static void be_quiet(void)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && nowhere >= 0; fd++) dup2(nowhere, fd);
}

/* Limits the CPU time of the next case: SIGXCPU ends a case that never ends. */
static void limit_next_case(void)
{
    struct rusage used;
    struct rlimit limit;
    if (getrusage(RUSAGE_SELF, &used) < 0 || getrlimit(RLIMIT_CPU, &limit) < 0) return;
    rlim_t wanted = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1 + SECONDS);
    if (limit.rlim_cur < wanted || limit.rlim_cur == RLIM_INFINITY) {
        limit.rlim_cur = wanted;
        setrlimit(RLIMIT_CPU, &limit);
    }
}

/* Runs cases from number `learned->n_begun` up to `end`; does not return. */
static SONDE_NORETURN void run_cases(const sonde_property *property, struct sonde_learned *learned, uint64_t end)
{
    static struct sonde_death death;
    static atomic_uint bell;
    struct sonde_labels labels;
    struct plain_guide guide = {.guide = {.ops = &ops}};
    if (sonde_heap_current()) sonde_heap_detach(sonde_heap_current());
    be_quiet();
    sonde_against_pause();
    death.bell = &bell;
    sonde_death_watch(&death, true);
    sonde_labels_init(&labels);
    sonde *t = sonde_case_create(&labels, (struct sonde_limits){.choices = CHOICES,
                                                                .spans = CHOICES,
                                                                .bytes = CHOICES,
                                                                .memory = SONDE_CASE_MEMORY});
    signal(SIGXCPU, SIG_DFL);
    while (learned->n_begun < end && learned->n_all_steps < STEPS && (learned->n_runs || learned->n_begun < IDLE)) {
        limit_next_case();
        uint64_t number = learned->n_begun++;
        sonde_rng_seed(&guide.rng, seed, number);
        learned->random = (seed + number) * UINT64_C(0x9e3779b97f4a7c15) | 1;
        sonde_exec_inline(t, property, &guide.guide, NULL);
    }
    learned->n_begun = end;
    _exit(0);
}

/* Returns whether a process sleeps and has used no CPU time since the last check. Asks the kernel instead of a
 * clock, so that a busy machine does not change the result. */
static bool is_idle(pid_t pid, unsigned long long *used)
{
    char text[512];
    unsigned long long user = 0, system = 0;
    char state = 'R';
    sonde_process_read(pid, "stat", text, sizeof text);
    const char *name_end = strrchr(text, ')');
    if (!name_end
        || sscanf(name_end + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &state, &user, &system) != 3)
        return false;
    bool is_same = *used == user + system;
    *used = user + system;
    return is_same && state == 'S';
}

enum ending {
    ENDED,
    HANGS, /* the case would hang again */
    LOST   /* another part of the program waited for the process, so how it ended is unknown */
};

static enum ending wait_for(pid_t pid)
{
    unsigned long long used = 0;
    int status = 0;
    for (unsigned looks = 0; looks < IDLE_LOOKS;) {
        pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid) return WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU ? HANGS : ENDED;
        if (got < 0 && errno != EINTR) return LOST;
        looks = is_idle(pid, &used) ? looks + 1 : 0;
        sonde_death_restart_limit(); /* this worker only waits; the process that it waits for has separate limits */
        usleep(PAUSE_US);
    }
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
    return HANGS;
}

static enum ending start(const sonde_property *property, struct sonde_learned *learned, uint64_t end)
{
    fflush(NULL);
    pid_t pid = sonde_fork();
    if (pid == 0) run_cases(property, learned, end);
    return pid > 0 ? wait_for(pid) : LOST;
}

/* ---- The whole warm-up */

static atomic_uint *memory; /* shared by workers: 1 + the number of the case that hangs; 0: none known */
static uint64_t n_runs;     /* number of engine runs in this process: an earlier run learned about another property */

atomic_uint *sonde_warm_up_share(atomic_uint *shared)
{
    atomic_uint *before = memory;
    if (shared) n_runs++;
    memory = shared;
    return before;
}

atomic_uint *sonde_warm_up_shared(void)
{
    return memory;
}

/* Runs the cases in processes; returns the number of the case that hangs, or `end` if none does. */
static uint64_t learn(const sonde_property *property, struct sonde_learned *learned, uint64_t end)
{
    enum ending ending = ENDED;
    for (int crashes = 0; crashes < CRASHES && learned->n_begun < end && ending == ENDED; crashes++)
        ending = start(property, learned, end);
    return ending == HANGS && learned->n_begun ? learned->n_begun - 1 : end;
}

/* Freezes the result even if every case crashed: then every worker uses the defaults of case/threads.c. */
void sonde_warm_up(const sonde_property *property)
{
    if (!sonde_schedule_hook_) return;
    struct sonde_schedule_hook *hook = sonde_schedule_hook_();
    struct sonde_learned *learned = hook->prepare(n_runs);
    if (!learned || learned->is_frozen) return;
    unsigned known = memory ? atomic_load(memory) : 0;
    uint64_t end = known ? known - 1 : CASES;
    for (bool is_first = true;; is_first = false) {
        uint64_t good = learn(property, learned, end);
        if (good == end) break;
        end = is_first ? good : 0; /* the case hangs only sometimes: learn nothing */
        learned = hook->prepare(n_runs);
        if (!learned) return;
    }
    if (memory && end < CASES) atomic_store(memory, (unsigned)end + 1);
    learned->is_frozen = true;
}
