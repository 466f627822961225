/* The command `sonde doctor`: tests which features of sonde work on this machine. For each that does not, it prints
 * what the feature is for and the command that installs it. Features are tried, not looked up: a sanitizer counts as
 * present if a program built with it runs.
 *
 * Each line of the output begins with ok, missing (an optional feature) or broken (nothing works without it):
 *
 *     ok       sonde cc           compiles a property, which finds a planted bug and shrinks it
 *     missing  gdb                --gdb runs a failing input in the debugger
 *                              to fix: sudo apt-get install gdb
 *
 * The status is 0 if a first property can be compiled and run, 1 if not. */
#include "base/die.h"
#include "pipe.h"
#include "tools.h"
#include "words.h"

#include <sonde.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef SONDE_LIBDIR_FROM_TOOL
#define SONDE_LIBDIR_FROM_TOOL "../lib"
#endif

/* ---- Packages --------------------------------------------------------------------------------------------------*/

/* Package managers, in the order in which they are looked for, and their commands. */
enum { MANAGERS = 4, ADVICE = 512 };
static const struct manager {
    const char *program, *line;
} managers[MANAGERS] = {{"apt-get", "sudo apt-get install"},
                        {"dnf", "sudo dnf install"},
                        {"apk", "sudo apk add"},
                        {"pacman", "sudo pacman -S"}};

enum package { COMPILER, CLANG, SANITIZERS, CXX, PKG_CONFIG, LIBCLANG, GDB, BINUTILS, VALGRIND, AFL };
/* Names of packages, one column per manager. */
static const char *const packages[][MANAGERS] = {
    [COMPILER] = {"gcc libc6-dev", "gcc glibc-devel", "gcc musl-dev", "gcc"},
    [CLANG] = {"clang", "clang", "clang", "clang"},
    [SANITIZERS] = {"libclang-rt-dev", "compiler-rt libasan libubsan", "compiler-rt", "compiler-rt"},
    [CXX] = {"g++", "gcc-c++", "g++", "gcc"},
    [PKG_CONFIG] = {"pkg-config", "pkgconf-pkg-config", "pkgconf", "pkgconf"},
    [LIBCLANG] = {"libclang-dev", "clang-devel", "clang-dev", "clang"},
    [GDB] = {"gdb", "gdb", "gdb", "gdb"},
    [BINUTILS] = {"binutils", "binutils", "binutils", "binutils"},
    [VALGRIND] = {"valgrind libc6-dbg", "valgrind", "valgrind", "valgrind"},
    [AFL] = {"afl++", "american-fuzzy-lop", "afl++", "afl++"},
};

/* Reports whether PATH has a program. */
static bool in_path(const char *program)
{
    const char *path = getenv("PATH");
    char file[PATH_MAX];
    for (const char *at = path ? path : "/usr/bin:/bin"; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        int n = (int)strcspn(at, ":");
        if (snprintf(file, sizeof file, "%.*s/%s", n, at, program) < (int)sizeof file && !access(file, X_OK))
            return true;
    }
    return false;
}

/* Returns the command that installs a package on this machine, in a static buffer. Omits sudo for root. */
static const char *advise_package(enum package package)
{
    static char line[ADVICE];
    for (size_t i = 0; i < MANAGERS; i++) {
        if (!in_path(managers[i].program)) continue;
        const char *command = managers[i].line + (geteuid() == 0 ? strlen("sudo ") : 0);
        snprintf(line, sizeof line, "%s %s", command, packages[package][i]);
        return line;
    }
    snprintf(line, sizeof line, "install the package that Debian calls %s", packages[package][0]);
    return line;
}

/* ---- The report ------------------------------------------------------------------------------------------------*/

/* State of one run of the command. */
struct checkup {
    char tool[PATH_MAX];      /* this program */
    char folder[PATH_MAX];    /* temporary directory for compiled programs; removed at the end */
    char libraries[PATH_MAX]; /* directory of the libraries of an installed sonde; may not exist */
    unsigned n_missing;
    bool is_broken;
};

