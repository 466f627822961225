/* See new.h. This file has the command line and the frame of the test program; new_*.c write the properties. A property
 * is written to memory first, because the frame depends on it: which types are derived, which functions free objects.
 * It is compiled before anything is printed, so that whatever is printed compiles. */
#include "new.h"
#include "retry.h"
#include "trial.h"
#include "base/die.h"
#include "base/strings.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "Usage: sonde new KIND FUNCTION... --header FILE [--out FILE] [COMPILER-OPTION]... [CODE]...\n"
    "       sonde new --all HEADER [COMPILER-OPTION]... [CODE]...\n\n"
    "Writes a first test of these functions, from their prototypes in a header. Kinds:\n\n"
    "  roundtrip THERE BACK   BACK undoes THERE, as decode undoes encode, or returns the value that THERE set\n"
    "  differential A B       two functions of the same type return the same\n"
    "  machine FUNCTION...    random calls on one object, as rules; you add the model to compare with\n"
    "  model FUNCTION...      the same in one loop\n"
    "  crash FUNCTION...      calls with any arguments\n"
    "  oom FUNCTION...        calls in which one allocation fails\n\n"
    "  --all HEADER   propose tests for a whole header, with the reason for each\n"
    "  --header FILE  where the functions are declared\n"
    "  --out FILE     write to this file, which must not exist, not to standard output\n"
    "  CODE           the code under test (CODE.c, CODE.o, CODE.a, -lNAME); with it, each test is also run\n"
    "                 briefly, and a test that fails at once names the guess to check\n"
    "  --no-run       do not run it, only compile it together with the rest\n"
    "  --held         with --all: also print the tests that are held back (see below)\n"
    "  --success nonzero|zero\n"
    "                 which int results mean success, if the prototype does not show it (zero)\n"
    "  --twice        of a roundtrip: what comes back may differ once, as \"A\" comes back as \"a\", but not again\n"
    "  --narrow       draw fewer values: small positive numbers, no empty input, enough room\n"
    "  --start FUNCTION\n"
    "                 creates each object, or is called first on each new one\n"
    "  --stop FUNCTION\n"
    "                 frees each object\n\n"
    "Every test is compiled before it is printed; a test that does not compile is left out, with the reason.\n"
    "With a library (-lNAME), --all holds back a test that gives a wrong value for most of 40 random inputs, or\n"
    "crashes for a quarter: its calls are likely wrong, not the library. A list at the end names each, with its\n"
    "failure; --held prints them.\n"
    "A trial run has 300 cases and at most 2 s for each test. It can change no file outside of a new directory,\n"
    "which is removed afterwards, and end no other process (Linux 6.12; older kernels forbid less).\n";

static const struct kind {
    const char *name;
    bool (*write)(struct test *test, const char *const *names, uint32_t n);
} kinds[] = {{"roundtrip", new_roundtrip}, {"differential", new_differential},
             {"machine", new_machine},     {"model", new_model},
             {"crash", new_crash},         {"oom", new_oom}};

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name)) return &kinds[i];
    return NULL;
}

/* ---- The command line */

/* Reports whether a word names code to link with: -lz, codec.c, libz.a. */
static bool is_code(const char *word)
{
    static const char *const ends[] = {".c", ".o", ".a", ".so", NULL};
    bool is_linked = sonde_starts(word, "-l") || sonde_starts(word, "-L") || sonde_starts(word, "-Wl,");
    for (size_t i = 0; ends[i]; i++) is_linked |= *word != '-' && sonde_ends(word, ends[i]);
    return is_linked || strstr(word, ".so.");
}

/* Reads an option that has a value. Returns false if it is none of these. */
static bool read_valued(struct new_request *o, const char *word, const char *value)
{
    if (!strcmp(word, "--header")) o->header = value;
    else if (!strcmp(word, "--out")) o->output = value;
    else if (!strcmp(word, "--start")) o->start = value;
    else if (!strcmp(word, "--stop")) o->stop = value;
    else if (!strcmp(word, "--success")) {
        o->zero_fails = !strcmp(value, "nonzero");
        if (!o->zero_fails && strcmp(value, "zero") != 0)
            complain((struct place){NULL, 0}, "--success is zero or nonzero, not %s", value);
    } else return false;
    return true;
}

