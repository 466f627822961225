/* The model of a disk for sonde_power_cut: what it may hold after the power failed.
 *
 * The code under test works on a real file system, so nothing is simulated while it runs. The model is an undo log:
 * what each call changed since it was last made safe. At the cut a part of that log is drawn, and undone on the real
 * files.
 *
 * The parts:
 *   - nodes: files, directories and links that run() has touched, by device and inode. A descriptor holds each of
 *     them. So its inode number is not reused, and it can be found at the end whatever its name is then.
 *   - contents: for each file the bytes that were overwritten and the lengths it had, since the last fsync.
 *   - names: directory entries, by directory and name, and the operations on them in order. A rename is one
 *     operation on two entries.
 *   - calls: turns the reports of addons/faults/ into these.
 *   - cut: draws what is lost and changes the files.
 *
 * The guarantees:
 *   - A sector of 512 bytes is written whole or not at all. Until its file is synced, it holds any of the values
 *     that it had since the last sync, independently of other sectors. The same holds for the length. Shrinking a
 *     file is one change: sectors that it cut off come back only together with an earlier length.
 *   - Operations on names are kept in order, as journals do (ext4, XFS), or in any order in which each finds the
 *     entries that it needs, as POSIX allows. Which of the two is a draw. An fsync of a directory makes the
 *     operations in it safe, and those they depend on. In a journal it makes all earlier operations safe. There, so
 *     does the fsync of a file that they named; by POSIX, that fsync guarantees nothing about names.
 *   - Data and names are independent: the new name may be there before the data.
 *   - The state before run() is safe. Only changes of run() are undone: an entry is restored only while it still
 *     names the node that the last operation left there.
 *
 * Changes that are not modelled are reported: sonde_disk_tell adds a line to the verdict's list of things not seen, and
 * then no proof is claimed. */
#ifndef SONDE_CASE_DISK_MODEL_H
#define SONDE_CASE_DISK_MODEL_H

#include "base/faults.h"
#include "base/map.h"

#include <sonde.h>
#include <sys/stat.h>
#include <time.h>

enum { DISK_SECTOR = 512 };

/* Bytes that a change replaced: n bytes at `at`. Bytes beyond n_old did not exist (zeros). */
struct disk_record {
    uint64_t at, n, n_old;
    uint8_t *old;
    uint64_t order;   /* among all records, by time */
    uint32_t epoch;   /* of the file when the record was made */
    bool is_shrink;   /* from a truncation, which began `epoch` */
    bool is_dropped;  /* by a failed fsync: no later one makes it safe */
    bool is_map;      /* from a mapping: changes whenever the code writes there */
    uint64_t address; /* of the mapping; 0: it was unmapped */
};

/* A length that the file had, in an epoch. Shrinking begins a new epoch. */
struct disk_length {
    uint64_t n;
    uint32_t epoch;
};

/* A file, directory or link that run() has touched. */
struct disk_node {
    dev_t device;
    ino_t inode;
    mode_t mode;
    int fd;          /* sonde's own: O_PATH, or for reading and writing */
    bool is_io;      /* fd is for reading and writing */
    bool is_new;     /* run() made it */
    bool is_ignored; /* cannot be tracked, which was reported */
    char *name;      /* last component of a name, for messages */
    char *target;    /* of a symbolic link; else NULL */

    struct disk_record *records; /* oldest first */
    struct disk_length *lengths; /* the length at the last sync first, the present one last; empty: unchanged */
    uint32_t n_records, cap_records, n_lengths, cap_lengths, epoch;
    bool fsync_failed;       /* since the last fsync that made everything safe */
    struct timespec changed; /* st_mtim after the last tracked change */
    uint64_t size;           /* st_size after that change */
    bool has_changed;        /* `changed` and `size` are set */

    bool is_lost;   /* cut: the operation that created it is lost */
    bool is_named;  /* cut: an entry names it afterwards */
    bool is_there;  /* cut: it need not be created again */
    bool is_marked; /* scratch mark, while a set of nodes is computed */
};

/* A directory entry: a name in a directory. */
struct disk_entry {
    struct disk_node *directory;
    char *name;
    struct disk_node *base, *now; /* the node it certainly names on disk, and the present one; NULL: none */
    struct disk_node *target;     /* cut: the node it is to name */
    char parked[32];              /* cut: temporary name of `now` until that is placed; "": none */
    bool is_placed;               /* cut: it names its target */
    bool is_lost, is_needed;      /* scratch marks, while dependencies are followed */
    struct disk_entry *next;      /* with the same hash */
};

/* One change of names. An entry that is not used is NULL. */
struct disk_op {
    const char *call;
    char *path, *to; /* as the code gave them, for messages */
    struct disk_entry *entry[2];
    struct disk_node *after[2];
    struct disk_node *made; /* the node that got its first name by this; NULL: none */
    uint64_t number;        /* in order of time */
    bool is_safe;
    bool is_lost; /* cut */
};

/* The state of one power cut, from the start of run() on. */
struct disk {
    sonde *t;
    struct disk_node **nodes;
    struct sonde_map by_inode; /* hashes of device and inode: index + 1 */
    struct disk_entry **entries;
    struct sonde_map by_name;
    struct disk_op *ops; /* not safe yet, oldest first */
    uint32_t n_nodes, cap_nodes, n_entries, cap_entries, n_ops, cap_ops;
    uint64_t last_number; /* of an operation */
    uint64_t safe_number; /* in a journal, all operations up to this one are safe */
    uint64_t n_kept;      /* bytes in all records */
    uint64_t last_order;  /* of a record */
    uint32_t n_notes;     /* cut: notes about losses */
};

