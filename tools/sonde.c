/* The `sonde` command: a table of subcommands. Each gets its own arguments and returns an exit status. */
#include "base/die.h"
#include "base/mem.h"
#include "cli/options.h"
#include "report/values.h"
#include "tape/codec.h"
#include "tape/label.h"
#include "tape/tape.h"
#include "tape/text.h"

#include <errno.h>
#include <string.h>

struct command {
    const char *name;
    const char *arguments; /* "" for none */
    const char *help;
    int (*run)(int argc, char **argv); /* argv[0] is the subcommand */
    int min, max;                      /* how many arguments it takes */
};

static int run_help(int argc, char **argv);
static int run_version(int argc, char **argv);
static int run_man(int argc, char **argv);
static int run_show(int argc, char **argv);

static const struct command commands[] = {
    {"show", "TOKEN|@FILE", "print a replay token or a tape file as a tree of values", run_show, 1, 1},
    {"man", "", "print the manual page, in roff", run_man, 0, 0},
    {"version", "", "print the version", run_version, 0, 0},
    {"help", "", "print this", run_help, 0, 0},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

static int run_help(int argc, char **argv)
{
    (void)argc, (void)argv;
    puts(
        "Usage: sonde COMMAND [argument]...\n\nTools for sonde, guided property-based testing for C. A test program has "
        "options of\nits own: run it with --help.\n");
    for (size_t i = 0; i < N_COMMANDS; i++) {
        int n = printf("  %s %s", commands[i].name, commands[i].arguments);
        printf("%*s%s\n", n < 24 ? 24 - n : 1, "", commands[i].help);
    }
    return SONDE_PASSED;
}

static int run_version(int argc, char **argv)
{
    (void)argc, (void)argv;
    puts("sonde " SONDE_VERSION);
    return SONDE_PASSED;
}

static int run_man(int argc, char **argv)
{
    (void)argc, (void)argv;
    puts(
        ".TH SONDE 1 \"\" \"sonde " SONDE_VERSION
        "\" \"User Commands\"\n.SH NAME\nsonde \\- guided property\\-based testing "
        "for C\n.SH SYNOPSIS\n.B sonde\n.I COMMAND\n.RI [ argument ]...\n.br\n.I test\\-program\n.RI [ option ]...\n"
        ".SH DESCRIPTION\nA property is a C function that draws values and checks claims about them. A program made of "
        "properties looks for inputs that break a claim, shrinks them and prints them. The\n.B sonde\ncommand holds "
        "the tools around such programs.\n.SH COMMANDS");
    for (size_t i = 0; i < N_COMMANDS; i++) {
        printf(".TP\n\\fB%s\\fR \\fI%s\\fR\n%s.\n", commands[i].name, commands[i].arguments, commands[i].help);
    }
    sonde_cli_man(stdout);
    puts(".SH FILES\n.TP\n.I sonde.h\nthe whole interface, with a runnable program in its first comment.");
    return SONDE_PASSED;
}

/* ---- show ------------------------------------------------------------------------------------------------------*/

enum { FILE_MAX = 1 << 28 };

/* The content of a file, NUL-terminated, heap-allocated; NULL after saying why. */
static char *read_all(const char *path, size_t *n)
{
    FILE *in = fopen(path, "rbe");
    char *data = NULL;
    uint32_t cap = 0;
    *n = 0;
    while (in && !ferror(in) && !feof(in) && *n < FILE_MAX) {
        data = sonde_grow(data, &cap, *n + 65536, 1);
        *n += fread(data + *n, 1, cap - *n - 1, in);
        data[*n] = 0;
    }
    if (!in || ferror(in)) {
        fprintf(stderr, "sonde show: cannot read '%s': %s\n", path, strerror(errno));
        sonde_free(data);
        data = NULL;
    }
    if (in) fclose(in);
    return data;
}

/* Reads the byte form, else the text form. False after saying what is wrong. */
static bool read_tape(struct sonde_tape *tape, struct sonde_labels *labels, const char *data, size_t n)
{
    struct sonde_text_error error = {0, ""};
    int status = sonde_tape_decode(tape, labels, (const uint8_t *)data, n);
    if (status == 0) return true;
    if (status == -ENOTSUP) {
        fputs("sonde show: this tape is of a newer version; use a newer sonde\n", stderr);
        return false;
    }
    while (n && (data[n - 1] == '\n' || data[n - 1] == '\r')) n--;
    if (sonde_tape_from_text(tape, labels, data, n, &error) == 0) return true;
    fprintf(stderr, "sonde show: this is not a token: %s at character %zu; paste it whole, in single quotes\n",
            error.reason, error.at + 1);
    return false;
}

static int run_show(int argc, char **argv)
{
    (void)argc;
    size_t n = strlen(argv[1]);
    char *data = argv[1][0] == '@' ? read_all(argv[1] + 1, &n) : sonde_strdup(argv[1]);
    if (!data) return SONDE_USAGE;
    struct sonde_labels *labels = sonde_malloc(sizeof *labels);
    struct sonde_tape tape;
    sonde_labels_init(labels);
    sonde_tape_init(&tape);
    bool good = read_tape(&tape, labels, data, n);
    if (good) sonde_values_tree(stdout, &(struct sonde_values){&tape, labels, NULL, 0}, 0, 0);
    sonde_tape_clear(&tape);
    sonde_labels_clear(labels);
    sonde_free(labels);
    sonde_free(data);
    return good ? SONDE_PASSED : SONDE_USAGE;
}

/* ---- main ------------------------------------------------------------------------------------------------------*/

static int run_command(const struct command *command, int argc, char **argv)
{
    if (argc - 1 >= command->min && argc - 1 <= command->max) return command->run(argc, argv);
    fprintf(stderr, "sonde %s: %s; write sonde %s %s\n", command->name,
            argc - 1 < command->min ? "an argument is missing" : "there are too many arguments", command->name,
            command->arguments);
    return SONDE_USAGE;
}

int main(int argc, char **argv)
{
    int status = SONDE_USAGE;
    if (argc < 2) {
        fputs("sonde: a command is missing; sonde help lists them\n", stderr);
        return SONDE_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) name = "help";
    if (!strcmp(name, "--version")) name = "version";
    size_t i = 0;
    while (i < N_COMMANDS && strcmp(commands[i].name, name)) i++;
    if (i < N_COMMANDS) status = run_command(&commands[i], argc - 1, argv + 1);
    else fprintf(stderr, "sonde: there is no command '%s'; sonde help lists them\n", name);
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    fprintf(stderr, "sonde: cannot write the output: %s\n", strerror(errno));
    return SONDE_INTERNAL;
}
