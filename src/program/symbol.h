/* Which function an address of this process belongs to. Reads the symbol table of the module's file, so static
 * functions have names too; without one, module and offset stand for the function. */
#ifndef SONDE_PROGRAM_SYMBOL_H
#define SONDE_PROGRAM_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>

struct sonde_symbol {
    char name[128];
    char module[512];     /* path of its file; "" if the address belongs to none */
    unsigned long offset; /* in the module */
    bool is_foreign;      /* of the C library, a sanitizer, the loader, or sonde itself: not the code under test */
    bool is_base;         /* one of sonde's calls of user code (sonde_exec_*): nothing above it matters */
};

/* Never fails: what is unknown has an empty name. Remembers what it looked up; one thread at a time. */
void sonde_symbol_of(const void *address, struct sonde_symbol *symbol);

/* Calls `visit` for every function of the code under test that the symbol table of the program names. */
void sonde_symbols_each(void (*visit)(void *context, const unsigned char *code, size_t n), void *context);

#endif