/* Returns the name of a list, which ends with NULL, that a misspelt one may mean; NULL if none is similar. */
static const char *nearest(const char *const *names, const char *word, size_t least)
{
    const char *best = NULL;
    for (; *names; names++) {
        size_t d = sonde_distance(*names, word, strlen(word));
        if (d < least && d < strlen(*names)) least = d, best = *names;
    }
    return best;
}

/* Complains about a word that resembles an option of sonde new. Others are for the compiler. */
static void refuse_misspelt(const char *word)
{
    static const char *const options[] = {"--all",   "--header",  "--out",   "--no-run", "--held", "--narrow",
                                          "--twice", "--success", "--start", "--stop",   NULL};
    const char *near = sonde_starts(word, "--") ? nearest(options, word, 3) : NULL;
    if (near) complain((struct place){NULL, 0}, "unknown option %s; did you mean %s?", word, near);
}

/* Reads the command line. */
static void read_command_line(struct new_request *o, int argc, char **argv)
{
    for (int i = 1; i < argc && argc < MOST_NEW_WORDS; i++) {
        const char *word = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        bool more = next
                    && (!strcmp(word, "-I") || !strcmp(word, "-D") || !strcmp(word, "-U") || !strcmp(word, "-include")
                        || !strcmp(word, "-isystem"));
        if (next && read_valued(o, word, next)) i++;
        else if (!strcmp(word, "--all")) o->proposes = true;
        else if (!strcmp(word, "--no-run")) o->does_not_run = true;
        else if (!strcmp(word, "--held")) o->shows_held = true;
        else if (!strcmp(word, "--narrow")) o->is_narrow = true;
        else if (!strcmp(word, "--twice")) o->is_twice = true;
        else if (is_code(word)) o->code[o->n_code++] = word;
        else if (word[0] == '-') {
            refuse_misspelt(word);
            o->options[o->n_options++] = word;
            if (more) o->options[o->n_options++] = next, i++;
        } else if (o->proposes && !o->header) o->header = word;
        else if (!o->kind) o->kind = word;
        else o->names[o->n_names++] = word;
    }
}

static void refuse_kind(const char *kind)
{
    static const char *const names[] = {"roundtrip", "differential", "machine", "model", "crash", "oom", NULL};
    const char *near = nearest(names, kind, sonde_distance_limit(strlen(kind)));
    if (near) sonde_complain("sonde new: there is no kind %.100s; did you mean %s?", kind, near);
    else
        sonde_complain(
            "sonde new: there is no kind %.100s; the kinds are roundtrip, differential, machine, model, crash, "
            "oom%s",
            kind, sonde_ends(kind, ".h") ? "; --all HEADER proposes tests for a header" : "");
}

/* Reports whether the command line has everything; if not, prints what is missing. */
static bool is_complete(const struct new_request *o, int argc)
{
    if (complaints()) return false;
    if (argc >= MOST_NEW_WORDS)
        sonde_complain("sonde new: there are more than %d words; name fewer functions", MOST_NEW_WORDS);
    else if (o->proposes && o->output)
        sonde_complain("sonde new: --all writes no file; run one of the commands that it prints with --out %s",
                       o->output);
    else if (o->proposes && o->header) return true;
    else if (o->proposes) sonde_complain("sonde new: the header is missing; write sonde new --all HEADER");
    else if (!o->kind)
        sonde_complain(
            "sonde new: the kind of test is missing; write roundtrip, differential, machine, model, crash or oom, "
            "or --all HEADER");
    else if (!find_kind(o->kind)) refuse_kind(o->kind);
    else if (!o->n_names)
        sonde_complain("sonde new: the function is missing; write sonde new %s FUNCTION... --header FILE", o->kind);
    else if (!o->header)
        sonde_complain("sonde new: the header that declares %s is missing; add --header FILE", o->names[0]);
    else return true;
    return false;
}

