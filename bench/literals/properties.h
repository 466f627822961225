/* The properties of the suite `literals`, for its own program and for libFuzzer. */
#ifndef BENCH_LITERALS_PROPERTIES_H
#define BENCH_LITERALS_PROPERTIES_H

#include <sonde.h>

extern const sonde_property literals_properties[]; /* ends without a name */

#endif
