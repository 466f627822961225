/* The byte form of a tape, for stores and for byte-level fuzzers.
 *
 *     "sond"  version  body  checksum (8 bytes: sonde_hash_bytes over everything before it, seeded with the version)
 *
 *   body   := n (text NUL){n}  record*                 the labels, in the order of their first use, then the tape
 *   record := head ...                                 head = label * 4 + what, label counted from 0
 *     0       close the innermost span                 (label 0)
 *     1       open a span: flags (1 byte)
 *     2       a choice: kind + 16 * flags (1 byte), domain, content
 *     3       a choice whose kind, flags and domain are those of the last choice with this label: content
 *   domain := max base      INT (base zigzag), UINT, LENGTH
 *           | max           BOOL, PICK, WEIGHTED, SIZE
 *           | max p         CHANCE (p: 8 bytes)
 *           | lo hi         DOUBLE (8 bytes each)
 *           | alphabet min max   BLOB (alphabet: 1 byte, a custom one followed by text NUL)
 *           |               LITERAL
 *   content := index | length symbol{length} (BLOB) | length byte{length} (LITERAL)
 *
 * Numbers are little-endian groups of seven bits, the top bit set on all but the last; symbols of alphabets of at most
 * 256 are single bytes. There is one encoding of a tape: what can be read is what would be written. docs/formats.md
 * has an example.
 *
 * Two readers. `decode` reads what `encode` wrote, checks version and checksum and says no to anything else.
 * `decode_any` makes a script of every byte string: it reads the body alone (past the frame, if there is one), folds
 * what lies outside its domain back into it, leaves out records that make no sense, and ends where the bytes do; what
 * is missing is the guide's to answer. A choice takes two bytes where its label has been seen before, so a change of
 * one byte mostly changes one value.
 *
 * Both are bounded like the reader of texts (text.h). */
#ifndef SONDE_TAPE_CODEC_H
#define SONDE_TAPE_CODEC_H

#include "tape/label.h"
#include "tape/tape.h"

enum { SONDE_CODEC_VERSION = 1 };

/* Heap-allocated; sonde_free it. */
uint8_t *sonde_tape_encode(const struct sonde_tape *tape, const struct sonde_labels *labels, size_t *n);
/* 0; -EINVAL: not a tape, or damaged; -ENOTSUP: of a newer version. The script is empty unless 0. */
int sonde_tape_decode(struct sonde_tape *script, struct sonde_labels *labels, const uint8_t *data, size_t n);
/* Takes at most half the room of the label table for labels it did not know, so that no stream of random inputs can
 * crowd out those of the properties. */
void sonde_tape_decode_any(struct sonde_tape *script, struct sonde_labels *labels, const uint8_t *data, size_t n);

#endif
