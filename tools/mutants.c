/* Finds the mutants of a source. schema.h explains how they are written, include/sonde/mutants.h how they are chosen.
 *
 * The input is preprocessed: a mutant may come from any macro. There is no parser of C here. Statements are recognised
 * by their keywords, expressions are split at their operators (ranges.h), and everything else is copied as it is. So
 * an unknown construct has no mutants, but means the same as before. Some constructs must not be touched, because
 * their meaning would change or the code would no longer compile:
 *
 *    constant expressions    case labels, declarators (int a[5 + 1] would become a variable length array), enumerators,
 *                            initialisers in braces or of static variables, arguments of __builtin_ functions
 *    types                   sizeof, _Generic, typeof, attributes, asm
 *    lifetimes               statements with a compound literal or statement expression; setjmp
 *    directives              the statement after a #pragma
 *
 * Some mutants are left out because killing them would say nothing. These are mutants of NULL, of initial values that
 * are overwritten, and of statements that only log or assert. A condition without an effect has none if its branches
 * are empty. Code that a macro of a system header made has none, either.
 *
 * An expression without side effects is one site with all mutants of its operators and constants. Its value is then
 * compared as a whole: 6 always differs from 5, but `x + 6 > y` rarely from `x + 5 > y`. Operands of && || ?: are
 * separate sites, because they may not be reached. */
#define _GNU_SOURCE /* FNM_CASEFOLD */

#include "mutants.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "ranges.h"

#include <sonde/mutants.h>

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

/* Edits of one site. */
struct edits {
    struct edit *all;
    uint32_t n, cap;
};

/* State of the mutation of one source. */
struct mutator {
    const struct mutants_request *request;
    struct sonde_token *t;
    uint32_t n;
    struct schema s;
    struct sonde_map types;  /* hashes of the names of typedefs */
    struct sonde_map macros; /* by hash of the name: 1 made code with a reserved name, 2 did not */
    unsigned char *files;    /* for each marker: 0 not known, 1 is mutated, 2 is not */
    uint32_t end;            /* the closing brace of the present function */
    unsigned char hints;     /* of the code that is read now */
    uint32_t from, to;       /* the statement whose condition is read now */
    uint32_t quiet;          /* not 0: nothing is mutated here */
};

static bool is(const struct mutator *m, uint32_t i, const char *text)
{
    return sonde_token_is(&m->t[i], text);
}

static bool is_any(const struct mutator *m, uint32_t i, const char *const *list)
{
    return token_is_any(m->t, i, list);
}

static bool is_name(const struct mutator *m, uint32_t i)
{
    return sonde_token_is_name(&m->t[i]);
}

/* ---- Files */

bool mutants_is_match(const struct words *globs, const char *path)
{
    for (uint32_t i = 0; globs && i < globs->n; i++) {
        if (!strchr(globs->all[i], '/')) {
            if (fnmatch(globs->all[i], word_base_name(path), 0) == 0) return true;
            continue;
        }
        for (const char *p = path; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL)
            if (fnmatch(globs->all[i], p, 0) == 0) return true;
    }
    return false;
}

/* Reports whether the file of token i is to be mutated. */
static bool is_wanted(struct mutator *m, uint32_t i)
{
    const struct mutants_request *r = m->request;
    unsigned char *known = &m->files[m->t[i].marker];
    if (!*known) {
        const char *path = origin_path(m->s.origin, m->t[i].marker);
        bool is_wanted = r->globs && r->globs->n ? mutants_is_match(r->globs, path) : !strcmp(path, r->source);
        *known = is_wanted ? 1 : 2;
    }
    return *known == 1;
}

/* ---- Names */

/* Names of functions and macros that log or check. A property cannot see what they print. */
static const char *const logging[] = {"assert",  "assert_*", "*_assert",  "*_ASSERT", "ASSERT*", "__assert*", "perror",
                                      "syslog",  "vsyslog",  "warn",      "warnx",    "vwarn*",  "log_*",     "*_log",
                                      "*_log_*", "*_logf",   "*_logv",    "LOG",      "LOG_*",   "*_LOG",     "*_LOG_*",
                                      "DEBUG*",  "debug",    "debug_*",   "*_debug",  "dprintf", "TRACE*",    "trace_*",
                                      "*_trace", "*_warn",   "*_warning", "sonde_*",  "SONDE_*", NULL};

static bool is_logging_name(const struct mutator *m, const char *name)
{
    const struct words *more = m->request->skips;
    for (size_t i = 0; logging[i]; i++)
        if (fnmatch(logging[i], name, 0) == 0) return true;
    for (uint32_t i = 0; more && i < more->n; i++)
        if (fnmatch(more->all[i], name, 0) == 0) return true;
    return false;
}

/* Copies the name of token i; cut if it is longer than any pattern cares about. */
static const char *name_of(const struct mutator *m, uint32_t i, char name[64])
{
    uint32_t n = m->t[i].n < 63 ? m->t[i].n : 63;
    memcpy(name, m->t[i].at, n);
    name[n] = 0;
    return name;
}

/* Reports whether a name contains one of these words, in any case. */
static bool has_word(const char *name, const char *const *words)
{
    for (; *words; words++)
        if (strcasestr(name, *words)) return true;
    return false;
}

/* Reports whether the code at token i comes from a macro that logs or checks. */
static bool is_logging_macro(struct mutator *m, uint32_t i)
{
    uint32_t column;
    const char *macro = origin_macro(m->s.origin, i, &column);
    return macro && is_logging_name(m, macro);
}

/* Reports whether the statement [a, b) only logs or checks: it calls such a function, prints to stderr, or comes from
 * such a macro. */
static bool is_logging(struct mutator *m, uint32_t a, uint32_t b)
{
    char name[64];
    for (uint32_t i = a; i < b; i++) {
        if (is(m, i, "stderr")) return true;
        if (!is_name(m, i) || i + 1 == b || !is(m, i + 1, "(")) continue;
        name_of(m, i, name);
        if (word_starts(name, "__assert") || word_starts(name, "sonde_")) return true;
        if (i == a && is_logging_name(m, name)) return true;
    }
    return is_logging_macro(m, a);
}

