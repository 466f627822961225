/* The text form of a tape, also called a token. A person can read it, paste it into a shell, keep it in a source
 * file, or write it by hand.
 *
 *     tree{value=3 left=yes tree{value=3}} x=3
 *     xs[{x=1} {x=2}] name=hello%20world #size=30
 *
 *     tape  := ["s1:" | "s2:"] item*                the version; optional in a token written by hand, then 1
 *     item  := label "=" value                      a choice; the value may be empty, or "?" for a hole
 *            | label "{" item* "}"                  a span
 *            | label "[" ["#=" n] ("{" item* "}" | item)* "]"   a list; n only where it is not the number of elements
 *            | "?"                                  last in a span, or in the tape: all further draws there are free
 *
 * Labels and values consist of letters, digits and _ . + - and every other byte as %XX (an empty label is %-). So a
 * token has no quotes and no backslashes, and can be quoted anywhere. Bytes above 127 are also read as they are. The
 * labels #, for a length, and #size are reserved for sonde.
 *
 * A value is interpreted when the draw that takes it is known. It is a number, yes or no for a bool, characters for a
 * string, or hex pairs for bytes. In version 2 bytes may have runs (runs.h); the writer uses it only for tapes that
 * hold a long run. In a list, "?" leaves the list's length free, too. Rejected elements are written like the others.
 * The reader survives any input: it reports a position and a reason. docs/formats.md has the details. */
#ifndef SONDE_TAPE_TEXT_H
#define SONDE_TAPE_TEXT_H

#include "tape/label.h"
#include "tape/literal.h"

/* Limits of the readers of tokens and of bytes; a recorded tape stays below them. Neither reader recurses. */
enum {
    SONDE_READ_CHOICES_MAX = 1 << 20,
    SONDE_READ_SPANS_MAX = 1 << 20,
    SONDE_READ_BYTES_MAX = 1 << 26,
    SONDE_READ_DEPTH_MAX = 4096
};

/* Returns the token, NUL-terminated and allocated on the current heap; the caller frees it with sonde_free. Writes
 * the tape twice: once to measure it, once into memory of the right size. */
char *sonde_tape_to_text(const struct sonde_tape *tape, const struct sonde_labels *labels);

/* Writes the token to a sink, without a NUL. Safe in a signal handler. */
void sonde_put_tape(struct sonde_sink *sink, const struct sonde_tape *tape, const struct sonde_labels *labels);

/* The position at which a token is invalid, and the reason. */
struct sonde_text_error {
    size_t at;          /* offset in bytes */
    const char *reason; /* static */
};
/* Fills `script` with LITERAL choices. The length of a list is a LITERAL, too: it is labelled # and precedes the
 * elements. Returns 0, or -EINVAL with *error (which may be NULL) and an empty script. */
int sonde_tape_from_text(struct sonde_tape *script, struct sonde_labels *labels, const char *text, size_t n,
                         struct sonde_text_error *error);
/* Returns whether a string begins as a token does: with a version, which may be newer than this reader. */
bool sonde_text_has_version(const char *text, size_t n);

#endif
