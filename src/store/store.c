/* The layout of the store, and its warnings: one per file that cannot be read, one if nothing can be kept. files.c and
 * below.c read and write files; format.c knows their contents.
 *
 * The engine creates one struct per run of a property, in its heap. There are no locks: runs that share a store meet
 * only in the file system. Each of their steps is one atomic rename or unlink. All functions do nothing if `root` is
 * NULL. */
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

enum {
    WARNED = 256, /* maximum number of files with a warning; the last warning says that there are more */
    SLOTS = 16,   /* how many names NAME, NAME~1, ... are tried if another file has the name */
    READS = 8,    /* attempts to read a file that other runs move */
};

/* A store. */
struct sonde_store {
    char *root;    /* directory of the whole store; NULL: the store is off or unusable */
    char *program; /* directory of this program in the store */
    char *shared;  /* directory where earlier versions kept the findings of all programs of this name; NULL: none */
    bool is_default;
    bool (*may_replace)(const struct sonde_stored *old, const struct sonde_stored *new);
    void (*warn)(void *context, const char *text);
    void *context;
    unsigned turn;
    bool cannot_write; /* the warning that nothing can be kept has been printed */
    bool has_moved;    /* files were moved, and their directories have not been synced yet */
    uint64_t warned[WARNED];
    size_t n_warned;
    size_t n_unreadable; /* files of failures that could not be read in the last visit */
};

/* ---- Warnings */

/* Prints a warning where there is no reporter, as in tools. */
static void plain_warning(void *context, const char *text)
{
    (void)context;
    sonde_warn("%s", text);
}

/* Prints a warning on one line; paths may hold any bytes. */
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

/* Warns of a file once. The hash of the path identifies it: several visits of a run may read the same file. */
static void warn_of_file(struct sonde_store *store, const char *path, const char *reason)
{
    uint64_t hash = sonde_hash_text(0, path);
    for (size_t i = 0; i < store->n_warned; i++)
        if (store->warned[i] == hash) return;
    if (store->n_warned == WARNED) return;
    store->warned[store->n_warned++] = hash;
    if (store->n_warned == WARNED) warn(store, "more files cannot be read; sonde leaves them unchanged");
    else warn(store, "%.400s is not used: %s; sonde leaves it unchanged", path, reason);
}

/* Warns once per run that nothing can be kept: a full disk would otherwise be reported with every finding. */
static void warn_of_writing(struct sonde_store *store, const char *path, int error)
{
    if (store->cannot_write) return;
    store->cannot_write = true;
    warn(store,
         "the store in %.400s cannot be used: %s; testing continues, and failures are reported but not saved "
         "(--store DIR names another directory)",
         path, sonde_below_reason(error));
}

/* ---- Opening */

/* The directories of a property in the store. Directories with other names were not created by the store. */
static const char *const kinds[] = {"failures", "corpus", "fixed", "learned"};

/* Returns whether a directory of that name belongs to the store. */
static bool is_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i], name) == 0) return true;
    return false;
}

/* Removes temporary files of runs that were killed while writing, only in directories of the store. */
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

/* Returns how many bytes of a path in the store were named by the user or found by home.c (files.h). */
static size_t named(const struct sonde_store *store)
{
    return strlen(store->root);
}

/* Checks that the store is a readable directory, or missing: then it is created when there is something to keep. */
static int check_root(const char *root)
{
    struct stat info;
    if (stat(root, &info) < 0) return errno == ENOENT ? 0 : -errno;
    if (!S_ISDIR(info.st_mode)) return -ENOTDIR;
    return access(root, R_OK | X_OK) < 0 ? -errno : 0;
}

/* Returns the directory that earlier versions used, named by the last part of the program's path; NULL if there is
 * none. */
static char *find_shared(const struct sonde_home *home)
{
    char *path = sonde_path("%s/%s", home->store, sonde_last_part(home->program));
    struct stat info;
    bool is_there = sonde_below_stat(path, strlen(home->store), &info) == 0 && S_ISDIR(info.st_mode);
    if (strchr(home->program, '/') && is_there) return path;
    sonde_free(path);
    return NULL;
}

