/* The layout of the store, and what it says when something is wrong. Files are files.c's, their content format.c's.
 * Warnings are made here: one per file that cannot be read, one when nothing can be kept.
 *
 * One struct per run of a property, made by the engine in its heap; no lock anywhere: runs that share a
 * store meet only in the file system, and each of their steps is one atomic rename or unlink. All
 * functions do nothing if `root` is NULL. */
#include "store/store.h"

#include "base/die.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/strings.h"
#include "store/files.h"
#include "store/home.h"
#include "tape/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".tape"

/* WARNED: files warned of; beyond them there is one warning more and then silence. SEATS: names NAME~1
 * ... that are tried where something unreadable stands. READS: how often a file that comes and goes is
 * looked for. */
enum { WARNED = 256, SEATS = 16, READS = 8 };

struct sonde_store {
    char *root;    /* the whole store; NULL: off, or unusable */
    char *program; /* the folder of this program in it */
    char *shared;  /* where earlier versions kept the findings of all programs of that name; NULL: there is none */
    bool is_default;
    bool (*may_replace)(const struct sonde_stored *old, const struct sonde_stored *new);
    void (*warn)(void *context, const char *text);
    void *context;
    unsigned turn;
    bool cannot_write; /* has been said */
    bool has_moved;    /* files, and the folders are not yet on disk */
    uint64_t warned[WARNED];
    size_t n_warned;
    size_t n_unreadable; /* failures, in the last visit */
};

/* ---- Warnings */

/* Without a reporter, as in tools. */
static void plain_warning(void *context, const char *text)
{
    (void)context;
    sonde_warn("%s", text);
}

/* Paths are the user's and may hold anything; a warning is one line. */
__attribute__((format(printf, 2, 3))) static void warn(struct sonde_store *store, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127) *c = '?';
    store->warn(store->context, text);
}

/* Known by a hash of the path: the same file may be met by several visits of a run. */
static void warn_of_file(struct sonde_store *store, const char *path, const char *reason)
{
    uint64_t hash = sonde_hash_text(0, path);
    for (size_t i = 0; i < store->n_warned; i++)
        if (store->warned[i] == hash) return;
    if (store->n_warned == WARNED) return;
    store->warned[store->n_warned++] = hash;
    if (store->n_warned == WARNED) warn(store, "there are more files that cannot be read; they are left as they are");
    else warn(store, "%.400s is not used, and is left as it is: %s", path, reason);
}

/* Once per run: a full disk would otherwise be reported with every finding. */
static void warn_of_writing(struct sonde_store *store, const char *path, int error)
{
    if (store->cannot_write) return;
    store->cannot_write = true;
    warn(
        store,
        "nothing can be stored in %.400s: %s; testing goes on, and failures are reported but not kept (--store DIR names "
        "another place)",
        path, sonde_below_reason(error));
}

/* ---- Opening */

/* The folders of a property. What stands in others was put there by somebody else. */
static const char *const kinds[] = {"failures", "corpus", "fixed", "learned"};

/* Whether leftovers in a folder of that name are removed. */
static bool is_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i], name) == 0) return true;
    return false;
}

/* Temporary files of runs that were killed while writing. Only in folders that are ours by name. */
static void remove_leftovers(struct sonde_store *store)
{
    struct sonde_names properties;
    if (sonde_below_list(store->program, strlen(store->root), &properties) < 0) return;
    for (uint32_t i = 0; i < properties.n; i++) {
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            char *folder = sonde_path("%s/%s/%s", store->program, properties.names[i], kinds[k]);
            sonde_remove_leftovers(folder, strlen(store->root));
            sonde_free(folder);
        }
    }
    sonde_names_clear(&properties);
}

/* The bytes of a path in the store that the user named, or that were found for the user; the rest is below them. */
static size_t named(const struct sonde_store *store)
{
    return strlen(store->root);
}

/* What exists must be a directory that can be read; what does not exist is made when there is something to keep. */
static int look_at(const char *root)
{
    struct stat info;
    if (stat(root, &info) < 0) return errno == ENOENT ? 0 : -errno;
    if (!S_ISDIR(info.st_mode)) return -ENOTDIR;
    return access(root, R_OK | X_OK) < 0 ? -errno : 0;
}

