/* Writing texts that may hold anything (labels, notes, file names of a user's program) into formats that may not:
 * terminals, XML, shells; base/json.h does it for JSON. All of them accept any bytes and always write something well-formed.
 *
 * What each makes of some characters:
 *
 *                quote    line end          byte 01   byte ff   U+202E (turns the direction of text)
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

/* For people: control bytes and bytes that are not UTF-8 as \xNN, so that no text can command a terminal. Lines after
 * the first start with `indent` blanks; a line break at the end is dropped. */
void sonde_write_plain(FILE *out, const char *text, size_t n, unsigned indent);
/* The same on one line: line breaks as \n. */
void sonde_write_line(FILE *out, const char *text);
/* XML character data, fit for attributes too; what XML cannot hold becomes U+FFFD. */
void sonde_write_xml(FILE *out, const char *text, size_t n);
/* A word for a shell: quoted where it must be; as printf's escapes where a terminal would not show what it is. */
void sonde_write_shell(FILE *out, const char *text);

/* "3 ms", "0.8 s", "125 s". */
const char *sonde_duration(double seconds, char out[SONDE_GROUPED]);

#endif