/* Never fails: a store that cannot be used is off, after a warning. */
struct sonde_store *sonde_store_open(const struct sonde_store_setup *setup)
{
    struct sonde_store *store = sonde_calloc(1, sizeof *store);
    store->warn = setup->warn ? setup->warn : plain_warning;
    store->context = setup->context;
    store->may_replace = setup->may_replace;
    if (setup->is_off) return store; /* root stays NULL */
    struct sonde_home home;
    sonde_home_find(&home, setup->directory, setup->program ? setup->program : "", setup->source);
    int error = check_root(home.store);
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

/* Returns the path PROGRAM/PROPERTY/KIND, with the property's name made safe. */
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

/* Parses the bytes that were read from `path`, or sets *reason to why they could not be read. Frees the bytes. */
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

/* Reads a tape file that was found below a directory. A link, a pipe or a directory is refused even if it has a tape's
 * name. */
static int read_stored(const char *path, size_t below, struct sonde_stored *found, const char **reason)
{
    char *bytes;
    size_t n;
    int error = sonde_below_read(path, below, SONDE_READ_BYTES_MAX, &bytes, &n);
    error = parse_stored(path, error, bytes, n, found, reason);
    found->named = below;
    return error;
}

/* Returns the file name for an id: the id itself if there is such a file (a person may have named it), else made
 * safe. */
static char *name_for(const struct sonde_store *store, const char *folder, const char *id)
{
    char *path = sonde_path("%s/%s" SUFFIX, folder, id);
    struct stat info;
    bool is_there = *id && !strchr(id, '/') && sonde_below_stat(path, named(store), &info) == 0;
    sonde_free(path);
    return is_there ? sonde_strdup(id) : sonde_safe_name(id);
}

/* A file to be written under a name. */
struct new_file {
    const char *folder, *name;
    const char *bytes; /* the contents to write; if empty, no file counts as the same */
    size_t n;
    const struct sonde_stored *what; /* the parsed contents, for may_replace; NULL: the file may replace every tape */
};

/* The state of a name: no file, the same contents, a tape that may be replaced, or anything else. */
enum slot { SLOT_FREE, SLOT_SAME, SLOT_REPLACEABLE, SLOT_TAKEN };

/* Checks the file at `path`. One that cannot be read is never overwritten: it may be a tape of a newer version, or
 * notes of the user. */
static enum slot check_slot(const struct sonde_store *store, const struct new_file *file, const char *path)
{
    char *there;
    size_t n;
    struct sonde_stored found;
    const char *reason;
    enum slot slot = SLOT_TAKEN;
    int error = sonde_below_read(path, named(store), SONDE_READ_BYTES_MAX, &there, &n);
    if (error == -ENOENT) slot = SLOT_FREE;
    else if (!error && n && n == file->n && memcmp(there, file->bytes, n) == 0) slot = SLOT_SAME;
    else if (!error && sonde_stored_read(&found, there, n, &reason) == 0) {
        if (!file->what || !store->may_replace || store->may_replace(&found, file->what)) slot = SLOT_REPLACEABLE;
        sonde_stored_clear(&found);
    }
    sonde_free(there);
    return slot;
}

/* Returns the path to write NAME.tape to: a tape that it may replace, else the first free name of NAME.tape,
 * NAME~1.tape and so on. Returns NULL if there is none. Sets *is_same if the file exists with the same contents. */
static char *path_for(const struct sonde_store *store, const struct new_file *file, bool *is_same)
{
    char *free_path = NULL;
    *is_same = false;
    for (int i = 0; i < SLOTS; i++) {
        char *path = i ? sonde_path("%s/%s~%d" SUFFIX, file->folder, file->name, i)
                       : sonde_path("%s/%s" SUFFIX, file->folder, file->name);
        enum slot slot = check_slot(store, file, path);
        if (slot == SLOT_SAME || slot == SLOT_REPLACEABLE) {
            *is_same = slot == SLOT_SAME;
            sonde_free(free_path);
            return path;
        }
        if (slot == SLOT_FREE && !free_path) free_path = path;
        else sonde_free(path);
        /* a free name was found, and a file without `what` replaces no tape at a later name */
        if (free_path && !file->what) break;
    }
    return free_path;
}

bool sonde_store_is_id(const char *name, const char *id)
{
    size_t n = strlen(id);
    return strncmp(name, id, n) == 0 && (name[n] == '\0' || name[n] == '~');
}

/* Writes a .gitignore, so that a store whose directory the user did not choose is not committed by accident. */
static void write_gitignore(struct sonde_store *store)
{
    char *path = sonde_path("%s/.gitignore", store->root);
    if (store->is_default) sonde_below_create(path, named(store), "*\n", 2);
    store->is_default = false; /* once is enough */
    sonde_free(path);
}

/* Saves a tape in a directory. Returns 0 and sets *path to the file, also if it was there already; else an error and
 * NULL. */
static int save_in(struct sonde_store *store, const char *folder, const char *id, const struct sonde_stored *what,
                   bool is_lasting, char **path)
{
    size_t n;
    bool is_same;
    int error = sonde_below_make(folder, named(store));
    if (error) return error;
    write_gitignore(store);
    /* Writes only if it differs, so that the file's time tells when the finding last changed. */
    char *bytes = sonde_stored_write(what, &n), *name = name_for(store, folder, id);
    *path = path_for(store, &(struct new_file){folder, name, bytes, n, is_lasting ? what : NULL}, &is_same);
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

/* Saves a tape in a directory of its property. Returns -ENODEV if there is no store, which callers treat as "not
 * kept". */
static int save(struct sonde_store *store, const char *kind, const char *id, const struct sonde_stored *what,
                char **path)
{
    *path = NULL;
    if (!store->root) return -ENODEV;
    char *folder = folder_for(store, what->property, kind);
    /* A failure is synced to disk, since it must not be lost. A corpus has many files, and losing one costs nothing. */
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

/* Moves a file to the directory and name of `to`. */
static int move_to(const struct sonde_store *store, const char *old, const struct new_file *to)
{
    bool is_same;
    int error = sonde_below_make(to->folder, named(store));
    if (error) return error;
    char *new = path_for(store, to, &is_same);
    error = new ? sonde_below_move(old, new, named(store)) : -EEXIST;
    sonde_free(new);
    return error;
}

/* Moves the file instead of deleting it: the failure may come back, and a user may want to examine it. */
int sonde_store_set_aside(struct sonde_store *store, const char *property, const char *id)
{
    if (!store->root) return -ENODEV;
    char *from = folder_for(store, property, "failures"), *to = folder_for(store, property, "fixed");
    char *name = name_for(store, from, id);
    char *old = sonde_path("%s/%s" SUFFIX, from, name);
    struct stat info;
    int error = sonde_below_stat(old, named(store), &info);
    if (!error) error = move_to(store, old, &(struct new_file){.folder = to, .name = name, .bytes = ""});
    store->has_moved |= error == 0;
    if (error == -ENOENT) error = 0; /* another run has moved the file already */
    if (error) warn_of_writing(store, old, error);
    sonde_free(old);
    sonde_free(name);
    sonde_free(from);
    sonde_free(to);
    return error;
}

/* Moves the file from the directory that all programs of one name shared to the program's directory. */
int sonde_store_adopt(struct sonde_store *store, const char *property, const struct sonde_stored *found)
{
    if (!store->root || !found->is_unclaimed) return 0;
    char *folder = folder_for(store, property, "failures"), *name = name_for(store, folder, found->id);
    int error = move_to(store, found->path, &(struct new_file){folder, name, "", 0, found});
    store->has_moved |= error == 0;
    if (error == -ENOENT) error = 0; /* another run has already moved the file to the same directory */
    if (error) warn_of_writing(store, found->path, error);
    sonde_free(folder);
    sonde_free(name);
    return error;
}

void sonde_store_sync(struct sonde_store *store, const char *property)
{
    if (!store->has_moved) return;
    char *from = folder_for(store, property, "failures"), *to = folder_for(store, property, "fixed");
    /* synced first, so that a failure is never missing in both directories */
    int error = sonde_below_sync(to, named(store));
    if (!error) error = sonde_below_sync(from, named(store));
    if (error) warn_of_writing(store, to, error);
    store->has_moved = false;
    sonde_free(from);
    sonde_free(to);
}

/* Names an input by its contents: the same tape has one file, however often it is saved. */
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

/* ENOENT is not an error: another run may have dropped the input. */
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

/* ---- Files with what guides learned: one for each guide, which only that guide reads. */

#define LEARNED_MAGIC "sonde learned 1\n"

enum { LEARNED_MAX = 64 << 20 }; /* maximum size in bytes of a file of learned data: bounds memory */

static char *learned_path(const char *program, const char *property, const char *guide)
{
    char *folder = folder_in(program, property, "learned"), *name = sonde_safe_name(guide);
    char *path = sonde_path("%s/%s", folder, name);
    sonde_free(folder);
    sonde_free(name);
    return path;
}

/* Computes the checksum of learned bytes. The length and the magic are hashed too, so that an empty file does not
 * match. */
static uint64_t learned_checksum(const uint8_t *data, size_t n)
{
    return sonde_hash_bytes(sonde_hash_text(n, LEARNED_MAGIC), data, n);
}

/* Returns whether a file that a guide did not write has this path. A person may keep notes there; they are not
 * overwritten. */
static bool is_taken(const struct sonde_store *store, const char *path)
{
    char *there;
    size_t n, magic = strlen(LEARNED_MAGIC);
    int error = sonde_below_read(path, named(store), LEARNED_MAX, &there, &n);
    bool is_ours = error == -ENOENT || (!error && n >= magic && memcmp(there, LEARNED_MAGIC, magic) == 0);
    sonde_free(there);
    return !is_ours;
}

/* If several runs save, the last one to end replaces the others' data. A run that learned nothing leaves the file of an
 * earlier run. */
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

/* Reads a file of learned bytes. Returns NULL, or the reason why it cannot be used. */
static const char *read_learned(const char *bytes, size_t n, struct sonde_bytes *learned)
{
    struct sonde_reader r = sonde_reader(bytes, n);
    const uint8_t *magic = sonde_read_bytes(&r, strlen(LEARNED_MAGIC));
    if (!magic || memcmp(magic, LEARNED_MAGIC, strlen(LEARNED_MAGIC)) != 0)
        return "it is not a file that a guide of this version wrote";
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
    /* Otherwise reads the file of an earlier version, for all programs of this name. A guide that cannot use it prints
     * a warning itself. */
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

/* The state of visiting tape files. `property` filters regressions; failures and corpora are in directories of the
 * property already. */
struct visits {
    struct sonde_store *store;
    const char *property; /* visit only files that belong to this property; NULL: all files */
    const char *folder;   /* the name of the property's directories */
    size_t named;         /* number of bytes of each path that the user named */
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

/* Reads and visits one file, whose path ends with .tape. */
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
    /* The property line of a file overrides its directory. */
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

/* Visits the tapes in a directory. A directory that does not exist counts as empty. */
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

/* Visits the program's failures first, then the failures that earlier versions stored for all programs of this name.
 * The latter are unclaimed until one of the programs adopts them. */
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
    /* The corpus that all programs of this name share is visited only if the program has no corpus: it may be from
     * other programs. */
    if (store->shared && v.n == 0) visit_folder(&v, store->shared, property, "corpus");
    return v.n;
}

/* ---- Regressions: a tree of directories */

/* Returns whether a directory is named after the property: by its name as it is, or by its safe form. */
static bool is_named_after(void *context, const char *folder)
{
    const struct visits *v = context;
    return strcmp(folder, v->property) == 0 || strcmp(folder, v->folder) == 0;
}

/* Fails if some directory could not be listed: otherwise regressions would silently not run. */
long sonde_store_each_regression(struct sonde_store *store, const char *directory, const char *property,
                                 sonde_store_visit *visit, void *context)
{
    char *folder = sonde_safe_name(property);
    struct visits v = {.store = store, .property = property, .folder = folder, .visit = visit, .context = context};
    struct sonde_tree tree = {.is_named_after = is_named_after, .context = &v};
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

/* ---- Regressions that do not belong to any property */

/* The state of checking a directory of regressions. The walk is the same as for running them, so the same files are
 * checked and run. */
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

/* Checks one file of a directory of regressions; describes the first problem and counts the others. */
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
        if (error) snprintf(c->message, c->size, "%s cannot be used: %s; correct the file, or remove it", path, reason);
        else if (found.property)
            snprintf(c->message, c->size,
                     "%s belongs to the property %s, which this program does not have; change the name in the "
                     "file, or remove the file",
                     path, found.property);
        else
            snprintf(c->message, c->size,
                     "%s belongs to no property: no directory on its path is named after one; add a line "
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
            snprintf(message, size, "the directory '%s' cannot be read: %s", file.path, sonde_below_reason(file.error));
    }
    sonde_tree_end(&tree);
    *n = c.n;
    return c.n_wrong;
}

/* For --refresh. Writes the whole file again, by rename, so that a crash leaves the old one. */
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

/* A tape with a valid head can still be unreadable: it may have been edited, without a checksum. */
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