/* Reports whether a marker names code of a system header, or of a macro from one. */
static bool is_system_marker(const struct mutator *m, uint32_t marker)
{
    const char *flags = strrchr(m->s.tokens->markers[marker], '"');
    return flags && strstr(flags, " 3");
}

/* Reports whether a name is reserved for the implementation. */
static bool is_reserved(const struct sonde_token *t)
{
    return t->n > 1 && t->at[0] == '_' && (t->at[1] == '_' || isupper((unsigned char)t->at[1]));
}

/* Reports whether token i was made by the macro whose name has this hash, and is a reserved name. */
static bool is_reserved_by(struct mutator *m, uint32_t i, uint64_t hash)
{
    uint32_t column;
    const char *macro = is_reserved(&m->t[i]) ? origin_macro(m->s.origin, i, &column) : NULL;
    return macro && sonde_hash_text(0, macro) == hash;
}

/* Reports whether a macro made token i that uses a name reserved for the implementation. Keeps the result for each
 * macro: a line may have thousands of tokens. */
static bool is_made_by_system(struct mutator *m, uint32_t i)
{
    uint32_t column, from = i, to = i;
    const char *macro = origin_macro(m->s.origin, i, &column);
    if (!macro) return false;
    if (!strcmp(macro, "EOF")) return true; /* just a number */
    uint64_t hash = sonde_hash_text(0, macro);
    uint32_t known = sonde_map_get(&m->macros, hash);
    if (known) return known == 1;
    while (from > 0 && m->t[from - 1].line == m->t[i].line) from--;
    while (to < m->n && m->t[to].line == m->t[i].line) to++;
    while (from < to && !is_reserved_by(m, from, hash)) from++;
    *sonde_map_at(&m->macros, hash) = from < to ? 1 : 2;
    return from < to;
}

/* Reports whether the code at token i comes from a macro of a system header, for instance isspace: users cannot change
 * it. gcc marks such code; clang does not. A function that such a macro defined as a whole is mutated. */
static bool is_system(struct mutator *m, uint32_t i)
{
    if (is_system_marker(m, m->t[m->end].marker)) return false;
    return is_system_marker(m, m->t[i].marker) || is_made_by_system(m, i);
}

/* ---- Types. The names of typedefs settle what is a cast or a declaration. A name that means something else in an
 * inner scope is misread, and the compiler objects. */

static uint64_t hash_of(const struct sonde_token *t)
{
    return sonde_hash_bytes(0, t->at, t->n);
}

/* Adds the names that a typedef declares; returns the index of its semicolon. */
static uint32_t read_typedef(struct mutator *m, uint32_t i)
{
    uint32_t last = 0;
    for (i++; i < m->n && !is(m, i, ";"); i = token_next(m->t, i)) {
        bool is_function = is(m, i, "(") && i + 2 < m->n && is(m, i + 1, "*") && is_name(m, i + 2);
        if (is_name(m, i)) last = i;
        else if (is_function) last = i + 2;
        bool ends = i + 1 < m->n && (is_function || is(m, i + 1, ";") || is(m, i + 1, ",") || is(m, i + 1, "["));
        if (last && ends) *sonde_map_at(&m->types, hash_of(&m->t[last])) = 1;
    }
    return i;
}

static void find_types(struct mutator *m)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (is(m, i, "typedef")) i = read_typedef(m, i);
    for (uint32_t i = 0; i < m->n; i++)
        m->t[i].names_type = is_name(m, i) && sonde_map_get(&m->types, hash_of(&m->t[i]));
}

/* Words whose operand or arguments are not values. */
static const char *const verbatim[] = {"sizeof",     "_Alignof", "alignof",  "__alignof__",    "typeof",
                                       "__typeof__", "__typeof", "_Generic", "__attribute__",  "__attribute",
                                       "asm",        "__asm__",  "__asm",    "_Static_assert", NULL};

/* Reports whether token i opens a cast: `(T)` before an operand, but not the operand of sizeof. */
static bool is_cast(const struct mutator *m, uint32_t i)
{
    return is(m, i, "(") && range_is_type(m->t, i + 1, m->t[i].match) && !(i > 0 && is_any(m, i - 1, verbatim));
}

/* Reports whether token i is a binary operator of [a, b): a `-` after a cast is not. */
static bool is_operator(const struct mutator *m, uint32_t a, uint32_t i, uint32_t b)
{
    if (!range_is_binary(m->t, a, i, b) || is(m, i - 1, ">")) return false;
    return !(is(m, i - 1, ")") && is_cast(m, m->t[i - 1].match));
}

/* ---- Operators */

/* Binary operators by precedence, from the loosest. Each level ends with NULL. */
static const struct level {
    const char *ops[5];
    unsigned char kind;
} levels[] = {{{"||"}, SONDE_MUTANT_LOGIC_},
              {{"&&"}, SONDE_MUTANT_LOGIC_},
              {{"|"}, SONDE_MUTANT_BITS_},
              {{"^"}, SONDE_MUTANT_BITS_},
              {{"&"}, SONDE_MUTANT_BITS_},
              {{"==", "!="}, SONDE_MUTANT_RELATION_},
              {{"<", "<=", ">", ">="}, SONDE_MUTANT_RELATION_},
              {{"<<", ">>"}, SONDE_MUTANT_SHIFT_},
              {{"+", "-"}, SONDE_MUTANT_ARITHMETIC_},
              {{"*", "/", "%"}, SONDE_MUTANT_ARITHMETIC_}};
enum { LEVELS = sizeof levels / sizeof *levels };

/* Operators and their replacements. A relation moves its boundary, and is negated. */
static const char *const changes[][3] = {{"<", "<=", ">="}, {"<=", "<", ">"}, {">", ">=", "<="}, {">=", ">", "<"},
                                         {"==", "!="},      {"!=", "=="},     {"+", "-"},        {"-", "+"},
                                         {"*", "+"},        {"/", "*"},       {"%", "/"},        {"&", "|"},
                                         {"|", "&"},        {"^", "&"},       {"<<", ">>"},      {">>", "<<"},
                                         {"&&", "||"},      {"||", "&&"},     {"++", "--"},      {"--", "++"},
                                         {"+=", "-="},      {"-=", "+="},     {"*=", "+="},      {"/=", "*="},
                                         {"%=", "*="},      {"&=", "|="},     {"|=", "&="},      {"^=", "&="},
                                         {"<<=", ">>="},    {">>=", "<<="}};

