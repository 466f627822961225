/* See family.h. Bookkeeping for two dangers: processes of the code under test that outlive their
 * worker, and process ids that are given again. A group is killed before its leader is waited for, so
 * the id cannot belong to another process yet.
 *
 * Runs in the supervisor. A child of this process may be an orphan of a worker, or a process that a reporter, the
 * program or sonde started here. The system keeps no record of the first parent, so workers carry a mark that all their
 * descendants inherit, through exec and setsid as well: /proc/PID/oom_score_adj is one higher than the supervisor's.
 * That file can be read of a zombie, too, which must not be waited for here if it is a reporter's. Orphans of several
 * workers are told from each other by their start time in ticks of the kernel (/proc/PID/stat, field 22). */
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

enum { WORKERS_MAX = 80, ORPHANS_MAX = 1024 }; /* workers: the jobs and the runners */
enum { SPARED_MAX = 4 };                       /* an agent of the fleet, a server */

static struct {
    bool adopts;
    int adopted_before;       /* what the process was when sonde_main began */
    pid_t spared[SPARED_MAX]; /* 0: free */
    uint64_t expected;        /* ticks, before the last fork */
    int mark;                 /* what workers have for oom_score_adj; UNMARKED: the system does not let them */
    size_t n;
    struct {
        pid_t pid;
        uint64_t started; /* not before this tick */
    } workers[WORKERS_MAX];
} family;

/* The same clock as starttime: since boot, suspended time included. */
static uint64_t ticks_now(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_BOOTTIME, &now);
    uint64_t hertz = (uint64_t)sysconf(_SC_CLK_TCK);
    return (uint64_t)now.tv_sec * hertz + (uint64_t)now.tv_nsec * hertz / 1000000000;
}

/* ---- Children, as the system has them */

/* Needs CONFIG_PROC_CHILDREN; find_children is the slow way without it. */
static size_t read_children(pid_t *out, size_t max)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid()); /* orphans come to the first thread */
    FILE *in = fopen(path, "re");
    size_t n = 0;
    long pid;
    while (in && n < max && fscanf(in, "%ld", &pid) == 1) out[n++] = (pid_t)pid;
    if (in) fclose(in);
    return n;
}

/* What is known of a process. */
struct stat_line {
    pid_t parent, group;
    uint64_t started; /* ticks */
};

/* Returns false if there is no such process. */
static bool read_stat(pid_t pid, struct stat_line *out)
{
    char text[1024];
    sonde_process_read(pid, "stat", text, sizeof text);
    const char *rest = strrchr(text, ')'); /* the name before it may hold anything */
    long ppid = 0, group = 0;
    unsigned long long ticks = 0;
    /* state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime stime cutime cstime priority nice
     * threads itrealvalue starttime */
    const char *format = ") %*c %ld %ld %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu";
    if (!rest || sscanf(rest, format, &ppid, &group, &ticks) != 3) return false;
    *out = (struct stat_line){(pid_t)ppid, (pid_t)group, ticks};
    return true;
}

/* Where the kernel was built without that file: all processes are looked at. */
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

/* Both ways give the same; the first costs one small file. */
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

/* To raise one's score is always allowed. One is nothing to the kernel: the scale has 2,000 steps. */
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

/* Whether a child of this process descends from a worker; those of --isolate=case are marked twice. Where there are no
 * marks, what is in this process's group was started here. */
static bool is_from_worker(pid_t pid, const struct stat_line *stat)
{
    if (family.mark == UNMARKED) return stat->group != getpgrp();
    int mark = read_mark(pid);
    return mark == family.mark || mark == family.mark + 1;
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

/* Those that are gone need no sparing. */
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
    setpgid(worker, worker); /* in both processes: neither may go on without it */
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
    sonde_assert(worker > 1); /* else it would be our own group, or every process that we may end */
    kill(-worker, SIGKILL);
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

/* A living worker may still need what it started; what is older than all of them comes from one that is gone. */
static bool is_left_over(uint64_t started)
{
    for (size_t i = 0; i < family.n; i++)
        if (started >= family.workers[i].started) return false;
    return true;
}

/* Waits for those that have ended and kills those that must; how many it has killed. */
static size_t end_orphans(void)
{
    pid_t all[ORPHANS_MAX];
    size_t n = children(all, ORPHANS_MAX), killed = 0;
    for (size_t i = 0; i < n; i++) {
        struct stat_line stat;
        if (is_worker(all[i]) || is_spared(all[i]) || !read_stat(all[i], &stat)) continue;
        /* Not 0: it had ended and is gone now. */
        if (!is_from_worker(all[i], &stat) || waitpid(all[i], NULL, WNOHANG) != 0) continue;
        if (!is_left_over(stat.started)) continue;
        kill(all[i], SIGKILL);
        killed++;
    }
    return killed;
}

/* Each that ends may leave children of its own. One that the system does not let go is left for the next time. */
void sonde_family_sweep(void)
{
    /* Up to about a second, first in steps of 0.2 ms: killed processes need a moment until they can be
     * waited for. */
    enum { ROUNDS = 500 };
    if (!family.adopts) return;
    for (int i = 0; i < ROUNDS && end_orphans() > 0; i++) usleep(i < 20 ? 200 : 2000);
}

void sonde_family_adopt(void)
{
    pid_t any;
    /* See family.h: their orphans would come here, and stay zombies. */
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
