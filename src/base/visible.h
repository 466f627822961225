/* Makes strings from outside (names of properties, labels, file names, messages) safe for a terminal. The result holds
 * no control sequence, and no invisible character or change of direction that makes it look like another string. */
#ifndef SONDE_BASE_VISIBLE_H
#define SONDE_BASE_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the length of the next UTF-8 character of n > 0 bytes. *code is UINT32_MAX for a byte that is not part of a
 * valid character. */
size_t sonde_next_character(const char *text, size_t n, uint32_t *code);
/* Returns whether a terminal may take the character for a command: C0, DEL and C1. */
bool sonde_is_control(uint32_t code);
/* Returns whether the character changes the direction of others, or is invisible. */
bool sonde_is_deceptive(uint32_t code);

/* Fills `out` (size > 0) with the string on one line, and adds a NUL. Control characters and bytes that are not
 * UTF-8 become \xNN, line ends \n, tabs \t, deceptive characters \uNNNN. Truncates between characters if `out` is
 * full. Returns the length. Safe in a signal handler. */
size_t sonde_visible(char *out, size_t size, const char *text);

#endif
