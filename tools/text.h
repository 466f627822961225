/* Strings under construction. */
#ifndef SONDE_TOOLS_TEXT_H
#define SONDE_TOOLS_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* String of `n` bytes and a terminating 0. Begins as {0}: `all` is NULL until something is put. The owner frees `all`
 * with sonde_free. */
struct text {
    char *all;
    uint32_t n, cap;
};

/* Appends n bytes. */
void text_put_n(struct text *t, const char *s, size_t n);
/* Appends short, formatted output, of less than 1 KiB; copied source can be longer and goes through text_put_n. */
void text_put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
