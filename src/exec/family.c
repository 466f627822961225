/* Implements family.h. Two dangers are handled: processes of the code under test that outlive their worker, and
 * process ids that are reused. A group is killed before its leader is waited for, so the id cannot belong to another
 * process yet.
 *
 * Runs in the supervisor. A child of this process may be an orphan of a worker, or a process that a reporter, the
 * program or sonde started here. The system does not record the original parent, so workers carry a mark:
 * /proc/PID/oom_score_adj is one higher than the supervisor's. All descendants inherit it, also through exec and
 * setsid. That file is readable for zombies too; a zombie that a reporter started must not be waited for here. sonde
 * distinguishes orphans of different workers by their start time in kernel ticks (/proc/PID/stat, field 22). */
#include "exec/family.h"

#include "base/check.h"
#include "base/process.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS_MAX = 80, ORPHANS_MAX = 1024 }; /* WORKERS_MAX limits jobs and runners together */
enum { SPARED_MAX = 4 };                       /* spared processes are an agent of the fleet and a server */

static struct {
    bool adopts;
    int adopted_before;       /* subreaper setting of the process when sonde_main began */
    pid_t spared[SPARED_MAX]; /* 0: free entry */
    uint64_t expected;        /* time in ticks, taken before the last fork */
    int mark;                 /* oom_score_adj of workers; UNMARKED: workers cannot be marked on this system */
    size_t n;
    struct {
        pid_t pid;
        uint64_t started; /* the worker started at this tick or later */
    } workers[WORKERS_MAX];
} family;

/* Returns the current time by the same clock as starttime: since boot, including suspended time. */
static uint64_t ticks_now(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_BOOTTIME, &now);
    uint64_t hertz = (uint64_t)sysconf(_SC_CLK_TCK);
    return (uint64_t)now.tv_sec * hertz + (uint64_t)now.tv_nsec * hertz / 1000000000;
}

/* ---- Children, as the system reports them */

/* Stores the children of this process; returns their number. Needs CONFIG_PROC_CHILDREN; otherwise use
 * find_children. */
static size_t read_children(pid_t *out, size_t max)
{
    char path[64];
    /* orphans become children of the first thread */
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *in = fopen(path, "re");
    size_t n = 0;
    long pid;
    while (in && n < max && fscanf(in, "%ld", &pid) == 1) out[n++] = (pid_t)pid;
    if (in) fclose(in);
    return n;
}

/* Facts about a process from /proc/PID/stat. */
struct stat_line {
    pid_t parent, group;
    uint64_t started; /* start time in ticks */
};

/* Reads the status of a process. Returns false if there is no such process. */
static bool read_stat(pid_t pid, struct stat_line *out)
{
    char text[1024];
    sonde_process_read(pid, "stat", text, sizeof text);
    const char *rest = strrchr(text, ')'); /* the last ')': the process name before it may contain others */
    long ppid = 0, group = 0;
    unsigned long long ticks = 0;
    /* state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime stime cutime cstime priority nice
     * threads itrealvalue starttime */
    const char *format = ") %*c %ld %ld %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu";
    if (!rest || sscanf(rest, format, &ppid, &group, &ticks) != 3) return false;
    *out = (struct stat_line){(pid_t)ppid, (pid_t)group, ticks};
    return true;
}

/* Finds the children by reading all processes, for kernels built without the `children` file. */
static size_t find_children(pid_t *out, size_t max)
{
    size_t n = 0;
    DIR *all = opendir("/proc");
    const struct dirent *entry;
    while (all && n < max && (entry = readdir(all)) != NULL) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        struct stat_line stat;
        if (pid > 0 && read_stat(pid, &stat) && stat.parent == getpid()) out[n++] = pid;
    }
    if (all) closedir(all);
    return n;
}

/* Stores the children of this process; returns their number. Uses the `children` file if it exists. */
static size_t children(pid_t *out, size_t max)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    return access(path, R_OK) == 0 ? read_children(out, max) : find_children(out, max);
}

/* ---- The mark */

enum { UNMARKED = -10000, MARK_MAX = 1000 };

/* Returns the oom_score_adj of a process; UNMARKED if it cannot be read. */
static int read_mark(pid_t pid)
{
    char text[32];
    int mark;
    sonde_process_read(pid, "oom_score_adj", text, sizeof text);
    return sscanf(text, "%d", &mark) == 1 ? mark : UNMARKED;
}

/* Chooses the mark. Raising a process's own score is always allowed. Raising it by one has no practical effect: the
 * scale has 2,000 steps. */
static void find_mark(void)
{
    int own = read_mark(getpid());
    bool may_mark = own != UNMARKED && own < MARK_MAX && access("/proc/self/oom_score_adj", W_OK) == 0;
    family.mark = may_mark ? own + 1 : UNMARKED;
}

void sonde_family_mark(void)
{
    if (!family.adopts || family.mark == UNMARKED) return;
    FILE *out = fopen("/proc/self/oom_score_adj", "we");
    if (!out) return;
    fprintf(out, "%d\n", family.mark);
    fclose(out);
}

