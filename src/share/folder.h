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
 * listed, for mounts that do not keep the times of folders. */
#ifndef SONDE_SHARE_FOLDER_H
#define SONDE_SHARE_FOLDER_H

#include "share/place.h"

#define SONDE_FOLDER_PREFIX "dir:"

extern const struct sonde_place_ops sonde_folder_ops;

#endif
