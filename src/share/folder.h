/* A folder as a place to share: on one machine, or on whatever mounts as a file system.
 *
 *     PATH/sonde-share                                     "sonde share 1": the version of what lies here
 *     PATH/PROGRAM/PROPERTY/tapes/SS/NAME-KEYS.tape        SS: one of 64 parts, by the name; KEYS: 8 digits each
 *                           failures/ID.tape, ID.min.tape  as it was found, and shrunk
 *                           claims/ID                      who shrinks it; as old as its last renewal
 *                           workers/WORKER                 what it last said
 *     PATH/queue/, PATH/NAME/queue/                        AFL++'s: read, never written
 *     PATH/FILE                                            libFuzzer's, or anybody's: read, never written
 *
 * One file per tape, whole or not there: written under another name and renamed. Where a mount cannot rename, it is created
 * under its own name by O_EXCL; the checksum in it tells a reader that it is not all there yet. Nothing is ever appended to,
 * and nothing is changed in place.
 *
 * What would be new is told from names alone, so a look costs the listing of those parts that have changed. Times are those
 * that the file system gives, compared with the one it gave to this worker's own last word. A part is passed over only
 * if it is as old as it was and had been quiet for longer than the coarsest clocks count; and once a minute all are
 * listed, for mounts that do not keep the times of folders.
 *
 * This header is what its files share: its state, its writer and its clock. folder.c has locations and tapes,
 * folder_failures.c failures, folder_workers.c claims and reports. */
#ifndef SONDE_SHARE_FOLDER_H
#define SONDE_SHARE_FOLDER_H

#include "base/map.h"
#include "share/place.h"
#include "store/files.h"

#include <dirent.h>
#include <time.h>

enum { SONDE_FOLDER_PARTS = 64 };

struct sonde_folder_part {
    struct timespec changed;
    bool is_quiet; /* it was not changed for so long that its time would tell */
};

struct sonde_shared_place {
    char *root, *room, *worker;
    size_t named; /* bytes of `root`: what lies below is not the user's to vouch for */
    bool is_read_only;
    int run; /* see sonde_place_setup */
    unsigned turn;
    struct sonde_folder_part parts[SONDE_FOLDER_PARTS];
    unsigned next_part;
    DIR *open_part;        /* the part `next_part`, if the last visit could not read all of it */
    DIR *open_failures;    /* the same for failures */
    struct sonde_map seen; /* names of tapes */
    struct sonde_map seen_foreign;
    struct sonde_map
        seen_failures;       /* by the hash of the file's name: 1, or a hash of the state in which it was unreadable */
    unsigned next_directory; /* where the search for queues continues */
    uint32_t left;           /* names that this visit may still read */
    double listed_all, looked_at_foreign, recounted;
    double spoke, spoke_there; /* when this worker last reported: by our clock, and by the file system's */
};

static inline double sonde_folder_seconds(struct timespec t)
{
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Whether a mount refused to rename: some object stores that are mounted cannot. */
bool sonde_folder_cannot_rename(int error);
/* What becomes of a file that is there already: it is replaced; it is left, as good as the new one; it is left (-EEXIST). */
enum sonde_folder_old { SONDE_FOLDER_REPLACE, SONDE_FOLDER_LEAVE, SONDE_FOLDER_REFUSE };
/* Writes a file whole into a directory of the property, which is made if it is missing. Where a mount cannot rename, the file is
 * created under its own name. */
int sonde_folder_write(struct sonde_shared_place *place, const char *directory, const char *name, const char *bytes,
                       size_t n, enum sonde_folder_old old);

/* Returns what time it is for the file system; 0 while this worker has not reported yet. */
double sonde_folder_now(const struct sonde_shared_place *place);

/* The operations of place.h that are not in folder.c. */
int sonde_folder_put_failure(struct sonde_shared_place *place, const struct sonde_shared_failure *failure);
int sonde_folder_look_for_failures(struct sonde_shared_place *place, sonde_shared_failure_visit *visit, void *context);
int sonde_folder_claim(struct sonde_shared_place *place, const char *id);
int sonde_folder_release(struct sonde_shared_place *place, const char *id);
int sonde_folder_beat(struct sonde_shared_place *place, const char *text);
int sonde_folder_each_worker(struct sonde_shared_place *place, sonde_worker_visit *visit, void *context);

#endif