/* Asserts that records are in order of time, within their epochs, and hold n_kept bytes; and that operations are in
 * order, and none is safe. */
SONDE_CHECKER(sonde_disk_check, struct disk);

/* Adds "not followed: ..." to the verdict's list of things not seen. */
__attribute__((format(printf, 2, 3))) void sonde_disk_tell(struct disk *disk, const char *format, ...);

/* ---- nodes.c */

/* Returns the node of a descriptor, adding it if it is new. NULL if the file has no name and never got one, or no
 * descriptor can be kept for it. */
struct disk_node *sonde_disk_node(struct disk *disk, int fd);
/* Returns the node that a path names, adding it if it is new; NULL if there is none. `follows`: follow a symbolic
 * link. */
struct disk_node *sonde_disk_node_at(struct disk *disk, int at, const char *path, bool follows);
/* Returns the node if it is known already; else NULL. */
struct disk_node *sonde_disk_known(const struct disk *disk, const struct stat *info);
/* Makes the node's descriptor one for reading and writing. `like` is a descriptor of the code under test, or -1.
 * Returns false if that is impossible. */
bool sonde_disk_node_open(struct disk *disk, struct disk_node *node, int like);
/* Paths of the file of a descriptor, written to `out`. sonde_disk_link always leads to the file. sonde_disk_path is the
 * kernel's path of it, or "". */
enum { DISK_LINK = 64, DISK_PATH = 4096 };
char *sonde_disk_link(int fd, char out[DISK_LINK]);
char *sonde_disk_path(int fd, char out[DISK_PATH]);
/* Moves a descriptor to a high number, away from those that the code expects. Returns the new one; -1 on failure. */
int sonde_disk_move_up(int fd);
/* Replaces the node's descriptor by `fd`, which the node then owns. The caller updates the inode. */
void sonde_disk_node_becomes(struct disk_node *node, int fd);
void sonde_disk_nodes_free(struct disk *disk);

/* ---- contents.c */

/* Returns how many of the n bytes at `at` exist and were read. */
uint64_t sonde_disk_read(int fd, uint8_t *to, uint64_t n, uint64_t at);
/* Keeps a copy of n bytes at `at` before they change. Returns the order of its record; 0 if there is nothing to
 * keep. */
uint64_t sonde_disk_keep(struct disk *disk, struct disk_node *node, uint64_t at, uint64_t n);
/* Completes a record after the change: only n bytes have changed. Notes the file's new length. */
void sonde_disk_kept(struct disk *disk, struct disk_node *node, uint64_t order, uint64_t n);
/* Records the address at which the bytes of this record are mapped. */
void sonde_disk_mapped(struct disk_node *node, uint64_t order, uint64_t address);
void sonde_disk_unmapped(struct disk *disk, uint64_t address);
/* Makes n bytes of a mapping safe. */
void sonde_disk_make_map_safe(struct disk *disk, uint64_t address, uint64_t n);
/* Prepares for a change of the length to n. */
void sonde_disk_will_resize(struct disk *disk, struct disk_node *node, uint64_t n);
/* Notes the file's length and time. Called after any change. */
void sonde_disk_changed(struct disk_node *node);
/* Reports to the user if the file has changed by a call that was not reported here. */
void sonde_disk_find_unseen_change(struct disk *disk, struct disk_node *node);
/* Makes the whole file safe, except changes that a failed fsync has dropped. */
void sonde_disk_make_safe(struct disk *disk, struct disk_node *node);
/* Makes n bytes at `at` safe, and the length. */
void sonde_disk_make_range_safe(struct disk *disk, struct disk_node *node, uint64_t at, uint64_t n);
/* Marks all changes as dropped: an fsync failed, so they will never be written. */
void sonde_disk_drop(struct disk_node *node);
/* Forgets changes that have no effect, such as mappings that were not written to. Returns whether any are left. */
bool sonde_disk_is_dirty(struct disk *disk, struct disk_node *node);
void sonde_disk_contents_free(struct disk *disk, struct disk_node *node);

/* ---- names.c */

/* Returns the entry of a path; a descriptor holds its directory. NULL if there can be none. */
struct disk_entry *sonde_disk_entry(struct disk *disk, int at, const char *path);
/* Returns the entry of a file, by the kernel's path of its descriptor; NULL if there is none. */
struct disk_entry *sonde_disk_entry_of(struct disk *disk, int fd);
/* Reports whether the real entry names the node (NULL: whether it does not exist). */
bool sonde_disk_entry_is(const struct disk_entry *entry, const struct disk_node *node);
/* Updates `now` of an entry before run() changes it for the first time. */
void sonde_disk_entry_refresh(struct disk *disk, struct disk_entry *entry);
/* Appends an operation and lets its entries name their new nodes. `path` and `to` are copied. */
void sonde_disk_log(struct disk *disk, struct disk_op op, const char *path, const char *to);
/* Makes names safe after an fsync of the node. */
void sonde_disk_make_names_safe(struct disk *disk, struct disk_node *node);
/* Makes all names of a file system safe, or of all if `device` is NULL. */
void sonde_disk_make_all_names_safe(struct disk *disk, const dev_t *device);
void sonde_disk_names_free(struct disk *disk);

/* ---- calls.c */

void sonde_disk_follow(struct disk *disk, struct sonde_disk_event *event);

/* ---- In cut.c and in place.c */

void sonde_disk_lose(struct disk *disk);
/* Makes every entry name its target. */
void sonde_disk_place(struct disk *disk);

#endif
