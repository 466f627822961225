/* Workers of a shared folder (folder.h): their reports, and claims on failures. All times are compared with times of the same
 * file system: the clocks of hosts differ, and any of them may be set. */
#include "share/folder.h"

#include "base/clock.h"
#include "base/mem.h"
#include "store/files.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    WORKERS_MAX = 10000, /* reports that are read for an overview, */
    REPORT_MAX = 1 << 12 /* and bytes of each; also of a claim */
};

/* ---- Reports */

double sonde_folder_now(const struct sonde_shared_place *p)
{
    return p->spoke_there > 0 ? p->spoke_there + (sonde_clock_now() - p->spoke) : 0;
}

int sonde_folder_beat(struct sonde_shared_place *p, const char *text)
{
    struct sonde_bytes bytes = {.data = (uint8_t *)(uintptr_t)text, .n = (uint32_t)strlen(text)};
    struct stat info;
    int error = sonde_folder_write_into(p, "workers", p->worker, &bytes, true);
    if (error) return error;
    char *path = sonde_path("%s/workers/%s", p->room, p->worker);
    if (sonde_below_stat(path, p->named, &info) == 0) {
        p->spoke = sonde_clock_now();
        p->spoke_there = sonde_folder_seconds(info.st_mtim);
    }
    sonde_free(path);
    return 0;
}

/* Returns what time it is for the file system. A tool has not reported there: it asks by a file that is removed at once. Where
 * it may not write, our clock has to do. */
static double ask_time(struct sonde_shared_place *p)
{
    struct stat info;
    struct timespec clock;
    if (p->spoke_there > 0) return sonde_folder_now(p);
    clock_gettime(CLOCK_REALTIME, &clock);
    char *path = sonde_path("%s/workers/.%ld-%u.tmp", p->room, (long)getpid(), p->turn++);
    if (sonde_below_create(path, p->named, "", 0) == 0) {
        if (sonde_below_stat(path, p->named, &info) == 0) clock = info.st_mtim;
        sonde_below_remove(path, p->named);
    }
    sonde_free(path);
    return sonde_folder_seconds(clock);
}

static void visit_worker(const struct sonde_shared_place *p, const char *path, double now, sonde_worker_visit *visit,
                         void *context)
{
    struct stat info;
    char *bytes = NULL;
    size_t n = 0;
    int fd = sonde_below_open(path, p->named);
    if (fd < 0) return;
    if (fstat(fd, &info) == 0 && sonde_read_descriptor(fd, REPORT_MAX, &bytes, &n) == 0) {
        char *text = sonde_path("%.*s", (int)n, bytes);
        visit(context, text,
              fabs(now - sonde_folder_seconds(info.st_mtim))); /* a time in the future counts as one in the past */
        sonde_free(text);
    }
    sonde_free(bytes);
    close(fd);
}

int sonde_folder_each_worker(struct sonde_shared_place *p, sonde_worker_visit *visit, void *context)
{
    char *folder = sonde_path("%s/workers", p->room);
    struct sonde_names names;
    int error = sonde_below_list(folder, p->named, &names);
    double now = names.n ? ask_time(p) : 0;
    for (uint32_t i = 0; i < names.n && i < WORKERS_MAX; i++) {
        char *path = sonde_path("%s/%s", folder, names.names[i]);
        visit_worker(p, path, now, visit, context);
        sonde_free(path);
    }
    sonde_names_clear(&names);
    sonde_free(folder);
    return error == -ENOENT ? 0 : error;
}

/* ---- Claims */

/* Reads a claim and its times. */
static int read_claim(const struct sonde_shared_place *p, const char *path, struct stat *info, bool *is_ours)
{
    char *bytes = NULL;
    size_t n = 0;
    int fd = sonde_below_open(path, p->named);
    if (fd < 0) return fd;
    int error = fstat(fd, info) < 0 ? -errno : sonde_read_descriptor(fd, REPORT_MAX, &bytes, &n);
    *is_ours = !error && n == strlen(p->worker) && memcmp(bytes, p->worker, n) == 0;
    close(fd);
    sonde_free(bytes);
    return error;
}

/* Sets its time by the clock of the file system. */
static int renew(struct sonde_shared_place *p, const char *path)
{
    int fd = sonde_below_open(path, p->named);
    if (fd < 0) return fd;
    int error = futimens(fd, NULL) < 0 ? -errno : 0;
    close(fd);
    if (error) error = sonde_folder_write(p, path, p->worker, strlen(p->worker), true);
    return error;
}

/* Whether it was not renewed for so long. A time that lies as far in the future is not one that a worker has renewed either:
 * the clock of the file system was set back. */
static bool has_lapsed(const struct sonde_shared_place *p, const struct stat *info)
{
    double now = sonde_folder_now(p);
    return now > 0 && fabs(now - sonde_folder_seconds(info->st_mtim)) >= SONDE_LEASE_SECONDS;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_mtim.tv_sec == b->st_mtim.tv_sec
           && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Removes the claim that was found to have lapsed; true if it was this worker that did. The claim is moved away before it is
 * looked at: if another worker has claimed the failure meanwhile, its claim is put back. */
static bool remove_lapsed(struct sonde_shared_place *p, const char *path, const struct stat *lapsed)
{
    struct stat moved;
    char *away = sonde_path("%s/claims/.%ld-%u.tmp", p->room, (long)getpid(), p->turn++), *bytes;
    size_t n;
    int error = sonde_below_move(path, away, p->named);
    bool is_it = !error && sonde_below_stat(away, p->named, &moved) == 0 && is_same_file(lapsed, &moved);
    if (!error && !is_it && sonde_below_read(away, p->named, REPORT_MAX, &bytes, &n) == 0) {
        sonde_below_create(path, p->named, bytes, n);
        sonde_free(bytes);
    }
    if (!error) sonde_below_remove(away, p->named);
    if (sonde_folder_cannot_rename(error)) is_it = sonde_below_remove(path, p->named) == 0;
    sonde_free(away);
    return is_it;
}

static int create_claim(const struct sonde_shared_place *p, const char *path)
{
    return sonde_below_create(path, p->named, p->worker, strlen(p->worker));
}

int sonde_folder_claim(struct sonde_shared_place *p, const char *id)
{
    char *folder = sonde_path("%s/claims", p->room), *path = sonde_path("%s/%s", folder, id);
    struct stat info;
    bool is_ours = false;
    int error = read_claim(p, path, &info, &is_ours), answer = 0;
    if (!error && is_ours) answer = renew(p, path) ? 0 : 1;
    else if (error == -ENOENT || (!error && has_lapsed(p, &info) && remove_lapsed(p, path, &info))) {
        error = create_claim(p, path);
        if (error == -ENOENT && !(error = sonde_below_make(folder, p->named))) error = create_claim(p, path);
        answer = error == -EEXIST ? 0 : error ? error : 1;
    } else answer = error;
    sonde_free(folder);
    sonde_free(path);
    return answer;
}

int sonde_folder_release(struct sonde_shared_place *p, const char *id)
{
    char *path = sonde_path("%s/claims/%s", p->room, id);
    struct stat info;
    bool is_ours;
    if (read_claim(p, path, &info, &is_ours) == 0 && is_ours) sonde_below_remove(path, p->named);
    sonde_free(path);
    return 0;
}
