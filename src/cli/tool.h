/* The `sonde` command, for what a test program leaves to it: lines of code for a page, a server. The library works without it. */
#ifndef SONDE_CLI_TOOL_H
#define SONDE_CLI_TOOL_H

#include <stdbool.h>
#include <stddef.h>

/* Where it is: SONDE_TOOL of the environment, else `sonde` in a folder of PATH. False if there is none. */
bool sonde_tool_find(char *path, size_t size);
/* Runs it and waits; its exit status, or -1 if it cannot be started or did not end by itself. What it prints goes to standard error. */
int sonde_tool_run(const char *path, char *const *argv);

#endif
