#define _GNU_SOURCE /* dl_iterate_phdr */
/* See elf.h. */
#include "program/elf.h"
#include "program/place.h"

#include "base/image.h"
#include "base/strings.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Modules, and their files */

static void add_segment(struct sonde_module *m, uintptr_t base, const ElfW(Phdr) * p)
{
    uintptr_t start = base + p->p_vaddr, end = start + p->p_filesz;
    if (!m->code_end || start < m->code) m->code = start;
    if (end > m->code_end) m->code_end = end;
}

/* The first module is the program. */
static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct sonde_module *m = data;
    m->is_found = m->is_program || sonde_image_holds(info, (const void *)m->address);
    if (!m->is_found) return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        m->is_dynamic |= p->p_type == PT_DYNAMIC;
        if (p->p_type == PT_LOAD && p->p_flags & PF_X && p->p_flags & PF_R) add_segment(m, info->dlpi_addr, p);
    }
    m->base = info->dlpi_addr;
    snprintf(m->path, sizeof m->path, "%s", info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
    return 1;
}

void sonde_module_find(struct sonde_module *m)
{
    dl_iterate_phdr(look, m);
}

struct visit {
    void (*each)(const char *path, const void *address, void *user);
    void *user;
};

static int visit_module(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    const struct visit *v = data;
    const ElfW(Phdr) *code = NULL;
    for (unsigned i = 0; i < info->dlpi_phnum && !code; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) code = &info->dlpi_phdr[i];
    const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    if (code) v->each(path, (const void *)(info->dlpi_addr + code->p_vaddr), v->user);
    return 0;
}

void sonde_modules_each(void (*each)(const char *path, const void *address, void *user), void *user)
{
    struct visit visit = {each, user};
    dl_iterate_phdr(visit_module, &visit);
}

bool sonde_elf_open(struct sonde_elf *elf, const char *path)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    elf->size = fstat(fd, &info) == 0 && info.st_size > 0 ? (size_t)info.st_size : 0;
    void *bytes = elf->size ? mmap(NULL, elf->size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    elf->bytes = bytes;
    return bytes != MAP_FAILED;
}

void sonde_elf_close(const struct sonde_elf *elf)
{
    munmap((void *)(uintptr_t)elf->bytes, elf->size);
}

/* Returns a part of the mapped file; NULL if it is not inside the file. */
static const void *part(const struct sonde_elf *elf, uint64_t at, uint64_t n)
{
    return at <= elf->size && n <= elf->size - at ? elf->bytes + at : NULL;
}

/* Returns a table of the mapped file; NULL if it is not inside the file, or not where its members are aligned. */
static const void *aligned_part(const struct sonde_elf *elf, uint64_t at, uint64_t n)
{
    return at % sizeof(ElfW(Addr)) ? NULL : part(elf, at, n);
}

/* Returns the section headers of the file and their number; NULL if it has none. */
static const ElfW(Shdr) * sections_of(const struct sonde_elf *elf, unsigned *n)
{
    const ElfW(Ehdr) *head = part(elf, 0, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_shentsize != sizeof(ElfW(Shdr))) return NULL;
    *n = head->e_shnum;
    return aligned_part(elf, head->e_shoff, (uint64_t)head->e_shnum * sizeof(ElfW(Shdr)));
}

const void *sonde_elf_section(const struct sonde_elf *elf, const char *name, uint64_t *n, bool *is_compressed)
{
    unsigned sections = 0;
    const ElfW(Shdr) *all = sections_of(elf, &sections);
    const ElfW(Ehdr) *head = part(elf, 0, sizeof *head);
    if (!all || head->e_shstrndx >= sections) return NULL;
    const ElfW(Shdr) *names = &all[head->e_shstrndx];
    const char *text = part(elf, names->sh_offset, names->sh_size);
    if (!text || !names->sh_size || text[names->sh_size - 1]) return NULL;
    for (unsigned i = 0; i < sections; i++) {
        const ElfW(Shdr) *s = &all[i];
        if (s->sh_name >= names->sh_size || strcmp(text + s->sh_name, name) != 0 || s->sh_type == SHT_NOBITS) continue;
        *n = s->sh_size;
        *is_compressed |= (s->sh_flags & SHF_COMPRESSED) != 0;
        return part(elf, s->sh_offset, s->sh_size);
    }
    return NULL;
}

/* ---- Symbols */

/* Called with each named symbol of a table, in order; returns true to end the visit. */
typedef bool symbol_visitor(const ElfW(Sym) * symbol, const char *name, void *user);

static unsigned type_of(const ElfW(Sym) * s)
{
    return s->st_info & 0xf;
}

static bool visit_table(const struct sonde_elf *elf, const ElfW(Shdr) * table, const ElfW(Shdr) * strings,
                        symbol_visitor *visit, void *user)
{
    const ElfW(Sym) *symbols = aligned_part(elf, table->sh_offset, table->sh_size);
    const char *text = part(elf, strings->sh_offset, strings->sh_size);
    if (!symbols || !text || !strings->sh_size || text[strings->sh_size - 1]) return false;
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++)
        if (symbols[i].st_name < strings->sh_size && visit(&symbols[i], text + symbols[i].st_name, user)) return true;
    return false;
}

