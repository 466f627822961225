/* A run with --against: opens the comparison with another program, and judges what came of it. */
#ifndef SONDE_ENGINE_AGAINST_H
#define SONDE_ENGINE_AGAINST_H

#include "engine/phases/phases.h"

/* Writes the options of the comparison as a shell reads them, each after a space; "" if nothing is compared. */
void sonde_engine_comparison(const struct sonde_options *options, char *out, size_t size);
/* Starts to compare, if the options ask for it. Returns false, with an error in e->message, if that fails. */
bool sonde_engine_compare(struct sonde_engine *e);
/* Adds to each failure how its input ends in the other program. Called once failures are confirmed. */
void sonde_engine_compare_failures(struct sonde_engine *e);
/* Fills in the counts of the report, and stops comparing. */
void sonde_engine_report_compared(struct sonde_engine *e);

#endif