/* The folder of a program was once called by the last part of its path alone. */
static char *find_shared(const struct sonde_home *home)
{
    char *path = sonde_path("%s/%s", home->store, sonde_last_part(home->program));
    struct stat info;
    bool is_there = sonde_below_stat(path, strlen(home->store), &info) == 0 && S_ISDIR(info.st_mode);
    if (strchr(home->program, '/') && is_there) return path;
    sonde_free(path);
    return NULL;
}

/* Never fails: a store that cannot be used is one that is off, with a warning. */
struct sonde_store *sonde_store_open(const struct sonde_store_setup *setup)
{
    struct sonde_store *store = sonde_calloc(1, sizeof *store);
    store->warn = setup->warn ? setup->warn : plain_warning;
    store->context = setup->context;
    store->may_replace = setup->may_replace;
    /* root stays NULL. */
    if (setup->is_off) return store;
    struct sonde_home home;
    sonde_home_find(&home, setup->directory, setup->program ? setup->program : "", setup->source);
    int error = look_at(home.store);
    if (error) {
        warn_of_writing(store, home.store, error);
    } else {
        store->root = sonde_strdup(home.store);
        store->program = sonde_path("%s/%s", home.store, home.program);
        store->shared = find_shared(&home);
        store->is_default = home.is_default;
        remove_leftovers(store);
    }
    sonde_home_clear(&home);
    return store;
}

void sonde_store_close(struct sonde_store *store)
{
    if (!store) return;
    sonde_free(store->root);
    sonde_free(store->program);
    sonde_free(store->shared);
    sonde_free(store);
}

const char *sonde_store_path(const struct sonde_store *store)
{
    return store->root ? store->root : "";
}

/* ---- Saving */

/* PROGRAM/PROPERTY/KIND; names that a file system would not take are made safe. */
static char *folder_in(const char *program, const char *property, const char *kind)
{
    sonde_assert(is_kind(kind));
    char *name = sonde_safe_name(property);
    char *folder = sonde_path("%s/%s/%s", program, name, kind);
    sonde_free(name);
    return folder;
}

static char *folder_for(const struct sonde_store *store, const char *property, const char *kind)
{
    return folder_in(store->program, property, kind);
}

/* Parses what was read from `path`, or words why it could not be read. Frees the bytes. */
static int parse_stored(const char *path, int error, char *bytes, size_t n, struct sonde_stored *found,
                        const char **reason)
{
    *found = (struct sonde_stored){0};
    if (error) *reason = sonde_below_reason(error);
    else error = sonde_stored_read(found, bytes, n, reason);
    sonde_free(bytes);
    if (!error) found->path = path;
    return error;
}

/* Reads a file that was found below a directory; a link, a pipe or a directory with a tape's name is not a tape. */
static int read_stored(const char *path, size_t below, struct sonde_stored *found, const char **reason)
{
    char *bytes;
    size_t n;
    int error = sonde_below_read(path, below, SONDE_READ_BYTES_MAX, &bytes, &n);
    error = parse_stored(path, error, bytes, n, found, reason);
    found->named = below;
    return error;
}

/* The file name that stands for an id: itself, if there is such a file (a person may have named it), else made safe. */
static char *name_for(const struct sonde_store *store, const char *folder, const char *id)
{
    char *path = sonde_path("%s/%s" SUFFIX, folder, id);
    struct stat info;
    bool is_there = *id && !strchr(id, '/') && sonde_below_stat(path, named(store), &info) == 0;
    sonde_free(path);
    return is_there ? sonde_strdup(id) : sonde_safe_name(id);
}

/* What is to be written under a name. */
struct guest {
    const char *folder, *name;
    const char *bytes; /* "": nothing equals them */
    size_t n;
    const struct sonde_stored *what; /* the same as it is compared; NULL: it may replace every tape */
};

enum seat { SEAT_FREE, SEAT_SAME, SEAT_OURS, SEAT_TAKEN };