/* Visits the symbols of all tables of a kind. Returns whether a visitor ended the visit. */
static bool visit_symbols(const struct sonde_elf *elf, uint32_t kind, symbol_visitor *visit, void *user)
{
    unsigned n = 0;
    const ElfW(Shdr) *sections = sections_of(elf, &n);
    for (unsigned i = 0; sections && i < n; i++) {
        const ElfW(Shdr) *s = &sections[i];
        if (s->sh_type != kind || s->sh_link >= n) continue;
        if (visit_table(elf, s, &sections[s->sh_link], visit, user)) return true;
    }
    return false;
}

struct functions {
    sonde_function_visitor *visit;
    void *user;
};

static bool visit_function(const ElfW(Sym) * s, const char *name, void *user)
{
    const struct functions *f = user;
    return type_of(s) == STT_FUNC && s->st_shndx != SHN_UNDEF && f->visit(s, name, f->user);
}

bool sonde_elf_functions(const struct sonde_elf *elf, uint32_t kind, sonde_function_visitor *visit, void *user)
{
    return visit_symbols(elf, kind, visit_function, &(struct functions){visit, user});
}

static bool is_file(const ElfW(Sym) * s, const char *name, void *wanted)
{
    return type_of(s) == STT_FILE && (!wanted || strcmp(sonde_last_part(name), wanted) == 0);
}

bool sonde_elf_has_file(const struct sonde_elf *elf, const char *name)
{
    return visit_symbols(elf, SHT_SYMTAB, is_file, (void *)(uintptr_t)name);
}

struct variables {
    sonde_variable_visitor *visit;
    void *user;
    const char *file; /* of the symbols that follow */
};

static bool visit_variable(const ElfW(Sym) * s, const char *name, void *user)
{
    struct variables *v = user;
    unsigned type = type_of(s);
    if (type == STT_FILE) v->file = name;
    if ((type != STT_OBJECT && type != STT_TLS) || s->st_shndx == SHN_UNDEF) return false;
    bool is_static = s->st_info >> 4 == STB_LOCAL;
    return v->visit(s, name, is_static ? v->file : "", v->user);
}

bool sonde_elf_variables(const struct sonde_elf *elf, sonde_variable_visitor *visit, void *user)
{
    return visit_symbols(elf, SHT_SYMTAB, visit_variable, &(struct variables){visit, user, ""});
}

/* ---- Functions that a module takes from other modules: relocations of its global offset table */

static bool is_slot(const ElfW(Rela) * r)
{
#if defined(__x86_64__)
    return ELF64_R_TYPE(r->r_info) == R_X86_64_JUMP_SLOT || ELF64_R_TYPE(r->r_info) == R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
    return ELF64_R_TYPE(r->r_info) == R_AARCH64_JUMP_SLOT || ELF64_R_TYPE(r->r_info) == R_AARCH64_GLOB_DAT;
#else
    (void)r;
    return false;
#endif
}

static bool visit_relocations(const struct sonde_elf *elf, const ElfW(Shdr) * table, const ElfW(Shdr) * symbols,
                              const ElfW(Shdr) * strings, sonde_import_visitor *visit, void *user)
{
    const ElfW(Rela) *all = aligned_part(elf, table->sh_offset, table->sh_size);
    const ElfW(Sym) *names = aligned_part(elf, symbols->sh_offset, symbols->sh_size);
    const char *text = part(elf, strings->sh_offset, strings->sh_size);
    if (!all || !names || !text || !strings->sh_size || text[strings->sh_size - 1]) return false;
    for (size_t i = 0; i < table->sh_size / sizeof *all; i++) {
        size_t nth = (size_t)((uint64_t)all[i].r_info >> 32);
        if (!is_slot(&all[i]) || nth >= symbols->sh_size / sizeof *names) continue;
        const ElfW(Sym) *s = &names[nth];
        if (s->st_shndx != SHN_UNDEF || (s->st_info & 0xf) == STT_OBJECT || s->st_name >= strings->sh_size) continue;
        if (visit(&all[i], text + s->st_name, user)) return true;
    }
    return false;
}

bool sonde_elf_imports(const struct sonde_elf *elf, sonde_import_visitor *visit, void *user)
{
    unsigned n = 0;
    const ElfW(Shdr) *sections = sections_of(elf, &n);
    for (unsigned i = 0; sections && i < n; i++) {
        const ElfW(Shdr) *s = &sections[i];
        if (s->sh_type != SHT_RELA || s->sh_link >= n) continue;
        const ElfW(Shdr) *symbols = &sections[s->sh_link];
        if (symbols->sh_type != SHT_DYNSYM || symbols->sh_link >= n) continue;
        if (visit_relocations(elf, s, symbols, &sections[symbols->sh_link], visit, user)) return true;
    }
    return false;
}
