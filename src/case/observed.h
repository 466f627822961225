/* The values that a case showed through sonde_observe: an ordered list of names and values. A list holds no pointers
 * into the program, so lists of two runs, or of two programs, can be compared. The digest covers every value. The list
 * keeps the first values, and the first bytes of each, so that a report can name a difference. */
#ifndef SONDE_CASE_OBSERVED_H
#define SONDE_CASE_OBSERVED_H

#include "base/limit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SONDE_OBSERVED_VALUES = SONDE_LIMIT(4096, 20),        /* number of values that a list keeps */
    SONDE_OBSERVED_BYTES = SONDE_LIMIT(4096, 64),         /* bytes that it keeps of one value */
    SONDE_OBSERVED_ALL_BYTES = SONDE_LIMIT(1 << 20, 1000) /* bytes that it keeps of all names and values */
};

/* Kinds of observed values, by how they are compared and shown. */
enum sonde_observed_kind {
    SONDE_OBSERVED_NUMBER,  /* its decimal digits: numbers of two types are the same if their values are */
    SONDE_OBSERVED_TEXT,    /* a string */
    SONDE_OBSERVED_NULL,    /* a string that is NULL */
    SONDE_OBSERVED_MEMORY,  /* bytes */
    SONDE_OBSERVED_PRINTED, /* what a printer wrote */
    SONDE_OBSERVED_KINDS
};

/* One value of a list. */
struct sonde_observed_value {
    enum sonde_observed_kind kind;
    uint32_t name;  /* offset of the name in `bytes`, which ends with NUL */
    uint32_t at, n; /* the bytes of the value that are kept: offset in `bytes`, and their number */
    uint32_t draws; /* number of choices that the case had made; 0: not known */
    uint64_t size;  /* number of bytes of the whole value */
    uint64_t hash;  /* hash of the whole value */
};

/* The length of a list. */
struct sonde_observed_mark {
    uint32_t n, n_bytes;
    uint64_t n_all;  /* number of values, including those that are not kept */
    uint64_t digest; /* of all names, kinds and values, in order; two lists with the same digest are the same */
};

/* A list; a list of all zeros is empty. */
struct sonde_observed {
    struct sonde_observed_mark mark;
    struct sonde_observed_value *all;
    unsigned char *bytes;
    uint32_t cap, cap_bytes;
};

/* Appends a value. The name and the bytes are copied. */
void sonde_observed_add(struct sonde_observed *list, const char *name, enum sonde_observed_kind kind, const void *value,
                        size_t size);
/* Removes all values since the mark was taken; a mark of zeros empties the list. */
void sonde_observed_return(struct sonde_observed *list, const struct sonde_observed_mark *before);
/* Replaces a list by a copy of another, in the current heap. Free the copy with sonde_observed_clear. */
void sonde_observed_copy(struct sonde_observed *to, const struct sonde_observed *from);
/* Frees the memory of a list and empties it. */
void sonde_observed_clear(struct sonde_observed *list);
/* Returns whether counts and pointers are within their bounds; the code under test may have overwritten them. `owner`
 * is the object that holds the list. */
bool sonde_observed_is_sound(const struct sonde_observed *list, const void *owner);

/* Writes value i for people, on one line and cut to `size`: 3, "hello\n" as in C, (3 bytes) 00 ff 00. Returns `out`. */
const char *sonde_observed_print(const struct sonde_observed *list, uint32_t i, char *out, size_t size);
/* Returns the name of value i. */
const char *sonde_observed_name(const struct sonde_observed *list, uint32_t i);
/* Returns the index of the first value that differs; the length of the shorter list if none of its values does. */
uint32_t sonde_observed_first(const struct sonde_observed *a, const struct sonde_observed *b);
/* Returns whether two lists differ. Writes the first difference in words ("packed: byte 3 got 07, want 05"); "" if
 * there is none. */
bool sonde_observed_differ(const struct sonde_observed *got, const struct sonde_observed *want, char *out, size_t size);

#endif
