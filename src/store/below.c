#define _GNU_SOURCE /* O_PATH */
/* See files.h. Each call resolves the path again, by descriptors. That costs a few system calls per component, but no
 * descriptor stays open that a worker would inherit.
 *
 * sonde_below_write promises that a file is whole or missing. This relies on rename(2), which replaces a file
 * atomically within one file system, so the temporary file is created in the target's directory. Durability needs
 * three steps in this order: fsync of the file, rename, fsync of the directory. */
#include "store/files.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { ATTEMPTS = 4 }; /* number of attempts to write a file, each under another temporary name */

/* A resolved path: an open directory and a name in it. */
struct entry {
    int directory; /* descriptor of the directory; AT_FDCWD if the user named the whole path */
    const char *name;
    int nofollow; /* O_NOFOLLOW, or 0 for a name that may be a link */
};

/* ---- Resolving */

/* Returns whether a file is in a file system that shows the state of the kernel or of a process: linux/magic.h. */
static bool is_of_the_kernel(int fd)
{
    static const unsigned long magic[] = {0x9fa0 /* proc */,
                                          0x62656572 /* sysfs */,
                                          0x64626720 /* debugfs */,
                                          0x74726163 /* tracefs */,
                                          0x27e0eb /* cgroup */,
                                          0x63677270 /* cgroup2 */,
                                          0xcafe4a11 /* bpf */,
                                          0x62656570 /* configfs */,
                                          0xde5e81e4 /* efivar */,
                                          0x73636673 /* securityfs */,
                                          0xf97cff8c /* selinux */};
    struct statfs info;
    if (fstatfs(fd, &info) < 0) return false;
    for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
        if (((unsigned long)info.f_type & 0xffffffffUL) == magic[i]) return true;
    return false;
}

static bool is_link(int directory, const char *name)
{
    struct stat info;
    return fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
}

/* Opens the directory `name` (n bytes) in the directory `from`; with `makes`, creates it first. Returns a descriptor or
 * an error. */
static int enter(int from, const char *name, size_t n, bool makes)
{
    char part[NAME_MAX + 1];
    if (n > NAME_MAX) return -ENAMETOOLONG;
    memcpy(part, name, n);
    part[n] = '\0';
    if (strcmp(part, "..") == 0) return -EINVAL;
    /* A read-only parent may refuse to create a directory that exists already: openat decides. */
    int refused = makes && mkdirat(from, part, 0777) < 0 && errno != EEXIST ? errno : 0;
    int fd = openat(from, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) return fd;
    if (errno == ENOENT && refused) return -refused;
    int error = -errno;
    return error == -ENOTDIR && is_link(from, part) ? -ELOOP : error;
}

