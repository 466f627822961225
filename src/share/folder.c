/* See folder.h. Runs in an agent, or in a tool: it may wait for the file system as long as that takes. */
#include "share/folder.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "store/files.h"
#include "store/format.h"
#include "store/home.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSION_FILE "sonde-share"
#define VERSION_TEXT "sonde share 1\n"
#define SUFFIX ".tape"
#define SHRUNK ".min.tape"

enum {
    PARTS = 64,
    TAPES_MAX = 1 << 17,   /* of a property, that are written or looked at */
    FILE_MAX = 1 << 18,    /* bytes that are read of one file */
    FAILURES_MAX = 1 << 12 /* that are looked at */
};

/* The coarsest clock of a file system that is still in use counts in steps of two seconds (FAT). */
static const double coarsest = 3, list_all_seconds = 60, strangers_seconds = 10;

struct part {
    struct timespec changed;
    bool is_quiet; /* it was not changed for so long that its time would tell */
    uint32_t n;    /* tapes that were in it */
};

struct sonde_shared_place {
    char *root, *room, *worker;
    bool is_read_only;
    unsigned turn;
    struct part parts[PARTS];
    unsigned next_part;
    struct sonde_map seen;          /* names of tapes */
    struct sonde_map seen_failures; /* by the hash of the file's name */
    double listed_all, looked_at_strangers;
    double spoke, spoke_there; /* when this worker last said something: by our clock, and by the place's */
};

/* ---- Opening */

static const char *path_of(const char *name)
{
    size_t n = strlen(SONDE_FOLDER_PREFIX);
    return strncmp(name, SONDE_FOLDER_PREFIX, n) == 0 ? name + n : name;
}

/* Under its own name if it cannot be renamed: some object stores that are mounted cannot. */
static int write_whole(struct sonde_shared_place *p, const char *path, const char *bytes, size_t n)
{
    int error = sonde_write_file_lightly(path, bytes, n, &p->turn);
    if (error != -EPERM && error != -ENOSYS && error != -EXDEV && error != -ENOTSUP) return error;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) return errno == EEXIST ? 0 : -errno;
    ssize_t put = write(fd, bytes, n);
    error = put < 0 ? -errno : (size_t)put < n ? -ENOSPC : 0;
    if (close(fd) < 0 && !error) error = -errno;
    if (error) unlink(path);
    return error;
}

/* 0; -ENOTSUP: of another version; else it cannot be used. Two workers may write it at once: the same. */
static int check_version(struct sonde_shared_place *p)
{
    char *path = sonde_path("%s/" VERSION_FILE, p->root), *bytes = NULL;
    size_t n = 0;
    int error = sonde_read_file(path, 256, true, &bytes, &n);
    if (!error && (n != strlen(VERSION_TEXT) || memcmp(bytes, VERSION_TEXT, n) != 0)) error = -ENOTSUP;
    if (error == -ENOENT && !p->is_read_only) error = write_whole(p, path, VERSION_TEXT, strlen(VERSION_TEXT));
    sonde_free(bytes);
    sonde_free(path);
    return error;
}

static void clear(struct sonde_shared_place *p)
{
    sonde_map_clear(&p->seen);
    sonde_map_clear(&p->seen_failures);
    sonde_free(p->root);
    sonde_free(p->room);
    sonde_free(p->worker);
    sonde_free(p);
}

static struct sonde_shared_place *refuse(struct sonde_shared_place *p, int error, char *message, size_t size)
{
    if (error == -ENOTSUP)
        snprintf(message, size,
                 "the folder '%s' was written by another version of sonde (its file " VERSION_FILE
                 " says so); use the same version everywhere, or another folder",
                 p->root);
    else if (error == -ENOENT && p->is_read_only)
        snprintf(message, size, "'%s' is no folder that workers share: there is no " VERSION_FILE " in it", p->root);
    else snprintf(message, size, "the folder '%s' cannot be used: %s", p->root, strerror(-error));
    clear(p);
    return NULL;
}