/* Finds the loosest binary operator of a range, the last one of its level. Returns its level; LEVELS: there is none. */
static uint32_t find_operator(const struct mutator *m, uint32_t a, uint32_t b, uint32_t *at)
{
    uint32_t found = LEVELS;
    for (uint32_t i = a; i < b; i = token_next(m->t, i)) {
        if (!ispunct((unsigned char)*m->t[i].at) || !is_operator(m, a, i, b)) continue;
        for (uint32_t k = 0; k <= found && k < LEVELS; k++) {
            if (!is_any(m, i, levels[k].ops)) continue;
            found = k;
            *at = i;
            break;
        }
    }
    return found;
}

static void add(struct edits *to, struct edit e)
{
    to->all = sonde_grow(to->all, &to->cap, (size_t)to->n + 1, sizeof *to->all);
    to->all[to->n++] = e;
}

/* Reports whether an edit changes an operator to one with the same result: x + 0 is x - 0, and x << 0 is x >> 0. */
static bool is_void_operation(const struct mutator *m, const struct edit *e)
{
    return e->form == EDIT_BINARY && e->at + 2 == e->y && is(m, e->at + 1, "0")
           && (e->kind == SONDE_MUTANT_ARITHMETIC_ || e->kind == SONDE_MUTANT_SHIFT_);
}

/* Returns the hint of a boundary that moves by one. If a name in its operands [a, b) is an index in the guarded
 * statement, one more step may be an access out of bounds. */
static unsigned char hint_of_bound(const struct mutator *m, uint32_t a, uint32_t b)
{
    for (uint32_t i = m->from; i < m->to; i++)
        for (uint32_t k = i + 1; is(m, i, "[") && k < m->t[i].match; k++)
            for (uint32_t name = a; is_name(m, k) && name < b; name = token_next(m->t, name))
                if (m->t[name].n == m->t[k].n && !memcmp(m->t[name].at, m->t[k].at, m->t[k].n))
                    return SONDE_MUTANT_INDEX_;
    return 0;
}

/* Adds the edits of the operator `at` in [x, y). */
static void add_operator(struct mutator *m, struct edits *to, struct edit e)
{
    static const char *const strict[] = {"<", ">", NULL};
    if (is_system(m, e.at) || is_void_operation(m, &e)) return;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        if (!is(m, e.at, changes[i][0])) continue;
        for (size_t k = 1; k < 3 && changes[i][k]; k++) {
            struct edit change = e;
            change.op = changes[i][k];
            if (k == 1 && changes[i][2]) change.hints |= SONDE_MUTANT_NUDGES_; /* only these have two */
            if (k == 1 && is_any(m, e.at, strict)) change.hints |= hint_of_bound(m, e.x, e.y);
            add(to, change);
        }
        return;
    }
}

/* Adds the negation of [x, y). */
static void add_negation(struct mutator *m, struct edits *to, uint32_t x, uint32_t y)
{
    add(to,
        (struct edit){.form = EDIT_NOT, .x = x, .at = y, .y = y, .kind = SONDE_MUTANT_CONDITION_, .hints = m->hints});
}

/* ---- Values */

static bool is_zero(const struct sonde_token *t)
{
    bool is_hex = t->n > 1 && (t->at[1] == 'x' || t->at[1] == 'X'); /* where f is a digit */
    for (uint32_t i = 0; i < t->n; i++)
        if (!strchr(is_hex ? "0xXuUlL" : "0.uUlLfF", t->at[i])) return false;
    return true;
}

/* Adds the edits of a number or character: one more, and one less unless it is 0. `true` becomes `false`, and the
 * reverse. */
static void add_constant(struct mutator *m, struct edits *to, uint32_t i, unsigned char hints)
{
    static const char *const less[] = {"<", "<=", NULL};
    struct edit e = {.form = EDIT_VALUE, .x = i, .at = i, .y = i + 1, .kind = SONDE_MUTANT_CONSTANT_};
    e.hints = hints | SONDE_MUTANT_NUDGES_;
    uint32_t column;
    const char *macro = origin_macro(m->s.origin, i, &column);
    bool is_bool = macro && (!strcmp(macro, "true") || !strcmp(macro, "false"));
    if (!is_bool && is_system(m, i)) return; /* true is of <stdbool.h>, but what users wrote */
    if (!(is_bool && !is_zero(&m->t[i]))) {
        struct edit more = e;
        more.op = "+ 1";
        if (i > 1 && is_any(m, i - 1, less)) more.hints |= hint_of_bound(m, i - 2, i - 1);
        add(to, more);
    }
    if (is_zero(&m->t[i])) return;
    e.op = "- 1";
    add(to, e);
}

/* Reports whether a range is NULL: ((void *)0), with or without its parentheses. */
static bool is_null(const struct mutator *m, uint32_t a, uint32_t b)
{
    range_strip(m->t, &a, &b);
    return b - a == 5 && is(m, a, "(") && is(m, a + 1, "void") && is(m, a + 4, "0");
}

/* Reports whether a range has a call. In C, `>` before a parenthesis is a relation, not the end of a template. */
static bool has_call(const struct mutator *m, uint32_t a, uint32_t b)
{
    for (uint32_t i = a; i + 1 < b; i++)
        if (!is(m, i, ">") && range_has_call(m->t, i, i + 2)) return true;
    return false;
}

/* Reports whether evaluating a range has no effect: it has no assignment, step or call. */
static bool is_pure(const struct mutator *m, uint32_t a, uint32_t b)
{
    static const char *const effects[] = {"++", "--", "{", NULL};
    for (uint32_t i = a; i < b; i++)
        if (is_any(m, i, effects) || is_any(m, i, range_assignments)) return false;
    return !has_call(m, a, b);
}

/* Reports whether all of a pure range is always evaluated. */
static bool is_simple(const struct mutator *m, uint32_t a, uint32_t b)
{
    static const char *const branches[] = {"&&", "||", "?", NULL};
    for (uint32_t i = a; i < b; i++)
        if (is_any(m, i, branches)) return false;
    return true;
}