/* Opens the directory that the user named; follows links. */
static int enter_named(const char *path, size_t named)
{
    char *copy = sonde_malloc(named + 2);
    memcpy(copy, path, named);
    strcpy(copy + named, named ? "" : ".");
    int fd = open(copy, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int error = -errno;
    sonde_free(copy);
    return fd < 0 ? error : fd;
}

/* Opens the components from `at` to `end` one after the other, beginning in *fd. Then *fd is the last of them, and all
 * others are closed. After an error *fd is closed too. */
static int descend(int *fd, const char *at, const char *end, bool makes)
{
    while (at < end) {
        size_t n = 0;
        while (at + n < end && at[n] != '/') n++;
        if (n && !(n == 1 && *at == '.')) {
            int inner = enter(*fd, at, n, makes);
            close(*fd);
            if (inner < 0) return inner;
            *fd = inner;
        }
        at += n + 1;
    }
    return 0;
}

/* Resolves a path: opens the directory that holds its last component. The caller closes `entry` with close_entry(). */
static int resolve(const char *path, size_t named, struct entry *entry)
{
    size_t n = strlen(path);
    if (named >= n) {
        *entry = (struct entry){AT_FDCWD, path, 0};
        return 0;
    }
    const char *slash = strrchr(path + named, '/');
    const char *last = slash ? slash + 1 : path + named;
    if (!*last || !strcmp(last, ".") || !strcmp(last, "..")) return -EINVAL;
    int fd = enter_named(path, named);
    if (fd < 0) return fd;
    int error = descend(&fd, path + named, last, false);
    if (error) return error;
    *entry = (struct entry){fd, last, O_NOFOLLOW};
    return 0;
}

static void close_entry(const struct entry *entry)
{
    if (entry->directory >= 0) close(entry->directory);
}

/* Opens a directory for listing or for fsync. */
static int open_directory(const char *path, size_t named, bool makes)
{
    size_t n = strlen(path);
    if (named > n) named = n;
    int fd = enter_named(path, named), error;
    if (fd < 0) return fd;
    if ((error = descend(&fd, path + named, path + n, makes))) return error;
    int readable = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    error = -errno;
    close(fd);
    return readable < 0 ? error : readable;
}

/* ---- Reading */

int sonde_below_stat(const char *path, size_t named, struct stat *info)
{
    struct entry entry;
    int error = resolve(path, named, &entry);
    if (error) return error;
    if (fstatat(entry.directory, entry.name, info, entry.nofollow ? AT_SYMLINK_NOFOLLOW : 0) < 0) error = -errno;
    close_entry(&entry);
    return error;
}

static int check_kind(const struct stat *info)
{
    if (S_ISREG(info->st_mode)) return 0;
    return S_ISLNK(info->st_mode) ? -ELOOP : S_ISDIR(info->st_mode) ? -EISDIR : -EINVAL;
}

/* Opens a regular file for reading. Checks the kind of the file before opening it, since opening a device may have
 * effects. Checks it again afterwards, since the file may have been replaced meanwhile. O_NONBLOCK: if a pipe replaced
 * the file, opening the pipe does not wait. */
static int open_regular(const struct entry *entry)
{
    struct stat info;
    if (fstatat(entry->directory, entry->name, &info, entry->nofollow ? AT_SYMLINK_NOFOLLOW : 0) < 0) return -errno;
    int error = check_kind(&info);
    if (error) return error;
    int fd = openat(entry->directory, entry->name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | entry->nofollow);
    if (fd < 0) return -errno;
    error = fstat(fd, &info) < 0 ? -errno : check_kind(&info);
    if (!error && is_of_the_kernel(fd)) error = -EXDEV;
    if (error) close(fd);
    return error ? error : fd;
}

int sonde_below_open(const char *path, size_t named)
{
    struct entry entry;
    int error = resolve(path, named, &entry);
    if (error) return error;
    int fd = open_regular(&entry);
    close_entry(&entry);
    return fd;
}

/* Reads a file to its end. Asks for one byte more than st_size, to see the end; a file that grows is read up to
 * `max`. */
static int read_descriptor(int fd, size_t max, char **bytes, size_t *n)
{
    struct stat info;
    *bytes = NULL;
    *n = 0;
    if (fstat(fd, &info) < 0) return -errno;
    if (info.st_size < 0 || (uintmax_t)info.st_size > max) return -EFBIG;
    uint32_t cap = 0;
    char *text = sonde_grow(NULL, &cap, (size_t)info.st_size + 1, 1);
    for (;;) {
        if (*n == cap) text = sonde_grow(text, &cap, *n + 1, 1);
        ssize_t got = read(fd, text + *n, cap - *n);
        if (got < 0 && errno == EINTR) continue;
        int error = got < 0 ? -errno : *n + (size_t)got > max ? -EFBIG : 0;
        if (error) {
            sonde_free(text);
            *n = 0;
            return error;
        }
        if (got == 0) break;
        *n += (size_t)got;
    }
    text[*n] = '\0'; /* there is room for the NUL: the last read had asked for more bytes than were left */
    *bytes = text;
    return 0;
}

int sonde_below_read(const char *path, size_t named, size_t max, char **bytes, size_t *n)
{
    *bytes = NULL;
    *n = 0;
    int fd = sonde_below_open(path, named);
    if (fd < 0) return fd;
    int error = read_descriptor(fd, max, bytes, n);
    close(fd);
    return error;
}

int sonde_read_file(const char *path, size_t max, bool only_regular, char **bytes, size_t *n)
{
    if (only_regular) return sonde_below_read(path, strlen(path), max, bytes, n);
    *bytes = NULL;
    *n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return -errno;
    int error = read_descriptor(fd, max, bytes, n);
    close(fd);
    return error;
}

DIR *sonde_below_opendir(const char *path, size_t named, int *error)
{
    int fd = open_directory(path, named, false);
    *error = fd < 0 ? fd : is_of_the_kernel(fd) ? -EXDEV : 0;
    DIR *directory = *error ? NULL : fdopendir(fd);
    if (!directory && !*error) *error = -errno;
    if (!directory && fd >= 0) close(fd);
    return directory;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int sonde_below_list(const char *path, size_t named, struct sonde_names *names)
{
    int error;
    *names = (struct sonde_names){0};
    DIR *directory = sonde_below_opendir(path, named, &error);
    if (!directory) return error;
    const struct dirent *entry;
    while ((entry = readdir(directory))) {
        if (entry->d_name[0] == '.') continue;
        if ((names->is_cut = names->n == SONDE_NAMES_MAX)) break;
        names->names = sonde_grow(names->names, &names->cap, (size_t)names->n + 1, sizeof *names->names);
        names->names[names->n++] = sonde_strdup(entry->d_name);
    }
    closedir(directory);
    if (names->n) qsort(names->names, names->n, sizeof *names->names, by_bytes);
    return 0;
}

void sonde_names_clear(struct sonde_names *names)
{
    for (uint32_t i = 0; i < names->n; i++) sonde_free(names->names[i]);
    sonde_free(names->names);
    *names = (struct sonde_names){0};
}

/* ---- Writing */

static int write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t written = write(fd, bytes, n);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return -errno;
        /* a write of 0 bytes does not happen for regular files; without this check the loop would never end */
        if (written == 0) return -EIO;
        bytes += written;
        n -= (size_t)written;
    }
    return 0;
}

/* Syncs a descriptor. Some file systems cannot sync: that is not an error. */
static int to_disk(int fd)
{
    return fsync(fd) < 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP ? -errno : 0;
}

