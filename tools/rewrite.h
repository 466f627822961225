/* Preconditions made to tell their distance: what sonde cc does to the text of a source before it is compiled. */
#ifndef SONDE_TOOLS_REWRITE_H
#define SONDE_TOOLS_REWRITE_H

#include <stdbool.h>
#include <stddef.h>

/* The text with the condition of every sonde_assume in a form that tells its distance; lines stay where they are. NULL
 * if there is nothing to change. `macros` is what the compiler knows of macros (-dM): lines of #define. To be freed. */
char *sonde_rewrite(const char *text, const char *macros, bool is_cxx);

#endif
