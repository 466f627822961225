/* Part of sonde cc: compiles sources with their conditions rewritten to report distances (rewrite.h), and with the
 * functions of SONDE_DERIVE added (derived.h). With clang, comparisons of floats and doubles are added (reals.h). */
#ifndef SONDE_TOOLS_PRECOND_H
#define SONDE_TOOLS_PRECOND_H

#include "words.h"

/* The wish for mutants (sonde cc --mutants). */
struct precond_mutants {
    bool is_on;
    bool is_verbose;           /* print how many there are, and which do not compile */
    struct words globs, skips; /* as in mutants.h */
};

/* A compilation step, as the user gave it. The pointers are borrowed. */
struct precond_step {
    const struct words *before; /* the compiler and the flags that sonde cc adds, which come first */
    const struct words *given;  /* the user's arguments */
    const char *include;        /* directory of sonde.h */
    bool is_clang, is_cxx;
    bool gives_distances;          /* conditions are rewritten; else only derived functions are added */
    bool traces_reals;             /* comparisons of floats and doubles are reported (reals.h); clang only */
    bool compiles_only, assembles; /* -c, -S */
    const struct precond_mutants *mutants;
};

/* Appends the user's arguments to `words`, with each source that can be rewritten replaced by its rewritten form. That
 * form is in an unnamed file (memfd) that the compiler inherits. Returns false, with `words` unchanged, if no source
 * changes.
 *
 * May show the compiler's messages about the sources as written. If these are errors, exits with the compiler's
 * status. */
bool precond_rewrite(const struct precond_step *step, struct words *words);
/* Prints the rewritten form of each source on standard output; for a source that stays as it is, `# FILE stays as it
 * is`. */
void precond_print(const struct precond_step *step);

/* Preprocessed source for precond_check. */
struct precond_checked {
    const char *text;
    bool is_cxx;
    bool wants_warnings; /* the compiler's default warnings, whatever the user's flags are; else no warnings */
};

/* Runs the compiler's check (-fsyntax-only) with the user's flags. Returns all messages, to be freed, each on one line
 * in English that begins with its location. Sets *status as from waitpid. */
char *precond_check(const struct precond_step *step, const struct precond_checked *checked, int *status);

#endif
