/* The store: failing tapes and corpora on disk, so that a finding comes back tomorrow.
 *
 *     .sonde/PROGRAM/PROPERTY/failures/ID.tape      replayed first by the next run
 *                             corpus/HASH.tape      inputs worth starting from
 *                             fixed/ID.tape         failures that no longer fail, set aside
 *                             learned/GUIDE         what a guide learned
 *
 * Where `.sonde` stands, and what PROGRAM is, says home.h. Earlier versions took the last part of the program's path for
 * PROGRAM; what is there is read too, and a failure that is still there becomes the program's own. Nothing is created
 * before there is something to keep. Files are whole or not there (a temporary file, fsync, rename), so any number of runs may share
 * a store, and any of them may be killed at any moment. What cannot be read is warned of once and left as it is: it is
 * never deleted, and never written over.
 *
 * A store never ends a run. If it cannot be used (its path is a file, the disk is full or read-only) it says so once
 * and is empty from then on; every call still works. Memory it gives to a visitor lives until the visitor returns. */
#ifndef SONDE_STORE_STORE_H
#define SONDE_STORE_STORE_H

#include "base/bytes.h"
#include "store/format.h"
#include "tape/label.h"
#include "tape/tape.h"

struct sonde_store;

struct sonde_store_setup {
    const char *directory; /* NULL: the place is looked for */
    const char *program;   /* path of the executable */
    const char *source;    /* of the program, as the compiler knew it; may be NULL */
    bool is_off;           /* --no-store: an empty store that keeps nothing and says nothing */
    /* Whether a failure may be saved over another one of its id; else it is kept beside it. NULL: it may. */
    bool (*may_replace)(const struct sonde_stored *old, const struct sonde_stored *new);
    void (*warn)(void *context, const char *text); /* NULL: sonde_warn */
    void *context;
};

/* Never NULL. Also removes what dead processes left half written. */
struct sonde_store *sonde_store_open(const struct sonde_store_setup *setup);
/* Keeps nothing back: everything was written when it was saved. NULL is allowed. */
void sonde_store_close(struct sonde_store *store);
/* Its directory; "" if it is off or cannot be used. */
const char *sonde_store_path(const struct sonde_store *store);

/* Keeps a failure under an id that tells it from others of the property; a second one with that id replaces the first, or
 * is kept beside it as ID~1 (may_replace).
 * `what->token` is the text form of the tape. Returns 0, or a negative errno when it could not be kept (which has then
 * been warned of, once per run). With `path`, where it is kept: sonde_free it; NULL if it is not. */
int sonde_store_save_failure(struct sonde_store *store, const char *property, const char *id,
                             const struct sonde_stored *what, char **path);
/* The failure no longer fails: moves it to fixed/. One that is gone already is moved, too, for all that matters: 0. When
 * this comes to disk is left to the system, or to sonde_store_sync. */
int sonde_store_set_aside(struct sonde_store *store, const char *property, const char *id);
/* A failure that is unclaimed is this program's: moves it to where it belongs. */
int sonde_store_adopt(struct sonde_store *store, const char *property, const struct sonde_stored *found);
/* After failures were set aside: brings their folders to disk, all at once. */
void sonde_store_sync(struct sonde_store *store, const char *property);
/* Keeps an input under a hash of its token; one that is there already costs a look. */
int sonde_store_save_corpus(struct sonde_store *store, const char *property, const struct sonde_stored *what);
/* Takes an input out of the corpus again, found by its token. */
int sonde_store_drop_corpus(struct sonde_store *store, const char *property, const char *token);

/* Keeps what a guide learned; whatever was kept of that guide before is replaced. No bytes: nothing is done. */
int sonde_store_save_learned(struct sonde_store *store, const char *property, const char *guide,
                             const struct sonde_bytes *learned);
/* Reads it back, into `learned` (sonde_bytes_clear it). 0; -ENOENT: there is nothing; else it cannot be used, which has
 * been warned of. */
int sonde_store_load_learned(struct sonde_store *store, const char *property, const char *guide,
                             struct sonde_bytes *learned);

/* Returns whether the file of that name holds a failure of that id: ID itself, or ID~1 and so on. */
bool sonde_store_is_id(const char *name, const char *id);

/* Called with what was read; false ends the visits. It may save, set aside and drop. */
typedef bool sonde_store_visit(void *context, const struct sonde_stored *found);

/* In the order of file names; each returns how many were visited. */
size_t sonde_store_each_failure(struct sonde_store *store, const char *property, sonde_store_visit *visit,
                                void *context);
/* How many files of failures the last visit could not read. */
size_t sonde_store_unreadable(const struct sonde_store *store);
/* Answers how many were visited; the visit may end it by answering false. */
size_t sonde_store_each_corpus(struct sonde_store *store, const char *property, sonde_store_visit *visit,
                               void *context);
/* --regressions DIR: all *.tape files in a directory and below that belong to the property: by their `property` line;
 * without one, by a folder on the way that is named after it; directly in DIR, to every property. Returns how many were
 * visited, or a negative errno if the directory or one in it cannot be read. */
long sonde_store_each_regression(struct sonde_store *store, const char *directory, const char *property,
                                 sonde_store_visit *visit, void *context);

/* Which property names a program has. */
struct sonde_store_names {
    bool (*knows)(void *context, const char *property);
    void *context;
};
/* Whether every tape in a directory of regressions can be read and belongs to a property that is known: 0, or how many
 * do not, with a sentence about the first of them in `message`. Folders that cannot be read are among them. *n: how many
 * tapes there are. */
long sonde_store_check_regressions(const char *directory, const struct sonde_store_names *names, char *message,
                                   size_t size, size_t *n);
/* Puts another token into a tape file, of whose path the user named `below` bytes. Its head stays, with another checksum
 * if it had one. Returns 0 or a negative errno. */
int sonde_store_replace_token(const char *path, size_t below, const char *token);

/* The script of what was found: 0, or -EINVAL after a warning that names the file and the place in it. */
int sonde_store_script(struct sonde_store *store, const struct sonde_stored *found, struct sonde_tape *script,
                       struct sonde_labels *labels);

/* --replay FILE. 0, or a negative errno with *reason (static). `found` is cleared with sonde_stored_clear; the script
 * is the caller's to make, with sonde_tape_from_text. */
int sonde_store_read_file(const char *path, struct sonde_stored *found, const char **reason);

#endif
