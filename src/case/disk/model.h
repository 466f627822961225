/* What a disk may hold after the power failed: the data behind sonde_power_cut.
 *
 * The code under test works on a real file system, so there is nothing to simulate while it runs. The model is a log of how to undo: what each
 * call changed since it was last made safe. At the cut a part of that log is drawn, and undone on the real files.
 *
 *   nodes    files, directories and links that run() has touched, by device and inode; each is held by a descriptor, so that its number is not
 *            used again, and so that it is the same one at the end, whatever its name is by then
 *   contents per file the bytes that were overwritten and the lengths it had, since the last fsync
 *   names    directory entries, by directory and name, and the operations on them in order; a rename is one operation on two entries
 *   calls    turns what addons/faults/ reports into these
 *   cut      draws what is lost and makes it so
 *
 * What is promised, and to whom:
 *
 *   - A sector of 512 bytes is written whole or not at all. Unless its file was synced, it holds any of the values that it had since then, each
 *     sector independently of the others; so does the length. Shrinking a file is one change: sectors that it cut off come back only together
 *     with a length from before.
 *   - Operations on names are kept in order, as journals do (ext4, XFS), or in any order in which each finds the entries that it needs, as POSIX
 *     allows. Which of the two is a draw. An fsync of a directory makes the operations in it safe, and those they depend on. In a journal it
 *     makes all safe that came before, and so does the fsync of a file that they named; by POSIX that one says nothing of names.
 *   - Data and names are independent: the new name may be there before the data.
 *   - What was there before run() is safe. Nothing is touched that run() did not change: an entry is restored only while it still names the
 *     node that the last operation left there.
 *
 * What is not modelled is told: sonde_disk_tell adds a line to the verdict's list of what was not seen, and then no proof is claimed. */
#ifndef SONDE_CASE_DISK_MODEL_H
#define SONDE_CASE_DISK_MODEL_H

#include "base/faults.h"
#include "base/map.h"

#include <sonde.h>
#include <sys/stat.h>
#include <time.h>

enum { DISK_SECTOR = 512 };

/* Bytes that a change replaced: at `at`, `n` of them, those beyond n_old were not there (zeros). */
struct disk_record {
    uint64_t at, n, n_old;
    uint8_t *old;
    uint64_t order;   /* of all records, by time */
    uint32_t epoch;   /* of the file when it was made */
    bool is_shrink;   /* of a truncation, which began `epoch` */
    bool is_dropped;  /* by an fsync that failed: no later one makes it safe */
    bool is_map;      /* of a mapping: changes whenever the code writes there */
    uint64_t address; /* of the mapping; 0: it was unmapped */
};

/* A length that the file had, in an epoch. Shrinking begins a new epoch. */
struct disk_length {
    uint64_t n;
    uint32_t epoch;
};

struct disk_node {
    dev_t device;
    ino_t inode;
    mode_t mode;
    int fd;          /* ours: O_PATH, or for reading and writing */
    bool is_io;      /* the latter */
    bool is_new;     /* run() made it */
    bool is_ignored; /* cannot be followed, which was told */
    char *name;      /* last component of a name, for people */
    char *target;    /* of a symbolic link; else NULL */

    struct disk_record *records; /* oldest first */
    struct disk_length *lengths; /* the one at the last sync first, the present one last; empty: unchanged */
    uint32_t n_records, cap_records, n_lengths, cap_lengths, epoch;
    bool fsync_failed;       /* since the last one that made all safe */
    struct timespec changed; /* st_mtim after the last change that was followed */
    uint64_t size;           /* and st_size */
    bool has_changed;        /* these are set */

    bool is_lost;   /* cut: the operation that made it is */
    bool is_named;  /* cut: an entry names it afterwards */
    bool is_there;  /* cut: it need not be made again */
    bool is_marked; /* while a set of nodes is being made */
};

struct disk_entry {
    struct disk_node *directory;
    char *name;
    struct disk_node *base, *now; /* what it names on disk for certain, and at present; NULL: nothing */
    struct disk_node *target;     /* cut: what it is to name */
    char parked[32];              /* cut: the name under which `now` waits to be placed; "" if it does not */
    bool is_placed;               /* cut: it names its target */
    bool is_lost, is_needed;      /* while dependences are followed */
    struct disk_entry *next;      /* with the same hash */
};

/* One change of names. An entry that is not used is NULL. */
struct disk_op {
    const char *call;
    char *path, *to; /* as the code gave them, for people */
    struct disk_entry *entry[2];
    struct disk_node *after[2];
    struct disk_node *made; /* the node that it gave its first name; NULL: none */
    uint64_t number;        /* in the order of time */
    bool is_safe;
    bool is_lost; /* cut */
};

struct disk {
    sonde *t;
    struct disk_node **nodes;
    struct sonde_map by_inode; /* hashes of device and inode: index + 1 */
    struct disk_entry **entries;
    struct sonde_map by_name;
    struct disk_op *ops; /* that are not safe, oldest first */
    uint32_t n_nodes, cap_nodes, n_entries, cap_entries, n_ops, cap_ops;
    uint64_t last_number; /* of an operation */
    uint64_t safe_number; /* where names are kept in order, all up to this one are safe */
    uint64_t n_kept;      /* bytes of all records */
    uint64_t last_order;  /* of a record */
    uint32_t n_notes;     /* cut: of what was lost */
};

