/* Failures in a shared directory. The newest are read first, so that neither junk nor a large number of
 * files hides one that was found just now. */
#include "share/folder.h"

#include "base/hash.h"
#include "base/limit.h"
#include "base/mem.h"
#include "store/files.h"
#include "store/format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define SUFFIX ".tape"
#define SHRUNK ".min.tape"

enum {
    NAMES_MAX = SONDE_LIMIT(1 << 15, 32), /* maximum number of names that one visit reads */
    AT_ONCE = SONDE_LIMIT(64, 4),         /* maximum number of failures that one visit reads */
    /* maximum number of failures that are remembered; with more, all are read again */
    KNOWN_MAX = SONDE_LIMIT(1 << 17, 64),
    FILE_MAX = 1 << 18 /* maximum size of a failure's file in bytes */
};

/* Reads and checks the file of a failure. After 0 the caller clears *found. */
static int read_failure(const struct sonde_shared_place *p, const char *file, struct sonde_stored *found)
{
    const char *reason;
    size_t n;
    char *path = sonde_path("%s/failures/%s", p->directory, file), *bytes;
    int error = sonde_below_read(path, p->named, FILE_MAX, &bytes, &n);
    sonde_free(path);
    if (!error) error = sonde_stored_read(found, bytes, n, &reason);
    sonde_free(bytes);
    return error;
}

/* Keeps the first failure of an id, unless its file cannot be read: that file would only hide this failure. */
int sonde_folder_put_failure(struct sonde_shared_place *p, const struct sonde_shared_failure *f)
{
    char name[SONDE_FAILURE_ID + sizeof SHRUNK];
    struct sonde_stored there;
    size_t n;
    snprintf(name, sizeof name, "%s%s", f->id, f->is_shrunk ? SHRUNK : SUFFIX);
    if (read_failure(p, name, &there) == 0) {
        sonde_stored_clear(&there);
        return 0;
    }
    struct sonde_stored what = {
        .kind = f->kind, .message = f->message, .place = f->place, .found = f->found, .token = f->text};
    char *bytes = sonde_stored_write(&what, &n);
    int error = sonde_folder_write(p, "failures", name, bytes, n, SONDE_FOLDER_REPLACE);
    sonde_free(bytes);
    if (!error) *sonde_map_at(&p->seen_failures, sonde_hash_text(0, name)) = 1;
    return error;
}

/* A file that may be a failure. */
struct candidate {
    char name[SONDE_FAILURE_ID + sizeof SHRUNK];
    struct timespec changed;
    uint32_t state; /* a hash of time and size: an unreadable file is read again only if this changes */
};

static bool is_failure_name(const char *file)
{
    if (strlen(file) < SONDE_FAILURE_ID || strspn(file, "0123456789abcdef") != SONDE_FAILURE_ID) return false;
    return !strcmp(file + SONDE_FAILURE_ID, SUFFIX) || !strcmp(file + SONDE_FAILURE_ID, SHRUNK);
}

/* Fills *c for a name in `directory`; returns false if there is nothing new to read. */
static bool is_candidate(const struct sonde_shared_place *p, DIR *directory, const char *file, struct candidate *c)
{
    struct stat info;
    if (!is_failure_name(file)) return false;
    uint32_t known = sonde_map_get(&p->seen_failures, sonde_hash_text(0, file));
    if (known == 1) return false;
    if (fstatat(dirfd(directory), file, &info, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(info.st_mode)) return false;
    /* The time of the inode's change: unlike the time of the contents, users cannot set it. */
    uint64_t state[] = {(uint64_t)info.st_ctim.tv_sec, (uint64_t)info.st_ctim.tv_nsec, (uint64_t)info.st_size};
    *c = (struct candidate){.changed = info.st_ctim, .state = (uint32_t)sonde_hash_bytes(0, state, sizeof state) | 2};
    memcpy(c->name, file, strlen(file) + 1); /* is_failure_name has checked its length */
    return c->state != known;
}

static bool is_newer(const struct candidate *a, const struct candidate *b)
{
    return a->changed.tv_sec > b->changed.tv_sec
           || (a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec > b->changed.tv_nsec);
}

/* Inserts a candidate into the sorted array of the newest; returns the new length. */
static uint32_t insert(struct candidate *all, uint32_t n, const struct candidate *c)
{
    uint32_t i = n;
    while (i && is_newer(c, &all[i - 1])) i--;
    if (i == AT_ONCE) return n;
    if (n == AT_ONCE) n--;
    memmove(all + i + 1, all + i, (n - i) * sizeof *all);
    all[i] = *c;
    return n + 1;
}

/* Reads and visits a failure; returns whether the visit continues. */
static bool visit_failure(struct sonde_shared_place *p, const struct candidate *c, sonde_shared_failure_visit *visit,
                          void *context)
{
    struct sonde_stored found;
    struct sonde_shared_failure f = {.is_shrunk = !strcmp(c->name + SONDE_FAILURE_ID, SHRUNK)};
    uint64_t key = sonde_hash_text(0, c->name);
    memcpy(f.id, c->name, SONDE_FAILURE_ID);
    if (read_failure(p, c->name, &found)) {
        *sonde_map_at(&p->seen_failures, key) = c->state;
        return true;
    }
    f.kind = found.kind ? found.kind : "";
    f.message = found.message ? found.message : "";
    f.place = found.place ? found.place : "";
    f.found = found.found ? found.found : "";
    f.text = found.token;
    bool is_taken = visit(context, &f);
    if (is_taken) *sonde_map_at(&p->seen_failures, key) = 1;
    sonde_stored_clear(&found);
    return is_taken;
}

/* Opens the directory of failures, unless the last visit left it open. */
static int open_failures(struct sonde_shared_place *p)
{
    int error = 0;
    char *path = sonde_path("%s/failures", p->directory);
    if (!p->open_failures) p->open_failures = sonde_below_opendir(path, p->named, &error);
    sonde_free(path);
    return error;
}

/* Visits the newest of up to NAMES_MAX names; the next call continues after these. So neither unreadable files nor any
 * number of old ones delay a failure that was found just now. A tool reads all failures, in any order. */
int sonde_folder_look_for_failures(struct sonde_shared_place *p, sonde_shared_failure_visit *visit, void *context)
{
    struct candidate newest[AT_ONCE + 1], c;
    const struct dirent *entry = NULL;
    uint32_t n = 0;
    /* forget all failures, so that all are visited again */
    if (p->seen_failures.n >= KNOWN_MAX) sonde_map_empty(&p->seen_failures);
    int error = open_failures(p);
    if (error) return error == -ENOENT ? 0 : error;
    for (uint32_t i = 0; (p->is_read_only || i < NAMES_MAX) && (entry = readdir(p->open_failures)); i++) {
        if (!is_candidate(p, p->open_failures, entry->d_name, &c)) continue;
        if (p->is_read_only) visit_failure(p, &c, visit, context);
        else n = insert(newest, n, &c);
    }
    if (!entry) {
        closedir(p->open_failures);
        p->open_failures = NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!visit_failure(p, &newest[i], visit, context)) break;
    return 0;
}
