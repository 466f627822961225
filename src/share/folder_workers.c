/* Workers of a shared directory: their reports, and their claims on failures. All times are compared with
 * times of the same file system: the clocks of hosts differ, and any of them may be set. */
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
    WORKERS_MAX = 10000, /* maximum number of reports that are read for an overview */
    REPORT_MAX = 1 << 12 /* maximum size of a report, or of a claim, in bytes */
};

/* ---- Reports */

double sonde_folder_now(const struct sonde_shared_place *p)
{
    return p->reported_there > 0 ? p->reported_there + (sonde_clock_now() - p->reported) : 0;
}

int sonde_folder_report(struct sonde_shared_place *p, const char *text)
{
    struct stat info;
    int error = sonde_folder_write(p, "workers", p->worker, text, strlen(text), SONDE_FOLDER_REPLACE);
    if (error) return error;
    char *path = sonde_path("%s/workers/%s", p->directory, p->worker);
    if (sonde_below_stat(path, p->named, &info) == 0) {
        p->reported = sonde_clock_now();
        p->reported_there = sonde_folder_seconds(info.st_mtim);
    }
    sonde_free(path);
    return 0;
}

/* Returns the time by the clock of the file system. A tool has not reported there, so it creates a file, reads its
 * time and removes it. If it may not write, it uses our clock. */
static double ask_time(struct sonde_shared_place *p)
{
    struct stat info;
    struct timespec clock;
    if (p->reported_there > 0) return sonde_folder_now(p);
    clock_gettime(CLOCK_REALTIME, &clock);
    char *path = sonde_path("%s/workers/.%ld-%u.tmp", p->directory, (long)getpid(), p->turn++);
    if (sonde_below_create(path, p->named, "", 0) == 0) {
        if (sonde_below_stat(path, p->named, &info) == 0) clock = info.st_mtim;
        sonde_below_remove(path, p->named);
    }
    sonde_free(path);
    return sonde_folder_seconds(clock);
}

/* Reads a short file and its times, which may be older than the contents, but never newer. The caller frees the
 * contents with sonde_free. */
static int read_timed(const struct sonde_shared_place *p, const char *path, struct stat *info, char **text)
{
    size_t n;
    int error = sonde_below_stat(path, p->named, info);
    return error ? error : sonde_below_read(path, p->named, REPORT_MAX, text, &n);
}

int sonde_folder_each_worker(struct sonde_shared_place *p, sonde_worker_visit *visit, void *context)
{
    char *folder = sonde_path("%s/workers", p->directory);
    struct sonde_names names;
    int error = sonde_below_list(folder, p->named, &names);
    double now = names.n ? ask_time(p) : 0;
    for (uint32_t i = 0; i < names.n && i < WORKERS_MAX; i++) {
        char *path = sonde_path("%s/%s", folder, names.names[i]), *text;
        struct stat info;
        if (read_timed(p, path, &info, &text) == 0) {
            /* A time in the future counts as old, not as new: the clock was set back. */
            visit(context, text, fabs(now - sonde_folder_seconds(info.st_mtim)));
            sonde_free(text);
        }
        sonde_free(path);
    }
    sonde_names_clear(&names);
    sonde_free(folder);
    return error == -ENOENT ? 0 : error;
}

/* ---- Claims */

/* Returns whether a claim was not renewed for SONDE_LEASE_SECONDS. A claim whose time is that far in the future has
 * lapsed too: the clock of the file system was set back. */
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

/* Removes a lapsed claim; returns true if this worker removed it. Moves the claim away before checking it again: if
 * another worker has claimed the failure meanwhile, its claim is put back. */
static bool remove_lapsed(struct sonde_shared_place *p, const char *path, const struct stat *lapsed)
{
    struct stat moved;
    char *away = sonde_path("%s/claims/.%ld-%u.tmp", p->directory, (long)getpid(), p->turn++), *bytes;
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

/* Returns whether this worker holds a claim, and gets the times of its file. */
static bool is_ours(const struct sonde_shared_place *p, const char *path, struct stat *info, int *error)
{
    char *text = NULL;
    *error = read_timed(p, path, info, &text);
    bool is_it = !*error && !strcmp(text, p->worker);
    sonde_free(text);
    return is_it;
}

/* Renews a claim by writing it again, so that the file system sets its time. */
int sonde_folder_claim(struct sonde_shared_place *p, const char *id)
{
    char *path = sonde_path("%s/claims/%s", p->directory, id);
    struct stat info;
    int error;
    bool was_ours = is_ours(p, path, &info, &error);
    bool is_free = was_ours || error == -ENOENT || (!error && has_lapsed(p, &info) && remove_lapsed(p, path, &info));
    if (is_free)
        error = sonde_folder_write(p, "claims", id, p->worker, strlen(p->worker),
                                   was_ours ? SONDE_FOLDER_REPLACE : SONDE_FOLDER_REFUSE);
    sonde_free(path);
    if (error == -EEXIST || (error && was_ours)) return 0;
    return error ? error : is_free;
}

int sonde_folder_release(struct sonde_shared_place *p, const char *id)
{
    char *path = sonde_path("%s/claims/%s", p->directory, id);
    struct stat info;
    int error;
    if (is_ours(p, path, &info, &error)) sonde_below_remove(path, p->named);
    sonde_free(path);
    return 0;
}
