#define _GNU_SOURCE /* st_mtim */
/* The contents of files since they were last safe (model.h): the bytes that each change replaced, and the lengths.
 *
 * The present bytes are in the file itself. So an older version of a sector is the present one with the changes to it
 * undone, latest first. A write beyond the end keeps only its position.
 *
 * Invariants: records are in order of time. A file with records has lengths, and the first one is the length at its
 * last sync. n_kept is the sum of the bytes in all records. */
#include "base/check.h"
#include "base/mem.h"
#include "case/disk/model.h"

#include <string.h>
#include <unistd.h>

/* Bytes that one run may overwrite between two syncs. Further changes are reported as not tracked, and count as
 * safe. */
static const uint64_t kept_most = UINT64_C(1) << 28;

static uint64_t size_of(const struct disk_node *node)
{
    struct stat info;
    return fstat(node->fd, &info) ? 0 : (uint64_t)info.st_size;
}

uint64_t sonde_disk_read(int fd, uint8_t *to, uint64_t n, uint64_t at)
{
    uint64_t done = 0;
    while (done < n) {
        ssize_t got = pread(fd, to + done, n - done, (off_t)(at + done));
        if (got <= 0) break;
        done += (uint64_t)got;
    }
    return done;
}

/* ---- Lengths */

/* Appends a length. The first length must be the safe one, so it is noted before the first change. */
static void note_length(struct disk_node *node, uint64_t n)
{
    struct disk_length *last = node->n_lengths ? &node->lengths[node->n_lengths - 1] : NULL;
    if (last && last->n == n && last->epoch == node->epoch) return;
    node->lengths = sonde_own_grow(node->lengths, &node->cap_lengths, node->n_lengths + 1, sizeof *node->lengths);
    node->lengths[node->n_lengths++] = (struct disk_length){.n = n, .epoch = node->epoch};
}

/* ---- Records */

static void free_record(struct disk *disk, struct disk_node *node, uint32_t i)
{
    disk->n_kept -= node->records[i].n_old;
    sonde_free(node->records[i].old);
    node->n_records--;
    memmove(node->records + i, node->records + i + 1, (node->n_records - i) * sizeof *node->records);
}

static void insert_record(struct disk_node *node, uint32_t at, struct disk_record record)
{
    sonde_assert(at <= node->n_records);
    node->records = sonde_own_grow(node->records, &node->cap_records, node->n_records + 1, sizeof *node->records);
    memmove(node->records + at + 1, node->records + at, (node->n_records - at) * sizeof *node->records);
    node->records[at] = record;
    node->n_records++;
}

uint64_t sonde_disk_keep(struct disk *disk, struct disk_node *node, uint64_t at, uint64_t n)
{
    uint64_t size = size_of(node), n_old = at < size ? size - at : 0;
    n_old = n_old < n ? n_old : n;
    note_length(node, size);
    if (!n) return 0;
    if (disk->n_kept + n_old > kept_most) {
        sonde_disk_tell(disk, "%s: more than %llu MB were overwritten without an fsync", node->name,
                        (unsigned long long)kept_most >> 20);
        return 0;
    }
    struct disk_record record = {.at = at, .n = n, .n_old = n_old, .order = ++disk->last_order, .epoch = node->epoch};
    record.old = n_old ? sonde_own_malloc(n_old) : NULL;
    record.n_old = n_old ? sonde_disk_read(node->fd, record.old, n_old, at) : 0;
    disk->n_kept += record.n_old;
    insert_record(node, node->n_records, record);
    return record.order;
}

static struct disk_record *find_record(struct disk_node *node, uint64_t order)
{
    for (uint32_t i = node->n_records; order && i-- > 0;)
        if (node->records[i].order == order) return &node->records[i];
    return NULL;
}

void sonde_disk_changed(struct disk_node *node)
{
    struct stat info;
    if (fstat(node->fd, &info)) return;
    node->size = (uint64_t)info.st_size;
    node->changed = info.st_mtim;
    node->has_changed = true;
    if (node->n_lengths) note_length(node, node->size);
    if (node->n_lengths == 1 && !node->n_records) node->n_lengths = 0;
}

