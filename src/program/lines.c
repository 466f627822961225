/* See place.h. Reads .debug_line of DWARF 2 to 5. Tools of sonde read it by libdw; the library depends on the C library
 * alone, and has to read the program while it is running.
 *
 * The file may have been changed or truncated since the program was started, so nothing in it is trusted. Every read is
 * checked, and a table that makes no sense ends with the rows read so far. */
#include "program/elf.h"
#include "program/place.h"

#include "base/mem.h"
#include "base/strings.h"

#include <stdlib.h>
#include <string.h>

/* ---- Reading bytes */

/* Bytes that are read from the front. After a read beyond the end, `is_bad` is set and every read returns 0. */
struct bytes {
    const unsigned char *at, *end;
    bool is_bad;
};

static bool has(struct bytes *b, uint64_t n)
{
    if (!b->is_bad && n <= (uint64_t)(b->end - b->at)) return true;
    b->is_bad = true;
    return false;
}

/* Reads a number of n bytes in the byte order of this machine. */
static uint64_t number(struct bytes *b, unsigned n)
{
    uint64_t x = 0;
    if (!has(b, n)) return 0;
    for (unsigned i = 0; i < n; i++) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        x = x << 8 | b->at[i];
#else
        x |= (uint64_t)b->at[i] << (8 * i);
#endif
    }
    b->at += n;
    return x;
}

/* Reads a LEB128 number: seven bits per byte, the lowest first. */
static uint64_t leb(struct bytes *b, bool is_signed)
{
    uint64_t x = 0, byte = 0x80;
    unsigned shift = 0;
    while (byte & 0x80) {
        byte = number(b, 1);
        if (shift < 64) x |= (byte & 0x7f) << shift;
        shift += 7;
    }
    if (is_signed && shift < 64 && byte & 0x40) x |= ~UINT64_C(0) << shift;
    return x;
}

static const char *string(struct bytes *b)
{
    const void *end = b->is_bad || b->at == b->end ? NULL : memchr(b->at, 0, (size_t)(b->end - b->at));
    const char *text = (const char *)b->at;
    b->is_bad |= !end;
    if (!end) return "";
    b->at = (const unsigned char *)end + 1;
    return text;
}

/* ---- Files of a program */

/* State while one module is read. */
struct reading {
    struct sonde_line_table *table;
    struct bytes lines, line_strings, strings; /* sections; empty: missing */
    uintptr_t base;
    /* of the unit being read */
    unsigned version, offset_bytes, opcode_base, line_range, min_length;
    int line_base;
    struct bytes lengths; /* of the standard opcodes */
    char **directories;
    uint32_t n_directories, cap_directories;
    uint32_t *files; /* indices into table->files, by number of the unit's file */
    uint32_t n_files, cap_files;
};

static void add_directory(struct reading *r, const char *name)
{
    r->directories = sonde_grow(r->directories, &r->cap_directories, (size_t)r->n_directories + 1, sizeof(char *));
    r->directories[r->n_directories++] = sonde_strdup(name);
}

/* Returns a path, to be freed. Directories of a unit may be relative to its first one. */
static char *join(const char *directory, const char *name)
{
    size_t n = strlen(directory), size = n + strlen(name) + 2;
    char *path = sonde_malloc(size);
    if (*name == '/' || !n) memcpy(path, name, strlen(name) + 1);
    else {
        memcpy(path, directory, n);
        path[n] = '/';
        memcpy(path + n + 1, name, strlen(name) + 1);
    }
    return path;
}

static void add_file(struct reading *r, const char *name, uint64_t directory)
{
    struct sonde_line_table *t = r->table;
    const char *within = directory < r->n_directories ? r->directories[directory] : "";
    char *in = r->n_directories && directory ? join(r->directories[0], within) : sonde_strdup(within);
    char *path = join(in, name);
    uint32_t i = t->n_files;
    /* Units that follow each other have the same headers, so the newest files are looked at first. */
    while (i > 0 && strcmp(t->files[i - 1], path) != 0) i--;
    sonde_free(in);
    r->files = sonde_grow(r->files, &r->cap_files, (size_t)r->n_files + 1, sizeof *r->files);
    if (i) {
        sonde_free(path);
        r->files[r->n_files++] = i - 1;
        return;
    }
    t->files = sonde_grow(t->files, &t->cap_files, (size_t)t->n_files + 1, sizeof *t->files);
    r->files[r->n_files++] = t->n_files;
    t->files[t->n_files++] = path;
}

