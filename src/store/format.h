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
    SONDE_STORE_VERSION = 1, /* version of the format; a file of a higher version is refused */
    /* a longer string is cut at this many bytes, because a message may hold a whole input */
    SONDE_STORE_TEXT_MAX = 4096,
    SONDE_FOUND_BY = 96, /* size of a buffer for `found`, which names a seed and a guide */
};

/* The contents of a tape file. Strings are NULL where the file has no such line. For writing, the struct borrows its
 * strings; after reading, it owns them. */
struct sonde_stored {
    const char *id;       /* name of the file, without .tape; set before a visitor is called */
    const char *path;     /* path of the file that was read; borrowed from the caller */
    size_t named;         /* bytes of `path` that the user named (files.h) */
    const char *property; /* name of the property; the store sets it when it writes a file */
    const char *kind;     /* kind of the failure: one word */
    const char *message;  /* message of the failure; like all strings here, cut at SONDE_STORE_TEXT_MAX bytes */
    const char *place;    /* the location of the failure */
    const char *found;    /* how the failure or input was found */
    const char *shown;    /* what showed the failure; program/witness.h writes and reads this member and the next two */
    const char *build;    /* the kind of build that showed the failure */
    /* if the tape has a schedule: how its steps were counted, and a hash of the code that has steps */
    const char *steps;
    const char *confirmed; /* "no": the failure was flaky, or has not been run again yet */
    const char *number;    /* for a corpus input: its number in the order in which inputs were found */
    const char *token;     /* the tape */
    char *memory;          /* holds the strings after reading */
    /* an earlier version stored the file, for this program or another of its name; set before a visitor is called */
    bool is_unclaimed;
};

/* Returns the bytes of a tape file; the caller frees them with sonde_free. */
char *sonde_stored_write(const struct sonde_stored *what, size_t *n);
/* Reads a tape file from any bytes. Returns 0; -EINVAL: not a tape file, or damaged; -ENOTSUP: of a newer version;
 * -EFBIG. After an error `found` is empty and *reason (static) describes the error. The caller frees `found` with
 * sonde_stored_clear. */
int sonde_stored_read(struct sonde_stored *found, const char *bytes, size_t n, const char **reason);
/* Returns the bytes of a tape file with another token. If the file has a checksum, it is computed again; the rest of
 * the head stays. The caller frees the bytes with sonde_free. */
char *sonde_stored_replace(const char *bytes, size_t n, const char *token, size_t *size);
/* Frees the strings that were read. */
void sonde_stored_clear(struct sonde_stored *found);

#endif
