/* A program under test: what makes its inputs, and what runs one. Each file of subjects/ is one; mains/ have what drives
 * it. The inputs are texts, so that fuzzers of texts can be measured beside those of generators. */
#ifndef BENCH_PROGRAMS_PROGRAM_H
#define BENCH_PROGRAMS_PROGRAM_H

#include <sonde.h>

enum { PROGRAM_TEXT = 1 << 16 };

/* Ends with a NUL that is not counted. What does not fit is cut off. */
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
/* sonde_more, with what stands between two elements. */
bool text_more(sonde_list *list, struct text *text, const char *between);

#ifdef __cplusplus
extern "C" {
#endif

/* Draws a text: follows the syntax, knows nothing of its meaning. */
void program_generate(sonde *t, struct text *out);
/* Once in a process. */
void program_start(void);
/* True if the program takes the text for valid. The text ends with a NUL. */
bool program_run(const char *text, size_t n);

#ifdef __cplusplus
}
#endif
#endif
