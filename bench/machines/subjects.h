/* Small code with state and one planted bug each, as machines: what a user would write. */
#ifndef BENCH_MACHINES_SUBJECTS_H
#define BENCH_MACHINES_SUBJECTS_H

#include <sonde.h>

struct machine_subject {
    const char *name;
    sonde_property_fn *run;
    const char *minimal; /* token, worked out by hand before the first run */
};
/* Of store.c. */
sonde_property_fn machine_store, machine_power;

extern const struct machine_subject machine_subjects[]; /* ends with a NULL name */

#endif
