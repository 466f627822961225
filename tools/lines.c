/* See lines.h. All addresses are as in the file's symbol table: the bias that libdw adds is subtracted. */
#include "lines.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#ifndef SONDE_LIBDW

const char *sonde_lines_read(struct sonde_lines *l, const char *path)
{
    (void)path;
    memset(l, 0, sizeof *l);
    return "this sonde was built without a reader of line tables; install libdw (Debian: libdw-dev) and build it again";
}

#else

#include "base/check.h"
#include "base/image.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Symbols */

static int by_start(const void *a, const void *b)
{
    const struct sonde_function *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Adds the functions with their sizes. Returns the address of __sanitizer_cov_trace_pc, which code instrumented by gcc
 * calls; 0 if it is not defined in this file. */
static uint64_t read_symbols(Dwfl_Module *module, GElf_Addr bias, struct sonde_lines *l)
{
    uint64_t called = 0;
    int n = dwfl_module_getsymtab(module);
    for (int i = 1; i < n; i++) {
        GElf_Sym s;
        GElf_Addr address;
        GElf_Word section;
        const char *name = dwfl_module_getsym_info(module, i, &s, &address, &section, NULL, NULL);
        if (!name || GELF_ST_TYPE(s.st_info) != STT_FUNC || section == SHN_UNDEF) continue;
        address -= bias;
        if (!strcmp(name, "__sanitizer_cov_trace_pc")) called = address;
        if (!s.st_size) continue;
        l->functions = sonde_grow(l->functions, &l->cap_functions, (size_t)l->n_functions + 1, sizeof *l->functions);
        l->functions[l->n_functions++] = (struct sonde_function){address, address + s.st_size};
    }
    if (l->n_functions) qsort(l->functions, l->n_functions, sizeof *l->functions, by_start);
    return called;
}

/* ---- Calls of __sanitizer_cov_trace_pc, on x86-64. gcc's instrumentation has no table of its calls, so the code that
 * was never reached is found by searching for them. */

/* A section of the file. */
struct section {
    GElf_Shdr head;
    Elf_Data *data; /* NULL: there is no such section, or it is empty */
};

static struct section section_of(Elf_Scn *scn)
{
    struct section s = {0};
    if (gelf_getshdr(scn, &s.head) && s.head.sh_type != SHT_NOBITS) s.data = elf_getdata(scn, NULL);
    if (s.data && !s.data->d_buf) s.data = NULL;
    return s;
}

static struct section section_named(Elf *elf, const char *wanted)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names)) return (struct section){0};
    for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn; scn = elf_nextscn(elf, scn)) {
        struct section s = section_of(scn);
        const char *name = s.data ? elf_strptr(elf, names, s.head.sh_name) : NULL;
        if (name && !strcmp(name, wanted)) return s;
    }
    return (struct section){0};
}

/* Returns the address of the slot that the dynamic linker fills with the function's address; 0 if there is none. */
static uint64_t slot_of_import(Elf *elf)
{
    struct section relocations = section_named(elf, ".rela.plt"), symbols = section_named(elf, ".dynsym");
    GElf_Rela r;
    GElf_Sym s;
    for (int i = 0; relocations.data && symbols.data && gelf_getrela(relocations.data, i, &r); i++) {
        if (!gelf_getsym(symbols.data, (int)GELF_R_SYM(r.r_info), &s)) continue;
        const char *name = elf_strptr(elf, symbols.head.sh_link, s.st_name);
        if (name && !strcmp(name, "__sanitizer_cov_trace_pc")) return r.r_offset;
    }
    return 0;
}

/* Returns the target of an instruction of n bytes. Its last four bytes are the distance from its end to the target. */
static uint64_t target_of(const struct section *s, const uint8_t *code, size_t n)
{
    int32_t by;
    memcpy(&by, code + n - 4, 4);
    return s->head.sh_addr + (uint64_t)(code - (const uint8_t *)s->data->d_buf) + n + (uint64_t)(int64_t)by;
}

