/* Where a report points to, as programs that show it beside the source want it: by the path from the root of the repository.
 *
 * __FILE__ is what the compiler was given: absolute, or relative to a build folder. Code scanning, annotations and merge
 * requests know only paths from the root. */
#ifndef SONDE_REPORT_SPOT_H
#define SONDE_REPORT_SPOT_H

#include <sonde/extend.h>

struct sonde_spot {
    char *file; /* NULL: not known */
    int line;   /* 0: not known */
};

/* The claim of a failure; without one (NULL), the assume that rejected most where the property gave up. Clear it. */
struct sonde_spot sonde_spot_find(const struct sonde_report *report, const struct sonde_failure *failure);
void sonde_spot_clear(struct sonde_spot *spot);

#endif
