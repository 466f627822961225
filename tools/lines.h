/* Which lines of source the code of a file was made from: symbols and DWARF's line tables, as libdw (elfutils) reads them, also
 * compressed ones, and those in a separate file (.gnu_debuglink, or by build id below /usr/lib/debug). What libdw does not have is
 * where gcc's instrumentation is.
 *
 * A sonde that was built without libdw says so for every file; so does one for what cannot be read. */
#ifndef SONDE_TOOLS_LINES_H
#define SONDE_TOOLS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Code from `address` up to the address of the next row was made from this line. */
struct sonde_row {
    uint64_t address;
    uint32_t file; /* index into files */
    uint32_t line; /* 0: none */
    bool ends;     /* of a sequence: nothing is known from here on */
};

struct sonde_function {
    uint64_t start, end;
};

/* Rows, functions and calls are sorted by address; rows in the order of their tables where addresses are equal. */
struct sonde_lines {
    struct sonde_row *rows;
    uint32_t n_rows, cap_rows;
    char **files;
    uint32_t n_files, cap_files;
    struct sonde_function *functions;
    uint32_t n_functions, cap_functions;
    uint64_t *calls; /* of __sanitizer_cov_trace_pc: the address after each, as such code reports it */
    uint32_t n_calls, cap_calls;
    uint64_t build; /* hash of the build id; 0: it has none */
};

/* NULL, or why it cannot be read: a part of a sentence, static. */
const char *sonde_lines_read(struct sonde_lines *lines, const char *path);
void sonde_lines_clear(struct sonde_lines *lines);
/* The function that holds an address; NULL if none does. */
const struct sonde_function *sonde_lines_function(const struct sonde_lines *lines, uint64_t address);

#endif
