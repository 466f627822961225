/* Reads which source lines the code of a program or library was made from: its symbols and DWARF line tables. libdw
 * (elfutils) reads these, also if they are compressed or in a separate file (.gnu_debuglink, or by build id below
 * /usr/lib/debug). This module adds where the calls of gcc's instrumentation are.
 *
 * If sonde was built without libdw, sonde_lines_read returns that as the reason for every file. */
#ifndef SONDE_TOOLS_LINES_H
#define SONDE_TOOLS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Row of a line table: code from `address` up to the address of the next row was made from this line. */
struct sonde_row {
    uint64_t address;
    uint32_t file; /* index into files */
    uint32_t line; /* 0: no line */
    bool ends;     /* end of a sequence: code from here on is unknown */
};

/* Function: its code is [start, end). */
struct sonde_function {
    uint64_t start, end;
};

/* Everything read from a file. Rows, functions and calls are sorted by address. Of rows at the
 * same address, those that end a sequence come first. */
struct sonde_lines {
    struct sonde_row *rows;
    uint32_t n_rows, cap_rows;
    char **files;
    uint32_t n_files, cap_files;
    struct sonde_function *functions;
    uint32_t n_functions, cap_functions;
    uint64_t *calls; /* calls of __sanitizer_cov_trace_pc: the return address of each, which the counters report */
    uint32_t n_calls, cap_calls;
    uint64_t build; /* hash of the file's build id; 0: the file has none */
};

/* Reads a program or library; the caller clears *lines in any case. Returns NULL, or a static string with the reason
 * why the file cannot be used, to be put after the file's name and a colon. */
const char *sonde_lines_read(struct sonde_lines *lines, const char *path);
/* Frees the content of *lines. */
void sonde_lines_clear(struct sonde_lines *lines);
/* Returns the function that has an address, owned by `lines`; NULL if none does. */
const struct sonde_function *sonde_lines_function(const struct sonde_lines *lines, uint64_t address);

#endif
