/* Implements sonde_regex: strings that match a pattern.
 *
 * Each call parses the pattern into a small tree in case memory; there is no cache, because parsing costs only about as
 * much as drawing. Then a walk over the tree makes the draws. An alternative is a pick. A character class is a pick
 * over its members in the order a..z A..Z 0..9 and the rest. A repetition is a list, so it shrinks by dropping
 * elements. Parts without a choice draw nothing. All-zero draws give the first alternatives, the fewest repetitions and
 * the plainest characters.
 *
 * The grammar, over bytes (a UTF-8 character outside a class counts as one):
 *
 *     either   := sequence ("|" sequence)*
 *     sequence := (atom repeat?)*
 *     repeat   := "*" | "+" | "?" | "{n}" | "{n,}" | "{n,m}"
 *     atom     := character | "." | "[" "^"? member* "]" | escape | "(" either ")" | "(?:" either ")"
 *
 * "." and complements mean printable ASCII. A repetition without an upper bound stops at 8, or at n + 8 for {n,} with
 * n of at least 8. */
#include "gen/text.h"

#include <string.h>

enum {
    NESTING = 64,      /* maximum depth of groups within groups */
    OPEN_STOP = 8,     /* maximum number of repetitions for * and + */
    COUNT_MAX = 1000,  /* maximum number in braces */
    LENGTH_MAX = 65536 /* maximum number of characters that a pattern may require */
};

enum kind { LITERAL, CLASS, SEQUENCE, EITHER, REPEAT };

/* A node of the tree. LITERAL and CLASS use chars and n; SEQUENCE and EITHER use first, n and each child's next;
 * REPEAT uses first, min and max. `least` is set for all kinds and never exceeds LENGTH_MAX. */
struct node {
    enum kind kind;
    const char *chars;  /* LITERAL: the string; CLASS: the members, simplest first */
    size_t n;           /* LITERAL, CLASS: length of chars; SEQUENCE, EITHER: number of children */
    struct node *first; /* child */
    struct node *next;  /* sibling */
    size_t min, max;    /* REPEAT */
    size_t least;       /* length of the shortest match in characters */
};

/* The state of parsing one pattern. */
struct parser {
    sonde *t;
    const char *label;
    const char *pattern;
    const char *at; /* the next character */
    unsigned depth;
};

/* ---- Parsing ------------------------------------------------------------------------------------------------------*/

static SONDE_NORETURN void bad(const struct parser *p, const char *at, const char *reason)
{
    sonde_misuse_(p->t, "sonde_regex(\"%s\"): bad pattern \"%s\": at position %zu: %s", p->label, p->pattern,
                  (size_t)(at - p->pattern), reason);
}

/* Creates a node. Case memory is zeroed, so a node starts as an empty sequence apart from its kind. */
static struct node *make(const struct parser *p, enum kind kind)
{
    struct node *node = sonde_new(p->t, struct node);
    node->kind = kind;
    return node;
}

/* Returns whether a node has nothing to draw and nothing to write. Sequences hold no such node, and no such node is
 * repeated. So the length of a walk is bounded by what it draws and writes. */
static bool is_empty(const struct node *node)
{
    return node->kind == SEQUENCE && node->n == 0;
}

/* A set of characters as bits: c is bit c % 64 of word c / 64. */
struct set {
    uint64_t words[4];
};

static void add(struct set *set, unsigned c)
{
    set->words[c / 64] |= UINT64_C(1) << c % 64;
}

static void add_range(struct set *set, unsigned char lo, unsigned char hi)
{
    for (unsigned c = lo; c <= hi; c++) add(set, c);
}

/* Named sets, as pairs of range ends. The one-letter names are escapes; their capitals mean the complements. */
static const struct {
    const char *name;
    const char *ranges;
} named[] = {
    {"d", "09"},           {"w", "azAZ09__"},    {"s", "  \t\r"}, {"alpha", "azAZ"},   {"digit", "09"},
    {"alnum", "azAZ09"},   {"upper", "AZ"},      {"lower", "az"}, {"space", "  \t\r"}, {"blank", "  \t\t"},
    {"punct", "!/:@[`{~"}, {"xdigit", "09afAF"}, {"print", " ~"},
};

