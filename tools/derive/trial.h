/* Compiles what `sonde new` wrote, and runs it for a moment, if the code under test was given. */
#ifndef SONDE_DERIVE_TRIAL_H
#define SONDE_DERIVE_TRIAL_H

#include "new.h"

/* Compiles all written proposals, by `sonde cc`. Sets why_not of those that do not compile. Returns false after a
 * message if nothing could be compiled here at all. */
bool trial_compile(const struct new_request *o, struct proposal *all, uint32_t n);
/* Links all written proposals with the code of the request, runs each property for a moment, and sets is_run and found.
 * Sets why_not of those whose functions the code does not have. Returns NULL, or why nothing could be run. */
const char *trial_run(const struct new_request *o, struct proposal *all, uint32_t n);
/* Links the written proposals and runs each with random inputs, without stopping at a failure. Sets n_valid and
 * n_failed. */
void trial_sample(const struct new_request *o, struct proposal *all, uint32_t n);
/* Removes the files of all these. Does nothing if there are none. */
void trial_end(void);

/* Runs a program with limits. argv has "confine", the directory to start in, "1" or "0", a second directory, and then
 * the program and its arguments. With "1" it may write only to the second directory. Returns only on failure. */
int confine_main(int argc, char **argv);

#endif
