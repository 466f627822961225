/* The tokens of preprocessed C and C++: what remains when macros, comments and continued lines are the compiler's
 * affair already. Line markers (# 12 "file.c" 3) are no tokens; they tell each token where it stands. */
#ifndef SONDE_TOOLS_LEX_H
#define SONDE_TOOLS_LEX_H

#include <stdbool.h>
#include <stdint.h>

struct sonde_token {
    const char *at;
    uint32_t n;
    uint32_t match; /* of a bracket: its partner; else itself */
    uint32_t line, marker;
    bool follows_directive; /* another one than a marker: a pragma */
};

struct sonde_tokens {
    struct sonde_token *all;
    uint32_t n, cap;
    char **markers; /* names of files as they stand in markers, with quotes, and what says that it is a system header */
    uint32_t n_markers, cap_markers;
};

/* False if brackets do not match. The text must outlive the tokens. */
bool sonde_lex(struct sonde_tokens *tokens, const char *text);
void sonde_lex_clear(struct sonde_tokens *tokens);

/* Is it this operator, word or number? The words that C++ has for operators count as those. */
bool sonde_token_is(const struct sonde_token *token, const char *text);
bool sonde_token_is_name(const struct sonde_token *token);
/* A number, character or string. */
bool sonde_token_is_literal(const struct sonde_token *token);

#endif
