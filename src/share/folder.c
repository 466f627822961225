#define _GNU_SOURCE /* struct dirent's d_type */
/* The layout of a shared directory, and its tapes. Runs in an agent or in a tool, so it may wait for the
 * file system.
 *
 * Other programs can write here as well. So every path below the directory that the user named goes through
 * store/files.h. The limits below bound the work of one call, whatever the directory holds. */
#include "share/folder.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/strings.h"
#include "store/files.h"
#include "store/format.h"
#include "store/home.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSION_FILE "sonde-share"
#define VERSION_TEXT "sonde share 1\n"
#define SUFFIX ".tape"

enum {
    TAPES_MAX = SONDE_LIMIT(1 << 17, 1 << 12), /* maximum number of tapes of a property that are written or visited */
    FOREIGN_MAX = SONDE_LIMIT(1 << 17, 64), /* maximum number of other fuzzers' files that are remembered as visited */
    /* maximum number of names that one visit of tapes, or of foreign files, reads */
    ENTRIES_MAX = SONDE_LIMIT(1 << 17, 1 << 12),
    DIRECTORIES_MAX = 1 << 10, /* maximum number of directories in which one visit looks for a queue */
    FILE_MAX = 1 << 18         /* maximum number of bytes that are read of one file */
};

/* Times in seconds. `coarsest` exceeds the coarsest clock step of any file system in use: two seconds, on FAT. */
static const double coarsest = 3;
/* Seconds after which all parts are listed, for mounts that do not maintain the times of directories. */
static const double list_all_seconds = 60;
/* Seconds between two searches for files of other fuzzers. */
static const double foreign_seconds = 10;
/* Seconds after which the tapes of a full directory are counted again. */
static const double recount_seconds = 30;

/* ---- Opening */

/* Returns the path in a name dir:PATH. */
static const char *path_of(const char *name)
{
    return sonde_starts(name, SONDE_FOLDER_PREFIX) ? name + strlen(SONDE_FOLDER_PREFIX) : name;
}

bool sonde_folder_cannot_rename(int error)
{
    return error == -EPERM || error == -ENOSYS || error == -EXDEV || error == -ENOTSUP;
}

/* Writes a whole file: by rename if the mount can do that, else under its final name. With SONDE_FOLDER_REFUSE, never
 * renames, since only O_EXCL shows whether the file exists. */
static int write_whole(struct sonde_shared_place *p, const char *path, const char *bytes, size_t n,
                       enum sonde_folder_old old)
{
    int error = old == SONDE_FOLDER_REFUSE ? -ENOTSUP : sonde_below_write(path, p->named, bytes, n, &p->turn, false);
    if (!sonde_folder_cannot_rename(error)) return error;
    if (old == SONDE_FOLDER_REPLACE) sonde_below_remove(path, p->named);
    error = sonde_below_create(path, p->named, bytes, n);
    return error == -EEXIST && old == SONDE_FOLDER_LEAVE ? 0 : error;
}

int sonde_folder_write(struct sonde_shared_place *p, const char *directory, const char *name, const char *bytes,
                       size_t n, enum sonde_folder_old old)
{
    char *folder = sonde_path("%s/%s", p->directory, directory), *path = sonde_path("%s/%s", folder, name);
    int error = write_whole(p, path, bytes, n, old);
    if (error == -ENOENT && !(error = sonde_below_make(folder, p->named))) error = write_whole(p, path, bytes, n, old);
    sonde_free(path);
    sonde_free(folder);
    return error;
}

/* Checks the version file, and writes it if it is missing. Returns 0, -ENOTSUP for another version, or another error.
 * Two workers may write the file at once: both write the same. */
static int check_version(struct sonde_shared_place *p)
{
    char *path = sonde_path("%s/" VERSION_FILE, p->root), *bytes = NULL;
    size_t n = 0;
    int error = sonde_below_read(path, p->named, 256, &bytes, &n);
    if (!error && (n != strlen(VERSION_TEXT) || memcmp(bytes, VERSION_TEXT, n) != 0)) error = -ENOTSUP;
    if (error == -EFBIG) error = -ENOTSUP;
    if (error == -ENOENT && !p->is_read_only)
        error = write_whole(p, path, VERSION_TEXT, strlen(VERSION_TEXT), SONDE_FOLDER_LEAVE);
    sonde_free(bytes);
    sonde_free(path);
    return error;
}

static void close_folder(struct sonde_shared_place *p)
{
    if (p->open_part) closedir(p->open_part);
    if (p->open_failures) closedir(p->open_failures);
    sonde_map_clear(&p->seen);
    sonde_map_clear(&p->seen_foreign);
    sonde_map_clear(&p->seen_failures);
    sonde_free(p->root);
    sonde_free(p->directory);
    sonde_free(p->worker);
    sonde_free(p);
}