/* Records are in the order of time, within their epochs, and hold n_kept bytes; operations are in order, and none is safe. */
SONDE_CHECKER(sonde_disk_check, struct disk);

/* Adds "not followed: ..." to what the verdict says that it did not see. */
__attribute__((format(printf, 2, 3))) void sonde_disk_tell(struct disk *disk, const char *format, ...);

/* ---- nodes.c */

/* Returns the node of a descriptor, adding it; NULL for one that has no name and did not get one, or that cannot be held. */
struct disk_node *sonde_disk_node(struct disk *disk, int fd);
/* Returns the node that a name stands for, adding it; NULL if there is none. follows: through a symbolic link. */
struct disk_node *sonde_disk_node_at(struct disk *disk, int at, const char *path, bool follows);
/* Returns the node if it is known already. */
struct disk_node *sonde_disk_known(const struct disk *disk, const struct stat *info);
/* Makes the node's descriptor one for reading and writing. `like` is one of the code under test's, or -1. */
bool sonde_disk_node_open(struct disk *disk, struct disk_node *node, int like);
/* A path that leads to the file of a descriptor in any case; and the one by which the kernel knows it, or "". */
enum { DISK_LINK = 64, DISK_PATH = 4096 };
char *sonde_disk_link(int fd, char out[DISK_LINK]);
char *sonde_disk_path(int fd, char out[DISK_PATH]);
/* Moves a descriptor out of the way of those that the code expects. */
int sonde_disk_move_up(int fd);
/* Takes another descriptor for the node, whose inode is a new one. */
void sonde_disk_node_becomes(struct disk_node *node, int fd);
void sonde_disk_nodes_free(struct disk *disk);

/* ---- contents.c */

/* Returns how many of n bytes there are. */
uint64_t sonde_disk_read(int fd, uint8_t *to, uint64_t n, uint64_t at);
/* Before n bytes at `at` change: keeps them. Returns the record's order; 0 if there is nothing to keep. */
uint64_t sonde_disk_keep(struct disk *disk, struct disk_node *node, uint64_t at, uint64_t n);
/* After that: only n of them have changed, and the file has the length that it has. */
void sonde_disk_kept(struct disk *disk, struct disk_node *node, uint64_t order, uint64_t n);
/* The bytes that were kept are mapped at this address. */
void sonde_disk_mapped(struct disk_node *node, uint64_t order, uint64_t address);
void sonde_disk_unmapped(struct disk *disk, uint64_t address);
/* n bytes of a mapping are safe. */
void sonde_disk_make_map_safe(struct disk *disk, uint64_t address, uint64_t n);
/* Before the length becomes n. */
void sonde_disk_will_resize(struct disk *disk, struct disk_node *node, uint64_t n);
/* After any change: takes note of length and time. */
void sonde_disk_changed(struct disk_node *node);
/* Tells if the file has changed by other means than calls that were reported. */
void sonde_disk_suspect(struct disk *disk, struct disk_node *node);
/* All of the file is safe, but for what an fsync has dropped. */
void sonde_disk_make_safe(struct disk *disk, struct disk_node *node);
/* The same of n bytes at `at` alone, and the length. */
void sonde_disk_make_range_safe(struct disk *disk, struct disk_node *node, uint64_t at, uint64_t n);
/* An fsync failed: what it was to write never will be. */
void sonde_disk_drop(struct disk_node *node);
/* Forgets changes that are none, such as of mappings that were not written to. Returns whether any are left. */
bool sonde_disk_is_dirty(struct disk *disk, struct disk_node *node);
void sonde_disk_contents_free(struct disk *disk, struct disk_node *node);

/* ---- names.c */

/* Returns the entry of a path; its directory is held. NULL if it cannot be: then it was told. */
struct disk_entry *sonde_disk_entry(struct disk *disk, int at, const char *path);
/* Returns the entry that a file has, by what the kernel says of its descriptor. */
struct disk_entry *sonde_disk_entry_of(struct disk *disk, int fd);
/* Whether the real entry names the node (NULL: nothing). */
bool sonde_disk_entry_is(const struct disk_entry *entry, const struct disk_node *node);
/* Brings `now` of an entry up to date before run() changes it for the first time. */
void sonde_disk_entry_look(struct disk *disk, struct disk_entry *entry);
/* Appends an operation; its entries take their new nodes. `path` and `to` are copied. */
void sonde_disk_log(struct disk *disk, struct disk_op op, const char *path, const char *to);
/* After an fsync of the node. */
void sonde_disk_make_names_safe(struct disk *disk, struct disk_node *node);
/* All of a file system, or with `device` NULL of all. */
void sonde_disk_make_all_names_safe(struct disk *disk, const dev_t *device);
void sonde_disk_names_free(struct disk *disk);

/* ---- calls.c */

void sonde_disk_follow(struct disk *disk, struct sonde_disk_event *event);

/* ---- cut.c and place.c */

void sonde_disk_lose(struct disk *disk);
/* Makes every entry name its target. */
void sonde_disk_place(struct disk *disk);

#endif
