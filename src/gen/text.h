/* A string that a generator writes piece by piece, within one span that reports show as that string.
 *
 * The form of such a generator:
 *
 *     struct sonde_gen_text text;
 *     sonde_gen_begin(&text, t, label);                               opens a span
 *     sonde_gen_print(&text, "%d", sonde_int(t, "octet", 0, 255));    labelled draws
 *     sonde_gen_put(&text, ".", 1);                                   fixed characters
 *     return sonde_gen_end(&text);                                    closes it, and shows the string in reports
 *
 * The tape records the draws, not the string. So a string shrinks by its parts and stays well-formed. */
#ifndef SONDE_GEN_TEXT_H
#define SONDE_GEN_TEXT_H

#include <sonde.h>

/* A string being written, on the caller's stack. Invariant after begin: n < cap and at[n] is NUL. */
struct sonde_gen_text {
    sonde *t;
    const char *label;
    char *at; /* n characters and a NUL */
    size_t n, cap;
};

/* Opens the span and begins an empty string. */
void sonde_gen_begin(struct sonde_gen_text *text, sonde *t, const char *label);
/* Appends n characters; the string stays terminated by a NUL. The memory belongs to the case. */
void sonde_gen_put(struct sonde_gen_text *text, const char *chars, size_t n);
/* Appends at most 255 bytes, printf-style. */
void sonde_gen_print(struct sonde_gen_text *text, const char *format, ...) SONDE_PRINTF(2, 3);
/* Closes the span. Returns the string, owned by the case, in memory of exactly its size, so that tools detect
 * overruns. */
char *sonde_gen_end(struct sonde_gen_text *text);

#endif