static bool add_named(struct set *set, const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (strlen(named[i].name) != n || memcmp(named[i].name, name, n) != 0) continue;
        for (const char *r = named[i].ranges; *r; r += 2) add_range(set, (unsigned char)r[0], (unsigned char)r[1]);
        return true;
    }
    return false;
}

#define LOWER (UINT64_C(0x3ffffff) << ('a' - 64))
#define UPPER (UINT64_C(0x3ffffff) << ('A' - 64))
#define DIGITS (UINT64_C(0x3ff) << '0')
#define CONTROL UINT64_C(0xffffffff)
#define DELETE (UINT64_C(1) << (0x7f - 64))

/* The order of characters by simplicity, as bits of a word of struct set. */
static const struct {
    unsigned word;
    uint64_t bits;
} order[] = {
    {1, LOWER},
    {1, UPPER},
    {0, DIGITS},
    {0, ~(DIGITS | CONTROL)}, /* space and punctuation */
    {1, ~(LOWER | UPPER | DELETE)},
    {0, CONTROL},
    {1, DELETE},
    {2, UINT64_MAX},
    {3, UINT64_MAX},
};

/* Returns the complement of a set within printable ASCII (see the head of this file). */
static struct set others_than(struct set set)
{
    return (struct set){{~set.words[0] & ~CONTROL, ~set.words[1] & ~DELETE, 0, 0}};
}

/* Creates a node for a set of characters; a set of one character is a literal. */
static struct node *class_of(const struct parser *p, const char *from, const struct set *set)
{
    char members[256];
    struct node *node = make(p, CLASS);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        uint64_t bits = set->words[order[i].word] & order[i].bits;
        for (unsigned c = order[i].word * 64; bits; c++, bits >>= 1) {
            if (bits & 1) members[node->n++] = (char)c;
        }
    }
    if (node->n == 0) bad(p, from, "this class has no characters (a complement is taken from printable ASCII)");
    /* [a] draws nothing, like a. */
    if (node->n == 1) node->kind = LITERAL;
    char *chars = sonde_alloc(p->t, node->n);
    memcpy(chars, members, node->n);
    node->chars = chars;
    node->least = 1;
    return node;
}

