/* sonde on sonde: what `sonde html` reads, a page and the line tables of a program, may be any bytes. */
#include "../../tools/lines.c"
#include "../../tools/places.c"

#include <sonde.h>

static char *copy_of(sonde *t, const char *text)
{
    char *copy = sonde_alloc(t, strlen(text) + 1); /* of the very size: a byte beyond it is seen */
    sonde_assume(t, copy != NULL);
    return strcpy(copy, text);
}

/* Numbers of a page: small ones, which mean something, and the ends of their ranges. */
static void put_number(sonde *t, sonde_text *to)
{
    static const char *const odd[] = {
        "0", "1", "511", "512", "4294967295", "-1", "ffffffffffffffff", "99999999999999999999"};
    sonde_put(t, to, "%s", odd[sonde_pick(t, "number", sizeof odd / sizeof *odd)]);
}

static void any_page_has_places(sonde *t)
{
    static const char *const words[] = {"property ", "module ", "called ", ""};
    sonde_text page = {0};
    for (sonde_list lines = sonde_list_of(t, "lines", 0, 8); sonde_more(&lines);) {
        sonde_put(t, &page, "%s", words[sonde_pick(t, "word", 4)]);
        for (sonde_list numbers = sonde_list_of(t, "numbers", 0, 4); sonde_more(&numbers);) {
            put_number(t, &page);
            sonde_put(t, &page, " ");
        }
        sonde_put(t, &page, "%s\n", sonde_string_of(t, "rest", "%/aAf0 \n", 0, 8));
    }
    struct sonde_page_modules modules;
    sonde_page_modules_read(&modules, copy_of(t, page.at ? page.at : ""));
    sonde_classify(t, modules.n > 0, "modules");
    for (uint32_t i = 0; i < modules.n; i++) sonde_check(t, modules.modules[i].path != NULL);
    sonde_page_modules_clear(&modules);
}

static void unescaping_gives_back_what_was_escaped(sonde *t)
{
    const char *text = sonde_string_of(t, "text", "%a0F/ \xc3\xa9", 0, 20);
    char *escaped = sonde_alloc(t, 3 * strlen(text) + 1);
    sonde_assume(t, escaped != NULL);
    size_t n = 0;
    for (size_t i = 0; text[i]; i++)
        n += (size_t)sprintf(escaped + n, text[i] == '%' || text[i] == ' ' ? "%%%02x" : "%c", (unsigned char)text[i]);
    escaped[n] = 0;
    char *back = unescape(copy_of(t, escaped));
    sonde_check_eq(t, (const char *)back, text);
    sonde_free(back);
}

static void any_word_can_be_unescaped(sonde *t)
{
    const char *text = copy_of(t, sonde_string_of(t, "text", "%a0Fx", 0, 12));
    char *plain = unescape(text);
    sonde_check(t, strlen(plain) <= strlen(text));
    sonde_free(plain);
}

/* ---- Line tables */

enum { NAMES = 8, SPACE = 4096 };
static const char names[] = "\0.shstrtab\0.symtab\0.strtab\0.debug_line\0.debug_line_str\0.text\0.note";

struct bytes {
    uint8_t at[1024];
    size_t n;
};

static void add(struct bytes *to, const void *bytes, size_t n)
{
    memcpy(to->at + to->n, bytes, n);
    to->n += n;
}

/* One unit of a line table: a head that makes sense, of a version that is drawn, and a program of any bytes. */
static void draw_unit(sonde *t, struct bytes *out)
{
    static const uint8_t opcodes[] = {1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
    static const char old[] = "d\0\0f.c\0\1\0\0g.c\0\0\0\0", new[] = "\1\1\x08\1/d\0\2\1\x08\2\x0b\2f.c\0\0g.c\0\0";
    struct bytes names_of = {.n = 0};
    uint16_t version = (uint16_t)sonde_int(t, "version", 2, 5);
    uint32_t size = 0, header;
    size_t n, start = out->n;
    add(&names_of, opcodes, 1);
    add(&names_of, opcodes + (version < 4 ? 2 : 1), sizeof opcodes - (version < 4 ? 2 : 1));
    if (version == 5) add(&names_of, new, sizeof new - 1);
    else add(&names_of, old, sizeof old);
    header = (uint32_t)names_of.n;
    add(out, &size, 4);
    add(out, &version, 2);
    if (version == 5) add(out, "\x08\0", 2);
    add(out, &header, 4);
    add(out, names_of.at, names_of.n);
    const uint8_t *program = sonde_bytes(t, "program", 0, 60, &n);
    add(out, program, n);
    size = (uint32_t)(out->n - start - 4);
    memcpy(out->at + start, &size, 4);
}

/* A small program whose sections hold what was drawn. */
static size_t draw_elf(sonde *t, uint8_t *out)
{
    static const uint32_t at[NAMES] = {0, 1, 11, 19, 27, 39, 55, 61};
    static const uint32_t types[NAMES] = {
        0, SHT_STRTAB, SHT_SYMTAB, SHT_STRTAB, SHT_PROGBITS, SHT_PROGBITS, SHT_PROGBITS, SHT_NOTE};
    Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                       .e_machine = EM_X86_64,
                       .e_shoff = sizeof head,
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = NAMES,
                       .e_shstrndx = 1};
    size_t end = sizeof head + NAMES * sizeof(Elf64_Shdr);
    memcpy(out, &head, sizeof head);
    for (size_t i = 0; i < NAMES; i++) {
        struct bytes section = {.n = 0};
        size_t n;
        if (i == 1) add(&section, names, sizeof names);
        else if (i == 4) draw_unit(t, &section);
        else {
            const uint8_t *bytes = sonde_bytes(t, "section", 0, 60, &n);
            add(&section, bytes, n);
        }
        Elf64_Shdr s = {.sh_name = at[i], .sh_type = types[i], .sh_offset = end, .sh_size = section.n};
        if (i == 2) s.sh_link = 3;
        if (i == 6) s.sh_flags = SHF_EXECINSTR;
        memcpy(out + sizeof head + i * sizeof s, &s, sizeof s);
        memcpy(out + end, section.at, section.n);
        end += (section.n + 7) / 8 * 8;
    }
    return end;
}

static void any_program_has_lines_or_a_reason(sonde *t)
{
    uint8_t *elf = sonde_alloc(t, SPACE);
    sonde_assume(t, elf != NULL);
    memset(elf, 0, SPACE);
    size_t n = draw_elf(t, elf);
    for (sonde_list damage = sonde_list_of(t, "damage", 0, 6); sonde_more(&damage);)
        elf[sonde_pick(t, "at", n)] = (uint8_t)sonde_int(t, "byte", 0, 255);
    size_t cut = sonde_chance(t, "is_cut", 0.1) ? sonde_pick(t, "cut", n) : n;
    uint8_t *exact = sonde_malloc(cut + !cut); /* as sonde_page_read has it: of the very size, and aligned */
    if (cut) memcpy(exact, elf, cut);
    struct sonde_lines l = {0};
    const char *why = read_elf(&l, exact, cut);
    sonde_check(t, why != NULL || l.n_rows > 0);
    sonde_classify(t, l.n_rows > 0, "rows");
    for (uint32_t i = 0; i < l.n_rows; i++) sonde_check(t, !l.rows[i].line || l.rows[i].file < l.n_files);
    sonde_lines_clear(&l);
    sonde_free(exact);
}

SONDE_MAIN(any_page_has_places, unescaping_gives_back_what_was_escaped, any_word_can_be_unescaped,
           any_program_has_lines_or_a_reason)
