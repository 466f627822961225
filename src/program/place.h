/* Finds where in the user's code something was called. That is the function; also file and line, if the program has
 * debug information and the machine has addr2line (binutils) or llvm-symbolizer. Nothing has to be recompiled for
 * it. */
#ifndef SONDE_PROGRAM_PLACE_H
#define SONDE_PROGRAM_PLACE_H

#include <sonde.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sonde_place {
    char function[128]; /* name of the function; "" if unknown */
    char file[512];     /* path of the source file; "" if unknown */
    int line;
    bool is_in_property; /* the call was made while the property ran, not in a set-up function or another thread */
};

/* Finds the innermost call of user code on a stack. Once the user has called a function of sonde, everything that this
 * function calls counts as sonde's. Starts a process, so it is for reports and not for searches. */
void sonde_place_of(void *const *frames, int n, struct sonde_place *place);

/* Reads a line as addr2line prints it: FILE:LINE, where FILE may contain anything, and sometimes a remark in brackets
 * after it. May write into `line`. Changes nothing else if there is no line number. */
void sonde_place_parse(char *line, struct sonde_place *place);

/* Finds the locations of n addresses of code, in the same order; the location of a NULL address is empty. Starts a
 * process for each module and each few hundred addresses. */
void sonde_places_of_code(const void *const *code, size_t n, struct sonde_place *places);

/* ---- The function that an address of this process belongs to. Reads the symbol table of the module's file, so static
 * functions have names too; without a symbol table, module and offset replace the name. */

struct sonde_symbol {
    char name[128];
    char module[512];     /* path of the module's file; "" if the address belongs to no module */
    unsigned long offset; /* offset of the address in the module */
    bool is_foreign;      /* part of the C library, a sanitizer, the loader, or sonde itself: not the code under test */
    bool is_base;         /* a function of sonde that calls user code (sonde_exec_*): its callers do not matter */
};

/* Looks up the function of an address. Never fails: the name of an unknown function is empty. Caches results, so only
 * one thread may call it at a time. */
void sonde_symbol_of(const void *address, struct sonde_symbol *symbol);

/* Calls `visit` for every function of the code under test that the symbol table of the program names. */
void sonde_symbols_each(void (*visit)(void *context, const unsigned char *code, size_t n), void *context);

/* A variable of this process. */
struct sonde_variable {
    char name[128]; /* "" if it has no symbol */
    char file[512]; /* path of the source file, or its last part; "" if unknown */
    int line;       /* 0: unknown */
    uint8_t *at;    /* where it begins; the address that was asked for, if it has no symbol */
    size_t size;
};

/* Finds the variable that an address belongs to: static, global, or thread-local of the calling thread. Its line is
 * left out. */
void sonde_variable_of(const void *address, struct sonde_variable *variable);
/* Finds the line of the declaration, by nm (binutils), if the compiler noted it. Starts a process. */
void sonde_variable_locate(struct sonde_variable *variable);

/* ---- Which functions a function of the program calls directly, read from its machine code and the program's symbols.
 * Calls through pointers are not seen. */

struct sonde_code; /* the functions of one module */

struct sonde_function {
    const char *name; /* valid until sonde_code_close */
    uintptr_t start, end;
};

/* Returns the functions of the module that contains the address, to be freed by sonde_code_close. Returns NULL without
 * symbols, on an unknown processor, or for a static program. There the C library cannot be distinguished from the code
 * under test. */
struct sonde_code *sonde_code_open(const void *address);
void sonde_code_close(struct sonde_code *code);
/* Fills in the function that contains an address; returns false if there is none. */
bool sonde_code_function(const struct sonde_code *code, uintptr_t address, struct sonde_function *function);
/* Calls `each` for every function of the module, in the order of their addresses, until it returns false. */
void sonde_code_each(const struct sonde_code *code, bool (*each)(const struct sonde_function *function, void *user),
                     void *user);
/* Calls `each` for every direct call in the function to another function of the module, once for each name of the
 * target. */
void sonde_code_calls(const struct sonde_code *code, const struct sonde_function *function,
                      void (*each)(const struct sonde_function *target, void *user), void *user);
/* Calls `each` for every use of a function of another module. That is a call by the PLT, or an address taken from the
 * global offset table (-fno-plt). */
void sonde_code_imports(const struct sonde_code *code, const struct sonde_function *function,
                        void (*each)(const char *name, void *user), void *user);
/* Returns whether the module of an address takes a function whose name starts with `prefix` from another module.
 * Instrumented and sanitized libraries do. */
bool sonde_module_imports(const void *address, const char *prefix);

/* Returns the target of the jump or call at `code`, if that instruction ends before `end`. Returns 0 for other
 * instructions, and on unknown machines. */
uintptr_t sonde_call_target(const unsigned char *code, const unsigned char *end);

/* ---- Which lines the code of a module was made from: its DWARF line table, read from the module's file. */

/* A row: code from `address` up to the next row was made from this line. */
struct sonde_line {
    uintptr_t address;
    uint32_t file; /* index into `files`; UINT32_MAX: unknown */
    uint32_t line; /* 0: none */
    bool ends;     /* the end of a sequence: code from here on is unknown */
};

struct sonde_line_table {
    struct sonde_line *rows; /* sorted by address */
    uint32_t n_rows, cap_rows;
    char **files; /* as the compiler recorded them: absolute, or relative to where it was run */
    uint32_t n_files, cap_files;
    uintptr_t code, code_end; /* the module's executable segments in this process */
};

/* Reads the table of the module that contains an address; the caller clears it in any case. Returns NULL, or a static
 * string that says why nothing is known, to be put after the module's name and a colon. */
const char *sonde_line_table_read(struct sonde_line_table *table, const void *address);
/* Returns whether the table has the code at an address. */
bool sonde_line_table_has(const struct sonde_line_table *table, uintptr_t address);
void sonde_line_table_clear(struct sonde_line_table *table);
/* Returns whether the symbols of the module name a source file like this, without directories. Files that were compiled
 * without debug information are known by that. `name` NULL: returns whether they name any source file. */
bool sonde_module_has_file(const void *address, const char *name);
/* Calls `each` for every module of this process, with the path of its file and an address in its code. */
void sonde_modules_each(void (*each)(const char *path, const void *address, void *user), void *user);

/* ---- How the threads of a case took turns (sonde_threads), as lines for a report. */

/* Returns lines with a column for each thread and what each did from top to bottom, with file and line. Returns "" if
 * the case had no threads. Starts processes. The caller frees the string. */
char *sonde_interleaving(const sonde *t);

#endif
