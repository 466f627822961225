/* Preconditions and claims made to tell their distance: what sonde cc does to the preprocessed text of a source. */
#ifndef SONDE_TOOLS_REWRITE_H
#define SONDE_TOOLS_REWRITE_H

#include <stdbool.h>
#include <stdint.h>

/* The text with the conditions of sonde_assume, sonde_check and sonde_expect in a form that tells their distance, and
 * with every other token where it was: markers keep files and lines. `n` receives how many conditions could be
 * written so; those with `skips[i]` (NULL: none) stay as they are. NULL if nothing changes. To be freed. */
char *sonde_rewrite(const char *preprocessed, bool is_cxx, const bool *skips, uint32_t *n);

#endif
