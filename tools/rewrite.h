/* The rewriting step of sonde cc: gives the conditions of assumes and checks a distance, in preprocessed source. */
#ifndef SONDE_TOOLS_REWRITE_H
#define SONDE_TOOLS_REWRITE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the source with the conditions of sonde_assume, sonde_check and sonde_expect rewritten to report a distance.
 * Line markers keep every other token at its file and line. The caller frees the result with sonde_free.
 *
 * `n` receives the number of conditions that can be rewritten. Condition i of these stays as written if skips[i] is
 * set; if `skips` is NULL, none does. If is_marked, rewritten condition i is at line i + 1 of the file REWRITE_MARKER:
 * the result is for a check by the compiler. Returns NULL if nothing changes, also if the source cannot be read as
 * tokens. */
char *sonde_rewrite(const char *preprocessed, bool is_cxx, bool is_marked, const bool *skips, uint32_t *n);

#define REWRITE_MARKER "sonde-condition"

#endif
