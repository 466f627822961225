/* Lists of words: command lines. */
#ifndef SONDE_TOOLS_WORDS_H
#define SONDE_TOOLS_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* Ends with NULL. Nothing is ever freed: the process becomes another program. */
struct words {
    char **all;
    uint32_t n, cap;
};

void words_add(struct words *words, const char *word);
void words_add_all(struct words *words, const char *const *more);
void words_add_format(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Words as in a response file: blanks separate; quotes of both kinds hold together; a backslash takes the next
 * character as it is. */
void words_split(struct words *words, const char *text);

bool word_starts(const char *text, const char *with);
bool word_is_one_of(const char *word, const char *const *list);
const char *word_base_name(const char *path);

/* Options of compilers whose next word belongs to them; ends with NULL. */
extern const char *const words_taking_another[];

/* NULL if it cannot be read; to be freed. */
char *words_read_file(const char *path);

#endif
