/* The compiler driver `sonde cc` and `sonde c++`: runs one step of a user's build, with the code under test
 * instrumented.
 *
 * It reads the command line only to see what the step does (compile, link, or neither), adds flags, and becomes the
 * user's compiler by execvp. Sources are not moved. So __FILE__, relative includes, depfiles, messages and the exit
 * status come from the compiler itself. A source with assumes or checks is compiled with its conditions rewritten
 * (precond.h), under the same file name and with the same lines. Added flags, by kind of step:
 *
 *    compiles C or C++   instrumentation, line tables, a list of its variables (sonde/globals.h), and the directory of
 *                        sonde.h, searched last
 *    links a program     libsonde, and the functions that instrumented code calls, each only as needed
 *    links a library     a flag that leaves those calls to be resolved by the program
 *    anything else       nothing
 *
 * Flags go first, so that the user's flags win; libraries go last, as linkers require. libsonde is found relative to
 * this tool: in a build directory beside it, or installed under the same prefix.
 *
 * Example: `sonde cc -O2 -c x.c` with clang becomes (--print prints it)
 *
 *     clang -gline-tables-only -fsanitize-coverage=inline-8bit-counters,pc-table,trace-cmp ... -O2 -c x.c
 *         -fno-data-sections -include INCLUDE/sonde/globals.h -idirafter INCLUDE */
#include "base/die.h"
#include "base/strings.h"
#include "base/mem.h"
#include "instrument.h"
#include "libc_calls.h"
#include "pipe.h"
#include "plain.h"
#include "precond.h"
#include "tools.h"
#include "words.h"

#include <sonde.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef SONDE_LIBDIR_FROM_TOOL
#define SONDE_LIBDIR_FROM_TOOL "../lib"
#endif
#ifndef SONDE_DATADIR_FROM_TOOL
#define SONDE_DATADIR_FROM_TOOL "../share/sonde"
#endif

/* ---- Options of sonde cc ---------------------------------------------------------------------------------------*/

/* The options of sonde cc itself, from the command line and SONDE_CC_OPTIONS. Strings are borrowed from there. */
struct options {
    bool is_cxx;
    bool covers;
    bool traces_compares;
    bool rewrites;
    bool prints;
    bool prints_rewritten;
    bool controls_threads;
    bool threads_are_os;  /* OS threads, not fibers */
    const char *sanitize; /* list for -fsanitize=, or NULL */
    const char *compiler; /* command of the compiler, or NULL */
    struct precond_mutants mutants;
    struct words launched; /* the compiler named after --sonde-launch; overrides `compiler` */
};

const char sonde_cc_usage[] =
    "Usage: sonde cc|c++ [option below]... [anything your compiler takes]...\n\n"
    "Compiles and links like your compiler, and adds sonde.h, the library, and instrumentation of\n"
    "the code under test for sonde's search. Use it as CC=\"sonde cc\", or as sonde-cc in build\n"
    "systems that require a single word.\n\n"
    "  --no-cover          do not record which code is reached\n"
    "  --no-rewrite        compile conditions as they are: the search cannot see how far\n"
    "                      an assume or check is from holding\n"
    "  --no-trace-cmp      do not record what the code compares\n"
    "  --trace-cmp         record what the code compares (the default)\n"
    "  --sanitize[=LIST]   build with sanitizers; without a list, address,undefined. The first use of\n"
    "                      memory (clang only) compiles the library, too\n"
    "  --threads           put threads under control, for sonde_threads: compile and link all of the\n"
    "                      code under test with it; not together with sanitizers\n"
    "  --threads=os        the same with OS threads, one of which runs at a time, for code that fibers\n"
    "                      cannot run; slower. Only linking differs\n"
    "  --mutants[=GLOB]    compile mutants in, for --mutate: of each source that does not include sonde.h,\n"
    "                      or of functions in files that match GLOB (several: separate by commas)\n"
    "  --mutants-skip=NAME do not mutate calls of these functions and macros either, which only log or\n"
    "                      check (patterns, separated by commas)\n"
    "  --sonde-cc=COMMAND  use this compiler; else SONDE_CC or SONDE_CXX, else clang, else gcc\n"
    "  --sonde-launch      use the compiler that the next argument names: for build systems that put\n"
    "                      a launcher before their compiler (sonde_instrument of CMake)\n"
    "  --print             print the compiler's command instead of running it\n"
    "  --print-rewritten   print the sources as they are compiled: conditions rewritten so\n"
    "                      that they report how far they are from holding\n"
    "  --sonde-help        print this; --help prints it before the compiler's help\n\n"
    "SONDE_CC_OPTIONS in the environment may hold these options, for builds that cannot pass them.\n";

