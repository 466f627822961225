/* Reading and writing files below a directory that the user named, protected against symbolic links, pipes and devices
 * in it.
 *
 * A path has two parts. The user named its first `named` bytes; they may contain links. The rest was found in a
 * directory or made from a name. Each component of the rest is opened by openat with O_NOFOLLOW, and ".." is refused.
 * From then on only the descriptor of the directory is used, so replacing the directory meanwhile has no effect. If the
 * user named the whole path, the last component may be a link too.
 *
 * Only regular files are read. Pipes and devices are not opened. Neither is anything in /proc, /sys and similar file
 * systems of the kernel: a file there may hold the environment of this process.
 *
 * Functions that return int return 0 (or a descriptor) or a negative errno. -ELOOP: a symbolic link. -EINVAL: not a
 * regular file, or a path with "..". -EXDEV (reading): in /proc, /sys or a similar file system. -EFBIG: larger than
 * `max`. sonde_below_reason turns these into words.
 *
 * The next run removes temporary files of a process that was killed while writing (sonde_remove_leftovers). */
#ifndef SONDE_STORE_FILES_H
#define SONDE_STORE_FILES_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Formats a string as printf does, in new memory that the caller frees with sonde_free. */
char *sonde_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

enum { SONDE_NAMES_MAX = 1 << 17 }; /* maximum number of names read from one directory: bounds time and memory */

/* The names in a directory, sorted by their bytes, without names that start with a dot. */
struct sonde_names {
    char **names;
    uint32_t n, cap;
    bool is_cut; /* the directory has more than SONDE_NAMES_MAX names */
};

/* Returns a descriptor for reading a regular file (close-on-exec). */
int sonde_below_open(const char *path, size_t named);
/* Reads a whole regular file of at most `max` bytes and appends a NUL. The caller frees *bytes with sonde_free; it is
 * NULL after an error. */
int sonde_below_read(const char *path, size_t named, size_t max, char **bytes, size_t *n);
/* Fills *info as lstat does: a link below the part that the user named is reported as a link. */
int sonde_below_stat(const char *path, size_t named, struct stat *info);
/* Opens a directory for readdir; the caller closes it. Returns NULL and sets *error if that fails. */
DIR *sonde_below_opendir(const char *path, size_t named, int *error);
/* Lists a directory. The caller clears *names in any case. */
int sonde_below_list(const char *path, size_t named, struct sonde_names *names);
/* Frees the names. */
void sonde_names_clear(struct sonde_names *names);

/* Creates a directory and its parents, as mkdir -p. Succeeds if the directory exists in the end. */
int sonde_below_make(const char *path, size_t named);
/* Writes a new file. Returns -EEXIST if a file or directory of that name exists. Removes the file again if it could
 * not be written completely. */
int sonde_below_create(const char *path, size_t named, const char *bytes, size_t n);
/* Replaces a file, or creates one: writes a temporary file (.PID-TURN.tmp, O_EXCL) in its directory, then renames it.
 * A link of that name is replaced, never written through. With is_lasting, file and directory have been synced to disk
 * when the function returns. */
int sonde_below_write(const char *path, size_t named, const char *bytes, size_t n, unsigned *turn, bool is_lasting);
/* Renames a file. Replaces whatever has the new path, unless that is a directory. The user named the first `named`
 * bytes of both paths. */
int sonde_below_move(const char *from, const char *to, size_t named);
/* Removes a file or a link, but not a directory. */
int sonde_below_remove(const char *path, size_t named);
/* Syncs a directory to disk, but not the contents of its files. */
int sonde_below_sync(const char *path, size_t named);

/* Returns the reason why a file was not used, in words that fit after "it is left out: ". The string is static. */
const char *sonde_below_reason(int error);

/* Removes temporary files in a directory whose process has died, or that are older than an hour. */
void sonde_remove_leftovers(const char *directory, size_t named);

/* ---- Paths that the user named as a whole: links are followed. */

/* Creates a directory and its parents, as mkdir -p. */
int sonde_make_directories(const char *path);
/* Writes a file as sonde_below_write does, without syncing it: fast, but the file may be lost in a power failure. */
int sonde_write_file_lightly(const char *path, const char *bytes, size_t n, unsigned *turn);
/* Reads a file as sonde_below_read does. Unless only_regular, also reads pipes, devices and files in /proc or /sys. */
int sonde_read_file(const char *path, size_t max, bool only_regular, char **bytes, size_t *n);

/* ---- Files in a directory and below it, in the order of their names. */

/* A walk over the files of a directory tree, for one property. A file belongs to the property if a directory on
 * its path is named after the property, or if the file is in `directory` itself. Links below `directory` are not
 * followed. Read the files by sonde_below_read with `named`, which refuses links, pipes and devices. */
struct sonde_tree {
    /* returns whether a directory is named after the property; NULL: none is */
    bool (*is_named_after)(void *context, const char *folder);
    void *context;
    size_t named;
    struct sonde_listed *branches; /* the directories that are being listed; each is inside the previous one */
    uint32_t n, cap;
    char *path; /* path of the last file */
    int error;  /* error while listing the last branch, not yet reported */
};
/* The result of one step of a walk: a file, or a directory with an error. */
struct sonde_tree_file {
    const char *path; /* borrowed until the next call of sonde_tree_next */
    bool belongs;
    /* 0 for a file; otherwise `path` is a directory that cannot be listed completely; -ELOOP: a link to a directory */
    int error;
};

/* Starts a walk. The caller sets is_named_after and context before, and the other members to zero. */
void sonde_tree_begin(struct sonde_tree *tree, const char *directory);
/* Fills `file` with the next file, or with a directory that has an error; returns false at the end. */
bool sonde_tree_next(struct sonde_tree *tree, struct sonde_tree_file *file);
/* Frees the memory of the walk, whether or not the walk has reached its end. */
void sonde_tree_end(struct sonde_tree *tree);

#endif