static struct sonde_shared_place *open_folder(const struct sonde_place_setup *setup, char *message, size_t size)
{
    struct sonde_shared_place *p = sonde_calloc(1, sizeof *p);
    p->root = sonde_strdup(path_of(setup->name));
    p->worker = sonde_safe_name(setup->worker ? setup->worker : "tool");
    p->is_read_only = setup->is_read_only;
    p->turn = (unsigned)sonde_hash_text(0, p->worker); /* a process of another host may have our number */
    int error = *p->root ? 0 : -EINVAL;
    bool is_missing = access(p->root, F_OK) < 0 && errno == ENOENT;
    if (!error && !p->is_read_only) error = sonde_make_directories(p->root);
    if (!error) error = check_version(p);
    if (error) return refuse(p, error, message, size);
    if (is_missing) snprintf(message, size, "made folder '%s'", p->root); /* the path may be mistyped */
    if (setup->property) {
        char *program = setup->is_as_stored ? sonde_strdup(setup->program) : sonde_safe_name(setup->program);
        char *property = setup->is_as_stored ? sonde_strdup(setup->property) : sonde_safe_name(setup->property);
        p->room = sonde_path("%s/%s/%s", p->root, program, property);
        sonde_free(program);
        sonde_free(property);
    }
    return p;
}

/* ---- The place's own time */

static double seconds_of(struct timespec t)
{
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* 0 while this worker has not said anything yet. */
static double now_there(const struct sonde_shared_place *p)
{
    return p->spoke_there > 0 ? p->spoke_there + (sonde_clock_now() - p->spoke) : 0;
}

/* A folder that is made when it is missing. */
static int write_into(struct sonde_shared_place *p, const char *folder, const char *name, const char *bytes, size_t n)
{
    char *path = sonde_path("%s/%s/%s", p->room, folder, name);
    int error = write_whole(p, path, bytes, n);
    if (error == -ENOENT) {
        char *whole = sonde_path("%s/%s", p->room, folder);
        error = sonde_make_directories(whole);
        sonde_free(whole);
        if (!error) error = write_whole(p, path, bytes, n);
    }
    sonde_free(path);
    return error;
}

static int beat(struct sonde_shared_place *p, const char *text)
{
    struct stat info;
    int error = write_into(p, "workers", p->worker, text, strlen(text));
    if (error) return error;
    char *path = sonde_path("%s/workers/%s", p->room, p->worker);
    if (stat(path, &info) == 0) {
        p->spoke = sonde_clock_now();
        p->spoke_there = seconds_of(info.st_mtim);
    }
    sonde_free(path);
    return 0;
}

/* ---- Names of tapes */

static unsigned part_of(uint64_t name)
{
    return (unsigned)(name >> 58);
}

static void write_name(const struct sonde_notice *notice, char *out, size_t size)
{
    int n = snprintf(out, size, "%016" PRIx64 "-", notice->name);
    for (unsigned i = 0; i < notice->n_keys; i++)
        n += snprintf(out + n, size - (size_t)n, "%08" PRIx32, notice->keys[i]);
    snprintf(out + n, size - (size_t)n, SUFFIX);
}

static bool read_hex(const char *text, size_t n, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < n; i++) {
        const char *digit = text[i] ? strchr("0123456789abcdef", text[i]) : NULL;
        if (!digit) return false;
        *value = *value << 4 | (uint64_t)(digit - "0123456789abcdef");
    }
    return true;
}

/* False if nobody writes such a name here. */
static bool read_name(const char *text, struct sonde_notice *notice)
{
    size_t n = strlen(text), end = strlen(SUFFIX);
    *notice = (struct sonde_notice){0};
    if (n < 17 + end || strcmp(text + n - end, SUFFIX) != 0 || text[16] != '-') return false;
    size_t keys = n - 17 - end;
    if (keys % 8 || keys / 8 > SONDE_SHARED_KEYS || !read_hex(text, 16, &notice->name)) return false;
    for (size_t i = 0; i < keys / 8; i++) {
        uint64_t key;
        if (!read_hex(text + 17 + 8 * i, 8, &key)) return false;
        notice->keys[notice->n_keys++] = (uint32_t)key;
    }
    return true;
}

/* ---- Tapes */

static int put_one(struct sonde_shared_place *p, const struct sonde_notice *notice, const char *text)
{
    char name[17 + 8 * SONDE_SHARED_KEYS + sizeof SUFFIX], folder[16];
    size_t n;
    if (sonde_map_get(&p->seen, notice->name)) return 0;
    if (p->seen.n >= TAPES_MAX) return -EFBIG;
    write_name(notice, name, sizeof name);
    snprintf(folder, sizeof folder, "tapes/%02x", part_of(notice->name));
    char *bytes = sonde_stored_write(&(struct sonde_stored){.token = text}, &n);
    int error = write_into(p, folder, name, bytes, n);
    sonde_free(bytes);
    if (!error) *sonde_map_at(&p->seen, notice->name) = 1;
    return error;
}

