#define _GNU_SOURCE /* O_PATH, F_DUPFD_CLOEXEC */
/* See disk.h. Whole images are kept, because files of tests are small; what is larger is taken for safe. All calls here are made while the hook is off, and
 * none of them is followed.
 *
 * The model: a disk writes sectors whole, in any order, and what an fsync returned for is safe. So
 * after a cut each part of a file is as in one of its images since then, independently of the others,
 * and so is its length. Names go in their order, the last ones first, since file systems journal them.
 *
 * State is of the thread that runs the case, from sonde_disk_begin to _end or _cut; a case that was
 * left leaves it to be cleared by the next begin. The simplest answers lose nothing, so a shrunk case
 * loses only what it must. */
#include "case/disk.h"

#include "base/mem.h"
#include "case/case.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    IMAGE_MOST = 1 << 20, /* bytes of a file that is followed */
    IMAGES =
        32, /* of one file, since its last fsync; the newest takes the place of the one before when there are more */
    FILES = 32,
    NAMES = 64,
    SECTOR = 512, /* what a disk writes whole */
    DRAWN = 64,   /* parts of a file that are drawn one by one */
    OWN_DESCRIPTORS = 200
};

struct image {
    uint8_t *bytes;
    size_t n;
};

/* images[0] is safe, images[n - 1] is how the file is now; n is at least 1. Known by device and inode,
 * since names change. */
struct file {
    int fd; /* our own */
    dev_t device;
    ino_t inode;
    char name[256];
    struct image images[IMAGES]; /* the first is safe, the last is how it is now */
    unsigned n;
};

enum change { MADE, RENAMED, REMOVED };

/* A name in a directory. The directory is held by a descriptor, since paths change their meaning when
 * the code changes its directory or renames one. */
struct entry {
    int folder; /* O_PATH, ours; -1: none */
    char *name; /* its last component */
    char *path; /* as the code gave it, for people */
};

/* A change of a name, and what must be put back to undo it: the file that had the name before, if there
 * was one. */
struct name {
    enum change change;
    bool is_known; /* it can be undone */
    struct entry at, to;
    dev_t device; /* of the file that was made or renamed */
    ino_t inode;
    bool has_old; /* there was another file of this name */
    struct image old;
    mode_t mode;
};

/* Some 30 kB, so only a pointer to it is the thread's: what thread-local room a library takes is missing to whoever loads it later. */
struct disk {
    struct file files[FILES];
    struct name names[NAMES];
    unsigned n_files, n_names;
    struct name next; /* what the call that was announced will do */
    bool was_there;
};
static _Thread_local struct disk *disk; /* NULL while no files are followed */

/* ---- Images */

/* False for what is no plain file, or too large: that is not followed. */
static bool read_image(int fd, struct image *image)
{
    struct stat info;
    *image = (struct image){0};
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > IMAGE_MOST) return false;
    image->bytes = sonde_malloc((size_t)info.st_size + 1);
    while (image->n < (size_t)info.st_size) {
        ssize_t got = pread(fd, image->bytes + image->n, (size_t)info.st_size - image->n, (off_t)image->n);
        if (got <= 0) break;
        image->n += (size_t)got;
    }
    return true;
}

static void write_image(int fd, const struct image *image)
{
    size_t done = 0;
    if (ftruncate(fd, (off_t)image->n) != 0) return;
    while (done < image->n) {
        ssize_t wrote = pwrite(fd, image->bytes + done, image->n - done, (off_t)done);
        if (wrote <= 0) return;
        done += (size_t)wrote;
    }
}

/* So that a write of the same bytes is no image of its own, which would be a choice between equals. */
static bool is_same(const struct image *a, const struct image *b)
{
    return a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

/* ---- Files */

static struct file *find_file(int fd)
{
    struct stat info;
    if (fstat(fd, &info) != 0) return NULL;
    for (unsigned i = 0; i < disk->n_files; i++)
        if (disk->files[i].inode == info.st_ino && disk->files[i].device == info.st_dev) return &disk->files[i];
    return NULL;
}

/* Ours are high, where they do not get the numbers that the code expects. */
static int move_up(int low)
{
    int own = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, OWN_DESCRIPTORS);
    if (low >= 0 && own >= 0) close(low);
    return own >= 0 ? own : low;
}

