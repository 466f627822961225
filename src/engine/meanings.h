/* What inputs meant: the tapes of the last inputs that a fuzzer had run, by the hash of their bytes. A mutator that starts
 * from one of them knows its structure without running the property again.
 *
 * Memory is limited. A tape that was asked for is likely to be asked for again, because the fuzzer has kept its input: such
 * a tape stays for some rounds longer. */
#ifndef SONDE_ENGINE_MEANINGS_H
#define SONDE_ENGINE_MEANINGS_H

#include "tape/tape.h"

struct sonde_meanings {
    struct sonde_meaning *slots;
    size_t bytes;  /* that the tapes take */
    uint64_t last; /* hash of the input that ran last */
    uint32_t hand; /* where room is made next */
};

void sonde_meanings_init(struct sonde_meanings *m);
void sonde_meanings_clear(struct sonde_meanings *m);
/* Copies the tape of the run of an input; whether that was valid. */
void sonde_meanings_keep(struct sonde_meanings *m, const uint8_t *data, size_t n, const struct sonde_tape *tape,
                         bool is_valid);

struct sonde_meant {
    const struct sonde_tape *tape; /* NULL if it is not known, or no longer. Good until the next `keep` */
    bool is_valid;
    bool is_back; /* the fuzzer came back to it, for the first time, after it ran others: so it has kept it */
};
/* tape is NULL if these bytes are not known; else it is good until the next one is added. Being asked
 * for keeps an entry alive. */
struct sonde_meant sonde_meanings_find(struct sonde_meanings *m, const uint8_t *data, size_t n);

#endif
