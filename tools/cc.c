/* sonde cc, sonde c++: one step of a user's build, with the code under test made observable.
 *
 * A driver over the user's own compiler. It reads the command line only to find out what the step does (compiles?
 * links? what?), adds flags, and becomes the compiler: sources are not moved, so __FILE__, relative includes, depfiles,
 * messages and the exit status are those of the compiler itself. With clang, a source that assumes something is read by
 * the compiler with its preconditions rewritten (rewrite.h), under its own name and with the same lines. What it adds:
 *
 *   to a step that compiles C or C++   instrumentation, line tables, and a place to find sonde.h, searched last
 *   to a step that links a program     libsonde, and functions for what instrumented code calls, both only as needed
 *   to a step that links a library     nothing but leave for those calls to be resolved by the program
 *   to anything else                   nothing
 *
 * Flags go first, so that the user's win; libraries go last, where linkers want them. The library is found from where
 * this tool stands: in a build folder, or installed. */
#define _GNU_SOURCE /* memfd_create */

#include "base/die.h"
#include "base/mem.h"
#include "rewrite.h"
#include "tools.h"

#include <sonde.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SONDE_LIBDIR_FROM_TOOL
#define SONDE_LIBDIR_FROM_TOOL "../lib"
#endif

/* ---- Lists of words --------------------------------------------------------------------------------------------*/

/* Ends with NULL. Nothing is ever freed: the process becomes another program. */
struct words {
    char **all;
    uint32_t n, cap;
};

static void add(struct words *words, const char *word)
{
    words->all = sonde_grow(words->all, &words->cap, (size_t)words->n + 2, sizeof *words->all);
    words->all[words->n++] = sonde_strdup(word);
    words->all[words->n] = NULL;
}

static void add_all(struct words *words, const char *const *more)
{
    while (*more) add(words, *more++);
}

