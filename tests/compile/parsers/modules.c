/* Files of programs, which may have changed since the program was started. */
#define _GNU_SOURCE
#include "program/elf.h"

#include "parsers.h"

#include <sys/mman.h>
#include <unistd.h>

static bool visit_function(const ElfW(Sym) * symbol, const char *name, void *user)
{
    (void)symbol;
    *(size_t *)user += strlen(name);
    return false;
}

static bool visit_variable(const ElfW(Sym) * symbol, const char *name, const char *file, void *user)
{
    (void)symbol;
    *(size_t *)user += strlen(name) + strlen(file);
    return false;
}

static bool visit_import(const ElfW(Rela) * relocation, const char *name, void *user)
{
    (void)relocation;
    *(size_t *)user += strlen(name);
    return false;
}

/* Every name lies within the file. */
void parse_module(const uint8_t *data, size_t n)
{
    char file[64];
    size_t length = 0;
    struct sonde_elf elf;
    int fd = memfd_create("module", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, n) != (ssize_t)n) abort();
    snprintf(file, sizeof file, "/proc/self/fd/%d", fd);
    if (sonde_elf_open(&elf, file)) {
        sonde_elf_functions(&elf, SHT_SYMTAB, visit_function, &length);
        sonde_elf_functions(&elf, SHT_DYNSYM, visit_function, &length);
        sonde_elf_variables(&elf, visit_variable, &length);
        sonde_elf_imports(&elf, visit_import, &length);
        sonde_elf_has_file(&elf, "a.c");
        sonde_elf_close(&elf);
    }
    close(fd);
}