/* Reads the value of --threads=. */
static void read_threads(struct options *w, const char *how)
{
    w->controls_threads = true;
    w->threads_are_os = !strcmp(how, "os");
    if (!w->threads_are_os && strcmp(how, "fibers") != 0)
        sonde_die(SONDE_USAGE,
                  "sonde cc: --threads=%s is unknown; write --threads=fibers (the default) or --threads=os", how);
}

/* Appends the parts of a list that is separated by commas. */
static void add_list(struct words *to, const char *list)
{
    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (*list != ',') words_add_format(to, "%.*s", (int)strcspn(list, ","), list);
}

/* Exits with an error about an option that resembles --mutants. */
static void refuse_mutants(const char *word)
{
    sonde_die(SONDE_USAGE,
              "sonde cc: %s: the options are --mutants, --mutants=GLOB[,GLOB] and --mutants-skip=NAME[,NAME]; a single "
              "mutant is chosen when the test runs: ./test --mutate",
              word);
}

/* Reads one option. Returns false if it is not one of sonde cc's: it is then the compiler's. */
static bool take_option(struct options *w, const char *word)
{
    if (!strcmp(word, "--cover")) w->covers = true;
    else if (!strcmp(word, "--no-cover")) w->covers = false;
    else if (!strcmp(word, "--trace-cmp")) w->traces_compares = true;
    else if (!strcmp(word, "--no-trace-cmp")) w->traces_compares = false;
    else if (!strcmp(word, "--no-rewrite")) w->rewrites = false;
    else if (!strcmp(word, "--print")) w->prints = true;
    else if (!strcmp(word, "--print-rewritten")) w->prints_rewritten = true;
    else if (!strcmp(word, "--threads")) w->controls_threads = true;
    else if (word_starts(word, "--threads=")) read_threads(w, word + strlen("--threads="));
    else if (!strcmp(word, "--sanitize")) w->sanitize = "address,undefined";
    else if (word_starts(word, "--sanitize=")) w->sanitize = word + strlen("--sanitize=");
    else if (!strcmp(word, "--mutants")) w->mutants.is_on = true;
    else if (word_starts(word, "--mutants=")) {
        w->mutants.is_on = true;
        add_list(&w->mutants.globs, word + strlen("--mutants="));
        if (!w->mutants.globs.n) refuse_mutants(word);
    } else if (word_starts(word, "--mutants-skip=")) add_list(&w->mutants.skips, word + strlen("--mutants-skip="));
    else if (word_starts(word, "--mutant")) refuse_mutants(word);
    else if (word_starts(word, "--sonde-cc=")) w->compiler = word + strlen("--sonde-cc=");
    else return false;
    return true;
}

/* Exits with an error if a word for the compiler resembles an option of sonde cc, which the compiler's message would
 * not name. At most two letters may differ, because compilers have long options, too. */
static void refuse_misspelt(const char *word)
{
    static const char *const options[] = {"--cover",        "--no-cover",  "--trace-cmp",       "--no-trace-cmp",
                                          "--no-rewrite",   "--print",     "--print-rewritten", "--threads",
                                          "--sanitize",     "--mutants",   "--mutants-skip",    "--sonde-cc",
                                          "--sonde-launch", "--sonde-help"};
    const char *near = NULL;
    size_t n = strcspn(word, "="), least = 3;
    if (!word_starts(word, "--") || n < strlen("--print")) return;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        size_t d = sonde_distance(options[i], word, n);
        if (d == 0 || d >= least) continue; /* 0: an option of the compiler's, with a value */
        least = d;
        near = options[i];
    }
    if (near)
        sonde_die(SONDE_USAGE, "sonde cc: unknown option %.*s; did you mean %s? (--sonde-help lists the options)",
                  (int)n, word, near);
}

/* ---- Kind of step ----------------------------------------------------------------------------------------------*/

/* The language set by -x. LANGUAGE_BY_NAME: the suffix of each input decides. LANGUAGE_C: C, C++ or Objective-C. */
enum language { LANGUAGE_BY_NAME, LANGUAGE_C, LANGUAGE_OTHER };