__attribute__((format(printf, 2, 3))) static void add_format(struct words *words, const char *format, ...)
{
    char text[2 * PATH_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    add(words, text);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/* Words as in a response file: blanks separate; quotes of both kinds hold together; a backslash takes the next
 * character as it is. */
static void split(struct words *words, const char *text)
{
    char *word = sonde_malloc(strlen(text) + 1);
    for (;;) {
        size_t n = 0;
        char quote = 0;
        while (is_blank(*text)) text++;
        if (!*text) break;
        for (; *text && (quote || !is_blank(*text)); text++) {
            if (*text == '\\' && text[1]) word[n++] = *++text;
            else if (quote ? *text == quote : *text == '"' || *text == '\'') quote = quote ? 0 : *text;
            else word[n++] = *text;
        }
        word[n] = 0;
        add(words, word);
    }
    sonde_free(word);
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(word, *list)) list++;
    return *list != NULL;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- What the user wants of us ---------------------------------------------------------------------------------*/

struct wishes {
    bool is_cxx;
    bool covers;
    bool traces_compares;
    bool rewrites;
    bool prints;
    const char *sanitize; /* list for -fsanitize=, or NULL */
    const char *compiler; /* command, or NULL */
};

static const char usage[] =
    "Usage: sonde cc|c++ [own option]... [anything your compiler takes]...\n\n"
    "Compiles and links like your compiler, with the code made observable for sonde's search and\n"
    "the library at hand. Use it as CC=\"sonde cc\", or sonde-cc where one word is wanted.\n\n"
    "  --no-cover          no coverage\n"
    "  --no-rewrite        preconditions as they are, without distances\n"
    "  --no-trace-cmp      no comparisons\n"
    "  --trace-cmp         comparisons too (the default)\n"
    "  --sanitize[=LIST]   sanitizers; address,undefined without a list\n"
    "  --sonde-cc=COMMAND  this compiler; else SONDE_CC or SONDE_CXX, else clang, else gcc\n"
    "  --print             show the command instead of running it\n"
    "  --sonde-help        this\n\n"
    "SONDE_CC_OPTIONS in the environment may hold own options, for builds that cannot pass them.\n";

/* True if the word is one of ours. */
static bool take_wish(struct wishes *w, const char *word)
{
    if (!strcmp(word, "--cover")) w->covers = true;
    else if (!strcmp(word, "--no-cover")) w->covers = false;
    else if (!strcmp(word, "--trace-cmp")) w->traces_compares = true;
    else if (!strcmp(word, "--no-trace-cmp")) w->traces_compares = false;
    else if (!strcmp(word, "--no-rewrite")) w->rewrites = false;
    else if (!strcmp(word, "--print")) w->prints = true;
    else if (!strcmp(word, "--sanitize")) w->sanitize = "address,undefined";
    else if (starts(word, "--sanitize=")) w->sanitize = word + strlen("--sanitize=");
    else if (starts(word, "--sonde-cc=")) w->compiler = word + strlen("--sonde-cc=");
    else return false;
    return true;
}

/* ---- What the step does ----------------------------------------------------------------------------------------*/

enum language { LANGUAGE_BY_NAME, LANGUAGE_C, LANGUAGE_OTHER };

struct step {
    bool is_query;       /* prints something about the compiler */
    bool compiles_only;  /* -c, -S, -E, ... */
    bool preprocesses;   /* -E */
    bool is_shared;      /* links a library */
    bool is_relocatable; /* links one object out of several */
    bool is_bare;        /* without the C library */
    bool is_freestanding;
    bool is_lto;
    bool has_inputs, has_sources, has_sanitizer;
    enum language language; /* of the inputs that follow, by -x */
};

/* The next word belongs to the option. */
static const char *const takes_word[] = {"-o",
                                         "-x",
                                         "-I",
                                         "-L",
                                         "-D",
                                         "-U",
                                         "-include",
                                         "-imacros",
                                         "-isystem",
                                         "-iquote",
                                         "-idirafter",
                                         "-iprefix",
                                         "-iwithprefix",
                                         "-isysroot",
                                         "-iframework",
                                         "-iwithprefixbefore",
                                         "-imultilib",
                                         "-F",
                                         "-MF",
                                         "-MT",
                                         "-MQ",
                                         "-Xlinker",
                                         "-Xpreprocessor",
                                         "-Xassembler",
                                         "-Xclang",
                                         "-mllvm",
                                         "-T",
                                         "-u",
                                         "-l",
                                         "-z",
                                         "-e",
                                         "-A",
                                         "-B",
                                         "-b",
                                         "-V",
                                         "-arch",
                                         "-target",
                                         "-aux-info",
                                         "-dumpbase",
                                         "-dumpbase-ext",
                                         "-dumpdir",
                                         "-wrapper",
                                         "-specs",
                                         "--param",
                                         "-framework",
                                         "-h",
                                         "-R",
                                         "-rpath",
                                         "-gcc-toolchain",
                                         NULL};

static const char *const compile_only[] = {
    "-c",           "-S",           "-E",        "-M",        "-MM", "-fsyntax-only", "--compile", "--assemble",
    "--preprocess", "--precompile", "-emit-ast", "--analyze", NULL};
static const char *const queries[] = {"--version",        "--help",     "-dumpmachine",  "-dumpversion",
                                      "-dumpfullversion", "-dumpspecs", "--target-help", NULL};
static const char *const bare[] = {"-nostdlib", "-nodefaultlibs", "-nolibc", "-nostartfiles", NULL};
static const char *const source_ends[] = {"c",   "i",   "cc",  "cp",  "cxx", "cpp", "CPP",  "c++", "C",
                                          "ii",  "m",   "mi",  "mm",  "M",   "mii", "h",    "H",   "hh",
                                          "hpp", "hxx", "h++", "tcc", "hp",  "HPP", "cppm", "ixx", NULL};
static const char *const source_languages[] = {"c",           "c++",           "c-header",
                                               "c++-header",  "cpp-output",    "c++-cpp-output",
                                               "objective-c", "objective-c++", NULL};

static void read_language(struct step *s, const char *name)
{
    s->language = !strcmp(name, "none")               ? LANGUAGE_BY_NAME
                  : is_one_of(name, source_languages) ? LANGUAGE_C
                                                      : LANGUAGE_OTHER;
}

static void read_input(struct step *s, const char *name)
{
    const char *dot = strrchr(base_name(name), '.');
    s->has_inputs = true;
    if (s->language == LANGUAGE_C || (s->language == LANGUAGE_BY_NAME && dot && is_one_of(dot + 1, source_ends)))
        s->has_sources = true;
}

static void read_option(struct step *s, const char *word)
{
    if (!strcmp(word, "-E") || !strcmp(word, "--preprocess")) s->preprocesses = true;
    if (is_one_of(word, compile_only)) s->compiles_only = true;
    else if (is_one_of(word, queries) || starts(word, "-print-") || starts(word, "--print-") || starts(word, "--help="))
        s->is_query = true;
    else if (!strcmp(word, "-shared") || !strcmp(word, "--shared") || !strcmp(word, "-dynamiclib")) s->is_shared = true;
    else if (!strcmp(word, "-r") || !strcmp(word, "-Wl,-r") || !strcmp(word, "-Wl,--relocatable"))
        s->is_relocatable = true;
    else if (is_one_of(word, bare)) s->is_bare = true;
    else if (!strcmp(word, "-ffreestanding")) s->is_freestanding = true;
    else if (starts(word, "-flto")) s->is_lto = true;
    else if (starts(word, "-fsanitize=")) s->has_sanitizer = true;
    else if (starts(word, "-l")) s->has_inputs = true;
}

static char *read_text(const char *path)
{
    FILE *in = fopen(path, "re");
    char *text = NULL;
    uint32_t n = 0, cap = 0;
    if (!in) return NULL;
    do {
        text = sonde_grow(text, &cap, (size_t)n + 4096, 1);
        n += (uint32_t)fread(text + n, 1, cap - n - 1, in);
    } while (!feof(in) && !ferror(in));
    text[n] = 0;
    fclose(in);
    return text;
}

/* A response file is read for what it says and passed on as it is. One that cannot be read is an input with an odd
 * name, as it is for compilers. */
static void expand(struct words *to, const char *word, int depth)
{
    char *text = word[0] == '@' && depth < 32 ? read_text(word + 1) : NULL;
    if (!text) {
        add(to, word);
        return;
    }
    struct words inner = {0};
    split(&inner, text);
    for (uint32_t i = 0; i < inner.n; i++) expand(to, inner.all[i], depth + 1);
    sonde_free(text);
}

static struct step read_step(const struct words *given)
{
    struct step s = {0};
    struct words all = {0};
    for (uint32_t i = 0; i < given->n; i++) expand(&all, given->all[i], 0);
    for (uint32_t i = 0; i < all.n; i++) {
        const char *word = all.all[i];
        if (word[0] != '-' || !word[1]) {
            read_input(&s, word);
            continue;
        }
        read_option(&s, word);
        if (starts(word, "-x") && word[2]) read_language(&s, word + 2);
        if (!is_one_of(word, takes_word) || i + 1 == all.n) continue;
        i++;
        if (!strcmp(word, "-x")) read_language(&s, all.all[i]);
        if (!strcmp(word, "-l")) s.has_inputs = true;
    }
    return s;
}

/* ---- Which compiler --------------------------------------------------------------------------------------------*/

static bool is_in_path(const char *name)
{
    const char *path = getenv("PATH");
    char file[PATH_MAX];
    if (!path) path = "/usr/local/bin:/usr/bin:/bin";
    for (;;) {
        size_t n = strcspn(path, ":");
        int length = snprintf(file, sizeof file, "%.*s/%s", n ? (int)n : 1, n ? path : ".", name);
        struct stat info; /* a folder passes for executable, too */
        bool fits = length > 0 && (size_t)length < sizeof file;
        if (fits && access(file, X_OK) == 0 && stat(file, &info) == 0 && S_ISREG(info.st_mode)) return true;
        if (!path[n]) return false;
        path += n + 1;
    }
}

enum { NEWEST_CLANG = 30, OLDEST_CLANG = 11 };

/* Clang when there is one: its counters cost least. */
static void find_compiler(struct words *command, bool is_cxx)
{
    const char *clang = is_cxx ? "clang++" : "clang", *gcc = is_cxx ? "g++" : "gcc";
    char name[32];
    if (is_in_path(clang)) {
        add(command, clang);
        return;
    }
    for (int version = NEWEST_CLANG; version >= OLDEST_CLANG; version--) {
        snprintf(name, sizeof name, "%s-%d", clang, version);
        if (is_in_path(name)) {
            add(command, name);
            return;
        }
    }
    add(command, is_in_path(gcc) ? gcc : is_cxx ? "c++" : "cc");
}

static void choose_compiler(const struct wishes *w, struct words *command)
{
    const char *wanted = w->compiler ? w->compiler : getenv(w->is_cxx ? "SONDE_CXX" : "SONDE_CC");
    if (wanted) split(command, wanted);
    if (!command->n) find_compiler(command, w->is_cxx);
    for (uint32_t i = 0; i < command->n; i++) {
        const char *name = base_name(command->all[i]);
        if (!strcmp(name, "sonde") || !strcmp(name, "sonde-cc") || !strcmp(name, "sonde-c++"))
            sonde_die(SONDE_USAGE, "sonde cc: SONDE_CC names sonde itself (%s); name a compiler", command->all[i]);
    }
}

/* By its name, else by what it says of itself. */
static bool is_clang(const struct words *command)
{
    char line[4096] = "", text[256];
    const char *name = base_name(command->all[command->n - 1]);
    if (strstr(name, "clang")) return true;
    if (strstr(name, "gcc") || strstr(name, "g++")) return false;
    for (uint32_t i = 0; i < command->n; i++) {
        size_t n = strlen(line);
        snprintf(line + n, sizeof line - n, "'%s' ", command->all[i]);
    }
    strncat(line, "--version 2>/dev/null", sizeof line - strlen(line) - 1);
    FILE *out = popen(line, "re");
    bool says_clang = false;
    while (out && fgets(text, sizeof text, out)) says_clang = says_clang || strstr(text, "clang");
    if (out) pclose(out);
    return says_clang;
}

/* ---- Where the library is --------------------------------------------------------------------------------------*/

struct place {
    char library[PATH_MAX], include[PATH_MAX];
};

static bool resolve(char *to, const char *folder, const char *file)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (access(path, R_OK)) return false;
    *strrchr(path, '/') = 0;
    return realpath(path, to) != NULL;
}

/* In a build folder the tool stands beside the library; installed, the two have a prefix in common. */
static void find_library(struct place *place)
{
    static const char *const libraries[] = {".", SONDE_LIBDIR_FROM_TOOL, "../lib", "../lib64", NULL};
    char folder[PATH_MAX], path[PATH_MAX + 64];
    if (!realpath("/proc/self/exe", folder)) sonde_die(SONDE_INTERNAL, "sonde cc: cannot tell where this tool is");
    *strrchr(folder, '/') = 0;
    for (size_t i = 0; libraries[i]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, libraries[i]);
        if (!resolve(place->library, path, "libsonde.a")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, i == 0 ? "include" : "../include");
        if (resolve(place->include, path, "sonde.h")) return;
    }
    sonde_die(SONDE_USAGE,
              "sonde cc: neither libsonde.a nor sonde.h is where it should be, seen from %s; install "
              "sonde again",
              folder);
}