static void put(struct sonde_shared_place *p, struct sonde_parcel *parcels, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) parcels[i].error = put_one(p, parcels[i].notice, parcels[i].text);
}

/* True if the visit goes on. */
static bool visit_tape(struct sonde_shared_place *p, unsigned part, const char *file, sonde_notice_visit *visit,
                       void *context)
{
    struct sonde_notice notice;
    if (!read_name(file, &notice) || part_of(notice.name) != part) return true;
    if (sonde_map_get(&p->seen, notice.name)) return true;
    if (p->seen.n >= TAPES_MAX) return false;
    notice.where = sonde_path("%s/tapes/%02x/%s", p->room, part, file);
    bool goes_on = visit(context, &notice);
    if (goes_on) *sonde_map_at(&p->seen, notice.name) = 1;
    sonde_free(notice.where);
    return goes_on;
}

/* True if all of it was visited. */
static bool look_at_part(struct sonde_shared_place *p, unsigned part, bool lists_all, sonde_notice_visit *visit,
                         void *context)
{
    struct part *now = &p->parts[part];
    struct stat info;
    char *path = sonde_path("%s/tapes/%02x", p->room, part);
    bool is_there = stat(path, &info) == 0, is_done = true;
    bool is_same =
        is_there && info.st_mtim.tv_sec == now->changed.tv_sec && info.st_mtim.tv_nsec == now->changed.tv_nsec;
    DIR *folder = is_there && (lists_all || !is_same || !now->is_quiet) ? opendir(path) : NULL;
    if (folder) {
        const struct dirent *entry;
        while (is_done && (entry = readdir(folder))) is_done = visit_tape(p, part, entry->d_name, visit, context);
        closedir(folder);
        now->changed = info.st_mtim;
        now->is_quiet = is_done && now_there(p) - seconds_of(info.st_mtim) > coarsest;
    }
    sonde_free(path);
    return is_done;
}

/* ---- Of other fuzzers */

static bool visit_strangers(struct sonde_shared_place *p, const char *folder, sonde_notice_visit *visit, void *context)
{
    DIR *open = opendir(folder);
    const struct dirent *entry;
    bool goes_on = true;
    while (open && goes_on && p->seen.n < TAPES_MAX && (entry = readdir(open))) {
        if (entry->d_name[0] == '.' || !strcmp(entry->d_name, VERSION_FILE) || !strcmp(entry->d_name, "README.txt"))
            continue;
        if (entry->d_type != DT_REG && entry->d_type != DT_UNKNOWN) continue;
        struct sonde_notice notice = {.is_bytes = true, .where = sonde_path("%s/%s", folder, entry->d_name)};
        notice.name = sonde_hash_text(1, notice.where);
        if (!sonde_map_get(&p->seen, notice.name)) goes_on = visit(context, &notice);
        if (goes_on) *sonde_map_at(&p->seen, notice.name) = 1;
        sonde_free(notice.where);
    }
    if (open) closedir(open);
    return goes_on;
}

static void look_at_strangers(struct sonde_shared_place *p, sonde_notice_visit *visit, void *context)
{
    struct sonde_names names;
    bool goes_on = visit_strangers(p, p->root, visit, context);
    if (sonde_list_names(p->root, &names) == 0) {
        for (uint32_t i = 0; i < names.n && goes_on; i++) {
            bool is_queue = !strcmp(names.names[i], "queue");
            char *queue = sonde_path(is_queue ? "%s/%s" : "%s/%s/queue", p->root, names.names[i]);
            goes_on = visit_strangers(p, queue, visit, context);
            sonde_free(queue);
        }
    }
    sonde_names_clear(&names);
}

static int look(struct sonde_shared_place *p, sonde_notice_visit *visit, void *context)
{
    double now = sonde_clock_now();
    bool lists_all = now - p->listed_all > list_all_seconds, is_done = true;
    if (lists_all) p->listed_all = now;
    if (!p->is_read_only && now - p->looked_at_strangers > strangers_seconds) {
        p->looked_at_strangers = now;
        look_at_strangers(p, visit, context);
    }
    /* Each part comes first in its turn: one that is flooded does not hide the others. */
    for (unsigned i = 0; i < PARTS && is_done; i++)
        is_done = look_at_part(p, (p->next_part + i) % PARTS, lists_all, visit, context);
    if (!is_done && lists_all) p->listed_all = 0;
    p->next_part = (p->next_part + 1) % PARTS;
    return 0;
}

