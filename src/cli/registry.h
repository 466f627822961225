/* The properties and examples of a program, including those that SONDE_PROPERTY and SONDE_EXAMPLE register in any
 * file.
 *
 * SONDE_PROPERTY(name) defines a static object and a constructor that links it into a list before main runs. The
 * order of constructors depends on the linker, so the list is sorted by file and line when it is read. A spawned
 * worker finds its property by its number, which is therefore the same in every process of one program. */
#ifndef SONDE_CLI_REGISTRY_H
#define SONDE_CLI_REGISTRY_H

#include <sonde.h>

/* Returns all properties of a program, each with its examples: first those given to SONDE_MAIN or sonde_main, then
 * the registered ones by file and line. *n receives their number. The array stays valid until the next call. On
 * misuse returns NULL with a message: two properties of one name, an example of no property, or a property without
 * name or function. */
const sonde_property *sonde_registry_all(const sonde_property *given, size_t n_given, size_t *n, char *message,
                                         size_t size);
/* Returns the source file of the first registered property; NULL if none is registered. */
const char *sonde_registry_file(void);

#endif
