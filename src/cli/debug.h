/* For the hunt after a failure: the same addresses in every run, and a debugger. */
#ifndef SONDE_CLI_DEBUG_H
#define SONDE_CLI_DEBUG_H

#include "cli/options.h"

/* --no-aslr, --spawn: starts this program anew without address randomisation, unless that is so already. Comes back if it
 * is, or with false if the system refuses. */
bool sonde_cli_fix_addresses(char *const *argv);
/* --gdb: becomes a debugger that runs one property's replay in its own process. Comes back only if that fails: a
 * negative errno. */
int sonde_cli_debug(const struct sonde_cli *cli, const char *property);

#endif