/* Returns a word for a shell. */
static const char *quoted(const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=+,:@%";
    if (*word && strspn(word, plain) == strlen(word)) return word;
    const char *to = "'";
    for (; *word; word++) to = *word == '\'' ? keep_format("%s'\\''", to) : keep_format("%s%c", to, *word);
    return keep_format("%s'", to);
}

static const char *with_words(const char *to, const char *const *words, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) to = keep_format("%s %s", to, quoted(words[i]));
    return to;
}

const char *command_of(const struct new_request *o, const struct proposal *p)
{
    const char *command = with_words(keep_format("sonde new %s", p->kind), p->names, p->n);
    command =
        keep_format("%s --header %s%s", command, quoted(o->header), p->test.zero_fails ? " --success nonzero" : "");
    if (p->test.is_twice) command = keep_format("%s --twice", command);
    if (p->test.is_narrow) command = keep_format("%s --narrow", command);
    if (p->test.start) command = keep_format("%s --start %s", command, p->test.start);
    if (p->test.stop) command = keep_format("%s --stop %s", command, p->test.stop);
    return with_words(with_words(command, o->options, o->n_options), o->code, o->n_code);
}

/* ---- The file */

/* A set of lines. */
struct lines {
    const char **all;
    uint32_t n, cap;
};

static void add_line(struct lines *to, const char *text)
{
    for (uint32_t i = 0; i < to->n; i++)
        if (!strcmp(to->all[i], text)) return;
    *PUSH(to->all, to->n, to->cap) = text;
}

/* Adds the annotations that a type needs, each marked as a guess. Of two alternatives ("... or ...") takes the
 * first. */
static void add_guesses(struct lines *to, struct record *record)
{
    struct judgement j = judge(record);
    for (uint32_t i = 0; i < j.n_problems; i++) {
        const struct problem *p = &j.problems[i];
        const char *count = p->verdict == VERDICT_REFUSED ? likely_count(p) : NULL;
        const char *write = count ? keep_format("SONDE_COUNT(%s, 0, 100)", count) : p->write,
                   *end = strstr(write, " or ");
        size_t n = end ? (size_t)(end - write) : strlen(write);
        if (n && write[n - 1] == ',') n--;
        add_line(to, keep_format("SONDE_ABOUT(%s, %s, %.*s); /* a guess: it %s */", record_name(p->record), p->path,
                                 (int)n, write, p->why));
    }
}

/* Writes the #include of the header, with <> for one of the system. */
static void write_include(FILE *out, const char *header)
{
    static const char system[] = "/usr/include/";
    if (sonde_starts(header, system)) fprintf(out, "#include <%s>\n", header + strlen(system));
    else fprintf(out, "#include \"%s\"\n", header);
}

void write_frame(FILE *out, const struct new_request *o, const struct proposal *all, uint32_t n)
{
    struct lines derived = {NULL, 0, 0}, guesses = {NULL, 0, 0}, helpers = {NULL, 0, 0};
    for (uint32_t i = 0; i < n; i++) {
        const struct test *test = &all[i].test;
        if (!all[i].text || all[i].why_not) continue;
        for (uint32_t k = 0; k < test->n_helpers; k++) add_line(&helpers, test->helpers[k]);
        for (uint32_t k = 0; k < test->n_derived; k++) {
            add_guesses(&guesses, test->derived[k]);
            add_line(&derived, keep_format("SONDE_DERIVE(%s, %s); /* draw_%s and others; see docs/deriving.md */",
                                           test->derived[k]->name, test->derived[k]->stem, test->derived[k]->stem));
        }
    }
    fputs("#include <sonde.h>\n", out);
    if (derived.n) fputs("#include <sonde/derive.h>\n", out);
    fputs("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n", out);
    write_include(out, o->header);
    fputc('\n', out);
    for (uint32_t i = 0; i < guesses.n; i++) fprintf(out, "%s\n", guesses.all[i]);
    for (uint32_t i = 0; i < derived.n; i++) fprintf(out, "%s\n", derived.all[i]);
    if (derived.n) fputc('\n', out);
    for (uint32_t i = 0; i < helpers.n; i++) fprintf(out, "%s\n", helpers.all[i]);
}

