/* Strings in JSON, for all who write it: reports by streams (report/write.h), fleets into memory (share/roster.h,
 * engine/phases/fleet.c). */
#ifndef SONDE_BASE_JSON_H
#define SONDE_BASE_JSON_H

#include <sonde/extend.h>

/* Writes the first character of n > 0 bytes as it stands in a JSON string, with a NUL. Returns the length of the character. */
enum { SONDE_JSON_CHARACTER = 8 };
size_t sonde_json_character(const char *text, size_t n, char out[SONDE_JSON_CHARACTER]);
/* Appends a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. */
void sonde_bytes_add_json(struct sonde_bytes *out, const char *text, size_t n);

#endif
