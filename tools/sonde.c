/* The `sonde` command: a table of subcommands. Help and the manual page are printed from this table. Invoked as
 * sonde-cc or sonde-c++ it is that subcommand, for build systems that want a compiler of one word. */
#include "cli/options.h"
#include "tools.h"
#include "base/die.h"
#include "base/strings.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static int run_help(int argc, char **argv);
static int run_version(int argc, char **argv);
static int run_man(int argc, char **argv);
static int run_completion(int argc, char **argv);

/* Name, arguments, description, function, and least and most number of arguments. Help, the manual page and completion
 * scripts are made from these rows. */
static const struct sonde_subcommand commands[] = {
    {"cc", "ARGUMENT...", "compile and link C, instrumented for sonde's search; see sonde cc --sonde-help",
     sonde_tool_cc, 0, INT_MAX},
    {"c++", "ARGUMENT...", "the same for C++", sonde_tool_cc, 0, INT_MAX},
    {"derive", "FILE [TYPE]... [-o OUT] [--stem STEM] | --list FILE",
     "write C that draws, prints and compares values of these types; see sonde derive --help", sonde_tool_derive, 1,
     INT_MAX},
    {"new", "KIND FUNCTION... --header FILE [--out FILE] [CODE]... | --all HEADER [CODE]...",
     "write a first test from prototypes: roundtrip, differential, machine, model, crash or oom; see sonde new --help",
     sonde_tool_derive, 1, INT_MAX},
    {"show", "TOKEN|@FILE", "print a replay token or a tape file as a tree of values", sonde_tool_show, 1, 1},
    {"diff", "TOKEN|@FILE TOKEN|@FILE", "print how two tapes differ; status 1 if they do", sonde_tool_diff, 2, 2},
    {"convert", "[--to=token|tape|bytes] [--with=FUZZ-TARGET] TOKEN|@FILE [OUT]",
     "write a tape in another format: a fuzzer's input as a token, or a token as a seed for a fuzzer",
     sonde_tool_convert, 1, 4},
    {"min", "[--trim] IN OUT -- TEST [OPTION]...",
     "copy a small set of tapes that reaches the same code as all tapes of a directory; --trim also shrinks each",
     sonde_tool_min, 4, INT_MAX},
    {"merge", "[--trim] OUT IN... -- TEST [OPTION]...",
     "add to a directory the tapes of others that reach something new", sonde_tool_merge, 4, INT_MAX},
    {"filter", "--by random|sequence|choices|generator [--size N] [--seed S] CORPUS OUT",
     "copy a few tapes of a directory that differ, judged by their choices alone: for --inputs", sonde_tool_filter, 4,
     9},
    {"grammar", "check|sample|to-c [--start RULE] [-n N] [--seed S] FILE",
     "check a grammar (ABNF or EBNF) for sonde_grammar, print strings of it, or write it as C", sonde_tool_grammar, 1,
     INT_MAX},
    {"cov", "[--lcov] IN... -- TEST [OPTION]...", "print which functions and lines the tapes of directories reach",
     sonde_tool_cov, 3, INT_MAX},
    {"mutate", "TEST [OPTION]...",
     "plant bugs in the code under test and print which ones the properties miss; TEST is built by sonde cc --mutants",
     sonde_tool_mutate, 1, INT_MAX},
    {"bisect", "TAPE --good REF [--bad REF] [--build CMD] [--with FILE]... [-- TEST [OPTION]...]",
     "find the commit that introduced a stored failure: build and replay it at commits between REF and HEAD, in a "
     "temporary work tree",
     sonde_tool_bisect, 1, INT_MAX},
    {"serve", "[PORT]", "serve the live report of a run; ./test --serve starts it", sonde_tool_serve, 0, 1},
    {"doctor", "", "test which features work on this machine, and print how to install the others", sonde_tool_doctor,
     0, 0},
    {"completion", "bash|zsh|fish",
     "print a script that completes commands, options and names of properties in this shell", run_completion, 1, 1},
    {"html", "[--baseline OLD.html] FILE",
     "add the source to a page of --report html: lines reached by valid inputs, by invalid ones only, or by none",
     sonde_tool_html, 1, 4},
    {"share", "status|watch|export|import|prune PLACE [ARGUMENT]...",
     "inspect, copy and prune the data that runs with --share exchange; see sonde share --help", sonde_tool_share, 1,
     INT_MAX},
    {"man", "", "print the manual page, in roff", run_man, 0, 0},
    {"version", "", "print the version", run_version, 0, 0},
    {"help", "[COMMAND]", "print this help, or the part about one command", run_help, 0, 1},
    {0},
};

/* Returns the command that a misspelt name may mean; NULL if none is similar. */
static const char *nearest_command(const char *name)
{
    const char *best = NULL;
    size_t n = strlen(name), least = sonde_distance_limit(n);
    for (size_t i = 0; commands[i].name; i++) {
        size_t d = sonde_distance(commands[i].name, name, n);
        if (d >= least || d >= strlen(commands[i].name)) continue; /* nothing in common */
        least = d;
        best = commands[i].name;
    }
    return best;
}

