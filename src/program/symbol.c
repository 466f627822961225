#define _GNU_SOURCE /* dl_iterate_phdr */
/* See symbol.h. The file is mapped, every offset in it checked, and the answer cached: shrinking a crash asks for the
 * same few addresses a thousand times.
 *
 * Own code instead of dladdr, which knows exported functions only; and instead of libbacktrace or
 * addr2line, which are not everywhere. The file may have changed or been truncated since the program
 * was started, so every offset is checked (part) and a wrong answer is no worse than none. */
#include "program/symbol.h"

#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct module {
    uintptr_t address; /* looked for */
    uintptr_t base;
    char path[512];
    bool found;
};

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct module *m = data;
    for (unsigned i = 0; i < info->dlpi_phnum && !m->found; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
        m->found = m->address >= start && m->address - start < info->dlpi_phdr[i].p_memsz;
    }
    if (!m->found) return 0;
    m->base = info->dlpi_addr;
    snprintf(m->path, sizeof m->path, "%s", info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
    return 1;
}

/* A part of a mapped file, or NULL if it does not lie inside. */
static const void *part(const unsigned char *file, size_t size, uint64_t at, uint64_t n)
{
    return at <= size && n <= size - at ? file + at : NULL;
}

static bool search_table(const unsigned char *file, size_t size, const ElfW(Shdr) * table, const ElfW(Shdr) * strings,
                         uintptr_t offset, char *name, size_t room)
{
    const ElfW(Sym) *symbols = part(file, size, table->sh_offset, table->sh_size);
    const char *text = part(file, size, strings->sh_offset, strings->sh_size);
    if (!symbols || !text) return false;
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
        const ElfW(Sym) *s = &symbols[i];
        if ((s->st_info & 0xf) != STT_FUNC || s->st_shndx == SHN_UNDEF || s->st_name >= strings->sh_size) continue;
        /* Functions of size 0 are labels in assembler; they match their own address. */
        if (offset < s->st_value || offset - s->st_value >= (s->st_size ? s->st_size : 1)) continue;
        size_t longest = strings->sh_size - s->st_name;
        snprintf(name, room, "%.*s", (int)(longest < 120 ? longest : 120), text + s->st_name);
        return true;
    }
    return false;
}

static bool search_file(const unsigned char *file, size_t size, uintptr_t offset, char *name, size_t room)
{
    const ElfW(Ehdr) *head = part(file, size, 0, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_shentsize != sizeof(ElfW(Shdr))) return false;
    const ElfW(Shdr) *sections = part(file, size, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections);
    if (!sections) return false;
    const uint32_t kinds[] = {SHT_SYMTAB, SHT_DYNSYM}; /* the full table first */
    for (size_t k = 0; k < 2; k++)
        for (unsigned i = 0; i < head->e_shnum; i++) {
            if (sections[i].sh_type != kinds[k] || sections[i].sh_link >= head->e_shnum) continue;
            if (search_table(file, size, &sections[i], &sections[sections[i].sh_link], offset, name, room)) return true;
        }
    return false;
}

static bool search_module(const struct module *m, char *name, size_t room)
{
    struct stat info;
    int fd = open(m->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool found = false;
    if (fstat(fd, &info) == 0 && info.st_size > 0) {
        size_t size = (size_t)info.st_size;
        void *file = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) {
            found = search_file(file, size, m->address - m->base, name, room);
            munmap(file, size);
        }
    }
    close(fd);
    return found;
}

static bool starts(const char *text, const char *const *prefixes)
{
    for (; *prefixes; prefixes++)
        if (strncmp(text, *prefixes, strlen(*prefixes)) == 0) return true;
    return false;
}

/* Names are compared in both ways because static linking puts sanitizers and the C library into the
 * program itself. */
static bool is_foreign(const struct module *m, const char *name)
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
            return true; /* a namespace, the type of an argument, or what calls MemorySanitizer's handlers */
    const char *slash = strrchr(m->path, '/');
    return starts(slash ? slash + 1 : m->path, modules) || starts(name, names);
}