/* Facts about a step of a build, read from the compiler's command line. */
struct step {
    bool is_query;       /* only prints information about the compiler */
    bool compiles_only;  /* -c, -S, -E, ... */
    bool preprocesses;   /* -E, -M: the step only preprocesses */
    bool is_shared;      /* links a shared library */
    bool is_relocatable; /* -r: links several objects into one */
    bool is_bare;        /* -nostdlib: links without the C library */
    bool is_freestanding;
    bool is_lto;
    bool has_inputs, has_sources, has_plain_sources /* not preprocessed yet */, has_sanitizer, has_msan, has_fuzzer;
    enum language language; /* language of the inputs that follow */
};

/* Options and suffixes of gcc and clang. The tool recognises a step by these. */
static const char *const compile_only[] = {
    "-c",           "-S",           "-E",        "-M",        "-MM", "-fsyntax-only", "--compile", "--assemble",
    "--preprocess", "--precompile", "-emit-ast", "--analyze", NULL};
static const char *const queries[] = {"--version",        "--help",     "-dumpmachine",  "-dumpversion",
                                      "-dumpfullversion", "-dumpspecs", "--target-help", NULL};
static const char *const bare[] = {"-nostdlib", "-nodefaultlibs", "-nolibc", "-nostartfiles", NULL};
static const char *const source_ends[] = {"c",   "i",   "cc",  "cp",  "cxx", "cpp", "CPP",  "c++", "C",
                                          "ii",  "m",   "mi",  "mm",  "M",   "mii", "h",    "H",   "hh",
                                          "hpp", "hxx", "h++", "tcc", "hp",  "HPP", "cppm", "ixx", NULL};
static const char *const preprocessed_ends[] = {"i", "ii", "mi", "mii", NULL};
static const char *const source_languages[] = {"c",           "c++",           "c-header",
                                               "c++-header",  "cpp-output",    "c++-cpp-output",
                                               "objective-c", "objective-c++", NULL};

/* Reads the value of -x. */
static void read_language(struct step *s, const char *name)
{
    s->language = !strcmp(name, "none")                    ? LANGUAGE_BY_NAME
                  : word_is_one_of(name, source_languages) ? LANGUAGE_C
                                                           : LANGUAGE_OTHER;
}

/* Reads an argument that is not an option: a source, an object or a library. */
static void read_input(struct step *s, const char *name)
{
    const char *dot = strrchr(word_base_name(name), '.');
    s->has_inputs = true;
    if (s->language == LANGUAGE_C || (s->language == LANGUAGE_BY_NAME && dot && word_is_one_of(dot + 1, source_ends)))
        s->has_sources = true;
    if (s->has_sources && !(dot && word_is_one_of(dot + 1, preprocessed_ends))) s->has_plain_sources = true;
}

/* Reports whether a list such as "address,undefined" has a sanitizer. */
static bool names(const char *list, const char *sanitizer)
{
    for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
        if (strcspn(list, ",") == strlen(sanitizer) && word_starts(list, sanitizer)) return true;
    return false;
}

static void read_sanitizers(struct step *s, const char *list)
{
    s->has_sanitizer = true;
    s->has_msan |= names(list, "memory");
    s->has_fuzzer |= names(list, "fuzzer");
}

/* Reads one option of the compiler. Unknown options do not matter here. */
static void read_option(struct step *s, const char *word)
{
    static const char *const preprocessing[] = {"-E", "--preprocess", "-M", "-MM", NULL};
    if (word_is_one_of(word, preprocessing)) s->preprocesses = true;
    if (word_is_one_of(word, compile_only)) s->compiles_only = true;
    else if (word_is_one_of(word, queries) || word_starts(word, "-print-") || word_starts(word, "--print-")
             || word_starts(word, "--help="))
        s->is_query = true;
    else if (!strcmp(word, "-shared") || !strcmp(word, "--shared") || !strcmp(word, "-dynamiclib")) s->is_shared = true;
    else if (!strcmp(word, "-r") || !strcmp(word, "-Wl,-r") || !strcmp(word, "-Wl,--relocatable"))
        s->is_relocatable = true;
    else if (word_is_one_of(word, bare)) s->is_bare = true;
    else if (!strcmp(word, "-ffreestanding")) s->is_freestanding = true;
    else if (word_starts(word, "-flto")) s->is_lto = true;
    else if (word_starts(word, "-fsanitize=")) read_sanitizers(s, word + strlen("-fsanitize="));
    else if (word_starts(word, "-l")) s->has_inputs = true;
}

/* Appends a word, or the words of the response file that @FILE names, recursively. The compiler still gets @FILE
 * itself: the words are only looked at. A response file that cannot be read counts as an input of that name, as in
 * compilers. Depth 32 ends a file that includes itself. */
