/* The program sonde-derive, which `sonde derive`, `sonde new` and `sonde cc` run. It is separate so that nothing else
 * needs libclang. It reads one C file and writes C code, or nothing if there was an error.
 *
 * argv[0] selects one of two commands: "derive" (here) and "new" (new.c). The steps are always the same. The command
 * line is read, then the file (read.c, by libclang); every requested type is judged (judge.c). Only if there is no
 * error is C code written (emit.c). It is written to memory first, so that a failure never leaves half a file. */
#include "emit.h"
#include "list.h"
#include "new.h"
#include "trial.h"
#include "base/die.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "Usage: sonde derive FILE [TYPE]... [-o OUT] [--stem STEM] [COMPILER-OPTION]...\n"
    "       sonde derive --list FILE [TYPE]... [COMPILER-OPTION]...\n\n"
    "Writes C that draws, prints and compares values of these types (\"struct shape\", or a typedef),\n"
    "read from a C file or header. Without a TYPE: for the types that SONDE_DERIVE names in FILE.\n\n"
    "  -o OUT          write to this file, not to standard output; a file that exists is overwritten\n"
    "                  only if its first line says that sonde derive made it\n"
    "  --stem STEM     name the functions draw_STEM, print_STEM ... (default: the name of the type)\n"
    "  --list          print for these types, or for each that FILE itself defines, whether it can be\n"
    "                  derived and, if not, the field and the annotation to write\n"
    "  -I -D -std ...  options of your compiler that FILE needs\n\n"
    "Annotations add what a type does not declare; see docs/deriving.md.\n";

/* Maximum number of types, and of compiler options, on the command line. */
enum { MOST_WORDS = 1024 };

/* The command line of `sonde derive`. */
struct request {
    const char *file, *output, *stem;
    bool lists;
    bool if_any; /* for sonde cc: a file without SONDE_DERIVE is not an error */
    const char *types[MOST_WORDS];
    uint32_t n_types;
    const char *options[MOST_WORDS];
    uint32_t n_options;
};

/* Adds a compiler option. The last 8 slots are left for the options of read_request; excess options are ignored. */
static void add_option(struct request *r, const char *word)
{
    if (r->n_options + 8 < MOST_WORDS) r->options[r->n_options++] = word;
}

/* Reports whether a file name has one of these suffixes. */
static bool has_end(const char *file, const char *const *ends)
{
    const char *dot = strrchr(file, '.');
    for (; dot && *ends; ends++)
        if (!strcmp(dot + 1, *ends)) return true;
    return false;
}

/* Adds the directory of sonde.h: beside this program in a build directory, or under the same prefix if installed. */
static void add_own_headers(struct request *r)
{
    char folder[PATH_MAX];
    if (!realpath("/proc/self/exe", folder)) return;
    *strrchr(folder, '/') = 0;
    for (int up = 0; up < 2; up++) {
        const char *include = keep_format("%s%s/include", folder, up ? "/.." : "");
        if (access(keep_format("%s/sonde.h", include), R_OK)) continue;
        add_option(r, "-idirafter");
        add_option(r, include);
        return;
    }
}

/* Reports whether the value of a compiler option is the next word. */
static bool takes_value(const char *word)
{
    static const char *const words[] = {"-I",       "-D",       "-U",      "-x",         "-include",
                                        "-imacros", "-isystem", "-iquote", "-idirafter", NULL};
    for (size_t i = 0; words[i]; i++)
        if (!strcmp(word, words[i])) return true;
    return false;
}

/* Reads the command line. Returns false after a message. */
static bool read_words(struct request *r, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        bool is_own = !strcmp(argv[i], "-o") || !strcmp(argv[i], "--stem");
        if ((is_own || takes_value(argv[i])) && i + 1 == argc) {
            sonde_complain("sonde derive: %s needs a value", argv[i]);
            return false;
        }
        if (!strcmp(argv[i], "--list")) r->lists = true;
        else if (!strcmp(argv[i], "--if-any")) r->if_any = true;
        else if (!strcmp(argv[i], "-o")) r->output = argv[++i];
        else if (!strcmp(argv[i], "--stem")) r->stem = argv[++i];
        else if (argv[i][0] == '-' && argv[i][1]) {
            bool more = takes_value(argv[i]);
            add_option(r, argv[i]);
            if (more) add_option(r, argv[++i]);
        } else if (!r->file) r->file = argv[i];
        else if (r->n_types < MOST_WORDS) r->types[r->n_types++] = argv[i];
    }
    if (!r->file) fputs("sonde derive: the file is missing; write sonde derive FILE TYPE...\n", stderr);
    if (r->stem && !is_identifier(r->stem))
        sonde_complain("sonde derive: --stem '%s' is not a name that C accepts", r->stem);
    if (r->stem && r->n_types != 1) fputs("sonde derive: --stem needs exactly one TYPE\n", stderr);
    return r->file && (!r->stem || (is_identifier(r->stem) && r->n_types == 1));
}