/* Returns the address of the PLT entry that jumps through this slot; 0 if there is none. An entry has 16 bytes, with
 * jmp *rel32(%rip) somewhere in it. */
static uint64_t stub_of(Elf *elf, const char *name, uint64_t slot)
{
    struct section s = section_named(elf, name);
    const uint8_t *code = s.data ? s.data->d_buf : NULL;
    for (size_t i = 0; slot && s.data && i + 6 <= s.data->d_size; i++)
        if (code[i] == 0xff && code[i + 1] == 0x25 && target_of(&s, code + i, 6) == slot)
            return (s.head.sh_addr + i) & ~UINT64_C(15);
    return 0;
}

/* Finds the calls: bytes e8 rel32 that lead to the function or to one of its stubs. Code is not disassembled. An e8
 * inside of another instruction is mistaken for a call only if the next four bytes happen to lead to a target. That is
 * not expected once in a thousand files. */
static void find_calls(Elf *elf, struct sonde_lines *l, uint64_t defined)
{
    GElf_Ehdr head;
    if (!gelf_getehdr(elf, &head) || head.e_machine != EM_X86_64) return;
    uint64_t slot = slot_of_import(elf);
    uint64_t targets[3] = {defined, stub_of(elf, ".plt.sec", slot), stub_of(elf, ".plt", slot)};
    for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn; scn = elf_nextscn(elf, scn)) {
        struct section s = section_of(scn);
        const uint8_t *code = s.data && s.head.sh_flags & SHF_EXECINSTR ? s.data->d_buf : NULL;
        for (size_t i = 0; code && i + 5 <= s.data->d_size; i++) {
            uint64_t to = code[i] == 0xe8 ? target_of(&s, code + i, 5) : 0;
            if (!to || (to != targets[0] && to != targets[1] && to != targets[2])) continue;
            l->calls = sonde_grow(l->calls, &l->cap_calls, (size_t)l->n_calls + 1, sizeof *l->calls);
            l->calls[l->n_calls++] = s.head.sh_addr + i + 5;
        }
    }
}

/* ---- Line tables */

/* Returns the index of a source file, adding it if it is new. A relative path is below the directory of compilation. */
static uint32_t file_index(struct sonde_lines *l, const char *folder, const char *name)
{
    bool is_whole = name[0] == '/' || !folder;
    size_t size = strlen(name) + (folder ? strlen(folder) : 0) + 2;
    char *path = sonde_malloc(size);
    snprintf(path, size, "%s%s%s", is_whole ? "" : folder, is_whole ? "" : "/", name);
    for (uint32_t i = l->n_files; i-- > 0;) {
        if (strcmp(l->files[i], path) != 0) continue;
        sonde_free(path);
        return i;
    }
    l->files = sonde_grow(l->files, &l->cap_files, (size_t)l->n_files + 1, sizeof *l->files);
    l->files[l->n_files] = path;
    return l->n_files++;
}

/* Adds the rows of one compilation unit; `bias` is added to their addresses. libdw uses one string for all lines of a
 * file, so comparing pointers saves most searches. */
static void read_unit(Dwarf_Die *unit, GElf_Addr bias, struct sonde_lines *l)
{
    Dwarf_Lines *lines;
    size_t n;
    Dwarf_Attribute attribute;
    const char *folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute)), *last = NULL;
    uint32_t file = 0;
    if (dwarf_getsrclines(unit, &lines, &n)) return;
    for (size_t i = 0; i < n; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i);
        struct sonde_row row = {0};
        Dwarf_Addr address;
        int number = 0;
        if (dwarf_lineaddr(line, &address) || dwarf_lineendsequence(line, &row.ends)) continue;
        const char *path = dwarf_linesrc(line, NULL, NULL);
        if (path && path != last) file = file_index(l, folder, path);
        if (path) last = path;
        row.address = address + bias;
        row.file = file;
        if (path && !dwarf_lineno(line, &number) && number > 0) row.line = (uint32_t)number;
        l->rows = sonde_grow(l->rows, &l->cap_rows, (size_t)l->n_rows + 1, sizeof *l->rows);
        l->rows[l->n_rows++] = row;
    }
}

