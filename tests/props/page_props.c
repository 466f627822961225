#define _GNU_SOURCE /* memfd_create */
/* sonde on sonde: what `sonde html` reads, a page and the line tables of a program, may be any bytes. */
#include "../../tools/lines.c"
#include "../../tools/places.c"

#include <elf.h>
#include <sonde.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* ---- Programs */

enum { STRINGS = 1, SYMBOLS, RELOCATIONS, STUBS, CODE, SECTIONS, SPACE = 4096, CODE_AT = 0x1000 };
static const char strings[] = "\0.symtab\0.dynsym\0.rela.plt\0.plt\0.text\0__sanitizer_cov_trace_pc";
enum { SYMTAB_NAME = 1, DYNSYM_NAME = 9, RELA_NAME = 17, PLT_NAME = 27, TEXT_NAME = 32, CALLED_NAME = 38 };

/* Calls and jumps, some of which lead somewhere, among other bytes. */
static size_t draw_code(sonde *t, uint8_t *out)
{
    size_t n = 0;
    for (sonde_list code = sonde_list_of(t, "code", 0, 6); sonde_more(&code);) {
        static const uint8_t starts[][2] = {{0x90, 0xe8}, {0xff, 0x25}, {0xe8, 0xe8}, {0, 0}};
        int32_t by = (int32_t)sonde_int(t, "by", -40, 40);
        memcpy(out + n, starts[sonde_pick(t, "start", 4)], 2);
        memcpy(out + n + 2, &by, 4);
        n += 6;
    }
    return n;
}

static size_t draw_symbols(sonde *t, void *out)
{
    size_t n = 0;
    for (sonde_list symbols = sonde_list_of(t, "symbols", 0, 4); sonde_more(&symbols); n++)
        ((Elf64_Sym *)out)[n] = (Elf64_Sym){.st_name = sonde_bool(t, "is_called") ? CALLED_NAME : TEXT_NAME,
                                            .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                            .st_shndx = sonde_bool(t, "is_here") ? CODE : SHN_UNDEF,
                                            .st_value = CODE_AT + (Elf64_Addr)sonde_int(t, "value", 0, 40),
                                            .st_size = (Elf64_Xword)sonde_int(t, "size", 0, 40)};
    return n * sizeof(Elf64_Sym);
}

static size_t draw_relocations(sonde *t, void *out)
{
    size_t n = 0;
    for (sonde_list relocations = sonde_list_of(t, "relocations", 0, 3); sonde_more(&relocations); n++)
        ((Elf64_Rela *)out)[n] = (Elf64_Rela){.r_offset = CODE_AT + (Elf64_Addr)sonde_int(t, "offset", 0, 40),
                                              .r_info = ELF64_R_INFO(sonde_pick(t, "symbol", 5), 7)};
    return n * sizeof(Elf64_Rela);
}

/* A small program whose sections hold what was drawn. */
static size_t draw_elf(sonde *t, uint8_t *out)
{
    bool is_dynamic = sonde_bool(t, "is_dynamic");
    Elf64_Shdr s[SECTIONS] = {
        [STRINGS] = {.sh_type = SHT_STRTAB, .sh_name = TEXT_NAME},
        [SYMBOLS] = {.sh_type = is_dynamic ? SHT_DYNSYM : SHT_SYMTAB,
                     .sh_name = is_dynamic ? DYNSYM_NAME : SYMTAB_NAME,
                     .sh_link = STRINGS,
                     .sh_entsize = sizeof(Elf64_Sym)},
        [RELOCATIONS] = {.sh_type = SHT_RELA, .sh_name = RELA_NAME, .sh_entsize = sizeof(Elf64_Rela)},
        [STUBS] = {.sh_type = SHT_PROGBITS, .sh_name = PLT_NAME, .sh_flags = SHF_EXECINSTR, .sh_addr = CODE_AT},
        [CODE] = {.sh_type = SHT_PROGBITS, .sh_name = TEXT_NAME, .sh_flags = SHF_EXECINSTR, .sh_addr = CODE_AT + 64}};
    Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                       .e_type = ET_EXEC,
                       .e_machine = EM_X86_64,
                       .e_version = EV_CURRENT,
                       .e_phoff = sizeof head,
                       .e_ehsize = sizeof head,
                       .e_phentsize = sizeof(Elf64_Phdr),
                       .e_phnum = 1,
                       .e_shoff = sizeof head + sizeof(Elf64_Phdr),
                       .e_shentsize = sizeof *s,
                       .e_shnum = SECTIONS,
                       .e_shstrndx = STRINGS};
    Elf64_Phdr segment = {.p_type = PT_LOAD, .p_vaddr = CODE_AT, .p_filesz = SPACE, .p_memsz = SPACE, .p_align = 4096};
    size_t end = head.e_shoff + sizeof s;
    for (size_t i = STRINGS; i < SECTIONS; i++) {
        s[i].sh_offset = end;
        if (i == STRINGS) memcpy(out + end, strings, s[i].sh_size = sizeof strings);
        else if (i == SYMBOLS) s[i].sh_size = draw_symbols(t, out + end);
        else if (i == RELOCATIONS) s[i].sh_size = draw_relocations(t, out + end);
        else s[i].sh_size = draw_code(t, out + end);
        end += (s[i].sh_size + 15) / 16 * 16;
    }
    memcpy(out, &head, sizeof head);
    memcpy(out + head.e_phoff, &segment, sizeof segment);
    memcpy(out + head.e_shoff, s, sizeof s);
    return end;
}

/* None has line tables, which libdw reads: this is about what is read here, symbols and calls. */
static void any_program_is_read_or_a_reason_is_given(sonde *t)
{
    uint8_t *elf = sonde_alloc(t, SPACE);
    sonde_assume(t, elf != NULL);
    memset(elf, 0, SPACE);
    size_t n = draw_elf(t, elf);
    for (sonde_list damage = sonde_list_of(t, "damage", 0, 4); sonde_more(&damage);)
        elf[sonde_pick(t, "at", n)] = (uint8_t)sonde_int(t, "byte", 0, 255);
    size_t cut = sonde_chance(t, "is_cut", 0.1) ? sonde_pick(t, "cut", n) : n;
    int file = memfd_create("program", MFD_CLOEXEC);
    sonde_assume(t, write(file, elf, cut) == (ssize_t)cut);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct sonde_lines l;
    const char *why = sonde_lines_read(&l, path);
    close(file);
    sonde_check(t, why != NULL);
    sonde_classify(t, l.n_functions > 0, "functions");
    sonde_classify(t, l.n_calls > 0, "calls");
    for (uint32_t i = 1; i < l.n_functions; i++) sonde_check(t, l.functions[i - 1].start <= l.functions[i].start);
    sonde_lines_clear(&l);
}

SONDE_MAIN(any_page_has_places, unescaping_gives_back_what_was_escaped, any_word_can_be_unescaped,
           any_program_is_read_or_a_reason_is_given)