/* Reports whether a range may have mutants at all: see the head of this file. */
static bool is_touchable(const struct mutator *m, uint32_t a, uint32_t b)
{
    static const char *const never[] = {"{",
                                        "setjmp",
                                        "_setjmp",
                                        "sigsetjmp",
                                        "__sigsetjmp",
                                        "savectx",
                                        "vfork",
                                        "__builtin_choose_expr",
                                        "__builtin_va_arg",
                                        "throw",
                                        NULL};
    for (uint32_t i = a; i < b; i++)
        if (is_any(m, i, never) || (m->t[i].follows_directive && i > a)) return false;
    return true;
}

/* Collects the edits in a pure and simple range. */
static void collect(struct mutator *m, uint32_t a, uint32_t b, unsigned char hints, struct edits *to)
{
    static const char *const unary[] = {"!", "~", "-", "+", "*", "&", "__extension__", NULL};
    static const char *const comma[] = {",", NULL};
    uint32_t at;
    if (a >= b || is_null(m, a, b) || range_find(m->t, a, b, comma) < b) return;
    uint32_t level = find_operator(m, a, b, &at);
    if (level < LEVELS) {
        add_operator(
            m, to,
            (struct edit){.form = EDIT_BINARY, .x = a, .at = at, .y = b, .kind = levels[level].kind, .hints = hints});
        collect(m, a, at, hints, to);
        collect(m, at + 1, b, hints, to);
        return;
    }
    if (is_any(m, a, unary)) {
        collect(m, a + 1, b, hints, to);
        return;
    }
    if (is_cast(m, a) && m->t[a].match + 1 < b) {
        collect(m, m->t[a].match + 1, b, hints, to);
        return;
    }
    for (uint32_t i = a; i < b; i = token_next(m->t, i)) {
        if (is_any(m, i, verbatim)) return;
        bool is_index = is(m, i, "[");
        if (is_index || is(m, i, "("))
            collect(m, i + 1, m->t[i].match, is_index ? hints | SONDE_MUTANT_INDEX_ : hints, to);
        else if (sonde_token_is_literal(&m->t[i]) && !strchr("\"", m->t[i].at[m->t[i].n - 1]))
            add_constant(m, to, i, hints);
    }
}

/* ---- Expressions. Each function below reads a range and opens sites in it. */

static void expression(struct mutator *m, uint32_t a, uint32_t b);
static void unary(struct mutator *m, uint32_t a, uint32_t b);

/* Opens a site unless the code is not to be mutated; takes the edits. */
static bool open_site(struct mutator *m, struct site *site, struct edits *edits)
{
    site->edits = edits->all;
    site->n = edits->n;
    bool opened = !m->quiet && edits->n && is_wanted(m, site->a) && schema_open(&m->s, site);
    sonde_free(edits->all);
    *edits = (struct edits){0};
    return opened;
}

/* Above this product of edits and tokens an expression is several sites: each edit is a copy of all tokens. */
enum { SITE_MAX = 4000 };

/* Reads a pure and simple range as one site. Returns false if it is too large for that. */
static bool pure_site(struct mutator *m, uint32_t a, uint32_t b, bool negates)
{
    struct edits edits = {0};
    struct site site = {.a = a, .b = b, .watch = WATCH_BOTH, .is_truth = negates};
    if (negates) add_negation(m, &edits, a, b);
    collect(m, a, b, m->hints, &edits);
    if (b - a == 1) site.watch = WATCH_DIFFERS;
    if ((uint64_t)edits.n * (b - a) > SITE_MAX) {
        sonde_free(edits.all);
        return false;
    }
    if (open_site(m, &site, &edits)) schema_close(&m->s, &site);
    return true;
}

/* Reads a range whose loosest operator is `at`. */
static void binary(struct mutator *m, uint32_t a, uint32_t at, uint32_t b, unsigned char kind, bool negates)
{
    struct edits edits = {0};
    bool pure[2] = {is_pure(m, a, at), is_pure(m, at + 1, b)}, is_logic = kind == SONDE_MUTANT_LOGIC_,
         taken[2] = {false, false};
    struct site site = {.a = a, .at = at, .b = b, .is_truth = negates, .has_effects = {!pure[0], !pure[1]}};
    site.watch = pure[0] && pure[1] ? WATCH_BOTH : is_logic ? WATCH_NONE : WATCH_PARTS;
    if (negates) add_negation(m, &edits, a, b);
    add_operator(m, &edits,
                 (struct edit){.form = EDIT_BINARY, .x = a, .at = at, .y = b, .kind = kind, .hints = m->hints});
    if (site.watch == WATCH_PARTS) { /* a constant beside a call is compared by the whole */
        taken[0] = pure[0] && is_simple(m, a, at) && at - a < 16;
        taken[1] = pure[1] && is_simple(m, at + 1, b) && b - at < 16;
        if (taken[0]) collect(m, a, at, m->hints, &edits);
        if (taken[1]) collect(m, at + 1, b, m->hints, &edits);
    }
    bool opened = open_site(m, &site, &edits);
    if (!taken[0]) expression(m, a, at);
    if (!taken[1]) expression(m, at + 1, b);
    if (opened) schema_close(&m->s, &site);
}

/* Reports whether a function of this name takes a size: a mutant in its arguments may access memory out of bounds. */
static bool takes_size(const char *name)
{
    static const char *const words[] = {"alloc", "mem", "strn", "snprintf", "read", "write", "recv", "send", NULL};
    return has_word(name, words);
}

/* Reports whether a function of this name obtains memory. How much matters for its speed, or shows with --sanitize. */
static bool makes_room(const char *name)
{
    static const char *const words[] = {"alloc",    "room",   "reserve", "grow", "resize",
                                        "capacity", "ensure", "expand",  NULL};
    return has_word(name, words);
}

/* Reads the arguments (a, b) of the function named by token `name`. */
static void arguments(struct mutator *m, uint32_t name, uint32_t a, uint32_t b)
{
    static const char *const comma[] = {",", NULL};
    char text[64];
    unsigned char hints = m->hints;
    name_of(m, name, text);
    if (word_starts(text, "__builtin_") && strcmp(text, "__builtin_expect") != 0) return;
    if (word_starts(text, "_mm") || word_starts(text, "sonde_")) return;
    if (is_name(m, name) && takes_size(text)) m->hints |= SONDE_MUTANT_INDEX_;
    if (is_name(m, name) && makes_room(text)) m->hints |= SONDE_MUTANT_ROOM_;
    while (a < b) {
        uint32_t end = range_find(m->t, a, b, comma);
        if (!range_is_type(m->t, a, end)) expression(m, a, end);
        a = end + 1;
    }
    m->hints = hints;
}

