#define _GNU_SOURCE /* memfd_create */
/* See plain.h. Every object compiled with -fsanitize=thread mentions __tsan_init, even one without any memory access.
 * "Plain" below means an object with code and without that name. Objects of link-time optimisation cannot be judged
 * before they are linked, so they are skipped. Shared libraries are skipped too: the program checks these when it loads
 * them (addons/threads/unseen.c). */
#include "plain.h"

#include "base/mem.h"
#include "pipe.h"

#include <ar.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A range of bytes in a mapped file. */
struct view {
    const char *data;
    size_t n;
};

/* Reports whether [at, at + size) is inside of the view. Files may be damaged, so every offset is checked. */
static bool is_within(const struct view *v, uint64_t at, uint64_t size)
{
    return at <= v->n && size <= v->n - at;
}

static bool mentions(const struct view *v, const char *word)
{
    return memmem(v->data, v->n, word, strlen(word)) != NULL;
}

/* ---- Objects */

/* Reports whether a 64-bit object has a section with code. Returns false for objects of other classes. */
static bool has_code(const struct view *v)
{
    Elf64_Ehdr head;
    if (!is_within(v, 0, sizeof head)) return false;
    memcpy(&head, v->data, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_type != ET_REL)
        return false;
    for (unsigned i = 0; i < head.e_shnum; i++) {
        Elf64_Shdr section;
        uint64_t at = head.e_shoff + (uint64_t)i * sizeof section;
        if (!is_within(v, at, sizeof section)) return false;
        memcpy(&section, v->data + at, sizeof section);
        if (section.sh_flags & SHF_EXECINSTR && section.sh_size) return true;
    }
    return false;
}

static bool is_plain_object(const struct view *v)
{
    return has_code(v) && !mentions(v, "__tsan_") && !mentions(v, ".gnu.lto_");
}

/* Reports whether a member of an archive is plain. Members follow each other, each after a header with its size in
 * decimal, padded to an even offset. */
static bool is_plain_archive(const struct view *v)
{
    struct ar_hdr head;
    for (uint64_t at = SARMAG; is_within(v, at, sizeof head);) {
        memcpy(&head, v->data + at, sizeof head);
        char digits[sizeof head.ar_size + 1] = {0};
        memcpy(digits, head.ar_size, sizeof head.ar_size);
        uint64_t size = strtoull(digits, NULL, 10);
        at += sizeof head;
        if (!is_within(v, at, size)) return false;
        if (is_plain_object(&(struct view){v->data + at, (size_t)size})) return true;
        at += size + size % 2;
    }
    return false;
}

/* Reports whether a file is a plain object, or an archive with one; false if it cannot be read. */
static bool is_plain_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    bool is_plain = false;
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > SARMAG) {
        size_t n = (size_t)info.st_size;
        void *data = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
        struct view v = {data, n};
        if (data != MAP_FAILED) {
            is_plain = memcmp(data, ARMAG, SARMAG) == 0 ? is_plain_archive(&v) : is_plain_object(&v);
            munmap(data, n);
        }
    }
    if (fd >= 0) close(fd);
    return is_plain;
}

/* ---- Libraries by name */

/* Fills `path` with the path of lib<name>.<ending> in the compiler's default directories. Returns false if there is
 * none. */
static bool ask(const struct words *compiler, const char *name, const char *ending, char *path)
{
    struct words question = {0};
    struct tool_pipe answer;
    words_add_all(&question, (const char *const *)compiler->all);
    words_add_format(&question, "-print-file-name=lib%s.%s", name, ending);
    if (!tool_pipe_open(&answer, question.all, -1)) return false;
    bool is_read = fgets(path, PATH_MAX, answer.out) != NULL;
    tool_pipe_close(&answer);
    path[is_read ? strcspn(path, "\n") : 0] = '\0';
    return strchr(path, '/') != NULL; /* a file that is not found is printed as a bare name */
}

