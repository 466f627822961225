/* The byte form of a tape, for stores and for byte-level fuzzers.
 *
 * Two readers. `decode` reads what `encode` wrote, checks version and checksum and says no to anything else.
 * `decode_any` makes a script of every byte string: it reads the body alone, and where the bytes run out or make no
 * sense the rest is a hole. */
#ifndef SONDE_TAPE_CODEC_H
#define SONDE_TAPE_CODEC_H

#include "tape/label.h"
#include "tape/tape.h"

enum { SONDE_CODEC_VERSION = 1 };

/* Heap-allocated; sonde_free it. */
uint8_t *sonde_tape_encode(const struct sonde_tape *tape, const struct sonde_labels *labels, size_t *n);
/* 0; -EINVAL: not a tape, or damaged; -ENOTSUP: of a newer version. The script is empty unless 0. */
int sonde_tape_decode(struct sonde_tape *script, struct sonde_labels *labels, const uint8_t *data, size_t n);
void sonde_tape_decode_any(struct sonde_tape *script, struct sonde_labels *labels, const uint8_t *data, size_t n);

#endif