static void expand(struct words *to, const char *word, int depth)
{
    char *text = word[0] == '@' && depth < 32 ? words_read_file(word + 1) : NULL;
    if (!text) {
        words_add(to, word);
        return;
    }
    struct words inner = {0};
    words_split(&inner, text);
    for (uint32_t i = 0; i < inner.n; i++) expand(to, inner.all[i], depth + 1);
    sonde_free(text);
}

/* Returns what the compiler's command line does. */
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
        if (word_starts(word, "-x") && word[2]) read_language(&s, word + 2);
        if (!word_is_one_of(word, words_taking_another) || i + 1 == all.n) continue;
        i++;
        if (!strcmp(word, "-x")) read_language(&s, all.all[i]);
        if (!strcmp(word, "-l")) s.has_inputs = true;
    }
    return s;
}

/* ---- Choice of compiler ----------------------------------------------------------------------------------------*/

/* Reports whether a program is in PATH, as execvp would find it. */
static bool is_in_path(const char *name)
{
    const char *path = getenv("PATH");
    char file[PATH_MAX];
    if (!path) path = "/usr/local/bin:/usr/bin:/bin";
    for (;;) {
        size_t n = strcspn(path, ":");
        int length = snprintf(file, sizeof file, "%.*s/%s", n ? (int)n : 1, n ? path : ".", name);
        struct stat info; /* access() reports a directory as executable, too */
        bool fits = length > 0 && (size_t)length < sizeof file;
        if (fits && access(file, X_OK) == 0 && stat(file, &info) == 0 && S_ISREG(info.st_mode)) return true;
        if (!path[n]) return false;
        path += n + 1;
    }
}

/* Versions to look for as clang-N where there is no plain `clang`. */
enum { NEWEST_CLANG = 30, OLDEST_CLANG = 11 };

/* Adds the default compiler. Prefers clang, whose coverage counters cost least. If musl-gcc
 * compiled the library, it is the default: other compilers would link the program with two C libraries. */
static void find_compiler(struct words *command, bool is_cxx)
{
#ifdef SONDE_MUSL_GCC
    if (!is_cxx) {
        words_split(command, SONDE_MUSL_GCC);
        return;
    }
#endif
    const char *clang = is_cxx ? "clang++" : "clang", *gcc = is_cxx ? "g++" : "gcc";
    char name[32];
    if (is_in_path(clang)) {
        words_add(command, clang);
        return;
    }
    for (int version = NEWEST_CLANG; version >= OLDEST_CLANG; version--) {
        snprintf(name, sizeof name, "%s-%d", clang, version);
        if (is_in_path(name)) {
            words_add(command, name);
            return;
        }
    }
    words_add(command, is_in_path(gcc) ? gcc : is_cxx ? "c++" : "cc");
}

/* Adds the command of the compiler: named by --sonde-launch, else --sonde-cc, else the environment, else the default.
 * Exits with an error if that is sonde itself, which would call itself forever. */
static void choose_compiler(const struct options *w, struct words *command)
{
    const char *wanted = w->compiler ? w->compiler : getenv(w->is_cxx ? "SONDE_CXX" : "SONDE_CC");
    if (w->launched.n) words_add_all(command, (const char *const *)w->launched.all);
    else if (wanted) words_split(command, wanted);
    if (!command->n) find_compiler(command, w->is_cxx);
    for (uint32_t i = 0; i < command->n; i++) {
        const char *name = word_base_name(command->all[i]);
        if (!strcmp(name, "sonde") || !strcmp(name, "sonde-cc") || !strcmp(name, "sonde-c++"))
            sonde_die(SONDE_USAGE, "sonde cc: the compiler would be sonde itself (%s); name another in SONDE_CC",
                      command->all[i]);
    }
}

/* Reports whether a compiler is clang: by its name, else by the output of --version. `cc` may be either. */
static bool is_clang(const struct words *command)
{
    char text[256];
    const char *name = word_base_name(command->all[command->n - 1]);
    if (strstr(name, "clang")) return true;
    if (strstr(name, "gcc") || strstr(name, "g++")) return false;
    struct words question = {0};
    words_add_all(&question, (const char *const *)command->all);
    words_add(&question, "--version");
    struct tool_pipe answer;
    if (!tool_pipe_open(&answer, question.all, -1)) return false;
    bool says_clang = false;
    while (fgets(text, sizeof text, answer.out)) says_clang = says_clang || strstr(text, "clang");
    tool_pipe_close(&answer);
    return says_clang;
}

/* ---- Location of the library -----------------------------------------------------------------------------------*/

