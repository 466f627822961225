#define _GNU_SOURCE /* dl_iterate_phdr */
/* Finds the functions of a module: which one an address is in, all of them, and which ones they call. The file is
 * mapped, every offset in it checked, and results are cached: shrinking a crash asks for the same few addresses a
 * thousand times.
 *
 * Custom code, because dladdr knows exported functions only, and libbacktrace and addr2line are not available
 * everywhere. The file may have changed or been truncated since the program was started. So every offset is checked
 * (part), and a wrong result is no worse than none. */
#include "base/image.h"
#include "program/place.h"

#include "base/mem.h"
#include "base/strings.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Modules, and their files */

struct module {
    uintptr_t address; /* address to find */
    bool is_program;   /* search for the program itself and ignore `address` */
    uintptr_t base;
    uintptr_t code, code_end; /* from the first executable segment to the last */
    char path[512];
    bool is_found, is_dynamic;
};

static void add_segment(struct module *m, uintptr_t base, const ElfW(Phdr) * p)
{
    uintptr_t start = base + p->p_vaddr, end = start + p->p_filesz;
    if (!m->code_end || start < m->code) m->code = start;
    if (end > m->code_end) m->code_end = end;
}

/* The first module is the program. */
static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct module *m = data;
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

/* A mapped file. */
struct elf {
    const char *bytes;
    size_t size;
};

/* Maps the module's file; returns false if there is nothing to read. */
static bool open_elf(struct elf *elf, const char *path)
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

static void close_elf(const struct elf *elf)
{
    munmap((void *)(uintptr_t)elf->bytes, elf->size);
}

/* Returns a part of the mapped file; NULL if it is not inside the file. */
static const void *part(const struct elf *elf, uint64_t at, uint64_t n)
{
    return at <= elf->size && n <= elf->size - at ? elf->bytes + at : NULL;
}

/* Called with each function of a symbol table; returning true ends the walk. */
typedef bool visitor(const ElfW(Sym) * symbol, const char *name, void *user);

static bool visit_table(const struct elf *elf, const ElfW(Shdr) * table, const ElfW(Shdr) * strings, visitor *visit,
                        void *user)
{
    const ElfW(Sym) *symbols = part(elf, table->sh_offset, table->sh_size);
    const char *text = part(elf, strings->sh_offset, strings->sh_size);
    if (!symbols || !text || !strings->sh_size || text[strings->sh_size - 1]) return false;
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
        const ElfW(Sym) *s = &symbols[i];
        if ((s->st_info & 0xf) != STT_FUNC || s->st_shndx == SHN_UNDEF || s->st_name >= strings->sh_size) continue;
        if (visit(s, text + s->st_name, user)) return true;
    }
    return false;
}

/* Returns the section headers of the file and their number; NULL if it has none. */
static const ElfW(Shdr) * sections_of(const struct elf *elf, unsigned *n)
{
    const ElfW(Ehdr) *head = part(elf, 0, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_shentsize != sizeof(ElfW(Shdr))) return NULL;
    *n = head->e_shnum;
    return part(elf, head->e_shoff, (uint64_t)head->e_shnum * sizeof(ElfW(Shdr)));
}

/* Visits the functions of all tables of a kind: SHT_SYMTAB, which has all functions, or SHT_DYNSYM. Returns whether a
 * visit has ended the walk. */
static bool visit_functions(const struct elf *elf, uint32_t kind, visitor *visit, void *user)
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

/* ---- Functions that a module takes from other modules: relocations of its global offset table */

/* Called with each relocation and the name of the function; returning true ends the walk. */
typedef bool import_visitor(const ElfW(Rela) * relocation, const char *name, void *user);

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