static void print_line(const char *mark, const char *what, const char *text)
{
    printf("%-8s %-18s %s\n", mark, what, text);
}

/* Prints a line about a feature, and the advice if it is missing. `use` says what the feature is for. */
static void report_feature(struct checkup *v, bool works, const char *what, const char *use, const char *advice)
{
    print_line(works ? "ok" : "missing", what, use);
    if (works) return;
    v->n_missing++;
    printf("%28sto fix: %s\n", "", advice);
}

/* ---- Trying ----------------------------------------------------------------------------------------------------*/

/* A property that fails from 500 on. The program's status is 0 if the failure was found and shrunk to exactly 500. */
static const char property[] =
    "#include <sonde.h>\n"
    "static int least = 1001;\n"
    "static void small(sonde *t)\n"
    "{\n"
    "    int x = sonde_int(t, \"x\", 0, 1000);\n"
    "    if (x >= 500 && x < least) least = x;\n"
    "    sonde_check(t, x < 500);\n"
    "}\n"
    "int main(void)\n"
    "{\n"
    "    sonde_config config = {.name = \"small\", .seed = 1, .quiet = true, .store = \"\"};\n"
    "    return sonde_run(small, &config) == SONDE_FALSIFIED && least == 500 ? 0 : 1;\n"
    "}\n";
static const char property_cxx[] = "#include <sonde.hpp>\n"
                                   "static void small(sonde *t) { sonde_check(t, sonde_int(t, \"x\", 0, 9) < 10); }\n"
                                   "SONDE_MAIN(small)\n";

/* Writes the path of a file in the temporary directory. */
static void in_folder(const struct checkup *v, const char *name, char path[PATH_MAX])
{
    if (snprintf(path, PATH_MAX, "%s/%s", v->folder, name) >= PATH_MAX)
        sonde_die(SONDE_INTERNAL,
                  "sonde doctor: the path of the temporary directory is too long; set TMPDIR to another");
}

static void write_source(const struct checkup *v, const char *name, const char *text)
{
    char path[PATH_MAX];
    in_folder(v, name, path);
    FILE *out = fopen(path, "w");
    if (!out || fputs(text, out) < 0 || fclose(out))
        sonde_die(SONDE_INTERNAL, "sonde doctor: cannot write %s: %s", path, strerror(errno));
}

/* Reports whether a command ends with status 0. Discards its output; with `loud` its standard error is shown. */
static bool succeeds(const struct words *command, bool loud)
{
    struct tool_pipe p;
    if (!(loud ? tool_pipe_open_loudly(&p, command->all) : tool_pipe_open(&p, command->all, -1))) return false;
    while (fgetc(p.out) != EOF) {}
    return tool_pipe_close(&p);
}

/* Compiles a source with `sonde HOW` and more arguments (may be NULL), and runs the program. Returns whether both
 * succeeded. */
static bool builds(const struct checkup *v, const char *how, const char *source, const struct words *more, bool loud)
{
    char path[PATH_MAX], program[PATH_MAX];
    struct words compile = {0}, run = {0};
    in_folder(v, source, path);
    in_folder(v, "program", program);
    words_add_all(&compile, (const char *const[]){v->tool, how, "-g", path, "-o", program, NULL});
    if (more) words_add_all(&compile, (const char *const *)more->all);
    if (!succeeds(&compile, loud)) return false;
    words_add_all(&run, (const char *const[]){program, NULL});
    bool runs = succeeds(&run, loud);
    unlink(program);
    return runs;
}

/* Appends the words that pkg-config prints. Returns false if it does not know the package. */
static bool ask_pkg_config(struct words *to, const char *const *arguments)
{
    struct words command = {0};
    struct tool_pipe p;
    char line[4096];
    words_add(&command, "pkg-config");
    words_add_all(&command, arguments);
    if (!tool_pipe_open(&p, command.all, -1)) return false;
    if (fgets(line, sizeof line, p.out)) {
        line[strcspn(line, "\n")] = 0;
        words_split(to, line);
    }
    while (fgetc(p.out) != EOF) {}
    return tool_pipe_close(&p);
}

