/* Reads ranges of tokens: [a, b) of an array `t`. The searches skip bracketed groups: an operator inside parentheses,
 * an index or an argument list does not belong to the range itself. Tokens do not tell types from variables, so in
 * doubt these functions guess; their callers have the compiler check the result. */
#ifndef SONDE_TOOLS_RANGES_H
#define SONDE_TOOLS_RANGES_H

#include "lex.h"

/* Assignment operators, and the C++ words that bind as loosely; ends with NULL. */
extern const char *const range_assignments[];

/* Reports whether token i is one of a list that ends with NULL. */
bool token_is_any(const struct sonde_token *t, uint32_t i, const char *const *list);
/* Returns the index after token i, or after the group that token i opens. */
uint32_t token_next(const struct sonde_token *t, uint32_t i);
/* Reports whether an operand can end with token i. This tells a binary operator from a unary one: `-` after an operand
 * subtracts. A `>` may close a template argument list and then ends an operand. */
bool token_ends_operand(const struct sonde_token *t, uint32_t i);

/* Reports whether token i of the range has an operand on both sides. */
bool range_is_binary(const struct sonde_token *t, uint32_t a, uint32_t i, uint32_t b);
/* Returns the last of these operators that has two operands; b if there is none. The last one, since these operators
 * group from the left: a - b - c is (a - b) - c. */
uint32_t range_find_last(const struct sonde_token *t, uint32_t a, uint32_t b, const char *const *operators);
/* Returns the first of these tokens, operator or not; b if there is none. */
uint32_t range_find(const struct sonde_token *t, uint32_t a, uint32_t b, const char *const *list);
/* Returns the colon that belongs to a question mark; b if there is none. */
uint32_t range_find_colon(const struct sonde_token *t, uint32_t mark, uint32_t b);
/* Reports whether one pair of parentheses encloses the whole range; not for a statement expression `({ ... })`. */
bool range_is_paren(const struct sonde_token *t, uint32_t a, uint32_t b);
/* Drops the parentheses around a range. */
void range_strip(const struct sonde_token *t, uint32_t *a, uint32_t *b);
/* Reports whether a range is certainly a type: it begins with a keyword of types or the name of a
 * typedef, or ends with `*`. */
bool range_is_type(const struct sonde_token *t, uint32_t a, uint32_t b);
/* Reports whether a function is called in the range: an operand before `(` that is neither an operator such as sizeof
 * nor a cast. */
bool range_has_call(const struct sonde_token *t, uint32_t a, uint32_t b);

#endif
