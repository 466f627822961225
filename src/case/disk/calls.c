#define _GNU_SOURCE /* RENAME_EXCHANGE, O_TMPFILE */
/* Turns file operations that addons/faults/ reports into changes of the model (model.h). Each call is reported twice:
 * before it happens, when the data that it replaces is kept, and with its result. */
#include "base/mem.h"
#include "case/disk/model.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef RENAME_EXCHANGE /* musl does not name the kernel's numbers */
#define RENAME_EXCHANGE (1 << 1)
#define RENAME_WHITEOUT (1 << 2)
#endif

/* Data kept between the two reports of a call. */
struct kept {
    struct disk_node *node;
    uint64_t record; /* `order` of the record that was made */
    uint64_t at;
    struct disk_entry *entry[2];
    struct disk_node *moved[2]; /* nodes to which the entries referred before the call */
    bool was_there;
    struct stat status;
};

/* Returns the node of a tracked regular file, ready to be changed; NULL if there is none. */
static struct disk_node *file_of(struct disk *disk, int fd)
{
    struct disk_node *node = sonde_disk_node(disk, fd);
    if (!node || !S_ISREG(node->mode) || !sonde_disk_node_open(disk, node, fd)) return NULL;
    sonde_disk_find_unseen_change(disk, node);
    return node;
}

static struct disk_node *file_at(struct disk *disk, int at, const char *path)
{
    struct disk_node *node = sonde_disk_node_at(disk, at, path, true);
    if (!node || !S_ISREG(node->mode) || !sonde_disk_node_open(disk, node, -1)) return NULL;
    sonde_disk_find_unseen_change(disk, node);
    return node;
}

/* ---- Contents */

static void before_write(struct disk *disk, const struct sonde_disk_event *e, struct kept *k)
{
    int flags = fcntl(e->fd, F_GETFL);
    k->node = file_of(disk, e->fd);
    if (!k->node || flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
        k->node = NULL;
        return;
    }
    struct stat info;
    off_t at = e->offset >= 0 ? (off_t)e->offset : lseek(e->fd, 0, SEEK_CUR);
    if (flags & O_APPEND && fstat(e->fd, &info) == 0) at = info.st_size;
    k->at = at < 0 ? 0 : (uint64_t)at;
    k->record = sonde_disk_keep(disk, k->node, k->at, e->n);
}

/* Makes the written bytes safe if the write is synchronous. O_SYNC includes the bit of O_DSYNC, so one test finds both
 * flags, which may be set for the descriptor or for one call. */
static void after_write(struct disk *disk, const struct sonde_disk_event *e, const struct kept *k)
{
    if (!k->node) return;
    uint64_t n = e->result < 0 ? 0 : (uint64_t)e->result < e->n ? (uint64_t)e->result : e->n;
    sonde_disk_kept(disk, k->node, k->record, n);
    if (!n || !((fcntl(e->fd, F_GETFL) | e->flags) & O_DSYNC)) return;
    sonde_disk_make_range_safe(disk, k->node, k->at, n);
    sonde_disk_make_names_safe(disk, k->node);
}

static void before_resize(struct disk *disk, const struct sonde_disk_event *e, struct kept *k)
{
    k->node = e->path ? file_at(disk, e->at, e->path) : file_of(disk, e->fd);
    if (k->node && e->act == SONDE_DISK_RESIZE) sonde_disk_will_resize(disk, k->node, e->n);
    else if (k->node) sonde_disk_keep(disk, k->node, 0, 0);
}

static void before_map(struct disk *disk, const struct sonde_disk_event *e, struct kept *k)
{
    struct stat info;
    k->node = file_of(disk, e->fd);
    if (!k->node || fstat(e->fd, &info) || e->offset >= info.st_size) return;
    uint64_t there = (uint64_t)(info.st_size - e->offset);
    k->record = sonde_disk_keep(disk, k->node, (uint64_t)e->offset, there < e->n ? there : e->n);
    sonde_disk_tell(disk, "%s: its contents between two syncs, because it is mapped for writing", k->node->name);
}

static void after_map(struct disk *disk, const struct sonde_disk_event *e, const struct kept *k)
{
    if (!k->node) return;
    if (e->result == -1) sonde_disk_kept(disk, k->node, k->record, 0);
    else sonde_disk_mapped(k->node, k->record, (uint64_t)e->result);
}

/* ---- Opening */

static void before_open(struct disk *disk, const struct sonde_disk_event *e, struct kept *k)
{
    struct stat info;
    bool is_tmpfile = (e->flags & O_TMPFILE) == O_TMPFILE;
    k->was_there = !is_tmpfile && fstatat(e->at, e->path, &info, 0) == 0;
    if (is_tmpfile || (e->flags & O_EXCL)) return; /* the name of a new file is determined after the call */
    if (!k->was_there && e->flags & O_CREAT) k->entry[0] = sonde_disk_entry(disk, e->at, e->path);
    if (k->entry[0]) sonde_disk_entry_refresh(disk, k->entry[0]);
    if (!k->was_there || !(e->flags & O_TRUNC) || !S_ISREG(info.st_mode)) return;
    k->node = file_at(disk, e->at, e->path);
    if (k->node) sonde_disk_will_resize(disk, k->node, 0);
}

