/* Lists which types can be derived, and which annotations are missing. */
#ifndef SONDE_DERIVE_LIST_H
#define SONDE_DERIVE_LIST_H

#include "judge.h"

/* Prints a line for each record that can be derived, or for each problem of one that cannot. Its columns are separated
 * by tabs: the type, and "derived", "annotate" or "refused". A problem also has the record, the field, the annotation
 * to write and the reason. Returns an exit status. */
int list_records(struct record *const *all, uint32_t n);
/* Reports each problem as an error, with the annotation to write. */
void complain_of(const struct judgement *j);

#endif