/* Versions before 5: names end with an empty one. The directory of the compilation is not known here. */
static void read_old_names(struct reading *r, struct bytes *b)
{
    add_directory(r, "");
    for (const char *name; *(name = string(b)) && !b->is_bad;) add_directory(r, name);
    add_file(r, "", 0); /* numbers of files begin with 1 */
    for (const char *name; *(name = string(b)) && !b->is_bad;) {
        uint64_t directory = leb(b, false);
        leb(b, false); /* time */
        leb(b, false); /* length */
        add_file(r, name, directory);
    }
}

enum { CONTENT_PATH = 1, CONTENT_DIRECTORY = 2 };
enum {
    FORM_BLOCK2 = 3,
    FORM_BLOCK4,
    FORM_DATA2,
    FORM_DATA4,
    FORM_DATA8,
    FORM_STRING,
    FORM_BLOCK,
    FORM_BLOCK1,
    FORM_DATA1,
    FORM_STRP = 14,
    FORM_UDATA,
    FORM_DATA16 = 30,
    FORM_LINE_STRP
};

static const char *string_in(const struct bytes *section, uint64_t at)
{
    struct bytes b = *section;
    if (!has(&b, at)) return "";
    b.at += at;
    return string(&b);
}

static void skip(struct bytes *b, uint64_t n)
{
    if (has(b, n)) b->at += n;
}

/* Reads an attribute, a string or a number. */
static void read_form(struct reading *r, struct bytes *b, uint64_t form, const char **text, uint64_t *value)
{
    switch (form) {
    case FORM_STRING: *text = string(b); break;
    case FORM_LINE_STRP: *text = string_in(&r->line_strings, number(b, r->offset_bytes)); break;
    case FORM_STRP: *text = string_in(&r->strings, number(b, r->offset_bytes)); break;
    case FORM_UDATA: *value = leb(b, false); break;
    case FORM_DATA1: *value = number(b, 1); break;
    case FORM_DATA2: *value = number(b, 2); break;
    case FORM_DATA4: *value = number(b, 4); break;
    case FORM_DATA8: *value = number(b, 8); break;
    case FORM_DATA16: skip(b, 16); break;
    case FORM_BLOCK: skip(b, leb(b, false)); break;
    case FORM_BLOCK1: skip(b, number(b, 1)); break;
    case FORM_BLOCK2: skip(b, number(b, 2)); break;
    case FORM_BLOCK4: skip(b, number(b, 4)); break;
    default: b->is_bad = true; /* its length is not known */
    }
}

/* Reads one of the two lists of version 5: first the attributes of an entry, then the entries. */
static void read_names(struct reading *r, struct bytes *b, bool are_files)
{
    enum { FORMATS = 16 };
    uint64_t content[FORMATS], form[FORMATS], n_formats = number(b, 1);
    if (n_formats > FORMATS) b->is_bad = true;
    for (uint64_t i = 0; i < n_formats && !b->is_bad; i++) content[i] = leb(b, false), form[i] = leb(b, false);
    uint64_t n = leb(b, false);
    for (uint64_t i = 0; i < n && n_formats && !b->is_bad; i++) {
        const char *path = "";
        uint64_t directory = 0;
        for (uint64_t k = 0; k < n_formats; k++) {
            const char *text = "";
            uint64_t value = 0;
            read_form(r, b, form[k], &text, &value);
            if (content[k] == CONTENT_PATH) path = text;
            if (content[k] == CONTENT_DIRECTORY) directory = value;
        }
        if (b->is_bad) return;
        if (are_files) add_file(r, path, directory);
        else add_directory(r, path);
    }
}

/* ---- Rows */

