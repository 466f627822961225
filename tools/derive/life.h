/* A roundtrip test of the life of an object: one function creates or opens it, and the other one frees or closes it.
 * Part of `sonde new`. */
#ifndef SONDE_DERIVE_LIFE_H
#define SONDE_DERIVE_LIFE_H

#include "legs.h"

/* Reports whether the first function creates or opens what the second one frees or closes, by names and types. */
bool is_life(const struct prototype *creates, const struct prototype *frees);
/* Writes the test of two functions for which is_life holds. Returns false after a message. */
bool write_life(struct test *test, struct call *creates, struct call *frees);

#endif
