/* Support for debugging a failure: the same addresses in every run, and a replay inside gdb. */
#ifndef SONDE_CLI_DEBUG_H
#define SONDE_CLI_DEBUG_H

#include "cli/options.h"

/* Restarts this program without address randomisation (--no-aslr, --spawn). Returns true if addresses are fixed
 * already, and false if the system refuses; otherwise the call does not return. */
bool sonde_cli_fix_addresses(char *const *argv);
/* Replaces this process by gdb, which replays one input of the property (--gdb). Returns only on failure: a negative
 * errno. */
int sonde_cli_debug(const struct sonde_cli *cli, const char *property);

#endif
