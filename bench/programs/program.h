/* A program under test: what makes its inputs, and what runs one. Each file of subjects/ is one; mains/ have what
 * drives it. The inputs are strings, so that fuzzers of strings can be measured beside fuzzers of generators. */
#ifndef BENCH_PROGRAMS_PROGRAM_H
#define BENCH_PROGRAMS_PROGRAM_H

#include <sonde.h>

enum { PROGRAM_TEXT = 1 << 16 };

/* A string that ends with a NUL, which is not counted. Bytes that do not fit are cut off. */
struct text {
    size_t n;
    char bytes[PROGRAM_TEXT];
};

void text_add(struct text *text, const char *format, ...) SONDE_PRINTF(2, 3);
/* One of a list of words. */
#define text_word(t, label, text, words) text_add((text), "%s", sonde_element((t), (label), (words)))
/* Two parts with one of the words between them. `part` is a call that adds one; it is made twice. */
#define text_infix(t, label, text, words, part)                                                                        \
    do {                                                                                                               \
        part;                                                                                                          \
        text_add((text), " ");                                                                                         \
        text_word((t), (label), (text), (words));                                                                      \
        text_add((text), " ");                                                                                         \
        part;                                                                                                          \
    } while (0)
/* sonde_more, with a separator between two elements. */
bool text_more(sonde_list *list, struct text *text, const char *between);

#ifdef __cplusplus
extern "C" {
#endif

/* Draws a string: follows the syntax, knows nothing of its meaning. */
void program_generate(sonde *t, struct text *out);
/* Once in a process. */
void program_start(void);
/* Returns true if the program takes the string for valid. The string ends with a NUL. */
bool program_run(const char *text, size_t n);

#ifdef __cplusplus
}
#endif
#endif
