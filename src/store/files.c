/* Removing temporary files of dead processes, and walking a directory tree (files.h).
 *
 * A temporary file is called .PID-TURN.tmp. It starts with a dot, so readers do not take it for a tape. It names the
 * process that writes it, so that the next run can recognise the files of a dead process. A process on another machine
 * that shares the directory may look dead here; so a writer starts again when its file was removed. */
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

enum {
    /* a temporary file older than this is removed even if its process seems alive, since process ids are reused */
    OLD_SECONDS = 3600,
    OURS_SECONDS = 60, /* the same limit for a file named after the id of this process: no write takes so long */
};

/* Formats twice: first to measure, then to write. So paths have no length limit. */
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

int sonde_write_file_lightly(const char *path, const char *bytes, size_t n, unsigned *turn)
{
    return sonde_below_write(path, strlen(path), bytes, n, turn, false);
}

/* ---- Cleaning up */

/* Returns the process id in the name of a temporary file; 0 if the name is not of this form. */
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
        /* In a container every run may have the same process id, so a dead process may have had ours. */
        bool is_ours = pid == (long)getpid();
        /* EPERM means that the process is alive and belongs to another user. */
        bool is_dead = kill((pid_t)pid, 0) < 0 && errno == ESRCH;
        if (is_dead || is_older(dirfd(folder), entry->d_name, is_ours ? OURS_SECONDS : OLD_SECONDS))
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
}

/* ---- Trees: directories of regressions and of inputs. People arrange them as they like: in one directory, in one for
 * each property, or deeper. */

enum { DEPTH_MAX = 200 }; /* maximum depth of nested directories; a deeper tree was probably made to exhaust memory */

/* A directory that is being listed. */
struct sonde_listed {
    char *path;
    bool belongs; /* files in this directory belong to the property of the walk */
    struct sonde_names names;
    uint32_t next;
};

/* Lists a directory and makes it the innermost branch. */
static void enter(struct sonde_tree *t, const char *path, bool belongs)
{
    t->branches = sonde_grow(t->branches, &t->cap, (size_t)t->n + 1, sizeof *t->branches);
    struct sonde_listed *b = &t->branches[t->n];
    *b = (struct sonde_listed){.path = sonde_strdup(path), .belongs = belongs};
    t->error = t->n < DEPTH_MAX ? sonde_below_list(path, t->named, &b->names) : -ENAMETOOLONG;
    if (!t->error && b->names.is_cut) t->error = -EFBIG;
    t->n++;
}

static void leave(struct sonde_tree *t)
{
    struct sonde_listed *b = &t->branches[--t->n];
    sonde_names_clear(&b->names);
    sonde_free(b->path);
}

/* Returns whether a link leads to a directory. Such a link counts as a directory that cannot be listed: wanted files
 * may be below it. A link to a file is visited, and sonde_below_read refuses it. */
static bool leads_to_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* A directory that does not exist is reported like any other that cannot be read. */
void sonde_tree_begin(struct sonde_tree *t, const char *directory)
{
    t->named = strlen(directory);
    enter(t, directory, true);
}

/* A file directly in the named directory belongs to every property. Deeper, it belongs to a property only if a
 * directory on its path is named after the property. */
bool sonde_tree_next(struct sonde_tree *t, struct sonde_tree_file *file)
{
    while (t->n && !t->error) {
        struct sonde_listed *b = &t->branches[t->n - 1];
        if (b->next == b->names.n) {
            leave(t);
            continue;
        }
        const char *name = b->names.names[b->next++];
        struct stat info;
        sonde_free(t->path);
        t->path = sonde_path("%s/%s", b->path, name);
        int error = sonde_below_stat(t->path, t->named, &info);
        if (!error && S_ISDIR(info.st_mode)) {
            bool is_named = t->is_named_after && t->is_named_after(t->context, name);
            enter(t, t->path, is_named || (b->belongs && t->n > 1));
            continue;
        }
        bool is_link = !error && S_ISLNK(info.st_mode) && leads_to_directory(t->path);
        *file = (struct sonde_tree_file){.path = t->path, .belongs = b->belongs, .error = is_link ? -ELOOP : 0};
        return true;
    }
    if (!t->error) return false;
    *file = (struct sonde_tree_file){.path = t->branches[t->n - 1].path, .error = t->error};
    t->error = 0;
    return true;
}

void sonde_tree_end(struct sonde_tree *t)
{
    while (t->n) leave(t);
    sonde_free(t->branches);
    sonde_free(t->path);
}
