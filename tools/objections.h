/* Part of sonde cc: has the compiler name the parts of a generated source that do not compile.
 *
 * sonde cc adds code whose validity only the compiler knows: rewritten conditions (rewrite.h) and mutants (schema.h).
 * For a check (-fsyntax-only), line markers give each part a separate location: condition 17 is at line 17 of
 * "sonde-condition". The location of an error message is then the number of the part to leave out. */
#ifndef SONDE_TOOLS_OBJECTIONS_H
#define SONDE_TOOLS_OBJECTIONS_H

#include "precond.h"

/* A source with parts that the compiler may reject. `state` is passed to the functions. */
struct objections {
    const struct precond_step *step;
    bool is_cxx, wants_warnings; /* as in precond_check */
    void *state;
    /* Returns the source with markers and without the rejected parts, to be freed; NULL if no part is left. */
    char *(*write)(void *state);
    /* Rejects the parts that a line of messages is about. Returns whether one is new. */
    bool (*reject)(void *state, const char *message);
    /* Like reject. Is called only for errors about which `reject` knew nothing new. */
    bool (*reject_indirectly)(void *state, const char *message);
};

/* Checks the source and rejects parts until the compiler accepts the rest. Returns false if it objects to something
 * else. *messages is then what it printed last, to be freed; else NULL. */
bool objections_settle(const struct objections *o, char **messages);
/* Returns the line number at the start of a message about `file`, which ends with a colon; 0 if the message is about
 * another file. */
uint32_t objections_number(const char *message, const char *file);

#endif
