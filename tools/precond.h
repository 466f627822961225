/* sonde cc: sources whose conditions tell their distance, and that have derived code in them. */
#ifndef SONDE_TOOLS_PRECOND_H
#define SONDE_TOOLS_PRECOND_H

#include "words.h"

/* A step that compiles, as the user gave it. */
struct precond_step {
    const struct words *before; /* the compiler and our own flags, which come first */
    const struct words *given;  /* the user's words */
    const char *include;        /* where sonde.h is */
    bool is_clang, is_cxx;
    bool gives_distances;          /* else only what is derived is added */
    bool compiles_only, assembles; /* -c, -S */
};

/* The user's words with every source that could be rewritten replaced by its new text, in a file without a name that
 * the compiler inherits. False, and `words` is not touched, if nothing changes. Messages of the compiler about the
 * sources as written may have been shown; when they are errors the process ends with the compiler's status. */
bool precond_rewrite(const struct precond_step *step, struct words *words);
/* The new text of each source, on standard output; of one that stays as it is, a line that says so. */
void precond_print(const struct precond_step *step);

#endif