/* ---- Preconditions ---------------------------------------------------------------------------------------------*/

/* Runs a command with nothing on its standard error; the output, if wanted, as text. True if it succeeded. */
static bool run_quietly(const struct words *command, char **output)
{
    int ends[2], status = -1;
    if (pipe(ends)) return false;
    pid_t child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, 0);
        dup2(ends[1], 1);
        dup2(nowhere, 2);
        close(ends[0]);
        execvp(command->all[0], command->all);
        _exit(127);
    }
    close(ends[1]);
    char *text = NULL;
    uint32_t n = 0, cap = 0;
    for (ssize_t got = 1; got > 0; n += got > 0 ? (uint32_t)got : 0) {
        text = sonde_grow(text, &cap, (size_t)n + 65536, 1);
        got = read(ends[0], text + n, 65535);
    }
    text[n] = 0;
    close(ends[0]);
    if (output) *output = text;
    else sonde_free(text);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static bool is_source(const char *word)
{
    static const char *const ends[] = {"c", "cc", "cp", "cxx", "cpp", "CPP", "c++", "C", NULL};
    const char *dot = strrchr(base_name(word), '.');
    return word[0] != '-' && dot && is_one_of(dot + 1, ends);
}

/* What only looks at one source, with the user's flags: nothing is written anywhere. */
static struct words front_end(const struct words *compiler, const struct words *given, const char *source,
                              const struct place *place)
{
    struct words front = {0};
    add_all(&front, (const char *const *)compiler->all);
    for (uint32_t i = 0; i < given->n; i++) {
        const char *word = given->all[i];
        bool has_more = is_one_of(word, takes_word) && i + 1 < given->n;
        bool writes =
            !strcmp(word, "-o") || is_one_of(word, compile_only) || starts(word, "-M") || starts(word, "-save-temps");
        bool is_input = word[0] != '-' && strcmp(word, source);
        if (!writes && !is_input) add(&front, word);
        if (has_more && !writes) add(&front, given->all[i + 1]);
        i += has_more;
    }
    add_all(&front, (const char *const[]){"-idirafter", place->include, NULL});
    return front;
}