/* Writes the message for an error of opening, closes the directory and returns NULL. */
static struct sonde_shared_place *refuse(struct sonde_shared_place *p, int error, char *message, size_t size)
{
    if (error == -ENOTSUP)
        snprintf(message, size,
                 "the directory '%s' was written by another version of sonde (see its file " VERSION_FILE
                 "); use the same version everywhere, or another directory",
                 p->root);
    else if (error == -ENOENT && p->is_read_only)
        snprintf(message, size, "'%s' is not a shared directory: it has no file " VERSION_FILE, p->root);
    else if (error == -ELOOP || error == -EINVAL)
        snprintf(message, size, "the directory '%s' cannot be used: its file " VERSION_FILE " is not a regular file",
                 p->root);
    else snprintf(message, size, "the directory '%s' cannot be used: %s", p->root, strerror(-error));
    close_folder(p);
    return NULL;
}

static struct sonde_shared_place *open_folder(const struct sonde_place_setup *setup, char *message, size_t size)
{
    struct sonde_shared_place *p = sonde_calloc(1, sizeof *p);
    p->root = sonde_strdup(path_of(setup->name));
    p->named = strlen(p->root);
    p->worker = sonde_safe_name(setup->worker ? setup->worker : "tool");
    p->is_read_only = setup->is_read_only;
    p->run = setup->run;
    p->turn = (unsigned)sonde_hash_text(0, p->worker); /* a process on another host may have our process id */
    p->listed_all = p->looked_at_foreign = p->recounted = -1e9;
    int error = *p->root ? 0 : -EINVAL;
    bool is_missing = access(p->root, F_OK) < 0 && errno == ENOENT;
    if (!error && !p->is_read_only) error = sonde_make_directories(p->root);
    if (!error) error = check_version(p);
    if (error) return refuse(p, error, message, size);
    /* the user may have mistyped the path */
    if (is_missing) snprintf(message, size, "created the directory '%s'", p->root);
    if (setup->property) {
        char *program = setup->is_as_stored ? sonde_strdup(setup->program) : sonde_safe_name(setup->program);
        char *property = setup->is_as_stored ? sonde_strdup(setup->property) : sonde_safe_name(setup->property);
        p->directory = sonde_path("%s/%s/%s", p->root, program, property);
        sonde_free(program);
        sonde_free(property);
    }
    return p;
}

/* ---- Names of tapes */

/* Returns the part that holds a tape: the first six bits of its name. */
static unsigned part_of(uint64_t name)
{
    return (unsigned)(name >> 58);
}

/* Writes the file name NAME-KEYS.tape. */
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

/* Reads a file name NAME-KEYS.tape; returns false for names that write_name does not produce. */
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

/* Returns whether the run has ended: on a slow mount, looking for more would delay the tapes that are still to be
 * sent. */
static bool must_hurry(const struct sonde_shared_place *p)
{
    return p->run && sonde_wire_has_ended(p->run);
}

static DIR *open_part(const struct sonde_shared_place *p, unsigned part)
{
    int error;
    char *path = sonde_path("%s/tapes/%02x", p->directory, part);
    DIR *directory = sonde_below_opendir(path, p->named, &error);
    sonde_free(path);
    return directory;
}

/* Removes tapes from `seen` that are gone from the directory: `sonde share prune` may have dropped them. */
static void recount_tapes(struct sonde_shared_place *p)
{
    struct sonde_map left = {0};
    for (unsigned part = 0; part < SONDE_FOLDER_PARTS; part++) {
        DIR *directory = open_part(p, part);
        const struct dirent *entry;
        struct sonde_notice notice;
        for (unsigned i = 0; directory && i < 2 * TAPES_MAX && (entry = readdir(directory)); i++)
            if (read_name(entry->d_name, &notice) && sonde_map_get(&p->seen, notice.name))
                *sonde_map_at(&left, notice.name) = 1;
        if (directory) closedir(directory);
    }
    sonde_map_clear(&p->seen);
    p->seen = left;
}

/* Returns whether there is no room for another tape. Counts again now and then. */
static bool is_full(struct sonde_shared_place *p)
{
    double now = sonde_clock_now();
    if (p->seen.n >= TAPES_MAX && now - p->recounted > recount_seconds) {
        p->recounted = now;
        recount_tapes(p);
    }
    return p->seen.n >= TAPES_MAX;
}

