/* Which properties to run: the patterns of --filter over the names. */
#ifndef SONDE_CLI_CHOOSE_H
#define SONDE_CLI_CHOOSE_H

#include <sonde.h>

/* Patterns choose what they name, those that begin with ! take it away again; without one that chooses, all are chosen. A
 * pattern is an exact name, or a part of one, or matches a whole one by * ? and [ ]. The properties keep their order. Returns how many
 * were chosen; *unmatched receives the first pattern that fits no property, NULL if each does. */
size_t sonde_choose(const sonde_property *all, size_t n, const char *const *patterns, size_t n_patterns,
                    const sonde_property **chosen, const char **unmatched);

#endif
