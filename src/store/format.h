/* The format of a tape file, which people read, compare and commit:
 *
 *     # sonde tape 1
 *     # property: insert_keeps_order
 *     # kind: check
 *     # message: ordered(root, -1, 11)
 *     # found: seed 7, test 91
 *     # shown by: check
 *     # build: gcc 12, optimised
 *     # checksum: 3f1c9a04b7d25e68
 *     s1:tree{value=3 left=yes tree{value=3}} x=3
 *
 * Lines that start with a # and a blank are its head; the rest is the tape as a string, on one line. The
 * checksum covers all other lines. To edit a file by hand, remove the checksum line. Unknown lines of the head are
 * skipped. A file without a head is read if it starts with a tape, as in `s1:x=3`. Control bytes in the head are
 * written \n, \t, \xHH, and a backslash \\. */
#ifndef SONDE_STORE_FORMAT_H
#define SONDE_STORE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SONDE_STORE_VERSION = 1,     /* of the format; a file of a higher version is refused */
    SONDE_STORE_TEXT_MAX = 4096, /* bytes of a string that are kept: a message may hold a whole input */
    SONDE_FOUND_BY = 96,         /* bytes of a buffer for "found": a seed, a guide */
};

/* The contents of a tape file. Strings are NULL where the file has no such line. For writing, the struct borrows its
 * strings; after reading, it owns them. */
struct sonde_stored {
    const char *id;        /* set by the visits: the name of the file, without .tape */
    const char *path;      /* set when a file was read; borrowed from the caller */
    size_t named;          /* bytes of `path` that the user named (files.h) */
    const char *property;  /* set by the writer to the property it is saved under */
    const char *kind;      /* of failure: one word */
    const char *message;   /* at most SONDE_STORE_TEXT_MAX bytes of each of these strings are kept */
    const char *place;     /* the location of the failure */
    const char *found;     /* how it was found */
    const char *shown;     /* what showed it; program/witness.h writes and reads this and the next two */
    const char *build;     /* the kind of build that showed it */
    const char *steps;     /* of a schedule: a hash of what its steps were counted by */
    const char *confirmed; /* "no": it was flaky, or has not been run again yet */
    const char *number;    /* of an input of a corpus: in the order in which they were found */
    const char *token;     /* the tape */
    char *memory;          /* holds the strings after reading */
    bool is_unclaimed;     /* set by the visits: kept by an earlier version, for this program or another of its name */
};

/* Returns the bytes of a tape file; the caller frees them with sonde_free. */
char *sonde_stored_write(const struct sonde_stored *what, size_t *n);
/* Reads a tape file from any bytes. Returns 0; -EINVAL: not a tape file, or damaged; -ENOTSUP: of a newer version;
 * -EFBIG. After an error `found` is empty and *reason (static) has the error in words. Free it with
 * sonde_stored_clear. */
int sonde_stored_read(struct sonde_stored *found, const char *bytes, size_t n, const char **reason);
/* Returns a tape file with another token, and a new checksum if it has one; the rest of its head stays. The caller
 * frees the bytes with sonde_free. */
char *sonde_stored_replace(const char *bytes, size_t n, const char *token, size_t *size);
/* Frees the strings that were read. */
void sonde_stored_clear(struct sonde_stored *found);

#endif
