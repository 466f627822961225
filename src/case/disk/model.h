/* The model of a disk for sonde_power_cut: what it may hold after the power failed.
 *
 * The code under test works on a real file system; nothing is simulated while it runs. The model is an undo log of the
 * changes that are not yet safe, which means certain to be on disk. At the cut a part of that log is drawn, and undone
 * on the real files.
 *
 * The parts:
 *   - nodes: files, directories and links that run() has touched, by device and inode. A descriptor holds each of
 *     them. So its inode number is not reused, and it can be found at the end whatever its name is then.
 *   - contents: for each file the bytes that were overwritten and the lengths it had, since the last fsync.
 *   - names: directory entries, by directory and name, and the operations on them in order. A rename is one
 *     operation on two entries.
 *   - calls: turns the reports of addons/faults/ into changes of these.
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
    uint64_t order;   /* sequence number among all records, by time */
    uint32_t epoch;   /* the file's epoch when the record was made */
    bool is_shrink;   /* a truncation made the record, and began `epoch` */
    bool is_dropped;  /* a failed fsync dropped the change: no later fsync makes it safe */
    bool is_map;      /* the bytes are mapped: they change whenever the code writes there */
    uint64_t address; /* address of the mapping; 0: it was unmapped */
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
    int fd;          /* a descriptor of sonde: O_PATH, or for reading and writing */
    bool is_io;      /* fd is for reading and writing */
    bool is_new;     /* run() created the node */
    bool is_ignored; /* the node cannot be tracked, and a message about that was added to the verdict */
    char *name;      /* last component of one of the node's paths, for messages */
    char *target;    /* target of a symbolic link; else NULL */

    struct disk_record *records; /* oldest first */
    struct disk_length *lengths; /* all lengths since the last sync, the present one last; empty: unchanged */
    uint32_t n_records, cap_records, n_lengths, cap_lengths, epoch;
    bool fsync_failed;       /* an fsync failed, and no later fsync has made everything safe */
    struct timespec changed; /* st_mtim after the last tracked change */
    uint64_t size;           /* st_size after the last tracked change */
    bool has_changed;        /* `changed` and `size` are set */

    bool is_lost;   /* at the cut: the operation that created the node is lost */
    bool is_named;  /* at the cut: an entry will refer to the node afterwards */
    bool is_there;  /* at the cut: the node need not be created again */
    bool is_marked; /* scratch mark, while a set of nodes is computed */
};

/* A directory entry: a name in a directory. */
struct disk_entry {
    struct disk_node *directory;
    char *name;
    struct disk_node *base,
        *now;                 /* the node that the entry has on disk for certain, and its present node; NULL: none */
    struct disk_node *target; /* at the cut: the node to which the entry is to refer */
    char parked[32];          /* at the cut: temporary name of the node `now` until it is placed; "": none */
    bool is_placed;           /* at the cut: the entry refers to `target` */
    bool is_lost, is_needed;  /* scratch marks, while dependencies are followed */
    struct disk_entry *next;  /* next entry with the same hash */
};

/* One change of names. An operation on one name has NULL as its second entry. */
struct disk_op {
    const char *call;
    char *path, *to; /* paths as the code under test passed them, for messages */
    struct disk_entry *entry[2];
    struct disk_node *after[2];
    struct disk_node *made; /* the node that got its first name by this operation; NULL: none */
    uint64_t number;        /* sequence number, in order of time */
    bool is_safe;
    bool is_lost; /* at the cut: the operation is lost */
};

/* The state of one power cut, from the start of run() on. */
struct disk {
    sonde *t;
    struct disk_node **nodes;
    struct sonde_map by_inode; /* maps a hash of device and inode to index + 1 in `nodes` */
    struct disk_entry **entries;
    struct sonde_map by_name;
    struct disk_op *ops; /* operations that are not safe yet, oldest first */
    uint32_t n_nodes, cap_nodes, n_entries, cap_entries, n_ops, cap_ops;
    uint64_t last_number; /* number of the latest operation */
    uint64_t safe_number; /* operations up to this number are safe on a disk with a journal */
    uint64_t n_kept;      /* bytes held by all records */
    uint64_t last_order;  /* order of the latest record */
    uint32_t n_notes;     /* number of notes about losses that the cut has written */
};

/* Asserts that records are in order of time, within their epochs, and hold n_kept bytes in all. Asserts that operations
 * are in order, and that none is safe. */
SONDE_CHECKER(sonde_disk_check, struct disk);

/* Adds "not followed: ..." to the verdict's list of things not seen. */
__attribute__((format(printf, 2, 3))) void sonde_disk_tell(struct disk *disk, const char *format, ...);

/* ---- nodes.c */

/* Returns the node of a descriptor, adding it if it is new. Returns NULL if the file never had a name, or if no
 * descriptor can be kept for it. */
struct disk_node *sonde_disk_node(struct disk *disk, int fd);
/* Returns the node that a path names, adding it if it is new; NULL if there is none. `follows`: follow a symbolic
 * link. */
