/* Files below a directory that the user named, safe from what others may have put there.
 *
 * A path has two parts. Its first `named` bytes are what the user named; they may lead through links. The rest was
 * found in a directory or made from a name: each of its components is opened by openat with O_NOFOLLOW, ".." is
 * refused, and the descriptor of its directory is used from then on, so that a directory that is replaced meanwhile
 * leads nowhere else. If all of the path is named, the last component may be a link, too.
 *
 * Only regular files are read. Pipes and devices are not opened, and neither is anything in a file system by which the
 * kernel shows its state (/proc, /sys): a file there may hold the environment of this process.
 *
 * Every function returns 0 or a negative errno. -ELOOP: a symbolic link; -EINVAL: not a regular file, or a path with
 * ".."; -EXDEV (reading): in /proc, /sys or the like; -EFBIG: larger than `max`. sonde_below_reason words them. */
#ifndef SONDE_STORE_BELOW_H
#define SONDE_STORE_BELOW_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Names in a directory, sorted by their bytes, without those that start with a dot. */
enum { SONDE_NAMES_MAX = 1 << 17 };
struct sonde_names {
    char **names;
    uint32_t n, cap;
    bool is_cut; /* there are more than SONDE_NAMES_MAX */
};

/* Returns a descriptor for reading a regular file (close-on-exec). */
int sonde_below_open(const char *path, size_t named);
/* Reads a whole regular file of at most `max` bytes, which a NUL follows; sonde_free *bytes, which is NULL after an error. */
int sonde_below_read(const char *path, size_t named, size_t max, char **bytes, size_t *n);
/* Reads what an open file, pipe or device still has to give, at most `max` bytes; sonde_free *bytes. */
int sonde_read_descriptor(int fd, size_t max, char **bytes, size_t *n);
/* Fills *info as lstat does: a link below the named part is reported as a link. */
int sonde_below_stat(const char *path, size_t named, struct stat *info);
/* Opens a directory for readdir; NULL with *error set. */
DIR *sonde_below_opendir(const char *path, size_t named, int *error);
/* Lists a directory; clear *names in any case. */
int sonde_below_list(const char *path, size_t named, struct sonde_names *names);
void sonde_names_clear(struct sonde_names *names);

/* As mkdir -p. What counts is that the directory is there in the end. */
int sonde_below_make(const char *path, size_t named);
/* Writes a new file; -EEXIST if anything has that name. What could not be written whole is removed. */
int sonde_below_create(const char *path, size_t named, const char *bytes, size_t n);
/* Replaces a file, or makes one: a temporary file (.PID-TURN.tmp, O_EXCL) in its directory, then rename. A link of that
 * name is replaced, never written through. With is_lasting, file and directory are on disk when it returns. */
int sonde_below_write(const char *path, size_t named, const char *bytes, size_t n, unsigned *turn, bool is_lasting);
/* Renames over what is there, unless that is a directory. `named` holds for both paths. */
int sonde_below_move(const char *from, const char *to, size_t named);
/* Removes a name that is not a directory. */
int sonde_below_remove(const char *path, size_t named);
/* Brings a directory, not what its files hold, to disk. */
int sonde_below_sync(const char *path, size_t named);

/* Returns why a file was not used, in words that fit after "it is left out: ". */
const char *sonde_below_reason(int error);

#endif