/* Returns the node of a created file. A new file without a name can get one later, by linkat. */
static struct disk_node *made_node(struct disk *disk, int fd)
{
    struct stat info;
    char link[DISK_LINK];
    struct disk_node *node = sonde_disk_node(disk, fd);
    if (node || fstat(fd, &info) || !S_ISREG(info.st_mode)) return node;
    return sonde_disk_node_at(disk, AT_FDCWD, sonde_disk_link(fd, link), true);
}

/* Records a file that the call has created. Through a dangling link, it is created where the link points to. */
static void after_open(struct disk *disk, const struct sonde_disk_event *e, struct kept *k)
{
    int fd = (int)e->result;
    bool is_tmpfile = (e->flags & O_TMPFILE) == O_TMPFILE;
    if (k->node) sonde_disk_changed(k->node);
    if (fd >= 0 && (e->flags & O_ACCMODE) != O_RDONLY && !(e->flags & O_PATH)) file_of(disk, fd);
    if (fd < 0 || !(is_tmpfile || (e->flags & O_CREAT)) || (k->was_there && !(e->flags & O_EXCL))) return;
    struct disk_node *node = made_node(disk, fd);
    if (!node || !S_ISREG(node->mode)) return;
    node->is_new = true;
    sonde_disk_node_open(disk, node, fd);
    sonde_disk_changed(node);
    if (is_tmpfile) return;
    if (!k->entry[0]) k->entry[0] = sonde_disk_entry(disk, e->at, e->path);
    if (!k->entry[0] || !sonde_disk_entry_is(k->entry[0], node)) k->entry[0] = sonde_disk_entry_of(disk, fd);
    if (!k->entry[0] || !sonde_disk_entry_is(k->entry[0], node)) {
        sonde_disk_tell(disk, "%s: the directory in which %s created it", e->path, e->call);
        return;
    }
    struct disk_op op = {.call = e->call, .entry = {k->entry[0]}, .after = {node}, .made = node};
    sonde_disk_log(disk, op, e->path, NULL);
}

/* ---- Names */

static struct disk_entry *refresh_entry(struct disk *disk, const struct sonde_disk_event *e, int at, const char *path)
{
    struct disk_entry *entry = sonde_disk_entry(disk, at, path);
    if (entry) sonde_disk_entry_refresh(disk, entry);
    else if (*path) sonde_disk_tell(disk, "%s of %s", e->call, path);
    return entry;
}

static void before_name(struct disk *disk, const struct sonde_disk_event *e, struct kept *k)
{
    bool is_link = e->act == SONDE_DISK_LINK;
    if (!is_link) k->entry[0] = refresh_entry(disk, e, e->at, e->path);
    if (e->to) k->entry[1] = refresh_entry(disk, e, e->to_at, e->to);
    for (int i = 0; i < 2; i++) k->moved[i] = k->entry[i] ? k->entry[i]->now : NULL;
}

static void after_make(struct disk *disk, const struct sonde_disk_event *e, const struct kept *k, int which)
{
    struct disk_entry *entry = k->entry[which];
    struct disk_node *node = entry ? sonde_disk_node_at(disk, entry->directory->fd, entry->name, false) : NULL;
    if (!node) return;
    struct disk_op op = {.call = e->call, .entry = {entry}, .after = {node}};
    struct stat info;
    bool is_first = e->act == SONDE_DISK_MAKE || (node->is_new && fstat(node->fd, &info) == 0 && info.st_nlink == 1);
    op.made = is_first ? node : NULL;
    node->is_new |= e->act == SONDE_DISK_MAKE;
    sonde_disk_log(disk, op, e->path, e->to);
}

static void after_rename(struct disk *disk, const struct sonde_disk_event *e, const struct kept *k)
{
    struct disk_op op = {.call = e->call, .entry = {k->entry[0], k->entry[1]}};
    if (!k->entry[0] || !k->entry[1]) return;
    if (k->entry[0] == k->entry[1] || (k->moved[0] == k->moved[1])) return; /* two names of one file: no change */
    op.after[0] = e->flags & RENAME_EXCHANGE ? k->moved[1] : NULL;
    op.after[1] = k->moved[0];
    if (e->flags & RENAME_WHITEOUT) sonde_disk_tell(disk, "%s with RENAME_WHITEOUT", e->call);
    sonde_disk_log(disk, op, e->path, e->to);
}

static void after_name(struct disk *disk, const struct sonde_disk_event *e, const struct kept *k)
{
    if (e->result != 0) return;
    switch (e->act) {
    case SONDE_DISK_MAKE: after_make(disk, e, k, 0); break;
    case SONDE_DISK_LINK: after_make(disk, e, k, 1); break;
    case SONDE_DISK_RENAME: after_rename(disk, e, k); break;
    default:
        if (k->entry[0]) sonde_disk_log(disk, (struct disk_op){.call = e->call, .entry = {k->entry[0]}}, e->path, NULL);
    }
}