struct disk_node *sonde_disk_node_at(struct disk *disk, int at, const char *path, bool follows);
/* Returns the node of the file that `info` describes; NULL if the model has none. */
struct disk_node *sonde_disk_known(const struct disk *disk, const struct stat *info);
/* Replaces the node's descriptor by one for reading and writing. `like` is a descriptor of the code under test, or -1.
 * Returns false if that is impossible. */
bool sonde_disk_node_open(struct disk *disk, struct disk_node *node, int like);
/* Both functions write a path of the descriptor's file to `out`. sonde_disk_link writes a link that always leads to the
 * file; sonde_disk_path writes the path that the kernel reports, or "". */
enum { DISK_LINK = 64, DISK_PATH = 4096 };
char *sonde_disk_link(int fd, char out[DISK_LINK]);
char *sonde_disk_path(int fd, char out[DISK_PATH]);
/* Moves a descriptor to a high number, away from numbers that the code under test expects. Returns the new one; -1 on
 * failure. */
int sonde_disk_move_up(int fd);
/* Replaces the node's descriptor by `fd`, which the node then owns. The caller updates the inode. */
void sonde_disk_node_becomes(struct disk_node *node, int fd);
/* Frees all nodes, and closes their descriptors. */
void sonde_disk_nodes_free(struct disk *disk);

/* ---- contents.c */

/* Returns how many of the n bytes at `at` exist and were read. */
uint64_t sonde_disk_read(int fd, uint8_t *to, uint64_t n, uint64_t at);
/* Keeps a copy of n bytes at `at` before they change. Returns the order of the new record; 0 if there is nothing to
 * keep. */
uint64_t sonde_disk_keep(struct disk *disk, struct disk_node *node, uint64_t at, uint64_t n);
/* Completes a record after the change: only its first n bytes have changed. Notes the file's new length. */
void sonde_disk_kept(struct disk *disk, struct disk_node *node, uint64_t order, uint64_t n);
/* Records the address at which the bytes of record `order` are mapped. */
void sonde_disk_mapped(struct disk_node *node, uint64_t order, uint64_t address);
/* Notes the end of the mapping at this address. */
void sonde_disk_unmapped(struct disk *disk, uint64_t address);
/* Makes n bytes of a mapping safe. */
void sonde_disk_make_map_safe(struct disk *disk, uint64_t address, uint64_t n);
/* Prepares for a change of the file's length to n. */
void sonde_disk_will_resize(struct disk *disk, struct disk_node *node, uint64_t n);
/* Notes the file's length and time. Called after any change. */
void sonde_disk_changed(struct disk_node *node);
/* Reports to the user if the file was changed by a call that sonde does not see. */
void sonde_disk_find_unseen_change(struct disk *disk, struct disk_node *node);
/* Makes the whole file safe, except changes that a failed fsync has dropped. */
void sonde_disk_make_safe(struct disk *disk, struct disk_node *node);
/* Makes n bytes at `at` safe, and the length of the file. */
void sonde_disk_make_range_safe(struct disk *disk, struct disk_node *node, uint64_t at, uint64_t n);
/* Marks all changes of the file as dropped: an fsync failed, so they will never be written. */
void sonde_disk_drop(struct disk_node *node);
/* Forgets changes that have no effect, such as mappings that were not written to. Returns whether any changes are
 * left. */
bool sonde_disk_is_dirty(struct disk *disk, struct disk_node *node);
/* Frees the records and lengths of a node. */
void sonde_disk_contents_free(struct disk *disk, struct disk_node *node);

/* ---- names.c */

/* Returns the entry of a path; a descriptor holds its directory. Returns NULL if there can be no such entry. */
struct disk_entry *sonde_disk_entry(struct disk *disk, int at, const char *path);
/* Returns the entry of a file, found by the path that the kernel reports for its descriptor; NULL if there is none. */
struct disk_entry *sonde_disk_entry_of(struct disk *disk, int fd);
/* Returns whether the real directory entry names the node. If `node` is NULL, returns whether the entry does not
 * exist. */
bool sonde_disk_entry_is(const struct disk_entry *entry, const struct disk_node *node);
/* Updates `now` of an entry before run() changes it for the first time. */
void sonde_disk_entry_refresh(struct disk *disk, struct disk_entry *entry);
/* Appends an operation and lets its entries name their new nodes. `path` and `to` are copied. */
void sonde_disk_log(struct disk *disk, struct disk_op op, const char *path, const char *to);
/* Makes names safe after an fsync of the node. */
void sonde_disk_make_names_safe(struct disk *disk, struct disk_node *node);
/* Makes all names of one file system safe, or of all file systems if `device` is NULL. */
void sonde_disk_make_all_names_safe(struct disk *disk, const dev_t *device);
/* Frees all entries and operations. */
void sonde_disk_names_free(struct disk *disk);

/* ---- calls.c */

/* Passes an event to the model: once before the operation, and once with its result. */
void sonde_disk_follow(struct disk *disk, struct sonde_disk_event *event);

/* ---- In cut.c and in place.c */

/* Draws the losses of a power cut, changes contents and names on the real disk accordingly, and notes what was lost. */
void sonde_disk_lose(struct disk *disk);
/* Makes every real directory entry refer to its target. */
void sonde_disk_place(struct disk *disk);

#endif
