/* A directory as a shared location: on one machine, or on anything that can be mounted as a file system.
 *
 *     PATH/sonde-share                                     "sonde share 1": the version of this layout
 *     PATH/PROGRAM/PROPERTY/tapes/SS/NAME-KEYS.tape        SS: one of 64 parts, by the name; KEYS: 8 digits each
 *                           failures/ID.tape, ID.min.tape  a failure as it was found, and shrunk
 *                           claims/ID                      the worker that shrinks ID; time of the file: last renewal
 *                           workers/WORKER                 the last report of WORKER
 *     PATH/queue/, PATH/NAME/queue/                        queues of AFL++: read, never written
 *     PATH/FILE                                            files of libFuzzer or other programs: read, never written
 *
 * Each tape is one file, whole or missing: it is written under another name and renamed. Where a mount cannot rename,
 * the file is created under its final name by O_EXCL; its checksum tells a reader whether it is complete. Files are
 * never appended to or changed in place.
 *
 * Names alone show which tapes are new, so looking for tapes only lists the parts that have changed. All times come
 * from the file system. They are compared with the time that the file system gave to this worker's last report. A part
 * is skipped only if its time is unchanged and was older than the resolution of the coarsest clock. Once a minute all
 * parts are listed, for mounts that do not maintain the times of directories.
 *
 * This header declares what its files share: the state, the writer and the clock. The file of the same name has the
 * layout and tapes, folder_failures.c failures, folder_workers.c claims and reports. */
#ifndef SONDE_SHARE_FOLDER_H
#define SONDE_SHARE_FOLDER_H

#include "base/map.h"
#include "share/place.h"
#include "store/files.h"

#include <dirent.h>
#include <time.h>

/* number of directories that hold a property's tapes, so that looking for new tapes need not list all of them */
enum { SONDE_FOLDER_PARTS = 64 };

/* A directory of tapes, as it was last listed. */
struct sonde_folder_part {
    struct timespec changed;
    /* when the directory was listed, `changed` was already so old that any later change gives the directory another
     * time */
    bool is_quiet;
};

/* An open shared directory. */
struct sonde_shared_place {
    char *root, *directory, *worker; /* PATH, PATH/PROGRAM/PROPERTY, and the safe name of this worker */
    size_t named;                    /* bytes of `root`: the user vouches only for these (store/files.h) */
    bool is_read_only;
    int run; /* see sonde_place_setup */
    unsigned turn;
    struct sonde_folder_part parts[SONDE_FOLDER_PARTS];
    unsigned next_part;
    DIR *open_part;        /* the open part `next_part`, if the last visit could not read all of it */
    DIR *open_failures;    /* the open directory of failures, if the last visit could not read all of it */
    struct sonde_map seen; /* names of tapes that this worker has put or taken */
    struct sonde_map seen_foreign;
    struct sonde_map
        /* key: hash of the file's name; value: 1, or a hash of time and size if the file was unreadable */
        seen_failures;
    unsigned next_directory; /* index of the directory at which the search for queues continues */
    uint32_t left;           /* number of names that this visit may still read */
    double listed_all, looked_at_foreign, recounted;
    double reported, reported_there; /* time of this worker's last report: by our clock, and by the file system's */
};

/* Converts a time to seconds. */
static inline double sonde_folder_seconds(struct timespec t)
{
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Returns whether an error means that a mount cannot rename, as with some object stores. */
bool sonde_folder_cannot_rename(int error);
/* How to treat a file that exists already: replace it, keep it as equally good, or keep it and return -EEXIST. */
enum sonde_folder_old { SONDE_FOLDER_REPLACE, SONDE_FOLDER_LEAVE, SONDE_FOLDER_REFUSE };
/* Writes a whole file into a directory of the property, and creates the directory if needed. Where a mount cannot
 * rename, the file is created under its final name. */
int sonde_folder_write(struct sonde_shared_place *place, const char *directory, const char *name, const char *bytes,
                       size_t n, enum sonde_folder_old old);

/* Returns the time by the clock of the file system; 0 while this worker has not reported yet. */
double sonde_folder_now(const struct sonde_shared_place *place);

/* Implements the operations of a location for failures (folder_failures.c), claims and reports (folder_workers.c). */
int sonde_folder_put_failure(struct sonde_shared_place *place, const struct sonde_shared_failure *failure);
int sonde_folder_look_for_failures(struct sonde_shared_place *place, sonde_shared_failure_visit *visit, void *context);
int sonde_folder_claim(struct sonde_shared_place *place, const char *id);
int sonde_folder_release(struct sonde_shared_place *place, const char *id);
int sonde_folder_report(struct sonde_shared_place *place, const char *text);
int sonde_folder_each_worker(struct sonde_shared_place *place, sonde_worker_visit *visit, void *context);

#endif
