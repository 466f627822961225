#define _GNU_SOURCE /* link.h */
/* Finds the functions of a module: which one an address is in, and all of them. Results are cached: shrinking a crash
 * asks for the same few addresses a thousand times.
 *
 * Custom code, because dladdr knows exported functions only, and libbacktrace and addr2line are not available
 * everywhere. */
#include "program/elf.h"
#include "program/place.h"

#include "base/strings.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- The function that an address is in */

struct wanted {
    uintptr_t offset;
    char *name;
    size_t room;
};

/* Functions of size 0 are labels in assembler; they match their own address. */
static bool is_wanted(const ElfW(Sym) * s, const char *name, void *user)
{
    const struct wanted *w = user;
    if (w->offset < s->st_value || w->offset - s->st_value >= (s->st_size ? s->st_size : 1)) return false;
    snprintf(w->name, w->room, "%.120s", name);
    return true;
}

static bool search_module(const struct sonde_module *m, char *name, size_t room)
{
    struct wanted wanted = {.offset = m->address - m->base, .name = name, .room = room};
    struct sonde_elf elf;
    if (!sonde_elf_open(&elf, m->path)) return false;
    bool found = sonde_elf_functions(&elf, SHT_SYMTAB, is_wanted, &wanted)
                 || sonde_elf_functions(&elf, SHT_DYNSYM, is_wanted, &wanted);
    sonde_elf_close(&elf);
    return found;
}

static bool starts(const char *text, const char *const *prefixes)
{
    for (; *prefixes; prefixes++)
        if (strncmp(text, *prefixes, strlen(*prefixes)) == 0) return true;
    return false;
}

/* Both module and function names are checked, because static linking puts sanitizers and the C library into the program
 * itself. */
static bool is_foreign(const struct sonde_module *m, const char *name)
{
    static const char *const modules[] = {"libc.",        "libc-",    "ld-",        "libm.",
                                          "libpthread",   "libgcc_s", "libasan",    "libubsan",
                                          "liblsan",      "libtsan",  "libmsan",    "libstdc++",
                                          "libclang_rt.", "libsonde", "linux-vdso", NULL};
    static const char *const names[] = {"sonde_",         "__asan",  "__sanitizer",  "__interceptor",
                                        "___interceptor", "__ubsan", "__lsan",       "__msan",
                                        "__tsan",         "__wrap_", "_ZN8sondecpp", "_ZNK8sondecpp",
                                        "_ZZN8sondecpp",  NULL};
    static const char *const within[] = {"__asan", "__sanitizer", "__ubsan",        "__lsan",
                                         "__msan", "__tsan",      "__interception", "L12SignalActioniPvS_"};
    for (size_t i = 0; strncmp(name, "_Z", 2) == 0 && i < sizeof within / sizeof *within; i++)
        if (strstr(name, within[i]))
            /* `within` has namespaces, the type of an argument, and the caller of MemorySanitizer's handlers */
            return true;
    return starts(sonde_last_part(m->path), modules) || starts(name, names);
}

/* Writes a path that other processes can use. */
static void name_module(const struct sonde_module *m, char *path, size_t room)
{
    ssize_t n = strcmp(m->path, "/proc/self/exe") == 0 ? readlink(m->path, path, room - 1) : -1;
    if (n > 0) path[n] = '\0';
    else snprintf(path, room, "%s", m->path);
}

/* Removes the suffix of functions that compilers split off or specialise: `f.cold`, `f.part.0`, `f.constprop.1`. In
 * reports, and from build to build, they all count as `f`. */
static void strip_suffix(char *name)
{
    char *dot = strchr(name, '.');
    if (dot && dot > name) *dot = '\0';
}

static void look_up(const void *address, struct sonde_symbol *symbol)
{
    struct sonde_module m = {.address = (uintptr_t)address};
    *symbol = (struct sonde_symbol){.is_foreign = false};
    sonde_module_find(&m);
    if (!m.is_found) snprintf(symbol->name, sizeof symbol->name, "%p", address);
    else if (!search_module(&m, symbol->name, sizeof symbol->name))
        snprintf(symbol->name, sizeof symbol->name, "%.60s+0x%lx", sonde_last_part(m.path),
                 (unsigned long)(m.address - m.base));
    else strip_suffix(symbol->name);
    symbol->offset = m.address - m.base;
    if (m.is_found) name_module(&m, symbol->module, sizeof symbol->module);
    symbol->is_foreign = m.is_found && is_foreign(&m, symbol->name);
    symbol->is_base = strncmp(symbol->name, "sonde_exec_", 11) == 0;
}

void sonde_symbol_of(const void *address, struct sonde_symbol *symbol)
{
    enum { SLOTS = 256 };
    /* A direct-mapped cache: a collision costs a look-up. Not thread-safe; the supervisor and handlers at the end of a
     * case use it, one at a time. */
    static struct {
        const void *address;
        struct sonde_symbol symbol;
    } known[SLOTS];
    size_t slot = ((uintptr_t)address ^ ((uintptr_t)address >> 8)) % SLOTS;
    if (known[slot].address != address) {
        look_up(address, &known[slot].symbol);
        known[slot].address = address;
    }
    *symbol = known[slot].symbol;
}

/* ---- All functions of the program */

struct each {
    void (*visit)(void *context, const unsigned char *code, size_t n);
    void *context;
    struct sonde_module program;
    uintptr_t start; /* address of _start in the first object; functions before it never return, and are in no order */
    /* sonde's code in the program, from the first function that it exports to the last */
    uintptr_t library, library_end;
};

static bool find_start(const ElfW(Sym) * s, const char *name, void *user)
{
    if (strcmp(name, "_start") != 0) return false;
    ((struct each *)user)->start = s->st_value;
    return true;
}

/* Inline functions of the header are local to objects of the user. */
static bool find_library(const ElfW(Sym) * s, const char *name, void *user)
{
    struct each *e = user;
    bool is_exported = ELF64_ST_BIND(s->st_info) == STB_GLOBAL && strncmp(name, "sonde_", 6) == 0;
    if (!is_exported || s->st_value < e->start) return false;
    if (!e->library || s->st_value < e->library) e->library = s->st_value;
    if (s->st_value > e->library_end) e->library_end = s->st_value;
    return false;
}

static bool visit_own(const ElfW(Sym) * s, const char *name, void *user)
{
    const struct each *e = user;
    bool is_ours = ELF64_ST_BIND(s->st_info) == STB_LOCAL && s->st_value >= e->library && s->st_value <= e->library_end;
    if (!is_ours && !is_foreign(&e->program, name))
        e->visit(e->context, (const unsigned char *)(e->program.base + s->st_value), s->st_size);
    return false;
}

void sonde_symbols_each(void (*visit)(void *context, const unsigned char *code, size_t n), void *context)
{
    struct each e = {.visit = visit, .context = context, .program.is_program = true};
    struct sonde_elf elf;
    sonde_module_find(&e.program);
    if (!sonde_elf_open(&elf, e.program.path)) return;
    sonde_elf_functions(&elf, SHT_SYMTAB, find_start, &e);
    sonde_elf_functions(&elf, SHT_SYMTAB, find_library, &e);
    sonde_elf_functions(&elf, SHT_SYMTAB, visit_own, &e);
    sonde_elf_close(&elf);
}