/* Registers of the line program. */
struct machine {
    uint64_t address, line;
    uint64_t file;
    uint32_t first; /* number of rows when the sequence began */
    bool is_void;   /* the linker dropped the code of the sequence */
};

static void add_row(struct reading *r, const struct machine *m, bool ends)
{
    struct sonde_line_table *t = r->table;
    if (m->is_void || m->line > INT32_MAX) return;
    t->rows = sonde_grow(t->rows, &t->cap_rows, (size_t)t->n_rows + 1, sizeof *t->rows);
    t->rows[t->n_rows++] = (struct sonde_line){.address = r->base + (uintptr_t)m->address,
                                               .file = m->file < r->n_files ? r->files[m->file] : UINT32_MAX,
                                               .line = (uint32_t)m->line,
                                               .ends = ends};
}

static struct machine begin_sequence(const struct reading *r)
{
    return (struct machine){.line = 1, .file = 1, .first = r->table->n_rows};
}

static void run_extended(struct reading *r, struct bytes *b, struct machine *m)
{
    uint64_t n = leb(b, false);
    if (!n || !has(b, n)) return;
    struct bytes operands = {.at = b->at, .end = b->at + n};
    b->at += n;
    switch (number(&operands, 1)) {
    case 1: /* end of the sequence */
        add_row(r, m, true);
        *m = begin_sequence(r);
        break;
    case 2: /* set the address */
        m->address = number(&operands, n - 1 == 4 ? 4 : 8);
        /* Linkers write 0 or the largest numbers for code that they dropped. */
        m->is_void = m->address == 0 || m->address >= (n - 1 == 4 ? UINT32_MAX - 1 : UINT64_MAX - 1);
        break;
    default: break;
    }
}

static void advance(const struct reading *r, struct machine *m, uint64_t by)
{
    m->address += r->min_length * by;
}

static void run_standard(struct reading *r, struct bytes *b, struct machine *m, unsigned op)
{
    switch (op) {
    case 1: add_row(r, m, false); break;
    case 2: advance(r, m, leb(b, false)); break;
    case 3: m->line += leb(b, true); break;
    case 4: m->file = leb(b, false); break;
    case 8: advance(r, m, (255 - r->opcode_base) / r->line_range); break;
    case 9: m->address += number(b, 2); break;
    default: /* changes what is of no interest here, or is unknown: skip its operands */
        for (unsigned i = 0; i < r->lengths.at[op - 1]; i++) leb(b, false);
    }
}

static void run_program(struct reading *r, struct bytes *b)
{
    struct machine m = begin_sequence(r);
    while (b->at < b->end && !b->is_bad) {
        unsigned op = (unsigned)number(b, 1);
        if (op == 0) run_extended(r, b, &m);
        else if (op < r->opcode_base) run_standard(r, b, &m, op);
        else {
            advance(r, &m, (op - r->opcode_base) / r->line_range);
            m.line += (uint64_t)(int64_t)(r->line_base + (int)((op - r->opcode_base) % r->line_range));
            add_row(r, &m, false);
        }
    }
    r->table->n_rows = m.first; /* a sequence without an end is not to be trusted */
}

/* ---- Units */

static void clear_unit(struct reading *r)
{
    for (uint32_t i = 0; i < r->n_directories; i++) sonde_free(r->directories[i]);
    r->n_directories = r->n_files = 0;
}

/* Reads the header after the length and the names in it. Returns the bytes of the line program; empty if the unit
 * cannot be read. */
