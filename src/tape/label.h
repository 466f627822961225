/* Labels: text <-> id. An id is a hash of the content, so that tapes made by other builds keep their meaning.
 *
 * Drawing must cost nanoseconds, so a label is found through a cache by address. A label may live in a buffer that is
 * rewritten (snprintf), so a hit is verified against the content; that costs a short string comparison.
 *
 * Example: "x" has the id h, its hash folded to 32 bits. If another text has taken h already, "x" gets h + 1, and so
 * on; nothing is ever removed, so the search for a text ends at the first free id. Two programs agree on an id
 * unless they met colliding texts in another order, which for a few thousand labels hardly ever happens. */
#ifndef SONDE_TAPE_LABEL_H
#define SONDE_TAPE_LABEL_H

#include "base/limit.h"

#include <sonde/extend.h>

#include <stdatomic.h>
#include <string.h>

enum { SONDE_LABEL_CACHE = SONDE_LIMIT(256, 2), SONDE_LABELS_MAX = 65536, SONDE_LABEL_LENGTH_MAX = 4096 };

struct sonde_label_entry {
    _Atomic uint32_t id; /* 0: free; set last, so that a reader who sees it sees the text */
    uint32_t length;
    const char *text; /* owned by the labels */
};

/* Open addressing by id. One pointer leads to size and entries, so a reader never has the size of one table and the
 * entries of another. */
struct sonde_label_table {
    uint32_t cap; /* a power of two, larger than the number of labels */
    struct sonde_label_entry entries[];
};

/* Only the process that owns the heap changes it. */
struct sonde_labels {
    struct {
        const char *address;
        const char *text; /* == address's content when it was entered */
        uint32_t id;
    } cache[SONDE_LABEL_CACHE];
    struct sonde_label_table *_Atomic table; /* NULL while there is no label */
    uint32_t n;
    /* Tables that were outgrown: another process may be reading one. 20 doublings from 64 are more than
     * SONDE_LABELS_MAX needs. */
    struct sonde_label_table *outgrown[20];
    uint32_t n_outgrown;
};

/* Labels that sonde itself uses; their texts start with '#', which a user's label cannot be confused with because the
 * text format escapes it. */
#define SONDE_LABEL_LENGTH "#"
#define SONDE_LABEL_SIZE "#size"
#define SONDE_LABEL_ROOT "#case"

/* Empty, without memory. Ids are hashes of the texts, so that two tables mostly agree on them. */
void sonde_labels_init(struct sonde_labels *labels);
void sonde_labels_clear(struct sonde_labels *labels);
/* Returns the id, which is never 0; 0 means that there are SONDE_LABELS_MAX labels already or that the
 * text is longer than SONDE_LABEL_LENGTH_MAX. The text is copied. */
uint32_t sonde_label_intern(struct sonde_labels *labels, const char *text);
uint32_t sonde_label_intern_n(struct sonde_labels *labels, const char *text, size_t n);
/* Interns all labels of `from`, which its owner may be growing meanwhile. Nothing is done if they are the same. */
void sonde_labels_take(struct sonde_labels *to, const struct sonde_labels *from);
/* The id of a text that has been interned; 0 if it has not. */
uint32_t sonde_label_find_n(const struct sonde_labels *labels, const char *text, size_t n);
/* The text of an id; "?" if it is unknown. Lives as long as the table. */
const char *sonde_label_text(const struct sonde_labels *labels, uint32_t id);

/* The id of a label that a draw gave, by way of the cache. Like sonde_label_intern, but a label that
 * was seen at the same address costs one comparison of its text. */
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
