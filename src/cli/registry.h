/* Properties and examples that registered themselves (SONDE_PROPERTY, SONDE_EXAMPLE), from whatever file.
 *
 * SONDE_PROPERTY(name) defines a static object and a constructor that links it into a list, before main runs.
 * The order of constructors is the linker's, so the list is sorted by file and line when it is first asked for:
 * the number of a property, by which a spawned worker finds it, is the same in every process of one program. */
#ifndef SONDE_CLI_REGISTRY_H
#define SONDE_CLI_REGISTRY_H

#include <sonde.h>

/* All properties of a program: those given to SONDE_MAIN or sonde_main first, then the registered ones by file and line;
 * each with its examples. Valid until the process ends. On misuse (two of one name, an example of no property, a property
 * without a name or function) NULL, with a sentence in `message`. */
const sonde_property *sonde_registry_all(const sonde_property *given, size_t n_given, size_t *n, char *message,
                                         size_t size);
/* The file of the first of those that registered themselves; NULL if there are none. */
const char *sonde_registry_file(void);

#endif