/* Reports whether the functions of --start and --stop are called. Prints a message if not. */
static bool uses_options(const struct test *test)
{
    struct place place = {test->header, 1};
    if (test->start && !test->is_started)
        complain(place, "--start %s: it neither creates an object of this test nor takes one first", test->start);
    else if (test->is_twice && !test->was_twice) complain(place, "--twice is for roundtrips of values");
    else if (test->stop && !test->is_stopped)
        complain(place, "--stop %s: its only parameter must be an object of this test", test->stop);
    else return true;
    return false;
}

bool write_proposal(const struct new_request *o, struct proposal *p)
{
    char *text;
    size_t n;
    p->test = (struct test){.header = o->header,
                            .zero_fails = p->test.zero_fails,
                            .is_twice = p->test.is_twice,
                            .is_narrow = p->test.is_narrow,
                            .start = p->test.start,
                            .stop = p->test.stop};
    if ((p->test.start && !find_prototype(p->test.start, o->header))
        || (p->test.stop && !find_prototype(p->test.stop, o->header)))
        return false;
    p->test.e.out = open_memstream(&text, &n);
    if (!p->test.e.out) return false;
    bool ok = find_kind(p->kind)->write(&p->test, p->names, p->n) && !complaints();
    fclose(p->test.e.out);
    ok = ok && uses_options(&p->test);
    p->text = ok ? keep_text(text) : NULL;
    free(text);
    const char *at = ok ? strstr(p->text, "SONDE_PROPERTY(") : NULL;
    if (at) p->property = keep_format("%.*s", (int)strcspn(at + 15, ",)"), at + 15);
    return ok;
}

/* Returns the numbers of the lines that have a guess, at most three, as words: "line 12", "lines 12, 14"; "" if there
 * is none. */
static const char *guesses_in(const char *text)
{
    const char *to = "";
    unsigned n = 0, line = 1;
    for (const char *at = text; *at; line++) {
        size_t length = strcspn(at, "\n");
        const char *found = strstr(at, "/* a guess");
        if (found && found < at + length && n++ < 3) to = keep_format("%s%s%u", to, *to ? ", " : "", line);
        at += length + (at[length] == '\n');
    }
    return n ? keep_format("%s %s", n > 1 ? "lines" : "line", to) : "";
}

/* Returns a string for a comment of C: on one line, without the ends of comments. */
static const char *for_comment(const char *text)
{
    char *to = (char *)(uintptr_t)keep_format("%.200s", text);
    for (char *at = to; *at; at++)
        if (iscntrl((unsigned char)*at) || (*at == '*' && at[1] == '/') || (*at == '/' && at[1] == '*')) *at = ' ';
    return to;
}

/* Writes the comment about a test that failed at once. `where` names the lines with guesses. */
static void write_mark(FILE *out, const struct proposal *p, const char *where)
{
    if (!p->found) return;
    fprintf(out, "/* LOOK HERE FIRST: when sonde new ran this for a moment, it failed at once:\n *     %s\n",
            for_comment(p->found));
    if (*where)
        fprintf(out, " * A guess can be the reason: %s. If the guesses are right, the code has a bug. */\n", where);
    else fputs(" * Nothing in it was guessed but what the types say. */\n", out);
}