/* Writes one tape unless it is known to be there. */
static int put_one(struct sonde_shared_place *p, const struct sonde_notice *notice, const char *text)
{
    char name[17 + 8 * SONDE_SHARED_KEYS + sizeof SUFFIX], folder[16];
    size_t n;
    if (sonde_map_get(&p->seen, notice->name)) return 0;
    if (is_full(p)) return -EFBIG;
    write_name(notice, name, sizeof name);
    snprintf(folder, sizeof folder, "tapes/%02x", part_of(notice->name));
    char *bytes = sonde_stored_write(&(struct sonde_stored){.token = text}, &n);
    int error = sonde_folder_write(p, folder, name, bytes, n, SONDE_FOLDER_LEAVE);
    sonde_free(bytes);
    if (!error) *sonde_map_at(&p->seen, notice->name) = 1;
    return error;
}

static void put(struct sonde_shared_place *p, struct sonde_shared_tape *tapes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) tapes[i].error = put_one(p, &tapes[i].notice, tapes[i].text);
}

/* Visits one tape; returns whether the visit continues. It also continues if the visitor refused a tape without
 * keys. */
static bool visit_tape(struct sonde_shared_place *p, unsigned part, const char *file, sonde_notice_visit *visit,
                       void *context)
{
    struct sonde_notice notice;
    if (!read_name(file, &notice) || part_of(notice.name) != part) return true;
    if (sonde_map_get(&p->seen, notice.name)) return true;
    if (is_full(p)) return false;
    notice.where = sonde_path("%s/tapes/%02x/%s", p->directory, part, file);
    bool is_taken = visit(context, &notice);
    if (is_taken) *sonde_map_at(&p->seen, notice.name) = 1;
    else p->parts[part].changed = (struct timespec){0}; /* the part must be listed again */
    sonde_free(notice.where);
    return is_taken || !notice.n_keys;
}

/* Opens a part for listing if it may have new tapes, else returns NULL. */
static DIR *begin_part(struct sonde_shared_place *p, unsigned part, bool lists_all)
{
    struct sonde_folder_part *now = &p->parts[part];
    struct stat info;
    char *path = sonde_path("%s/tapes/%02x", p->directory, part);
    bool is_there = sonde_below_stat(path, p->named, &info) == 0;
    sonde_free(path);
    if (!is_there) return NULL;
    bool is_same = info.st_mtim.tv_sec == now->changed.tv_sec && info.st_mtim.tv_nsec == now->changed.tv_nsec;
    if (!lists_all && is_same && now->is_quiet) return NULL;
    now->changed = info.st_mtim;
    now->is_quiet = sonde_folder_now(p) - sonde_folder_seconds(info.st_mtim) > coarsest;
    return open_part(p, part);
}

/* Visits the tapes of a part; returns whether all were visited. If the part is too long for one visit, the next one
 * continues where this one ends. */
static bool look_at_part(struct sonde_shared_place *p, unsigned part, bool lists_all, sonde_notice_visit *visit,
                         void *context)
{
    DIR *folder = p->open_part ? p->open_part : begin_part(p, part, lists_all);
    const struct dirent *entry = NULL;
    bool goes_on = true;
    p->open_part = NULL;
    while (folder && goes_on && p->left && (entry = readdir(folder))) {
        p->left -= !p->is_read_only;
        goes_on = visit_tape(p, part, entry->d_name, visit, context);
    }
    if (!goes_on) p->parts[part].is_quiet = false;
    bool is_cut = folder && goes_on && entry && !p->left;
    if (is_cut) p->open_part = folder;
    else if (folder) closedir(folder);
    return goes_on && !is_cut;
}

/* ---- Files of other fuzzers */

/* Visits the regular files of a directory; returns whether the visit continues. */
static bool visit_foreign(struct sonde_shared_place *p, const char *path, sonde_notice_visit *visit, void *context)
{
    int error;
    DIR *open = sonde_below_opendir(path, p->named, &error);
    const struct dirent *entry;
    bool goes_on = true;
    while (open && goes_on && p->left && p->seen_foreign.n < FOREIGN_MAX && (entry = readdir(open))) {
        p->left--;
        if (entry->d_name[0] == '.' || !strcmp(entry->d_name, VERSION_FILE) || !strcmp(entry->d_name, "README.txt"))
            continue;
        if (entry->d_type != DT_REG && entry->d_type != DT_UNKNOWN) continue;
        struct sonde_notice notice = {.is_bytes = true, .where = sonde_path("%s/%s", path, entry->d_name)};
        notice.name = sonde_hash_text(1, notice.where);
        if (!sonde_map_get(&p->seen_foreign, notice.name)) goes_on = visit(context, &notice);
        if (goes_on) *sonde_map_at(&p->seen_foreign, notice.name) = 1;
        sonde_free(notice.where);
    }
    if (open) closedir(open);
    return goes_on;
}