/* Returns whether a child of this process descends from a worker; with --isolate=case, descendants are marked twice.
 * Without marks, processes in this process's group count as started here. */
static bool is_from_worker(pid_t pid, const struct stat_line *stat)
{
    if (family.mark == UNMARKED) return stat->group != getpgrp();
    int mark = read_mark(pid);
    return mark == family.mark || mark == family.mark + 1;
}

/* Gives up marks if a worker has none. A sandbox (Landlock) may forbid workers to write the file, and the supervisor
 * cannot find that out beforehand: access(2) does not know. */
static void look_for_mark(pid_t worker)
{
    if (family.adopts && family.mark != UNMARKED && read_mark(worker) == family.mark - 1) family.mark = UNMARKED;
}

/* ---- Workers */

static bool is_worker(pid_t pid)
{
    for (size_t i = 0; i < family.n; i++)
        if (family.workers[i].pid == pid) return true;
    return false;
}

static bool is_spared(pid_t pid)
{
    for (size_t i = 0; i < SPARED_MAX; i++)
        if (family.spared[i] == pid) return true;
    return false;
}

static void replace_spared(pid_t old, pid_t new)
{
    for (size_t i = 0; i < SPARED_MAX; i++) {
        if (family.spared[i] != old) continue;
        family.spared[i] = new;
        return;
    }
}

/* Frees the entries of processes that are gone, then adds the child. */
void sonde_family_spare(pid_t child)
{
    for (size_t i = 0; i < SPARED_MAX; i++)
        if (family.spared[i] && kill(family.spared[i], 0) < 0) family.spared[i] = 0;
    replace_spared(0, child);
}

void sonde_family_unspare(pid_t child)
{
    replace_spared(child, 0);
}

void sonde_family_expect(void)
{
    family.expected = ticks_now();
}

void sonde_family_add(pid_t worker)
{
    setpgid(worker, worker); /* both processes set the group, because neither may continue before that is done */
    sonde_assert(!is_worker(worker));
    if (family.n == WORKERS_MAX) return;
    family.workers[family.n].pid = worker;
    family.workers[family.n++].started = family.expected;
}

void sonde_family_leave(void)
{
    setpgid(0, 0);
    family.n = 0;
    family.adopts = false;
}

void sonde_family_kill(pid_t worker)
{
    sonde_assert(worker > 1); /* group 0 would mean this process's group, and 1 all processes */
    kill(-worker, SIGKILL);
    look_for_mark(worker);
}

void sonde_family_kill_all(void)
{
    for (size_t i = 0; i < family.n; i++) kill(-family.workers[i].pid, SIGKILL);
}

void sonde_family_remove(pid_t worker)
{
    for (size_t i = 0; i < family.n; i++)
        if (family.workers[i].pid == worker) family.workers[i--] = family.workers[--family.n];
    sonde_family_sweep();
}

/* ---- Orphans */

/* Returns whether a process is older than all living workers. Then its own worker has ended. Younger processes may
 * still be needed by a living worker. */
static bool is_left_over(uint64_t started)
{
    for (size_t i = 0; i < family.n; i++)
        if (started >= family.workers[i].started) return false;
    return true;
}

/* Waits for orphans that have ended, and kills orphans that must end. Returns the number of killed processes. */
static size_t end_orphans(void)
{
    pid_t all[ORPHANS_MAX];
    size_t n = children(all, ORPHANS_MAX), killed = 0;
    for (size_t i = 0; i < n; i++) {
        struct stat_line stat;
        if (is_worker(all[i]) || is_spared(all[i]) || !read_stat(all[i], &stat)) continue;
        /* A result other than 0 means that the orphan had ended and has now been waited for. */
        if (!is_from_worker(all[i], &stat) || waitpid(all[i], NULL, WNOHANG) != 0) continue;
        if (!is_left_over(stat.started)) continue;
        kill(all[i], SIGKILL);
        killed++;
    }
    return killed;
}

/* Repeats, because each process that ends may leave children. A process that cannot be killed is left for the next
 * sweep. */
void sonde_family_sweep(void)
{
    /* 500 rounds, about a second, first in steps of 0.2 ms: killed processes take a moment until they can be waited
     * for. */
    enum { ROUNDS = 500 };
    if (!family.adopts) return;
    for (int i = 0; i < ROUNDS && end_orphans() > 0; i++) usleep(i < 20 ? 200 : 2000);
}

void sonde_family_adopt(void)
{
    pid_t any;
    /* See family.h: orphans of existing children would become children of this process, and stay zombies. */
    if (family.adopts || children(&any, 1) > 0) return;
    if (prctl(PR_GET_CHILD_SUBREAPER, &family.adopted_before) != 0) return;
    find_mark();
    family.adopts = prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

void sonde_family_release(void)
{
    if (!family.adopts) return;
    sonde_family_sweep();
    prctl(PR_SET_CHILD_SUBREAPER, family.adopted_before);
    family.adopts = false;
}
