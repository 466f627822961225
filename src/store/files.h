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
 * ".."; -EXDEV (reading): in /proc, /sys or the like; -EFBIG: larger than `max`. sonde_below_reason words them.
 *
 * What a process that was killed while writing left behind is removed by the next run (sonde_remove_leftovers). */
#ifndef SONDE_STORE_FILES_H
#define SONDE_STORE_FILES_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* printf into new memory; sonde_free it. */
char *sonde_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

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

/* Removes temporary files in a directory whose process has died, or that are older than an hour. */
void sonde_remove_leftovers(const char *directory, size_t named);

/* ---- Paths that the user named as a whole: links are followed. */

/* As mkdir -p. */
int sonde_make_directories(const char *path);
/* As sonde_below_write; when it comes to disk is left to the system: fast, and safe from everything but the loss of power. */
int sonde_write_file_lightly(const char *path, const char *bytes, size_t n, unsigned *turn);
/* As sonde_below_read; unless only_regular, pipes, devices and files in /proc or /sys are read as well. */
int sonde_read_file(const char *path, size_t max, bool only_regular, char **bytes, size_t *n);

/* ---- Files in a directory and in those below it, in the order of their names. */

/* A walk. A file belongs to the property that is meant if a directory on the way to it is named after the property, or if the
 * file stands in `directory` itself. Links below `directory` are not followed. Read the files by sonde_below_read with `named`,
 * which refuses links, pipes and devices. */
struct sonde_tree {
    bool (*is_named_after)(void *context, const char *folder); /* the property; NULL: no property is meant */
    void *context;
    size_t named;
    struct sonde_branch *branches; /* directories that are being listed, each in the one before it */
    uint32_t n, cap;
    char *path; /* of the last file */
    int error;  /* of the last branch, not reported yet */
};
struct sonde_tree_file {
    const char *path; /* borrowed until the next step */
    bool belongs;
    int error; /* instead of a file: a directory that cannot be listed, or not to its end; -ELOOP: a link to a directory */
};

void sonde_tree_begin(struct sonde_tree *tree, const char *directory);
/* Returns false at the end. */
bool sonde_tree_next(struct sonde_tree *tree, struct sonde_tree_file *file);
/* At the end, or before it. */
void sonde_tree_end(struct sonde_tree *tree);

#endif
