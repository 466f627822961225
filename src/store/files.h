/* Files that the user named, by their whole path: links are followed. Files that were found below such a path are
 * below.h's. Every function returns 0 or a negative errno.
 *
 * Writing: a temporary file in the same directory (.PID-N.tmp, created with O_EXCL), the bytes, fsync, rename, fsync
 * of the directory; `lightly` leaves out both fsyncs. A reader sees the old file or the new one, never a part. What
 * a process that was killed left behind is removed by the next run (sonde_remove_leftovers). */
#ifndef SONDE_STORE_FILES_H
#define SONDE_STORE_FILES_H

#include "store/below.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* printf into new memory; sonde_free it. */
char *sonde_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As mkdir -p: 0 if the folder is there in the end, whoever made it; else a negative errno. */
int sonde_make_directories(const char *path);

/* Under a temporary name in the same folder, to disk, then renamed. *turn tells apart what one process writes. */
int sonde_write_file(const char *path, const char *bytes, size_t n, unsigned *turn);
/* The same, but when it comes to disk is left to the system: fast, and safe from everything but the loss of power. */
int sonde_write_file_lightly(const char *path, const char *bytes, size_t n, unsigned *turn);
/* Reads the whole content; sonde_free it. Stops with -EFBIG beyond `max`. With only_regular, as sonde_below_read: pipes,
 * devices and files in /proc or /sys are refused. */
int sonde_read_file(const char *path, size_t max, bool only_regular, char **bytes, size_t *n);
/* Moves a file into another folder, over what is there. Both folders come to disk when the system likes. */
int sonde_move_file(const char *from, const char *to);
/* Brings a folder, not what its files hold, to disk. */
int sonde_sync_folder(const char *folder);

/* Lists a directory that the user named; clear *names in any case. */
int sonde_list_names(const char *directory, struct sonde_names *names);

/* Removes temporary files in a directory whose process has died, or that are older than an hour. The first `named`
 * bytes of the path may lead through links (below.h). */
void sonde_remove_leftovers(const char *directory, size_t named);

#endif
