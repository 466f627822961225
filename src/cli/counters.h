/* All counters of a program, with the addresses by which they are known. */
#ifndef SONDE_CLI_COUNTERS_H
#define SONDE_CLI_COUNTERS_H

#include "observe/coverage.h"
#include "program/place.h"

struct sonde_counters {
    struct sonde_code_range *all;
    uint32_t n, cap;
    struct sonde_code *code; /* the functions of the property's module; NULL: not known */
};

/* Finds the counters of the program of a property; the caller clears *counters. */
void sonde_counters_find(struct sonde_counters *counters, sonde_property_fn *run);
void sonde_counters_clear(struct sonde_counters *counters);

#endif
