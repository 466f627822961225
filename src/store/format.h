/* A tape file, which people read, compare and commit:
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
 * Lines that start with a # and a blank are its head; the rest is the text form of the tape (tape/text.h), written on
 * one line. The checksum is over all other lines; who edits a file by hand takes that line out. Unknown lines of the
 * head are skipped. A file that has no head at all is read if it starts with a tape, as in `s1:x=3`. Control bytes in
 * the head are written \n, \t, \xHH, and a backslash \\. */
#ifndef SONDE_STORE_FORMAT_H
#define SONDE_STORE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SONDE_STORE_VERSION = 1, SONDE_STORE_TEXT_MAX = 4096, SONDE_FOUND_BY = 96 /* a seed, a guide */ };

/* What a tape file says. NULL where it says nothing. To be saved, all is borrowed; what was read is owned. */
struct sonde_stored {
    const char *id;        /* set by the visits: the name of the file, without .tape */
    const char *path;      /* set when a file was read; borrowed from the caller */
    size_t named;          /* bytes of `path` that the user named (files.h) */
    const char *property;  /* set by the writer to the property it is saved under */
    const char *kind;      /* of failure: one word */
    const char *message;   /* at most SONDE_STORE_TEXT_MAX bytes are kept of these texts */
    const char *place;     /* where it failed */
    const char *found;     /* how it was found */
    const char *shown;     /* what showed it; this and the next two are written and read by program/witness.h */
    const char *build;     /* the kind of build that showed it */
    const char *steps;     /* of a schedule: a hash of what its steps were counted by */
    const char *confirmed; /* "no": it was flaky, or has not been run again yet */
    const char *number;    /* of an input of a corpus: in the order in which they were found */
    const char *token;     /* the tape */
    char *memory;          /* that holds the texts, when they were read */
    bool is_unclaimed;     /* set by the visits: kept by an earlier version, for this program or another of its name */
};

/* The bytes of a file; sonde_free them. */
char *sonde_stored_write(const struct sonde_stored *what, size_t *n);
/* Reads any bytes whatever. 0; -EINVAL: not a tape file, or damaged; -ENOTSUP: of a newer version; -EFBIG. *reason
 * (static) then says it in words, and `found` is empty. */
int sonde_stored_read(struct sonde_stored *found, const char *bytes, size_t n, const char **reason);
/* The bytes of a tape file with another token in it, and another checksum if it has one; the rest of its head stays.
 * sonde_free them. */
char *sonde_stored_replace(const char *bytes, size_t n, const char *token, size_t *size);
void sonde_stored_clear(struct sonde_stored *found);

#endif