void sonde_disk_kept(struct disk *disk, struct disk_node *node, uint64_t order, uint64_t n)
{
    struct disk_record *r = find_record(node, order);
    if (r && n == 0) {
        free_record(disk, node, (uint32_t)(r - node->records));
    } else if (r && n < r->n) {
        r->n = n;
        if (r->n_old > n) {
            disk->n_kept -= r->n_old - n;
            r->n_old = n;
        }
    }
    sonde_disk_changed(node);
}

void sonde_disk_will_resize(struct disk *disk, struct disk_node *node, uint64_t n)
{
    uint64_t size = size_of(node);
    note_length(node, size);
    if (n >= size) return;
    struct disk_record *r = find_record(node, sonde_disk_keep(disk, node, n, size - n));
    node->epoch++;
    if (!r) return;
    r->is_shrink = true;
    r->epoch = node->epoch;
}

/* Times of some file systems are coarse, so this function detects many unseen changes, not all. A mapping changes the
 * file without a call. */
void sonde_disk_find_unseen_change(struct disk *disk, struct disk_node *node)
{
    struct stat info;
    if (!node->has_changed || node->is_ignored || fstat(node->fd, &info)) return;
    for (uint32_t i = 0; i < node->n_records; i++)
        if (node->records[i].is_map) return;
    if ((uint64_t)info.st_size == node->size && info.st_mtim.tv_sec == node->changed.tv_sec
        && info.st_mtim.tv_nsec == node->changed.tv_nsec)
        return;
    sonde_disk_tell(disk, "%s: it was changed by a call that sonde does not see", node->name);
    sonde_disk_changed(node);
}

/* ---- Mappings */

void sonde_disk_mapped(struct disk_node *node, uint64_t order, uint64_t address)
{
    struct disk_record *r = find_record(node, order);
    if (!r) return;
    r->is_map = true;
    r->address = address;
}

void sonde_disk_unmapped(struct disk *disk, uint64_t address)
{
    for (uint32_t i = 0; i < disk->n_nodes; i++)
        for (uint32_t k = 0; k < disk->nodes[i]->n_records; k++)
            if (disk->nodes[i]->records[k].address == address) disk->nodes[i]->records[k].address = 0;
}

/* Updates a mapping's record to the present bytes, which are safe now. The mapping may change again. */
static void renew_map(struct disk_node *node, struct disk_record *r, uint64_t from, uint64_t end)
{
    end = end < r->n_old ? end : r->n_old;
    if (from < end) sonde_disk_read(node->fd, r->old + from, end - from, r->at + from);
}

void sonde_disk_make_map_safe(struct disk *disk, uint64_t address, uint64_t n)
{
    for (uint32_t i = 0; i < disk->n_nodes; i++) {
        struct disk_node *node = disk->nodes[i];
        for (uint32_t k = 0; k < node->n_records; k++) {
            struct disk_record *r = &node->records[k];
            if (!r->address || address + n <= r->address || address >= r->address + r->n) continue;
            uint64_t from = address > r->address ? address - r->address : 0;
            renew_map(node, r, from, address + n - r->address);
        }
    }
}

/* ---- Safe */

static void forget_lengths(struct disk_node *node)
{
    node->n_lengths = 0;
    if (node->n_records) note_length(node, size_of(node));
}

/* Removes the part of a record in [at, at + n), which has reached the disk meanwhile. Zero, one or two records replace
 * it, from index i on. */
