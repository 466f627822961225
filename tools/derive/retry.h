/* Runs the proposals of `sonde new --all`, and tries other guesses for those that fail. */
#ifndef SONDE_DERIVE_RETRY_H
#define SONDE_DERIVE_RETRY_H

#include "new.h"

/* Runs the proposals, which are compiled. One that fails at once is tried with other guesses, and keeps the first by
 * which it passes; its command has the options for that. Returns NULL, or why nothing could be run. */
const char *run_all(const struct new_request *o, struct proposal *all, uint32_t n);

#endif