/* In a file without a name that the compiler inherits; -1 if that cannot be had. */
static int hold_text(const char *text)
{
    int file = memfd_create("sonde", 0);
    size_t n = strlen(text), done = 0;
    while (file >= 0 && done < n) {
        ssize_t got = write(file, text + done, n - done);
        if (got <= 0) return -1;
        done += (size_t)got;
    }
    return file;
}

static void add_remapped(struct words *words, const char *source, int file)
{
    add_all(words, (const char *const[]){"-Xclang", "-remap-file", "-Xclang", NULL});
    add_format(words, "%s;/proc/self/fd/%d", source, file);
}

/* Only what the compiler takes without complaint is used; else the source is compiled as it is. */
static void rewrite_source(struct words *command, const struct words *compiler, const struct words *given,
                           const char *source, const struct place *place)
{
    char *text = read_text(source), *macros = NULL;
    if (!text || !strstr(text, "sonde_assume") || strchr(source, ';')) return;
    struct words look = front_end(compiler, given, source, place), check = front_end(compiler, given, source, place);
    add_all(&look, (const char *const[]){"-E", "-dM", NULL});
    if (!run_quietly(&look, &macros)) return;
    const char *dot = strrchr(source, '.');
    char *rewritten = sonde_rewrite(text, macros, strcmp(dot, ".c") != 0 || strstr(compiler->all[0], "++"));
    int file = rewritten ? hold_text(rewritten) : -1;
    if (file < 0) return;
    add(&check, "-fsyntax-only");
    add_remapped(&check, source, file);
    if (run_quietly(&check, NULL)) add_remapped(command, source, file);
    else close(file);
}

