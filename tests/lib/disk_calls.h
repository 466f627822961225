/* Calls on real files that tell the disk model what they do, as addons/faults does for the code under test. */
#ifndef SONDE_TESTS_LIB_DISK_CALLS_H
#define SONDE_TESTS_LIB_DISK_CALLS_H

#include "case/disk/disk.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static struct sonde_fault_hook disk_hook;

static inline void disk_begin(sonde *t)
{
    disk_hook = (struct sonde_fault_hook){.t = t};
    sonde_disk_begin(t, &disk_hook);
}

static inline void disk_before(struct sonde_disk_event *event)
{
    disk_hook.disk(&disk_hook, event);
}

static inline int disk_after(struct sonde_disk_event *event, int64_t result)
{
    event->is_done = true;
    event->result = result;
    disk_hook.disk(&disk_hook, event);
    return (int)result;
}

static inline int disk_open(int at, const char *path, int flags)
{
    struct sonde_disk_event e = {.act = SONDE_DISK_OPEN, .call = "openat", .at = at, .path = path, .flags = flags};
    disk_before(&e);
    return disk_after(&e, openat(at, path, flags, 0600));
}

static inline int disk_write(int fd, const void *bytes, size_t n, int64_t offset)
{
    struct sonde_disk_event e = {.act = SONDE_DISK_WRITE, .call = "pwrite", .fd = fd, .offset = offset, .n = n};
    disk_before(&e);
    return disk_after(&e, pwrite(fd, bytes, n, (off_t)offset));
}

static inline int disk_resize(int fd, uint64_t n)
{
    struct sonde_disk_event e = {.act = SONDE_DISK_RESIZE, .call = "ftruncate", .fd = fd, .n = n};
    disk_before(&e);
    return disk_after(&e, ftruncate(fd, (off_t)n));
}

/* `result` is what the model sees, whatever the system does: 0, -1 for a drawn failure, or the errno of a real one. */
static inline int disk_sync(int fd, int result)
{
    struct sonde_disk_event e = {.act = SONDE_DISK_SYNC, .call = "fsync", .fd = fd};
    disk_before(&e);
    return disk_after(&e, result);
}

static inline int disk_rename(int at, const char *path, const char *to)
{
    struct sonde_disk_event e = {
        .act = SONDE_DISK_RENAME, .call = "renameat", .at = at, .path = path, .to_at = at, .to = to};
    disk_before(&e);
    return disk_after(&e, renameat(at, path, at, to));
}

static inline int disk_remove(int at, const char *path)
{
    struct sonde_disk_event e = {.act = SONDE_DISK_REMOVE, .call = "unlinkat", .at = at, .path = path};
    disk_before(&e);
    return disk_after(&e, unlinkat(at, path, 0));
}

static inline void disk_cut(sonde *t)
{
    sonde_disk_cut(t, &disk_hook);
}

#endif