static int fetch_one(const struct sonde_notice *notice, char **text, size_t *n)
{
    struct sonde_stored found;
    const char *reason;
    char *bytes;
    *text = NULL;
    int error = sonde_read_file(notice->where, FILE_MAX, true, &bytes, n);
    if (error || notice->is_bytes) {
        *text = bytes;
        return error;
    }
    error = sonde_stored_read(&found, bytes, *n, &reason);
    sonde_free(bytes);
    if (error) return error == -ENOTSUP ? error : -EAGAIN;
    *text = sonde_strdup(found.token);
    *n = strlen(*text);
    sonde_stored_clear(&found);
    return 0;
}

static void fetch(struct sonde_shared_place *p, struct sonde_parcel *parcels, uint32_t n)
{
    (void)p;
    for (uint32_t i = 0; i < n; i++) parcels[i].error = fetch_one(parcels[i].notice, &parcels[i].text, &parcels[i].n);
}

static int drop(struct sonde_shared_place *p, const struct sonde_notice *notice)
{
    (void)p;
    if (notice->is_bytes) return -EPERM;
    return unlink(notice->where) < 0 && errno != ENOENT ? -errno : 0;
}

/* ---- Failures */

static int put_failure(struct sonde_shared_place *p, const struct sonde_shared_failure *f)
{
    char name[SONDE_FAILURE_ID + sizeof SHRUNK];
    size_t n;
    snprintf(name, sizeof name, "%s%s", f->id, f->is_shrunk ? SHRUNK : SUFFIX);
    char *path = sonde_path("%s/failures/%s", p->room, name);
    bool is_there = access(path, F_OK) == 0;
    sonde_free(path);
    if (is_there) return 0;
    struct sonde_stored what = {
        .kind = f->kind, .message = f->message, .place = f->place, .found = f->found, .token = f->text};
    char *bytes = sonde_stored_write(&what, &n);
    int error = write_into(p, "failures", name, bytes, n);
    sonde_free(bytes);
    if (!error) *sonde_map_at(&p->seen_failures, sonde_hash_text(0, name)) = 1;
    return error;
}

/* A file that cannot be read is tried again at the next looks: it may not be all there yet. */
static void visit_failure(struct sonde_shared_place *p, const char *file, sonde_shared_failure_visit *visit,
                          void *context)
{
    enum { TRIES = 8 };
    struct sonde_shared_failure f = {.is_shrunk = strlen(file) == SONDE_FAILURE_ID + strlen(SHRUNK)};
    struct sonde_stored found;
    const char *reason;
    if (strcmp(file + (strlen(file) < SONDE_FAILURE_ID ? strlen(file) : SONDE_FAILURE_ID),
               f.is_shrunk ? SHRUNK : SUFFIX))
        return;
    memcpy(f.id, file, SONDE_FAILURE_ID);
    uint64_t key = sonde_hash_text(0, file);
    uint32_t tries = sonde_map_get(&p->seen_failures, key);
    if (tries == 1 || tries > TRIES || !sonde_failure_id_is_good(f.id, strlen(f.id))) return;
    char *path = sonde_path("%s/failures/%s", p->room, file), *bytes;
    size_t n;
    int error = sonde_read_file(path, FILE_MAX, true, &bytes, &n);
    sonde_free(path);
    if (!error) error = sonde_stored_read(&found, bytes, n, &reason);
    sonde_free(bytes);
    *sonde_map_at(&p->seen_failures, key) = error ? (tries ? tries + 1 : 2) : 1;
    if (error) return;
    f.kind = found.kind ? found.kind : "";
    f.message = found.message ? found.message : "";
    f.place = found.place ? found.place : "";
    f.found = found.found ? found.found : "";
    f.text = found.token;
    visit(context, &f);
    sonde_stored_clear(&found);
}

static int look_for_failures(struct sonde_shared_place *p, sonde_shared_failure_visit *visit, void *context)
{
    char *path = sonde_path("%s/failures", p->room);
    struct sonde_names names;
    int error = sonde_list_names(path, &names);
    for (uint32_t i = 0; i < names.n && p->seen_failures.n < FAILURES_MAX; i++)
        visit_failure(p, names.names[i], visit, context);
    sonde_names_clear(&names);
    sonde_free(path);
    return error == -ENOENT ? 0 : error;
}

/* ---- Claims */

/* 1, 0 or a negative errno. */
static int is_ours(const struct sonde_shared_place *p, const char *path)
{
    char *bytes;
    size_t n;
    int error = sonde_read_file(path, 4096, true, &bytes, &n);
    int answer = error ? error : n == strlen(p->worker) && memcmp(bytes, p->worker, n) == 0;
    sonde_free(bytes);
    return answer;
}

