/* Files: whole or not there. What the store asks of the system, and nothing about tapes. Every function returns 0 or a
 * negative errno.
 *
 * Writing: a temporary file in the same folder (.PID-N.tmp, created with O_EXCL), the bytes, fsync, rename, fsync
 * of the folder; `lightly` leaves out both fsyncs. A reader sees the old file or the new one, never a part. What
 * a process that was killed left behind is removed by the next run (sonde_remove_leftovers). */
#ifndef SONDE_STORE_FILES_H
#define SONDE_STORE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* printf into memory of its own; sonde_free it. */
char *sonde_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As mkdir -p: 0 if the folder is there in the end, whoever made it; else a negative errno. */
int sonde_make_directories(const char *path);

/* Under a temporary name in the same folder, to disk, then renamed. *turn tells apart what one process writes. */
int sonde_write_file(const char *path, const char *bytes, size_t n, unsigned *turn);
/* The same, but when it comes to disk is left to the system: fast, and safe from everything but the loss of power. */
int sonde_write_file_lightly(const char *path, const char *bytes, size_t n, unsigned *turn);
/* The whole content; sonde_free it. Stops with -EFBIG beyond `max`. With only_regular, a pipe or device is -EINVAL and
 * never waited for. */
int sonde_read_file(const char *path, size_t max, bool only_regular, char **bytes, size_t *n);
/* Moves a file into another folder, over what is there. Both folders come to disk when the system likes. */
int sonde_move_file(const char *from, const char *to);
/* Brings a folder, not what its files hold, to disk. */
int sonde_sync_folder(const char *folder);

/* Names of a folder, sorted by their bytes, at most SONDE_NAMES_MAX; those that start with a dot are left out. */
enum { SONDE_NAMES_MAX = 1 << 17 };
struct sonde_names {
    char **names;
    uint32_t n, cap;
};
/* Sorted by bytes, without those that begin with a dot; at most SONDE_NAMES_MAX. 0 or negative errno;
 * in any case *names may be cleared. */
int sonde_list_names(const char *directory, struct sonde_names *names);
void sonde_names_clear(struct sonde_names *names);

/* Removes temporary files in a folder whose process has died, or that are older than an hour. */
void sonde_remove_leftovers(const char *directory);

#endif
