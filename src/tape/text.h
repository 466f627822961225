/* The text form of a tape: what a person can read, paste into a shell, keep in a source file, and write by hand.
 *
 *     tree{value=3 left=yes tree{value=3}} x=3
 *     xs[{x=1} {x=2}] name=hello%20world #size=30
 *
 *   tape  := ["s1:"] item*                        version; may be left out by hand
 *   item  := label "=" value                      a choice; the value may be empty, or "?" for a hole
 *          | label "{" item* "}"                  a span
 *          | label "[" ["#=" n] ("{" item* "}" | item)* "]"   a list; n only where it is not the number of elements
 *          | "?"                                  last in a span, or the whole: the rest of it is free
 *
 * Labels and values are letters, digits and _ . + - and every other byte as %XX (an empty label as %-); so a text has
 * no quotes and no backslashes and fits between quotes anywhere. Bytes above 127 are also read as they are. The labels
 * #, of a length, and #size are sonde's own. A value is read when the draw it answers is known: a number for a number,
 * yes or no for a truth, text for a string, hex pairs for bytes. In a list, "?" leaves its length free too. Elements
 * that were rejected are written like the others. The reader survives any input: it answers a position and a reason.
 * docs/formats.md tells more. */
#ifndef SONDE_TAPE_TEXT_H
#define SONDE_TAPE_TEXT_H

#include "tape/label.h"
#include "tape/literal.h"

/* What the readers of texts and of bytes take in; a recorded tape stays below. Neither recurses. */
enum {
    SONDE_READ_CHOICES_MAX = 1 << 20,
    SONDE_READ_SPANS_MAX = 1 << 20,
    SONDE_READ_BYTES_MAX = 1 << 26,
    SONDE_READ_DEPTH_MAX = 4096
};

/* Heap-allocated, NUL-terminated; sonde_free it. Writes the tape twice: once to measure, once into
 * memory of the right size. */
char *sonde_tape_to_text(const struct sonde_tape *tape, const struct sonde_labels *labels);

/* The same into a sink, without a NUL; in a handler of a signal, too. */
void sonde_put_tape(struct sonde_sink *sink, const struct sonde_tape *tape, const struct sonde_labels *labels);

struct sonde_text_error {
    size_t at;          /* byte of the text */
    const char *reason; /* static */
};
/* Fills `script` with LITERAL choices; the length of a list is one, labelled #, before the elements. 0, or -EINVAL
 * with *error (which may be NULL) and an empty script. */
int sonde_tape_from_text(struct sonde_tape *script, struct sonde_labels *labels, const char *text, size_t n,
                         struct sonde_text_error *error);

#endif
