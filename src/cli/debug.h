/* Support for debugging a failure: the same addresses in every run, and a replay inside gdb. */
#ifndef SONDE_CLI_DEBUG_H
#define SONDE_CLI_DEBUG_H

#include "cli/options.h"

/* Restarts this program without address randomisation (--no-aslr, --spawn). Returns true if addresses are fixed
 * already, and false if the system refuses; otherwise the call does not return. */
bool sonde_cli_fix_addresses(char *const *argv);
/* Returns whether a debugger already runs this process. */
bool sonde_cli_is_debugged(void);
/* Replaces this process by gdb, which runs it again with the same arguments, without isolation (--gdb). Returns only on
 * failure: a negative errno. */
int sonde_cli_debug(char *const *argv);

#endif
