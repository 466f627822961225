/* Command lines as lists of words, and helpers that recognise the options of compilers. */
#ifndef SONDE_TOOLS_WORDS_H
#define SONDE_TOOLS_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* A command line in the form that execvp takes: `n` words and a NULL. Begins as {0}. Is never freed: the process soon
 * becomes another program. */
struct words {
    char **all;
    uint32_t n, cap;
};

/* Appends a copy of a word. */
void words_add(struct words *words, const char *word);
/* Appends copies of words; `more` ends with NULL. */
void words_add_all(struct words *words, const char *const *more);
/* Appends a formatted word. Words above 8 KiB (two paths) are cut. */
void words_add_format(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends the words of a response file (@FILE), by the compilers' rules. Blanks separate words; quotes of either kind
 * keep blanks; a backslash takes the next character literally. */
void words_split(struct words *words, const char *text);

/* Reports whether a string starts with another. */
bool word_starts(const char *text, const char *with);
/* Reports whether a word is in a list that ends with NULL. */
bool word_is_one_of(const char *word, const char *const *list);
/* Returns the part of a path after its last slash. */
const char *word_base_name(const char *path);

/* Options of compilers that take the next word as their value; ends with NULL. */
extern const char *const words_taking_another[];

/* Returns the content of a file as a string, to be freed; NULL if the file cannot be opened. */
char *words_read_file(const char *path);

#endif
