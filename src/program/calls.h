/* Which functions a function of the program calls directly, read from its machine code and the program's symbols. Calls of other modules
 * and through pointers are not seen. */
#ifndef SONDE_PROGRAM_CALLS_H
#define SONDE_PROGRAM_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sonde_code; /* the functions of one module */

struct sonde_function {
    const char *name; /* lives as long as the code */
    uintptr_t start, end;
};

/* Returns the functions of the module that the address is in, or NULL: without symbols, for a static program (whose C library could not be
 * told from the code under test), or on a processor that is not known. To be freed by sonde_code_close. */
struct sonde_code *sonde_code_open(const void *address);
void sonde_code_close(struct sonde_code *code);
/* Fills in the function that an address is in; false if there is none. */
bool sonde_code_function(const struct sonde_code *code, uintptr_t address, struct sonde_function *function);
/* Calls `each` for every function of the module, by their start; false ends it. */
void sonde_code_each(const struct sonde_code *code, bool (*each)(const struct sonde_function *function, void *user),
                     void *user);
/* Calls `each` for every direct call in the function of another function of the module, and for every name of that. */
void sonde_code_calls(const struct sonde_code *code, const struct sonde_function *function,
                      void (*each)(const struct sonde_function *target, void *user), void *user);

#endif