/* Directories of libsonde.a and sonde.h, and the path of the amalgamated source. */
struct paths {
    char library[PATH_MAX], include[PATH_MAX];
    char source[2 * PATH_MAX]; /* sonde.c: the whole library in one file */
};

/* Writes the absolute path of a directory to `to`. Returns false if it does not have the file. */
static bool resolve(char *to, const char *folder, const char *file)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (access(path, R_OK)) return false;
    *strrchr(path, '/') = 0;
    return realpath(path, to) != NULL;
}

/* Finds the library relative to this program. In a build directory both are in the same one; installed, both are under
 * one prefix. Exits with an error if there is none. */
static void find_library(struct paths *paths)
{
    static const char *const libraries[] = {".", SONDE_LIBDIR_FROM_TOOL, "../lib", "../lib64", NULL};
    char folder[PATH_MAX], path[PATH_MAX + 64];
    if (!realpath("/proc/self/exe", folder))
        sonde_die(SONDE_INTERNAL, "sonde cc: cannot determine where this tool is installed; is /proc mounted?");
    *strrchr(folder, '/') = 0;
    for (size_t i = 0; libraries[i]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, libraries[i]);
        if (!resolve(paths->library, path, "libsonde.a")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, i == 0 ? "include" : "../include");
        snprintf(paths->source, sizeof paths->source, "%s/%s/sonde.c", folder,
                 i == 0 ? "share" : SONDE_DATADIR_FROM_TOOL);
        if (resolve(paths->include, path, "sonde.h")) return;
    }
    sonde_die(SONDE_USAGE,
              "sonde cc: cannot find libsonde.a and sonde.h near this tool, which is in %s; install sonde again",
              folder);
}

/* ---- The command -----------------------------------------------------------------------------------------------*/

/* Functions that compilers expand inline. They must remain calls (-fno-builtin-*), so that the strings they compare can
 * be recorded. */
static const char *const compared_texts[] = {"memcmp",      "strcmp", "strncmp", "strcasecmp",
                                             "strncasecmp", "strstr", NULL};

static void add_sanitizers(struct words *command, const struct options *w)
{
    if (!w->sanitize || !*w->sanitize) return;
    words_add_format(command, "-fsanitize=%s", w->sanitize);
    words_add(command, "-fno-omit-frame-pointer");
}

/* Adds flags for --threads. The instrumentation of ThreadSanitizer reports memory accesses to functions of
 * libsonde_threads, which replaces ThreadSanitizer's library. */
static void add_thread_flags(struct words *command, const struct step *s, bool clang)
{
    words_add(command, "-fsanitize=thread");
    words_add(command, "-fno-optimize-sibling-calls"); /* a return address is then the location of the call */
    for (size_t i = 0; libc_builtins[i]; i++) words_add_format(command, "-fno-builtin-%s", libc_builtins[i]);
    if (clang) words_add_all(command, (const char *const[]){"-mllvm", "-tsan-instrument-func-entry-exit=0", NULL});
    else words_add(command, "--param=tsan-instrument-func-entry-exit=0");
    if (s->preprocesses || s->compiles_only) return;
    words_add(command, clang ? "-fno-sanitize-link-runtime" : "-nodefaultlibs");
}

/* Adds instrumentation for coverage and comparisons, and the line tables that reports need. */
static void add_compile_flags(struct words *command, const struct options *w, const struct step *s, bool clang)
{
    if (!w->covers || s->is_freestanding) return;
    if (!s->preprocesses)
        words_add(command, clang ? "-gline-tables-only" : "-g1"); /* with -g, gcc records the directory too */
    words_add_format(command, "-fsanitize-coverage=%s%s", clang ? "inline-8bit-counters,pc-table" : "trace-pc",
                     w->traces_compares ? ",trace-cmp" : "");
    /* Clang's pass does not report comparisons that decide whether a loop continues. That is right for a loop's
     * counter. But rotating a loop twice makes `if (...) return false` in its body such a comparison. So headers with a
     * load and a comparison must not be rotated. */
    if (clang && w->traces_compares)
        words_add_all(command, (const char *const[]){"-mllvm", "-rotation-max-header-size=2", NULL});
    for (size_t i = 0; w->traces_compares && compared_texts[i]; i++)
        words_add_format(command, "-fno-builtin-%s", compared_texts[i]);
    /* Clang would link its runtime for calls that libsonde implements. */
    if (clang && !s->compiles_only && !w->sanitize && !s->has_sanitizer && !w->controls_threads)
        words_add(command, "-fno-sanitize-link-runtime");
}