static int create_claim(const struct sonde_shared_place *p, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return -errno;
    ssize_t n = write(fd, p->worker, strlen(p->worker));
    int error = n < 0 ? -errno : 0;
    close(fd);
    return error;
}

/* One that was not renewed is moved away first: of several that try, one succeeds. */
static bool has_lapsed(const struct sonde_shared_place *p, const char *path)
{
    struct stat info;
    double now = now_there(p);
    if (now <= 0 || stat(path, &info) < 0 || now - seconds_of(info.st_mtim) < SONDE_LEASE_SECONDS) return false;
    char *away = sonde_path("%s.%s", path, p->worker);
    bool is_moved = rename(path, away) == 0;
    unlink(away);
    sonde_free(away);
    return is_moved;
}

static int claim(struct sonde_shared_place *p, const char *id)
{
    char *folder = sonde_path("%s/claims", p->room), *path = sonde_path("%s/%s", folder, id);
    int answer = is_ours(p, path);
    if (answer == 1) {
        utimensat(AT_FDCWD, path, NULL, 0); /* by the place's clock */
    } else if (answer == -ENOENT || has_lapsed(p, path)) {
        answer = create_claim(p, path);
        if (answer == -ENOENT && !(answer = sonde_make_directories(folder))) answer = create_claim(p, path);
        answer = answer == -EEXIST ? 0 : answer ? answer : 1;
    }
    sonde_free(folder);
    sonde_free(path);
    return answer;
}

static int release(struct sonde_shared_place *p, const char *id)
{
    char *path = sonde_path("%s/claims/%s", p->room, id);
    if (is_ours(p, path) == 1) unlink(path);
    sonde_free(path);
    return 0;
}

static void close_folder(struct sonde_shared_place *p)
{
    clear(p);
}

/* ---- For tools */

static int each_room(struct sonde_shared_place *p, sonde_room_visit *visit, void *context)
{
    struct sonde_names programs, properties;
    int error = sonde_list_names(p->root, &programs);
    for (uint32_t i = 0; i < programs.n; i++) {
        char *path = sonde_path("%s/%s", p->root, programs.names[i]);
        if (sonde_list_names(path, &properties) == 0) {
            for (uint32_t k = 0; k < properties.n; k++) {
                char *room = sonde_path("%s/%s", path, properties.names[k]);
                struct stat info;
                bool is_room = stat(room, &info) == 0 && S_ISDIR(info.st_mode) && strcmp(properties.names[k], "queue");
                if (is_room) visit(context, programs.names[i], properties.names[k]);
                sonde_free(room);
            }
        }
        sonde_names_clear(&properties);
        sonde_free(path);
    }
    sonde_names_clear(&programs);
    return error;
}

/* A tool has no word of its own here, and makes none: the newest time of all counts as now, or our own clock if that is
 * later. */
static int each_worker(struct sonde_shared_place *p, sonde_worker_visit *visit, void *context)
{
    char *folder = sonde_path("%s/workers", p->room);
    struct sonde_names names;
    struct stat info;
    struct timespec clock;
    clock_gettime(CLOCK_REALTIME, &clock);
    double now = seconds_of(clock);
    int error = sonde_list_names(folder, &names);
    for (uint32_t i = 0; i < names.n; i++) {
        char *path = sonde_path("%s/%s", folder, names.names[i]), *bytes = NULL;
        size_t n;
        if (stat(path, &info) == 0 && sonde_read_file(path, 4096, true, &bytes, &n) == 0) {
            double age = now - seconds_of(info.st_mtim);
            char *text = sonde_path("%.*s", (int)n, bytes);
            visit(context, text, age > 0 ? age : 0);
            sonde_free(text);
        }
        sonde_free(bytes);
        sonde_free(path);
    }
    sonde_names_clear(&names);
    sonde_free(folder);
    return error == -ENOENT ? 0 : error;
}

const struct sonde_place_ops sonde_folder_ops = {.open = open_folder,
                                                 .close = close_folder,
                                                 .put = put,
                                                 .look = look,
                                                 .fetch = fetch,
                                                 .put_failure = put_failure,
                                                 .look_for_failures = look_for_failures,
                                                 .claim = claim,
                                                 .release = release,
                                                 .beat = beat,
                                                 .each_room = each_room,
                                                 .each_worker = each_worker,
                                                 .drop = drop};
