#define _GNU_SOURCE /* dl_iterate_phdr */
/* See calls.h. Instructions are not decoded: of every place at which a call could begin, the target is looked up, and only the exact start
 * of a function counts. So other bytes are taken for a call only by a rare accident. */
#include "program/calls.h"

#include "base/mem.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct sonde_code {
    void *file; /* mapped, for the names */
    size_t size;
    struct sonde_function *functions; /* by their start */
    uint32_t n, cap;
};

struct module {
    uintptr_t address, base;
    char path[512];
    bool is_found, is_dynamic;
};

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct module *m = data;
    bool is_dynamic = false;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + p->p_vaddr;
        is_dynamic |= p->p_type == PT_DYNAMIC;
        m->is_found |= p->p_type == PT_LOAD && m->address >= start && m->address - start < p->p_memsz;
    }
    if (!m->is_found) return 0;
    m->is_dynamic = is_dynamic;
    m->base = info->dlpi_addr;
    const char *name = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    strncpy(m->path, name, sizeof m->path - 1);
    return 1;
}

/* A part of the file, or NULL if it does not lie inside. */
static const void *part(const struct sonde_code *c, uint64_t at, uint64_t n)
{
    return at <= c->size && n <= c->size - at ? (const char *)c->file + at : NULL;
}

static void add_table(struct sonde_code *c, const ElfW(Shdr) * table, const ElfW(Shdr) * strings, uintptr_t base)
{
    const ElfW(Sym) *symbols = part(c, table->sh_offset, table->sh_size);
    const char *text = part(c, strings->sh_offset, strings->sh_size);
    if (!symbols || !text || !strings->sh_size || text[strings->sh_size - 1]) return;
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
        const ElfW(Sym) *s = &symbols[i];
        bool is_function = (s->st_info & 0xf) == STT_FUNC && s->st_shndx != SHN_UNDEF && s->st_size;
        if (!is_function || s->st_name >= strings->sh_size) continue;
        c->functions = sonde_grow(c->functions, &c->cap, (size_t)c->n + 1, sizeof *c->functions);
        c->functions[c->n++] = (struct sonde_function){.name = text + s->st_name,
                                                       .start = base + s->st_value,
                                                       .end = base + s->st_value + s->st_size};
    }
}

static int by_start(const void *a, const void *b)
{
    const struct sonde_function *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static void read_symbols(struct sonde_code *c, uintptr_t base)
{
    const ElfW(Ehdr) *head = part(c, 0, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_shentsize != sizeof(ElfW(Shdr))) return;
    const ElfW(Shdr) *sections = part(c, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections);
    for (unsigned i = 0; sections && i < head->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < head->e_shnum)
            add_table(c, &sections[i], &sections[sections[i].sh_link], base);
    if (c->n) qsort(c->functions, c->n, sizeof *c->functions, by_start);
}

struct sonde_code *sonde_code_open(const void *address)
{
    struct module m = {.address = (uintptr_t)address};
    struct stat info;
#if !defined(__x86_64__) && !defined(__aarch64__)
    return NULL;
#endif
    dl_iterate_phdr(look, &m);
    int fd = m.is_found && m.is_dynamic ? open(m.path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return NULL;
    struct sonde_code *c = sonde_calloc(1, sizeof *c);
    c->size = fstat(fd, &info) == 0 && info.st_size > 0 ? (size_t)info.st_size : 0;
    c->file = c->size ? mmap(NULL, c->size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (c->file != MAP_FAILED) read_symbols(c, m.base);
    if (c->n) return c;
    sonde_code_close(c);
    return NULL;
}

void sonde_code_close(struct sonde_code *c)
{
    if (!c) return;
    if (c->file != MAP_FAILED) munmap(c->file, c->size);
    sonde_free(c->functions);
    sonde_free(c);
}

/* The last function that starts at or before the address; several may start there. */
static uint32_t find(const struct sonde_code *c, uintptr_t address)
{
    uint32_t low = 0, high = c->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->functions[middle].start <= address) low = middle + 1;
        else high = middle;
    }
    return low; /* one behind it */
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

/* Where a call or jump that begins at `at` would lead; 0 if none begins there. Moves to where the next one could begin. */
static uintptr_t target_at(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *here = *at;
#if defined(__aarch64__)
    uint32_t word;
    if (end - here < 4) return *at = end, 0;
    memcpy(&word, here, 4);
    *at = here + 4;
    if ((word & 0x7c000000) != 0x14000000) return 0; /* b, bl */
    return (uintptr_t)here + (uintptr_t)((intptr_t)((int32_t)(word << 6) >> 6) * 4);
#else
    int32_t distance;
    *at = here + 1;
    if (end - here < 5 || (*here != 0xe8 && *here != 0xe9)) return 0; /* call, jmp */
    memcpy(&distance, here + 1, 4);
    return (uintptr_t)here + 5 + (uintptr_t)(intptr_t)distance;
#endif
}

/* The code is read where it is loaded, which a sanitizer has nothing to say about. */
void sonde_code_calls(const struct sonde_code *c, const struct sonde_function *function,
                      void (*each)(const struct sonde_function *target, void *user), void *user)
{
    const uint8_t *at = (const uint8_t *)function->start, *end = (const uint8_t *)function->end;
    while (at < end) {
        uintptr_t target = target_at(&at, end);
        if (!target || (target >= function->start && target < function->end)) continue;
        for (uint32_t i = find(c, target); i && c->functions[i - 1].start == target; i--)
            each(&c->functions[i - 1], user);
    }
}
