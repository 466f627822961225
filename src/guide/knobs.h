/* The knobs of guides (struct sonde_knob in sonde/extend.h), as --guide-options gives them: "name=value,name=value".
 *
 * A file that has knobs declares them in one table beside the code that uses them. Each guide names the tables that it
 * reads. All functions here walk those tables, so a knob that is read but unknown, or known but never read, cannot
 * exist.
 *
 * To add a knob, add a double to the guide's struct and a row to its table. The row has name, default, range, one line
 * of meaning, and the location of the evidence for the default. --guide-options help and list, the manual page and
 * the table of docs/guides.md are made from the tables. Guides may share a knob name if it means the same. */
#ifndef SONDE_GUIDE_KNOBS_H
#define SONDE_GUIDE_KNOBS_H

#include <sonde/extend.h>

/* Returns 0, or -EINVAL with a message about the first wrong option and the values that are allowed. */
int sonde_knobs_check(const char *options, char *message, size_t size);
/* Calls each() for every knob of every table, with the names of the guides that read the table ("cgpt, target"). */
void sonde_knobs_each(void (*each)(void *to, const char *guides, const struct sonde_knob *knob), void *to);
/* Writes "a number from 0 to 1", or "one of" and the words that are allowed. */
void sonde_knob_range(const struct sonde_knob *knob, char *out, size_t size);
/* Writes the default as a user would give it. */
void sonde_knob_preset(const struct sonde_knob *knob, char *out, size_t size);
/* Prints one JSON object per knob and line, for programs: bench/run ablate reads it. */
void sonde_knobs_list(FILE *out);

#endif