/* Returns the subcommand of this name; NULL after a message. */
static const struct sonde_subcommand *find_command(const char *name)
{
    for (size_t i = 0; commands[i].name; i++)
        if (!strcmp(commands[i].name, name)) return &commands[i];
    const char *near = nearest_command(name);
    if (near)
        sonde_complain("sonde: there is no command '%.100s'; did you mean '%s'? (sonde help lists them)", name, near);
    else sonde_complain("sonde: there is no command '%.100s'; sonde help lists them", name);
    return NULL;
}

/* Prints the usage of one subcommand. */
static int help_on(const char *name)
{
    const struct sonde_subcommand *command = find_command(name);
    if (!command) return SONDE_USAGE;
    printf("Usage: sonde %s%s%s\n\n  %s\n", command->name, *command->arguments ? " " : "", command->arguments,
           command->help);
    return SONDE_PASSED;
}

/* Prints all subcommands. A description begins on the same line if the usage has fewer than 24 columns. */
static int run_help(int argc, char **argv)
{
    if (argc > 1) return help_on(argv[1]);
    puts(
        "Usage: sonde COMMAND [argument]...\n\nTools for sonde, guided property-based testing for C. For the options of "
        "a test\nprogram, run it with --help.\n");
    for (size_t i = 0; commands[i].name; i++) {
        int n = printf("  %s %s", commands[i].name, commands[i].arguments);
        printf("%s%*s%s\n", n < 24 ? "" : "\n", n < 24 ? 24 - n : 24, "", commands[i].help);
    }
    return SONDE_PASSED;
}

static int run_version(int argc, char **argv)
{
    (void)argc, (void)argv;
    puts("sonde " SONDE_VERSION);
    return SONDE_PASSED;
}

static int run_completion(int argc, char **argv)
{
    (void)argc;
    return sonde_tool_completion(commands, argv[1]);
}

/* Prints the manual page, in roff; scripts/install installs it. */
static int run_man(int argc, char **argv)
{
    (void)argc, (void)argv;
    puts(".TH SONDE 1 \"\" \"sonde " SONDE_VERSION
         "\" \"User Commands\"\n.SH NAME\nsonde \\- guided property\\-based testing "
         "for C\n.SH SYNOPSIS\n.B sonde\n.I COMMAND\n.RI [ argument ]...\n.br\n.I test\\-program\n.RI [ option ]...\n"
         ".SH DESCRIPTION\nA property is a C function that draws values and checks conditions on them. A test program "
         "searches for inputs that break a check, shrinks them and prints them. The\n.B sonde\ncommand has the tools "
         "around such programs.\n.SH COMMANDS");
    for (size_t i = 0; commands[i].name; i++) {
        printf(".TP\n\\fB%s\\fR \\fI%s\\fR\n%s.\n", commands[i].name, commands[i].arguments, commands[i].help);
    }
    sonde_cli_man(stdout);
    puts(".SH FILES\n.TP\n.I sonde.h\nthe whole interface, with a runnable program in its first comment.");
    return SONDE_PASSED;
}

/* ---- main ------------------------------------------------------------------------------------------------------*/

/* Runs a subcommand after checking its number of arguments. Handles --help for those that do not. */
static int run_command(const struct sonde_subcommand *command, int argc, char **argv)
{
    bool has_own_help =
        command->run == sonde_tool_cc || command->run == sonde_tool_derive || command->run == sonde_tool_share;
    if (argc == 2 && !has_own_help && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
        return help_on(command->name);
    if (argc - 1 >= command->min && argc - 1 <= command->max) return command->run(argc, argv);
    sonde_complain("sonde %s: %s; write sonde %s%s%s", command->name,
                   argc - 1 < command->min ? "an argument is missing" : "there are too many arguments", command->name,
                   *command->arguments ? " " : "", command->arguments);
    return SONDE_USAGE;
}

static bool is_compiler_name(const char *path)
{
    const char *name = sonde_last_part(path);
    return !strcmp(name, "sonde-cc") || !strcmp(name, "sonde-c++");
}

int main(int argc, char **argv)
{
    int status = SONDE_USAGE;
    if (argc > 0 && is_compiler_name(argv[0])) return sonde_tool_cc(argc, argv);
    if (argc < 2) {
        fputs("sonde: a command is missing; sonde help lists them\n", stderr);
        return SONDE_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) name = "help";
    if (!strcmp(name, "--version")) name = "version";
    const struct sonde_subcommand *command = find_command(name);
    if (command) status = run_command(command, argc - 1, argv + 1);
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    sonde_complain("sonde: cannot write the output: %s", strerror(errno));
    return SONDE_INTERNAL;
}