/* Reads the file of a request. Returns false after a message. */
static bool read_request(struct request *r)
{
    static const char *const cxx[] = {"hpp", "hh", "hxx", "cpp", "cc", "cxx", "C", NULL};
    if (access(r->file, R_OK)) {
        complain((struct place){NULL, 0}, "cannot read %s: %s", r->file, strerror(errno));
        return false;
    }
    /* With this, the macros of sonde/derive.h become annotations that libclang reads. For compilers they are empty. */
    add_option(r, "-DSONDE_DERIVING_");
    add_option(r, "-w");
    bool has_language = false;
    for (uint32_t i = 0; i < r->n_options; i++) has_language |= !strncmp(r->options[i], "-x", 2);
    if (!has_language) {
        add_option(r, "-x");
        add_option(r, has_end(r->file, cxx) ? "c++" : "c");
    }
    add_own_headers(r);
    return read_file(r->file, r->options);
}

bool read_header(const char *file, const char *const *options, uint32_t n)
{
    static struct request r;
    r.file = file;
    for (uint32_t i = 0; i < n; i++) add_option(&r, options[i]);
    add_option(&r, "-fparse-all-comments"); /* not only documentation comments */
    /* Headers that a test includes first: some headers need them, others define types by them. */
    static const char *const before[] = {"stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) add_option(&r, "-include"), add_option(&r, before[i]);
    return read_request(&r);
}

/* Finds the requested types: those on the command line, else those that SONDE_DERIVE names. Returns their number, and
 * reports those that do not exist. `sonde cc` tries every file, so there a file without any is fine (if_any). */
static uint32_t find_types(const struct request *r, struct wanted **wanted)
{
    if (!r->n_types) {
        uint32_t n = read_wanted(wanted);
        if (!n && !complaints() && !r->if_any)
            complain((struct place){r->file, 1}, "there is no SONDE_DERIVE here; name a TYPE");
        return n;
    }
    *wanted = keep(r->n_types * sizeof **wanted);
    for (uint32_t i = 0; i < r->n_types; i++) {
        struct record *record = read_record(r->types[i]);
        if (!record) complain((struct place){r->file, 1}, "there is no struct or union '%s' here", r->types[i]);
        else
            (*wanted)[i] = (struct wanted){record, r->stem                      ? r->stem
                                                   : is_identifier(r->types[i]) ? r->types[i]
                                                                                : record->stem};
    }
    return r->n_types;
}

/* ---- Output */

/* Reports whether a file may be overwritten: it does not exist, is empty, or was made by sonde derive. */
static bool may_write(const char *path)
{
    char first[64] = "";
    FILE *in = fopen(path, "re");
    if (!in) return true;
    bool is_ours = fgets(first, sizeof first, in) && strstr(first, DERIVED_MARK);
    bool is_empty = !*first;
    fclose(in);
    if (!is_ours && !is_empty)
        sonde_complain(
            "sonde derive: %s exists and was not made by sonde derive; it stays as it is, choose another name", path);
    return is_ours || is_empty;
}

/* Replaces a file, whole or not at all: writes another one and renames it. Returns the exit status. */
static int write_file(const char *path, const char *text, size_t n)
{
    const char *part = keep_format("%s.%ld", path, (long)getpid());
    if (!may_write(path)) return SONDE_USAGE;
    FILE *out = fopen(part, "wxe");
    bool ok = out && fwrite(text, 1, n, out) == n;
    ok = out && fclose(out) == 0 && ok;
    if (ok && rename(part, path) == 0) return SONDE_PASSED;
    sonde_complain("sonde derive: cannot write %s: %s", path, strerror(errno));
    if (out) unlink(part);
    return SONDE_USAGE;
}

/* Writes the derived code of the requested types. Returns the exit status. */
static int derive(const struct request *r)
{
    static const char *const sources[] = {"c", "cpp", "cc", "cxx", "C", NULL};
    struct wanted *wanted;
    uint32_t n = find_types(r, &wanted);
    char *text;
    size_t length;
    for (uint32_t i = 0; i < n && !complaints(); i++) {
        struct judgement j = judge(wanted[i].record);
        complain_of(&j);
    }
    if (complaints()) return SONDE_USAGE;
    if (!n) return SONDE_PASSED;
    FILE *out = open_memstream(&text, &length);
    if (!out) return SONDE_INTERNAL;
    /* A source file includes the code derived from it, so that code must not include the source. */
    emit_all(out, has_end(r->file, sources) && !r->n_types ? NULL : r->file, wanted, n);
    fclose(out);
    int status = SONDE_PASSED;
    if (r->output && strcmp(r->output, "-") != 0) status = write_file(r->output, text, length);
    else fwrite(text, 1, length, stdout);
    free(text);
    return status;
}

/* Lists the types on the command line, or else all that the file itself defines. Returns the exit status. */
static int list(const struct request *r)
{
    struct wanted *wanted;
    struct record **records;
    uint32_t n = r->n_types ? find_types(r, &wanted) : read_own_records(&records);
    if (complaints()) return SONDE_USAGE;
    if (r->n_types) records = keep(n * sizeof *records);
    for (uint32_t i = 0; r->n_types && i < n; i++) records[i] = wanted[i].record;
    return list_records(records, n);
}

int main(int argc, char **argv)
{
    static struct request r;
    if (argc > 0 && !strcmp(argv[0], "new")) return new_main(argc, argv);
    if (argc > 1 && !strcmp(argv[1], "--confine")) return confine_main(argc - 1, argv + 1);
    if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(usage, stdout);
        return SONDE_PASSED;
    }
    if (!read_words(&r, argc, argv) || !read_request(&r)) return SONDE_USAGE;
    int status = r.lists ? list(&r) : derive(&r);
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    sonde_complain("sonde derive: cannot write the output: %s", strerror(errno));
    return SONDE_INTERNAL;
}
