/* The store: failing tapes and corpora on disk, so that a later run can replay a finding.
 *
 *     .sonde/PROGRAM/PROPERTY/failures/ID.tape      replayed first by the next run
 *                             corpus/HASH.tape      inputs worth starting from
 *                             fixed/ID.tape         failures that no longer fail, set aside
 *                             learned/GUIDE         what a guide learned
 *
 * home.h finds `.sonde` and PROGRAM. Earlier versions used the last part of the program's path as PROGRAM. Files there
 * are read too, and a failure that still fails is moved to the program's directory. No directory is created before
 * there is a file to keep. Files are complete or missing (a temporary file, fsync, rename). So any number of runs may
 * share a store, and any of them may be killed at any moment. A file that cannot be read causes one warning and stays
 * as it is: it is never deleted or overwritten.
 *
 * A store never ends a run. If it cannot be used (its path is a file, the disk is full or read-only) it warns once.
 * Then it is empty, and every call still works. Memory that a visitor gets lives until the visitor returns. */
#ifndef SONDE_STORE_STORE_H
#define SONDE_STORE_STORE_H

#include "base/bytes.h"
#include "store/format.h"
#include "tape/label.h"
#include "tape/tape.h"

struct sonde_store;

/* The arguments of sonde_store_open. */
struct sonde_store_setup {
    const char *directory; /* NULL: home.h finds it */
    const char *program;   /* path of the executable */
    const char *source;    /* path of the program's source, as the compiler knew it; may be NULL */
    bool is_off;           /* --no-store: an empty store that keeps nothing and warns of nothing */
    /* Returns whether a failure may replace another one with the same id; otherwise both are kept. NULL: it always
     * may. */
    bool (*may_replace)(const struct sonde_stored *old, const struct sonde_stored *new);
    void (*warn)(void *context, const char *text); /* NULL: sonde_warn */
    void *context;
};

/* Opens a store; never returns NULL. Also removes temporary files of dead processes. */
struct sonde_store *sonde_store_open(const struct sonde_store_setup *setup);
/* Frees a store. Writes nothing: each file was written when it was saved. NULL is allowed. */
void sonde_store_close(struct sonde_store *store);
/* Returns the directory of the store, borrowed; "" if it is off or cannot be used. */
const char *sonde_store_path(const struct sonde_store *store);

/* Saves a failure under an id that distinguishes it from other failures of the property. A second one with that id
 * replaces the first, or is kept beside it as ID~1 (may_replace). `what->token` is the tape as a string. Returns
 * 0, or a negative errno after a warning (once per run) if it could not be kept. If `path` is not NULL, sets *path to
 * the file, which the caller frees with sonde_free, or to NULL. */
int sonde_store_save_failure(struct sonde_store *store, const char *property, const char *id,
                             const struct sonde_stored *what, char **path);
/* Moves a failure that no longer fails to fixed/. Returns 0 also if the file no longer exists. Does not sync: see
 * sonde_store_sync. */
int sonde_store_set_aside(struct sonde_store *store, const char *property, const char *id);
/* Moves an unclaimed failure that turned out to be this program's to the program's directory. */
int sonde_store_adopt(struct sonde_store *store, const char *property, const struct sonde_stored *found);
/* Syncs the directories of failures that were set aside to disk, all at once. */
void sonde_store_sync(struct sonde_store *store, const char *property);
/* Saves an input under a hash of its token. An identical file that exists already is not written again. */
int sonde_store_save_corpus(struct sonde_store *store, const char *property, const struct sonde_stored *what);
/* Removes an input from the corpus, found by its token. */
int sonde_store_drop_corpus(struct sonde_store *store, const char *property, const char *token);

/* Saves what a guide learned, in place of what it learned before. Does nothing if there are no bytes. */
int sonde_store_save_learned(struct sonde_store *store, const char *property, const char *guide,
                             const struct sonde_bytes *learned);
/* Reads what a guide learned into `learned`, which the caller clears with sonde_bytes_clear. Returns 0, or -ENOENT if
 * there is no file. Another error means that the file cannot be used; then a warning was printed. */
int sonde_store_load_learned(struct sonde_store *store, const char *property, const char *guide,
                             struct sonde_bytes *learned);

/* Returns whether the file of that name holds a failure of that id: ID itself, or ID~1 and so on. */
bool sonde_store_is_id(const char *name, const char *id);

/* A visitor, called with each file that was read; returning false ends the visits. A visitor may save, set aside and
 * drop files. */
typedef bool sonde_store_visit(void *context, const struct sonde_stored *found);

/* Visits the failures of a property, in the order of file names; returns how many were visited. */
size_t sonde_store_each_failure(struct sonde_store *store, const char *property, sonde_store_visit *visit,
                                void *context);
/* Returns how many files of failures the last visit could not read. */
size_t sonde_store_unreadable(const struct sonde_store *store);
/* Visits the corpus of a property, in the order of file names; returns how many inputs were visited. */
size_t sonde_store_each_corpus(struct sonde_store *store, const char *property, sonde_store_visit *visit,
                               void *context);
/* Visits all *.tape files in a directory and below it that belong to the property (--regressions DIR). A file belongs
 * to the property of its `property` line. A file without that line belongs to the property that a directory on its
 * path is named after. Directly in DIR, it belongs to every property. Returns how many were visited, or a negative
 * errno if a directory cannot be read. */
long sonde_store_each_regression(struct sonde_store *store, const char *directory, const char *property,
                                 sonde_store_visit *visit, void *context);

/* The property names that a program has. */
struct sonde_store_names {
    bool (*knows)(void *context, const char *property);
    void *context;
};
/* Checks whether every tape in a directory of regressions can be read and belongs to a known property. Returns the
 * number of problems, including directories that cannot be read, and describes the first in `message`. Sets *n to the
 * number of tapes. */
long sonde_store_check_regressions(const char *directory, const struct sonde_store_names *names, char *message,
                                   size_t size, size_t *n);
/* Writes another token into a tape file. The user named `below` bytes of its path. The head stays, with a new checksum
 * if it had one. Returns 0 or a negative errno. */
int sonde_store_replace_token(const char *path, size_t below, const char *token);

/* Turns the token of a tape file that was read into a script. Returns 0, or -EINVAL after a warning that names the
 * file and the position. */
int sonde_store_script(struct sonde_store *store, const struct sonde_stored *found, struct sonde_tape *script,
                       struct sonde_labels *labels);

/* Reads a tape file (--replay FILE). Returns 0, or a negative errno and sets *reason (static). The caller clears
 * `found` with sonde_stored_clear, and makes the script with sonde_tape_from_text. */
int sonde_store_read_file(const char *path, struct sonde_stored *found, const char **reason);

#endif