/* Visits PATH/FILE, PATH/queue/FILE and PATH/NAME/queue/FILE. If that is too much for one visit, the next one
 * continues with the NAME after the last. */
static void look_at_foreign(struct sonde_shared_place *p, sonde_notice_visit *visit, void *context)
{
    struct sonde_names names;
    /* forget all of them, so that all are visited again */
    if (p->seen_foreign.n >= FOREIGN_MAX) sonde_map_empty(&p->seen_foreign);
    p->left = ENTRIES_MAX;
    bool goes_on = visit_foreign(p, p->root, visit, context);
    p->left = ENTRIES_MAX;
    if (sonde_below_list(p->root, p->named, &names) < 0) names.n = 0;
    uint32_t most = names.n < DIRECTORIES_MAX ? names.n : DIRECTORIES_MAX;
    for (uint32_t i = 0; i < most && goes_on && p->left && !must_hurry(p); i++) {
        const char *name = names.names[p->next_directory++ % names.n];
        char *queue = sonde_path(strcmp(name, "queue") ? "%s/%s/queue" : "%s/%s", p->root, name);
        goes_on = visit_foreign(p, queue, visit, context);
        sonde_free(queue);
    }
    sonde_names_clear(&names);
}

static int look(struct sonde_shared_place *p, sonde_notice_visit *visit, void *context)
{
    double now = sonde_clock_now();
    bool lists_all = now - p->listed_all > list_all_seconds, is_done = true;
    if (lists_all) p->listed_all = now;
    if (!p->is_read_only && now - p->looked_at_foreign > foreign_seconds) {
        p->looked_at_foreign = now;
        look_at_foreign(p, visit, context);
    }
    /* Each visit begins at the next part, so that a part with very many files does not hide the others. */
    p->left = ENTRIES_MAX;
    for (unsigned i = 0; i < SONDE_FOLDER_PARTS && is_done && !must_hurry(p); i++) {
        is_done = look_at_part(p, p->next_part, lists_all, visit, context);
        if (!p->open_part) p->next_part = (p->next_part + 1) % SONDE_FOLDER_PARTS;
    }
    if (!is_done && lists_all) p->listed_all = -1e9;
    return 0;
}

/* Reads one tape, or the bytes of a foreign file. A tape that cannot be read may not be complete yet: -EAGAIN. */
static int fetch_one(const struct sonde_shared_place *p, const struct sonde_notice *notice, char **text, size_t *n)
{
    struct sonde_stored found;
    const char *reason;
    char *bytes;
    *text = NULL;
    int error = sonde_below_read(notice->where, p->named, FILE_MAX, &bytes, n);
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

static void fetch(struct sonde_shared_place *p, struct sonde_shared_tape *tapes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) tapes[i].error = fetch_one(p, &tapes[i].notice, &tapes[i].text, &tapes[i].n);
}

static int drop(struct sonde_shared_place *p, const struct sonde_notice *notice)
{
    if (notice->is_bytes) return -EPERM;
    int error = sonde_below_remove(notice->where, p->named);
    return error == -ENOENT ? 0 : error;
}

/* ---- For tools */

static bool is_directory(const struct sonde_shared_place *p, const char *path)
{
    struct stat info;
    return sonde_below_stat(path, p->named, &info) == 0 && S_ISDIR(info.st_mode);
}

static int each_property(struct sonde_shared_place *p, sonde_property_visit *visit, void *context)
{
    struct sonde_names programs, properties;
    int error = sonde_below_list(p->root, p->named, &programs);
    for (uint32_t i = 0; i < programs.n; i++) {
        char *path = sonde_path("%s/%s", p->root, programs.names[i]);
        if (sonde_below_list(path, p->named, &properties) == 0) {
            for (uint32_t k = 0; k < properties.n; k++) {
                char *room = sonde_path("%s/%s", path, properties.names[k]);
                if (strcmp(properties.names[k], "queue") && is_directory(p, room))
                    visit(context, programs.names[i], properties.names[k]);
                sonde_free(room);
            }
        }
        sonde_names_clear(&properties);
        sonde_free(path);
    }
    sonde_names_clear(&programs);
    return error;
}

const struct sonde_place_ops sonde_folder_ops = {.open = open_folder,
                                                 .close = close_folder,
                                                 .put = put,
                                                 .look = look,
                                                 .fetch = fetch,
                                                 .put_failure = sonde_folder_put_failure,
                                                 .look_for_failures = sonde_folder_look_for_failures,
                                                 .claim = sonde_folder_claim,
                                                 .release = sonde_folder_release,
                                                 .report = sonde_folder_report,
                                                 .each_property = each_property,
                                                 .each_worker = sonde_folder_each_worker,
                                                 .drop = drop};
