/* Reads the file of a loaded module: its functions, and the functions that it takes from other modules.
 *
 * The file may have changed or been truncated since the program was started. So every offset in it is checked, and a
 * wrong result is no worse than none. */
#ifndef SONDE_PROGRAM_ELF_H
#define SONDE_PROGRAM_ELF_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sonde_module {
    uintptr_t address; /* address to find */
    bool is_program;   /* search for the program itself and ignore `address` */
    uintptr_t base;
    uintptr_t code, code_end; /* from the first executable segment to the last */
    char path[512];
    bool is_found, is_dynamic;
};

/* Fills in the module that contains m->address, or the program; m->is_found tells whether there is one. */
void sonde_module_find(struct sonde_module *m);

/* A mapped file. */
struct sonde_elf {
    const char *bytes;
    size_t size;
};

/* Maps the module's file; returns false if there is nothing to read. */
bool sonde_elf_open(struct sonde_elf *elf, const char *path);
void sonde_elf_close(const struct sonde_elf *elf);

/* Called with each function of a symbol table; returning true ends the walk. */
typedef bool sonde_function_visitor(const ElfW(Sym) * symbol, const char *name, void *user);
/* Visits the functions of all tables of a kind: SHT_SYMTAB, which has all functions, or SHT_DYNSYM. Returns whether a
 * visit has ended the walk. */
bool sonde_elf_functions(const struct sonde_elf *elf, uint32_t kind, sonde_function_visitor *visit, void *user);

/* Returns a section of the mapped file, with its size in *n; NULL if there is none of that name. *is_compressed is set
 * if it is compressed, and otherwise left as it is. */
const void *sonde_elf_section(const struct sonde_elf *elf, const char *name, uint64_t *n, bool *is_compressed);
/* Returns whether the symbol table names a source file, as the compiler was given it but without directories. With
 * NULL: whether it names any. */
bool sonde_elf_has_file(const struct sonde_elf *elf, const char *name);
/* Called with each variable of the full symbol table. `file` is the source file of a static one; "" for others.
 * Returning true ends the walk. */
typedef bool sonde_variable_visitor(const ElfW(Sym) * symbol, const char *name, const char *file, void *user);
/* Visits the variables, thread-local ones included. Returns whether a visit has ended the walk. */
bool sonde_elf_variables(const struct sonde_elf *elf, sonde_variable_visitor *visit, void *user);

/* Called with each relocation of the global offset table and the name of the function; returning true ends the walk. */
typedef bool sonde_import_visitor(const ElfW(Rela) * relocation, const char *name, void *user);
/* Visits all functions that the module takes from other modules. Returns whether a visit has ended the walk. */
bool sonde_elf_imports(const struct sonde_elf *elf, sonde_import_visitor *visit, void *user);

#endif
