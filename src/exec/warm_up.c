#define _GNU_SOURCE /* RTLD_DEFAULT */
/* See warm_up.h. Its own case, labels and guide: nothing of the search's is touched, and the shared
 * heap is replaced by a private copy before the first case. What is learned lies in memory that
 * threads/ shares with its parent.
 *
 * A case that crashes ends the process; the next one goes on behind it, since n_begun was raised before
 * the case ran. */
#include "exec/warm_up.h"

#include "base/heap.h"
#include "base/schedule.h"
#include "exec/death.h"
#include "exec/exec.h"
#include "exec/forked.h"
#include "exec/last_words.h"
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

extern struct sonde_schedule_hook *sonde_schedule_hook_(void) __attribute__((weak, visibility("default")));

enum {
    CASES = 300,
    IDLE = 20,    /* without threads: then the property has none */
    CRASHES = 10, /* after which no more are tried */
    CHOICES = 1 << 16,
    STEPS = 2000 * 1000, /* of all cases: enough was seen */
    SECONDS = 2,         /* of computing, for a case that does not end */
    PAUSE_US = 1000,     /* between two looks at how it goes on */
    IDLE_LOOKS = 2000    /* in which it sleeps and does nothing: it waits for something that does not come */
};

static const uint64_t seed = UINT64_C(0x5eed0f7482ead5);

/* ---- A guide of nothing but numbers */

struct plain_guide {
    struct sonde_guide guide;
    struct sonde_rng rng;
};

/* Weights are heeded, because a generator may rely on what is unlikely being rare; nothing else is. */
static uint64_t choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct plain_guide *g = (struct plain_guide *)guide;
    if (!view->weights) return sonde_rng_upto(&g->rng, view->point->max);
    uint64_t left = sonde_rng_upto(&g->rng, view->weight_sum - 1), i = 0;
    while (i < view->point->max && left >= view->weights[i]) left -= view->weights[i++];
    return i;
}

static const struct sonde_guide_ops ops = {.name = "warm-up", .choose = choose};

/* ---- Its process */

static void be_quiet(void)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && nowhere >= 0; fd++) dup2(nowhere, fd);
}

/* A case that never ends is ended by SIGXCPU. */
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

/* Runs cases from number `learned->n_begun` on; does not return. */
static SONDE_NORETURN void run_cases(const sonde_property *property, struct sonde_learned *learned)
{
    static struct sonde_death death;
    static atomic_uint bell;
    struct sonde_labels labels;
    struct plain_guide guide = {.guide = {.ops = &ops}};
    if (sonde_heap_current()) sonde_heap_detach(sonde_heap_current());
    be_quiet();
    death.bell = &bell;
    sonde_death_watch(&death, true);
    sonde_labels_init(&labels);
    sonde *t = sonde_case_create(&labels, (struct sonde_limits){.choices = CHOICES,
                                                                .spans = CHOICES,
                                                                .bytes = CHOICES,
                                                                .memory = SONDE_CASE_MEMORY});
    signal(SIGXCPU, SIG_DFL);
    while (learned->n_begun < CASES && learned->n_all_steps < STEPS && (learned->n_runs || learned->n_begun < IDLE)) {
        limit_next_case();
        uint64_t number = learned->n_begun++;
        sonde_rng_seed(&guide.rng, seed, number);
        learned->random = (seed + number) * UINT64_C(0x9e3779b97f4a7c15) | 1;
        sonde_exec_inline(t, property, &guide.guide, NULL);
    }
    learned->n_begun = CASES;
    _exit(0);
}

/* Whether a process sleeps, and has used no time of a processor since the last look. By what the kernel says of it and not by a clock, so
 * that a machine with much to do changes nothing. */
static bool is_idle(pid_t pid, unsigned long long *used)
{
    char path[64], text[512];
    unsigned long long user = 0, system = 0;
    char state = 'R';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0) close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *name_end = strrchr(text, ')');
    if (!name_end
        || sscanf(name_end + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &state, &user, &system) != 3)
        return false;
    bool is_same = *used == user + system;
    *used = user + system;
    return is_same && state == 'S';
}

/* Waits until it has ended; false: it did not get to an end by itself, and what it waits for, or computes, it will again. */
static bool has_ended_well(pid_t pid)
{
    unsigned long long used = 0;
    int status = 0;
    for (unsigned looks = 0; looks < IDLE_LOOKS;) {
        pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid) return !(WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
        if (got < 0 && errno != EINTR) return false;
        looks = is_idle(pid, &used) ? looks + 1 : 0;
        usleep(PAUSE_US);
    }
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
    return false;
}

static bool start(const sonde_property *property, struct sonde_learned *learned)
{
    fflush(NULL);
    sonde_forked_own(true);
    pid_t pid = fork();
    sonde_forked_own(false);
    if (pid == 0) run_cases(property, learned);
    return pid > 0 && has_ended_well(pid);
}

/* Frozen even if every case crashed: then the defaults of case/threads.c hold, in every worker alike. */
void sonde_warm_up(const sonde_property *property)
{
    if (!sonde_schedule_hook_) return;
    struct sonde_learned *learned = sonde_schedule_hook_()->prepare();
    if (!learned || learned->is_frozen) return;
    for (int crashes = 0; crashes < CRASHES && learned->n_begun < CASES && start(property, learned); crashes++)
        continue;
    learned->is_frozen = true;
}