/* Reports whether libsonde_texts must wrap the functions that compare strings. The runtimes of sanitizers report
 * compared strings themselves, and so does libsonde_threads. */
static bool wraps_texts(const struct options *w, const struct step *s)
{
    bool is_reported = w->sanitize || s->has_sanitizer || w->controls_threads;
    return w->covers && w->traces_compares && !is_reported && !s->is_lto && !s->is_bare;
}

/* Returns the path of libsonde compiled with MemorySanitizer; static. Exits with an error if the compiler is not
 * clang. */
static const char *msan_library(const struct options *w, const struct paths *paths)
{
    static char library[PATH_MAX];
    struct words compiler = {0};
    choose_compiler(w, &compiler);
    if (!is_clang(&compiler))
        sonde_die(SONDE_USAGE,
                  "sonde cc: MemorySanitizer needs clang, and the compiler is %s; name another one with "
                  "--sonde-cc= or SONDE_CC, or run the program under valgrind",
                  compiler.all[0]);
    if (w->prints) return "libsonde.a"; /* stands for the archive, which is not compiled here */
    instrumented_library(&compiler, paths->source, paths->include, library);
    return library;
}

static bool has_word(const struct words *words, const char *word)
{
    for (uint32_t i = 0; i < words->n; i++)
        if (!strcmp(words->all[i], word)) return true;
    return false;
}

/* Adds the libraries that gcc links by default, except the sanitizer's: -nodefaultlibs has dropped all. */
static void add_default_libraries(struct words *command, const struct options *w)
{
    if (w->is_cxx) words_add(command, "-lstdc++");
    words_add_all(command, (const char *const[]){"-lm", "-ldl", "-lc", "-lgcc", "-Wl,--as-needed", "-lgcc_s", NULL});
}

/* Makes the linker direct calls of each NAME to __wrap_NAME. */
static void wrap_all(struct words *command, const char *const *names)
{
    for (size_t i = 0; names[i]; i++) words_add_format(command, "-Wl,--wrap=%s", names[i]);
}

/* Adds libsonde_threads, which replaces functions of the C library. Exports these, so that libraries loaded later use
 * them too. */
static void add_threads(struct words *command, const struct options *w, const struct paths *paths)
{
    static const char *const exported[] = {"__tsan_*",  "__wrap_*", "pthread_*", "thrd_*",  "mtx_*",   "cnd_*",
                                           "tss_*",     "sem_*",    "call_once", "clock_*", "*sleep",  "time",
                                           "free",      "read",     "write",     "realloc", "syscall", "sched_yield",
                                           "uselocale", "sig*",     "raise",     "kill*",   "tgkill",  "gettid",
                                           "*alarm",    "timer*",   "setitimer", "clone",   "*fork",   "wait*",
                                           "daemon",    "pause",    "p*select",  "*poll",   NULL};
    char archive[PATH_MAX + 32];
    snprintf(archive, sizeof archive, "%s/libsonde_threads.a", paths->library);
    if (!w->prints && access(archive, R_OK) != 0)
        sonde_die(SONDE_USAGE,
                  "sonde cc: --threads needs the GNU C library; this installation was made for another: it has no %s",
                  archive);
    words_add_all(command, (const char *const[]){"-Wl,--whole-archive", archive, "-Wl,--no-whole-archive", NULL});
    if (w->threads_are_os) words_add(command, "-Wl,--defsym=sonde_os_chosen_=sonde_os_yes_");
    for (size_t i = 0; exported[i]; i++) words_add_format(command, "-Wl,--export-dynamic-symbol=%s", exported[i]);
}