static bool visit_relocations(const struct elf *elf, const ElfW(Shdr) * table, const ElfW(Shdr) * symbols,
                              const ElfW(Shdr) * strings, import_visitor *visit, void *user)
{
    const ElfW(Rela) *all = part(elf, table->sh_offset, table->sh_size);
    const ElfW(Sym) *names = part(elf, symbols->sh_offset, symbols->sh_size);
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

/* Visits all imported functions. Returns whether a visit has ended the walk. */
static bool visit_imports(const struct elf *elf, import_visitor *visit, void *user)
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

static bool has_prefix(const ElfW(Rela) * r, const char *name, void *user)
{
    (void)r;
    return sonde_starts(name, user);
}

bool sonde_module_imports(const void *address, const char *prefix)
{
    struct module m = {.address = (uintptr_t)address};
    struct elf elf;
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%s", prefix);
    dl_iterate_phdr(look, &m);
    if (!m.is_found || !open_elf(&elf, m.path)) return false;
    bool found = visit_imports(&elf, has_prefix, wanted);
    close_elf(&elf);
    return found;
}

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

static bool search_module(const struct module *m, char *name, size_t room)
{
    struct wanted wanted = {.offset = m->address - m->base, .name = name, .room = room};
    struct elf elf;
    if (!open_elf(&elf, m->path)) return false;
    bool found =
        visit_functions(&elf, SHT_SYMTAB, is_wanted, &wanted) || visit_functions(&elf, SHT_DYNSYM, is_wanted, &wanted);
    close_elf(&elf);
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
            /* `within` has namespaces, the type of an argument, and the caller of MemorySanitizer's handlers */
            return true;
    return starts(sonde_last_part(m->path), modules) || starts(name, names);
}

/* Writes a path that other processes can use. */
static void name_module(const struct module *m, char *path, size_t room)
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
    struct module m = {.address = (uintptr_t)address};
    *symbol = (struct sonde_symbol){.is_foreign = false};
    dl_iterate_phdr(look, &m);
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
    struct module program;
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
    struct elf elf;
    dl_iterate_phdr(look, &e.program);
    if (!open_elf(&elf, e.program.path)) return;
    visit_functions(&elf, SHT_SYMTAB, find_start, &e);
    visit_functions(&elf, SHT_SYMTAB, find_library, &e);
    visit_functions(&elf, SHT_SYMTAB, visit_own, &e);
    close_elf(&elf);
}

/* ---- Calls of functions. Instructions are not decoded. At every position at which a call could begin, the target is
 * looked up, and only the exact start of a function counts. So other bytes are mistaken for a call only by a rare
 * accident. */

/* An entry of the global offset table that will hold the address of a function of another module. */
struct slot {
    uintptr_t address;
    const char *name;
};

struct sonde_code {
    struct elf elf; /* the mapped file, which holds the names */
    uintptr_t base;
    uintptr_t code, code_end;         /* executable memory of the module */
    struct sonde_function *functions; /* the functions, sorted by their start */
    uint32_t n, cap;
    struct slot *slots; /* in no order */
    uint32_t n_slots, cap_slots;
};

static bool add_function(const ElfW(Sym) * s, const char *name, void *user)
{
    struct sonde_code *c = user;
    if (!s->st_size) return false;
    c->functions = sonde_grow(c->functions, &c->cap, (size_t)c->n + 1, sizeof *c->functions);
    c->functions[c->n++] = (struct sonde_function){.name = name,
                                                   .start = c->base + s->st_value,
                                                   .end = c->base + s->st_value + s->st_size};
    return false;
}

static bool add_slot(const ElfW(Rela) * r, const char *name, void *user)
{
    struct sonde_code *c = user;
    c->slots = sonde_grow(c->slots, &c->cap_slots, (size_t)c->n_slots + 1, sizeof *c->slots);
    c->slots[c->n_slots++] = (struct slot){.address = c->base + r->r_offset, .name = name};
    return false;
}

static int by_start(const void *a, const void *b)
{
    const struct sonde_function *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

struct sonde_code *sonde_code_open(const void *address)
{
#if !defined(__x86_64__) && !defined(__aarch64__)
    return NULL;
#endif
    struct module m = {.address = (uintptr_t)address};
    struct elf elf;
    dl_iterate_phdr(look, &m);
    if (!m.is_found || !m.is_dynamic || !open_elf(&elf, m.path)) return NULL;
    struct sonde_code *c = sonde_calloc(1, sizeof *c);
    c->elf = elf;
    c->base = m.base;
    c->code = m.code;
    c->code_end = m.code_end;
    visit_functions(&elf, SHT_SYMTAB, add_function, c);
    visit_imports(&elf, add_slot, c);
    if (c->n) {
        qsort(c->functions, c->n, sizeof *c->functions, by_start);
        return c;
    }
    sonde_code_close(c);
    return NULL;
}

void sonde_code_close(struct sonde_code *c)
{
    if (!c) return;
    close_elf(&c->elf);
    sonde_free(c->functions);
    sonde_free(c->slots);
    sonde_free(c);
}

/* Returns the index after the last function that starts at or before the address; several functions may start at one
 * address. */
static uint32_t find(const struct sonde_code *c, uintptr_t address)
{
    uint32_t low = 0, high = c->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->functions[middle].start <= address) low = middle + 1;
        else high = middle;
    }
    return low; /* index after the function that was found */
}

bool sonde_code_function(const struct sonde_code *c, uintptr_t address, struct sonde_function *function)
{
    uint32_t at = find(c, address);
    if (!at || address >= c->functions[at - 1].end) return false;
    *function = c->functions[at - 1];
    return true;
}

void sonde_code_each(const struct sonde_code *c, bool (*each)(const struct sonde_function *function, void *user),
                     void *user)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (!each(&c->functions[i], user)) return;
}

