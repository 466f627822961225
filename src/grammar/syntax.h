/* A grammar that was read and checked: sonde_grammar draws from it, and --import parses by it.
 *
 * A grammar is an array of nodes. The nodes of a rule form a tree, and a RULE node refers to another rule. Children
 * have smaller indices than their parents, so a loop over the indices visits children first. No code here recurses: a
 * grammar may nest as deep as memory allows.
 *
 *     notation.h   reads a notation (ABNF, EBNF) into nodes
 *     check.c      finds mistakes, and computes what drawing and parsing need
 *     draw.c       sonde_grammar
 *     parse.c      the derivation of a given file
 *
 * The alternative with the fewest draws has index 0, and is the simplest, unless an annotation keeps the order in which
 * they are written. Alternatives that must lead back to their rule come last. So a drawing that must come to its end
 * takes only the first few. */
#ifndef SONDE_GRAMMAR_SYNTAX_H
#define SONDE_GRAMMAR_SYNTAX_H

#include <sonde.h>

#include "base/map.h"

/* No node, no rule; as a maximum: no limit. */
#define SONDE_SYNTAX_NONE UINT32_MAX

enum {
    SONDE_SYNTAX_ERROR = 1024,    /* room for an error message */
    SONDE_SYNTAX_BYTES = 64 << 20 /* maximum size of a grammar */
};

enum sonde_syntax_kind {
    SONDE_SYNTAX_LITERAL,
    SONDE_SYNTAX_CASELESS, /* a literal whose letters may be of either case */
    SONDE_SYNTAX_CLASS,    /* one of some characters */
    SONDE_SYNTAX_SEQUENCE,
    SONDE_SYNTAX_CHOICE,
    SONDE_SYNTAX_REPEAT,
    SONDE_SYNTAX_RULE, /* refers to a rule */
    SONDE_SYNTAX_PROSE /* words for people: only in rules that a C function draws */
};

/* A part of a rule. LITERAL, CASELESS and PROSE: `n` bytes of `bytes` from `first` on. CLASS: class `first`. SEQUENCE
 * and CHOICE: `n` children in `kids` from `first` on. REPEAT: node `first`. RULE: rule `first`. */
struct sonde_syntax_node {
    uint8_t kind;      /* enum sonde_syntax_kind */
    bool is_recursive; /* may lead to the rule that it is part of */
    bool is_blob;      /* REPEAT: of ASCII characters, drawn as one string */
    /* SEQUENCE: an element, and a REPEAT of separators and elements, drawn as one list: x *("," x). REPEAT: such a
     * sequence that may be left out, drawn as a list that may be empty. */
    bool is_series;
    bool is_rest;  /* REPEAT: the second part of a series */
    uint32_t rule; /* the rule that it is part of */
    uint32_t first, n;
    uint32_t next;     /* while reading: the next child of the same parent */
    uint32_t min, max; /* REPEAT */
    /* CHOICE: the first `n_leaves` alternatives need not lead back to their rule. `n_least`, from `least` on, need the
     * fewest draws. */
    uint32_t least, n_least, n_leaves;
    uint32_t label; /* offset in `names` of the label of its draw */
    uint64_t cost;  /* of the shortest derivation: characters << 24 | rules; UINT64_MAX: it never ends */
};

/* A set of characters. `small` are the bytes of the members below `limit` of the grammar, simplest first. Ranges of the
 * other members follow in ascending order. */
struct sonde_syntax_class {
    uint64_t bits[4]; /* members below 256 */
    uint32_t first_small, n_small;
    uint32_t first_range, n_ranges;
    uint32_t n_rest; /* number of members in the ranges */
};

struct sonde_syntax_range {
    uint32_t lo, hi;
};

struct sonde_syntax_rule {
    uint32_t name;                           /* offset in `names` */
    uint32_t body;                           /* node; NONE: not defined */
    uint32_t at;                             /* offset in the source of its definition, or of its first use */
    uint32_t repeat;                         /* annotation: maximum of repetitions without a maximum; 0: the default */
    uint32_t depth;                          /* annotation: how deep it may nest; 0: the default */
    uint32_t weights, n_weights;             /* annotation: weights of its alternatives, in `weights` */
    uint32_t counter;                        /* index among the recursive rules; NONE: not recursive */
    bool is_ordered;                         /* annotation: its alternatives are in the order of the grammar */
    bool is_span;                            /* has choices, so its draws are a span */
    bool is_core;                            /* from RFC 5234, appendix B.1 */
    bool is_used;                            /* the start rule leads to it */
    void (*draw)(sonde *t, sonde_text *out); /* NULL: the grammar draws it */
};