static struct bytes read_header(struct reading *r, struct bytes unit)
{
    const struct bytes none = {NULL, NULL, true};
    r->version = (unsigned)number(&unit, 2);
    if (r->version < 2 || r->version > 5) return none;
    if (r->version == 5) number(&unit, 2); /* sizes of an address and of a segment selector */
    uint64_t length = number(&unit, r->offset_bytes);
    if (!has(&unit, length)) return none;
    struct bytes program = {.at = unit.at + length, .end = unit.end}, head = {.at = unit.at, .end = program.at};
    r->min_length = (unsigned)number(&head, 1);
    if (r->version >= 4) number(&head, 1); /* operations per instruction: 1 on all machines but VLIW */
    number(&head, 1);                      /* whether rows begin as statements */
    r->line_base = (int8_t)number(&head, 1);
    r->line_range = (unsigned)number(&head, 1);
    r->opcode_base = (unsigned)number(&head, 1);
    if (!r->line_range || !r->opcode_base || !has(&head, r->opcode_base - 1)) return none;
    r->lengths = (struct bytes){.at = head.at, .end = head.at + r->opcode_base - 1};
    head.at = r->lengths.end;
    if (r->version < 5) {
        read_old_names(r, &head);
    } else {
        read_names(r, &head, false);
        read_names(r, &head, true);
    }
    return head.is_bad ? none : program;
}

static void read_units(struct reading *r)
{
    struct bytes all = r->lines;
    while (all.at < all.end && !all.is_bad) {
        uint64_t length = number(&all, 4);
        r->offset_bytes = length == UINT32_MAX ? 8 : 4;
        if (r->offset_bytes == 8) length = number(&all, 8);
        if (!has(&all, length)) return;
        struct bytes unit = {.at = all.at, .end = all.at + length};
        all.at += length;
        struct bytes program = read_header(r, unit);
        if (!program.is_bad) run_program(r, &program);
        clear_unit(r);
    }
}

/* ---- Modules */

static struct bytes section(const struct sonde_elf *elf, const char *name, bool *is_compressed)
{
    uint64_t n = 0;
    const unsigned char *at = sonde_elf_section(elf, name, &n, is_compressed);
    return (struct bytes){.at = at, .end = at ? at + n : NULL};
}

/* Orders by address. Where a sequence ends and another begins, the end comes first. Rows of one address stay in the
 * order of their lines, so that the result does not depend on the C library. */
static int by_address(const void *a, const void *b)
{
    const struct sonde_line *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    if (x->ends != y->ends) return x->ends ? -1 : 1;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

const char *sonde_line_table_read(struct sonde_line_table *table, const void *address)
{
    struct sonde_module m = {.address = (uintptr_t)address};
    struct sonde_elf elf;
    bool is_compressed = false;
    *table = (struct sonde_line_table){.rows = NULL};
    sonde_module_find(&m);
    table->code = m.code;
    table->code_end = m.code_end;
    if (!m.is_found || !sonde_elf_open(&elf, m.path)) return "its file cannot be read";
    struct reading r = {.table = table, .base = m.base};
    r.lines = section(&elf, ".debug_line", &is_compressed);
    r.line_strings = section(&elf, ".debug_line_str", &is_compressed);
    r.strings = section(&elf, ".debug_str", &is_compressed);
    if (r.lines.at && !is_compressed) read_units(&r);
    sonde_elf_close(&elf);
    sonde_free(r.directories);
    sonde_free(r.files);
    if (table->n_rows) qsort(table->rows, table->n_rows, sizeof *table->rows, by_address);
    if (is_compressed) return "its debug information is compressed";
    return table->n_rows ? NULL : "it has no debug information";
}

bool sonde_line_table_has(const struct sonde_line_table *t, uintptr_t address)
{
    uint32_t low = 0, high = t->n_rows;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->rows[middle].address <= address) low = middle + 1;
        else high = middle;
    }
    for (uint32_t i = low; i > 0 && t->rows[i - 1].address == t->rows[low - 1].address; i--)
        if (!t->rows[i - 1].ends) return true;
    return false;
}

void sonde_line_table_clear(struct sonde_line_table *table)
{
    for (uint32_t i = 0; i < table->n_files; i++) sonde_free(table->files[i]);
    sonde_free(table->files);
    sonde_free(table->rows);
    *table = (struct sonde_line_table){.rows = NULL};
}

bool sonde_module_has_file(const void *address, const char *name)
{
    struct sonde_module m = {.address = (uintptr_t)address};
    struct sonde_elf elf;
    sonde_module_find(&m);
    if (!m.is_found || !sonde_elf_open(&elf, m.path)) return false;
    bool has_file = sonde_elf_has_file(&elf, name);
    sonde_elf_close(&elf);
    return has_file;
}
