/* The abilities of this program to detect failures: its compiler, the tools in it, the steps of its threads.
 *
 * A stored failure keeps this beside its tape (program/witness.h), so that a later run knows whether it could show the
 * failure at all. */
#ifndef SONDE_PROGRAM_BUILD_H
#define SONDE_PROGRAM_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tools that report failures which a program without them does not show. */
enum sonde_tool {
    SONDE_TOOL_ADDRESS,
    SONDE_TOOL_HWADDRESS,
    SONDE_TOOL_MEMORY,
    SONDE_TOOL_THREAD,
    SONDE_TOOL_LEAK,
    SONDE_TOOL_UNDEFINED,
    SONDE_TOOL_VALGRIND,
    SONDE_TOOLS
};

/* Returns the name of the tool in tape files; these names never change. */
const char *sonde_tool_name(enum sonde_tool tool);
/* Returns whether the tool is in this process and active. For leaks it starts a child process that leaks, once. */
bool sonde_tool_is_here(enum sonde_tool tool);

/* Writes the compiler, the flags that decide what undefined behaviour does, and the tools: "gcc 12, optimised,
 * AddressSanitizer". Two such strings that differ only in the version of the compiler describe one kind of build. */
void sonde_build_describe(char *out, size_t size);
/* Returns whether two such strings describe one kind of build; the version of the compiler does not matter. */
bool sonde_build_is_same(const char *a, const char *b);

/* Returns how many instructions of the code under test do nothing but end the process. Checks of UBSan do that in trap
 * mode, where there is no runtime to recognise. Returns 0 if the machine is not known or the program has no symbols. */
unsigned sonde_build_traps(void);

/* Returns a hash of everything that decides how steps of controlled threads are counted. Equal hashes promise that a
 * schedule means the same. So the hash must cover every instruction that can be a step, and the code that decides which
 * are steps. Here that is the machine code of the program and of all libraries except the system's. Never 0. */
uint64_t sonde_steps_hash(void);

#endif