/* A file that cannot be read is never written over: it may be a tape of a newer version, or notes of the user. */
static enum seat look_at_seat(const struct sonde_store *store, const struct guest *g, const char *path)
{
    char *there;
    size_t n;
    struct sonde_stored found;
    const char *reason;
    enum seat seat = SEAT_TAKEN;
    int error = sonde_below_read(path, named(store), SONDE_READ_BYTES_MAX, &there, &n);
    if (error == -ENOENT) seat = SEAT_FREE;
    else if (!error && n && n == g->n && memcmp(there, g->bytes, n) == 0) seat = SEAT_SAME;
    else if (!error && sonde_stored_read(&found, there, n, &reason) == 0) {
        if (!g->what || !store->may_replace || store->may_replace(&found, g->what)) seat = SEAT_OURS;
        sonde_stored_clear(&found);
    }
    sonde_free(there);
    return seat;
}

/* Where NAME.tape may be written: over a tape that it may replace, else at the first free one of NAME.tape, NAME~1.tape and
 * so on. NULL if there is none. *is_same: it stands there already. */
static char *seat_for(const struct sonde_store *store, const struct guest *g, bool *is_same)
{
    char *free_seat = NULL;
    *is_same = false;
    for (int i = 0; i < SEATS; i++) {
        char *path =
            i ? sonde_path("%s/%s~%d" SUFFIX, g->folder, g->name, i) : sonde_path("%s/%s" SUFFIX, g->folder, g->name);
        enum seat seat = look_at_seat(store, g, path);
        if (seat == SEAT_SAME || seat == SEAT_OURS) {
            *is_same = seat == SEAT_SAME;
            sonde_free(free_seat);
            return path;
        }
        if (seat == SEAT_FREE && !free_seat) free_seat = path;
        else sonde_free(path);
        if (free_seat && !g->what) break; /* nothing is looked for beyond it */
    }
    return free_seat;
}

bool sonde_store_is_id(const char *name, const char *id)
{
    size_t n = strlen(id);
    return strncmp(name, id, n) == 0 && (name[n] == '\0' || name[n] == '~');
}

/* A store whose place was not chosen by the user is not to be committed by accident. */
static void ignore_itself(struct sonde_store *store)
{
    char *path = sonde_path("%s/.gitignore", store->root);
    if (store->is_default) sonde_below_create(path, named(store), "*\n", 2);
    store->is_default = false; /* once is enough */
    sonde_free(path);
}

/* 0, and *path where it is kept (also if it was there already); else an error, and *path NULL. */
static int save_in(struct sonde_store *store, const char *folder, const char *id, const struct sonde_stored *what,
                   bool is_lasting, char **path)
{
    size_t n;
    bool is_same;
    int error = sonde_below_make(folder, named(store));
    if (error) return error;
    ignore_itself(store);
    /* Written only if it differs: the time of a file says when the finding last changed. */
    char *bytes = sonde_stored_write(what, &n), *name = name_for(store, folder, id);
    *path = seat_for(store, &(struct guest){folder, name, bytes, n, is_lasting ? what : NULL}, &is_same);
    if (!*path) error = -EEXIST;
    else if (!is_same) error = sonde_below_write(*path, named(store), bytes, n, &store->turn, is_lasting);
    if (error) {
        sonde_free(*path);
        *path = NULL;
    }
    sonde_free(name);
    sonde_free(bytes);
    return error;
}

/* -ENODEV where there is no store: callers treat it as "not kept". */
static int save(struct sonde_store *store, const char *kind, const char *id, const struct sonde_stored *what,
                char **path)
{
    *path = NULL;
    if (!store->root) return -ENODEV;
    char *folder = folder_for(store, what->property, kind);
    /* A failure must not be lost. Of a corpus, which is many files, losing one costs nothing. */
    int error = save_in(store, folder, id, what, strcmp(kind, "corpus") != 0, path);
    if (error) warn_of_writing(store, folder, error);
    sonde_free(folder);
    return error;
}

