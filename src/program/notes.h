/* Notes that macros of sonde's headers leave in a program: ELF notes, which a linker puts together and a running program finds in each
 * of its modules, shared libraries included. */
#ifndef SONDE_PROGRAM_NOTES_H
#define SONDE_PROGRAM_NOTES_H

#include <stddef.h>
#include <stdint.h>

struct sonde_note {
    uint32_t type;
    const uint8_t *content;
    size_t n;
    uint8_t *thread; /* where the thread-local variables of its module begin, for this thread; NULL: nowhere */
};

/* Calls `each` for every note of that name in all modules. */
void sonde_notes_each(const char *name, void (*each)(const struct sonde_note *note, void *user), void *user);

#endif
