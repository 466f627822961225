/* Reading a notation into the nodes of a grammar. abnf.c and ebnf.c have the tokens of one notation each; build.c joins
 * what they read. Groups that are open are a stack of frames, so that nesting costs memory instead of the stack. */
#ifndef SONDE_GRAMMAR_NOTATION_H
#define SONDE_GRAMMAR_NOTATION_H

#include "grammar/syntax.h"

/* A group that is open, or the rule itself. */
struct sonde_build_frame {
    char closer;                                   /* the character that ends it; 0: the rule itself */
    size_t at;                                     /* where it begins */
    uint32_t min, max;                             /* how often the group is repeated, as written before it */
    uint32_t first_choice, last_choice, n_choices; /* finished alternatives */
    uint32_t first, last, n;                       /* the elements of the running alternative */
};

/* The state of reading a grammar. */
struct sonde_build {
    struct sonde_syntax *g;
    const char *text;
    size_t n, at;
    const char *name; /* for messages; NULL: none */
    struct sonde_build_frame *frames;
    uint32_t n_frames, cap_frames;
    uint32_t rule;     /* the rule that is read; NONE */
    bool is_added;     /* its alternatives are added to those that it has */
    uint32_t min, max; /* repetition of the next element, as written before it */
    size_t repeat_at;  /* where it was written; SIZE_MAX: nowhere */
    bool has_failed;
    char *error;
};

/* Notes an error at an offset of the source, with line and column. Only the first counts. */
void sonde_build_fail(struct sonde_build *b, size_t at, const char *format, ...) SONDE_PRINTF(3, 4);
/* Fails because something else was expected at the present offset. */
void sonde_build_expected(struct sonde_build *b, const char *what);
/* Returns the character `ahead` of the present one; 0 at the end. */
static inline unsigned char sonde_build_peek(const struct sonde_build *b, size_t ahead)
{
    return b->at + ahead < b->n ? (unsigned char)b->text[b->at + ahead] : 0;
}
/* Returns the rule of a name, which it adds if it is new. */
uint32_t sonde_build_rule(struct sonde_build *b, const char *name, size_t n, size_t at);
/* Begins a rule whose name is at `at`. `is_added`: more alternatives of a rule that exists. */
void sonde_build_begin(struct sonde_build *b, const char *name, size_t n, size_t at, bool is_added);
/* Ends the running rule, if there is one. */
void sonde_build_end(struct sonde_build *b);
/* Ends the running alternative. */
void sonde_build_bar(struct sonde_build *b);
/* Opens a group that ends with `closer`. */
void sonde_build_open(struct sonde_build *b, char closer);
/* Closes the innermost group. Returns its node, NONE after an error. */
uint32_t sonde_build_close(struct sonde_build *b, char closer);
/* Appends an element to the running alternative; applies the repetition that was written before it. */
void sonde_build_add(struct sonde_build *b, uint32_t node);
/* Replaces the element that was added last by its repetition. */
void sonde_build_repeat_last(struct sonde_build *b, uint32_t min, uint32_t max);
/* Creates nodes. */
uint32_t sonde_build_literal(struct sonde_build *b, const uint32_t *codes, size_t n, bool is_caseless);
uint32_t sonde_build_class(struct sonde_build *b, const struct sonde_syntax_range *ranges, size_t n);
uint32_t sonde_build_refer(struct sonde_build *b, uint32_t rule);
uint32_t sonde_build_prose(struct sonde_build *b, const char *words, size_t n);
/* Creates a literal from a string of the source, which may be UTF-8. */
uint32_t sonde_build_string(struct sonde_build *b, size_t from, size_t n, bool is_caseless);
/* Reads a number in this base, of at most `max`. Fails if there is no digit. */
uint32_t sonde_build_number(struct sonde_build *b, unsigned base, uint32_t max);
/* Returns the length of the rule name at the present offset; 0 if there is none. `more`: characters that a name may
 * have besides letters and digits. */
size_t sonde_build_name(const struct sonde_build *b, const char *more);
/* Follows an annotation, the n bytes from `from` on. */
void sonde_build_annotate(struct sonde_build *b, size_t from, size_t n);

/* Reads the whole source. */
void sonde_abnf_read(struct sonde_build *b);
void sonde_ebnf_read(struct sonde_build *b);
/* Adds the rules of RFC 5234, appendix B.1, that the grammar uses and does not define. */
void sonde_abnf_core(struct sonde_build *b);

/* Checks what was read, and computes what syntax.h promises. Notes the mistakes that it finds. */
void sonde_syntax_check(struct sonde_build *b, const struct sonde_syntax_source *source);

#endif
