/* Whether a search sees what it tests: a program with instrumented code, whose property calls only functions without. */
#ifndef SONDE_ENGINE_BLIND_H
#define SONDE_ENGINE_BLIND_H

#include "engine/search/search.h"

/* Writes the names of some functions that the property calls and that are not instrumented, with commas. False: it is not blind, or that
 * cannot be told. */
bool sonde_blind_find(const struct sonde_search *s, sonde_property_fn *run, char *out, size_t size);

#endif
