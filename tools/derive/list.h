/* What can be derived, and what must be said first. */
#ifndef SONDE_DERIVE_LIST_H
#define SONDE_DERIVE_LIST_H

#include "judge.h"

/* A line for each of the records: type, derived, annotate or refused, and of those that are not derived the
 * field and what to write, one line for each such field; between tabs. Returns an exit status. */
int list_records(struct record *const *all, uint32_t n);
/* A sentence on standard error for each problem. */
void complain_of(const struct judgement *j);

#endif
