/* See new.h. This file has the command line and the frame of the test program; new_kinds.c and new_model.c write the
 * properties. A property is written to memory first, because the frame depends on it: which types are derived. */
#include "new.h"
#include "base/die.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] = "Usage: sonde new KIND FUNCTION... --header FILE [--out FILE] [COMPILER-OPTION]...\n"
                            "       sonde new --all HEADER [COMPILER-OPTION]...\n\n"
                            "Writes a first test of these functions, from their prototypes in a header. Kinds:\n\n"
                            "  roundtrip THERE BACK   BACK undoes THERE, as decode undoes encode\n"
                            "  differential A B       two functions of the same type return the same\n"
                            "  model FUNCTION...      random calls on one object; you add the model to compare with\n"
                            "  crash FUNCTION...      calls with any arguments\n"
                            "  oom FUNCTION...        calls in which one allocation fails\n\n"
                            "  --all HEADER   propose tests for a whole header, with the reason for each\n"
                            "  --header FILE  where the functions are declared\n"
                            "  --out FILE     write to this file, which must not exist, not to standard output\n";

/* Maximum number of functions, and of compiler options, on the command line. */
enum { MOST_WORDS = 256 };

/* The command line of `sonde new`. */
struct request {
    const char *kind, *header, *output;
    bool proposes;
    const char *names[MOST_WORDS], *options[MOST_WORDS];
    uint32_t n_names, n_options;
};

static const struct kind {
    const char *name;
    bool (*write)(struct test *test, const char *const *names, uint32_t n);
} kinds[] = {{"roundtrip", new_roundtrip},
             {"differential", new_differential},
             {"model", new_model},
             {"crash", new_crash},
             {"oom", new_oom}};

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name)) return &kinds[i];
    return NULL;
}

/* Reads the command line. */
static void read_command_line(struct request *o, int argc, char **argv)
{
    for (int i = 1; i < argc && o->n_names < MOST_WORDS && o->n_options + 1 < MOST_WORDS; i++) {
        bool has_next = i + 1 < argc;
        if (!strcmp(argv[i], "--header") && has_next) o->header = argv[++i];
        else if (!strcmp(argv[i], "--out") && has_next) o->output = argv[++i];
        else if (!strcmp(argv[i], "--all")) o->proposes = true;
        else if (argv[i][0] == '-') {
            bool more = has_next && (!strcmp(argv[i], "-I") || !strcmp(argv[i], "-D") || !strcmp(argv[i], "-include"));
            o->options[o->n_options++] = argv[i];
            if (more) o->options[o->n_options++] = argv[++i];
        } else if (o->proposes && !o->header) o->header = argv[i];
        else if (!o->kind) o->kind = argv[i];
        else o->names[o->n_names++] = argv[i];
    }
}

/* Reports whether the command line has everything; if not, prints what is missing. */
static bool is_complete(const struct request *o)
{
    if (o->proposes && o->header) return true;
    if (!o->kind || !find_kind(o->kind))
        sonde_complain("sonde new: %s%s; the kinds are roundtrip, differential, model, crash, oom",
                       o->kind ? "there is no kind " : "the kind of test is missing", o->kind ? o->kind : "");
    else if (!o->n_names)
        sonde_complain("sonde new: the function is missing; write sonde new %s FUNCTION... --header FILE", o->kind);
    else if (!o->header)
        sonde_complain("sonde new: the header that declares %s is missing; add --header FILE", o->names[0]);
    else return true;
    return false;
}

/* ---- The file */

/* Writes the annotations that a type needs, each marked as a guess. Of two alternatives ("... or ...") takes the
 * first. */
static void write_guesses(FILE *out, struct record *record)
{
    struct judgement j = judge(record);
    for (uint32_t i = 0; i < j.n_problems; i++) {
        const struct problem *p = &j.problems[i];
        size_t n = strcspn(p->write, " ");
        const char * or = strstr(p->write, " or ");
        n = or ? (size_t)(or -p->write) : strlen(p->write);
        if (n && p->write[n - 1] == ',') n--;
        fprintf(out, "SONDE_ABOUT(%s, %s, %.*s); /* a guess: it %s */\n", record_name(p->record), p->path, (int)n,
                p->write, p->why);
    }
}

/* Writes the #include of the header, with <> for one of the system. */
static void write_include(FILE *out, const char *header)
{
    static const char system[] = "/usr/include/";
    if (!strncmp(header, system, strlen(system))) fprintf(out, "#include <%s>\n", header + strlen(system));
    else fprintf(out, "#include \"%s\"\n", header);
}

/* Writes the test program around the properties. */
static void write_test(FILE *out, const struct request *o, const struct test *test, const char *properties)
{
    bool is_oom = !strcmp(o->kind, "oom");
    fprintf(out,
            "/* Written by sonde new %s, as a start: edit what it draws and checks. Build it with\n *\n"
            " *     sonde cc --sanitize THIS.c CODE.c%s -o test && ./test\n */\n",
            o->kind, is_oom ? " $(pkg-config --libs sonde-oom)" : "");
    fputs("#include <sonde.h>\n", out);
    if (test->n_derived) fputs("#include <sonde/derive.h>\n", out);
    fputs("#include <stdlib.h>\n#include <string.h>\n\n", out);
    write_include(out, o->header);
    fputc('\n', out);
    for (uint32_t i = 0; i < test->n_derived; i++) write_guesses(out, test->derived[i]);
    for (uint32_t i = 0; i < test->n_derived; i++)
        fprintf(out, "SONDE_DERIVE(%s, %s); /* draw_%s and others; see docs/deriving.md */\n", test->derived[i]->name,
                test->derived[i]->stem, test->derived[i]->stem);
    if (test->n_derived) fputc('\n', out);
    fprintf(out, "%s\nSONDE_MAIN()\n", properties);
}

/* Opens the output. Returns -1 after a message; a file that exists is never overwritten. */
static int open_output(const struct request *o)
{
    if (!o->output) return STDOUT_FILENO;
    int file = open(o->output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST)
        sonde_complain("sonde new: %s exists already and stays as it is; choose another name", o->output);
    else if (file < 0) sonde_complain("sonde new: cannot write %s: %s", o->output, strerror(errno));
    return file;
}

/* Writes the test program. Returns the exit status. */
static int write_program(const struct request *o)
{
    struct test test = {.header = o->header};
    char *properties;
    size_t n;
    test.e.out = open_memstream(&properties, &n);
    if (!test.e.out) return SONDE_INTERNAL;
    bool is_written = find_kind(o->kind)->write(&test, o->names, o->n_names);
    fclose(test.e.out);
    int file = is_written && !complaints() ? open_output(o) : -1;
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    if (out) write_test(out, o, &test, properties);
    free(properties);
    if (!out) return SONDE_USAGE;
    return fclose(out) == 0 ? SONDE_PASSED : SONDE_INTERNAL;
}

int new_main(int argc, char **argv)
{
    static struct request o;
    if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(usage, stdout);
        return SONDE_PASSED;
    }
    complain_as("sonde new");
    read_command_line(&o, argc, argv);
    if (!is_complete(&o) || !read_header(o.header, o.options, o.n_options)) return SONDE_USAGE;
    return o.proposes ? new_proposals(o.header) : write_program(&o);
}
