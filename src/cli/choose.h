/* Which properties to run: the patterns of --filter, matched against the names.
 *
 *     list            the property `list` alone if it exists; else every property whose name contains "list"
 *     list_*          every property whose whole name matches
 *     '!slow*'        every property whose name does not match; an excluding pattern wins over a choosing one
 *     list '!list_b'  both: chosen by the first, unless excluded by the second
 *
 * A pattern that matches no property is an error: usually it is misspelt, and a test that was not run must not
 * pass. */
#ifndef SONDE_CLI_CHOOSE_H
#define SONDE_CLI_CHOOSE_H

#include <sonde.h>

/* Fills chosen[] with the properties that the patterns choose, in the order of `all`. Returns their number.
 * chosen[] has space for n pointers, which point into `all`. Patterns that begin with ! exclude. If all
 * patterns exclude, every property that none excludes is chosen. *unmatched receives the first pattern that matches
 * no property, or NULL if each pattern matches one. */
size_t sonde_choose(const sonde_property *all, size_t n, const char *const *patterns, size_t n_patterns,
                    const sonde_property **chosen, const char **unmatched);

#endif
