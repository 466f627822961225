/* The properties of the suite `throughput`, for its own program and for libFuzzer. */
#ifndef BENCH_THROUGHPUT_PROPERTIES_H
#define BENCH_THROUGHPUT_PROPERTIES_H

#include <sonde.h>

extern const sonde_property throughput_properties[]; /* ends without a name */

#endif
