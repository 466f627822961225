/* Annotations: the words of sonde/derive.h, read back. */
#ifndef SONDE_DERIVE_NOTES_H
#define SONDE_DERIVE_NOTES_H

#include "model.h"

/* Adds what an attribute says ("sonde TEXT 0, 40") to `to`; other attributes are passed over. Complains of what cannot be
 * read. */
void notes_add(struct notes *to, const char *attribute, struct place place);
/* What the attribute says, if it is of this word: notes_word("sonde ABOUT tm_mon", "ABOUT") is "tm_mon". Else NULL. */
const char *notes_word(const char *attribute, const char *word);
/* Adds what is not said yet. */
void notes_merge(struct notes *to, const struct notes *from);

#endif