/* ---- The command -----------------------------------------------------------------------------------------------*/

/* These become comparisons of the compiler's own making unless it is told not to know them. */
static const char *const compared_texts[] = {"memcmp",      "strcmp", "strncmp", "strcasecmp",
                                             "strncasecmp", "strstr", NULL};

static void add_sanitizers(struct words *command, const struct wishes *w)
{
    if (!w->sanitize || !*w->sanitize) return;
    add_format(command, "-fsanitize=%s", w->sanitize);
    add(command, "-fno-omit-frame-pointer");
}

static void add_compile_flags(struct words *command, const struct wishes *w, const struct step *s, bool clang)
{
    if (!w->covers || s->is_freestanding) return;
    if (!s->preprocesses) add(command, clang ? "-gline-tables-only" : "-g1"); /* with -g, gcc names the folder there */
    add_format(command, "-fsanitize-coverage=%s%s", clang ? "inline-8bit-counters,pc-table" : "trace-pc",
               w->traces_compares ? ",trace-cmp" : "");
    for (size_t i = 0; w->traces_compares && compared_texts[i]; i++)
        add_format(command, "-fno-builtin-%s", compared_texts[i]);
    /* Clang would link its runtime for the calls that libsonde answers. */
    if (clang && !s->compiles_only && !w->sanitize && !s->has_sanitizer) add(command, "-fno-sanitize-link-runtime");
}

/* Sanitizers' runtimes report compared texts themselves. */
static bool wraps_texts(const struct wishes *w, const struct step *s)
{
    return w->covers && w->traces_compares && !w->sanitize && !s->has_sanitizer && !s->is_lto && !s->is_bare;
}

