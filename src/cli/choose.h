/* Which properties to run: the patterns of --filter over the names.
 *
 *     list            the property `list` alone if there is one; else all whose names contain it
 *     list_*          all whose whole names match
 *     '!slow*'        all but these; patterns that leave out win over those that choose
 *     list '!list_b'  both
 *
 * A pattern that fits no property is an error: it is mostly misspelt, and a test that is not run must not pass. */
#ifndef SONDE_CLI_CHOOSE_H
#define SONDE_CLI_CHOOSE_H

#include <sonde.h>

/* Patterns choose what they name, those that begin with ! take it away again; without one that chooses, all are chosen. A
 * pattern is an exact name, or a part of one, or matches a whole one by * ? and [ ]. The properties keep their order. Returns how many
 * were chosen; *unmatched receives the first pattern that fits no property, NULL if each does. */
size_t sonde_choose(const sonde_property *all, size_t n, const char *const *patterns, size_t n_patterns,
                    const sonde_property **chosen, const char **unmatched);

#endif
