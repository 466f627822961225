/* The byte form of a tape, for stores and for byte-level fuzzers.
 *
 *     "sond"  version  body  checksum (8 bytes: sonde_hash_bytes over everything before it, seeded with the version)
 *
 *     body   := n (label NUL){n}  record*                the labels, in the order of their first use, then the tape
 *     record := head ...                                 head = label * 4 + what, label counted from 0
 *       0       close the innermost span                 (label 0)
 *       1       open a span: flags (1 byte)
 *       2       a choice: kind + 16 * flags (1 byte), domain, content
 *       3       a choice with the kind, flags and domain of the last choice with this label: content
 *     domain := max base      INT (base zigzag), UINT, LENGTH
 *             | max           BOOL, PICK, WEIGHTED, SIZE
 *             | max p         CHANCE (p: 8 bytes)
 *             | lo hi         DOUBLE (8 bytes each)
 *             | alphabet min max   BLOB (alphabet: 1 byte, a custom one followed by its characters and NUL)
 *             |               LITERAL
 *     content := index | length symbol{length} (BLOB) | length byte{length} (LITERAL)
 *
 * Numbers are little-endian groups of seven bits, the top bit set on all but the last. Symbols of alphabets of at
 * most 256 are single bytes. A tape has exactly one encoding: the strict reader accepts only what the writer would
 * write. docs/formats.md has an example.
 *
 * There are two readers. `decode` reads what `encode` wrote, checks version and checksum, and rejects everything
 * else. `decode_any` makes a script of every byte string. It reads the body alone (after the frame, if there is one)
 * and stops where the bytes end. Numbers are folded into their domains, and meaningless records are skipped. Draws
 * that the script lacks are left to the guide. A choice takes two bytes if its label was seen before, so changing
 * one byte mostly changes one value.
 *
 * Both readers have the limits of the reader of tokens (`text.h`). */
#ifndef SONDE_TAPE_CODEC_H
#define SONDE_TAPE_CODEC_H

#include "tape/label.h"
#include "tape/tape.h"

enum { SONDE_CODEC_VERSION = 1 };

/* Returns the encoding, allocated on the current heap, and its length in *n; the caller frees it with sonde_free. */
uint8_t *sonde_tape_encode(const struct sonde_tape *tape, const struct sonde_labels *labels, size_t *n);
/* Reads an encoding into `script`. Returns 0; -EINVAL: not a tape, or damaged; -ENOTSUP: a newer version. After an
 * error the script is empty. */
int sonde_tape_decode(struct sonde_tape *script, struct sonde_labels *labels, const uint8_t *data, size_t n);
/* Makes a script of any bytes; never fails. Adds new labels only while the label table is less than half full, so that
 * random inputs leave room for the labels of properties. */
void sonde_tape_decode_any(struct sonde_tape *script, struct sonde_labels *labels, const uint8_t *data, size_t n);

#endif
