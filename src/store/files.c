/* A temporary file is called .PID-TURN.tmp. It starts with a dot, so no reader takes it for a tape, and names the
 * process that writes it, so that the next run can tell what a dead one left. A process of another machine that shares
 * the folder may look dead from here; the writer therefore starts again when its file was taken away.
 *
 * The promise "whole or not there" rests on rename(2), which replaces a file atomically within one file
 * system: the temporary file is therefore made in the target's own folder. Durability needs three steps
 * in this order: fsync of the file, rename, fsync of the folder. Nothing here knows tapes. */
#include "store/files.h"

#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* OLD_SECONDS: after an hour a temporary file is garbage even if its process seems alive, because
 * process ids are used again. */
enum { ATTEMPTS = 4, OLD_SECONDS = 3600, OURS_SECONDS = 60 };

/* Twice: once to measure, once to write. Paths have no length limit of ours. */
char *sonde_path(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *path = sonde_malloc((size_t)n + 1);
    va_start(args, format);
    vsnprintf(path, (size_t)n + 1, format, args);
    va_end(args);
    return path;
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return sonde_strdup(".");
    return slash == path ? sonde_strdup("/") : sonde_path("%.*s", (int)(slash - path), path);
}

/* As mkdir -p. What counts is that there is a folder in the end, not who made it: other runs may be at it. */
int sonde_make_directories(const char *path)
{
    char *copy = sonde_strdup(path);
    int error = 0;
    for (char *at = copy + 1; *copy && !error; at++) {
        char c = *at;
        if (c && c != '/') continue;
        *at = '\0';
        if (mkdir(copy, 0777) < 0 && errno != EEXIST && errno != EISDIR) {
            error = -errno;
            if (access(copy, F_OK) == 0) error = 0; /* a read-only folder above it may refuse what is there already */
        }
        *at = c;
        if (!c) break;
    }
    struct stat info;
    if (!error && stat(path, &info) < 0) error = -errno;
    if (!error && !S_ISDIR(info.st_mode)) error = -ENOTDIR;
    sonde_free(copy);
    return error;
}

/* ---- Writing */

static int write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t written = write(fd, bytes, n);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return -errno;
        /* Cannot happen for regular files; without it a strange file system would make this loop
         * endless. */
        if (written == 0) return -EIO;
        bytes += written;
        n -= (size_t)written;
    }
    return 0;
}

/* Some file systems cannot; what they promise is then all there is. */
static int to_disk(int fd)
{
    return fsync(fd) < 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP ? -errno : 0;
}

int sonde_sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return 0; /* a folder that may be written but not read */
    int error = to_disk(fd);
    close(fd);
    return error;
}

static int write_new(const char *path, const char *bytes, size_t n, bool lasting)
{
    /* EXCL and NOFOLLOW: somebody else's file or link of that name is never written through. */
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) return -errno;
    int error = write_all(fd, bytes, n);
    if (!error && lasting) error = to_disk(fd);
    if (close(fd) < 0 && !error) error = -errno;
    /* A disk that is full must not also be littered. */
    if (error) unlink(path);
    return error;
}

/* 0 or a negative errno. Starts again under another name where that of the temporary file was taken, or where somebody has cleaned
 * it away; any other error is final. */
static int write_whole(const char *path, const char *bytes, size_t n, unsigned *turn, bool lasting)
{
    char *folder = folder_of(path);
    int error = 0;
    for (int i = 0; i < ATTEMPTS; i++) {
        char *temporary = sonde_path("%s/.%ld-%u.tmp", folder, (long)getpid(), (*turn)++);
        error = write_new(temporary, bytes, n, lasting);
        bool was_written = error == 0;
        if (was_written && rename(temporary, path) < 0) {
            error = -errno;
            unlink(temporary);
        }
        sonde_free(temporary);
        if (!error && lasting) error = sonde_sync_folder(folder);
        /* ENOENT after a successful write: another machine that shares the folder took it for a
         * leftover. */
        if (error != -EEXIST && !(was_written && error == -ENOENT)) break;
    }
    sonde_free(folder);
    return error;
}

