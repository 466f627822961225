/* sonde-derive: what `sonde derive` and `sonde cc` run, a program of its own so that nothing else needs libclang. Reads one
 * file as the compiler would, and writes C, or nothing at all if a sentence had to be said.
 *
 * Two commands in one program, told apart by argv[0]: "derive" (here) and "new" (new.c). The order is
 * always: words of the command line, the file as libclang reads it (read.c), judgement of every type
 * that is wanted (judge.c), and only if nothing is wrong the C text (emit.c), in memory first, so that
 * a failure leaves no half of a file. */
#include "emit.h"
#include "list.h"
#include "new.h"
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
    "read from a C file or header. Without a TYPE: of those that SONDE_DERIVE names in FILE.\n\n"
    "  -o OUT          write to this file, not to standard output; it may be edited, and is then\n"
    "                  written over only if its first line still says where it is from\n"
    "  --stem STEM     name the functions draw_STEM, print_STEM ... (the name of the type)\n"
    "  --list          print of these types, or of each that FILE itself defines, whether it can be\n"
    "                  derived, and if not, the field and what to write\n"
    "  -I -D -std ...  options of your compiler that FILE needs\n\n"
    "What a type does not say is said by annotations; docs/deriving.md has them.\n";

enum { MOST_WORDS = 1024 };

struct request {
    const char *file, *output, *stem;
    bool lists;
    bool if_any; /* for sonde cc: a file without SONDE_DERIVE is no mistake */
    const char *types[MOST_WORDS];
    uint32_t n_types;
    const char *options[MOST_WORDS];
    uint32_t n_options;
};

/* The rest of the room is for what is added here; more options than that are no command line. */
static void add_option(struct request *r, const char *word)
{
    if (r->n_options + 8 < MOST_WORDS) r->options[r->n_options++] = word;
}

static bool has_end(const char *file, const char *const *ends)
{
    const char *dot = strrchr(file, '.');
    for (; dot && *ends; ends++)
        if (!strcmp(dot + 1, *ends)) return true;
    return false;
}

/* Beside this program, where it is built or installed. */
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

/* Options of compilers whose value is the next word. */
static bool takes_value(const char *word)
{
    static const char *const words[] = {"-I",       "-D",       "-U",      "-x",         "-include",
                                        "-imacros", "-isystem", "-iquote", "-idirafter", NULL};
    for (size_t i = 0; words[i]; i++)
        if (!strcmp(word, words[i])) return true;
    return false;
}

/* False after a sentence. */
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
    if (!r->file) fputs("sonde derive: which file? write sonde derive FILE TYPE...\n", stderr);
    if (r->stem && !is_identifier(r->stem))
        sonde_complain("sonde derive: --stem '%s' is not a name that C accepts", r->stem);
    if (r->stem && r->n_types != 1) fputs("sonde derive: --stem needs exactly one TYPE\n", stderr);
    return r->file && (!r->stem || (is_identifier(r->stem) && r->n_types == 1));
}

static bool read_request(struct request *r)
{
    static const char *const cxx[] = {"hpp", "hh", "hxx", "cpp", "cc", "cxx", "C", NULL};
    if (access(r->file, R_OK)) {
        complain((struct place){NULL, 0}, "cannot read %s: %s", r->file, strerror(errno));
        return false;
    }
    /* The macros of sonde/derive.h become annotations that libclang reads; for other compilers they are
     * nothing. */
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
    return read_request(&r);
}

/* Of types on the command line, else of SONDE_DERIVE in the file. `sonde cc` asks for every file: one
 * without any is none of its business. */
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

/* A file that somebody wrote by hand is never written over. */
static bool may_write(const char *path)
{
    char first[64] = "";
    FILE *in = fopen(path, "re");
    if (!in) return true;
    bool is_ours = fgets(first, sizeof first, in) && strstr(first, DERIVED_MARK);
    bool is_empty = !*first;
    fclose(in);
    if (!is_ours && !is_empty)
        sonde_complain("sonde derive: %s is there and was not made by sonde derive; it stays as it is", path);
    return is_ours || is_empty;
}

/* Whole, or not at all. */
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
    /* A source file includes what is derived from it, so what is derived cannot include it. */
    emit_all(out, has_end(r->file, sources) && !r->n_types ? NULL : r->file, wanted, n);
    fclose(out);
    int status = SONDE_PASSED;
    if (r->output && strcmp(r->output, "-") != 0) status = write_file(r->output, text, length);
    else fwrite(text, 1, length, stdout);
    free(text);
    return status;
}

/* Of the types that are named, or else of all that the file itself defines. */
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
