/* Text that a generator writes piece by piece, within one span that is shown as the text.
 *
 * The form of a generator of texts:
 *
 *     struct sonde_gen_text text;
 *     sonde_gen_begin(&text, t, label);                               opens a span
 *     sonde_gen_print(&text, "%d", sonde_int(t, "octet", 0, 255));    draws with labels of their own
 *     sonde_gen_put(&text, ".", 1);                                   fixed characters
 *     return sonde_gen_end(&text);                                    closes it, and shows the text in reports
 *
 * What was drawn is on the tape, the text is not: so a text shrinks by its parts and stays what it is. */
#ifndef SONDE_GEN_TEXT_H
#define SONDE_GEN_TEXT_H

#include <sonde.h>

/* On the caller's stack. Invariant after begin: n < cap and at[n] is NUL. */
struct sonde_gen_text {
    sonde *t;
    const char *label;
    char *at; /* n characters and a NUL */
    size_t n, cap;
};

/* Opens the span. */
void sonde_gen_begin(struct sonde_gen_text *text, sonde *t, const char *label);
/* Copies n characters to the end, which stays terminated by a NUL. Memory is the case's. */
void sonde_gen_put(struct sonde_gen_text *text, const char *chars, size_t n);
/* At most 255 bytes at once, printf-style. */
void sonde_gen_print(struct sonde_gen_text *text, const char *format, ...) SONDE_PRINTF(2, 3);
/* Closes the span; returns the text in memory of just its size, so that tools see who goes beyond it. */
char *sonde_gen_end(struct sonde_gen_text *text);

#endif