/* Two runs may save the same failure: the name is its identity, so one file remains, the later one. */
int sonde_store_save_failure(struct sonde_store *store, const char *property, const char *id,
                             const struct sonde_stored *what, char **path)
{
    struct sonde_stored copy = *what;
    char *at;
    copy.property = property;
    int error = save(store, "failures", id, &copy, &at);
    if (path) *path = at;
    else sonde_free(at);
    return error;
}

/* Moves a file to where `to` says. */
static int move_to(const struct sonde_store *store, const char *old, const struct guest *to)
{
    bool is_same;
    int error = sonde_below_make(to->folder, named(store));
    if (error) return error;
    char *new = seat_for(store, to, &is_same);
    error = new ? sonde_below_move(old, new, named(store)) : -EEXIST;
    sonde_free(new);
    return error;
}

/* Moved, not deleted: what is fixed today may come back, and a user may want to look. */
int sonde_store_set_aside(struct sonde_store *store, const char *property, const char *id)
{
    if (!store->root) return -ENODEV;
    char *from = folder_for(store, property, "failures"), *to = folder_for(store, property, "fixed");
    char *name = name_for(store, from, id);
    char *old = sonde_path("%s/%s" SUFFIX, from, name);
    struct stat info;
    int error = sonde_below_stat(old, named(store), &info);
    if (!error) error = move_to(store, old, &(struct guest){.folder = to, .name = name, .bytes = ""});
    store->has_moved |= error == 0;
    if (error == -ENOENT) error = 0; /* another run was faster */
    if (error) warn_of_writing(store, old, error);
    sonde_free(old);
    sonde_free(name);
    sonde_free(from);
    sonde_free(to);
    return error;
}

/* From the folder that all programs of one name shared into one's own, once it is known to be ours. */
int sonde_store_adopt(struct sonde_store *store, const char *property, const struct sonde_stored *found)
{
    if (!store->root || !found->is_unclaimed) return 0;
    char *folder = folder_for(store, property, "failures"), *name = name_for(store, folder, found->id);
    int error = move_to(store, found->path, &(struct guest){folder, name, "", 0, found});
    store->has_moved |= error == 0;
    /* Then it is where it belongs. */
    if (error == -ENOENT) error = 0; /* another run was faster */
    if (error) warn_of_writing(store, found->path, error);
    sonde_free(folder);
    sonde_free(name);
    return error;
}

void sonde_store_sync(struct sonde_store *store, const char *property)
{
    if (!store->has_moved) return;
    char *from = folder_for(store, property, "failures"), *to = folder_for(store, property, "fixed");
    int error = sonde_below_sync(to, named(store)); /* first: at no moment is a failure in neither */
    if (!error) error = sonde_below_sync(from, named(store));
    if (error) warn_of_writing(store, to, error);
    store->has_moved = false;
    sonde_free(from);
    sonde_free(to);
}

/* By content: the same tape has one file, however often it is saved. */
static void corpus_name(const char *token, char name[17])
{
    snprintf(name, 17, "%016llx", (unsigned long long)sonde_hash_text(SONDE_STORE_VERSION, token));
}

int sonde_store_save_corpus(struct sonde_store *store, const char *property, const struct sonde_stored *what)
{
    struct sonde_stored copy = *what;
    char name[17], *path;
    copy.property = property;
    corpus_name(what->token, name);
    int error = save(store, "corpus", name, &copy, &path);
    sonde_free(path);
    return error;
}

/* ENOENT is no error: another run may have dropped it. */
int sonde_store_drop_corpus(struct sonde_store *store, const char *property, const char *token)
{
    if (!store->root) return -ENODEV;
    char name[17], *folder = folder_for(store, property, "corpus");
    corpus_name(token, name);
    char *path = sonde_path("%s/%s" SUFFIX, folder, name);
    int error = sonde_below_remove(path, named(store));
    sonde_free(path);
    sonde_free(folder);
    return error == -ENOENT ? 0 : error;
}

/* ---- What guides learned: a file of one's own each, that nobody reads but its guide. */

#define LEARNED_MAGIC "sonde learned 1\n"

enum { LEARNED_MAX = 64 << 20 };