static void add_libraries(struct words *command, const struct wishes *w, const struct step *s,
                          const struct place *place)
{
    if (s->compiles_only || s->is_relocatable) return;
    if (s->language != LANGUAGE_BY_NAME) add_all(command, (const char *const[]){"-x", "none", NULL});
    for (size_t i = 0; wraps_texts(w, s) && compared_texts[i]; i++)
        add_format(command, "-Wl,--wrap=%s", compared_texts[i]);
    if (s->is_shared) {
        /* The program resolves these, one table for all. */
        if (wraps_texts(w, s)) add_format(command, "%s/libsonde_texts.a", place->library);
        if (w->covers) add(command, "-Wl,-z,undefs");
        return;
    }
    /* Libraries that are loaded later find them too. */
    if (w->covers) add(command, "-Wl,--export-dynamic-symbol=__sanitizer_*");
    add_format(command, "%s/libsonde_cov.a", place->library);
    if (s->is_bare) return;
    add_format(command, "%s/libsonde.a", place->library);
    if (wraps_texts(w, s)) add_format(command, "%s/libsonde_texts.a", place->library);
    add_all(command, (const char *const[]){"-lm", "-lpthread", NULL});
}

static void make_command(struct words *command, const struct wishes *w, const struct words *given)
{
    struct step s = read_step(given);
    struct place place;
    choose_compiler(w, command);
    bool adds = !s.is_query && s.has_inputs;
    if (adds) {
        find_library(&place);
        add_sanitizers(command, w);
        if (s.has_sources) {
            struct words compiler = {0};
            bool clang = is_clang(command);
            add_all(&compiler, (const char *const *)command->all);
            add_compile_flags(command, w, &s, clang);
            for (uint32_t i = 0; clang && w->rewrites && w->covers && !s.preprocesses && i < given->n; i++)
                if (is_source(given->all[i])) rewrite_source(command, &compiler, given, given->all[i], &place);
        }
    }
    add_all(command, (const char *const *)given->all);
    if (adds && s.has_sources) add_all(command, (const char *const[]){"-idirafter", place.include, NULL});
    if (adds) add_libraries(command, w, &s, &place);
}

/* ---- Doing it --------------------------------------------------------------------------------------------------*/

static void print_word(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    if (*word && word[strspn(word, plain)] == 0) {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (; *word; word++) {
        if (*word == '\'') fputs("'\\''", stdout);
        else putchar(*word);
    }
    putchar('\'');
}

static int print_command(const struct words *command)
{
    for (uint32_t i = 0; i < command->n; i++) {
        if (i) putchar(' ');
        print_word(command->all[i]);
    }
    putchar('\n');
    return SONDE_PASSED;
}

enum { CANNOT_RUN = 127 }; /* as a shell says it */

int sonde_tool_cc(int argc, char **argv)
{
    struct wishes w = {.covers = true, .traces_compares = true, .rewrites = true};
    struct words own = {0}, given = {0}, command = {0};
    const char *name = base_name(argv[0]), *options = getenv("SONDE_CC_OPTIONS");
    w.is_cxx = strstr(name, "c++") != NULL;
    add(&given, ""); /* so that the list exists; it is dropped below */
    given.n = 0;
    given.all[0] = NULL;
    if (options) split(&own, options);
    for (uint32_t i = 0; i < own.n; i++) {
        if (!take_wish(&w, own.all[i]))
            sonde_die(SONDE_USAGE, "sonde cc: SONDE_CC_OPTIONS: '%s' is not an option of sonde cc", own.all[i]);
    }
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--sonde-help")) {
            fputs(usage, stdout);
            return SONDE_PASSED;
        }
        if (!take_wish(&w, argv[i])) add(&given, argv[i]);
    }
    make_command(&command, &w, &given);
    if (w.prints) return print_command(&command);
    execvp(command.all[0], command.all);
    fprintf(stderr, "sonde cc: cannot run '%s': %s; name a compiler with --sonde-cc= or SONDE_CC\n", command.all[0],
            strerror(errno));
    return CANNOT_RUN;
}
