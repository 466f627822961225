/* Properties in which every input is valid and one rare combination fails, in kinds. A number decides the constants of
 * a subject. The code is compiled by `sonde cc`. */
#ifndef BENCH_VALID_SUBJECTS_H
#define BENCH_VALID_SUBJECTS_H

#include <sonde.h>

/* One kind. `run` gets the number of the subject as its context, a uint64_t. */
struct valid_kind {
    const char *name;
    sonde_property_fn *run;
};

enum { VALID_KINDS = 7 };

/* Ends with a NULL name. */
extern const struct valid_kind valid_kinds[VALID_KINDS + 1];

#endif