static char *learned_path(const char *program, const char *property, const char *guide)
{
    char *folder = folder_in(program, property, "learned"), *name = sonde_safe_name(guide);
    char *path = sonde_path("%s/%s", folder, name);
    sonde_free(folder);
    sonde_free(name);
    return path;
}

/* The length and the magic are hashed too, so that a file that was cut to nothing does not match. */
static uint64_t learned_checksum(const uint8_t *data, size_t n)
{
    return sonde_hash_bytes(sonde_hash_text(n, LEARNED_MAGIC), data, n);
}

/* Something that is not ours stands where it should go. A person may keep notes under that name; they
 * are not written over. */
static bool is_taken(const struct sonde_store *store, const char *path)
{
    char *there;
    size_t n, magic = strlen(LEARNED_MAGIC);
    int error = sonde_below_read(path, named(store), LEARNED_MAX, &there, &n);
    bool is_ours = error == -ENOENT || (!error && n >= magic && memcmp(there, LEARNED_MAGIC, magic) == 0);
    sonde_free(there);
    return !is_ours;
}

/* The last run that ends wins. Nothing to learn leaves the file of an earlier run alone. */
int sonde_store_save_learned(struct sonde_store *store, const char *property, const char *guide,
                             const struct sonde_bytes *learned)
{
    if (!store->root) return -ENODEV;
    if (learned->n == 0) return 0;
    char *folder = folder_for(store, property, "learned"), *path = learned_path(store->program, property, guide);
    struct sonde_bytes file = {0};
    sonde_bytes_add(&file, LEARNED_MAGIC, strlen(LEARNED_MAGIC));
    sonde_bytes_add_u64(&file, learned_checksum(learned->data, learned->n));
    sonde_bytes_add(&file, learned->data, learned->n);
    int error = sonde_below_make(folder, named(store));
    if (!error && is_taken(store, path)) error = -EEXIST;
    if (!error) error = sonde_below_write(path, named(store), (const char *)file.data, file.n, &store->turn, false);
    if (error) warn_of_writing(store, path, error);
    sonde_bytes_clear(&file);
    sonde_free(folder);
    sonde_free(path);
    return error;
}

/* NULL if the bytes are whole, else what is wrong. */
static const char *read_learned(const char *bytes, size_t n, struct sonde_bytes *learned)
{
    struct sonde_reader r = sonde_reader(bytes, n);
    const uint8_t *magic = sonde_read_bytes(&r, strlen(LEARNED_MAGIC));
    if (!magic || memcmp(magic, LEARNED_MAGIC, strlen(LEARNED_MAGIC)) != 0)
        return "it is not what a guide of this version learned";
    uint64_t checksum = sonde_read_u64(&r);
    if (r.is_short || learned_checksum(r.data + r.at, r.n - r.at) != checksum)
        return "its checksum does not match: it was damaged";
    sonde_bytes_add(learned, r.data + r.at, r.n - r.at);
    return NULL;
}

int sonde_store_load_learned(struct sonde_store *store, const char *property, const char *guide,
                             struct sonde_bytes *learned)
{
    *learned = (struct sonde_bytes){0};
    if (!store->root) return -ENOENT;
    char *path = learned_path(store->program, property, guide), *bytes;
    size_t n;
    int error = sonde_below_read(path, named(store), LEARNED_MAX, &bytes, &n);
    /* What an earlier version kept for all programs of this name; a guide that cannot use it says so
     * itself. */
    if (error == -ENOENT && store->shared) {
        sonde_free(path);
        path = learned_path(store->shared, property, guide);
        error = sonde_below_read(path, named(store), LEARNED_MAX, &bytes, &n);
    }
    const char *reason = !error ? read_learned(bytes, n, learned) : error == -ENOENT ? NULL : sonde_below_reason(error);
    if (reason) warn_of_file(store, path, reason);
    if (reason && !error) error = -EINVAL;
    sonde_free(bytes);
    sonde_free(path);
    return error;
}

/* ---- Visiting */

/* `property` filters regressions; failures and corpora come from folders of the property already. */
struct visits {
    struct sonde_store *store;
    const char *property; /* only those that belong to it; NULL: all */
    const char *folder;   /* the name that such a folder has */
    size_t named;         /* bytes of each path that the user named */
    sonde_store_visit *visit;
    void *context;
    size_t n, n_unreadable;
    bool is_over;
    bool is_unclaimed;
};

