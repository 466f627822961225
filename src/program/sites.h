/* Lists where the modules of this program check, assume, cover and fail, reached or not. Reads the notes of
 * SONDE_SITE_NOTE_ in sonde.h. */
#ifndef SONDE_PROGRAM_SITES_H
#define SONDE_PROGRAM_SITES_H

#include <sonde.h>
#include <stddef.h>
#include <stdint.h>

struct sonde_declared {
    const char *file, *text, *function; /* strings that the compiler recorded */
    const void *code;                   /* an address in the code of the location */
    int line, kind;                     /* enum sonde_site_kind_ */
};

/* Calls `each` for every location. A location that the compiler has copied, for instance by inlining, is visited
 * several times. Visits none if the compiler is not known to write notes. */
void sonde_sites_each(void (*each)(const struct sonde_declared *site, void *user), void *user);
/* Returns whether the program has a location of this kind. */
bool sonde_sites_has(int kind);
/* Returns whether the location is in this function: in its source and in its code, so not in a function that was
 * inlined into it. Returns false if the program has no symbols. */
bool sonde_sites_is_in(const struct sonde_declared *site, sonde_property_fn *function);
/* Returns whether the record is in a module that is loaded in this process, and so can be read. */
bool sonde_sites_is_loaded(const struct sonde_site_ *site);

/* ---- Notes that macros of sonde's headers leave in a program: ELF notes, which a linker collects. A running program
 * finds them in each of its modules, shared libraries included. */

struct sonde_note {
    uint32_t type;
    const uint8_t *content;
    size_t n;
    uint8_t *thread; /* start of this thread's thread-local variables of the module; NULL: it has none */
};

/* Calls `each` for every note of that name in all modules. */
void sonde_notes_each(const char *name, void (*each)(const struct sonde_note *note, void *user), void *user);

#endif
