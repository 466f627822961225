/* Which code was reached, as lines in a block of the page: `sonde html` reads them, which is simpler for it than JSON.
 *
 *     property I NAME           begins the places of one, the I-th of the data from 0; bytes of its name that are no plain
 *                               characters are %XX
 *     module N ID PATH          a file of code: N counts from 0 within the property; ID, 16 hex digits, is the hash of its
 *                               build id (base/image.h); PATH is written as the name
 *     called N                  the places of that module are known by their calls (struct sonde_code_module)
 *     N OFFSET BY FIRST         a place: module, offset in hex, enum sonde_reached_by, index + 1 of the input in the data
 *
 * Example: "0 1a40 1 3" is a place of module 0 that valid inputs reached, the third input of the page first. */
#ifndef SONDE_REPORT_PLACES_H
#define SONDE_REPORT_PLACES_H

#include <sonde/extend.h>

/* The places of a report that has some, the index-th; inputs from `n_inputs` on are not in the data, and not named. */
void sonde_places_write(FILE *out, const struct sonde_report *report, size_t index, size_t n_inputs);

#endif