/* ---- Syncs */

/* Makes a file safe after an fsync. A drawn failure drops the changes that the fsync was to write. A real failure is
 * not modelled, because the file system and the error decide whether it dropped them (EINTR does not). So the verdict
 * lists it, and the changes stay unsafe. */
static void after_sync(struct disk *disk, const struct sonde_disk_event *e)
{
    struct disk_node *node = sonde_disk_node(disk, e->fd);
    if (!node) return;
    if (e->result < 0) sonde_disk_drop(node);
    if (e->result > 0) sonde_disk_tell(disk, "%s: %s failed: %s", node->name, e->call, strerror((int)e->result));
    if (e->result != 0) return;
    if (node->is_io) {
        sonde_disk_find_unseen_change(disk, node);
        sonde_disk_make_safe(disk, node);
    }
    sonde_disk_make_names_safe(disk, node);
}

static void after_sync_all(struct disk *disk, const struct sonde_disk_event *e)
{
    struct stat info;
    if (e->result != 0 || (e->fd >= 0 && fstat(e->fd, &info))) return;
    const dev_t *device = e->fd >= 0 ? &info.st_dev : NULL;
    for (uint32_t i = 0; i < disk->n_nodes; i++) {
        struct disk_node *node = disk->nodes[i];
        if (node->is_io && (!device || node->device == *device)) sonde_disk_make_safe(disk, node);
    }
    sonde_disk_make_all_names_safe(disk, device);
}

/* ---- The rest */

/* Reads the status of the event's file. After the call, a change of mode, owner or times is reported. */
static bool stat_of(const struct sonde_disk_event *e, struct stat *info)
{
    return (e->path ? fstatat(e->at, e->path, info, AT_SYMLINK_NOFOLLOW) : fstat(e->fd, info)) == 0;
}

static bool same_status(const struct stat *a, const struct stat *b)
{
    return a->st_mode == b->st_mode && a->st_uid == b->st_uid && a->st_gid == b->st_gid
           && a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void after_other(struct disk *disk, const struct sonde_disk_event *e, const struct kept *k)
{
    struct stat info;
    char path[DISK_PATH] = "";
    if (e->result != 0 || !stat_of(e, &info) || (S_ISREG(info.st_mode) && !info.st_nlink)) return;
    if (e->act == SONDE_DISK_STATUS && same_status(&info, &k->status)) return;
    if (!e->path) sonde_disk_path(e->fd, path);
    const char *slash = strrchr(path, '/');
    sonde_disk_tell(disk, "%s of %s", e->call, e->path ? e->path : slash ? slash + 1 : path);
}

static void before(struct disk *disk, const struct sonde_disk_event *e, struct kept *k)
{
    switch (e->act) {
    case SONDE_DISK_OPEN: before_open(disk, e, k); break;
    case SONDE_DISK_WRITE: before_write(disk, e, k); break;
    case SONDE_DISK_RESIZE:
    case SONDE_DISK_GROW: before_resize(disk, e, k); break;
    case SONDE_DISK_MAP: before_map(disk, e, k); break;
    case SONDE_DISK_MAKE:
    case SONDE_DISK_LINK:
    case SONDE_DISK_RENAME:
    case SONDE_DISK_REMOVE: before_name(disk, e, k); break;
    case SONDE_DISK_STATUS:
        if (!stat_of(e, &k->status)) k->status = (struct stat){0};
        break;
    default: break;
    }
}

static void after(struct disk *disk, const struct sonde_disk_event *e, struct kept *k)
{
    switch (e->act) {
    case SONDE_DISK_OPEN: after_open(disk, e, k); break;
    case SONDE_DISK_WRITE: after_write(disk, e, k); break;
    case SONDE_DISK_RESIZE:
    case SONDE_DISK_GROW:
        if (k->node) sonde_disk_changed(k->node);
        break;
    case SONDE_DISK_MAP: after_map(disk, e, k); break;
    case SONDE_DISK_UNMAP:
        if (e->result == 0) sonde_disk_unmapped(disk, (uint64_t)e->offset);
        break;
    case SONDE_DISK_SYNC_MAP:
        if (e->result == 0) sonde_disk_make_map_safe(disk, (uint64_t)e->offset, e->n);
        break;
    case SONDE_DISK_SYNC: after_sync(disk, e); break;
    case SONDE_DISK_SYNC_ALL: after_sync_all(disk, e); break;
    case SONDE_DISK_STATUS:
    case SONDE_DISK_OTHER: after_other(disk, e, k); break;
    default: after_name(disk, e, k);
    }
}

void sonde_disk_follow(struct disk *disk, struct sonde_disk_event *e)
{
    if (!e->is_done) {
        struct kept *k = sonde_own_calloc(1, sizeof *k);
        e->kept = k;
        before(disk, e, k);
        return;
    }
    if (e->kept) after(disk, e, e->kept);
    sonde_free(e->kept);
    e->kept = NULL;
}