struct sonde_syntax {
    struct sonde_syntax_node *nodes;
    struct sonde_syntax_rule *rules;
    struct sonde_syntax_class *classes;
    struct sonde_syntax_range *ranges;
    uint32_t *kids;
    uint32_t *codes; /* while reading: characters of literals */
    unsigned *weights;
    char *bytes, *names;
    uint32_t n_nodes, n_rules, n_classes, n_ranges, n_kids, n_codes, n_weights, n_bytes, n_names;
    uint32_t cap_nodes, cap_rules, cap_classes, cap_ranges, cap_kids, cap_codes, cap_weights, cap_bytes, cap_names;
    struct sonde_map by_name;
    uint32_t start;     /* rule */
    uint32_t n_counted; /* number of recursive rules */
    bool is_unicode;    /* characters are written as UTF-8; otherwise a character is a byte */
    bool is_ebnf;
    bool has_drawn; /* C functions draw some of its rules */
    /* Changes while reading: the encoding was given. */
    bool says_bytes, says_unicode;
};

/* The source of a grammar. All pointers are borrowed for the call. */
struct sonde_syntax_source {
    const char *text;
    size_t n;
    const char *name;  /* for messages: a file; NULL: the grammar is in the program */
    const char *start; /* name of the start rule; NULL: the first */
    const sonde_drawn_rule *drawn;
    size_t n_drawn;
};

/* Reads a grammar and checks it. Returns it in the current heap; free it with sonde_syntax_free. Returns NULL if it is
 * not sound, with a message in `error`. */
struct sonde_syntax *sonde_syntax_read(const struct sonde_syntax_source *source, char error[SONDE_SYNTAX_ERROR]);
/* Frees a grammar. `syntax` may be NULL. */
void sonde_syntax_free(void *syntax);
/* Reads a file of at most SONDE_SYNTAX_BYTES. Returns its bytes and a NUL in the current heap; NULL after a message in
 * `error`. */
char *sonde_syntax_load(const char *path, size_t *n, char error[SONDE_SYNTAX_ERROR]);

static inline const char *sonde_syntax_name(const struct sonde_syntax *g, uint32_t rule)
{
    return g->names + g->rules[rule].name;
}
/* Returns the rule of this name, whose case does not matter in ABNF; NONE if there is none. */
uint32_t sonde_syntax_find(const struct sonde_syntax *g, const char *name, size_t n);
/* Returns whether a class has a character. */
bool sonde_syntax_has(const struct sonde_syntax *g, const struct sonde_syntax_class *class, uint32_t c);
/* Returns member i of the ranges of a class. */
uint32_t sonde_syntax_member(const struct sonde_syntax *g, const struct sonde_syntax_class *class, uint32_t i);
/* Writes a character of the grammar; returns its number of bytes, at most 4. */
uint32_t sonde_syntax_encode(const struct sonde_syntax *g, uint32_t c, char out[4]);
/* Reads a character of the grammar from n > 0 bytes. Returns its number of bytes. A byte that is not valid UTF-8 is a
 * character above U+10FFFF, which no class has. */
uint32_t sonde_syntax_decode(const struct sonde_syntax *g, const char *bytes, size_t n, uint32_t *c);
/* Returns the node that a node stands for: the body of the rule that it refers to, unless a C function draws that. */
uint32_t sonde_syntax_resolve(const struct sonde_syntax *g, uint32_t node);

/* Returns the most repetitions that one list of a repetition has, beyond its minimum. More follow in a second list. */
static inline uint32_t sonde_syntax_chunk(const struct sonde_syntax *g, const struct sonde_syntax_node *x)
{
    /* BRANCHES: of parts that lead back to their rule, so that sentences do not explode. */
    enum { LIST = 4, BRANCHES = 3, STRING = 8 };
    uint32_t usual = x->is_blob ? STRING : !x->is_recursive ? LIST : x->is_rest ? BRANCHES - 1 : BRANCHES;
    uint32_t most = g->rules[x->rule].repeat ? g->rules[x->rule].repeat : usual;
    return x->max == SONDE_SYNTAX_NONE || x->max - x->min > most ? most : x->max - x->min;
}

/* How often an element is repeated: at least min times, up to `full` times at first, at most max times. */
struct sonde_syntax_bounds {
    uint32_t min, full, max;
};

/* Returns the bounds of a repetition or a series. */
static inline struct sonde_syntax_bounds sonde_syntax_bounds(const struct sonde_syntax *g,
                                                             const struct sonde_syntax_node *x)
{
    if (!x->is_series) return (struct sonde_syntax_bounds){x->min, x->min + sonde_syntax_chunk(g, x), x->max};
    bool is_optional = x->kind == SONDE_SYNTAX_REPEAT;
    if (is_optional) x = &g->nodes[x->first];
    x = &g->nodes[g->kids[x->first + 1]];
    uint32_t max = x->max == SONDE_SYNTAX_NONE ? x->max : x->max + 1;
    return (struct sonde_syntax_bounds){is_optional ? 0 : x->min + 1, x->min + sonde_syntax_chunk(g, x) + 1, max};
}

#endif
