/* Writes strings of unknown content (labels, notes, file names of a user's program) to terminals, XML and shells.
 * base/json.h does the same for JSON. All functions accept any bytes and always write something well-formed.
 *
 * Examples of the escapes:
 *
 *                quote    line end          byte 01   byte ff   U+202E (reverses the direction of writing)
 *     plain      "        and the indent    \x01      \xff      \u202e
 *     line       "        \n                \x01      \xff      \u202e
 *     xml        &quot;   &#10;             U+FFFD    U+FFFD    as it is */
#ifndef SONDE_REPORT_WRITE_H
#define SONDE_REPORT_WRITE_H

#include "base/digits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes a string for people. Control bytes and bytes that are not UTF-8 become \xNN, so that no string can
 * control the terminal. Lines after the first start with `indent` blanks; a line end at the end is dropped. */
void sonde_write_plain(FILE *out, const char *text, size_t n, unsigned indent);
/* Writes a string for people on one line: line ends become \n. */
void sonde_write_line(FILE *out, const char *text);
/* Writes XML character data, which is also valid in attributes. Characters that XML does not allow become U+FFFD. */
void sonde_write_xml(FILE *out, const char *text, size_t n);
/* Writes a word for a shell, with quotes if it needs them. A word that a terminal would not show as it is becomes
 * escapes of printf. */
void sonde_write_shell(FILE *out, const char *text);

/* Writes a duration to `out`, as in "3 ms", "0.8 s" or "125 s". Returns `out`. */
const char *sonde_duration(double seconds, char out[SONDE_GROUPED]);

#endif
