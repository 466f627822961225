#define _GNU_SOURCE /* O_PATH */
/* Directory entries, and the operations of run() on them since they were last safe (model.h).
 *
 * An entry is a directory, held by a descriptor, and a name in it. So it stays the same when the code changes its
 * working directory or renames the directory. An operation states what its entries name afterwards. The state on disk
 * is the last safe one, plus a subset of the later operations, in order.
 *
 * Entries decide whether an operation can survive without another. An operation needs all earlier operations on its
 * entries. It also needs the creation of the directories of these entries, and of the file that it names. */
#include "base/hash.h"
#include "base/mem.h"
#include "case/disk/model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct disk_entry *entry_in(struct disk *disk, struct disk_node *directory, const char *name)
{
    uint64_t key = sonde_hash_text((uint64_t)(uintptr_t)directory, name);
    uint32_t *slot = sonde_map_at(&disk->by_name, key);
    struct disk_entry *first = *slot ? disk->entries[*slot - 1] : NULL;
    for (struct disk_entry *e = first; e; e = e->next)
        if (e->directory == directory && !strcmp(e->name, name)) return e;
    struct disk_entry *entry = sonde_own_calloc(1, sizeof *entry);
    *entry = (struct disk_entry){.directory = directory, .name = sonde_own_strdup(name), .next = first};
    disk->entries = sonde_own_grow(disk->entries, &disk->cap_entries, disk->n_entries + 1, sizeof *disk->entries);
    disk->entries[disk->n_entries++] = entry;
    *slot = disk->n_entries;
    return entry;
}

/* Slashes at the end belong to the name: mkdir("a/") makes "a". */
struct disk_entry *sonde_disk_entry(struct disk *disk, int at, const char *path)
{
    char parent[4096], name[256];
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    size_t from = n;
    while (from > 0 && path[from - 1] != '/') from--;
    if (n == from || n - from >= sizeof name || from >= sizeof parent) return NULL;
    snprintf(name, sizeof name, "%.*s", (int)(n - from), path + from);
    snprintf(parent, sizeof parent, "%.*s", from ? (int)from : 1, from ? path : ".");
    if (!strcmp(name, ".") || !strcmp(name, "..")) return NULL;
    struct disk_node *directory = sonde_disk_node_at(disk, at, parent, true);
    return directory && S_ISDIR(directory->mode) ? entry_in(disk, directory, name) : NULL;
}

struct disk_entry *sonde_disk_entry_of(struct disk *disk, int fd)
{
    char path[DISK_PATH];
    return *sonde_disk_path(fd, path) ? sonde_disk_entry(disk, AT_FDCWD, path) : NULL;
}

bool sonde_disk_entry_is(const struct disk_entry *entry, const struct disk_node *node)
{
    struct stat info;
    if (fstatat(entry->directory->fd, entry->name, &info, AT_SYMLINK_NOFOLLOW)) return !node && errno == ENOENT;
    return node && info.st_ino == node->inode && info.st_dev == node->device;
}

static bool has_op(const struct disk *disk, const struct disk_entry *entry)
{
    for (uint32_t i = disk->n_ops; i-- > 0;)
        if (disk->ops[i].entry[0] == entry || disk->ops[i].entry[1] == entry) return true;
    return false;
}

void sonde_disk_entry_refresh(struct disk *disk, struct disk_entry *entry)
{
    if (sonde_disk_entry_is(entry, entry->now)) return;
    if (has_op(disk, entry))
        sonde_disk_tell(disk, "%s: its name was changed by a call that sonde does not see", entry->name);
    entry->now = sonde_disk_node_at(disk, entry->directory->fd, entry->name, false);
    if (!has_op(disk, entry)) entry->base = entry->now;
}

void sonde_disk_log(struct disk *disk, struct disk_op op, const char *path, const char *to)
{
    op.path = sonde_own_strdup(path ? path : "");
    op.to = to ? sonde_own_strdup(to) : NULL;
    op.number = ++disk->last_number;
    disk->ops = sonde_own_grow(disk->ops, &disk->cap_ops, disk->n_ops + 1, sizeof *disk->ops);
    disk->ops[disk->n_ops++] = op;
    for (int k = 0; k < 2; k++)
        if (op.entry[k]) op.entry[k]->now = op.after[k];
}