/* Adds the libraries and linker flags of a step that links. Their order matters: see the comments below. */
static void add_libraries(struct words *command, const struct options *w, const struct step *s,
                          const struct paths *paths)
{
    if (s->compiles_only || s->is_relocatable) return;
    if (s->language != LANGUAGE_BY_NAME) words_add_all(command, (const char *const[]){"-x", "none", NULL});
    if (wraps_texts(w, s)) wrap_all(command, compared_texts);
    if (w->controls_threads && !s->is_bare) {
        wrap_all(command, libc_builtins);
        wrap_all(command, libc_others);
    }
    if (s->is_shared) {
        if (w->controls_threads) words_add(command, "-Wl,-z,undefs");
        /* The program resolves the undefined symbols, so that all libraries share one table. */
        if (wraps_texts(w, s)) words_add_format(command, "%s/libsonde_texts.a", paths->library);
        if (w->covers) words_add(command, "-Wl,-z,undefs");
        return;
    }
    /* Before libsonde.a: the library's thread-local variables must come after the program's. */
    if (w->controls_threads && !s->is_bare) add_threads(command, w, paths);
    /* Libraries that are loaded later need these symbols. */
    if (w->covers) words_add(command, "-Wl,--export-dynamic-symbol=__sanitizer_*");
    words_add_format(command, "%s/libsonde_cov.a", paths->library);
    if (s->is_bare) return;
    /* The library for MemorySanitizer is a single object. Its functions for instrumented code are then defined twice:
     * libFuzzer's, which come first, win. */
    if (s->has_msan && s->has_fuzzer) words_add(command, "-Wl,-z,muldefs");
    if (s->has_msan) {
        words_add(command, msan_library(w, paths)); /* this archive has no classic guides */
    } else {
        words_add_format(command, "%s/libsonde_classic.a", paths->library); /* goes first: see its source.c */
        words_add_format(command, "%s/libsonde.a", paths->library);
    }
    if (wraps_texts(w, s)) words_add_format(command, "%s/libsonde_texts.a", paths->library);
    words_add_all(command, (const char *const[]){"-lm", "-lpthread", NULL});
    if (has_word(command, "-nodefaultlibs")) add_default_libraries(command, w);
}

/* Adds flags by which `.reset = SONDE_GLOBALS` knows the variables of an object: a header, and variables in sections
 * that the header knows by name. The header goes after the user's -include, since the first one may be precompiled. */
static void add_marks(struct words *given, const struct step *s, const struct paths *paths)
{
    if (!s->has_plain_sources || s->preprocesses || s->is_freestanding || s->is_bare || s->is_lto) return;
    words_add_all(given, (const char *const[]){"-fno-data-sections", "-include", NULL});
    words_add_format(given, "%s/sonde/globals.h", paths->include);
}

/* Exits with an error if options contradict each other. */
static void check_options(const struct options *w, const struct step *s)
{
    if (w->controls_threads && w->mutants.is_on)
        sonde_die(SONDE_USAGE,
                  "sonde cc: --mutants cannot be combined with --threads: each mutant would add accesses to "
                  "shared memory; build two programs");
    if (!w->controls_threads || (!(w->sanitize && *w->sanitize) && !s->has_sanitizer)) return;
    sonde_die(
        SONDE_USAGE,
        "sonde cc: --threads cannot be combined with sanitizers, since both need the same instrumentation; build two "
        "programs, one with --threads and one with --sanitize");
}

/* Removes libsonde.a from the user's arguments, where `pkg-config --libs sonde-faults` may have put it. sonde cc adds
 * it last: thread-local variables before the library's belong to the code under test (addons/threads/tls.c). */
static void drop_library(struct words *given)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < given->n; i++) {
        bool is_library = given->all[i][0] != '-' && !strcmp(word_base_name(given->all[i]), "libsonde.a");
        if (!is_library) given->all[n++] = given->all[i];
    }
    given->n = n;
    given->all[n] = NULL;
}

/* Warns if C++ is linked by sonde cc: the linker's errors would not name the way out. */
static void warn_of_cxx(const struct words *command, const struct step *s, const struct words *given)
{
    static const char *const ends[] = {"cc", "cp", "cxx", "cpp", "CPP", "c++", "C", NULL};
    static const char *const libraries[] = {"-lstdc++", "-lc++", NULL};
    if (strstr(command->all[0], "++") || s->compiles_only || s->is_relocatable || s->is_shared) return;
    for (size_t i = 0; libraries[i]; i++)
        if (has_word(given, libraries[i])) return;
    for (uint32_t i = 0; i < given->n; i++) {
        const char *dot = given->all[i][0] == '-' ? NULL : strrchr(given->all[i], '.');
        for (size_t k = 0; dot && ends[k]; k++)
            if (!strcmp(dot + 1, ends[k])) {
                sonde_complain("sonde cc: warning: %s is C++, whose library is missing here; use sonde c++",
                               given->all[i]);
                return;
            }
    }
}

/* Builds the compiler's command: compiler, flags, the user's arguments with sources rewritten, libraries. May print the
 * rewritten sources (--print-rewritten) or the compiler's messages, and may exit (see precond_rewrite). */
