/* Tells addresses of this process from numbers. Addresses differ between two runs of a program, so a search that looked
 * at them would not be the same for one seed. */
#ifndef SONDE_OBSERVE_ADDRESS_H
#define SONDE_OBSERVE_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

/* The range of all addresses: `from` is the lowest, `from + n` is above all of them. Empty until they were found. */
struct sonde_addresses {
    uint64_t from, n;
};
extern struct sonde_addresses sonde_addresses __attribute__((visibility("hidden")));

/* Finds out where addresses of this process lie. Call it again before each case in which comparisons are recorded: the
 * heap grows. */
void sonde_addresses_find(void);

/* Returns whether a number is an address. */
bool sonde_is_address(uint64_t x);
/* Implements sonde_addresses_hide for numbers that may be addresses. */
void sonde_addresses_hide_now(uint64_t *a, uint64_t *b);

static inline bool sonde_addresses_hold(uint64_t x)
{
    return x - sonde_addresses.from < sonde_addresses.n;
}

/* Replaces two compared numbers if at least one is an address. Order and equality stay as they are. So
 * does the difference of two addresses of one block of memory, such as the ends of a buffer. */
static inline void sonde_addresses_hide(uint64_t *a, uint64_t *b)
{
    if (__builtin_expect(sonde_addresses_hold(*a) || sonde_addresses_hold(*b), 0)) sonde_addresses_hide_now(a, b);
}

#endif