/* Returns the whole file with these lines named as guesses. */
static const char *file_with(const struct new_request *o, const struct proposal *p, const char *where)
{
    char *text;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (!out) return NULL;
    const char *oom = !strcmp(p->kind, "oom") ? " $(pkg-config --libs sonde-oom)" : "",
               *options = with_words("", o->options, o->n_options);
    const char *code = o->n_code ? with_words("", o->code, o->n_code) : " CODE.c";
    fprintf(out,
            "/* Written by sonde new %s, as a start: edit what it draws and checks. Build it with\n *\n"
            " *     sonde cc --sanitize%s %s%s%s -o test && ./test\n */\n",
            p->kind, options, o->output ? for_comment(quoted(o->output)) : "THIS.c", code, oom);
    write_frame(out, o, p, 1);
    write_mark(out, p, where);
    fprintf(out, "%s\nSONDE_MAIN()\n", p->text);
    fclose(out);
    const char *kept = keep_text(text);
    free(text);
    return kept;
}

const char *render(const struct new_request *o, const struct proposal *p, const char **where)
{
    const char *first = file_with(o, p, "0"); /* the lines do not depend on which are named */
    *where = first ? guesses_in(first) : "";
    return file_with(o, p, *where);
}

/* ---- One test */

/* Opens the output. Returns -1 after a message; a file that exists is never overwritten. */
static int open_output(const struct new_request *o)
{
    if (!o->output) return STDOUT_FILENO;
    int file = open(o->output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST)
        sonde_complain("sonde new: %s exists already and stays as it is; choose another name", o->output);
    else if (file < 0) sonde_complain("sonde new: cannot write %s: %s", o->output, strerror(errno));
    return file;
}

/* Compiles the test, and runs it if there is code. Returns false after a message. */
static bool try_program(const struct new_request *o, struct proposal *p)
{
    if (!trial_compile(o, p, 1)) return false;
    if (p->why_not) {
        sonde_complain("sonde new: this test cannot be written: %s", p->why_not);
        return false;
    }
    const char *why = o->n_code && !o->does_not_run ? trial_run(o, p, 1) : NULL;
    if (p->why_not) why = p->why_not, p->why_not = NULL;
    if (why) sonde_complain("sonde new: warning: not run: %s", why);
    return true;
}

/* Writes the test program. Returns the exit status. */
static int write_program(const struct new_request *o)
{
    struct proposal p = {.kind = o->kind,
                         .test = {.zero_fails = o->zero_fails,
                                  .is_twice = o->is_twice,
                                  .is_narrow = o->is_narrow,
                                  .start = o->start,
                                  .stop = o->stop}};
    const char *where;
    for (uint32_t i = 0; i < o->n_names; i++) *PUSH(p.names, p.n, p.cap) = o->names[i];
    if (!write_proposal(o, &p)) {
        if (!complaints())
            sonde_complain("sonde new: this test cannot be written; write it by hand (docs/writing-properties.md)");
        return SONDE_USAGE;
    }
    if (o->output && !access(o->output, F_OK))
        return open_output(o), SONDE_USAGE; /* before the trial, which takes a while */
    bool ok = try_program(o, &p);
    trial_end();
    const char *text = ok ? render(o, &p, &where) : NULL;
    int file = text ? open_output(o) : -1;
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    if (!out) return SONDE_USAGE;
    fputs(text, out);
    if (p.found)
        sonde_complain("sonde new: %s fails at once: %s%s%s", p.property, for_comment(p.found),
                       *where ? "; a guess to look at: " : "", where);
    return fclose(out) == 0 ? SONDE_PASSED : SONDE_INTERNAL;
}

/* ---- All tests */

bool try_all(const struct new_request *o, struct proposal *all, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (all[i].why_not) continue;
        complaints_hold();
        bool ok = write_proposal(o, &all[i]);
        const char *why = complaints_release();
        if (!ok) all[i].why_not = why ? why : "it cannot be written";
    }
    return trial_compile(o, all, n);
}