static void make_command(struct words *command, const struct options *w, struct words *given)
{
    drop_library(given);
    struct step s = read_step(given);
    struct paths paths;
    s.has_msan |= w->sanitize && names(w->sanitize, "memory");
    check_options(w, &s);
    choose_compiler(w, command);
    bool adds = !s.is_query && s.has_inputs, rewritten = false;
    if (adds) {
        find_library(&paths);
        add_sanitizers(command, w);
        if (s.has_sources) {
            bool clang = is_clang(command);
            add_compile_flags(command, w, &s, clang);
            if (w->controls_threads && !s.is_freestanding) add_thread_flags(command, &s, clang);
            add_marks(given, &s, &paths);
            struct words plain = {0};
            words_add_all(&plain, (const char *const *)command->all);
            struct precond_step step = {.before = &plain,
                                        .given = given,
                                        .include = paths.include,
                                        .is_clang = clang,
                                        .is_cxx = w->is_cxx,
                                        .gives_distances = w->prints_rewritten || (w->rewrites && w->covers),
                                        .traces_reals =
                                            clang && w->covers && w->traces_compares && !s.is_lto && !s.is_freestanding,
                                        .compiles_only = has_word(given, "-c") || has_word(given, "--compile"),
                                        .assembles = has_word(given, "-S") || has_word(given, "--assemble"),
                                        .mutants = &w->mutants};
            if (w->prints_rewritten) precond_print(&step);
            else rewritten = !w->prints && precond_rewrite(&step, command);
        }
    }
    if (!rewritten) words_add_all(command, (const char *const *)given->all);
    if (adds && s.has_sources) words_add_all(command, (const char *const[]){"-idirafter", paths.include, NULL});
    if (adds && w->controls_threads && !s.compiles_only && !s.is_relocatable && !s.is_shared) {
        struct words compiler = {0}, all = {0};
        choose_compiler(w, &compiler);
        for (uint32_t i = 0; i < given->n; i++) expand(&all, given->all[i], 0);
        plain_add_note(command, &all, &compiler);
    }
    if (adds) add_libraries(command, w, &s, &paths);
    if (adds && !w->is_cxx) warn_of_cxx(command, &s, given);
}

/* ---- Running it ------------------------------------------------------------------------------------------------*/

/* Prints a word so that a shell reads it back: quoted unless it consists of harmless characters. */
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

/* Takes the compiler after --sonde-launch, and a compiler cache before it. Returns the number of words taken. */
static int take_launched(struct options *w, char **words)
{
    static const char *const caches[] = {"ccache", "sccache", "distcc", "icecc", NULL};
    int n = 0;
    while (words[n] && word_is_one_of(word_base_name(words[n]), caches)) words_add(&w->launched, words[n++]);
    if (!words[n])
        sonde_die(SONDE_USAGE,
                  "sonde cc: there is no compiler after --sonde-launch; write --sonde-launch COMPILER ARGUMENT...");
    words_add(&w->launched, words[n++]);
    return n;
}

enum { CANNOT_RUN = 127 }; /* the status that a shell returns if it cannot run a command */

int sonde_tool_cc(int argc, char **argv)
{
    struct options w = {.covers = true, .traces_compares = true, .rewrites = true};
    struct words own = {0}, given = {0}, command = {0};
    const char *name = word_base_name(argv[0]), *options = getenv("SONDE_CC_OPTIONS");
    w.is_cxx = strstr(name, "c++") != NULL;
    words_add(&given, ""); /* so that the list exists; it is dropped below */
    given.n = 0;
    given.all[0] = NULL;
    if (options) words_split(&own, options);
    for (uint32_t i = 0; i < own.n; i++) {
        if (!take_option(&w, own.all[i]))
            sonde_die(SONDE_USAGE,
                      "sonde cc: SONDE_CC_OPTIONS: '%s' is not an option of sonde cc; see sonde cc --sonde-help",
                      own.all[i]);
    }
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--sonde-help")) {
            fputs(sonde_cc_usage, stdout);
            return SONDE_PASSED;
        }
        if (!strcmp(argv[i], "--sonde-launch")) i += take_launched(&w, argv + i + 1);
        else if (!take_option(&w, argv[i])) {
            refuse_misspelt(argv[i]);
            words_add(&given, argv[i]);
        }
    }
    w.mutants.is_verbose = has_word(&given, "-v");
    make_command(&command, &w, &given);
    if (w.prints_rewritten) return SONDE_PASSED;
    if (w.prints) return print_command(&command);
    if (has_word(&given, "--help")) {
        printf("%s\n%s adds its own help:\n\n", sonde_cc_usage, command.all[0]);
        fflush(stdout);
    }
    execvp(command.all[0], command.all);
    sonde_complain("sonde cc: cannot run '%s': %s; name a compiler with --sonde-cc= or SONDE_CC", command.all[0],
                   strerror(errno));
    return CANNOT_RUN;
}
