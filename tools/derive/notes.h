/* Reads annotations: the attributes that the macros of sonde/derive.h expand to. */
#ifndef SONDE_DERIVE_NOTES_H
#define SONDE_DERIVE_NOTES_H

#include "model.h"

/* Adds an attribute such as "sonde RANGE 0, 40" to `to`. Ignores attributes that are not sonde's; reports malformed
 * ones as errors. */
void notes_add(struct notes *to, const char *attribute, struct place place);
/* Returns the arguments of an attribute with this word; NULL for any other. notes_word("sonde ABOUT tm_mon", "ABOUT")
 * is "tm_mon". */
const char *notes_word(const char *attribute, const char *word);
/* Adds the annotations of `from` to `to`. If both have an annotation of the same kind, the one of `from` wins.
 * Conditions (SONDE_SUCH_THAT) of both remain. */
void notes_merge(struct notes *to, const struct notes *from);

#endif
