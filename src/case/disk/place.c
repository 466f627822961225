#define _GNU_SOURCE /* O_PATH */
/* Changes the real directory entries to what the cut has left of them (model.h): each names its target.
 *
 * First, nodes are moved away from entries that are not to name them. A node that another entry needs gets a temporary
 * name in the same directory; any other is removed. Then targets take their entries by a rename or a link. A node that
 * has no name left becomes a new file with the same bytes. Directories are placed before their contents and removed
 * after them, so both steps repeat over all entries until nothing moves.
 *
 * An entry that does not name what the last operation left there was changed by others, and is not touched. */
#include "base/mem.h"
#include "case/disk/model.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_wanted(const struct disk *disk, const struct disk_node *node)
{
    for (uint32_t i = 0; i < disk->n_entries; i++)
        if (disk->entries[i]->target == node && disk->entries[i]->now != node) return true;
    return false;
}

/* ---- Leaving */

/* Moves the node of an entry away. Fails for a directory that others have put something into. */
static bool leave(struct disk *disk, struct disk_entry *e)
{
    static unsigned number;
    if (is_wanted(disk, e->now) || S_ISDIR(e->now->mode)) {
        snprintf(e->parked, sizeof e->parked, ".sonde-lost-%x-%x", (unsigned)getpid(), number++);
        return renameat(e->directory->fd, e->name, e->directory->fd, e->parked) == 0;
    }
    return unlinkat(e->directory->fd, e->name, 0) == 0;
}

/* Moves nodes away from all entries that are not to name them. Entries that already name their target, or cannot be
 * changed, are marked as placed. */
static void leave_all(struct disk *disk)
{
    for (uint32_t i = 0; i < disk->n_entries; i++) {
        struct disk_entry *e = disk->entries[i];
        e->is_placed = e->now == e->target;
        if (e->is_placed) continue;
        if (!sonde_disk_entry_is(e, e->now)) {
            sonde_disk_tell(disk, "%s: its name was changed by a call that sonde does not see", e->name);
            e->is_placed = true;
        } else if (e->now && !leave(disk, e)) {
            sonde_disk_tell(disk, "%s: it cannot be removed or renamed", e->name);
            e->is_placed = true;
            e->parked[0] = '\0';
        }
    }
}

/* ---- Taking */

static void copy_bytes(int from, int to)
{
    char bytes[65536];
    off_t at = 0;
    for (ssize_t n; (n = pread(from, bytes, sizeof bytes, at)) > 0; at += n)
        if (pwrite(to, bytes, (size_t)n, at) != n) return;
}

static int make_file(const struct disk_entry *e, const struct disk_node *node)
{
    char link[DISK_LINK];
    int from = open(sonde_disk_link(node->fd, link), O_RDONLY | O_CLOEXEC);
    int to = openat(e->directory->fd, e->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (from >= 0 && to >= 0) copy_bytes(from, to);
    if (to >= 0 && fchmod(to, node->mode & 07777)) close(to), to = -1;
    if (to >= 0) close(to);
    if (from >= 0) close(from);
    return to;
}

/* Creates the node again in the entry e, because the node has no name left. */
static bool make_again(struct disk_entry *e, struct disk_node *node)
{
    struct stat info;
    int at = e->directory->fd, result;
    if (S_ISREG(node->mode)) result = make_file(e, node);
    else if (S_ISDIR(node->mode)) result = mkdirat(at, e->name, node->mode & 07777);
    else if (S_ISLNK(node->mode)) result = symlinkat(node->target, at, e->name);
    else result = mknodat(at, e->name, node->mode, 0);
    if (result < 0) return false;
    int fd = sonde_disk_move_up(openat(at, e->name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (fd < 0 || fstat(fd, &info)) return false;
    sonde_disk_node_becomes(node, fd);
    node->inode = info.st_ino;
    return node->is_there = true;
}

/* Returns an entry that holds the node under a temporary name; NULL if there is none. */
static struct disk_entry *parked_entry(const struct disk *disk, const struct disk_node *node)
{
    for (uint32_t i = 0; i < disk->n_entries; i++)
        if (disk->entries[i]->now == node && disk->entries[i]->parked[0]) return disk->entries[i];
    return NULL;
}

static bool take(struct disk *disk, struct disk_entry *e)
{
    char link[DISK_LINK];
    struct disk_node *node = e->target;
    struct disk_entry *parked = parked_entry(disk, node);
    if (parked && !renameat(parked->directory->fd, parked->parked, e->directory->fd, e->name)) {
        parked->parked[0] = '\0';
        return node->is_there = true;
    }
    sonde_disk_link(node->fd, link);
    if (!S_ISDIR(node->mode) && linkat(AT_FDCWD, link, e->directory->fd, e->name, AT_SYMLINK_FOLLOW) == 0)
        return node->is_there = true;
    return make_again(e, node);
}

static void take_all(struct disk *disk)
{
    for (bool moves = true; moves;) {
        moves = false;
        for (uint32_t i = 0; i < disk->n_entries; i++) {
            struct disk_entry *e = disk->entries[i];
            if (e->is_placed || !e->target || !e->directory->is_there) continue;
            if (!take(disk, e)) sonde_disk_tell(disk, "%s: it cannot be restored", e->name);
            e->is_placed = moves = true;
        }
    }
}

/* ---- Removing temporary names that were not placed */

static void remove_parked(struct disk *disk)
{
    for (bool moves = true; moves;) {
        moves = false;
        for (uint32_t i = 0; i < disk->n_entries; i++) {
            struct disk_entry *e = disk->entries[i];
            bool is_directory = e->now && S_ISDIR(e->now->mode);
            if (!e->parked[0] || unlinkat(e->directory->fd, e->parked, is_directory ? AT_REMOVEDIR : 0)) continue;
            e->parked[0] = '\0';
            moves = true;
        }
    }
    for (uint32_t i = 0; i < disk->n_entries; i++) {
        struct disk_entry *e = disk->entries[i];
        if (!e->parked[0] || renameat(e->directory->fd, e->parked, e->directory->fd, e->name)) continue;
        sonde_disk_tell(disk, "%s: this directory is not empty, although run() removed everything that it put there",
                        e->name);
    }
}

/* Marks the directories that exist now: they have at least one link. No other node is marked yet. */
static void find_directories(struct disk *disk)
{
    struct stat info;
    for (uint32_t i = 0; i < disk->n_nodes; i++) {
        struct disk_node *node = disk->nodes[i];
        node->is_there = S_ISDIR(node->mode) && fstat(node->fd, &info) == 0 && info.st_nlink > 0;
    }
}

void sonde_disk_place(struct disk *disk)
{
    find_directories(disk);
    leave_all(disk);
    take_all(disk);
    remove_parked(disk);
}
