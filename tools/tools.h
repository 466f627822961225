/* The subcommands of the `sonde` command. Each gets its own arguments, argv[0] being its name, and returns an exit
 * status. */
#ifndef SONDE_TOOLS_TOOLS_H
#define SONDE_TOOLS_TOOLS_H

/* cc.c: a compiler driver for one step of a build; does not return if the compiler could be started */
int sonde_tool_cc(int argc, char **argv);

/* tapes.c: read, compare and convert tapes */
int sonde_tool_show(int argc, char **argv);
int sonde_tool_diff(int argc, char **argv);
int sonde_tool_convert(int argc, char **argv);

#endif