static void cut_record(struct disk *disk, struct disk_node *node, uint32_t i, uint64_t at, uint64_t n)
{
    struct disk_record r = node->records[i];
    uint64_t end = at + n, r_end = r.at + r.n;
    if (r.at >= end || at >= r_end || r.is_map) return;
    if (r_end > end && r.at < at) { /* two records remain: the second half is copied */
        struct disk_record behind = r;
        behind.at = end, behind.n = r_end - end;
        behind.n_old = r.at + r.n_old > end ? r.at + r.n_old - end : 0;
        behind.old = behind.n_old ? sonde_own_malloc(behind.n_old) : NULL;
        if (behind.n_old) memcpy(behind.old, r.old + (end - r.at), behind.n_old);
        disk->n_kept += behind.n_old;
        insert_record(node, i + 1, behind);
    } else if (r_end > end) {
        uint64_t off = end - r.at, n_old = r.n_old > off ? r.n_old - off : 0;
        if (n_old) memmove(r.old, r.old + off, n_old);
        disk->n_kept -= r.n_old - n_old;
        r.at = end, r.n -= off, r.n_old = n_old;
        node->records[i] = r;
        return;
    }
    if (r.at >= at) {
        free_record(disk, node, i);
        return;
    }
    r.n = at - r.at;
    if (r.n_old > r.n) disk->n_kept -= r.n_old - r.n, r.n_old = r.n;
    node->records[i] = r;
}

/* Makes truncations safe, too: a truncation changes the inode, and the inode is written together with the length. */
void sonde_disk_make_range_safe(struct disk *disk, struct disk_node *node, uint64_t at, uint64_t n)
{
    uint64_t from = at / DISK_SECTOR * DISK_SECTOR, end = (at + n + DISK_SECTOR - 1) / DISK_SECTOR * DISK_SECTOR;
    for (uint32_t i = node->n_records; i-- > 0;) {
        if (node->records[i].is_shrink) free_record(disk, node, i);
        else cut_record(disk, node, i, from, end - from);
    }
    forget_lengths(node);
}

/* Makes dropped changes safe where `r` has overwritten them: a failed fsync dropped them, but the later write reaches
 * the disk. */
static void rewrite_dropped(struct disk *disk, struct disk_node *node, struct disk_record r)
{
    for (uint32_t i = node->n_records; i-- > 0;)
        if (node->records[i].is_dropped && node->records[i].order < r.order) cut_record(disk, node, i, r.at, r.n);
}

void sonde_disk_make_safe(struct disk *disk, struct disk_node *node)
{
    uint32_t n = node->fsync_failed ? node->n_records : 0;
    /* Works on a copy, because rewrite_dropped changes the array. */
    struct disk_record *before = sonde_own_malloc((n + 1) * sizeof *before);
    if (n) memcpy(before, node->records, n * sizeof *before);
    for (uint32_t i = 0; i < n; i++)
        if (!before[i].is_dropped && !before[i].is_map) rewrite_dropped(disk, node, before[i]);
    sonde_free(before);
    for (uint32_t i = node->n_records; i-- > 0;) {
        if (node->records[i].is_map) renew_map(node, &node->records[i], 0, node->records[i].n);
        else if (!node->records[i].is_dropped) free_record(disk, node, i);
    }
    forget_lengths(node);
}

void sonde_disk_drop(struct disk_node *node)
{
    for (uint32_t i = 0; i < node->n_records; i++)
        if (!node->records[i].is_map) node->records[i].is_dropped = node->fsync_failed = true;
}

/* ---- Before the cut */

static bool map_is_as_before(struct disk_node *node, const struct disk_record *r)
{
    uint8_t *now = sonde_own_malloc(r->n_old + 1);
    bool is_same = sonde_disk_read(node->fd, now, r->n_old, r->at) == r->n_old
                   && (!r->n_old || memcmp(now, r->old, r->n_old) == 0);
    sonde_free(now);
    return is_same;
}

bool sonde_disk_is_dirty(struct disk *disk, struct disk_node *node)
{
    if (!node->is_io) return false;
    for (uint32_t i = node->n_records; i-- > 0;)
        if (node->records[i].is_map && map_is_as_before(node, &node->records[i])) free_record(disk, node, i);
    return node->n_records || node->n_lengths > 1;
}

void sonde_disk_contents_free(struct disk *disk, struct disk_node *node)
{
    while (node->n_records) free_record(disk, node, node->n_records - 1);
    sonde_free(node->records);
    sonde_free(node->lengths);
}
