/* How many different things were seen: exactly up to 2^22, then estimated (HyperLogLog), in bounded memory. */
#ifndef SONDE_FEEDBACK_UNIQUE_H
#define SONDE_FEEDBACK_UNIQUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SONDE_UNIQUE_EXACT = 1 << 22, SONDE_UNIQUE_PENDING = 64 };

struct sonde_unique {
    uint64_t *slots; /* open addressing; 0 is free */
    uint32_t n, cap;
    uint8_t *registers; /* once there are too many for slots */
    uint64_t pending[SONDE_UNIQUE_PENDING];
    uint32_t n_pending;
};

void sonde_unique_init(struct sonde_unique *set);
void sonde_unique_clear(struct sonde_unique *set);
/* True if it is new; a guess with a bias towards no once the count is estimated. */
bool sonde_unique_add(struct sonde_unique *set, uint64_t hash);
/* The same without an answer: several wait together for their memory. */
void sonde_unique_add_later(struct sonde_unique *set, uint64_t hash);
/* Adds what another set holds, which is left unchanged but for what it had pending. */
void sonde_unique_merge(struct sonde_unique *set, struct sonde_unique *other);
uint64_t sonde_unique_count(struct sonde_unique *set, bool *estimated);

#endif