/* ---- The checks ------------------------------------------------------------------------------------------------*/

/* Tests the one feature that everything needs: compiling and running a property. Shows the compiler's messages if that
 * fails. */
static void check_compiler(struct checkup *v)
{
    static const char what[] = "sonde cc", use[] = "compiles a property, which finds a planted bug and shrinks it";
    if (builds(v, "cc", "property.c", NULL, false)) {
        print_line("ok", what, use);
        return;
    }
    v->is_broken = true;
    print_line("broken", what, use);
    if (!getenv("SONDE_CC") && !in_path("clang") && !in_path("gcc") && !in_path("cc")) {
        printf("%28sto fix: %s\n", "", advise_package(COMPILER));
        return;
    }
    printf("%28sthe compiler's messages follow; set SONDE_CC to use another compiler\n", "");
    fflush(stdout);
    builds(v, "cc", "property.c", NULL, true);
}

static void check_compilers_extras(struct checkup *v)
{
    struct words sanitize = {0};
    words_add(&sanitize, "--sanitize");
    report_feature(v, builds(v, "cc", "property.c", &sanitize, false), "--sanitize",
                   "finds invalid memory accesses, leaks and undefined behaviour", advise_package(SANITIZERS));
    report_feature(v, in_path("clang"), "clang",
                   "records coverage at half the cost of gcc; needed for MemorySanitizer and libFuzzer",
                   advise_package(CLANG));
    report_feature(v, builds(v, "c++", "property.cpp", NULL, false), "sonde c++", "compiles properties in C++",
                   advise_package(CXX));
}

/* Tests pkg-config, by which other compilers and build systems find the library: the version, then a program linked
 * with the shared library. */
static void check_pkg_config(struct checkup *v)
{
    static const char what[] = "pkg-config sonde", use[] = "your build finds sonde.h and the library with it";
    char advice[ADVICE + PATH_MAX], file[PATH_MAX + 32];
    struct words version = {0}, flags = {0};
    if (!in_path("pkg-config")) {
        report_feature(v, false, what, use, advise_package(PKG_CONFIG));
        return;
    }
    bool is_known = ask_pkg_config(&version, (const char *const[]){"--modversion", "sonde", NULL}) && version.n == 1;
    if (is_known && strcmp(version.all[0], SONDE_VERSION) != 0) {
        snprintf(advice, sizeof advice, "it finds version %s, but this is %s; remove one of the two installations",
                 version.all[0], SONDE_VERSION);
        print_line("missing", what, advice);
        v->n_missing++;
        return;
    }
    snprintf(file, sizeof file, "%s/pkgconfig/sonde.pc", v->libraries);
    if (!access(file, R_OK)) snprintf(advice, sizeof advice, "export PKG_CONFIG_PATH=%s/pkgconfig", v->libraries);
    else
        snprintf(advice, sizeof advice,
                 "make install, in sonde's source directory; without root: make install PREFIX=$HOME/.local");
    report_feature(v, is_known, what, use, advice);
    if (!is_known) return;
    words_add(&flags, "--no-cover");
    ask_pkg_config(&flags, (const char *const[]){"--libs", "sonde", NULL});
    bool shared = builds(v, "cc", "property.c", &flags, false);
    snprintf(advice, sizeof advice, "export LD_LIBRARY_PATH=%s (or link with sonde-static, which needs no path)",
             v->libraries);
    report_feature(v, shared, "libsonde.so", "programs that are linked with the shared library find it when they run",
                   geteuid() == 0 && !strncmp(v->libraries, "/usr/", 5) ? "ldconfig" : advice);
}