static bool is_gone(const char *path, size_t below)
{
    struct stat info;
    return sonde_below_stat(path, below, &info) == -ENOENT;
}

/* The name `path` ends with is name.tape. */
static void visit_file(struct visits *v, const char *path, bool belongs)
{
    struct sonde_stored found;
    const char *reason;
    int error = read_stored(path, v->named, &found, &reason);
    /* Another run may set the file aside, adopt it or put it back meanwhile. */
    for (int i = 0; error == -ENOENT && i < READS; i++) {
        if (is_gone(path, v->named)) return;
        error = read_stored(path, v->named, &found, &reason);
    }
    if (error) {
        v->n_unreadable++;
        warn_of_file(v->store, path, reason);
        return;
    }
    /* What a file says of itself counts more than where it lies. */
    if (v->property) belongs = found.property ? strcmp(found.property, v->property) == 0 : belongs;
    if (belongs) {
        char *id = sonde_strdup(sonde_last_part(path));
        id[strlen(id) - strlen(SUFFIX)] = '\0';
        found.id = id;
        found.is_unclaimed = v->is_unclaimed;
        v->n++;
        v->is_over = !v->visit(v->context, &found);
        sonde_free(id);
    }
    sonde_stored_clear(&found);
}

/* A folder that is not there is an empty one. */
static void visit_folder(struct visits *v, const char *program, const char *property, const char *kind)
{
    char *folder = folder_in(program, property, kind);
    struct sonde_names names;
    int error = sonde_below_list(folder, v->named, &names);
    if (names.is_cut) error = -EFBIG;
    if (error && error != -ENOENT) {
        v->n_unreadable++;
        warn_of_file(v->store, folder, sonde_below_reason(error));
    }
    for (uint32_t i = 0; i < names.n && !v->is_over; i++) {
        if (!sonde_ends(names.names[i], SUFFIX)) continue;
        char *path = sonde_path("%s/%s", folder, names.names[i]);
        visit_file(v, path, true);
        sonde_free(path);
    }
    sonde_names_clear(&names);
    sonde_free(folder);
}

/* One's own first; the shared ones are unclaimed until they are adopted. */
size_t sonde_store_each_failure(struct sonde_store *store, const char *property, sonde_store_visit *visit,
                                void *context)
{
    if (!store->root) return 0;
    struct visits v = {.store = store, .visit = visit, .context = context, .named = named(store)};
    visit_folder(&v, store->program, property, "failures");
    v.is_unclaimed = true;
    if (store->shared) visit_folder(&v, store->shared, property, "failures");
    store->n_unreadable = v.n_unreadable;
    return v.n;
}

size_t sonde_store_unreadable(const struct sonde_store *store)
{
    return store->n_unreadable;
}

size_t sonde_store_each_corpus(struct sonde_store *store, const char *property, sonde_store_visit *visit, void *context)
{
    if (!store->root) return 0;
    struct visits v = {.store = store, .visit = visit, .context = context, .named = named(store)};
    visit_folder(&v, store->program, property, "corpus");
    /* Only where the program has no corpus of its own: a shared one may be of other programs. */
    if (store->shared && v.n == 0) visit_folder(&v, store->shared, property, "corpus");
    return v.n;
}

/* ---- Regressions: a tree of folders */

/* A folder may carry the property's name as it is or its safe form. */
static bool is_its_own(void *context, const char *folder)
{
    const struct visits *v = context;
    return strcmp(folder, v->property) == 0 || strcmp(folder, v->folder) == 0;
}

/* Negative only if some folder could not be listed: a regression that is silently not run would be a
 * test that is gone. */
