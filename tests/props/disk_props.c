/* sonde on sonde: the disk model against a naive one.
 *
 * The property changes one real file and tells the model of it; the naive model copies the whole file after every
 * change. After the power cut each sector must hold a value that it had since the last fsync, and the length must be
 * one of those that the file had since then. The model keeps differences only, cut and joined by syncs, so the two have
 * nothing in common.
 * Stages: gcc */
#include "case/case.h"
#include "lib/disk_calls.h"

#include <sonde.h>

#include <stdlib.h>
#include <string.h>

enum { SECTOR = 512, SECTORS = 6, ROOM = SECTORS * SECTOR, VERSIONS = 32 };

/* The file as it was, oldest first; the first one is safe. */
struct versions {
    struct version {
        uint8_t bytes[ROOM]; /* zeros behind the end */
        size_t n;
    } all[VERSIONS];
    size_t n;
};

static void look(struct versions *v, int fd)
{
    struct version *now = &v->all[v->n++];
    memset(now, 0, sizeof *now);
    now->n = (size_t)pread(fd, now->bytes, ROOM, 0);
}

struct file {
    char name[32];
    int fd;
};

static void remove_file(void *file)
{
    close(((struct file *)file)->fd);
    unlink(((struct file *)file)->name);
}

static int make_file(sonde *t)
{
    struct file *file = sonde_alloc(t, sizeof *file);
    strcpy(file->name, "/tmp/sonde_disk_XXXXXX");
    file->fd = mkstemp(file->name);
    sonde_defer(t, remove_file, file);
    return file->fd;
}

static void change(sonde *t, int fd)
{
    uint8_t bytes[ROOM];
    size_t from = sonde_pick(t, "from", ROOM), n = 1 + sonde_pick(t, "n", ROOM - from);
    if (sonde_chance(t, "resizes", 0.2)) {
        sonde_check_eq(t, disk_resize(fd, from), 0);
        return;
    }
    memset(bytes, 'a' + (int)sonde_pick(t, "letter", 26), n);
    sonde_check_eq(t, disk_write(fd, bytes, n, (int64_t)from), (int)n);
}

static bool is_one_of(const struct versions *v, const struct version *now, size_t sector, size_t n)
{
    for (size_t i = 0; i < v->n; i++)
        if (memcmp(v->all[i].bytes + sector * SECTOR, now->bytes + sector * SECTOR, n) == 0) return true;
    return false;
}

/* Of the last sector, what lies before the end counts. */
static void check_contents(sonde *t, const struct versions *v, const struct version *now)
{
    bool is_length = false;
    for (size_t i = 0; i < v->n; i++) is_length |= v->all[i].n == now->n;
    sonde_check(t, is_length);
    for (size_t s = 0; s * SECTOR < now->n; s++) {
        size_t left = now->n - s * SECTOR;
        sonde_check(t, is_one_of(v, now, s, left < SECTOR ? left : SECTOR));
    }
}

static void a_cut_leaves_values_since_the_last_fsync(sonde *t)
{
    struct versions *v = sonde_alloc(t, sizeof *v);
    int fd = make_file(t);
    v->n = 0;
    disk_begin(t);
    look(v, fd);
    sonde_list changes = sonde_list_of(t, "changes", 0, VERSIONS - 2);
    while (sonde_more(&changes)) {
        change(t, fd);
        if (sonde_chance(t, "fsync", 0.2)) {
            disk_sync(fd, 0);
            v->n = 0;
        }
        look(v, fd);
    }
    disk_cut(t);
    look(v, fd);
    sonde_classify(t, memcmp(&v->all[v->n - 1], &v->all[v->n - 2], sizeof *v->all) != 0, "something is lost");
    v->n--;
    check_contents(t, v, &v->all[v->n]);
}

/* Nothing in between: the file is safe, or as it was before the last change. */
static void what_was_synced_stays(sonde *t)
{
    struct versions *v = sonde_alloc(t, sizeof *v);
    int fd = make_file(t);
    v->n = 0;
    disk_begin(t);
    sonde_list changes = sonde_list_of(t, "changes", 1, VERSIONS - 2);
    while (sonde_more(&changes)) change(t, fd);
    disk_sync(fd, 0);
    look(v, fd);
    disk_cut(t);
    look(v, fd);
    sonde_check(t, memcmp(&v->all[0], &v->all[1], sizeof *v->all) == 0);
}

SONDE_MAIN(a_cut_leaves_values_since_the_last_fsync, what_was_synced_stays)