/* Reads the brackets in a range without operators: arguments, indices, parentheses. is_lvalue: the range must remain
 * an lvalue. */
static void groups(struct mutator *m, uint32_t a, uint32_t b, bool is_lvalue)
{
    for (uint32_t i = a; i < b; i = token_next(m->t, i)) {
        unsigned char hints = m->hints;
        if (is_any(m, i, verbatim)) return;
        if (is(m, i, "(") && i > a) arguments(m, i - 1, i + 1, m->t[i].match);
        else if (is(m, i, "(") && is_lvalue) groups(m, i + 1, m->t[i].match, true);
        else if (is(m, i, "(")) expression(m, i + 1, m->t[i].match);
        else if (is(m, i, "[")) {
            m->hints |= SONDE_MUTANT_INDEX_;
            expression(m, i + 1, m->t[i].match);
            m->hints = hints;
        }
    }
}

/* Reads a range that is assigned to, or whose address is taken. */
static void lvalue(struct mutator *m, uint32_t a, uint32_t b)
{
    if (range_is_paren(m->t, a, b)) lvalue(m, a + 1, b - 1);
    else if (a < b && is(m, a, "*")) expression(m, a + 1, b);
    else groups(m, a, b, true);
}

/* Reads `++x` or `x++`; `at` is the operator. */
static void step(struct mutator *m, uint32_t a, uint32_t at, uint32_t b)
{
    struct edits edits = {0};
    struct site site = {.a = a, .b = b, .watch = WATCH_DIFFERS};
    add_operator(
        m, &edits,
        (struct edit){.form = EDIT_TOKEN, .x = a, .at = at, .y = b, .kind = SONDE_MUTANT_STEP_, .hints = m->hints});
    bool opened = open_site(m, &site, &edits);
    if (at == a) lvalue(m, a + 1, b);
    else lvalue(m, a, at);
    if (opened) schema_close(&m->s, &site);
}

/* Reads a range without binary operators. */
static void unary(struct mutator *m, uint32_t a, uint32_t b)
{
    static const char *const plain[] = {"!", "~", "-", "+", "*", "__extension__", NULL};
    static const char *const steps[] = {"++", "--", NULL};
    if (a >= b || is(m, a, "&&") || is_any(m, a, verbatim)) return;
    if (is_any(m, a, steps)) step(m, a, a, b);
    else if (is(m, a, "&")) lvalue(m, a + 1, b);
    else if (is_any(m, a, plain)) unary(m, a + 1, b);
    else if (is_cast(m, a) && m->t[a].match + 1 < b) unary(m, m->t[a].match + 1, b);
    else if (is_any(m, b - 1, steps)) step(m, a, b - 1, b);
    else groups(m, a, b, false);
}

/* Reports whether the left side [a, b) of an assignment may be memory that outlives the function: it is not just a
 * name. */
static bool is_store(const struct mutator *m, uint32_t a, uint32_t b)
{
    range_strip(m->t, &a, &b);
    return b - a > 1;
}

/* Reads an assignment; `at` is its operator. */
static void assignment(struct mutator *m, uint32_t a, uint32_t at, uint32_t b)
{
    struct edits edits = {0};
    struct site site = {.a = a, .at = at, .b = b, .end = b};
    unsigned char hints = m->hints;
    if (is_store(m, a, at)) m->hints |= SONDE_MUTANT_STORES_;
    if (is_pure(m, a, at) && is_pure(m, at + 1, b)) site.watch = WATCH_ASSIGNED;
    add_operator(
        m, &edits,
        (struct edit){.form = EDIT_TOKEN, .x = a, .at = at, .y = b, .kind = SONDE_MUTANT_COMPOUND_, .hints = m->hints});
    bool opened = open_site(m, &site, &edits);
    lvalue(m, a, at);
    expression(m, at + 1, b);
    m->hints = hints;
    if (opened) schema_close(&m->s, &site);
}

/* Reads the condition of if, while, for or ?:. Negates it, unless it is a relation, which has its negation already.
 * Leaves a constant alone, as in while (1). */
static void condition(struct mutator *m, uint32_t a, uint32_t b)
{
    static const char *const loose[] = {",", "?", NULL};
    uint32_t at = 0, x = a, y = b;
    if (a >= b || !is_touchable(m, a, b)) return;
    range_strip(m->t, &x, &y);
    if (y - x == 1 && sonde_token_is_literal(&m->t[x])) return;
    uint32_t level = find_operator(m, x, y, &at);
    bool is_plain = range_find(m->t, x, y, loose) == y && range_find(m->t, x, y, range_assignments) == y;
    bool negates = !(is_plain && level < LEVELS && levels[level].kind == SONDE_MUTANT_RELATION_);
    if (!negates) expression(m, x, y);
    else if (is_plain && is_pure(m, x, y) && is_simple(m, x, y) && pure_site(m, x, y, true)) return;
    else if (is_plain && level < LEVELS) binary(m, x, at, y, levels[level].kind, true);
    else {
        struct edits edits = {0};
        struct site site = {.a = x, .b = y, .watch = WATCH_DIFFERS, .is_truth = true};
        add_negation(m, &edits, x, y);
        bool opened = open_site(m, &site, &edits);
        expression(m, x, y);
        if (opened) schema_close(&m->s, &site);
    }
}

