/* Strings from outside (names of properties, labels, file names, messages) for a terminal: no string can command it, and
 * none can look like another one. */
#ifndef SONDE_BASE_VISIBLE_H
#define SONDE_BASE_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the length of the next UTF-8 character of n > 0 bytes; *code is UINT32_MAX for a byte that belongs to none. */
size_t sonde_next_character(const char *text, size_t n, uint32_t *code);
/* Whether a terminal may take it for a command: C0, DEL and C1. */
bool sonde_is_control(uint32_t code);
/* Whether it turns the direction of what follows, or cannot be seen. */
bool sonde_is_deceptive(uint32_t code);

/* Fills `out` (size > 0) with the string on one line, and ends it: control characters and bytes that are not UTF-8 as
 * \xNN, line ends as \n, tabs as \t, deceptive characters as \uNNNN. Cuts between characters where it is full. Returns
 * the length. Safe in a signal handler. */
size_t sonde_visible(char *out, size_t size, const char *text);

#endif