/* A descriptor of ours for the same file, out of the way, that may read and write. The code under test
 * may close its descriptor, or may have opened the file for writing only. */
static int open_again(int fd, char name[256])
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    const char *slash = strrchr(path, '/');
    snprintf(name, 256, "%.250s", slash ? slash + 1 : path);
    return move_up(open(link, O_RDWR | O_CLOEXEC));
}

static struct file *add_file(int fd)
{
    struct stat info;
    struct file *file = find_file(fd);
    if (file || disk->n_files == FILES || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return file;
    file = &disk->files[disk->n_files];
    *file = (struct file){.device = info.st_dev, .inode = info.st_ino};
    file->fd = open_again(fd, file->name);
    if (file->fd < 0) return NULL;
    if (!read_image(file->fd, &file->images[0])) {
        close(file->fd);
        return NULL;
    }
    file->n = 1;
    disk->n_files++;
    return file;
}

/* The newest gives way when there are too many: what lies between is the least of what can be lost. */
static void note_image(struct file *file)
{
    struct image now;
    if (!read_image(file->fd, &now)) return;
    if (is_same(&now, &file->images[file->n - 1])) {
        sonde_free(now.bytes);
        return;
    }
    if (file->n == IMAGES) sonde_free(file->images[--file->n].bytes);
    file->images[file->n++] = now;
}

/* What is there now is safe. */
static void make_safe(struct file *file)
{
    note_image(file);
    struct image now = file->images[file->n - 1];
    while (file->n > 1) sonde_free(file->images[--file->n - 1].bytes);
    file->images[0] = now;
}

/* ---- Names */

static void free_entry(struct entry *entry)
{
    if (entry->folder >= 0) close(entry->folder);
    sonde_free(entry->name);
    sonde_free(entry->path);
    *entry = (struct entry){.folder = -1};
}

static void free_name(struct name *name)
{
    free_entry(&name->at);
    free_entry(&name->to);
    sonde_free(name->old.bytes);
    *name = (struct name){.at.folder = -1, .to.folder = -1};
}

/* The first n are safe. They are in the order of time, so the first ones are the oldest. */
static void forget_names(unsigned n)
{
    for (unsigned i = 0; i < n; i++) free_name(&disk->names[i]);
    disk->n_names -= n;
    memmove(disk->names, disk->names + n, disk->n_names * sizeof *disk->names);
}

/* Returns false for a name that cannot be held: a path without a last component, or a directory that cannot be opened. */
static bool hold_entry(struct entry *entry, int folder, const char *path)
{
    char parent[4096];
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    int n = slash ? (int)(slash - path) : 1;
    *entry = (struct entry){.folder = -1};
    if (!*last || !strcmp(last, ".") || !strcmp(last, "..") || n >= (int)sizeof parent) return false;
    snprintf(parent, sizeof parent, "%.*s", n ? n : 1, slash ? path : ".");
    entry->folder = move_up(openat(folder, parent, O_PATH | O_DIRECTORY | O_CLOEXEC));
    entry->name = sonde_strdup(last);
    entry->path = sonde_strdup(path);
    return entry->folder >= 0;
}

static bool names_inode(const struct entry *entry, dev_t device, ino_t inode)
{
    struct stat info;
    return entry->folder >= 0 && fstatat(entry->folder, entry->name, &info, AT_SYMLINK_NOFOLLOW) == 0
           && info.st_ino == inode && info.st_dev == device;
}

static bool is_free(const struct entry *entry)
{
    struct stat info;
    return fstatat(entry->folder, entry->name, &info, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
}

/* Keeps what a name stands for now, before the call: afterwards the old file is gone. Returns false if it cannot be kept; then
 * the change must not be undone either. */
static bool keep_old(struct name *name, const struct entry *entry)
{
    struct stat info;
    if (is_free(entry)) return true;
    int fd = openat(entry->folder, entry->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return false;
    name->has_old = fstat(fd, &info) == 0 && read_image(fd, &name->old);
    name->mode = info.st_mode & 07777;
    close(fd);
    return name->has_old;
}

/* Remembers what the announced call is about to change. */
static void will_name(const struct sonde_disk_event *e)
{
    struct name *next = &disk->next;
    struct stat info;
    free_name(next);
    bool is_held = hold_entry(&next->at, e->folder, e->path) && (!e->to || hold_entry(&next->to, e->to_folder, e->to));
    next->is_known = is_held && keep_old(next, e->to ? &next->to : &next->at);
    if (is_held && fstatat(next->at.folder, next->at.name, &info, AT_SYMLINK_NOFOLLOW) == 0)
        next->device = info.st_dev, next->inode = info.st_ino;
}

/* A change that cannot be undone, and all before it, are safe: undoing them would lose what was there. */
static void add_name(enum change change)
{
    if (disk->n_names == NAMES) forget_names(1);
    struct name *name = &disk->names[disk->n_names++];
    *name = disk->next;
    disk->next = (struct name){.at.folder = -1, .to.folder = -1};
    name->change = change;
    if (!name->is_known) forget_names(disk->n_names);
}

static void add_made(int fd)
{
    struct stat info;
    if (fstat(fd, &info) != 0) return;
    disk->next.device = info.st_dev;
    disk->next.inode = info.st_ino;
    disk->next.is_known = disk->next.at.folder >= 0 && names_inode(&disk->next.at, info.st_dev, info.st_ino);
    add_name(MADE);
}

static bool lies_in(const struct entry *entry, const struct stat *folder)
{
    struct stat info;
    return entry->folder >= 0 && fstat(entry->folder, &info) == 0 && info.st_ino == folder->st_ino
           && info.st_dev == folder->st_dev;
}

/* An fsync of a folder makes its names safe, that of a new file its own; with each, those that were changed before. */
static void make_names_safe(int fd)
{
    struct stat info;
    unsigned safe = 0;
    if (fstat(fd, &info) != 0) return;
    for (unsigned i = 0; i < disk->n_names; i++) {
        const struct name *name = &disk->names[i];
        bool is_in = S_ISDIR(info.st_mode) ? lies_in(&name->at, &info) || lies_in(&name->to, &info)
                                           : name->change == MADE && names_inode(&name->at, info.st_dev, info.st_ino);
        if (is_in) safe = i + 1;
    }
    forget_names(safe);
}

/* ---- What the calls report */

/* O_TRUNC is a change: the image before it must be taken before it. */
static void will_open(const struct sonde_disk_event *e)
{
    struct stat info;
    disk->was_there = fstatat(e->folder, e->path, &info, 0) == 0;
    free_name(&disk->next);
    if (!disk->was_there) hold_entry(&disk->next.at, e->folder, e->path);
    if (!disk->was_there || !(e->flags & O_TRUNC) || !S_ISREG(info.st_mode)) return;
    int fd = openat(e->folder, e->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return;
    add_file(fd);
    close(fd);
}

static void has_opened(const struct sonde_disk_event *e)
{
    if ((e->flags & O_ACCMODE) == O_RDONLY && !(e->flags & O_CREAT)) return;
    struct file *file = add_file(e->fd);
    if (file) note_image(file);
    if ((e->flags & O_CREAT) && !disk->was_there) add_made(e->fd);
}

/* WILL_ events come before a call, the others after one that has succeeded. */
static void follow(const struct sonde_disk_event *e)
{
    struct file *file = e->fd >= 0 ? find_file(e->fd) : NULL;
    switch (e->act) {
    case SONDE_DISK_WILL_OPEN: will_open(e); break;
    case SONDE_DISK_OPENED: has_opened(e); break;
    case SONDE_DISK_WILL_CHANGE: add_file(e->fd); break;
    case SONDE_DISK_CHANGED:
        if (file) note_image(file);
        break;
    case SONDE_DISK_SYNCED:
        if (file) make_safe(file);
        make_names_safe(e->fd);
        break;
    case SONDE_DISK_WILL_NAME: will_name(e); break;
    case SONDE_DISK_RENAMED: add_name(RENAMED); break;
    case SONDE_DISK_REMOVED: add_name(REMOVED); break;
    }
}

/* Off while it works: nothing that is done here fails or is followed. */
static void on_event(struct sonde_fault_hook *hook, const struct sonde_disk_event *event)
{
    unsigned (*ask)(struct sonde *, const struct sonde_fault_call *) = hook->ask;
    bool follows_files = hook->follows_files;
    hook->ask = NULL;
    hook->disk = NULL;
    hook->follows_files = false;
    follow(event);
    hook->ask = ask;
    hook->disk = on_event;
    hook->follows_files = follows_files;
}

static void clear(void)
{
    if (!disk) return;
    for (unsigned i = 0; i < disk->n_files; i++) {
        close(disk->files[i].fd);
        for (unsigned k = 0; k < disk->files[i].n; k++) sonde_free(disk->files[i].images[k].bytes);
    }
    forget_names(disk->n_names);
    free_name(&disk->next);
    sonde_free(disk);
    disk = NULL;
}

void sonde_disk_begin(struct sonde_fault_hook *hook)
{
    hook->disk = NULL;
    clear(); /* of a case that was left */
    disk = sonde_calloc(1, sizeof *disk);
    disk->next.at.folder = disk->next.to.folder = -1;
    hook->disk = on_event;
}

void sonde_disk_end(struct sonde_fault_hook *hook)
{
    hook->disk = NULL;
    clear();
}

/* ---- The cut */

enum survival { ALL, NOTHING, DRAWN_ONE_BY_ONE };

/* The bytes of a part as an image has them; what lies beyond its end is zero. */
static void read_part(const struct image *image, size_t at, size_t n, uint8_t *to)
{
    size_t there = at < image->n ? image->n - at : 0;
    memset(to, 0, n);
    memcpy(to, image->bytes + (there ? at : 0), there < n ? there : n);
}

static bool parts_differ(const struct image *a, const struct image *b, size_t at, size_t n)
{
    size_t in_a = at < a->n ? a->n - at : 0, in_b = at < b->n ? b->n - at : 0;
    in_a = in_a < n ? in_a : n;
    in_b = in_b < n ? in_b : n;
    return in_a != in_b || memcmp(a->bytes + (in_a ? at : 0), b->bytes + (in_b ? at : 0), in_a) != 0;
}

/* The note has it in words. */
static void hide_choice(sonde *t)
{
    t->tape.choices[t->tape.n_choices - 1].flags |= SONDE_CHOICE_RULE;
}

/* Which of the images, the newest first, that differ here; the newest is simplest. Images that agree in
 * this part are one choice, so that there is no draw where nothing can differ. */
static unsigned draw_image(sonde *t, const char *label, const struct file *file, size_t at, size_t n)
{
    unsigned different[IMAGES], count = 0;
    for (unsigned i = file->n; i-- > 0;) {
        const struct image *image = &file->images[i], *newer = count ? &file->images[different[count - 1]] : NULL;
        if (!newer || (n ? parts_differ(image, newer, at, n) : image->n != newer->n)) different[count++] = i;
    }
    if (count < 2) return file->n - 1;
    size_t at_image = sonde_pick(t, label, count);
    hide_choice(t);
    return different[at_image];
}

static size_t longest(const struct file *file)
{
    size_t n = 0;
    for (unsigned i = 0; i < file->n; i++) n = file->images[i].n > n ? file->images[i].n : n;
    return n;
}

/* At most DRAWN parts, each a whole number of sectors: a large file has larger parts, not more draws. */
static void cut_file(sonde *t, const struct file *file, enum survival survival)
{
    size_t n = longest(file), part = (n / DRAWN / SECTOR + 1) * SECTOR;
    const struct image *safe = &file->images[0], *newest = &file->images[file->n - 1];
    struct image left = {.bytes = sonde_calloc(1, n + part)};
    bool draws = survival == DRAWN_ONE_BY_ONE;
    left.n = file->images[draws ? draw_image(t, "length", file, 0, 0) : 0].n;
    for (size_t at = 0; at < n; at += part)
        read_part(&file->images[draws ? draw_image(t, "block", file, at, part) : 0], at, part, left.bytes + at);
    bool loses = !is_same(&left, newest);
    if (loses) write_image(file->fd, &left);
    if (loses && t->shows)
        sonde_note(t, "power cut: %s is left with %zu bytes%s; %zu were written", file->name, left.n,
                   is_same(&left, safe) ? ", as at its last fsync" : ", blocks of it as they were earlier", newest->n);
    sonde_free(left.bytes);
}

/* Only where nothing is. */
static void put_back(const struct entry *entry, const struct name *name)
{
    if (!name->has_old) return;
    int fd = openat(entry->folder, entry->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, name->mode);
    if (fd < 0) return;
    write_image(fd, &name->old);
    close(fd);
}

/* From the last one on: each finds the names as they were after it was made. A name that is not as that change left it was
 * changed by other means, and stays as it is. Returns false then. */
static bool undo_name(const struct name *name)
{
    const struct entry *now = name->change == RENAMED ? &name->to : &name->at;
    if (name->change == REMOVED) {
        if (!is_free(now)) return false;
        put_back(now, name);
        return true;
    }
    if (!names_inode(now, name->device, name->inode)) return false;
    if (name->change == MADE) return unlinkat(now->folder, now->name, 0) == 0;
    if (!is_free(&name->at) || renameat(now->folder, now->name, name->at.folder, name->at.name) != 0) return false;
    put_back(now, name);
    return true;
}

static void lose_name(sonde *t, const struct name *name)
{
    static const char *const words[] = {[MADE] = "open", [RENAMED] = "rename", [REMOVED] = "unlink"};
    const char *to = name->to.path;
    if (!undo_name(name) || !t->shows) return;
    sonde_note(t, "power cut: %s(\"%s\"%s%s%s) is lost", words[name->change], name->at.path, to ? ", \"" : "",
               to ? to : "", to ? "\"" : "");
}

static unsigned draw_names(sonde *t)
{
    unsigned n = (unsigned)sonde_u64(t, "names", 0, disk->n_names);
    hide_choice(t);
    return n;
}

/* Nothing is drawn if nothing was changed since it was safe: a property without files pays nothing and
 * has no choices for it. */
void sonde_disk_cut(sonde *t, struct sonde_fault_hook *hook)
{
    static const unsigned weights[] = {[ALL] = 1, [NOTHING] = 2, [DRAWN_ONE_BY_ONE] = 3};
    unsigned n_lost = 0, changed = 0;
    hook->disk = NULL;
    for (unsigned i = 0; i < disk->n_files; i++) {
        note_image(&disk->files[i]);
        changed += disk->files[i].n > 1;
    }
    if (!changed && !disk->n_names) {
        clear();
        return;
    }
    enum survival survival = (enum survival)sonde_weighted(t, "loses", weights, 3);
    hide_choice(t);
    for (unsigned i = 0; survival != ALL && i < disk->n_files; i++)
        if (disk->files[i].n > 1) cut_file(t, &disk->files[i], survival);
    if (disk->n_names && survival != ALL) n_lost = survival == NOTHING ? disk->n_names : draw_names(t);
    for (unsigned i = 0; i < n_lost; i++) lose_name(t, &disk->names[disk->n_names - 1 - i]);
    clear();
}