static void expression(struct mutator *m, uint32_t a, uint32_t b)
{
    static const char *const comma[] = {",", NULL}, *const question[] = {"?", NULL};
    uint32_t at = 0, level;
    if (a >= b || !is_touchable(m, a, b)) return;
    if ((at = range_find(m->t, a, b, comma)) < b) {
        expression(m, a, at);
        expression(m, at + 1, b);
    } else if ((at = range_find(m->t, a, b, range_assignments)) < b) assignment(m, a, at, b);
    else if ((at = range_find(m->t, a, b, question)) < b) {
        uint32_t colon = range_find_colon(m->t, at, b);
        if (at == a || colon == b || colon == at + 1) return; /* GNU's `a ?: b` is evaluated once */
        condition(m, a, at);
        expression(m, at + 1, colon);
        expression(m, colon + 1, b);
    } else if (is_pure(m, a, b) && is_simple(m, a, b) && pure_site(m, a, b, false)) return;
    else if (range_is_paren(m->t, a, b)) expression(m, a + 1, b - 1);
    else if ((level = find_operator(m, a, b, &at)) < LEVELS) binary(m, a, at, b, levels[level].kind, false);
    else unary(m, a, b);
}

/* ---- Statements */

static uint32_t statement(struct mutator *m, uint32_t i, uint32_t b);

static uint32_t end_of(const struct mutator *m, uint32_t i, uint32_t b)
{
    static const char *const semicolon[] = {";", NULL};
    return range_find(m->t, i, b, semicolon);
}

/* Reads a statement that can be dropped: [a, b) and the semicolon b. */
static void droppable(struct mutator *m, uint32_t a, uint32_t b, unsigned char kind, uint32_t assigns)
{
    struct edit edit = {.form = EDIT_DROP, .x = a, .at = a, .y = b, .kind = kind, .hints = m->hints};
    struct site site = {.a = a, .b = b + 1, .at = assigns, .end = b, .edits = &edit, .n = 1};
    static const char *const freeing[] = {"free",  "close",  "release", "destroy", "unlock",
                                          "unref", "delete", "clear",   NULL};
    char name[64];
    if (kind == SONDE_MUTANT_NO_CALL_ && has_word(name_of(m, a, name), freeing)) edit.hints |= SONDE_MUTANT_FREES_;
    if (assigns && is_store(m, a, assigns)) edit.hints |= SONDE_MUTANT_STORES_;
    if (assigns && is_pure(m, a, assigns) && is_pure(m, assigns + 1, b)) site.watch = WATCH_ASSIGNED;
    else if (kind == SONDE_MUTANT_DROPPED_) site.watch = WATCH_DIFFERS;
    bool opened = !m->quiet && is_wanted(m, a) && schema_open_statement(&m->s, &site);
    expression(m, a, b);
    if (opened) schema_close_statement(&m->s, &site);
}

/* Reads an expression statement [a, b) without its semicolon. (void)x; has no effect that could be missed. */
static void expression_statement(struct mutator *m, uint32_t a, uint32_t b)
{
    static const char *const comma[] = {",", NULL};
    if (a == b || !is_touchable(m, a, b) || is_logging(m, a, b)) return;
    if (is(m, a, "(") && is(m, a + 1, "void") && m->t[a].match == a + 2) {
        expression(m, a + 3, b);
        return;
    }
    uint32_t at = range_find(m->t, a, b, range_assignments);
    bool is_list = range_find(m->t, a, b, comma) < b, is_call = is_name(m, a) && is(m, b - 1, ")");
    if (at < b) droppable(m, a, b, SONDE_MUTANT_NO_ASSIGN_, is_list ? 0 : at);
    else droppable(m, a, b, is_call ? SONDE_MUTANT_NO_CALL_ : SONDE_MUTANT_DROPPED_, 0);
}

/* Reports whether [a, b) declares something. */
static bool is_declaration(const struct mutator *m, uint32_t a, uint32_t b)
{
    static const char *const words[] = {"static",     "extern",        "typedef",       "register",
                                        "auto",       "_Thread_local", "__thread",      "_Static_assert",
                                        "_Alignas",   "__attribute__", "__auto_type",   "_Atomic",
                                        "__int128",   "_Complex",      "inline",        "__label__",
                                        "__signed__", "__const",       "static_assert", "constexpr",
                                        NULL};
    if (is(m, a, "__extension__")) return is_declaration(m, a + 1, b);
    if (is_any(m, a, words)) return true;
    if (!is_name(m, a) || a + 1 >= b) return false;
    if (m->t[a].names_type) return is_name(m, a + 1) || is(m, a + 1, "*") || is(m, a + 1, "(");
    return range_is_type(m->t, a, a + 1) || is_name(m, a + 1);
}

/* Reports whether a variable is assigned before it is read. `name` is its token, b the end of its declarator. The first
 * mention after b must be a plain assignment, as a statement of the same block. */
static bool is_overwritten(const struct mutator *m, uint32_t name, uint32_t b)
{
    static const char *const ends[] = {";", "}", NULL};
    uint32_t depth = 0;
    for (uint32_t i = b; i < m->end; i++) {
        if (is(m, i, "{")) depth++;
        else if (is(m, i, "}") && depth-- == 0) return true; /* never read */
        if (m->t[i].n != m->t[name].n || memcmp(m->t[i].at, m->t[name].at, m->t[i].n) != 0) continue;
        if (is(m, i - 1, ".") || is(m, i - 1, "->")) continue;
        return depth == 0 && is_any(m, i - 1, ends) && is(m, i + 1, "=");
    }
    return false;
}

/* Reports whether a range names no variable or function. */
static bool is_constant(const struct mutator *m, uint32_t a, uint32_t b)
{
    for (uint32_t i = a; i < b; i++)
        if (is_name(m, i)) return false;
    return true;
}

/* Reads a declaration without its semicolon: initial values of automatic variables. */
static void declaration(struct mutator *m, uint32_t a, uint32_t b)
{
    static const char *const never[] = {"static",        "extern",        "typedef",     "_Static_assert",
                                        "enum",          "__attribute__", "asm",         "__asm__",
                                        "typeof",        "__typeof__",    "__auto_type", "_Alignas",
                                        "_Thread_local", "__thread",      "{",           "__label__",
                                        "static_assert", "constexpr",     NULL};
    static const char *const comma[] = {",", NULL}, *const equals[] = {"=", NULL};
    for (uint32_t i = a; i < b; i++)
        if (is_any(m, i, never)) return;
    for (uint32_t x = a; x < b;) {
        uint32_t y = range_find(m->t, x, b, comma), at = range_find(m->t, x, y, equals);
        if (at < y && !(is_constant(m, at + 1, y) && is_overwritten(m, at - 1, y))) expression(m, at + 1, y);
        x = y + 1;
    }
}