/* Writes a new file. O_EXCL and O_NOFOLLOW: never writes to another file or through a link of that name. */
static int write_new(int directory, const char *name, const char *bytes, size_t n, bool is_lasting)
{
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) return -errno;
    int error = write_all(fd, bytes, n);
    if (!error && is_lasting) error = to_disk(fd);
    if (close(fd) < 0 && !error) error = -errno;
    if (error) unlinkat(directory, name, 0); /* leaves no partial file on a full disk */
    return error;
}

int sonde_below_create(const char *path, size_t named, const char *bytes, size_t n)
{
    struct entry entry;
    int error = resolve(path, named, &entry);
    if (error) return error;
    error = write_new(entry.directory, entry.name, bytes, n, false);
    close_entry(&entry);
    return error;
}

/* Replaces a file by rename. Tries another temporary name if the first is taken (EEXIST). Also does so if another
 * machine that shares the directory removed the file as a leftover (ENOENT after a successful write). Other errors are
 * final. */
static int replace(int directory, const char *name, const char *bytes, size_t n, unsigned *turn, bool is_lasting)
{
    int error = 0;
    for (int i = 0; i < ATTEMPTS; i++) {
        char temporary[64];
        snprintf(temporary, sizeof temporary, ".%ld-%u.tmp", (long)getpid(), (*turn)++);
        error = write_new(directory, temporary, bytes, n, is_lasting);
        bool was_written = error == 0;
        if (was_written && renameat(directory, temporary, directory, name) < 0) {
            error = -errno;
            unlinkat(directory, temporary, 0);
        }
        if (error != -EEXIST && !(was_written && error == -ENOENT)) break;
    }
    return error;
}

static int sync_directory(int directory)
{
    int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return 0; /* the directory may be writable but not readable */
    int error = to_disk(fd);
    close(fd);
    return error;
}

/* Returns the length of the parent directory in a path. Used if the user named the whole path, so that writing replaces
 * its last component even if that is a link. */
static size_t parent_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !slash ? 0 : slash == path ? 1 : (size_t)(slash - path);
}

int sonde_below_write(const char *path, size_t named, const char *bytes, size_t n, unsigned *turn, bool is_lasting)
{
    struct entry entry;
    int error = resolve(path, named < strlen(path) ? named : parent_of(path), &entry);
    if (error) return error;
    error = replace(entry.directory, entry.name, bytes, n, turn, is_lasting);
    if (!error && is_lasting) error = sync_directory(entry.directory);
    close_entry(&entry);
    return error;
}

/* Makes the directories that the user named, as mkdir -p does: links are followed. */
static int make_named(char *path)
{
    int error = 0;
    for (char *at = path + 1; *path && !error; at++) {
        char c = *at;
        if (c && c != '/') continue;
        *at = '\0';
        if (mkdir(path, 0777) < 0 && errno != EEXIST && errno != EISDIR) {
            error = -errno;
            if (access(path, F_OK) == 0) error = 0; /* a read-only parent may refuse a directory that exists */
        }
        *at = c;
        if (!c) break;
    }
    return error;
}

int sonde_below_make(const char *path, size_t named)
{
    char *copy = sonde_strdup(path);
    if (named < strlen(copy)) copy[named] = '\0';
    int error = make_named(copy);
    sonde_free(copy);
    if (error) return error;
    int fd = open_directory(path, named, true);
    /* A directory that cannot be read may exist nevertheless. */
    if (fd == -EACCES) {
        struct stat info;
        error = sonde_below_stat(path, named, &info);
        return error == -ENOENT ? -EACCES : error ? error : S_ISDIR(info.st_mode) ? 0 : -ENOTDIR;
    }
    if (fd < 0) return fd;
    close(fd);
    return 0;
}

int sonde_below_move(const char *from, const char *to, size_t named)
{
    struct entry old, new;
    int error = resolve(from, named, &old);
    if (error) return error;
    if (!(error = resolve(to, named, &new))) {
        if (renameat(old.directory, old.name, new.directory, new.name) < 0) error = -errno;
        close_entry(&new);
    }
    close_entry(&old);
    return error;
}

int sonde_below_remove(const char *path, size_t named)
{
    struct entry entry;
    int error = resolve(path, named, &entry);
    if (error) return error;
    if (unlinkat(entry.directory, entry.name, 0) < 0) error = -errno;
    close_entry(&entry);
    return error;
}

int sonde_below_sync(const char *path, size_t named)
{
    int fd = open_directory(path, named, false);
    if (fd < 0) return 0; /* the directory may be writable but not readable */
    int error = to_disk(fd);
    close(fd);
    return error;
}

const char *sonde_below_reason(int error)
{
    switch (error) {
    case -ELOOP: return "it is a symbolic link, and links below the directory that was named are not followed";
    case -EINVAL: return "it is not a regular file";
    case -EXDEV: return "it is in /proc, /sys or another file system of the kernel";
    case -EFBIG: return "it is too large";
    case -EISDIR: return "it is a directory";
    default: return strerror(-error);
    }
}