static int hex(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* Parses an escape after its backslash: a single character into *c, or a named set into *set. Returns true for a
 * character. */
static bool escape(struct parser *p, unsigned char *c, struct set *set)
{
    static const char letters[] = "ntrfv", meanings[] = "\n\t\r\f\v";
    const char *from = p->at - 1;
    char e = *p->at;
    if (!e) bad(p, from, "a backslash at the end; write \\\\ for the character");
    p->at++;
    /* e is not NUL here, so strchr cannot find the terminator. */
    const char *letter = strchr(letters, e);
    if (letter) return *c = (unsigned char)meanings[letter - letters], true;
    if (e == 'x') {
        int high = hex(p->at[0]), low = high < 0 ? -1 : hex(p->at[1]);
        if (low < 0) bad(p, from, "\\x needs two hex digits");
        if (high == 0 && low == 0) bad(p, from, "a string cannot hold the character 0");
        p->at += 2;
        return *c = (unsigned char)(high * 16 + low), true;
    }
    if (e == 'd' || e == 'w' || e == 's') return add_named(set, &e, 1), false;
    if (e == 'D' || e == 'W' || e == 'S') {
        struct set these = {{0}};
        char name = (char)(e - 'A' + 'a');
        add_named(&these, &name, 1);
        these = others_than(these);
        for (size_t i = 0; i < 4; i++) set->words[i] |= these.words[i];
        return false;
    }
    if ((e >= '0' && e <= '9') || (e >= 'a' && e <= 'z') || (e >= 'A' && e <= 'Z')) {
        bad(p, from,
            "unknown escape; there are \\d \\w \\s \\D \\W \\S \\n \\t \\r \\f \\v \\xHH, "
            "and a backslash before any punctuation");
    }
    return *c = (unsigned char)e, true;
}

/* Parses one member of a class. Returns true if it is a single character, which may begin or end a range. */
static bool member(struct parser *p, unsigned char *c, struct set *set)
{
    if (p->at[0] == '[' && p->at[1] == ':') {
        const char *name = p->at + 2, *end = strstr(name, ":]");
        if (!end || !add_named(set, name, (size_t)(end - name))) {
            bad(p, p->at, "unknown name; there are [:alpha:] digit alnum upper lower space blank punct xdigit print");
        }
        p->at = end + 2;
        return false;
    }
    *c = (unsigned char)*p->at++;
    if (*c == '\\') return escape(p, c, set);
    if (*c >= 0x80) bad(p, p->at - 1, "a class holds ASCII characters only; write (a|b) with the others");
    return true;
}

static struct node *parse_class(struct parser *p)
{
    const char *from = p->at - 1;
    struct set set = {{0}};
    bool others = *p->at == '^';
    if (others) p->at++;
    /* A ] at the start of a class is a member, as in POSIX. */
    for (bool is_first = true; *p->at != ']' || is_first; is_first = false) {
        if (!*p->at) bad(p, from, "[ without ]");
        const char *start = p->at;
        unsigned char lo = 0, hi = 0;
        bool is_single = member(p, &lo, &set);
        /* A - before the ] is an ordinary member. */
        if (p->at[0] != '-' || p->at[1] == ']' || !p->at[1]) {
            if (is_single) add(&set, lo);
            continue;
        }
        p->at++;
        if (!member(p, &hi, &set) || !is_single) bad(p, start, "a range needs one character at each end");
        if (lo > hi) bad(p, start, "this range runs backwards");
        add_range(&set, lo, hi);
    }
    p->at++;
    if (others) set = others_than(set);
    return class_of(p, from, &set);
}

static struct node *parse_either(struct parser *p);

/* Parses a group. Only depth limits the recursion of the parser; the walk that draws is equally deep. */
static struct node *parse_group(struct parser *p)
{
    const char *from = p->at - 1;
    if (++p->depth > NESTING) bad(p, from, "groups are nested too deep; 64 is the limit");
    if (p->at[0] == '?') {
        if (p->at[1] != ':') bad(p, from, "the only group with (? is (?:...)");
        p->at += 2;
    }
    struct node *node = parse_either(p);
    if (*p->at != ')') bad(p, from, "( without )");
    p->at++;
    p->depth--;
    return node;
}

/* Creates a literal of n bytes: one character, or one UTF-8 sequence. */
static struct node *literal(const struct parser *p, const char *text, size_t n)
{
    struct node *node = make(p, LITERAL);
    char *copy = sonde_alloc(p->t, n);
    memcpy(copy, text, n);
    node->chars = copy;
    node->n = n;
    node->least = n;
    return node;
}

static struct node *parse_atom(struct parser *p)
{
    const char *from = p->at++;
    struct set set = {{0}};
    unsigned char c = (unsigned char)*from;
    switch (*from) {
    case '(': return parse_group(p);
    case '[': return parse_class(p);
    case '.': set = others_than(set); return class_of(p, from, &set);
    case '\\':
        if (!escape(p, &c, &set)) return class_of(p, from, &set);
        return literal(p, (const char *)&c, 1);
    case '*':
    case '+':
    case '?': bad(p, from, "nothing to repeat; write a backslash before it for the character");
    case '{': bad(p, from, "nothing to repeat; write \\{ for the character");
    case '^':
    case '$':
        bad(p, from, "no anchors: a pattern describes the whole string; write a backslash before it for the character");
    }
    /* The bytes of one UTF-8 character stay together, so that a repetition after it repeats the character. */
    while (c >= 0xc0 && ((unsigned char)*p->at & 0xc0) == 0x80) p->at++;
    return literal(p, from, (size_t)(p->at - from));
}

static size_t count(struct parser *p, const char *from)
{
    if (*p->at < '0' || *p->at > '9') bad(p, from, "expected {n}, {n,} or {n,m}; write \\{ for the character");
    size_t n = 0;
    while (*p->at >= '0' && *p->at <= '9') {
        n = n * 10 + (size_t)(*p->at++ - '0');
        if (n > COUNT_MAX) bad(p, from, "at most 1000 repetitions");
    }
    return n;
}

/* Parses the repetition after an atom; returns false if there is no repetition. */
static bool parse_counts(struct parser *p, size_t *min, size_t *max)
{
    const char *from = p->at;
    *min = *from == '+';
    *max = *from == '?' ? 1 : OPEN_STOP;
    if (*from == '*' || *from == '+' || *from == '?') return p->at++, true;
    if (*from != '{') return false;
    p->at++;
    *min = *max = count(p, from);
    if (*p->at == ',') {
        p->at++;
        *max = *p->at != '}' ? count(p, from) : *min < OPEN_STOP ? OPEN_STOP : *min + OPEN_STOP;
    }
    if (*p->at != '}') bad(p, from, "{ without }");
    p->at++;
    if (*min > *max) bad(p, from, "in {n,m}, n must not exceed m");
    return true;
}

static struct node *parse_repeated(struct parser *p)
{
    const char *from = p->at;
    struct node *atom = parse_atom(p);
    size_t min, max;
    if (!parse_counts(p, &min, &max)) return atom;
    /* In other dialects a*? is a lazy repetition; here it would silently mean something else. */
    if (*p->at && strchr("*+?{", *p->at)) bad(p, p->at, "two repetitions in a row; put the first into a group");
    /* A repetition that can only be empty becomes the empty sequence, see is_empty. */
    if (is_empty(atom) || max == 0) return make(p, SEQUENCE);
    struct node *repeat = make(p, REPEAT);
    repeat->first = atom;
    repeat->min = min;
    repeat->max = max;
    /* Products of nested counts could exceed any memory, so the pattern is refused before anything is drawn. */
    if (min > 0 && atom->least > LENGTH_MAX / min) bad(p, from, "this demands more than 65536 characters");
    repeat->least = min * atom->least;
    return repeat;
}

static struct node *parse_sequence(struct parser *p)
{
    struct node *sequence = make(p, SEQUENCE), **end = &sequence->first;
    const char *from = p->at;
    while (*p->at && *p->at != '|' && *p->at != ')') {
        struct node *item = parse_repeated(p);
        if (is_empty(item)) continue;
        *end = item;
        end = &item->next;
        sequence->n++;
        sequence->least += item->least;
        if (sequence->least > LENGTH_MAX) bad(p, from, "this demands more than 65536 characters");
    }
    return sequence->n == 1 ? sequence->first : sequence;
}

static struct node *parse_either(struct parser *p)
{
    struct node *either = make(p, EITHER), **end = &either->first;
    for (;;) {
        struct node *item = parse_sequence(p);
        *end = item;
        end = &item->next;
        if (either->n++ == 0 || item->least < either->least) either->least = item->least;
        if (*p->at != '|') break;
        p->at++;
    }
    return either->n == 1 ? either->first : either;
}

/* ---- Drawing ------------------------------------------------------------------------------------------------------*/

/* Draws a node and writes it. NESTING limits the recursion; the limits of lists bound the string. */
static void draw(const struct node *node, struct sonde_gen_text *text)
{
    sonde *t = text->t;
    const struct node *child = node->first;
    switch (node->kind) {
    case LITERAL: sonde_gen_put(text, node->chars, node->n); return;
    case CLASS: sonde_gen_put(text, node->chars + sonde_pick(t, "char", node->n), 1); return;
    case SEQUENCE:
        for (; child; child = child->next) draw(child, text);
        return;
    case EITHER:
        for (size_t i = sonde_pick(t, "alternative", node->n); i > 0; i--) child = child->next;
        draw(child, text);
        return;
    case REPEAT:
        /* A fixed number of repetitions is not a choice, so there is no list. */
        if (node->min == node->max) {
            for (size_t i = 0; i < node->min; i++) draw(child, text);
            return;
        }
        sonde_list items = sonde_list_of(t, "repeat", node->min, node->max);
        while (sonde_more(&items)) draw(child, text);
        return;
    }
}

char *sonde_regex(sonde *t, const char *label, const char *pattern)
{
    struct sonde_gen_text text;
    sonde_gen_begin(&text, t, label);
    if (!pattern) sonde_misuse_(t, "sonde_regex(\"%s\"): the pattern is NULL; give one", label);
    struct parser p = {t, label, pattern, pattern, 0};
    const struct node *root = parse_either(&p);
    if (*p.at == ')') bad(&p, p.at, ") without (; write \\) for the character");
    draw(root, &text);
    return sonde_gen_end(&text);
}