/* Reports whether the statement at i, below an if, handles an error. It returns a negative number, NULL or a name with
 * such a word, jumps to a label with such a name, or sets an error. */
static bool is_error_path(const struct mutator *m, uint32_t i, uint32_t b)
{
    static const char *const words[] = {"err", "fail", "invalid", "bad", NULL};
    static const char *const exits[] = {"out", "end", "done", "clean", "abort", NULL};
    static const char *const jumps[] = {"return", "goto", NULL};
    char name[64];
    uint32_t end = is(m, i, "{") ? m->t[i].match : end_of(m, i, b);
    for (; i < end; i++) {
        bool sets = is_name(m, i) && i + 1 < end && is(m, i + 1, "=") && strcasestr(name_of(m, i, name), "err");
        if (sets || is(m, i, "__errno_location")) return true;
        if (!is_any(m, i, jumps) || i + 1 >= end) continue;
        if (is(m, i + 1, "-") || is_null(m, i + 1, end_of(m, i, b))) return true;
        if (!is_name(m, i + 1)) continue;
        name_of(m, i + 1, name);
        if (has_word(name, words) || (is(m, i, "goto") && has_word(name, exits))) return true;
    }
    return false;
}

/* Reads a statement below an if or else. */
static uint32_t branch(struct mutator *m, uint32_t i, uint32_t b)
{
    unsigned char hints = m->hints;
    if (i < b && is_error_path(m, i, b)) m->hints |= SONDE_MUTANT_ERROR_PATH_;
    i = statement(m, i, b);
    m->hints = hints;
    return i;
}

/* Reads the condition [a, b) of the statement [b, end). */
static void guard(struct mutator *m, uint32_t a, uint32_t b, uint32_t end)
{
    m->from = b;
    m->to = end;
    condition(m, a, b);
    m->from = m->to = 0;
}

/* Reads the parentheses (a, b) of a for loop whose body ends before `end`. */
static void for_head(struct mutator *m, uint32_t a, uint32_t b, uint32_t end)
{
    uint32_t first = end_of(m, a, b), second = first < b ? end_of(m, first + 1, b) : b;
    if (second >= b) return;
    if (a < first && is_declaration(m, a, first)) declaration(m, a, first);
    else expression(m, a, first);
    guard(m, first + 1, second, end);
    expression(m, second + 1, b);
}

/* Reports whether the statement at i, or each one in its braces, only logs or checks. A return or a jump does more. */
static bool only_logs(struct mutator *m, uint32_t i, uint32_t b)
{
    static const char *const jumps[] = {"return", "goto", "break", "continue", NULL};
    bool is_block = i < b && is(m, i, "{");
    uint32_t stop = is_block ? m->t[i].match : b;
    if (is_block && ++i == stop) return false;
    do {
        uint32_t end = end_of(m, i, stop);
        if (end == stop || is_any(m, i, jumps) || !is_logging(m, i, end)) return false;
        i = end + 1;
    } while (is_block && i < stop);
    return true;
}

/* Reports whether the statement at i does nothing, and stores the index after it. Macros often leave such statements:
 * `;`, `{}`, `(void)0;`, `do {} while (0);`. */
static bool is_empty(const struct mutator *m, uint32_t i, uint32_t b, uint32_t *after)
{
    *after = i + 1;
    if (i >= b) return false;
    if (is(m, i, ";")) return true;
    if (is(m, i, "{")) {
        for (uint32_t k = i + 1; k < m->t[i].match; k = *after)
            if (!is_empty(m, k, m->t[i].match, after)) return false;
        *after = m->t[i].match + 1;
        return true;
    }
    if (is(m, i, "do")) {
        if (!is_empty(m, i + 1, b, after)) return false;
        uint32_t end = end_of(m, *after, b), word = *after;
        *after = end + 1;
        return end == word + 4 && is(m, word, "while") && is(m, word + 2, "0");
    }
    uint32_t end = end_of(m, i, b), x = i, y = end;
    if (end >= b) return false;
    *after = end + 1;
    range_strip(m->t, &x, &y);
    return y - x == 4 && is(m, x, "(") && is(m, x + 1, "void") && is(m, x + 2, ")") && is(m, x + 3, "0");
}

/* Reports whether an if decides nothing: its condition (a, b) has no effect, and its branches do nothing. */
static bool decides_nothing(const struct mutator *m, uint32_t a, uint32_t b, uint32_t limit)
{
    uint32_t after;
    if (!is_pure(m, a, b) || !is_empty(m, b + 1, limit, &after)) return false;
    return after >= limit || !is(m, after, "else") || is_empty(m, after + 1, limit, &after);
}

/* Reads a statement that begins with a keyword and parentheses; i is the keyword. */
static uint32_t controlled(struct mutator *m, uint32_t i, uint32_t b)
{
    uint32_t close = m->t[i + 1].match, after;
    bool is_if = is(m, i, "if"), is_void = is_if && (only_logs(m, close + 1, b) || decides_nothing(m, i + 2, close, b));
    uint32_t end = close + 1 < b && is(m, close + 1, "{") ? m->t[close + 1].match : end_of(m, close + 1, b);
    if (is(m, i, "for")) for_head(m, i + 2, close, end);
    else if (is(m, i, "switch")) expression(m, i + 2, close);
    else if (!is_void) guard(m, i + 2, close, end);
    if (!is_if) return statement(m, close + 1, b);
    after = branch(m, close + 1, b);
    return after < b && is(m, after, "else") ? branch(m, after + 1, b) : after;
}

/* Reads a do loop; i is the `do`. */
static uint32_t do_loop(struct mutator *m, uint32_t i, uint32_t b)
{
    i = statement(m, i + 1, b);
    if (i + 1 >= b || !is(m, i, "while") || !is(m, i + 1, "(")) return i;
    condition(m, i + 2, m->t[i + 1].match);
    return m->t[i + 1].match + 1; /* its semicolon is an empty statement */
}

/* Returns the index after the label at i; i if there is none. */
static uint32_t after_label(const struct mutator *m, uint32_t i, uint32_t b)
{
    static const char *const labels[] = {"case", "default", NULL};
    if (!is_any(m, i, labels)) return is_name(m, i) && i + 1 < b && is(m, i + 1, ":") ? i + 2 : i;
    uint32_t colon = range_find_colon(m->t, i, b);
    return colon < b ? colon + 1 : b;
}