/* Fills `path` with the archive that -lNAME links. Returns false if -lNAME is a shared library, a library of the
 * compiler or of sonde, or not found. */
static bool find_archive(const char *name, const struct words *compiler, char *path)
{
    static const char *const known[] = {"c",     "m",      "dl",     "rt",   "pthread", "gcc",
                                        "gcc_s", "stdc++", "atomic", "util", NULL};
    if (word_is_one_of(name, known) || word_starts(name, "sonde")) return false;
    return !ask(compiler, name, "so", path) && ask(compiler, name, "a", path);
}

/* Fills `path` with the archive that -lNAME links from a directory of -L. Returns false if there is none. */
static bool find_in_folders(const char *name, const struct words *given, char *path)
{
    for (uint32_t i = 0; i < given->n; i++) {
        const char *folder = word_starts(given->all[i], "-L") ? given->all[i] + 2 : NULL;
        if (folder && !*folder && i + 1 < given->n) folder = given->all[i + 1];
        if (!folder) continue;
        snprintf(path, PATH_MAX, "%s/lib%s.so", folder, name);
        if (access(path, R_OK) == 0) return false;
        snprintf(path, PATH_MAX, "%s/lib%s.a", folder, name);
        if (access(path, R_OK) == 0) return true;
    }
    return false;
}

/* ---- The note */

/* Maximum length of the list of names: the report has one line for it. */
enum { NOTE_MAX = 48 };

/* Appends a file's name to the list, unless it is there, does not fit, or is part of sonde. */

static void note(char *names, const char *path)
{
    size_t n = strlen(names);
    const char *name = word_base_name(path);
    if (word_starts(name, "libsonde_") || word_starts(name, "libsonde.")) return;
    if (strstr(names, name) || n + strlen(name) + 8 > NOTE_MAX) return;
    snprintf(names + n, NOTE_MAX - n, "%s%s", n ? ", " : "", name);
}

/* Examines argument i of a link line: an object, an archive or -lNAME. */
static void examine(char *names, const struct words *given, uint32_t i, const struct words *compiler)
{
    char path[PATH_MAX];
    const char *word = given->all[i], *dot = strrchr(word, '.');
    bool is_object = word[0] != '-' && dot && (!strcmp(dot, ".o") || !strcmp(dot, ".a") || !strcmp(dot, ".lo"));
    if (is_object && is_plain_file(word)) note(names, word);
    if (!word_starts(word, "-l")) return;
    const char *name = word[2] ? word + 2 : i + 1 < given->n ? given->all[i + 1] : "";
    bool is_found = find_in_folders(name, given, path) || find_archive(name, compiler, path);
    if (*name && is_found && is_plain_file(path)) note(names, path);
}

/* Writes the assembly source, with the names in octal, since a file name may have any character. */
static void write_note(FILE *out, const char *names)
{
    fputs(
        "\t.section .rodata\n\t.globl sonde_plain_objects_\n\t.type sonde_plain_objects_, %object\nsonde_plain_objects_:\n"
        "\t.asciz \"",
        out);
    for (; *names; names++) fprintf(out, "\\%03o", (unsigned char)*names);
    fprintf(out,
            "\"\n\t.size sonde_plain_objects_, . - sonde_plain_objects_\n\t.section .note.GNU-stack,\"\",%%progbits\n");
}

void plain_add_note(struct words *command, const struct words *given, const struct words *compiler)
{
    char names[NOTE_MAX] = "";
    for (uint32_t i = 0; i < given->n; i++) examine(names, given, i, compiler);
    int fd = names[0] ? memfd_create("sonde", 0) : -1; /* inherited by the compiler; vanishes when that ends */
    FILE *out = fd >= 0 ? fdopen(dup(fd), "w") : NULL;
    if (!out) return;
    write_note(out, names);
    fclose(out);
    words_add_all(command, (const char *const[]){"-x", "assembler", NULL});
    words_add_format(command, "/proc/self/fd/%d", fd);
    words_add_all(command, (const char *const[]){"-x", "none", NULL});
}
