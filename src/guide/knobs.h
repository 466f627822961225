/* The knobs of guides (struct sonde_knob in sonde/extend.h), as --guide-options gives them: "name=value,name=value".
 *
 * A file that has knobs declares them in one table beside the code that uses them, and each guide names the tables that it reads.
 * Everything here walks those tables: a knob that is read but not known, or known but not read, cannot be written.
 *
 * A new knob: a double in the guide's struct and a row in its table, with name, default, range, one line of
 * meaning, and where the evidence for the default stands. --guide-options help and list, the manual page and
 * the table of docs/guides.md are made from the tables. Names may be shared between guides if they mean the same. */
#ifndef SONDE_GUIDE_KNOBS_H
#define SONDE_GUIDE_KNOBS_H

#include <sonde/extend.h>

/* 0, or -EINVAL with a sentence on the first part of the options that is wrong and on what would be right. */
int sonde_knobs_check(const char *options, char *message, size_t size);
/* All tables, one after the other: calls each() with the guides that read a table ("cgpt, target") and one of its knobs. */
void sonde_knobs_each(void (*each)(void *to, const char *guides, const struct sonde_knob *knob), void *to);
/* "a number from 0 to 1" or the words. */
void sonde_knob_range(const struct sonde_knob *knob, char *out, size_t size);
/* The preset as a user would give it. */
void sonde_knob_preset(const struct sonde_knob *knob, char *out, size_t size);
/* One JSON object per knob and line, for programs: bench/run ablate reads it. */
void sonde_knobs_list(FILE *out);

#endif