/* Reads a statement that ends with the semicolon `end`. */
static void simple_statement(struct mutator *m, uint32_t i, uint32_t end)
{
    static const char *const never[] = {"goto", "asm", "__asm__", "__asm", "__attribute__", "[", NULL};
    unsigned char hints = m->hints;
    if (is_any(m, i, never) || m->t[i].follows_directive) return;
    if (is(m, i, "return")) {
        m->hints |= SONDE_MUTANT_IGNORED_;
        expression(m, i + 1, end);
        m->hints = hints;
    } else if (is(m, i, "break")) droppable(m, i, end, SONDE_MUTANT_NO_BREAK_, 0);
    else if (is(m, i, "continue")) droppable(m, i, end, SONDE_MUTANT_NO_CONTINUE_, 0);
    else if (is_declaration(m, i, end)) declaration(m, i, end);
    else expression_statement(m, i, end);
}

/* Reads the statement at i and returns the index after it. */
static uint32_t statement(struct mutator *m, uint32_t i, uint32_t b)
{
    static const char *const controls[] = {"if", "while", "switch", "for", NULL};
    if (i >= b) return b;
    uint32_t end, label = after_label(m, i, b);
    if (label > i) return label;
    if (is_empty(m, i, b, &end)) return end;
    if (is(m, i, "{")) {
        for (uint32_t k = i + 1; k < m->t[i].match;) k = statement(m, k, m->t[i].match);
        return m->t[i].match + 1;
    }
    m->s.statement++;
    bool is_compound = (is_any(m, i, controls) && i + 1 < b && is(m, i + 1, "(")) || is(m, i, "do");
    if (is_compound) {
        bool is_quiet = m->t[i].follows_directive || is_logging_macro(m, i);
        m->quiet += is_quiet;
        end = is(m, i, "do") ? do_loop(m, i, b) : controlled(m, i, b);
        m->quiet -= is_quiet;
        return end;
    }
    end = end_of(m, i, b);
    if (end < b) simple_statement(m, i, end);
    return end < b ? end + 1 : b;
}

/* ---- Functions */

/* Returns the name of the function whose body token i opens; 0 if token i does not open one. Skips attributes before
 * the body. */
static uint32_t function_name(const struct mutator *m, uint32_t i)
{
    static const char *const attributes[] = {"__attribute__", "__attribute", "__asm__", "asm", NULL};
    while (i > 1 && is(m, i - 1, ")")) {
        uint32_t open = m->t[i - 1].match;
        if (open == 0) return 0;
        if (!is_any(m, open - 1, attributes)) return is_name(m, open - 1) ? open - 1 : 0;
        i = open - 1;
    }
    return 0;
}

/* Returns the first token of the declaration that ends before token i. */
static uint32_t declaration_start(const struct mutator *m, uint32_t i)
{
    while (i > 0 && !is(m, i - 1, ";") && !is(m, i - 1, "}")) i = is(m, i - 1, ")") ? m->t[i - 1].match : i - 1;
    return i;
}

/* Reports whether a comment forbids mutants of the function that is declared from `start` and whose body is at i. */
static bool is_forbidden(struct mutator *m, uint32_t start, uint32_t i)
{
    for (uint32_t k = start; k <= i; k++)
        if (m->t[k].marker == m->t[i].marker && origin_forbids(m->s.origin, m->t[k].marker, m->t[k].line)) return true;
    return false;
}

/* Reads all functions. Returns the first token of the first one with mutants; m->n if none has. */
static uint32_t functions(struct mutator *m, struct mutants_count *count)
{
    uint32_t first = m->n, name, last = UINT32_MAX;
    char text[64];
    for (uint32_t i = 0; i < m->n; i = token_next(m->t, i)) {
        if (!is(m, i, "{") || !is_wanted(m, i) || (name = function_name(m, i)) == 0) continue;
        uint32_t start = declaration_start(m, name);
        if (m->t[i].marker != last) count->files++;
        last = m->t[i].marker;
        if (is_forbidden(m, start, i)) continue;
        m->end = m->t[i].match;
        m->hints = makes_room(name_of(m, name, text)) ? SONDE_MUTANT_ROOM_ : 0;
        m->s.function = m->t[name].at;
        m->s.n_function = m->t[name].n;
        statement(m, i, m->n);
        if (m->s.n_live && first == m->n) first = start;
    }
    return first;
}

/* Returns the output, to be freed: the source before the first function, declarations, the rest, and the table. */
static char *assemble(struct mutator *m, uint32_t first)
{
    const struct mutants_request *r = m->request;
    struct text out = {0};
    size_t n = (size_t)(m->t[first].at - r->text);
    text_put_n(&m->s.out, m->s.done, strlen(m->s.done));
    text_put_n(&out, r->text, n);
    schema_put_head(&m->s, &out);
    text_put_n(&out, m->s.out.all + n, m->s.out.n - n);
    schema_put_table(&m->s, &out, r->source, sonde_hash_text(0, r->text));
    return out.all;
}

char *mutants_write(const struct mutants_request *request, struct mutants_count *count)
{
    struct sonde_tokens tokens;
    char *out = NULL;
    *count = (struct mutants_count){0};
    if (sonde_lex(&tokens, request->text)) {
        struct mutator m = {.request = request, .t = tokens.all, .n = tokens.n};
        m.s = (struct schema){.tokens = &tokens,
                              .origin = origin_create(&tokens),
                              .rejected = request->rejected,
                              .is_marked = request->is_marked,
                              .dropped = request->dropped,
                              .done = request->text};
        m.files = sonde_calloc(tokens.n_markers + 1, 1);
        find_types(&m);
        uint32_t first = functions(&m, count);
        if (m.s.n_live) out = assemble(&m, first);
        count->mutants = m.s.n_live;
        count->sites = m.s.n_live_sites;
        origin_free(m.s.origin);
        sonde_map_clear(&m.types);
        sonde_map_clear(&m.macros);
        sonde_free(m.files);
        sonde_free(m.s.out.all);
        sonde_free(m.s.table.all);
    }
    sonde_lex_clear(&tokens);
    return out;
}
