/* Prints the results of --blockers, in words and as JSON: why valid cases never take some branches. */
#ifndef SONDE_REPORT_BLOCKERS_H
#define SONDE_REPORT_BLOCKERS_H

#include "base/json.h"

#include <sonde/extend.h>

/* Prints two lines for each blocker, after `indent` blanks. */
void sonde_blockers_print(FILE *out, const struct sonde_report *report, unsigned indent);
/* Writes the field `blockers`. */
void sonde_blockers_json(struct sonde_json_out *to, const struct sonde_report *report);

#endif
