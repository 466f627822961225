/* Splits preprocessed C and C++ into tokens. Macros, comments and continued lines are gone by then. Line markers
 * (# 12 "file.c" 3) are not tokens: they give each token its file and line. */
#ifndef SONDE_TOOLS_LEX_H
#define SONDE_TOOLS_LEX_H

#include <stdbool.h>
#include <stdint.h>

/* A token: n bytes in the source. */
struct sonde_token {
    const char *at;
    uint32_t n;
    uint32_t match;         /* index of the matching bracket; for any other token its own index */
    uint32_t line, marker;  /* location of the token; `marker` is an index into `markers` */
    bool follows_directive; /* a #pragma or another directive, except a marker, is before it */
    bool names_type;        /* the name of a typedef; the lexer leaves it false */
};

/* The tokens of a source, in order. */
struct sonde_tokens {
    struct sonde_token *all;
    uint32_t n, cap;
    char **markers; /* each is a marker from its file name on, without flags 1 and 2: "stdio.h" 3 4 */
    uint32_t n_markers, cap_markers;
};

/* Splits a source. Returns false if brackets do not match, or if the source has no line marker and so is not
 * preprocessed. The source must outlive the tokens; call sonde_lex_clear in either case. */
bool sonde_lex(struct sonde_tokens *tokens, const char *text);
/* Returns the end of the token that begins at s; *s is not a blank. */
const char *sonde_lex_skip(const char *s);
/* Frees the tokens, but not the source. */
void sonde_lex_clear(struct sonde_tokens *tokens);

/* Reports whether a token is this operator, word or number. C++ spells some operators as words: `and` is "&&" too. */
bool sonde_token_is(const struct sonde_token *token, const char *text);
/* Reports whether a token is an identifier or a keyword. */
bool sonde_token_is_name(const struct sonde_token *token);
/* Reports whether a token is a number, character or string. */
bool sonde_token_is_literal(const struct sonde_token *token);

#endif
