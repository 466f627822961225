/* The command `sonde grammar`: checks a grammar file, prints sentences of it, and writes it as C. */
#include "grammar.h"

#include "base/die.h"
#include "base/mem.h"
#include "exec/exec.h"
#include "guide/guides.h"
#include "tools.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SENTENCES = 10, LISTED = 50 }; /* default of -n; number of unused rules that `check` lists */

/* The arguments of the command. */
struct arguments {
    const char *file, *start;
    uint64_t n, seed;
};

static void print_usage(void)
{
    puts("Usage: sonde grammar check [--start RULE] FILE\n"
         "       sonde grammar sample [--start RULE] [-n N] [--seed S] FILE\n"
         "       sonde grammar to-c [--start RULE] FILE\n\n"
         "  check    read a grammar (ABNF or EBNF): print its mistakes, or what it makes\n"
         "  sample   print N strings (10), small ones first, each followed by a line feed\n"
         "  to-c     print C that draws like sonde_grammar, to be continued by hand\n\n"
         "  --start RULE   the rule to start with (the first of the file)\n"
         "  -n N           number of strings\n"
         "  --seed S       other strings for each seed (1)");
}

/* Returns the value of option `name`, which is argument *i, and goes to it; NULL after a message. */
static const char *value_of(const char *name, int argc, char **argv, int *i)
{
    if (*i + 1 < argc) return argv[++*i];
    sonde_complain("sonde grammar: %s needs a value; see sonde grammar --help", name);
    return NULL;
}

static bool read_number(const char *name, const char *text, uint64_t *to)
{
    char *end;
    errno = 0;
    *to = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && !errno) return true;
    sonde_complain("sonde grammar: %s: '%s' is not a number", name, text);
    return false;
}

static bool read_arguments(struct arguments *a, int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        const char *word = argv[i], *value;
        bool is_n = !strcmp(word, "-n"), is_seed = !strcmp(word, "--seed");
        if (is_n || is_seed || !strcmp(word, "--start")) {
            if (!(value = value_of(word, argc, argv, &i))) return false;
            if (!is_n && !is_seed) a->start = value;
            else if (!read_number(word, value, is_n ? &a->n : &a->seed)) return false;
        } else if (word[0] == '-' && word[1]) {
            sonde_complain("sonde grammar: unknown option %s; see sonde grammar --help", word);
            return false;
        } else if (a->file) {
            sonde_complain("sonde grammar: one file, please: '%s' or '%s'", a->file, word);
            return false;
        } else a->file = word;
    }
    if (!a->file) sonde_complain("sonde grammar: give the file that has the grammar; see sonde grammar --help");
    return a->file != NULL;
}

static struct sonde_syntax *read_grammar(const struct arguments *a)
{
    char error[SONDE_SYNTAX_ERROR];
    size_t n = 0;
    struct sonde_syntax *g = NULL;
    char *text = sonde_syntax_load(a->file, &n, error);
    if (text)
        g = sonde_syntax_read(&(struct sonde_syntax_source){.text = text, .n = n, .name = a->file, .start = a->start},
                              error);
    sonde_free(text);
    if (!g) sonde_complain("sonde grammar: %s", error);
    return g;
}

/* ---- Sentences */

/* A property that prints what it draws. */
struct printing {
    sonde_language language;
    uint64_t n;
    bool is_shortened; /* a long sentence is cut off */
};

static void print_sentence(sonde *t)
{
    enum { SHOWN = 60 };
    struct printing *p = sonde_context(t);
    sonde_text text = sonde_grammar(t, "sentence", &p->language);
    bool is_cut = p->is_shortened && text.n > SHOWN;
    fwrite(text.at, 1, is_cut ? SHOWN : text.n, stdout);
    puts(is_cut ? " ..." : "");
    p->n++;
}

