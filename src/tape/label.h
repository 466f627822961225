/* Labels: strings and their ids. An id is a hash of the string, so that tapes made by other builds keep their
 * meaning.
 *
 * A draw must cost nanoseconds, so labels are looked up in a cache by address. A label may live in a buffer that is
 * rewritten (snprintf), so a hit is verified by a short string comparison.
 *
 * Example: "x" has the id h, its hash folded to 32 bits. If another string has taken h already, "x" gets h + 1, and
 * so on. Nothing is ever removed, so the search for a string ends at the first free id. Two programs agree on an id
 * unless they met colliding strings in a different order. For a few thousand labels that is very unlikely. */
#ifndef SONDE_TAPE_LABEL_H
#define SONDE_TAPE_LABEL_H

#include "base/limit.h"

#include <sonde/extend.h>

#include <stdatomic.h>
#include <string.h>

/* Entries of the cache by address, a power of two; maximum number of labels; maximum length of a label in bytes. */
enum { SONDE_LABEL_CACHE = SONDE_LIMIT(256, 2), SONDE_LABELS_MAX = 65536, SONDE_LABEL_LENGTH_MAX = 4096 };

/* One label. */
struct sonde_label_entry {
    _Atomic uint32_t id; /* 0: free entry; set last, so that a reader that sees the id also sees the string */
    uint32_t length;
    const char *text; /* the string; owned by the labels */
};

/* A hash table of labels by id, with open addressing. One pointer leads to size and entries, so a reader never
 * combines the size of one table with the entries of another. */
struct sonde_label_table {
    uint32_t cap; /* a power of two, larger than the number of labels */
    struct sonde_label_entry entries[];
};

/* All labels of a search. Only the process that owns the heap changes this struct. */
struct sonde_labels {
    struct {
        const char *address;
        const char *text; /* the string that was at the address when this entry was made */
        uint32_t id;
    } cache[SONDE_LABEL_CACHE];
    struct sonde_label_table *_Atomic table; /* NULL before the first label */
    uint32_t n;
    /* Earlier, smaller tables, which another process may still be reading. 20 doublings from 64 are more than
     * SONDE_LABELS_MAX needs. */
    struct sonde_label_table *outgrown[20];
    uint32_t n_outgrown;
};

/* Labels that sonde itself uses. They start with '#'. A user's label cannot be confused with these, because the text
 * form escapes a '#' in it. */
#define SONDE_LABEL_LENGTH "#"
#define SONDE_LABEL_SIZE "#size"

/* Makes an empty table, without allocating. Ids are hashes of the strings, so two tables mostly have equal ids. */
void sonde_labels_init(struct sonde_labels *labels);
/* Frees all labels. */
void sonde_labels_clear(struct sonde_labels *labels);
/* Returns the id of a label, adding a copy of the string if it is new. Returns 0 if there are SONDE_LABELS_MAX
 * labels already, or if the string is longer than SONDE_LABEL_LENGTH_MAX. */
uint32_t sonde_label_intern(struct sonde_labels *labels, const char *text);
uint32_t sonde_label_intern_n(struct sonde_labels *labels, const char *text, size_t n);
/* Adds all labels of `from`, to which its owner may be adding meanwhile. Does nothing if `to` and `from` are the
 * same. */
void sonde_labels_take(struct sonde_labels *to, const struct sonde_labels *from);
/* Returns the id of a label; 0 if the label is unknown. */
uint32_t sonde_label_find_n(const struct sonde_labels *labels, const char *text, size_t n);
/* Returns the string of an id, "?" if the id is unknown. The string lives as long as the table. */
const char *sonde_label_text(const struct sonde_labels *labels, uint32_t id);

/* Returns the id of a draw's label. Like sonde_label_intern, but a label seen at the same address costs only one
 * string comparison. */
static inline uint32_t sonde_label_id(struct sonde_labels *labels, const char *text)
{
    uintptr_t a = (uintptr_t)text;
    size_t slot = (a ^ (a >> 8)) % SONDE_LABEL_CACHE;
    if (labels->cache[slot].address == text) {
        const char *x = text, *y = labels->cache[slot].text;
        while (*x == *y) {
            if (!*x) return labels->cache[slot].id;
            x++, y++;
        }
    }
    uint32_t id = sonde_label_intern(labels, text);
    if (id == 0) return 0;
    labels->cache[slot].address = text;
    labels->cache[slot].text = sonde_label_text(labels, id);
    labels->cache[slot].id = id;
    return id;
}

#endif
