/* Values that a header names for a parameter: in the comment before the function, or by names of constants. Part of
 * `sonde new`. */
#ifndef SONDE_DERIVE_VALUES_H
#define SONDE_DERIVE_VALUES_H

#include "read.h"

/* Lists the values of parameter i, as C, at most `most`. Returns their number; 0 if the header names none. *is_range:
 * they are the ends of a range. */
uint32_t values_of(const struct prototype *p, uint32_t i, const char **all, uint32_t most, bool *is_range);
/* Reports whether the comment says these words of parameter i, at most `most` characters after its name. */
bool comment_says(const struct prototype *p, uint32_t i, const char *words, size_t most);

#endif