/* Prints n sentences that a guide chooses. Returns an exit status. */
static int print_sentences(struct printing *p, const struct sonde_guide_ops *ops, const struct arguments *a)
{
    struct sonde_labels labels;
    const struct sonde_limits limits = {.choices = 1 << 16, .spans = 1 << 17, .bytes = 1 << 24, .memory = 1 << 28};
    const struct sonde_guide_setup setup = {.seed = a->seed, .tests = a->n};
    const sonde_property property = {.name = "sample", .run = print_sentence, .context = p};
    sonde_labels_init(&labels);
    sonde *t = sonde_case_create(&labels, limits);
    struct sonde_guide *guide = ops->create(&setup);
    struct sonde_tape script;
    sonde_tape_init(&script);
    sonde_exec_begin();
    /* Strings too large for a case are not printed. */
    for (uint64_t tried = 0; p->n < a->n && tried < 2 * a->n; tried++) {
        if (ops->start && ops->start(guide, &script) == SONDE_PLAN_DONE) break;
        sonde_exec_inline(t, &property, guide, NULL);
        if (t->verdict == SONDE_MISUSE) break;
    }
    sonde_exec_end();
    int status = t->verdict == SONDE_MISUSE || (!p->n && a->n) ? SONDE_USAGE : SONDE_PASSED;
    if (t->verdict == SONDE_MISUSE) sonde_complain("sonde grammar: %s", t->claim.message);
    else if (status) sonde_complain("sonde grammar: %s: all strings that were drawn are too large for a case", a->file);
    else if (p->n < a->n)
        sonde_complain(
            "sonde grammar: %s: %llu of %llu strings; the others are too large for a case, or there are no more",
            a->file, (unsigned long long)p->n, (unsigned long long)a->n);
    sonde_tape_clear(&script);
    ops->destroy(guide);
    sonde_case_free(t);
    sonde_labels_clear(&labels);
    return status;
}

static int sample(const struct arguments *a)
{
    struct sonde_syntax *g = read_grammar(a);
    if (!g) return SONDE_USAGE;
    sonde_syntax_free(g);
    struct printing p = {.language = {.file = a->file, .start = a->start}};
    return print_sentences(&p, &sonde_guide_random, a);
}

/* ---- Check */

static int check(const struct arguments *a)
{
    struct sonde_syntax *g = read_grammar(a);
    if (!g) return SONDE_USAGE;
    uint32_t n_unused = 0, n_own = 0;
    for (uint32_t i = 0; i < g->n_rules; i++) {
        n_own += !g->rules[i].is_core;
        n_unused += !g->rules[i].is_used && !g->rules[i].is_core;
    }
    printf("%s: %s of %u rules, written in %s; it starts with %s\n", a->file, g->is_ebnf ? "EBNF" : "ABNF",
           (unsigned)n_own, g->is_unicode ? "Unicode (UTF-8)" : "bytes", sonde_syntax_name(g, g->start));
    unsigned long long least = g->nodes[g->rules[g->start].body].cost >> 24;
    printf("the shortest string has %llu character%s; the simplest: ", least, least == 1 ? "" : "s");
    struct printing p = {.language = {.file = a->file, .start = a->start}, .is_shortened = true};
    int status = print_sentences(&p, &sonde_guide_simplest, &(struct arguments){.file = a->file, .n = 1});
    if (n_unused) printf("not used by %s:", sonde_syntax_name(g, g->start));
    for (uint32_t i = 0, n = 0; i < g->n_rules && n_unused; i++) {
        if (g->rules[i].is_used || g->rules[i].is_core) continue;
        if (n++ == LISTED) printf(" and %u more", (unsigned)n_unused - LISTED);
        else if (n <= LISTED) printf(" %s", sonde_syntax_name(g, i));
    }
    if (n_unused) putchar('\n');
    sonde_syntax_free(g);
    return status;
}

static int to_c(const struct arguments *a)
{
    struct sonde_syntax *g = read_grammar(a);
    if (!g) return SONDE_USAGE;
    bool is_written = tool_grammar_as_c(g, a->file, stdout);
    sonde_syntax_free(g);
    return is_written ? SONDE_PASSED : SONDE_USAGE;
}

int sonde_tool_grammar(int argc, char **argv)
{
    struct arguments a = {.n = SENTENCES, .seed = 1};
    const char *what = argv[1];
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") != 0) continue;
        print_usage();
        return SONDE_PASSED;
    }
    bool is_check = !strcmp(what, "check"), is_sample = !strcmp(what, "sample");
    if (!is_check && !is_sample && strcmp(what, "to-c") != 0) {
        sonde_complain("sonde grammar: check, sample or to-c, not '%s'; see sonde grammar --help", what);
        return SONDE_USAGE;
    }
    if (!read_arguments(&a, argc, argv)) return SONDE_USAGE;
    int status = is_check ? check(&a) : is_sample ? sample(&a) : to_c(&a);
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    sonde_complain("sonde grammar: cannot write: %s", strerror(errno));
    return SONDE_USAGE;
}