/* Orders rows by address. At the same address the end of a sequence comes first: the begin of another one counts. */
static int by_address(const void *a, const void *b)
{
    const struct sonde_row *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return (int)y->ends - (int)x->ends;
}

/* Asserts that rows and functions are sorted, and that a row with a line has a file. */
static void lines_check(const struct sonde_lines *l)
{
    for (uint32_t i = 0; i < l->n_rows; i++) {
        sonde_assert(!i || l->rows[i - 1].address <= l->rows[i].address);
        sonde_assert(!l->rows[i].line || l->rows[i].file < l->n_files);
    }
    for (uint32_t i = 1; i < l->n_functions; i++) sonde_assert(l->functions[i - 1].start <= l->functions[i].start);
}

/* Reads everything from an opened file. Returns NULL or a reason, as sonde_lines_read does. */
static const char *read_module(Dwfl_Module *module, struct sonde_lines *l)
{
    GElf_Addr bias, unit_bias, where;
    Elf *elf = dwfl_module_getelf(module, &bias);
    const unsigned char *id;
    if (!elf) return "it is not an ELF file";
    int n_id = dwfl_module_build_id(module, &id, &where);
    if (n_id > 0) l->build = sonde_build_hash(id, (size_t)n_id);
    find_calls(elf, l, read_symbols(module, bias, l));
    for (Dwarf_Die *unit = dwfl_module_nextcu(module, NULL, &unit_bias); unit;
         unit = dwfl_module_nextcu(module, unit, &unit_bias))
        read_unit(unit, unit_bias - bias, l);
    if (!l->n_rows) return "it has no line tables; compile with -g";
    qsort(l->rows, l->n_rows, sizeof *l->rows, by_address);
    lines_check(l);
    return l->n_functions ? NULL : "it has no symbols; do not strip it";
}

/* Opens a regular file; returns -1 for anything else. The path comes from a page, which may name a device or a pipe. */
static int open_file(const char *path)
{
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || (fstat(file, &info) == 0 && S_ISREG(info.st_mode))) return file;
    close(file);
    return -1;
}

const char *sonde_lines_read(struct sonde_lines *l, const char *path)
{
    static const Dwfl_Callbacks find = {.find_debuginfo = dwfl_standard_find_debuginfo,
                                        .section_address = dwfl_offline_section_address};
    memset(l, 0, sizeof *l);
    int file = open_file(path);
    if (file < 0) return "it cannot be read";
    Dwfl *dwfl = dwfl_begin(&find);
    Dwfl_Module *module = dwfl ? dwfl_report_offline(dwfl, path, path, file) : NULL;
    if (!module) close(file);
    else dwfl_report_end(dwfl, NULL, NULL);
    const char *why = module ? read_module(module, l) : "it is not an ELF file";
    dwfl_end(dwfl);
    return why;
}

#endif

const struct sonde_function *sonde_lines_function(const struct sonde_lines *l, uint64_t address)
{
    uint32_t low = 0, high = l->n_functions;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (l->functions[middle].start <= address) low = middle + 1;
        else high = middle;
    }
    if (!low || address >= l->functions[low - 1].end) return NULL;
    return &l->functions[low - 1];
}

void sonde_lines_clear(struct sonde_lines *l)
{
    for (uint32_t i = 0; i < l->n_files; i++) sonde_free(l->files[i]);
    sonde_free(l->files);
    sonde_free(l->rows);
    sonde_free(l->functions);
    sonde_free(l->calls);
    memset(l, 0, sizeof *l);
}
