/* The formats that sonde reads, as targets of libFuzzer: each takes any bytes, and aborts where a promise of its header
 * does not hold. */
#ifndef SONDE_TESTS_PARSERS_H
#define SONDE_TESTS_PARSERS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(claim) ((claim) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #claim), abort()))

/* Allocates a copy of the bytes with a NUL behind them; a byte beyond that is seen by AddressSanitizer. */
static inline char *parsers_text(const uint8_t *data, size_t n)
{
    char *text = malloc(n + 1);
    if (!text) abort();
    memcpy(text, data, n);
    text[n] = '\0';
    return text;
}

void parse_name(const uint8_t *data, size_t n);
void parse_profile(const uint8_t *data, size_t n);
void parse_module(const uint8_t *data, size_t n);

#endif