int sonde_write_file(const char *path, const char *bytes, size_t n, unsigned *turn)
{
    return write_whole(path, bytes, n, turn, true);
}

int sonde_write_file_lightly(const char *path, const char *bytes, size_t n, unsigned *turn)
{
    return write_whole(path, bytes, n, turn, false);
}

int sonde_move_file(const char *from, const char *to)
{
    return rename(from, to) < 0 ? -errno : 0;
}

/* ---- Reading */

static int read_all(int fd, size_t max, char **bytes, size_t *n)
{
    uint32_t cap = 0;
    char *text = sonde_grow(NULL, &cap, 4096, 1);
    *n = 0;
    for (;;) {
        if (*n == cap) text = sonde_grow(text, &cap, *n + 1, 1);
        ssize_t got = read(fd, text + *n, cap - *n);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) break;
        int error = got < 0 ? -errno : 0;
        if (!error) *n += (size_t)got;
        if (!error && *n > max) error = -EFBIG;
        if (!error) continue;
        sonde_free(text);
        return error;
    }
    *bytes = text;
    return 0;
}

int sonde_read_file(const char *path, size_t max, bool only_regular, char **bytes, size_t *n)
{
    *bytes = NULL;
    *n = 0;
    /* NONBLOCK: opening a pipe without a writer would wait for ever. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (only_regular ? O_NONBLOCK : 0));
    if (fd < 0) return -errno;
    struct stat info;
    int error = fstat(fd, &info) < 0 ? -errno : 0;
    if (!error && S_ISDIR(info.st_mode)) error = -EISDIR;
    if (!error && only_regular && !S_ISREG(info.st_mode)) error = -EINVAL;
    if (!error) error = read_all(fd, max, bytes, n);
    close(fd);
    return error;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int sonde_list_names(const char *directory, struct sonde_names *names)
{
    *names = (struct sonde_names){0};
    DIR *folder = opendir(directory);
    if (!folder) return -errno;
    const struct dirent *entry;
    /* A folder with more files is read in part, in the order of readdir; the sorted order holds for
     * what was read. */
    while (names->n < SONDE_NAMES_MAX && (entry = readdir(folder))) {
        if (entry->d_name[0] == '.') continue;
        names->names = sonde_grow(names->names, &names->cap, (size_t)names->n + 1, sizeof *names->names);
        names->names[names->n++] = sonde_strdup(entry->d_name);
    }
    closedir(folder);
    if (names->n) qsort(names->names, names->n, sizeof *names->names, by_bytes);
    return 0;
}

void sonde_names_clear(struct sonde_names *names)
{
    for (uint32_t i = 0; i < names->n; i++) sonde_free(names->names[i]);
    sonde_free(names->names);
    *names = (struct sonde_names){0};
}

/* ---- Cleaning up */

/* The process in the name of a temporary file; 0 if it is not one of ours. */
static long writer_of(const char *name)
{
    char *end;
    if (name[0] != '.' || name[1] < '1' || name[1] > '9') return 0;
    errno = 0;
    long pid = strtol(name + 1, &end, 10);
    if (errno || *end != '-' || pid <= 0 || (long)(pid_t)pid != pid) return 0;
    if (end[1] < '0' || end[1] > '9') return 0;
    strtol(end + 1, &end, 10);
    return strcmp(end, ".tmp") == 0 ? pid : 0;
}

static bool is_older(const char *path, long seconds)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISREG(info.st_mode) && time(NULL) - info.st_mtime > seconds;
}

void sonde_remove_leftovers(const char *directory)
{
    DIR *folder = opendir(directory);
    if (!folder) return;
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        long pid = writer_of(entry->d_name);
        if (!pid) continue;
        char *path = sonde_path("%s/%s", directory, entry->d_name);
        /* Where every run starts with a fresh table of processes, ours may have the number of a dead one. */
        bool is_ours = pid == (long)getpid();
        /* EPERM means that it lives and is somebody else's. */
        bool is_dead = kill((pid_t)pid, 0) < 0 && errno == ESRCH;
        if (is_dead || is_older(path, is_ours ? OURS_SECONDS : OLD_SECONDS)) unlink(path);
        sonde_free(path);
    }
    closedir(folder);
}
