/* See lines.h. */
#include "lines.h"

#include "base/image.h"
#include "base/mem.h"
#include "report/page.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MOST = 1 << 30 };

/* ---- Bytes, with an end */

struct cursor {
    const uint8_t *at, *end;
    bool is_broken; /* something did not fit; what is read from then on is 0 */
};

static struct cursor cursor_of(const uint8_t *data, size_t n)
{
    return (struct cursor){.at = data, .end = data + n};
}

static uint64_t take(struct cursor *c, size_t n)
{
    uint64_t value = 0;
    if ((size_t)(c->end - c->at) < n) {
        c->is_broken = true;
        c->at = c->end;
        return 0;
    }
    memcpy(&value, c->at, n); /* little-endian, as the file is */
    c->at += n;
    return value;
}

static void skip(struct cursor *c, uint64_t n)
{
    if (n > (uint64_t)(c->end - c->at)) c->is_broken = true;
    c->at = c->is_broken ? c->end : c->at + n;
}

static uint64_t take_uleb(struct cursor *c)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = take(c, 1);
        if (shift < 64) value |= (byte & 0x7f) << shift;
        if (!(byte & 0x80)) return value;
    }
}

static int64_t take_sleb(struct cursor *c)
{
    uint64_t value = 0, byte;
    unsigned shift = 0;
    do {
        byte = take(c, 1);
        if (shift < 64) value |= (byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (shift < 64 && byte & 0x40) value |= ~UINT64_C(0) << shift;
    return (int64_t)value;
}

/* A text that ends with a NUL within the bytes; "" otherwise. */
static const char *take_text(struct cursor *c)
{
    const uint8_t *end = memchr(c->at, 0, (size_t)(c->end - c->at));
    const char *text = (const char *)c->at;
    if (!end) {
        c->is_broken = true;
        c->at = c->end;
        return "";
    }
    c->at = end + 1;
    return text;
}

static const char *text_at(struct cursor all, uint64_t offset)
{
    skip(&all, offset);
    return all.is_broken ? "" : take_text(&all);
}

/* ---- ELF */

struct elf {
    const uint8_t *data;
    size_t n;
    const Elf64_Shdr *sections;
    unsigned n_sections;
    struct cursor names;
};

static bool fits(const struct elf *e, uint64_t offset, uint64_t n)
{
    return offset <= e->n && n <= e->n - offset;
}

static struct cursor bytes_of(const struct elf *e, const Elf64_Shdr *s)
{
    if (!s || s->sh_type == SHT_NOBITS || !fits(e, s->sh_offset, s->sh_size)) return cursor_of(e->data, 0);
    return cursor_of(e->data + s->sh_offset, s->sh_size);
}

static const Elf64_Shdr *section(const struct elf *e, const char *name)
{
    for (unsigned i = 0; i < e->n_sections; i++)
        if (!strcmp(text_at(e->names, e->sections[i].sh_name), name)) return &e->sections[i];
    return NULL;
}

/* The data is aligned as malloc aligns it; offsets that would break the alignment of structs are refused. */
static const char *open_elf(struct elf *e)
{
    const Elf64_Ehdr *head = (const void *)e->data;
    if (e->n < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return "it is no ELF file";
    if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB)
        return "it is not a 64-bit little-endian file";
    if (!head->e_shoff || head->e_shoff % 8 || head->e_shentsize != sizeof(Elf64_Shdr)
        || !fits(e, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr)))
        return "its sections cannot be read";
    e->sections = (const void *)(e->data + head->e_shoff);
    e->n_sections = head->e_shnum;
    e->names = cursor_of(e->data, 0);
    if (head->e_shstrndx < e->n_sections) e->names = bytes_of(e, &e->sections[head->e_shstrndx]);
    return NULL;
}

static uint64_t build_of(const struct elf *e)
{
    for (unsigned i = 0; i < e->n_sections; i++) {
        if (e->sections[i].sh_type != SHT_NOTE) continue;
        struct cursor c = bytes_of(e, &e->sections[i]);
        uint64_t id = sonde_build_id(c.at, (size_t)(c.end - c.at));
        if (id) return id;
    }
    return 0;
}

/* ---- Symbols */

static int by_start(const void *a, const void *b)
{
    const struct sonde_function *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Functions, and where the function that instrumented code calls is: 0 if it is not defined here. */
static uint64_t read_symbols(const struct elf *e, struct sonde_lines *l)
{
    const Elf64_Shdr *table = section(e, ".symtab");
    if (!table) table = section(e, ".dynsym");
    struct cursor c = bytes_of(e, table), names = cursor_of(e->data, 0);
    uint64_t called = 0;
    if (table && table->sh_link < e->n_sections) names = bytes_of(e, &e->sections[table->sh_link]);
    for (; (size_t)(c.end - c.at) >= sizeof(Elf64_Sym); c.at += sizeof(Elf64_Sym)) {
        Elf64_Sym s;
        memcpy(&s, c.at, sizeof s);
        if (ELF64_ST_TYPE(s.st_info) != STT_FUNC || s.st_shndx == SHN_UNDEF) continue;
        if (!strcmp(text_at(names, s.st_name), "__sanitizer_cov_trace_pc")) called = s.st_value;
        if (!s.st_size) continue;
        l->functions = sonde_grow(l->functions, &l->cap_functions, (size_t)l->n_functions + 1, sizeof *l->functions);
        l->functions[l->n_functions++] = (struct sonde_function){s.st_value, s.st_value + s.st_size};
    }
    if (l->n_functions) qsort(l->functions, l->n_functions, sizeof *l->functions, by_start);
    return called;
}

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

/* ---- Calls of __sanitizer_cov_trace_pc, on x86-64: that is where gcc's instrumentation is, reached or not */

/* The slot that the dynamic linker fills in for it; 0 if there is none. */
static uint64_t slot_of_import(const struct elf *e)
{
    const Elf64_Shdr *relocations = section(e, ".rela.plt"), *table = section(e, ".dynsym");
    if (!relocations || !table || table->sh_link >= e->n_sections) return 0;
    struct cursor c = bytes_of(e, relocations), symbols = bytes_of(e, table),
                  names = bytes_of(e, &e->sections[table->sh_link]);
    for (; (size_t)(c.end - c.at) >= sizeof(Elf64_Rela); c.at += sizeof(Elf64_Rela)) {
        Elf64_Rela r;
        Elf64_Sym s;
        memcpy(&r, c.at, sizeof r);
        struct cursor at = symbols;
        skip(&at, ELF64_R_SYM(r.r_info) * sizeof s);
        if (at.is_broken || (size_t)(at.end - at.at) < sizeof s) continue;
        memcpy(&s, at.at, sizeof s);
        if (!strcmp(text_at(names, s.st_name), "__sanitizer_cov_trace_pc")) return r.r_offset;
    }
    return 0;
}

/* The stub that jumps by that slot: jmp *rel32(%rip) somewhere in an entry of 16 bytes. */
static uint64_t stub_of(const struct elf *e, const char *name, uint64_t slot)
{
    const Elf64_Shdr *s = section(e, name);
    struct cursor c = bytes_of(e, s);
    for (const uint8_t *p = c.at; p && c.end - p >= 6; p++) {
        int32_t by;
        if (p[0] != 0xff || p[1] != 0x25) continue;
        memcpy(&by, p + 2, 4);
        uint64_t address = s->sh_addr + (uint64_t)(p - c.at);
        if (address + 6 + (uint64_t)(int64_t)by == slot) return address & ~UINT64_C(15);
    }
    return 0;
}

/* A byte e8 inside of another instruction is taken for a call only if the four bytes behind it happen to lead to one of the
 * targets: not once in a thousand files. */
static void find_calls(const struct elf *e, struct sonde_lines *l, uint64_t defined)
{
    uint64_t slot = slot_of_import(e), targets[3] = {defined, 0, 0};
    if (((const Elf64_Ehdr *)(const void *)e->data)->e_machine != EM_X86_64) return;
    if (slot) targets[1] = stub_of(e, ".plt.sec", slot);
    if (slot) targets[2] = stub_of(e, ".plt", slot);
    if (!targets[0] && !targets[1] && !targets[2]) return;
    for (unsigned i = 0; i < e->n_sections; i++) {
        const Elf64_Shdr *s = &e->sections[i];
        if (!(s->sh_flags & SHF_EXECINSTR)) continue;
        struct cursor c = bytes_of(e, s);
        for (const uint8_t *p = c.at; c.end - p >= 5; p++) {
            int32_t by;
            if (p[0] != 0xe8) continue;
            memcpy(&by, p + 1, 4);
            uint64_t after = s->sh_addr + (uint64_t)(p - c.at) + 5, to = after + (uint64_t)(int64_t)by;
            if (!to || (to != targets[0] && to != targets[1] && to != targets[2])) continue;
            l->calls = sonde_grow(l->calls, &l->cap_calls, (size_t)l->n_calls + 1, sizeof *l->calls);
            l->calls[l->n_calls++] = after;
        }
    }
}

/* ---- Line tables: DWARF, sections 6.2.4 and 6.2.5 */

struct unit {
    struct cursor all, program;
    struct cursor text, line_text; /* .debug_str, .debug_line_str */
    unsigned version, offset_size, address_size;
    uint8_t minimum, line_range, opcode_base;
    int8_t line_base;
    uint8_t lengths[256]; /* of standard opcodes: operands */
    const char **folders;
    uint32_t *files; /* by number in the unit: index into the lines' files, or UINT32_MAX */
    uint32_t n_folders, cap_folders, n_files, cap_files;
    uint32_t recent; /* of files that were looked up */
};

static uint32_t file_index(struct sonde_lines *l, const char *folder, const char *name)
{
    bool is_whole = name[0] == '/' || !*folder;
    size_t size = strlen(folder) + strlen(name) + 2;
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

static void add_folder(struct unit *u, const char *name)
{
    u->folders = sonde_grow(u->folders, &u->cap_folders, (size_t)u->n_folders + 1, sizeof *u->folders);
    u->folders[u->n_folders++] = name;
}

static void add_file(struct unit *u, struct sonde_lines *l, const char *name, uint64_t folder)
{
    char whole[4096];
    const char *in = folder < u->n_folders ? u->folders[folder] : "";
    /* A folder that is not absolute is below that of the unit, number 0. */
    if (*in && *in != '/' && u->n_folders && *u->folders[0] == '/') {
        snprintf(whole, sizeof whole, "%s/%s", u->folders[0], in);
        in = whole;
    }
    u->files = sonde_grow(u->files, &u->cap_files, (size_t)u->n_files + 1, sizeof *u->files);
    u->files[u->n_files++] = file_index(l, in, name);
}

/* What stands before the program in versions 2 to 4; 0 is the folder of compilation, which stands elsewhere. */
static void read_old_names(struct unit *u, struct cursor *c, struct sonde_lines *l)
{
    add_folder(u, "");
    for (const char *name = take_text(c); *name; name = take_text(c)) add_folder(u, name);
    add_file(u, l, "?", 0);
    for (const char *name = take_text(c); *name && !c->is_broken; name = take_text(c)) {
        uint64_t folder = take_uleb(c);
        take_uleb(c);
        take_uleb(c);
        add_file(u, l, name, folder);
    }
}

enum {
    FORM_STRING = 0x08,
    FORM_STRP = 0x0e,
    FORM_LINE_STRP = 0x1f,
    FORM_UDATA = 0x0f,
    FORM_DATA1 = 0x0b,
    FORM_DATA2 = 0x05,
    FORM_DATA4 = 0x06,
    FORM_DATA8 = 0x07,
    FORM_DATA16 = 0x1e,
    FORM_BLOCK = 0x09
};

/* One field of an entry: a text, a number, or something to pass over. */
static const char *take_form(struct unit *u, struct cursor *c, uint64_t form, uint64_t *number)
{
    switch (form) {
    case FORM_STRING: return take_text(c);
    case FORM_STRP: return text_at(u->text, take(c, u->offset_size));
    case FORM_LINE_STRP: return text_at(u->line_text, take(c, u->offset_size));
    case FORM_UDATA: *number = take_uleb(c); break;
    case FORM_DATA1: *number = take(c, 1); break;
    case FORM_DATA2: *number = take(c, 2); break;
    case FORM_DATA4: *number = take(c, 4); break;
    case FORM_DATA8: *number = take(c, 8); break;
    case FORM_DATA16: skip(c, 16); break;
    case FORM_BLOCK: skip(c, take_uleb(c)); break;
    default: c->is_broken = true; break;
    }
    return NULL;
}

/* Version 5: a list of fields, then the entries. Folders first, then files. */
static void read_entries(struct unit *u, struct cursor *c, struct sonde_lines *l, bool are_folders)
{
    enum { PATH = 1, FOLDER = 2, FIELDS = 16 };
    uint64_t what[FIELDS], form[FIELDS], n_fields = take(c, 1);
    if (n_fields > FIELDS) c->is_broken = true;
    for (uint64_t i = 0; i < n_fields && !c->is_broken; i++) what[i] = take_uleb(c), form[i] = take_uleb(c);
    uint64_t n = take_uleb(c);
    if (!n_fields && n) c->is_broken = true; /* entries of no bytes: their number would be no limit */
    for (uint64_t i = 0; i < n && !c->is_broken; i++) {
        const char *path = "";
        uint64_t folder = 0;
        for (uint64_t k = 0; k < n_fields; k++) {
            uint64_t number = 0;
            const char *text = take_form(u, c, form[k], &number);
            if (what[k] == PATH && text) path = text;
            if (what[k] == FOLDER) folder = number;
        }
        if (are_folders) add_folder(u, path);
        else add_file(u, l, path, folder);
    }
}

/* The state of the machine that the program runs on. */
struct machine {
    uint64_t address;
    uint64_t file;
    uint64_t line; /* modulo 2^64: what a broken table adds may be anything */
};

static void add_row(struct unit *u, const struct machine *m, struct sonde_lines *l, bool ends)
{
    enum { MOST = 1 << 26 };
    if (l->n_rows == MOST) return;
    l->rows = sonde_grow(l->rows, &l->cap_rows, (size_t)l->n_rows + 1, sizeof *l->rows);
    bool is_known = m->file < u->n_files && m->line > 0 && m->line < INT32_MAX;
    l->rows[l->n_rows++] = (struct sonde_row){.address = m->address,
                                              .file = is_known ? u->files[m->file] : 0,
                                              .line = is_known ? (uint32_t)m->line : 0,
                                              .ends = ends};
}

/* Opcodes of more bytes; false at the end of a sequence. */
static bool run_extended(struct unit *u, struct cursor *c, struct machine *m, struct sonde_lines *l)
{
    enum { END_SEQUENCE = 1, SET_ADDRESS = 2 };
    uint64_t n = take_uleb(c);
    struct cursor body = *c;
    skip(c, n);
    uint64_t opcode = take(&body, 1);
    if (opcode == SET_ADDRESS && n == 9) m->address = take(&body, 8);
    if (opcode != END_SEQUENCE) return true;
    add_row(u, m, l, true);
    return false;
}

static void run_standard(struct unit *u, struct cursor *c, unsigned opcode, struct machine *m, struct sonde_lines *l)
{
    enum { COPY = 1, ADVANCE_PC, ADVANCE_LINE, SET_FILE, CONST_ADD_PC = 8, FIXED_ADVANCE_PC };
    switch (opcode) {
    case COPY: add_row(u, m, l, false); break;
    case ADVANCE_PC: m->address += u->minimum * take_uleb(c); break;
    case ADVANCE_LINE: m->line += (uint64_t)take_sleb(c); break;
    case SET_FILE: m->file = take_uleb(c); break;
    case CONST_ADD_PC: m->address += u->minimum * (uint64_t)((255 - u->opcode_base) / u->line_range); break;
    case FIXED_ADVANCE_PC: m->address += take(c, 2); break;
    default:
        for (unsigned i = 0; i < u->lengths[opcode]; i++) take_uleb(c);
        break;
    }
}

static void run_program(struct unit *u, struct sonde_lines *l)
{
    struct cursor *c = &u->program;
    const struct machine begin = {.file = 1, .line = 1};
    struct machine m = begin;
    while (c->at < c->end && !c->is_broken) {
        unsigned opcode = (unsigned)take(c, 1);
        if (opcode >= u->opcode_base) {
            unsigned by = opcode - u->opcode_base;
            m.address += u->minimum * (uint64_t)(by / u->line_range);
            m.line += (uint64_t)(u->line_base + (int)(by % u->line_range));
            add_row(u, &m, l, false);
        } else if (opcode) {
            run_standard(u, c, opcode, &m, l);
        } else if (!run_extended(u, c, &m, l)) {
            m = begin;
        }
    }
}

/* One unit, whose bytes are in u->all. */
static void read_unit(struct unit *u, struct sonde_lines *l)
{
    struct cursor c = u->all;
    u->version = (unsigned)take(&c, 2);
    if (u->version < 2 || u->version > 5) return;
    if (u->version == 5) skip(&c, 2); /* sizes of an address and of a segment */
    uint64_t header = take(&c, u->offset_size);
    u->program = c;
    skip(&u->program, header);
    u->minimum = (uint8_t)take(&c, 1);
    if (u->version >= 4) skip(&c, 1);
    skip(&c, 1);
    u->line_base = (int8_t)take(&c, 1);
    u->line_range = (uint8_t)take(&c, 1);
    u->opcode_base = (uint8_t)take(&c, 1);
    if (!u->line_range || !u->opcode_base) return;
    for (unsigned i = 1; i < u->opcode_base; i++) u->lengths[i] = (uint8_t)take(&c, 1);
    if (u->version < 5) {
        read_old_names(u, &c, l);
    } else {
        read_entries(u, &c, l, true);
        read_entries(u, &c, l, false);
    }
    if (!c.is_broken && !u->program.is_broken) run_program(u, l);
}

static const char *read_line_tables(const struct elf *e, struct sonde_lines *l)
{
    const Elf64_Shdr *s = section(e, ".debug_line");
    if (!s) return "it has no line tables; compile with -g";
    if (s->sh_flags & SHF_COMPRESSED)
        return "its line tables are compressed; link with -Wl,--compress-debug-sections=none";
    struct cursor c = bytes_of(e, s);
    while (c.at < c.end && !c.is_broken) {
        struct unit u = {.text = bytes_of(e, section(e, ".debug_str")),
                         .line_text = bytes_of(e, section(e, ".debug_line_str"))};
        uint64_t n = take(&c, 4);
        u.offset_size = n == 0xffffffff ? 8 : 4;
        if (n == 0xffffffff) n = take(&c, 8);
        if (n > (uint64_t)(c.end - c.at)) break;
        u.all = cursor_of(c.at, (size_t)n);
        skip(&c, n);
        read_unit(&u, l);
        sonde_free(u.folders);
        sonde_free(u.files);
    }
    return l->n_rows ? NULL : "its line tables cannot be read";
}

/* Where one sequence ends and another begins, the beginning counts. */
static int by_address(const void *a, const void *b)
{
    const struct sonde_row *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return (int)y->ends - (int)x->ends;
}

/* ---- From outside */

static const char *read_elf(struct sonde_lines *l, const void *data, size_t n)
{
    struct elf e = {.data = data, .n = n};
    const char *why = open_elf(&e);
    if (why) return why;
    l->build = build_of(&e);
    uint64_t called = read_symbols(&e, l);
    find_calls(&e, l, called);
    why = read_line_tables(&e, l);
    if (l->n_rows) qsort(l->rows, l->n_rows, sizeof *l->rows, by_address);
    return !why && !l->n_functions ? "it has no symbols" : why;
}

const char *sonde_lines_read(struct sonde_lines *l, const char *path)
{
    size_t n;
    memset(l, 0, sizeof *l);
    char *data = sonde_page_read(path, FILE_MOST, &n);
    if (!data) return "it cannot be read";
    const char *why = read_elf(l, data, n);
    sonde_free(data);
    return why;
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
