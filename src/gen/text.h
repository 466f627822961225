/* Text that a generator writes piece by piece, within one span that is shown as the text. */
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