/* A path that other processes can use. */
static void name_module(const struct module *m, char *path, size_t room)
{
    ssize_t n = strcmp(m->path, "/proc/self/exe") == 0 ? readlink(m->path, path, room - 1) : -1;
    if (n > 0) path[n] = '\0';
    else snprintf(path, room, "%s", m->path);
}

/* Compilers make several functions of one, or a special one: `f.cold`, `f.part.0`, `f.constprop.1`. For people, and from
 * build to build, they are one. */
static void strip_suffix(char *name)
{
    char *dot = strchr(name, '.');
    if (dot && dot > name) *dot = '\0';
}

static void look_up(const void *address, struct sonde_symbol *symbol)
{
    struct module m = {.address = (uintptr_t)address};
    *symbol = (struct sonde_symbol){.is_foreign = false};
    dl_iterate_phdr(look, &m);
    const char *slash = strrchr(m.path, '/');
    if (!m.found) snprintf(symbol->name, sizeof symbol->name, "%p", address);
    else if (!search_module(&m, symbol->name, sizeof symbol->name))
        snprintf(symbol->name, sizeof symbol->name, "%.60s+0x%lx", slash ? slash + 1 : m.path,
                 (unsigned long)(m.address - m.base));
    else strip_suffix(symbol->name);
    symbol->offset = m.address - m.base;
    if (m.found) name_module(&m, symbol->module, sizeof symbol->module);
    symbol->is_foreign = m.found && is_foreign(&m, symbol->name);
    symbol->is_base = strncmp(symbol->name, "sonde_exec_", 11) == 0;
}

void sonde_symbol_of(const void *address, struct sonde_symbol *symbol)
{
    enum { SLOTS = 256 };
    /* Direct-mapped: a collision costs a look-up. Not thread-safe; the supervisor and handlers at the
     * end of a case use it, one at a time. */
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
    struct module program;
};

static int find_program(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct module *m = data;
    m->base = info->dlpi_addr;
    snprintf(m->path, sizeof m->path, "/proc/self/exe");
    return 1; /* the first module is the program */
}

static void visit_table(const struct each *e, const unsigned char *file, size_t size, const ElfW(Shdr) * table,
                        const ElfW(Shdr) * strings)
{
    const ElfW(Sym) *symbols = part(file, size, table->sh_offset, table->sh_size);
    const char *text = part(file, size, strings->sh_offset, strings->sh_size);
    if (!symbols || !text || !strings->sh_size || text[strings->sh_size - 1]) return;
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
        const ElfW(Sym) *s = &symbols[i];
        if ((s->st_info & 0xf) != STT_FUNC || s->st_shndx == SHN_UNDEF || s->st_name >= strings->sh_size) continue;
        if (is_foreign(&e->program, text + s->st_name)) continue;
        e->visit(e->context, (const unsigned char *)(e->program.base + s->st_value), s->st_size);
    }
}

static void visit_file(const struct each *e, const unsigned char *file, size_t size)
{
    const ElfW(Ehdr) *head = part(file, size, 0, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_shentsize != sizeof(ElfW(Shdr))) return;
    const ElfW(Shdr) *sections = part(file, size, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections);
    for (unsigned i = 0; sections && i < head->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < head->e_shnum)
            visit_table(e, file, size, &sections[i], &sections[sections[i].sh_link]);
}

void sonde_symbols_each(void (*visit)(void *context, const unsigned char *code, size_t n), void *context)
{
    struct each e = {.visit = visit, .context = context};
    struct stat info;
    dl_iterate_phdr(find_program, &e.program);
    int fd = open(e.program.path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (fstat(fd, &info) == 0 && info.st_size > 0) {
        void *file = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) {
            visit_file(&e, file, (size_t)info.st_size);
            munmap(file, (size_t)info.st_size);
        }
    }
    close(fd);
}
