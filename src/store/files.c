/* A temporary file is called .PID-TURN.tmp. It starts with a dot, so no reader takes it for a tape, and names the
 * process that writes it, so that the next run can tell what a dead one left. A process of another machine that shares
 * the directory may look dead from here; the writer therefore starts again when its file was taken away. */
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
enum { OLD_SECONDS = 3600, OURS_SECONDS = 60 };

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

int sonde_make_directories(const char *path)
{
    return sonde_below_make(path, strlen(path));
}

int sonde_sync_folder(const char *folder)
{
    return sonde_below_sync(folder, strlen(folder));
}

int sonde_write_file(const char *path, const char *bytes, size_t n, unsigned *turn)
{
    return sonde_below_write(path, strlen(path), bytes, n, turn, true);
}

int sonde_write_file_lightly(const char *path, const char *bytes, size_t n, unsigned *turn)
{
    return sonde_below_write(path, strlen(path), bytes, n, turn, false);
}

int sonde_move_file(const char *from, const char *to)
{
    return rename(from, to) < 0 ? -errno : 0;
}

int sonde_read_file(const char *path, size_t max, bool only_regular, char **bytes, size_t *n)
{
    if (only_regular) return sonde_below_read(path, strlen(path), max, bytes, n);
    *bytes = NULL;
    *n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return -errno;
    int error = sonde_read_descriptor(fd, max, bytes, n);
    close(fd);
    return error;
}

int sonde_list_names(const char *directory, struct sonde_names *names)
{
    return sonde_below_list(directory, strlen(directory), names);
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

static bool is_older(int directory, const char *name, long seconds)
{
    struct stat info;
    return fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode)
           && time(NULL) - info.st_mtime > seconds;
}

void sonde_remove_leftovers(const char *directory, size_t named)
{
    int error;
    DIR *folder = sonde_below_opendir(directory, named, &error);
    if (!folder) return;
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        long pid = writer_of(entry->d_name);
        if (!pid) continue;
        /* Where every run starts with a fresh table of processes, ours may have the number of a dead one. */
        bool is_ours = pid == (long)getpid();
        /* EPERM means that it lives and belongs to another user. */
        bool is_dead = kill((pid_t)pid, 0) < 0 && errno == ESRCH;
        if (is_dead || is_older(dirfd(folder), entry->d_name, is_ours ? OURS_SECONDS : OLD_SECONDS))
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
}