/* Tests the optional programs. */
static void check_programs(struct checkup *v)
{
    static const struct {
        const char *program, *use;
        enum package package;
    } rows[] = {
        {"gdb", "--gdb runs a failing input in the debugger", GDB},
        {"addr2line", "adds file and line to reports of crashes and misuse; needed for sonde cov", BINUTILS},
        {"valgrind", "finds invalid memory accesses in any build", VALGRIND},
        {"afl-fuzz", "AFL++ can search for inputs of a property", AFL},
    };
    char companion[PATH_MAX + 16];
    snprintf(companion, sizeof companion, "%s-derive", v->tool);
    char advice[ADVICE];
    snprintf(advice, sizeof advice, "%s, then build sonde again", advise_package(LIBCLANG));
    report_feature(v, !access(companion, X_OK), "sonde derive, new",
                   "write generators from C types, and first tests from prototypes", advice);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        report_feature(v, in_path(rows[i].program), rows[i].program, rows[i].use, advise_package(rows[i].package));
}

/* Tests what the system permits. The personality is read back after it is set: a filter of system calls may report
 * success without doing anything. */
static void check_system(struct checkup *v)
{
    static const unsigned long ask = 0xffffffff; /* changes nothing */
    int now = personality(ask);
    bool fixed =
        now >= 0 && personality((unsigned long)now | ADDR_NO_RANDOMIZE) >= 0 && (personality(ask) & ADDR_NO_RANDOMIZE);
    if (now >= 0) personality((unsigned long)now);
    report_feature(v, fixed, "--no-aslr",
                   "runs code at the same addresses every time, if its behaviour depends on them",
                   "docker run --security-opt seccomp=unconfined ..., or the equivalent for your container");
    report_feature(
        v, !access(".", W_OK), ".sonde here",
        "failing inputs are stored in .sonde of this git repository; outside of one, in ~/.local/state/sonde",
        "export SONDE_STORE=DIR, where DIR is a writable directory");
}

/* Finds this program and makes the temporary directory with the sources. */
static void begin(struct checkup *v)
{
    const char *temporary = getenv("TMPDIR");
    if (!realpath("/proc/self/exe", v->tool))
        sonde_die(SONDE_INTERNAL, "sonde doctor: cannot determine where this tool is installed; is /proc mounted?");
    char path[PATH_MAX + 64], *slash = strrchr(v->tool, '/');
    snprintf(path, sizeof path, "%.*s/%s", (int)(slash - v->tool), v->tool, SONDE_LIBDIR_FROM_TOOL);
    if (!realpath(path, v->libraries)) snprintf(v->libraries, sizeof v->libraries, "%.*s", PATH_MAX - 1, path);
    snprintf(v->folder, sizeof v->folder, "%s/sonde-doctor-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(v->folder))
        sonde_die(SONDE_INTERNAL, "sonde doctor: cannot create the directory %s: %s; set TMPDIR to another", v->folder,
                  strerror(errno));
    write_source(v, "property.c", property);
    write_source(v, "property.cpp", property_cxx);
}

/* Removes the temporary directory. */
static void end(const struct checkup *v)
{
    static const char *const files[] = {"property.c", "property.cpp", "program"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        in_folder(v, files[i], path);
        unlink(path);
    }
    rmdir(v->folder);
}

int sonde_tool_doctor(int argc, char **argv)
{
    struct checkup v = {0};
    (void)argc, (void)argv;
    begin(&v);
    printf("sonde %s, %s\n\n", SONDE_VERSION, v.tool);
    fflush(stdout);
    check_compiler(&v);
    if (!v.is_broken) check_compilers_extras(&v);
    check_pkg_config(&v);
    check_programs(&v);
    check_system(&v);
    end(&v);
    if (v.is_broken)
        puts("\nsonde does not work on this machine: no property can run. Fix the line marked broken first.");
    else if (v.n_missing)
        printf("\nsonde works on this machine. %u optional feature%s missing (see above).\n", v.n_missing,
               v.n_missing == 1 ? " is" : "s are");
    else puts("\nsonde works on this machine. Nothing is missing.");
    return v.is_broken ? SONDE_FALSIFIED : SONDE_PASSED;
}