/* ---- Safe */

static bool is_needed(const struct disk_op *op)
{
    for (int k = 0; k < 2; k++)
        if (op->entry[k] && op->entry[k]->is_needed) return true;
    return op->made && op->made->is_marked;
}

/* Marks the entries and directories that a safe operation needs. A safe entry in a new directory that is not safe is
 * lost with the directory, unless its node existed before run(). */
static void mark_needs(const struct disk_op *op, bool is_on)
{
    for (int k = 0; k < 2; k++) {
        if (!op->entry[k]) continue;
        op->entry[k]->is_needed = is_on;
        if (!is_on || (op->after[k] && !op->after[k]->is_new)) op->entry[k]->directory->is_marked = is_on;
    }
}

static void free_op(struct disk_op *op)
{
    sonde_free(op->path);
    sonde_free(op->to);
}

/* Makes everything that a safe operation needs safe as well, then removes safe operations from the log. Needed
 * operations come earlier, so one pass from the last one back finds them. */
static void remove_safe_ops(struct disk *disk)
{
    uint32_t n = 0;
    for (uint32_t i = disk->n_ops; i-- > 0;) {
        struct disk_op *op = &disk->ops[i];
        op->is_safe |= is_needed(op);
        if (op->is_safe) mark_needs(op, true);
        if (op->is_safe && op->number > disk->safe_number) disk->safe_number = op->number;
    }
    for (uint32_t i = 0; i < disk->n_ops; i++) mark_needs(&disk->ops[i], false);
    for (uint32_t i = 0; i < disk->n_ops; i++) {
        struct disk_op op = disk->ops[i];
        for (int k = 0; op.is_safe && k < 2; k++)
            if (op.entry[k]) op.entry[k]->base = op.after[k];
        if (op.is_safe) free_op(&op);
        else disk->ops[n++] = op;
    }
    disk->n_ops = n;
}

static bool touches(const struct disk_op *op, const struct disk_node *directory)
{
    return (op->entry[0] && op->entry[0]->directory == directory)
           || (op->entry[1] && op->entry[1]->directory == directory);
}

/* Makes operations safe as a journal does, which is written up to the last operation on this file. POSIX itself
 * guarantees nothing about the file's names. */
static void sync_journal(struct disk *disk, const struct disk_node *node)
{
    for (uint32_t i = 0; i < disk->n_ops; i++) {
        const struct disk_op *op = &disk->ops[i];
        bool is_about = op->made == node || op->after[0] == node || op->after[1] == node;
        if (is_about && op->number > disk->safe_number) disk->safe_number = op->number;
    }
}

void sonde_disk_make_names_safe(struct disk *disk, struct disk_node *node)
{
    if (!S_ISDIR(node->mode)) {
        sync_journal(disk, node);
        return;
    }
    for (uint32_t i = 0; i < disk->n_ops; i++) disk->ops[i].is_safe |= touches(&disk->ops[i], node);
    remove_safe_ops(disk);
}

void sonde_disk_make_all_names_safe(struct disk *disk, const dev_t *device)
{
    for (uint32_t i = 0; i < disk->n_ops; i++) {
        struct disk_op *op = &disk->ops[i];
        const struct disk_entry *entry = op->entry[0] ? op->entry[0] : op->entry[1];
        op->is_safe |= !device || entry->directory->device == *device;
    }
    remove_safe_ops(disk);
}

void sonde_disk_names_free(struct disk *disk)
{
    for (uint32_t i = 0; i < disk->n_ops; i++) free_op(&disk->ops[i]);
    for (uint32_t i = 0; i < disk->n_entries; i++) {
        sonde_free(disk->entries[i]->name);
        sonde_free(disk->entries[i]);
    }
    sonde_free(disk->ops);
    sonde_free(disk->entries);
    sonde_map_clear(&disk->by_name);
}
