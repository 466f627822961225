/* Changes of a tape for byte-level fuzzers: by structure, knowing nothing but the tape. Which changes earn is the
 * fuzzer's affair, so all are equally likely. */
#ifndef SONDE_ENGINE_FUZZ_EDIT_H
#define SONDE_ENGINE_FUZZ_EDIT_H

#include "tape/tape.h"

/* Makes `to` a changed copy of `from`; false if nothing applied. */
bool sonde_fuzz_edit(struct sonde_tape *to, const struct sonde_tape *from, struct sonde_rng *rng);
/* The same with a span of `other` in the place of one with its label; false if there is none. */
bool sonde_fuzz_splice(struct sonde_tape *to, const struct sonde_tape *from, const struct sonde_tape *other,
                       struct sonde_rng *rng);

#endif