uintptr_t sonde_call_target(const unsigned char *code, const unsigned char *end)
{
#if defined(__x86_64__)
    int32_t by;
    if (end - code < 5 || (*code != 0xe8 && *code != 0xe9)) return 0; /* call, jmp */
    memcpy(&by, code + 1, sizeof by);
    return (uintptr_t)code + 5 + (uintptr_t)(intptr_t)by;
#elif defined(__aarch64__)
    uint32_t word;
    if (end - code < 4 || (uintptr_t)code % 4) return 0;
    memcpy(&word, code, sizeof word);
    if ((word & 0x7c000000) != 0x14000000) return 0; /* b, bl */
    return (uintptr_t)code + (uintptr_t)((intptr_t)(int32_t)(word << 6) >> 4);
#else
    (void)code, (void)end;
    return 0;
#endif
}

/* The code is read as it is loaded; sanitizers do not check such reads. */
void sonde_code_calls(const struct sonde_code *c, const struct sonde_function *function,
                      void (*each)(const struct sonde_function *target, void *user), void *user)
{
    const unsigned char *end = (const unsigned char *)function->end;
    for (const unsigned char *at = (const unsigned char *)function->start; at < end; at++) {
        uintptr_t target = sonde_call_target(at, end);
        if (!target || (target >= function->start && target < function->end)) continue;
        for (uint32_t i = find(c, target); i && c->functions[i - 1].start == target; i--)
            each(&c->functions[i - 1], user);
    }
}

/* Returns the address that the code at `at` loads a pointer from, or jumps or calls through; 0 if it does not. */
static uintptr_t loaded_from(const unsigned char *at, const unsigned char *end)
{
#if defined(__x86_64__)
    int32_t by;
    if (end - at < 6) return 0;
    bool jumps = at[0] == 0xff && (at[1] == 0x15 || at[1] == 0x25); /* call and jmp *by(%rip) */
    bool loads = at[0] == 0x8b && (at[1] & 0xc7) == 0x05;           /* mov by(%rip), register */
    memcpy(&by, at + 2, sizeof by);
    return jumps || loads ? (uintptr_t)at + 6 + (uintptr_t)(intptr_t)by : 0;
#elif defined(__aarch64__)
    enum { APART = 8 }; /* maximum number of instructions from adrp to the load that uses its register */
    uint32_t word, load;
    if (end - at < 8 || (uintptr_t)at % 4) return 0;
    memcpy(&word, at, sizeof word);
    if ((word & 0x9f000000) != 0x90000000) return 0; /* adrp */
    int32_t pages = (int32_t)((word >> 29 & 3) | (word >> 5 & 0x7ffff) << 2) << 11 >> 11;
    uintptr_t page = ((uintptr_t)at & ~(uintptr_t)0xfff) + (uintptr_t)((intptr_t)pages * 4096);
    for (int i = 1; i <= APART && end - at >= 4 * (i + 1); i++) {
        memcpy(&load, at + (size_t)4 * i, sizeof load);
        bool loads = (load & 0xffc00000) == 0xf9400000; /* ldr register, [register, #offset] */
        if (loads && (load >> 5 & 31) == (word & 31)) return page + (uintptr_t)(load >> 10 & 0xfff) * 8;
    }
    return 0;
#else
    (void)at, (void)end;
    return 0;
#endif
}

/* Returns the name of the function that the slot at an address is for; NULL if it is not a slot. */
static const char *name_of_slot(const struct sonde_code *c, uintptr_t address)
{
    for (uint32_t i = 0; address && i < c->n_slots; i++)
        if (c->slots[i].address == address) return c->slots[i].name;
    return NULL;
}

/* Returns the name of the function that a stub of the PLT jumps to; NULL if there is no stub at the address. */
static const char *name_of_stub(const struct sonde_code *c, uintptr_t stub)
{
    enum { PREFIX = 5 }; /* maximum number of bytes before the jump: endbr64 and a prefix, or bti */
    if (stub < c->code || stub >= c->code_end) return NULL;
    const unsigned char *at = (const unsigned char *)stub, *end = (const unsigned char *)c->code_end;
    const char *name = NULL;
    for (int i = 0; i <= PREFIX && !name; i++) name = name_of_slot(c, loaded_from(at + i, end));
    return name;
}

void sonde_code_imports(const struct sonde_code *c, const struct sonde_function *function,
                        void (*each)(const char *name, void *user), void *user)
{
    const unsigned char *end = (const unsigned char *)function->end;
    for (const unsigned char *at = (const unsigned char *)function->start; at < end; at++) {
        uintptr_t target = sonde_call_target(at, end);
        bool leaves = target && (target < function->start || target >= function->end);
        const char *name = leaves ? name_of_stub(c, target) : name_of_slot(c, loaded_from(at, end));
        if (name) each(name, user);
    }
}