long sonde_store_each_regression(struct sonde_store *store, const char *directory, const char *property,
                                 sonde_store_visit *visit, void *context)
{
    char *folder = sonde_safe_name(property);
    struct visits v = {.store = store, .property = property, .folder = folder, .visit = visit, .context = context};
    struct sonde_tree tree = {.is_named_after = is_its_own, .context = &v};
    struct sonde_tree_file file;
    int error = 0;
    v.named = strlen(directory);
    sonde_tree_begin(&tree, directory);
    while (!v.is_over && sonde_tree_next(&tree, &file)) {
        if (file.error) error = file.error;
        else if (sonde_ends(file.path, SUFFIX)) visit_file(&v, file.path, file.belongs);
    }
    sonde_tree_end(&tree);
    sonde_free(folder);
    return error ? error : (long)v.n;
}

/* ---- Regressions that are none */

/* The walk is the same as that of the run, so what is checked is what is run. */
struct check {
    const struct sonde_store_names *names;
    char *message;
    size_t size, n, named;
    long n_wrong;
};

static bool is_known(void *context, const char *property)
{
    const struct check *c = context;
    return c->names->knows(c->names->context, property);
}

/* One file of a folder of regressions; the first that is wrong is explained, the others are counted. */
static void check_file(struct check *c, const char *path, bool belongs)
{
    struct sonde_stored found;
    const char *reason = NULL;
    int error = read_stored(path, c->named, &found, &reason);
    c->n++;
    if (!error && (found.property ? is_known(c, found.property) : belongs)) {
        sonde_stored_clear(&found);
        return;
    }
    if (c->n_wrong++ == 0) {
        if (error)
            snprintf(c->message, c->size, "%s cannot be used: %s. Correct it, or take the file out", path, reason);
        else if (found.property)
            snprintf(c->message, c->size,
                     "%s belongs to the property %s, which this program does not have; change the name in the "
                     "file, or take the file out",
                     path, found.property);
        else
            snprintf(c->message, c->size,
                     "%s belongs to no property: no folder on its path is named after one; add a line "
                     "'# property: NAME' to its head",
                     path);
    }
    sonde_stored_clear(&found);
}

long sonde_store_check_regressions(const char *directory, const struct sonde_store_names *names, char *message,
                                   size_t size, size_t *n)
{
    struct check c = {.names = names, .message = message, .size = size, .named = strlen(directory)};
    struct sonde_tree tree = {.is_named_after = is_known, .context = &c};
    struct sonde_tree_file file;
    sonde_tree_begin(&tree, directory);
    while (sonde_tree_next(&tree, &file)) {
        if (!file.error && sonde_ends(file.path, SUFFIX)) check_file(&c, file.path, file.belongs);
        else if (file.error && c.n_wrong++ == 0)
            snprintf(message, size, "the folder '%s' cannot be read: %s", file.path, sonde_below_reason(file.error));
    }
    sonde_tree_end(&tree);
    *n = c.n;
    return c.n_wrong;
}

/* For --refresh. The whole file is written anew, by rename, so that a crash leaves the old one. */
int sonde_store_replace_token(const char *path, size_t below, const char *token)
{
    char *bytes;
    size_t n;
    unsigned turn = 0;
    int error = sonde_below_read(path, below, SONDE_READ_BYTES_MAX, &bytes, &n);
    if (error) return error;
    char *file = sonde_stored_replace(bytes, n, token, &n);
    error = sonde_below_write(path, below, file, n, &turn, true);
    sonde_free(file);
    sonde_free(bytes);
    return error;
}

/* A tape whose checksum matches can still be unreadable: it may have been edited without one. */
int sonde_store_script(struct sonde_store *store, const struct sonde_stored *found, struct sonde_tape *script,
                       struct sonde_labels *labels)
{
    struct sonde_text_error error;
    int status = sonde_tape_from_text(script, labels, found->token, strlen(found->token), &error);
    char reason[256];
    if (!status) return 0;
    snprintf(reason, sizeof reason, "%s (at character %zu of its tape)", error.reason, error.at + 1);
    warn_of_file(store, found->path ? found->path : "a tape", reason);
    return status;
}

int sonde_store_read_file(const char *path, struct sonde_stored *found, const char **reason)
{
    char *bytes;
    size_t n;
    int error = sonde_read_file(path, SONDE_READ_BYTES_MAX, false, &bytes, &n);
    return parse_stored(path, error, bytes, n, found, reason);
}
