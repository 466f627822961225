/* Access to the `sonde` command, for tasks that a test program leaves to it: source lines for a page, and --serve.
 * The library works without that command. */
#ifndef SONDE_CLI_TOOL_H
#define SONDE_CLI_TOOL_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the command: the file that SONDE_TOOL names, else `sonde` in a directory of PATH. Returns false if there
 * is none. */
bool sonde_tool_find(char *path, size_t size);
/* Runs the command and waits for it; its output goes to standard error. Returns its exit status, or -1 if it
 * cannot be started or was ended by a signal. */
int sonde_tool_run(const char *path, char *const *argv);

#endif