static void print_proposal(const struct new_request *o, const struct proposal *p)
{
    const char *where;
    render(o, p, &where);
    printf("%s\n    # %s\n", command_of(o, p), p->reason);
    if (p->rare) printf("    # nothing fails, but %s\n", for_comment(p->rare));
    if (p->wide)
        printf("    # with fewer values; with more, %u of %u random inputs fail, a guess to look at: %s\n", p->n_failed,
               p->n_failed + p->n_valid, for_comment(p->wide));
    if (p->once)
        printf("    # what comes back may differ once; otherwise %u of %u random inputs fail: %s\n", p->n_failed,
               p->n_failed + p->n_valid, for_comment(p->once));
    if (p->before)
        printf("    # %s %s: without that, this fails at once: %s\n", p->test.start ? p->test.start : p->test.stop,
               p->test.start ? "comes first" : "frees the object", for_comment(p->before));
    for (uint32_t i = 0; i < p->n_left; i++)
        printf("    # without %s: with it, this fails at once: %s\n", p->left[i].name, for_comment(p->left[i].why));
    if (p->found && p->n_failed + p->n_valid)
        printf("    # %u of %u random inputs fail\n", p->n_failed, p->n_failed + p->n_valid);
    if (p->found && *where)
        printf("    # a guess to look at: it fails at once: %s; %s\n", for_comment(p->found), where);
    else if (p->found) printf("    # it fails at once, and has no line marked as a guess: %s\n", for_comment(p->found));
}

/* Prints the proposals that passed or were not run, and then those that failed. Returns their number. */
static uint32_t print_in_order(const struct new_request *o, const struct proposal *all, uint32_t n)
{
    uint32_t n_in = 0;
    for (int failing = 0; failing < 2; failing++) {
        bool is_first = failing;
        for (uint32_t i = 0; i < n; i++) {
            if (all[i].why_not || (all[i].is_held && !o->shows_held) || (all[i].found != NULL) != failing) continue;
            if (is_first)
                puts("# These fail at once. First look at the guesses; if they are right, the code has a bug.");
            is_first = false;
            print_proposal(o, &all[i]);
            n_in++;
        }
    }
    return n_in;
}

/* Prints a command for each proposal that compiles, with its reason, and what was left out. No file is written. */
static int print_all(const struct new_request *o)
{
    struct proposal *all;
    uint32_t n = new_proposals(&all), n_out, n_in, n_held = 0;
    if (n && !try_all(o, all, n)) return trial_end(), SONDE_USAGE;
    bool is_run = o->n_code && !o->does_not_run;
    const char *why = n && is_run ? run_all(o, all, n) : NULL;
    trial_end();
    n_in = print_in_order(o, all, n);
    for (uint32_t i = 0; i < n; i++) n_held += all[i].is_held && !o->shows_held;
    n_out = n - n_in - n_held;
    if (!n_in && !n_held)
        printf("# %s: no names here suggest a test%s; see docs/writing-properties.md\n", o->header,
               n_out ? " that can be written" : "");
    if (n_in && why) printf("# not all were run: %s\n", why);
    if (n_in && !is_run)
        printf("# All were compiled, none was run%s.\n",
               o->does_not_run ? "" : ": add the code (CODE.c, -lNAME) to run each for a moment");
    if (n_held)
        printf("# Held back: %u (--held prints them). So many random inputs fail that the calls are likely wrong:\n",
               n_held);
    for (uint32_t i = 0; i < n && n_held; i++)
        if (all[i].is_held)
            printf("#   %s%s: %u of %u inputs fail: %s\n", all[i].kind, with_words("", all[i].names, all[i].n),
                   all[i].n_failed, all[i].n_failed + all[i].n_valid, for_comment(all[i].found));
    if (n_out) printf("# Left out, with the reasons:\n");
    for (uint32_t i = 0; i < n; i++)
        if (all[i].why_not)
            printf("#   %s%s: %s\n", all[i].kind, with_words("", all[i].names, all[i].n), for_comment(all[i].why_not));
    return SONDE_PASSED;
}

int new_main(int argc, char **argv)
{
    static struct new_request o;
    if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(usage, stdout);
        return SONDE_PASSED;
    }
    complain_as("sonde new");
    read_command_line(&o, argc, argv);
    if (!is_complete(&o, argc) || !read_header(o.header, o.options, o.n_options)) return SONDE_USAGE;
    return o.proposes ? print_all(&o) : write_program(&o);
}
